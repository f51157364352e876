/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of regions and modules in the JSON report, and ids that lead to them from other output. */
#include <stddef.h>

#include "analysis/debuginfo/modules.h"
#include "analysis/report/arrays.h"
#include "analysis/report/foci.h"
#include "analysis/report/history_graph.h"
#include "analysis/report/report.h"
#include "analysis/report/text.h"
#include "tests/unit/json_ids.h"
#include "tests/unit/sample_run.h"

static const struct json_value *parse(const char *text)
{
	const char *error;
	const struct json_value *value = json_parse(text, &error);

	if (!value)
		test_fail(__FILE__, __LINE__, "not JSON (%s):\n%s", error, text);
	return value;
}

static const struct json_value *report_of(struct arena *arena, const struct run *run, bool all)
{
	struct report_options options;
	struct text text;

	report_options_init(&options);
	options.all = all;
	text_init(&text, arena);
	report_json(&text, &run, 1, &options);
	json_must_keep("analysis/report/schema/memsearch-report-1.schema.json", text.bytes);
	return parse(text.bytes);
}

static const struct json_value *row_of(const struct json_value *report, size_t region)
{
	return json_element(json_member(report, "regions"), region);
}

static double number(const struct json_value *object, const char *key)
{
	const struct json_value *member = json_member(object, key);

	CHECK(member && member->type == JSON_NUMBER);
	return member->number;
}

static bool is_null(const struct json_value *object, const char *key)
{
	const struct json_value *member = json_member(object, key);

	CHECK(member != NULL);
	return member->type == JSON_NULL;
}

TEST(region_rows__every_id_has_a_row)
{
	const struct arrays_options arrays = { .by = ARRAYS_BY_ARRAY };
	struct arena *arena = arena_new();
	struct history_graph graph;
	struct json_ids ids = { 0 };
	const struct json_value *report, *listed, *drawn;
	struct text text;
	struct run run;
	const struct run *runs[] = { &run };

	sample_run(&run, arena);
	report = report_of(arena, &run, true);
	text_init(&text, arena);
	arrays_json(&text, runs, 1, &arrays);
	listed = parse(text.bytes);
	CHECK(history_graph_make(arena, &run, false, &graph));
	graph.foci = foci_of(arena, &run, true);
	text_init(&text, arena);
	history_graph_json(&text, &graph);
	drawn = parse(text.bytes);
	ids.regions = json_member(report, "regions");
	ids.arrays = json_member(json_element(json_member(listed, "runs"), 0), "arrays");
	ids.nodes = json_member(drawn, "nodes");
	CHECK_INT(json_count(ids.regions), run.nr_regions);
	json_check_ids(&ids, report);
	CHECK_THAT(ids.nr, >, run.nr_regions);
	ids.nr = 0;
	json_check_ids(&ids, listed);
	CHECK_THAT(ids.nr, >, run.nr_arrays);
	ids.nr = 0;
	json_check_ids(&ids, drawn);
	CHECK_THAT(ids.nr, >=, run.nr_nodes);
	arena_free(arena);
}

/* -- time */

#define ROW(where, who, what, ns, times) \
	{ .row = { .region = where, \
		   .thread = who, \
		   .metric = what, \
		   .stat = { times, ns, 0, ns, 0 } }, \
	  .phases = times, \
	  .observed_ns = 1e9 }

enum { PHASE, PARALLEL, LOOP, NATURAL, INNER, SERIAL, FUNCTION, REGIONS };

