/* SPDX-License-Identifier: Apache-2.0 */
/* The when-axis of the search: nodes in intervals, when they are tested, and when they wait. */
#include "analysis/base/arena.h"
#include "analysis/search/database_intervals.h"
#include "analysis/search/database_reading.h"
#include "analysis/search/engine_private.h"

bool engine_interval_is_open(const struct engine *engine, uint32_t interval)
{
	return interval == MS_INTERVAL_WHOLE || engine->config.intervals_stay ||
	       database_intervals_open(engine->db) >> interval & 1;
}

/* ------------------------------------------------------------------ waiting */

void engine_enqueue(struct engine *engine, struct history_node *node)
{
	struct node_list *asleep = &engine->queue.asleep;

	if (engine_interval_is_open(engine, node->node.candidate.interval))
		history_push(&engine->history, node);
	else if (ARENA_GROW(engine->arena, asleep->items, asleep->nr, asleep->room))
		asleep->items[asleep->nr++] = node;
}

void engine_wake(struct engine *engine)
{
	struct node_list *asleep = &engine->queue.asleep;
	size_t kept = 0;

	for (size_t i = 0; i < asleep->nr; i++) {
		struct history_node *node = asleep->items[i];

		if (node->node.state != MS_NODE_PENDING)
			continue;
		if (engine_interval_is_open(engine, node->node.candidate.interval))
			history_push(&engine->history, node);
		else
			asleep->items[kept++] = node;
	}
	asleep->nr = kept;
}

bool engine_has_new_intervals(const struct engine *engine)
{
	uint64_t open = database_intervals_open(engine->db);

	if (open & ~engine->scope.known_intervals)
		return true;
	for (size_t i = 0; open && i < engine->queue.asleep.nr; i++)
		if (open >> engine->queue.asleep.items[i]->node.candidate.interval & 1)
			return true;
	return false;
}

/* ------------------------------------------------------------------ refinement */

static bool is_settled(const struct history_node *node)
{
	return node->node.state != MS_NODE_TRUE && node->node.state != MS_NODE_PENDING &&
	       node->node.state != MS_NODE_ACTIVE;
}

/* Refinements have larger ids than what they refine. */
static void find_refined(struct engine *engine)
{
	for (uint32_t id = 0; id < engine->history.nr; id++) {
		struct history_node *node = history_at(&engine->history, id), *parent;

		node->refined = false;
		parent = history_at(&engine->history, node->node.candidate.parent);
		if (parent && !node->when && !is_settled(node))
			parent->refined = true;
	}
}

struct known_intervals {
	struct ms_interval_info items[MS_INTERVALS_MOST];
	uint64_t around[MS_INTERVALS_MOST]; /* bits: all intervals that contain it */
	uint32_t nr;
};

static void know(const struct engine *engine, struct known_intervals *known)
{
	uint64_t before = 0, all = 1;

	*known = (struct known_intervals){ .nr = database_intervals(engine->db) };
	for (uint32_t i = 1; i < known->nr; i++) {
		database_interval_info(engine->db, i, &known->items[i]);
		known->around[i] = known->items[i].parents | 1u << MS_INTERVAL_WHOLE;
	}
	/* an interval and its parents are not in order: until nothing changes */
	while (all != before) {
		before = all;
		all = 0;
		for (uint32_t i = 1; i < known->nr; i++) {
			for (uint32_t j = 1; j < known->nr; j++)
				if (known->around[i] >> j & 1)
					known->around[i] |= known->around[j];
			all += (uint64_t)__builtin_popcountll(known->around[i]);
		}
	}
}

static void ask_during(struct engine *engine, struct history_node *node, uint32_t interval)
{
	struct ms_candidate candidate = node->node.candidate;

	node->intervals |= 1u << interval;
	candidate.interval = interval;
	candidate.parent = node->node.id;
	engine_candidate(engine, &candidate);
}

static void ask_within(struct engine *engine, struct history_node *node,
		       const struct known_intervals *known)
{
	for (uint32_t i = 1; i < known->nr; i++) {
		const struct ms_interval_info *info = &known->items[i];

		if ((info->open || info->executions) &&
		    known->around[i] >> node->node.candidate.interval & 1 &&
		    !(node->intervals >> i & 1))
			ask_during(engine, node, i);
	}
}

/*
 * Why, then where, then when: what is true, and no refinement of which is true or may be, is tested
 * in all intervals within its own (Hollingsworth and Miller 1993: Shmjoin's page faults belong to no
 * procedure and no process, but to a part of the run). Not level by level: the mean over an interval
 * hides what holds in a part of it.
 */
void engine_refine_when(struct engine *engine)
{
	struct known_intervals known;
	size_t nr = engine->history.nr;

	engine->scope.known_intervals |= database_intervals_open(engine->db);
	if (database_intervals(engine->db) == 1)
		return;
	know(engine, &known);
	find_refined(engine);
	for (uint32_t id = 0; id < nr; id++) {
		struct history_node *node = history_at(&engine->history, id);

		if (node->node.state == MS_NODE_TRUE && !node->refined)
			ask_within(engine, node, &known);
	}
}
