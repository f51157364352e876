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
 * The program's data structures: which one an address belongs to, now or recently. "Array" stands
 * for all of them, as in the reports: static and global variables, Fortran COMMON members and
 * module variables, heap blocks, stacks, thread-private data.
 *
 *     declarations (DWARF, symbols) ┐
 *     heap.c (allocations)          ├─▶ table of arrays ◀─ array_at(address, time)
 *     stacks of threads             ┘        ▲ heap_names.c: the variable that points to a block
 *
 * An array has one name. Heap blocks of one allocation site are one array with many blocks.
 */
/*
 * Logical time: increases by one whenever a block is added or removed. To attribute addresses
 * recorded since an earlier reading, pass that reading: the blocks that lived then are considered.
 */
uint64_t array_time(void);

/*
 * Finds the array that had `address` at a time in [since, until] (values of array_time; UINT64_MAX
 * as `until`: now); ARRAY_NONE: none. If several had it, the one that lived longest in that
 * interval is chosen, and the place is marked as doubtful, unless it is the same element of the
 * same array, or the others enclose it all that time: then the inner one is meant (a COMMON member,
 * an array on a stack). Also doubtful, and perhaps none: blocks of that time were already dropped
 * from the history (16 per entry of the table, 128 Ki in all). Also fills in the offset from the
 * begin of the block. Lock-free, O(1) in the number of arrays; any thread, callbacks and signal
 * handlers allowed. In a forked child the table is empty.
 */
bool array_at(uintptr_t address, uint64_t since, uint64_t until, struct array_place *out);

/*
 * Addresses in [low, high) without an array belong to `array`: heap blocks that are too small to be
 * recorded individually. There is one such range; call again when it has grown, from one thread.
 */
void array_rest(uint32_t array, uintptr_t low, uintptr_t high);
/*
 * As array_at; if that finds no array, the array of array_rest or ARRAY_NONE. The result then is
 * valid for the whole page of 4 KiB, as `offset` and `block_bytes` state.
 */
void array_or_page_at(uintptr_t address, uint64_t since, uint64_t until, struct array_place *out);

/* The range of array_rest, and its array; empty if none is set. */
struct blocks_rest array_rest_of(void);
/*
 * Visits all blocks that lived after `since`; adding and removing blocks waits until it returns. No
 * malloc in `visit`.
 */
void array_blocks_each(uint64_t since, void (*visit)(void *ctx, const struct blocks_row *row),
		       void *ctx);

/* These tables as the address map of simulations in this process. */
struct simulation_places;
const struct simulation_places *array_places(void);

/*
 * Creates the tables now instead of at the first block or row: before threads of the program are
 * measured.
 */
void array_start(void);
/*
 * Rows by id; a row's strings and names may be filled in later, at a phase boundary. Its counters
 * change while other threads allocate. NULL: no such id.
 */
const struct array *array_get(uint32_t id);
uint32_t array_count(void);

/*
 * Add and remove blocks; any thread; called inside malloc, so they neither allocate on the heap nor
 * take a lock that malloc may hold, and preserve errno. Address space is reserved at the first call
 * (MAP_NORESERVE; less under `ulimit -v`). False: the table is full, memory is short, the address
 * has more than 48 bits, or a signal handler interrupted this thread's own change of the table; it
 * is counted as lost. Adding a heap block where a live one begins ends the live one, whose removal
 * was missed. Removing ends the newest block that begins there; false: there is none, not counted.
 */
bool array_block_add(uint32_t array, uintptr_t start, uint64_t bytes);
bool array_block_remove(uintptr_t start, uint64_t *bytes_out);
/* Adds a block that has lived since that time (of array_time) and is no heap block. */
bool array_block_add_since(uint32_t array, uintptr_t start, uint64_t bytes, uint64_t since);
/*
 * The same for blocks that are often freed and allocated again at the same address, which then
 * needs no lock. add_of_site: `site` is the site's row, which `array` is or belongs to. again:
 * reuses the block that ended there and returns its array; ARRAY_NONE: none of that site and size,
 * call add. end: returns the block's array; ARRAY_NONE: call remove. settle: adds these events to
 * the counts of rows; at a phase boundary.
 */
bool array_block_add_of_site(uint32_t array, uintptr_t start, uint64_t bytes, uint32_t site);
uint32_t array_block_again(uint32_t site, uintptr_t start, uint64_t bytes);
uint32_t array_block_end(uintptr_t start, uint64_t *bytes_out);
void array_settle(void);
/*
 * A new row, or the existing one of a heap site; site 0 stands for all unknown sites. Existing rows
 * are found without a lock. ARRAY_NONE: the table is full.
 */
uint32_t array_new(const struct array *row);
uint32_t array_of_site(uint64_t site);
/*
 * The same for blocks of a site that were allocated by one call path (an address or a hash).
 * may_add false: only an existing row, else ARRAY_NONE.
 */
uint32_t array_of_path(uint64_t site, uint64_t path, bool may_add);
/*
 * Fills in what is known later, except the counters and the site; at a phase boundary. Keeps
 * pointers to the row's strings.
 */
void array_describe(uint32_t id, const struct array *row);

struct array_losses {
	uint64_t blocks, rows;
};
struct array_losses array_losses(void);

#endif
