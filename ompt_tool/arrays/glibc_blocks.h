/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_GLIBC_BLOCKS_H
#define MEMSEARCH_ARRAYS_GLIBC_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Large blocks that glibc's malloc gave out before we came, by the chunk headers it writes before
 * them (glibc's malloc.c, "struct malloc_chunk"): blocks it mapped one by one, and those in the
 * heap that brk moves. Not those in the heaps of further threads. Only memory that is there is
 * read, so that no page is touched for the first time.
 */
typedef void glibc_blocks_teller(uintptr_t start, uint64_t bytes);

/* Notes those that are there. No malloc. What does not look like glibc's is left out. */
void glibc_blocks_note(void);
/* Tells those noted whose headers are still the same, and forgets them. */
void glibc_blocks_tell(glibc_blocks_teller *tell);

/*
 * The same for one range of memory, `is_there[i]` telling whether its page i may be read (bit 0):
 * for tests. Returns the number of blocks; of the heap also whether its chunks led to its end, else
 * none counts.
 */
size_t glibc_blocks_mapped(uintptr_t low, uintptr_t high, const unsigned char *is_there,
			   size_t page, glibc_blocks_teller *tell);
size_t glibc_blocks_heap(uintptr_t low, uintptr_t high, glibc_blocks_teller *tell);

#endif
