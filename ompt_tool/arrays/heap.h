/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_HEAP_H
#define MEMSEARCH_ARRAYS_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Heap blocks: who allocated what, when it went. libmemsearch.so exports the malloc family and mmap when it is preloaded
 * (ompt_tool/interpose.c) and calls through this table, which the core sets once it is loaded; until then, and for blocks
 * below the threshold, a call costs one test. Without preload the core replaces the
 * entries of the modules' tables of addresses (GOT) from then on, and recognises large blocks that
 * exist already by the chunk headers glibc puts before mmapped blocks.
 */
#define HEAP_THRESHOLD 4096              /* bytes; smaller blocks are not kept one by one, see small_bytes */

struct heap_hooks {
	void (*allocated)(void *block, size_t bytes, void *caller);
	void (*freed)(void *block);      /* before it goes */
	/* realloc: `freed` for the old address before, `allocated` for the new one after; `kept` if it failed */
	void (*kept)(void *block);
};

/* Whether allocations are seen: by preload, by the tables, and why not. `small_bytes`: of blocks below the threshold (mallinfo2). */
struct heap_status { bool preloaded, patched; unsigned int slots; const char *why; uint64_t small_bytes; uint64_t found; };

bool heap_start(struct heap_status *out);        /* in the tool's initialize */
void heap_status(struct heap_status *out);
/* Names for blocks by the variables that point to them; at a phase boundary. */
struct declared_list;
void heap_name_blocks(const struct declared_list *declared, uintptr_t bias);

#endif
