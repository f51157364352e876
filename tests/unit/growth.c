/* SPDX-License-Identifier: Apache-2.0 */
/* How buckets grow with the load, findings that change with it, and what else differs. */
#include "analysis/differential/growth.h"

#include "analysis/differential/property_diff.h"
#include "analysis/differential/resources.h"
#include "analysis/differential/warnings.h"
#include "tests/unit/diff_profiles.h"

#define LOADS 4

struct sweep {
	struct arena *arena;
	struct profile *profiles[LOADS];
	struct match match;
};

static const double works[LOADS] = { 2, 4, 8, 16 };
static const size_t columns[LOADS] = { 0, 1, 2, 3 };

static void match_again(struct sweep *sweep)
{
	const enum match_side sides[LOADS] = { MATCH_BASE, MATCH_BASE, MATCH_BASE, MATCH_NEW };

	CHECK(match_profiles(sweep->arena, (const struct profile *const *)sweep->profiles, sides,
			     LOADS, &sweep->match));
}

/*
 * A loop whose misses grow with the square of the threads in u, are constant in v, and fall in w.
 */
static void make(struct sweep *sweep)
{
	uint32_t l2 = diff_metric("l2_misses", MS_RUNG_SIMULATED);

	sweep->arena = arena_new();
	for (int i = 0; i < LOADS; i++) {
		struct profile *profile = sweep->profiles[i] = diff_profile(sweep->arena, "a",
									    (uint32_t)works[i]);

		diff_place(sweep->arena, profile, "calc", 10, "main", 0);
		for (uint32_t array = 0; array < 3; array++)
			diff_array(sweep->arena, profile,
				   array == 0   ? "u"
				   : array == 1 ? "v"
						: "w",
				   (int)array + 1);
		diff_value(sweep->arena, profile, 1, 0, l2, 100 + 3 * works[i] * works[i], 0);
		diff_value(sweep->arena, profile, 1, 1, l2, 5000, 0);
		diff_value(sweep->arena, profile, 1, 2, l2, 9000 - 100 * works[i], 0);
		diff_value(sweep->arena, profile, 1, PROFILE_NONE, l2, 15000, 0);
	}
	match_again(sweep);
}

TEST(growth__buckets_that_grow_alike_stand_together)
{
	struct growths_how how = { .metric = diff_metric("l2_misses", MS_RUNG_SIMULATED),
				   .of_arrays = true,
				   .bound = NAN };
	struct growths growths;
	struct sweep sweep;

	make(&sweep);
	CHECK(growths_of(sweep.arena, &sweep.match, columns, works, LOADS, &how, &growths));
	CHECK_INT(growths.nr, 3);
	CHECK_INT(growths.rows[0].array, 0);
	CHECK_INT(growths.rows[0].growth.class, FIT_QUADRATIC);
	CHECK_NEAR(growths.rows[0].growth.factor, 3, 1e-6);
	CHECK_NEAR(growths.rows[0].next, 100 + 3.0 * 32 * 32, 1e-3);
	CHECK_INT(growths.rows[1].growth.class, FIT_CONSTANT);
	CHECK_INT(growths.rows[2].growth.class, FIT_LINEAR);
	CHECK_THAT(growths.rows[2].growth.factor, <, 0);
	arena_free(sweep.arena);
}

TEST(growth__saturations_of_many_loads)
{
	struct growths_how how = { .metric = diff_metric("l2_misses", MS_RUNG_SIMULATED),
				   .of_arrays = true,
				   .bound = 7000 };
	struct growths growths;
	struct sweep sweep;

	make(&sweep);
	CHECK(growths_of(sweep.arena, &sweep.match, columns, works, LOADS, &how, &growths));
	CHECK(!growths.rows[1].saturation.valid); /* a constant reaches no bound */
	CHECK(growths.rows[1].saturation.why != NULL);
	arena_free(sweep.arena);
}

TEST(growth__two_loads_are_not_enough)
{
	struct growths_how how = { .metric = diff_metric("l2_misses", MS_RUNG_SIMULATED),
				   .of_arrays = true,
				   .bound = NAN };
	const size_t two[LOADS] = { 0, 0, 1, 1 };
	struct growths growths;
	struct sweep sweep;

	make(&sweep);
	CHECK(growths_of(sweep.arena, &sweep.match, two, works, 2, &how, &growths));
	CHECK_INT(growths.nr, 0);
	arena_free(sweep.arena);
}

static void find(struct arena *arena, struct profile *profile, const char *property, uint32_t place,
		 double severity, double value)
{
	CHECK(ARENA_GROW(arena, profile->findings, profile->nr_findings, profile->room_findings));
	profile->findings[profile->nr_findings++] = (struct profile_finding){
		.property = property,
		.title = property,
		.place = place,
		.array = PROFILE_NONE,
		.severity = severity,
		.low = severity,
		.high = severity,
		.value = value,
		.value_name = "rate",
	};
}

