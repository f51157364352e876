/* SPDX-License-Identifier: Apache-2.0 */
/* Written pages by array and thread. */
#include "analysis/numa/written_pages.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"

#define NEARLY_ALL 0.9 /* of pages: one writer */

bool numa_is_written(const struct run_write *row)
{
	return !strcmp(row->state, RUN_PAGES_WRITTEN);
}

/* ------------------------------------------------------------------ nodes of pages */

static const struct run_placement *placement_of(const struct run *run, uint32_t array)
{
	const struct run_placement *last = NULL;

	for (size_t i = 0; i < run->nr_placements; i++)
		if (run->placements[i].array == array)
			last = &run->placements[i];
	return last;
}

static uint32_t node_at(const struct run_placement *placement, uint64_t address,
			uint64_t page_bytes)
{
	for (size_t i = 0; placement && i < placement->nr_stretches; i++) {
		const struct run_stretch *stretch = &placement->stretches[i];

		if (address >= stretch->address &&
		    (address - stretch->address) / page_bytes < stretch->pages)
			return stretch->node;
	}
	return RUN_NODE_UNKNOWN;
}

static void compare(struct numa_written *to, const struct run_write *row,
		    const struct run_placement *placement, uint64_t page_bytes)
{
	for (size_t i = 0; placement && row->node != RUN_PLACE_UNKNOWN && i < row->nr_ranges; i++)
		for (uint64_t k = 0; k < row->ranges[i].pages; k++) {
			uint32_t node = node_at(placement, row->ranges[i].address + k * page_bytes,
						page_bytes);

			if (node >= RUN_NODES_MOST)
				continue;
			to->compared += row->every;
			to->remote += node != row->node ? row->every : 0;
		}
}

/* ------------------------------------------------------------------ pattern */

struct range {
	uint64_t low;
	uint32_t thread;
};

static int by_address(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	return (a->low > b->low) - (a->low < b->low);
}

static uint32_t threads_of(const struct numa_written *of)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < of->nr_writers; i++) {
		bool before = false;

		for (size_t k = 0; k < i; k++)
			before |= of->writers[k].thread == of->writers[i].thread;
		nr += !before;
	}
	return nr;
}

/* How often the writer changes by ascending address; SIZE_MAX: no memory. */
static size_t changes_of(struct arena *arena, const struct numa_written *of)
{
	size_t nr = 0, changes = 0;
	struct range *ranges;

	for (size_t i = 0; i < of->nr_rows; i++)
		nr += numa_is_written(&of->first[i]) ? of->first[i].nr_ranges : 0;
	ranges = arena_alloc(arena, (nr + 1) * sizeof(*ranges));
	if (!ranges)
		return SIZE_MAX;
	nr = 0;
	for (size_t i = 0; i < of->nr_rows; i++)
		for (size_t k = 0; numa_is_written(&of->first[i]) && k < of->first[i].nr_ranges;
		     k++)
			if (of->first[i].thread != RUN_THREAD_UNKNOWN)
				ranges[nr++] = (struct range){ of->first[i].ranges[k].address,
							       of->first[i].thread };
	sort(ranges, nr, sizeof(*ranges), by_address);
	for (size_t i = 1; i < nr; i++)
		changes += ranges[i].thread != ranges[i - 1].thread;
	return changes;
}

static const char *pattern_of(struct arena *arena, const struct numa_written *of)
{
	uint32_t threads = threads_of(of);

	if (!of->nr_writers || (double)of->unknown > (1 - NEARLY_ALL) * (double)of->written)
		return NULL;
	if ((double)of->writers[0].pages >= NEARLY_ALL * (double)of->written)
		return "one_writer";
	return changes_of(arena, of) <= 2 * (size_t)threads ? "private_blocks" : "mixed";
}

/* ------------------------------------------------------------------ arrays */

static int by_pages(const void *left, const void *right)
{
	const struct numa_writer *a = left, *b = right;

	if (a->pages != b->pages)
		return a->pages < b->pages ? 1 : -1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

static void add(struct numa_written *to, const struct run_write *row)
{
	to->every = row->every ? row->every : to->every;
	if (!numa_is_written(row)) {
		*(!strcmp(row->state, RUN_PAGES_UNWRITTEN) ? &to->unwritten
		  : !strcmp(row->state, RUN_PAGES_GONE)    ? &to->gone
		  : !strcmp(row->state, RUN_PAGES_HUGE)    ? &to->huge
							   : &to->other) += row->pages;
		return;
	}
	to->written += row->pages;
	if (row->thread == RUN_THREAD_UNKNOWN)
		to->unknown += row->pages;
	else
		to->writers[to->nr_writers++] = (struct numa_writer){ row->thread, row->node,
								      row->pages };
}

static bool fill_array(struct numa_written *to, struct arena *arena, const struct run *run)
{
	const struct run_placement *placement = placement_of(run, to->array);

	to->writers = arena_alloc(arena, to->nr_rows * sizeof(*to->writers));
	for (size_t i = 0; to->writers && i < to->nr_rows; i++) {
		add(to, &to->first[i]);
		if (numa_is_written(&to->first[i]))
			compare(to, &to->first[i], placement, run->writing.page_bytes);
	}
	if (!to->writers)
		return false;
	sort(to->writers, to->nr_writers, sizeof(*to->writers), by_pages);
	to->pattern = pattern_of(arena, to);
	return true;
}

static int by_written(const void *left, const void *right)
{
	const struct numa_written *a = left, *b = right;

	if (a->written != b->written)
		return a->written < b->written ? 1 : -1;
	return (a->array > b->array) - (a->array < b->array);
}

static struct numa_written *array_of(struct numa_writes *writes, uint32_t array)
{
	for (size_t i = 0; i < writes->nr; i++)
		if (writes->arrays[i].array == array)
			return &writes->arrays[i];
	return NULL;
}

/* Rows of pages that were not watched follow all others: each state is one row. */
static bool fill(struct numa_writes *writes, struct arena *arena)
{
	const struct run *run = writes->run;

	for (size_t i = 0, end; i < run->nr_writes; i = end) {
		struct numa_written *to = array_of(writes, run->writes[i].array);

		for (end = i + 1;
		     end < run->nr_writes && run->writes[end].array == run->writes[i].array;)
			end++;
		if (to) {
			for (size_t k = i; k < end; k++)
				if (!numa_is_written(&run->writes[k]))
					add(to, &run->writes[k]);
			continue;
		}
		to = &writes->arrays[writes->nr++];
		*to = (struct numa_written){ .array = run->writes[i].array,
					     .first = &run->writes[i],
					     .nr_rows = end - i };
		if (!fill_array(to, arena, run))
			return false;
	}
	return true;
}

const struct numa_writes *numa_writes(struct arena *arena, const struct run *run)
{
	struct numa_writes *writes = run->writing.page_bytes ? arena_alloc(arena, sizeof(*writes))
							     : NULL;

	if (!writes)
		return NULL;
	*writes = (struct numa_writes){ .run = run };
	writes->arrays = arena_alloc(arena, (run->nr_writes + 1) * sizeof(*writes->arrays));
	if (!writes->arrays || !fill(writes, arena))
		return NULL;
	sort(writes->arrays, writes->nr, sizeof(*writes->arrays), by_written);
	return writes;
}
