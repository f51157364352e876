/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_FORETOLD_H
#define MEMSEARCH_SIMULATOR_FORETOLD_H

#include "ompt_tool/simulator/schedule.h"
#include "ompt_tool/simulator/state.h"

/*
 * Walks of a group on a usual machine (usual.h) without prefetchers, all of whose lines are looked at, and whose L1 has no twin: when they enter lines is told
 * in advance, as on a plain one (schedule.h), and only then they are looked at. Pages of the first TLB are stamped ahead, too, and fought for. Where an access leaves its line not
 * ready for the next one, as others have it, the group goes on access by access as where walks fight.
 *
 * Words touched are noted when a walk leaves its line; who needs to know before asks for them (foretold_mark).
 */
struct foretold_walk {
	struct access access;            /* the one that enters a line; its counters are the walk's */
	uint64_t page;                   /* + 1 */
	uint64_t tag, words;             /* of the line where it is; words: what it touches there, and L1 has not been told of; 0: nothing */
	uint32_t way;                    /* of L1, where that is */
};

/* What an entry of the schedule does in its line; of two, in the one that the walk goes on in. */
struct foretold_use {
	uint64_t words;                  /* until it leaves */
	int16_t offset;                  /* from the line's begin to the access's, which may be in the line before */
	uint8_t first, last;             /* bytes of the access in it */
	bool single;                     /* only this access uses it */
};

struct foretold {
	const struct simulator_walk *group;
	uint64_t round;                  /* which access of each walk comes next, … */
	uint32_t next, nr;               /* … of which walk, of how many */
	bool told;                       /* there is a schedule; else it goes on access by access, up to … */
	uint64_t singly_to;              /* … this round */
	uint32_t patience;               /* rounds */
	uint64_t from;                   /* the round with which the schedule began: its time 0 */
	uint32_t now;                    /* time of the access that is under way, or comes next */
	uint32_t begun, at;              /* the period's time; which entry comes next */
	uint32_t clock, tlb_clock;       /* stamps of time 0 */
	struct foretold_walk walks[UINT8_MAX];
	struct foretold_use uses[SCHEDULE_ENTRIES];
	struct schedule schedule;
};

bool foretold_applies(const struct simulator *simulator, const struct simulator_walk *group);
/* The group begins: stays as it is until its last access. */
void foretold_begin(struct simulator *simulator, struct core *core, struct foretold *foretold, const struct simulator_walk *group);
/* So many accesses of it, which it has. */
void foretold_run(struct simulator *simulator, struct core *core, struct foretold *foretold, uint32_t accesses);
/* The words touched in a line of L1 are noted, as far as they are: before they count. */
void foretold_mark(const struct core *core, uint32_t way);

#endif
