/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_PLAIN_LEVELS_H
#define MEMSEARCH_SIMULATOR_PLAIN_LEVELS_H

#include <string.h>

#include "ompt_tool/simulator/marks.h"
#include "ompt_tool/simulator/plain.h"
#include "ompt_tool/simulator/recency.h"
#include "ompt_tool/simulator/state.h"

/* What an access does in the two caches of a plain machine. In the header, as every call would be felt. */

#define PLAIN_ROW MARKS                  /* places */
#define PLAIN_ROW_SHIFT 4
#define PLAIN_NO_WAY UINT32_MAX

_Static_assert(1 << PLAIN_ROW_SHIFT == PLAIN_ROW, "places of a row");

/* ------------------------------------------------------------------ finding a line */

static inline uint32_t plain_set(const struct plain_cache *cache, uint64_t line)
{
	return (uint32_t)line & cache->set_mask;
}

/* Changes no order. */
static inline uint32_t plain_find_marked(const struct plain_cache *cache, uint64_t line, uint8_t mark)
{
	uint32_t row = plain_set(cache, line) << PLAIN_ROW_SHIFT;

	for (uint32_t alike = marks_alike(&cache->marks[row], mark); alike; alike &= alike - 1) {
		uint32_t way = row + (uint32_t)__builtin_ctz(alike);

		if (cache->tags[way] >> 1 == line + 1)
			return way;
	}
	return PLAIN_NO_WAY;
}

static inline uint32_t plain_find(const struct plain_cache *cache, uint64_t line)
{
	return plain_find_marked(cache, line, mark_of(line));
}

static inline void plain_put(struct plain_cache *cache, uint32_t way, uint64_t line, bool dirty)
{
	cache->tags[way] = (line + 1) << 1 | dirty;
	cache->marks[way] = mark_of(line);
}

/* ------------------------------------------------------------------ stamps of L1 */

/* The least of a set, of eight at least. SSE2 can compare so many positive integers only as floating-point numbers, whose order is the same (PLAIN_EMPTY). */
static inline int32_t plain_least(const struct plain *plain, uint32_t row)
{
	const int32_t *stamps = &plain->stamps[row];
#ifdef __SSE2__
	const float *numbers = (const float *)(const void *)stamps;
	__m128 least = _mm_min_ps(_mm_load_ps(numbers), _mm_load_ps(numbers + 4));

	if (plain->l1.ways > PLAIN_ROW / 2)
		least = _mm_min_ps(least, _mm_min_ps(_mm_load_ps(numbers + 8), _mm_load_ps(numbers + 12)));
	least = _mm_min_ps(least, _mm_shuffle_ps(least, least, _MM_SHUFFLE(1, 0, 3, 2)));
	least = _mm_min_ps(least, _mm_shuffle_ps(least, least, _MM_SHUFFLE(2, 3, 0, 1)));
	return _mm_cvtsi128_si32(_mm_castps_si128(least));
#else
	int32_t least = stamps[0];

	for (uint32_t way = 1; way < plain->l1.ways; way++)
		least = stamps[way] < least ? stamps[way] : least;
	return least;
#endif
}

static inline uint32_t plain_way_of(uint32_t row, int32_t stamp)
{
	return row | ((uint32_t)stamp % PLAIN_ROW);
}

/* The way that was used first, or an empty one. */
static inline uint32_t plain_oldest(const struct plain *plain, uint32_t set)
{
	return plain_way_of(set << PLAIN_ROW_SHIFT, plain_least(plain, set << PLAIN_ROW_SHIFT));
}

/* ------------------------------------------------------------------ misses */

/* What an access met: the latency of what delivered it, and whether L2 missed. 0: L1 had all of it. */
#define PLAIN_MISSED_L2 (1u << 31)

static inline uint32_t plain_both(uint32_t piece, uint32_t other)
{
	uint32_t latency = piece & ~PLAIN_MISSED_L2, later = other & ~PLAIN_MISSED_L2;

	return (latency > later ? latency : later) | ((piece | other) & PLAIN_MISSED_L2);
}

/* Its latency. */
static inline uint32_t plain_from_memory(const struct plain *plain, uint64_t address, struct simulator_counters *counters)
{
	const struct machine_model *model = &plain->of->model;
	const struct core *core = &plain->of->cores[0];
	uint32_t node = pages_node(&plain->of->pages, address >> plain->of->page_shift, core->node, &plain->of->lost);

	if (node == core->node) {
		counters->dram_local++;
		return plain->memory_latency;
	}
	counters->dram_remote++;
	return model->distances[0][0] ? model->distances[core->node][node] : model->remote_latency;
}

/* Where L2 will be looked at soon, fetched meanwhile: its tables do not fit the first-level cache of this machine. */
static inline void plain_expect(const struct plain *plain, uint64_t address)
{
	uint32_t set = plain_set(&plain->l2, address >> plain->l2.shift);

	__builtin_prefetch(&plain->l2.marks[set << PLAIN_ROW_SHIFT]);
	__builtin_prefetch(&plain->orders[set]);
	__builtin_prefetch(&plain->l2.tags[set << PLAIN_ROW_SHIFT]);
	__builtin_prefetch(&plain->l2.tags[set << PLAIN_ROW_SHIFT | PLAIN_ROW / 2]);
}

