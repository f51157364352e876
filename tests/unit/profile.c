/* SPDX-License-Identifier: Apache-2.0 */
/* From an invented run to its profile. */
#include "analysis/differential/profile.h"

#include "analysis/differential/metrics.h"
#include "tests/unit/diff_profiles.h"
#include "tests/unit/modelled_run.h"

/* Sum of the values of a bucket. NAN: it has none. */
static double sum_of(const struct profile *profile, const char *words, const char *array,
		     uint32_t metric, double *uncertain_out)
{
	double sum = NAN, uncertain = 0;

	for (size_t i = 0; i < profile->nr_values; i++) {
		const struct profile_value *one = &profile->values[i];
		const char *name = one->array == PROFILE_NONE ? ""
							      : profile->arrays[one->array].name;

		if (one->metric != metric || one->part != PROFILE_NONE ||
		    strcmp(profile->places[one->place].words, words) != 0 ||
		    strcmp(name, array) != 0)
			continue;
		sum = isnan(sum) ? one->value : sum + one->value;
		uncertain += one->uncertain;
	}
	if (uncertain_out)
		*uncertain_out = uncertain;
	return sum;
}

static const char loop[] = "loop in calc2 (swim.c:354)",
		  region[] = "parallel region in calc2 (swim.c:350)";

TEST(profile__values_are_of_one_execution_of_the_phase)
{
	struct arena *arena = arena_new();
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);
	const struct profile *profile;
	double uncertain;
	struct run run;

	modelled_run(&run, arena);
	run.modelled.basis = RUN_BASIS_STEADY;
	profile = profile_of(arena, &run, PROFILE_BY_ARRAY);
	CHECK(profile != NULL);
	CHECK_NEAR(sum_of(profile, loop, "unew", l2, &uncertain), 40000, 1e-6);
	CHECK_NEAR(uncertain, 0, 0);
	CHECK_NEAR(sum_of(profile, loop, "grid", l2, NULL), 80000, 1e-6);
	/*
	 * All of the loop's misses are those of its arrays, so they are certain; the region around
	 * it includes them.
	 */
	CHECK_NEAR(sum_of(profile, loop, "", l2, &uncertain), 120000, 1e-6);
	CHECK_NEAR(uncertain, 0, 1e-6);
	CHECK_NEAR(sum_of(profile, region, "", l2, &uncertain), 120000, 1e-6);
	CHECK_NEAR(uncertain, 0, 1e-6);
	CHECK_NEAR(sum_of(profile, "the whole phase", "", l2, &uncertain), 120000, 1e-6);
	CHECK_NEAR(uncertain, 0, 1e-6);
	arena_free(arena);
}

/* But for those of the simulated machine, which may have a counter among their evidence. */
TEST(profile__findings_of_counters_are_not_of_data)
{
	static const enum ms_rung rungs[] = { MS_RUNG_COUNTED, MS_RUNG_TIMED, MS_RUNG_SIMULATED };
	struct arena *arena = arena_new();
	struct run run;
	const struct profile *profile;
	size_t nr = 0;

	sample_run(&run, arena);
	for (size_t row = 0; row < 2 * SAMPLE_COUNT(rungs); row++) {
		bool counted = row % 2;

		for (size_t i = 0; i < run.nr_nodes; i++) {
			run.nodes[i].rung = rungs[row / 2];
			run.nodes[i].severity_of_model = true;
			run.nodes[i].events = counted ? "skx::STALLS" : NULL;
		}
		profile = profile_of(arena, &run, PROFILE_BY_ARRAY);
		for (size_t i = 0; i < profile->nr_findings; i++, nr++)
			CHECK_INT(profile->findings[i].of_data,
				  !counted || rungs[row / 2] == MS_RUNG_SIMULATED);
	}
	CHECK_THAT(nr, >, 0);
	arena_free(arena);
}

TEST(profile__stacks_are_uncertain)
{
	struct arena *arena = arena_new();
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);
	const struct profile *profile;
	double uncertain;
	struct run run;

	modelled_run(&run, arena);
	run.modelled.basis = RUN_BASIS_STEADY;
	run.arrays[1].kind = "stack";
	profile = profile_of(arena, &run, PROFILE_BY_ARRAY);
	CHECK_NEAR(sum_of(profile, loop, "", l2, &uncertain), 120000, 1e-6);
	CHECK_NEAR(uncertain, 80000, 1e-6);
	arena_free(arena);
}

