/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Natural loops: bodies of back edges, merged by header, nested by inclusion. Cycles with several
 * entries: strongly connected blocks of the function, or of a loop without its header, that are no
 * loop.
 */
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/code/dominators.h"

struct finding {
	struct arena *arena;
	struct graph *graph;
	const struct dominators *dominators;
	size_t loops_room, members_room, nr_members;
	uint32_t *seen; /* by block: the last loop it was put into, plus 1 */
};

static int by_size(const void *a, const void *b)
{
	const struct graph_loop *x = a, *y = b;

	if (x->nr_blocks != y->nr_blocks)
		return x->nr_blocks < y->nr_blocks ? 1 : -1;
	return (x->header > y->header) - (x->header < y->header);
}

static int by_depth(const void *a, const void *b)
{
	const struct graph_loop *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth > y->depth ? 1 : -1;
	return (x->header > y->header) - (x->header < y->header);
}

static bool add_member(struct finding *finding, uint32_t block)
{
	struct graph *graph = finding->graph;
	uint32_t loop = (uint32_t)graph->nr_loops + 1;

	if (!graph->blocks[block].reachable || finding->seen[block] == loop)
		return true;
	if (!ARENA_GROW(finding->arena, graph->members, finding->nr_members, finding->members_room))
		return false;
	finding->seen[block] = loop;
	graph->members[finding->nr_members++] = block;
	return true;
}

static bool is_back_edge(const struct finding *finding, uint32_t from, uint32_t header)
{
	return finding->graph->blocks[from].reachable &&
	       dominators_has(finding->dominators, header, from);
}

/*
 * Adds all blocks that reach a member without passing the header; the list of members is also the
 * work list.
 */
static bool fill(struct finding *finding, size_t next)
{
	struct graph *graph = finding->graph;

	for (; next < finding->nr_members; next++) {
		const struct graph_block *block = &graph->blocks[graph->members[next]];

		for (uint32_t i = 0; i < block->nr_predecessors; i++)
			if (!add_member(finding, graph->sources[block->first_predecessor + i]))
				return false;
	}
	return true;
}

static bool add_loop(struct finding *finding, uint32_t header)
{
	struct graph *graph = finding->graph;
	const struct graph_block *block = &graph->blocks[header];
	size_t first = finding->nr_members;

	if (!add_member(finding, header))
		return false;
	for (uint32_t i = 0; i < block->nr_predecessors; i++) {
		uint32_t from = graph->sources[block->first_predecessor + i];

		if (is_back_edge(finding, from, header) && !add_member(finding, from))
			return false;
	}
	if (!fill(finding, first + 1) ||
	    !ARENA_GROW(finding->arena, graph->loops, graph->nr_loops, finding->loops_room))
		return false;
	graph->loops[graph->nr_loops++] = (struct graph_loop){
		.header = header,
		.parent = GRAPH_NONE,
		.first_block = (uint32_t)first,
		.nr_blocks = (uint32_t)(finding->nr_members - first),
	};
	sort(graph->members + first, finding->nr_members - first, sizeof(*graph->members),
	     sort_by_number);
	return true;
}

static bool is_header(const struct finding *finding, uint32_t header)
{
	const struct graph_block *block = &finding->graph->blocks[header];

	for (uint32_t i = 0; block->reachable && i < block->nr_predecessors; i++)
		if (is_back_edge(finding, finding->graph->sources[block->first_predecessor + i],
				 header))
			return true;
	return false;
}

/* ------------------------------------------------------------------ cycles with several entries */

struct cycles {
	struct finding *finding;
	uint32_t around;      /* the loop to search in; GRAPH_NONE: the function */
	bool *done;           /* by block: its cycle in `around` was found */
	bool *forward, *back; /* by block: reached from one block, reaches it */
	uint32_t *list;
};

static bool is_within(const struct cycles *cycles, uint32_t block)
{
	const struct graph *graph = cycles->finding->graph;

	return graph->blocks[block].reachable &&
	       (cycles->around == GRAPH_NONE || (block != graph->loops[cycles->around].header &&
						 graph_loop_has(graph, cycles->around, block)));
}

static void spread(const struct cycles *cycles, uint32_t start, bool forward, bool *reached)
{
	const struct graph *graph = cycles->finding->graph;
	const uint32_t *others = forward ? graph->edges : graph->sources;
	size_t nr = 1;

	memset(reached, 0, graph->nr_blocks);
	reached[start] = true;
	cycles->list[0] = start;
	while (nr) {
		const struct graph_block *block = &graph->blocks[cycles->list[--nr]];
		uint32_t first = forward ? block->first_successor : block->first_predecessor;
		uint32_t end = first + (forward ? block->nr_successors : block->nr_predecessors);

		for (uint32_t i = first; i < end; i++) {
			if (reached[others[i]] || !is_within(cycles, others[i]))
				continue;
			reached[others[i]] = true;
			cycles->list[nr++] = others[i];
		}
	}
}

