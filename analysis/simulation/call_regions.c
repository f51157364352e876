/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the regions of calls that count apart. */
#include "analysis/simulation/call_regions.h"

#include "analysis/base/arena.h"

/* Parents have smaller numbers than what is below them. */
static bool has_data(const struct run *run, uint32_t call)
{
	for (size_t i = call + 1; i < run->nr_regions; i++)
		if (run->regions[i].parent == call && run->regions[i].kind == MS_DATA_STRUCTURE)
			return true;
	return false;
}

void call_regions_init(struct call_regions *calls, struct arena *arena, const struct run *run)
{
	*calls = (struct call_regions){ .run = run };
	for (uint32_t i = 0; i < run->nr_regions; i++)
		if (run->regions[i].kind == MS_CALL_REGION && has_data(run, i) &&
		    ARENA_GROW(arena, calls->regions, calls->nr, calls->room))
			calls->regions[calls->nr++] = i;
}

static bool have_same_path(const struct run_region *a, const struct run_region *b)
{
	bool same = a->nr_path == b->nr_path;

	for (size_t i = 0; i < a->nr_path && same; i++)
		same = a->path_addresses[i].module == b->path_addresses[i].module &&
		       a->path_addresses[i].offset == b->path_addresses[i].offset;
	return same;
}

uint32_t call_region_below(const struct call_regions *calls, uint32_t construct, uint32_t call)
{
	const struct run_region *regions = calls->run->regions;

	if (call >= calls->run->nr_regions || regions[call].kind != MS_CALL_REGION)
		return MS_REGION_NONE;
	for (size_t i = 0; i < calls->nr; i++)
		if (regions[calls->regions[i]].parent == construct &&
		    have_same_path(&regions[calls->regions[i]], &regions[call]))
			return calls->regions[i];
	return MS_REGION_NONE;
}
