/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences about a run from the texts of properties. */
#include "analysis/report/explain.h"

#include "analysis/base/arena.h"
#include "analysis/properties/asl.h"
#include "memsearch/host.h"
#include "tests/unit/sample_run.h"

static const char texts[] =
	"PROPERTY UnevenWorkInLoop(Region r, Phase p) { TITLE \"a loop is uneven\"; KINDS DO_REGION; CONDITION: 1 > 0; CONFIDENCE: 1;"
	" SEVERITY: 0.5; EXPLANATION \"In {execution} ({phase}) at {line}.\"; ADVICE \"See {region}[, {parent_hot_line}].\"; }"
	"PROPERTY LockWaits(Region r, Phase p) { TITLE \"threads wait for a lock\"; KINDS LOCK_REGION; CONDITION: 1 > 0; CONFIDENCE: 1;"
	" SEVERITY: 0.5; EXPLANATION \"e\"; ADVICE \"a\"; }"
	"PROPERTY OneToucher(Region r, Phase p) { TITLE \"t\"; KINDS DATA_STRUCTURE; CONDITION: 1 > 0; CONFIDENCE: 1;"
	" SEVERITY: 0.5; EXPLANATION \"{array}[ at {first_touch_line}].\"; ADVICE \"a\"; }";

static void explain_again(struct run *run, struct arena *arena)
{
	struct property_set *set = property_set_new(arena);

	property_set_parse(set, "t.asl", texts, sizeof(texts) - 1);
	for (size_t i = 0; i < set->nr_messages; i++)
		test_fail(set->messages[i].file, set->messages[i].line, "%s", set->messages[i].text);
	explain(run, arena, set);
}

static void explained(struct run *run, struct arena *arena, enum phase_method method)
{
	sample_run(run, arena);
	run->phase.method = method;
	explain_again(run, arena);
}

TEST(explain__words_for_the_phase_or_the_run)
{
	struct arena *arena = arena_new();
	struct run run;

	explained(&run, arena, PHASE_SEQUENCE);
	CHECK_STR(run.nodes[2].explanation, "In one execution of the phase (the phase) at swim.c:354.");
	explained(&run, arena, PHASE_WHOLE_PROGRAM);
	CHECK_STR(run.nodes[2].explanation, "In the run (the run) at swim.c:354.");
}

TEST(explain__places_of_serial_code)
{
	struct arena *arena = arena_new();
	struct run run;

	sample_run(&run, arena);
	run.nodes[2].region = 3;
	explain_again(&run, arena);
	CHECK_STR(run.nodes[2].advice, "See the serial code between main (swim.c:12) and main (swim.c:40).");
	run.regions[3].next_source = run.regions[3].source;
	explain_again(&run, arena);
	CHECK_STR(run.nodes[2].advice, "See the serial code after the parallel region in main (swim.c:12), until it starts again.");
}

/* What was answered no or not at all is listed too, by its title. */
TEST(explain__titles_of_unproven_nodes)
{
	struct arena *arena = arena_new();
	struct run run;

	explained(&run, arena, PHASE_SEQUENCE);
	CHECK_STR(run.nodes[2].title, "a loop is uneven");
	CHECK_INT(run.nodes[4].state, MS_NODE_FALSE);
	CHECK_STR(run.nodes[4].title, "threads wait for a lock");
	CHECK(run.nodes[4].explanation == NULL);
}

/* The hottest line of the enclosing region, but not the construct's own. */
TEST(explain__hot_line_around_a_construct)
{
	struct arena *arena = arena_new();
	struct run run;
	struct run_region *region;

	explained(&run, arena, PHASE_SEQUENCE);
	CHECK(!strstr(run.nodes[2].advice, "swim.c:22"));
	region = &run.regions[run.nodes[2].region];
	region->parent = 3;
	explain_again(&run, arena);
	CHECK(strstr(run.nodes[2].advice, ", swim.c:22."));
	region->source.line = 22;
	explain_again(&run, arena);
	CHECK(strstr(run.nodes[2].advice, ", swim.c:30."));
}

/* The line where most of an array's first touches were, which is not the one of other arrays, nor unknown. */
TEST(explain__where_an_array_was_touched_first)
{
	struct run_array arrays[] = { { .id = 0, .kind = "static", .name = "unew" } };
	struct run_region regions[] = {
		{ .id = 0, .parent = MS_REGION_NONE, .kind = MS_USER_REGION },
		{ .id = 1, .parent = 0, .kind = MS_DATA_STRUCTURE, .construct = { UINT32_MAX, 1 } },
	};
	struct run_touch touches[] = {
		{ .array = 0, .bytes = 4096, .source = { .file = "swim.c", .line = 20 } },
		{ .array = 0, .bytes = 8192, .source = { .file = "swim.c", .line = 30 } },
		{ .array = 1, .bytes = 65536, .source = { .file = "swim.c", .line = 40 } },
		{ .array = 0, .bytes = 16384, .before = true },
	};
	struct run_node nodes[] = { { .property = "OneToucher", .region = 1, .parent = MS_NODE_NONE, .state = MS_NODE_TRUE } };
	struct run run = { .regions = regions, .nr_regions = 2, .arrays = arrays, .nr_arrays = 1, .nodes = nodes, .nr_nodes = 1,
			   .touches = touches, .nr_touches = 4 };
	struct arena *arena = arena_new();

	explain_again(&run, arena);
	CHECK_STR(nodes[0].explanation, "unew at swim.c:30.");
	run.nr_touches = 0;
	explain_again(&run, arena);
	CHECK_STR(nodes[0].explanation, "unew.");
}
