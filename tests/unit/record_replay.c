/* SPDX-License-Identifier: Apache-2.0 */
/* Searches over finished runs: what is answered, what is unknown, when it was proven. */
#include "analysis/search/database_reading.h"
#include "analysis/search/record_replay.h"

#include "analysis/record/run.h"
#include "analysis/search/outcome.h"
#include "analysis/search/monitored_search.h"
#include "tests/host/replay.h"
#include "tests/unit/search.h"
#include "tests/unit/shipped_strategy.h"

#define EXECUTION 100000000 /* ns */

/*
 *     0 phase ─┬─ 1 parallel ─ 2 loop     waits 40 %
 *              └─ 3 parallel              waits 5 %
 */
#define PROGRAM \
	"memsearch-experiment 1\n" \
	"region 0 - USER_REGION\nregion 1 0 PARALLEL_REGION 1\nregion 2 1 DO_REGION 2\n" \
	"region 3 0 PARALLEL_REGION 3\nexecution 100000000 400\n" \
	"row 0 0-1 time 1 100000000\nrow 0 0-1 barrier_wait 1 45000000\n" \
	"row 1 0-1 time 1 60000000\nrow 2 0-1 time 1 50000000\nrow 3 0-1 time 1 40000000\n" \
	"row 1 0-1 barrier_wait 1 40000000\nrow 2 0-1 barrier_wait 1 40000000\n" \
	"row 3 0-1 barrier_wait 1 5000000\n"

#define SLOW WAITS("Slow", "KINDS USER_REGION, PARALLEL_REGION, DO_REGION;", "share > 10 %")

#define COUNTS(name, metric) \
	"PROPERTY " name \
	"(Region r, Phase p) { TITLE \"t\"; KINDS USER_REGION; LET n = sum(r." metric \
	") / 1000; IN\nCONDITION: n > 1 %; CONFIDENCE: 1; SEVERITY: n; EXPLANATION \"e\"; ADVICE \"a\"; }\n"

static void add_region(struct arena *arena, struct run *run, uint32_t parent,
		       enum ms_region_kind kind)
{
	CHECK(ARENA_GROW(arena, run->regions, run->nr_regions, run->room_regions));
	run->regions[run->nr_regions] = (struct run_region){ .id = (uint32_t)run->nr_regions,
							     .parent = parent,
							     .kind = kind };
	run->regions[run->nr_regions++].construct.offset = 1000 + run->nr_regions;
}

/* As much in each of `phases` executions of those that the run had. */
static void add_row(struct arena *arena, struct run *run, uint32_t region_id, uint32_t thread,
		    uint32_t metric, uint64_t phases, double of_one)
{
	struct run_measurement row = {
		.row = { .region = region_id, .thread = thread, .metric = metric },
		.phases = phases,
		.observed_ns = (double)phases * EXECUTION,
	};

	for (uint64_t i = 0; i < phases; i++)
		ms_stat_add(&row.row.stat, of_one);
	CHECK(ARENA_GROW(arena, run->measurements, run->nr_measurements, run->room_measurements));
	run->measurements[run->nr_measurements++] = row;
}

static struct run empty_run(struct arena *arena)
{
	struct run run = {
		.threads = 2,
		.phase = { .method = PHASE_SEQUENCE, .executions = 20, .wall_ns = 20.0 * EXECUTION }
	};

	add_region(arena, &run, MS_REGION_NONE, MS_USER_REGION);
	add_region(arena, &run, 0, MS_PARALLEL_REGION);
	add_region(arena, &run, 1, MS_DO_REGION);
	add_region(arena, &run, 0, MS_PARALLEL_REGION);
	return run;
}

/* PROGRAM as a run that measured it in 20 executions. */
static struct run waiting_run(struct arena *arena)
{
	static const double times[] = { 100e6, 60e6, 50e6, 40e6 },
			    waits[] = { 45e6, 40e6, 40e6, 5e6 };
	struct run run = empty_run(arena);

	for (uint32_t id = 0; id < 4; id++)
		for (uint32_t thread = 0; thread < 2; thread++) {
			add_row(arena, &run, id, thread, MS_METRIC_TIME, 20, times[id]);
			add_row(arena, &run, id, thread, MS_METRIC_BARRIER_WAIT, 20, waits[id]);
		}
	return run;
}

