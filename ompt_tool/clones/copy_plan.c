/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cursor registers of loops, and buffer checks: one on every cycle that records, at bounded
 * distances.
 */
#include "ompt_tool/clones/copy_plan.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "ompt_tool/clones/buffer.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/counted.h"

enum { STACK_POINTER = 4, REGISTERS = 16 };
enum { HALF = BUFFER_UNCHECKED / 2 }; /* distance of checks within a block */

bool plan_records(const struct code_access *access, uint32_t probes)
{
	return access->kind == CODE_ACCESS_STACK ? probes & CLONE_STACK && probes & CLONE_ACCESSES
						 : probes & CLONE_ACCESSES;
}

uint32_t plan_words(const struct code_access *access)
{
	switch (access->kind) {
	case CODE_ACCESS_REPEATED: return 4;
	case CODE_ACCESS_LANES: return 2 + 8 + 8;
	case CODE_ACCESS_MASKED:
	case CODE_ACCESS_PACKED: return 2 + 8;
	default: return 2;
	}
}

/*
 * Words with times of entries and exits of loops count in the block outside of the loop: a loop
 * without loops and calls has none, and needs no check in each iteration. `events`: other ones.
 */
static uint32_t times_words(const struct graph *graph, uint32_t b, uint32_t events)
{
	const struct graph_block *block = &graph->blocks[b];
	uint32_t most = 0, entered = 0;

	for (uint32_t s = 0; s < block->nr_successors; s++) {
		uint32_t to = graph->edges[block->first_successor + s], nr = 0;

		for (uint32_t loop = graph->blocks[to].loop; loop != GRAPH_NONE;
		     loop = graph->loops[loop].parent)
			nr += plan_enters(graph, loop, b, to);
		most = nr > most ? nr : most;
	}
	for (uint32_t p = 0; p < block->nr_predecessors; p++) {
		uint32_t from = graph->sources[block->first_predecessor + p], nr = 0;

		for (uint32_t loop = graph->blocks[from].loop; loop != GRAPH_NONE;
		     loop = graph->loops[loop].parent)
			nr += plan_leaves(graph, loop, from, b);
		entered = nr > entered ? nr : entered;
	}
	return (1 + RECORD_TIME_WORDS) * (most + entered) + RECORD_TIME_WORDS * events;
}

/*
 * Maximum of words per block: function entry and exit, the range that a call copies, an exit of
 * control or of a counted loop, a header; and four points of each enclosing loop.
 */
static uint32_t block_words(const struct graph *graph, uint32_t b, uint32_t probes)
{
	const struct graph_block *block = &graph->blocks[b];
	const struct code *code = graph->code;
	uint32_t words = 0, depth = block->loop == GRAPH_NONE ? 0 : graph->loops[block->loop].depth;

	for (uint32_t i = block->first; i < block->first + block->nr; i++)
		for (uint32_t a = 0; a < code->instructions[i].nr_accesses; a++) {
			const struct code_access *access =
				&code->accesses[code->instructions[i].first_access + a];

			words += plan_records(access, probes) ? plan_words(access) : 0;
		}
	words += words ? 1 + words / 32 : 0;
	words += plan_has_iterations(probes) ? 4 * depth + (depth ? 4 : 0) : 0;
	if (block->nr && code->instructions[block->first + block->nr - 1].kind != CODE_PLAIN)
		words += probes & CLONE_ACCESSES ? 4 : probes & CLONE_FUNCTION ? 1 : 0;
	if (probes & CLONE_TIMES)
		words += times_words(graph, b, words);
	return words;
}

static bool ends_with_call(const struct graph *graph, uint32_t b)
{
	const struct graph_block *block = &graph->blocks[b];
	uint8_t kind = block->nr ? graph->code->instructions[block->first + block->nr - 1].kind
				 : CODE_PLAIN;

	return kind == CODE_CALL || kind == CODE_CALL_INDIRECT;
}

