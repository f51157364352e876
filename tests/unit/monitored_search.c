/* SPDX-License-Identifier: Apache-2.0 */
/* Searches over a monitor that is no replay: its events, in any order. */
#include "analysis/search/monitored_search.h"

#include "analysis/search/monitor.h"
#include "tests/unit/search.h"
#include "tests/unit/shipped_strategy.h"

#define EXECUTION 100e6 /* ns */

/* A parallel region below region 0, in which threads wait for 40 % of the time. */
struct scripted {
	const char *script; /* an event a letter, see next() */
	unsigned int requests;
	size_t nr_requested;
};

static void configure(void *ctx, struct engine_config *config)
{
	(void)ctx;
	(void)config;
}

static enum ms_status prepare(void *ctx, struct database *db)
{
	(void)ctx;
	database_region(db, &(struct ms_region_info){
				    .id = 0, .parent = MS_REGION_NONE, .kind = MS_USER_REGION });
	return database_region(db, &(struct ms_region_info){ .id = 1, .kind = MS_PARALLEL_REGION });
}

static enum ms_status take_requests(void *ctx, struct database *db,
				    const struct ms_request *requests, size_t nr)
{
	struct scripted *scripted = ctx;

	scripted->requests++;
	scripted->nr_requested = nr;
	database_requests(db, requests, nr);
	return MS_OK;
}

static void execution(struct database *db)
{
	for (uint32_t region = 0; region < 2; region++)
		for (uint32_t thread = 0; thread < 2; thread++) {
			struct ms_measurement row = { .region = region, .thread = thread };

			row.metric = MS_METRIC_TIME;
			ms_stat_add(&row.stat, EXECUTION);
			database_add(db, &row);
			row.metric = MS_METRIC_BARRIER_WAIT;
			row.stat = (struct ms_stat){ 0 };
			ms_stat_add(&row.stat, 0.4 * EXECUTION);
			database_add(db, &row);
		}
	database_execution_end(db, EXECUTION, 1);
}

static void next(void *ctx, struct database *db, struct monitor_event *out)
{
	struct scripted *scripted = ctx;
	char letter = *scripted->script ? *scripted->script++ : '.';

	*out = (struct monitor_event){ .kind = letter == 'x'   ? MONITOR_EXECUTION
					       : letter == 'l' ? MONITOR_LEFT_OUT
					       : letter == 'r' ? MONITOR_RESTART
					       : letter == 'e' ? MONITOR_END
							       : MONITOR_NOTHING,
				       .cost = { .executions = 1, .program_ns = EXECUTION } };
	if (letter == 'x')
		execution(db);
}

static const struct monitor monitor = {
	.configure = configure,
	.prepare = prepare,
	.request = take_requests,
	.next = next,
};

static struct monitored_search search_over(struct scripted *scripted)
{
	struct arena *arena = arena_new();
	struct monitored_search search = {
		.arena = arena,
		.monitor = &monitor,
		.monitor_ctx = scripted,
		.properties = properties_of(
			arena,
			WAITS("Slow", "KINDS USER_REGION, PARALLEL_REGION;", "share > 10 %")),
		.strategy = &strategy_of_bricks,
		.db = database_new(arena),
		.overhead_limit = 0.05,
		.executions_most = UINT64_MAX,
	};

	CHECK_INT(monitored_search_begin(&search), MS_OK);
	CHECK_INT(scripted->requests, 1);
	CHECK_THAT(scripted->nr_requested, >, 0);
	return search;
}

TEST(monitored_search__nothing_for_now_is_not_the_end)
{
	struct scripted scripted = { .script = "x" };
	struct monitored_search search = search_over(&scripted);

	CHECK(!monitored_search_advance(&search));
	CHECK(!search.ended);
	CHECK_INT(search.executions, 1);
	CHECK_INT(scripted.requests, 1); /* the experiment goes on */
	scripted.script = "x.";
	CHECK(monitored_search_advance(&search));
	CHECK_INT(scripted.requests, 2);
	CHECK_INT(search.nr_proofs, 1);
	CHECK(!monitored_search_advance(&search));
	scripted.script = "xxe";
	CHECK(monitored_search_advance(&search));
	CHECK(!monitored_search_advance(&search));
	CHECK(search.ended);
	CHECK_INT(monitored_search_finish(&search), MS_OK);
	CHECK_INT(search.nr_proofs, 2);
}

