/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel regions of gcc that are one static loop, or versions of one. */
#include "ompt_tool/static_loops.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/code/exits.h"
#include "ompt_tool/code/graph.h"

/* Reading takes some 100 us a KiB. */
enum { OUTLINED_BYTES_MAX = 16 << 10, REDUCTION_BLOCKS = 2, VERSIONS = 8 };

/* ------------------------------------------------------------------ the outlined function */

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static const char *name_of_call(const struct code_instruction *in)
{
	struct callee callee = { 0 };

	if (in->kind == CODE_CALL || in->kind == CODE_JUMP)
		callee = callee_of(in->target);
	else if (in->rip_offset)
		callee = callee_through(in->target);
	return callee.name ? callee.name : "";
}

enum { NR_THREADS, THREAD_NUM, NUMBERS };

struct calls {
	unsigned int nr[NUMBERS];
	uint32_t at[NUMBERS];            /* instructions */
	uintptr_t construct;             /* behind the call of omp_get_num_threads */
	bool others;                     /* outside of loops */
};

static void note_number(struct calls *calls, int which, const struct graph_call *call)
{
	calls->nr[which] += call->loop == GRAPH_NONE ? 1 : 2;
	calls->at[which] = call->instruction;
}

static void look_at_call(const struct graph *graph, const struct graph_call *call, struct calls *calls)
{
	const struct code_instruction *in = &graph->code->instructions[call->instruction];
	const char *name = name_of_call(in);
	bool in_loop = call->loop != GRAPH_NONE;

	if (!strcmp(name, "omp_get_num_threads")) {
		note_number(calls, NR_THREADS, call);
		calls->construct = graph->code->start + in->offset + in->length;
	} else if (!strcmp(name, "omp_get_thread_num")) {
		note_number(calls, THREAD_NUM, call);
	} else if (!begins(name, "GOMP_atomic_")) {
		calls->others |= !in_loop || begins(name, "GOMP_");
	}
}

static bool is_locked(const struct code *code, const struct code_instruction *in)
{
	return in->length && code->bytes[in->offset] == 0xf0;
}

/* cmpxchg and what repeats it. */
static bool is_reduction(const struct graph *graph, const struct graph_loop *loop)
{
	bool locked = false;

	for (uint32_t i = loop->first_block; loop->nr_blocks <= REDUCTION_BLOCKS && i < loop->first_block + loop->nr_blocks; i++) {
		const struct graph_block *block = &graph->blocks[graph->members[i]];

		for (uint32_t at = block->first; at < block->first + block->nr; at++)
			locked |= is_locked(graph->code, &graph->code->instructions[at]);
	}
	return locked;
}

static bool is_step(const struct code *code, const struct code_instruction *in)
{
	for (uint32_t i = 0; i < in->nr_accesses; i++) {
		const struct code_access *access = &code->accesses[in->first_access + i];

		if (access->write || !code_is_in_frame(access))
			return false;
	}
	return in->kind == CODE_JUMP || in->kind == CODE_BRANCH || (in->kind == CODE_PLAIN && (in->step || (!in->writes && in->flags_written)));
}

/* Only counts: what is left of a loop for the case that the loop inside has no iterations. */
static bool is_idle(const struct graph *graph, const struct graph_loop *loop)
{
	for (uint32_t i = loop->first_block; i < loop->first_block + loop->nr_blocks; i++) {
		const struct graph_block *block = &graph->blocks[graph->members[i]];

		for (uint32_t at = block->first; at < block->first + block->nr; at++)
			if (!is_step(graph->code, &graph->code->instructions[at]))
				return false;
	}
	return true;
}

/* The outermost loops but reductions and idle ones. More than VERSIONS: as many. */
static uint32_t outermost_loops(const struct graph *graph, uint32_t loops[VERSIONS])
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < graph->nr_loops; i++) {
		if (graph->loops[i].depth != 1 || is_reduction(graph, &graph->loops[i]) || is_idle(graph, &graph->loops[i]))
			continue;
		if (nr < VERSIONS)
			loops[nr] = i;
		nr++;
	}
	return nr;
}

