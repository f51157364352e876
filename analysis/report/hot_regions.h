/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_HOT_REGIONS_H
#define MEMSEARCH_REPORT_HOT_REGIONS_H

#include <stdbool.h>
#include <stddef.h>

struct run;
struct text;

/*
 * "Where the time goes:" and at most `most` regions, the hottest first: share of the phase's time,
 * place and, where accesses were simulated, their number in one execution of the phase, misses, and
 * bytes from and to memory. Nothing where no region has a twentieth of the time. `width`: columns.
 */
void hot_regions_text(struct text *out, const struct run *run, size_t most, int width);
/*
 * "Outside of these steps: 94 % of the run's 9.8 s, …", where three tenths of the run are in none of
 * the report's shares: before the first OpenMP construct, or outside of the phase; else nothing.
 * With the hottest of the regions outside of the phase, by clock samples, where it has three tenths
 * of theirs.
 *
 * outside_is_much: whether outside_text has something to say; outside_scope: then " in the steps",
 * or what else all that is said holds for, else "".
 */
bool outside_is_much(const struct run *run);
const char *outside_scope(const struct run *run);
void outside_text(struct text *out, const struct run *run, int width);

#endif