TEST(monitored_search__verdicts_have_a_time)
{
	struct scripted scripted = { .script = "xxxxxxxx" };
	struct monitored_search search = search_over(&scripted);

	while (monitored_search_advance(&search))
		;
	CHECK_INT(search.nr_proofs, 2);
	for (size_t i = 0; i < search.nr_proofs; i++) {
		const struct engine_node *node = engine_node(search.engine, search.proofs[i].node);

		CHECK_THAT(search.proofs[i].executions, >, 0);
		CHECK_INT(node->reached.executions, search.proofs[i].executions);
		CHECK_NEAR(node->reached.program_ns, 0, 0);
	}
	/* tested again, with the same verdict */
	CHECK_THAT(search.executions, >, search.proofs[1].executions);
}

/* Decided or not: a program that runs may change. */
TEST(monitored_search__goes_on_when_all_is_decided)
{
	struct scripted scripted = { .script = "xxxxxxxxxxxx" };
	struct monitored_search search = search_over(&scripted);

	while (*scripted.script)
		monitored_search_advance(&search);
	CHECK(engine_done(search.engine));
	CHECK_INT(search.executions, 12);
	CHECK(!search.ended);
}

TEST(monitored_search__another_phase_starts_over)
{
	struct scripted scripted = { .script = "xx" };
	struct monitored_search search = search_over(&scripted);
	unsigned int before;

	CHECK(monitored_search_advance(&search));
	CHECK_INT(search.nr_proofs, 1);
	before = scripted.requests;
	scripted.script = "r";
	CHECK(!monitored_search_advance(&search));
	CHECK_INT(search.nr_proofs, 0);
	CHECK_INT(scripted.requests, before + 1);
	scripted.script = "xx";
	CHECK(monitored_search_advance(&search));
	CHECK_INT(search.nr_proofs, 1);
}

/* Values are kept: a property that they answer is proven without a further request for them. */
TEST(monitored_search__properties_change)
{
	struct scripted scripted = { .script = "xx" };
	struct monitored_search search = search_over(&scripted);
	const struct property_set *other = properties_of(
		search.arena, WAITS("Slower", "KINDS USER_REGION;", "share > 20 %")
				      WAITS("Slowest", "KINDS USER_REGION;", "share > 90 %"));

	CHECK(monitored_search_advance(&search));
	CHECK_INT(search.nr_proofs, 1);
	CHECK_INT(search.changed_after, 0);
	search.next_properties = other;
	CHECK(!monitored_search_advance(&search)); /* not in an experiment */
	CHECK(search.properties != other);
	scripted.script = "xxxxxx";
	CHECK(monitored_search_advance(&search));
	CHECK(search.properties == other && !search.next_properties);
	CHECK_THAT(search.changed_after, >=, 3);
	while (monitored_search_advance(&search))
		;
	CHECK_INT(monitored_search_finish(&search), MS_OK);
	CHECK_INT(search.nr_proofs, 1);
	CHECK_STR(property_name(other->properties[engine_node(search.engine, search.proofs[0].node)
							  ->candidate.property]),
		  "Slower");
	CHECK_INT(engine_nodes(search.engine), 2);
}

/* An execution without rows is none of the experiment. */
TEST(monitored_search__what_is_left_out_only_costs)
{
	struct scripted scripted = { .script = "xl" };
	struct monitored_search search = search_over(&scripted);

	CHECK(!monitored_search_advance(&search));
	CHECK_INT(search.executions, 1);
	CHECK_INT(scripted.requests, 1);
}
