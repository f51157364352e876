/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/report/history_graph.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/svg.h"
#include "analysis/report/text.h"
#include "memsearch/host.h"
#include "memsearch/request.h"
#include "tests/unit/json_value.h"
#include "tests/unit/test.h"

#define NR(array) (sizeof(array) / sizeof(*(array)))

/* Roots 0 and 3; 1 and 4 below 0, 2 below 1; 5, unknown, below 3. */
static struct run_node nodes[] = {
	{ .id = 0, .parent = MS_NODE_NONE, .state = MS_NODE_TRUE, .severity = 0.5 },
	{ .id = 1, .parent = 0, .state = MS_NODE_UNKNOWN },
	{ .id = 2, .parent = 1, .state = MS_NODE_TRUE, .severity = 0.25 },
	{ .id = 3, .parent = MS_NODE_NONE, .state = MS_NODE_FALSE },
	{ .id = 4, .parent = 0, .state = MS_NODE_DISCONTINUED },
	{ .id = 5, .parent = 3, .state = MS_NODE_UNKNOWN },
};
static struct run_region region = { .id = 0 };

static struct history_graph graph_of(struct arena *arena, struct run *run, bool verdicts_only)
{
	struct history_graph graph;

	for (size_t i = 0; i < NR(nodes); i++) {
		nodes[i].property = "A \"quoted\\\" <property>";
		nodes[i].thread = MS_REQUEST_ALL_THREADS;
	}
	*run = (struct run){ .nodes = nodes,
			     .nr_nodes = NR(nodes),
			     .regions = &region,
			     .nr_regions = 1,
			     .strategy = "none" };
	CHECK(history_graph_make(arena, run, verdicts_only, &graph));
	return graph;
}

static void check_order(const struct history_graph *graph, const char *expected)
{
	char order[64] = "";

	for (size_t i = 0; i < graph->nr; i++)
		snprintf(order + strlen(order), sizeof(order) - strlen(order), "%d:%d ",
			 (int)graph->rows[i].node->id, graph->rows[i].depth);
	if (strcmp(order, expected) != 0)
		test_fail(__FILE__, __LINE__, "%s, not %s", order, expected);
}

TEST(history_graph__nodes_stand_depth_first)
{
	struct arena *arena = arena_new();
	struct run run;
	struct history_graph graph = graph_of(arena, &run, false);

	check_order(&graph, "0:0 1:1 2:2 4:1 3:0 5:1 ");
	CHECK(graph.rows[graph.rows[2].parent].node->id == 1 &&
	      graph.rows[graph.rows[3].parent].node->id == 0);
	arena_free(arena);
}

/* A node without verdict stays where a descendant has one. */
TEST(history_graph__verdicts_only)
{
	struct arena *arena = arena_new();
	struct run run;
	struct history_graph graph = graph_of(arena, &run, true);

	check_order(&graph, "0:0 1:1 2:2 4:1 3:0 ");
	arena_free(arena);
}

static void check_first_line(struct run *run, const char *expected)
{
	struct arena *arena = arena_new();
	struct history_graph graph;
	struct text text;

	CHECK(history_graph_make(arena, run, false, &graph));
	text_init(&text, arena);
	history_graph_text(&text, &graph, 200);
	CHECK_HAS(text.bytes, expected);
	arena_free(arena);
}

TEST(history_graph__says_when_a_verdict_was_reached)
{
	struct arena *arena = arena_new();
	struct run run;

	graph_of(arena, &run, false);
	check_first_line(&run, ": 50 %\n");
	nodes[0].reached_executions = 12; /* over a record, with executions of its own */
	check_first_line(&run, ": 50 %; after 12 executions\n");
	run.phase.executions = 396;
	check_first_line(&run, ": 50 %; after 12 executions\n");
	nodes[0].reached_ns = 4e9;
	run.cost.program_wall_ns = 13.8e9;
	check_first_line(&run, ": 50 %; after 12 executions, 4 s into the run\n");
	run.complete = true;
	check_first_line(&run, ": 50 %; after 12 of 396 executions, 4 s into 13.8 s\n");
	nodes[0].reached_executions = 0; /* without a phase */
	check_first_line(&run, ": 50 %; 4 s into 13.8 s\n");
	nodes[0].reached_executions = 396;
	nodes[0].reached_ns = 13.8e9;
	check_first_line(&run, ": 50 %; after the run\n");
	nodes[0].reached_executions = 0;
	nodes[0].reached_ns = 0;
	arena_free(arena);
}

TEST(history_graph__json_follows_its_schema)
{
	struct arena *arena = arena_new();
	struct run run;
	struct history_graph graph = graph_of(arena, &run, false);
	struct json_value *value, *schema;
	const char *error;
	struct text text;

	text_init(&text, arena);
	history_graph_json(&text, &graph);
	value = json_parse(text.bytes, &error);
	schema = json_parse(json_read_file("analysis/report/schema/memsearch-graph-1.schema.json"),
			    &error);
	CHECK(value && schema);
	error = json_check(schema, value, "$");
	if (error)
		test_fail(__FILE__, __LINE__, "%s in:\n%s", error, text.bytes);
	arena_free(arena);
}

TEST(history_graph__names_are_quoted)
{
	struct arena *arena = arena_new();
	struct run run;
	struct history_graph graph = graph_of(arena, &run, false);
	struct text text;

	nodes[0].title = "a \"b\\ <c>\x1b[2J\n";
	text_init(&text, arena);
	history_graph_dot(&text, &graph);
	CHECK_HAS(text.bytes, "n0 [label=\"a \\\"b\\\\ <c>?[2J?\\n");
	text_init(&text, arena);
	history_graph_svg(&text, &graph);
	CHECK_HAS(text.bytes, "b\\ &lt;c&gt;?[2J?");
	nodes[0].title = NULL;
	arena_free(arena);
}

/* A run of thousands of candidates: 400 rows are drawn, and the rest is counted. */
TEST(history_graph__large_pictures_end)
{
	static struct run_node many[1000];
	struct arena *arena = arena_new();
	struct run run;
	struct history_graph graph;
	struct text text;

	for (uint32_t i = 0; i < NR(many); i++)
		many[i] = (struct run_node){ .id = i,
					     .parent = i ? i - 1 : MS_NODE_NONE,
					     .property = "P",
					     .thread = MS_REQUEST_ALL_THREADS };
	graph_of(arena, &run, false);
	run.nodes = many;
	run.nr_nodes = NR(many);
	CHECK(history_graph_make(arena, &run, false, &graph) && graph.nr == NR(many));
	text_init(&text, arena);
	history_graph_svg(&text, &graph);
	CHECK(strstr(text.bytes, "600 more nodes are not drawn"));
	arena_free(arena);
}
