/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SEARCH_CARRY_H
#define MEMSEARCH_SEARCH_CARRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/search/database.h"
#include "memsearch/metric_set.h"
#include "memsearch/status.h"

/*
 * Measurements of a program without a repetitive phase, carried from one run to the next. A program
 * run N more times is then a phase with N + 1 executions: values have a spread, and later runs
 * measure what earlier ones could not. Not here: the verdicts (engine_save), which follow from the
 * values.
 *
 *     memsearch-measurements 1
 *     run EXECUTIONS WALL METRICS        METRICS: bits of those that were measured, in words of 64,
 *                                        "LOW,HIGH"
 *     row REGION THREAD METRIC COUNT SUM MIN MAX SQUARES end LINES CHECKSUM
 *
 * REGION is a key, 0 for the phase. At most DATABASE_BATCHES runs are kept: when there are more,
 * the two with the fewest executions become one. Allocates from the arena only.
 */
struct arena;
struct carry;
struct engine;

struct carry *carry_new(struct arena *arena); /* NULL: no memory */

bool carry_is(const char *text); /* looks like a text of carry_save */
/* MS_ERR_FORMAT: damaged, nothing was taken */
enum ms_status carry_load(struct carry *carry, const char *text);
/* NULL: no memory, or too large */
char *carry_save(const struct carry *carry, struct arena *arena);

/*
 * One more run, and then its rows, some `rows` of them; `metrics`: what was measured, if a region
 * had it or not.
 */
enum ms_status carry_run(struct carry *carry, double wall_ns, const struct ms_metric_set *metrics,
			 size_t rows);
enum ms_status carry_row(struct carry *carry, const struct database *db,
			 const struct ms_measurement *row);

uint64_t carry_executions(const struct carry *carry); /* runs so far */
/* of these, in which it was measured */
uint64_t carry_measured(const struct carry *carry, uint32_t metric);
void carry_wall(const struct carry *carry, double *sum_ns_out, double *min_ns_out,
		double *max_ns_out);
/*
 * Plays every run to the database, as one execution each. It has to be clear, and to know the
 * regions.
 */
void carry_play(const struct carry *carry, struct database *db, const struct engine *engine);

#endif