/* L2 delivers the line, if need be from memory. */
static inline uint32_t plain_from_l2(struct plain *plain, uint64_t address, uint32_t *way_out, struct simulator_counters *counters)
{
	struct plain_cache *l2 = &plain->l2;
	uint64_t line = address >> l2->shift, *order = &plain->orders[plain_set(l2, line)];
	uint32_t way = *way_out = plain_find(l2, line);

	if (way != PLAIN_NO_WAY) {
		if (recency_newest(*order) != way % PLAIN_ROW)
			*order = recency_touch(*order, way % PLAIN_ROW);
		return l2->latency;
	}
	way = recency_oldest(*order, l2->ways);
	*order = recency_raise(*order, 4 * (l2->ways - 1), way);
	way = *way_out = plain_set(l2, line) << PLAIN_ROW_SHIFT | way;
	counters->write_backs += l2->tags[way] & 1;
	plain_put(l2, way, line, false);
	return plain_from_memory(plain, address, counters) | PLAIN_MISSED_L2;
}

/* L2 takes what L1 displaces, which lay there in it, as a rule. */
static inline void plain_write_out(struct plain *plain, uint64_t tag, uint32_t outer, struct simulator_counters *counters)
{
	uint64_t line = ((tag >> 1) - 1) << plain->l1.shift >> plain->l2.shift;

	if (plain->l2.tags[outer] >> 1 != line + 1)
		outer = plain_find(&plain->l2, line);
	if (outer == PLAIN_NO_WAY)
		counters->write_backs++;
	else
		plain->l2.tags[outer] |= 1;
}

/* L1 takes a line, which it has not, in this way, whose stamp becomes one of that time: what that met. */
static inline uint32_t plain_fill(struct plain *plain, uint64_t address, bool write, uint32_t way, int32_t time, struct simulator_counters *counters)
{
	uint64_t tag = plain->l1.tags[way];
	uint32_t outer, met = plain_from_l2(plain, address, &outer, counters);

	if (tag & 1)
		plain_write_out(plain, tag, plain->outer[way], counters);
	plain->outer[way] = outer;
	plain->stamps[way] = time | (int32_t)(way % PLAIN_ROW);
	plain_put(&plain->l1, way, address >> plain->l1.shift, write);
	return met;
}

/* What latency adds to that of L1. */
static inline uint32_t plain_cycles(const struct plain *plain, uint32_t latency)
{
	return latency > plain->l1.latency ? latency - plain->l1.latency : 0;
}

static inline void plain_count(const struct plain *plain, bool write, uint32_t met, struct simulator_counters *counters)
{
	uint64_t *misses = write ? counters->write_misses : counters->read_misses;

	misses[L1]++;
	misses[L2] += met / PLAIN_MISSED_L2;
	counters->cycles += plain_cycles(plain, met & ~PLAIN_MISSED_L2);
}

/* ------------------------------------------------------------------ the usual miss */

/* What misses of one walk met that were in one line. */
struct plain_met { uint32_t from_l2, from_memory, written; };

/* L2 takes what L1 displaces, of which L1 does not know where it lies there. */
void plain_write_out_far(struct plain *plain, uint64_t line, struct plain_met *met);

/*
 * What plain_fill does where both levels have lines of one size and memory is of one node (plain->usual). That needs each line's mark once, and no address.
 */
static inline __attribute__((always_inline)) void plain_take(struct plain *plain, uint64_t line, uint8_t mark, bool write, uint32_t way, int32_t time, struct plain_met *met)
{
	struct plain_cache *l1 = &plain->l1, *l2 = &plain->l2;
	uint64_t *order = &plain->orders[plain_set(l2, line)], old = l1->tags[way], then = *order;
	uint32_t outer = plain_find_marked(l2, line, mark), before = plain->outer[way];

	if (outer != PLAIN_NO_WAY) {
		met->from_l2++;
		if (recency_newest(then) != outer % PLAIN_ROW)
			*order = recency_touch(then, outer % PLAIN_ROW);
	} else {
		met->from_memory++;
		outer = (uint32_t)(then >> plain->oldest_at) & 15;
		*order = (then & plain->newer) << 4 | (then & plain->unused) | outer;
		outer |= plain_set(l2, line) << PLAIN_ROW_SHIFT;
		met->written += l2->tags[outer] & 1;
		l2->tags[outer] = (line + 1) << 1;
		l2->marks[outer] = mark;
	}
	plain->outer[way] = outer;
	plain->stamps[way] = time | (int32_t)(way % PLAIN_ROW);
	l1->tags[way] = (line + 1) << 1 | write;
	l1->marks[way] = mark;
	if (!(old & 1))
		return;
	if (__builtin_expect((l2->tags[before] ^ old) >> 1 == 0, 1))
		l2->tags[before] |= 1;
	else
		plain_write_out_far(plain, (old >> 1) - 1, met);
}

static inline void plain_tell(const struct plain *plain, bool write, const struct plain_met *met, struct simulator_counters *counters)
{
	uint64_t *misses = write ? counters->write_misses : counters->read_misses;

	misses[L1] += met->from_l2 + met->from_memory;
	misses[L2] += met->from_memory;
	counters->cycles += (uint64_t)met->from_l2 * plain->l2_cycles + (uint64_t)met->from_memory * plain->memory_cycles;
	counters->dram_local += met->from_memory;
	counters->write_backs += met->written;
}

#endif