static struct monitored_search search_over(struct arena *arena, const struct run *run,
					   struct property_set *properties)
{
	struct monitored_search search = { .arena = arena,
					   .run = run,
					   .properties = properties,
					   .strategy = &strategy_of_bricks,
					   .db = database_new(arena),
					   .overhead_limit = 0.05,
					   .executions_most = 1000 };

	CHECK_INT(monitored_search_begin(&search), MS_OK);
	return search;
}

static void search_to_end(struct monitored_search *search)
{
	while (monitored_search_advance(search))
		;
	CHECK_INT(monitored_search_finish(search), MS_OK);
}

/* "Slow@0+ …", in the order of the nodes. */
static const char *states(struct arena *arena, const struct engine *engine,
			  const struct property_set *set)
{
	const char *text = "";

	for (uint32_t id = 0; id < engine_nodes(engine); id++) {
		const struct engine_node *node = engine_node(engine, id);

		text = arena_printf(arena, "%s%s%s@%u%s", text, id ? " " : "",
				    property_name(set->properties[node->candidate.property]),
				    node->candidate.region,
				    node->state == MS_NODE_TRUE ? "+"
				    : node->state == MS_NODE_FALSE
					    ? "-"
					    : ms_missing_text(node->verdict.missing));
	}
	return text;
}

/* ------------------------------------------------------------------ what is answered */

TEST(record_replay__finds_what_the_run_found)
{
	struct arena *arena = arena_new();
	struct replay *program = replay_parse(arena, "test", PROGRAM);
	struct property_set *set = properties_of(arena, SLOW);
	struct database *db = database_new(arena);
	struct run run = empty_run(arena);
	struct engine_config config;
	struct engine *engine;
	struct monitored_search search;

	engine_config_init(&config);
	replay_prepare(program, db);
	engine = engine_new(arena, &config, set, db, &strategy_of_bricks);
	run.phase.executions = replay_run(program, engine, db).executions;
	run.phase.wall_ns = (double)run.phase.executions * EXECUTION;
	CHECK_INT(outcome_fill(&run, arena, engine, db, set), MS_OK);
	search = search_over(arena, &run, set);
	search_to_end(&search);
	CHECK_STR(states(arena, search.engine, set), "Slow@0+ Slow@1+ Slow@3- Slow@2+");
	CHECK_STR(states(arena, search.engine, set), states(arena, engine, set));
	CHECK(search.ended);
	CHECK_NEAR(engine_node(search.engine, 1)->verdict.severity,
		   engine_node(engine, 1)->verdict.severity, 1e-6);
}

TEST(record_replay__only_what_is_requested_is_answered)
{
	struct arena *arena = arena_new();
	struct run run = waiting_run(arena);
	struct database *db = database_new(arena);
	struct ms_request one = { .metric = MS_METRIC_TIME,
				  .region = 1,
				  .thread = MS_REQUEST_ALL_THREADS,
				  .flags = MS_REQUEST_SUBREGIONS };
	struct record_replay *replay;
	struct engine_cost cost = { 0 };

	CHECK_INT(record_replay_new(arena, &run, &replay), MS_OK);
	CHECK_INT(record_replay_prepare(replay, db), MS_OK);
	CHECK_INT(record_replay_requests(replay, db, &one, 1), MS_OK);
	record_replay_execution(replay, db, &cost);
	CHECK_INT(cost.executions, 1);
	CHECK_NEAR(cost.program_ns, EXECUTION, 1e-6);
	CHECK_NEAR(database_reading(db, DATABASE_ALL_BATCHES, 2, 1, MS_METRIC_TIME).value, 50e6,
		   1e-3);
	CHECK_INT(database_reading(db, DATABASE_ALL_BATCHES, 3, 0, MS_METRIC_TIME).missing,
		  MS_MISSING_NOT_REQUESTED);
	CHECK_INT(database_reading(db, DATABASE_ALL_BATCHES, 2, 1, MS_METRIC_BARRIER_WAIT).missing,
		  MS_MISSING_NOT_REQUESTED);
	/* two metrics of four regions on two threads, once an execution, 12 bytes each */
	CHECK_NEAR(record_replay_trace_bytes(replay, 10), 10 * 16 * 12, 1e-9);
	/* the clock's other metrics are 0 in all of them */
	CHECK_THAT(record_replay_counters(replay), >=, 16);
}

