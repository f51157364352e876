/* SPDX-License-Identifier: Apache-2.0 */
/* The search engine: what it measures, when it concludes, what it costs, and how it ends. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/mman.h>

#include "analysis/search/budget.h"
#include "analysis/search/database_changes.h"
#include "analysis/search/database_reading.h"
#include "tests/unit/search.h"

#define ANYWHERE "KINDS USER_REGION, PARALLEL_REGION, DO_REGION;"
#define WAITING WAITS("Waiting", ANYWHERE, "share > 10 %")
#define COUNTS(name, kinds, metric) \
	"PROPERTY " name "(Region r, Phase p) { TITLE \"t\"; " kinds " LET n = sum(r." metric \
	"); IN\n" \
	"CONDITION: n > 0; CONFIDENCE: 1; SEVERITY: 1; EXPLANATION \"e\"; ADVICE \"a\"; }\n"
#define MISSING COUNTS("Missing", "KINDS USER_REGION;", "simulated_l1d_misses")
#define USED COUNTS("Used", "KINDS PARALLEL_REGION;", "reads")

static void execute_times(struct search_test *test, int times)
{
	for (int i = 0; i < times; i++)
		search_execute(test);
}

/* ------------------------------------------------------------------ the cycle */

TEST(engine__refines_what_is_proven_and_prunes_the_rest)
{
	struct search_test test = search_test(
		WAITING WAITS("Special", ANYWHERE "REFINES Waiting;", "share > 30 %"));

	region(test.db, 1, 0, MS_PARALLEL_REGION);
	region(test.db, 2, 1, MS_DO_REGION);
	region(test.db, 3, 0, MS_PARALLEL_REGION);
	region(test.db, 4, 3, MS_DO_REGION);
	test.waits[0] = 0.2;
	test.waits[1] = test.waits[2] = 0.4;
	search_begin(&test);
	CHECK(is_requested(test.engine, 0, MS_METRIC_BARRIER_WAIT));
	CHECK(!is_requested(test.engine, 1, MS_METRIC_BARRIER_WAIT));
	execute_times(&test, 40);
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_TRUE);
	CHECK_INT(state_at(&test, "Special", 0), MS_NODE_FALSE);
	CHECK_INT(state_at(&test, "Waiting", 1), MS_NODE_TRUE);
	CHECK_INT(state_at(&test, "Special", 1), MS_NODE_TRUE);
	CHECK_INT(state_at(&test, "Special", 2), MS_NODE_TRUE);
	CHECK_INT(state_at(&test, "Waiting", 3), MS_NODE_FALSE);
	CHECK_INT(state_at(&test, "Waiting", 4), MS_NODE_STATES); /* pruned with 3 */
	CHECK_INT(node_at(&test, "Waiting", 2)->candidate.parent, node_at(&test, "Waiting", 1)->id);
	CHECK(engine_done(test.engine));
	CHECK_THAT(engine_experiments(test.engine), >, 0);
}

TEST(engine__what_the_database_has_is_not_measured_again)
{
	struct search_test test = search_test(
		WAITING WAITS("Special", ANYWHERE "REFINES Waiting;", "share > 15 %"));

	test.waits[0] = 0.2;
	search_begin(&test);
	execute_times(&test, 2);
	/* both are decided after the first experiment: the second needs nothing new */
	CHECK_INT(state_at(&test, "Special", 0), MS_NODE_TRUE);
	CHECK_INT(engine_experiments(test.engine), 1);
	CHECK(engine_done(test.engine));
}

static void copy_change(void *ctx, const struct database_change *change)
{
	CHECK_INT(database_copy_change(ctx, change), MS_OK);
}

/* An agent requests; the engine here has the same values, and so the same verdicts. */
TEST(engine__follows_the_experiments_of_another_engine)
{
	struct search_test agent = search_test(WAITING), here = search_test(WAITING);
	struct database_copy copy = { .db = here.db, .arena = here.arena };

	agent.waits[0] = agent.waits[1] = 0.4;
	database_follow(agent.db, copy_change, &copy);
	region(agent.db, 1, 0, MS_PARALLEL_REGION);
	search_begin(&agent);
	search_begin(&here);
	for (int i = 0; i < 40; i++) {
		bool over = search_execute(&agent);

		engine_execution_elsewhere(here.engine, &agent.cost, false, over);
	}
	CHECK_INT(state_at(&agent, "Waiting", 1), MS_NODE_TRUE);
	CHECK_INT(state_at(&here, "Waiting", 0), MS_NODE_TRUE);
	CHECK_INT(state_at(&here, "Waiting", 1), MS_NODE_TRUE);
	CHECK_THAT(engine_experiments(here.engine), >=, engine_experiments(agent.engine));
}

TEST(engine__only_missing_metrics_are_requested)
{
	struct search_test test = search_test(
		WAITS("Waiting", "KINDS PARALLEL_REGION;", "share > 10 %"));

	region(test.db, 1, 0, MS_PARALLEL_REGION);
	request(test.db, 0, MS_METRIC_TIME, 0);
	for (int i = 0; i < 2; i++) {
		database_execution_begin(test.db);
		row(test.db, 0, 0, MS_METRIC_TIME, EXECUTION_NS);
		database_execution_end(test.db, EXECUTION_NS, 1);
	}
	search_begin(&test);
	CHECK(!is_requested(test.engine, 0, MS_METRIC_TIME));
	CHECK(is_requested(test.engine, 1, MS_METRIC_BARRIER_WAIT));
}

TEST(engine__regions_met_later_are_searched_too)
{
	struct search_test test = search_test(WAITING);

	test.waits[0] = test.waits[1] = 0.2;
	search_begin(&test);
	execute_times(&test, 6);
	CHECK(engine_done(test.engine));
	region(test.db, 1, 0, MS_PARALLEL_REGION);
	execute_times(&test, 6);
	CHECK_INT(state_at(&test, "Waiting", 1), MS_NODE_TRUE);
}

/* As the tool does first: everything everywhere. */
static void execute_watching_all(struct search_test *test)
{
	struct ms_request requests[MS_METRICS];

	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		requests[metric] = (struct ms_request){
			.metric = metric,
			.thread = MS_REQUEST_ALL_THREADS,
			.flags = MS_REQUEST_SUBREGIONS,
		};
	database_requests(test->db, requests, MS_METRICS);
	search_pass(test);
}

TEST(engine__regions_that_the_phase_does_not_execute_are_left_out)
{
	struct search_test test = search_test(WAITING);

	region(test.db, 1, 0, MS_PARALLEL_REGION); /* initialisation */
	region(test.db, 2, 0, MS_PARALLEL_REGION);
	test.waits[0] = test.waits[2] = 0.2;
	test.waits[1] = -1;
	search_begin(&test);
	for (int i = 0; i < 6; i++)
		execute_watching_all(&test);
	CHECK_INT(state_at(&test, "Waiting", 2), MS_NODE_TRUE);
	CHECK_INT(state_at(&test, "Waiting", 1), MS_NODE_STATES);
	test.waits[1] = 0.4; /* and yet */
	for (int i = 0; i < 6; i++)
		execute_watching_all(&test);
	CHECK_INT(state_at(&test, "Waiting", 1), MS_NODE_TRUE);
}

TEST(engine__active_max)
{
	struct search_test test = search_test(WAITING);
	size_t active;

	test.config.active_max = 3;
	test.waits[0] = 0.2;
	for (uint32_t id = 1; id < 10; id++)
		region(test.db, id, 0, MS_PARALLEL_REGION);
	search_begin(&test);
	for (int i = 0; i < 60; i++) {
		active = 0;
		for (uint32_t id = 0; id < engine_nodes(test.engine); id++)
			active += engine_node(test.engine, id)->state == MS_NODE_ACTIVE;
		CHECK_THAT(active, <=, 3);
		search_execute(&test);
	}
	for (uint32_t id = 1; id < 10; id++)
		CHECK_INT(state_at(&test, "Waiting", id), MS_NODE_FALSE);
}

TEST(engine__restart_forgets_the_search)
{
	struct search_test test = search_test(WAITING);

	test.waits[0] = 0.2;
	region(test.db, 1, 0, MS_PARALLEL_REGION);
	search_begin(&test);
	execute_times(&test, 6);
	CHECK_INT(engine_nodes(test.engine), 2);
	engine_restart(test.engine);
	CHECK_INT(database_executions(test.db), 0);
	CHECK_INT(engine_nodes(test.engine), 1);
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_ACTIVE);
	test.waits[0] = 0;
	execute_times(&test, 6);
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_FALSE);
}

/* One second each. */
static struct engine_time time_of_executions(void *ctx)
{
	uint64_t executions = database_executions(ctx);

	return (struct engine_time){ executions, 1e9 * (double)executions };
}

TEST(engine__a_verdict_has_the_time_of_its_change)
{
	struct search_test test = search_test(WAITING);
	const struct engine_node *node;
	struct engine_time first;

	test.waits[0] = 0.2;
	test.config.now = time_of_executions;
	test.config.now_ctx = test.db;
	search_begin(&test);
	execute_times(&test, 40);
	node = engine_node(test.engine, 0);
	first = node->reached;
	CHECK_INT(node->state, MS_NODE_TRUE);
	CHECK_INT(first.executions, 2); /* later tests said the same */
	CHECK_NEAR(first.program_ns, 2e9, 0);
	test.waits[0] = 0;
	execute_times(&test, 400);
	CHECK_INT(node->state, MS_NODE_FALSE);
	CHECK_THAT(node->reached.executions, >, 40);
}

/* ------------------------------------------------------------------ how long to look */

TEST(engine__no_conclusion_before_the_minimum)
{
	struct search_test test = search_test(WAITING);

	test.waits[0] = 0.5;
	test.config.minimum_executions = 3;
	test.config.minimum_ns = 4.5 * EXECUTION_NS;
	search_begin(&test);
	for (int i = 0; i < 4; i++) {
		CHECK(!search_execute(&test));
		CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_ACTIVE);
	}
	CHECK(search_execute(&test));
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_TRUE);
}

TEST(engine__false_only_after_the_sufficient_time)
{
	struct search_test test = search_test(WAITING);

	test.config.sufficient_executions = 6;
	search_begin(&test);
	execute_times(&test, 5);
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_ACTIVE);
	execute_times(&test, 1);
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_FALSE);
}

