/* SPDX-License-Identifier: Apache-2.0 */
/* Selects parts of executions to simulate. */
#include "analysis/simulation/portions.h"

#include "analysis/base/arena.h"

#define CELLS_MOST ((uint64_t)1 << 22)
#define ENTRY_MOST ((uint64_t)1 << 40) /* accesses: larger values are damage */

struct cell {
	uint64_t there, passed, wanted;
};

struct portions {
	uint32_t executions, threads, regions;
	uint64_t most;    /* accesses of a cell */
	struct cell *now; /* cells of the current execution */
	struct cell *cells;
};

struct portions *portions_new(struct arena *arena, uint32_t executions, uint32_t threads,
			      uint32_t regions)
{
	struct portions *portions = arena_alloc(arena, sizeof(*portions));
	uint64_t nr = (uint64_t)executions * threads * (regions + 1ull);

	if (!portions || nr > CELLS_MOST)
		return NULL;
	*portions = (struct portions){
		.executions = executions, .threads = threads, .regions = regions, .most = UINT64_MAX
	};
	portions->cells = portions->now = arena_alloc(arena, nr * sizeof(*portions->cells));
	return portions->cells ? portions : NULL;
}

static uint64_t cells_of_execution(const struct portions *portions)
{
	return (uint64_t)portions->threads * (portions->regions + 1);
}

static struct cell *cell_of(const struct portions *portions, struct cell *first, uint32_t thread,
			    uint32_t region)
{
	return &first[(uint64_t)thread * (portions->regions + 1) +
		      (region < portions->regions ? region : portions->regions)];
}

static uint64_t accesses_of(uint64_t accesses, uint64_t times)
{
	uint64_t all;

	return __builtin_mul_overflow(accesses, times, &all) || all > ENTRY_MOST ? ENTRY_MOST : all;
}

void portions_note(struct portions *portions, uint32_t execution, uint32_t thread, uint32_t region,
		   uint64_t accesses, uint64_t times)
{
	cell_of(portions, portions->cells + execution * cells_of_execution(portions), thread,
		region)
		->there += accesses_of(accesses, times);
}

/* Accesses of all cells, at most `most` of each. */
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

	portions->most = UINT64_MAX;
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

void portions_each(const struct portions *portions, portions_visit *visit, void *ctx)
{
	const struct cell *cell = portions->cells;

	for (uint32_t execution = 0; execution < portions->executions; execution++)
		for (uint32_t thread = 0; thread < portions->threads; thread++)
			for (uint32_t region = 0; region <= portions->regions; region++, cell++)
				if (cell->there && region < portions->regions)
					visit(ctx, execution, thread, region);
}

uint64_t portions_all(const struct portions *portions)
{
	return sum(portions, portions->most);
}

bool portions_are_whole(const struct portions *portions)
{
	return portions->most == UINT64_MAX;
}

void portions_begin(struct portions *portions, uint32_t execution)
{
	portions->now = portions->cells + execution * cells_of_execution(portions);
	for (uint64_t i = 0; i < cells_of_execution(portions); i++)
		portions->now[i].passed = portions->now[i].wanted = 0;
}

uint64_t portions_wanted(struct portions *portions, uint32_t thread, uint32_t region,
			 uint64_t accesses, uint64_t times)
{
	struct cell *cell = cell_of(portions, portions->now, thread, region);
	uint64_t all = accesses_of(accesses, times),
		 room = portions->most > cell->passed ? portions->most - cell->passed : 0,
		 wanted = room < all ? room / accesses + (room % accesses > 0) : times;

	cell->passed += all;
	cell->wanted += room < all ? accesses_of(accesses, wanted) : all;
	return wanted;
}

uint64_t portions_of(const struct portions *portions, uint32_t thread, uint32_t region)
{
	return cell_of(portions, portions->now, thread, region)->there;
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
