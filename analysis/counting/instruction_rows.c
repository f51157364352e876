/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the threads' tables into the run: one row per region, array and instruction. */
#include "analysis/counting/instruction_rows.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/trace/stretch_rows.h"

struct gathered {
	struct access_row row;
	uint32_t executions, thread, loop; /* loop: the joined one around the site */
	bool in_loop;                      /* … which is no called function */
};

/*
 * Executions by all threads of a construct that one thread executes; and the last thread counted,
 * number + 1.
 */
struct executed {
	uint64_t times;
	uint32_t thread;
};

struct instruction_rows {
	struct arena *scratch;
	struct run *run;
	const struct instruction_world *world;
	struct gathered *items;
	size_t nr, room;
	uint32_t thread;           /* number + 1 */
	struct executed *executed; /* by region */
	uint32_t *items_of;        /* of an array in a region, by thread number + 1 */
	bool failed;
};

struct instruction_rows *instruction_rows_new(struct arena *scratch, struct run *run,
					      const struct instruction_world *world)
{
	struct instruction_rows *rows = arena_alloc(scratch, sizeof(*rows));

	if (!rows)
		return NULL;
	*rows = (struct instruction_rows){ .scratch = scratch, .run = run, .world = world };
	rows->executed = arena_alloc(scratch, (run->nr_regions + 1) * sizeof(*rows->executed));
	return rows->executed ? rows : NULL;
}

void instruction_rows_begin(struct instruction_rows *rows)
{
	rows->thread++;
}

static bool is_of_one_thread(const struct instruction_rows *rows, uint32_t region)
{
	return run_region_is_of_one_thread(&rows->run->regions[region]);
}

static void count_times(struct instruction_rows *rows, uint32_t region, uint32_t executions)
{
	struct executed *executed = is_of_one_thread(rows, region) ? &rows->executed[region] : NULL;

	if (!executed || executed->thread == rows->thread)
		return;
	executed->thread = rows->thread;
	executed->times += executions;
}

