/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_PLAIN_LEVELS_H
#define MEMSEARCH_SIMULATOR_PLAIN_LEVELS_H

#include <string.h>

#include "ompt_tool/simulator/marks.h"
#include "ompt_tool/simulator/plain.h"
#include "ompt_tool/simulator/state.h"

/* What an access does in the two caches of a plain machine. In the header, as every call would be felt. */

_Static_assert(PLAIN_ROW == MARKS, "places of a row");
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

static inline struct plain_row *plain_row(const struct plain_l1 *l1, uint64_t line)
{
	return &l1->rows[(uint32_t)line & l1->set_mask];
}

static inline bool plain_is_at(const uint64_t *tags, struct plain_name name, uint32_t place)
{
	return (tags[place] ^ name.tag) <= 1;
}

/* In a set of either level. Changes no order. */
static inline bool plain_find(const uint8_t *marks, const uint64_t *tags, struct plain_name name, uint32_t *place)
{
	for (uint32_t alike = marks_alike(marks, plain_mark(name)); alike; alike &= alike - 1) {
		*place = (uint32_t)__builtin_ctz(alike);
		if (plain_is_at(tags, name, *place))
			return true;
	}
	return false;
}

#define PLAIN_GUESS_BITS 12
#define PLAIN_GUESSES (1u << PLAIN_GUESS_BITS)

static inline uint8_t *plain_guess(uint8_t *guesses, struct plain_name name)
{
	return &guesses[name.line % PLAIN_GUESSES];
}

/* The same in L1, where it may be guessed. */
static inline bool plain_find_l1(const struct plain_row *row, uint8_t *guesses, struct plain_name name, uint32_t *place)
{
	*place = *plain_guess(guesses, name);
	if (plain_is_at(row->tags, name, *place))
		return true;
	if (!plain_find(row->marks, row->tags, name, place))
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
static inline int32_t plain_least(const struct plain_l1 *l1, const struct plain_row *row)
{
#ifdef __SSE2__
	const float *numbers = (const float *)(const void *)row->stamps;
	__m128 least = _mm_min_ps(_mm_load_ps(numbers), _mm_load_ps(numbers + 4));

	if (l1->ways > PLAIN_ROW / 2)
		least = _mm_min_ps(least, _mm_min_ps(_mm_load_ps(numbers + 8), _mm_load_ps(numbers + 12)));
	least = _mm_min_ps(least, _mm_shuffle_ps(least, least, _MM_SHUFFLE(1, 0, 3, 2)));
	least = _mm_min_ps(least, _mm_shuffle_ps(least, least, _MM_SHUFFLE(2, 3, 0, 1)));
	return _mm_cvtsi128_si32(_mm_castps_si128(least));
#else
	int32_t least = row->stamps[0];

	for (uint32_t place = 1; place < l1->ways; place++)
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

/* ------------------------------------------------------------------ L2 */

static inline uint32_t plain_set_l2(const struct plain_l2 *l2, uint64_t line)
{
	return (uint32_t)line & l2->set_mask;
}

/* Its clock begins anew, and stamps with it. */
void plain_renew_head(struct plain_head *head);

/* The place is the one used last. */
static inline void plain_use_l2(struct plain_head *head, uint32_t place)
{
	if (__builtin_expect(head->clock == PLAIN_LAST, 0))
		plain_renew_head(head);
	head->stamps[place] = (int16_t)(head->clock | (int32_t)place);
	head->clock += PLAIN_ROW;
}

/* The one used least lately, or an empty one. */
static inline uint32_t plain_oldest_l2(const struct plain_head *head)
{
#ifdef __SSE2__
	const __m128i *stamps = (const __m128i *)(const void *)head->stamps;
	__m128i least = _mm_min_epi16(_mm_load_si128(stamps), _mm_load_si128(stamps + 1));

	least = _mm_min_epi16(least, _mm_shuffle_epi32(least, _MM_SHUFFLE(1, 0, 3, 2)));
	least = _mm_min_epi16(least, _mm_shuffle_epi32(least, _MM_SHUFFLE(2, 3, 0, 1)));
	least = _mm_min_epi16(least, _mm_shufflelo_epi16(least, _MM_SHUFFLE(2, 3, 0, 1)));
	return (uint32_t)_mm_cvtsi128_si32(least) % PLAIN_ROW;
#else
	int16_t least = head->stamps[0];

	for (uint32_t place = 1; place < PLAIN_ROW; place++)
		least = head->stamps[place] < least ? head->stamps[place] : least;
	return (uint32_t)least % PLAIN_ROW;
#endif
}

/* The line, which is not there, displaces the oldest: the tag that this had. */
static inline uint64_t plain_put_l2(struct plain_head *head, uint64_t *tags, struct plain_name name, uint32_t *place_out)
{
	uint32_t place = plain_oldest_l2(head);
	uint64_t old = tags[place];

	tags[place] = name.tag;
	head->marks[place] = plain_mark(name);
	plain_use_l2(head, place);
	*place_out = place;
	return old;
}

/* ------------------------------------------------------------------ misses */

/* What an access met: the latency of what delivered it, and whether L2 missed. 0: L1 had all of it. */
#define PLAIN_MISSED_L2 (1u << 31)

static inline uint32_t plain_both(uint32_t piece, uint32_t other)
{
	uint32_t latency = piece & ~PLAIN_MISSED_L2, later = other & ~PLAIN_MISSED_L2;

	return (latency > later ? latency : later) | ((piece | other) & PLAIN_MISSED_L2);
}

/* L1 takes a line, which it has not, in this place: what that met. */
uint32_t plain_fill(struct plain *plain, struct plain_name name, bool write, uint32_t place, int32_t stamp, struct simulator_counters *counters);

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
	uint32_t set = plain_set_l2(&plain->l2, line);

	__builtin_prefetch(&plain->l2.heads[set]);
	__builtin_prefetch(&plain->l2.tags[set][0]);
	__builtin_prefetch(&plain->l2.tags[set][PLAIN_ROW / 2]);
}

/* L2 takes a dirty line that L1 displaces, which was in that place. False: it has it no more. */
bool plain_write_out(struct plain *plain, uint64_t tag, uint32_t outer);

/* What plain_fill does where plain->usual. */
static inline __attribute__((always_inline)) void plain_take(struct plain *plain, struct plain_row *row, struct plain_name name, bool write, uint32_t place, int32_t stamp,
							     struct plain_met *met)
{
	const struct plain_l2 *l2 = &plain->l2;
	uint32_t set = plain_set_l2(l2, name.line), before = row->outer[place], outer;
	struct plain_head *head = &l2->heads[set];
	uint64_t *tags = l2->tags[set], old = row->tags[place];

	if (plain_find(head->marks, tags, name, &outer)) {
		met->from_l2++;
		plain_use_l2(head, outer);
	} else {
		met->from_memory++;
		met->written += plain_put_l2(head, tags, name, &outer) & 1;
	}
	row->outer[place] = (uint8_t)outer;
	plain_put(row, place, name, write, stamp);
	*plain_guess(plain->guesses, name) = (uint8_t)place;
	if (!(old & 1))
		return;
	tags = l2->tags[plain_set_l2(l2, (old >> 1) - 1)];
	if (__builtin_expect((tags[before] ^ old) <= 1, 1))
		tags[before] = old;
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
