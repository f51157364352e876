/* SPDX-License-Identifier: Apache-2.0 */
/* Differences of invented profiles, and their verdicts. */
#include "analysis/differential/compare.h"

#include "tests/unit/diff_profiles.h"

#define RUNS 10

struct sides {
	struct arena *arena;
	const struct profile *profiles[2 * RUNS];
	enum match_side sides[2 * RUNS];
	size_t nr;
	struct match match;
	struct comparison comparison;
};

static const struct compare_options options = { .work = { 1, 1 },
						.function = COMBINE_WEIGHTED,
						.bound = NAN,
						.level = 0.05,
						.cut_off = 0.001 };

static struct profile *add_run(struct sides *sides, enum match_side side)
{
	struct profile *profile = diff_profile(sides->arena, "a", 2);

	sides->sides[sides->nr] = side;
	sides->profiles[sides->nr++] = profile;
	diff_place(sides->arena, profile, "calc", 10, "main", 0);
	diff_array(sides->arena, profile, "u", 1);
	diff_array(sides->arena, profile, "v", 2);
	return profile;
}

static const struct difference *find(const struct sides *sides, uint32_t array, uint32_t metric)
{
	for (size_t i = 0; i < sides->comparison.nr; i++)
		if (sides->comparison.rows[i].array == array &&
		    sides->comparison.rows[i].metric == metric)
			return &sides->comparison.rows[i];
	test_fail(__FILE__, __LINE__, "no such bucket");
}

static void compare_with(struct sides *sides, const struct compare_options *how)
{
	CHECK(match_profiles(sides->arena, sides->profiles, sides->sides, sides->nr,
			     &sides->match));
	CHECK(compare(sides->arena, &sides->match, how, &sides->comparison));
}

TEST(compare__simulated_counts_need_no_test)
{
	struct sides sides = { .arena = arena_new() };
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);
	struct profile *base = add_run(&sides, MATCH_BASE), *new = add_run(&sides, MATCH_NEW);
	const struct difference *row;

	diff_value(sides.arena, base, 1, 0, l2, 1000, 0);
	diff_value(sides.arena, new, 1, 0, l2, 1001, 0);
	diff_value(sides.arena, base, 1, 1, l2, 500, 0);
	diff_value(sides.arena, new, 1, 1, l2, 500, 0);
	compare_with(&sides, &options);
	row = find(&sides, 0, l2);
	CHECK_INT(row->verdict, VERDICT_WORSE);
	CHECK(row->exact);
	CHECK_NEAR(difference_ratio(row), 1.001, 1e-12);
	CHECK_INT(find(&sides, 1, l2)->verdict, VERDICT_SAME);
	arena_free(sides.arena);
}

/*
 * A part that differs from run to run hides what is smaller, and does not hide what the rest says.
 */
TEST(compare__uncertain_parts_decide_nothing)
{
	struct sides sides = { .arena = arena_new() };
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED),
		 l1 = diff_metric("l1_misses", MS_RUNG_SIMULATED);
	struct profile *base = add_run(&sides, MATCH_BASE), *new = add_run(&sides, MATCH_NEW);

	diff_value(sides.arena, base, 1, PROFILE_NONE, l2, 1000, 10);
	diff_value(sides.arena, new, 1, PROFILE_NONE, l2, 1006, 16);
	diff_value(sides.arena, base, 1, PROFILE_NONE, l1, 100, 10);
	diff_value(sides.arena, new, 1, PROFILE_NONE, l1, 101, 10);
	diff_value(sides.arena, base, 1, 0, l1, 7, 7);
	diff_value(sides.arena, new, 1, 0, l1, 70, 70);
	compare_with(&sides, &options);
	CHECK_INT(find(&sides, PROFILE_NONE, l2)->verdict, VERDICT_SAME);
	CHECK_INT(find(&sides, PROFILE_NONE, l1)->verdict, VERDICT_WORSE);
	CHECK_INT(find(&sides, 0, l1)->verdict, VERDICT_UNKNOWN);
	CHECK_STR(find(&sides, 0, l1)->why, "one run on a side: how much runs differ is not known");
	arena_free(sides.arena);
}