static void timed_run(struct run *run, struct arena *arena)
{
	static const struct code_address nowhere = { UINT32_MAX, 0 };
	static const struct run_measurement rows[] = {
		ROW(LOOP, 0, MS_METRIC_TIME, 400, 4),
		ROW(LOOP, 2, MS_METRIC_TIME, 1200, 4),
		ROW(LOOP, 0, MS_METRIC_BARRIER_WAIT, 300, 2),
		ROW(LOOP, 0, MS_METRIC_LOCK_WAIT, 20, 2),
		ROW(LOOP, 0, MS_METRIC_SAMPLES, 30, 10),
		ROW(LOOP, 2, MS_METRIC_SAMPLES, 50, 10),
		ROW(NATURAL, 2, MS_METRIC_LOOP_TIME, 90, 1),
		ROW(NATURAL, 2, MS_METRIC_LOOP_OWN_TIME, 50, 1),
		ROW(SERIAL, 0, MS_METRIC_TIME, 60, 2),
		ROW(SERIAL, 0, MS_METRIC_WALL_TIME, 70, 2),
		ROW(FUNCTION, 0, MS_METRIC_SAMPLES, 20, 10),
	};
	struct run_region regions[REGIONS] = {
		[PHASE] = { .parent = MS_REGION_NONE, .kind = MS_USER_REGION },
		[PARALLEL] = { .parent = PHASE, .kind = MS_PARALLEL_REGION },
		[LOOP] = { .parent = PARALLEL, .kind = MS_DO_REGION, .executions = 4 },
		[NATURAL] = { .parent = LOOP, .kind = MS_LOOP_REGION },
		[INNER] = { .parent = NATURAL, .kind = MS_LOOP_REGION },
		[SERIAL] = { .parent = PHASE, .kind = MS_SERIAL_REGION },
		[FUNCTION] = { .parent = LOOP, .kind = MS_SUB_REGION },
	};

	for (uint32_t i = 0; i < REGIONS; i++) {
		regions[i].id = i;
		regions[i].resolved = true;
		regions[i].construct = regions[i].inside = regions[i].next = nowhere;
		regions[i].source = sample_source("calc", "swim.c", 10 + (int)i);
	}
	*run = (struct run){ .threads = 3, .phase.executions = 10 };
	run->regions = sample_copy(arena, regions, sizeof(regions));
	run->nr_regions = REGIONS;
	run->measurements = sample_copy(arena, rows, sizeof(rows));
	run->nr_measurements = SAMPLE_COUNT(rows);
}

TEST(region_rows__times_by_thread)
{
	struct arena *arena = arena_new();
	const struct json_value *report, *loop, *times;
	struct run run;

	timed_run(&run, arena);
	report = report_of(arena, &run, false);
	loop = row_of(report, LOOP);
	CHECK_NEAR(number(loop, "total_time_ns"), 400, 0);
	CHECK_NEAR(number(loop, "total_wait_ns"), 160, 0);
	CHECK_NEAR(number(loop, "measured_executions"), 4, 0);
	times = json_member(loop, "thread_times_ns");
	CHECK_INT(json_count(times), 3);
	CHECK_NEAR(json_element(times, 0)->number, 100, 0);
	CHECK_INT(json_element(times, 1)->type, JSON_NULL);
	CHECK_NEAR(json_element(times, 2)->number, 300, 0);
	CHECK_NEAR(number(row_of(report, NATURAL), "total_time_ns"), 90, 0);
	CHECK_NEAR(number(row_of(report, SERIAL), "total_time_ns"), 35, 0);
	CHECK_INT(json_count(json_member(row_of(report, SERIAL), "thread_times_ns")), 1);
	CHECK(is_null(row_of(report, PARALLEL), "total_time_ns"));
	CHECK(is_null(row_of(report, PARALLEL), "thread_times_ns"));
	CHECK(is_null(row_of(report, PARALLEL), "measured_executions"));
	CHECK_NEAR(number(row_of(report, FUNCTION), "sample_share"), 0.25, 0);
	CHECK_NEAR(number(row_of(report, FUNCTION), "sampled_time_ns"), 100, 0);
	CHECK(is_null(loop, "sample_share"));
	arena_free(arena);
}

static struct run_access access_at(int line, uint32_t loop, uint64_t reads)
{
	return (struct run_access){ .region = LOOP,
				    .loop = loop,
				    .reads = reads,
				    .executions = 4,
				    .threads = 2,
				    .source = sample_source("calc", "swim.c", line) };
}

static struct run_hotspot spot_at(int line, uint64_t count)
{
	return (struct run_hotspot){ .region = LOOP,
				     .metric = MS_METRIC_SAMPLES,
				     .address = { UINT32_MAX, 0 },
				     .count = count,
				     .share = (double)count / 100,
				     .source = sample_source("calc", "swim.c", line),
				     .leaf_source = sample_source("calc", "swim.c", line) };
}

