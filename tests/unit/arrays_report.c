/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Data structures in words: first touches put together by line, JSON by its schema, what is not
 * known, damaged runs.
 */
#include "analysis/report/arrays.h"

#include "analysis/report/access_groups.h"
#include "analysis/report/array_use.h"
#include "analysis/report/recorded.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "memsearch/host.h"
#include "tests/host/random_run.h"
#include "tests/unit/arrays_printed.h"
#include "tests/unit/json_value.h"
#include "tests/unit/sample_run.h"

#define SCHEMA "analysis/report/schema/memsearch-arrays-1.schema.json"

static const char *print(struct arena *arena, const struct run *run, arrays_writer *write,
			 enum arrays_by by)
{
	return arrays_printed(arena, run, write,
			      &(struct arrays_options){ .by = by, .all = true, .brief = true });
}

static void is_by_schema(const char *text)
{
	const char *error;
	struct json_value *value = json_parse(text, &error),
			  *schema = json_parse(json_read_file(SCHEMA), &error);

	CHECK(value && schema);
	error = json_check(schema, value, "$");
	if (error)
		test_fail(__FILE__, __LINE__, "%s in:\n%s", error, text);
}

TEST(arrays_report__touches_of_one_line_are_one_group)
{
	struct arena *arena = arena_new();
	const struct arrays_view *view;
	const struct touch_group *group;
	struct run run;

	sample_run(&run, arena);
	view = arrays_view(arena, &run);
	CHECK(view != NULL);
	CHECK_INT(view->first[1] - view->first[0], 2);
	group = &view->groups[view->first[0]];
	CHECK(!group->before);
	CHECK_INT(group->nr_threads, 3);
	CHECK_INT(group->threads[2], 3);
	CHECK_INT(group->least, 256 << 10);
	CHECK_INT(group->most, (1 << 20) - 4000);
	CHECK_INT(group->pages, 512);
	CHECK_INT(group->nr_nodes, 2);
	CHECK(group[1].before && group[1].bytes == 4000);
	CHECK_INT(arrays_touched(view, 0), 2 << 20);
	CHECK_INT(arrays_touched(view, 3), 0);
	CHECK_INT(view->order[0], 0); /* it moves most */
	CHECK_INT(view->order[1], 1);
	CHECK_INT(view->order[2], 5); /* the largest of the others */
	CHECK_INT(view->order[view->nr_arrays - 1], 4);
}

TEST(arrays_report__text_says_what_is_not_known)
{
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY),
		  "each of 16500 was counted, none was lost");
	run.touching.lost = 17;
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY), "17 were lost");
	CHECK_HAS(print(arena, &run, arrays_json, ARRAYS_BY_ARRAY), "\"rung\": \"sampled\"");
	run.touches[4].thread = RUN_THREAD_UNKNOWN;
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY),
		  "92 % at swim.c:22 by an unknown thread");
	run.touching.faults = 0;
	run.nr_touches = 0;
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_LINE),
		  "page faults were not sampled: perf_event_open");
	run.touching.page_bytes = run.nr_arrays = 0;
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY),
		  "No data structures are known.");
	CHECK_HAS(print(arena, &run, arrays_json, ARRAYS_BY_ARRAY), "\"rung\": \"none\"");
}

/* On one node it does not matter who touched what; nor for one thread. */
TEST(arrays_report__serial_first_touch_is_told_where_there_are_nodes)
{
	struct arena *arena = arena_new();
	const struct arrays_view *view;
	struct run run;

	sample_run(&run, arena);
	view = arrays_view(arena, &run);
	CHECK(!arrays_alone(view, 0) && arrays_alone(view, 1) && arrays_alone(view, 2) &&
	      !arrays_alone(view, 3));
	CHECK(!arrays_alone(view, 4)); /* too small */
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY),
		  "One thread alone touched these first: grid, input.c:77. So");
	run.touches[4].bytes = 16 << 20; /* most of it was touched unseen */
	CHECK(!arrays_alone(view = arrays_view(arena, &run), 1));
	run.machine.nodes = 1;
	CHECK(!strstr(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY), "One thread alone"));
}

/*
 * Ten executions of the loop, each with 400 accesses to unew, of which 100 are to lines of one of
 * both threads' words.
 */
