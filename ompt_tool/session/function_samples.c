/* SPDX-License-Identifier: Apache-2.0 */
/* Clock samples by called function, as rows of regions below the constructs. */
#include "ompt_tool/session/function_samples.h"

#include <stdbool.h>
#include <stddef.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/record/run.h"
#include "memsearch/metric.h"
#include "ompt_tool/accesses/loop_regions.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/process/run_modules.h"
#include "ompt_tool/regions/region_table.h"
#include "ompt_tool/session/harvest.h"

/* Where threads compute; others wait, or are in the runtime. */
#define KINDS \
	(1u << MS_SERIAL_REGION | 1u << MS_PARALLEL_REGION | 1u << MS_DO_REGION | \
	 1u << MS_SECTIONS_REGION | 1u << MS_SINGLE_REGION | 1u << MS_MASTER_REGION | \
	 1u << MS_WORKSHARE_REGION | 1u << MS_TASK_REGION)

struct sampled {
	uint32_t region, thread; /* the construct; later the function's region */
	uint64_t start, end;     /* function; 0: unknown */
	uint64_t count;
};

struct function_samples {
	struct arena *arena;
	struct sampled *items;
	size_t nr, room;
	struct code_bounds last; /* of the site before */
	bool failed;
};

struct function_samples *function_samples_new(struct arena *arena)
{
	struct function_samples *samples = arena_alloc(arena, sizeof(*samples));

	if (samples)
		*samples = (struct function_samples){ .arena = arena };
	return samples;
}

void function_samples_add(void *ctx, uint32_t region, uint32_t thread, uint64_t instruction,
			  uint64_t count)
{
	struct function_samples *samples = ctx;
	uint64_t original = clone_original(instruction);
	struct code_bounds *function;

	if (!samples)
		return;
	function = &samples->last;
	if ((original < function->start || original >= function->end) &&
	    code_bounds_find(original, function) != CODE_BOUNDS_FOUND)
		*function = (struct code_bounds){ 0 };
	if (!ARENA_GROW(samples->arena, samples->items, samples->nr, samples->room)) {
		samples->failed = true;
		return;
	}
	samples->items[samples->nr++] = (struct sampled){ region, thread, function->start,
							  function->end, count };
}

/* ------------------------------------------------------------------ regions */

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_function(const void *left, const void *right)
{
	const struct sampled *a = left, *b = right;
	int by = order(a->region, b->region);

	by = by ? by : order(a->start, b->start);
	return by ? by : order(a->thread, b->thread);
}

static bool same_function(const struct sampled *a, const struct sampled *b)
{
	return a->region == b->region && a->start == b->start;
}

/* A function in a construct: its samples are the `nr` from `first` on. */
struct group {
	uint32_t region;
	uint64_t start, count;
	const struct sampled *first;
	size_t nr;
};

static uint64_t all_of(const struct sampled *items, size_t nr)
{
	uint64_t all = 0;

	for (size_t i = 0; i < nr; i++)
		all += items[i].count;
	return all;
}

/* NULL: no memory. */
static struct group *groups_of(const struct function_samples *samples, size_t *nr_out)
{
	const struct sampled *items = samples->items;
	struct group *groups = arena_alloc(samples->arena, (samples->nr + 1) * sizeof(*groups));

	*nr_out = 0;
	for (size_t i = 0, end; groups && i < samples->nr; i = end) {
		for (end = i + 1; end < samples->nr && same_function(&items[i], &items[end]);)
			end++;
		groups[(*nr_out)++] = (struct group){ items[i].region, items[i].start,
						      all_of(&items[i], end - i), &items[i],
						      end - i };
	}
	return groups;
}

static bool is_below(struct region_table *regions, uint32_t inner, uint32_t outer)
{
	const struct region *region = region_table_at(regions, inner);

	while (region && region->id != MS_REGION_USER && region->parent != outer)
		region = region_table_at(regions, region->parent);
	return region && region->id != MS_REGION_USER;
}

/*
 * Samples are the construct's around while the inner one requests none: the function is called where
 * it has more.
 */
static bool is_called_inside(const struct group *of, const struct group *groups, size_t nr,
			     struct region_table *regions)
{
	for (size_t i = 0; i < nr; i++)
		if (groups[i].start == of->start && groups[i].count >= of->count &&
		    groups[i].region != of->region &&
		    is_below(regions, groups[i].region, of->region))
			return true;
	return false;
}

/* MS_REGION_NONE: not a called function of the program, or too few samples. */
static uint32_t region_of(const struct group *of, const struct run *run,
			  struct region_table *regions)
{
	const struct region *construct = region_table_at(regions, of->region);
	struct code_address begin = run_modules_address(run, of->start);

