/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks by size classes, out of pieces of pages. */
#include "analysis/base/own_blocks.h"

#include <stdint.h>
#include <string.h>

#define PIECE_BYTES ((size_t)1 << 20) /* of the first */
#define ALIGNMENT 16
#define ALIGNED_MAX ((size_t)1 << 20)

/*
 * Before each block. The word before a block is above any size of a chunk of glibc's malloc, by
 * which the loader tells its blocks from the program's (interpose.c).
 */
struct head {
	size_t bytes; /* it can hold */
	uint32_t class;
	/* from where the block was cut to the block itself: more than a head where it is aligned */
	uint32_t offset;
};
_Static_assert(sizeof(struct head) == ALIGNMENT, "blocks keep the alignment of pieces");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the offset is the word's upper half");

/* ------------------------------------------------------------------ pieces */

static bool add_piece(struct own_blocks *blocks, size_t least, own_blocks_mapper *map)
{
	size_t bytes = PIECE_BYTES << blocks->nr_pieces;
	void *start = NULL;

	while (bytes < least)
		bytes *= 2;
	if (blocks->nr_pieces < OWN_BLOCKS_PIECES)
		start = map(bytes);
	if (!start)
		return false;
	blocks->pieces[blocks->nr_pieces] = (struct own_blocks_piece){ start, bytes };
	blocks->used = 0;
	blocks->bytes += bytes;
	__atomic_store_n(&blocks->nr_pieces, blocks->nr_pieces + 1, __ATOMIC_RELEASE);
	return true;
}

void own_blocks_release(struct own_blocks *blocks, void (*unmap)(void *memory, size_t bytes))
{
	unsigned int nr = blocks->nr_pieces;

	__atomic_store_n(&blocks->nr_pieces, 0, __ATOMIC_RELEASE);
	while (nr--)
		unmap(blocks->pieces[nr].start, blocks->pieces[nr].bytes);
	memset(blocks->free, 0, sizeof(blocks->free));
	blocks->used = blocks->bytes = blocks->nr = 0;
}

bool own_blocks_has(const struct own_blocks *blocks, const void *block)
{
	unsigned int nr = __atomic_load_n(&blocks->nr_pieces, __ATOMIC_ACQUIRE);

	while (nr--)
		if ((uintptr_t)block - (uintptr_t)blocks->pieces[nr].start <
		    blocks->pieces[nr].bytes)
			return true;
	return false;
}

/* ------------------------------------------------------------------ blocks */

/* Sizes 16, 20, 24, 28, 32, 40, 48 … bytes, rounded up to whole alignments. */
static size_t class_bytes(uint32_t class)
{
	size_t power = (size_t)ALIGNMENT << class / OWN_BLOCKS_STEPS;

	return (power + power / OWN_BLOCKS_STEPS * (class % OWN_BLOCKS_STEPS) + ALIGNMENT - 1) &
	       ~(size_t)(ALIGNMENT - 1);
}

static uint32_t class_of(size_t bytes)
{
	unsigned int power = bytes <= ALIGNMENT
				     ? 0
				     : (unsigned int)(63 - __builtin_clzll(bytes - 1)) - 4;
	uint32_t class = power * OWN_BLOCKS_STEPS;

	while (class_bytes(class) < bytes)
		class ++;
	return class;
}

static struct head *head_of(void *block)
{
	return (struct head *)block - 1;
}

size_t own_blocks_bytes(const void *block)
{
	return ((const struct head *)block - 1)->bytes;
}

static void *cut(struct own_blocks *blocks, uint32_t class, own_blocks_mapper *map)
{
	size_t bytes = class_bytes(class), all = bytes + sizeof(struct head);
	struct head *head;

	if ((!blocks->nr_pieces ||
	     blocks->pieces[blocks->nr_pieces - 1].bytes - blocks->used < all) &&
	    !add_piece(blocks, all, map))
		return NULL;
	head = (struct head *)(blocks->pieces[blocks->nr_pieces - 1].start + blocks->used);
	blocks->used += all;
	*head = (struct head){ bytes, class, sizeof(*head) };
	return head + 1;
}

static void *take(struct own_blocks *blocks, size_t bytes, own_blocks_mapper *map)
{
	uint32_t class = class_of(bytes);
	void *block = blocks->free[class];

	if (block)
		memcpy(&blocks->free[class], block, sizeof(void *));
	else
		block = cut(blocks, class, map);
	blocks->nr += block != NULL;
	return block;
}

/* Where it is aligned, a block with room to spare, and a head in it where the aligned one begins. */
void *own_blocks_take(struct own_blocks *blocks, size_t alignment, size_t bytes,
		      own_blocks_mapper *map)
{
	size_t spare = alignment > ALIGNMENT ? alignment : 0;
	bool valid = alignment && !(alignment & (alignment - 1)) && alignment <= ALIGNED_MAX;
	void *block = valid ? take(blocks, bytes + spare, map) : NULL;
	uintptr_t at = ((uintptr_t)block + alignment - 1) & -(uintptr_t)alignment;
	struct head head;

	if (!block || !spare)
		return block;
	head = *head_of(block);
	head.offset += (uint32_t)(at - (uintptr_t)block);
	head.bytes -= at - (uintptr_t)block;
	*head_of((void *)at) = head;
	return (void *)at;
}

void own_blocks_give_back(struct own_blocks *blocks, void *block)
{
	struct head *head = head_of(block);

	if (head->offset != sizeof(*head)) {
		block = (char *)block - head->offset + sizeof(*head);
		head = head_of(block);
	}
	memcpy(block, &blocks->free[head->class], sizeof(void *));
	blocks->free[head->class] = block;
	blocks->nr--;
}