static const struct property_row *row_of(const struct property_diff *diff, const char *property)
{
	for (size_t i = 0; i < diff->nr; i++)
		if (!strcmp(diff->rows[i].property, property))
			return &diff->rows[i];
	test_fail(__FILE__, __LINE__, "no row %s", property);
}

TEST(property_diff__findings_appear_vanish_and_get_worse)
{
	struct property_diff diff;
	struct sweep sweep;

	make(&sweep);
	for (int i = 0; i < LOADS; i++) {
		find(sweep.arena, sweep.profiles[i], "Unbalanced", 1, 0.1, 3.2 * works[i] / 2);
		find(sweep.arena, sweep.profiles[i], "Steady", 1, 0.1, 5);
		if (i == 0)
			find(sweep.arena, sweep.profiles[i], "Gone", 1, 0.2, 1);
		if (i == LOADS - 1)
			find(sweep.arena, sweep.profiles[i], "Fresh", 1, 0.2, 1);
	}
	diff = property_diff(sweep.arena, &sweep.match, NULL, columns, LOADS, false);
	CHECK_INT(row_of(&diff, "Unbalanced")->change, PROPERTY_WORSE);
	CHECK_NEAR(row_of(&diff, "Unbalanced")->cells[3].value, 25.6, 1e-9);
	CHECK_INT(row_of(&diff, "Steady")->change, PROPERTY_SAME);
	CHECK_INT(row_of(&diff, "Gone")->change, PROPERTY_VANISHED);
	CHECK(isnan(row_of(&diff, "Gone")->cells[1].value));
	CHECK_INT(row_of(&diff, "Fresh")->change, PROPERTY_APPEARED);
	arena_free(sweep.arena);
}

static void finding_of(struct sweep *sweep, int run, const char *property, uint32_t array,
		       bool of_data, bool open)
{
	struct profile *profile = sweep->profiles[run];

	find(sweep->arena, profile, property, 1, 0.2, 1);
	profile->findings[profile->nr_findings - 1].array = array;
	profile->findings[profile->nr_findings - 1].of_data = of_data;
	profile->findings[profile->nr_findings - 1].open = open;
}

/*
 * Two runs take other times: shares of time are above a threshold in one of them alone, or the
 * question is not answered.
 */
TEST(property_diff__noise_is_no_change)
{
	static const size_t two[LOADS] = { 0, 0, 1, 1 };
	const enum match_side sides[LOADS] = { MATCH_BASE, MATCH_BASE, MATCH_NEW, MATCH_NEW };
	const struct compare_options options = { .work = { 1, 1 },
						 .function = COMBINE_WEIGHTED,
						 .bound = NAN,
						 .level = 0.05,
						 .cut_off = 0.001 };
	struct comparison comparison;
	struct property_diff diff;
	struct sweep sweep;

	make(&sweep);
	for (int i = 0; i < 2; i++) {
		finding_of(&sweep, i, "MissesSame", 1, true, false);
		finding_of(&sweep, i, "MissesOther", 0, true, false);
		finding_of(&sweep, i + 2, "MissesNew", 0, true, false);
		finding_of(&sweep, i, "Timed", 1, false, false);
		finding_of(&sweep, i, "Open", 1, false, false);
		finding_of(&sweep, i + 2, "Open", 1, false, true);
		finding_of(&sweep, i, "AllOpen", 1, false, true);
	}
	CHECK(match_profiles(sweep.arena, (const struct profile *const *)sweep.profiles, sides,
			     LOADS, &sweep.match));
	CHECK(compare(sweep.arena, &sweep.match, &options, &comparison));
	/* u differs within each side: what an exact difference of it says */
	for (size_t i = 0; i < comparison.nr; i++)
		if (comparison.rows[i].array == 0)
			comparison.rows[i].verdict = VERDICT_BETTER;
	diff = property_diff(sweep.arena, &sweep.match, &comparison, two, 2, false);
	CHECK_INT(diff.nr, 5);
	CHECK_INT(row_of(&diff, "MissesSame")->change, PROPERTY_SAME);
	CHECK_INT(row_of(&diff, "MissesOther")->change, PROPERTY_VANISHED);
	CHECK_INT(row_of(&diff, "MissesNew")->change, PROPERTY_OPEN);
	CHECK_INT(row_of(&diff, "Timed")->change, PROPERTY_VANISHED);
	CHECK_INT(row_of(&diff, "Open")->change, PROPERTY_OPEN);
	CHECK_INT(row_of(&diff, "Open")->cells[1].open, 2);
	/* its share of time fell below the threshold, not its values */
	for (size_t i = 0; i < comparison.nr; i++)
		if (comparison.rows[i].array == 0)
			comparison.rows[i].verdict = VERDICT_WORSE;
	diff = property_diff(sweep.arena, &sweep.match, &comparison, two, 2, false);
	CHECK_INT(row_of(&diff, "MissesOther")->change, PROPERTY_OPEN);
	CHECK_INT(row_of(&diff, "MissesNew")->change, PROPERTY_APPEARED);
	arena_free(sweep.arena);
}

