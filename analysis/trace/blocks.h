/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_BLOCKS_H
#define MEMSEARCH_TRACE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/array.h"

/*
 * The block of memory that an address belongs to, now or at a time in the recent past: a radix tree
 * over 48 address bits whose nodes hold several grids, each with cells 8 times as large as the next
 * finer one.
 *
 *     512 GiB ─▶ 64, 8, 1 GiB ─▶ 128, 16, 2 MiB ─▶ 256, 32, 4 KiB ─▶ 512, 64 bytes (only where
 *                                                       │           several blocks share a page)
 *                                                     refs
 *                                                       └─▶ block {start, bytes, array, born, died}
 *
 * A block is referenced by one or two cells: those of the finest grid whose cells are as large as
 * the block. The refs of a cell are a list. A retired block stays in it, with the time of its
 * death, until there are too many; the cell then stores the time up to which its history is
 * incomplete.
 *
 * Readers are lock-free, also in a signal handler that interrupted a writer: a link has the
 * generation of its ref, so a reader detects a reused ref and restarts. Nothing is ever unmapped.
 * Not here: arrays, and the lock of writers (array.c).
 */

struct array_place {
	uint32_t array;
	bool doubtful;
	uint64_t offset;
	uint64_t block_bytes;
};

/*
 * Memory outside of blocks: in [low, high) it belongs to this array, else to none; its unit is a
 * page of 4 KiB.
 */
#define BLOCKS_PAGE 4096u
struct blocks_rest {
	uint32_t array;
	uint64_t low, high;
};
static inline void blocks_page_at(uint64_t address, struct blocks_rest rest,
				  struct array_place *out)
{
	out->array = address < rest.high && address >= rest.low ? rest.array : ARRAY_NONE;
	out->offset = address % BLOCKS_PAGE;
	out->block_bytes = BLOCKS_PAGE;
}

struct blocks;

/* NULL: no address space. Zeroed, so empty, in a fork's child. */
struct blocks *blocks_new(void);
void blocks_free(struct blocks *blocks);

/* Advances with each add and retire, and here if a block ended since. Any thread. */
uint64_t blocks_time(const struct blocks *blocks);
/* As array_at. Any thread. */
bool blocks_at(const struct blocks *blocks, uint64_t address, uint64_t since, uint64_t until,
	       struct array_place *out);

/* All below: one writer at a time. */
/* its number; 0: the table is full, or the address is too high */
uint32_t blocks_add(struct blocks *blocks, uint32_t array, uint64_t start, uint64_t bytes);
/* The same of a block that has lived since that time. */
uint32_t blocks_add_since(struct blocks *blocks, uint32_t array, uint64_t start, uint64_t bytes,
			  uint64_t born);
/* The newest live block that begins at `start`; 0: none. */
uint32_t blocks_live(const struct blocks *blocks, uint64_t start);
void blocks_retire(struct blocks *blocks, uint32_t block, uint32_t *array_out, uint64_t *bytes_out);
/*
 * For the thread that owns the block: it ends now, but is not retired until blocks_retire.
 * blocks_again reverts that, if no other block was added in its memory since. Neither advances the
 * time.
 */
void blocks_end(struct blocks *blocks, uint32_t block);
void blocks_again(struct blocks *blocks, uint32_t block);

/*
 * To store a table: visits blocks that lived after `since`. To restore it: into an empty table, in
 * the order of deaths; false: full, or an impossible block.
 */
#define BLOCKS_LIVE UINT64_MAX /* as `died` */
struct blocks_row {
	uint64_t start, bytes, born, died;
	uint32_t array;
};
void blocks_each(const struct blocks *blocks, uint64_t since,
		 void (*visit)(void *ctx, const struct blocks_row *row), void *ctx);
bool blocks_restore(struct blocks *blocks, const struct blocks_row *row);
/* Of a live block. */
uint32_t blocks_array(const struct blocks *blocks, uint32_t block);

#endif