TEST(record_replay__a_proof_has_its_experiment_and_execution)
{
	struct arena *arena = arena_new();
	struct run run = waiting_run(arena);
	struct monitored_search search = search_over(arena, &run, properties_of(arena, SLOW));

	CHECK_INT(search.nr_proofs, 0);
	CHECK(monitored_search_advance(&search));
	CHECK_INT(search.nr_proofs, 1);
	CHECK_INT(search.proofs[0].experiments, 1);
	CHECK_INT(search.proofs[0].executions, 2); /* the minimum before a verdict */
	search_to_end(&search);
	CHECK_INT(search.nr_proofs, 3);
	for (size_t i = 1; i < search.nr_proofs; i++) {
		CHECK_THAT(search.proofs[i].executions, >=, search.proofs[i - 1].executions);
		CHECK_THAT(search.proofs[i].experiments, >=, search.proofs[i - 1].experiments);
	}
	CHECK_THAT(search.executions, <, 20);
}

/* ------------------------------------------------------------------ what is unknown */

TEST(record_replay__missing_metrics_are_unknown_with_their_reason)
{
	struct arena *arena = arena_new();
	struct run run = waiting_run(arena);
	struct property_set *set = properties_of(arena, COUNTS("Loads", "loads")
								COUNTS("Faults", "minor_faults"));
	struct run_missing refused = { MS_REGION_NONE, MS_METRIC_LOADS, MS_MISSING_NOT_PERMITTED };
	struct monitored_search search;

	run.missing = &refused;
	run.nr_missing = 1;
	search = search_over(arena, &run, set);
	search_to_end(&search);
	CHECK_STR(states(arena, search.engine, set),
		  "Loads@0not permitted (see `memsearch doctor`) Faults@0not measured yet");
}

/* Recorded accesses in the loop say nothing of region 3. */
TEST(record_replay__a_region_that_was_not_recorded_is_unknown)
{
	struct arena *arena = arena_new();
	struct run run = waiting_run(arena);
	struct database *db = database_new(arena);
	struct record_replay *replay;

	add_row(arena, &run, 2, 0, MS_METRIC_READS, 2, 500);
	add_row(arena, &run, 2, 0, MS_METRIC_MINOR_FAULTS, 20, 1);
	CHECK_INT(record_replay_new(arena, &run, &replay), MS_OK);
	CHECK_INT(record_replay_prepare(replay, db), MS_OK);
	CHECK_INT(database_missing_why(db, 2, MS_METRIC_READS), MS_PRESENT);
	CHECK_INT(database_missing_why(db, 3, MS_METRIC_READS), MS_MISSING_NOT_RECORDED);
	CHECK_INT(database_missing_why(db, 3, MS_METRIC_MINOR_FAULTS), MS_MISSING_NOT_REQUESTED);
	/* a reading of rusage has all of its metrics */
	CHECK_INT(database_missing_why(db, 2, MS_METRIC_CPU_TIME), MS_PRESENT);
	CHECK_INT(database_missing_why(db, MS_REGION_NONE, MS_METRIC_SIM_LOADS),
		  MS_MISSING_NOT_MODELLED);
}

TEST(record_replay__without_measurements_there_is_nothing_to_search)
{
	struct arena *arena = arena_new();
	struct run run = empty_run(arena);
	struct record_replay *replay;

	CHECK_INT(record_replay_new(arena, &run, &replay), MS_ERR_NOT_FOUND);
	add_row(arena, &run, 1, 0, MS_METRIC_TIME, 0, 0);
	run.phase.wall_ns = 0;
	CHECK_INT(record_replay_new(arena, &run, &replay), MS_ERR_NOT_FOUND);
}

/*
 * Samples of the run are a by-product of the first experiment: they point at the loop 2, which the
 * region around does not show.
 */
