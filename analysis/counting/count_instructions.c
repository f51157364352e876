/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the threads' tables into the run: one row per region, array and instruction. */
#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/counting/count_private.h"
#include "analysis/trace/stretches.h"

struct gathered {
	struct access_row row;
	uint32_t executions;
};

/*
 * Executions by all threads of a construct that one thread executes; and the last thread counted,
 * number + 1.
 */
struct executed {
	uint64_t times;
	uint32_t thread;
};

struct gathering {
	struct counting *counting;
	struct gathered *items;
	size_t nr, room;
	uint32_t thread;           /* number + 1 */
	struct executed *executed; /* by region */
};

static bool is_of_one_thread(const struct counting *counting, uint32_t region)
{
	return run_region_is_of_one_thread(&counting->run->regions[region]);
}

static void count_times(struct gathering *all, uint32_t region, uint32_t executions)
{
	struct executed *executed = is_of_one_thread(all->counting, region) ? &all->executed[region]
									    : NULL;

	if (!executed || executed->thread == all->thread)
		return;
	executed->thread = all->thread;
	executed->times += executions;
}

static void gather(void *ctx, const struct access_row *row, uint32_t executions)
{
	struct gathering *all = ctx;

	if (row->region >= all->counting->nr_regions)
		return;
	count_times(all, row->region, executions);
	if (row->counts.reads + row->counts.writes &&
	    ARENA_GROW(all->counting->scratch, all->items, all->nr, all->room))
		all->items[all->nr++] = (struct gathered){ *row, executions };
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

/*
 * Adds one thread's counts to the row; `with_stride` is a number of accesses until the row is
 * complete.
 */
static void add(struct run_access *to, const struct gathered *from)
{
	const struct access_counts *counts = &from->row.counts;
	uint64_t values = counts->reads + counts->writes;

	to->reads += counts->reads;
	to->writes += counts->writes;
	to->executions += from->executions;
	to->least = to->threads && to->least < values ? to->least : values;
	to->most = to->most > values ? to->most : values;
	if ((double)from->row.stride == to->stride)
		to->with_stride += (double)from->row.with_stride;
	to->threads++;
}

static uint64_t with_stride(const struct gathered *items, size_t nr, int64_t stride)
{
	uint64_t accesses = 0;

	for (size_t i = 0; i < nr; i++)
		accesses += items[i].row.stride == stride ? items[i].row.with_stride : 0;
	return accesses;
}

/* The most frequent stride of all threads; of several the largest. */
static int64_t stride_of(const struct gathered *items, size_t nr)
{
	int64_t stride = items[0].row.stride;
	uint64_t most = with_stride(items, nr, stride);

	for (size_t i = 1; i < nr; i++) {
		uint64_t accesses = items[i].row.stride == stride
					    ? most
					    : with_stride(items, nr, items[i].row.stride);

		if (accesses > most || (accesses == most && items[i].row.stride > stride))
			stride = items[i].row.stride;
		most = accesses > most ? accesses : most;
	}
	return stride;
}

/* A team executes a region together, but one thread each task or single. */
static void put(const struct gathering *all, const struct gathered *items, size_t nr)
{
	struct counting *counting = all->counting;
	const struct access_row *row = &items[0].row;
	const struct record_site *site = record_site(row->site);
	struct run *run = counting->run;
	struct run_access *to;

	if (!ARENA_GROW(counting->arena, run->accesses, run->nr_accesses, run->room_accesses)) {
		counting->rows.failed = true;
		return;
	}
	to = &run->accesses[run->nr_accesses++];
	*to = (struct run_access){
		.array = row->array < run->nr_arrays ? row->array : RUN_ARRAY_NONE,
		.region = row->region,
		.bytes = site->size,
		.loop = count_loop_around(counting, row->region,
					  code_loop_joined(&counting->loops, site->loop)),
		.address = count_rows_code(run, site->address),
		.stride = (double)stride_of(items, nr),
	};
	trace_reader_site(counting->reader, row->site, &to->site);
	for (size_t i = 0; i < nr; i++)
		add(to, &items[i]);
	if (is_of_one_thread(counting, row->region))
		to->executions = all->executed[row->region].times * to->threads;
	to->with_stride /= (double)(to->reads > to->writes ? to->reads : to->writes);
}

void count_instructions_put(struct counting *counting)
{
	struct gathering all = { .counting = counting };

	all.executed = arena_alloc(counting->scratch,
				   (counting->nr_regions + 1) * sizeof(*all.executed));
	if (!all.executed) {
		counting->rows.failed = true;
		return;
	}
	for (uint32_t i = 0; i < counting->streams->threads; i++) {
		all.thread = i + 1;
		access_table_each(counting->threads[i].table, gather, &all);
	}
	sort(all.items, all.nr, sizeof(*all.items), by_place);
	for (size_t i = 0, end; i < all.nr; i = end) {
		for (end = i + 1; end < all.nr && !by_place(&all.items[i], &all.items[end]);)
			end++;
		put(&all, &all.items[i], end - i);
	}
}
