/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tree of places: functions, regions within regions, data structures; values alone and in all.
 */
#include "analysis/differential/call_tree.h"

#include "tests/unit/diff_profiles.h"

static const enum match_side sides[] = { MATCH_BASE, MATCH_NEW };

struct trees {
	struct arena *arena;
	struct match match;
	struct call_tree tree;
	double values[32], own[32], total[32];
};

static void build(struct trees *trees, const struct profile *const *profiles, size_t nr)
{
	CHECK(match_profiles(trees->arena, profiles, sides, nr, &trees->match));
	CHECK(call_tree_build(trees->arena, &trees->match, &trees->tree));
	for (size_t i = 0; i < 32; i++)
		trees->values[i] = NAN;
}

static uint32_t find(const struct trees *trees, const char *name)
{
	for (uint32_t i = 0; i < trees->tree.nr; i++)
		if (!strcmp(trees->tree.nodes[i].name, name))
			return i;
	test_fail(__FILE__, __LINE__, "no node %s", name);
}

static const char *parent_of(const struct trees *trees, const char *name)
{
	return trees->tree.nodes[trees->tree.nodes[find(trees, name)].parent].name;
}

/* Two regions below main -> step, of which one has an inner region; one is in another function. */
static struct profile *nested(struct arena *arena)
{
	struct profile *profile = diff_profile(arena, "a", 2);
	uint32_t outer = diff_place(arena, profile, "calc", 10, "main -> step -> calc", 0),
		 inner = diff_place(arena, profile, "calc", 12, "main -> step -> calc", 0);

	profile->places[inner].parent = outer;
	diff_place(arena, profile, "copy", 30, "main -> step -> copy", 0);
	diff_place(arena, profile, "bare", 40, "", 0);
	diff_array(arena, profile, "u", 1);
	return profile;
}

TEST(call_tree__functions_are_shared)
{
	struct trees trees = { .arena = arena_new() };
	const struct profile *profiles[] = { nested(trees.arena), nested(trees.arena) };
	uint32_t node;

	build(&trees, profiles, 2);
	CHECK_INT(trees.tree.nr, 9); /* phase, main, step, calc, copy, four regions */
	CHECK_INT(trees.tree.nodes[0].kind, CALL_PHASE);
	CHECK_STR(parent_of(&trees, "main"), "the whole phase");
	CHECK_STR(parent_of(&trees, "calc"), "step");
	CHECK_STR(parent_of(&trees, "copy"), "step");
	CHECK_STR(parent_of(&trees, "loop in calc (swim.c:12)"), "loop in calc (swim.c:10)");
	CHECK_STR(parent_of(&trees, "loop in bare (swim.c:40)"), "the whole phase");
	CHECK_INT(trees.tree.nodes[find(&trees, "loop in calc (swim.c:12)")].depth, 5);
	node = call_tree_node(&trees.tree, 3, 0);
	CHECK_INT(call_tree_node(&trees.tree, 3, 0), node);
	CHECK_INT(trees.tree.nodes[node].kind, CALL_DATA);
	CHECK_STR(trees.tree.nodes[node].name, "u");
	CHECK_INT(trees.tree.nodes[node].parent, trees.tree.of_place[3]);
	arena_free(trees.arena);
}

TEST(call_tree__values_alone_and_in_all)
{
	struct trees trees = { .arena = arena_new() };
	const struct profile *profiles[] = { nested(trees.arena) };
	uint32_t outer, inner, data;

	build(&trees, profiles, 1);
	data = call_tree_node(&trees.tree, 2, 0);
	outer = find(&trees, "loop in calc (swim.c:10)");
	inner = find(&trees, "loop in calc (swim.c:12)");
	trees.values[0] = 100;
	trees.values[outer] = 60;
	trees.values[inner] = 50;
	trees.values[data] = 45;
	call_tree_sum(&trees.tree, trees.values, false, trees.own, trees.total);
	CHECK_NEAR(trees.own[0], 40, 1e-9);
	CHECK_NEAR(trees.own[outer], 10, 1e-9);
	CHECK_NEAR(trees.own[inner], 5, 1e-9);
	CHECK_NEAR(trees.own[data], 45, 1e-9);
	CHECK(isnan(trees.own[find(&trees, "step")]));
	CHECK_NEAR(trees.total[find(&trees, "step")], 60, 1e-9);
	CHECK(isnan(trees.total[find(&trees, "copy")]));
	CHECK_NEAR(trees.total[0], 100, 1e-9);
	trees.values[0] = 110;
	call_tree_sum(&trees.tree, trees.values, true, trees.own, trees.total);
	CHECK_NEAR(trees.own[outer], 60, 1e-9);
	CHECK_NEAR(trees.own[inner], 5, 1e-9);
	CHECK_NEAR(trees.total[outer], 110, 1e-9);
	CHECK_NEAR(trees.own[0], 0, 0);
	CHECK_NEAR(trees.total[0], 110, 1e-9);
	arena_free(trees.arena);
}

/* Times of inner regions, measured in other executions, may be more than the outer one's. */
TEST(call_tree__no_value_is_negative)
{
	struct trees trees = { .arena = arena_new() };
	const struct profile *profiles[] = { nested(trees.arena) };
	uint32_t outer, inner;

	build(&trees, profiles, 1);
	outer = find(&trees, "loop in calc (swim.c:10)");
	inner = find(&trees, "loop in calc (swim.c:12)");
	trees.values[outer] = 60;
	trees.values[inner] = 61;
	call_tree_sum(&trees.tree, trees.values, false, trees.own, trees.total);
	CHECK_NEAR(trees.own[outer], 0, 0);
	CHECK_NEAR(trees.total[outer], 61, 1e-9);
	CHECK(isnan(trees.own[0]));
	CHECK_NEAR(trees.total[0], 61, 1e-9);
	arena_free(trees.arena);
}

/* PROFILE_BY_CALLER has places for functions, which are nodes already. */
TEST(call_tree__callers_are_functions)
{
	struct trees trees = { .arena = arena_new() };
	struct profile *profile = nested(trees.arena);
	const struct profile *profiles[] = { profile };
	uint32_t step = diff_place(trees.arena, profile, "step", 0, "main -> step", 0);

	profile->places[step].kind = MS_SUB_REGION;
	build(&trees, profiles, 1);
	CHECK_INT(trees.tree.nr, 9);
	CHECK_INT(call_tree_node(&trees.tree, step, PROFILE_NONE), find(&trees, "step"));
	trees.values[find(&trees, "step")] = 60;
	trees.values[find(&trees, "loop in calc (swim.c:10)")] = 50;
	call_tree_sum(&trees.tree, trees.values, true, trees.own, trees.total);
	CHECK_NEAR(trees.own[find(&trees, "step")], 10, 1e-9);
	CHECK_NEAR(trees.total[find(&trees, "step")], 60, 1e-9);
	arena_free(trees.arena);
}
