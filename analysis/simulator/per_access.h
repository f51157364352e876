/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_PER_ACCESS_H
#define MEMSEARCH_SIMULATOR_PER_ACCESS_H

#include "analysis/simulator/stride_run.h"

/*
 * Per-access simulation of stride runs, for groups with many runs or long strides, where it takes
 * less time than finding the accesses that enter lines (interleaving.h). Most accesses still only
 * update the LRU order; the state for that is kept per run.
 *
 * With set sampling (sampling.h) a run is skipped until it accesses a sampled line, its prefetcher
 * requests one, or it leaves its page: until then its accesses only change the LRU order of pages
 * and the prefetcher's row. Both updates are deferred until something depends on them. As each run
 * accesses once per round, current pages were used later than any page that a run has left.
 */
#define PER_ACCESS_AHEAD 64 /* rounds */
#define PER_ACCESS_WORDS ((UINT8_MAX + 63) / 64)

struct run_progress {
	struct simulator_counters *counters;
	struct stride_row *row; /* of the first level's prefetcher; NULL: there is none */
	struct cache *cache;    /* the first level that is accessed */
	uint64_t address;       /* of its next access */
	uint64_t ahead;         /* distance of the prefetcher's request; 0: none */
	bool row_behind;        /* the row lacks the skipped accesses */
	uint32_t slow;          /* simulated accesses, not yet counted */
	uint32_t held_cycles;   /* cycles of the other accesses */
	uint32_t tlb_way;       /* way of the last access's page */
	uint8_t state;          /* required of the line for them */
	bool bypass;
};

struct per_access {
	const struct stride_run *group;
	uint64_t round;          /* which access of each run comes next, … */
	uint32_t next, nr;       /* … of which run, of how many */
	bool skips;              /* runs may be skipped */
	uint64_t due[UINT8_MAX]; /* by run: the next round to simulate */
	/*
	 * by round and run, a bit: check whether it is due; a run that is due later is checked
	 * repeatedly
	 */
	uint64_t checks[PER_ACCESS_AHEAD][PER_ACCESS_WORDS];
	/* by run: page + 1 of its last access's first byte, and of its last; 0: none yet */
	uint64_t pages[UINT8_MAX], last_pages[UINT8_MAX];
	struct run_progress runs[UINT8_MAX];
};

/* Whether this takes less time. */
bool per_access_is_better(const struct simulator *simulator, const struct stride_run *group);
/* Begins the group, which must not change until its last access. */
void per_access_begin(struct simulator *simulator, struct core *core, struct per_access *per_access,
		      const struct stride_run *group);
/* Simulates its next `accesses` accesses; they are counted with the last one of the group. */
void per_access_run(struct simulator *simulator, struct core *core, struct per_access *per_access,
		    uint32_t accesses);
/* Runs of one access each: the first `nr` of the known ones; they are counted. */
void per_access_run_single(struct simulator *simulator, struct core *core,
			   const struct stride_run *runs, uint32_t nr, size_t known);

#endif
