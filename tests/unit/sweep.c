/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps: what their command lines and files of arguments say, the order of runs, and settings. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/sweep/argument_sets.h"
#include "analysis/sweep/matrix.h"
#include "analysis/sweep/plan.h"
#include "analysis/sweep/results.h"
#include "analysis/sweep/settings.h"
#include "tests/unit/test.h"

static struct sweep_plan plan_of(struct arena *arena, const char *threads, const char *variable,
				 const char *binaries, uint32_t repetitions)
{
	struct sweep_plan plan = { .repetitions = repetitions, .options = "" };

	CHECK(!plan_threads(arena, &plan, threads));
	CHECK(!variable || !plan_variable(arena, &plan, variable));
	CHECK(!plan_list(arena, &plan.binaries, "binary", binaries));
	CHECK(!arguments_of(arena, &plan, (char *[]){ "100" }, 1));
	return plan;
}

/* "w1 u1.1 p1.1 …": kind, threads, repetition. */
static const char *order(struct arena *arena, const struct sweep_plan *plan)
{
	size_t nr;
	struct matrix_step *steps = matrix_steps(arena, plan, &nr);
	const char *text = "";

	for (size_t i = 0; i < nr; i++) {
		struct matrix_configuration of = matrix_configuration(arena, plan,
								      steps[i].configuration);

		text = arena_printf(arena, "%s%s%c%u.%u", text, i ? " " : "", "wup"[steps[i].kind],
				    of.threads, steps[i].repetition);
	}
	return text;
}

TEST(sweep__repetitions_alternate_in_direction)
{
	struct arena *arena = arena_new();
	struct sweep_plan plan = plan_of(arena, "1,2,4", NULL, "./a", 3);

	CHECK_STR(order(arena, &plan),
		  "w1.0 u1.1 p1.1 u2.1 p2.1 u4.1 p4.1 p4.2 p2.2 p1.2 p1.3 p2.3 p4.3");
	plan.repetitions = 1;
	CHECK_STR(order(arena, &plan), "w1.0 u1.1 p1.1 u2.1 p2.1 u4.1 p4.1");
	arena_free(arena);
}

TEST(sweep__positions_count_runs_with_memsearch)
{
	struct arena *arena = arena_new();
	struct sweep_plan plan = plan_of(arena, "1,2", "X=a,b", "./a,./b", 4);
	size_t nr, position = 0;
	struct matrix_step *steps = matrix_steps(arena, &plan, &nr);

	CHECK_INT(nr, 2 + 8 + 4 * 8);
	for (size_t i = 0; i < nr; i++)
		CHECK_INT(steps[i].position, steps[i].kind == MATRIX_PROFILED ? ++position : 0);
	CHECK_INT(position, 32);
	arena_free(arena);
}

TEST(sweep__every_combination_is_there_once)
{
	static const char *const want[] = {
		"1 a p ./a", "2 a p ./a", "1 b p ./a", "2 b p ./a", "1 c p ./a", "2 c p ./a",
		"1 a p ./b", "2 a p ./b", "1 b p ./b", "2 b p ./b", "1 c p ./b", "2 c p ./b",
	};
	struct arena *arena = arena_new();
	struct sweep_plan plan = plan_of(arena, "1,2", "X=a,b,c", "./a,./b", 1);
	struct matrix_configuration last;

	CHECK(!plan_variable(arena, &plan, "Y=p"));
	CHECK_INT((int)matrix_size(&plan), 12);
	CHECK_INT(matrix_groups(&plan), 2);
	for (size_t i = 0; i < 12; i++) {
		struct matrix_configuration of = matrix_configuration(arena, &plan, i);

		CHECK_STR(arena_printf(arena, "%u %s %s %s", of.threads, of.values[0], of.values[1],
				       of.binary),
			  want[i]);
		CHECK_INT(matrix_group(&plan, i), i / 6);
	}
	last = matrix_configuration(arena, &plan, 9);
	CHECK_STR(settings_words(arena, &plan, &last), "2 threads, X=b Y=p, ./b");
	arena_free(arena);
}

