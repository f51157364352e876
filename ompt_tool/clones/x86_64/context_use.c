/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows the registers of the second and third argument (psABI x86-64 1.0, 3.2.3) through a
 * function until they are written.
 */
#define _GNU_SOURCE
#include "ompt_tool/clones/context_use.h"

#ifdef __x86_64__
#include <dlfcn.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/code/control_flow.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/x86_64/encode.h"
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/code/running_code.h"

#define BIT(reg) (1u << (reg))

/* depth of functions that pass the arguments on; deeper ones count as readers */
enum { DEEPEST = 4 };

struct search {
	struct arena *arena;
	unsigned int depth;
	bool informed;
};

static bool reads(struct search *search, uintptr_t function, uint16_t holding);

/* None of the C library's functions uses an interrupted context, but profil(3)'s. */
static bool is_libc(uintptr_t function)
{
	Dl_info info;

	return function && dladdr((void *)function, &info) && info.dli_fname &&
	       !strncmp(base_name(info.dli_fname), "libc.", 5);
}

static bool import_reads(struct search *search, const struct callee *callee, uint16_t holding)
{
	uintptr_t function = callee_resolved(callee);

	return !is_libc(function) &&
	       (!function || search->depth >= DEEPEST || reads(search, function, holding));
}

static bool callee_reads(struct search *search, const struct code_instruction *in, uint16_t holding)
{
	struct callee callee;

	if (in->kind == CODE_CALL_INDIRECT || in->kind == CODE_JUMP_INDIRECT)
		callee = in->rip_offset ? callee_through(in->target) : (struct callee){ 0 };
	else
		callee = callee_of(in->target);
	if (callee.slot || callee.name || in->kind == CODE_CALL_INDIRECT ||
	    in->kind == CODE_JUMP_INDIRECT)
		return import_reads(search, &callee, holding);
	return search->depth >= DEEPEST || reads(search, in->target, holding);
}

static bool is_outside(const struct code *code, const struct code_instruction *in)
{
	return in->target < code->start || in->target >= code->end;
}

/*
 * Processes one block: *holding: the registers that still hold their argument. True: one is read.
 */
static bool block_reads(struct search *search, const struct graph *graph,
			const struct graph_block *block, uint16_t *holding)
{
	for (uint32_t i = block->first; i < block->first + block->nr && *holding; i++) {
		const struct code_instruction *in = &graph->code->instructions[i];
		bool calls = in->kind == CODE_CALL || in->kind == CODE_CALL_INDIRECT;
		bool leaves = ((in->kind == CODE_JUMP || in->kind == CODE_BRANCH) &&
			       is_outside(graph->code, in)) ||
			      (in->kind == CODE_JUMP_INDIRECT && !block->nr_successors);

		if (in->reads & *holding ||
		    ((calls || leaves) && search->informed && callee_reads(search, in, *holding)))
			return true;
		*holding &= (uint16_t)~(calls ? UINT16_MAX : in->writes);
	}
	return false;
}

/* Data-flow iteration over blocks, until the set of registers at their begin does not grow. */
static bool graph_reads(struct search *search, const struct graph *graph, uint16_t holding)
{
	uint16_t *begin = arena_alloc(search->arena, graph->nr_blocks * sizeof(*begin));
	bool again = true;

	if (!begin)
		return true;
	memset(begin, 0, graph->nr_blocks * sizeof(*begin));
	begin[0] = holding;
	while (again) {
		again = false;
		for (uint32_t b = 0; b < graph->nr_blocks; b++) {
			const struct graph_block *block = &graph->blocks[b];
			uint16_t left = begin[b];

			if (block_reads(search, graph, block, &left))
				return true;
			for (uint32_t s = 0; s < block->nr_successors; s++) {
				uint32_t to = graph->edges[block->first_successor + s];

				again |= (left & ~begin[to]) != 0;
				begin[to] |= left;
			}
		}
	}
	return false;
}

static bool reads(struct search *search, uintptr_t function, uint16_t holding)
{
	struct code_bounds bounds;
	const struct code *code;
	const struct graph *graph;
	const char *why;
	bool read;

	if (code_bounds_find(function, &bounds) != CODE_BOUNDS_FOUND || bounds.start != function)
		return true;
	code = code_read(search->arena, bounds.start, bounds.end, NULL, &why);
	graph = code ? graph_new(search->arena, code, NULL, 0) : NULL;
	search->depth++;
	read = !graph || !graph->complete || graph_reads(search, graph, holding);
	search->depth--;
	return read;
}

bool context_use_reads(uintptr_t function, unsigned int arguments, bool informed)
{
	uint16_t holding = (uint16_t)((arguments & 2 ? BIT(RSI) : 0) |
				      (arguments & 4 ? BIT(RDX) : 0));
	struct search search = { .arena = arena_new(), .informed = informed };
	bool read = !search.arena || (!is_libc(function) && reads(&search, function, holding));

	arena_free(search.arena);
	return read;
}

#else

bool context_use_reads(uintptr_t function, unsigned int arguments, bool informed)
{
	(void)function, (void)arguments, (void)informed;
	return true;
}
#endif
