/* SPDX-License-Identifier: Apache-2.0 */
/* Moves of an array's pages, from what the kernel answered, to the search after the run. */
#include "analysis/simulation/returning_pages.h"

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "analysis/search/database.h"
#include "analysis/search/database_reading.h"
#include "tests/unit/test.h"

#define PAGE 4096
#define PAGES 100

enum { PHASE, TEAM, DATA, REGIONS };

static struct run_stretch at_first[] = { { PAGE, PAGES, 0 } },
			  /* 40 of them are on another node, 10 on none */
	at_last[] = { { PAGE, 50, 0 },
		      { 51 * PAGE, 40, 1 },
		      { 91 * PAGE, 10, RUN_NODE_UNTOUCHED } };
static struct run_placement placements[] = {
	{ .array = 0, .every = 1, .queries = 1, .nr_stretches = 1, .stretches = at_first },
	{ .array = 0, .every = 1, .queries = 5, .nr_stretches = 3, .stretches = at_last },
};
static struct run_region regions[REGIONS];
static struct run_measurement rows[3];

static struct run run_of(uint64_t moves)
{
	static const enum ms_region_kind kinds[REGIONS] = { MS_USER_REGION, MS_PARALLEL_REGION,
							    MS_DATA_STRUCTURE };

	placements[1].moves = moves;
	for (uint32_t i = 0; i < REGIONS; i++)
		regions[i] = (struct run_region){ .id = i,
						  .kind = kinds[i],
						  .parent = i ? i - 1 : MS_REGION_NONE,
						  .construct = { UINT32_MAX, 1 } };
	for (uint32_t i = 0; i < 3; i++)
		rows[i].row = (struct ms_measurement){ .region = i == 2 ? TEAM : DATA,
						       .thread = i,
						       .metric = MS_METRIC_READS,
						       .stat = { .count = 1, .sum = 7 } };
	return (struct run){ .regions = regions,
			     .nr_regions = REGIONS,
			     .measurements = rows,
			     .nr_measurements = 3,
			     .placing = { .page_bytes = PAGE },
			     .placements = placements,
			     .nr_placements = 2 };
}

static struct ms_reading moves_in(const struct run *run, uint32_t region, uint32_t thread)
{
	struct arena *arena = arena_new();
	struct database *db = database_new(arena);
	const struct ms_request request = { .region = MS_REGION_USER,
					    .metric = MS_METRIC_PAGE_MOVES,
					    .thread = MS_REQUEST_ALL_THREADS,
					    .flags = MS_REQUEST_SUBREGIONS };
	struct ms_reading reading;

	for (uint32_t i = 0; i < REGIONS; i++) {
		const struct ms_region_info info = { .id = i,
						     .kind = run->regions[i].kind,
						     .parent = run->regions[i].parent };

		CHECK_INT(database_region(db, &info), MS_OK);
	}
	database_requests(db, &request, 1);
	database_execution_begin(db);
	returning_pages_add(db, run);
	database_execution_end(db, 1e6, 1);
	reading = database_reading(db, DATABASE_ALL_BATCHES, region, thread, MS_METRIC_PAGE_MOVES);
	arena_free(arena);
	return reading;
}

/* 220 moves of the 90 pages that are on a node; 40 of these brought a page to where it stays. */
TEST(returning_pages__beyond_one_to_the_last_node)
{
	struct run run = run_of(220);

	for (uint32_t thread = 0; thread < 2; thread++) {
		struct ms_reading reading = moves_in(&run, DATA, thread);

		CHECK_INT(reading.missing, MS_PRESENT);
		CHECK_INT(reading.rung, MS_RUNG_SAMPLED);
		CHECK_NEAR(reading.value, 180.0 / 90, 1e-12);
	}
	CHECK_THAT(moves_in(&run, TEAM, 2).missing, !=, MS_PRESENT);
	run = run_of(40);
	CHECK_NEAR(moves_in(&run, DATA, 0).value, 0, 0);
}

TEST(returning_pages__not_known_is_not_0)
{
	struct run run = run_of(220);

	run.nr_placements = 1;
	CHECK_INT(moves_in(&run, DATA, 0).missing, MS_MISSING_TOO_FEW);
	run.nr_placements = 0;
	CHECK_INT(moves_in(&run, DATA, 0).missing, MS_MISSING_TOO_FEW);
	run.placing.page_bytes = 0;
	CHECK_INT(moves_in(&run, DATA, 0).missing, MS_MISSING_NOT_SUPPORTED);
}