static bool warns(const struct sweep *sweep, const char *words)
{
	struct warnings warnings = warnings_of(sweep->arena, &sweep->match);

	for (size_t i = 0; i < warnings.nr; i++)
		if (strstr(warnings.items[i], words))
			return true;
	return false;
}

TEST(warnings__what_differs_besides_the_load)
{
	struct sweep sweep;

	make(&sweep);
	CHECK(!warns(&sweep, ""));
	sweep.profiles[0]->threads = 1;
	CHECK(warns(&sweep, "one thread may run another algorithm"));
	sweep.profiles[LOADS - 1]->oversubscribed = true;
	CHECK(warns(&sweep, "more threads than CPUs"));
	sweep.profiles[LOADS - 1]->runtime = "GOMP";
	CHECK(warns(&sweep, "the OpenMP runtimes differ (LLVM; GOMP)"));
	sweep.profiles[LOADS - 1]->environment = "OMP_PROC_BIND=spread";
	CHECK(warns(&sweep, "the binding of threads differs (none; OMP_PROC_BIND=spread)"));
	sweep.profiles[1]->method = PHASE_WHOLE_PROGRAM;
	match_again(&sweep);
	CHECK(warns(&sweep, "1 of 4 runs found no repeating phase, and are left out"));
	sweep.profiles[1]->method = PHASE_SEQUENCE;
	sweep.profiles[LOADS - 1]->method = PHASE_WHOLE_PROGRAM;
	match_again(&sweep);
	CHECK(warns(&sweep, "of the whole run on the new side; they are not compared"));
	sweep.profiles[LOADS - 1]->method = PHASE_SEQUENCE;
	match_again(&sweep);
	sweep.profiles[1]->complete = false;
	CHECK(warns(&sweep, "1 of 4 runs ended before their record was complete"));
	sweep.profiles[1]->perturbation = 1.5;
	CHECK(warns(&sweep, "up to 1.50 times slower"));
	sweep.profiles[0]->bandwidth = 20e9;
	sweep.profiles[LOADS - 1]->bandwidth = 10e9;
	CHECK(warns(&sweep, "memory delivered 20.0 and 10.0 GB/s"));
	sweep.profiles[0]->cache_bytes = 32 << 20;
	sweep.profiles[0]->data_bytes = 16 << 20;
	sweep.profiles[LOADS - 1]->data_bytes = 64 << 20;
	CHECK(warns(
		&sweep,
		"the data fits the caches (32.0 MiB) on the base side only: 16.0 and 64.0 MiB"));
	sweep.profiles[LOADS - 1]->cpu = "another CPU";
	CHECK(warns(&sweep, "the runs come from different computers"));
	arena_free(sweep.arena);
}

static void use(struct arena *arena, struct profile *profile, enum profile_resource kind,
		uint32_t place, double used, double waited_ns)
{
	CHECK(ARENA_GROW(arena, profile->uses, profile->nr_uses, profile->room_uses));
	profile->uses[profile->nr_uses++] = (struct profile_use){ kind, place, used, 500,
								  waited_ns };
}

/*
 * Each thread holds the lock for a twentieth of the time: 20 threads fill it. Serial code takes
 * ever more of the time.
 */
TEST(resources__are_full_at_some_load)
{
	struct resources resources;
	struct sweep sweep;

	make(&sweep);
	for (int i = 0; i < LOADS; i++) {
		use(sweep.arena, sweep.profiles[i], PROFILE_LOCK, 1, 0.05 * works[i], 1000);
		use(sweep.arena, sweep.profiles[i], PROFILE_SERIAL, 0, 0.1 + 0.01 * works[i], 0);
	}
	resources = resources_of(sweep.arena, &sweep.match, columns, works, LOADS);
	CHECK_INT(resources.nr, 2);
	CHECK_INT(resources.rows[0].kind, PROFILE_LOCK);
	CHECK(resources.rows[0].full.valid);
	CHECK_NEAR(resources.rows[0].full.load, 20, 1e-6);
	CHECK_NEAR(resources.rows[1].full.load, 90, 1e-6);
	CHECK(isinf(resources.rows[0].next_wait)); /* 32 threads are more than fill it */
	CHECK(isnan(resources.rows[1].next_wait));
	arena_free(sweep.arena);
}

TEST(resources__times_of_oversubscribed_runs_are_left_out)
{
	struct resources resources;
	struct sweep sweep;

	make(&sweep);
	for (int i = 0; i < LOADS; i++) {
		sweep.profiles[i]->oversubscribed = i > 0;
		use(sweep.arena, sweep.profiles[i], PROFILE_LOCK, 1, i ? 0.9 : 0.1, 1000);
	}
	resources = resources_of(sweep.arena, &sweep.match, columns, works, LOADS);
	CHECK_INT(resources.nr, 1);
	/* of the first load alone: 2 threads hold it for a tenth */
	CHECK_NEAR(resources.rows[0].full.load, 20, 1e-6);
	CHECK(isnan(resources.rows[0].used[3]));
	arena_free(sweep.arena);
}
