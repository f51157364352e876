/* SPDX-License-Identifier: Apache-2.0 */
/* Lines written by another core since a core's last access. */
#include "analysis/simulator/contested.h"

#include <string.h>

#include "analysis/simulator/walk.h"

#define BUDGET ((size_t)12 << 20)        /* share of the history's budget */
#define NO_ROW UINT32_MAX

struct block {
	uint64_t key;                    /* of lookup.h */
	uint64_t written, apart;         /* lines; apart: those of them with a row of their own */
	uint64_t writer;                 /* of the others */
};

struct line {
	uint64_t key;                    /* of lookup.h */
	uint64_t holders[];              /* cores for which it is not contested */
};

struct access_by {
	uint32_t core;
	bool write, enters;
};

void contested_init(struct contested *contested, uint32_t shift, uint32_t threads, size_t *budget)
{
	contested->line_shift = shift;
	contested->block_shift = shift + (uint32_t)__builtin_ctz(CONTESTED_LINES);
	contested->words = (threads + 63) / 64;
	contested->budget = BUDGET;
	*budget -= BUDGET;
	lookup_init(&contested->blocks, sizeof(struct block), &contested->budget);
	lookup_init(&contested->lines, sizeof(struct line) + contested->words * sizeof(uint64_t), &contested->budget);
}

void contested_release(struct contested *contested)
{
	lookup_release(&contested->blocks);
	lookup_release(&contested->lines);
}

size_t contested_bytes(const struct contested *contested)
{
	return lookup_bytes(&contested->blocks) + lookup_bytes(&contested->lines);
}

/* ------------------------------------------------------------------ lines with a row */

static bool holds(const struct line *line, uint64_t core)
{
	return line->holders[core / 64] >> core % 64 & 1;
}

static void hold(struct line *line, uint64_t core)
{
	line->holders[core / 64] |= 1ull << core % 64;
}

static uint64_t number_of(const struct block *block, uint32_t line)
{
	return lookup_key(block) * CONTESTED_LINES + line;
}

/* The line was accessed; it was contested for the core, if it is not one of its holders. */
static void access_row(const struct contested *contested, struct line *line, struct access_by by)
{
	bool held = holds(line, by.core) || by.enters;

	if (by.write)
		memset(line->holders, 0, contested->words * sizeof(line->holders[0]));
	if (held)
		hold(line, by.core);
}

/* Gives a line of the block a row with its present state. NULL: there is no room. */
static struct line *set_apart(struct contested *contested, struct block *block, uint32_t number, uint32_t core)
{
	struct line *line = lookup_add(&contested->lines, number_of(block, number));

	contested->crowded |= !line;
	if (!line)
		return NULL;
	hold(line, block->written >> number & 1 ? block->writer : core);
	block->apart |= 1ull << number;
	block->written |= 1ull << number;
	return line;
}

/* ------------------------------------------------------------------ blocks */

static struct block *note_recent(struct contested *contested, uint64_t number, struct block *block)
{
	uint32_t place = hash_place(number, CONTESTED_RECENT_BITS);

	contested->recent[place].block = number + 1;
	contested->recent[place].row = block ? (uint32_t)(block - (struct block *)contested->blocks.rows) : NO_ROW;
	return block;
}

/* NULL: never written. */
static inline struct block *find(struct contested *contested, uint64_t number)
{
	uint32_t place = hash_place(number, CONTESTED_RECENT_BITS), row = contested->recent[place].row;
	struct block *block;

	if (contested->recent[place].block != number + 1)
		return note_recent(contested, number, lookup_find(&contested->blocks, number));
	if (row == NO_ROW)
		return NULL;
	block = lookup_row(&contested->blocks, row);
	return block->key == number + 1 ? block : note_recent(contested, number, lookup_find(&contested->blocks, number));
}

static struct block *add(struct contested *contested, uint64_t number, uint32_t core)
{
	struct block *block = lookup_add(&contested->blocks, number);

	contested->crowded |= !block;
	if (block)
		block->writer = core;
	return note_recent(contested, number, block);
}

/* The lines among these of a block that are contested for the core. */
static uint64_t lines_contested(const struct contested *contested, const struct block *block, uint32_t core, uint64_t lines)
{
	uint64_t found = block->writer == core ? 0 : lines & block->written & ~block->apart;

	for (lines &= block->apart; lines; lines &= lines - 1) {
		uint32_t number = (uint32_t)__builtin_ctzll(lines);
		const struct line *line = lookup_find(&contested->lines, number_of(block, number));

		if (!holds(line, core))
			found |= 1ull << number;
	}
	return found;
}

/* Lines that are no longer exclusive to the block's writer. */
static void access_apart(struct contested *contested, struct block *block, struct access_by by, uint64_t lines)
{
	for (; lines; lines &= lines - 1) {
		uint32_t number = (uint32_t)__builtin_ctzll(lines);
		bool is_apart = block->apart >> number & 1;
		struct line *line = is_apart ? lookup_find(&contested->lines, number_of(block, number)) : set_apart(contested, block, number, by.core);

		if (!line)
			return;
		access_row(contested, line, by);
	}
}

