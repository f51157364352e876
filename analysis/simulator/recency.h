/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_RECENCY_H
#define MEMSEARCH_SIMULATOR_RECENCY_H

#include <stdint.h>

/*
 * The LRU order of a set's ways, 16 at most, in one word: their numbers, four bits each, the newest
 * lowest. With fewer ways the upper digits never change.
 *
 *     way 2 was used last, way 3 first:   … 7 6 5 4 3 0 1 2
 */
#define RECENCY_WAYS 16
#define RECENCY_BEGIN 0xfedcba9876543210ull

static inline uint32_t recency_newest(uint64_t order)
{
	return order & 15;
}
static inline uint32_t recency_oldest(uint64_t order, uint32_t ways)
{
	return order >> 4 * (ways - 1) & 15;
}

/* The way at this place (of bits, a multiple of 4) becomes the newest. */
static inline uint64_t recency_raise(uint64_t order, uint32_t place, uint32_t way)
{
	uint64_t newer = (1ull << place) - 1;

	return (order & ~(newer << 4 | 15)) | (order & newer) << 4 | way;
}

/* Found as the lowest digit that is zero when the way is taken from all. */
static inline uint32_t recency_place(uint64_t order, uint32_t way)
{
	uint64_t digits = order ^ way * 0x1111111111111111ull,
		 zeros = (digits - 0x1111111111111111ull) & ~digits & 0x8888888888888888ull;

	return (uint32_t)__builtin_ctzll(zeros) & ~3u;
}

static inline uint64_t recency_touch(uint64_t order, uint32_t way)
{
	return recency_raise(order, recency_place(order, way), way);
}

/* The way becomes the oldest. */
static inline uint64_t recency_drop(uint64_t order, uint32_t ways, uint32_t way)
{
	uint32_t top = 4 * (ways - 1);
	uint64_t newer = (1ull << recency_place(order, way)) - 1, used = UINT64_MAX >> (60 - top);

	return (order & (~used | newer)) | ((order & used) >> 4 & ~newer) | (uint64_t)way << top;
}

#endif
