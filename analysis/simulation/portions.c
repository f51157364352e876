/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of executions that are simulated. */
#include "analysis/simulation/portions.h"

#include "analysis/base/arena.h"

#define CELLS_MOST ((uint64_t)1 << 22)

struct cell { uint64_t there, passed, wanted; };

struct portions {
	uint32_t executions, threads, regions;
	uint64_t most;                   /* accesses of a cell */
	bool counting;
	struct cell *now;                /* those of the execution under way */
	struct cell *cells;
};

struct portions *portions_new(struct arena *arena, uint32_t executions, uint32_t threads, uint32_t regions)
{
	struct portions *portions = arena_alloc(arena, sizeof(*portions));
	uint64_t nr = (uint64_t)executions * threads * (regions + 1ull);

	if (!portions || nr > CELLS_MOST)
		return NULL;
	*portions = (struct portions){ .executions = executions, .threads = threads, .regions = regions, .most = UINT64_MAX };
	portions->cells = portions->now = arena_alloc(arena, nr * sizeof(*portions->cells));
	return portions->cells ? portions : NULL;
}

static uint64_t cells_of_execution(const struct portions *portions)
{
	return (uint64_t)portions->threads * (portions->regions + 1);
}

static struct cell *cell_of(const struct portions *portions, struct cell *first, uint32_t thread, uint32_t region)
{
	return &first[(uint64_t)thread * (portions->regions + 1) + (region < portions->regions ? region : portions->regions)];
}

void portions_note(struct portions *portions, uint32_t execution, uint32_t thread, uint32_t region, uint64_t accesses)
{
	cell_of(portions, portions->cells + execution * cells_of_execution(portions), thread, region)->there += accesses;
}

/* Accesses of all cells, of each `most` at most. */
static uint64_t sum(const struct portions *portions, uint64_t most)
{
	uint64_t all = 0;

	for (uint64_t i = 0; i < portions->executions * cells_of_execution(portions); i++)
		all += portions->cells[i].there < most ? portions->cells[i].there : most;
	return all;
}

void portions_limit(struct portions *portions, uint64_t most)
{
	uint64_t low = 1, high = most;

	if (sum(portions, portions->most) <= most)
		return;
	while (low < high) {
		uint64_t middle = low + (high - low + 1) / 2;

		if (sum(portions, middle) <= most)
			low = middle;
		else
			high = middle - 1;
	}
	portions->most = low;
}

uint64_t portions_wanted(const struct portions *portions)
{
	return sum(portions, portions->most);
}

void portions_begin(struct portions *portions, uint32_t execution, bool counting)
{
	portions->now = portions->cells + execution * cells_of_execution(portions);
	portions->counting = counting;
	for (uint64_t i = 0; i < cells_of_execution(portions); i++)
		portions->now[i].passed = portions->now[i].wanted = 0;
}

bool portions_wants(struct portions *portions, uint32_t thread, uint32_t region, uint64_t accesses)
{
	struct cell *cell = cell_of(portions, portions->now, thread, region);
	uint64_t before = cell->passed;
	bool wanted;

	cell->passed += accesses;
	wanted = portions->counting ? before < portions->most : cell->passed >= cell->there || cell->there - cell->passed < portions->most;
	cell->wanted += wanted ? accesses : 0;
	return wanted;
}

double portions_times(const struct portions *portions, uint32_t region)
{
	uint64_t there = 0, wanted = 0;

	for (uint32_t thread = 0; thread < portions->threads; thread++) {
		const struct cell *cell = cell_of(portions, portions->now, thread, region);

		there += cell->there;
		wanted += cell->wanted;
	}
	return wanted && wanted < there ? (double)there / (double)wanted : 1;
}