TEST(sweep__bad_lists_are_refused)
{
	static const struct {
		int line;
		const char *text, *want;
	} cases[] = {
		{ __LINE__, "1,2,4096", NULL },
		{ __LINE__, "0", "'0' is not a number of threads from 1 to 4096" },
		{ __LINE__, "1,4097", "'4097' is not a number of threads from 1 to 4096" },
		{ __LINE__, "2x", "'2x' is not a number of threads from 1 to 4096" },
		{ __LINE__, "-1", "'-1' is not a number of threads from 1 to 4096" },
		{ __LINE__, " 1", "' 1' is not a number of threads from 1 to 4096" },
		{ __LINE__, "18446744073709551617",
		  "'18446744073709551617' is not a number of threads from 1 to 4096" },
		{ __LINE__, "4294967297",
		  "'4294967297' is not a number of threads from 1 to 4096" },
		{ __LINE__, "", "'' has an empty number of threads" },
		{ __LINE__, "1,", "'1,' has an empty number of threads" },
		{ __LINE__, ",1", "',1' has an empty number of threads" },
		{ __LINE__, "2,4,2", "number of threads '2' is there twice" },
		{ __LINE__, "2,02", "number of threads '02' is there twice" },
	};
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sweep_plan plan = { 0 };
		const char *wrong = plan_threads(arena, &plan, cases[i].text);

		if (!wrong != !cases[i].want || (wrong && strcmp(wrong, cases[i].want) != 0))
			test_fail(__FILE__, cases[i].line, "'%s': %s", cases[i].text,
				  wrong ? wrong : "not refused");
	}
	arena_free(arena);
}

TEST(sweep__variables_have_names_and_values)
{
	static const struct {
		int line;
		const char *text, *want;
	} cases[] = {
		{ __LINE__, "X", "'X' is not NAME=VALUES" },
		{ __LINE__, "=a", "'=a' is not NAME=VALUES" },
		{ __LINE__, "X=", "'' has an empty value" },
		{ __LINE__, "X=a,,b", "'a,,b' has an empty value" },
		{ __LINE__, "X=a,a", "value 'a' is there twice" },
		{ __LINE__, "OMP_NUM_THREADS=1,2", "OMP_NUM_THREADS is what --threads varies" },
		{ __LINE__, "Y=1", "Y is there twice" },
	};
	struct arena *arena = arena_new();
	struct sweep_plan plan = { 0 };

	CHECK(!plan_variable(arena, &plan, "Y=a=b,{0\\,1}\\,{2},\\x"));
	CHECK_INT(plan.variables[0].values.nr, 3);
	CHECK_STR(plan.variables[0].values.items[0], "a=b");
	CHECK_STR(plan.variables[0].values.items[1], "{0,1},{2}");
	CHECK_STR(plan.variables[0].values.items[2], "\\x");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct sweep_plan one = plan;
		const char *wrong = plan_variable(arena, &one, cases[i].text);

		if (!wrong || strcmp(wrong, cases[i].want) != 0)
			test_fail(__FILE__, cases[i].line, "'%s': %s", cases[i].text,
				  wrong ? wrong : "not refused");
	}
	arena_free(arena);
}

TEST(sweep__too_many_runs_are_refused)
{
	struct arena *arena = arena_new();
	struct sweep_plan plan = plan_of(arena, "1,2,4", NULL, "./a", 1000);

	CHECK(!plan_check_size(arena, &plan));
	for (int i = 0; i < 12; i++)
		CHECK(!plan_variable(arena, &plan,
				     arena_printf(arena, "X%d=1,2,3,4,5,6,7,8,9,10", i)));
	CHECK_STR(plan_check_size(arena, &plan),
		  "that is 3000000000000000 runs, more than 100000: leave out some values");
	arena_free(arena);
}