TEST(engine__batches_that_disagree_discontinue)
{
	struct search_test test = search_test(WAITING);

	search_begin(&test);
	for (int i = 0; i < 8; i++) {
		test.waits[0] = i % 4 == 3 ? 0.3 : 0; /* one batch says yes, the mean says no */
		search_execute(&test);
	}
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_DISCONTINUED);
	engine_finish(test.engine); /* nothing can change it any more */
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_FALSE);
}

TEST(engine__true_nodes_are_tested_again)
{
	struct search_test test = search_test(WAITING);

	test.waits[0] = 0.2;
	search_begin(&test);
	execute_times(&test, 4);
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_TRUE);
	test.waits[0] = 0;
	for (int i = 0; i < 200; i++)
		search_execute(&test);
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_FALSE);
	CHECK_THAT(database_observed(test.db, 0, MS_METRIC_TIME), <, 60); /* seldom, that is */
}

/* The share of the whole run is too small each time: 0.3 in the last fifth. */
TEST(engine__what_becomes_true_late_is_found)
{
	struct search_test test = search_test(WAITING);

	region(test.db, 1, 0, MS_PARALLEL_REGION);
	region(test.db, 2, 0, MS_PARALLEL_REGION);
	test.waits[0] = test.waits[1] = 0.2;
	search_begin(&test);
	execute_times(&test, 400);
	CHECK_INT(state_at(&test, "Waiting", 1), MS_NODE_TRUE);
	CHECK_INT(state_at(&test, "Waiting", 2), MS_NODE_FALSE);
	test.waits[2] = 0.3;
	execute_times(&test, 150);
	CHECK_INT(state_at(&test, "Waiting", 2), MS_NODE_TRUE);
	CHECK_THAT(node_at(&test, "Waiting", 2)->since, >, 300);
	CHECK_THAT(node_at(&test, "Waiting", 2)->verdict.severity, >, 0.15);
	CHECK_INT(node_at(&test, "Waiting", 1)->since, 0);
	engine_finish(test.engine);
	CHECK_INT(state_at(&test, "Waiting", 2), MS_NODE_TRUE);
}

TEST(engine__what_was_true_for_a_while_only_falls)
{
	struct search_test test = search_test(WAITING);

	search_begin(&test);
	execute_times(&test, 400);
	test.waits[0] = 0.3;
	execute_times(&test, 150);
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_TRUE);
	test.waits[0] = 0;
	execute_times(&test, 600);
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_FALSE);
	CHECK_INT(node_at(&test, "Waiting", 0)->since, 0);
}

/*
 * By Laplace's rule of succession. How sure it is takes four evaluations more, of which nothing
 * follows while the program runs.
 */
TEST(engine__how_sure_it_is_that_what_was_false_still_is_is_known_at_the_end)
{
	struct search_test test = search_test(WAITING);
	double first, all;

	search_begin(&test);
	execute_times(&test, 20);
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_FALSE);
	first = node_at(&test, "Waiting", 0)->verdict.confidence;
	execute_times(&test, 400);
	CHECK_NEAR(node_at(&test, "Waiting", 0)->verdict.confidence, first, 1e-12);
	CHECK_THAT(node_at(&test, "Waiting", 0)->experiments, >, 3);
	all = (double)database_observed(test.db, 0, MS_METRIC_TIME);
	engine_finish(test.engine);
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_FALSE);
	CHECK_NEAR(node_at(&test, "Waiting", 0)->verdict.confidence, (all + 1) / (all + 2), 1e-12);
	CHECK_THAT(first, <, (all + 1) / (all + 2));
}

/*
 * Executions that nobody but the test asked for, until the share is on average what it should be.
 */
static void move_mean_to(struct search_test *test, double share, double waits)
{
	double mean = 0;

	for (int i = 0; i < 1000 && fabs(mean - share) > 0.001; i++) {
		struct ms_request requests[] = {
			{ .metric = MS_METRIC_TIME, .thread = MS_REQUEST_ALL_THREADS },
			{ .metric = MS_METRIC_BARRIER_WAIT, .thread = MS_REQUEST_ALL_THREADS },
		};

		database_requests(test->db, requests, 2);
		row(test->db, 0, 0, MS_METRIC_TIME, EXECUTION_NS);
		row(test->db, 0, 0, MS_METRIC_BARRIER_WAIT, waits * EXECUTION_NS);
		database_execution_end(test->db, EXECUTION_NS, 1);
		mean = database_reading(test->db, DATABASE_ALL_BATCHES, 0, 0,
					MS_METRIC_BARRIER_WAIT)
			       .value /
		       EXECUTION_NS;
	}
	CHECK_NEAR(mean, share, 0.001);
}

TEST(engine__hysteresis)
{
	/*
	 * what it was, where the mean goes to, what it is then: the bound is 10 %, the band 9.5 …
	 * 10.5 %
	 */
	static const struct {
		int line;
		double first, then;
		enum ms_node_state last;
	} rows[] = {
		{ __LINE__, 0.12, 0.097, MS_NODE_TRUE },
		{ __LINE__, 0.12, 0.093, MS_NODE_FALSE },
		{ __LINE__, 0.08, 0.103, MS_NODE_FALSE },
		{ __LINE__, 0.08, 0.107, MS_NODE_TRUE },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct search_test test = search_test(WAITING);

		test.threads = 1;
		test.waits[0] = rows[i].first;
		search_begin(&test);
		execute_times(&test, 4);
		CHECK_INT(state_at(&test, "Waiting", 0),
			  rows[i].first > 0.1 ? MS_NODE_TRUE : MS_NODE_FALSE);
		move_mean_to(&test, rows[i].then,
			     rows[i].then + (rows[i].then - rows[i].first) / 20);
		engine_finish(test.engine);
		if (state_at(&test, "Waiting", 0) != rows[i].last)
			test_fail(__FILE__, rows[i].line, "state is %d",
				  (int)state_at(&test, "Waiting", 0));
	}
}

/* ------------------------------------------------------------------ confidence and severity */

TEST(engine__confidence_grows_with_agreeing_executions)
{
	struct search_test test = search_test(WAITING);
	const struct engine_node *node;

	test.waits[0] = 0.2;
	test.config.minimum_executions = 10;
	search_begin(&test);
	execute_times(&test, 10);
	node = node_at(&test, "Waiting", 0);
	CHECK_NEAR(node->verdict.confidence, 11.0 / 12, 1e-12);
	CHECK_NEAR(node->verdict.severity, 0.2, 1e-12);
	CHECK_NEAR(node->verdict.severity_low, 0.2, 1e-9);
	CHECK_NEAR(node->verdict.severity_high, 0.2, 1e-9);
}

TEST(engine__a_batch_that_disagrees_lowers_confidence_and_widens_severity)
{
	struct search_test test = search_test(WAITING);
	const struct engine_node *node;

	test.config.minimum_executions = 4;
	search_begin(&test);
	for (int i = 0; i < 4; i++) {
		test.waits[0] = i == 2 ? 0.05 : 0.2;
		search_execute(&test);
	}
	node = node_at(&test, "Waiting", 0);
	CHECK_INT(node->state, MS_NODE_TRUE);
	CHECK_NEAR(node->verdict.confidence, (3.0 + 1) / (4 + 2), 1e-12);
	CHECK_NEAR(node->verdict.severity, 0.65 / 4, 1e-12);
	CHECK(node->verdict.severity_low < 0.1 && node->verdict.severity_high > 0.2);
}

/*
 * In one of eight executions both threads have as much more as the first usually has: the values
 * jump, the share hardly.
 */
TEST(engine__errors_that_go_together_do_not_hide_a_loss)
{
	struct search_test test = search_test(
		"PROPERTY Uneven(Region r, Phase p) { TITLE \"t\"; KINDS USER_REGION;\n"
		"LET share = (max(r.minor_faults) - mean(r.minor_faults)) / sum(r.minor_faults); IN CONDITION: share > 1 %;\n"
		"CONFIDENCE: 1; SEVERITY: share; EXPLANATION \"e\"; ADVICE \"a\"; }\n");
	const struct engine_node *node;

	test.config.minimum_executions = 8;
	search_begin(&test);
	for (int i = 0; i < 8; i++) {
		const struct ms_request *requests;
		size_t nr = engine_requests(test.engine, &requests);
		double more = i == 5 ? 1000 : 0;

		database_requests(test.db, requests, nr);
		row(test.db, 0, 0, MS_METRIC_MINOR_FAULTS, 1000 + more);
		row(test.db, 0, 1, MS_METRIC_MINOR_FAULTS, 400 + more);
		database_execution_end(test.db, EXECUTION_NS, 1);
		engine_execution_done(test.engine, &test.cost);
	}
	node = node_at(&test, "Uneven", 0);
	CHECK_INT(node->state, MS_NODE_TRUE);
	CHECK_NEAR(node->verdict.severity, 2400.0 / 13200, 1e-9);
	/*
	 * leaving out a batch gives 1800 / 8400 once and 1800 / 10400 three times; 3.182 is
	 * Student's
	 */
	CHECK_NEAR(node->verdict.severity_high - node->verdict.severity,
		   3.182 * 0.75 * (1800.0 / 8400 - 1800.0 / 10400), 1e-4);
	CHECK_THAT(node->verdict.severity_low, >, 0.05);
}

TEST(engine__a_slowest_thread_that_is_another_each_time_is_not_certain)
{
	struct search_test test = search_test(
		"PROPERTY Uneven(Region r, Phase p) { TITLE \"t\"; KINDS USER_REGION;\n"
		"LET share = (max(r.barrier_wait) - mean(r.barrier_wait)) / sum(p.time); IN CONDITION: share > 1 %;\n"
		"CONFIDENCE: 1; SEVERITY: share; EXPLANATION \"e\"; ADVICE \"a\"; }\n");
	const struct engine_node *node;

	test.config.minimum_executions = 40;
	search_begin(&test);
	for (int i = 0; i < 40; i++) {
		const struct ms_request *requests;
		size_t nr = engine_requests(test.engine, &requests);

		database_requests(test.db, requests, nr);
		for (uint32_t thread = 0; thread < 2; thread++) {
			row(test.db, 0, thread, MS_METRIC_TIME, EXECUTION_NS);
			/*
			 * in two of four batches one thread waits, in two the other, and a bit
			 * longer
			 */
			row(test.db, 0, thread, MS_METRIC_BARRIER_WAIT,
			    (i & 1) == (int)thread ? (thread ? 0.5 : 0.4) * EXECUTION_NS : 0);
		}
		database_execution_end(test.db, EXECUTION_NS, 1);
		engine_execution_done(test.engine, &test.cost);
	}
	node = node_at(&test, "Uneven", 0);
	/* Laplace alone: 41/42 */
	CHECK(node->verdict.confidence > 0.5 && node->verdict.confidence < 0.75);
	CHECK_NEAR(node->verdict.severity_low, 0, 0);
	CHECK(node->verdict.interval_known);
	CHECK_INT(node->state, MS_NODE_UNKNOWN); /* the loss may be none */
	CHECK_INT(node->verdict.missing, MS_MISSING_SCATTER);
	CHECK(!engine_answered(test.engine));
}

