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
 * A set is a row of 16 places, whatever its ways are: in L2 with the order of use in a word (recency.h). In L1 each way has a stamp, of
 * the time of its last use × 16 + its place, as lines that walks of a group use in turn get theirs later (plain_groups.c).
 */
struct plain_cache {
	uint64_t *tags;                  /* (line + 1) × 2, and 1 if it is dirty; 0: empty */
	uint8_t *marks;                  /* a byte of each line, to find those that are not it at once */
	uint32_t shift, set_mask, ways, latency;
};

#define PLAIN_EMPTY 0x00800000           /* less than all stamps of lines; … */
#define PLAIN_NEVER 0x7f7fffff           /* … and more: as floating-point numbers they are the least normal one and the greatest */

struct plain {
	struct plain_cache l1, l2;
	int32_t *stamps;                 /* of L1; of empty ways: PLAIN_EMPTY + place; of places that are no ways: PLAIN_NEVER */
	uint64_t *orders;                /* of L2, by set */
	uint32_t *outer;                 /* by way of L1: where its line is in L2, or was */
	int32_t clock;                   /* time of the next access */
	uint32_t memory_latency;         /* of the core's own node */
	/* what misses need as a rule (plain_take) */
	bool usual;
	uint32_t oldest_at;              /* in an order, bits; of which these stand for newer ways, and these for none */
	uint64_t newer, unused;
	uint32_t l2_cycles, memory_cycles;       /* of a miss that L2 or memory serves */
	struct simulator *of;
	struct plain_group *group;       /* plain_groups.c */
};

bool plain_applies(const struct simulator *simulator);
/* False: no memory. */
bool plain_init(struct simulator *simulator);
/* Everything that the trace has. */
void plain_run(struct simulator *simulator, const struct simulator_trace *trace);

/* The clock can go on by this number, which is at most PLAIN_TICKS. */
#define PLAIN_TICKS (PLAIN_NEVER / 64)
void plain_reserve(struct plain *plain, int32_t ticks);
/* No cache has that line of L2 any more. True: some of it was dirty. */
bool plain_invalidate(struct plain *plain, uint64_t address);
/* One access of a walk, but for being counted as a read or write. */
void plain_access(struct plain *plain, const struct simulator_walk *walk, uint64_t address, struct simulator_counters *counters);

/* False: no memory. */
bool plain_groups_init(struct plain *plain);
/* All accesses of a group, but for being counted as reads and writes. */
void plain_group_run(struct plain *plain, const struct simulator_walk *group, uint32_t nr);

#endif