static void share_lines(struct run *run)
{
	static struct run_access accesses[] = {
		{ .region = 2,
		  .bytes = 8,
		  .reads = 3000,
		  .writes = 1000,
		  .executions = 20,
		  .threads = 2,
		  .source = { .function = "calc2", .file = "swim.c", .line = 360, .module = "" } },
		{ .array = 1,
		  .region = 2,
		  .bytes = 8,
		  .writes = 100000,
		  .executions = 20,
		  .threads = 2,
		  .source = { .function = "calc2", .file = "swim.c", .line = 361, .module = "" } }
	};
	static struct run_sharing sharings[] = { { .region = 2,
						   .executions = 10,
						   .lines = 30,
						   .same_lines = 20,
						   .accesses = 1000,
						   .threads = 20 },
						 { .array = 1,
						   .region = 2,
						   .executions = 10,
						   .lines = 10,
						   .accesses = 160,
						   .threads = 20 } };

	run->accesses = accesses;
	run->nr_accesses = 2;
	run->sharings = sharings;
	run->nr_sharings = 2;
}

TEST(arrays_report__shared_lines_are_told)
{
	const struct arrays_options brief = { .brief = true };
	struct arena *arena = arena_new();
	const struct run *runs;
	struct text out;
	struct run run;

	sample_run(&run, arena);
	CHECK(!strstr(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY), "shared lines"));
	share_lines(&run);
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY),
		  "unew              3  25 %               2           2  calc2 (swim.c:354)\n");
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY),
		  "grid              1  0.16 %             2           0  calc2 (swim.c:354)\n");
	text_init(&out, arena);
	runs = &run;
	arrays_text(&out, &runs, 1, &brief);
	CHECK_HAS(out.bytes, "unew              3  25 %");
	CHECK(!strstr(out.bytes, "0.16 %")); /* the border of two threads' parts */
	CHECK_HAS(print(arena, &run, arrays_json, ARRAYS_BY_ARRAY), "\"same_lines\": 2");
	is_by_schema(print(arena, &run, arrays_json, ARRAYS_BY_ARRAY));
}

TEST(arrays_report__json_is_by_its_schema)
{
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	is_by_schema(print(arena, &run, arrays_json, ARRAYS_BY_ARRAY));
	run.nr_arrays = run.nr_touches = 0;
	run.touching = (struct run_touching){ 0 };
	is_by_schema(print(arena, &run, arrays_json, ARRAYS_BY_ARRAY));
}

/* Whatever stands in a file is printed, and sums do not get lost. */
TEST(arrays_report__any_run_can_be_printed)
{
	for (uint64_t seed = 1; seed < 200; seed++) {
		struct arena *arena = arena_new();
		const struct arrays_view *view;
		uint64_t bytes = 0, grouped = 0;
		struct run run;

		random_run(arena, seed, 30, &run);
		view = arrays_view(arena, &run);
		for (size_t i = 0; i < run.nr_touches; i++)
			bytes += run.touches[i].bytes;
		for (size_t i = 0; i < view->nr_groups; i++)
			grouped += view->groups[i].bytes;
		CHECK_INT(grouped, bytes);
		print(arena, &run, arrays_text, ARRAYS_BY_ARRAY);
		print(arena, &run, arrays_text, ARRAYS_BY_LINE);
		print(arena, &run, arrays_csv, ARRAYS_BY_ARRAY);
		print(arena, &run, arrays_json, ARRAYS_BY_ARRAY);
		arena_free(arena);
	}
}

/* ------------------------------------------------------------------ recorded accesses */

/*
 * All by hand from sample_run.h: three executions of the phase were recorded, two of the loop in
 * each.
 */