TEST(engine__values_that_scatter_at_first_are_measured_on)
{
	struct search_test test = search_test(WAITING);

	region(test.db, 1, 0, MS_PARALLEL_REGION);
	search_begin(&test);
	for (int i = 0; i < 40; i++) {
		test.waits[0] = test.waits[1] = i == 0 ? 0.9 : 0.25 + 0.01 * (i % 3);
		search_execute(&test);
		/* 0.9 and 0.26: the interval of two reaches 0, that of four, too */
		if (i == 1 || i == 3)
			CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_ACTIVE);
	}
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_TRUE);
	CHECK_INT(state_at(&test, "Waiting", 1), MS_NODE_TRUE);
	CHECK_THAT(node_at(&test, "Waiting", 0)->verdict.severity_low, >, 0);
}

TEST(engine__one_execution_has_no_interval)
{
	struct search_test test = search_test(WAITING);

	test.waits[0] = 0.2;
	search_begin(&test);
	execute_times(&test, 1);
	engine_finish(test.engine);
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_TRUE);
	CHECK(!node_at(&test, "Waiting", 0)->verdict.interval_known);
	CHECK_NEAR(node_at(&test, "Waiting", 0)->verdict.severity_high, 0.2, 1e-12);
	engine_restart(test.engine);
	execute_times(&test, 4);
	CHECK(node_at(&test, "Waiting", 0)->verdict.interval_known);
}

/* The spread widens the lower end of a model's range; its upper end stays. */
TEST(engine__a_range_of_a_model_keeps_its_upper_end)
{
	struct search_test test = search_test(
		"PROPERTY Waiting(Region r, Phase p) { TITLE \"t\"; KINDS USER_REGION;\n"
		"LET share = sum(r.barrier_wait) / sum(p.time); IN CONDITION: share > 5 %;\n"
		"CONFIDENCE: 1; SEVERITY: share TO 3 * share; EXPLANATION \"e\"; ADVICE \"a\"; }\n");
	const struct engine_node *node;

	search_begin(&test);
	for (int i = 0; i < 8; i++) {
		test.waits[0] = i & 1 ? 0.251 : 0.249;
		search_execute(&test);
	}
	node = node_at(&test, "Waiting", 0);
	CHECK_INT(node->state, MS_NODE_TRUE);
	CHECK(node->verdict.severity_of_model);
	CHECK_NEAR(node->verdict.severity, 0.25, 1e-3);
	CHECK(node->verdict.severity_low > 0.2 &&
	      node->verdict.severity_low < node->verdict.severity);
	CHECK(node->verdict.severity_high >= 0.749 && node->verdict.severity_high < 0.9);
}

#define STANDING_IN \
	"PROPERTY P(Region r, Phase p) { TITLE \"t\"; KINDS USER_REGION; CONDITION: either(sum(r.loads), sum(r.stores)) > 5;\n" \
	"CONFIDENCE: 1; SEVERITY: 10 %; EXPLANATION \"e\"; ADVICE \"a\"; }\n"

TEST(engine__a_stand_in_is_measured_where_the_first_cannot_be)
{
	struct search_test first = search_test(STANDING_IN), other = search_test(STANDING_IN);

	search_begin(&first);
	CHECK(is_requested(first.engine, 0, MS_METRIC_LOADS));
	CHECK(!is_requested(first.engine, 0, MS_METRIC_STORES));
	database_missing(other.db, MS_REGION_NONE, MS_METRIC_LOADS, MS_MISSING_UNSUPPORTED);
	search_begin(&other);
	CHECK(!is_requested(other.engine, 0, MS_METRIC_LOADS));
	CHECK(is_requested(other.engine, 0, MS_METRIC_STORES));
}

/* ------------------------------------------------------------------ where it runs */

#define STACK_BYTES (1 << 20)
#define STACK_MAX (16 << 10) /* 11 KiB were taken, 4 of them for starting the thread */
#define PAINT 0xa5

static void *search_all(void *ctx)
{
	struct search_test *test = ctx;

	search_begin(test);
	execute_times(test, 40);
	return NULL;
}

/* Of its lowest bytes: how many nobody has written to. */
static size_t untouched(const unsigned char *stack)
{
	size_t nr = 0;

	while (nr < STACK_BYTES && stack[nr] == PAINT)
		nr++;
	return nr;
}

/* A phase boundary is in whatever stack the program has there. */
TEST(engine__takes_little_of_the_programs_stack)
{
#if !defined(__OPTIMIZE__) || __has_feature(address_sanitizer) || \
	__has_feature(undefined_behavior_sanitizer) || __has_feature(thread_sanitizer)
	test_skip("frames are larger in such a build");
#else
	struct search_test test = search_test(
		WAITING WAITS("Special", ANYWHERE "REFINES Waiting;", "share > 15 %"));
	unsigned char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attributes;
	pthread_t thread;

	CHECK(stack != MAP_FAILED);
	memset(stack, PAINT, STACK_BYTES);
	CHECK(!pthread_attr_init(&attributes) &&
	      !pthread_attr_setstack(&attributes, stack, STACK_BYTES));
	test.waits[0] = 0.2;
	CHECK(!pthread_create(&thread, &attributes, search_all, &test) &&
	      !pthread_join(thread, NULL));
	CHECK_INT(state_at(&test, "Special", 0), MS_NODE_TRUE);
	if (STACK_BYTES - untouched(stack) > STACK_MAX)
		test_fail(__FILE__, __LINE__, "%zu bytes", STACK_BYTES - untouched(stack));
#endif
}

/* ------------------------------------------------------------------ the end */

/* A sensor that costs system calls stays away from regions in which nobody reads it. */
TEST(engine__kinds_of_subregions_that_are_asked)
{
	struct search_test test = search_test(
		"PROPERTY Off(Region r, Phase p) { TITLE \"t\"; KINDS USER_REGION; CONDITION:"
		" sum(r.DO_REGION.time) - sum(r.DO_REGION.cpu_time) > 0 AND sum(r.minor_faults) > 0; CONFIDENCE: 1; SEVERITY: 1;"
		" EXPLANATION \"e\"; ADVICE \"a\"; }");
	const struct ms_request *requests;
	size_t nr;

	search_begin(&test);
	nr = engine_requests(test.engine, &requests);
	CHECK_INT(nr, 3);
	for (size_t i = 0; i < nr; i++) {
		bool below = requests[i].metric != MS_METRIC_MINOR_FAULTS;

		CHECK_INT(requests[i].flags, below ? MS_REQUEST_SUBREGIONS : 0);
		CHECK_INT(requests[i].kinds, requests[i].metric == MS_METRIC_CPU_TIME
						     ? 1 << MS_DO_REGION | 1 << MS_USER_REGION
						     : 0);
	}
}

TEST(engine__one_execution_is_walked_to_the_end)
{
	struct search_test test = search_test(
		WAITING WAITS("Special", "KINDS DO_REGION; REFINES Waiting;", "share > 30 %"));
	const struct ms_request *requests;
	size_t nr;

	test.waits[0] = test.waits[1] = 0.2;
	test.waits[2] = 0.4;
	search_begin(&test);
	nr = engine_requests_all(test.engine, &requests);
	database_requests(test.db, requests, nr);
	database_execution_begin(test.db);
	region(test.db, 1, 0, MS_PARALLEL_REGION);
	region(test.db, 2, 1, MS_DO_REGION);
	for (uint32_t id = 0; id < 3; id++) {
		row(test.db, id, 0, MS_METRIC_TIME, EXECUTION_NS);
		row(test.db, id, 0, MS_METRIC_BARRIER_WAIT, test.waits[id] * EXECUTION_NS);
	}
	database_execution_end(test.db, EXECUTION_NS, 1);
	engine_finish(test.engine);
	CHECK_INT(state_at(&test, "Waiting", 2), MS_NODE_TRUE);
	CHECK_INT(state_at(&test, "Special", 2), MS_NODE_TRUE);
	/* one execution only */
	CHECK_NEAR(node_at(&test, "Special", 2)->verdict.confidence, 2.0 / 3, 1e-12);
	CHECK_NEAR(node_at(&test, "Special", 2)->verdict.severity_low, 0.4, 1e-12);
	CHECK(engine_done(test.engine));
	/* how typical is it? */
	CHECK(engine_restarts_would_help(test.engine));
}

TEST(engine__what_was_not_measured_is_unknown_with_its_reason)
{
	struct search_test test = search_test(WAITING);

	test.waits[0] = test.waits[1] = 0.2;
	region(test.db, 1, 0, MS_PARALLEL_REGION);
	search_begin(&test);
	/* enough for the phase, not for the region */
	execute_times(&test, 2);
	engine_finish(test.engine);
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_TRUE);
	CHECK_INT(state_at(&test, "Waiting", 1), MS_NODE_UNKNOWN);
	CHECK_INT(node_at(&test, "Waiting", 1)->verdict.missing, MS_MISSING_NOT_REQUESTED);
	CHECK(engine_answered(test.engine));
	CHECK(engine_restarts_would_help(test.engine));
}

TEST(engine__too_short_a_look_is_discontinued)
{
	struct search_test test = search_test(WAITING);

	test.waits[0] = test.waits[1] = 0.2;
	region(test.db, 1, 0, MS_PARALLEL_REGION);
	search_begin(&test);
	execute_times(&test, 3);
	engine_finish(test.engine);
	CHECK_INT(state_at(&test, "Waiting", 1), MS_NODE_DISCONTINUED);
	CHECK(engine_restarts_would_help(test.engine));
}

/*
 * So many executions are measured, and one more is not; all of them are too short for an answer
 * meanwhile.
 */
static enum ms_node_state state_after_short(int times, bool *answered_out)
{
	struct search_test test = search_test(WAITING);

	test.config.minimum_ns = 100 * EXECUTION_NS;
	test.waits[0] = 0.2;
	search_begin(&test);
	execute_times(&test, times);
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_ACTIVE);
	database_requests(test.db, NULL, 0);
	search_pass(&test);
	engine_finish(test.engine);
	*answered_out = engine_answered(test.engine);
	return state_at(&test, "Waiting", 0);
}