/* Blocks that are reached from a loop, itself included. */
static bool *reached_from(struct arena *arena, const struct graph *graph, uint32_t loop)
{
	bool *reached = arena_alloc(arena, graph->nr_blocks), more = reached != NULL;

	if (more)
		reached[graph->loops[loop].header] = true;
	while (more) {
		more = false;
		for (uint32_t b = 0; b < graph->nr_blocks; b++) {
			const struct graph_block *block = &graph->blocks[b];

			for (uint32_t i = 0; reached[b] && i < block->nr_successors; i++) {
				bool *to = &reached[graph->edges[block->first_successor + i]];

				more |= !*to;
				*to = true;
			}
		}
	}
	return reached;
}

/* A thread that executes one of them executes none of the others. */
static bool are_alternatives(struct arena *arena, const struct graph *graph, const uint32_t *loops, uint32_t nr)
{
	for (uint32_t i = 0; nr > 1 && i < nr; i++) {
		const bool *reached = reached_from(arena, graph, loops[i]);

		for (uint32_t other = 0; other < nr; other++)
			if (!reached || (other != i && reached[graph->loops[loops[other]].header]))
				return false;
	}
	return true;
}

/* By both numbers, or by the number of threads in iterations and the thread's own in where they begin. */
static bool is_divided(const struct loop_exits *exits)
{
	enum { BOTH = EXITS_FIRST | EXITS_SECOND };

	return (exits->all & BOTH) == BOTH || (exits->all & EXITS_BY_FIRST && exits->inside & EXITS_SECOND);
}

static bool is_divided_loop(struct arena *arena, const struct graph *graph, const struct calls *calls)
{
	uint32_t loops[VERSIONS], nr = outermost_loops(graph, loops);
	const struct loop_exits *exits;

	if (!nr || nr > VERSIONS || !are_alternatives(arena, graph, loops, nr))
		return false;
	exits = exits_find(arena, graph, calls->at);
	for (uint32_t i = 0; exits && i < nr; i++)
		if (!is_divided(&exits[loops[i]]))
			return false;
	return exits != NULL;
}

/* The loop's address, if the function is one; else 0. */
static uint64_t loop_in(struct arena *arena, uintptr_t outlined)
{
	struct calls calls = { 0 };
	struct code_bounds bounds;
	struct graph *graph;
	struct code *code;
	const char *why;

	if (code_bounds_find(outlined, &bounds) != CODE_BOUNDS_FOUND || bounds.start != outlined || bounds.end - bounds.start > OUTLINED_BYTES_MAX)
		return 0;
	code = code_read(arena, bounds.start, bounds.end, NULL, &why);
	graph = code ? graph_new(arena, code, NULL, 0) : NULL;
	if (!graph || !graph->complete)
		return 0;
	for (size_t i = 0; i < graph->nr_calls; i++)
		look_at_call(graph, &graph->calls[i], &calls);
	if (calls.nr[NR_THREADS] != 1 || calls.nr[THREAD_NUM] != 1 || calls.others || !is_divided_loop(arena, graph, &calls))
		return 0;
	return calls.construct;
}

/* ------------------------------------------------------------------ the regions */

/* Constructs inside were met below the region, and their numbers stay. */
static bool *regions_with_others(struct arena *arena, struct region_table *regions)
{
	uint32_t nr = region_table_count(regions);
	bool *has = arena_alloc(arena, nr + 1);

	for (uint32_t id = 1; has && id < nr; id++) {
		const struct region *region = region_table_at(regions, id);

		if (region && region->parent < nr)
			has[region->parent] = true;
	}
	return has;
}

static void look_at(struct arena *arena, struct region_table *regions, struct region *region)
{
	uintptr_t outlined = (uintptr_t)__atomic_exchange_n(&region->outlined, 0, __ATOMIC_RELAXED);
	uint64_t construct = outlined ? loop_in(arena, outlined) : 0;
	uint32_t loop;
	bool new;

	if (!construct)
		return;
	loop = region_table_get(regions, MS_DO_REGION, construct, region->id, &new);
	if (loop != MS_REGION_NONE)
		__atomic_store_n(&region->static_loop, loop, __ATOMIC_RELEASE);
}

void static_loops_find(struct region_table *regions)
{
	struct arena *arena = arena_new();
	uint32_t nr = region_table_count(regions);
	bool *has_others = arena ? regions_with_others(arena, regions) : NULL;

	for (uint32_t id = 1; has_others && id < nr && callee_look(); id++) {
		struct region *region = region_table_at(regions, id);

		if (region && region->kind == MS_PARALLEL_REGION && !has_others[id])
			look_at(arena, regions, region);
	}
	if (arena)
		arena_free(arena);
}
