/* SPDX-License-Identifier: Apache-2.0 */
/* What counters counted, from the run through record and store into every format. */
#include "analysis/report/counts.h"

#include "analysis/properties/property.h"
#include "analysis/record/record.h"
#include "analysis/record/run_check.h"
#include "analysis/report/explain.h"
#include "analysis/report/report.h"
#include "analysis/report/text.h"
#include "analysis/store/store.h"
#include "tests/host/random_run.h"
#include "tests/host/scratch.h"
#include "tests/unit/json_value.h"
#include "tests/unit/sample_run.h"

#define THREADS 4
#define MANY_LOADS \
	"PROPERTY ManyLoads(Region r, Phase p) { TITLE \"many loads\"; KINDS DO_REGION; LET share = sum(r.loads) / sum(p.stores) + sum(p.l2d_misses) + sum(p.hitm); IN\n" \
	"CONDITION: share > 1; CONFIDENCE: 1; SEVERITY: 0.1; EXPLANATION \"e\"; ADVICE \"a\"; }\n"

/*
 * The sample run on a machine that counts loads and two events of the user's; one event is unknown,
 * L3 misses have none.
 */
static void counted_run(struct run *run, struct arena *arena)
{
	const struct run_counter counters[] = {
		{ .metric = MS_METRIC_LOADS, .formula = "skx::MEM_INST_RETIRED:ALL_LOADS" },
		{ .metric = MS_METRIC_L3D_MISSES,
		  .why = MS_MISSING_UNSUPPORTED,
		  .text = "the event table of skx has no event for it" },
		{ .metric = MS_METRIC_HITM,
		  .why = MS_MISSING_UNSUPPORTED,
		  .text = "the event table of skx has no event for it" },
		{ .metric = MS_METRIC_STORES,
		  .formula = "skx::MEM_INST_RETIRED:ALL_STORES",
		  .taken = 2 },
		/* and not measured */
		{ .metric = MS_METRIC_L2D_MISSES, .formula = "skx::L2_RQSTS:ALL_DEMAND_MISS" },
		{ .metric = MS_METRIC_EVENT_1,
		  .event = "perf::PAGE-FAULTS",
		  .formula = "perf::PAGE-FAULTS" },
		{ .metric = MS_METRIC_EVENT_2,
		  .event = "skx::L1D:REPLACEMET",
		  .why = MS_MISSING_UNSUPPORTED,
		  .text = "skx has no event 'L1D:REPLACEMET'; did you mean 'L1D:REPLACEMENT'?" },
	};

	sample_run(run, arena);
	run->counters = sample_copy(arena, counters, sizeof(counters));
	run->nr_counters = run->room_counters = SAMPLE_COUNT(counters);
	run->counting = (struct run_counting){
		.backend = "perf", .table = "skx", .at_once = 4, .sets = 31
	};
	run->measurements = arena_alloc(arena, 5 * THREADS * sizeof(*run->measurements));
	run->nr_measurements = 0;
	run->room_measurements = 5 * THREADS;
	for (uint32_t region = 0; region < 5; region++)
		for (uint32_t thread = 0; thread < THREADS; thread++)
			run->measurements[run->nr_measurements++] = (struct run_measurement){
				.row = { .region = region,
					 .thread = thread,
					 .metric = region < 4 ? MS_METRIC_EVENT_1
						   : thread   ? MS_METRIC_LOADS
							      : MS_METRIC_STORES,
					 .stat = { 120, 120 * (16384.0 + 1000 * region + thread), 1,
						   1, 1 } },
				.phases = 120,
				.observed_ns = 1.5e9,
			};
}

static const char *print(struct arena *arena, const struct run *run, const char *format)
{
	struct report_options options;
	struct text out;

	report_options_init(&options);
	options.verbose = true;
	text_init(&out, arena);
	report_format(format)(&out, &run, 1, &options);
	return out.bytes;
}

TEST(counts__largest_first)
{
	struct arena *arena = arena_new();
	const struct count *counts;
	struct run run;

	counted_run(&run, arena);
	CHECK_INT(counts_of(arena, &run, true, &counts), 4 * THREADS);
	CHECK_INT(counts[0].region, 0);
	CHECK_INT(counts[0].thread, 3);
	CHECK_INT(counts[THREADS].region, 3);
	CHECK_NEAR(counts[THREADS].each, 16384 + 3000 + 3, 0);
	CHECK_NEAR(counts[THREADS].sum, 120 * (16384 + 3000 + 3.0), 0);
	CHECK_INT(counts_of(arena, &run, false, &counts), 5 * THREADS);
	CHECK_STR(counts_name(counts[0].counter), "loads");
}

