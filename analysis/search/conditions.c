/* SPDX-License-Identifier: Apache-2.0 */
/* Pre- and anti-conditions of properties: whether a candidate may be tested. */
#include "analysis/search/engine_private.h"

static bool is_undecided(const struct history_node *node)
{
	return node->node.state == MS_NODE_PENDING || node->node.state == MS_NODE_ACTIVE;
}

/* Asks about the condition at a region, on behalf of the candidate and before it. */
static void ask(struct engine *engine, uint32_t condition, uint32_t region,
		const struct ms_candidate *candidate)
{
	struct ms_candidate question = {
		.property = condition,
		.region = region,
		.thread = MS_REQUEST_ALL_THREADS,
		.interval = candidate->interval,
		.parent = candidate->parent,
		.priority = candidate->priority + 1,
	};

	engine_candidate(engine, &question);
}

/* The node of a condition at a region during the candidate's interval, or MS_NODE_NONE. */
static uint32_t node_of(const struct engine *engine, uint32_t condition, uint32_t region,
			const struct ms_candidate *candidate)
{
	return history_find(&engine->history,
			    &(struct ms_candidate){ .property = condition,
						    .region = region,
						    .thread = MS_REQUEST_ALL_THREADS,
						    .interval = candidate->interval });
}

/*
 * Truth of a condition at the region or an enclosing one: MS_TRUE if it is anywhere; MS_FALSE if it
 * is decided wherever it applies, and nowhere true; MS_UNKNOWN: being asked, nearest region first.
 */
static enum ms_truth chain_truth(struct engine *engine, uint32_t condition,
				 const struct ms_candidate *candidate)
{
	const struct property *property = engine_property(engine, condition);
	uint32_t unasked = MS_REGION_NONE;
	bool undecided = false;
	struct ms_region_info at;

	for (uint32_t region = candidate->region; database_region_info(engine->db, region, &at);
	     region = at.parent) {
		uint32_t id = node_of(engine, condition, region, candidate);
		const struct history_node *node = history_at(&engine->history, id);

		if (node && node->node.state == MS_NODE_TRUE)
			return MS_TRUE;
		undecided |= node && is_undecided(node);
		if (!node && unasked == MS_REGION_NONE && engine_can_ask(engine, property, &at))
			unasked = region;
	}
	if (undecided)
		return MS_UNKNOWN;
	if (unasked == MS_REGION_NONE)
		return MS_FALSE;
	ask(engine, condition, unasked, candidate);
	if (node_of(engine, condition, unasked, candidate) == MS_NODE_NONE)
		return MS_FALSE; /* no memory for the question */
	return engine->progress.finishing ? chain_truth(engine, condition, candidate) : MS_UNKNOWN;
}

enum gate gate_of(struct engine *engine, const struct ms_candidate *candidate)
{
	const struct property *property = engine_property(engine, candidate->property);
	enum gate gate = GATE_OPEN;
	const uint32_t *conditions;
	size_t nr = property_preconditions(property, &conditions);

	for (size_t i = 0; i < nr; i++) {
		enum ms_truth truth = chain_truth(engine, conditions[i], candidate);

		if (truth == MS_FALSE)
			return GATE_CLOSED;
		gate = truth == MS_TRUE ? gate : GATE_WAIT;
	}
	nr = property_anticonditions(property, &conditions);
	for (size_t i = 0; i < nr; i++) {
		enum ms_truth truth = chain_truth(engine, conditions[i], candidate);

		if (truth == MS_TRUE)
			return GATE_CLOSED;
		gate = truth == MS_FALSE ? gate : GATE_WAIT;
	}
	return gate;
}
