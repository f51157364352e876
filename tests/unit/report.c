/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports: order and folding of findings, what the text says, JSON by its schema, damaged runs,
 * speed.
 */
#include "analysis/report/rank.h"
#include "analysis/report/report.h"

#include <locale.h>
#include <sys/resource.h>
#include <time.h>

#include "analysis/properties/property.h"
#include "analysis/report/explain.h"
#include "analysis/report/finding.h"
#include "analysis/report/source_words.h"
#include "analysis/report/text.h"
#include "tests/host/scratch.h"
#include "tests/unit/json_value.h"
#include "tests/unit/sample_run.h"

#define SCHEMA "analysis/report/schema/memsearch-report-1.schema.json"

static const char *print_runs(struct arena *arena, const struct run *const *runs, size_t nr,
			      const char *format, const struct report_options *options)
{
	struct text out;

	text_init(&out, arena);
	report_format(format)(&out, runs, nr, options);
	CHECK(!out.cut);
	return out.bytes;
}

static const char *print(struct arena *arena, const struct run *run, const char *format,
			 const struct report_options *options)
{
	struct report_options defaults;

	report_options_init(&defaults);
	defaults.verbose = true;
	return print_runs(arena, &run, 1, format, options ? options : &defaults);
}

static struct json_value *parse(const char *text)
{
	const char *error;
	struct json_value *value = json_parse(text, &error);

	if (!value)
		test_fail(__FILE__, __LINE__, "not JSON (%s):\n%s", error, text);
	return value;
}

static void is_by_schema(const char *text)
{
	const char *error = json_check(parse(json_read_file(SCHEMA)), parse(text), "$");

	if (error)
		test_fail(__FILE__, __LINE__, "%s\n%s", error, text);
}

/* -- NUMA nodes of threads */

TEST(report__nodes_are_those_of_the_threads)
{
	static struct run_place places[] = { { 0, 0, 0, 0 },
					     { 1, 4, 1, 0 },
					     { 2, 5, 1, 2 },
					     { 3, RUN_PLACE_UNKNOWN, RUN_PLACE_UNKNOWN, 0 } };
	static uint32_t threads[] = { 2, 0, 1 }, lost[] = { 0, 3 };
	struct run run = { .machine.nodes = 2, .places = places, .nr_places = 4 };
	struct run_node node = { .threads = threads, .nr_threads = 3 };
	struct arena *arena = arena_new();
	const uint32_t *nodes;

	CHECK_INT(finding_nodes(arena, &run, &node, &nodes), 2);
	CHECK_INT(nodes[0], 0);
	CHECK_INT(nodes[1], 1);
	CHECK_STR(finding_threads_nodes(arena, &run, &node), "2, 0, 1 (on NUMA nodes 0, 1)");
	run.machine.nodes = 1;
	CHECK_INT(finding_nodes(arena, &run, &node, &nodes), 0);
	CHECK_STR(finding_threads_nodes(arena, &run, &node), "2, 0, 1");
	run.machine.nodes = 2;
	node = (struct run_node){ .threads = lost, .nr_threads = 2 };
	CHECK_INT(finding_nodes(arena, &run, &node, &nodes), 0); /* half an answer is none */
	node.nr_threads = 0;
	CHECK_INT(finding_nodes(arena, &run, &node, &nodes), 0);
	CHECK(!finding_threads_nodes(arena, &run, &node));
	arena_free(arena);
}

static struct run_measurement node_row(uint32_t thread, double node, double max)
{
	return (struct run_measurement){
		.row = { .region = 0,
			 .thread = thread,
			 .metric = MS_METRIC_NODE,
			 .stat = { 10, node, node, max, node * node } },
		.phases = 10,
	};
}

/* Where threads stayed counts, not where they were last seen; one that wandered was nowhere. */
TEST(report__nodes_as_measured)
{
	struct run_place places[] = { { 0, 0, 0, 0 }, { 1, 4, 0, 5 }, { 2, 5, 1, 2 } };
	struct run_measurement rows[] = { node_row(1, 1, 1), node_row(0, 0, 0), node_row(2, 0, 1) };
	uint32_t threads[] = { 1, 0 }, moved[] = { 1, 2 };
	struct run run = { .machine.nodes = 2,
			   .places = places,
			   .nr_places = 3,
			   .measurements = rows,
			   .nr_measurements = 3 };
	struct run_node node = { .threads = threads, .nr_threads = 2 };
	struct arena *arena = arena_new();
	const uint32_t *nodes;

	CHECK_STR(finding_threads_nodes(arena, &run, &node), "1, 0 (on NUMA nodes 0, 1)");
	node.threads = moved;
	CHECK_INT(finding_nodes(arena, &run, &node, &nodes), 0);
	run.nr_measurements = 0;
	CHECK_STR(finding_threads_nodes(arena, &run, &node), "1, 2 (on NUMA nodes 0, 1)");
	arena_free(arena);
}

/* A finding about nodes: in every format and in its text. */
TEST(report__nodes_a_finding_is_about)
{
	static uint32_t nodes[] = { 3, 1 };
	struct arena *arena = arena_new();
	struct property_set *set = property_set_load(arena, "properties", NULL);
	struct run run;
	const char *text;

	sample_run(&run, arena);
	run.machine.nodes = 4;
	run.nodes[2].property = "UnbalancedNodeTraffic";
	run.nodes[2].numa_nodes = nodes;
	run.nodes[2].nr_numa_nodes = 2;
	explain(&run, arena, set);
	CHECK(strstr(run.nodes[2].explanation, "Most: the threads of nodes 3, 1.") != NULL);
	text = print(arena, &run, "text", NULL);
	CHECK_HAS(text, "nodes    3, 1\n");
	text = print(arena, &run, "json", NULL);
	is_by_schema(text);
	CHECK(strstr(text, "\"nodes\": [\n        1,\n        3\n      ]") != NULL);
	run.machine.nodes = 1;
	CHECK(!strstr(print(arena, &run, "text", NULL), "nodes    3"));
	arena_free(arena);
}

/* -- order */

TEST(report__ranks_by_the_lower_bound_and_folds_parents)
{
	struct arena *arena = arena_new();
	const uint32_t *ids;
	struct run run;

	sample_run(&run, arena);
	CHECK_INT(report_rank(arena, &run, REPORT_FINDING, false, &ids), 2);
	CHECK_INT(ids[0], 2);
	CHECK_INT(ids[1], 3);
	CHECK_INT(report_rank(arena, &run, REPORT_FINDING, true, &ids), 4);
	CHECK_INT(ids[0], 0); /* 0.30, 0.29, 0.22, 0.12 */
	CHECK_INT(ids[1], 1);
	CHECK_INT(ids[2], 2);
	run.nodes[3].severity_low = 0.25;
	report_rank(arena, &run, REPORT_FINDING, false, &ids);
	CHECK_INT(ids[0], 3);
}

TEST(report__keeps_a_parent_that_its_refinement_does_not_explain)
{
	struct arena *arena = arena_new();
	const uint32_t *ids;
	struct run run;

	sample_run(&run, arena);
	run.nodes[2].severity = 0.14; /* less than half of its parent's 0.30 */
	CHECK_INT(report_rank(arena, &run, REPORT_FINDING, false, &ids), 3);
	CHECK_INT(ids[0], 1);
	run.nodes[2].state = MS_NODE_FALSE;
	CHECK_INT(report_rank(arena, &run, REPORT_FINDING, false, &ids), 2);
	CHECK_INT(ids[0], 1);
}