/* The words of all sets: [a][b c]|[d]. */
static const char *sets(struct arena *arena, const char *text, size_t length)
{
	struct sweep_plan plan = { 0 };
	const char *wrong = arguments_parse(arena, &plan, "f", text, length, (char *[]){ "0" }, 1),
		   *all = "";

	for (size_t i = 0; i < plan.nr_arguments && !wrong; i++) {
		all = arena_printf(arena, "%s%s", all, i ? "|" : "");
		for (size_t k = 1; k < plan.arguments[i].words.nr; k++)
			all = arena_printf(arena, "%s[%s]", all, plan.arguments[i].words.items[k]);
	}
	return wrong ? wrong : all;
}

TEST(sweep__argument_sets_are_words)
{
	static const struct {
		int line;
		const char *text, *want;
	} cases[] = {
		{ __LINE__, "512 100\n1024 10", "[512][100]|[1024][10]" },
		{ __LINE__, "  # a comment\n\n \t \na\r\nb\n", "[a]|[b]" },
		{ __LINE__, "a#b 'c # d'", "[a#b][c # d]" },
		{ __LINE__, "'it is' \"a \\\"b\\\" \\\\ \\n\" x\\ y '\\'",
		  "[it is][a \"b\" \\ \\n][x y][\\]" },
		{ __LINE__, "a'b c'd \"\"", "[ab cd][]" },
		{ __LINE__, "one\n\n\"two", "f:3: the quote \" is not closed" },
		{ __LINE__, "it's\n'", "f:1: the quote ' is not closed" },
		{ __LINE__, "a \"b\"\n# x\n'a' b\n", "f:3: these arguments are there twice" },
		{ __LINE__, "\n# nothing\n", "f has no line with arguments" },
		{ __LINE__, "", "f has no line with arguments" },
		{ __LINE__, "end\\", "[end\\]" },
	};
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const char *have = sets(arena, cases[i].text, strlen(cases[i].text));

		if (strcmp(have, cases[i].want) != 0)
			test_fail(__FILE__, cases[i].line, "%s", have);
	}
	CHECK_STR(sets(arena, "a\0b", 3), "f is no text");
	arena_free(arena);
}

/* What one set is called is read as the same set again, and no two have the same name. */
TEST(sweep__names_of_argument_sets_are_theirs)
{
	static char *words[][2] = {
		{ "a", "b" },   { "a b", "" }, { "a", "'b'" },     { "\"a\"", "b" },
		{ "a\\", "b" }, { "#a", "b" }, { "\"a'", "\\\"" }, { "", "a b" },
	};
	struct arena *arena = arena_new();
	struct sweep_plan plan = { 0 };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		struct sweep_plan again = { 0 };
		const char *text;

		CHECK(!arguments_of(arena, &plan, words[i], 2));
		text = plan.arguments[i].text;
		CHECK(!arguments_parse(arena, &again, "f", text, strlen(text), NULL, 0));
		CHECK_INT(again.arguments[0].words.nr, 2);
		CHECK_STR(again.arguments[0].words.items[0], words[i][0]);
		CHECK_STR(again.arguments[0].words.items[1], words[i][1]);
		for (size_t k = 0; k < i; k++)
			CHECK(strcmp(plan.arguments[k].text, text) != 0);
	}
	arena_free(arena);
}

static struct run run_of(const struct settings *settings)
{
	return (struct run){ .settings = settings->items, .nr_settings = settings->nr };
}

