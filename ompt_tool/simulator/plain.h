/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_PLAIN_H
#define MEMSEARCH_SIMULATOR_PLAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "analysis/base/hash.h"
#include "ompt_tool/simulator/recency.h"
#include "ompt_tool/simulator/simulator.h"

/*
 * A plain machine: one core whose L1 and L2 are all there is, of 16 ways at most, both LRU, write-back and write-allocate, without TLBs and prefetchers; and neither
 * classes nor utilisation are counted. What hierarchy.c does for an access can be said in a few lines for it, and with tables of its own that fit this
 * machine's caches: that is what most time is spent on.
 */
#define PLAIN_ROW 16                     /* places of a set, whatever its ways are: of marks, a vector of SSE2 */
#define PLAIN_ROW_SHIFT 4
#define PLAIN_NO_WAY UINT32_MAX

struct plain_cache {
	uint64_t *tags;                  /* (line + 1) × 2, and 1 if it is dirty; 0: empty */
	uint8_t *marks;                  /* a byte of each line, to find those that are not it at once */
	uint64_t *orders;                /* of use, by set */
	uint32_t shift, set_mask, ways, latency;
};

struct plain {
	struct simulator *of;
	struct plain_cache l1, l2;
	uint32_t *outer;                 /* by way of L1: where its line is in L2, or was */
	struct plain_group *group;       /* plain_groups.c */
};

bool plain_applies(const struct simulator *simulator);
/* False: no memory. */
bool plain_init(struct simulator *simulator);
/* Everything that the trace has. */
void plain_run(struct simulator *simulator, const struct simulator_trace *trace);

/* What an access met: the latency of what delivered it, and whether L2 missed. 0: L1 had all of it. */
#define PLAIN_MISSED_L2 (1u << 31)

static inline uint32_t plain_both(uint32_t piece, uint32_t other)
{
	uint32_t latency = piece & ~PLAIN_MISSED_L2, later = other & ~PLAIN_MISSED_L2;

	return (latency > later ? latency : later) | ((piece | other) & PLAIN_MISSED_L2);
}

/* L1 takes a line, which it has not, in this way: what that met. */
uint32_t plain_fill(struct plain *plain, uint64_t address, bool write, uint32_t way, struct simulator_counters *counters);
void plain_count(const struct plain *plain, bool write, uint32_t met, struct simulator_counters *counters);
/* No cache has that line of L2 any more. True: some of it was dirty. */
bool plain_invalidate(struct plain *plain, uint64_t address);
/* One access of a walk, but for being counted as a read or write. */
void plain_access(struct plain *plain, const struct simulator_walk *walk, uint64_t address, struct simulator_counters *counters);

/* False: no memory. */
bool plain_groups_init(struct plain *plain);
/* All accesses of a group. */
void plain_group_run(struct plain *plain, const struct simulator_walk *group, uint32_t nr);

/* ------------------------------------------------------------------ one cache */

static inline uint8_t plain_mark(uint64_t line)
{
	return (uint8_t)(hash_word(line) >> 56);
}

static inline uint32_t plain_set(const struct plain_cache *cache, uint64_t line)
{
	return (uint32_t)line & cache->set_mask;
}

/* Which of a row's marks are this one, as bits. */
#ifdef __SSE2__
static inline uint32_t plain_alike(const uint8_t *marks, uint8_t mark)
{
	return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_load_si128((const __m128i *)(const void *)marks), _mm_set1_epi8((char)mark)));
}
#else
static inline uint32_t plain_alike(const uint8_t *marks, uint8_t mark)
{
	uint32_t alike = 0;

	for (uint32_t i = 0; i < PLAIN_ROW; i++)
		alike |= (uint32_t)(marks[i] == mark) << i;
	return alike;
}
#endif

/* Changes no order. */
static inline uint32_t plain_find(const struct plain_cache *cache, uint64_t line)
{
	uint32_t row = plain_set(cache, line) << PLAIN_ROW_SHIFT;

	for (uint32_t alike = plain_alike(&cache->marks[row], plain_mark(line)); alike; alike &= alike - 1) {
		uint32_t way = row + (uint32_t)__builtin_ctz(alike);

		if (cache->tags[way] >> 1 == line + 1)
			return way;
	}
	return PLAIN_NO_WAY;
}

static inline uint32_t plain_oldest(const struct plain_cache *cache, uint32_t set)
{
	return set << PLAIN_ROW_SHIFT | recency_oldest(cache->orders[set], cache->ways);
}

static inline void plain_touch(struct plain_cache *cache, uint32_t way)
{
	uint64_t *order = &cache->orders[way >> PLAIN_ROW_SHIFT];

	if (recency_newest(*order) != way % PLAIN_ROW)
		*order = recency_touch(*order, way % PLAIN_ROW);
}

/* The way, which is the oldest, gets the line: it is the newest then. */
static inline void plain_put(struct plain_cache *cache, uint32_t way, uint64_t line, bool dirty)
{
	uint64_t *order = &cache->orders[way >> PLAIN_ROW_SHIFT];

	cache->tags[way] = (line + 1) << 1 | dirty;
	cache->marks[way] = plain_mark(line);
	*order = recency_raise(*order, 4 * (cache->ways - 1), way % PLAIN_ROW);
}

#endif
