/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_PLAIN_LEVELS_H
#define MEMSEARCH_SIMULATOR_PLAIN_LEVELS_H

#include <string.h>

#include "ompt_tool/simulator/marks.h"
#include "ompt_tool/simulator/plain.h"
#include "ompt_tool/simulator/state.h"

/* What an access does in the two caches of a plain machine. In the header, as every call would be felt. */

_Static_assert(PLAIN_ROW == MARKS && 1 << PLAIN_ROW_SHIFT == PLAIN_ROW, "places of a row");
_Static_assert(sizeof(struct plain_row) == 256, "rows are found by a shift");

/* ------------------------------------------------------------------ finding a line */

/* What is known of a line before it is looked for. */
struct plain_name { uint64_t line, hash, tag; };

static inline struct plain_name plain_name(uint64_t line)
{
	return (struct plain_name){ line, hash_word(line), (line + 1) << 1 };
}

static inline uint8_t plain_mark(struct plain_name name)
{
	return (uint8_t)(name.hash >> 56);
}

static inline struct plain_row *plain_row(const struct plain_cache *cache, uint64_t line)
{
	return &cache->rows[(uint32_t)line & cache->set_mask];
}

static inline bool plain_is_at(const struct plain_row *row, struct plain_name name, uint32_t place)
{
	return (row->tags[place] ^ name.tag) <= 1;
}

/* Changes no order. */
static inline bool plain_find(const struct plain_row *row, struct plain_name name, uint32_t *place)
{
	for (uint32_t alike = marks_alike(row->marks, plain_mark(name)); alike; alike &= alike - 1) {
		*place = (uint32_t)__builtin_ctz(alike);
		if (plain_is_at(row, name, *place))
			return true;
	}
	return false;
}

#define PLAIN_GUESS_BITS 12
#define PLAIN_GUESSES (1u << PLAIN_GUESS_BITS)

static inline uint8_t *plain_guess(uint8_t *guesses, struct plain_name name)
{
	return &guesses[name.hash >> (64 - PLAIN_GUESS_BITS)];
}

/* The same in L1, where it may be guessed. */
static inline bool plain_find_l1(const struct plain_row *row, uint8_t *guesses, struct plain_name name, uint32_t *place)
{
	*place = *plain_guess(guesses, name);
	if (plain_is_at(row, name, *place))
		return true;
	if (!plain_find(row, name, place))
		return false;
	*plain_guess(guesses, name) = (uint8_t)*place;
	return true;
}

/* ------------------------------------------------------------------ stamps */

/* Of a time. */
static inline int32_t plain_stamp(int32_t time)
{
	return time * PLAIN_ROW;
}

/* The least of a set. SSE2 can compare so many positive integers only as floating-point numbers, whose order is the same. */
static inline int32_t plain_least(const struct plain_cache *cache, const struct plain_row *row)
{
#ifdef __SSE2__
	const float *numbers = (const float *)(const void *)row->stamps;
	__m128 least = _mm_min_ps(_mm_load_ps(numbers), _mm_load_ps(numbers + 4));

	if (cache->ways > PLAIN_ROW / 2)
		least = _mm_min_ps(least, _mm_min_ps(_mm_load_ps(numbers + 8), _mm_load_ps(numbers + 12)));
	least = _mm_min_ps(least, _mm_shuffle_ps(least, least, _MM_SHUFFLE(1, 0, 3, 2)));
	least = _mm_min_ps(least, _mm_shuffle_ps(least, least, _MM_SHUFFLE(2, 3, 0, 1)));
	return _mm_cvtsi128_si32(_mm_castps_si128(least));
#else
	int32_t least = row->stamps[0];

	for (uint32_t place = 1; place < cache->ways; place++)
		least = row->stamps[place] < least ? row->stamps[place] : least;
	return least;
#endif
}

/* Whose stamp it is. */
static inline uint32_t plain_place(int32_t stamp)
{
	return (uint32_t)stamp % PLAIN_ROW;
}

/* `stamp`: of a time. */
static inline void plain_put(struct plain_row *row, uint32_t place, struct plain_name name, bool dirty, int32_t stamp)
{
	row->tags[place] = name.tag | dirty;
	row->stamps[place] = stamp | (int32_t)place;
	row->marks[place] = plain_mark(name);
}

/* ------------------------------------------------------------------ misses */

/* What an access met: the latency of what delivered it, and whether L2 missed. 0: L1 had all of it. */
#define PLAIN_MISSED_L2 (1u << 31)

static inline uint32_t plain_both(uint32_t piece, uint32_t other)
{
	uint32_t latency = piece & ~PLAIN_MISSED_L2, later = other & ~PLAIN_MISSED_L2;

	return (latency > later ? latency : later) | ((piece | other) & PLAIN_MISSED_L2);
}

/* L1 takes a line, which it has not, in this place: what that met. `stamp`: there, `now`: in L2; of times. */
uint32_t plain_fill(struct plain *plain, struct plain_name name, bool write, uint32_t place, int32_t stamp, int32_t now, struct simulator_counters *counters);

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

/* What misses of one walk met that were in one line; `written`: lines that went to memory. */
struct plain_met { uint32_t from_memory, from_l2, written; };

/* Where L2 will be looked at soon for this line, fetched meanwhile: its tables do not fit the first-level cache of this machine. */
static inline void plain_expect(const struct plain *plain, uint64_t line)
{
	const struct plain_row *row = plain_row(&plain->l2, line);

	__builtin_prefetch(row->marks);
	__builtin_prefetch(row->stamps);
	__builtin_prefetch(row->tags);
	__builtin_prefetch(row->tags + PLAIN_ROW / 2);
}

/* L2 takes a dirty line that L1 displaces, which was in that place. False: it has it no more. */
bool plain_write_out(struct plain *plain, uint64_t tag, uint32_t outer);

/* What plain_fill does where plain->usual. */
static inline __attribute__((always_inline)) void plain_take(struct plain *plain, struct plain_row *row, struct plain_name name, bool write, uint32_t place, int32_t stamp, int32_t now,
							     struct plain_met *met)
{
	struct plain_row *l2 = plain_row(&plain->l2, name.line);
	uint64_t old = row->tags[place];
	uint32_t before = row->outer[place], outer;

	if (plain_find(l2, name, &outer)) {
		met->from_l2++;
		l2->stamps[outer] = now | (int32_t)outer;
	} else {
		met->from_memory++;
		outer = plain_place(plain_least(&plain->l2, l2));
		met->written += l2->tags[outer] & 1;
		plain_put(l2, outer, name, false, now);
	}
	row->outer[place] = (uint8_t)outer;
	plain_put(row, place, name, write, stamp);
	*plain_guess(plain->guesses, name) = (uint8_t)place;
	if (!(old & 1))
		return;
	l2 = plain_row(&plain->l2, (old >> 1) - 1);
	if (__builtin_expect((l2->tags[before] ^ old) <= 1, 1))
		l2->tags[before] = old;
	else
		met->written += !plain_write_out(plain, old, before);
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
