/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REMEDIES_TRIAL_H
#define MEMSEARCH_REMEDIES_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What remedies are predicted to gain: each is simulated with the same trace by a process of its
 * own, several at a time. "Stalls" are what accesses wait for caches, TLBs and memory if none
 * overlaps, as time on the machine: what prefetchers bring in time is not in them.
 */
struct arena;
struct remedy;
struct remedy_base;
struct requests_source;
struct run;

struct trial_result {
	/*
	 * of all threads in the execution that is simulated; cycles, where the machine's clock is
	 * not known
	 */
	double stall_ns;
	/* lines that accesses get from memory: of other nodes, and all */
	double remote, lines;
	double missed, walks; /* misses of the last cache level, page walks */
	double *by_region;    /* stall_ns by region, as many as the run had before */
};

struct trial {
	const struct remedy *remedy;
	bool done; /* else remedy->refused, or `why` */
	const char *why;
	struct trial_result result;
	/* part of the stalls as the program is; below 0: they grow */
	double gain;
	/* construct whose stalls shrink most; MS_REGION_NONE: none does */
	uint32_t region;
	double region_gain; /* part of those of this region */
};

struct trials {
	struct trial_result before;
	size_t nr;
	struct trial *items; /* the highest gain first, those that were not done last */
};

#define TRIAL_HELPS 0.01 /* gain from which on a remedy helps */

/* Of what is in the run now. In the arena; by_region NULL: no memory. */
struct trial_result trial_result_of(struct arena *arena, const struct run *run, size_t nr_regions,
				    double hz);

/*
 * NULL: no memory. `progress` gets the part that is done; NULL: not called. Starts source->jobs
 * processes at a time.
 */
const struct trials *trials_run(struct arena *arena, const struct requests_source *source,
				const struct remedy *remedies, size_t nr,
				void (*progress)(void *ctx, double part), void *ctx);

#endif
