/* SPDX-License-Identifier: Apache-2.0 */
/* Cache lines touched by one thread. */
#include "ompt_tool/sensors/line_set.h"

#include <stddef.h>
#include <string.h>

#define ALL_WORDS 0xffffu
#define POSITION 0xffffu                 /* of what the index holds */
#define COUNT_MOST UINT32_MAX            /* accesses to one place beyond are not counted */

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

/* Where it is in the index, or would be. */
static uint32_t find_slot(const struct line_set *set, uint64_t number)
{
	uint32_t slot = slot_of(number);

	while (set->index[slot] && set->index[slot] >> 16 != number)
		slot = (slot + 1) % (2 * LINE_PIECES);
	return slot;
}

/* 0: there is none left. */
static uint32_t take_piece(struct line_pool *pool)
{
	uint32_t position = pool->free;

	if (!position)
		return pool->used < LINE_PIECES ? ++pool->used : 0;
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

/* The lines of the piece around the address; NULL: no room. */
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

/* Words of a line in which bytes [from, to) of it are. */
static uint32_t words_between(uint64_t from, uint64_t to)
{
	return ((1u << (to + LINE_WORD - 1) / LINE_WORD) - 1) & ~((1u << from / LINE_WORD) - 1);
}

static uint64_t bits_of(uint32_t words, bool write)
{
	return words | (write ? (uint64_t)words << 16 : 0);
}

/* One line, `address` in it. */
static void mark(struct line_set *set, uint64_t address, uint64_t bits, uint64_t count)
{
	uint64_t *lines = lines_of(set, address), *line;

	if (!lines) {
		set->lost += count;
		return;
	}
	line = &lines[line_in(address)];
	if (count > COUNT_MOST - line_accesses(*line))
		count = COUNT_MOST - line_accesses(*line);
	*line = (*line | bits) + (count << 32);
}

/* Whole lines [address, end) that are all alike; the compiler makes vector instructions of the inner loop. */
static void mark_alike(struct line_set *set, uint64_t address, uint64_t end, uint64_t bits, uint64_t count)
{
	while (address < end) {
		uint64_t piece_end = (address & ~(uint64_t)(LINE_PIECE - 1)) + LINE_PIECE;
		uint64_t until = end < piece_end ? end : piece_end;
		uint64_t *lines = lines_of(set, address);

		for (uint32_t i = line_in(address); lines && i <= line_in(until - LINE_BYTES); i++)
			lines[i] = (lines[i] | bits) + (count << 32);
		if (!lines)
			set->lost += (until - address) / LINE_BYTES * count;
		address = until;
	}
}

/* One access: counted where it begins. */
static void touch(struct line_set *set, uint64_t address, uint64_t bytes, uint64_t count, bool write)
{
	uint64_t end = address + bytes, until;

	do {
		until = line_begin(address) + LINE_BYTES;
		mark(set, address, bits_of(words_between(address % LINE_BYTES, (end < until ? end : until) - line_begin(address)), write), count);
		count = 0;
		address = until;
	} while (address < end);
}

/* ------------------------------------------------------------------ walks */

/* A walk forwards whose stride divides a line, so that every line but the first and the last is touched alike. */
struct regular {
	uint64_t address, last, end;     /* first access, last one, end of that one */
	uint64_t stride;
	uint32_t words;                  /* of each line */
	uint32_t weight;
	bool write;
};

/* The line at `at`: accesses that begin in it, and words between the walk's begin and its end. */
static void mark_partly(struct line_set *set, const struct regular *walk, uint64_t at)
{
	uint64_t from = walk->address > at ? walk->address : at, next = at + LINE_BYTES;
	uint64_t begun = (from - walk->address + walk->stride - 1) / walk->stride;
	uint64_t until = walk->last < next ? walk->last + 1 : next;
	uint64_t ended = (until - walk->address + walk->stride - 1) / walk->stride;
	uint32_t words = walk->words & words_between(from - at, (walk->end < next ? walk->end : next) - at);

	mark(set, at, bits_of(words, walk->write), ended > begun ? (ended - begun) * walk->weight : 0);
}

static void mark_regular(struct line_set *set, const struct regular *walk)
{
	uint64_t first = line_begin(walk->address), last = line_begin(walk->last);
	uint64_t count = LINE_BYTES / walk->stride * walk->weight;

	mark_partly(set, walk, first);
	if (last > first)
		mark_alike(set, first + LINE_BYTES, last, bits_of(walk->words, walk->write), count);
	for (uint64_t at = last > first ? last : first + LINE_BYTES; at < walk->end; at += LINE_BYTES)
		mark_partly(set, walk, at);
}

/* Words of a whole line, or 0: accesses that leave something out lie across the line's end. */
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

/* Each access in a line of its own, at the same place of it. */
static void mark_apart(struct line_set *set, uint64_t address, uint64_t stride, uint64_t times, uint64_t bits, uint64_t count)
{
	while (times) {
		uint64_t *lines = lines_of(set, address), room = (LINE_PIECE - address % LINE_PIECE + stride - 1) / stride;
		uint64_t nr = times < room ? times : room;

		for (uint64_t i = 0, at = line_in(address); lines && i < nr; i++, at += stride / LINE_BYTES)
			lines[at] = (lines[at] | bits) + (count << 32);
		if (!lines)
			set->lost += nr * count;
		address += nr * stride;
		times -= nr;
	}
}

static void touch_each(struct line_set *set, uint64_t address, uint64_t stride, const struct line_walk *walk)
{
	uint64_t offset = address % LINE_BYTES;

	if (stride % LINE_BYTES == 0 && offset + walk->bytes <= LINE_BYTES) {
		mark_apart(set, address, stride, walk->times, bits_of(words_between(offset, offset + walk->bytes), walk->write), walk->weight);
		return;
	}
	for (uint64_t i = 0; i < walk->times; i++)
		touch(set, address + i * stride, walk->bytes, walk->weight, walk->write);
}

void line_set_walk(struct line_set *set, const struct line_walk *walk)
{
	uint64_t stride = walk->stride < 0 ? -(uint64_t)walk->stride : (uint64_t)walk->stride;
	uint64_t address = walk->stride < 0 ? walk->address - (walk->times - 1) * stride : walk->address;
	uint32_t words = stride && LINE_BYTES % stride == 0 ? words_of_stride(address, stride, walk->bytes) : 0;

	if (!walk->times || !walk->bytes)
		return;
	if (!stride || walk->times == 1) {
		touch(set, address, walk->bytes, walk->times * walk->weight, walk->write);
	} else if (words) {
		uint64_t last = address + (walk->times - 1) * stride;

		mark_regular(set, &(struct regular){ .address = address, .last = last, .end = last + walk->bytes, .stride = stride,
						     .words = words, .weight = walk->weight, .write = walk->write });
	} else {
		touch_each(set, address, stride, walk);
	}
}

void line_set_range(struct line_set *set, uint64_t address, uint64_t bytes, bool write)
{
	uint64_t last = address + (bytes - 1) / 8 * 8;

	if (bytes)
		mark_regular(set, &(struct regular){ .address = address, .last = last, .end = address + bytes, .stride = 8,
						     .words = ALL_WORDS, .weight = 1, .write = write });
}

void line_set_close(struct line_set *set)
{
	for (struct line_piece *piece = piece_at(set, set->first); piece; piece = piece_at(set, piece->next)) {
		uint64_t any = 0;

		for (uint32_t i = 0; i < LINE_PIECE_LINES; i++)
			any |= piece->lines[i];
		piece->is_written = line_written(any);
	}
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

/* ------------------------------------------------------------------ reading */

const struct line_piece *line_set_find(const struct line_set *set, uint64_t address)
{
	return piece_at(set, set->index[find_slot(set, address / LINE_PIECE)] & POSITION);
}

const struct line_piece *line_set_next(const struct line_set *set, const struct line_piece *piece)
{
	return piece_at(set, piece ? piece->next : set->first);
}