static void access_lines(struct contested *contested, struct block *block, struct access_by by, uint64_t lines)
{
	if (by.core != block->writer) {
		access_apart(contested, block, by, by.write ? lines : lines & block->written);
		return;
	}
	if (by.write)
		block->written |= lines;
	if (lines & block->apart)
		access_apart(contested, block, by, lines & block->apart);
}

/* The contested lines among these of a block (NULL: never written); `always`: the core gets them, else only if none is contested. */
static inline uint64_t access_block(struct contested *contested, struct block *block, struct access_by by, uint64_t number, uint64_t lines, bool always)
{
	uint64_t found = block ? lines_contested(contested, block, by.core, lines) : 0;

	if (found && !always)
		return found;
	if (!block && by.write)
		block = add(contested, number, by.core);
	if (block)
		access_lines(contested, block, by, lines);
	return found;
}

/* ------------------------------------------------------------------ walks */

/* Lines of a block that contain these bytes. */
static inline uint64_t lines_of(const struct contested *contested, uint64_t first, uint64_t last)
{
	uint32_t begin = (uint32_t)(first >> contested->line_shift) % CONTESTED_LINES, end = (uint32_t)(last >> contested->line_shift) % CONTESTED_LINES;

	return (~0ull >> (CONTESTED_LINES - 1 - (end - begin))) << begin;
}

/* Whether an access to any line of the block changes nothing: a read of a block that was never written, or only by this core. */
static inline bool is_idle(const struct block *block, struct access_by by)
{
	return !by.write && (!block || (block->writer == by.core && !block->apart));
}

/* An access that may be in several blocks. */
static uint64_t access_bytes(struct contested *contested, struct access_by by, uint64_t first, uint64_t bytes, bool always)
{
	uint64_t block_bytes = 1ull << contested->block_shift, found = 0, in_block;

	for (; bytes; bytes -= in_block, first += in_block) {
		struct block *block;

		in_block = block_bytes - (first & (block_bytes - 1));
		in_block = in_block < bytes ? in_block : bytes;
		block = find(contested, first >> contested->block_shift);
		if (!is_idle(block, by))
			found |= access_block(contested, block, by, first >> contested->block_shift, lines_of(contested, first, first + in_block - 1), always);
	}
	return found;
}

bool contested_access(struct contested *contested, uint32_t core, const struct simulator_walk *walk, uint64_t address, bool enters)
{
	return access_bytes(contested, (struct access_by){ core, walk->write, enters }, address, walk->bytes, true);
}

/* Whether this number of accesses of the run are entirely in the first one's block. */
static inline bool is_in_block(const struct contested *contested, const struct simulator_walk *walk, uint64_t address, uint64_t times)
{
	uint64_t last = address + (uint64_t)walk->stride * (times - 1), high = (walk->stride < 0 ? address : last) + walk->bytes - 1, low = walk->stride < 0 ? last : address;

	return low <= high && low >> contested->block_shift == high >> contested->block_shift && walk_step(walk) <= 1ull << contested->block_shift;
}

/* The number of its accesses entirely in that block, from there on; 0: the first one is not. */
static inline uint64_t times_in_block(const struct contested *contested, const struct simulator_walk *walk, uint64_t address)
{
	uint64_t in_block = address & ((1ull << contested->block_shift) - 1), room = (1ull << contested->block_shift) - in_block, step = walk_step(walk);

	if (walk->bytes > room)
		return 0;
	room = walk->stride < 0 ? in_block : room - walk->bytes;
	if (!step)
		return UINT64_MAX;
	return step > room ? 1 : (uint32_t)room / (uint32_t)step + 1;
}

/* Lines of this number of accesses, all in one block. */
static inline uint64_t lines_of_all(const struct contested *contested, const struct simulator_walk *walk, uint64_t address, uint64_t times)
{
	uint64_t last = address + (uint64_t)walk->stride * (times - 1), lines = 0;

	if (walk_step(walk) <= 1ull << contested->line_shift)
		return walk->stride < 0 ? lines_of(contested, last, address + walk->bytes - 1) : lines_of(contested, address, last + walk->bytes - 1);
	for (; times; times--, address += (uint64_t)walk->stride)
		lines |= lines_of(contested, address, address + walk->bytes - 1);
	return lines;
}

/* The contested lines of this number of accesses, all in one block; changes nothing for these. */
static inline uint64_t access_all(struct contested *contested, struct access_by by, const struct simulator_walk *walk, uint64_t address, uint64_t times)
{
	uint64_t number = address >> contested->block_shift;
	struct block *block = find(contested, number);

	return is_idle(block, by) ? 0 : access_block(contested, block, by, number, lines_of_all(contested, walk, address, times), false);
}

bool contested_by_none(struct contested *contested, uint32_t core, const struct simulator_walk *walk, uint64_t address, uint64_t times, bool enters)
{
	struct access_by by = { core, walk->write, enters };
	uint64_t found = 0, fit, done;

	for (; times; times -= done, address += (uint64_t)walk->stride * done) {
		fit = is_in_block(contested, walk, address, times) ? times : times_in_block(contested, walk, address);
		done = !fit ? 1 : fit < times ? fit : times;
		found |= fit ? access_all(contested, by, walk, address, done) : access_bytes(contested, by, address, walk->bytes, false);
	}
	return !found;
}
