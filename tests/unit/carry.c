/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements of whole runs, carried from one run to the next. */
#include "analysis/search/carry.h"
#include "analysis/search/database_reading.h"

#include "tests/unit/search.h"

/*
 * A run of which time and waiting at barriers were measured, as version 1 of the text has had it
 * from the beginning.
 */
#define ONE_WORD "memsearch-measurements 1\nrun 1 41cdcd6500000000 5\nend 1 380e8f412fafad92\n"

static const struct ms_metric_set time_only = { { 1ull << MS_METRIC_TIME } };
static const struct ms_metric_set timed = { { 1ull << MS_METRIC_TIME |
					      1ull << MS_METRIC_BARRIER_WAIT } };

/* A program of one run: its regions have other numbers each time. */
static struct search_test one_run(uint32_t loop)
{
	struct search_test test = search_test(
		WAITS("Waiting", "KINDS USER_REGION, DO_REGION;", "share > 10 %"));

	for (uint32_t id = 1; id <= 2; id++) {
		struct ms_region_info info = {
			.id = id, .parent = 0, .kind = MS_DO_REGION, .key = id == loop ? 77 : 88
		};

		CHECK_INT(database_region(test.db, &info), MS_OK);
	}
	database_missing(test.db, MS_REGION_NONE, MS_METRIC_WALL_TIME, MS_MISSING_NO_EVENT);
	database_missing(test.db, MS_REGION_NONE, MS_METRIC_LOCK_WAIT, MS_MISSING_NO_EVENT);
	search_begin(&test);
	return test;
}

static void measured(struct carry *carry, const struct search_test *test, uint32_t region_id,
		     uint32_t metric, double ns)
{
	struct ms_measurement measurement = { .region = region_id, .metric = metric };

	ms_stat_add(&measurement.stat, ns);
	CHECK_INT(carry_row(carry, test->db, &measurement), MS_OK);
}

/*
 * One more run, in which a share of the time is waited in the loop; returns what is left for the
 * next.
 */
static char *run_once(struct search_test *test, const char *before, uint32_t loop, double share)
{
	struct carry *carry = carry_new(test->arena);

	if (before) {
		CHECK(carry_is(before));
		CHECK_INT(carry_load(carry, before), MS_OK);
	}
	CHECK_INT(carry_run(carry, 1e9, &timed, 4), MS_OK);
	measured(carry, test, 0, MS_METRIC_TIME, 1e9);
	measured(carry, test, 0, MS_METRIC_BARRIER_WAIT, share * 1e9);
	measured(carry, test, loop, MS_METRIC_TIME, 1e9);
	measured(carry, test, loop, MS_METRIC_BARRIER_WAIT, share * 1e9);
	carry_play(carry, test->db, test->engine);
	engine_finish(test->engine);
	return carry_save(carry, test->arena);
}

TEST(carry__runs_are_executions_of_one_phase)
{
	static const double shares[] = { 0.30, 0.32, 0.28, 0.31, 0.29, 0.30, 0.32, 0.28 };
	struct search_test test;
	char *text = NULL;
	size_t length = 0;

	for (size_t i = 0; i < 8; i++) {
		uint32_t loop = 1 + i % 2;

		test = one_run(loop);
		text = run_once(&test, text, loop, shares[i]);
		CHECK(text != NULL);
		CHECK_INT(database_executions(test.db), i + 1);
		CHECK_INT(state_at(&test, "Waiting", loop), MS_NODE_TRUE);
		CHECK_INT(node_at(&test, "Waiting", loop)->verdict.interval_known, i > 0);
		CHECK_THAT(engine_restarts_would_help(test.engine), ==, (i == 0));
		CHECK(i < 4 || strlen(text) < length + 100); /* four of them are kept */
		length = i < 4 ? strlen(text) : length;
	}
	CHECK_INT(database_groups(test.db), DATABASE_BATCHES);
	CHECK_NEAR(node_at(&test, "Waiting", 2)->verdict.severity, 0.30, 1e-9);
	CHECK(node_at(&test, "Waiting", 2)->verdict.severity_low > 0.25 &&
	      node_at(&test, "Waiting", 2)->verdict.severity_high < 0.35);
}