static bool is_entered(const struct graph *graph, const bool *members, uint32_t block)
{
	const struct graph_block *of = &graph->blocks[block];
	bool entered = false;

	for (uint32_t i = 0; i < of->nr_predecessors; i++) {
		uint32_t from = graph->sources[of->first_predecessor + i];

		entered |= graph->blocks[from].reachable && !members[from];
	}
	return entered;
}

/* Whether the members are those of a loop that was found. */
static bool is_loop(const struct graph *graph, const bool *members, uint32_t nr)
{
	for (size_t i = 0; i < graph->nr_loops; i++)
		if (members[graph->loops[i].header] && graph->loops[i].nr_blocks == nr)
			return true;
	return false;
}

/* The cycle of a block, of which `forward` and `back` are found. */
static bool add_cycle(const struct cycles *cycles)
{
	struct finding *finding = cycles->finding;
	struct graph *graph = finding->graph;
	struct graph_loop row = { .header = GRAPH_NONE, .parent = GRAPH_NONE };

	row.first_block = (uint32_t)finding->nr_members;
	for (uint32_t b = 0; b < graph->nr_blocks; b++) {
		cycles->forward[b] &= cycles->back[b];
		cycles->done[b] |= cycles->forward[b];
		row.nr_blocks += cycles->forward[b];
	}
	if (row.nr_blocks == 1 || is_loop(graph, cycles->forward, row.nr_blocks))
		return true;
	for (uint32_t b = 0; b < graph->nr_blocks; b++) {
		if (cycles->forward[b] && !add_member(finding, b))
			return false;
		if (cycles->forward[b] && row.header == GRAPH_NONE &&
		    is_entered(graph, cycles->forward, b))
			row.header = b;
	}
	if (!ARENA_GROW(finding->arena, graph->loops, graph->nr_loops, finding->loops_room))
		return false;
	graph->loops[graph->nr_loops++] = row;
	return true;
}

static bool add_cycles_within(struct cycles *cycles)
{
	uint32_t nr = (uint32_t)cycles->finding->graph->nr_blocks;

	memset(cycles->done, 0, nr);
	for (uint32_t b = 0; b < nr; b++) {
		if (cycles->done[b] || !is_within(cycles, b))
			continue;
		spread(cycles, b, true, cycles->forward);
		spread(cycles, b, false, cycles->back);
		if (!add_cycle(cycles))
			return false;
	}
	return true;
}

static bool add_cycles(struct finding *finding)
{
	struct arena *arena = finding->arena;
	size_t nr = finding->graph->nr_blocks, nr_natural = finding->graph->nr_loops;
	struct cycles cycles = { .finding = finding,
				 .around = GRAPH_NONE,
				 .done = arena_alloc(arena, nr),
				 .forward = arena_alloc(arena, nr),
				 .back = arena_alloc(arena, nr),
				 .list = arena_alloc(arena, nr * sizeof(uint32_t)) };

	if (!cycles.done || !cycles.forward || !cycles.back || !cycles.list ||
	    !add_cycles_within(&cycles))
		return false;
	for (cycles.around = 0; cycles.around < nr_natural; cycles.around++)
		if (!add_cycles_within(&cycles))
			return false;
	return true;
}

/* ------------------------------------------------------------------ nesting */

static void set_innermost(struct graph *graph, uint32_t loop)
{
	const struct graph_loop *row = &graph->loops[loop];

	for (uint32_t i = 0; i < row->nr_blocks; i++)
		graph->blocks[graph->members[row->first_block + i]].loop = loop;
}

/*
 * Loops with different headers are disjoint or nested: sorted by descending size, enclosing loops
 * come first.
 */
static void find_depths(struct graph *graph)
{
	sort(graph->loops, graph->nr_loops, sizeof(*graph->loops), by_size);
	for (uint32_t i = 0; i < graph->nr_loops; i++) {
		uint32_t around = graph->blocks[graph->loops[i].header].loop;

		graph->loops[i].depth = around == GRAPH_NONE ? 1 : graph->loops[around].depth + 1;
		set_innermost(graph, i);
	}
}

static void find_parents(struct graph *graph)
{
	sort(graph->loops, graph->nr_loops, sizeof(*graph->loops), by_depth);
	for (size_t i = 0; i < graph->nr_blocks; i++)
		graph->blocks[i].loop = GRAPH_NONE;
	for (uint32_t i = 0; i < graph->nr_loops; i++) {
		graph->loops[i].parent = graph->blocks[graph->loops[i].header].loop;
		set_innermost(graph, i);
	}
}

bool loops_find(struct arena *arena, struct graph *graph, const struct dominators *dominators,
		bool cycles)
{
	struct finding finding = { .arena = arena, .graph = graph, .dominators = dominators };

	finding.seen = arena_alloc(arena, graph->nr_blocks * sizeof(*finding.seen));
	if (!finding.seen)
		return false;
	for (size_t i = 0; i < graph->nr_blocks; i++)
		graph->blocks[i].loop = GRAPH_NONE;
	for (uint32_t i = 0; i < graph->nr_blocks; i++)
		if (is_header(&finding, i) && !add_loop(&finding, i))
			return false;
	if (cycles && !add_cycles(&finding))
		return false;
	find_depths(graph);
	find_parents(graph);
	return true;
}
