/* SPDX-License-Identifier: Apache-2.0 */
/* Waits by type, class, object and place, from measurements with known answers. */
#include "analysis/report/sync_objects.h"

#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "tests/unit/test.h"

enum { USER, PARALLEL, BARRIER, INSERT, LOOKUP, FIRST, SECOND, AT_FIRST, AT_SECOND, REGIONS };

static struct run_region regions[REGIONS];
static struct run_measurement rows[32];
static struct run run;

static void region(uint32_t id, enum ms_region_kind kind, uint32_t parent, uint32_t mutex,
		   const char *function, int line)
{
	regions[id] = (struct run_region){
		.id = id,
		.parent = id ? parent : MS_REGION_NONE,
		.kind = kind,
		.mutex = mutex,
		.resolved = true,
		.source = { .function = function, .file = "t.c", .line = line, .module = "t" },
	};
}

/* Over 10 executions of the phase, of 1 us each. */
static void measured(uint32_t of, uint32_t metric, uint64_t count, double sum)
{
	rows[run.nr_measurements++] = (struct run_measurement){
		.row = { .region = of, .metric = metric, .stat = { .count = count, .sum = sum } },
		.phases = 10,
		.observed_ns = 10000,
	};
}

static void lock(uint32_t of, double acquisitions, double waited, double held)
{
	measured(of, MS_METRIC_LOCK_ACQUISITIONS, 1, acquisitions);
	measured(of, MS_METRIC_LOCK_WAIT, 1, waited);
	measured(of, MS_METRIC_LOCK_HELD, 1, held);
}

/* INSERT takes both locks of an array, LOOKUP the second one alone. */
static void make(void)
{
	run = (struct run){
		.regions = regions, .nr_regions = REGIONS, .measurements = rows, .threads = 2
	};
	region(USER, MS_USER_REGION, 0, 0, NULL, 0);
	region(PARALLEL, MS_PARALLEL_REGION, USER, 0, "main", 5);
	region(BARRIER, MS_BARRIER_REGION, PARALLEL, 0, "main", 9);
	region(INSERT, MS_LOCK_REGION, PARALLEL, 0, "insert", 20);
	region(LOOKUP, MS_LOCK_REGION, PARALLEL, SECOND, "lookup", 30);
	region(FIRST, MS_MUTEX, USER, 0, NULL, 0);
	region(SECOND, MS_MUTEX, USER, 0, NULL, 0);
	region(AT_FIRST, MS_MUTEX, INSERT, FIRST, NULL, 0);
	region(AT_SECOND, MS_MUTEX, INSERT, SECOND, NULL, 0);
	regions[FIRST].name = regions[AT_FIRST].name = "locks[0]";
	regions[SECOND].name = regions[AT_SECOND].name = "locks[1]";
	lock(INSERT, 60, 5000, 600);
	lock(FIRST, 20, 1000, 200);
	lock(AT_FIRST, 19, 900, 190);
	lock(AT_SECOND, 40, 4000, 400);
	lock(LOOKUP, 10, 0, 20);
	measured(BARRIER, MS_METRIC_BARRIER_WAIT, 20, 2000);
}

static void check_row(const struct sync_row *row, const char *names, double waiting, double entries,
		      double held)
{
	char text[128];

	snprintf(text, sizeof(text), "%s/%s/%s/%s", row->type, row->class ? row->class : "-",
		 row->object ? row->object : "-", row->place ? row->place : "-");
	CHECK_STR(text, names);
	CHECK_NEAR(row->waiting_ns, waiting, 1e-9);
	CHECK_NEAR(row->entries, entries, 1e-9);
	if (isnan(held))
		CHECK(isnan(row->held_ns));
	else
		CHECK_NEAR(row->held_ns, held, 1e-9);
}

/* A lock has its own values where it was measured, else those of its places. */
TEST(sync_objects__type_class_object_place)
{
	struct arena *arena = arena_new();
	const struct sync_row *row;

	make();
	CHECK_INT(sync_rows_of(arena, &run, &row), 11);
	check_row(&row[0], "lock/-/-/-", 500, 7, 620.0 / 70);
	check_row(&row[1], "lock/locks/-/-", 500, 7, 620.0 / 70);
	check_row(&row[2], "lock/locks/locks[1]/-", 400, 5, 420.0 / 50);
	check_row(&row[3], "lock/locks/locks[1]/insert (t.c:20)", 400, 4, 10);
	check_row(&row[4], "lock/locks/locks[1]/lookup (t.c:30)", 0, 1, 2);
	check_row(&row[5], "lock/locks/locks[0]/-", 100, 2, 10);
	check_row(&row[6], "lock/locks/locks[0]/insert (t.c:20)", 90, 1.9, 10);
	check_row(&row[7], "barrier/-/-/-", 200, 2, NAN);
	check_row(&row[10], "barrier/main/t.c:9/main (t.c:9)", 200, 2, NAN);
	CHECK_NEAR(row[0].share, 0.25, 1e-9); /* 5000 of 2 threads' 10000 ns */
	CHECK_INT(row[3].region, INSERT);
	arena_free(arena);
}

/* What was not measured is no 0. */
TEST(sync_objects__not_measured)
{
	struct arena *arena = arena_new();
	const struct sync_row *row;

	make();
	run.nr_measurements = 0;
	CHECK_INT(sync_rows_of(arena, &run, &row), 11);
	CHECK(isnan(row[0].waiting_ns) && isnan(row[0].share) && isnan(row[0].entries) &&
	      isnan(row[0].held_ns));
	arena_free(arena);
}
