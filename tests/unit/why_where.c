/* SPDX-License-Identifier: Apache-2.0 */
/* The strategy why_where over replayed measurements: what it asks, and in which order. */
#include "tests/unit/strategy_program.h"

#define EVERYWHERE "KINDS USER_REGION, PARALLEL_REGION, DO_REGION;"
#define SLOW(clauses) WAITS("Slow", EVERYWHERE clauses, "share > 10 %")
#define FINE(condition) WAITS("Fine", EVERYWHERE " REFINES Slow;", condition)

static const char *asked(const char *properties)
{
	struct arena *arena = arena_new();
	struct search search = replayed(arena, replay_parse(arena, "test", program(arena)),
					properties_of(arena, properties), "why_where");

	return history(&search, NULL);
}

/* Fine is true of the phase: where it is fine is asked, not where it is slow. */
TEST(why_where__why_before_where)
{
	CHECK_STR(asked(SLOW("") FINE("share > 55 %")), "Slow@0+ Fine@0+ Fine@1- Fine@8- Fine@11-");
}

/* Fine is false of the phase, and of each region: next in the list is where. */
TEST(why_where__where_if_why_is_false)
{
	CHECK_STR(
		asked(SLOW("") FINE("share > 70 %")),
		"Slow@0+ Fine@0- Slow@1+ Slow@8- Slow@11+ Fine@1- Fine@11- Slow@2+ Fine@2- Slow@6+ "
		"Fine@6-");
}

/* A hint at parallel regions: these come first, and as some are slow, why is asked of those. */
TEST(why_where__a_hint_is_considered_first)
{
	CHECK_STR(asked(SLOW(" HINT \"where PARALLEL_REGION\";") FINE("share > 30 %")),
		  "Slow@0+ Slow@1+ Slow@8- Slow@11+ Fine@1+ Fine@11- Fine@2+ Fine@6-");
}

/* A hint at one of two more specific properties: the other one is not needed. */
TEST(why_where__a_hint_orders_properties)
{
	const char *other = WAITS("Other", EVERYWHERE " REFINES Slow;", "share > 1 %");
	struct arena *arena = arena_new();

	CHECK_STR(asked(arena_printf(arena, "%s%s%s", SLOW(" HINT \"why Fine\";"),
				     FINE("share > 55 %"), other)),
		  "Slow@0+ Fine@0+ Fine@1- Fine@8- Fine@11-");
	/* … unless it is false: a hint only orders */
	CHECK_STR(asked(arena_printf(
			  arena, "%s%s%s", SLOW(" HINT \"why Fine\";"), FINE("share > 70 %"),
			  WAITS("Other", "KINDS USER_REGION; REFINES Slow;", "share > 1 %"))),
		  "Slow@0+ Fine@0- Other@0+");
}

/* Several bottlenecks are followed side by side. */
TEST(why_where__two_roots)
{
	CHECK_STR(asked(WAITS("One", "KINDS USER_REGION, PARALLEL_REGION;", "share > 30 %") WAITS(
			  "Two", "KINDS USER_REGION, PARALLEL_REGION;", "share > 10 %")),
		  "One@0+ Two@0+ One@1+ One@8- One@11- Two@1+ Two@8- Two@11+");
}

TEST(why_where__nothing_is_refined_where_nothing_is)
{
	CHECK_STR(asked(WAITS("Never", EVERYWHERE, "share > 90 %") FINE("share > 1 %") SLOW("")),
		  "Never@0- Slow@0+ Fine@0+ Fine@1+ Fine@8+ Fine@11+ Fine@2+ Fine@9+ Fine@6+");
}

/* The planted imbalance, down to the thread, with fewer questions than property_refine. */
TEST(why_where__finds_what_a_run_has)
{
	struct arena *arena = arena_new();
	struct property_set *set = property_set_load(arena, "properties", NULL);
	struct search search = replayed(
		arena, replay_read(arena, "tests/experiments/imbalance.txt"), set, "why_where");
	struct search refine = replayed(arena,
					replay_read(arena, "tests/experiments/imbalance.txt"), set,
					"property_refine");

	CHECK_STR(history(&search, "LoadImbalance"), "LoadImbalance@0+");
	CHECK_STR(history(&search, "ImbalanceInRegion"),
		  "ImbalanceInRegion@1+ ImbalanceInRegion@3-");
	CHECK_STR(history(&search, "SlowThreads"), history(&refine, "SlowThreads"));
	CHECK_THAT(engine_nodes(search.engine), <=, engine_nodes(refine.engine));
}
