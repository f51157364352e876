/* SPDX-License-Identifier: Apache-2.0 */
/* Adds regions and measurements to a run. */
#include "analysis/counting/count_rows.h"

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"

/* ------------------------------------------------------------------ regions */

static uint32_t *number_of(struct count_rows *rows, enum ms_region_kind kind,
			   struct code_address construct, uint32_t parent)
{
	return pair_map_value(rows->arena, &rows->regions, (uint64_t)kind << 32 | parent,
			      (uint64_t)construct.module << 48 ^ construct.offset);
}

/* Stands for the path in the map of regions. */
static struct code_address path_key(const struct run_region *call)
{
	uint64_t hash = HASH_START;

	for (size_t i = 0; i < call->nr_path; i++) {
		hash = hash_bytes(hash, &call->path_addresses[i].module,
				  sizeof(call->path_addresses[i].module));
		hash = hash_bytes(hash, &call->path_addresses[i].offset,
				  sizeof(call->path_addresses[i].offset));
	}
	return (struct code_address){ UINT32_MAX, hash };
}

void count_rows_begin(struct count_rows *rows, struct arena *arena, struct run *run)
{
	*rows = (struct count_rows){ .arena = arena, .run = run };
	for (uint32_t id = 0; id < run->nr_regions; id++) {
		const struct run_region *region = &run->regions[id];
		uint32_t *number = NULL;

		if (region->kind == MS_DATA_STRUCTURE)
			number = number_of(
				rows, region->kind,
				(struct code_address){ UINT32_MAX, region->construct.offset },
				region->parent);
		else if (region->kind == MS_CALL_REGION)
			number = number_of(rows, region->kind, path_key(region), region->parent);
		else if (ms_region_kind_is_code_part(region->kind))
			number = number_of(rows, region->kind, region->construct, region->parent);
		if (number)
			*number = id + 1;
	}
}

static uint32_t region_of(struct count_rows *rows, enum ms_region_kind kind,
			  struct code_address construct, uint32_t parent)
{
	uint32_t *number = number_of(rows, kind, construct, parent),
		 id = (uint32_t)rows->run->nr_regions;
	struct run *run = rows->run;

	if (number && *number)
		return *number - 1;
	if (!number || !ARENA_GROW(rows->arena, run->regions, run->nr_regions, run->room_regions)) {
		rows->failed = true;
		return MS_REGION_NONE;
	}
	*number = id + 1;
	run->regions[run->nr_regions++] = (struct run_region){
		.id = id,
		.parent = parent,
		.kind = kind,
		.resolved = kind == MS_DATA_STRUCTURE,
		.construct = construct,
		.inside = { UINT32_MAX, 0 },
		.next = { UINT32_MAX, 0 },
	};
	return id;
}

uint32_t count_rows_array(struct count_rows *rows, uint32_t parent, uint32_t array)
{
	return region_of(rows, MS_DATA_STRUCTURE,
			 (struct code_address){ UINT32_MAX, (uint64_t)array + 1 }, parent);
}

struct code_address count_rows_code(const struct run *run, uint64_t address)
{
	for (uint32_t i = 0; i < run->nr_modules; i++)
		if (address >= run->modules[i].low && address < run->modules[i].high)
			return (struct code_address){ i, address - run->modules[i].bias };
	return (struct code_address){ UINT32_MAX, address };
}

uint32_t count_rows_loop(struct count_rows *rows, uint32_t parent, uint64_t header)
{
	return region_of(rows, MS_LOOP_REGION, count_rows_code(rows->run, header), parent);
}

uint32_t count_rows_function(struct count_rows *rows, uint32_t parent, uint64_t begin)
{
	return region_of(rows, MS_SUB_REGION, count_rows_code(rows->run, begin), parent);
}

uint32_t count_rows_call(struct count_rows *rows, uint32_t parent, uint32_t call)
{
	struct run_region of = rows->run->regions[call], *is;
	uint32_t region = region_of(rows, MS_CALL_REGION, path_key(&of), parent);

	if (region == MS_REGION_NONE)
		return region;
	is = &rows->run->regions[region];
	is->construct = of.construct;
	is->nr_path = of.nr_path;
	is->path_addresses = of.path_addresses;
	return region;
}

/* ------------------------------------------------------------------ measurements */

static struct count_cell *cell_of(struct count_rows *rows, uint32_t region, uint32_t thread,
				  enum ms_metric metric)
{
	uint32_t *cell = pair_map_value(rows->arena, &rows->cells, (uint64_t)region << 32 | thread,
					metric);

	if (!cell ||
	    (!*cell && !ARENA_GROW(rows->arena, rows->items, rows->nr_items, rows->room_items))) {
		rows->failed = true;
		return NULL;
	}
	if (!*cell) {
		rows->items[rows->nr_items++] = (struct count_cell){
			.row = { .region = region, .thread = thread, .metric = metric }
		};
		*cell = (uint32_t)rows->nr_items;
	}
	return &rows->items[*cell - 1];
}

void count_rows_part(struct count_rows *rows, uint32_t region, uint32_t thread,
		     enum ms_metric metric, double sum)
{
	struct count_cell *cell = cell_of(rows, region, thread, metric);

	if (cell)
		cell->part += sum;
}

double count_rows_take_part(struct count_rows *rows, uint32_t region, uint32_t thread,
			    enum ms_metric metric)
{
	struct count_cell *cell = cell_of(rows, region, thread, metric);
	double part = cell ? cell->part : 0;

	if (cell)
		cell->part = 0;
	return part;
}

void count_rows_add(struct count_rows *rows, uint32_t region, uint32_t thread,
		    enum ms_metric metric, double sum, uint64_t executions)
{
	struct count_cell *cell = cell_of(rows, region, thread, metric);
	struct ms_stat more = { 0 };

	if (!cell || !executions)
		return;
	more.count = executions;
	more.sum = sum;
	more.min = more.max = sum / (double)executions;
	more.sum_squares = sum * more.min;
	ms_stat_merge(&cell->row.stat, &more);
}

void count_rows_end(struct count_rows *rows, const uint64_t *phases, double phase_ns)
{
	struct run *run = rows->run;

	for (size_t i = 0; i < rows->nr_items; i++) {
		const struct ms_measurement *row = &rows->items[i].row;
		uint64_t nr = row->stat.count == 0 ? 0 : phases[run_construct(run, row->region)];

		if (!nr)
			continue;
		if (!ARENA_GROW(rows->arena, run->measurements, run->nr_measurements,
				run->room_measurements)) {
			rows->failed = true;
			return;
		}
		run->measurements[run->nr_measurements++] = (struct run_measurement){
			.row = *row, .phases = nr, .observed_ns = (double)nr * phase_ns
		};
	}
}
