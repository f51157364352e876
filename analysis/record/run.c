/* SPDX-License-Identifier: Apache-2.0 */
/* Names of phase methods; making the indices of a run that came from a file sound. */
#include "analysis/record/run.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "memsearch/host.h"
#include "memsearch/metric.h"

static const struct {
	const char *name, *text;
} phase_methods[PHASE_METHODS] = {
#define X(id, name, text) { name, text },
	PHASE_METHOD_LIST(X)
#undef X
};

const char *phase_method_name(unsigned int method)
{
	return method < PHASE_METHODS ? phase_methods[method].name : "unknown";
}

const char *phase_method_text(unsigned int method)
{
	return method < PHASE_METHODS ? phase_methods[method].text : "unknown";
}

static bool region_exists(const struct run *run, uint32_t region)
{
	return region < run->nr_regions;
}

static void settle_address(const struct run *run, struct code_address *address)
{
	if (address->module >= run->nr_modules)
		address->module = UINT32_MAX;
}

/* Parents come first and rows stand at their number: what follows a row that breaks this is cut off. */
static size_t settle_regions(struct run *run)
{
	size_t nr = run->nr_regions, i;

	for (i = 0; i < nr; i++) {
		struct run_region *region = &run->regions[i];

		if (region->id != i || (i ? region->parent >= i : region->parent != MS_REGION_NONE))
			break;
		settle_address(run, &region->construct);
		settle_address(run, &region->inside);
		settle_address(run, &region->next);
		for (size_t k = 0; region->path_addresses && k < region->nr_path; k++)
			settle_address(run, &region->path_addresses[k]);
	}
	run->nr_regions = i;
	return nr - i;
}

static size_t settle_nodes(struct run *run)
{
	size_t nr = run->nr_nodes, i;

	for (i = 0; i < nr; i++) {
		const struct run_node *node = &run->nodes[i];

		if (node->id != i || (node->parent >= i && node->parent != MS_NODE_NONE) || !region_exists(run, node->region))
			break;
	}
	run->nr_nodes = i;
	return nr - i;
}

static size_t settle_measurements(struct run *run)
{
	size_t kept = 0, nr = run->nr_measurements;

	for (size_t i = 0; i < nr; i++) {
		const struct run_measurement *row = &run->measurements[i];

		if (!region_exists(run, row->row.region) || row->row.metric >= MS_METRICS)
			continue;
		if (kept != i)
			run->measurements[kept] = *row;
		kept++;
	}
	run->nr_measurements = kept;
	return nr - kept;
}

static size_t settle_missing(struct run *run)
{
	size_t kept = 0, nr = run->nr_missing;

	for (size_t i = 0; i < nr; i++) {
		struct run_missing row = run->missing[i];

		if ((region_exists(run, row.region) || row.region == MS_REGION_NONE) && row.metric < MS_METRICS)
			run->missing[kept++] = row;
	}
	run->nr_missing = kept;
	return nr - kept;
}

static size_t settle_hotspots(struct run *run)
{
	size_t kept = 0, nr = run->nr_hotspots;

	for (size_t i = 0; i < nr; i++) {
		struct run_hotspot row = run->hotspots[i];

		if (!region_exists(run, row.region) || row.metric >= MS_METRICS)
			continue;
		settle_address(run, &row.address);
		settle_address(run, &row.leaf);
		run->hotspots[kept++] = row;
	}
	run->nr_hotspots = kept;
	return nr - kept;
}

static size_t settle_arrays(struct run *run)
{
	size_t nr = run->nr_arrays, i;

	for (i = 0; i < nr && run->arrays[i].id == i; i++) {
		struct run_array *array = &run->arrays[i];

		settle_address(run, &array->site);
		for (size_t k = 0; array->path && k < array->nr_path; k++)
			settle_address(run, &array->path[k]);
	}
	run->nr_arrays = i;
	return nr - i;
}

static void settle_dropped(struct run *run)
{
	for (size_t i = 0; i < run->nr_dropped; i++)
		settle_address(run, &run->dropped[i].code);
}

/* After the arrays. */
static size_t settle_touches(struct run *run)
{
	size_t kept = 0, nr = run->nr_touches;

	for (size_t i = 0; i < nr; i++) {
		struct run_touch row = run->touches[i];

		if (row.array >= run->nr_arrays || !(region_exists(run, row.region) || row.region == MS_REGION_NONE))
			continue;
		settle_address(run, &row.address);
		settle_address(run, &row.leaf);
		run->touches[kept++] = row;
	}
	run->nr_touches = kept;
	return nr - kept;
}

/* After the arrays. */
static size_t settle_accesses(struct run *run)
{
	size_t kept = 0, nr = run->nr_accesses;

	for (size_t i = 0; i < nr; i++) {
		struct run_access row = run->accesses[i];

		if ((row.array >= run->nr_arrays && row.array != RUN_ARRAY_NONE) || !region_exists(run, row.region))
			continue;
		settle_address(run, &row.address);
		row.loop = region_exists(run, row.loop) ? row.loop : row.region;
		run->accesses[kept++] = row;
	}
	run->nr_accesses = kept;
	return nr - kept;
}

/* After the arrays. */
static size_t settle_sharings(struct run *run)
{
	size_t kept = 0, nr = run->nr_sharings;

	for (size_t i = 0; i < nr; i++)
		if (run->sharings[i].array < run->nr_arrays && region_exists(run, run->sharings[i].region))
			run->sharings[kept++] = run->sharings[i];
	run->nr_sharings = kept;
	return nr - kept;
}

static size_t settle_counters(struct run *run)
{
	size_t kept = 0, nr = run->nr_counters;

	for (size_t i = 0; i < nr; i++)
		if (run->counters[i].metric < MS_METRICS)
			run->counters[kept++] = run->counters[i];
	run->nr_counters = kept;
	return nr - kept;
}

size_t run_settle(struct run *run)
{
	size_t removed = settle_regions(run);

	if (!region_exists(run, run->phase.region))
		run->phase.region = MS_REGION_NONE;
	removed += settle_measurements(run) + settle_missing(run) + settle_hotspots(run) + settle_counters(run) + settle_nodes(run);
	removed += settle_arrays(run);
	settle_dropped(run);
	return removed + settle_touches(run) + settle_accesses(run) + settle_sharings(run);
}

void run_note_dropped(struct run *run, struct arena *arena, struct run_dropped dropped)
{
	if (ARENA_GROW(arena, run->dropped, run->nr_dropped, run->room_dropped))
		run->dropped[run->nr_dropped++] = dropped;
}