TEST(compare__what_was_not_measured_is_not_0)
{
	struct sides sides = { .arena = arena_new() };
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED),
		 l3 = diff_metric("l3_misses", MS_RUNG_SIMULATED),
		 time = diff_metric("time", MS_RUNG_TIMED);
	struct profile *base = add_run(&sides, MATCH_BASE), *new = add_run(&sides, MATCH_NEW);
	const struct difference *row;

	diff_value(sides.arena, base, 1, 0, l2, 1000, 0);
	diff_value(sides.arena, base, 1, 0, l3, 10, 0);
	/* no misses of L3: the simulated sensor measured there */
	diff_value(sides.arena, new, 1, 0, l2, 1000, 0);
	/* times were not measured in the new run */
	diff_value(sides.arena, base, 1, PROFILE_NONE, time, 5, 5);
	compare_with(&sides, &options);
	row = find(&sides, 0, l3);
	CHECK_INT(row->verdict, VERDICT_BETTER);
	CHECK_NEAR(row->mean[MATCH_NEW], 0, 0);
	row = find(&sides, PROFILE_NONE, time);
	CHECK_INT(row->verdict, VERDICT_UNKNOWN);
	CHECK(isnan(row->mean[MATCH_NEW]));
	CHECK_STR(row->why, "not measured in the new runs");
	arena_free(sides.arena);
}

TEST(compare__regions_come_and_go)
{
	struct sides sides = { .arena = arena_new() };
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);
	struct profile *base = add_run(&sides, MATCH_BASE), *new = add_run(&sides, MATCH_NEW);
	uint32_t gone = diff_place(sides.arena, base, "old", 30, "main", 1),
		 added = diff_place(sides.arena, new, "fresh", 70, "main", 2);
	size_t news = 0, gones = 0;

	diff_place(sides.arena, new, "fresh_too", 80, "main", 3);
	diff_value(sides.arena, base, gone, 0, l2, 1000, 0);
	diff_value(sides.arena, new, added, 0, l2, 1000, 0);
	diff_value(sides.arena, base, 1, 0, l2, 1, 0);
	diff_value(sides.arena, new, 1, 0, l2, 1, 0);
	compare_with(&sides, &options);
	for (size_t i = 0; i < sides.comparison.nr; i++) {
		news += sides.comparison.rows[i].verdict == VERDICT_NEW;
		gones += sides.comparison.rows[i].verdict == VERDICT_GONE;
	}
	CHECK_INT(news, 1);
	CHECK_INT(gones, 1);
	arena_free(sides.arena);
}

/*
 * In a region of both sides: one run accesses a stack that the other does not, by chance perhaps; a
 * data structure is new.
 */
TEST(compare__what_one_run_has_by_chance_is_not_new)
{
	struct sides sides = { .arena = arena_new() };
	uint32_t bytes = diff_metric("bytes", MS_RUNG_COUNTED);
	struct profile *base = add_run(&sides, MATCH_BASE), *new = add_run(&sides, MATCH_NEW);
	uint32_t stack = diff_array(sides.arena, new, "stacks", 3),
		 added = diff_array(sides.arena, new, "w", 4);

	diff_value(sides.arena, base, 1, 0, bytes, 1000, 0);
	diff_value(sides.arena, new, 1, 0, bytes, 1000, 0);
	diff_value(sides.arena, new, 1, stack, bytes, 1000, 1000);
	diff_value(sides.arena, new, 1, added, bytes, 1000, 0);
	compare_with(&sides, &options);
	CHECK_INT(find(&sides, stack, bytes)->verdict, VERDICT_UNKNOWN);
	CHECK_STR(find(&sides, stack, bytes)->why,
		  "one run on a side: how much runs differ is not known");
	CHECK_INT(find(&sides, added, bytes)->verdict, VERDICT_NEW);
	arena_free(sides.arena);
}

