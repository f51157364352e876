/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_GLIBC_BLOCKS_H
#define MEMSEARCH_ARRAYS_GLIBC_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds large blocks that glibc's malloc allocated before memsearch started, by their chunk headers
 * (glibc's malloc.c, "struct malloc_chunk"): blocks with a mapping of their own, and blocks in the
 * heap that brk moves. Not blocks in the heaps of further threads (arenas). Reads only resident
 * memory, so that no page is touched for the first time.
 */
typedef void glibc_blocks_teller(uintptr_t start, uint64_t bytes);

/* Notes those blocks. No malloc. Skips memory that does not look like glibc's. */
void glibc_blocks_note(void);
/* Calls `tell` for the noted blocks whose headers are unchanged, and clears the list. */
void glibc_blocks_tell(glibc_blocks_teller *tell);

/*
 * The same for one range of memory, for tests. Bit 0 of `is_there[i]`: page i may be read. Return
 * the number of blocks; glibc_blocks_heap returns 0 if the chunks do not lead exactly to the
 * range's end.
 */
size_t glibc_blocks_mapped(uintptr_t low, uintptr_t high, const unsigned char *is_there,
			   size_t page, glibc_blocks_teller *tell);
size_t glibc_blocks_heap(uintptr_t low, uintptr_t high, glibc_blocks_teller *tell);

#endif
