/* SPDX-License-Identifier: Apache-2.0 */
/* The strategy call_graph over replayed measurements: what it asks, and in which order. */
#include "tests/unit/strategy_program.h"

/*
 * Slow is what is refined; Why a more specific property of the same regions; Data is about data
 * structures, to which Slow does not apply.
 */
#define PROPERTIES \
	WAITS("Slow", "KINDS USER_REGION, PARALLEL_REGION, DO_REGION, SUB_REGION;", \
	      "share > 10 %") \
	WAITS("Why", "KINDS USER_REGION, PARALLEL_REGION, DO_REGION; REFINES Slow;", \
	      "share > 1 %") \
	USED("Data", "KINDS DATA_STRUCTURE; REFINES Slow;")

/* Level by level; nothing below 8 and 16, which are false; of functions those that are called. */
TEST(call_graph__the_order_computed_by_hand)
{
	struct arena *arena = arena_new();
	struct search search = replayed(arena, replay_parse(arena, "test", program(arena)),
					properties_of(arena, PROPERTIES), "call_graph");

	CHECK_STR(history(&search, "Slow"),
		  "Slow@0+ Slow@1+ Slow@8- Slow@11+ Slow@2+ Slow@13+ Slow@16- Slow@6+");
	CHECK_STR(history(&search, "Data"), "Data@3+ Data@4- Data@14+ Data@7+");
	CHECK_STR(history(&search, "Why"), ""); /* the why-axis is property_refine's */
}

/* What is nearer to the phase has the higher priority. */
TEST(call_graph__breadth_first)
{
	static const int32_t depths[] = { 0, 1, 2, 3, 3, 3, 3, 4, 1, 2, 3, 1, 2, 3, 4, 2, 3 };
	struct arena *arena = arena_new();
	struct search search = replayed(arena, replay_parse(arena, "test", program(arena)),
					properties_of(arena, PROPERTIES), "call_graph");

	CHECK_THAT(engine_nodes(search.engine), >, 10);
	for (uint32_t id = 0; id < engine_nodes(search.engine); id++) {
		const struct ms_candidate *candidate = &engine_node(search.engine, id)->candidate;

		CHECK_INT(candidate->priority, -depths[candidate->region]);
	}
}

/*
 * The hidden bottleneck of Roth and Miller, figure 2: the loop 2 waits, but the region 1 around it
 * does not show it; 3 is found.
 */
TEST(call_graph__misses_what_is_hidden)
{
	static const char hidden[] =
		"memsearch-experiment 1\n"
		"region 0 - USER_REGION\nregion 1 0 PARALLEL_REGION 1\nregion 2 1 DO_REGION 2\n"
		"region 3 0 PARALLEL_REGION 3\nexecution 100000000 100\n"
		"row 0 0 time 1 100000000\nrow 1 0 time 1 50000000\nrow 2 0 time 1 50000000\n"
		"row 3 0 time 1 40000000\nrow 0 0 barrier_wait 1 60000000\n"
		"row 1 0 barrier_wait 1 2000000\nrow 2 0 barrier_wait 1 40000000\n"
		"row 3 0 barrier_wait 1 20000000\n";
	struct arena *arena = arena_new();
	struct search search = replayed(arena, replay_parse(arena, "test", hidden),
					properties_of(arena, PROPERTIES), "call_graph");

	CHECK_STR(history(&search, "Slow"), "Slow@0+ Slow@1- Slow@3+");
}

TEST(call_graph__finds_what_a_run_has)
{
	struct arena *arena = arena_new();
	struct search search = replayed(arena,
					replay_read(arena, "tests/experiments/imbalance.txt"),
					property_set_load(arena, "properties", NULL), "call_graph");

	CHECK_STR(history(&search, "LoadImbalance"), "LoadImbalance@0+");
	CHECK_STR(history(&search, "ImbalanceInRegion"),
		  "ImbalanceInRegion@1+ ImbalanceInRegion@3-");
}

/* What is in a function called in a region is tested when the function is proven. */
TEST(call_graph__called_functions_are_levels)
{
	static const unsigned int reads[] = { 0, 0, 100, 100, 1, 100 };
	struct arena *arena = arena_new();
	const char *text =
		"memsearch-experiment 1\nregion 0 - USER_REGION\nregion 1 0 PARALLEL_REGION 1\n"
		"region 2 1 SUB_REGION 2\nregion 3 2 DATA_STRUCTURE 3\nregion 4 1 SUB_REGION 4\n"
		"region 5 4 DATA_STRUCTURE 5\nexecution 100000000 400\n";
	struct search search;

	for (size_t id = 0; id < sizeof(reads) / sizeof(reads[0]); id++)
		text = arena_printf(arena,
				    "%srow %zu 0-1 time 1 100000000\n"
				    "row %zu 0-1 barrier_wait 1 60000000\nrow %zu 0-1 reads 1 %u\n",
				    text, id, id, id, reads[id]);
	search = replayed(arena, replay_parse(arena, "test", text),
			  properties_of(arena,
					WAITS("Slow", "KINDS USER_REGION, PARALLEL_REGION;",
					      "share > 10 %") USED("Called", "KINDS SUB_REGION; "
									     "REFINES Slow;")
						USED("Data", "KINDS DATA_STRUCTURE; "
							     "REFINES Slow, Called;")),
			  "call_graph");
	CHECK_STR(history(&search, NULL), "Slow@0+ Slow@1+ Called@2+ Called@4- Data@3+");
}
