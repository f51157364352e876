/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_SCHEDULE_H
#define MEMSEARCH_SIMULATOR_SCHEDULE_H

#include "ompt_tool/simulator/walk.h"

/*
 * When walks of a group enter lines: that an access uses a line that the same walk's access before did not. It comes again: a stride of 8 bytes enters the next line of 64
 * all 8 rounds, one of 24 does so three times in 8 rounds. So the entries of round 0 and those of one period are all there is to know.
 *
 *     round    0   │ 1  2  3  4  5  6  7  8 │ 9 …
 *     walk 0   ▼   │          ▼             │             stride 8
 *     walk 1   ▼   │    ▼        ▼        ▼ │    ▼        stride 24
 *     walk 2   ▼   │ ▼  ▼  ▼  ▼  ▼  ▼  ▼  ▼ │ ▼           stride 2400
 *
 * An access takes one tick, also where it uses two lines, as these are of different sets. Who runs a schedule stamps lines with their last use as soon as they are entered:
 * whoever displaces a line takes the one with the least stamp. If that is older than a round it is right, as what is held was used in the last round, and all other
 * stamps are true. If it is not, and lines of the set have stamps to come, walks fight for the set: stamps become what they are by now, and the group goes on access by
 * access for a while.
 *
 *     stamps of a set:   … │ a round ago  ·  ·  now │ to come
 *                        ▲
 *                        least: displaced
 */
#define SCHEDULE_ENTRIES 1024

struct schedule_entry {
	uint64_t line;                   /* the first one, if two are entered */
	uint64_t on;                     /* from it to that of the next period */
	int32_t time;                    /* of the line's first use */
	int32_t last, second;            /* of the last use that the walk makes of the line; of the second one of two */
	uint8_t walk;
	bool write, both;                /* both: two lines are entered */
};

struct schedule {
	uint32_t nr, period;             /* walks; rounds */
	int32_t tick, turn;              /* time of an access and of a round */
	uint32_t rounds;                 /* that are told; of more one has to begin anew */
	uint32_t first, end;             /* entries [0, first): of round 0; [first, end): of rounds 1 to period, and so on */
	struct schedule_entry entries[SCHEDULE_ENTRIES];
};

#define SCHEDULE_FEW_ROUNDS 3            /* are done faster without one */

/* Its accesses are no longer than a line, and do not go round at 2^64. */
bool schedule_takes(const struct simulator_walk *walk, uint32_t shift);
/* Of such walks. `rounds`: at most so many, from round `from` on, which is 0 in what becomes of it. `tick`: the time of an access. */
void schedule_make(struct schedule *schedule, const struct simulator_walk *walks, uint32_t nr, uint64_t from, uint32_t rounds, uint32_t shift, int32_t tick);
/* How many rounds to go on access by access when walks fought, which had done so many by the schedule. `before`: how many it was last time, 1 at first. */
uint32_t schedule_patience(uint32_t before, uint64_t rounds);

#endif
