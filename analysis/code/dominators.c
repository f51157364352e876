/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dominators by the simple form of the Lengauer-Tarjan algorithm (TOPLAS 1(1), 1979, 121-141),
 * O(edges × log blocks). Blocks are numbered by a depth-first search from a virtual root, number 0,
 * above the entry and the landing pads. No recursion: functions can have 100,000 blocks, and the
 * stack is the program's.
 */
#include "analysis/code/dominators.h"

#include "analysis/base/arena.h"

#define ROOT 0

struct walk {
	struct graph *graph;
	uint32_t *number; /* by block; 0: not reached */
	uint32_t nr;      /* numbers given, with the root's */
	/* numbers from here on are reached through landing pads only */
	uint32_t nr_normal;
	/* By number. */
	uint32_t *block, *parent, *semi, *label, *dominator;
	/* in the forest of processed blocks; GRAPH_NONE: its roots */
	uint32_t *ancestor;
	/* lists of those with the same semidominator; ROOT ends them */
	uint32_t *bucket, *next_in_bucket;
	uint32_t *stack, *next_edge;
};

static bool allocate(struct arena *arena, struct walk *walk, size_t nr_blocks)
{
	uint32_t **arrays[] = { &walk->number,    &walk->block,    &walk->parent,
				&walk->semi,      &walk->label,    &walk->ancestor,
				&walk->dominator, &walk->bucket,   &walk->next_in_bucket,
				&walk->stack,     &walk->next_edge };

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		*arrays[i] = arena_alloc(arena, (nr_blocks + 1) * sizeof(uint32_t));
		if (!*arrays[i])
			return false;
	}
	walk->ancestor[ROOT] = GRAPH_NONE;
	walk->nr = 1;
	return true;
}

static void number_block(struct walk *walk, uint32_t block, uint32_t parent)
{
	uint32_t number = walk->nr++;

	walk->number[block] = number;
	walk->block[number] = block;
	walk->parent[number] = parent;
	walk->semi[number] = walk->label[number] = number;
	walk->ancestor[number] = GRAPH_NONE;
	walk->graph->blocks[block].reachable = true;
}

static void walk_from(struct walk *walk, uint32_t start)
{
	uint32_t depth = 0;

	if (walk->number[start])
		return;
	number_block(walk, start, ROOT);
	walk->stack[depth++] = walk->number[start];
	while (depth) {
		uint32_t number = walk->stack[depth - 1];
		const struct graph_block *block = &walk->graph->blocks[walk->block[number]];
		uint32_t to;

		if (walk->next_edge[number] == block->nr_successors) {
			depth--;
			continue;
		}
		to = walk->graph->edges[block->first_successor + walk->next_edge[number]++];
		if (!walk->number[to]) {
			number_block(walk, to, number);
			walk->stack[depth++] = walk->number[to];
		}
	}
}

static void walk_all(struct walk *walk)
{
	struct graph *graph = walk->graph;

	for (size_t i = 0; i < graph->nr_blocks; i++)
		graph->blocks[i].reachable = false;
	walk_from(walk, 0);
	walk->nr_normal = walk->nr;
	for (uint32_t i = 0; i < graph->nr_blocks; i++)
		if (graph->blocks[i].landing_pad)
			walk_from(walk, i);
}

/* Path compression to the root of v's tree, with the minimal labels. */
static void compress(struct walk *walk, uint32_t v)
{
	uint32_t depth = 0;

	for (; walk->ancestor[walk->ancestor[v]] != GRAPH_NONE; v = walk->ancestor[v])
		walk->stack[depth++] = v;
	while (depth) {
		uint32_t low = walk->stack[--depth], above = walk->ancestor[low];

		if (walk->semi[walk->label[above]] < walk->semi[walk->label[low]])
			walk->label[low] = walk->label[above];
		walk->ancestor[low] = walk->ancestor[above];
	}
}

