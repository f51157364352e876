/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_HEAP_H
#define MEMSEARCH_ARRAYS_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ompt_tool/arrays/heap_hooks.h"

/*
 * Heap blocks: allocation site, size, lifetime.
 *
 *     preload:    malloc … ─▶ libmemsearch.so (interpose.c) ─┬─ core not loaded yet ─▶ earlier.c,
 *                                                            │  passed on when it is loaded
 *                                                            └─ hooks ─▶ heap.c ─▶ table of arrays
 *                                                                        (array.h)
 *     otherwise:  entries of the modules' tables of addresses (heap_tables.c) lead to the same
 *                 functions of libmemsearch.so from the start of the tool on; large blocks that
 *                 exist by then are found by glibc_blocks.c
 *
 * A call for a block below the threshold costs one test; free reads the chunk's size word and a
 * filter of sampled blocks. mmap counts as an allocation. Blocks that libraries allocate count for the program's code that called
 * them; those of the OpenMP runtime, the dynamic linker and the tool are not recorded.
 */
/* bytes; smaller blocks are not recorded individually, but are one array (inventory.c); … */
#define HEAP_THRESHOLD 64
/*
 * … as are blocks below this size, once HEAP_SMALL_MOST of them were recorded, or HEAP_SMALL_SEEN
 * of their allocations were seen. Recording one costs 100 ns where it reuses the address of another
 * of its site, else some 500, and memory (15 MiB in all); for lists, trees and strings that would
 * cost more than the program's own work. From 512 bytes on the table of blocks needs less than a
 * fifth of the program's own memory, because no page has enough blocks to be divided
 * (SHARED_MAX in analysis/trace/blocks.c). Larger ones, up to 64 KiB, are not recorded either while
 * a program keeps allocating and freeing many (heap.c).
 */
#define HEAP_SMALL 512
#define HEAP_SMALL_MOST 32768
#define HEAP_SMALL_SEEN (1u << 18)
/*
 * Of blocks that are not recorded the first HEAP_FIRST of each thread are sampled, while at most
 * HEAP_FIRST_LIVE of them live; of further ones one in HEAP_SAMPLED, on average: small_sites.h
 */
#define HEAP_FIRST 256
#define HEAP_FIRST_LIVE 4096
#define HEAP_SAMPLED 64
#define HEAP_CALLERS 3 /* further callers kept of a site */

/*
 * How allocations are observed: by preload, or by the tables (also if they have no calls so far),
 * and why not. `small_bytes`: live bytes in blocks below the threshold (mallinfo2), if known.
 * `found`: blocks that existed before and were found. `lost`: mappings dropped because the table
 * was full. `small_lost`: blocks that are not recorded because of their size and number, rounded up by
 * thread.
 */
struct heap_status {
	bool preloaded, patched;
	/* entries of tables that were changed, and those that could not be at the last attempt */
	unsigned int slots, refused;
	/* why allocations, or some of them, are not observed; "": all are */
	const char *why;
	bool small_known;
	uint64_t small_bytes, found, lost, small_lost;
};

/*
 * Blocks that the calling thread has allocated so far, without those of the OpenMP runtime; those
 * below HEAP_THRESHOLD by samples, with their weight. Callbacks allowed.
 */
uint64_t heap_allocations(void);
/* After heap_start: whether that is all of them. True also where there is no program (doctor). */
bool heap_counts_allocations(void);

/*
 * Call as soon as the core is loaded, before it allocates: without preload, existing blocks are
 * noted. The caller keeps ownership.
 */
void heap_offer(const struct heap_interposer *interposer);
/*
 * Sets the function that maps an address in a clone of the program's code to the original, and
 * leaves others unchanged. Before heap_start; called inside malloc.
 */
void heap_translate(uintptr_t (*original)(uintptr_t address));
/*
 * Sets a function that is called on the program's thread right before it confines itself
 * (confinement.h): after it, memsearch's code only returns. Before heap_start.
 */
void heap_on_confinement(void (*leave)(void));
/*
 * In the tool's initialize, once. False: nothing will be observed, as without heap_offer (tests).
 */
bool heap_start(struct heap_status *out);
/* Permanently; blocks freed later stay in the table. */
void heap_stop(void);
/* At a phase boundary: queries the allocator, which takes its locks. */
void heap_status(struct heap_status *out);
/*
 * At a phase boundary: redirects the tables of modules loaded meanwhile, too (without preload), and
 * makes arrays of few small blocks (small_sites.h).
 */
void heap_update(void);

/*
 * Call path that allocated the first block of an array: return addresses, the first one in the
 * program's own code (as array.site), then its known callers, 0 after the last. False: unknown
 * (allocated before memsearch started), or no heap array. Any thread.
 */
struct heap_origin {
	uint64_t site, callers[HEAP_CALLERS];
};
bool heap_origin(uint32_t array, struct heap_origin *out);

/*
 * Names blocks by the variables that point to them; at a phase boundary, once for each loaded
 * module. A block whose name differs from others of its site becomes an array of its own, whose row
 * has no site (heap_origin returns it). A block keeps its name while it lives. `declared` and its
 * strings must stay valid.
 */
struct declared_list;
void heap_name_blocks(const struct declared_list *declared, uintptr_t bias);
/* The same by a pointer in a frame, which is at [low, high) and continues to exist during the call. */
struct declared;
void heap_name_by_frame(const struct declared *declared, uintptr_t low, uintptr_t high);

#endif
