/* SPDX-License-Identifier: Apache-2.0 */
/* Which recorded executions count, and what is said of accesses that are not to be had. */
#define _GNU_SOURCE
#include "ompt_tool/recording/recording.h"

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "analysis/search/database.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/tracing.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/switching.h"
#include "ompt_tool/events/event.h"
#include "tests/unit/sampling.h"

static struct arena *arena;
static struct region_table *regions;
static struct database *db;
static struct recording *recording;
static struct region *stretch, *array; /* a serial one, and a data structure in it */
static struct thread *self;
static struct run run;
static void (*walk_clone)(void);
static volatile double values[1000];

/* This program calls no OpenMP runtime. */
bool switching_redirect(switching_translate *translate, struct switching_status *out)
{
	(void)translate;
	*out = (struct switching_status){ .slots = 1 };
	return true;
}

NOT_INSTRUMENTED static void walk(void)
{
	for (int i = 0; i < 1000; i++)
		values[i] = values[i] + 1;
}

static struct region *region(enum ms_region_kind kind, uint64_t construct, uint32_t parent)
{
	uint32_t id = region_table_get(regions, kind, construct, parent, &(bool){ false });
	struct region *made = region_table_at(regions, id);
	struct ms_region_info info = { .id = id, .parent = made->parent, .kind = kind };

	CHECK_THAT(database_region(db, &info), ==, MS_OK);
	return made;
}

static void begin_thread_here(void)
{
	struct clone_options options = { .probes = CLONE_ACCESSES, .runtime_calls_it = true };
	const struct clone *clone = clone_make((uintptr_t)walk, &options);

	self = thread_new(false);
	CHECK(clone && self);
	self->os_id = gettid();
	walk_clone = (void (*)(void))clone->code;
	self->summary = summary_new();
	CHECK(self->summary && sensor_accesses.thread_begin(self));
}

static void close_files(void *of)
{
	recording_rest(of);
}

static void start(void)
{
	struct ms_region_info user = { .parent = MS_REGION_NONE, .kind = MS_USER_REGION };
	struct sensor_status status[MS_SENSORS];
	struct ms_request request = { .metric = MS_METRIC_READS,
				      .thread = MS_REQUEST_ALL_THREADS,
				      .flags = MS_REQUEST_SUBREGIONS };

	if (clone_unsupported())
		test_skip("%s", clone_unsupported());
	sensors_probe(status);
	arena = arena_new();
	regions = arena_alloc(arena, region_table_bytes());
	db = database_new(arena);
	CHECK(regions && db);
	region_table_init(regions);
	accesses_configure(regions);
	CHECK_THAT(database_region(db, &user), ==, MS_OK);
	stretch = region(MS_SERIAL_REGION, 0x1000, 0);
	array = region(MS_DATA_STRUCTURE, 1, stretch->id);
	request.region = stretch->id;
	database_requests(db, &request, 1);
	stretch->requests = ACCESSES_BIT;
	begin_thread_here();
	recording = recording_new(arena, regions, &run, status[MS_SENSOR_ACCESSES].works);
	CHECK(recording != NULL);
	test_at_end(close_files, recording);
	recording_prepare(recording);
	recording_select(recording, true);
}

/* What the thread accesses in the stretch, as the search gets to know it. */
static void execution(void)
{
	enter(&sensor_accesses, self, stretch->id);
	walk_clone();
	leave(&sensor_accesses, self);
}

static void keep_row(void *ctx, const struct ms_measurement *row)
{
	if (row->region != stretch->id)
		return;
	*(uint32_t *)ctx += row->metric == MS_METRIC_READS;
	CHECK_THAT(database_add(db, row), ==, MS_OK);
}

static void store(void)
{
	uint32_t rows = 0;

	database_execution_begin(db);
	summary_fold(self->summary, 0, keep_row, &rows);
	database_execution_end(db, 1000, 1);
	CHECK_THAT(rows, >, 0);
}

