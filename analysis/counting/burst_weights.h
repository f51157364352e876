/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_BURST_WEIGHTS_H
#define MEMSEARCH_COUNTING_BURST_WEIGHTS_H

#include "analysis/counting/burst_sums.h"
#include "analysis/trace/stream.h"

/*
 * Weights of bursts by their place in time. Code of a region that is recorded for as long as other
 * code of it may run for longer:
 *
 *     region     │ initialisation │ look-ups                                             │
 *     bursts     ├──┤             ├──┤                        ├──┤
 *     stands for │─── span ───────│─── span ──────────────────│─── span ─────────────────│
 *
 * A burst stands for the time from its begin to that of the thread's next one, or to the region's
 * end: its words are weighted by span / recorded time, so that their sum keeps the scale of
 * burst_times.h. Of parallel regions without tasks that have several bursts of a thread in nearly
 * each of their executions; not of constructs with a time of their own, nor of the code beside
 * them. All other words have weight 1. One thread at a time.
 */
struct arena;
struct burst_weights;

/* After burst_times_init. NULL: no memory. */
struct burst_weights *burst_weights_new(struct arena *arena, const struct burst_times *times,
					const struct burst_sums *sums);
/* Reads the marks of a decoded execution of the record. False: no memory. */
bool burst_weights_note(struct burst_weights *weights, const struct trace_reader *reader,
			size_t execution, const struct trace_streams *streams);
/* After all executions, and burst_sums_end. */
void burst_weights_end(struct burst_weights *weights);
/* What a weight of the region's words is a multiple of, so that single words can be weighted. */
double burst_weights_unit(const struct burst_weights *weights, uint32_t region);
/* Of words in the run's region that the thread recorded in the burst that began then. */
double burst_weights_of(const struct burst_weights *weights, uint32_t region, uint32_t thread,
			uint64_t begin_ns);

#endif
