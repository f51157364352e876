/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters from the fake host's events to the search: turns, theft, threads without counters, and
 * what the record says.
 */
#include "tests/host/fake/tool.c"
#include "tests/host/host.h"
#include "tests/unit/fake_counters.h"
#include "tests/unit/search.h"

#include "analysis/options/options.h"
#include "analysis/record/run.h"
#include "analysis/search/database_reading.h"
#include "ompt_tool/session/inventory.h"
#include "ompt_tool/session/experiment.h"
#include "ompt_tool/session/sensors.h"

#define THREADS 3
#define PARALLEL 0x1000u
#define LOOP 0x1100u

/* The sensors of these tests: the clock, and counters over the fake machine. */
extern const struct sensor sensor_clock;
const struct sensor *const sensors[MS_SENSORS] = {
	[MS_SENSOR_CLOCK] = &sensor_clock, [MS_SENSOR_COUNTERS] = &sensor_counters
};
static struct sensor_status statuses[MS_SENSORS];

bool sensor_works(enum ms_sensor_id id)
{
	return statuses[id].works;
}

static const struct counter_backend *const backends[] = { &fake_backend };
static struct counter_config config = { .backends = backends, .nr = 1, .table = fake_table };

/* Behind what the core has configured. */
void sensors_probe(struct sensor_status status[MS_SENSORS])
{
	plan_configure(&config);
	sensor_clock.probe(&statuses[MS_SENSOR_CLOCK]);
	sensor_counters.probe(&statuses[MS_SENSOR_COUNTERS]);
	memcpy(status, statuses, sizeof(statuses));
}

static const struct event_metric metrics[] = {
	FAKE_METRIC(CYCLES, { "0", 1 }),
	FAKE_METRIC(INSTRUCTIONS, { "1", 1 }),
	FAKE_METRIC(STALL_CYCLES, { "2", 1 }),
	FAKE_METRIC(LOADS, { "3", 1 }),
	FAKE_METRIC(STORES, { "4", 1 }, { "5", 0.5 }),
	FAKE_METRIC(L1D_MISSES, { "6", 1 }),
};
static const struct event_table table = {
	.names = (const char *const[]){ "a" },
	.nr_names = 1,
	.metrics = metrics,
	.nr_metrics = sizeof(metrics) / sizeof(metrics[0]),
};
static struct fake_files files = { &table, 1 };

static struct host_thread threads[THREADS];
static struct host_task tasks[THREADS], initial_task;
static struct host_team team;
static struct arena *arena;
static struct database *db, *other;
static struct experiment *experiment;
static struct engine *engine;
static struct run run;
static uint64_t boundaries;

static void begin_sensors(const char *events, double at_once)
{
	struct sensor_record to = { .arena = arena,
				    .run = &run,
				    .regions = segment_regions(core_segment()) };

	CHECK(sensors_begin(&to,
			    &(struct options){ .event = events, .counters_at_once = at_once }));
}

static void harvest(void)
{
	struct sensor_record to = { .arena = arena,
				    .run = &run,
				    .regions = segment_regions(core_segment()) };

	CHECK_INT(sensors_harvest(&to, NULL, true), MS_OK);
}

/* `at_once` events fit; `events` as with --event; `properties` that the search asks about. */
static void start(size_t at_once, const char *events, const char *properties)
{
	struct ms_region_info user = { .parent = MS_REGION_NONE, .kind = MS_USER_REGION };
	struct engine_config search;

	fake.starts = true;
	fake.tables[0] = (struct counter_table){ .name = "a", .core = true };
	fake.nr_tables = 1;
	fake.most_at_once = at_once;
	fake.step_ns = 1000;
	for (uint64_t i = 0; i < FAKE_EVENTS; i++)
		fake.events[i].step = 10 * (i + 1);
	config.ctx = &files;
	config.events = events;
	fake_time(1000);
	fake_online.off = 1;
	CHECK(host_start(core_start));
	arena = arena_new();
	db = database_new(arena);
	other = database_new(arena);
	database_region(db, &user);
	begin_sensors(events, 0);
	experiment = experiment_new(arena, core_segment(), &run, inventory_new(arena));
	engine_config_init(&search);
	sensors_configure_search(&search);
	engine = engine_new(arena, &search, properties_of(arena, properties), db,
			    &strategy_of_bricks);
	sensors_describe(db, true);
	events_enable(true);
	host_thread_begin(&threads[0], ompt_thread_initial);
	host_initial_task(&initial_task);
	for (int i = 1; i < THREADS; i++)
		host_thread_begin(&threads[i], ompt_thread_worker);
}

