/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_INTERLEAVING_H
#define MEMSEARCH_SIMULATOR_INTERLEAVING_H

#include "analysis/simulator/stride_run.h"

/*
 * Interleaved stride runs of a group: in each round, each run accesses once. Within a line that is
 * present in the required state an access only updates the LRU order; so only accesses are
 * simulated that enter a line or need another state.
 *
 *     due:  run 0: round 8    run 1: round 3    run 2: round 5        next access to simulate:
 *                                                                     round 3 of run 1
 *
 * LRU updates are deferred: a run's current line was used later than its stamp says. All current
 * lines were used in the last round, later than any line that a run has left. So a line is touched
 * when its run leaves it, and all current lines are touched before their order matters: before an
 * eviction, or a use of another line. With set sampling (sampling.h) unsampled lines count as
 * present: only the run's page and the prefetcher's requests matter there. An access that spans two
 * lines is the last one of the first line and the first one of the second, if the run continues
 * there: the first is left a round later.
 *
 * The first level's prefetcher sees every access, too. With short strides it requests the line
 * behind the run's line repeatedly: once that line is present, updates of its table row are
 * deferred in the same way.
 */
#define INTERLEAVING_RUNS UINT8_MAX
#define INTERLEAVING_WAYS (INTERLEAVING_RUNS + 1) /* so that they can be compared in parts */
#define INTERLEAVING_DUE 1024                     /* the begin moves up, and wraps */

/* One stride run. */
struct member {
	struct cache *cache; /* the first level that is accessed */
	struct simulator_counters *counters;
	/* the first round whose access leaves the line, or is not all in it */
	uint64_t until;
	uint64_t step;            /* bytes from one access to the next, either way */
	uint64_t tag, page;       /* line + 1, page + 1 */
	uint32_t number, tlb_way; /* tlb_way: the page's way, if present */
	uint64_t marked;          /* words touched include rounds before this one */
	/* of the first level's prefetcher, which needs every access; NULL: there is none */
	struct stride_row *row;
	/* line + 1 that it requests while the run is in its line; 0: none */
	uint64_t asked;
	uint32_t slow;        /* simulated accesses, not yet counted */
	uint32_t held_cycles; /* cycles of the other accesses */
	uint8_t state;        /* required of the line for them */
	bool bypass;
	/* the line is not sampled, nor are the next ones up to `until` */
	bool skipped;
	/*
	 * accesses in this line do not change the prefetcher while the requested line is in way
	 * `asked`
	 */
	bool trained;
};

struct interleaving {
	const struct stride_run *group;
	uint64_t round;    /* which access of each run comes next, … */
	uint32_t next, nr; /* … of which run, of how many */
	bool careful;      /* no update may be deferred when an access is simulated */
	/* of the core; NULL: some are in another level than L1, `careful` then */
	uint16_t *runs_in_way;
	bool alone;         /* no two runs share a row of the prefetcher */
	bool lost;          /* a requested line was evicted */
	uint64_t caught_up; /* LRU order includes accesses due before this, …*/
	uint32_t clock;     /* … since the clock of the first level said so */
	/*
	 * round × 256 + number: the runs' next accesses to simulate, in order, UINT64_MAX behind
	 * them; …
	 */
	uint64_t due[INTERLEAVING_DUE];
	uint32_t first, end; /* … from here, to here */
	/* of the first level, of their lines; NO_WAY: unknown, or not present */
	uint32_t ways[INTERLEAVING_WAYS];
	/*
	 * of runs whose last access spans two lines: the way of the second, where they continue;
	 * else NO_WAY
	 */
	uint32_t nexts[INTERLEAVING_WAYS];
	/* ways of the requested lines in the outermost private level, or NO_WAY */
	uint32_t asked[INTERLEAVING_WAYS];
	struct member members[INTERLEAVING_RUNS];
};

/* Begins the group, which must not change until its last access. It has no non-temporal writes. */
void interleaving_begin(struct simulator *simulator, struct core *core,
			struct interleaving *interleaving, const struct stride_run *group);
/* Simulates its next `accesses` accesses; they are counted with the last one of the group. */
void interleaving_run(struct simulator *simulator, struct core *core,
		      struct interleaving *interleaving, uint32_t accesses);
/*
 * Call before another core invalidates a line of this core. Applies deferred uses: they change the
 * shadow cache and the trees even if the line is gone.
 */
void interleaving_settle(struct core *core);
/* A line of the outermost private level is evicted that a prefetcher may have requested. */
void interleaving_evicted(struct interleaving *interleaving, uint32_t way);
/* Stores the deferred touched words of a line of the first level, before they are counted. */
void interleaving_store_touched_way(struct interleaving *interleaving, const struct cache *cache,
				    uint32_t way);

static inline void interleaving_store_touched(struct interleaving *interleaving,
					      const struct cache *cache, uint32_t way)
{
	if (interleaving->runs_in_way
		    ? cache == interleaving->members[0].cache && interleaving->runs_in_way[way]
		    : interleaving->careful)
		interleaving_store_touched_way(interleaving, cache, way);
}

#endif
