/* SPDX-License-Identifier: Apache-2.0 */
/* Set of cache lines accessed by one thread. */
#include "analysis/counting/line_set.h"

#include <stddef.h>
#include <string.h>

#include "analysis/base/populate.h"

#define ALL_WORDS 0xffffu
#define POSITION 0xffffu      /* mask of the position in an index entry */
#define COUNT_SHIFT 32        /* shift of a line's accesses, see line_accesses … */
#define COUNT_MOST UINT32_MAX /* … and their maximum */

/* ------------------------------------------------------------------ pieces */

/* The multiplier is 2^64 divided by the golden ratio (Knuth, TAOCP 3, 6.4). */
static uint32_t slot_of(uint64_t number)
{
	return (uint32_t)((number * 0x9e3779b97f4a7c15ull) >> 32) % (2 * LINE_PIECES);
}

static struct line_piece *piece_at(const struct line_set *set, uint64_t position)
{
	return position ? &set->pool->pieces[position - 1] : NULL;
}

/* Its slot in the index, or the free one for it. */
static uint32_t find_slot(const struct line_set *set, uint64_t number)
{
	uint32_t slot = slot_of(number);

	while (set->index[slot] && set->index[slot] >> 16 != number)
		slot = (slot + 1) % (2 * LINE_PIECES);
	return slot;
}

/* 0: the pool is empty. */
static uint32_t take_piece(struct line_pool *pool)
{
	uint32_t position = pool->free;

	if (!position && pool->used == LINE_PIECES)
		return 0;
	if (!position) {
		pages_ahead(pool->lines, sizeof(pool->lines), pool->used * sizeof(pool->lines[0]),
			    sizeof(pool->lines[0]));
		return ++pool->used;
	}
	pool->free = pool->pieces[position - 1].next;
	return position;
}

static void make_piece(struct line_set *set, uint64_t number, uint32_t slot)
{
	uint32_t position = take_piece(set->pool);
	struct line_piece *piece = piece_at(set, position);

	if (!piece)
		return;
	piece->address = number * LINE_PIECE;
	piece->lines = set->pool->lines[position - 1];
	piece->next = set->first;
	set->first = position;
	set->index[slot] = number << 16 | position;
}

/* The lines of the piece with the address; NULL: the pool is empty. */
static uint64_t *lines_of(struct line_set *set, uint64_t address)
{
	uint64_t number = address / LINE_PIECE, *recent = &set->recent[number % LINE_RECENT];

	if (*recent >> 16 != number || !*recent) {
		uint32_t slot = find_slot(set, number);

		if (!set->index[slot])
			make_piece(set, number, slot);
		*recent = set->index[slot];
	}
	return *recent ? set->pool->lines[(*recent & POSITION) - 1] : NULL;
}

/* ------------------------------------------------------------------ marking */

static uint64_t line_begin(uint64_t address)
{
	return address & ~(uint64_t)(LINE_BYTES - 1);
}

static uint32_t line_in(uint64_t address)
{
	return (uint32_t)(address % LINE_PIECE / LINE_BYTES);
}

/* Word mask of bytes [from, to) of a line. */
static uint32_t words_between(uint64_t from, uint64_t to)
{
	return ((1u << (to + LINE_WORD - 1) / LINE_WORD) - 1) & ~((1u << from / LINE_WORD) - 1);
}

static uint64_t bits_of(uint32_t words, bool write)
{
	return words | (write ? (uint64_t)words << 16 : 0);
}

static void add_to_line(uint64_t *line, uint64_t bits, uint64_t count)
{
	uint64_t is = *line | bits, sum = is + (count << COUNT_SHIFT);

	*line = sum < is ? is | (uint64_t)COUNT_MOST << COUNT_SHIFT : sum;
}

/* `nr` lines, every step-th; `count` is less than 2^32. */
__attribute__((noinline)) static void add_near_the_most(uint64_t *lines, uint64_t nr, uint64_t step,
							uint64_t bits, uint64_t count)
{
	for (uint64_t i = 0; i < nr; i++)
		add_to_line(&lines[i * step], bits, count);
}

/* One line, `address` in it. */
static void mark(struct line_set *set, uint64_t address, uint64_t bits, uint64_t count)
{
	uint64_t *lines = lines_of(set, address);

	set->most += count;
	if (lines)
		add_to_line(&lines[line_in(address)], bits,
			    count < COUNT_MOST ? count : COUNT_MOST);
	else
		set->lost += count;
}

