/* SPDX-License-Identifier: Apache-2.0 */
/* Lines written by another core since a core's last access. */
#include "analysis/simulator/remote_writes.h"

#include <string.h>

#include "analysis/simulator/stride_run.h"

#define BUDGET ((size_t)12 << 20) /* share of the history's budget */
#define NO_ROW UINT32_MAX

struct block {
	uint64_t key; /* of lookup.h */
	/* lines; with_row: those of them with a row of their own */
	uint64_t written, with_row;
	uint64_t writer; /* of the others */
};

struct line {
	uint64_t key;       /* of lookup.h */
	uint64_t holders[]; /* cores for which it is not remotely written */
};

struct access_by {
	uint32_t core;
	bool write, enters;
};

void remote_writes_init(struct remote_writes *writes, uint32_t shift, uint32_t threads,
			size_t *budget)
{
	writes->line_shift = shift;
	writes->block_shift = shift + (uint32_t)__builtin_ctz(REMOTE_WRITES_LINES);
	writes->words = (threads + 63) / 64;
	writes->budget = BUDGET;
	*budget -= BUDGET;
	lookup_init(&writes->blocks, sizeof(struct block), &writes->budget);
	lookup_init(&writes->lines, sizeof(struct line) + writes->words * sizeof(uint64_t),
		    &writes->budget);
}

void remote_writes_release(struct remote_writes *writes)
{
	lookup_release(&writes->blocks);
	lookup_release(&writes->lines);
}

size_t remote_writes_bytes(const struct remote_writes *writes)
{
	return lookup_bytes(&writes->blocks) + lookup_bytes(&writes->lines);
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
	return lookup_key(block) * REMOTE_WRITES_LINES + line;
}

/* An access to the line, which was remotely written for the core if that is none of its holders. */
static void access_row(const struct remote_writes *writes, struct line *line, struct access_by by)
{
	bool held = holds(line, by.core) || by.enters;

	if (by.write)
		memset(line->holders, 0, writes->words * sizeof(line->holders[0]));
	if (held)
		hold(line, by.core);
}

/* Gives a line of the block a row with its present state. NULL: there is no room. */
static struct line *give_row(struct remote_writes *writes, struct block *block, uint32_t number,
			     uint32_t core)
{
	struct line *line = lookup_add(&writes->lines, number_of(block, number));

	writes->overflowed |= !line;
	if (!line)
		return NULL;
	hold(line, block->written >> number & 1 ? block->writer : core);
	block->with_row |= 1ull << number;
	block->written |= 1ull << number;
	return line;
}

/* ------------------------------------------------------------------ blocks */

static struct block *note_recent(struct remote_writes *writes, uint64_t number, struct block *block)
{
	uint32_t place = hash_place(number, REMOTE_WRITES_RECENT_BITS);

	writes->recent[place].block = number + 1;
	writes->recent[place].row = block ? (uint32_t)(block - (struct block *)writes->blocks.rows)
					  : NO_ROW;
	return block;
}

/* NULL: never written. */
static inline struct block *find(struct remote_writes *writes, uint64_t number)
{
	uint32_t place = hash_place(number, REMOTE_WRITES_RECENT_BITS),
		 row = writes->recent[place].row;
	struct block *block;

	if (writes->recent[place].block != number + 1)
		return note_recent(writes, number, lookup_find(&writes->blocks, number));
	if (row == NO_ROW)
		return NULL;
	block = lookup_row(&writes->blocks, row);
	return block->key == number + 1
		       ? block
		       : note_recent(writes, number, lookup_find(&writes->blocks, number));
}

static struct block *add(struct remote_writes *writes, uint64_t number, uint32_t core)
{
	struct block *block = lookup_add(&writes->blocks, number);

	writes->overflowed |= !block;
	if (block)
		block->writer = core;
	return note_recent(writes, number, block);
}

/* The lines among these of a block that are remotely written for the core. */
static uint64_t lines_written(const struct remote_writes *writes, const struct block *block,
			      uint32_t core, uint64_t lines)
{
	uint64_t found = block->writer == core ? 0 : lines & block->written & ~block->with_row;

	for (lines &= block->with_row; lines; lines &= lines - 1) {
		uint32_t number = (uint32_t)__builtin_ctzll(lines);
		const struct line *line = lookup_find(&writes->lines, number_of(block, number));

		if (!holds(line, core))
			found |= 1ull << number;
	}
	return found;
}

/* Lines that are no longer exclusive to the block's writer. */
static void access_rows(struct remote_writes *writes, struct block *block, struct access_by by,
			uint64_t lines)
{
	for (; lines; lines &= lines - 1) {
		uint32_t number = (uint32_t)__builtin_ctzll(lines);
		bool has_row = block->with_row >> number & 1;
		struct line *line = has_row ? lookup_find(&writes->lines, number_of(block, number))
					    : give_row(writes, block, number, by.core);

		if (!line)
			return;
		access_row(writes, line, by);
	}
}

static void access_lines(struct remote_writes *writes, struct block *block, struct access_by by,
			 uint64_t lines)
{
	if (by.core != block->writer) {
		access_rows(writes, block, by, by.write ? lines : lines & block->written);
		return;
	}
	if (by.write)
		block->written |= lines;
	if (lines & block->with_row)
		access_rows(writes, block, by, lines & block->with_row);
}