TEST(record_replay__samples_direct_deep_start)
{
	struct arena *arena = arena_new();
	struct run run = waiting_run(arena);
	struct property_set *set = properties_of(arena, SLOW);
	struct monitored_search search = { .arena = arena,
					   .run = &run,
					   .properties = set,
					   .strategy = shipped_strategy(arena, "deep_start"),
					   .db = database_new(arena),
					   .overhead_limit = 0.05,
					   .executions_most = 1000 };

	for (size_t i = 0; i < run.nr_measurements; i++)
		if (run.measurements[i].row.region == 1 &&
		    run.measurements[i].row.metric == MS_METRIC_BARRIER_WAIT)
			run.measurements[i].row.stat.sum = 20 * 2e6;
	for (uint32_t thread = 0; thread < 2; thread++) {
		add_row(arena, &run, 0, thread, MS_METRIC_SAMPLES, 20, 100);
		add_row(arena, &run, 2, thread, MS_METRIC_SAMPLES, 20, 90);
		add_row(arena, &run, 3, thread, MS_METRIC_SAMPLES, 20, 10);
	}
	CHECK_INT(monitored_search_begin(&search), MS_OK);
	search_to_end(&search);
	CHECK_STR(states(arena, search.engine, set), "Slow@0+ Slow@2+ Slow@1- Slow@3-");
}

/* ------------------------------------------------------------------ limits */

/* A run that could count one metric at a time: two counters take two experiments. */
TEST(record_replay__as_many_counters_as_the_run_had)
{
	uint64_t executions[2];

	for (uint32_t at_once = 1; at_once <= 2; at_once++) {
		struct arena *arena = arena_new();
		struct run run = waiting_run(arena);
		struct property_set *set = properties_of(arena, COUNTS("Loads", "loads")
									COUNTS("Stores", "stores"));
		struct monitored_search search;

		run.counting.at_once = at_once;
		for (uint32_t id = 0; id < 2; id++) {
			add_row(arena, &run, id, 0, MS_METRIC_LOADS, 20, 100);
			add_row(arena, &run, id, 0, MS_METRIC_STORES, 20, 200);
		}
		search = search_over(arena, &run, set);
		search_to_end(&search);
		CHECK_STR(states(arena, search.engine, set), "Loads@0+ Stores@0+");
		executions[at_once - 1] = search.executions;
	}
	CHECK_INT(executions[0], 2 * executions[1]);
}

TEST(record_replay__the_limit_of_executions_ends_it)
{
	struct arena *arena = arena_new();
	struct run run = waiting_run(arena);
	struct property_set *set = properties_of(arena, SLOW);
	struct monitored_search search = { .arena = arena,
					   .run = &run,
					   .properties = set,
					   .strategy = &strategy_of_bricks,
					   .db = database_new(arena),
					   .overhead_limit = 0.05,
					   .executions_most = 2 };

	CHECK_INT(monitored_search_begin(&search), MS_OK);
	search_to_end(&search);
	CHECK_INT(search.executions, 2);
	CHECK(!search.ended);
	CHECK_STR(states(arena, search.engine, set),
		  "Slow@0+ Slow@1not measured yet Slow@3not measured yet");
}

/* 10 us each: 100 of them are one group, as in the program. */
TEST(record_replay__short_executions_come_in_groups)
{
	struct arena *arena = arena_new();
	struct run run = empty_run(arena);
	struct database *db = database_new(arena);
	struct ms_request time = { .metric = MS_METRIC_TIME,
				   .region = 1,
				   .thread = MS_REQUEST_ALL_THREADS };
	struct record_replay *replay;
	struct engine_cost cost = { 0 };

	add_row(arena, &run, 1, 0, MS_METRIC_TIME, 20, 8e3);
	run.phase.wall_ns = 20 * 10e3;
	run.measurements[0].observed_ns = run.phase.wall_ns;
	CHECK_INT(record_replay_new(arena, &run, &replay), MS_OK);
	CHECK_INT(record_replay_prepare(replay, db), MS_OK);
	CHECK_INT(record_replay_requests(replay, db, &time, 1), MS_OK);
	record_replay_execution(replay, db, &cost);
	CHECK_INT(cost.executions, 100);
	CHECK_NEAR(cost.program_ns, 1e6, 1e-6);
	CHECK_NEAR(database_reading(db, DATABASE_ALL_BATCHES, 1, 0, MS_METRIC_TIME).value, 8e3,
		   1e-6);
}