/* A value of 1 to 4 in region 1, of 10 to 40 in region 2; thread 3's is read twice. */
static void on_nodes(struct run *run, struct arena *arena, uint32_t nodes, const char *places)
{
	counted_run(run, arena);
	run->machine.nodes = nodes;
	run->measurements = arena_alloc(arena, 3 * THREADS * sizeof(*run->measurements));
	run->nr_measurements = 0;
	for (uint32_t thread = 0; places[thread]; thread++) {
		double node = places[thread] - '0';

		run->measurements[run->nr_measurements++] = (struct run_measurement){
			.row = { .region = 0,
				 .thread = thread,
				 .metric = MS_METRIC_NODE,
				 .stat = { 1, node, node, node, node * node } },
			.phases = 1,
		};
	}
	for (uint32_t i = 0; i < 2 * THREADS; i++) {
		double value = (i / THREADS ? 10 : 1) * (1 + i % THREADS);

		run->measurements[run->nr_measurements++] = (struct run_measurement){
			.row = { .region = 1 + i / THREADS,
				 .thread = i % THREADS,
				 .metric = MS_METRIC_EVENT_1,
				 .stat = { i % THREADS == 3 ? 2 : 1, value, 1, 1, 1 } },
			.phases = 1,
		};
	}
}

/* 10 + 20 and 30 + 40 in region 2, 1 + 2 and 3 + 4 in region 1. */
TEST(counts__by_node)
{
	static const struct {
		uint32_t region, thread, node;
		double each;
		uint64_t readings;
	} want[] = {
		{ 2, COUNT_NODE, 1, 70, 3 }, { 2, 3, 1, 40, 2 }, { 2, 2, 1, 30, 1 },
		{ 2, COUNT_NODE, 0, 30, 2 }, { 2, 1, 0, 20, 1 }, { 2, 0, 0, 10, 1 },
		{ 1, COUNT_NODE, 1, 7, 3 },  { 1, 3, 1, 4, 2 },  { 1, 2, 1, 3, 1 },
		{ 1, COUNT_NODE, 0, 3, 2 },
	};
	struct arena *arena = arena_new();
	const struct count *counts;
	struct run run;

	on_nodes(&run, arena, 2, "0011");
	CHECK_INT(counts_with_nodes(arena, &run, &counts), 2 * THREADS + 4);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		CHECK_INT(counts[i].region, want[i].region);
		CHECK_INT(counts[i].thread, want[i].thread);
		CHECK_INT(counts[i].node, want[i].node);
		CHECK_NEAR(counts[i].each, want[i].each, 0);
		CHECK_INT(counts[i].readings, want[i].readings);
	}
	CHECK_INT(counts_of(arena, &run, true, &counts), 2 * THREADS);
	arena_free(arena);
}

/*
 * Unequal numbers of threads, four nodes; one node has no rows of its own, nor has a team of which
 * one thread's node is not known.
 */
TEST(counts__by_node_only_where_all_are_known)
{
	struct arena *arena = arena_new();
	const struct count *counts;
	struct run run;
	size_t nr;

	on_nodes(&run, arena, 4, "3330");
	nr = counts_with_nodes(arena, &run, &counts);
	CHECK_INT(nr, 2 * THREADS + 4);
	CHECK_INT(counts[0].node, 3);
	CHECK_NEAR(counts[0].each, 60, 0);
	on_nodes(&run, arena, 4, "333");
	CHECK_INT(counts_with_nodes(arena, &run, &counts), 2 * THREADS);
	CHECK_INT(counts[0].node, RUN_PLACE_UNKNOWN);
	CHECK_INT(counts[1].node, 3);
	on_nodes(&run, arena, 1, "0000");
	CHECK_INT(counts_with_nodes(arena, &run, &counts), 2 * THREADS);
	CHECK_INT(counts[0].node, 0);
	arena_free(arena);
}

/* Thread 1 executed the region 240 times in 120 executions of the phase, and was read 60 times. */
TEST(counts__what_was_not_read_is_like_the_rest)
{
	struct arena *arena = arena_new();
	const struct count *counts;
	struct run_measurement rows[] = {
		{ .row = { .region = 2,
			   .thread = 0,
			   .metric = MS_METRIC_TIME,
			   .stat = { .count = 120 } },
		  .phases = 120 },
		{ .row = { .region = 2,
			   .thread = 1,
			   .metric = MS_METRIC_TIME,
			   .stat = { .count = 240 } },
		  .phases = 120 },
		{ .row = { .region = 2,
			   .thread = 1,
			   .metric = MS_METRIC_EVENT_1,
			   .stat = { .count = 60, .sum = 600 } },
		  .phases = 120 },
	};
	struct run run;

	counted_run(&run, arena);
	run.measurements = rows;
	run.nr_measurements = 3;
	CHECK_INT(counts_of(arena, &run, true, &counts), 1);
	CHECK_NEAR(counts[0].each, 20, 1e-12);
	CHECK_NEAR(counts[0].sum, 600, 0);
	rows[2].row.stat.count = 240;
	counts_of(arena, &run, true, &counts);
	CHECK_NEAR(counts[0].each, 5, 1e-12);
}

