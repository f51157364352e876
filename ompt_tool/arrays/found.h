/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_FOUND_H
#define MEMSEARCH_ARRAYS_FOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Large blocks that glibc's malloc gave out before we came, by the chunk headers it writes before them (glibc's malloc.c,
 * "struct malloc_chunk"): blocks it mapped one by one, and those in the heap that brk moves. Not those in the heaps
 * of further threads. Only memory that is there is read, so that no page is touched for the first time.
 */
typedef void found_block(uintptr_t start, uint64_t bytes);

/* Notes those that are there. No malloc. What does not look like glibc's is left out. */
void found_note(void);
/* Tells those noted whose headers are still the same, and forgets them. */
void found_tell(found_block *tell);

/*
 * The same for one range of memory, `is_there[i]` telling whether its page i may be read (bit 0): for tests. Returns the number of
 * blocks; of the heap also whether its chunks led to its end, else none counts.
 */
size_t found_mapped(uintptr_t low, uintptr_t high, const unsigned char *is_there, size_t page, found_block *tell);
size_t found_heap(uintptr_t low, uintptr_t high, found_block *tell);

#endif
