/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_ROUNDS_H
#define MEMSEARCH_SIMULATOR_ROUNDS_H

#include "analysis/simulator/walk.h"

/*
 * Walks of a group, which take turns: round after round, each accesses once. As long as they stay in lines that are there as they need them, they
 * change nothing but the order of use; so only those accesses are looked at that enter a line, or need more than it is ready for.
 *
 *     due:  walk 0: round 8    walk 1: round 3    walk 2: round 5        next to be looked at: round 3 of walk 1
 *
 * The order of use is behind meanwhile: the line where a walk is has been used since its stamp says so. But all such lines were used in the
 * last round, later than any line that a walk has left. So it is enough to touch a line when its walk leaves it, and those where walks are
 * before something depends on the order among them: one of them might be displaced, or something else is used in between.
 * Where only some lines are looked at (sampling.h), those that are not are as if they were there: of them the walk's page matters, and what the prefetcher asks for.
 * An access in two lines counts for the first as its last and for the second as its first, if the walk goes on there: the first is left a round later.
 *
 * The first level's prefetcher hears of every access, too. In short strides it asks for the line behind the walk's again and again: once it does, and the line
 * is there, its row of the table is behind in the same way.
 */
#define ROUNDS_WALKS UINT8_MAX
#define ROUNDS_WAYS (ROUNDS_WALKS + 1)   /* so that they can be compared in parts */
#define ROUNDS_DUE 1024                  /* they wander up, and begin again */

/* One walk. */
struct member {
	struct cache *cache;             /* the first level it looks at */
	struct simulator_counters *counters;
	uint64_t until;                  /* the first round whose access leaves the line, or is not all in it */
	uint64_t step;                   /* bytes from one access to the next, either way */
	uint64_t tag, page;              /* line + 1, page + 1 */
	uint32_t number, tlb_way;        /* tlb_way: where the page is, if it is there */
	uint64_t marked;                 /* rounds before this one are in the words touched */
	struct stride_row *row;          /* of the first level's prefetcher, which wants to know of every access; NULL: there is none */
	uint64_t asked;                  /* line + 1 that it asks for as long as the walk is in its line; 0: none */
	uint32_t slow;                   /* accesses that did more than being in the order of use, not yet counted */
	uint32_t held_cycles;            /* what the others take */
	uint8_t state;                   /* that the line must have for them */
	bool bypass;
	bool skipped;                    /* the line is not looked at, nor are those behind it up to `until` */
	bool trained;                    /* accesses in this line tell the prefetcher nothing new, while the line asked for is where `asked` says */
};

struct rounds {
	const struct simulator_walk *group;
	uint64_t round;                  /* which access of each walk comes next, … */
	uint32_t next, nr;               /* … of which walk, of how many */
	bool careful;                    /* nothing may be behind when an access is looked at */
	uint16_t *walked;                /* of the core; NULL: some are in another level than L1, `careful` then */
	bool alone;                      /* no two walks share a row of their prefetcher */
	bool lost;                       /* a line asked for has left */
	uint64_t caught_up;              /* accesses due before this are in the order of use, …*/
	uint32_t clock;                  /* … since the clock of the first level said so */
	uint64_t due[ROUNDS_DUE];        /* round × 256 + number: the walks' next accesses to be looked at, in order, UINT64_MAX behind them; … */
	uint32_t first, end;             /* … from here, to here */
	uint32_t ways[ROUNDS_WAYS];      /* of the first level, where their lines are; NO_WAY: not known, or not there */
	uint32_t nexts[ROUNDS_WAYS];     /* of walks whose last access was in two lines: where the second is, which they go on in; else NO_WAY */
	uint32_t asked[ROUNDS_WAYS];     /* ways of the outermost private level: of the lines asked for, or NO_WAY */
	struct member members[ROUNDS_WALKS];
};

/* The group begins: stays as it is until its last access. No write of it is non-temporal. */
void rounds_begin(struct simulator *simulator, struct core *core, struct rounds *rounds, const struct simulator_walk *group);
/* So many accesses of it, which it has; they are counted with the last one. */
void rounds_run(struct simulator *simulator, struct core *core, struct rounds *rounds, uint32_t accesses);
/* Call before another core invalidates a line of this core. Applies deferred uses: they change the shadow cache and the trees even if the line is gone. */
void rounds_settle(struct core *core);
/* A line of the outermost private level is displaced, which a prefetcher may have asked for. */
void rounds_displaced(struct rounds *rounds, uint32_t way);
/* The words touched in a line of the first level are noted, as far as they are: before they count. */
void rounds_mark_walked(struct rounds *rounds, const struct cache *cache, uint32_t way);

static inline void rounds_mark(struct rounds *rounds, const struct cache *cache, uint32_t way)
{
	if (rounds->walked ? cache == rounds->members[0].cache && rounds->walked[way] : rounds->careful)
		rounds_mark_walked(rounds, cache, way);
}

#endif
