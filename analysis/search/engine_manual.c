/* SPDX-License-Identifier: Apache-2.0 */
/* Refinement by hand: candidates that a person chooses. */
#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/search/engine_private.h"

size_t engine_ask(struct engine *engine, const struct ms_candidate *candidates, size_t nr)
{
	size_t before = engine->history.nr, asked = 0;

	for (size_t i = 0; i < nr; i++) {
		engine_candidate(engine, &candidates[i]);
		asked += history_find(&engine->history, &candidates[i]) != MS_NODE_NONE;
	}
	if (engine->history.nr != before)
		engine_step(engine);
	return asked;
}

bool engine_can_test(const struct engine *engine, const struct ms_candidate *candidate)
{
	const struct property *property = engine_property(engine, candidate->property);
	struct ms_region_info region;

	return property && database_region_info(engine->db, candidate->region, &region) &&
	       engine_can_ask(engine, property, &region);
}

static struct history_node node_of(const struct engine *engine,
				   const struct ms_candidate *candidate)
{
	struct history_node node = { .node = { .candidate = *candidate } };

	engine_set_order(engine, &node);
	return node;
}

bool engine_is_hinted(const struct engine *engine, const struct ms_candidate *candidate)
{
	return node_of(engine, candidate).hinted;
}

static int by_queue(const void *left, const void *right)
{
	const struct history_node *const *a = left, *const *b = right;

	return history_before(*a, *b) ? -1 : history_before(*b, *a);
}

bool engine_order(const struct engine *engine, struct ms_candidate *candidates, size_t nr)
{
	struct history_node *nodes = arena_alloc(engine->arena, (nr + 1) * sizeof(*nodes));
	struct history_node **order = arena_alloc(engine->arena, (nr + 1) * sizeof(*order));

	if (!nodes || !order)
		return false;
	for (size_t i = 0; i < nr; i++) {
		nodes[i] = node_of(engine, &candidates[i]);
		nodes[i].node.id = (uint32_t)i;
		order[i] = &nodes[i];
	}
	sort(order, nr, sizeof(*order), by_queue);
	for (size_t i = 0; i < nr; i++)
		candidates[i] = order[i]->node.candidate;
	return true;
}