/* Temporaries that each thread allocates for itself are nothing that a loop divides. */
TEST(report__temporaries_of_threads_are_not_divided)
{
	struct run_region regions[] = {
		{ .id = 0, .parent = MS_REGION_NONE, .kind = MS_USER_REGION },
		{ .id = 1, .parent = 0, .kind = MS_PARALLEL_REGION },
		{ .id = 2, .parent = 1, .kind = MS_DATA_STRUCTURE, .construct.offset = 1 },
	};
	struct run_array arrays[] = { { .kind = "heap", .blocks = 100, .live_blocks = 2 },
				      { .kind = "heap", .blocks = 90 } },
			 *array = &arrays[0];
	struct run_measurement rows[] = {
		{ .row = { .region = 2,
			   .thread = 0,
			   .metric = MS_METRIC_READS,
			   .stat.count = 1,
			   .stat.sum = 1e6 } },
		{ .row = { .region = 2,
			   .thread = 0,
			   .metric = MS_METRIC_WRITES,
			   .stat.count = 1,
			   .stat.sum = 1e6 } },
		{ .row = { .region = 2,
			   .thread = 1,
			   .metric = MS_METRIC_WRITES,
			   .stat.count = 1,
			   .stat.sum = 0 } },
	};
	struct run_node node = { .property = "ArrayAccessImbalance",
				 .region = 2,
				 .severity = 0.2,
				 .rung = MS_RUNG_COUNTED };
	struct run run = { .regions = regions,
			   .nr_regions = 3,
			   .arrays = arrays,
			   .nr_arrays = 2,
			   .measurements = rows,
			   .nr_measurements = 3,
			   .phase.executions = 10 };

	CHECK_INT(report_standing(&run, &node), REPORT_STEP);
	rows[2].row.stat.sum = 5; /* two threads use it */
	CHECK_INT(report_standing(&run, &node), REPORT_FINDING);
	rows[2].row.stat.sum = 0;
	run.nr_arrays = 1; /* no thread has another one */
	CHECK_INT(report_standing(&run, &node), REPORT_FINDING);
	run.nr_arrays = 2;
	array->blocks = 2; /* allocated once, and freed */
	array->live_blocks = 0;
	CHECK_INT(report_standing(&run, &node), REPORT_FINDING);
	*array = (struct run_array){ .kind = "static", .blocks = 100 };
	CHECK_INT(report_standing(&run, &node), REPORT_FINDING);
}

/*
 * Where bursts were recorded, accesses and simulated misses of one thread beside others are no
 * finding.
 */
TEST(report__bursts_of_threads_are_not_compared)
{
	struct run_region regions[] = {
		{ .id = 0, .parent = MS_REGION_NONE, .kind = MS_USER_REGION },
		{ .id = 1, .parent = 0, .kind = MS_PARALLEL_REGION },
		{ .id = 2, .parent = 1, .kind = MS_DO_REGION },
		{ .id = 3, .parent = 0, .kind = MS_PARALLEL_REGION },
		{ .id = 4, .parent = 2, .kind = MS_DATA_STRUCTURE },
		{ .id = 5, .parent = 3, .kind = MS_DATA_STRUCTURE },
	};
	struct run_missing in_bursts = { .region = 2,
					 .metric = MS_METRIC_TOUCHED_LINES,
					 .why = MS_MISSING_NOT_WHOLE };
	struct run_node node = { .property = "UnbalancedL3DataMissRate",
				 .region = 2,
				 .severity = 0.2,
				 .rung = MS_RUNG_SIMULATED };
	struct run run = { .regions = regions,
			   .nr_regions = 6,
			   .missing = &in_bursts,
			   .nr_missing = 1,
			   .modelled.here = true };

	CHECK_INT(report_standing(&run, &node), REPORT_STEP);
	node.region = 0;
	CHECK_INT(report_standing(&run, &node), REPORT_STEP);
	node.region = 3; /* recorded whole */
	CHECK_INT(report_standing(&run, &node), REPORT_FINDING);
	node.region = 2;
	node.rung = MS_RUNG_COUNTED; /* by hardware */
	CHECK_INT(report_standing(&run, &node), REPORT_FINDING);
	node.rung = MS_RUNG_SIMULATED;
	node.property = "L3DataMissRateInSomeThread";
	CHECK_INT(report_standing(&run, &node), REPORT_FINDING);
	node.property = "ArrayAccessImbalance";
	node.region = 4;
	CHECK_INT(report_standing(&run, &node), REPORT_STEP);
	node.region = 5;
	CHECK_INT(report_standing(&run, &node), REPORT_FINDING);
	/* one thread may access it all in a single construct */
	regions[4] = (struct run_region){ .id = 4, .parent = 3, .kind = MS_SINGLE_REGION };
	CHECK_INT(report_standing(&run, &node), REPORT_STEP);
}

/* Who touched an array first is known where most of its first touches were seen. */
TEST(report__few_first_touches_are_no_finding)
{
	struct run_region regions[] = {
		{ .id = 0, .parent = MS_REGION_NONE, .kind = MS_USER_REGION },
		{ .id = 1, .parent = 0, .kind = MS_PARALLEL_REGION },
		{ .id = 2, .parent = 1, .kind = MS_DATA_STRUCTURE, .construct = { UINT32_MAX, 1 } },
	};
	struct run_array array = { .kind = "heap",
				   .bytes = 1 << 20,
				   .blocks = 1,
				   .resident_why = MS_MISSING_UNSUPPORTED };
	struct run_touch touch = { .array = 0, .bytes = 1 << 18 };
	struct run_node node = { .property = "SerialFirstTouch",
				 .region = 2,
				 .severity = 0.2,
				 .rung = MS_RUNG_COUNTED };
	struct run run = { .regions = regions,
			   .nr_regions = 3,
			   .arrays = &array,
			   .nr_arrays = 1,
			   .touches = &touch,
			   .nr_touches = 1 };

	CHECK_INT(report_standing(&run, &node), REPORT_STEP);
	touch.bytes = 3 << 18;
	CHECK_INT(report_standing(&run, &node), REPORT_FINDING);
	touch.bytes = 1 << 18;
	array.blocks = 2; /* its size is not that of what is there */
	CHECK_INT(report_standing(&run, &node), REPORT_FINDING);
	array.blocks = 1;
	array.resident_why = MS_PRESENT; /* the rest was never written */
	array.resident_bytes = 1 << 18;
	CHECK_INT(report_standing(&run, &node), REPORT_FINDING);
	array.resident_bytes = 1 << 20;
	CHECK_INT(report_standing(&run, &node), REPORT_STEP);
}

/*
 * One array below a parallel region (1), a loop in it (2), and two loops inside of that (3, 4);
 * what is found there accounts for these shares. 0: it was not found there. `kept`: those reported,
 * worst first.
 */
static const struct {
	int line;
	double region, loop, first, second;
	bool in_function; /* 2 is no loop, but a called function */
	uint32_t kept[4];
	size_t nr;
} loops[] = {
	{ __LINE__, 0.40, 0, 0, 0, false, { 1 }, 1 },
	/* all of it is in the innermost */
	{ __LINE__, 0.40, 0.39, 0.38, 0, false, { 3 }, 1 },
	{ __LINE__, 0.40, 0.38, 0.20, 0.18, false, { 2 }, 1 }, /* which of the two: both */
	{ __LINE__, 0.40, 0.20, 0.19, 0, false, { 1 }, 1 },    /* half of it is in no loop */
	{ __LINE__, 0.40, 0, 0.38, 0, false, { 3 }, 1 },
	{ __LINE__, 0.40, 0.38, 0.31, 0.07, false, { 3, 4 }, 2 }, /* the rest is found by itself */
	{ __LINE__, 0, 0.38, 0.31, 0, false, { 3 }, 1 },
	/* a function is a step on the way to the loop, or part of what is around it */
	{ __LINE__, 0.40, 0.39, 0.38, 0, true, { 3 }, 1 },
	{ __LINE__, 0.40, 0.38, 0.20, 0.18, true, { 1 }, 1 },
	{ __LINE__, 0.40, 0.38, 0, 0, true, { 1 }, 1 },
	{ __LINE__, 0, 0.38, 0, 0, true, { 2 }, 1 },
	/* found in the function, but in no construct around */
	{ __LINE__, 0, 0.38, 0.31, 0, true, { 3 }, 1 },
	{ __LINE__, 0, 0.38, 0.20, 0.18, true, { 2 }, 1 },
};