/*
 * The new run recorded nothing in a region that both executed: what the base accesses there is not
 * gone.
 */
TEST(compare__what_was_not_recorded_is_not_gone)
{
	struct sides sides = { .arena = arena_new() };
	uint32_t bytes = diff_metric("bytes", MS_RUNG_COUNTED);
	struct profile *base = add_run(&sides, MATCH_BASE), *new = add_run(&sides, MATCH_NEW);
	uint32_t array = diff_array(sides.arena, base, "w", 4);

	diff_value(sides.arena, base, diff_place(sides.arena, base, "other", 30, "main", 0), array,
		   bytes, 1000, 0);
	diff_value(sides.arena, base, 1, 0, bytes, 1000, 0);
	diff_value(sides.arena, new, 1, 0, bytes, 1000, 0);
	diff_place(sides.arena, new, "other", 30, "main", 0);
	compare_with(&sides, &options);
	CHECK_INT(find(&sides, array, bytes)->verdict, VERDICT_UNKNOWN);
	CHECK_STR(find(&sides, array, bytes)->why, "not measured in the new runs");
	arena_free(sides.arena);
}

/* A killed run has no end of its record, where data structures are. */
TEST(compare__nothing_is_gone_where_a_run_was_cut_short)
{
	struct sides sides = { .arena = arena_new() };
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);
	struct profile *base = add_run(&sides, MATCH_BASE), *new = add_run(&sides, MATCH_NEW);
	uint32_t gone = diff_place(sides.arena, base, "old", 30, "main", 1),
		 array = diff_array(sides.arena, base, "w", 3);

	new->complete = false;
	diff_value(sides.arena, base, gone, 0, l2, 1000, 0);
	diff_value(sides.arena, base, 1, array, l2, 1000, 0);
	diff_value(sides.arena, base, 1, 0, l2, 1, 0);
	diff_value(sides.arena, new, 1, 0, l2, 1, 0);
	compare_with(&sides, &options);
	for (size_t i = 0; i < sides.comparison.nr; i++) {
		const struct difference *row = &sides.comparison.rows[i];
		bool missing = row->array == array ||
			       row->place == sides.match.runs[0].places[gone];

		CHECK_INT(row->verdict, missing ? VERDICT_UNKNOWN : VERDICT_SAME);
		CHECK(!missing || strstr(row->why, "before its record was complete"));
	}
	arena_free(sides.arena);
}

/* Times of runs: noise of 1 %, and one bucket that takes 10 % longer. */
TEST(compare__times_are_tested_over_runs)
{
	struct sides sides = { .arena = arena_new() };
	uint32_t time = diff_metric("time", MS_RUNG_TIMED),
		 wait = diff_metric("barrier_wait", MS_RUNG_TIMED);

	srand(7);
	for (int i = 0; i < 2 * 5; i++) {
		struct profile *run = add_run(&sides, i % 2 ? MATCH_NEW : MATCH_BASE);
		double noise = 1 + 0.01 * (rand() / (double)RAND_MAX - 0.5);

		diff_value(sides.arena, run, 1, PROFILE_NONE, time, 1e6 * noise * (i % 2 ? 1.1 : 1),
			   1e6);
		diff_value(sides.arena, run, 1, PROFILE_NONE, wait, 1e5 * noise, 1e5);
	}
	compare_with(&sides, &options);
	comparison_rank(sides.arena, &sides.comparison, time);
	CHECK_INT(find(&sides, PROFILE_NONE, time)->verdict, VERDICT_WORSE);
	CHECK(find(&sides, PROFILE_NONE, time)->interval->low > 1.08 &&
	      find(&sides, PROFILE_NONE, time)->interval->high < 1.12);
	CHECK_INT(find(&sides, PROFILE_NONE, wait)->verdict, VERDICT_SAME);
	arena_free(sides.arena);
}

