/* SPDX-License-Identifier: Apache-2.0 */
/* Regions, the functions that lead to them, and their data structures as a tree. */
#include "analysis/differential/call_tree.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"

#define ARROW " -> "  /* between functions of profile_place.path */
#define ROUNDING 1e-9 /* relative: sums of doubles in another order */

static const struct profile_place *any_of(const struct match *match, uint32_t place)
{
	const struct matched_place *of = &match->places[place];

	return of->of[MATCH_NEW] ? of->of[MATCH_NEW] : of->of[MATCH_BASE];
}

static uint32_t add_node(struct call_tree *tree, struct call_node node)
{
	struct call_node *parent;
	uint32_t number = (uint32_t)tree->nr;

	if (!node.name || !ARENA_GROW(tree->arena, tree->nodes, tree->nr, tree->room)) {
		tree->failed = true;
		return CALL_NONE;
	}
	node.first = node.last = node.next = CALL_NONE;
	tree->nodes[tree->nr++] = node;
	if (node.parent == CALL_NONE)
		return number;
	parent = &tree->nodes[node.parent];
	tree->nodes[number].depth = parent->depth + 1;
	if (parent->last == CALL_NONE)
		parent->first = number;
	else
		tree->nodes[parent->last].next = number;
	parent->last = number;
	return number;
}

/* ------------------------------------------------------------------ finding */

static uint64_t hash_of(const struct call_node *node)
{
	uint64_t hash = hash_word((uint64_t)node->parent << 32 | node->array);

	return node->kind == CALL_FUNCTION ? hash_bytes(hash, node->name, strlen(node->name))
					   : hash;
}

static bool is_same(const struct call_node *a, const struct call_node *b)
{
	return a->parent == b->parent && a->kind == b->kind && a->array == b->array &&
	       (a->kind != CALL_FUNCTION || !strcmp(a->name, b->name));
}

/* The slot of the node, or a free slot. */
static struct index_slot *slot_of(const struct call_tree *tree, const struct call_node *node,
				  uint64_t hash)
{
	struct index_slot *slot = index_first(&tree->index, hash);

	while (slot->row && !is_same(&tree->nodes[slot->row - 1], node))
		slot = index_next(&tree->index, slot);
	return slot;
}

/* A function or data structure, added where it is not there. */
static uint32_t find_node(struct call_tree *tree, struct call_node node)
{
	struct index_slot *slot;
	uint64_t hash;

	if (!node.name || !index_reserve(&tree->index, tree->arena)) {
		tree->failed = true;
		return CALL_NONE;
	}
	hash = hash_of(&node);
	slot = slot_of(tree, &node, hash);
	if (!slot->row) {
		uint32_t number = add_node(tree, node);

		if (number == CALL_NONE)
			return CALL_NONE;
		index_enter(&tree->index, slot, hash, number);
	}
	return slot->row - 1;
}

/* ------------------------------------------------------------------ functions and regions */

/* The node of the last function of a path. */
static uint32_t functions_node(struct call_tree *tree, const char *path)
{
	uint32_t node = 0;

	while (*path && node != CALL_NONE) {
		const char *arrow = strstr(path, ARROW);
		size_t length = arrow ? (size_t)(arrow - path) : strlen(path);

		node = find_node(tree, (struct call_node){
					       .kind = CALL_FUNCTION,
					       .parent = node,
					       .place = PROFILE_NONE,
					       .array = PROFILE_NONE,
					       .name = arena_strndup(tree->arena, path, length),
				       });
		path += length + (arrow ? strlen(ARROW) : 0);
	}
	return node;
}

static bool is_phase(const struct match *match, uint32_t place)
{
	return any_of(match, place)->kind == MS_USER_REGION;
}

/*
 * Regions around a region first. A place that is being added counts as the phase, as sides may
 * disagree which of two regions lies in the other.
 */