TEST(engine__short_but_often_enough_is_concluded_at_the_end)
{
	bool answered;

	CHECK_INT(state_after_short(4, &answered), MS_NODE_TRUE);
	CHECK(answered);
}

TEST(engine__a_few_of_many_short_executions_answer_nothing)
{
	bool answered;

	CHECK_INT(state_after_short(2, &answered), MS_NODE_DISCONTINUED);
	CHECK(!answered);
}

TEST(engine__what_cannot_be_measured_is_unknown_at_once)
{
	struct search_test test = search_test(WAITING);

	database_missing(test.db, MS_REGION_NONE, MS_METRIC_BARRIER_WAIT, MS_MISSING_NO_EVENT);
	search_begin(&test);
	execute_times(&test, 2);
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_UNKNOWN);
	CHECK_INT(node_at(&test, "Waiting", 0)->verdict.missing, MS_MISSING_NO_EVENT);
	CHECK_INT(node_at(&test, "Waiting", 0)->verdict.missing_metric, MS_METRIC_BARRIER_WAIT);
	engine_finish(test.engine);
	CHECK_INT(node_at(&test, "Waiting", 0)->verdict.missing, MS_MISSING_NO_EVENT);
	CHECK(!engine_restarts_would_help(test.engine));
}

TEST(engine__a_program_that_ends_at_once)
{
	struct search_test test = search_test(WAITING);

	search_begin(&test);
	engine_finish(test.engine);
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_UNKNOWN);
	CHECK_INT(node_at(&test, "Waiting", 0)->verdict.missing, MS_MISSING_NOT_REQUESTED);
}

/*
 * ------------------------------------------------------------------ pre- and anti-conditions,
 * hints
 */

TEST(engine__preconditions)
{
	struct search_test test = search_test(
		WAITING WAITS("Long", "KINDS USER_REGION;", "share > 25 %")
			WAITS("Needs", "KINDS PARALLEL_REGION; REQUIRES Long;", "share > 10 %"));

	region(test.db, 1, 0, MS_PARALLEL_REGION);
	test.waits[0] = 0.2;
	test.waits[1] = 0.3;
	search_begin(&test);
	execute_times(&test, 20);
	CHECK_INT(state_at(&test, "Long", 0), MS_NODE_FALSE);
	/* though its own condition holds */
	CHECK_INT(state_at(&test, "Needs", 1), MS_NODE_FALSE);
	CHECK_INT(node_at(&test, "Needs", 1)->experiments, 0);
	engine_finish(test.engine);
	CHECK_INT(state_at(&test, "Needs", 1), MS_NODE_FALSE);

	engine_restart(test.engine);
	test.waits[0] = 0.3;
	execute_times(&test, 20);
	CHECK_INT(state_at(&test, "Needs", 1), MS_NODE_TRUE);
}

TEST(engine__preconditions_are_asked_for)
{
	/*
	 * Deep refines something false at the phase, so that nobody but its user asks for it there
	 */
	struct search_test test = search_test(
		WAITS("Top", "KINDS USER_REGION;", "share > 90 %")
			WAITS("Deep", "KINDS USER_REGION; REFINES Top;", "share > 10 %") WAITS(
				"Needs", "KINDS PARALLEL_REGION; REQUIRES Deep;", "share > 10 %"));

	region(test.db, 1, 0, MS_PARALLEL_REGION);
	test.waits[0] = test.waits[1] = 0.3;
	search_begin(&test);
	execute_times(&test, 20);
	CHECK_INT(state_at(&test, "Deep", 0), MS_NODE_TRUE);
	CHECK_INT(state_at(&test, "Needs", 1), MS_NODE_TRUE);
}

TEST(engine__anticonditions)
{
	struct search_test test = search_test(
		WAITS("Bad", "KINDS USER_REGION;", "share > 25 %")
			WAITS("Else", "KINDS PARALLEL_REGION; EXCLUDES Bad;", "share > 10 %"));

	region(test.db, 1, 0, MS_PARALLEL_REGION);
	test.waits[0] = 0.3;
	test.waits[1] = 0.3;
	search_begin(&test);
	execute_times(&test, 20);
	CHECK_INT(state_at(&test, "Else", 1), MS_NODE_FALSE);
	engine_restart(test.engine);
	test.waits[0] = 0.2;
	execute_times(&test, 20);
	CHECK_INT(state_at(&test, "Bad", 0), MS_NODE_FALSE);
	CHECK_INT(state_at(&test, "Else", 1), MS_NODE_TRUE);
}

/* The anti-condition comes true in the last test of all, after what it excludes was tested. */
TEST(engine__anticonditions_hold_at_the_end)
{
	struct search_test test = search_test(
		WAITS("Else", "KINDS PARALLEL_REGION;  EXCLUDES Bad;", "share > 10 %")
			WAITS("Bad", "KINDS USER_REGION;", "share > 25 %"));

	region(test.db, 1, 0, MS_PARALLEL_REGION);
	test.waits[0] = 0.2;
	test.waits[1] = 0.3;
	search_begin(&test);
	execute_times(&test, 100);
	CHECK_INT(state_at(&test, "Else", 1), MS_NODE_TRUE);
	test.waits[0] = 1;
	execute_times(&test, 9);
	CHECK_INT(state_at(&test, "Bad", 0), MS_NODE_FALSE);
	engine_finish(test.engine);
	CHECK_INT(state_at(&test, "Bad", 0), MS_NODE_TRUE);
	CHECK_INT(state_at(&test, "Else", 1), MS_NODE_FALSE);
}

TEST(engine__hints_order_and_nothing_else)
{
	static const char *const hints[] = { "", "HINT \"where DO_REGION\";" };

	for (int hinted = 0; hinted < 2; hinted++) {
		char text[2048];
		struct search_test test;

		snprintf(text, sizeof(text), WAITS("Waiting", "%s" ANYWHERE, "share > 10 %%"),
			 hints[hinted]);
		test = search_test(text);
		test.config.active_max = 1;
		test.waits[0] = 0.2;
		region(test.db, 1, 0, MS_PARALLEL_REGION);
		region(test.db, 2, 0, MS_DO_REGION);
		search_begin(&test);
		execute_times(&test, 2);
		CHECK_INT(state_at(&test, "Waiting", hinted ? 2 : 1), MS_NODE_ACTIVE);
		execute_times(&test, 20);
		CHECK_INT(engine_nodes(test.engine), 3);
	}
}

/* A limit, or the program's end, may leave no room for more than one. */
TEST(engine__of_equal_places_the_longest_comes_first)
{
	static const struct ms_request times[] = {
		{ .metric = MS_METRIC_TIME, .region = 1, .thread = MS_REQUEST_ALL_THREADS },
		{ .metric = MS_METRIC_TIME, .region = 2, .thread = MS_REQUEST_ALL_THREADS }
	};

	for (uint32_t longest = 1; longest <= 2; longest++) {
		struct search_test test = search_test(WAITS("Waiting", ANYWHERE, "share > 10 %"));

		test.config.active_max = 1;
		test.waits[0] = 0.2;
		region(test.db, 1, 0, MS_PARALLEL_REGION);
		region(test.db, 2, 0, MS_PARALLEL_REGION);
		database_requests(test.db, times, 2);
		row(test.db, 1, 0, MS_METRIC_TIME, longest == 1 ? 3e6 : 2e6);
		row(test.db, 2, 0, MS_METRIC_TIME, longest == 2 ? 3e6 : 2e6);
		database_execution_end(test.db, EXECUTION_NS, 1);
		search_begin(&test);
		execute_times(&test, 2);
		CHECK_INT(state_at(&test, "Waiting", longest), MS_NODE_ACTIVE);
	}
}

/* ------------------------------------------------------------------ cost */

/* Runs a program of which every region under measurement costs `each` ns an execution. */
static void run_at_cost(struct search_test *test, int executions, double each, double *program_ns,
			double *tool_ns)
{
	*program_ns = *tool_ns = 0;
	for (int i = 0; i < executions; i++) {
		const struct ms_request *requests;
		size_t nr = engine_requests(test->engine, &requests), regions = 0;

		for (size_t k = 0; k < nr; k++)
			regions += requests[k].metric == MS_METRIC_BARRIER_WAIT;
		test->cost.tool_ns = test->cost.per_sensor_ns[MS_SENSOR_CLOCK] = each *
										 (double)regions;
		*program_ns += EXECUTION_NS;
		*tool_ns += test->cost.tool_ns;
		search_execute(test);
	}
}

TEST(engine__cheap_measuring_is_not_held_back)
{
	struct search_test test = search_test(WAITING);
	double program_ns, tool_ns;

	for (uint32_t id = 1; id < 16; id++)
		region(test.db, id, 0, MS_PARALLEL_REGION);
	test.waits[0] = 0.2;
	search_begin(&test);
	run_at_cost(&test, 10, 1000, &program_ns, &tool_ns);
	CHECK(engine_done(test.engine));
	CHECK(!engine_budget_bound(test.engine));
	CHECK_INT(engine_experiments(test.engine), 3);
}

TEST(engine__dear_measuring_is_spread_over_the_run)
{
	struct search_test test = search_test(WAITING);
	double program_ns, tool_ns;

	for (uint32_t id = 1; id < 16; id++)
		region(test.db, id, 0, MS_PARALLEL_REGION);
	test.waits[0] = 0.2;
	search_begin(&test);
	/* 4 % of an execution each: the fifteen regions at once would cost 60 % */
	run_at_cost(&test, 400, 0.04 * EXECUTION_NS, &program_ns, &tool_ns);
	engine_finish(test.engine);
	CHECK_THAT(tool_ns, <=, 0.05 * program_ns);
	CHECK(!engine_budget_bound(test.engine));
	CHECK_THAT(engine_experiments(test.engine), >, 4);
	for (uint32_t id = 1; id < 16; id++)
		CHECK_INT(state_at(&test, "Waiting", id), MS_NODE_FALSE);
}