/* Equal whole lines [address, end); the compiler vectorises the inner loop. */
static void mark_alike(struct line_set *set, uint64_t address, uint64_t end, uint64_t bits,
		       uint64_t count)
{
	set->most += count;
	while (address < end) {
		uint64_t piece_end = (address & ~(uint64_t)(LINE_PIECE - 1)) + LINE_PIECE;
		uint64_t until = end < piece_end ? end : piece_end,
			 nr = (until - address) / LINE_BYTES;
		uint64_t *lines = lines_of(set, address);

		if (!lines)
			set->lost += nr * count;
		else if (set->most > COUNT_MOST)
			add_near_the_most(&lines[line_in(address)], nr, 1, bits, count);
		else
			for (uint32_t i = line_in(address); i <= line_in(until - LINE_BYTES); i++)
				lines[i] = (lines[i] | bits) + (count << COUNT_SHIFT);
		address = until;
	}
}

/* One access, counted for its first line. */
static void touch(struct line_set *set, uint64_t address, uint64_t bytes, uint64_t count,
		  bool write)
{
	uint64_t end = address + bytes, until;

	do {
		until = line_begin(address) + LINE_BYTES;
		mark(set, address,
		     bits_of(words_between(address % LINE_BYTES,
					   (end < until ? end : until) - line_begin(address)),
			     write),
		     count);
		count = 0;
		address = until;
	} while (address < end);
}

/* ------------------------------------------------------------------ stride runs */

/* A forward run whose stride divides a line: all lines except the first and the last are equal. */
struct regular {
	uint64_t address, last, end; /* first access, last access, its end */
	uint64_t stride;
	uint32_t words; /* of each line */
	uint32_t weight;
	bool write;
};

/* The line at `at`: accesses that begin in it, and words between the run's begin and end. */
static void mark_partly(struct line_set *set, const struct regular *walk, uint64_t at)
{
	uint64_t from = walk->address > at ? walk->address : at, next = at + LINE_BYTES;
	uint64_t begun = (from - walk->address + walk->stride - 1) / walk->stride;
	uint64_t until = walk->last < next ? walk->last + 1 : next;
	uint64_t ended = (until - walk->address + walk->stride - 1) / walk->stride;
	uint32_t words = walk->words &
			 words_between(from - at, (walk->end < next ? walk->end : next) - at);

	mark(set, at, bits_of(words, walk->write),
	     ended > begun ? (ended - begun) * walk->weight : 0);
}

static void mark_regular(struct line_set *set, const struct regular *walk)
{
	uint64_t first = line_begin(walk->address), last = line_begin(walk->last);
	uint64_t count = LINE_BYTES / walk->stride * walk->weight;

	mark_partly(set, walk, first);
	if (last > first)
		mark_alike(set, first + LINE_BYTES, last, bits_of(walk->words, walk->write), count);
	for (uint64_t at = last > first ? last : first + LINE_BYTES; at < walk->end;
	     at += LINE_BYTES)
		mark_partly(set, walk, at);
}

/* Word mask of a whole line; 0: an access with a gap crosses the line's end. */
static uint32_t words_of_stride(uint64_t address, uint64_t stride, uint64_t bytes)
{
	uint64_t offset = address % stride;
	uint32_t words = 0;

	if (bytes >= stride)
		return ALL_WORDS;
	if (offset + bytes > stride)
		return 0;
	for (uint64_t at = offset; at < LINE_BYTES; at += stride)
		words |= words_between(at, at + bytes);
	return words;
}

/* Each access in its own line, at the same offset. */
static void mark_apart(struct line_set *set, uint64_t address, uint64_t stride, uint64_t times,
		       uint64_t bits, uint64_t count)
{
	set->most += count;
	while (times) {
		uint64_t *lines = lines_of(set, address),
			 room = (LINE_PIECE - address % LINE_PIECE + stride - 1) / stride;
		uint64_t nr = times < room ? times : room;

		if (!lines)
			set->lost += nr * count;
		else if (set->most > COUNT_MOST)
			add_near_the_most(&lines[line_in(address)], nr, stride / LINE_BYTES, bits,
					  count);
		else
			for (uint64_t i = 0, at = line_in(address); i < nr;
			     i++, at += stride / LINE_BYTES)
				lines[at] = (lines[at] | bits) + (count << COUNT_SHIFT);
		address += nr * stride;
		times -= nr;
	}
}