TEST(arrays_report__use_is_of_one_execution_of_the_phase)
{
	struct arena *arena = arena_new();
	const struct array_use *uses;
	struct run run;

	sample_run(&run, arena);
	uses = array_uses(arena, &run, array_use_rates(arena, &run));
	CHECK(uses != NULL);
	CHECK_NEAR(uses[0].reads, 300000, 1e-6);
	CHECK_NEAR(uses[0].writes, 100000, 1e-6);
	CHECK_NEAR(uses[0].bytes, 3200000, 1e-6);
	CHECK_INT(uses[0].nr_threads, 2);
	CHECK_NEAR(uses[0].threads[0].bytes, 2400000, 1e-6);
	CHECK_NEAR(uses[0].threads[1].writes, 0, 0);
	CHECK_INT(uses[0].nr_regions, 1);
	CHECK_INT(uses[0].regions[0].region, 2);
	CHECK_INT(uses[0].nr_strides, 2);
	CHECK_NEAR(uses[0].strides[0].stride, 4096, 0);
	CHECK_NEAR(uses[0].strides[0].bytes, 0.9 * 2400000, 1e-6);
	CHECK_NEAR(uses[0].strides[1].bytes, 800000, 1e-6);
	CHECK_INT(uses[1].nr_threads, 1);
	CHECK_INT(uses[2].nr_regions, 0);
	CHECK_NEAR(array_use_rates(arena, &run)[2], 2, 0);
	CHECK_NEAR(array_use_rates(arena, &run)[1], 0, 0);
}

/*
 * Natural loops of sample_run.h's loop, whose values are part of the construct's: all that is done
 * to unew is in the outer one, `inner` of it in the inner one. Line 356 is in both.
 *
 *     2 loop calc2:354 ─┬─ 5 unew
 *                       └─ 7 loop 355 ─┬─ 9 unew
 *                                      └─ 8 loop 356 ── 10 unew
 */
static void add_loops(struct run *run, struct arena *arena, double inner)
{
	const struct run_region loop = { .parent = 2,
					 .kind = MS_LOOP_REGION,
					 .resolved = true,
					 .source = sample_source("calc2", "swim.c", 355) };
	struct run_access again = run->accesses[0];

	for (uint32_t id = 7; id <= 10; id++) {
		struct run_region region = id < 9 ? loop : run->regions[5];

		region.id = id;
		region.parent = id == 7 ? 2 : id == 10 ? 8 : 7;
		region.source.line = id == 8 ? 356 : 355;
		CHECK(ARENA_GROW(arena, run->regions, run->nr_regions, run->room_regions));
		run->regions[run->nr_regions++] = region;
	}
	for (size_t i = 0, nr = run->nr_measurements; i < nr; i++)
		for (uint32_t id = 9; run->measurements[i].row.region == 5 && id <= 10; id++) {
			CHECK(ARENA_GROW(arena, run->measurements, run->nr_measurements,
					 run->room_measurements));
			run->measurements[run->nr_measurements] = run->measurements[i];
			run->measurements[run->nr_measurements].row.stat.sum *= id == 9 ? 1 : inner;
			run->measurements[run->nr_measurements++].row.region = id;
		}
	again.loop = 7;
	again.reads = 90000;
	run->accesses[0].reads -= again.reads;
	run->accesses[0].loop = 8;
	run->accesses[1].loop = 7;
	run->accesses[2].loop = run->accesses[3].loop = MS_REGION_NONE;
	CHECK(ARENA_GROW(arena, run->accesses, run->nr_accesses, run->room_accesses));
	run->accesses[run->nr_accesses++] = again;
}

/* Each use is the sum of what the lines do. */
static void check_sums(const struct run *run, struct arena *arena)
{
	const double *rates = array_use_rates(arena, run);
	const struct array_use *uses = array_uses(arena, run, rates);
	struct access_groups groups = access_groups(arena, run, rates);

	CHECK(uses && groups.nr > 0);
	for (uint32_t array = 0; array < run->nr_arrays; array++) {
		double reads = 0, writes = 0, bytes = 0;

		for (const struct access_group *group = groups.items;
		     group < groups.items + groups.nr; group++)
			if (group->array == array) {
				reads += group->reads * group->executions;
				writes += group->writes * group->executions;
				bytes += group->bytes * group->executions;
			}
		CHECK_NEAR(uses[array].reads, reads, 1e-6);
		CHECK_NEAR(uses[array].writes, writes, 1e-6);
		CHECK_NEAR(uses[array].bytes, bytes, 1e-6);
	}
	CHECK(uses[0].reads > 0 && uses[0].writes > 0);
}