TEST(sweep__runs_match_by_settings)
{
	struct arena *arena = arena_new();
	struct sweep_plan plan = plan_of(arena, "1,2", "X=a,b", "./a", 2), other;
	struct matrix_configuration first = matrix_configuration(arena, &plan, 0),
				    second = matrix_configuration(arena, &plan, 2);
	struct settings settings, again;
	struct run run;

	CHECK(settings_of(arena, &plan, &first, 1, "host", 4, &settings));
	run = run_of(&settings);
	CHECK_STR(run_setting(&run, "env:X"), "a");
	CHECK_STR(run_setting(&run, SETTING_ARGUMENTS), "100");
	CHECK(!run_setting(&run, SETTING_OVERSUBSCRIBED) && !run_setting(&run, SETTING_OPTIONS));
	CHECK(settings_match(&settings, &run));
	/* on a host with fewer CPUs */
	CHECK(settings_of(arena, &plan, &first, 1, "host", 0, &again));
	CHECK_STR(again.items[again.nr - 1].name, SETTING_OVERSUBSCRIBED);
	CHECK(settings_match(&again, &run));
	CHECK(settings_of(arena, &plan, &first, 2, "host", 4, &again));
	CHECK(settings_match(&again, &run));
	CHECK(settings_of(arena, &plan, &first, 1, "altix-bx2", 4, &again));
	CHECK(settings_match(&again, &run));
	CHECK(settings_of(arena, &plan, &second, 1, "host", 4, &again));
	CHECK(!settings_match(&again, &run));
	other = plan;
	other.options = "--no-bursts";
	CHECK(settings_of(arena, &other, &first, 1, "host", 4, &again));
	CHECK(!settings_match(&again, &run));
	run = run_of(&again);
	CHECK(!settings_match(&settings, &run));
	run.nr_settings = 0;
	CHECK(!settings_match(&settings, &run));
	arena_free(arena);
}

/* A run of the store with these settings; `step_ns` 0: no phase was found. */
static struct run stored(struct arena *arena, const struct sweep_plan *plan, size_t number,
			 uint32_t repetition, const char *machine, double step_ns)
{
	struct matrix_configuration of = matrix_configuration(arena, plan, number);
	struct settings settings;
	struct run run;

	CHECK(settings_of(arena, plan, &of, repetition, machine, 4, &settings));
	run = run_of(&settings);
	run.phase.executions = step_ns > 0 ? 10 : 0;
	run.phase.wall_ns = 10 * step_ns;
	return run;
}

/* "w1.0 …": the steps that have something to do, as order() writes them. */
static const char *needed(struct arena *arena, const struct results *results)
{
	size_t nr;
	struct matrix_step *steps = matrix_steps(arena, results->plan, &nr);
	const char *text = "";

	for (size_t i = 0; i < nr; i++) {
		struct matrix_configuration of = matrix_configuration(arena, results->plan,
								      steps[i].configuration);

		if (results_need(results, &steps[i]))
			text = arena_printf(arena, "%s%s%c%u.%u", text, *text ? " " : "",
					    "wup"[steps[i].kind], of.threads, steps[i].repetition);
	}
	return text;
}

TEST(sweep__what_is_stored_is_not_run_again)
{
	struct arena *arena = arena_new();
	struct sweep_plan plan = plan_of(arena, "1,2", NULL, "./a", 2);
	struct results results;
	struct run run;

	CHECK(!plan_list(arena, &plan.machines, "machine", "m,n") &&
	      results_init(&results, arena, &plan));
	CHECK_STR(needed(arena, &results), "w1.0 u1.1 p1.1 u2.1 p2.1 p2.2 p1.2");
	run = stored(arena, &plan, 0, 1, "m", 5);
	run.sweep.unprofiled_ns = 100;
	CHECK(results_add(&results, &run)); /* machine n is missing */
	CHECK_STR(needed(arena, &results), "w1.0 p1.1 u2.1 p2.1 p2.2 p1.2");
	run = stored(arena, &plan, 0, 1, "n", 5);
	CHECK(results_add(&results, &run));
	run = stored(arena, &plan, 1, 2, "n", 5);
	CHECK(results_add(&results, &run));
	run = stored(arena, &plan, 1, 2, "m", 5);
	CHECK(results_add(&results, &run));
	CHECK_STR(needed(arena, &results), "w1.0 u2.1 p2.1 p1.2");
	run = stored(arena, &plan, 1, 1, "o", 5); /* of another sweep, … */
	CHECK(results_add(&results, &run));
	run.nr_settings = 0; /* … and of none */
	CHECK(results_add(&results, &run));
	CHECK_INT(results.nr, 4);
	for (uint32_t i = 0; i < 4; i++) {
		run = stored(arena, &plan, i / 2, 2 - i / 2, i % 2 ? "m" : "n", 5);
		CHECK(results_add(&results, &run));
	}
	CHECK_STR(needed(arena, &results), "");
	arena_free(arena);
}

