/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the threads' tables of recorded accesses to the run: one row for what an instruction does to
 * an array in a region.
 */
#include "ompt_tool/session/harvest.h"

#include "analysis/base/arena.h"
#include "analysis/counting/instruction_rows.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/loop_regions.h"
#include "ompt_tool/process/thread.h"

struct harvest {
	const struct run *run;
	struct region_table *regions;
};

static uint32_t joined(void *ctx, uint32_t number)
{
	(void)ctx;
	return loop_joined(number);
}

static uint32_t loop(void *ctx, uint32_t region, uint32_t joined)
{
	const struct harvest *harvest = ctx;

	return loop_region_around(harvest->regions, region, joined);
}

static struct code_address code(void *ctx, uint64_t address)
{
	const struct harvest *harvest = ctx;

	return modules_find(harvest->run->modules, harvest->run->nr_modules, address);
}

static uint32_t site(void *ctx, uint32_t number)
{
	(void)ctx;
	return number;
}

/* Regions of kind DATA_STRUCTURE lie below the region in which it was accessed. */
static enum ms_status harvest_sharings(struct run *run, struct arena *arena)
{
	run->nr_sharings = 0;
	for (size_t i = 0; i < run->nr_regions; i++) {
		struct accesses_sharing sums = accesses_sharing(run->regions[i].id);

		if (run->regions[i].kind != MS_DATA_STRUCTURE || !sums.executions)
			continue;
		if (!ARENA_GROW(arena, run->sharings, run->nr_sharings, run->room_sharings))
			return MS_ERR_MEMORY;
		run->sharings[run->nr_sharings++] = (struct run_sharing){
			.array = run_region_array(&run->regions[i]),
			.region = run->regions[i].parent,
			.executions = sums.executions,
			.lines = sums.lines,
			.same_lines = sums.same_lines,
			.accesses = sums.accesses,
			.threads = sums.threads,
		};
	}
	return MS_OK;
}

enum ms_status harvest_accesses(struct run *run, struct arena *arena, struct region_table *table)
{
	struct arena *scratch = arena_new();
	struct harvest harvest = { run, table };
	const struct instruction_world world = { joined, loop, code, site, &harvest };
	struct instruction_rows *rows = scratch ? instruction_rows_new(scratch, run, &world) : NULL;
	bool is_put;

	run->nr_accesses = 0;
	for (const struct thread *thread = thread_next(NULL); rows && thread;
	     thread = thread_next(thread)) {
		instruction_rows_begin(rows);
		accesses_each(thread, instruction_rows_add, rows);
	}
	is_put = rows && instruction_rows_put(rows, arena);
	arena_free(scratch);
	return is_put ? harvest_sharings(run, arena) : MS_ERR_MEMORY;
}