/* With three runs on a side no difference can be proven, however large. */
TEST(compare__few_runs_prove_nothing)
{
	struct sides sides = { .arena = arena_new() };
	uint32_t time = diff_metric("time", MS_RUNG_TIMED);

	for (int i = 0; i < 2 * 3; i++)
		diff_value(sides.arena, add_run(&sides, i % 2 ? MATCH_NEW : MATCH_BASE), 1,
			   PROFILE_NONE, time, (i % 2 ? 5e6 : 1e6) + i, 1e6);
	compare_with(&sides, &options);
	CHECK_INT(find(&sides, PROFILE_NONE, time)->verdict, VERDICT_UNKNOWN);
	CHECK_STR(find(&sides, PROFILE_NONE, time)->why,
		  "too few runs: it takes 4 on each side to prove a change of one of 1 values");
	arena_free(sides.arena);
}

/*
 * Fifty comparisons of 200 buckets without a difference: at most five find one (Benjamini &
 * Hochberg at 5 % would find 2.5).
 */
TEST(compare__noise_is_not_a_difference)
{
	uint32_t time = diff_metric("time", MS_RUNG_TIMED);
	size_t found = 0;

	srand(11);
	for (int trial = 0; trial < 50; trial++) {
		struct sides sides = { .arena = arena_new() };
		size_t differences = 0;

		for (int i = 0; i < 2 * 5; i++) {
			struct profile *run = add_run(&sides, i % 2 ? MATCH_NEW : MATCH_BASE);

			for (int k = 0; k < 200; k++)
				diff_value(sides.arena, run,
					   diff_place(sides.arena, run, "many", 100 + k, "main", 0),
					   PROFILE_NONE, time, 1e6 + rand() % 100000, 1e6);
		}
		compare_with(&sides, &options);
		for (size_t i = 0; i < sides.comparison.nr; i++)
			differences += verdict_is_difference(sides.comparison.rows[i].verdict);
		found += differences > 0;
		arena_free(sides.arena);
	}
	CHECK_THAT(found, <=, 5);
}

/*
 * One of 200 buckets takes 5 % longer, with scatter of 1 %, ten runs on a side: found in 95 % of
 * the trials.
 */
TEST(compare__small_changes_are_found)
{
	uint32_t time = diff_metric("time", MS_RUNG_TIMED);
	size_t found = 0;

	srand(13);
	for (int trial = 0; trial < 50; trial++) {
		struct sides sides = { .arena = arena_new() };

		for (int i = 0; i < 2 * RUNS; i++) {
			struct profile *run = add_run(&sides, i % 2 ? MATCH_NEW : MATCH_BASE);

			for (int k = 0; k < 200; k++) {
				double noise = 0;

				for (int n = 0; n < 12; n++) /* about normal, variance 1 */
					noise += rand() / (double)RAND_MAX;
				diff_value(sides.arena, run,
					   diff_place(sides.arena, run, "many", 100 + k, "main", 0),
					   PROFILE_NONE, time,
					   1e6 * (1 + 0.01 * (noise - 6)) *
						   (i % 2 && k == 77 ? 1.05 : 1),
					   1e6);
			}
		}
		compare_with(&sides, &options);
		comparison_rank(sides.arena, &sides.comparison, time);
		found += sides.comparison.rows[0].verdict == VERDICT_WORSE &&
			 sides.match.places[sides.comparison.rows[0].place].of[MATCH_BASE]->line ==
				 177;
		arena_free(sides.arena);
	}
	CHECK_THAT(found, >=, 48);
}