static void count_row(void *ctx, const struct access_row *row, uint32_t executions)
{
	*(uint32_t *)ctx += row->counts.reads + row->counts.writes > 0 && executions > 0;
}

static uint32_t rows_told(void)
{
	uint32_t nr = 0;

	accesses_each(self, count_row, &nr);
	return nr;
}

static enum ms_missing why(const struct region *of)
{
	return database_missing_why(db, of->id, MS_METRIC_READS);
}

/* A thread that ended before the limit has told what it accessed, the others have not. */
TEST(recording__an_execution_that_takes_too_much_is_left_out)
{
	start();
	accesses_allow(1e15);
	execution();
	CHECK_THAT(rows_told(), >, 0);
	CHECK(!recording_used_up(recording));
	CHECK(!recording_settling(recording, db));
	accesses_allow(-1);
	execution();
	CHECK(recording_used_up(recording));
	CHECK(recording_settling(recording, db));
	recording_drop(recording, db);
	CHECK_INT(why(stretch), MS_PRESENT); /* it may be had later */
	CHECK_INT(rows_told(), 0);
	recording_select(recording, false);
	CHECK(!recording_used_up(recording)); /* of what is asked for now */
	CHECK(!recording_settling(recording, db));
}

TEST(recording__values_of_an_execution_before_stay)
{
	start();
	accesses_allow(1e15);
	execution();
	CHECK(!recording_settling(recording, db));
	store();
	CHECK(!recording_check(recording, db));
	accesses_allow(-1);
	execution();
	CHECK(recording_settling(recording, db));
	recording_drop(recording, db);
	CHECK_INT(why(stretch), MS_PRESENT);
	CHECK_INT(why(array), MS_PRESENT);
	CHECK_THAT(rows_told(), >, 0);
}

/* A thread that never gets into a clone leaves a part of the values, which are none. */
TEST(recording__where_a_thread_stays_outside_nothing_is_told)
{
	int left_out = 0;

	start();
	recording_check(recording, db);
	execution();
	__atomic_fetch_add(&stretch->unrecorded, 1, __ATOMIC_RELAXED);
	for (; recording_settling(recording, db); left_out++)
		__atomic_fetch_add(&stretch->unrecorded, 1, __ATOMIC_RELAXED);
	CHECK_THAT(left_out, >, 0);
	CHECK_INT(why(stretch), MS_MISSING_NOT_RECORDED);
	CHECK_INT(rows_told(), 0);
	recording_check(recording, db);
	CHECK_INT(why(array), MS_MISSING_NOT_RECORDED);
}

/*
 * The stretch waits for code that became known just now; the team has all its values, which another
 * execution, that there is no time for, would not have.
 */
TEST(recording__what_there_is_no_time_to_repeat_is_kept)
{
	struct region *team;

	if (SANITIZED)
		test_skip("a sanitizer's signal handler keeps bodies of teams from being recorded");
	start();
	team = region(MS_PARALLEL_REGION, 0x2000, 0);
	team->requests = ACCESSES_BIT;
	region_note_body(team, (uintptr_t)walk);
	accesses_allow(20e6);
	recording_select(recording, true);
	accesses_charge(self, 2e6);
	stretch->unrecorded++;
	CHECK(recording_settling(recording, db)); /* 18 ms are left */
	accesses_charge(self, 17e6);
	stretch->unrecorded++;
	CHECK(!recording_settling(recording, db));
	CHECK_INT(why(stretch), MS_MISSING_BUDGET);
	CHECK_INT(why(team), MS_PRESENT);
}

/* Without a value of any team there is nothing to keep. */
TEST(recording__an_execution_without_values_is_repeated)
{
	start();
	accesses_allow(20e6);
	recording_select(recording, true);
	accesses_charge(self, 19e6);
	stretch->unrecorded++;
	CHECK(recording_settling(recording, db));
	CHECK_INT(why(stretch), MS_PRESENT);
}