/* Three tenths of the limit: it is asked less often the more it costs, but again and again. */
TEST(engine__tests_again_at_a_part_of_the_limit)
{
	static const double parts[] = { 0.001, 0.02, 0.05, 0.2 };
	double asked = INFINITY;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct search_test test = search_test(WAITING);
		double program_ns, tool_ns, times;

		test.config.minimum_executions = 10;
		test.waits[0] = 0.2;
		search_begin(&test);
		run_at_cost(&test, 40, 0, &program_ns, &tool_ns);
		CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_TRUE);
		run_at_cost(&test, 400, parts[i] * EXECUTION_NS, &program_ns, &tool_ns);
		CHECK_THAT(tool_ns, <=, 0.3 * 0.05 * program_ns * 1.1);
		times = tool_ns / (parts[i] * EXECUTION_NS);
		CHECK_THAT(times, <=, asked);
		CHECK_THAT(times, >, 20);
		asked = times;
	}
	CHECK_THAT(asked, <, 200);
}

TEST(engine__what_the_budget_never_allows_is_unknown_for_that_reason)
{
	struct search_test test = search_test(WAITING);
	double program_ns, tool_ns;
	size_t unknown = 0;

	for (uint32_t id = 1; id < 16; id++)
		region(test.db, id, 0, MS_PARALLEL_REGION);
	test.waits[0] = 0.2;
	search_begin(&test);
	run_at_cost(&test, 40, 0.1 * EXECUTION_NS, &program_ns, &tool_ns);
	engine_finish(test.engine);
	CHECK(engine_budget_bound(test.engine));
	for (uint32_t id = 1; id < 16; id++)
		unknown += state_at(&test, "Waiting", id) == MS_NODE_UNKNOWN &&
			   node_at(&test, "Waiting", id)->verdict.missing == MS_MISSING_BUDGET;
	CHECK_THAT(unknown, >, 5);
	CHECK(engine_restarts_would_help(test.engine));
}

#define OVERHEAD WAITS("ToolOverheadInRegion", "KINDS DO_REGION; REFINES Waiting;", "share > 10 %")
#define LATE COUNTS("Late", "KINDS SECTIONS_REGION;", "chunks")

/* A loop in region 1, and other regions up to `last`. */
static struct search_test with_culprit(const char *properties, uint32_t last)
{
	struct search_test test = search_test(properties);

	region(test.db, 1, 0, MS_PARALLEL_REGION);
	region(test.db, 2, 1, MS_DO_REGION);
	for (uint32_t id = 3; id <= last; id++)
		region(test.db, id, 0, MS_PARALLEL_REGION);
	test.waits[0] = test.waits[1] = test.waits[2] = 0.2;
	search_begin(&test);
	return test;
}

/*
 * The loop is known to cost too much from an earlier run, and the other regions wait for the account.
 * Without the loop they are measured, and what is asked of constructs beside it from then on is not known.
 */
TEST(engine__goes_on_without_the_culprit)
{
	struct search_test earlier = with_culprit(WAITING OVERHEAD, 2),
			   test = with_culprit(WAITING OVERHEAD LATE, 14);
	struct ms_candidate late = { .property = 2, .region = 15, .parent = MS_NODE_NONE };
	double program_ns, tool_ns;

	run_at_cost(&earlier, 60, 0, &program_ns, &tool_ns);
	CHECK_INT(engine_culprit(earlier.engine), MS_REGION_NONE); /* nothing waits */
	CHECK_INT(engine_load(test.engine, engine_save(earlier.engine, test.arena)), MS_OK);
	for (int i = 0; i < 40 && engine_culprit(test.engine) == MS_REGION_NONE; i++)
		run_at_cost(&test, 1, 0.1 * EXECUTION_NS, &program_ns, &tool_ns);
	CHECK_INT(state_at(&test, "ToolOverheadInRegion", 2), MS_NODE_TRUE);
	CHECK_INT(engine_culprit(test.engine), 1);
	CHECK_INT(state_at(&test, "Waiting", 14), MS_NODE_PENDING);
	database_drop(test.db, 1);
	CHECK_INT(engine_culprit(test.engine), MS_REGION_NONE);
	region(test.db, 15, 1, MS_SECTIONS_REGION);
	CHECK_INT(engine_ask(test.engine, &late, 1), 1);
	run_at_cost(&test, 400, 0, &program_ns, &tool_ns);
	CHECK_INT(state_at(&test, "Waiting", 14), MS_NODE_FALSE);
	CHECK_INT(state_at(&test, "ToolOverheadInRegion", 2), MS_NODE_TRUE);
	CHECK_INT(state_at(&test, "Late", 15), MS_NODE_UNKNOWN);
	CHECK_INT(node_at(&test, "Late", 15)->verdict.missing, MS_MISSING_DROPPED);
}

/* Whether page faults of a phase that takes this number of them are sampled. */
static bool samples_faults(double faults)
{
	struct search_test test = search_test(
		"PROPERTY Faults(Region r, Phase p) { TITLE \"t\"; KINDS USER_REGION;\n"
		"CONDITION: sum(r.minor_faults) > 1; CONFIDENCE: 1; SEVERITY: 0.5; EXPLANATION \"e\"; ADVICE \"a\"; }\n"
		"PROPERTY Churn(Region r, Phase p) { TITLE \"t\"; KINDS USER_REGION; REFINES Faults;\n"
		"CONDITION: sum(r.fault_samples) > 1; CONFIDENCE: 1; SEVERITY: 0.5; EXPLANATION \"e\"; ADVICE \"a\"; }\n");
	bool sampled = false;

	search_begin(&test);
	for (int i = 0; i < 20; i++) {
		const struct ms_request *requests;
		size_t nr = engine_requests(test.engine, &requests);

		for (size_t k = 0; k < nr; k++)
			sampled |= requests[k].metric == MS_METRIC_FAULT_SAMPLES;
		database_requests(test.db, requests, nr);
		row(test.db, 0, 0, MS_METRIC_MINOR_FAULTS, faults);
		database_execution_end(test.db, EXECUTION_NS, 1);
		engine_execution_done(test.engine, &test.cost);
	}
	return sampled;
}

/* Each sampled fault takes most of a microsecond. */
TEST(engine__page_faults_are_sampled_where_the_limit_bears_their_number)
{
	CHECK(samples_faults(100));
	CHECK(!samples_faults(1e7));
}

TEST(engine__one_that_is_too_dear_alone)
{
	struct search_test test = search_test(WAITING);
	double program_ns, tool_ns;

	search_begin(&test);
	test.config.minimum_executions = 2;
	run_at_cost(&test, 1, 2 * EXECUTION_NS, &program_ns, &tool_ns);
	CHECK_INT(state_at(&test, "Waiting", 0), MS_NODE_UNKNOWN);
	CHECK_INT(node_at(&test, "Waiting", 0)->verdict.missing, MS_MISSING_BUDGET);
	CHECK(engine_budget_bound(test.engine));
	run_at_cost(&test, 1, 2 * EXECUTION_NS, &program_ns, &tool_ns);
	CHECK_NEAR(tool_ns, 0, 0); /* it is not measured again */
}

/*
 * Where begin and end took all of it, a short program is measured all the same; a longer one has
 * paid for them.
 */
TEST(budget__begin_and_end_leave_something_to_measure_with)
{
	const struct budget_load load = { .events[MS_SENSOR_RUSAGE] = 10 };
	struct budget budget;

	budget_init(&budget, 0.05);
	budget_before(&budget, 1e7, 5e6, 60e6);
	CHECK(budget_admits(&budget, &load, 1e6, 10, true));
	/* half of 5 % of 0.7 s, without what was spent */
	CHECK_NEAR(budget_balance_ns(&budget), 12.5e6, 1);
	budget_before(&budget, 1e7, 5e6, 10e6);
	CHECK_NEAR(budget_balance_ns(&budget), 20e6, 1);
	budget_before(&budget, 10e9, 5e6, 60e6);
	CHECK_NEAR(budget_balance_ns(&budget), 435e6, 1);
}

/*
 * A quarter of what an execution of 1 ms earns, 12.5 us, may be spent on it in debt: 17 readings of
 * 700 ns, not 18.
 */
TEST(budget__what_costs_little_is_measured_in_debt)
{
	struct budget_load load = { .events[MS_SENSOR_RUSAGE] = 17 };
	struct budget budget;

	budget_init(&budget, 0.05);
	budget_before(&budget, 1e7, 20e6, 60e6);
	budget.questions_ns = 150e6; /* their advance is used up */
	CHECK_THAT(budget_balance_ns(&budget), <, 0);
	CHECK(budget_admits(&budget, &load, 1e6, 10, true));
	CHECK(!budget_admits(&budget, &load, 0, 10, true));
	load.events[MS_SENSOR_RUSAGE] = 18;
	CHECK(!budget_admits(&budget, &load, 1e6, 10, true));
}

/*
 * A critical section in each iteration takes all that there is, so that the account never gets
 * even. What takes 10 ms a time is asked again of an advance: 5 % of 0.7 s and of three times what
 * the program has run, 150 ms at most.
 */
TEST(budget__questions_have_an_advance)
{
	const struct engine_cost asked = { .executions = 1,
					   .program_ns = 40e6,
					   .tool_ns = 10e6,
					   .per_sensor_ns = { [MS_SENSOR_CLOCK] = NAN } };
	const struct budget_load each = { .events[MS_SENSOR_CLOCK] = 100e3 };
	struct budget budget;
	int times = 0;

	budget_init(&budget, 0.05);
	budget_before(&budget, 1e7, 1e9, 0);
	for (; times < 100 && budget_admits(&budget, &each, 50e6, 2, true); times++)
		budget_account(&budget, &asked, &each);
	CHECK_INT(times, 7); /* 36.5 ms and 6 more each time: 72.5 after six, which took 60 */
}

/*
 * Questions that take 1 ms each and never settle: half of the advance of 150 ms is left to the first
 * recording, which begins once 37.5 ms of it are free, also of one that takes less.
 */
TEST(budget__questions_leave_the_first_recording_its_part)
{
	const struct engine_cost asked = { .executions = 1,
					   .program_ns = 1e6,
					   .tool_ns = 1e6,
					   .per_sensor_ns = { [MS_SENSOR_CLOCK] = NAN } };
	const struct budget_load each = { .events[MS_SENSOR_CLOCK] = 10e3 },
				 recording = { .events[MS_SENSOR_ACCESSES] = 0.7e6 };
	struct budget budget;
	int times = 0;

	budget_init(&budget, 0.05);
	budget_before(&budget, 0.55e9, 25e6, 20e6);
	for (; times < 1000 && budget_admits(&budget, &each, 1e6, 1, true); times++)
		budget_account(&budget, &asked, &each);
	CHECK_NEAR(budget.tool_ns, 75e6, 0.1e6);
	CHECK(budget_admits(&budget, &recording, 1e6, 1, true)); /* of 125 ms after 0.6 s */
	budget_charge(&budget, 15e6);
	CHECK(!budget_admits(&budget, &recording, 1e6, 1, true));
	budget_before(&budget, 0.7e9, 0, 20e6);
	CHECK(budget_admits(&budget, &recording, 1e6, 1, true));
}