/*
 * A parallel region with a loop on each thread: a counter is read at the begin and the end of both.
 */
static void program(void)
{
	host_on(&threads[0]);
	host_parallel_begin(&team, THREADS, PARALLEL);
	for (unsigned int i = 0; i < THREADS; i++) {
		host_on(&threads[i]);
		host_implicit_begin(&team, &tasks[i], i);
		host_work(ompt_work_loop_static, ompt_scope_begin, 100, LOOP);
		fake_pass(1000);
		host_work(ompt_work_loop_static, ompt_scope_end, 0, LOOP);
	}
	for (unsigned int i = THREADS; i-- > 0;) {
		host_on(&threads[i]);
		host_arrive();
	}
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&tasks[0], 0);
	host_parallel_end(&team);
}

static void ask(void)
{
	const struct ms_request *requests;
	size_t nr = engine_requests(engine, &requests);

	database_requests(db, requests, nr);
	experiment_request(experiment, requests, nr);
}

/* True: what can be had has changed. */
static bool execution(void)
{
	struct engine_cost cost;
	bool changed;

	program();
	experiment_execution(experiment, db, 30e6, 1, &cost);
	changed = sensors_check((struct database *const[]){ db, other }, 2, db);
	cost.tool_ns = 0; /* the test's time is not the program's */
	if (engine_execution_done(engine, &cost))
		ask();
	boundaries++;
	return changed;
}

static void executions(int nr)
{
	ask();
	while (nr-- > 0)
		execution();
}

static uint32_t loop(void)
{
	uint32_t parallel = fake_region(MS_PARALLEL_REGION, PARALLEL, 0);

	return fake_region(MS_DO_REGION, LOOP, parallel);
}

static struct ms_reading reading(uint32_t region, uint32_t thread, uint32_t metric)
{
	return database_reading(db, DATABASE_ALL_BATCHES, region, thread, metric);
}

static const struct run_counter *counter(uint32_t metric)
{
	for (size_t i = 0; i < run.nr_counters; i++)
		if (run.counters[i].metric == metric)
			return &run.counters[i];
	test_fail(__FILE__, __LINE__, "no row for %s", ms_metric_info(metric)->name);
}

#define ABOUT(name, kind, value) \
	"PROPERTY " name "(Region r, Phase p) { TITLE \"t\"; KINDS " kind "; LET all = " value \
	"; IN\n" \
	"CONDITION: all > 1e12; CONFIDENCE: 1; SEVERITY: 1; EXPLANATION \"e\"; ADVICE \"a\"; }\n"