TEST(compare__work_is_first_class)
{
	struct sides sides = { .arena = arena_new() };
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);
	struct profile *base = add_run(&sides, MATCH_BASE), *new = add_run(&sides, MATCH_NEW);
	struct compare_options twice = options;

	twice.work[MATCH_NEW] = 2;
	diff_value(sides.arena, base, 1, 0, l2, 1000, 0);
	diff_value(sides.arena, new, 1, 0, l2, 2000, 0);
	diff_value(sides.arena, base, 1, 1, l2, 100, 0);
	diff_value(sides.arena, new, 1, 1, l2, 300, 0);
	compare_with(&sides, &twice);
	CHECK_INT(find(&sides, 0, l2)->verdict, VERDICT_SAME);
	CHECK_INT(find(&sides, 1, l2)->verdict, VERDICT_WORSE);
	CHECK_NEAR(difference_combined(&sides.comparison, find(&sides, 1, l2)).value,
		   1 * 300 - 2 * 100, 0);
	arena_free(sides.arena);
}

TEST(compare__times_of_oversubscribed_runs_do_not_scale)
{
	struct sides sides = { .arena = arena_new() };
	uint32_t time = diff_metric("time", MS_RUNG_TIMED);
	struct compare_options scaling = options;

	scaling.threads_differ = true;
	for (int i = 0; i < 2 * 5; i++) {
		struct profile *run = add_run(&sides, i % 2 ? MATCH_NEW : MATCH_BASE);

		run->oversubscribed = i % 2;
		diff_value(sides.arena, run, 1, PROFILE_NONE, time, i % 2 ? 5e6 + i : 1e6 + i, 5e6);
	}
	compare_with(&sides, &scaling);
	CHECK_INT(find(&sides, PROFILE_NONE, time)->verdict, VERDICT_UNKNOWN);
	CHECK_STR(find(&sides, PROFILE_NONE, time)->why,
		  "more threads than CPUs: times say nothing of scaling");
	arena_free(sides.arena);
}

/*
 * The base found no steps: its values are of the whole run, a hundred times larger, with a region
 * that is executed before the first step.
 */
TEST(compare__steps_and_whole_runs_do_not_compare)
{
	struct sides sides = { .arena = arena_new() };
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);
	struct profile *base = add_run(&sides, MATCH_BASE), *new = add_run(&sides, MATCH_NEW);
	uint32_t init = diff_place(sides.arena, base, "init", 5, "main", 0);

	base->method = PHASE_WHOLE_PROGRAM;
	diff_value(sides.arena, base, 1, 0, l2, 100000, 0);
	diff_value(sides.arena, base, init, 0, l2, 100000, 0);
	diff_value(sides.arena, new, 1, 0, l2, 1000, 0);
	compare_with(&sides, &options);
	CHECK_INT(sides.match.unit, MATCH_UNITS_DIFFER);
	CHECK_INT(sides.comparison.nr, 2);
	for (size_t i = 0; i < sides.comparison.nr; i++) {
		CHECK_INT(sides.comparison.rows[i].verdict, VERDICT_UNKNOWN);
		CHECK(strstr(sides.comparison.rows[i].why,
			     "values of a step and of the whole run do not compare") &&
		      sides.comparison.rows[i].lacking);
	}
	arena_free(sides.arena);
}

/* Each side has runs with steps, which are compared; one run without is left out. */
TEST(compare__a_run_without_steps_is_left_out)
{
	struct sides sides = { .arena = arena_new() };
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);

	for (int i = 0; i < 4; i++) {
		struct profile *run = add_run(&sides, i % 2 ? MATCH_NEW : MATCH_BASE);

		if (i == 2) {
			run->method = PHASE_WHOLE_PROGRAM;
			run->basis = RUN_BASIS_MIXED;
			run->basis_why = "of parts of steps";
		}
		diff_value(sides.arena, run, 1, 0, l2, i == 2 ? 100000 : 1000, 0);
	}
	compare_with(&sides, &options);
	CHECK_INT(sides.match.unit, MATCH_STEPS);
	CHECK(!match_has_values(&sides.match, 2) && match_has_values(&sides.match, 3));
	CHECK_INT(find(&sides, 0, l2)->nr[MATCH_BASE], 1);
	CHECK_INT(find(&sides, 0, l2)->verdict, VERDICT_SAME);
	arena_free(sides.arena);
}