static size_t loops_ranked(struct arena *arena, size_t row, const uint32_t **ids, bool all)
{
	const double shares[] = { loops[row].region, loops[row].loop, loops[row].first,
				  loops[row].second };
	struct run *run = arena_alloc(arena, sizeof(*run));

	sample_run(run, arena);
	run->regions = arena_alloc(arena, 9 * sizeof(*run->regions));
	run->nodes = arena_alloc(arena, 5 * sizeof(*run->nodes));
	run->nr_regions = 9;
	run->nr_nodes = 5;
	for (uint32_t i = 0; i < 9; i++) {
		static const uint32_t parents[] = { MS_REGION_NONE, 0, 1, 2, 2, 1, 2, 3, 4 };
		enum ms_region_kind kind = i > 4                              ? MS_DATA_STRUCTURE
					   : i == 2 && loops[row].in_function ? MS_SUB_REGION
					   : i > 1                            ? MS_LOOP_REGION
					   : i                                ? MS_PARALLEL_REGION
									      : MS_USER_REGION;

		run->regions[i] = (struct run_region){ .id = i,
						       .parent = parents[i],
						       .kind = kind,
						       .construct = { UINT32_MAX, i > 4 ? 1 : i } };
	}
	for (uint32_t i = 0; i < 5; i++)
		run->nodes[i] = (struct run_node){ .id = i,
						   .parent = i ? 0 : MS_NODE_NONE,
						   .property = i ? "Strides" : "Recorded",
						   .region = i ? 4 + i : 1,
						   .state = !i || shares[i - 1] > 0 ? MS_NODE_TRUE
										    : MS_NODE_FALSE,
						   .severity_of_model = i > 0,
						   .severity_high = i ? shares[i - 1] : 0,
						   .thread = MS_REQUEST_ALL_THREADS };
	return report_rank(arena, run, REPORT_CANDIDATE, all, ids);
}

TEST(report__an_array_is_told_of_once)
{
	struct arena *arena = arena_new();
	const uint32_t *ids;

	for (size_t row = 0; row < sizeof(loops) / sizeof(loops[0]); row++) {
		size_t nr = loops_ranked(arena, row, &ids, false);

		for (size_t i = 0; i < nr && i < loops[row].nr; i++)
			if (ids[i] != loops[row].kept[i])
				test_fail(__FILE__, loops[row].line, "%zu is %u, not %u", i, ids[i],
					  loops[row].kept[i]);
		if (nr != loops[row].nr)
			test_fail(__FILE__, loops[row].line, "%zu candidates, not %zu", nr,
				  loops[row].nr);
	}
	CHECK_INT(loops_ranked(arena, 1, &ids, true), 3);
}

TEST(report__orders_many_the_same_way_every_time)
{
	struct arena *arena = arena_new();
	struct run run = { .nr_nodes = 1001 };
	const uint32_t *ids;

	run.nodes = arena_alloc(arena, run.nr_nodes * sizeof(*run.nodes));
	for (uint32_t i = 0; i < run.nr_nodes; i++)
		run.nodes[i] = (struct run_node){ .id = i,
						  .parent = MS_NODE_NONE,
						  .state = MS_NODE_TRUE,
						  .severity = 0.999,
						  .severity_low = (double)(i * 7919 % 101) / 101 };
	CHECK_INT(report_rank(arena, &run, REPORT_FINDING, false, &ids), 1001);
	for (size_t i = 1; i < 1001; i++) {
		double before = run.nodes[ids[i - 1]].severity_low,
		       here = run.nodes[ids[i]].severity_low;

		CHECK(before > here || (before == here && ids[i - 1] < ids[i]));
	}
}

/* -- text */

TEST(report__text_says_what_where_why_and_what_to_do)
{
	struct arena *arena = arena_new();
	struct run run;
	const char *text;

	sample_run(&run, arena);
	text = print(arena, &run, "text", NULL);
	CHECK_HAS(text, "2 findings in /home/u/swim with 16 threads");
	CHECK_HAS(text, "  1. 29 % (22-38 %)  uneven work in a loop (UnevenWorkInLoop)\n");
	CHECK_HAS(text, "where    loop in calc2 (swim.c:354), called by main -> step\n");
	CHECK_HAS(text, "threads  3, 4\n");
	CHECK_HAS(
		text,
		"barrier_wait 12.3 ms +/- 400 us (timed), iterations 262 k\n              (counted), lock_wait unknown: the overhead limit left no room to measure it\n");
	CHECK_HAS(
		text,
		"98 %; the range of its share is the 95 % interval of the spread over 3 experiments");
	CHECK_HAS(text, "found by uneven work among threads, the whole phase: 31 %\n");
	CHECK_HAS(
		text,
		"              -> uneven work in region, parallel region in calc2 (swim.c:350): 30 %\n");
	CHECK_HAS(text, "try      Try schedule(dynamic, 16)");
	CHECK_HAS(text, "serial code between swim.c:12 and swim.c:40 (in main)\n");
	CHECK_HAS(text, "hot      sum (swim.c:22): 80 % of the samples there (800 samples)\n");
	CHECK_HAS(text, "what sensor 'faults' measures: perf_event_open: permission denied");
	CHECK_HAS(text, "part of the run's time (3.0 %)");
	CHECK_HAS(text, "the answer to \"heap churn\" (1 place): fault_samples: not permitted");
	CHECK_HAS(text, "measuring was held below 5.0 %");
	CHECK_HAS(text, "3 regions: more than 16384 regions were met");
	CHECK_HAS(text, "120\n    executions of 12.5 ms (11.9 ms to 14 ms)");
	CHECK_HAS(text, "about 0.4 % slower");
	CHECK_HAS(text, "libgomp");
	CHECK_HAS_NOT(text, "\033");
	CHECK_HAS_NOT(text, "update (near swim.f90:77)");
	CHECK_HAS_NOT(text, "1 sample)");
}

static void check_width(const char *text, size_t width)
{
	while (*text) {
		size_t nr = strcspn(text, "\n");

		if (nr > width)
			test_fail(__FILE__, __LINE__, "%zu columns: %.*s", nr, (int)nr, text);
		text += nr + (text[nr] == '\n');
	}
}

TEST(report__text_fits_its_width)
{
	struct report_options options;
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	report_options_init(&options);
	options.verbose = true;
	options.all = options.tree = true;
	check_width(print(arena, &run, "text", &options), 100);
	options.width = 72;
	check_width(print(arena, &run, "text", &options), 72);
}

