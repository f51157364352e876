/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_PLAIN_H
#define MEMSEARCH_SIMULATOR_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt_tool/simulator/simulator.h"

/*
 * A plain machine: one core whose L1 and L2 are all there is, of 16 ways at most, both LRU, write-back and write-allocate, without TLBs and prefetchers; and neither
 * classes nor utilisation are counted. What hierarchy.c does for an access can be said in a few lines for it, and with tables of its own that fit this
 * machine's caches: that is what most time is spent on.
 *
 * A set of L1 is a row of 16 places, whatever its ways are. Each has a stamp, of the time of its last use × 16 + its place: the least is the one to
 * displace. Stamps may be ahead of time (plain_groups.c). L2 has such stamps, too, but each of its sets has a clock of its own, so that they are short: with marks they are in one
 * line of this machine's caches, and most misses need but one of tags besides.
 */
#define PLAIN_ROW 16                     /* places */
#define PLAIN_EMPTY 0x00800000           /* + place: a stamp less than all of lines; … */
#define PLAIN_NEVER 0x7f7fffff           /* … and one that is more, of places that are no ways: as floating-point numbers they are the least normal one and the greatest */

struct plain_row {
	uint64_t tags[PLAIN_ROW];        /* (line + 1) × 2, and 1 if it is dirty; 0: empty */
	int32_t stamps[PLAIN_ROW];
	uint8_t marks[PLAIN_ROW];        /* a byte of each line, to find those that are not it at once */
	uint8_t outer[PLAIN_ROW];        /* the place in L2 where the line is, or was */
} __attribute__((aligned(64)));

struct plain_l1 {
	struct plain_row *rows;          /* by set */
	uint32_t shift, set_mask, latency;
	uint32_t ways;
};

#define PLAIN_LAST (INT16_MAX - (2 * PLAIN_ROW - 1))     /* of its clock */

struct plain_head {
	int16_t stamps[PLAIN_ROW];       /* of its clock, which goes on by PLAIN_ROW */
	uint8_t marks[PLAIN_ROW];
	int16_t clock;
} __attribute__((aligned(64)));

struct plain_l2 {
	struct plain_head *heads;        /* by set */
	uint64_t (*tags)[PLAIN_ROW];     /* as those of L1 */
	uint32_t shift, set_mask, latency;
};

struct plain {
	struct plain_l1 l1;
	struct plain_l2 l2;
	uint8_t *guesses;                /* by a line's lower bits: the place where it may be in L1 */
	int32_t clock;                   /* time of the next access */
	uint32_t memory_latency;         /* of the core's own node */
	bool usual;                      /* both levels have lines of one size, and memory is of one node: plain_take serves */
	uint32_t l2_cycles, memory_cycles;       /* of a miss that L2 or memory serves */
	struct simulator *of;
	struct plain_group *group;       /* plain_groups.c */
};

bool plain_applies(const struct simulator *simulator);
/* False: no memory. */
bool plain_init(struct simulator *simulator);
/* Everything that the trace has. */
void plain_run(struct simulator *simulator, const struct simulator_trace *trace);

/* It begins anew, and stamps with it. */
void plain_renew_clock(struct plain *plain);
/* The clock can go on by this number, which is at most PLAIN_TICKS. */
#define PLAIN_TICKS (PLAIN_NEVER / 64)
static inline void plain_reserve(struct plain *plain, int32_t ticks)
{
	if (__builtin_expect(plain->clock >= PLAIN_NEVER / PLAIN_ROW - ticks, 0))
		plain_renew_clock(plain);
}

/* No cache has that line of L2 any more. True: some of it was dirty. */
bool plain_invalidate(struct plain *plain, uint64_t address);
/* One access of a walk, but for being counted as a read or write. */
void plain_access(struct plain *plain, const struct simulator_walk *walk, uint64_t address, struct simulator_counters *counters);

/* False: no memory. */
bool plain_groups_init(struct plain *plain);
/* All accesses of a group, but for being counted as reads and writes. */
void plain_group_run(struct plain *plain, const struct simulator_walk *group, uint32_t nr);

#endif