/* Every cycle has an edge to a lower or equal address. */
static void check_on_cycles(struct plan *plan, const struct graph *graph)
{
	uint32_t *before = plan->words + graph->nr_blocks; /* words in blocks below */

	for (uint32_t b = 0; b < graph->nr_blocks; b++)
		before[b + 1] = before[b] + (plan->words[b] != 0);
	for (uint32_t b = 0; b < graph->nr_blocks; b++)
		for (uint32_t s = 0; s < graph->blocks[b].nr_successors; s++) {
			uint32_t to = graph->edges[graph->blocks[b].first_successor + s];

			if (to <= b && before[b + 1] > before[to])
				plan->check[to] = true;
		}
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/*
 * One step of the data flow of "words since the last check"; true: changed. A check follows each
 * call.
 */
static bool check_often(struct plan *plan, const struct graph *graph, uint32_t *out, uint32_t b)
{
	const struct graph_block *block = &graph->blocks[b];
	uint32_t in = 0, words = least(plan->words[b], HALF), was = out[b];

	for (uint32_t p = 0; p < block->nr_predecessors; p++) {
		uint32_t from = graph->sources[block->first_predecessor + p];

		if (!ends_with_call(graph, from) && out[from] > in)
			in = out[from];
	}
	if (in + words > BUFFER_UNCHECKED - HALF / 2)
		plan->check[b] = true;
	out[b] = (plan->check[b] ? 0 : in) + words;
	return out[b] != was;
}

static void plan_looks(struct plan *plan, const struct graph *graph, uint32_t *out)
{
	bool changed = true;

	for (uint32_t b = 0; b < graph->nr_blocks; b++)
		plan->check[b] = graph->blocks[b].landing_pad;
	check_on_cycles(plan, graph);
	while (changed) {
		changed = false;
		for (uint32_t b = 0; b < graph->nr_blocks; b++)
			changed |= check_often(plan, graph, out, b);
	}
}

/* Registers that are read, written or live in the block. */
static uint16_t block_registers(const struct graph *graph, const struct liveness *live, uint32_t b)
{
	const struct graph_block *block = &graph->blocks[b];
	uint16_t used = 0;

	for (uint32_t i = block->first; i < block->first + block->nr; i++)
		used |= live->registers[i] | graph->code->instructions[i].reads |
			graph->code->instructions[i].writes;
	return used;
}

/*
 * Registers used in a loop; false: the cursor stays in TLS (landing pad, unknown jump, or nothing
 * recorded).
 */
static bool loop_allows(const struct plan *plan, const struct graph *graph,
			const struct liveness *live, uint32_t l, uint16_t *used_out)
{
	const struct graph_loop *loop = &graph->loops[l];
	bool records = false;

	*used_out = 1 << STACK_POINTER;
	for (uint32_t m = 0; m < loop->nr_blocks; m++) {
		uint32_t b = graph->members[loop->first_block + m];

		if (graph->blocks[b].landing_pad || graph->blocks[b].unknown)
			return false;
		records |= plan->words[b] != 0;
		*used_out |= block_registers(graph, live, b);
	}
	return records;
}

/* First those with the shortest code and rare use by compilers; rcx late, as checks can use it. */
static uint8_t choose(uint16_t used)
{
	static const uint8_t order[] = { 11, 10, 9, 8, 7, 6, 2, 0, 3, 14, 15, 5, 13, 12, 1 };

	for (size_t i = 0; i < sizeof(order); i++)
		if (!(used >> order[i] & 1))
			return order[i];
	return CODE_NO_REGISTER;
}

/* Outer loops come first. */
static void plan_cursors(struct plan *plan, const struct graph *graph, const struct liveness *live,
			 uint16_t avoid)
{
	memset(plan->cursor, CODE_NO_REGISTER, graph->nr_blocks);
	for (uint32_t l = 0; l < graph->nr_loops; l++) {
		const struct graph_loop *loop = &graph->loops[l];
		uint16_t used;

		if (plan->cursor[loop->header] != CODE_NO_REGISTER ||
		    !loop_allows(plan, graph, live, l, &used))
			continue;
		for (uint32_t m = 0; m < loop->nr_blocks; m++)
			plan->cursor[graph->members[loop->first_block + m]] = choose(used | avoid);
	}
}

struct plan *plan_new(struct arena *arena, const struct graph *graph, const struct liveness *live,
		      uint32_t probes)
{
	struct plan *plan = arena_alloc(arena, sizeof(*plan));
	uint32_t *out = arena_alloc(arena, (graph->nr_blocks + 1) * sizeof(*out));

	if (!plan || !out)
		return NULL;
	plan->cursor = arena_alloc(arena, graph->nr_blocks);
	plan->check = arena_alloc(arena, graph->nr_blocks);
	plan->written = arena_alloc(arena, graph->nr_blocks);
	plan->counted = arena_alloc(arena, graph->nr_blocks);
	plan->words = arena_alloc(arena, (2 * graph->nr_blocks + 1) * sizeof(*plan->words));
	if (!plan->cursor || !plan->check || !plan->written || !plan->counted || !plan->words)
		return NULL;
	for (uint32_t b = 0; b < graph->nr_blocks; b++) {
		plan->written[b] = graph->blocks[b].reachable || !graph->complete;
		plan->words[b] = plan->written[b] ? block_words(graph, b, probes) : 0;
	}
	for (uint32_t b = 0; b < graph->nr_blocks; b++)
		plan->counted[b] = counted_is(graph, b, probes) && plan->written[b] &&
				   plan->written[b + 1];
	/* reading the time changes rax and rdx */
	plan_cursors(plan, graph, live, probes & CLONE_TIMES ? 1 << 0 | 1 << 2 : 0);
	plan_looks(plan, graph, out);
	return plan;
}
