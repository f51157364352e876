/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts of earlier runs order a search. */
#include "analysis/search/earlier_verdicts.h"

#include <string.h>

#include "analysis/cmds/searched.h"
#include "analysis/record/run.h"
#include "analysis/search/strategies.h"
#include "memsearch/request.h"
#include "tests/unit/search.h"
#include "tests/unit/searched_run.h"
#include "tests/unit/shipped_strategy.h"

#define SLOW WAITS("Slow", "KINDS USER_REGION, PARALLEL_REGION;", "share > 10 %")
#define REGIONS 8

/* Regions 1 to 7 below the phase, with the keys of tests/unit/search.h; verdicts of Slow. */
struct earlier_run {
	struct run run;
	struct run_region regions[REGIONS];
	struct run_node nodes[REGIONS];
};

static void earlier_run(struct earlier_run *earlier, uint32_t is_true, uint32_t experiments)
{
	for (uint32_t i = 0; i < REGIONS; i++) {
		earlier->regions[i] = (struct run_region){ .id = i, .key = i ? 1000 + i : 0 };
		earlier->nodes[i] = (struct run_node){
			.id = i,
			.property = "Slow",
			.region = i,
			.thread = MS_REQUEST_ALL_THREADS,
			.state = !i || i == is_true ? MS_NODE_TRUE : MS_NODE_FALSE,
			.experiments = experiments,
		};
	}
	earlier->run = (struct run){ .regions = earlier->regions,
				     .nr_regions = REGIONS,
				     .nodes = earlier->nodes,
				     .nr_nodes = REGIONS };
}

static char *text_of(struct arena *arena, const struct earlier_run *earlier, size_t nr,
		     struct earlier_verdicts_count *count)
{
	const struct run *runs[2] = { &earlier[0].run, nr > 1 ? &earlier[1].run : NULL };

	return earlier_verdicts_text(arena, runs, nr, count);
}

TEST(earlier_verdicts__one_true_verdict_counts_more_than_false_ones)
{
	struct earlier_verdicts_count count;
	struct arena *arena = arena_new();
	struct earlier_run earlier[2];

	earlier_run(&earlier[0], 6, 2);
	earlier_run(&earlier[1], 3, 2);
	CHECK(text_of(arena, earlier, 1, &count) != NULL);
	CHECK_INT(count.first, 2); /* the phase, and region 6 */
	CHECK_INT(count.last, 6);
	CHECK(text_of(arena, earlier, 2, &count) != NULL);
	CHECK_INT(count.first, 3);
	CHECK_INT(count.last, 5);
	/* false after one experiment says nothing, and neither does a verdict of an interval */
	earlier_run(&earlier[0], 6, 1);
	earlier[0].nodes[0].interval = 1;
	CHECK(text_of(arena, earlier, 1, &count) != NULL);
	CHECK_INT(count.first, 1);
	CHECK_INT(count.last, 0);
}

static struct search_test one_at_a_time(void)
{
	struct search_test test = search_test(SLOW);

	test.config.active_max = 1;
	test.waits[0] = test.waits[6] = 0.4;
	for (uint32_t id = 1; id < REGIONS; id++)
		region(test.db, id, 0, MS_PARALLEL_REGION);
	search_begin(&test);
	return test;
}

/* Executions until the region has this verdict. */
static int executions_until(struct search_test *test, uint32_t id, enum ms_node_state state)
{
	int executions = 0;

	while (state_at(test, "Slow", id) != state && executions < 200) {
		search_execute(test);
		executions++;
	}
	return executions;
}

TEST(earlier_verdicts__true_ones_are_tested_first_false_ones_last)
{
	struct search_test without = one_at_a_time(), with = one_at_a_time(),
			   misled = one_at_a_time();
	struct earlier_verdicts_count count;
	struct earlier_run earlier;
	int usual;

	usual = executions_until(&without, 6, MS_NODE_TRUE);
	CHECK_INT(state_at(&without, "Slow", 5), MS_NODE_FALSE);
	earlier_run(&earlier, 6, 2);
	CHECK_INT(earlier_verdicts_load(with.engine, text_of(with.arena, &earlier, 1, &count)),
		  MS_OK);
	CHECK_THAT(executions_until(&with, 6, MS_NODE_TRUE), <, usual);
	CHECK_INT(state_at(&with, "Slow", 5), MS_NODE_PENDING);
	/* they order, and decide nothing: what was true then is tested, and false now */
	earlier_run(&earlier, 2, 2);
	CHECK_INT(earlier_verdicts_load(misled.engine, text_of(misled.arena, &earlier, 1, &count)),
		  MS_OK);
	executions_until(&misled, 2, MS_NODE_FALSE);
	CHECK_INT(state_at(&misled, "Slow", 2), MS_NODE_FALSE);
	CHECK_INT(state_at(&misled, "Slow", 5), MS_NODE_PENDING);
	executions_until(&misled, 6, MS_NODE_TRUE);
	CHECK_INT(state_at(&misled, "Slow", 6), MS_NODE_TRUE);
	CHECK_THAT(node_at(&misled, "Slow", 2)->experiments, >, 0);
}

TEST(earlier_verdicts__damaged_text_changes_nothing)
{
	struct search_test test = one_at_a_time();
	struct earlier_verdicts_count count;
	struct earlier_run earlier;
	char *text;

	earlier_run(&earlier, 6, 2);
	text = text_of(test.arena, &earlier, 1, &count);
	for (size_t i = 0; i < strlen(text); i++) {
		char *copy = arena_strdup(test.arena, text);

		copy[i] ^= 1;
		CHECK_INT(earlier_verdicts_load(test.engine, copy), MS_ERR_FORMAT);
	}
	CHECK_INT(state_at(&test, "Slow", 0), MS_NODE_ACTIVE);
	CHECK_INT(earlier_verdicts_load(test.engine, text), MS_OK);
}

/* Executions until the last finding; the run gets the nodes of the search. */
static uint64_t search_over(struct arena *arena, struct run *run, const char *earlier)
{
	const struct strategy_list *list = shipped_strategies(arena);
	struct searched_how how = { .properties = property_set_load(arena, "properties", NULL),
				    .overhead_limit = 0.05,
				    .earlier = earlier,
				    .executions_most = 1000 };
	struct searched searched = { .path = "test",
				     .run = run,
				     .strategy = strategies_find(list, "property_refine") };
	uint64_t executions = 0;

	CHECK(searched_run_over(&searched, arena, &how));
	for (size_t i = 0; i < searched.search.nr_proofs; i++)
		if (searched_is_finding(&searched,
					&searched.found.nodes[searched.search.proofs[i].node]))
			executions = searched.search.proofs[i].executions;
	run->nodes = searched.found.nodes;
	run->nr_nodes = searched.found.nr_nodes;
	return executions;
}

TEST(earlier_verdicts__a_search_over_a_record_finds_earlier)
{
	struct arena *arena = arena_new();
	struct earlier_verdicts_count count;
	const struct run *runs[1];
	struct run run;
	uint64_t usual;
	const char *text;

	searched_run(&run, arena);
	for (uint32_t i = 1; i < run.nr_regions; i++)
		run.regions[i].key = 1000 + i;
	usual = search_over(arena, &run, NULL);
	runs[0] = &run;
	text = earlier_verdicts_text(arena, runs, 1, &count);
	CHECK_THAT(count.first, >, 0);
	CHECK_THAT(search_over(arena, &run, text), <, usual);
}