/* Two runs that measured different things. */
TEST(carry__what_a_run_did_not_measure_is_not_taken_for_0)
{
	struct search_test test = one_run(1);
	struct carry *carry = carry_new(test.arena);

	CHECK_INT(carry_run(carry, 1e9, &time_only, 1), MS_OK);
	measured(carry, &test, 1, MS_METRIC_TIME, 4e8);
	CHECK_INT(carry_run(carry, 1e9, &timed, 4), MS_OK);
	measured(carry, &test, 1, MS_METRIC_TIME, 4e8);
	measured(carry, &test, 1, MS_METRIC_BARRIER_WAIT, 2e8);
	carry_play(carry, test.db, test.engine);
	CHECK_NEAR(
		database_reading(test.db, DATABASE_ALL_BATCHES, 1, 0, MS_METRIC_BARRIER_WAIT).value,
		2e8, 1e-3);
	CHECK_NEAR(database_reading(test.db, DATABASE_ALL_BATCHES, 1, 0, MS_METRIC_TIME).value, 4e8,
		   1e-3);
}

TEST(carry__regions_that_are_gone_do_not_matter)
{
	struct search_test first = one_run(1),
			   second = search_test(
				   WAITS("Waiting", "KINDS USER_REGION;", "share > 10 %"));
	char *text = run_once(&first, NULL, 1, 0.3);
	struct carry *carry = carry_new(second.arena);

	search_begin(&second);
	CHECK_INT(carry_load(carry, text), MS_OK);
	carry_play(carry, second.db, second.engine);
	engine_finish(second.engine);
	CHECK_INT(state_at(&second, "Waiting", 0), MS_NODE_TRUE);
}

TEST(carry__damage_is_refused)
{
	struct search_test test = one_run(1);
	char *text = run_once(&test, NULL, 1, 0.3), *copy = arena_strdup(test.arena, text);
	struct carry *carry = carry_new(test.arena);

	for (size_t at = 0; text[at]; at++) {
		copy[at] = 0; /* cut */
		CHECK_INT(carry_load(carry, copy), MS_ERR_FORMAT);
		copy[at] = (char)(text[at] ^ 1); /* changed */
		CHECK_INT(carry_load(carry, copy), MS_ERR_FORMAT);
		copy[at] = text[at];
	}
	CHECK_INT(carry_executions(carry), 0);
	CHECK_INT(carry_load(carry, copy), MS_OK);
	CHECK_INT(carry_executions(carry), 1);
}

static uint64_t measured_in(struct arena *arena, const char *text, uint32_t metric)
{
	struct carry *carry = carry_new(arena);

	CHECK_INT(carry_load(carry, text), MS_OK);
	return carry_measured(carry, metric);
}

/* Metrics that do not fit one word are carried, too. */
TEST(carry__metrics_of_every_word)
{
	static const uint32_t metrics[] = { 0, 63, 64, 127, 128, MS_METRIC_SET_MAX - 1 };
	struct arena *arena = arena_new();

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		struct ms_metric_set only = { 0 };
		struct carry *carry = carry_new(arena);
		char *text;

		ms_metric_set_add(&only, metrics[i]);
		CHECK_INT(carry_run(carry, 1e9, &only, 0), MS_OK);
		text = carry_save(carry, arena);
		for (size_t k = 0; k < sizeof(metrics) / sizeof(metrics[0]); k++)
			CHECK_INT(measured_in(arena, text, metrics[k]), i == k);
	}
	arena_free(arena);
}

/* By versions that knew 64 metrics at most, too. */
TEST(carry__one_word_is_written_and_read_as_ever)
{
	struct arena *arena = arena_new();
	struct carry *carry = carry_new(arena);
	const char *text;

	CHECK_INT(carry_run(carry, 1e9, &timed, 0), MS_OK);
	text = carry_save(carry, arena);
	CHECK_STR(text, ONE_WORD);
	CHECK_INT(measured_in(arena, ONE_WORD, MS_METRIC_BARRIER_WAIT), 1);
	CHECK_INT(measured_in(arena, ONE_WORD, MS_METRIC_WALL_TIME), 0);
	arena_free(arena);
}