TEST(report__text_says_when_the_limit_was_passed)
{
	struct arena *arena = arena_new();
	struct run run;
	const char *text;

	sample_run(&run, arena);
	run.cost.slowdown = 1.08;
	text = print(arena, &run, "text", NULL);
	CHECK_HAS(text,
		  "about 8.0 % slower than without memsearch (estimated), more than the limit of");
	CHECK_HAS(text, "measuring was limited to 5.0 %");
	CHECK_HAS_NOT(text, "held below");
	run.cost.limit_bound = false;
	CHECK_HAS_NOT(print(arena, &run, "text", NULL), "more than the limit");
	arena_free(arena);
}

TEST(report__text_is_plain_when_nothing_was_proven)
{
	struct arena *arena = arena_new();
	struct run run;
	const char *text;

	sample_run(&run, arena);
	for (size_t i = 0; i < 4; i++)
		run.nodes[i].state = MS_NODE_FALSE;
	text = print(arena, &run, "text", NULL);
	CHECK_HAS(text, "memsearch: no findings, but 1 candidate in");
	CHECK_HAS(
		text,
		"Nothing was proven. 5 questions were answered with no; the largest was \"uneven work among threads\"\n"
		"in the whole phase, with 31 % of the threads' time.");
	run.nr_nodes = 0;
	CHECK_HAS(print(arena, &run, "text", NULL), "No question was asked");
	run.complete = false;
	CHECK_HAS(print(arena, &run, "text", NULL),
		  "The record ends before the first question in it: the program was killed early");
	run.bytes_ignored = 77;
	text = print(arena, &run, "text", NULL);
	CHECK_HAS(text, "The record was cut off or damaged before the first question in it");
	CHECK_HAS(
		text,
		"the end of the run: the record was cut off or damaged: its last 77 bytes cannot be read");
	CHECK_HAS_NOT(text, "killed");
}

TEST(report__text_marks_approximate_and_unknown_lines)
{
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	run.nodes[3].region = 4;
	CHECK_HAS(print(arena, &run, "text", NULL), "lock in update (near swim.f90:77)");
	run.regions[4].source = (struct source){
		.function = "update", .file = "", .module = "libx.so", .offset = 0x12f
	};
	CHECK_HAS(print(arena, &run, "text", NULL), "lock in update (0x12f of libx.so)");
}

TEST(report__serial_code_at_the_ends_of_the_program)
{
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	run.regions[3].construct = (struct code_address){ UINT32_MAX, 0 };
	run.regions[3].source = (struct source){ 0 };
	CHECK_STR(finding_place(arena, &run, 3),
		  "serial code between the program's start and swim.c:40 (in main)");
	run.regions[3].next = (struct code_address){ UINT32_MAX, 0 };
	run.regions[3].next_source = (struct source){ 0 };
	CHECK_STR(finding_place(arena, &run, 3),
		  "serial code between the program's start and the program's end");
}

TEST(report__serial_code_around_one_region)
{
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	run.regions[3].next_source = run.regions[3].source;
	CHECK_STR(
		finding_place(arena, &run, 3),
		"serial code after the parallel region at swim.c:12, until it starts again (in main)");
}

/*
 * Where nothing else is missing, "nothing" would be wrong when most executions were not looked at.
 */
TEST(report__executions_that_were_not_read)
{
	struct arena *arena = arena_new();
	struct run run;
	const char *text;

	sample_run(&run, arena);
	run.nr_sensors = run.nr_missing = run.nr_dropped = 0;
	run.nr_nodes = 4;
	run.nr_measurements = 2;
	run.cost.limit_bound = false;
	run.time_seen = 1;
	CHECK_HAS(print(arena, &run, "text", NULL), "nothing that memsearch knows of");
	run.measurements[0].observed_ns = 0.3e9;
	run.measurements[1].observed_ns = 0.1e9;
	text = print(arena, &run, "text", NULL);
	CHECK_HAS_NOT(text, "nothing that memsearch knows of");
	CHECK_HAS(
		text,
		"part of the phase's executions (80 %): measuring stops where a question is answered");
	CHECK_HAS(text, "in 20 % of that time something was measured");
	CHECK_HAS(print(arena, &run, "json", NULL), "\"read\": 0.2");
	run.phase.method = PHASE_WHOLE_PROGRAM;
	CHECK_HAS(print(arena, &run, "text", NULL), "nothing that memsearch knows of");
}

/* A region inside of another was reached as that one was; a function stands in the path once. */
TEST(report__paths_are_inherited)
{
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	CHECK_STR(finding_path(arena, &run, 4), "main -> step -> calc2 -> update");
	CHECK_STR(finding_callers(arena, &run, 4), "main -> step -> calc2");
	run.regions[2].nr_path = 0;
	CHECK_STR(finding_path(arena, &run, 2), "main -> step -> calc2");
	CHECK_STR(finding_callers(arena, &run, 2), "main -> step");
	run.regions[2].source.function = "";
	CHECK_STR(finding_callers(arena, &run, 2), "main -> step -> calc2");
	CHECK_STR(finding_path(arena, &run, 3), "main");
	CHECK(finding_callers(arena, &run, 3) == NULL);
	run.regions[3].next_source.function = "other";
	CHECK(finding_path(arena, &run, 3) == NULL);
	CHECK(finding_path(arena, &run, 0) == NULL && finding_path(arena, &run, 99) == NULL);
}

/*
 * Samples in the runtime are waits: their line is not what takes the time. Faults there are faults.
 */
TEST(report__waits_are_no_hot_lines)
{
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	run.hotspots[1] = run.hotspots[0];
	run.hotspots[1].count = 900;
	run.hotspots[1].source.line = 25;
	run.hotspots[1].leaf_source.module = "libomp.so.5";
	CHECK_THAT(hotspot_of(&run, 3, MS_METRIC_SAMPLES), ==, &run.hotspots[0]);
	CHECK_HAS(print(arena, &run, "text", NULL), "swim.c:22): 80 %");
	CHECK_HAS_NOT(print(arena, &run, "text", NULL), "swim.c:25");
	CHECK_HAS(print(arena, &run, "json", NULL), "\"line\": 25");
	run.hotspots[1].leaf_source.module = "libomptarget-swim";
	CHECK_HAS(print(arena, &run, "text", NULL), "swim.c:25");
	run.hotspots[1].source.module = "libgomp.so.1";
	CHECK_HAS_NOT(print(arena, &run, "text", NULL), "swim.c:25");
	run.hotspots[1].metric = MS_METRIC_FAULT_SAMPLES;
	CHECK(!hotspot_waits(&run.hotspots[1]));
}

/*
 * One pragma that is reached in several ways is one entry with all of its share; JSON tells them
 * apart.
 */
TEST(report__one_entry_for_one_place)
{
	struct arena *arena = arena_new();
	struct run run;
	const char *text;

	sample_run(&run, arena);
	run.nodes[3] = run.nodes[2];
	run.nodes[3].id = 3;
	run.nodes[3].severity = 0.8;
	run.nodes[3].severity_low = 0.1;
	run.nodes[3].severity_high = 0.9;
	run.nodes[3].region = 3;
	run.regions[3] = run.regions[2];
	run.regions[3].id = 3;
	text = print(arena, &run, "text", NULL);
	CHECK_HAS(text, "memsearch: 1 finding in ");
	CHECK_HAS(text, "  1. 100 % (32-100 %)  uneven work in a loop");
	CHECK_HAS(
		text,
		"(swim.c:354), called by main -> step (in 2 places; this and what follows\n              is of the worst, with 29 %)\n");
	CHECK_HAS_NOT(text, "  2. ");
	CHECK(json_element(json_member(parse(print(arena, &run, "json", NULL)), "findings"), 1) !=
	      NULL);
	run.regions[3].source.line++;
	CHECK_HAS(print(arena, &run, "text", NULL), "memsearch: 2 findings in ");
	run.nodes[2].severity_low = 0.288;
	run.nodes[2].severity_high = 0.292;
	CHECK_HAS(print(arena, &run, "text", NULL), "  1. 29 %     uneven work in a loop");
}