TEST(compare__whole_runs_compare)
{
	struct sides sides = { .arena = arena_new() };
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);

	for (int i = 0; i < 2; i++) {
		struct profile *run = add_run(&sides, i ? MATCH_NEW : MATCH_BASE);

		run->method = PHASE_WHOLE_PROGRAM;
		diff_value(sides.arena, run, 1, 0, l2, 1000 + i, 0);
	}
	compare_with(&sides, &options);
	CHECK_INT(sides.match.unit, MATCH_WHOLE_RUNS);
	CHECK_INT(find(&sides, 0, l2)->verdict, VERDICT_WORSE);
	arena_free(sides.arena);
}

/*
 * The base counted the region, the new run its loop: accesses are those of the region, and its
 * time, which includes the loop's, is not counted twice.
 */
TEST(compare__a_loop_and_its_region)
{
	struct sides sides = { .arena = arena_new() };
	uint32_t bytes = diff_metric("bytes", MS_RUNG_COUNTED),
		 time = diff_metric("time", MS_RUNG_TIMED);
	struct profile *base = add_run(&sides, MATCH_BASE), *new = add_run(&sides, MATCH_NEW);
	uint32_t region = diff_region(sides.arena, base, "step", 50),
		 other = diff_region(sides.arena, new, "step", 50);
	uint32_t loop = diff_inner(sides.arena, new, MS_DO_REGION, other, "step", 52);

	new->places[loop].executed = new->places[loop].recorded = true;
	new->places[other].recorded = false;
	diff_value(sides.arena, base, region, PROFILE_NONE, bytes, 8000, 0);
	diff_value(sides.arena, base, region, PROFILE_NONE, time, 500, 500);
	diff_value(sides.arena, base, region, 1, bytes, 8000, 0);
	diff_value(sides.arena, new, other, PROFILE_NONE, time, 500, 500);
	diff_value(sides.arena, new, loop, PROFILE_NONE, bytes, 8000, 0);
	diff_value(sides.arena, new, loop, PROFILE_NONE, time, 490, 490);
	diff_value(sides.arena, new, loop, 1, bytes, 8000, 0);
	compare_with(&sides, &options);
	CHECK_INT(sides.comparison.nr, 3);
	CHECK_INT(find(&sides, PROFILE_NONE, bytes)->verdict, VERDICT_SAME);
	CHECK_INT(find(&sides, 1, bytes)->verdict, VERDICT_SAME);
	CHECK_NEAR(difference_ratio(find(&sides, PROFILE_NONE, time)), 1, 1e-12);
	arena_free(sides.arena);
}

/* ------------------------------------------------------------------ executions within runs */

#define LOOPS 20
#define STEPS 40

/* About normal, mean 0 and variance 1. */
static double normal(void)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += rand() / (double)RAND_MAX;
	return sum - 6;
}

/*
 * A run whose loops take 1 ms each, times `factor` in one of them; runs and steps scatter,
 * relatively.
 */
static struct profile *add_timed_run(struct sides *sides, enum match_side side, double of_runs,
				     double of_steps, double factor)
{
	uint32_t time = diff_metric("time", MS_RUNG_TIMED);
	struct profile *run = add_run(sides, side);

	run->errors = arena_alloc(sides->arena,
				  (2 + LOOPS) * compared_metrics_nr() * sizeof(*run->errors));
	for (int i = 0; i < LOOPS; i++) {
		uint32_t place = diff_place(sides->arena, run, "many", 100 + i, "main", 0);
		double mean = 1e6 * (1 + of_runs * normal()) * (i == 7 ? factor : 1), sum = 0,
		       squares = 0;

		for (int step = 0; step < STEPS; step++) {
			double value = mean * (1 + of_steps * normal());

			sum += value;
			squares += value * value;
		}
		diff_value(sides->arena, run, place, PROFILE_NONE, time, sum / STEPS, sum / STEPS);
		run->errors[place * compared_metrics_nr() + time] = (struct profile_error){
			sqrt((squares - sum * sum / STEPS) / (STEPS - 1) / STEPS), STEPS
		};
	}
	return run;
}