TEST(arrays_report__loops_are_part_of_their_construct)
{
	struct arena *arena = arena_new();
	const struct array_use *uses;
	struct run run;

	sample_run(&run, arena);
	check_sums(&run, arena);
	add_loops(&run, arena, 0.5);
	check_sums(&run, arena);
	uses = array_uses(arena, &run, array_use_rates(arena, &run));
	CHECK_INT(uses[0].nr_regions, 1);
	CHECK_INT(uses[0].regions[0].region, 2);
	CHECK_INT(uses[0].regions[0].loop, 7);
	CHECK_INT(uses[1].regions[0].loop, MS_REGION_NONE);
	CHECK_NEAR(uses[0].strides[0].bytes, 0.9 * 2400000, 1e-6);
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY),
		  "4 KiB 68 %, 8 bytes 25 %, none 7.5 %");
	is_by_schema(print(arena, &run, arrays_json, ARRAYS_BY_ARRAY));
}

/* The innermost one that does nearly all of it; and its lines, each once. */
TEST(arrays_report__loops_that_use_an_array_are_named)
{
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	add_loops(&run, arena, 0.5);
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY),
		  "100 % in the loop at swim.c:355 in calc2, in the loop in calc2 (swim.c:354) at\n"
		  "                  lines 356, 357\n");
	CHECK_HAS(print(arena, &run, arrays_csv, ARRAYS_BY_ARRAY),
		  ",\"loop at swim.c:355 in calc2, in the loop in calc2 (swim.c:354)\",");
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_LINE),
		  "calc2 (swim.c:354), loop at 356\n");
	CHECK_HAS(print(arena, &run, arrays_csv, ARRAYS_BY_LINE),
		  ",\"loop at swim.c:355 in calc2, in the loop in calc2 (swim.c:354)\",2,");
	sample_run(&run, arena);
	add_loops(&run, arena, 0.95);
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY),
		  "100 % in the loop at swim.c:356 in calc2, in the loop in calc2 (swim.c:354) at\n"
		  "                  line 356\n");
}

static size_t groups_of_line(const struct access_groups *groups, int line)
{
	size_t nr = 0;

	for (size_t i = 0; i < groups->nr; i++)
		nr += groups->items[i].source->line == line;
	return nr;
}

/*
 * Inlined code has a loop in each caller, a vectorizer makes two of one: the line is one all the
 * same. Of no line: two.
 */
TEST(arrays_report__loops_of_one_line_are_one)
{
	struct arena *arena = arena_new();
	struct access_groups groups;
	struct run run;

	sample_run(&run, arena);
	add_loops(&run, arena, 0.5);
	groups = access_groups(arena, &run, array_use_rates(arena, &run));
	CHECK_INT(groups_of_line(&groups, 356), 2);
	run.regions[7].source = run.regions[8].source;
	groups = access_groups(arena, &run, array_use_rates(arena, &run));
	CHECK_INT(groups_of_line(&groups, 356), 1);
	CHECK_INT(groups.items[0].loop, 8); /* 810000 of 900000 reads */
	check_sums(&run, arena);
	run.regions[7].source.line = run.regions[8].source.line = 0;
	groups = access_groups(arena, &run, array_use_rates(arena, &run));
	CHECK_INT(groups_of_line(&groups, 356), 2);
	run.regions[8].source = (struct source){
		.function = "calc2", .file = "swim.c", .line = 356, .approximate = true
	};
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_LINE),
		  "calc2 (swim.c:354), loop near swim.c:356\n");
}

/*
 * A parallel region below the phase, of which a line was seen to read grid 1000 times in
 * `executions` executions by two threads.
 */
static void add_parallel(struct run *run, struct arena *arena, uint64_t executions)
{
	struct run_region region = run->regions[1];
	struct run_access access = run->accesses[2];

	region.id = 7;
	region.source = sample_source("held", "swim.c", 500);
	access.region = 7;
	access.reads = 1000;
	access.executions = 2 * executions;
	access.threads = 2;
	access.source = sample_source("held", "swim.c", 501);
	CHECK(ARENA_GROW(arena, run->regions, run->nr_regions, run->room_regions));
	run->regions[run->nr_regions++] = region;
	CHECK(ARENA_GROW(arena, run->accesses, run->nr_accesses, run->room_accesses));
	run->accesses[run->nr_accesses++] = access;
}