/*
 * What a candidate costs is only known not to be more: so it is told of the worst place of several,
 * too.
 */
TEST(report__one_candidate_for_one_place)
{
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	run.nodes[2].severity = run.nodes[2].severity_low = 0;
	run.nodes[2].severity_high = 0.29;
	run.nodes[2].severity_of_model = true;
	run.nodes[3] = run.nodes[2];
	run.nodes[3].id = 3;
	run.nodes[3].severity_high = 0.21;
	run.nodes[3].region = 3;
	run.regions[3] = run.regions[2];
	run.regions[3].id = 3;
	CHECK_HAS(print(arena, &run, "text", NULL), "  -  up to 50 %  uneven work in a loop");
	CHECK_HAS(print(arena, &run, "text", NULL), "is of the worst, with up to 29 %)\n");
}

/*
 * One experiment tells nothing of the spread: then there is no range, rather than one of no width.
 */
TEST(report__a_spread_that_is_not_known)
{
	struct arena *arena = arena_new();
	struct json_value *found;
	struct run run;
	const char *text;

	sample_run(&run, arena);
	run.nodes[2].severity_low = run.nodes[2].severity_high = run.nodes[2].severity;
	run.nodes[2].experiments = run.nodes[3].experiments = 1;
	run.nodes[2].interval_known = run.nodes[3].interval_known = false;
	text = print(arena, &run, "text", NULL);
	CHECK_HAS(text, "  1. 29 %     uneven work in a loop");
	CHECK_HAS(text, "98 %; how far its share is sure is not known from one experiment");
	CHECK_HAS_NOT(text, "in parentheses");
	text = print(arena, &run, "json", NULL);
	is_by_schema(text);
	found = json_element(json_member(parse(text), "findings"), 0);
	CHECK_INT(json_member(found, "severity_interval")->type, JSON_NULL);
	CHECK_HAS(print(arena, &run, "csv", NULL), ",0.29,,,0.98,");
}

TEST(report__colour_and_most_and_rate_are_options)
{
	struct report_options options;
	struct arena *arena = arena_new();
	struct run run;
	const char *text;

	sample_run(&run, arena);
	report_options_init(&options);
	options.verbose = true;
	options.colour = true;
	CHECK_HAS(print(arena, &run, "text", &options), "\033[1;31m29 %");
	report_options_init(&options);
	options.verbose = true;
	options.most = 1;
	text = print(arena, &run, "text", &options);
	CHECK_HAS(text, "and 1 more");
	CHECK_HAS_NOT(text, "serial code between");
	report_options_init(&options);
	options.verbose = true;
	options.severity_rate = true;
	run.nodes[3].evidence[1].name = "rate";
	run.nodes[3].evidence[1].reading.value = 0.25;
	text = print(arena, &run, "text", &options);
	/* by the rate, and behind it what has none */
	CHECK_HAS(text, "  1. rate 0.25");
	CHECK_HAS(text, "  2. 29 %");
}

TEST(report__tree_shows_every_question_once)
{
	struct report_options options;
	struct arena *arena = arena_new();
	struct run run;
	const char *text;

	sample_run(&run, arena);
	report_options_init(&options);
	options.verbose = true;
	options.tree = true;
	text = strstr(print(arena, &run, "text", &options), "Search history");
	CHECK_HAS(
		text,
		"  yes      uneven work among threads, the whole phase: 31 %; after 2 of 120 executions, 200 ms into\n"
		"           1.60 s\n"
		"    yes      uneven work in region, parallel region in calc2 (swim.c:350): 30 %; after 6 of 120\n"
		"             executions, 250 ms into 1.60 s\n"
		"      yes      uneven work in a loop, loop in calc2 (swim.c:354): 29 %; after 10 of 120 executions,\n"
		"               300 ms into 1.60 s\n"
		"  yes      serial code, ");
	CHECK_HAS(text, "  no       lock waits, lock in update (near swim.f90:77): 1.2 %\n"
			"    discontinued lock waits by thread");
	CHECK_HAS(text, "  unknown  heap churn");
}

TEST(report__brief_leaves_out_what_differs_between_machines)
{
	static const char *const gone[] = { "/home",      "node7", "6.1.0", "4711",
					    "1700000000", "A CPU", "0x12",  "slower" };
	struct report_options options;
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	report_options_init(&options);
	options.verbose = true;
	options.brief = true;
	for (size_t i = 0; i < SAMPLE_COUNT(gone); i++) {
		CHECK_HAS_NOT(print(arena, &run, "text", &options), gone[i]);
		CHECK_HAS_NOT(print(arena, &run, "json", &options), gone[i]);
	}
	is_by_schema(print(arena, &run, "json", &options));
}

/* -- JSON and CSV */

TEST(report__json_is_as_its_schema_says)
{
	struct report_options options;
	struct arena *arena = arena_new();
	struct run run, empty = { 0 };
	const struct run *both[] = { &run, &empty };

	sample_run(&run, arena);
	is_by_schema(print(arena, &run, "json", NULL));
	report_options_init(&options);
	options.verbose = true;
	options.all = true;
	is_by_schema(print_runs(arena, both, 2, "json", &options));
	is_by_schema(print_runs(arena, both, 0, "json", &options));
}

TEST(report__json_holds_the_findings)
{
	struct arena *arena = arena_new();
	struct json_value *document, *found;
	struct run run;

	sample_run(&run, arena);
	document = parse(print(arena, &run, "json", NULL));
	CHECK_STR(json_member(document, "schema")->string, "memsearch-report-1");
	CHECK_INT(json_count(json_member(document, "findings")), 2);
	found = json_element(json_member(document, "findings"), 0);
	CHECK_INT(json_member(found, "id")->number, 2);
	CHECK_INT(json_member(found, "parent")->number, 1);
	CHECK_NEAR(json_member(found, "severity")->number, 0.29, 0);
	CHECK_NEAR(json_element(json_member(found, "severity_interval"), 1)->number, 0.38, 0);
	CHECK_INT(json_member(json_member(found, "region"), "line")->number, 354);
	CHECK_STR(json_element(json_member(json_member(found, "region"), "path"), 1)->string,
		  "step");
	CHECK_INT(json_element(json_member(found, "threads"), 1)->number, 4);
	CHECK_NEAR(json_member(json_member(found, "evidence"), "barrier_wait")->number, 12.3e6, 0);
	CHECK_INT(json_member(json_member(found, "evidence"), "lock_wait")->type, JSON_NULL);
	CHECK_INT(json_count(json_member(found, "chain")), 2);
	CHECK_INT(json_member(json_element(json_member(document, "findings"), 1), "threads")->type,
		  JSON_NULL);
	CHECK_INT(json_member(json_element(json_member(document, "dropped"), 0), "count")->number,
		  3);
}

/* The first cause is that of the first finding, and names it. */
TEST(report__json_holds_the_causes)
{
	struct arena *arena = arena_new();
	struct json_value *cause;
	struct run run;

	sample_run(&run, arena);
	cause = json_element(json_member(parse(print(arena, &run, "json", NULL)), "causes"), 0);
	CHECK_STR(json_member(cause, "kind")->string, "property");
	CHECK_INT(json_member(json_member(cause, "region"), "line")->number, 354);
	CHECK_NEAR(json_element(json_member(cause, "severity_interval"), 1)->number, 0.38, 0);
	CHECK_INT(json_element(json_member(cause, "findings"), 0)->number, 2);
	CHECK_INT(json_count(json_member(cause, "data_structures")), 0);
	CHECK_THAT(json_member(cause, "advice")->type, ==, JSON_STRING);
}