/*
 * A loop that the runtime hands out in chunks: its accesses vary, and what it leaves in the caches
 * for others does.
 */
TEST(profile__dynamic_loops_are_uncertain)
{
	struct arena *arena = arena_new();
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);
	const struct profile *profile;
	double uncertain;
	struct run run;

	modelled_run(&run, arena);
	run.modelled.basis = RUN_BASIS_STEADY;
	CHECK(ARENA_GROW(arena, run.measurements, run.nr_measurements, run.room_measurements));
	run.measurements[run.nr_measurements++] = (struct run_measurement){
		.row = { .region = 2,
			 .thread = 1,
			 .metric = MS_METRIC_CHUNKS,
			 .stat = { 3, 30, 9, 11, 300 } },
		.phases = 3,
		.observed_ns = 4e7,
	};
	profile = profile_of(arena, &run, PROFILE_BY_ARRAY);
	CHECK(profile->places[2].varies);
	CHECK_NEAR(sum_of(profile, loop, "unew", l2, &uncertain), 40000, 1e-6);
	CHECK_NEAR(uncertain, 40000, 1e-6);
	arena_free(arena);
}

/*
 * What bursts stand for depends on times, unless the simulation saw that they are all of the step.
 */
TEST(profile__bursts_are_uncertain)
{
	struct arena *arena = arena_new();
	uint32_t bytes = diff_metric("bytes", MS_RUNG_COUNTED);
	struct run_missing missing = { 2, MS_METRIC_TOUCHED_LINES, MS_MISSING_NOT_WHOLE };
	double uncertain, value;
	struct run run;

	modelled_run(&run, arena);
	run.modelled.basis = RUN_BASIS_STEADY;
	value = sum_of(profile_of(arena, &run, PROFILE_BY_ARRAY), loop, "unew", bytes, &uncertain);
	CHECK_THAT(value, >, 0);
	CHECK_NEAR(uncertain, 0, 0);
	CHECK(ARENA_GROW(arena, run.missing, run.nr_missing, run.room_missing));
	run.missing[run.nr_missing++] = missing;
	CHECK_NEAR(
		sum_of(profile_of(arena, &run, PROFILE_BY_ARRAY), loop, "unew", bytes, &uncertain),
		value, 1e-9 * value);
	CHECK_NEAR(uncertain, value, 1e-9 * value);
	run.modelled.basis = RUN_BASIS_BURSTS;
	CHECK_NEAR(
		sum_of(profile_of(arena, &run, PROFILE_BY_ARRAY), loop, "unew", bytes, &uncertain),
		value, 1e-9 * value);
	CHECK_NEAR(uncertain, 0, 0);
	arena_free(arena);
}

TEST(profile__lines_and_threads_are_there_on_request)
{
	struct arena *arena = arena_new();
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);
	double by_line = 0, by_thread = 0;
	const struct profile *lines, *threads;
	struct run run;

	modelled_run(&run, arena);
	run.modelled.basis = RUN_BASIS_STEADY;
	CHECK_INT(profile_of(arena, &run, PROFILE_BY_ARRAY)->nr_parts, 0);
	lines = profile_of(arena, &run, PROFILE_BY_LINE);
	CHECK_THAT(lines->nr_parts, >, 0);
	for (size_t i = 0; i < lines->nr_values; i++)
		by_line += lines->values[i].part != PROFILE_NONE && lines->values[i].metric == l2
				   ? lines->values[i].value
				   : 0;
	threads = profile_of(arena, &run, PROFILE_BY_THREAD);
	for (size_t i = 0; i < threads->nr_values; i++)
		by_thread += threads->values[i].part == 1 && threads->values[i].place == 2 &&
					     threads->values[i].metric == l2
				     ? threads->values[i].value
				     : 0;
	CHECK_NEAR(by_line, 120000, 1e-6);
	CHECK_NEAR(by_thread, 10000, 1e-6);
	arena_free(arena);
}