/*
 * Both threads read 500 values, of which the table has `count` numbers, in `phases` executions of
 * the phase.
 */
static void add_parallel_values(struct run *run, struct arena *arena, uint64_t count,
				uint64_t phases)
{
	for (uint32_t thread = 0; thread < 2; thread++) {
		const struct ms_stat stat = { count, 500, 500.0 / (double)count,
					      500.0 / (double)count, 1 };

		CHECK(ARENA_GROW(arena, run->measurements, run->nr_measurements,
				 run->room_measurements));
		run->measurements[run->nr_measurements++] = (struct run_measurement){
			.row = { .region = 7,
				 .thread = thread,
				 .metric = MS_METRIC_READS,
				 .stat = stat },
			.phases = phases,
			.observed_ns = 4e7
		};
	}
}

/*
 * One that holds the time loop is handed over in parts, each of a group of executions of the phase;
 * another is executed in some of them only.
 */
TEST(arrays_report__rates_of_parallel_regions)
{
	static const struct {
		int line;
		uint64_t executions, count, phases;
		double rate;
	} rows[] = {
		/* 12: also of what was left out */
		{ __LINE__, 2, 1, 2, 1 },    { __LINE__, 8, 2, 8, 1 },
		{ __LINE__, 12, 2, 8, 1 },   { __LINE__, 1, 1, 2, 0.5 },
		{ __LINE__, 2, 2, 8, 0.25 }, { __LINE__, 3, 2, 8, 0.25 },
		{ __LINE__, 8, 8, 8, 1 },    { __LINE__, 16, 16, 8, 2 },
	};

	for (size_t i = 0; i < SAMPLE_COUNT(rows); i++) {
		struct arena *arena = arena_new();
		struct run run;

		sample_run(&run, arena);
		add_parallel(&run, arena, rows[i].executions);
		run.accesses[run.nr_accesses - 1].reads = 1000 * rows[i].executions /
							  (rows[i].rate < 1 ? rows[i].count
									    : rows[i].phases);
		add_parallel_values(&run, arena, rows[i].count, rows[i].phases);
		if (fabs(array_use_rates(arena, &run)[7] - rows[i].rate) > 1e-9)
			test_fail(__FILE__, rows[i].line, "the rate is %g",
				  array_use_rates(arena, &run)[7]);
		arena_free(arena);
	}
}

/* How much is done in one execution is not known if none was recorded to its end. */
TEST(arrays_report__incomplete_regions_have_no_lines)
{
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	add_parallel(&run, arena, 1);
	CHECK_NEAR(array_use_rates(arena, &run)[7], 0, 0);
	CHECK(!strstr(print(arena, &run, arrays_text, ARRAYS_BY_LINE), "swim.c:501"));
	CHECK(!strstr(print(arena, &run, arrays_json, ARRAYS_BY_LINE), "\"line\": 501"));
	CHECK_INT(recorded_of(arena, &run).nr, 3);
	CHECK_HAS(
		print(arena, &run, arrays_text, ARRAYS_BY_ARRAY),
		"  - parallel region in held (swim.c:500): none of its executions was recorded completely\n");
	add_parallel_values(&run, arena, 1, 1);
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_LINE), "swim.c:501");
	run.accesses[run.nr_accesses - 1].executions = 0;
	CHECK(!strstr(print(arena, &run, arrays_text, ARRAYS_BY_LINE), "swim.c:501"));
	is_by_schema(print(arena, &run, arrays_json, ARRAYS_BY_ARRAY));
}

TEST(arrays_report__users_of_an_array)
{
	struct arena *arena = arena_new();
	const char *text;
	struct run run;

	sample_run(&run, arena);
	text = print(arena, &run, arrays_text, ARRAYS_BY_ARRAY);
	CHECK_HAS(text, "least thread 1 with 25 %, most thread 0 with 75 %; written by");
	CHECK_HAS(text, "100 % in the loop in calc2 (swim.c:354) at lines 356, 357");
	CHECK_HAS(text, "100 % in the loop in calc2 (swim.c:354) at grid.h:9");
	CHECK_HAS(text, "4 KiB 68 %, 8 bytes 25 %, none 7.5 %");
	CHECK_HAS(text,
		  "main -> setup -> read (input.c:77); 50 blocks added up, 7 alive at the end");
	text = print(arena, &run, arrays_text, ARRAYS_BY_LINE);
	CHECK(strstr(text, "swim.c:356   unew") < strstr(text, "grid.h:9     grid"));
}