/* Another engine's requests: they cost, but nothing is learned of what a sensor takes. */
TEST(budget__experiments_of_another_engine)
{
	const struct engine_cost cost = { .executions = 1,
					  .program_ns = 1e9,
					  .tool_ns = 10e6,
					  .per_sensor_ns = { [MS_SENSOR_CLOCK] = 9e6 } };
	struct budget budget, before;

	budget_init(&budget, 0.05);
	before = budget;
	budget_elsewhere(&budget, &cost, false);
	CHECK_NEAR(budget_balance_ns(&budget), 40e6, 1);
	CHECK_NEAR(budget.recording_ns, 0, 0);
	CHECK(!memcmp(budget.unit_ns, before.unit_ns, sizeof(budget.unit_ns)));
	budget_elsewhere(&budget, &cost, true);
	CHECK_NEAR(budget_balance_ns(&budget), 80e6, 1);
	CHECK_NEAR(budget.recording_ns, 10e6, 0);
}

/*
 * A million ns in callbacks, of which 100 readings of the clock take 10,000: asking for twice as
 * much takes little more.
 */
TEST(budget__callbacks_are_paid_once)
{
	const struct engine_cost cost = { .executions = 2,
					  .program_ns = 20e6,
					  .tool_ns = 2.5e6,
					  .between_ns = 0.5e6,
					  .per_sensor_ns = { [MS_SENSOR_CLOCK] = NAN } };
	struct budget_load load = { .events[MS_SENSOR_CLOCK] = 100 };
	struct budget budget;
	double once;

	budget_init(&budget, 0.05);
	for (int i = 0; i < 20; i++)
		budget_account(&budget, &cost, &load);
	once = budget_predict_ns(&budget, &load);
	CHECK_NEAR(once, 1e6, 10);
	load.events[MS_SENSOR_CLOCK] = 200;
	CHECK_NEAR(budget_predict_ns(&budget, &load), once + 100 * 100, 10);
	CHECK_NEAR(
		budget_predict_ns(&budget, &(struct budget_load){ .events[MS_SENSOR_SAMPLES] = 1 }),
		20, 1);
}

/*
 * The first experiment reads everything in 500 regions: that is no part of what a few readings take,
 * which a quarter of the limit pays for.
 */
TEST(budget__what_the_first_experiment_reads_is_no_cost_of_all_others)
{
	const struct engine_cost cost = {
		.executions = 2,
		.program_ns = 30e6,
		.tool_ns = 6e6,
		.per_sensor_ns = { [MS_SENSOR_CLOCK] = NAN, [MS_SENSOR_RUSAGE] = NAN }
	};
	const struct budget_load all = { .events[MS_SENSOR_RUSAGE] = 3000,
					 .events[MS_SENSOR_CLOCK] = 4000 },
				 one = { .events[MS_SENSOR_RUSAGE] = 60 };
	struct budget budget;

	budget_init(&budget, 0.05);
	budget_before(&budget, 1e7, 40e6, 0);
	budget.questions_ns = 150e6;
	budget_account(&budget, &cost, &all);
	CHECK_NEAR(budget_predict_ns(&budget, &all), 2.75e6, 10); /* halfway from 2.5 to 3 */
	CHECK_THAT(budget_predict_ns(&budget, &one), <, 0.6e6);
	CHECK(!budget_admits(&budget, &all, 15e6, 10, true));
	CHECK(budget_admits(&budget, &one, 50e6, 10, true));
}

/* One disturbed execution does not end all requests of a search in debt. */
TEST(budget__what_callbacks_took_once_is_tried_again)
{
	const struct engine_cost disturbed = {
		.executions = 1,
		.program_ns = 10e6,
		.tool_ns = 1e6,
		.per_sensor_ns = { [MS_SENSOR_CLOCK] = NAN, [MS_SENSOR_RUSAGE] = NAN }
	};
	const struct engine_cost nothing = { .executions = 1, .program_ns = 10e6 };
	const struct budget_load one = { .events[MS_SENSOR_RUSAGE] = 2 };
	struct budget budget;
	int left_out = 0;

	budget_init(&budget, 0.05);
	budget_before(&budget, 1e7, 1e9, 0);
	budget.questions_ns = 150e6;
	budget_account(&budget, &disturbed, &one);
	CHECK(!budget_admits(&budget, &one, 10e6, 10, true));
	for (; left_out < 20 && !budget_admits(&budget, &one, 10e6, 10, true); left_out++)
		budget_account(&budget, &nothing, &(struct budget_load){ .whole = false });
	CHECK_THAT(left_out, <, 10);
}

/* One of a few events is interrupted, in a step of 8 ms: that says nothing of what 300,000 others take. */
TEST(budget__a_few_interrupted_events)
{
	struct budget_load few = { .events = { [MS_SENSOR_CLOCK] = 4 } },
			   many = { .events = { [MS_SENSOR_CLOCK] = 300000 } };
	struct engine_cost cost = { .executions = 1, .program_ns = 8e6 };
	struct budget budget;
	double before;

	for (unsigned int i = 0; i < MS_SENSORS; i++)
		cost.per_sensor_ns[i] = NAN;
	budget_init(&budget, 0.05);
	before = budget_predict_ns(&budget, &many);
	for (int i = 0; i < 10; i++) {
		cost.tool_ns = i % 5 ? 1e3 : 42e3;
		budget_account(&budget, &cost, &few);
	}
	CHECK_THAT(budget_predict_ns(&budget, &many), <=, before + 42e3);
}

/*
 * Of an execution of 10 ms callbacks take 2, more than 15 %: more may be asked for, as that costs
 * next to nothing.
 */
TEST(budget__several_go_with_dear_callbacks)
{
	const struct engine_cost cost = { .executions = 1,
					  .program_ns = 10e6,
					  .tool_ns = 2e6,
					  .per_sensor_ns = { [MS_SENSOR_CLOCK] = NAN } };
	const struct budget_load load = { .events[MS_SENSOR_CLOCK] = 10 };
	struct budget budget;

	budget_init(&budget, 0.05);
	budget_account(&budget, &cost, &load);
	CHECK(budget_admits(&budget, &load, 10e6, 5, false));
	CHECK(!budget_admits(&budget, &load, 10e6, 50, false));
}

/* What a step of the search takes is spent, and says nothing of what measuring takes. */
TEST(budget__steps_of_the_search_make_no_sensor_dearer)
{
	const struct budget_load load = { .events[MS_SENSOR_CLOCK] = 10 };
	struct budget budget;
	double before;

	budget_init(&budget, 0.05);
	before = budget_balance_ns(&budget);
	budget_charge(&budget, 5e6);
	CHECK_NEAR(budget_balance_ns(&budget), before - 5e6, 1);
	CHECK_NEAR(budget_predict_ns(&budget, &load), 1000, 0.1);
}

/*
 * Recording is predicted to take 30 ms, which 5 % of the time would allow after 1.2 s at best; it
 * takes 80. Another one is to take 90, of which a part may be counted.
 */
TEST(budget__a_short_program_is_recorded_once)
{
	const struct budget_load load = { .events[MS_SENSOR_ACCESSES] = 30e6 },
				 dearer = { .events[MS_SENSOR_ACCESSES] = 90e6 };
	const struct budget_load whole = { .events[MS_SENSOR_ACCESSES] = 90e6, .whole = true };
	const struct engine_cost cost = { .executions = 1,
					  .program_ns = 30e6,
					  .tool_ns = 80e6,
					  .per_sensor_ns = { [MS_SENSOR_ACCESSES] = 80e6 } };
	struct budget budget;

	budget_init(&budget, 0.05);
	budget_before(&budget, 0.3e9, 5e6, 10e6);
	CHECK(!budget_admits(&budget, &load, 50e6, 1, true)); /* 80 ms are not there yet */
	budget_before(&budget, 0.4e9, 5e6, 10e6);
	/* they are, but not 4 times what is predicted */
	CHECK(!budget_admits(&budget, &load, 50e6, 1, true));
	budget_before(&budget, 0.45e9, 5e6, 10e6);
	CHECK(budget_admits(&budget, &load, 50e6, 1, true));
	CHECK(budget_admits(&budget, &dearer, 50e6, 1, true));
	CHECK(!budget_admits(&budget, &whole, 50e6, 1, true)); /* a part is of no use to it */
	budget_before(&budget, 0.8e9, 5e6, 10e6);
	CHECK(budget_admits(&budget, &whole, 50e6, 1, true));
	CHECK_NEAR(budget_recording_balance_ns(&budget), 145e6, 1); /* 5 % of 3 s */
	CHECK_NEAR(budget_balance_ns(&budget), 25e6, 1); /* for all else it is of 0.8 s */
	budget_account(&budget, &cost, &load);
	CHECK(!budget_admits(&budget, &load, 50e6, 1, true));
	CHECK_NEAR(budget_recording_balance_ns(&budget), 0.05 * 830e6 - 95e6, 1);
	budget_before(&budget, 7e9, 85e6, 10e6);
	CHECK(budget_admits(&budget, &load, 50e6, 1, true)); /* half of 350 ms, without 80 */
	budget_init(&budget, 1);
	/* who allows as much has no advance */
	CHECK_NEAR(budget_recording_balance_ns(&budget), 0.7e9, 1);
}

/* However little is counted of it: recorded code takes about twice its time. */
TEST(budget__an_execution_that_is_discarded_first)
{
	const struct budget_load load = { .events[MS_SENSOR_ACCESSES] = 80e6 };
	struct budget budget;

	budget_init(&budget, 0.05);
	budget_before(&budget, 0.8e9, 5e6, 10e6);
	CHECK(budget_admits(&budget, &load, 80e6, 1, true));
	budget.recorded_executions = 2;
	CHECK(!budget_admits(&budget, &load, 80e6, 1, true)); /* 160 of 145 ms */
	CHECK(budget_admits(&budget, &load, 60e6, 1, true));
	budget_before(&budget, 4e9, 5e6, 10e6);
	CHECK(budget_admits(&budget, &load, 80e6, 1, true));
}

