/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_PLAIN_SCHEDULE_H
#define MEMSEARCH_SIMULATOR_PLAIN_SCHEDULE_H

#include "ompt_tool/simulator/plain_levels.h"

/*
 * When walks of a group enter lines: that an access uses a line that the same walk's access before did not. It comes again: a stride of 8 bytes enters the next line of 64
 * all 8 rounds, one of 24 does so three times in 8 rounds. So the entries of round 0 and those of one period are all there is to know.
 *
 *     round    0   │ 1  2  3  4  5  6  7  8 │ 9 …
 *     walk 0   ▼   │          ▼             │             stride 8
 *     walk 1   ▼   │    ▼        ▼        ▼ │    ▼        stride 24
 *     walk 2   ▼   │ ▼  ▼  ▼  ▼  ▼  ▼  ▼  ▼ │ ▼           stride 2400
 *
 * Times are stamps (plain.h); an access takes one tick, also where it uses two lines, as these are of different sets.
 */
#define PLAIN_ENTRIES 1024

struct plain_entry {
	uint64_t line;                   /* the first one, if two are entered */
	uint64_t on;                     /* from it to that of the next period */
	struct plain_met *met;           /* of the walk */
	int32_t time;                    /* of the line's first use */
	int32_t last, second;            /* of the last use that the walk makes of the line; of the second one of two */
	uint8_t walk;
	bool write, both;                /* both: two lines are entered */
};

struct plain_schedule {
	uint32_t nr, period;             /* walks; rounds */
	int32_t turn;                    /* time of a round */
	uint32_t rounds;                 /* that are told; of more one has to begin anew */
	uint32_t first, end;             /* entries [0, first): of round 0; [first, end): of rounds 1 to period, and so on */
	struct plain_met met[UINT8_MAX]; /* by walk: for who runs it */
	struct plain_entry entries[PLAIN_ENTRIES];
};

/*
 * `rounds`: at most so many, from round `from` on, which is 0 in what becomes of it. Accesses are no longer than a line, and do not go
 * round at 2^64.
 */
void plain_schedule_make(struct plain_schedule *schedule, const struct simulator_walk *walks, uint32_t nr, uint64_t from, uint32_t rounds, uint32_t shift);

#endif
