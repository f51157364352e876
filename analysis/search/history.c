/* SPDX-License-Identifier: Apache-2.0 */
/* The search history graph: nodes, the index over them, and the queue. */
#include "analysis/search/history.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/hash.h"

#define BLOCK_NODES 32

void history_init(struct history *history, struct arena *arena)
{
	*history = (struct history){ .arena = arena };
}

/* ------------------------------------------------------------------ index */

static uint64_t hash(const struct ms_candidate *candidate)
{
	uint64_t value = hash_word((uint64_t)candidate->property << 32 | candidate->region) ^
			 candidate->thread ^ (uint64_t)candidate->interval << 32;

	value *= 0xbf58476d1ce4e5b9u;
	return value ^ value >> 31;
}

static bool is_at(const struct history *history, uint32_t id, const struct ms_candidate *candidate)
{
	const struct ms_candidate *at = &history->nodes[id]->node.candidate;

	return at->property == candidate->property && at->region == candidate->region &&
	       at->thread == candidate->thread && at->interval == candidate->interval;
}

/* The slot of the node, or a free slot. */
static struct index_slot *slot_of(const struct history *history,
				  const struct ms_candidate *candidate)
{
	struct index_slot *slot = index_first(&history->index, hash(candidate));

	while (slot->row && !is_at(history, slot->row - 1, candidate))
		slot = index_next(&history->index, slot);
	return slot;
}

uint32_t history_find(const struct history *history, const struct ms_candidate *candidate)
{
	/* a free slot is no node */
	return history->index.nr ? slot_of(history, candidate)->row - 1 : MS_NODE_NONE;
}
_Static_assert((uint32_t)-1 == MS_NODE_NONE, "the row before the first one is none");

static struct history_node *node_new(struct history *history)
{
	if (!history->block_left) {
		history->block = arena_alloc(history->arena, BLOCK_NODES * sizeof(*history->block));
		history->block_left = history->block ? BLOCK_NODES : 0;
	}
	if (!history->block_left ||
	    !ARENA_GROW(history->arena, history->nodes, history->nr, history->room))
		return NULL;
	history->block_left--;
	return history->block++;
}

struct history_node *history_add(struct history *history, const struct ms_candidate *candidate)
{
	struct history_node *node;
	struct index_slot *slot;

	if (!index_reserve(&history->index, history->arena))
		return NULL;
	slot = slot_of(history, candidate);
	if (slot->row)
		return NULL;
	node = node_new(history);
	if (!node)
		return NULL;
	*node = (struct history_node){ .node = { .id = (uint32_t)history->nr,
						 .candidate = *candidate } };
	node->node.verdict = (struct ms_verdict){
		.truth = MS_UNKNOWN,
		.missing = MS_MISSING_NOT_REQUESTED,
		.missing_metric = -1,
	};
	history->nodes[history->nr] = node;
	index_enter(&history->index, slot, hash(candidate), (uint32_t)history->nr++);
	return node;
}

/* ------------------------------------------------------------------ queue */

bool history_before(const struct history_node *a, const struct history_node *b)
{
	if (a->turns != b->turns)
		return a->turns < b->turns;
	if (a->earlier != b->earlier)
		return a->earlier > b->earlier;
	if (a->node.candidate.priority != b->node.candidate.priority)
		return a->node.candidate.priority > b->node.candidate.priority;
	if (a->hinted != b->hinted)
		return a->hinted;
	if (a->why != b->why)
		return a->why;
	if (a->when != b->when)
		return b->when;
	if (a->parent_severity > b->parent_severity || a->parent_severity < b->parent_severity)
		return a->parent_severity > b->parent_severity;
	if (a->time > b->time || a->time < b->time)
		return a->time > b->time;
	return a->node.id < b->node.id;
}

static bool before(const struct history *history, uint32_t left, uint32_t right)
{
	return history_before(history->nodes[left], history->nodes[right]);
}

static void swap(uint32_t *a, uint32_t *b)
{
	uint32_t kept = *a;

	*a = *b;
	*b = kept;
}

bool history_push(struct history *history, struct history_node *node)
{
	size_t at = history->nr_queued;

	if (node->queued)
		return true;
	if (!ARENA_GROW(history->arena, history->queue, history->nr_queued, history->room_queue))
		return false;
	node->queued = true;
	history->queue[history->nr_queued++] = node->node.id;
	for (; at && before(history, history->queue[at], history->queue[(at - 1) / 2]);
	     at = (at - 1) / 2)
		swap(&history->queue[at], &history->queue[(at - 1) / 2]);
	return true;
}

static void sift_down(struct history *history, size_t at)
{
	for (;;) {
		size_t first = at;

		for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < history->nr_queued;
		     child++)
			if (before(history, history->queue[child], history->queue[first]))
				first = child;
		if (first == at)
			return;
		swap(&history->queue[at], &history->queue[first]);
		at = first;
	}
}

struct history_node *history_pop(struct history *history)
{
	struct history_node *node;

	if (!history->nr_queued)
		return NULL;
	node = history->nodes[history->queue[0]];
	history->queue[0] = history->queue[--history->nr_queued];
	sift_down(history, 0);
	node->queued = false;
	return node;
}