TEST(budget__what_goes_on_may_take_more_than_the_limit_of_what_is_left)
{
	const struct engine_cost first = { .program_ns = 30e6, .tool_ns = 2.5e6 },
				 usual = { .program_ns = 30e6, .tool_ns = 1.4e6 },
				 dear = { .program_ns = 30e6, .tool_ns = 6e6 };
	struct budget budget;

	budget_init(&budget, 0.05);
	budget_before(&budget, 1e7, 5e6, 18e6); /* 12.5 of 35 ms are left */
	CHECK(budget_tolerates(&budget, &first));
	CHECK(budget_tolerates(&budget, &usual));
	CHECK(!budget_tolerates(&budget, &dear));
	budget_before(&budget, 1e7, 17e6, 18e6); /* 0.5 ms */
	CHECK(!budget_tolerates(&budget, &first));
	CHECK(budget_tolerates(&budget, &usual)); /* what it earns */
}

static struct budget_load recorded_ns(double ns)
{
	return (struct budget_load){ .events[MS_SENSOR_ACCESSES] = ns };
}

TEST(budget__the_first_recording_is_not_for_what_is_small)
{
	const struct budget_load large = recorded_ns(15e6), larger = recorded_ns(17.5e6),
				 half = recorded_ns(7.5e6), small = recorded_ns(5e4), none = { 0 },
				 endless = recorded_ns(5e9);
	const struct engine_cost cost = { .executions = 1,
					  .program_ns = 1e7,
					  .tool_ns = 5e7,
					  .per_sensor_ns = { [MS_SENSOR_ACCESSES] = 1e6 } };
	struct budget budget;

	budget_init(&budget, 0.1);
	CHECK(budget_reserves(&budget, &large, &small));
	CHECK(!budget_reserves(&budget, &large, &half));
	CHECK(!budget_reserves(&budget, &small, &large));
	CHECK(budget_reserves(&budget, &larger, &large)); /* it is affordable soon after */
	CHECK(!budget_reserves(&budget, &large, &large));
	CHECK(!budget_reserves(&budget, &none, &small));
	CHECK(!budget_reserves(&budget, &large, &none));    /* it records nothing */
	CHECK(!budget_reserves(&budget, &endless, &small)); /* which may never be admitted */
	budget_account(&budget, &cost, &large);
	CHECK(!budget_reserves(&budget, &large, &small));
}

/*
 * What was given up is twice as dear as was thought, or spent, unless what all of it takes is
 * known.
 */
TEST(budget__what_was_given_up_is_dearer)
{
	const struct budget_load recorded = recorded_ns(1e6);
	struct engine_cost cost = { .executions = 1,
				    .program_ns = 1e6,
				    .tool_ns = 12e6,
				    .stopped_early = true,
				    .per_sensor_ns = { [MS_SENSOR_ACCESSES] = NAN } };
	struct budget budget;

	budget_init(&budget, 1);
	budget.unit_ns[MS_SENSOR_ACCESSES] = 5;
	budget_account(&budget, &cost, &recorded);
	CHECK_NEAR(budget.unit_ns[MS_SENSOR_ACCESSES], 24, 1e-9);
	cost.tool_ns = 1e6;
	budget_account(&budget, &cost, &recorded);
	CHECK_NEAR(budget.unit_ns[MS_SENSOR_ACCESSES], 48, 1e-9);
	cost.per_sensor_ns[MS_SENSOR_ACCESSES] = 50e6;
	budget_account(&budget, &cost, &recorded);
	CHECK_NEAR(budget.unit_ns[MS_SENSOR_ACCESSES], 50, 1e-9);
	cost.per_sensor_ns[MS_SENSOR_ACCESSES] = 40e6;
	budget_account(&budget, &cost, &recorded);
	CHECK_NEAR(budget.unit_ns[MS_SENSOR_ACCESSES], 50, 1e-9); /* never cheaper */
	CHECK_NEAR(budget.recording_ns, 15e6, 1e-3);
}

/*
 * It takes 30 ms where 1 was thought; of 10 ms an execution that are earned, after the first 0.7 s,
 * recording may take 7.
 */
static struct search_test given_up(int *asked_out, int executions)
{
	static const struct ms_request time = { .metric = MS_METRIC_TIME,
						.region = 1,
						.thread = MS_REQUEST_ALL_THREADS };
	const struct ms_request *requests;
	struct search_test test = search_test(USED);

	region(test.db, 1, 0, MS_PARALLEL_REGION);
	test.config.overhead_limit = 0.1;
	database_requests(test.db, &time, 1);
	database_execution_begin(test.db);
	row(test.db, 1, 0, MS_METRIC_TIME, 1e6);
	database_execution_end(test.db, EXECUTION_NS, 1);
	search_begin(&test);
	for (int i = 0; i < executions; i++) {
		bool asked = is_requested(test.engine, 1, MS_METRIC_READS);

		*asked_out += asked;
		test.cost.stopped_early = asked && *asked_out == 1;
		test.cost.tool_ns = asked ? 30e6 : 0;
		test.cost.per_sensor_ns[MS_SENSOR_ACCESSES] = test.cost.stopped_early
								      ? NAN
								      : test.cost.tool_ns;
		if (asked && !test.cost.stopped_early) {
			size_t nr = engine_requests(test.engine, &requests);

			database_requests(test.db, requests, nr);
			database_execution_begin(test.db);
			row(test.db, 1, 0, MS_METRIC_READS, 1000);
			database_execution_end(test.db, EXECUTION_NS, 1);
		}
		engine_execution_done(test.engine, &test.cost);
	}
	return test;
}

TEST(engine__what_was_given_up_is_tried_again_once_there_is_room)
{
	int asked = 0;
	struct search_test test = given_up(&asked, 40);

	CHECK_THAT(asked, >=, 2);
	CHECK_INT(state_at(&test, "Used", 1), MS_NODE_TRUE);
}

TEST(engine__what_was_given_up_and_never_had_room)
{
	int asked = 0;
	struct search_test test = given_up(&asked, 10);

	CHECK_INT(asked, 1);
	CHECK_INT(state_at(&test, "Used", 1), MS_NODE_PENDING);
	engine_finish(test.engine);
	CHECK_INT(state_at(&test, "Used", 1), MS_NODE_UNKNOWN);
	CHECK_INT(node_at(&test, "Used", 1)->verdict.missing, MS_MISSING_BUDGET);
	CHECK(engine_restarts_would_help(test.engine));
}

/* Region 1 takes 20 ms of each execution and is wanted first, region 2 takes 0.1 ms. */
TEST(engine__what_is_small_waits_for_the_first_recording)
{
	static const struct ms_request times[] = {
		{ .metric = MS_METRIC_TIME, .region = 1, .thread = MS_REQUEST_ALL_THREADS },
		{ .metric = MS_METRIC_TIME, .region = 2, .thread = MS_REQUEST_ALL_THREADS }
	};
	struct search_test test = search_test(USED);
	int first[3] = { 0 };

	region(test.db, 1, 0, MS_PARALLEL_REGION);
	region(test.db, 2, 0, MS_PARALLEL_REGION);
	search_begin(&test);
	for (int i = 1; i < 60; i++) {
		database_requests(test.db, times, 2);
		row(test.db, 1, 0, MS_METRIC_TIME, 20e6);
		row(test.db, 2, 0, MS_METRIC_TIME, 1e5);
		database_execution_end(test.db, EXECUTION_NS, 1);
		engine_execution_done(test.engine, &test.cost);
		for (uint32_t id = 1; id <= 2; id++)
			first[id] = !first[id] && is_requested(test.engine, id, MS_METRIC_READS)
					    ? i
					    : first[id];
	}
	CHECK_THAT(first[1], >=, 5); /* when 80 ms are there */
	CHECK_THAT(first[1], <, 12);
	CHECK_THAT(first[2], >=, first[1]);
}

/* ------------------------------------------------------------------ restarts */

static struct search_test half_way(void)
{
	struct search_test test = search_test(WAITING);

	test.waits[0] = test.waits[1] = 0.2;
	region(test.db, 1, 0, MS_PARALLEL_REGION);
	region(test.db, 2, 1, MS_DO_REGION);
	region(test.db, 3, 0, MS_PARALLEL_REGION);
	return test;
}

TEST(engine__a_restarted_run_goes_on_where_the_first_was)
{
	struct search_test first = half_way(), second = search_test(WAITING);
	struct ms_region_info loop = { .id = 3, .kind = MS_DO_REGION, .key = 1002 };
	const struct engine_node *node, *carried;
	char *text;

	search_begin(&first);
	/* the phase and its two regions, not the loop */
	execute_times(&first, 4);
	text = engine_save(first.engine, first.arena);
	/* other numbers, the same keys */
	for (uint32_t id = 1; id <= 2; id++) {
		struct ms_region_info info = { .id = id,
					       .parent = 0,
					       .kind = MS_PARALLEL_REGION,
					       .key = id == 1 ? 1003 : 1001 };

		CHECK_INT(database_region(second.db, &info), MS_OK);
	}
	search_begin(&second);
	CHECK_INT(engine_load(second.engine, text), MS_OK);
	CHECK_INT(state_at(&second, "Waiting", 0), MS_NODE_TRUE);
	CHECK_INT(state_at(&second, "Waiting", 2), MS_NODE_TRUE);
	CHECK(!is_requested(second.engine, 2, MS_METRIC_BARRIER_WAIT));
	node = node_at(&first, "Waiting", 1);
	carried = node_at(&second, "Waiting", 2);
	CHECK_NEAR(carried->verdict.severity, node->verdict.severity, 0);
	CHECK_NEAR(carried->verdict.confidence, node->verdict.confidence, 0);
	CHECK_INT(carried->verdict.nr_evidence, node->verdict.nr_evidence);
	CHECK_STR(carried->verdict.evidence[0].name, "share");
	CHECK_NEAR(carried->verdict.evidence[0].reading.value, 0.2, 1e-12);
	loop.parent = 2; /* what was left to do */
	CHECK_INT(database_region(second.db, &loop), MS_OK);
	execute_times(&second, 2);
	CHECK(is_requested(second.engine, 3, MS_METRIC_BARRIER_WAIT));
	engine_finish(second.engine);
	CHECK_INT(state_at(&second, "Waiting", 2), MS_NODE_TRUE);
}

