/* SPDX-License-Identifier: Apache-2.0 */
/* Large blocks of glibc's malloc, recognised by their headers. */
#define _GNU_SOURCE /* mincore */
#include "ompt_tool/arrays/glibc_blocks.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/base/memory_map.h"
#include "analysis/base/reserve.h"
#include "ompt_tool/arrays/heap.h"

/* glibc's malloc.c: sizes are multiples of 16, with flags below. */
#define PREVIOUS_IN_USE 1u
#define IS_MAPPED 2u
#define CHUNK_FLAGS 7u
#define CHUNK_MIN 32
#define HEADER_BYTES 16
/* glibc's DEFAULT_MMAP_THRESHOLD: smaller chunks get no mapping of their own by default */
#define MAPPED_MIN (128u * 1024)
#define FOUND_LEAST 4096u     /* smaller ones have no site, and many are of libc */
#define CHUNKS_MAX (1u << 22) /* examined in the heap: some 20 ms */

#define NOTED_MAX (1u << 20)
/* largest mapping examined: 256 GiB; reservations of address space are larger */
#define PAGES_MAX ((size_t)1 << 26)

static struct noted {
	uintptr_t start;
	uint64_t bytes;
} *noted;
static size_t nr_noted;

/* A chunk begins on a page and takes whole ones. */
static uint64_t mapped_chunk(uintptr_t at, uintptr_t high, size_t page)
{
	const size_t *chunk = (const size_t *)at;
	size_t bytes = chunk[1] & ~(size_t)CHUNK_FLAGS;

	if (chunk[0] || (chunk[1] & CHUNK_FLAGS) != IS_MAPPED || (bytes & (page - 1)) ||
	    bytes < MAPPED_MIN || bytes > high - at)
		return 0;
	return bytes;
}

size_t glibc_blocks_mapped(uintptr_t low, uintptr_t high, const unsigned char *is_there,
			   size_t page, glibc_blocks_teller *tell)
{
	size_t nr = 0;

	for (uintptr_t at = low; at < high;) {
		uint64_t bytes = is_there[(at - low) / page] & 1 ? mapped_chunk(at, high, page) : 0;

		if (bytes) {
			tell(at + HEADER_BYTES, bytes - HEADER_BYTES);
			nr++;
		}
		at += bytes ? bytes : page;
	}
	return nr;
}

/*
 * A chunk extends over the first word of the next one, whose flag shows whether the chunk is in
 * use.
 */
static size_t walk_heap(uintptr_t low, uintptr_t high, glibc_blocks_teller *tell, bool *whole)
{
	size_t nr = 0, looked_at = 0;
	uintptr_t at = low;

	while (high - at >= 2 * CHUNK_MIN && ++looked_at < CHUNKS_MAX) {
		size_t bytes = ((const size_t *)at)[1] & ~(size_t)CHUNK_FLAGS;

		if ((((const size_t *)at)[1] & (CHUNK_FLAGS & ~PREVIOUS_IN_USE)) ||
		    bytes < CHUNK_MIN || bytes % 16 || bytes > high - at)
			break;
		if (bytes == high - at) {
			*whole = true; /* the unused rest at the top */
			return nr;
		}
		if (bytes >= FOUND_LEAST + HEADER_BYTES &&
		    (((const size_t *)(at + bytes))[1] & PREVIOUS_IN_USE)) {
			if (tell)
				tell(at + HEADER_BYTES, bytes - sizeof(size_t));
			nr++;
		}
		at += bytes;
	}
	*whole = false;
	return 0;
}

size_t glibc_blocks_heap(uintptr_t low, uintptr_t high, glibc_blocks_teller *tell)
{
	bool whole;
	size_t nr = walk_heap(low, high, NULL, &whole);

	return whole && nr ? walk_heap(low, high, tell, &whole) : 0;
}

static void look_at_mapping(uintptr_t low, uintptr_t high, size_t page, glibc_blocks_teller *tell)
{
	size_t pages = (high - low) / page;
	unsigned char *is_there = pages <= PAGES_MAX ? reserve(pages) : NULL;

	if (!is_there)
		return;
	if (mincore((void *)low, high - low, is_there) == 0)
		glibc_blocks_mapped(low, high, is_there, page, tell);
	reserve_undo(is_there, pages);
}

static void note(uintptr_t start, uint64_t bytes)
{
	if (nr_noted < NOTED_MAX)
		noted[nr_noted++] = (struct noted){ start, bytes };
}

static bool look_at(void *ctx, const struct memory_mapping *mapping)
{
	const size_t *page = ctx;

	if (mapping->protection != (PROT_READ | PROT_WRITE) || !mapping->is_private ||
	    mapping->inode)
		return true;
	if (!strncmp(mapping->name, "[heap]", 6))
		glibc_blocks_heap(mapping->low, mapping->high, note);
	else if (mapping->name[0] != '[' && mapping->high - mapping->low >= MAPPED_MIN)
		look_at_mapping(mapping->low, mapping->high, *page, note);
	return true;
}

void glibc_blocks_note(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	noted = reserve(NOTED_MAX * sizeof(*noted));
	if (noted)
		memory_map_visit(look_at, &page);
}

/*
 * Whether its memory is still mapped and its header has the same size. A mapped chunk is checked
 * from its begin, others up to the first word of the next one.
 */
static bool is_still_there(const struct noted *block, size_t page)
{
	unsigned char there;
	size_t word, bytes;

	if (mincore((void *)((block->start - 1) & -page), page, &there) || !(there & 1))
		return false;
	word = ((const size_t *)block->start)[-1];
	bytes = word & ~(size_t)CHUNK_FLAGS;
	return block->bytes == bytes - (word & IS_MAPPED ? HEADER_BYTES : sizeof(size_t));
}

void glibc_blocks_tell(glibc_blocks_teller *tell)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t i = 0; i < nr_noted; i++)
		if (is_still_there(&noted[i], page))
			tell(noted[i].start, noted[i].bytes);
	reserve_undo(noted, NOTED_MAX * sizeof(*noted));
	noted = NULL;
	nr_noted = 0;
}