/* The schema check itself must be able to fail. */
TEST(report__schema_check_finds_mistakes)
{
	static const struct {
		int line;
		const char *from, *to, *error;
	} rows[] = {
		{ __LINE__, "\"dropped\"", "\"doppred\"", "$: required" },
		{ __LINE__, "memsearch-report-1", "memsearch-report-2", "$.schema: enum" },
		{ __LINE__, "\"confidence\": 0.98", "\"confidence\": 9.8",
		  "$.findings.[].confidence: maximum" },
		{ __LINE__, "\"line\": 354", "\"line\": 35.4", "$.findings.[].region.line: type" },
		{ __LINE__, "\"imbalance\": 0.42", "\"imbalance\": true",
		  "$.findings.[].evidence.imbalance: type" },
	};
	struct arena *arena = arena_new();
	struct json_value *schema = parse(json_read_file(SCHEMA));
	struct run run;

	sample_run(&run, arena);
	for (size_t i = 0; i < SAMPLE_COUNT(rows); i++) {
		char *text = arena_strdup(arena, print(arena, &run, "json", NULL)),
		     *at = strstr(text, rows[i].from);
		const char *error;

		CHECK(at != NULL);
		text = arena_printf(arena, "%.*s%s%s", (int)(at - text), text, rows[i].to,
				    at + strlen(rows[i].from));
		error = json_check(schema, parse(text), "$");
		if (!error || strcmp(error, rows[i].error) != 0)
			test_fail(__FILE__, rows[i].line, "%s, not %s", error ? error : "no error",
				  rows[i].error);
	}
}

TEST(report__json_has_null_where_there_is_no_number)
{
	struct arena *arena = arena_new();
	struct json_value *found;
	struct run run;

	sample_run(&run, arena);
	run.nodes[2].severity_high = INFINITY;
	run.nodes[2].evidence[0].reading.value = NAN;
	run.time_seen = NAN;
	is_by_schema(print(arena, &run, "json", NULL));
	CHECK_HAS_NOT(print(arena, &run, "json", NULL), "nan");
	found = json_element(json_member(parse(print(arena, &run, "json", NULL)), "findings"), 0);
	CHECK_INT(json_member(found, "severity_interval")->type, JSON_NULL);
	CHECK_STR(
		json_member(json_element(json_member(found, "evidence_details"), 0), "why")->string,
		ms_missing_text(MS_MISSING_BROKEN));
	CHECK_HAS(print(arena, &run, "text", NULL), "imbalance unknown");
}

/* SARIF as OASIS has it, as far as required members, enumerations and lower bounds go. */
TEST(report__sarif_has_causes_at_their_lines)
{
	static const char schema[] =
		"{\"required\":[\"version\",\"runs\"],\"properties\":{\"version\":{\"enum\":[\"2.1.0\"]},\"runs\":{\"type\":\""
		"array\",\"items\":{\"required\":[\"tool\"],\"properties\":{\"tool\":{\"required\":[\"driver\"],\"propertie"
		"s\":{\"driver\":{\"required\":[\"name\"],\"properties\":{\"rules\":{\"type\":\"array\",\"items\":{\"required"
		"\":[\"id\"],\"properties\":{\"shortDescription\":{\"required\":[\"text\"]},\"help\":{\"required\":[\"text\""
		"]}}}}}}}},\"invocations\":{\"type\":\"array\",\"items\":{\"required\":[\"executionSuccessful\"],\"prope"
		"rties\":{\"toolExecutionNotifications\":{\"type\":\"array\",\"items\":{\"required\":[\"message\"],\"prop"
		"erties\":{\"message\":{\"required\":[\"text\"]}}}}}}},\"results\":{\"type\":\"array\",\"items\":{\"require"
		"d\":[\"message\"],\"properties\":{\"level\":{\"enum\":[\"none\",\"note\",\"warning\",\"error\"]},\"rank\":{\"t"
		"ype\":\"number\",\"minimum\":-1},\"ruleIndex\":{\"type\":\"integer\",\"minimum\":-1},\"message\":{\"requir"
		"ed\":[\"text\"]},\"locations\":{\"type\":\"array\",\"items\":{\"properties\":{\"physicalLocation\":{\"prop"
		"erties\":{\"region\":{\"properties\":{\"startLine\":{\"type\":\"integer\",\"minimum\":1}}}}}}}}}}}}}}}}";
	struct arena *arena = arena_new();
	struct json_value *document, *run_of, *rules, *results;
	struct run run;
	const char *error;

	sample_run(&run, arena);
	document = parse(print(arena, &run, "sarif", NULL));
	CHECK(!json_check(json_parse(schema, &error), document, "$"));
	run_of = json_element(json_member(document, "runs"), 0);
	rules = json_member(json_member(json_member(run_of, "tool"), "driver"), "rules");
	results = json_member(run_of, "results");
	CHECK_THAT(json_count(results), >=, 2);
	for (size_t i = 0; i < json_count(results); i++) {
		const struct json_value *result = json_element(results, i);
		size_t rule = (size_t)json_member(result, "ruleIndex")->number;
		const struct json_value *place = json_member(
			json_element(json_member(result, "locations"), 0), "physicalLocation");

		CHECK_THAT(rule, <, json_count(rules));
		CHECK_STR(json_member(result, "ruleId")->string,
			  json_member(json_element(rules, rule), "id")->string);
		CHECK_STR(json_member(json_member(place, "artifactLocation"), "uri")->string,
			  "swim.c");
	}
	CHECK_STR(json_member(json_element(results, 0), "ruleId")->string, "UnevenWorkInLoop");
	CHECK_STR(json_member(json_element(results, 0), "level")->string, "error");
}

/* What GitHub's runner would take for the end of a property or of the command is escaped. */
TEST(report__github_escapes_names)
{
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	run.regions[run.nodes[2].region].source.file = "a,b:%.c";
	run.nodes[2].advice = "say so\n::error::not a command";
	CHECK_HAS(
		print(arena, &run, "github", NULL),
		"::error file=a%2Cb%3A%25.c,line=354,title=memsearch::uneven work in a loop, 22-38 %25 of the time");
	CHECK_HAS(print(arena, &run, "github", NULL), "say so?::error::not a command\n");
}

TEST(report__csv_has_one_row_a_finding)
{
	struct arena *arena = arena_new();
	struct run run;
	const char *csv;

	sample_run(&run, arena);
	run.nodes[2].advice = "say \"dynamic\", twice";
	csv = print(arena, &run, "csv", NULL);
	CHECK_HAS(csv, "run,rank,id,property,title,severity,");
	CHECK_HAS(
		csv,
		"\n1,1,2,UnevenWorkInLoop,uneven work in a loop,0.29,0.22,0.38,0.98,timed,DO_REGION,calc2,swim.c,354,no,"
		"main -> step -> calc2,\"3, 4\",Some threads");
	CHECK_HAS(
		csv,
		",\"say \"\"dynamic\"\", twice\",,host,,imbalance=0.42; barrier_wait=12300000; iterations=262144,share,2,\n1,2,3,SerialCodeFound,");
	/* on another machine: after those of this one */
	run.nodes[2].rung = MS_RUNG_SIMULATED;
	run.modelled.name = "xeon-2s";
	csv = print(arena, &run, "csv", NULL);
	CHECK_HAS(csv, ",host,,serial_time=4.56e+09; share=12,share,3,\n1,1,2,UnevenWorkInLoop,");
	CHECK_HAS(csv, ",\"say \"\"dynamic\"\", twice\",,xeon-2s,");
}

