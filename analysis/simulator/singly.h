/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_SINGLY_H
#define MEMSEARCH_SIMULATOR_SINGLY_H

#include "analysis/simulator/walk.h"

/*
 * Walks of a group that enter lines so often, or are so many, that to look at every access is less work than at those alone that enter
 * lines (rounds.h). Most change only the order of use still: what these need to know is kept by walk.
 *
 * Where only some lines are looked at (sampling.h), a walk is passed over until it comes to one of them, or its prefetcher asks for one, or it leaves its page:
 * all that its accesses change till then is the order in which pages were used, and what the prefetcher's row knows of the last one. Both are behind until
 * something depends on them. As each walk accesses once a round, pages where walks are were used later than any that a walk has left.
 */
#define SINGLY_AHEAD 64                  /* rounds */
#define SINGLY_WORDS ((UINT8_MAX + 63) / 64)

struct lone {
	struct simulator_counters *counters;
	struct stride_row *row;          /* of the first level's prefetcher; NULL: there is none */
	struct cache *cache;             /* the first level it looks at */
	uint64_t address;                /* of its next access */
	uint64_t ahead;                  /* what the prefetcher asks for, from there; 0: it never does */
	bool row_behind;                 /* the row does not know of the accesses passed over */
	uint32_t slow;                   /* accesses that did more than being in the order of use, not yet counted */
	uint32_t held_cycles;            /* what the others take */
	uint32_t tlb_way;                /* where the page of the last one was */
	uint8_t state;                   /* that the line must have for them */
	bool bypass;
};

struct singly {
	const struct simulator_walk *group;
	uint64_t round;                  /* which access of each walk comes next, … */
	uint32_t next, nr;               /* … of which walk, of how many */
	bool passes;                     /* walks may be passed over */
	uint64_t due[UINT8_MAX];         /* by walk: the round to look at it again */
	uint64_t looks[SINGLY_AHEAD][SINGLY_WORDS];      /* by round and walk, a bit: whether to see if it is due; a walk due later is asked again and again */
	uint64_t pages[UINT8_MAX], last_pages[UINT8_MAX];        /* by walk: page + 1 of its last access's first byte, and of its last; 0: none yet */
	struct lone walks[UINT8_MAX];
};

/* Whether it is less work so. */
bool singly_is_better(const struct simulator *simulator, const struct simulator_walk *group);
/* The group begins: stays as it is until its last access. */
void singly_begin(struct simulator *simulator, struct core *core, struct singly *singly, const struct simulator_walk *group);
/* So many accesses of it, which it has; they are counted with the last one. */
void singly_run(struct simulator *simulator, struct core *core, struct singly *singly, uint32_t accesses);
/* Walks of one access each, the first so many of those that are known; they are counted. */
void singly_run_alone(struct simulator *simulator, struct core *core, const struct simulator_walk *walks, uint32_t nr, size_t known);

#endif