/* The parallel region takes 1.3 of 1.5 s, 1.2 of that in the loop, and serial code a tenth. */
TEST(arrays_report__what_was_not_recorded)
{
	struct arena *arena = arena_new();
	struct recorded recorded;
	struct run run;

	sample_run(&run, arena);
	recorded = recorded_of(arena, &run);
	CHECK_NEAR(recorded.share, 1.2 / 1.5, 1e-9);
	CHECK_INT(recorded.nr, 2);
	CHECK_INT(recorded.regions[0].region, 3);
	CHECK_NEAR(recorded.regions[0].share, 0.1, 1e-9);
	CHECK_NEAR(recorded.regions[1].share, 0.1 / 1.5, 1e-9);
	CHECK_STR(recorded.regions[1].why, "not asked for");
	run.missing[0] = (struct run_missing){ 1, MS_METRIC_READS, MS_MISSING_NOT_RECORDED };
	CHECK_STR(recorded_of(arena, &run).regions[1].why,
		  ms_missing_text(MS_MISSING_NOT_RECORDED));
	run.nodes[5].region = 3;
	run.nodes[5].missing = MS_MISSING_BUDGET;
	run.nodes[5].missing_metric = "reads";
	CHECK_STR(recorded_of(arena, &run).regions[0].why, ms_missing_text(MS_MISSING_BUDGET));
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY),
		  "  - accesses of smooth (swim.c:412): its code could not be copied");
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY),
		  "  - 2 calls in recorded code to pow (libm.so.6): in another library");
}

static void measure(struct run *run, struct arena *arena, uint32_t region, uint32_t metric,
		    double sum)
{
	CHECK(ARENA_GROW(arena, run->measurements, run->nr_measurements, run->room_measurements));
	run->measurements[run->nr_measurements++] = (struct run_measurement){
		.row = { .region = region,
			 .metric = metric,
			 .stat = { 120, sum, 0, sum, sum * sum } },
		.phases = 120,
		.observed_ns = 1.5e9
	};
}

/* Tasks of the parallel region take 0.9 of 1.5 s; what they do is not its part. */
TEST(arrays_report__tasks_that_were_not_recorded)
{
	struct arena *arena = arena_new();
	struct run_region task;
	struct recorded recorded;
	struct run run;

	sample_run(&run, arena);
	run.nr_regions = 2;
	task = run.regions[1];
	task.id = 2;
	task.parent = 1;
	task.kind = MS_TASK_REGION;
	task.source.line = 351;
	run.regions[run.nr_regions++] = task;
	run.nr_accesses = run.nr_measurements = 0;
	measure(&run, arena, 1, MS_METRIC_WALL_TIME, 1.3e9);
	measure(&run, arena, 2, MS_METRIC_TASK_TIME, 0.9e9);
	recorded = recorded_of(arena, &run);
	CHECK_INT(recorded.nr, 2);
	CHECK_INT(recorded.regions[0].region, 2);
	CHECK_NEAR(recorded.regions[0].share, 0.9 / 1.5, 1e-9);
	CHECK_NEAR(recorded.regions[1].share, 0.4 / 1.5, 1e-9);
	CHECK_NEAR(recorded.share, 0, 0);
	measure(&run, arena, 1, MS_METRIC_READS, 100);
	recorded = recorded_of(arena, &run);
	CHECK_INT(recorded.nr, 1);
	CHECK_INT(recorded.regions[0].region, 2);
	CHECK_NEAR(recorded.share, 0.4 / 1.5, 1e-9);
	measure(&run, arena, 2, MS_METRIC_READS, 100);
	recorded = recorded_of(arena, &run);
	CHECK_INT(recorded.nr, 0);
	CHECK_NEAR(recorded.share, 1.3 / 1.5, 1e-9);
}

