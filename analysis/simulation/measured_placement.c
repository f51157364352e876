/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and pages as they were when the program ran. */
#include "analysis/simulation/measured_placement.h"

#include <stddef.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/machine/model.h"
#include "analysis/record/run.h"
#include "analysis/simulation/placement.h"
#include "analysis/trace/simulation_places.h"

/* ------------------------------------------------------------------ threads */

static uint32_t node_of_thread(const struct run *run, uint32_t thread)
{
	return thread < run->nr_places ? run->places[thread].node : RUN_PLACE_UNKNOWN;
}

/* Threads of a node get its cores in their order; false: a node has too few. */
static bool place_threads(const struct run *run, const struct machine_model *model,
			  uint32_t threads, uint32_t *cores)
{
	uint32_t used[MODEL_NODES] = { 0 }, each = model->cores / model->nodes;

	for (uint32_t i = 0; i < threads; i++) {
		uint32_t node = node_of_thread(run, i);

		if (node >= model->nodes || used[node] == each)
			return false;
		cores[i] = node * each + used[node]++;
	}
	return true;
}

/* ------------------------------------------------------------------ pages */

struct homes {
	struct arena *arena;
	struct simulation_home *items;
	size_t nr, room;
};

/* False: no memory, or a node that the model lacks. */
static bool add_pages(struct homes *homes, const struct run *run, const struct machine_model *model,
		      const struct run_placement *row)
{
	for (size_t i = 0; row->stretches && i < row->nr_stretches; i++) {
		const struct run_stretch *stretch = &row->stretches[i];

		if (stretch->node >= RUN_NODES_MOST)
			continue;
		if (stretch->node >= model->nodes ||
		    !ARENA_GROW(homes->arena, homes->items, homes->nr, homes->room))
			return false;
		homes->items[homes->nr++] = (struct simulation_home){
			stretch->address,
			stretch->address + stretch->pages * run->placing.page_bytes,
			stretch->node,
		};
	}
	return true;
}

static bool is_last(const struct run *run, size_t i)
{
	return i + 1 == run->nr_placements ||
	       run->placements[i + 1].array != run->placements[i].array;
}

static int by_address(const void *left, const void *right)
{
	const struct simulation_home *a = left, *b = right;

	if (a->low != b->low)
		return a->low < b->low ? -1 : 1;
	return (a->high > b->high) - (a->high < b->high);
}

/* Arrays share pages, and memory is used again: the first one counts. */
static void drop_overlaps(struct homes *homes)
{
	uint64_t end = 0;
	size_t kept = 0;

	for (size_t i = 0; i < homes->nr; i++) {
		struct simulation_home home = homes->items[i];

		home.low = home.low > end ? home.low : end;
		if (home.low >= home.high)
			continue;
		end = home.high;
		homes->items[kept++] = home;
	}
	homes->nr = kept;
}

bool placement_as_measured(struct arena *arena, const struct run *run,
			   const struct machine_model *model, struct placement *placement)
{
	struct homes homes = { .arena = arena };
	uint32_t *cores = arena_alloc(arena, (placement->threads + 1) * sizeof(*cores));

	if (!cores || model->nodes < 2 || model->nodes > MODEL_NODES || !run->nr_placements ||
	    !place_threads(run, model, placement->threads, cores))
		return false;
	for (size_t i = 0; i < run->nr_placements; i++)
		if (is_last(run, i) && !add_pages(&homes, run, model, &run->placements[i]))
			return false;
	if (!homes.nr)
		return false;
	sort(homes.items, homes.nr, sizeof(*homes.items), by_address);
	drop_overlaps(&homes);
	placement->cores = cores;
	placement->homes = homes.items;
	placement->nr_homes = homes.nr;
	placement->interleave = placement->on_node = false;
	placement->words =
		"its threads run on the nodes where they were seen, and its pages lie where the kernel had them";
	return true;
}
