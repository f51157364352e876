/* SPDX-License-Identifier: Apache-2.0 */
/* The loop-aware strategies over replayed measurements: what they test, and in which order. */
#include "tests/unit/strategy_program.h"

/*
 *     0 phase
 *     ├─ 1 region ─┬─ 2 loop ─┬─ 3 loop ──── 4 data
 *     │            │          ├─ 5 loop, no ─ 6 data
 *     │            │          └─ 7 data
 *     │            ├─ 8 loop, no ─ 9 loop ── 10 data
 *     │            └─ 11 data
 *     └─ 12 region, no ─ 13 loop ─ 14 data
 */
#define LOOPS \
	"memsearch-experiment 1\n" \
	"region 0 - USER_REGION\nregion 1 0 DO_REGION 1\nregion 2 1 LOOP_REGION 2\n" \
	"region 3 2 LOOP_REGION 3\nregion 4 3 DATA_STRUCTURE 4\nregion 5 2 LOOP_REGION 5\n" \
	"region 6 5 DATA_STRUCTURE 6\nregion 7 2 DATA_STRUCTURE 7\nregion 8 1 LOOP_REGION 8\n" \
	"region 9 8 LOOP_REGION 9\nregion 10 9 DATA_STRUCTURE 10\n" \
	"region 11 1 DATA_STRUCTURE 11\nregion 12 0 DO_REGION 12\nregion 13 12 LOOP_REGION 13\n" \
	"region 14 13 DATA_STRUCTURE 14\n"

/* Reads of a thousand, of two threads each. */
static const unsigned int reads[] = { 1000, 950, 800, 700, 650, 20, 20, 750,
				      20,   15,  15,  900, 20,  20, 20 };

#define SLOW WAITS("Slow", "KINDS USER_REGION, DO_REGION;", "share > 10 %")
#define PROPERTIES \
	SLOW USED("InLoop", "KINDS LOOP_REGION; REFINES Slow;") \
		USED("Data", "KINDS DATA_STRUCTURE; REFINES Slow, InLoop;")
#define NO_LOOPS SLOW USED("Data", "KINDS DATA_STRUCTURE; REFINES Slow;")

/* Samples are in region 1; in none without. */
static const char *loops(struct arena *arena, bool sampled)
{
	const char *text = arena_printf(arena, "%sexecution 100000000 200\n", LOOPS);

	for (size_t id = 0; id < sizeof(reads) / sizeof(reads[0]); id++)
		text = arena_printf(arena,
				    "%srow %zu 0-1 time 1 100000000\nrow %zu 0-1 reads 1 %u\n"
				    "row %zu 0-1 barrier_wait 1 %u000000\n",
				    text, id, id, reads[id], id, id < 2 ? 60 : 1);
	if (sampled)
		text = arena_printf(arena, "%srow 0 0-1 samples 1 100\nrow 1 0-1 samples 1 100\n",
				    text);
	return text;
}

static struct search searched(const char *properties, const char *strategy, bool sampled)
{
	struct arena *arena = arena_new();

	return replayed(arena, replay_parse(arena, "test", loops(arena, sampled)),
			properties_of(arena, properties), strategy);
}

static const char *asked(const char *properties, const char *strategy)
{
	struct search search = searched(properties, strategy, false);

	return history(&search, NULL);
}

/* Nothing in 5, 8 and 12, which are false: call_graph tests 6 and 10. */
TEST(loop_aware__the_order_computed_by_hand)
{
	CHECK_STR(asked(PROPERTIES, "loop_aware"),
		  "Slow@0+ Slow@1+ Slow@12- InLoop@2+ InLoop@8- Data@11+ InLoop@3+ InLoop@5- "
		  "Data@7+ Data@4+");
	CHECK(strstr(asked(PROPERTIES, "call_graph"), "Data@6-"));
	CHECK(strstr(asked(PROPERTIES, "call_graph"), "Data@10-"));
}

/* Without a property for loops they are passed, or nothing in them would be tested. */
TEST(loop_aware__loops_that_cannot_be_tested)
{
	CHECK_STR(asked(NO_LOOPS, "loop_aware"), asked(NO_LOOPS, "call_graph"));
	CHECK(strstr(asked(NO_LOOPS, "loop_aware"), "Data@4+"));
}

TEST(loop_aware__breadth_first)
{
	static const int32_t depths[] = { 0, 1, 2, 3, 4, 3, 4, 3, 2, 3, 4, 2, 1 };
	struct search search = searched(PROPERTIES, "loop_aware", false);

	CHECK_INT(engine_nodes(search.engine), 10);
	for (uint32_t id = 0; id < engine_nodes(search.engine); id++) {
		const struct ms_candidate *candidate = &engine_node(search.engine, id)->candidate;

		CHECK_INT(candidate->priority, -depths[candidate->region]);
	}
}

/* Of a program without loops it is call_graph. */
TEST(loop_aware__without_loops)
{
	struct arena *arena = arena_new();
	const char *properties = WAITS("Slow", "KINDS USER_REGION, PARALLEL_REGION, DO_REGION;",
				       "share > 10 %") USED("Data", "KINDS DATA_STRUCTURE; "
								    "REFINES Slow;");
	struct search levels = replayed(arena, replay_parse(arena, "test", program(arena)),
					properties_of(arena, properties), "call_graph"),
		      loops = replayed(arena, replay_parse(arena, "test", program(arena)),
				       properties_of(arena, properties), "loop_aware");

	CHECK_STR(history(&loops, NULL), history(&levels, NULL));
}

/* Region 1 is a deep starter; its loops are those of loop_aware. */
TEST(loop_aware__after_a_deep_start)
{
	struct search search = searched(PROPERTIES, "loop_aware_deep_start", true);
	static const int32_t priorities[] = { 0, 2, -2, -3, -4, -3, 0, -3, -2, 0, 0, -2, -1 };

	CHECK_STR(history(&search, NULL), asked(PROPERTIES, "loop_aware"));
	for (uint32_t id = 0; id < engine_nodes(search.engine); id++) {
		const struct ms_candidate *candidate = &engine_node(search.engine, id)->candidate;

		CHECK_INT(candidate->priority, priorities[candidate->region]);
	}
	CHECK_STR(asked(PROPERTIES, "loop_aware_deep_start"), asked(PROPERTIES, "loop_aware"));
}
