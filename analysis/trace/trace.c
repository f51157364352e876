/* SPDX-License-Identifier: Apache-2.0 */
/* Queue of one thread's recorded accesses. */
#include "analysis/trace/trace.h"

#include <string.h>

#define KIND_BITS 2
#define NR_SHIFT 32
#define PIECE_ROOM ((uint32_t)(TRACE_PIECE_WORDS - 1))

_Static_assert(sizeof(struct trace_piece) == TRACE_PIECE_WORDS * sizeof(uint64_t),
	       "a piece is TRACE_PIECE_WORDS words, head included");

/* ------------------------------------------------------------------ pieces */

void trace_pool_init(struct trace_pool *pool, struct trace_piece *pieces, uint32_t nr)
{
	*pool = (struct trace_pool){ .nr = nr, .pieces = pieces };
}

static struct trace_piece *piece_at(const struct trace *trace, uint32_t number)
{
	return &trace->pool->pieces[number - 1];
}

/* The counter in the upper half prevents ABA: a head that was popped and pushed again differs. */
static uint64_t free_head(uint64_t before, uint32_t number)
{
	return ((before >> 32) + 1) << 32 | number;
}

static uint32_t pop_free(struct trace_pool *pool)
{
	uint64_t head = __atomic_load_n(&pool->free, __ATOMIC_ACQUIRE);

	while ((uint32_t)head) {
		uint32_t next = __atomic_load_n(&pool->pieces[(uint32_t)head - 1].next,
						__ATOMIC_RELAXED);

		if (__atomic_compare_exchange_n(&pool->free, &head, free_head(head, next), false,
						__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return (uint32_t)(head & UINT32_MAX);
	}
	return 0;
}

static uint32_t take_piece(struct trace_pool *pool)
{
	uint32_t number = pop_free(pool), used;

	if (!number) {
		used = __atomic_load_n(&pool->used, __ATOMIC_RELAXED);
		do {
			if (used == pool->nr)
				return 0;
		} while (!__atomic_compare_exchange_n(&pool->used, &used, used + 1, false,
						      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
		number = used + 1;
	}
	__atomic_store_n(&pool->pieces[number - 1].filled, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&pool->pieces[number - 1].next, 0, __ATOMIC_RELAXED);
	return number;
}

static void give_back(struct trace_pool *pool, uint32_t number)
{
	uint64_t head = __atomic_load_n(&pool->free, __ATOMIC_RELAXED);

	do {
		__atomic_store_n(&pool->pieces[number - 1].next, (uint32_t)head, __ATOMIC_RELAXED);
	} while (!__atomic_compare_exchange_n(&pool->free, &head, free_head(head, number), false,
					      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
}

/* ------------------------------------------------------------------ writing */

/* Space for `nr` words and their head; NULL: no memory. */
static struct trace_piece *room_for(struct trace *trace, uint32_t nr)
{
	struct trace_piece *last = trace->last ? piece_at(trace, trace->last) : NULL;
	uint32_t number;

	if (last && PIECE_ROOM - last->filled > nr)
		return last;
	number = trace->most && __atomic_load_n(&trace->held, __ATOMIC_RELAXED) >= trace->most
			 ? 0
			 : take_piece(trace->pool);
	if (!number)
		return NULL;
	__atomic_fetch_add(&trace->held, 1, __ATOMIC_RELAXED);
	if (last)
		__atomic_store_n(&last->next, number, __ATOMIC_RELEASE);
	else
		__atomic_store_n(&trace->first, number, __ATOMIC_RELEASE);
	trace->last = number;
	return piece_at(trace, number);
}

static uint64_t head_of(enum trace_kind kind, uint32_t mark, size_t nr)
{
	return (uint64_t)kind | (uint64_t)mark << KIND_BITS | (uint64_t)nr << NR_SHIFT;
}

static void publish(struct trace_piece *piece, uint32_t nr)
{
	__atomic_store_n(&piece->filled, piece->filled + nr, __ATOMIC_RELEASE);
}

static bool put(struct trace *trace, enum trace_kind kind, uint32_t mark, const uint64_t *words,
		size_t nr)
{
	struct trace_piece *piece = nr < TRACE_ENTRY_MAX ? room_for(trace, (uint32_t)nr) : NULL;
	uint64_t *to;

	if (!piece)
		return false;
	to = &piece->words[piece->filled];
	to[0] = head_of(kind, mark, nr);
	if (nr)
		memcpy(to + 1, words, nr * sizeof(*words));
	publish(piece, (uint32_t)nr + 1);
	return true;
}

/*
 * Adjacent words of one kind are one entry each; whole stretches stay together, so that a reader
 * needs no state.
 */
bool trace_put_words(struct trace *trace, const uint64_t *words, size_t nr)
{
	return put(trace, TRACE_WORDS, 0, words, nr);
}

bool trace_put_mark(struct trace *trace, uint32_t mark, const uint64_t *words, size_t nr)
{
	return put(trace, TRACE_MARK, mark, words, nr);
}

bool trace_put_again(struct trace *trace, const uint64_t *words, size_t period, uint64_t times)
{
	struct trace_piece *piece = 2 * period + 1 < TRACE_ENTRY_MAX
					    ? room_for(trace, (uint32_t)(2 * period + 1))
					    : NULL;
	uint64_t *to;

	if (!piece)
		return false;
	to = &piece->words[piece->filled];
	to[0] = head_of(TRACE_AGAIN, 0, period);
	to[1] = times;
	memcpy(to + 2, words, period * sizeof(*words));
	for (size_t i = 0; i < period; i++)
		to[2 + period + i] = words[period + i] - words[i];
	publish(piece, (uint32_t)(2 * period + 2));
	return true;
}

/* ------------------------------------------------------------------ reading */

static uint32_t words_of(uint64_t head)
{
	uint32_t nr = (uint32_t)(head >> NR_SHIFT);

	return (head & ((1u << KIND_BITS) - 1)) == TRACE_AGAIN ? 2 * nr + 2 : nr + 1;
}

/* The piece with the next entry, and where in it; NULL: there is none yet. */
static const struct trace_piece *next_piece(const struct trace *trace, uint32_t *number_out,
					    uint32_t *at_out)
{
	uint32_t number = __atomic_load_n(&trace->first, __ATOMIC_ACQUIRE), at = trace->at;

	while (number) {
		const struct trace_piece *piece = piece_at(trace, number);
		/* read before `filled`: a piece with a successor is complete */
		uint32_t next = __atomic_load_n(&piece->next, __ATOMIC_ACQUIRE);

		*number_out = number;
		*at_out = at;
		if (at < __atomic_load_n(&piece->filled, __ATOMIC_ACQUIRE))
			return piece;
		number = next;
		at = 0;
	}
	return NULL;
}

bool trace_look(const struct trace *trace, struct trace_entry *out)
{
	uint32_t number, at;
	const struct trace_piece *piece = next_piece(trace, &number, &at);
	const uint64_t *entry;

	if (!piece)
		return false;
	entry = &piece->words[at];
	*out = (struct trace_entry){
		.kind = (enum trace_kind)(entry[0] & ((1u << KIND_BITS) - 1)),
		.mark = (uint32_t)(entry[0] & UINT32_MAX) >> KIND_BITS,
		.nr = (uint32_t)(entry[0] >> NR_SHIFT),
		.times = 1,
		.words = entry + 1,
	};
	if (out->kind == TRACE_AGAIN) {
		out->times = entry[1];
		out->words = entry + 2;
		out->amounts = entry + 2 + out->nr;
	}
	return true;
}

/* Returns pieces to the pool when read, except the owner's last one. */
static void go_to(struct trace *trace, uint32_t number)
{
	while (trace->first != number) {
		uint32_t old = trace->first;

		__atomic_store_n(&trace->first,
				 __atomic_load_n(&piece_at(trace, old)->next, __ATOMIC_ACQUIRE),
				 __ATOMIC_RELEASE);
		give_back(trace->pool, old);
		__atomic_fetch_sub(&trace->held, 1, __ATOMIC_RELAXED);
	}
}

void trace_take(struct trace *trace)
{
	uint32_t number, at;
	const struct trace_piece *piece = next_piece(trace, &number, &at);

	if (!piece)
		return;
	go_to(trace, number);
	trace->at = at + words_of(piece->words[at]);
}

void trace_pass(struct trace *reader)
{
	uint32_t number, at;
	const struct trace_piece *piece = next_piece(reader, &number, &at);

	if (!piece)
		return;
	reader->first = number;
	reader->at = at + words_of(piece->words[at]);
}

uint64_t trace_words(const struct trace *trace)
{
	struct trace reader = *trace;
	struct trace_entry entry;
	uint64_t words = 0;

	for (; trace_look(&reader, &entry); trace_pass(&reader))
		words += entry.kind == TRACE_MARK ? 0 : entry.nr * entry.times;
	return words;
}