TEST(engine__damaged_state_is_refused)
{
	struct search_test first = half_way(), second = half_way();
	char *text, *copy;
	size_t length;

	search_begin(&first);
	execute_times(&first, 8);
	text = engine_save(first.engine, first.arena);
	length = strlen(text);
	search_begin(&second);
	copy = arena_strdup(second.arena, text);
	for (size_t at = 0; at < length; at++) {
		copy[at] = 0; /* cut */
		CHECK_INT(engine_load(second.engine, copy), MS_ERR_FORMAT);
		copy[at] = (char)(text[at] ^ 1); /* changed */
		CHECK_INT(engine_load(second.engine, copy), MS_ERR_FORMAT);
		copy[at] = text[at];
	}
	CHECK_INT(state_at(&second, "Waiting", 0), MS_NODE_ACTIVE); /* as before */
	CHECK_INT(engine_load(second.engine, copy), MS_OK);
}

/* ------------------------------------------------------------------ size */

/* Asks about every region at once. */
static size_t ask_everywhere(void *state, const struct ms_host *host, struct ms_candidate *out,
			     size_t room)
{
	struct brick_output output = { out, 0, room };

	(void)state;
	for (uint32_t id = host->region_first_child(host->ctx, 0); id != MS_REGION_NONE;
	     id = host->region_next_sibling(host->ctx, id))
		brick_ask(host, &output, 0, id, MS_NODE_NONE);
	return output.nr;
}

static size_t refine_nothing(void *state, const struct ms_host *host, const uint32_t *proven,
			     size_t nr, struct ms_candidate *out, size_t room)
{
	(void)state, (void)host, (void)proven, (void)nr, (void)out, (void)room;
	return 0;
}

static const struct ms_strategy everywhere = {
	.abi = MS_STRATEGY_ABI,
	.size = sizeof(struct ms_strategy),
	.name = "everywhere",
	.summary = "s",
	.describe = "d",
	.initial = ask_everywhere,
	.refine = refine_nothing,
};

TEST(engine__a_step_over_ten_thousand_regions)
{
	struct search_test test = search_test(WAITING);
	uint32_t threads = SANITIZED ? 16 : 256;
	double begin;
	bool changed;

	for (uint32_t id = 1; id <= 10000; id++)
		region(test.db, id, 0, MS_PARALLEL_REGION);
	begin = cpu_seconds();
	test.engine = engine_new(test.arena, &test.config, test.set, test.db, &everywhere);
	CHECK_THAT(cpu_seconds() - begin, <, seconds_allowed(1));
	for (int execution = 0; execution < 2; execution++) {
		const struct ms_request *requests;
		size_t nr = engine_requests(test.engine, &requests);

		CHECK_THAT(nr, >, 10000);
		database_requests(test.db, requests, nr);
		for (uint32_t thread = 0; thread < threads; thread++)
			for (uint32_t id = 0; id <= 10000; id++) {
				row(test.db, id, thread, MS_METRIC_TIME, 1e4);
				row(test.db, id, thread, MS_METRIC_BARRIER_WAIT,
				    id % 100 ? 0 : 5e3);
			}
		database_execution_end(test.db, EXECUTION_NS, 1);
		begin = cpu_seconds();
		changed = engine_execution_done(test.engine, &test.cost);
		CHECK_THAT(cpu_seconds() - begin, <, seconds_allowed(1));
	}
	CHECK(changed);
	CHECK_INT(engine_nodes(test.engine), 10000);
	CHECK_INT(state_at(&test, "Waiting", 100), MS_NODE_TRUE);
	begin = cpu_seconds();
	engine_finish(test.engine);
	CHECK_THAT(cpu_seconds() - begin, <, seconds_allowed(2));
	CHECK_INT(state_at(&test, "Waiting", 101), MS_NODE_FALSE);
}

static size_t ask_of_the_phase(void *state, const struct ms_host *host, struct ms_candidate *out,
			       size_t room)
{
	(void)state, (void)host;
	if (room)
		out[0] = (struct ms_candidate){ .parent = MS_NODE_NONE };
	return 1;
}

/* A thread that does not exist, another one each time. */
static size_t refine_without_end(void *state, const struct ms_host *host, const uint32_t *proven,
				 size_t nr, struct ms_candidate *out, size_t room)
{
	static uint32_t thread;

	(void)state, (void)host, (void)proven, (void)nr;
	if (room)
		out[0] = (struct ms_candidate){ .thread = ++thread, .parent = MS_NODE_NONE };
	return 1;
}

TEST(engine__a_strategy_that_proposes_without_end)
{
	static const struct ms_strategy endless = {
		.abi = MS_STRATEGY_ABI,
		.size = sizeof(struct ms_strategy),
		.name = "endless",
		.summary = "s",
		.describe = "d",
		.initial = ask_of_the_phase,
		.refine = refine_without_end,
	};
	struct search_test test = search_test(WAITING);

	test.config.candidates_max = 100;
	test.engine = engine_new(test.arena, &test.config, test.set, test.db, &endless);
	CHECK(test.engine != NULL);
	for (int execution = 0; execution < 5; execution++)
		search_execute(&test);
	engine_finish(test.engine);
	CHECK_INT(engine_nodes(test.engine), 100);
}

/* ------------------------------------------------------------------ requests of strategies */

#define ALL MS_REQUEST_ALL_THREADS

static struct ms_request asked_for[] = {
	{ .metric = MS_METRIC_READS, .region = 1, .thread = ALL },
	{ .metric = MS_METRIC_READS,
	  .region = 1,
	  .thread = 1,
	  .address_low = 100,
	  .address_high = 200 },
	{ .metric = MS_METRIC_TIME,
	  .region = 1,
	  .thread = ALL,
	  .address_low = 100,
	  .address_high = 200 },
	{ .metric = MS_METRIC_WRITES,
	  .region = 1,
	  .thread = ALL,
	  .address_low = 100,
	  .address_high = 200 },
	{ .metric = MS_METRIC_READS,
	  .region = 1,
	  .thread = ALL,
	  .address_low = 200,
	  .address_high = 100 },
	{ .metric = MS_METRIC_READS,
	  .region = 1,
	  .thread = ALL,
	  .address_low = 300,
	  .address_high = 400 },
	{ .metric = MS_METRIC_TOUCHED_LINES,
	  .region = 1,
	  .thread = ALL,
	  .address_low = 300,
	  .address_high = 400 },
	{ .metric = MS_METRIC_READS,
	  .region = 9,
	  .thread = ALL,
	  .address_low = 300,
	  .address_high = 400 },
	{ .metric = MS_METRIC_READS, .region = 1, .thread = ALL, .flags = MS_REQUEST_SUBREGIONS },
};
#define ASKED (sizeof(asked_for) / sizeof(asked_for[0]))
static struct ms_reading answered[ASKED];
static size_t measured;

static size_t ask_for_ranges(void *state, const struct ms_host *host, struct ms_candidate *out,
			     size_t room)
{
	(void)state, (void)out, (void)room;
	CHECK_INT(host->size, sizeof(*host));
	host->measure(host->ctx, asked_for, ASKED, answered);
	CHECK_INT(host->region_memory(host->ctx, 1, NULL, 0), 0);
	return 0;
}

static const struct ms_strategy of_ranges = {
	.abi = MS_STRATEGY_ABI,
	.size = sizeof(struct ms_strategy),
	.name = "ranges",
	.summary = "s",
	.describe = "d",
	.initial = ask_for_ranges,
	.refine = refine_nothing,
};

/* What it is asked for comes once, and says where it begins. */
static void measure(void *ctx, const struct ms_request *requests, size_t nr, struct ms_reading *out)
{
	measured += nr + *(size_t *)ctx;
	for (size_t i = 0; i < nr; i++)
		out[i] = (struct ms_reading){ .value = (double)requests[i].address_low };
}

static void ask_ranges(struct search_test *test)
{
	const struct ms_request requests[] = {
		{ .metric = MS_METRIC_TIME,
		  .region = 0,
		  .thread = ALL,
		  .flags = MS_REQUEST_SUBREGIONS },
		{ .metric = MS_METRIC_READS,
		  .region = 0,
		  .thread = ALL,
		  .flags = MS_REQUEST_SUBREGIONS },
		{ .metric = MS_METRIC_TOUCHED_LINES,
		  .region = 0,
		  .thread = ALL,
		  .flags = MS_REQUEST_SUBREGIONS },
	};

	region(test->db, 0, MS_REGION_NONE, MS_USER_REGION);
	region(test->db, 1, 0, MS_PARALLEL_REGION);
	database_requests(test->db, requests, 3);
	database_execution_begin(test->db);
	for (uint32_t thread = 0; thread < 2; thread++) {
		row(test->db, 1, thread, MS_METRIC_TIME, 1e6);
		row(test->db, 1, thread, MS_METRIC_READS, 1000 + thread);
		row(test->db, 1, thread, MS_METRIC_TOUCHED_LINES, 10);
	}
	database_execution_end(test->db, EXECUTION_NS, 1);
	measured = 0;
	test->engine = engine_new(test->arena, &test->config, test->set, test->db, &of_ranges);
	CHECK(test->engine != NULL);
}

/*
 * The whole comes from the database; a range from who can measure it, if its metric is of addresses
 * and the whole has a value.
 */
TEST(engine__measures_ranges_for_strategies)
{
	struct search_test test = search_test(WAITING);
	size_t none = 0;

	test.config.measure = measure;
	test.config.measure_ctx = &none;
	ask_ranges(&test);
	CHECK(answered[0].missing == MS_PRESENT && answered[0].value == 2001);
	CHECK(answered[1].missing == MS_PRESENT && answered[1].value == 100);
	CHECK_INT(answered[2].missing, MS_MISSING_NO_RANGE);
	CHECK_INT(answered[3].missing, MS_MISSING_NOT_REQUESTED);
	CHECK_INT(answered[4].missing, MS_MISSING_NO_RANGE);
	CHECK(answered[5].missing == MS_PRESENT && answered[5].value == 300);
	CHECK_INT(answered[6].missing, MS_MISSING_NO_RANGE);
	CHECK_INT(answered[7].missing, MS_MISSING_NOT_SUPPORTED);
	CHECK_INT(answered[8].missing, MS_MISSING_NOT_SUPPORTED);
	CHECK_INT(measured, 2);
}

/* In the program: never 0, nor the value of the whole. */
TEST(engine__has_no_values_of_ranges_where_nothing_measures)
{
	struct search_test test = search_test(WAITING);

	ask_ranges(&test);
	CHECK(answered[0].missing == MS_PRESENT && answered[0].value == 2001);
	for (size_t i = 1; i < ASKED; i++)
		CHECK_THAT(answered[i].missing, !=, MS_PRESENT);
	CHECK_INT(answered[1].missing, MS_MISSING_NO_RANGE);
}
