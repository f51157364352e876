/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of explicit tasks, from the code that creates them. */
#include "ompt_tool/clones/created_tasks.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/code/arguments.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/runtime_entries.h"
#include "ompt_tool/code/bounds.h"

#define TASKS 64 /* that one function creates; further ones are left out */

static bool is_function(void *ctx, uint64_t address)
{
	struct code_bounds bounds;

	(void)ctx;
	return callee_module(address) && code_bounds_find(address, &bounds) == CODE_BOUNDS_FOUND &&
	       bounds.start == address;
}

static bool may_call(const struct code *code, const struct code_instruction *in)
{
	switch (in->kind) {
	case CODE_CALL:
	case CODE_CALL_INDIRECT:
	case CODE_JUMP_INDIRECT: return true;
	case CODE_JUMP: return in->target < code->start || in->target >= code->end;
	default: return false;
	}
}

/* The function of the task that the instruction creates; 0: none, or unknown. */
static uintptr_t created(const struct code *code, size_t instruction)
{
	const struct code_instruction *in = &code->instructions[instruction];
	const struct runtime_entry *entry = may_call(code, in) ? runtime_entry(callee_name(in))
							       : NULL;

	return entry && entry->tasks
		       ? code_passed_function(
				 code, instruction,
				 code_argument_register((unsigned int)__builtin_ctz(entry->tasks)),
				 is_function, NULL)
		       : 0;
}

static uint32_t add(uintptr_t *tasks, uint32_t nr, uintptr_t task)
{
	for (uint32_t i = 0; i < nr; i++)
		if (tasks[i] == task)
			return nr;
	if (nr < TASKS)
		tasks[nr++] = task;
	return nr;
}

uint32_t created_tasks(struct arena *arena, const struct code *code, const uintptr_t **out)
{
	uintptr_t found[TASKS], *tasks;
	uint32_t nr = 0;

	for (size_t i = 0; i < code->nr_instructions; i++) {
		uintptr_t task = created(code, i);

		nr = task ? add(found, nr, task) : nr;
	}
	*out = tasks = nr ? arena_alloc(arena, nr * sizeof(*tasks)) : NULL;
	if (!tasks)
		return 0;
	memcpy(tasks, found, nr * sizeof(*tasks));
	return nr;
}
