/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SESSION_KEPT_PHASES_H
#define MEMSEARCH_SESSION_KEPT_PHASES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The phases of a program with several, one after the other: the searches of those that have ended
 * are kept, the longest ones if they are many. At the end one is in the run, the others are in its
 * record beside it (record_phase).
 */

struct kept_phase;
struct run_phase;
struct search;

/* Creates their searches (searches_add). False: no memory. */
bool kept_phases_new(void);
/* Another phase begins, or none is known any more: the present one is kept, if it was measured. */
void kept_phases_keep(void);
/*
 * The run's results are of `shown`: the search of a kept phase, of the last one (online.phase,
 * `last`) or of the whole program. Ends the searches of the other phases, and lists all in the run
 * where there are several.
 */
void kept_phases_list(const struct search *shown, const struct run_phase *last, uint64_t now_ns);
/* The others, to the record. */
void kept_phases_write(void);

/* Whether a search has seen enough of the phase for an answer. */
bool kept_phases_is_measured(const struct search *search, const struct run_phase *phase);

#endif
