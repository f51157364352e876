/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and pages of a run on the model of its machine, and what keeps that from being possible. */
#include "analysis/simulation/measured_placement.h"

#include "analysis/base/arena.h"
#include "analysis/machine/model.h"
#include "analysis/record/run.h"
#include "analysis/simulation/placement.h"
#include "analysis/trace/simulation_places.h"
#include "tests/unit/test.h"

#define PAGE 4096

static const struct machine_model model = { .name = "two", .cores = 4, .nodes = 2 };
static struct run_place places[3];
static struct run_stretch early[1], late[3], other[1];
static struct run_placement placements[3];
static struct run run;

static void begin(void)
{
	places[0] = (struct run_place){ 0, 2, 1, 0 };
	places[1] = (struct run_place){ 1, 0, 0, 0 };
	places[2] = (struct run_place){ 2, 3, 1, 0 };
	early[0] = (struct run_stretch){ 16 * PAGE, 4, 0 };
	late[0] = (struct run_stretch){ 16 * PAGE, 2, 1 };
	late[1] = (struct run_stretch){ 18 * PAGE, 1, RUN_NODE_UNTOUCHED };
	late[2] = (struct run_stretch){ 19 * PAGE, 1, 0 };
	/* shares a page with the other array */
	other[0] = (struct run_stretch){ 19 * PAGE, 3, 1 };
	placements[0] = (struct run_placement){ .array = 4, .nr_stretches = 1, .stretches = early };
	placements[1] = (struct run_placement){ .array = 4, .nr_stretches = 3, .stretches = late };
	placements[2] = (struct run_placement){ .array = 5, .nr_stretches = 1, .stretches = other };
	run = (struct run){ .places = places,
			    .nr_places = 3,
			    .placements = placements,
			    .nr_placements = 3,
			    .placing.page_bytes = PAGE };
}

TEST(measured_placement__threads_and_pages)
{
	static const struct simulation_home expected[] = {
		{ 16 * PAGE, 18 * PAGE, 1 },
		{ 19 * PAGE, 20 * PAGE, 0 },
		{ 20 * PAGE, 22 * PAGE, 1 },
	};
	struct placement placement = { .threads = 3, .interleave = true };

	begin();
	CHECK(placement_as_measured(arena_new(), &run, &model, &placement));
	CHECK_INT(placement.cores[0], 2);
	CHECK_INT(placement.cores[1], 0);
	CHECK_INT(placement.cores[2], 3);
	CHECK(!placement.interleave);
	CHECK_INT(placement.nr_homes, 3);
	for (size_t i = 0; i < 3; i++) {
		CHECK_INT(placement.homes[i].low, expected[i].low);
		CHECK_INT(placement.homes[i].high, expected[i].high);
		CHECK_INT(placement.homes[i].node, expected[i].node);
	}
	CHECK_STR(
		placement.words,
		"its threads run on the nodes where they were seen, and its pages lie where the kernel had them");
}

static void is_not_possible(int line)
{
	struct placement placement = { .threads = 3 };

	if (placement_as_measured(arena_new(), &run, &model, &placement) || placement.cores ||
	    placement.homes)
		test_fail(__FILE__, line, "a placement all the same");
	begin();
}

TEST(measured_placement__is_not_possible)
{
	begin();
	run.nr_placements = 0;
	is_not_possible(__LINE__);
	places[1].node = RUN_PLACE_UNKNOWN;
	is_not_possible(__LINE__);
	places[1].node = 1; /* three threads, two cores */
	is_not_possible(__LINE__);
	late[2].node = 2;
	is_not_possible(__LINE__);
	run.nr_places = 2;
	is_not_possible(__LINE__);
}