/* Of a line of CSV; "" past the last. */
static const char *csv_field(struct arena *arena, const char *line, size_t number)
{
	char *field = arena_alloc(arena, strcspn(line, "\n") + 1);
	size_t nr = 0;
	bool quoted = false;

	for (; *line && *line != '\n' && (number || quoted || *line != ','); line++) {
		quoted ^= *line == '"';
		number -= *line == ',' && !quoted;
		if (!number && *line != ',' && *line != '"')
			field[nr++] = *line;
	}
	return field;
}

/* By the heading. */
static const char *csv_value(struct arena *arena, const char *csv, const char *line,
			     const char *column)
{
	for (size_t i = 0; *csv_field(arena, csv, i); i++)
		if (!strcmp(csv_field(arena, csv, i), column))
			return csv_field(arena, line, i);
	test_fail(__FILE__, __LINE__, "no column '%s'", column);
	return NULL;
}

/* Two runs, each with findings of this machine and of a modelled one. */
TEST(report__csv_ranks_are_unique_by_machine)
{
	struct report_options options;
	struct arena *arena = arena_new();
	const char *csv, *seen[16];
	struct run run;
	const struct run *both[] = { &run, &run };
	size_t nr = 0, of_model = 0;

	sample_run(&run, arena);
	run.nodes[9].rung = MS_RUNG_SIMULATED;
	run.nodes[9].severity = 0.03;
	run.nodes[9].evidence = run.nodes[3].evidence;
	run.nodes[9].nr_evidence = 1;
	run.nodes[8].rung = MS_RUNG_SIMULATED;
	run.nodes[8].severity = 0.5;
	run.modelled.name = "xeon-2s";
	report_options_init(&options);
	csv = print_runs(arena, both, 2, "csv", &options);
	for (const char *line = strchr(csv, '\n'); line && line[1] && nr < 16;
	     line = strchr(line + 1, '\n')) {
		const char *machine = csv_value(arena, csv, line + 1, "machine");
		bool is_array = !strcmp(csv_value(arena, csv, line + 1, "property"), "ArrayWalked");

		seen[nr] = arena_printf(arena, "%s %s %s", csv_value(arena, csv, line + 1, "run"),
					machine, csv_value(arena, csv, line + 1, "rank"));
		for (size_t i = 0; i < nr; i++)
			CHECK(strcmp(seen[i], seen[nr]) != 0);
		nr++;
		of_model += !strcmp(machine, "xeon-2s");
		CHECK_STR(csv_value(arena, csv, line + 1, "data_structure"),
			  is_array ? "unew" : "");
		CHECK_STR(csv_value(arena, csv, line + 1, "array_id"), is_array ? "0" : "");
		if (is_array) {
			CHECK_STR(machine, "xeon-2s");
			CHECK_STR(csv_value(arena, csv, line + 1, "region"), "2");
			CHECK_STR(csv_value(arena, csv, line + 1, "evidence"),
				  "serial_time=4.56e+09");
		}
	}
	CHECK_INT(nr, 8);
	CHECK_INT(of_model, 4);
}

/* Apart, and not without a word on whose time it is a share of. */
TEST(report__findings_of_the_modelled_machine)
{
	struct arena *arena = arena_new();
	const char *text, *modelled;
	struct run run;

	sample_run(&run, arena);
	CHECK(!strstr(print(arena, &run, "text", NULL), "modelled machine"));
	run.nodes[2].rung = MS_RUNG_SIMULATED;
	run.modelled.name = "xeon-2s";
	text = print(arena, &run, "text", NULL);
	CHECK_HAS(
		text,
		"\n\nOn the modelled machine xeon-2s: 1 finding\nWaits are what the accesses would wait on that machine; shares are of the time that threads");
	modelled = strstr(text, "On the modelled machine");
	CHECK(modelled && strstr(modelled, "UnevenWorkInLoop") &&
	      !strstr(modelled, "SerialCodeFound"));
}

/* The C library finds locales in LOCPATH, so none has to be installed. */
static void use_decimal_comma(void)
{
	const char *folder = scratch_enter();

	CHECK_INT(system("localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 > localedef.out 2>&1"), 0);
	CHECK_INT(setenv("LOCPATH", folder, 1), 0);
	CHECK(setlocale(LC_ALL, "de_DE.UTF-8"));
	CHECK_STR(localeconv()->decimal_point, ",");
}

TEST(report__numbers_do_not_depend_on_the_locale)
{
	struct arena *arena = arena_new();
	const char *before;
	struct run run;

	sample_run(&run, arena);
	before = print(arena, &run, "json", NULL);
	use_decimal_comma();
	CHECK_STR(print(arena, &run, "json", NULL), before);
	CHECK_HAS(print(arena, &run, "text", NULL), "12.3 ms");
}

TEST(report__json_has_environment_and_steps)
{
	struct run_variable variables[] = { { "OMP_SCHEDULE", "dynamic,\"4\"" } };
	struct run_step steps[] = { { 1, 1, 4e6, 4e6, 4e6 }, { 2, 0, 3e6, 1e6, 2e6 } };
	struct arena *arena = arena_new();
	struct run run;
	const char *json;

	sample_run(&run, arena);
	CHECK_HAS(print(arena, &run, "json", NULL), "\"series\": null");
	run.variables = variables;
	run.nr_variables = 1;
	run.steps = steps;
	run.nr_steps = 2;
	json = print(arena, &run, "json", NULL);
	is_by_schema(json);
	CHECK_HAS(json, "\"OMP_SCHEDULE\": \"dynamic,\\\"4\\\"\"");
	CHECK_HAS(
		json,
		"\"executions\": 2,\n            \"recorded\": 0,\n            \"wall_ns\": 3000000");
}

/* -- damaged and large runs */

TEST(report__hostile_names_stay_harmless)
{
	struct arena *arena = arena_new();
	struct run run;
	const char *json;

	sample_run(&run, arena);
	run.program = "/tmp/a\033]0;x\007b";
	run.regions[2].source.function = "f\"\\\xff\xc0\xaf\xed\xa0\x80\xf0\x9f\x98\x80<T>";
	run.nodes[2].explanation = "one\ttwo\033[31m\nthree";
	run.sensors[1].why = "\033[2J";
	CHECK_HAS_NOT(print(arena, &run, "text", NULL), "\033");
	json = print(arena, &run, "json", NULL);
	is_by_schema(json);
	CHECK_HAS(json, "f\\\"\\\\\\\\xff\\\\xc0\\\\xaf\\\\xed\\\\xa0\\\\x80\xf0\x9f\x98\x80<T>");
	CHECK_HAS(json, "one\\u0009two\\u001b[31m\\nthree");
}

TEST(report__damaged_runs_are_printed_all_the_same)
{
	static const char *const formats[] = { "text", "json", "csv" };
	struct report_options options;
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	report_options_init(&options);
	options.verbose = true;
	options.all = options.tree = true;
	run.nodes[2].parent = 2; /* its own parent */
	run.nodes[1].parent = 3; /* a later one */
	run.nodes[3].parent = 1;
	run.nodes[0].region = 99;
	run.nodes[0].property = run.nodes[0].title = NULL;
	run.nodes[1].state = 77;
	run.nodes[4].evidence = NULL;
	run.nodes[2].evidence[0].name = run.nodes[2].evidence[0].unit = NULL;
	run.nodes[2].rung = (enum ms_rung)55;
	run.regions[2].kind = (enum ms_region_kind)66;
	run.regions[1].source = (struct source){ 0 };
	run.missing[0].metric = 12345;
	run.hotspots[0].metric = 12345;
	run.program = run.command = run.strategy = NULL;
	run.phase.method = (enum phase_method)44;
	for (size_t i = 0; i < SAMPLE_COUNT(formats); i++)
		CHECK_THAT(strlen(print(arena, &run, formats[i], &options)), >, 100);
	parse(print(arena, &run, "json", &options));
}