static uint32_t add_place(struct call_tree *tree, uint32_t place)
{
	uint32_t around = tree->match->places[place].parent;
	const struct profile_place *of = any_of(tree->match, place);
	uint32_t parent;

	if (tree->of_place[place] != CALL_NONE)
		return tree->of_place[place];
	tree->of_place[place] = 0;
	if (is_phase(tree->match, place))
		return 0;
	/* a function that is charged with what is below it */
	if (of->kind == MS_SUB_REGION) {
		tree->of_place[place] = functions_node(tree, of->path);
		return tree->of_place[place];
	}
	parent = around == MATCH_NONE || is_phase(tree->match, around)
			 ? functions_node(tree, of->path)
			 : add_place(tree, around);
	if (parent == CALL_NONE)
		return CALL_NONE;
	tree->of_place[place] = add_node(tree, (struct call_node){ .kind = CALL_REGION,
								   .parent = parent,
								   .place = place,
								   .array = PROFILE_NONE,
								   .name = of->words });
	return tree->of_place[place];
}

static uint32_t phase_of(const struct match *match)
{
	for (uint32_t i = 0; i < match->nr_places; i++)
		if (is_phase(match, i))
			return i;
	return PROFILE_NONE;
}

bool call_tree_build(struct arena *arena, const struct match *match, struct call_tree *out)
{
	uint32_t phase = phase_of(match);

	*out = (struct call_tree){ .arena = arena, .match = match };
	out->of_place = arena_alloc(arena, (match->nr_places + 1) * sizeof(*out->of_place));
	if (!out->of_place)
		return false;
	for (size_t i = 0; i < match->nr_places; i++)
		out->of_place[i] = CALL_NONE;
	add_node(out, (struct call_node){
			      .kind = CALL_PHASE,
			      .parent = CALL_NONE,
			      .place = phase,
			      .array = PROFILE_NONE,
			      .name = phase == PROFILE_NONE ? "the whole phase"
							    : any_of(match, phase)->words,
		      });
	for (uint32_t i = 0; i < match->nr_places && !out->failed; i++)
		add_place(out, i);
	return !out->failed;
}

/* ------------------------------------------------------------------ data structures */

uint32_t call_tree_node(struct call_tree *tree, uint32_t place, uint32_t array)
{
	uint32_t parent = tree->of_place[place];

	if (array == PROFILE_NONE)
		return parent;
	return find_node(tree, (struct call_node){ .kind = CALL_DATA,
						   .parent = parent,
						   .place = place,
						   .array = array,
						   .name = match_array_words(tree->match, array) });
}

/* ------------------------------------------------------------------ values */

static double sum(double a, double b)
{
	return isnan(a) ? b : isnan(b) ? a : a + b;
}

static double own_value(const struct call_node *node, double value, bool exclusive, double of_data,
			double of_inner)
{
	double below = (isnan(of_data) ? 0 : of_data) + (exclusive && node->kind == CALL_REGION ? 0
							 : isnan(of_inner)                      ? 0
									   : of_inner);

	return isnan(value) ? NAN : value - below > ROUNDING * value ? value - below : 0;
}

/*
 * Parents are before their children: from the end on, what is below a node is complete when it is
 * reached, data structures in `own` and all others in `total`.
 */
void call_tree_sum(const struct call_tree *tree, const double *values, bool exclusive, double *own,
		   double *total)
{
	for (size_t i = 0; i < tree->nr; i++)
		own[i] = total[i] = NAN;
	for (size_t i = tree->nr; i-- > 0;) {
		const struct call_node *node = &tree->nodes[i];
		double below = sum(own[i], total[i]);

		own[i] = own_value(node, values[i], exclusive, own[i], total[i]);
		total[i] = sum(own[i], below);
		if (node->kind == CALL_DATA)
			own[node->parent] = sum(own[node->parent], total[i]);
		else if (node->parent != CALL_NONE)
			total[node->parent] = sum(total[node->parent], total[i]);
	}
}