/*
 * Of 200 pairs of runs: in how many a loop, or the seventh, differs in these two runs. Never more
 * than that is said.
 */
static size_t pairs_that_differ(double of_runs, double of_steps, double factor, bool seventh)
{
	size_t found = 0;

	for (int trial = 0; trial < 200; trial++) {
		struct sides sides = { .arena = arena_new() };
		bool any = false;

		add_timed_run(&sides, MATCH_BASE, of_runs, of_steps, 1);
		add_timed_run(&sides, MATCH_NEW, of_runs, of_steps, factor);
		compare_with(&sides, &options);
		CHECK_INT(sides.comparison.nr, LOOPS);
		for (size_t i = 0; i < sides.comparison.nr; i++) {
			const struct difference *row = &sides.comparison.rows[i];

			CHECK_INT(row->verdict, VERDICT_UNKNOWN);
			CHECK(strstr(row->why, "one run on a side") &&
			      strstr(row->why, "how much runs differ is not known"));
			CHECK(!row->of_steps || (row->of_steps->low < difference_ratio(row) &&
						 difference_ratio(row) < row->of_steps->high));
			any |= row->of_steps &&
			       (!seventh ||
				sides.match.places[row->place].of[MATCH_BASE]->line == 107);
		}
		found += any;
		arena_free(sides.arena);
	}
	return found;
}

/* At a level of 5 % for all loops together 10 of 200 are expected. */
TEST(compare__steps_of_equal_runs_are_equal)
{
	srand(17);
	CHECK_THAT(pairs_that_differ(0, 0.02, 1, false), <=, 20);
}

TEST(compare__steps_show_a_change_in_two_runs)
{
	srand(19);
	CHECK_THAT(pairs_that_differ(0, 0.02, 1.05, true), >=, 190);
}

/* Runs of one binary that differ by 3 % do so in nearly each pair: hence two runs prove nothing. */
TEST(compare__steps_say_nothing_of_other_runs)
{
	srand(23);
	CHECK_THAT(pairs_that_differ(0.03, 0.01, 1, false), >=, 190);
}

static const char *why_of_groups(struct sides *sides, double of_runs, double of_steps)
{
	uint32_t time = diff_metric("time", MS_RUNG_TIMED);

	for (int i = 0; i < 2 * 8; i++)
		add_timed_run(sides, i % 2 ? MATCH_NEW : MATCH_BASE, of_runs, of_steps, 1);
	compare_with(sides, &options);
	for (size_t i = 0; i < sides->comparison.nr; i++)
		CHECK(sides->comparison.rows[i].metric == time &&
		      !sides->comparison.rows[i].of_steps);
	for (size_t i = 0; i < sides->comparison.nr; i++)
		if (sides->comparison.rows[i].why)
			return sides->comparison.rows[i].why;
	return "";
}

/* Whether longer runs or more of them would show more. */
TEST(compare__what_runs_of_a_side_differ_by)
{
	struct sides by_steps = { .arena = arena_new() }, by_runs = { .arena = arena_new() };

	srand(29);
	CHECK_STR(
		why_of_groups(&by_steps, 0, 0.3),
		"within the differences of runs of one side, which the scatter of their steps explains: longer runs show more");
	CHECK_STR(why_of_groups(&by_runs, 0.05, 0.01),
		  "within the differences of runs of one side");
	arena_free(by_steps.arena);
	arena_free(by_runs.arena);
}
