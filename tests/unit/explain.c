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
		test_fail(set->messages[i].file, set->messages[i].line, "%s",
			  set->messages[i].text);
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
	CHECK_STR(run.nodes[2].explanation,
		  "In one execution of the phase (the phase) at swim.c:354.");
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
	CHECK_STR(run.nodes[2].advice,
		  "See the serial code between main (swim.c:12) and main (swim.c:40).");
	run.regions[3].next_source = run.regions[3].source;
	explain_again(&run, arena);
	CHECK_STR(
		run.nodes[2].advice,
		"See the serial code after the parallel region in main (swim.c:12), until it starts again.");
}

/* Which loops to change together: natural ones, and the construct's own, where it is one. */
TEST(explain__loops_of_a_nest)
{
	struct run_region regions[] = {
		{ .id = 0, .parent = MS_REGION_NONE, .kind = MS_USER_REGION },
		{ .id = 1,
		  .parent = 0,
		  .kind = MS_PARALLEL_REGION,
		  .source = { .function = "f", .file = "k.c", .line = 39 } },
		{ .id = 2,
		  .parent = 1,
		  .kind = MS_DO_REGION,
		  .source = { .function = "f", .file = "k.c", .line = 40 } },
		{ .id = 3,
		  .parent = 2,
		  .kind = MS_LOOP_REGION,
		  .source = { .function = "f", .file = "k.c", .line = 41 } },
		{ .id = 4,
		  .parent = 3,
		  .kind = MS_LOOP_REGION,
		  .source = { .function = "f", .file = "k.c", .line = 42 } },
		{ .id = 5,
		  .parent = 3,
		  .kind = MS_LOOP_REGION,
		  .source = { .function = "g", .file = "g.h", .line = 7 } },
		{ .id = 6,
		  .parent = 1,
		  .kind = MS_LOOP_REGION,
		  .source = { .function = "f", .file = "k.c", .line = 50 } },
	};
	static const struct {
		uint32_t region;
		const char *advice;
	} cases[] = {
		{ 4, "Swap the loops at k.c:41 and 42 of the loop in f (k.c:40), k.c:40." },
		{ 3, "Swap the loops at k.c:40 and 41 of the loop in f (k.c:40), k.c:40." },
		{ 5, "Swap the loops around g.h:7 of the loop in f (k.c:40), k.c:40." },
		{ 6, "Swap the loops around k.c:50 of the parallel region in f (k.c:39), k.c:39." },
		{ 2, "Swap the loops around k.c:40 of the loop in f (k.c:40), k.c:40." },
	};
	static const char text[] =
		"PROPERTY Swap(Region r, Phase p) { TITLE \"t\"; KINDS LOOP_REGION; CONDITION: 1 > 0; CONFIDENCE: 1; SEVERITY: 0.5;"
		" EXPLANATION \"{region}\"; ADVICE \"Swap the {loops} of {construct}, {construct_line}.\"; }";
	struct arena *arena = arena_new();
	struct property_set *set = property_set_new(arena);

	property_set_parse(set, "t.asl", text, sizeof(text) - 1);
	CHECK_INT(set->nr_messages, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run_node node = { .parent = MS_NODE_NONE,
					 .state = MS_NODE_TRUE,
					 .property = "Swap",
					 .region = cases[i].region };
		struct run run = { .regions = regions,
				   .nr_regions = sizeof(regions) / sizeof(regions[0]),
				   .nodes = &node,
				   .nr_nodes = 1 };

		explain(&run, arena, set);
		CHECK_STR(node.advice, arena_printf(arena, "%s", cases[i].advice));
		if (cases[i].region == 4)
			CHECK_STR(node.explanation, "the loop at k.c:42 in f");
	}
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

/*
 * The line where most of an array's first touches were, which is not the one of other arrays, nor
 * unknown.
 */
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
	struct run_node nodes[] = { { .property = "OneToucher",
				      .region = 1,
				      .parent = MS_NODE_NONE,
				      .state = MS_NODE_TRUE } };
	struct run run = { .regions = regions,
			   .nr_regions = 2,
			   .arrays = arrays,
			   .nr_arrays = 1,
			   .nodes = nodes,
			   .nr_nodes = 1,
			   .touches = touches,
			   .nr_touches = 4 };
	struct arena *arena = arena_new();

	explain_again(&run, arena);
	CHECK_STR(nodes[0].explanation, "unew at swim.c:30.");
	run.nr_touches = 0;
	explain_again(&run, arena);
	CHECK_STR(nodes[0].explanation, "unew.");
}
