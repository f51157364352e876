/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_INVENTORY_H
#define MEMSEARCH_ARRAYS_INVENTORY_H

#include <stdbool.h>

#include "analysis/record/run.h"
#include "memsearch/status.h"
#include "ompt_tool/arrays/residence.h"

/*
 * The program's data structures, and the threads that touched their pages first:
 *
 *     start     resident memory ───────────────────────────────────┐
 *     update    declarations (DWARF, symbols), stacks ─▶ table of arrays ─▶ first touches
 *               queues of page faults ────────────────────────────────────────┘ ─▶ run
 *
 * At the start, at the end, and in between only if accesses are recorded, which are attributed at
 * once: reading declarations takes some milliseconds of the program's time. The program's heap is
 * not used (analysis/base/own_heap.h).
 */
struct arena;
struct inventory;
struct page_writes;

/* At the tool's start; notes the resident memory. NULL: no memory. */
struct inventory *inventory_new(struct arena *arena);

/* Page faults that are writes to watched pages go to `writes` (may be NULL) from now on. */
void inventory_watched(struct inventory *inventory, struct page_writes *writes);

/*
 * Reads declarations of new modules, and the page faults since the last call. Requires
 * run_modules_update.
 */
void inventory_update(struct inventory *inventory, const struct run *run);

/*
 * Writes all arrays, with their numbers in the table (array.h), and their first touches to the run;
 * replaces earlier rows. Requires harvest_regions. `unwinder`: as for hotspots_harvest.
 */
struct unwinder;
enum ms_status inventory_harvest(struct inventory *inventory, struct run *run, struct arena *arena,
				 struct unwinder *unwinder);

/* Bytes of an array by the index of the thread that touched them first. */
struct touched {
	const uint64_t *bytes;
	uint32_t threads;
};
/* limit of address space whose pages are looked up at one boundary: some 0.1 s */
#define INVENTORY_LOOK_BYTES (16ull << 30)
/*
 * State of page-table look-ups at one boundary; initialise with { .scratch, .left =
 * INVENTORY_LOOK_BYTES }.
 */
struct inventory_look {
	struct arena *scratch;
	uint64_t left; /* bytes of address space that may still be examined */
	bool refused;  /* `left` was too small for an array */
	bool has_map;  /* `anonymous` was read */
	struct memory_ranges anonymous, found;
};
/*
 * First touches as of the last update, if at least KNOWN_SHARE of the array's memory was touched by
 * known threads; otherwise the reason why they are unknown. Resident pages of a stack belong to its
 * thread. The resident part of the array may have to be looked up. The bytes are in the look's
 * scratch arena.
 */
enum ms_missing inventory_touched(const struct inventory *inventory, uint32_t array,
				  struct inventory_look *look, struct touched *out);

/*
 * The variable with static storage that contains an address of the process, and the offset in it;
 * NULL: no module that was read declares one.
 */
struct declared;
const struct declared *inventory_variable(const struct inventory *inventory, uint64_t address,
					  uint64_t *offset_out);

/*
 * Calls `drop` for everything that could not be determined, with count 0 if it cannot be counted.
 */
void inventory_dropped(const struct inventory *inventory,
		       void (*drop)(const char *what, const char *why, uint64_t count));

#endif
