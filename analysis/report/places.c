/* SPDX-License-Identifier: Apache-2.0 */
/* On which NUMA node the threads of a run were. */
#include "analysis/report/places.h"

#include <stdbool.h>
#include <stddef.h>

#include "analysis/base/arena.h"
#include "analysis/base/bisect.h"
#include "analysis/base/sort.h"

struct place {
	uint32_t thread, node;
};

struct places {
	struct place *items; /* by thread */
	size_t nr, room;
};

static int by_thread(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

static bool place_add(struct arena *arena, struct places *places, uint32_t thread, uint32_t node)
{
	if (!ARENA_GROW(arena, places->items, places->nr, places->room))
		return false;
	places->items[places->nr++] = (struct place){ thread, node };
	return true;
}

/* A row whose bounds differ is of a thread that stayed on no node. */
static bool add_measured(struct arena *arena, struct places *places,
			 const struct ms_measurement *row)
{
	bool stayed = row->stat.min == row->stat.max && row->stat.sum >= 0 &&
		      row->stat.sum < RUN_PLACE_UNKNOWN;

	return row->region != MS_REGION_USER || row->metric != MS_METRIC_NODE ||
	       place_add(arena, places, row->thread,
			 stayed ? (uint32_t)row->stat.sum : RUN_PLACE_UNKNOWN);
}

const struct places *places_of(struct arena *arena, const struct run *run)
{
	struct places *places = arena_alloc(arena, sizeof(*places));
	bool room = places != NULL, measured;

	for (size_t i = 0; room && i < run->nr_measurements; i++)
		room = add_measured(arena, places, &run->measurements[i].row);
	measured = places && places->nr;
	for (size_t i = 0; room && !measured && i < run->nr_places; i++)
		room = place_add(arena, places, run->places[i].thread, run->places[i].node);
	if (!room)
		return NULL;
	if (places->nr)
		sort(places->items, places->nr, sizeof(*places->items), by_thread);
	return places;
}

uint32_t places_node(const struct places *places, uint32_t thread)
{
	size_t low = BISECT(i, places ? places->nr : 0, places->items[i].thread < thread);

	return places && low < places->nr && places->items[low].thread == thread
		       ? places->items[low].node
		       : RUN_PLACE_UNKNOWN;
}
