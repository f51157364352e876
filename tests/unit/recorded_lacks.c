/* SPDX-License-Identifier: Apache-2.0 */
/* Which code a report without a cause must name, because its accesses are not known. */
#include "analysis/report/recorded.h"

#include "analysis/base/arena.h"
#include "memsearch/host.h"
#include "tests/unit/test.h"

enum { PHASE, TEAM, FIRST, SECOND, REGIONS };

static struct run_region regions[] = {
	{ .id = PHASE, .kind = MS_USER_REGION, .parent = MS_REGION_NONE },
	{ .id = TEAM, .kind = MS_PARALLEL_REGION, .parent = PHASE },
	{ .id = FIRST, .kind = MS_DO_REGION, .parent = TEAM },
	{ .id = SECOND, .kind = MS_DO_REGION, .parent = TEAM },
};
static struct run_access accesses[] = { { .array = UINT32_MAX, .region = TEAM, .reads = 1 },
					{ .array = UINT32_MAX, .region = FIRST, .reads = 1 },
					{ .array = UINT32_MAX, .region = SECOND, .reads = 1 } };
static struct run_missing missing[] = {
	{ TEAM, MS_METRIC_TOUCHED_LINES, MS_MISSING_NOT_WHOLE },
	{ SECOND, MS_METRIC_READS, MS_MISSING_BUDGET },
};

static struct run_measurement value(uint32_t region, enum ms_metric metric, double sum)
{
	return (struct run_measurement){
		.row = { .region = region, .metric = metric, .stat = { .count = 1, .sum = sum } },
		.phases = 1,
		.observed_ns = 100
	};
}

/* A team's burst that ended in its first loop, of three tenths of the time; the second has six. */
static const char *lacking(struct arena *arena, size_t nr_accesses, size_t nr_simulated)
{
	struct run_measurement rows[] = {
		value(TEAM, MS_METRIC_TIME, 95),     value(FIRST, MS_METRIC_TIME, 30),
		value(SECOND, MS_METRIC_TIME, 60),   value(TEAM, MS_METRIC_READS, 1000),
		value(FIRST, MS_METRIC_READS, 1000), value(SECOND, MS_METRIC_SIM_LOADS, 1000),
	};
	struct run run = { .regions = regions,
			   .nr_regions = REGIONS,
			   .accesses = accesses,
			   .nr_accesses = nr_accesses,
			   .measurements = rows,
			   .nr_measurements = 5 + nr_simulated,
			   .missing = missing,
			   .nr_missing = 2,
			   .cost.limit = 0.05 };
	const char *why = NULL, *text = recorded_lacks(arena, &run, &why);

	if (text)
		CHECK_STR(
			why,
			"the overhead limit left no room to measure it; --overhead 50% gives it more");
	return text ? text : "nothing";
}

TEST(recorded_lacks__constructs_behind_a_burst)
{
	struct arena *arena = arena_new();

	CHECK_HAS(lacking(arena, 2, 0), ", with 60 % of the time");
	/* some of its instructions were recorded, and no execution to simulate */
	CHECK_HAS(lacking(arena, 3, 0), ", with 60 % of the time");
	CHECK_STR(lacking(arena, 3, 1), "nothing");
	arena_free(arena);
}

/* The report has another sentence for that. */
TEST(recorded_lacks__where_nothing_was_recorded)
{
	struct arena *arena = arena_new();

	CHECK_STR(lacking(arena, 0, 0), "nothing");
	arena_free(arena);
}

/* Of the team's own code all was recorded; of the loop inside of it that was tried, and was not. */
TEST(recorded_lacks__constructs_that_could_not_be_recorded)
{
	struct arena *arena = arena_new();
	struct run_measurement rows[] = {
		value(TEAM, MS_METRIC_TIME, 95),
		value(SECOND, MS_METRIC_TIME, 60),
		value(TEAM, MS_METRIC_READS, 40),
	};
	struct run run = { .regions = regions,
			   .nr_regions = REGIONS,
			   .accesses = accesses,
			   .nr_accesses = 1,
			   .measurements = rows,
			   .nr_measurements = sizeof(rows) / sizeof(rows[0]),
			   .missing = &missing[1],
			   .nr_missing = 1 };
	const char *why;

	CHECK_HAS(recorded_lacks(arena, &run, &why), ", with 60 % of the time");
	run.nr_missing = 0; /* what is inside counts as the team's */
	CHECK(!recorded_lacks(arena, &run, &why));
	arena_free(arena);
}