TEST(profile__settings_of_a_record)
{
	struct arena *arena = arena_new();
	const struct profile *profile;
	struct run run;

	modelled_run(&run, arena);
	run.modelled.basis = RUN_BASIS_STEADY;
	profile = profile_of(arena, &run, PROFILE_BY_ARRAY);
	CHECK_STR(profile_setting(profile, "machine"), "xeon-2s");
	CHECK_INT(strtoul(profile_setting(profile, "threads"), NULL, 10), run.threads);
	CHECK(!profile_setting(profile, "env:X"));
	arena_free(arena);
}

/* The phase waits at places; what these wait for is told apart by lock, and not added once more. */
TEST(profile__locks_are_places_of_their_own)
{
	struct arena *arena = arena_new();
	uint32_t wait = diff_metric("lock_wait", MS_RUNG_TIMED),
		 held = diff_metric("lock_held", MS_RUNG_TIMED);
	const struct profile *profile;
	struct run run;

	modelled_run(&run, arena);
	CHECK(ARENA_GROW(arena, run.regions, run.nr_regions, run.room_regions));
	run.regions[run.nr_regions] = (struct run_region){
		.id = (uint32_t)run.nr_regions, .kind = MS_MUTEX, .name = "update", .resolved = true
	};
	run.regions[4].mutex = (uint32_t)run.nr_regions++;
	for (uint32_t of = 4; of < run.nr_regions; of += (uint32_t)run.nr_regions - 5) {
		for (int metric = 0; metric < 2; metric++) {
			CHECK(ARENA_GROW(arena, run.measurements, run.nr_measurements,
					 run.room_measurements));
			run.measurements[run.nr_measurements++] = (struct run_measurement){
				.row = { .region = of,
					 .metric = metric ? MS_METRIC_LOCK_HELD
							  : MS_METRIC_LOCK_WAIT,
					 .stat = { 3, 300, 100, 100, 30000 } },
				.phases = 3,
				.observed_ns = 3 * run.phase.wall_ns / (double)run.phase.executions,
			};
		}
	}
	profile = profile_of(arena, &run, PROFILE_BY_ARRAY);
	CHECK_NEAR(sum_of(profile, "lock `update`", "", wait, NULL), 100, 1e-6);
	CHECK_NEAR(sum_of(profile, "lock `update` in update (near swim.f90:77)", "", held, NULL),
		   100, 1e-6);
	CHECK_NEAR(sum_of(profile, "the whole phase", "", held, NULL), 100, 1e-6);
	for (size_t i = 0; i < profile->nr_places; i++)
		CHECK(profile->places[i].kind != MS_MUTEX ||
		      !strcmp(profile->places[i].function, "update"));
	arena_free(arena);
}

/*
 * Two executions of the loop in each step are one, and two threads are as late as each other: their
 * errors add up.
 */
TEST(profile__errors_of_executions)
{
	struct arena *arena = arena_new();
	uint32_t cpu = diff_metric("cpu_time", MS_RUNG_COUNTED),
		 nr = (uint32_t)compared_metrics_nr();
	const struct profile *profile;
	struct run run;

	modelled_run(&run, arena);
	for (uint32_t thread = 0; thread < 2; thread++) {
		CHECK(ARENA_GROW(arena, run.measurements, run.nr_measurements,
				 run.room_measurements));
		/* a variance of 25 */
		run.measurements[run.nr_measurements++] = (struct run_measurement){
			.row = { .region = 2,
				 .thread = thread,
				 .metric = MS_METRIC_CPU_TIME,
				 .stat = { 8, 800, 90, 110, 7 * 25 + 800 * 100 } },
			.phases = 4,
			.observed_ns = 4e7,
		};
	}
	profile = profile_of(arena, &run, PROFILE_BY_ARRAY);
	CHECK_STR(profile->places[2].words, loop);
	CHECK_NEAR(profile->errors[2 * nr + cpu].executions, 4, 0);
	CHECK_NEAR(profile->errors[2 * nr + cpu].error / sum_of(profile, loop, "", cpu, NULL),
		   2 * sqrt(25.0 / 4) / (800.0 / 4), 1e-9);
	CHECK_NEAR(profile->errors[1 * nr + cpu].executions, 0, 0);
	CHECK(!(profile->errors[2 * nr + diff_metric("bytes", MS_RUNG_COUNTED)].executions > 0));
	arena_free(arena);
}