/*
 * Line 20 is in two natural loops, by three quarters in the inner one; line 21 in none, line 22
 * accesses nothing. A fifth of the samples is of the runtime.
 */
TEST(region_rows__natural_loops_by_samples)
{
	struct run_access accesses[] = { access_at(20, INNER, 75), access_at(20, NATURAL, 25),
					 access_at(21, LOOP, 50) };
	struct run_hotspot spots[] = { spot_at(20, 40), spot_at(21, 20), spot_at(22, 20),
				       spot_at(0, 20) };
	struct arena *arena = arena_new();
	const struct json_value *report, *line;
	struct run run;

	timed_run(&run, arena);
	spots[3].source = spots[3].leaf_source = (struct source){ .module = "libomp.so.5" };
	run.accesses = accesses;
	run.nr_accesses = SAMPLE_COUNT(accesses);
	run.hotspots = spots;
	run.nr_hotspots = SAMPLE_COUNT(spots);
	report = report_of(arena, &run, false);
	CHECK_NEAR(number(row_of(report, NATURAL), "sample_share"), 0.5, 1e-9);
	CHECK_NEAR(number(row_of(report, NATURAL), "sampled_time_ns"), 200, 0);
	CHECK_NEAR(number(row_of(report, INNER), "sample_share"), 0.375, 1e-9);
	CHECK_INT(json_count(json_member(row_of(report, INNER), "hotspots")), 1);
	line = json_element(json_member(row_of(report, INNER), "hotspots"), 0);
	CHECK_NEAR(number(line, "line"), 20, 0);
	CHECK_NEAR(number(line, "count"), 30, 0);
	CHECK_NEAR(number(line, "total_time_ns"), 150, 0);
	CHECK_INT(json_count(json_member(row_of(report, LOOP), "hotspots")), 4);
	line = json_element(json_member(row_of(report, LOOP), "hotspots"), 3);
	CHECK(is_null(line, "total_time_ns"));
	arena_free(arena);
}

/* -- modules */

static __attribute__((noinline)) const void *here(void)
{
	return __builtin_return_address(0);
}

/* The report is of this program, which is there and has debug information. */
TEST(region_rows__lead_to_the_source_file)
{
	struct arena *arena = arena_new();
	const struct json_value *report, *loop, *module;
	const void *address = here();
	const char *directory;
	struct run run;

	timed_run(&run, arena);
	CHECK_INT(modules_of_process(arena, &run.modules, &run.nr_modules), MS_OK);
	run.regions[LOOP].construct = modules_find(run.modules, run.nr_modules, (uint64_t)address);
	run.regions[LOOP].source.file = "region_rows.c";
	report = report_of(arena, &run, false);
	loop = row_of(report, LOOP);
	module = json_element(json_member(report, "modules"), (size_t)number(loop, "module_id"));
	CHECK_INT(json_count(json_member(report, "modules")), run.nr_modules);
	CHECK_STR(json_member(module, "path")->string, run.modules[0].path);
	CHECK_STR(json_member(module, "build_id")->string, run.modules[0].build_id);
	CHECK_NEAR(number(module, "id"), number(loop, "module_id"), 0);
	directory = json_member(loop, "directory")->string;
	CHECK(directory && directory[0] == '/' && strlen(directory) > strlen("/tests/unit"));
	CHECK_STR(directory + strlen(directory) - strlen("/tests/unit"), "/tests/unit");
	CHECK(is_null(row_of(report, PARALLEL), "module_id"));
	CHECK(is_null(row_of(report, PARALLEL), "directory"));
	/* a barrier without an address is in the loop around it */
	run.regions[SERIAL].kind = MS_BARRIER_REGION;
	run.regions[SERIAL].parent = LOOP;
	run.regions[SERIAL].source.file = "region_rows.c";
	report = report_of(arena, &run, false);
	CHECK_NEAR(number(row_of(report, SERIAL), "module_id"), number(loop, "module_id"), 0);
	CHECK_STR(json_member(row_of(report, SERIAL), "directory")->string, directory);
	arena_free(arena);
}
