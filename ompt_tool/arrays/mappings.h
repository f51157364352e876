/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_MAPPINGS_H
#define MEMSEARCH_ARRAYS_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Blocks that the program mapped: they go in parts, several at once, and by mappings over them, so
 * they are kept sorted by address here, and each as a block in the table of arrays. One lock; no
 * malloc; any thread, but not from a signal handler that interrupted one of these.
 */
struct heap_torn;

/* False: no memory. */
bool mappings_start(void);
void mappings_add(uint32_t array, uintptr_t start, uint64_t bytes);
/*
 * Removes [start, start + bytes); the rest of a block remains a block. torn_out: the blocks before
 * the change.
 */
void mappings_tear(uintptr_t start, uint64_t bytes, struct heap_torn *torn_out);
void mappings_put_back(const struct heap_torn *torn);
/* Number of mappings dropped because the table was full. */
uint64_t mappings_lost(void);

#endif
