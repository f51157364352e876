/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of a database: a copy that makes them has the same values; bad ones are refused. */
#include "analysis/search/database_changes.h"

#include <math.h>
#include <string.h>

#include "analysis/search/database_reading.h"
#include "tests/unit/search.h"

static void copy_change(void *ctx, const struct database_change *change)
{
	CHECK_INT(database_copy_change(ctx, change), MS_OK);
}

static void check_same(const struct database *a, const struct database *b, uint32_t region_id,
		       uint32_t thread, uint32_t metric)
{
	struct ms_reading one = database_reading(a, DATABASE_ALL_BATCHES, region_id, thread,
						 metric),
			  other = database_reading(b, DATABASE_ALL_BATCHES, region_id, thread,
						   metric);

	CHECK_INT(one.missing, other.missing);
	if (one.missing == MS_PRESENT) {
		CHECK_NEAR(one.value, other.value, 0);
		CHECK_NEAR(one.error, other.error, 0);
	}
}

static void execute(struct database *db, double wall, double time)
{
	database_execution_begin(db);
	row(db, 1, 0, MS_METRIC_TIME, time);
	row(db, 1, 1, MS_METRIC_BARRIER_WAIT, time / 3);
	database_execution_end(db, wall, 1);
}

TEST(database_changes__a_copy_has_the_same_values)
{
	struct arena *arena = arena_new();
	struct database *db = database_new(arena), *other = database_new(arena);
	struct database_copy copy = { .db = other, .arena = arena };

	region(db, 0, MS_REGION_NONE, MS_USER_REGION);
	region(db, 1, 0, MS_PARALLEL_REGION);
	database_constant(db, "line_size", 64);
	database_timed_constant(db, "fault_cost", 600, 30);
	database_missing(db, MS_REGION_NONE, MS_METRIC_LOADS, MS_MISSING_NOT_PERMITTED);
	request(db, 1, MS_METRIC_TIME, 0);
	execute(db, 100, 90); /* before: not in the copy */
	database_missing(db, 1, MS_METRIC_STORES, MS_MISSING_LOST);
	database_clear(db);
	database_describe(db, copy_change, &copy);
	database_follow(db, copy_change, &copy);
	request(db, 0, MS_METRIC_TIME, MS_REQUEST_SUBREGIONS);
	region(db, 2, 1, MS_DO_REGION);
	for (int i = 1; i < 10; i++)
		execute(db, 100, 50 + i);
	database_constant(db, "phase_threads", 3);
	database_forget(db, MS_METRIC_BARRIER_WAIT);
	for (uint32_t region_id = 0; region_id < 3; region_id++)
		for (uint32_t thread = 0; thread < 2; thread++)
			for (uint32_t metric = 0; metric < MS_METRICS; metric++)
				check_same(db, other, region_id, thread, metric);
	check_same(db, other, 1, 0, MS_METRIC_TIME);
	CHECK_INT(database_reading(other, DATABASE_ALL_BATCHES, 1, 0, MS_METRIC_TIME).missing,
		  MS_PRESENT);
	CHECK_NEAR(database_phase_ns(other), 100, 0);
	CHECK_INT(database_missing_why(other, 0, MS_METRIC_LOADS), MS_MISSING_NOT_PERMITTED);
	CHECK_INT(database_missing_why(other, 1, MS_METRIC_STORES), MS_MISSING_LOST);
	CHECK_INT(database_regions(other), 3);
	database_follow(db, NULL, NULL);
	execute(db, 100, 60);
	CHECK_INT(database_executions(other), database_executions(db) - 1);
}

#define ROW(...) \
	{ \
		.kind = DATABASE_ROW, .of.row = { __VA_ARGS__ } \
	}
#define STAT(...) .stat = { __VA_ARGS__ }

TEST(database_changes__bad_values_are_refused)
{
	static const struct {
		const char *name;
		struct database_change change;
	} bad[] = {
		{ "no kind", { .kind = DATABASE_CHANGES } },
		{ "no kind at all", { .kind = UINT32_MAX } },
		{ "region not dense", { .kind = DATABASE_REGION, .of.info = { .id = 7 } } },
		{ "region beyond the most",
		  { .kind = DATABASE_REGION, .of.info = { .id = MS_REGION_MAX } } },
		{ "region of no kind",
		  { .kind = DATABASE_REGION, .of.info = { .id = 1, .kind = MS_REGION_KINDS } } },
		{ "region below itself",
		  { .kind = DATABASE_REGION,
		    .of.info = { .id = 1, .parent = 1, .kind = MS_DO_REGION } } },
		{ "row of no region", ROW(.region = 2, STAT(.count = 1)) },
		{ "row of no metric", ROW(.metric = MS_METRICS, STAT(.count = 1)) },
		{ "row of nothing", ROW(STAT(.count = 0)) },
		{ "row of too much", ROW(STAT(.count = UINT64_MAX)) },
		{ "sum not a number", ROW(STAT(.count = 1, .sum = NAN)) },
		{ "sum not finite", ROW(STAT(.count = 1, .sum = INFINITY)) },
		{ "most below least", ROW(STAT(.count = 1, .min = 2, .max = 1)) },
		{ "no execution", { .kind = DATABASE_EXECUTION } },
		{ "time below 0", { .kind = DATABASE_EXECUTION, .of.execution = { -1, 1 } } },
		{ "time not a number", { .kind = DATABASE_EXECUTION, .of.execution = { NAN, 1 } } },
		{ "request of no metric",
		  { .kind = DATABASE_REQUEST, .of.request = { .metric = MS_METRICS } } },
		{ "request of no region",
		  { .kind = DATABASE_REQUEST, .of.request = { .region = 2 } } },
		{ "missing for no reason",
		  { .kind = DATABASE_MISSING, .why = MS_MISSING_REASONS } },
		{ "missing in no region", { .kind = DATABASE_MISSING, .region = 2 } },
		{ "constructs of no region", { .kind = DATABASE_DROP, .region = 2 } },
		{ "constant without name",
		  { .kind = DATABASE_CONSTANT, .of.constant = { .rung = MS_RUNG_COUNTED } } },
		{ "constant of no rung",
		  { .kind = DATABASE_CONSTANT, .of.constant = { .name = "n", .rung = 99 } } },
		{ "constant not a number",
		  { .kind = DATABASE_CONSTANT,
		    .of.constant = { .name = "n", .value = NAN, .rung = MS_RUNG_COUNTED } } },
		{ "period below 0", { .kind = DATABASE_SAMPLE_PERIOD, .of.sample_period = -1 } },
	};
	struct arena *arena = arena_new();
	struct database *db = database_new(arena);
	struct database_copy copy = { .db = db, .arena = arena };
	struct database_change unended = { .kind = DATABASE_CONSTANT,
					   .of.constant = { .rung = MS_RUNG_COUNTED } };

	region(db, 0, MS_REGION_NONE, MS_USER_REGION);
	region(db, 1, 0, MS_PARALLEL_REGION);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (database_copy_change(&copy, &bad[i].change) != MS_ERR_INVALID)
			test_fail(__FILE__, __LINE__, "%s is not refused", bad[i].name);
	memset(unended.of.constant.name, 'n', sizeof(unended.of.constant.name));
	CHECK_INT(database_copy_change(&copy, &unended), MS_ERR_INVALID);
	CHECK_INT(database_regions(db), 2);
	CHECK_INT(database_executions(db), 0);
}