	if (!of->start || of->count < FUNCTION_SAMPLES_LEAST || !construct ||
	    !(KINDS >> construct->kind & 1) || begin.module >= run->nr_modules ||
	    module_is_foreign(run->modules[begin.module].path) ||
	    !loop_function_is_called(regions, of->region, of->start, of->first->end))
		return MS_REGION_NONE;
	return region_table_get(regions, MS_SUB_REGION, of->start, of->region, &(bool){ false });
}

/* ------------------------------------------------------------------ measurements */

/* A construct's samples on a thread: the run's row, and those of all sites. */
struct construct_row {
	uint32_t region, thread;
	size_t measurement;
	uint64_t all;
};

struct construct_rows {
	struct construct_row *items; /* by region and thread */
	size_t nr;
};

static int by_region(const void *left, const void *right)
{
	const struct construct_row *a = left, *b = right;
	int by = order(a->region, b->region);

	return by ? by : order(a->thread, b->thread);
}

/* NULL: the run has no samples of the construct on that thread. */
static struct construct_row *row_of(const struct construct_rows *rows, uint32_t region,
				    uint32_t thread)
{
	const struct construct_row wanted = { .region = region, .thread = thread };
	size_t low = 0, high = rows->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int by = by_region(&rows->items[middle], &wanted);

		if (!by)
			return &rows->items[middle];
		if (by < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* False: no memory. */
static bool rows_of(const struct function_samples *samples, const struct run *run,
		    struct construct_rows *rows)
{
	rows->items = arena_alloc(samples->arena,
				  (run->nr_measurements + 1) * sizeof(*rows->items));
	rows->nr = 0;
	for (size_t i = 0; rows->items && i < run->nr_measurements; i++) {
		const struct ms_measurement *row = &run->measurements[i].row;

		if (row->metric == MS_METRIC_SAMPLES)
			rows->items[rows->nr++] = (struct construct_row){ row->region, row->thread,
									  i, 0 };
	}
	if (!rows->items)
		return false;
	sort(rows->items, rows->nr, sizeof(*rows->items), by_region);
	for (size_t i = 0; i < samples->nr; i++) {
		struct construct_row *row = row_of(rows, samples->items[i].region,
						   samples->items[i].thread);

		if (row)
			row->all += samples->items[i].count;
	}
	return true;
}

/* Sites are of the whole run, values of the executions of the phase that were measured. */
static bool put(struct run *run, struct arena *arena, uint32_t region, size_t of, double share)
{
	struct run_measurement row = run->measurements[of];

	row.row.region = region;
	row.row.stat.sum *= share;
	row.row.stat.min *= share;
	row.row.stat.max *= share;
	row.row.stat.sum_squares *= share * share;
	if (!ARENA_GROW(arena, run->measurements, run->nr_measurements, run->room_measurements))
		return false;
	run->measurements[run->nr_measurements++] = row;
	return true;
}

static bool put_function(const struct construct_rows *rows, struct run *run, struct arena *arena,
			 uint32_t region, const struct group *of)
{
	for (size_t i = 0, end; i < of->nr; i = end) {
		uint32_t thread = of->first[i].thread;
		const struct construct_row *row = row_of(rows, of->region, thread);

		for (end = i + 1; end < of->nr && of->first[end].thread == thread;)
			end++;
		if (row && row->all &&
		    !put(run, arena, region, row->measurement,
			 (double)all_of(&of->first[i], end - i) / (double)row->all))
			return false;
	}
	return true;
}

enum ms_status function_samples_put(struct function_samples *samples, struct run *run,
				    struct arena *arena, struct region_table *regions)
{
	bool whole = samples && !samples->failed;
	struct construct_rows rows;
	struct group *groups;
	size_t nr;

	if (!samples || !rows_of(samples, run, &rows))
		return MS_ERR_MEMORY;
	sort(samples->items, samples->nr, sizeof(*samples->items), by_function);
	groups = groups_of(samples, &nr);
	for (size_t i = 0; groups && i < nr; i++) {
		uint32_t region = is_called_inside(&groups[i], groups, nr, regions)
					  ? MS_REGION_NONE
					  : region_of(&groups[i], run, regions);

		if (region == MS_REGION_NONE)
			continue;
		if (region >= run->nr_regions && harvest_regions(run, arena, regions) != MS_OK)
			return MS_ERR_MEMORY;
		whole &= put_function(&rows, run, arena, region, &groups[i]);
	}
	return whole && groups ? MS_OK : MS_ERR_MEMORY;
}
