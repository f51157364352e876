/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First touches beside accesses: what the performance database knows of a structure after a
 * recorded execution.
 */
#include "ompt_tool/session/first_touch_rows.h"

#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "analysis/search/database.h"
#include "analysis/search/database_reading.h"
#include "ompt_tool/session/inventory.h"
#include "ompt_tool/regions/region_table.h"
#include "ompt_tool/process/run_modules.h"
#include "tests/unit/test.h"

#define BYTES (30 * 4096)

/* by this thread, before an inventory begins */
static volatile char touched[BYTES] __attribute__((aligned(4096)));
static volatile char fresh[BYTES] __attribute__((aligned(4096))); /* where nobody sees it */

enum { PHASE, LOOP, TOUCHED, FRESH, INNER, TOUCHED_INSIDE };

struct program {
	struct arena *arena;
	struct database *db;
	struct touching *touching;
};

static void write_to(volatile char *bytes)
{
	for (int i = 0; i < BYTES; i += 64)
		bytes[i] = 1;
}

static uint32_t array_of(const struct run *run, const char *name)
{
	for (size_t i = 0; i < run->nr_arrays; i++)
		if (!strcmp(run->arrays[i].name, name))
			return run->arrays[i].id;
	test_fail(__FILE__, __LINE__, "%s is not among %zu arrays", name, run->nr_arrays);
	return 0;
}

static void region(struct program *program, struct region_table *table, enum ms_region_kind kind,
		   uint64_t construct, uint32_t parent)
{
	bool new;
	uint32_t id = region_table_get(table, kind, construct, parent, &new);
	struct ms_region_info info = { .id = id, .parent = parent, .kind = kind };

	CHECK_INT(database_region(program->db, &info), MS_OK);
}

static void request_accesses(struct database *db)
{
	struct ms_request requests[MS_METRICS];
	size_t nr = 0;

	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (ms_metric_info(metric)->sensor == MS_SENSOR_ACCESSES)
			requests[nr++] = (struct ms_request){ .metric = metric,
							      .region = LOOP,
							      .thread = MS_REQUEST_ALL_THREADS,
							      .flags = MS_REQUEST_SUBREGIONS,
							      .kinds = MS_REQUEST_ALL_KINDS };
	database_requests(db, requests, nr);
}

/* A loop that uses both arrays; thread 0 touched the one. */
static struct program begin(void)
{
	struct program program = { .arena = arena_new(), .db = database_new(arena_new()) };
	struct region_table *table = arena_alloc(program.arena, region_table_bytes());
	struct ms_region_info user = { .id = PHASE,
				       .parent = MS_REGION_NONE,
				       .kind = MS_USER_REGION };
	struct inventory *inventory;
	struct run run = { 0 };

	if (sysconf(_SC_PAGESIZE) != 4096)
		test_skip("pages are not of 4 KiB here");
	if (THREAD_SANITIZED)
		test_skip("ThreadSanitizer has a thread of its own, which may have been first");
	if (access("/proc/self/pagemap", R_OK))
		test_skip("/proc/self/pagemap is not permitted here");
	write_to(touched);
	inventory = inventory_new(program.arena);
	write_to(fresh);
	CHECK_INT(run_modules_update(&run, program.arena), MS_OK);
	inventory_update(inventory, &run);
	CHECK_INT(inventory_harvest(inventory, &run, program.arena, NULL), MS_OK);
	region_table_init(table);
	CHECK_INT(database_region(program.db, &user), MS_OK);
	region(&program, table, MS_DO_REGION, 0x1000, PHASE);
	region(&program, table, MS_DATA_STRUCTURE, array_of(&run, "touched") + 1, LOOP);
	region(&program, table, MS_DATA_STRUCTURE, array_of(&run, "fresh") + 1, LOOP);
	region(&program, table, MS_LOOP_REGION, 0x1100, LOOP);
	region(&program, table, MS_DATA_STRUCTURE, array_of(&run, "touched") + 1, INNER);
	program.touching = touching_new(program.arena, table, inventory);
	request_accesses(program.db);
	return program;
}

static void reads(struct program *program, uint32_t region, uint32_t thread, double values)
{
	struct ms_measurement row = { .region = region,
				      .thread = thread,
				      .metric = MS_METRIC_READS };

	ms_stat_add(&row.stat, values);
	database_add(program->db, &row);
	touching_note(program->touching, &row);
}