/* One run has all numbers of threads, and starts with the greatest. */
TEST(sweep__online_runs_each_other_combination)
{
	struct arena *arena = arena_new();
	struct sweep_plan plan = plan_of(arena, "1,4,2", "X=a,b", "./a", 2);
	struct matrix_configuration of = matrix_configuration(arena, &plan, 3);
	struct results results;
	struct run run;

	CHECK(!plan_list(arena, &plan.machines, "machine", "none"));
	CHECK(!plan_check_online(arena, &plan));
	plan.online = true;
	CHECK(!plan_check_online(arena, &plan));
	CHECK(results_init(&results, arena, &plan));
	CHECK_STR(order(arena, &plan), "w4.0 w4.0 u4.1 p4.1 u4.1 p4.1 p4.2 p4.2");
	CHECK_INT(matrix_measured(&plan, 4).first, 3);
	CHECK_INT(matrix_measured(&plan, 4).end, 6);
	CHECK_STR(settings_words_online(arena, &plan, &of), "1, 4, 2 threads in turn, X=b");
	for (size_t i = 0; i < 5; i++) { /* of both combinations in turn */
		CHECK_STR(needed(arena, &results), order(arena, &plan));
		run = stored(arena, &plan, i / 2 + (i % 2 ? 3 : 0), 1, "none", 5);
		run.sweep.unprofiled_ns = 100;
		CHECK(results_add(&results, &run));
	}
	/* X=a has its first repetition; its output is needed for the second one */
	CHECK_STR(needed(arena, &results), "w4.0 w4.0 u4.1 u4.1 p4.1 p4.2 p4.2");
	run = stored(arena, &plan, 5, 1, "none", 5);
	CHECK(results_add(&results, &run));
	CHECK_STR(needed(arena, &results), "w4.0 w4.0 u4.1 u4.1 p4.2 p4.2");
	for (size_t i = 0; i < 3; i++) {
		run = stored(arena, &plan, i, 2, "none", 5);
		CHECK(results_add(&results, &run));
	}
	CHECK_STR(needed(arena, &results), "w4.0 u4.1 p4.2");
	plan.nr_threads = 1;
	CHECK_STR(plan_check_online(arena, &plan),
		  "one number of threads does not vary: give two or more with --threads");
	plan.nr_threads = SWEEP_ONLINE_MOST + 1;
	CHECK_STR(plan_check_online(arena, &plan), "one run has at most 64 numbers of threads");
	arena_free(arena);
}

TEST(sweep__a_summary_has_medians)
{
	static const double steps[] = { 7, 3, 100, 0 };
	struct arena *arena = arena_new();
	struct sweep_plan plan = plan_of(arena, "1,2", NULL, "./a", 4);
	struct results results;
	struct result_summary summary;

	CHECK(!plan_list(arena, &plan.machines, "machine", "m") &&
	      results_init(&results, arena, &plan));
	for (uint32_t i = 0; i < 4; i++) {
		struct run run = stored(arena, &plan, 1, i + 1, "m", steps[i]);

		run.sweep = (struct run_sweep){ .unprofiled_ns = 200, .profiled_ns = 210 + 20 * i };
		CHECK(results_add(&results, &run));
	}
	summary = results_summary(&results, 1, 0);
	CHECK_INT(summary.runs, 4);
	CHECK_INT((int)summary.median.step_ns, 7);
	CHECK_INT((int)summary.median.profiled_ns, 240);
	CHECK_INT((int)(100 * summary.ratio), 120);
	CHECK(isnan(summary.median.accesses) && isnan(summary.median.missed[2]));
	summary = results_summary(&results, 0, 0);
	CHECK(!summary.runs && isnan(summary.median.step_ns) && isnan(summary.ratio));
	arena_free(arena);
}