TEST(counts__text_names_events_threads_and_places)
{
	struct arena *arena = arena_new();
	struct run run;
	const char *text;

	counted_run(&run, arena);
	text = print(arena, &run, "text");
	CHECK_HAS(text, "\nEvents counted in one execution of the phase\n");
	CHECK_HAS(text, "perf::PAGE-FAULTS  65542  all");
	CHECK_HAS(text, "perf::PAGE-FAULTS  19387  3 ");
	CHECK_HAS(text, "loop in calc2 (swim.c:354)");
	CHECK_HAS(text, "and 6 smaller ones: `memsearch list counts` shows all");
	CHECK_HAS(
		text,
		"counters: perf, events of skx; at most 4 metrics at a time, 31 sets of them in turn");
	CHECK_HAS(text,
		  "the counters l3d_misses, hitm: the event table of skx has no event for it");
	CHECK_HAS(
		text,
		"event skx::L1D:REPLACEMET: skx has no event 'L1D:REPLACEMET'; did you mean 'L1D:REPLACEMENT'?");
	CHECK_HAS(text, "part of what stores counted: the CPU's counters were taken");
	run.counting = (struct run_counting){ .backend = NULL };
	run.nr_counters = 0;
	CHECK(!strstr(print(arena, &run, "text"), "ounters: perf"));
}

TEST(counts__json_has_events_and_how_they_were_counted)
{
	struct arena *arena = arena_new();
	const char *text, *error;
	struct run run;

	counted_run(&run, arena);
	text = print(arena, &run, "json");
	error = json_check(
		json_parse(json_read_file("analysis/report/schema/memsearch-report-1.schema.json"),
			   &error),
		json_parse(text, &error), "$");
	if (error)
		test_fail(__FILE__, __LINE__, "%s\n%s", error, text);
	CHECK_HAS(text, "\"backend\": \"perf\"");
	CHECK_HAS(text, "\"formula\": \"skx::MEM_INST_RETIRED:ALL_LOADS\"");
	CHECK_HAS(text, "\"event\": \"perf::PAGE-FAULTS\"");
	CHECK_HAS(text, "\"count\": 19387");
}

/* Nothing of it is lost on the way to a report. */
TEST(counts__record_and_store_keep_them)
{
	struct arena *arena = arena_new();
	struct run run, *again;
	struct record *record;
	struct store *store;
	const char *difference;
	struct run_fault fault;
	size_t nr;

	scratch_enter();
	counted_run(&run, arena);
	run.nodes[2].events = "loads = skx::MEM_INST_RETIRED:ALL_LOADS";
	record = record_create(arena, "x.ms", NULL);
	CHECK_INT(record_close(record, &run), MS_OK);
	CHECK_INT(store_load(arena, "x.ms", &again, &nr), MS_OK);
	CHECK(run_check(&run, &nr, &fault)); /* as the reader fills in what is missing */
	difference = run_difference(again, &run);
	CHECK(!difference);
	CHECK_INT(store_open("x.db", true, &store), MS_OK);
	CHECK_INT(store_add(store, again, NULL, NULL), MS_OK);
	store_close(store);
	CHECK_INT(store_load(arena, "x.db", &again, &nr), MS_OK);
	difference = run_difference(again, &run);
	CHECK(!difference);
	CHECK_INT(again->counters[5].metric, MS_METRIC_EVENT_1);
	CHECK_HAS(print(arena, again, "csv"), ",loads = skx::MEM_INST_RETIRED:ALL_LOADS,host,,");
}

/* A finding that rests on counters names the events behind them. */
TEST(counts__findings_name_their_events)
{
	struct arena *arena = arena_new();
	struct property_set *set;
	struct run run;

	counted_run(&run, arena);
	run.nodes[2].property = "ManyLoads";
	scratch_enter();
	file_write("x.asl", MANY_LOADS, strlen(MANY_LOADS));
	set = property_set_load(arena, ".", NULL);
	CHECK_STR(set->nr_messages ? set->messages[0].text : "", "");
	explain(&run, arena, set);
	CHECK_STR(
		run.nodes[2].events,
		"loads = skx::MEM_INST_RETIRED:ALL_LOADS; stores = skx::MEM_INST_RETIRED:ALL_STORES");
	CHECK_HAS(print(arena, &run, "text"),
		  "     counted  loads = skx::MEM_INST_RETIRED:ALL_LOADS");
}
