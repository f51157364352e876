/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_INVENTORY_H
#define MEMSEARCH_ARRAYS_INVENTORY_H

#include <stdbool.h>

#include "analysis/record/run.h"
#include "memsearch/status.h"
#include "ompt_tool/arrays/residence.h"

/*
 * What data structures the program has, and who touched their pages first:
 *
 *     start     what is in memory already ─────────────────────────┐
 *     update    declarations (DWARF, symbols), stacks ─▶ table of arrays ─▶ first touches
 *               queues of page faults ────────────────────────────────────────┘ ─▶ run
 *
 * At the start, at the end, and in between only where accesses are recorded, which are attributed
 * at once: reading declarations takes some milliseconds of the program's time. The program's heap
 * stays as it is (regions/own_heap.h).
 */
struct arena;
struct inventory;

/* At the tool's start; keeps what is in memory by then. NULL: no memory. */
struct inventory *inventory_new(struct arena *arena);

/*
 * Declarations of modules that were not read before, and the page faults since the last time. Needs
 * run_modules_update.
 */
void inventory_update(struct inventory *inventory, const struct run *run);

/*
 * All arrays, with the numbers they have in the table (array.h), and their first touches into the
 * run; replaces what was there. Needs harvest_regions. `unwinder`: as for harvest_hotspots.
 */
struct unwinder;
enum ms_status inventory_harvest(struct inventory *inventory, struct run *run, struct arena *arena,
				 struct unwinder *unwinder);

/* Bytes of an array by the index of the thread that touched them first. */
struct touched {
	const uint64_t *bytes;
	uint32_t threads;
};
/* Of address space whose pages may be looked up at one boundary: some 0.1 s. */
#define INVENTORY_LOOK_BYTES (16ull << 30)
/*
 * What is looked up of the page table at one boundary; begin with { .scratch, .left =
 * INVENTORY_LOOK_BYTES }.
 */
struct inventory_look {
	struct arena *scratch;
	uint64_t left; /* bytes of address space that may still be examined */
	bool refused;  /* that was too little for one */
	bool has_map;  /* `anonymous` was read */
	struct memory_ranges anonymous, found;
};
/*
 * As of the last update; where nearly all of the array's memory (9 of 10 bytes) is of known
 * threads, else the reason why it is not known. What is in memory of a stack is its own thread's.
 * What is in memory of it may have to be looked up. The bytes lie in the look's scratch.
 */
enum ms_missing inventory_touched(const struct inventory *inventory, uint32_t array,
				  struct inventory_look *look, struct touched *out);

/*
 * The variable with static storage around an address of the process, and how far behind its begin
 * that is; NULL: no file that was read declares one.
 */
struct declared;
const struct declared *inventory_variable(const struct inventory *inventory, uint64_t address,
					  uint64_t *offset_out);

/* What could not be known: `drop` is called for each, count 0 where it cannot be counted. */
void inventory_dropped(const struct inventory *inventory,
		       void (*drop)(const char *what, const char *why, uint64_t count));

#endif
