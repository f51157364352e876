/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_OWN_BLOCKS_H
#define MEMSEARCH_BASE_OWN_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Blocks of any size for malloc's callers beside the program's heap: by size classes, out of pieces
 * of pages, each twice as large as the one before. No lock, no malloc; libc's memcpy and memset at
 * most, as the loader links this, too.
 */
/* classes between a power of two and the next: a fifth of a block is wasted at most */
#define OWN_BLOCKS_STEPS 4
#define OWN_BLOCKS_CLASSES (OWN_BLOCKS_STEPS * 60)
#define OWN_BLOCKS_PIECES 40 /* more than the address space has room for */

struct own_blocks {
	struct own_blocks_piece {
		char *start;
		size_t bytes;
	} pieces[OWN_BLOCKS_PIECES];
	unsigned int nr_pieces; /* atomic */
	size_t used;            /* of the newest piece */
	/* lists; a free block begins with the address of the next */
	void *free[OWN_BLOCKS_CLASSES];
	size_t nr;    /* blocks handed out */
	size_t bytes; /* of all pieces */
};

/* Pages, zeroed; NULL: refused. */
typedef void *own_blocks_mapper(size_t bytes);

/*
 * Of at most PTRDIFF_MAX / 8 bytes, at a multiple of `alignment` and of 16. NULL: no memory, or the
 * alignment is no power of two or above 1 MiB.
 */
void *own_blocks_take(struct own_blocks *blocks, size_t alignment, size_t bytes,
		      own_blocks_mapper *map);
void own_blocks_give_back(struct own_blocks *blocks, void *block);
size_t own_blocks_bytes(const void *block); /* that the block has room for */
bool own_blocks_has(const struct own_blocks *blocks, const void *block); /* any thread */
void own_blocks_release(struct own_blocks *blocks, void (*unmap)(void *memory, size_t bytes));

#endif
