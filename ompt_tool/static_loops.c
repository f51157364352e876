/* SPDX-License-Identifier: Apache-2.0 */
/* Parallel regions of gcc that are one static loop. */
#include "ompt_tool/static_loops.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/code/graph.h"

/* Reading takes some 100 us a KiB. */
enum { OUTLINED_BYTES_MAX = 16 << 10, REDUCTION_BLOCKS = 2 };

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

struct calls {
	unsigned int nr_threads, thread_num;
	uintptr_t construct;             /* behind the call of omp_get_num_threads */
	bool others;                     /* outside of loops */
};

static void look_at_call(const struct graph *graph, const struct graph_call *call, struct calls *calls)
{
	const struct code_instruction *in = &graph->code->instructions[call->instruction];
	const char *name = name_of_call(in);
	bool in_loop = call->loop != GRAPH_NONE;

	if (!strcmp(name, "omp_get_num_threads")) {
		calls->nr_threads += in_loop ? 2 : 1;
		calls->construct = graph->code->start + in->offset + in->length;
	} else if (!strcmp(name, "omp_get_thread_num")) {
		calls->thread_num += in_loop ? 2 : 1;
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

static unsigned int count_loops(const struct graph *graph)
{
	unsigned int nr = 0;

	for (size_t i = 0; i < graph->nr_loops; i++)
		nr += graph->loops[i].depth == 1 && !is_reduction(graph, &graph->loops[i]);
	return nr;
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
	return calls.nr_threads == 1 && calls.thread_num == 1 && !calls.others && count_loops(graph) == 1 ? calls.construct : 0;
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
