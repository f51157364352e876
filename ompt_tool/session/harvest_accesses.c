/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the threads' tables of recorded accesses to the run: one row for what an instruction does to
 * an array in a region.
 */
#include "ompt_tool/session/harvest.h"

#include <stdlib.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/loop_regions.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/clones/record.h"
#include "ompt_tool/process/thread.h"

struct gathered {
	struct access_row row;
	uint32_t executions;
};

/*
 * Of a construct that one thread executes each time: how often, by all threads; and the last thread
 * that was asked.
 */
struct executed {
	uint64_t times;
	const struct thread *thread;
};

struct gathering {
	struct arena *arena;
	struct gathered *items;
	size_t nr, room;
	const struct thread *thread;
	const struct run *run;
	struct region_table *regions;
	struct executed *executed; /* by region */
};

static bool is_of_one_thread(const struct run *run, uint32_t region)
{
	return region < run->nr_regions && run_region_is_of_one_thread(&run->regions[region]);
}

static void count_times(struct gathering *gathering, uint32_t region, uint32_t executions)
{
	struct executed *executed = is_of_one_thread(gathering->run, region)
					    ? &gathering->executed[region]
					    : NULL;

	if (!executed || executed->thread == gathering->thread)
		return;
	executed->thread = gathering->thread;
	executed->times += executions;
}

static void gather(void *ctx, const struct access_row *row, uint32_t executions)
{
	struct gathering *gathering = ctx;

	count_times(gathering, row->region, executions);
	if (row->counts.reads + row->counts.writes &&
	    ARENA_GROW(gathering->arena, gathering->items, gathering->nr, gathering->room))
		gathering->items[gathering->nr++] = (struct gathered){ *row, executions };
}

static int by_place(const void *left, const void *right)
{
	const struct access_row *a = &((const struct gathered *)left)->row,
				*b = &((const struct gathered *)right)->row;

	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	if (a->array != b->array)
		return a->array < b->array ? -1 : 1;
	return (a->site > b->site) - (a->site < b->site);
}

static bool same_place(const struct gathered *a, const struct gathered *b)
{
	return !by_place(a, b);
}

static struct code_address code_of(const struct run *run, uint64_t address)
{
	return modules_find(run->modules, run->nr_modules, address);
}

/* One thread's into the row; `with_stride` is a number of accesses until it is complete. */
static void add(struct run_access *to, const struct gathered *from)
{
	const struct access_counts *counts = &from->row.counts;
	uint64_t values = counts->reads + counts->writes;

	to->reads += counts->reads;
	to->writes += counts->writes;
	to->executions += from->executions;
	to->least = to->threads && to->least < values ? to->least : values;
	to->most = to->most > values ? to->most : values;
	if (!to->threads)
		to->stride = (double)from->row.stride;
	if ((double)from->row.stride == to->stride)
		to->with_stride += (double)from->row.with_stride;
	to->threads++;
}

/* Threads execute a region together, but each task or single is one thread's. */
static enum ms_status keep(struct run *run, struct arena *arena, const struct gathering *all,
			   const struct gathered *items, size_t nr)
{
	const struct access_row *row = &items[0].row;
	const struct record_site *site = record_site(row->site);
	struct run_access *to;

	if (!ARENA_GROW(arena, run->accesses, run->nr_accesses, run->room_accesses))
		return MS_ERR_MEMORY;
	to = &run->accesses[run->nr_accesses++];
	*to = (struct run_access){
		.array = row->array == ARRAY_NONE ? RUN_ARRAY_NONE : row->array,
		.region = row->region,
		.bytes = site->size,
		.site = row->site,
		.loop = loop_region_around(all->regions, row->region, loop_joined(site->loop)),
		.address = code_of(run, site->address),
	};
	for (size_t i = 0; i < nr; i++)
		add(to, &items[i]);
	if (is_of_one_thread(run, row->region))
		to->executions = all->executed[row->region].times * to->threads;
	to->with_stride /= (double)(to->reads > to->writes ? to->reads : to->writes);
	return MS_OK;
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
	struct gathering all = { .arena = scratch, .run = run, .regions = table };
	enum ms_status status;

	all.executed = scratch ? arena_alloc(scratch, run->nr_regions * sizeof(*all.executed))
			       : NULL;
	status = all.executed ? MS_OK : MS_ERR_MEMORY;
	run->nr_accesses = 0;
	for (all.thread = thread_next(NULL); all.executed && all.thread;
	     all.thread = thread_next(all.thread))
		accesses_each(all.thread, gather, &all);
	sort(all.items, all.nr, sizeof(*all.items), by_place);
	for (size_t i = 0, end; i < all.nr && status == MS_OK; i = end) {
		for (end = i + 1; end < all.nr && same_place(&all.items[i], &all.items[end]);)
			end++;
		status = keep(run, arena, &all, &all.items[i], end - i);
	}
	arena_free(scratch);
	return status == MS_OK ? harvest_sharings(run, arena) : status;
}