void instruction_rows_add(void *ctx, const struct access_row *row, uint32_t executions)
{
	struct instruction_rows *rows = ctx;
	const struct instruction_world *world = rows->world;
	uint32_t loop;

	if (row->region >= rows->run->nr_regions)
		return;
	count_times(rows, row->region, executions);
	if (!(row->counts.reads + row->counts.writes))
		return;
	if (!ARENA_GROW(rows->scratch, rows->items, rows->nr, rows->room)) {
		rows->failed = true;
		return;
	}
	loop = world->joined(world->ctx, record_site(row->site)->loop);
	rows->items[rows->nr++] = (struct gathered){
		.row = *row,
		.executions = executions,
		.thread = rows->thread,
		.loop = loop,
		.in_loop = loop && !(world->is_function && world->is_function(world->ctx, loop)),
	};
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

/* ------------------------------------------------------------------ strides */

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

/* ------------------------------------------------------------------ carried dependences */

#define COMPARED_MOST \
	1024 /* accesses of one array in one region that are compared with each other */
#define OVERLAP_LEAST 0.5 /* of what is written */

static bool keeps_stride(const struct access_row *row)
{
	const struct access_counts *counts = &row->counts;

	return row->stride &&
	       2 * row->with_stride >
		       (counts->reads > counts->writes ? counts->reads : counts->writes);
}

/*
 * Distance in bytes from a loop's reads back to its writes, if the reads are of elements that
 * earlier iterations wrote (a flow dependence carried by the loop: Allen & Kennedy, Optimizing
 * Compilers for Modern Architectures, 2.2): both have the same stride, and their address ranges
 * overlap. 0: none.
 */
static uint64_t behind(const struct gathered *read, const struct gathered *write)
{
	const struct access_row *r = &read->row, *w = &write->row;
	uint64_t low = r->low > w->low ? r->low : w->low;
	uint64_t high = r->high < w->high ? r->high : w->high, distance;

	if (read->thread != write->thread || read->loop != write->loop || r->stride != w->stride ||
	    high <= low || (double)(high - low) < OVERLAP_LEAST * (double)(w->high - w->low))
		return 0;
	if (r->stride > 0)
		distance = w->low > r->low ? w->low - r->low : 0;
	else
		distance = r->high > w->high ? r->high - w->high : 0;
	return distance % (uint64_t)(r->stride > 0 ? r->stride : -r->stride) ? 0 : distance;
}

/* The shortest distance from one thread's reads to the writes to the same array in the region. */
static uint64_t carried_by(const struct gathered *read, const struct gathered *of_array, size_t nr)
{
	uint64_t least = 0;

	if (!read->row.counts.reads || !read->in_loop || !keeps_stride(&read->row))
		return 0;
	for (size_t i = 0; i < nr; i++) {
		bool writes = of_array[i].row.counts.writes && keeps_stride(&of_array[i].row);
		uint64_t distance = writes ? behind(read, &of_array[i]) : 0;

		if (distance && (!least || distance < least))
			least = distance;
	}
	return least;
}

static uint64_t carried(const struct gathered *items, size_t nr, const struct gathered *of_array,
			size_t nr_of_array)
{
	uint64_t least = 0;

	for (size_t i = 0; i < nr && nr_of_array <= COMPARED_MOST; i++) {
		uint64_t distance = carried_by(&items[i], of_array, nr_of_array);

		if (distance && (!least || distance < least))
			least = distance;
	}
	return least;
}

/* ------------------------------------------------------------------ rows */

/*
 * Adds one thread's counts to the row; until the row is complete `with_stride` is a number of accesses,
 * and `regular` one of far steps.
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
	to->regular += (double)counts->far;
	if ((double)from->row.stride == to->stride)
		to->with_stride += (double)from->row.with_stride;
	to->threads++;
}

/* Of the steps to another cache line those that are no far ones; a short stride makes one in some. */
static double regular_part(const struct run_access *access, const struct gathered *items, size_t nr)
{
	double far = access->regular,
	       moved = access->with_stride * fmin(1, fabs(access->stride) / ACCESS_LINE);

	for (size_t i = 0; i < nr; i++)
		moved += (double)items[i].row.counts.moved;
	return far > 0 ? moved / (far + moved) : 1;
}

/* A team executes a region together, but one thread each task or single. */
static struct run_access access_of(const struct instruction_rows *rows,
				   const struct gathered *items, size_t nr)
{
	const struct instruction_world *world = rows->world;
	const struct access_row *row = &items[0].row;
	const struct record_site *site = record_site(row->site);
	struct run_access access = {
		.array = row->array,
		.region = row->region,
		.bytes = site->size,
		.loop = world->loop(world->ctx, row->region, items[0].loop),
		.address = world->code(world->ctx, site->address),
		.site = world->site(world->ctx, row->site),
		.stride = (double)stride_of(items, nr),
	};

	for (size_t i = 0; i < nr; i++)
		add(&access, &items[i]);
	if (is_of_one_thread(rows, row->region))
		access.executions = rows->executed[row->region].times * access.threads;
	access.regular = regular_part(&access, items, nr);
	access.with_stride /= (double)(access.reads > access.writes ? access.reads : access.writes);
	return access;
}

/* ------------------------------------------------------------------ where instructions begin */

/* The thread with most of the instructions, number + 1; of several the first. */
static uint32_t thread_of_most(struct instruction_rows *rows, const struct gathered *items,
			       size_t nr)
{
	uint32_t most = 0;

	memset(rows->items_of, 0, (rows->thread + 1) * sizeof(*rows->items_of));
	for (size_t i = 0; i < nr; i++)
		rows->items_of[items[i].thread]++;
	for (uint32_t thread = 1; thread <= rows->thread; thread++)
		if (rows->items_of[thread] > rows->items_of[most])
			most = thread;
	return most;
}

static uint64_t lowest_of(const struct gathered *items, size_t nr, uint32_t thread)
{
	uint64_t low = UINT64_MAX;

	for (size_t i = 0; i < nr; i++)
		if (items[i].thread == thread && items[i].row.low < low)
			low = items[i].row.low;
	return low;
}

/* ------------------------------------------------------------------ all of an array */

/* All that is done to one array in one region. */
static void put_array(struct instruction_rows *rows, struct arena *arena,
		      const struct gathered *items, size_t nr)
{
	struct run *run = rows->run;
	uint32_t thread = thread_of_most(rows, items, nr);
	uint64_t lowest = lowest_of(items, nr, thread), low;

	for (size_t i = 0, end; i < nr; i = end) {
		for (end = i + 1; end < nr && !by_place(&items[i], &items[end]);)
			end++;
		if (!ARENA_GROW(arena, run->accesses, run->nr_accesses, run->room_accesses)) {
			rows->failed = true;
			return;
		}
		low = lowest_of(&items[i], end - i, thread);
		run->accesses[run->nr_accesses] = access_of(rows, &items[i], end - i);
		run->accesses[run->nr_accesses].start = low < UINT64_MAX ? low - lowest + 1 : 0;
		run->accesses[run->nr_accesses++].carried = carried(&items[i], end - i, items, nr);
	}
}

bool instruction_rows_put(struct instruction_rows *rows, struct arena *arena)
{
	rows->items_of = arena_alloc(rows->scratch, (rows->thread + 1) * sizeof(*rows->items_of));
	if (!rows->items_of)
		return false;
	sort(rows->items, rows->nr, sizeof(*rows->items), by_place);
	for (size_t i = 0, end; i < rows->nr; i = end) {
		const struct access_row *first = &rows->items[i].row;

		for (end = i + 1; end < rows->nr; end++)
			if (rows->items[end].row.region != first->region ||
			    rows->items[end].row.array != first->array)
				break;
		put_array(rows, arena, &rows->items[i], end - i);
	}
	return !rows->failed;
}
