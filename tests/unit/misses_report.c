/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Simulated misses by data structure, line and thread: what is added up from what, and how it is
 * told.
 */
#include "analysis/report/misses.h"

#include "analysis/report/access_groups.h"
#include "analysis/report/arrays.h"
#include "analysis/report/recorded.h"
#include "analysis/report/region_use.h"
#include "analysis/report/text.h"
#include "memsearch/host.h"
#include "tests/unit/arrays_printed.h"
#include "tests/unit/json_value.h"
#include "tests/unit/modelled_run.h"

static const char *print(struct arena *arena, const struct run *run, arrays_writer *write,
			 enum arrays_by by)
{
	return arrays_printed(arena, run, write,
			      &(struct arrays_options){ .by = by, .brief = true });
}

TEST(misses_report__constructs_are_added_up_and_loops_are_not)
{
	struct arena *arena = arena_new();
	struct misses_rows rows;
	const struct misses *arrays;
	struct run run;

	modelled_run(&run, arena);
	arrays = misses_by_array(arena, &run);
	CHECK_NEAR(misses_accesses(&arrays[0]), 400000, 0);
	CHECK_NEAR(arrays[0].missed[1], 40000, 0);
	CHECK_NEAR(arrays[1].missed[1], 80000, 0);
	CHECK_NEAR(misses_accesses(&arrays[2]), 0, 0);

	rows = misses_rows(arena, &run, MISSES_BY_THREAD);
	CHECK_INT(rows.nr, 2);
	CHECK_INT(rows.items[0].thread, 0);
	CHECK_NEAR(rows.items[0].of.cycles, 9000000, 0);
	CHECK_NEAR(rows.items[1].of.cycles, 1000000, 0);

	rows = misses_rows(arena, &run, MISSES_BY_THREAD_AND_ARRAY);
	CHECK_INT(rows.nr, 4);
	CHECK(rows.items[1].thread == 0 && rows.items[1].array == 1);
	CHECK_NEAR(rows.items[1].of.missed[2], 40000, 0);

	rows = misses_rows(arena, &run, MISSES_BY_CONSTRUCT);
	CHECK_INT(rows.nr, 2);
	CHECK_INT(rows.items[1].region, 2);
	CHECK_NEAR(rows.items[1].of.missed[0], 180000, 0);
	CHECK_INT(misses_rows(arena, &run, MISSES_BY_CONSTRUCT_AND_THREAD).nr, 4);
}

/* Lines are told apart by their own counts, which add up to those of the arrays. */
TEST(misses_report__lines_have_the_misses_of_their_accesses)
{
	struct arena *arena = arena_new();
	const struct arrays_view *view;
	struct access_groups groups;
	double sum = 0;
	struct run run;

	modelled_run(&run, arena);
	view = arrays_view(arena, &run);
	CHECK(view != NULL);
	CHECK_NEAR(view->waited, 10000000, 0);
	groups = access_groups(arena, &run, view->rates);
	CHECK_INT(groups.nr, 4);
	for (size_t i = 0; i < groups.nr; i++)
		sum += groups.items[i].array == 0 ? groups.items[i].misses.missed[1] : 0;
	CHECK_NEAR(sum, 40000, 1e-6);
	CHECK_NEAR(sum, view->misses[0].missed[1], 1e-6);
	run.nr_measurements = 0; /* of how many executions is not known */
	CHECK_NEAR(misses_executions(&run), 0, 0);
}

/* 65 k lines of demand and 14 k prefetched, 64 bytes each, in 10 ms; two threads of 1 GB/s. */
TEST(misses_report__traffic_is_told_against_the_calibration)
{
	struct arena *arena = arena_new();
	const struct region_use *uses;
	struct run run;

	modelled_run(&run, arena);
	/* the parallel region is its loop and nothing else */
	CHECK_INT(region_uses(arena, &run, &uses), 1);
	CHECK_INT(uses[0].region, 2);
	CHECK_INT(uses[0].threads, 2);
	CHECK_NEAR(uses[0].read, (65000 + 14000) * 64.0, 1e-6);
	CHECK_NEAR(uses[0].written, 10000 * 64.0, 1e-6);
	CHECK_NEAR(uses[0].time, 10e6, 1);
	CHECK_NEAR(uses[0].rate, 79000 * 64.0 / 10e-3, 1e3);
	/* of line 357; at line 356 the stride leaves the page */
	CHECK_NEAR(uses[0].misses.streamed, 5000, 1e-6);
	CHECK(isnan(uses[0].attainable) && strstr(uses[0].why, "--calibrate"));
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_REGION),
		  "18 % prefetched, 6.3 % streaming");
	CHECK(!strstr(print(arena, &run, arrays_text, ARRAYS_BY_THREAD), "latency-bound"));

	run.machine.single_bandwidth = 1e9;
	run.machine.attainable_bandwidth = 1.5e9;
	CHECK_INT(region_uses(arena, &run, &uses), 1);
	CHECK(isnan(uses[0].attainable) && strstr(uses[0].why, "xeon-2s was modelled"));
	run.modelled.here = true;
	CHECK_INT(region_uses(arena, &run, &uses), 1);
	CHECK_NEAR(uses[0].attainable, 1.5e9, 0);
	CHECK(!uses[0].why);
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_REGION), "34 %");
	run.machine.single_bandwidth = 0.1e9;
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_REGION), "More than all of it");
	run.machine.single_bandwidth = 0.6e9;
	CHECK_INT(region_uses(arena, &run, &uses), 1);
	CHECK_NEAR(uses[0].attainable, 1.2e9, 0);

	run.modelled.line = 0; /* a record of an earlier version */
	CHECK_INT(region_uses(arena, &run, &uses), 1);
	CHECK(isnan(uses[0].read) && isnan(uses[0].rate));
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_REGION), "unknown");
}