/*
 * The remotely written lines among these of a block (NULL: never written); `always`: the core gets
 * the lines, else only if none is remotely written.
 */
static inline uint64_t access_block(struct remote_writes *writes, struct block *block,
				    struct access_by by, uint64_t number, uint64_t lines,
				    bool always)
{
	uint64_t found = block ? lines_written(writes, block, by.core, lines) : 0;

	if (found && !always)
		return found;
	if (!block && by.write)
		block = add(writes, number, by.core);
	if (block)
		access_lines(writes, block, by, lines);
	return found;
}

/* ------------------------------------------------------------------ runs */

/* Lines of a block that contain these bytes. */
static inline uint64_t lines_of(const struct remote_writes *writes, uint64_t first, uint64_t last)
{
	uint32_t begin = (uint32_t)(first >> writes->line_shift) % REMOTE_WRITES_LINES,
		 end = (uint32_t)(last >> writes->line_shift) % REMOTE_WRITES_LINES;

	return (~0ull >> (REMOTE_WRITES_LINES - 1 - (end - begin))) << begin;
}

/*
 * Whether an access to any line of the block changes nothing: a read of a block that was never
 * written, or only by this core.
 */
static inline bool is_idle(const struct block *block, struct access_by by)
{
	return !by.write && (!block || (block->writer == by.core && !block->with_row));
}

/* An access that may be in several blocks. */
static uint64_t access_bytes(struct remote_writes *writes, struct access_by by, uint64_t first,
			     uint64_t bytes, bool always)
{
	uint64_t block_bytes = 1ull << writes->block_shift, found = 0, in_block;

	for (; bytes; bytes -= in_block, first += in_block) {
		struct block *block;

		in_block = block_bytes - (first & (block_bytes - 1));
		in_block = in_block < bytes ? in_block : bytes;
		block = find(writes, first >> writes->block_shift);
		if (!is_idle(block, by))
			found |= access_block(writes, block, by, first >> writes->block_shift,
					      lines_of(writes, first, first + in_block - 1),
					      always);
	}
	return found;
}

bool remote_writes_access(struct remote_writes *writes, uint32_t core, const struct stride_run *run,
			  uint64_t address, bool enters)
{
	return access_bytes(writes, (struct access_by){ core, run->write, enters }, address,
			    run->bytes, true);
}

/* Whether this number of accesses of the run are entirely in the first one's block. */
static inline bool is_in_block(const struct remote_writes *writes, const struct stride_run *run,
			       uint64_t address, uint64_t times)
{
	uint64_t last = address + (uint64_t)run->stride * (times - 1),
		 high = (run->stride < 0 ? address : last) + run->bytes - 1,
		 low = run->stride < 0 ? last : address;

	return low <= high && low >> writes->block_shift == high >> writes->block_shift &&
	       stride_run_step(run) <= 1ull << writes->block_shift;
}

/* The number of its accesses entirely in that block, from there on; 0: the first one is not. */
static inline uint64_t times_in_block(const struct remote_writes *writes,
				      const struct stride_run *run, uint64_t address)
{
	uint64_t in_block = address & ((1ull << writes->block_shift) - 1),
		 room = (1ull << writes->block_shift) - in_block, step = stride_run_step(run);

	if (run->bytes > room)
		return 0;
	room = run->stride < 0 ? in_block : room - run->bytes;
	if (!step)
		return UINT64_MAX;
	return step > room ? 1 : (uint32_t)room / (uint32_t)step + 1;
}

/* Lines of this number of accesses, all in one block. */
static inline uint64_t lines_of_all(const struct remote_writes *writes,
				    const struct stride_run *run, uint64_t address, uint64_t times)
{
	uint64_t last = address + (uint64_t)run->stride * (times - 1), lines = 0;

	if (stride_run_step(run) <= 1ull << writes->line_shift)
		return run->stride < 0 ? lines_of(writes, last, address + run->bytes - 1)
				       : lines_of(writes, address, last + run->bytes - 1);
	for (; times; times--, address += (uint64_t)run->stride)
		lines |= lines_of(writes, address, address + run->bytes - 1);
	return lines;
}

/*
 * The remotely written lines of this number of accesses, all in one block; if there are any,
 * nothing changes.
 */
static inline uint64_t access_all(struct remote_writes *writes, struct access_by by,
				  const struct stride_run *run, uint64_t address, uint64_t times)
{
	uint64_t number = address >> writes->block_shift;
	struct block *block = find(writes, number);

	return is_idle(block, by) ? 0
				  : access_block(writes, block, by, number,
						 lines_of_all(writes, run, address, times), false);
}

bool remote_writes_none(struct remote_writes *writes, uint32_t core, const struct stride_run *run,
			uint64_t address, uint64_t times, bool enters)
{
	struct access_by by = { core, run->write, enters };
	uint64_t found = 0, fit, done;

	for (; times; times -= done, address += (uint64_t)run->stride * done) {
		fit = is_in_block(writes, run, address, times)
			      ? times
			      : times_in_block(writes, run, address);
		done = !fit ? 1 : fit < times ? fit : times;
		found |= fit ? access_all(writes, by, run, address, done)
			     : access_bytes(writes, by, address, run->bytes, false);
	}
	return !found;
}
