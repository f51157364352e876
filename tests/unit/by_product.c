/* SPDX-License-Identifier: Apache-2.0 */
/* What strategies see beside the experiments: by-products, and the memory for it. */
#include "tests/unit/search.h"

#define SLOW WAITS("Slow", "KINDS USER_REGION, PARALLEL_REGION;", "share > 10 %")
#define USED \
	"PROPERTY Used(Region r, Phase p) { TITLE \"t\"; KINDS USER_REGION, PARALLEL_REGION; " \
	"LET all = sum(r.reads); IN\n" \
	"CONDITION: all > 5; CONFIDENCE: 1; SEVERITY: 0.1; EXPLANATION \"e\"; ADVICE \"a\"; }\n"

static const struct ms_host *host_of;
static uint32_t wanted;
static char *memory;

static void *begin(const struct ms_host *host)
{
	host_of = host;
	CHECK_THAT(host->size, >=, offsetof(struct ms_host, by_product) + sizeof(void *));
	memory = host->allocate(host->ctx, 1 << 20);
	host->by_product(host->ctx, wanted, 1u << MS_PARALLEL_REGION);
	return memory;
}

/* Two regions, of which the strategy wants to see the metric. */
static struct search_test begun(const char *properties, uint32_t metric, double limit)
{
	struct search_test test = search_test(properties);
	struct ms_strategy strategy = strategy_of_bricks;

	strategy.init = begin;
	wanted = metric;
	region(test.db, 1, 0, MS_PARALLEL_REGION);
	region(test.db, 2, 0, MS_DO_REGION);
	test.waits[0] = test.waits[1] = 0.5;
	test.config.overhead_limit = limit;
	test.engine = engine_new(
		test.arena, &test.config, test.set, test.db,
		memcpy(arena_alloc(test.arena, sizeof(strategy)), &strategy, sizeof(strategy)));
	CHECK(test.engine != NULL);
	return test;
}

static const struct ms_request *requested(const struct engine *engine, uint32_t metric)
{
	const struct ms_request *requests;
	size_t nr = engine_requests(engine, &requests);

	for (size_t i = 0; i < nr; i++)
		if (requests[i].metric == metric)
			return &requests[i];
	return NULL;
}

TEST(by_product__is_measured_beside_an_experiment)
{
	struct search_test test = begun(SLOW, MS_METRIC_SAMPLES, 0.05);
	const struct ms_request *samples = requested(test.engine, MS_METRIC_SAMPLES);

	CHECK(samples && requested(test.engine, MS_METRIC_BARRIER_WAIT));
	CHECK_INT(samples->region, MS_REGION_USER);
	CHECK(ms_request_wants(samples, MS_PARALLEL_REGION));
	CHECK(!ms_request_wants(samples, MS_DO_REGION));
	CHECK(engine_reads(test.engine, MS_METRIC_SAMPLES));
	row(test.db, 1, 0, MS_METRIC_TIME, 1); /* before the experiment: no value */
	CHECK_INT(host_of->reading(host_of->ctx, 1, 1, MS_METRIC_SAMPLES).missing,
		  MS_MISSING_NOT_REQUESTED);
}

/* The strategy reads what came; the verdict is that of the property alone. */
TEST(by_product__has_values)
{
	struct search_test test = begun(SLOW, MS_METRIC_SAMPLES, 0.05);
	const struct ms_request *requests;
	size_t nr = engine_requests(test.engine, &requests);

	database_requests(test.db, requests, nr);
	for (int i = 0; i < 4; i++) {
		database_execution_begin(test.db);
		row(test.db, 1, 1, MS_METRIC_SAMPLES, 30);
		row(test.db, 0, 1, MS_METRIC_TIME, EXECUTION_NS);
		row(test.db, 0, 1, MS_METRIC_BARRIER_WAIT, EXECUTION_NS);
		row(test.db, 1, 1, MS_METRIC_TIME, EXECUTION_NS);
		database_execution_end(test.db, EXECUTION_NS, 1);
		engine_execution_done(test.engine, &test.cost);
	}
	CHECK_NEAR(host_of->reading(host_of->ctx, 1, 1, MS_METRIC_SAMPLES).value, 30, 1e-9);
	CHECK_INT(state_at(&test, "Slow", 0), MS_NODE_TRUE);
}

/* When nothing is left to decide, nothing is measured for it alone. */
TEST(by_product__ends_with_the_experiments)
{
	struct search_test test = begun(SLOW, MS_METRIC_SAMPLES, 0.05);

	for (int i = 0; i < 6; i++)
		search_execute(&test);
	CHECK(engine_done(test.engine));
	for (int i = 0; i < 100; i++) {
		search_execute(&test);
		CHECK(!requested(test.engine, MS_METRIC_SAMPLES));
	}
}

/* Recording slows code down: what is sampled meanwhile would be of clones. */
TEST(by_product__not_while_accesses_are_recorded)
{
	struct search_test test = begun(USED, MS_METRIC_SAMPLES, 10);
	bool recorded = false;

	for (int i = 0; i < 6; i++) {
		recorded |= engine_records(test.engine);
		CHECK(!engine_records(test.engine) || !requested(test.engine, MS_METRIC_SAMPLES));
		search_execute(&test);
	}
	CHECK(recorded);
}

TEST(by_product__only_where_the_limit_allows)
{
	struct search_test test = begun(SLOW, MS_METRIC_SAMPLES, 0.05);

	CHECK(requested(test.engine, MS_METRIC_SAMPLES)); /* its price is not known yet */
	test.waits[0] = test.waits[1] = 0.01;
	test.cost.tool_ns = test.cost.per_sensor_ns[MS_SENSOR_SAMPLES] = 0.1 * EXECUTION_NS;
	while (!search_execute(&test))
		;
	CHECK(requested(test.engine, MS_METRIC_BARRIER_WAIT));
	CHECK(!requested(test.engine, MS_METRIC_SAMPLES));
}

/* Counters are few, and unknown metrics are none; what cannot be had is not requested. */
TEST(by_product__refused)
{
	struct search_test counters = begun(SLOW, MS_METRIC_CYCLES, 0.05),
			   none = begun(SLOW, MS_METRICS, 0.05), missing = search_test(SLOW);

	CHECK(!requested(counters.engine, MS_METRIC_CYCLES));
	CHECK(requested(none.engine, MS_METRIC_BARRIER_WAIT));
	database_missing(missing.db, MS_REGION_NONE, MS_METRIC_SAMPLES, MS_MISSING_NOT_PERMITTED);
	wanted = MS_METRIC_SAMPLES;
	missing.engine = engine_new(missing.arena, &missing.config, missing.set, missing.db,
				    &(struct ms_strategy){ .abi = MS_STRATEGY_ABI,
							   .size = sizeof(struct ms_strategy),
							   .name = "n",
							   .init = begin,
							   .initial = ask_initial,
							   .refine = ask_refined });
	CHECK(requested(missing.engine, MS_METRIC_BARRIER_WAIT));
	CHECK(!requested(missing.engine, MS_METRIC_SAMPLES));
}

TEST(by_product__memory_is_zeroed)
{
	struct search_test test = begun(SLOW, MS_METRIC_SAMPLES, 0.05);

	CHECK(test.engine && memory);
	for (size_t i = 0; i < 1 << 20; i++)
		CHECK(!memory[i]);
	memset(memory, 1, 1 << 20);
}