/*
 * The times of the regions and the recorded ones: the loop is recorded, the parallel region around
 * it is not.
 */
TEST(misses_report__coverage_stands_beside)
{
	struct arena *arena = arena_new();
	const struct region_use *uses;
	struct run run;

	modelled_run(&run, arena);
	CHECK_INT(region_uses(arena, &run, &uses), 1);
	CHECK_NEAR(uses[0].recorded, 1, 0);
	run.nr_measurements = 0;
	CHECK_INT(region_uses(arena, &run, &uses), 0);
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_REGION), "Nothing is known of regions");
}

/* But for stalls, of which the model does not know how many overlap. */
TEST(misses_report__counted_stands_beside_simulated)
{
	struct arena *arena = arena_new();
	const struct counted_pair *pairs;
	const char *text;
	struct run run;

	modelled_run(&run, arena);
	CHECK_INT(counted_pairs(arena, &run, &pairs), 2);
	CHECK(pairs[0].region == 2 && pairs[0].metric == MS_METRIC_L1D_MISSES);
	CHECK_NEAR(pairs[0].counted, 195000, 0);
	CHECK_NEAR(pairs[0].simulated, 180000, 0);
	CHECK_THAT(pairs[1].metric, ==, MS_METRIC_L2D_MISSES);
	text = print(arena, &run, arrays_text, ARRAYS_BY_REGION);
	CHECK_HAS(text, "195 k      180 k  0.92   l1d_misses");
	CHECK_HAS(text, "simulated on another machine");
	run.modelled.here = true;
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_REGION), "own prefetchers");
	CHECK_HAS(print(arena, &run, arrays_csv, ARRAYS_BY_REGION), "attainable_bandwidth");
	/* a virtual machine: nothing is counted */
	for (size_t i = 0; i < run.nr_measurements; i++)
		if (run.measurements[i].row.metric == MS_METRIC_L1D_MISSES ||
		    run.measurements[i].row.metric == MS_METRIC_L2D_MISSES)
			run.measurements[i].phases = 0;
	CHECK_INT(counted_pairs(arena, &run, &pairs), 0);
	CHECK(!strstr(print(arena, &run, arrays_text, ARRAYS_BY_REGION), "counted here"));
}

/* A machine was named, but no time left for it: that is said, and no misses are. */
TEST(misses_report__why_nothing_was_simulated)
{
	struct arena *arena = arena_new();
	struct run run;

	modelled_run(&run, arena);
	CHECK(!recorded_why_not_simulated(arena, &run));
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY),
		  "Misses are simulated: the caches of xeon-2s");
	run.nr_measurements -= 2 * SAMPLE_COUNT(modelled_rows);
	CHECK_HAS(recorded_why_not_simulated(arena, &run), "the search did not ask");
	run.nodes[2].state = MS_NODE_UNKNOWN;
	run.nodes[2].missing = MS_MISSING_BUDGET;
	run.nodes[2].missing_metric = "simulated_stall_cycles";
	CHECK_HAS(recorded_why_not_simulated(arena, &run),
		  "no room to measure it; a higher --overhead gives it more");
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY),
		  "caches of xeon-2s were not simulated: the overhead limit");
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_REGION),
		  "no accesses were simulated: the overhead limit");
	CHECK_HAS(print(arena, &run, arrays_json, ARRAYS_BY_ARRAY),
		  "\"why_not_simulated\": \"the overhead limit");
	run.modelled.name = NULL;
	CHECK_HAS(recorded_why_not_simulated(arena, &run), "no machine was named");
}

TEST(misses_report__text_csv_and_json_say_the_same)
{
	struct arena *arena = arena_new();
	const char *error;
	struct json_value *schema = json_parse(
				  json_read_file(
					  "analysis/report/schema/memsearch-arrays-1.schema.json"),
				  &error),
			  *value;
	struct run run;

	modelled_run(&run, arena);
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY), "50 % of all waiting");
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_LINE),
		  "100 % of accesses in L1, 80 % in L2, 40 % in L3");
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_THREAD), "grid 56 %, unew 44 %");
	CHECK_HAS(print(arena, &run, arrays_csv, ARRAYS_BY_THREAD), "simulated_l2_misses");
	CHECK_HAS(print(arena, &run, arrays_csv, ARRAYS_BY_LINE), "simulated_false_sharing");
	value = json_parse(print(arena, &run, arrays_json, ARRAYS_BY_ARRAY), &error);
	CHECK(schema && value);
	error = json_check(schema, value, "$");
	if (error)
		test_fail(__FILE__, __LINE__, "%s", error);
	run.modelled.name = NULL;
	for (size_t i = 0; i < run.nr_accesses; i++)
		run.accesses[i].misses = (struct run_misses){ 0 };
	run.nr_measurements -= 2 * SAMPLE_COUNT(modelled_rows);
	CHECK(!strstr(print(arena, &run, arrays_text, ARRAYS_BY_LINE), "misses"));
	CHECK_HAS(print(arena, &run, arrays_json, ARRAYS_BY_THREAD), "\"simulated\": null");
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_THREAD), "unew 75 %, grid 25 %");
}
