/* SPDX-License-Identifier: Apache-2.0 */
/* Searches by hand over a recorded run, against the search of the strategy alone. */
#include "analysis/search/by_hand.h"
#include "analysis/search/engine_results.h"

#include "analysis/cmds/searched.h"
#include "analysis/properties/property.h"
#include "memsearch/request.h"
#include "tests/unit/searched_run.h"
#include "tests/unit/shipped_strategy.h"

#define EVERYTHING UINT32_MAX

struct hand {
	struct arena *arena;
	struct run run;
	struct searched searched;
	struct searched_how how;
	struct by_hand *by_hand;
};

static void hand_begin(struct hand *hand, const char *strategy, bool by_hand)
{
	*hand = (struct hand){ .arena = arena_new() };
	searched_run(&hand->run, hand->arena);
	hand->how = (struct searched_how){
		.properties = property_set_load(hand->arena, "properties", NULL),
		.overhead_limit = 0.05,
		.executions_most = 1000,
	};
	hand->searched.path = "test";
	hand->searched.run = &hand->run;
	hand->searched.strategy = shipped_strategy(hand->arena, strategy);
	if (by_hand) {
		hand->by_hand = by_hand_new(hand->arena, hand->searched.strategy);
		hand->searched.strategy = by_hand_strategy(hand->by_hand);
	}
	CHECK(searched_begin(&hand->searched, hand->arena, &hand->how));
}

static size_t list(struct hand *hand, unsigned int axes, const struct by_hand_candidate **out)
{
	return by_hand_list(hand->by_hand, hand->searched.search.engine, axes, out);
}

static void measure(struct hand *hand)
{
	while (monitored_search_advance(&hand->searched.search))
		;
}

static const char *name_of(const struct hand *hand, const struct ms_candidate *candidate)
{
	return property_name(hand->how.properties->properties[candidate->property]);
}

/* Tests the one of that name in that region. */
static void choose(struct hand *hand, const char *property, uint32_t region)
{
	const struct by_hand_candidate *candidates;
	size_t nr = list(hand, EVERYTHING, &candidates);

	for (size_t i = 0; i < nr; i++)
		if (candidates[i].candidate.region == region &&
		    candidates[i].candidate.thread == MS_REQUEST_ALL_THREADS &&
		    !strcmp(name_of(hand, &candidates[i].candidate), property)) {
			CHECK_INT(monitored_search_ask(&hand->searched.search,
						       &candidates[i].candidate, 1),
				  1);
			measure(hand);
			return;
		}
	test_fail(__FILE__, __LINE__, "%s at region %u is no candidate", property, region);
}

static enum ms_node_state state_of(const struct hand *hand, const char *property, uint32_t region)
{
	const struct engine *engine = hand->searched.search.engine;

	for (uint32_t id = 0; id < engine_nodes(engine); id++) {
		const struct engine_node *node = engine_node(engine, id);

		if (node->candidate.region == region &&
		    !strcmp(name_of(hand, &node->candidate), property))
			return node->state;
	}
	return MS_NODE_STATES;
}

/* True and false ones, whatever the order. */
static size_t count(const struct hand *hand, enum ms_node_state state)
{
	size_t nr = 0;

	for (size_t i = 0; i < engine_nodes(hand->searched.search.engine); i++)
		nr += engine_node(hand->searched.search.engine, (uint32_t)i)->state == state;
	return nr;
}

TEST(by_hand__nothing_is_tested_until_it_is_chosen)
{
	const struct by_hand_candidate *candidates;
	struct hand hand;

	hand_begin(&hand, "property_refine", true);
	measure(&hand);
	CHECK_INT(engine_nodes(hand.searched.search.engine), 0);
	CHECK_INT(hand.searched.search.executions, 0);
	/* roots, all of which the strategy proposes */
	CHECK_THAT(list(&hand, BY_HAND_WHY, &candidates), >, 5);
	CHECK(candidates[0].proposed);
	CHECK_INT(list(&hand, BY_HAND_THREADS, &candidates), 0);
}