TEST(available_counters__the_user_s_event_is_counted_everywhere)
{
	start(4, "7,a::9", "");
	executions(40);
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		CHECK_NEAR(reading(loop(), thread, MS_METRIC_EVENT_1).value, 80, 1e-9);
		/*
		 * the machine's events go on with everybody's readings: those of the threads in
		 * between are four each
		 */
		CHECK_NEAR(reading(fake_region(MS_PARALLEL_REGION, PARALLEL, 0), thread,
				   MS_METRIC_EVENT_1)
				   .value,
			   (3 + 4 * (2 - (double)thread)) * 80, 1e-9);
		CHECK_THAT(reading(MS_REGION_USER, thread, MS_METRIC_EVENT_2).value, >=,
			   (3 + 4 * (2 - (double)thread)) * 100);
	}
	CHECK_STR(counter(MS_METRIC_EVENT_1)->event, "7");
	CHECK_STR(counter(MS_METRIC_EVENT_2)->event, "a::9");
	CHECK_STR(counter(MS_METRIC_EVENT_2)->formula, "a::9");
	CHECK_STR(counter(MS_METRIC_STORES)->formula, "a::4 + 0.5 * a::5");
	CHECK_INT(counter(MS_METRIC_HITM)->why, MS_MISSING_UNSUPPORTED);
	CHECK_INT(database_missing_why(db, 0, MS_METRIC_HITM), MS_MISSING_UNSUPPORTED);
	CHECK_STR(run.counting.backend, "fake");
	CHECK_STR(run.counting.table, "a");
	harvest();
	CHECK_INT(run.counting.at_once, 2);
	CHECK_INT(run.counting.sets, 1);
}

TEST(available_counters__metrics_take_turns)
{
	static const uint32_t asked[] = { MS_METRIC_CYCLES, MS_METRIC_INSTRUCTIONS,
					  MS_METRIC_STALL_CYCLES, MS_METRIC_LOADS };
	static const double values[] = { 10, 20, 30, 40 };

	start(2, "",
	      ABOUT("A", "DO_REGION", "sum(r.cycles) + sum(r.instructions)")
		      ABOUT("B", "DO_REGION", "sum(r.stall_cycles) + sum(r.loads)"));
	executions(60);
	for (size_t i = 0; i < 4; i++)
		for (uint32_t thread = 0; thread < THREADS; thread++)
			CHECK_NEAR(reading(loop(), thread, asked[i]).value, values[i], 1e-9);
	harvest();
	CHECK_INT(run.counting.at_once, 2);
	CHECK_THAT(run.counting.sets, >=, 2);
}

/* The user may leave counters to others. */
TEST(available_counters__no_more_than_the_user_wants)
{
	uint32_t two[] = { MS_METRIC_EVENT_1, MS_METRIC_EVENT_2 };
	struct engine_config search;

	start(4, "7,8", "");
	memset(&run, 0, sizeof(run));
	begin_sensors("7,8", 1);
	sensors_configure_search(&search);
	CHECK(search.fits(search.fits_ctx, two, 1) && search.fits(search.fits_ctx, two + 1, 1));
	CHECK(!search.fits(search.fits_ctx, two, 2));
}

/* stores takes two events: alone it fits, but not beside another one. */
TEST(available_counters__a_sum_of_events_needs_as_many_counters)
{
	start(2, "", ABOUT("A", "DO_REGION", "sum(r.cycles) + sum(r.stores)"));
	executions(30);
	CHECK_NEAR(reading(loop(), 1, MS_METRIC_STORES).value, 50 + 0.5 * 60, 1e-9);
	CHECK_NEAR(reading(loop(), 1, MS_METRIC_CYCLES).value, 10, 1e-9);
	harvest();
	CHECK_INT(run.counting.at_once, 1);
}

TEST(available_counters__what_needs_too_many_counters_is_missing)
{
	start(1, "",
	      ABOUT("A", "DO_REGION", "sum(r.cycles)") ABOUT("B", "DO_REGION", "sum(r.stores)"));
	executions(30);
	CHECK_INT(reading(loop(), 1, MS_METRIC_STORES).missing, MS_MISSING_NO_ROOM);
	CHECK_INT(counter(MS_METRIC_STORES)->why, MS_MISSING_NO_ROOM);
	CHECK_NEAR(reading(loop(), 1, MS_METRIC_CYCLES).value, 10, 1e-9);
}