static uint32_t evaluate(struct walk *walk, uint32_t v)
{
	if (walk->ancestor[v] == GRAPH_NONE)
		return v;
	compress(walk, v);
	return walk->label[v];
}

/* Entries by the unwinder do not change the dominators of normal control flow. */
static bool counts(const struct walk *walk, uint32_t from, uint32_t to)
{
	return from && (from < walk->nr_normal || to >= walk->nr_normal);
}

static void find_semidominator(struct walk *walk, uint32_t v)
{
	const struct graph_block *block = &walk->graph->blocks[walk->block[v]];

	if (walk->parent[v] == ROOT || (block->landing_pad && v >= walk->nr_normal))
		walk->semi[v] = ROOT;
	for (uint32_t i = 0; i < block->nr_predecessors; i++) {
		uint32_t from = walk->number[walk->graph->sources[block->first_predecessor + i]],
			 low;

		if (!counts(walk, from, v))
			continue;
		low = walk->semi[evaluate(walk, from)];
		if (low < walk->semi[v])
			walk->semi[v] = low;
	}
}

static void empty_bucket(struct walk *walk, uint32_t parent)
{
	for (uint32_t v = walk->bucket[parent]; v; v = walk->next_in_bucket[v]) {
		uint32_t low = evaluate(walk, v);

		walk->dominator[v] = walk->semi[low] < walk->semi[v] ? low : parent;
	}
	walk->bucket[parent] = 0;
}

static void find_dominators(struct walk *walk)
{
	for (uint32_t v = walk->nr - 1; v > ROOT; v--) {
		uint32_t parent = walk->parent[v];

		find_semidominator(walk, v);
		walk->next_in_bucket[v] = walk->bucket[walk->semi[v]];
		walk->bucket[walk->semi[v]] = v;
		walk->ancestor[v] = parent;
		empty_bucket(walk, parent);
	}
	for (uint32_t v = 1; v < walk->nr; v++)
		if (walk->dominator[v] != walk->semi[v])
			walk->dominator[v] = walk->dominator[walk->dominator[v]];
}

/* Preorder: the blocks that a block dominates follow it consecutively. */
static bool order_tree(struct arena *arena, const struct walk *walk, struct dominators *out)
{
	uint32_t *nr_below = arena_alloc(arena, walk->nr * sizeof(*nr_below)), *next = walk->stack;
	size_t nr_blocks = walk->graph->nr_blocks;

	out->place = arena_alloc(arena, nr_blocks * sizeof(*out->place));
	out->nr_below = arena_alloc(arena, nr_blocks * sizeof(*out->nr_below));
	if (!nr_below || !out->place || !out->nr_below)
		return false;
	for (size_t i = 0; i < nr_blocks; i++)
		out->place[i] = GRAPH_NONE;
	for (uint32_t v = walk->nr - 1; v > ROOT; v--)
		nr_below[walk->dominator[v]] += ++nr_below[v];
	next[ROOT] = 0;
	for (uint32_t v = 1; v < walk->nr; v++) {
		uint32_t block = walk->block[v], place = next[walk->dominator[v]];

		out->place[block] = place;
		out->nr_below[block] = nr_below[v];
		next[walk->dominator[v]] += nr_below[v];
		next[v] = place + 1;
	}
	return true;
}

bool dominators_find(struct arena *arena, struct graph *graph, struct dominators *out)
{
	struct walk walk = { .graph = graph };

	if (!allocate(arena, &walk, graph->nr_blocks))
		return false;
	walk_all(&walk);
	find_dominators(&walk);
	for (size_t i = 0; i < graph->nr_blocks; i++)
		graph->blocks[i].dominator = GRAPH_NONE;
	for (uint32_t v = 1; v < walk.nr; v++)
		if (walk.dominator[v] != ROOT)
			graph->blocks[walk.block[v]].dominator = walk.block[walk.dominator[v]];
	return order_tree(arena, &walk, out);
}