static struct ms_reading reading(const struct program *program, uint32_t region, uint32_t thread,
				 uint32_t metric)
{
	return database_reading(program->db, DATABASE_ALL_BATCHES, region, thread, metric);
}

static void expect(const struct program *program, uint32_t thread, uint32_t metric, double value)
{
	struct ms_reading got = reading(program, TOUCHED, thread, metric);

	CHECK_INT(got.missing, MS_PRESENT);
	CHECK_NEAR(got.value, value, 0);
}

TEST(touching__who_accesses_and_who_touched)
{
	struct program program = begin();

	reads(&program, LOOP, 1, 50);
	reads(&program, TOUCHED, 2, 300);
	reads(&program, TOUCHED, 1, 100);
	touching_rows(program.touching, program.db);
	database_execution_end(program.db, 1e6, 1);
	expect(&program, 0, MS_METRIC_FIRST_TOUCHED, BYTES);
	expect(&program, 1, MS_METRIC_FIRST_TOUCHED, 0);
	expect(&program, 2, MS_METRIC_FIRST_TOUCHED, 0);
	expect(&program, 0, MS_METRIC_READS, 0);
	expect(&program, 0, MS_METRIC_STRIDED, 0);
	expect(&program, 1, MS_METRIC_READS, 100);
	expect(&program, 2, MS_METRIC_READS, 300);
	CHECK_INT(database_threads(program.db, TOUCHED, NULL, 0), 3);
	CHECK_THAT(reading(&program, LOOP, 1, MS_METRIC_FIRST_TOUCHED).missing, !=, MS_PRESENT);
}

/* Rows of several arrays and regions come in any order. */
TEST(touching__each_region_of_an_array_is_told)
{
	struct program program = begin();

	reads(&program, TOUCHED_INSIDE, 1, 70);
	reads(&program, FRESH, 2, 10);
	reads(&program, TOUCHED, 1, 100);
	reads(&program, TOUCHED_INSIDE, 2, 30);
	touching_rows(program.touching, program.db);
	database_execution_end(program.db, 1e6, 1);
	expect(&program, 0, MS_METRIC_FIRST_TOUCHED, BYTES);
	expect(&program, 1, MS_METRIC_READS, 100);
	CHECK_INT(database_threads(program.db, TOUCHED, NULL, 0), 2);
	CHECK_INT(database_threads(program.db, TOUCHED_INSIDE, NULL, 0), 3);
	CHECK_NEAR(reading(&program, TOUCHED_INSIDE, 0, MS_METRIC_FIRST_TOUCHED).value, BYTES, 0);
	CHECK_NEAR(reading(&program, TOUCHED_INSIDE, 0, MS_METRIC_READS).value, 0, 0);
	CHECK_NEAR(reading(&program, TOUCHED_INSIDE, 2, MS_METRIC_READS).value, 30, 0);
	CHECK_INT(reading(&program, FRESH, 2, MS_METRIC_FIRST_TOUCHED).missing, MS_MISSING_UNSEEN);
}

TEST(touching__again_it_is_the_same)
{
	struct program program = begin();

	for (int i = 0; i < 3; i++) {
		reads(&program, TOUCHED, 0, 100);
		reads(&program, TOUCHED, 1, 100);
		touching_rows(program.touching, program.db);
		database_execution_end(program.db, 1e6, 1);
	}
	expect(&program, 0, MS_METRIC_FIRST_TOUCHED, BYTES);
	expect(&program, 1, MS_METRIC_FIRST_TOUCHED, 0);
	expect(&program, 0, MS_METRIC_READS, 100);
}

TEST(touching__what_nobody_saw_is_missing)
{
	struct program program = begin();

	reads(&program, FRESH, 0, 100);
	touching_rows(program.touching, program.db);
	database_execution_end(program.db, 1e6, 1);
	CHECK_INT(reading(&program, FRESH, 0, MS_METRIC_FIRST_TOUCHED).missing, MS_MISSING_UNSEEN);
	CHECK_INT(reading(&program, FRESH, 0, MS_METRIC_READS).missing, MS_PRESENT);
}

TEST(touching__an_execution_that_is_left_out_tells_nothing)
{
	struct program program = begin();

	reads(&program, TOUCHED, 1, 100);
	touching_rows(program.touching, NULL);
	touching_rows(program.touching, program.db);
	database_execution_end(program.db, 1e6, 1);
	CHECK_THAT(reading(&program, TOUCHED, 0, MS_METRIC_FIRST_TOUCHED).missing, !=, MS_PRESENT);
}