TEST(available_counters__taken_counters_are_missing_until_they_are_back)
{
	bool changed = false;

	start(4, "7", "");
	executions(10);
	CHECK_NEAR(reading(loop(), 1, MS_METRIC_EVENT_1).value, 80, 1e-9);
	fake.lost_step_ns = 1;
	CHECK(execution());
	CHECK_INT(reading(loop(), 1, MS_METRIC_EVENT_1).missing, MS_MISSING_TAKEN);
	CHECK_INT(database_missing_why(other, 0, MS_METRIC_EVENT_1), MS_MISSING_TAKEN);
	CHECK_INT(counter(MS_METRIC_EVENT_1)->why, MS_MISSING_TAKEN);
	CHECK(strstr(counter(MS_METRIC_EVENT_1)->text, "taken") != NULL);
	fake.lost_step_ns = 0;
	for (int i = 0; i < 20 && !changed; i++)
		changed = execution();
	CHECK(changed);
	for (int i = 0; i < 20; i++)
		CHECK(!execution());
	CHECK_NEAR(reading(loop(), 1, MS_METRIC_EVENT_1).value, 80, 1e-9);
	CHECK_INT(counter(MS_METRIC_EVENT_1)->why, MS_PRESENT);
	CHECK_INT(counter(MS_METRIC_EVENT_1)->taken, 1);
}

/* They are asked for less and less often, so that what is forgotten each time costs little. */
TEST(available_counters__counters_that_stay_taken_are_left_alone)
{
	start(4, "7", "");
	executions(4);
	fake.lost_step_ns = 1;
	for (int i = 0; i < 400; i++)
		execution();
	CHECK_INT(reading(loop(), 1, MS_METRIC_EVENT_1).missing, MS_MISSING_TAKEN);
	CHECK(counter(MS_METRIC_EVENT_1)->taken >= 3 && counter(MS_METRIC_EVENT_1)->taken <= 10);
}

TEST(available_counters__values_that_go_backwards_are_missing_for_good)
{
	start(4, "7", "");
	executions(4);
	fake.events[7].step = -(uint64_t)80;
	execution();
	fake.events[7].step = 80;
	for (int i = 0; i < 50; i++)
		execution();
	CHECK_INT(reading(loop(), 1, MS_METRIC_EVENT_1).missing, MS_MISSING_BROKEN);
	CHECK_INT(counter(MS_METRIC_EVENT_1)->why, MS_MISSING_BROKEN);
}

/* Descriptors run out before the last thread has its own. */
TEST(available_counters__a_thread_without_counters_is_no_zero)
{
	start(4, "7", "");
	ask();
	host_on(&threads[0]);
	host_parallel_begin(&team, THREADS, PARALLEL);
	for (unsigned int i = 0; i < THREADS; i++) {
		fake.descriptors_are_gone = i == 2;
		host_on(&threads[i]);
		host_implicit_begin(&team, &tasks[i], i);
	}
	for (unsigned int i = THREADS; i-- > 0;) {
		host_on(&threads[i]);
		host_arrive();
	}
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&tasks[0], 0);
	host_parallel_end(&team);
	for (int i = 0; i < 10; i++)
		execution();
	for (uint32_t thread = 0; thread < 2; thread++)
		CHECK_NEAR(reading(loop(), thread, MS_METRIC_EVENT_1).value, 80, 1e-9);
	CHECK_INT(reading(loop(), 2, MS_METRIC_EVENT_1).missing, MS_MISSING_UNCOVERED);
	CHECK_INT(reading(MS_REGION_USER, 2, MS_METRIC_EVENT_1).missing, MS_MISSING_UNCOVERED);
	CHECK_THAT(fake_dropped(), >, 0);
}

TEST(available_counters__without_counters_the_user_s_events_are_said_to_be_missing)
{
	struct engine_config search = { .nr_extra = 0 };

	start(0, "7", "");
	statuses[MS_SENSOR_COUNTERS].works = false;
	memset(&run, 0, sizeof(run));
	begin_sensors("7,8", 0);
	sensors_configure_search(&search);
	CHECK_INT(run.nr_counters, 2);
	CHECK_STR(run.counters[1].event, "8");
	CHECK_INT(run.counters[1].why, MS_MISSING_NOT_SUPPORTED);
	CHECK_INT(search.nr_extra, 0);
	CHECK(!run.counting.backend);
}
