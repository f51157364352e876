/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the end of gcc's single constructs is shown by an event. */
#include "ompt_tool/recording/single_ends.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/code/code.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/code/running_code.h"

enum {
	FUNCTION_BYTES_MAX = 64 << 10,
	CALL_BYTES_MAX = 7, /* call *slot(%rip) with a prefix */
	PATH_MAX_STEPS = 32,
};

struct single {
	const struct code *code;
	bool in_body; /* the function is the parallel region's own */
};

static const struct code_instruction *behind(const struct code *code,
					     const struct code_instruction *in)
{
	return code_at(code, code->start + in->offset + in->length);
}

/* The code from here reaches the construct's end without a branch. */
static bool leads_to_end(const struct single *single, const struct code_instruction *in)
{
	for (int i = 0; in && i < PATH_MAX_STEPS; i++) {
		switch (in->kind) {
		case CODE_PLAIN: in = behind(single->code, in); break;
		case CODE_JUMP: in = code_at(single->code, in->target); break;
		case CODE_RETURN: return single->in_body;
		case CODE_CALL:
		case CODE_CALL_INDIRECT:
			return !strcmp(callee_name(in), "GOMP_barrier") ||
			       !strcmp(callee_name(in), "GOMP_barrier_cancel");
		default: return false;
		}
	}
	return false;
}

/* The first branch after the call leads to the body or past it. */
static bool is_shown(const struct single *single, uintptr_t return_address)
{
	const struct code_instruction *in = code_at(single->code, return_address);

	for (int i = 0; in && in->kind == CODE_PLAIN && i < PATH_MAX_STEPS; i++)
		in = behind(single->code, in);
	return !in || in->kind != CODE_BRANCH || leads_to_end(single, behind(single->code, in)) ||
	       leads_to_end(single, code_at(single->code, in->target));
}

/* libomp's own constructs, and those with copyprivate, have an end event. */
static bool is_gcc_single(const struct code *code, uintptr_t return_address)
{
	for (uintptr_t bytes = 1; bytes <= CALL_BYTES_MAX; bytes++) {
		const struct code_instruction *in = code_at(code, return_address - bytes);

		if (in && in->length == bytes)
			return !strcmp(callee_name(in), "GOMP_single_start");
	}
	return false;
}

static void look_at(struct arena *arena, struct region_table *regions, struct region *region)
{
	const struct region *parent = region_table_at(regions, region->parent);
	struct code_bounds bounds;
	struct single single = { 0 };
	bool shown = true;
	const char *why;

	if (code_bounds_find(region->construct - 1, &bounds) == CODE_BOUNDS_FOUND &&
	    bounds.end - bounds.start <= FUNCTION_BYTES_MAX)
		single.code = code_read(arena, bounds.start, bounds.end, NULL, &why);
	if (single.code && is_gcc_single(single.code, region->construct)) {
		single.in_body = parent && (region_has_body(parent, bounds.start) ||
					    __atomic_load_n(&parent->outlined, __ATOMIC_RELAXED) ==
						    bounds.start);
		shown = is_shown(&single, region->construct);
	}
	__atomic_store_n(&region->single_end, shown ? REGION_SINGLE_SHOWN : REGION_SINGLE_UNSEEN,
			 __ATOMIC_RELAXED);
}

static bool is_new(const struct region *region)
{
	return region && region->kind == MS_SINGLE_REGION && region->construct &&
	       __atomic_load_n(&region->single_end, __ATOMIC_RELAXED) == REGION_SINGLE_NEW;
}

void single_ends_find(struct region_table *regions)
{
	struct arena *arena = NULL;

	for (uint32_t id = 1; id < region_table_count(regions); id++) {
		struct region *region = region_table_at(regions, id);

		if (!is_new(region))
			continue;
		if (!arena && (!(arena = arena_new()) || !callee_look()))
			break;
		look_at(arena, regions, region);
	}
	if (arena)
		arena_free(arena);
}
