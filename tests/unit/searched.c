/* SPDX-License-Identifier: Apache-2.0 */
/* How a search over a record is printed. */
#include "analysis/cmds/searched.h"

#include "analysis/properties/property.h"
#include "analysis/report/text.h"
#include "memsearch/strategy.h"
#include "tests/unit/json_value.h"
#include "tests/unit/searched_run.h"
#include "tests/unit/shipped_strategy.h"

static struct searched searched_sample(struct arena *arena, struct run *run, const char *strategy)
{
	struct searched searched = { .path = "test",
				     .run = run,
				     .strategy = shipped_strategy(arena, strategy) };
	struct searched_how how = { .properties = property_set_load(arena, "properties", NULL),
				    .overhead_limit = 0.05,
				    .executions_most = 1000 };

	CHECK(searched_run_over(&searched, arena, &how));
	return searched;
}

static const char *print(const struct searched *searched, const char *format)
{
	struct text out;

	text_init(&out, searched->search.arena);
	searched_print(&out, searched, &(struct searched_format){ format, 100, false });
	return out.bytes;
}

/* Uneven misses in the first loop are what tests/experiments/unbalanced_misses.txt plants. */
TEST(searched__finds_what_was_planted)
{
	struct arena *arena = arena_new();
	struct run run;
	struct searched searched;
	size_t findings = 0, measurements;

	searched_run(&run, arena);
	measurements = run.nr_measurements;
	searched = searched_sample(arena, &run, "property_refine");
	CHECK(searched.search.ended);
	for (size_t i = 0; i < searched.found.nr_nodes; i++)
		if (searched_is_finding(&searched, &searched.found.nodes[i])) {
			CHECK_THAT(searched.found.nodes[i].region, <=, 2); /* not the second loop */
			findings++;
		}
	CHECK_THAT(findings, >, 0);
	CHECK(strstr(print(&searched, "text"), "some threads miss the last-level cache more than"));
	/* the run itself is unchanged */
	CHECK_INT(run.nr_nodes, 0);
	CHECK_INT(run.nr_measurements, measurements);
	CHECK_INT(run.cost.experiments, 0);
}

TEST(searched__json_keeps_its_schema)
{
	struct arena *arena = arena_new();
	struct run run;
	struct searched searched;

	searched_run(&run, arena);
	searched = searched_sample(arena, &run, "data_structure_refine");
	json_must_keep("analysis/report/schema/memsearch-search-1.schema.json",
		       print(&searched, "json"));
}

TEST(searched__data_is_counted)
{
	struct arena *arena = arena_new();
	const struct run_cost *cost;
	struct run run;
	struct searched searched;

	searched_run(&run, arena);
	searched = searched_sample(arena, &run, "property_refine");
	cost = &searched.found.cost;
	CHECK_THAT(cost->counters_used, >, 0);
	CHECK_THAT(cost->counters_used, <, cost->counters_possible);
	CHECK_INT(cost->samples_possible, cost->counters_possible * searched.search.executions);
	CHECK_THAT(cost->samples_used, <, cost->samples_possible);
	CHECK_THAT(searched.trace_bytes, >, 12 * (double)cost->samples_used);
}