/* Of the parallel region the begins alone were recorded, 1.3 of 1.5 s. */
TEST(arrays_report__bursts_are_estimates)
{
	struct arena *arena = arena_new();
	struct run_missing lines = { .region = 1,
				     .metric = MS_METRIC_TOUCHED_LINES,
				     .why = MS_MISSING_NOT_WHOLE };
	struct run run;

	sample_run(&run, arena);
	run.nr_measurements = 0;
	run.missing = &lines;
	run.nr_missing = 0;
	measure(&run, arena, 1, MS_METRIC_WALL_TIME, 1.3e9);
	measure(&run, arena, 1, MS_METRIC_READS, 100);
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY), "every access counted");
	run.nr_missing = 1;
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY),
		  "estimated from the first accesses of regions with\n87 % of the time");
	CHECK_HAS_NOT(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY), "every access counted");
}

TEST(arrays_report__why_nothing_was_recorded)
{
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	CHECK(!recorded_why_none(arena, &run));
	run.nr_accesses = 0;
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY),
		  "Accesses were not recorded: no region was asked");
	run.nodes[5].missing = MS_MISSING_BUDGET;
	run.nodes[5].missing_metric = "reads";
	run.cost.limit = 0.05;
	CHECK_HAS(recorded_why_none(arena, &run),
		  "no room to measure it; --overhead 50% gives it more");
	run.cost.limit = 0.5; /* nobody is told to do what was done */
	CHECK_HAS(recorded_why_none(arena, &run),
		  "no room to measure it; a longer run, or a higher --overhead, gives it more");
	run.missing[0] = (struct run_missing){ MS_REGION_NONE, MS_METRIC_READS,
					       MS_MISSING_NO_PHASE };
	CHECK_STR(recorded_why_none(arena, &run), ms_missing_text(MS_MISSING_NO_PHASE));
	run.sensors[1] = (struct run_sensor){ "accesses", false, "another architecture" };
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_ARRAY),
		  "Accesses were not recorded: another architecture.");
}

TEST(arrays_report__notes_stand_below_their_row)
{
	static const struct table_column columns[] = { { "name", NULL }, { "number", "1" } };
	struct arena *arena = arena_new();
	struct table table;
	struct text out;

	table_init(&table, arena, "t", columns, 2);
	table_note(&table, "lost", "there is no row yet");
	table_string(&table, "a");
	table_number(&table, 1);
	table_note(&table, "is", "first");
	table_note(&table, "longer", "second");
	table_note(&table, "none", NULL);
	table_string(&table, "b");
	table_number(&table, 2);
	text_init(&out, arena);
	table_print(&out, &table, "text");
	CHECK_STR(
		out.bytes,
		"name  number\na          1\n    is      first\n    longer  second\nb          2\n");
	text_init(&out, arena);
	table_print(&out, &table, "csv");
	CHECK_STR(out.bytes, "name,number\na,1\nb,2\n");
}

/* An array on a stack is a row where much is done to it; what compilers keep there is none. */
TEST(arrays_report__stacks_that_are_used)
{
	struct arena *arena = arena_new();
	const struct arrays_options options = { .brief = true };
	const struct run *runs[1];
	struct text out;
	struct run run;

	sample_run(&run, arena);
	runs[0] = &run;
	run.arrays[1].kind = "stack"; /* 20 % of the bytes */
	text_init(&out, arena);
	arrays_text(&out, runs, 1, &options);
	CHECK_HAS(out.bytes, "grid        stack");
	for (size_t i = 0; i < run.nr_measurements; i++)
		if (run.measurements[i].row.region == 6)
			run.measurements[i].row.stat.sum /= 10;
	text_init(&out, arena);
	arrays_text(&out, runs, 1, &options);
	CHECK(!strstr(out.bytes, "grid   "));
}

/*
 * Instructions of one function of a library, without lines, are several groups of touches, and one
 * name.
 */
TEST(arrays_report__an_array_is_named_once_a_line)
{
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	for (size_t i = 1; i < 4; i++)
		run.touches[i].source = (struct source){
			.function = "memset", .file = "", .module = "libc.so.6", .offset = 0x100 * i
		};
	CHECK_INT(arrays_view(arena, &run)->first[1], 4);
	CHECK_HAS(print(arena, &run, arrays_text, ARRAYS_BY_LINE),
		  "2.00 MiB  thread 0  unew\n    in  loop in calc2");
}