/* Four choices lead to what unbalanced_misses.txt plants; the strategy alone tests 65 candidates. */
TEST(by_hand__a_path_of_choices)
{
	struct hand hand;

	hand_begin(&hand, "property_refine", true);
	choose(&hand, "MemoryBound", 0);
	CHECK_INT(state_of(&hand, "MemoryBound", 0), MS_NODE_TRUE);
	choose(&hand, "L3DataMissRateInSomeThread", 0);
	choose(&hand, "UnbalancedL3DataMissRate", 0);
	choose(&hand, "UnbalancedL3DataMissRate", 1);
	choose(&hand, "UnbalancedL3DataMissRate", 2);
	CHECK_INT(state_of(&hand, "UnbalancedL3DataMissRate", 2), MS_NODE_TRUE);
	CHECK_INT(state_of(&hand, "SerialWork", 0), MS_NODE_STATES);
	CHECK_THAT(engine_nodes(hand.searched.search.engine), <, 15);
}

TEST(by_hand__axes)
{
	static const unsigned int axes[] = { BY_HAND_WHY, BY_HAND_CODE, BY_HAND_THREADS };
	const struct by_hand_candidate *candidates;
	struct hand hand;

	hand_begin(&hand, "property_refine", true);
	choose(&hand, "MemoryBound", 0);
	for (size_t i = 0; i < 3; i++) {
		size_t nr = list(&hand, axes[i], &candidates);

		CHECK_THAT(nr, >, 0);
		while (nr--)
			CHECK_INT(candidates[nr].axis, axes[i]);
	}
	/* one for each thread of the phase, which has four */
	CHECK_INT(list(&hand, BY_HAND_THREADS, &candidates), 4);
	CHECK_INT(candidates[3].candidate.thread, 3);
	CHECK(!candidates[3].proposed);
	CHECK_INT(list(&hand, BY_HAND_CODE, &candidates), 1);
	CHECK_INT(candidates[0].candidate.region, 1);
	CHECK_INT(list(&hand, BY_HAND_DATA, &candidates), 0);
}

/* Whoever chooses what the strategy proposes gets what it finds alone. */
TEST(by_hand__all_that_is_proposed_is_the_automatic_search)
{
	static const char *const strategies[] = { "property_refine", "data_structure_refine" };

	for (size_t k = 0; k < 2; k++) {
		const struct by_hand_candidate *candidates;
		struct hand alone, hand;
		size_t nr;

		hand_begin(&alone, strategies[k], false);
		measure(&alone);
		hand_begin(&hand, strategies[k], true);
		while ((nr = list(&hand, BY_HAND_PROPOSED, &candidates)) > 0) {
			struct ms_candidate chosen[128];

			CHECK_THAT(nr, <=, 128);
			for (size_t i = 0; i < nr; i++)
				chosen[i] = candidates[i].candidate;
			CHECK_THAT(monitored_search_ask(&hand.searched.search, chosen, nr), >, 0);
			measure(&hand);
		}
		CHECK_INT(engine_nodes(hand.searched.search.engine),
			  engine_nodes(alone.searched.search.engine));
		CHECK_INT(count(&hand, MS_NODE_TRUE), count(&alone, MS_NODE_TRUE));
		CHECK_INT(count(&hand, MS_NODE_FALSE), count(&alone, MS_NODE_FALSE));
	}
}

TEST(by_hand__hints_come_first)
{
	const struct by_hand_candidate *candidates;
	bool hinted = true;
	struct hand hand;
	size_t nr;

	hand_begin(&hand, "property_refine", true);
	choose(&hand, "ParallelTime", 0);
	choose(&hand, "MemoryBound", 0);
	nr = list(&hand, EVERYTHING, &candidates);
	for (size_t i = 0; i < nr; i++) {
		CHECK(hinted || !candidates[i].hinted);
		hinted = candidates[i].hinted;
	}
}

/* Of the engine: what is a node already, or no candidate, adds nothing. */
TEST(by_hand__what_cannot_be_asked)
{
	struct ms_candidate candidates[] = {
		{ .property = 9999, .thread = MS_REQUEST_ALL_THREADS, .parent = MS_NODE_NONE },
		{ .region = 9999, .thread = MS_REQUEST_ALL_THREADS, .parent = MS_NODE_NONE },
	};
	struct hand hand;

	hand_begin(&hand, "property_refine", true);
	CHECK(!engine_can_test(hand.searched.search.engine, &candidates[0]));
	CHECK(!engine_can_test(hand.searched.search.engine, &candidates[1]));
	CHECK_INT(monitored_search_ask(&hand.searched.search, candidates, 2), 0);
	CHECK_INT(engine_nodes(hand.searched.search.engine), 0);
}
