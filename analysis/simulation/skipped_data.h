/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_SKIPPED_DATA_H
#define MEMSEARCH_SIMULATION_SKIPPED_DATA_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Data of the accesses that are not simulated because time is limited (portions.h). The beginnings of
 * several loops over the same arrays fit into the caches where the loops do not, so between two of
 * them each thread accesses lines that stand for the rest of the first:
 *
 *     program       ──── loop 1 ────────────────┤──── loop 2 ────────────────
 *     simulated     begin │ lines in its place  │ begin │ …
 *
 * As many lines as the loop has of each array, the same ones in each loop, and at most as many as the
 * largest cache that does not hold all data. So a line that two loops access is as old as in the
 * program. Lines of stacks, and of data that belongs to no array, are left out.
 *
 * One thread at a time. Sizes are from the counts of accesses in the run (analysis/counting/).
 */
struct arena;
struct fill_stretches;
struct machine_model;
struct run;
struct skipped_data;
struct trace_stream;
struct traced_part;

/* `cores`: as in fill_lines.h. The caller keeps all arguments. NULL: no memory, or too many rows. */
struct skipped_data *skipped_data_new(struct arena *arena, const struct run *run,
				      const struct machine_model *model, const uint32_t *cores,
				      uint32_t threads);
/* Lines that stand for an execution of the region by the thread, at most. */
uint64_t skipped_data_lines(const struct skipped_data *data, uint32_t thread, uint32_t region);
/* From now on each region has this part of these lines, and all together have at most `all`. */
void skipped_data_limit(struct skipped_data *data, double part, uint64_t all);
/* Pages of 4 KiB that such lines are on, approximately. */
uint64_t skipped_data_pages(const struct skipped_data *data);
/* Whether a limit left out lines. */
bool skipped_data_is_limited(const struct skipped_data *data);
/* This part of the thread's accesses in all executions of the region was not simulated. */
void skipped_data_note(struct skipped_data *data, uint32_t thread, uint32_t region, double part);
/* Before each execution: words that are written into its streams at most. */
#define SKIPPED_DATA_WORDS ((uint64_t)1 << 22)
void skipped_data_begin(struct skipped_data *data);
/* Writes what was noted into the thread's stream, whose part is `part`. False: no memory. */
bool skipped_data_play(struct skipped_data *data, struct trace_stream *stream,
		       const struct traced_part *part);

#endif