/* The program was killed before anything of the run was written down. */
TEST(report__a_record_without_a_begin_claims_nothing)
{
	struct arena *arena = arena_new();
	struct run run = { 0 };
	const char *text = print(arena, &run, "text", NULL),
		   *json = print(arena, &run, "json", NULL);

	CHECK_HAS(text, "(the piece of the program that repeats): not known\n");
	CHECK_HAS(text, "what memsearch cost is not known");
	CHECK_HAS_NOT(text, "0 ns");
	CHECK_HAS_NOT(text, "omp_control_tool");
	is_by_schema(json);
	CHECK_HAS(json, "\"detected\": null");
	CHECK_HAS(json, "\"tool_cpu_ns\": null");
}

TEST(report__why_simulated_counts_may_differ)
{
	struct arena *arena = arena_new();
	const char *text;
	struct run run;

	sample_run(&run, arena);
	run.modelled = (struct run_modelled){ .name = "xeon-2s",
					      .title = "two Xeons",
					      .early_windows = 3 };
	text = print(arena, &run, "text", NULL);
	CHECK_HAS(text, "full 3 times");
	CHECK_HAS_NOT(text, " team");
	run.modelled.lost_teams = 1;
	CHECK_HAS(print(arena, &run, "text", NULL), "; 1 team ran");
	run.modelled.early_windows = 0;
	CHECK_HAS(print(arena, &run, "text", NULL), ": 1 team");
}

TEST(report__where_the_modelled_memory_lies)
{
	struct report_options wide;
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	report_options_init(&wide);
	wide.verbose = true;
	wide.width = 1000;
	run.modelled = (struct run_modelled){
		.name = "xeon-2s", .title = "two Xeons", .cores = 8, .nodes = 2
	};
	/* a record of an earlier version */
	CHECK_HAS_NOT(print(arena, &run, "text", &wide), "its memory is on the nodes");
	run.modelled.pages = run.modelled.pages_placed = 200;
	CHECK_HAS(
		print(arena, &run, "text", &wide),
		"its memory is on the nodes of the threads that the program first touched it with: 100 % of the pages accessed\n");
	run.modelled.pages_placed = 50;
	CHECK_HAS(print(arena, &run, "text", &wide),
		  "25 % of the pages accessed; of the others it is not known");
	run.modelled.nodes = 1;
	CHECK_HAS_NOT(print(arena, &run, "text", &wide), "its memory is on the nodes");
}

/* Where there is no memory for a part of it, that part is missing. An arena begins with 64 KiB. */
#define ROOM_MAX 65000
static void print_with_room(const struct run *run, const char *format,
			    const struct report_options *options, size_t room)
{
	struct rlimit before, none;
	struct arena *arena = arena_new();
	struct text text;

	CHECK(arena_alloc(arena, ROOM_MAX - room));
	CHECK(!getrlimit(RLIMIT_AS, &before));
	none = (struct rlimit){ 0, before.rlim_max };
	text_init(&text, arena);
	CHECK(!setrlimit(RLIMIT_AS, &none));
	report_format(format)(&text, &run, 1, options);
	CHECK(!setrlimit(RLIMIT_AS, &before));
	arena_free(arena);
}

TEST(report__runs_out_of_memory_anywhere)
{
	static const char *const formats[] = { "text", "json", "csv" };
	struct report_options options;
	struct arena *arena = arena_new();
	struct run run;

	if (THREAD_SANITIZED)
		test_skip("sanitizers need address space without limit");
	sample_run(&run, arena);
	run.modelled = (struct run_modelled){ .name = "xeon-2s",
					      .title = "two Xeons",
					      .early_windows = 3 };
	report_options_init(&options);
	options.verbose = true;
	options.all = options.tree = true;
	for (size_t i = 0; i < SAMPLE_COUNT(formats); i++)
		for (size_t room = 0; room < ROOM_MAX; room += 112)
			print_with_room(&run, formats[i], &options, room);
}

TEST(report__ten_thousand_regions_take_less_than_a_second)
{
	struct report_options options;
	struct timespec begin, end;
	struct arena *arena = arena_new();
	size_t nr = 10000;
	struct run run;

	sample_run(&run, arena);
	run.regions = arena_alloc(arena, nr * sizeof(*run.regions));
	run.nodes = arena_alloc(arena, 2 * nr * sizeof(*run.nodes));
	run.missing = arena_alloc(arena, nr * sizeof(*run.missing));
	for (uint32_t i = 0; i < nr; i++) {
		run.regions[i] = (struct run_region){ .id = i,
						      .kind = MS_PARALLEL_REGION,
						      .source = sample_source("f", "f.c", (int)i) };
		run.missing[i] = (struct run_missing){ i, MS_METRIC_ITERATIONS,
						       MS_MISSING_NO_EVENT };
	}
	for (uint32_t i = 0; i < 2 * nr; i++)
		run.nodes[i] = (struct run_node){ .id = i,
						  .parent = i ? i / 2 : MS_NODE_NONE,
						  .state = i % 3 ? MS_NODE_TRUE : MS_NODE_UNKNOWN,
						  .region = i / 2,
						  .property = "P",
						  .severity = 1.0 / (i + 1),
						  .severity_low = 1.0 / (i + 2) };
	run.nr_regions = run.nr_missing = nr;
	run.nr_nodes = 2 * nr;
	report_options_init(&options);
	options.verbose = true;
	options.most = 10;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	print(arena, &run, "text", &options);
	clock_gettime(CLOCK_MONOTONIC, &end);
	CHECK_THAT((double)(end.tv_sec - begin.tv_sec) +
			   1e-9 * (double)(end.tv_nsec - begin.tv_nsec),
		   <, (SANITIZED ? 10 : 1));
}

TEST(report__formats)
{
	CHECK(report_format("text") && report_format("json") && report_format("csv"));
	CHECK(report_format("xml") == NULL);
}

/* Where an attainable bandwidth came from is said beside what was compared with it. */
TEST(report__the_calibration_is_told)
{
	struct arena *arena = arena_new();
	const struct run *runs;
	struct report_options options;
	struct text text, json;
	struct run run;

	sample_run(&run, arena);
	run.machine.attainable_bandwidth = 204.8e9;
	run.machine.single_bandwidth = 14.25e9;
	run.machine.bandwidth_spread = 0.031;
	run.machine.bandwidth_measured = 1763622000;
	runs = &run;
	report_options_init(&options);
	options.verbose = true;
	options.width = 1000;
	text_init(&text, arena);
	text_init(&json, arena);
	report_format("text")(&text, &runs, 1, &options);
	report_format("json")(&json, &runs, 1, &options);
	CHECK(strstr(text.bytes,
		     "memory delivers 205 GB/s to all CPUs and 14.2 GB/s to one: by the calibration of this machine of 2025-11-20, "
		     "whose repetitions differed by 3.1 %") != NULL);
	CHECK(strstr(json.bytes, "\"attainable\": 204800000000") != NULL);
	CHECK(strstr(json.bytes, "\"measured_seconds\": 1763622000") != NULL);
}
