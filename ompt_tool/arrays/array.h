/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_ARRAY_H
#define MEMSEARCH_ARRAYS_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/trace/blocks.h"
#include "memsearch/array.h"
#include "memsearch/status.h"

/*
 * The program's data structures: which one an address belongs to, now or a moment ago. "Array"
 * stands for all of them, as in the reports: static and global variables, Fortran COMMON members
 * and module variables, heap blocks, stacks, thread-private data.
 *
 *     declared.c (DWARF, symbols) ┐
 *     heap.c (allocations)        ├─▶ table of arrays ◀─ array_at(address, time)
 *     stacks.c (threads)          ┘        ▲ names.c: the variable that points to a block
 *
 * An array is one name. Heap blocks of one allocation site are one array with many blocks.
 */
/*
 * Time is a number that grows by one whenever a block comes or goes; a reader that wants to
 * attribute addresses recorded since an earlier reading asks for the states that lived then.
 */
uint64_t array_time(void);

/*
 * The array that had `address` at a time in [since, until]; ARRAY_NONE: none. The numbers are
 * array_time's; UINT64_MAX as `until`: until now. More than one: the one that lived longest of it,
 * and *doubtful_out is set, unless it is the same element of the same array, or the others are
 * around it all that time: then the inner one is meant (a COMMON member, an array on a stack). Also
 * doubtful, and perhaps none: states of that time were forgotten (an entry of the table keeps 16,
 * the table the last 128 Ki). Also the offset from the begin of its block. Lock-free, O(1) in the
 * number of arrays; any thread, callbacks and signal handlers allowed. A fork's child finds the
 * table empty.
 */
bool array_at(uintptr_t address, uint64_t since, uint64_t until, struct array_place *out);

/*
 * Addresses in [low, high) without an array belong to this one: blocks of a heap that are too small
 * to be kept one by one. There is one such range; called again when it has grown, by one thread.
 */
void array_rest(uint32_t array, uintptr_t low, uintptr_t high);
/*
 * As array_at, but where it is false: that one, or ARRAY_NONE; what is known of the address then
 * holds for its page of 4 KiB, as which offset and block_bytes tell it.
 */
void array_or_page_at(uintptr_t address, uint64_t since, uint64_t until, struct array_place *out);

/* The range of array_rest, and its array; empty: there is none. */
struct blocks_rest array_rest_of(void);
/*
 * All blocks that lived after `since`; blocks that come and go meanwhile wait. No malloc in
 * `visit`.
 */
void array_blocks_each(uint64_t since, void (*visit)(void *ctx, const struct blocks_row *row),
		       void *ctx);

/* These tables for simulations in this process. */
struct simulation_places;
const struct simulation_places *array_places(void);

/*
 * Makes the tables now, instead of where the first block or row comes: before threads of the
 * program begin to be measured.
 */
void array_start(void);
/*
 * Rows by id; a row's strings and names may be filled in later, at a phase boundary. Its counters
 * change while other threads allocate. NULL: no such id.
 */
const struct array *array_get(uint32_t id);
uint32_t array_count(void);

/*
 * Adding and removing blocks; any thread; from inside malloc, so they neither allocate on the heap
 * nor lock what malloc could hold, and errno is kept. Address space is reserved at the first call
 * (MAP_NORESERVE; less under `ulimit -v`). False: the table is full, memory is short, the address
 * has more than 48 bits, or a signal handler interrupted this thread's own change of the table:
 * counted as lost. Adding a heap block where a live one begins ends that one: its removal was
 * missed. Removing ends the newest block that begins there; false: none does, not counted.
 */
bool array_block_add(uint32_t array, uintptr_t start, uint64_t bytes);
bool array_block_remove(uintptr_t start, uint64_t *bytes_out);
/*
 * Blocks that come and go often, without the lock where they come again where they went. Adding: of
 * a site's row, which the array is or belongs to. Again: the array of the block that ended there,
 * now alive again; ARRAY_NONE: there is none of that site and size, add it. End: its array;
 * ARRAY_NONE: remove it. Settle: rows count what came and went so; at a phase boundary.
 */
bool array_block_add_of_site(uint32_t array, uintptr_t start, uint64_t bytes, uint32_t site);
uint32_t array_block_again(uint32_t site, uintptr_t start, uint64_t bytes);
uint32_t array_block_end(uintptr_t start, uint64_t *bytes_out);
void array_settle(void);
/*
 * A new row, or the one there is for a heap site; site 0 stands for all unknown ones. Without lock
 * where it is known. ARRAY_NONE: full.
 */
uint32_t array_new(const struct array *row);
uint32_t array_of_site(uint64_t site);
/*
 * The same for blocks of a site that came by one path to it, an address or a hash. Only a known
 * one, ARRAY_NONE: none, if it may not be added.
 */
uint32_t array_of_path(uint64_t site, uint64_t path, bool may_add);
/*
 * Fills in what is found out later, all but what is counted and the site; phase boundary. Strings
 * are kept as they are, by pointer.
 */
void array_describe(uint32_t id, const struct array *row);

struct array_losses {
	uint64_t blocks, rows;
};
struct array_losses array_losses(void);

#endif