static void touch_each(struct line_set *set, uint64_t address, uint64_t stride,
		       const struct line_walk *walk)
{
	uint64_t offset = address % LINE_BYTES;

	if (stride % LINE_BYTES == 0 && offset + walk->bytes <= LINE_BYTES) {
		mark_apart(set, address, stride, walk->times,
			   bits_of(words_between(offset, offset + walk->bytes), walk->write),
			   walk->weight);
		return;
	}
	for (uint64_t i = 0; i < walk->times; i++)
		touch(set, address + i * stride, walk->bytes, walk->weight, walk->write);
}

void line_set_walk(struct line_set *set, const struct line_walk *walk)
{
	uint64_t stride = walk->stride < 0 ? -(uint64_t)walk->stride : (uint64_t)walk->stride;
	uint64_t address = walk->stride < 0 ? walk->address - (walk->times - 1) * stride
					    : walk->address;
	uint32_t words = stride && LINE_BYTES % stride == 0
				 ? words_of_stride(address, stride, walk->bytes)
				 : 0;

	if (!walk->times || !walk->bytes)
		return;
	if (!stride || walk->times == 1) {
		touch(set, address, walk->bytes, walk->times * walk->weight, walk->write);
	} else if (words) {
		uint64_t last = address + (walk->times - 1) * stride;

		mark_regular(set, &(struct regular){ .address = address,
						     .last = last,
						     .end = last + walk->bytes,
						     .stride = stride,
						     .words = words,
						     .weight = walk->weight,
						     .write = walk->write });
	} else {
		touch_each(set, address, stride, walk);
	}
}

void line_set_range(struct line_set *set, uint64_t address, uint64_t bytes, bool write)
{
	uint64_t last = address + (bytes - 1) / 8 * 8;

	if (bytes)
		mark_regular(set, &(struct regular){ .address = address,
						     .last = last,
						     .end = address + bytes,
						     .stride = 8,
						     .words = ALL_WORDS,
						     .weight = 1,
						     .write = write });
}

/* ------------------------------------------------------------------ order */

#define RUNS (sizeof(((struct line_order *)NULL)->runs) / sizeof(struct line_piece *))

static struct line_piece *merge(struct line_piece *a, struct line_piece *b)
{
	struct line_piece *first = NULL, **last = &first;

	while (a && b) {
		struct line_piece **lower = b->address < a->address ? &b : &a;

		*last = *lower;
		last = &(*lower)->after;
		*lower = *last;
	}
	*last = a ? a : b;
	return first;
}

/* Entry n holds 2^n merged lists; the last one holds all further lists. */
void line_order_add(struct line_order *order, struct line_piece *sorted)
{
	size_t n = 0;

	for (; n < RUNS - 1 && order->runs[n]; n++) {
		sorted = merge(order->runs[n], sorted);
		order->runs[n] = NULL;
	}
	order->runs[n] = merge(order->runs[n], sorted);
}

struct line_piece *line_order_all(struct line_order *order)
{
	struct line_piece *all = NULL;

	for (size_t n = 0; n < RUNS; n++)
		all = merge(order->runs[n], all);
	return all;
}

void line_set_close(struct line_set *set)
{
	struct line_order order = { 0 };

	for (struct line_piece *piece = piece_at(set, set->first); piece;
	     piece = piece_at(set, piece->next)) {
		uint64_t any = 0;

		piece->touched = 0;
		for (uint32_t i = 0; i < LINE_PIECE_LINES; i++) {
			any |= piece->lines[i];
			piece->touched += piece->lines[i] != 0;
		}
		piece->is_written = line_written(any);
		piece->set = set;
		piece->after = NULL;
		line_order_add(&order, piece);
	}
	set->sorted = line_order_all(&order);
}

void line_set_clear(struct line_set *set)
{
	struct line_pool *pool = set->pool;

	if (!set->first && !set->lost)
		return;
	while (set->first) {
		uint32_t position = set->first;
		struct line_piece *piece = piece_at(set, position);

		memset(piece->lines, 0, sizeof(pool->lines[0]));
		set->first = piece->next;
		piece->next = pool->free;
		pool->free = position;
	}
	memset(set, 0, sizeof(*set));
	set->pool = pool;
}
