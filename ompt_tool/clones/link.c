/* SPDX-License-Identifier: Apache-2.0 */
/* Sets targets of calls and jumps of a batch's copies. */
#include "analysis/base/arena.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/guard.h"
#include "ompt_tool/clones/clone_private.h"
#include "ompt_tool/clones/outside.h"

struct clone_data *batch_find(const struct batch *batch, uintptr_t function)
{
	for (struct clone_data *data = batch->first; data; data = data->next)
		if (function >= data->clone.start && function < data->clone.end)
			return data;
	return NULL;
}

/* Input and output statements are not followed into a statically linked language library. */
static bool may_follow(const struct batch *batch, uintptr_t function)
{
	const struct clone_options *options = batch->options;

	if (callee_module(function) == batch->module && callee_is_statement(function))
		return false;
	if (options->follow)
		return options->follow(options->ctx, function);
	return callee_module(function) == batch->module;
}

/* A jump into the middle of a function, or to one that jumps back, stays in the same function. */
static bool is_part(const struct clone_data *data, uintptr_t function)
{
	struct code_bounds bounds;

	if (code_bounds_find(function, &bounds) != CODE_BOUNDS_FOUND || bounds.start != function)
		return true;
	for (size_t i = 0; i < data->copy.nr_leaders; i++)
		if (data->copy.leaders[i].original > data->clone.start)
			return true;
	return false;
}

static uint32_t left_behind(const struct clone_data *data, const struct copy_exit *exit,
			    uintptr_t function)
{
	return exit->kind == COPY_TAIL_JUMP && is_part(data, function) ? data->left + 1
								       : data->left;
}

static bool is_wanted(const struct batch *batch, uintptr_t function, uint32_t left)
{
	for (const struct wanted *wanted = batch->wanted; wanted; wanted = wanted->next)
		if (wanted->function == function)
			return true;
	return batch_find(batch, function) || refusals_find(function) ||
	       clone_data_find(function, batch->options->probes, left, false);
}

/* A part of a function returns to the function's caller. */
static bool is_runtimes(const struct clone_data *data, const struct copy_exit *exit,
			uintptr_t function)
{
	return data->runtime_calls_it && exit->kind == COPY_TAIL_JUMP && is_part(data, function);
}

static bool want(struct batch *batch, uintptr_t function, uint32_t left, bool runtime_calls_it)
{
	struct code_bounds bounds;
	struct wanted *wanted;

	if (is_wanted(batch, function, left))
		return true;
	if (code_bounds_find(function, &bounds) == CODE_BOUNDS_FOUND && bounds.start != function) {
		function = bounds.start;
		if (is_wanted(batch, function, left))
			return true;
	}
	wanted = arena_alloc(batch->arena, sizeof(*wanted));
	if (!wanted)
		return false;
	*wanted = (struct wanted){ .function = function,
				   .left = left,
				   .runtime_calls_it = runtime_calls_it };
	if (batch->wanted)
		batch->wanted_last->next = wanted;
	else
		batch->wanted = wanted;
	batch->wanted_last = wanted;
	return true;
}

/* Accesses of memcpy, memmove, memset are recorded at the call. */
static bool is_recorded(const struct clone_data *data, const struct callee *callee)
{
	return callee->range != CALLEE_OTHER && data->clone.probes & CLONE_ACCESSES;
}

/* A direct call or jump; also to an unbound function of the program's libraries. */
static struct callee direct_callee(const struct batch *batch, uintptr_t target)
{
	struct callee callee = callee_of(target);
	uintptr_t function = callee_bound_first(&callee);

	if (function && may_follow(batch, function))
		callee.function = function;
	return callee;
}

bool link_want(struct batch *batch, const struct clone_data *data)
{
	for (size_t i = 0; i < data->copy.nr_exits; i++) {
		const struct copy_exit *exit = &data->copy.exits[i];
		struct callee callee = exit->kind == COPY_CALL || exit->kind == COPY_TAIL_JUMP
					       ? direct_callee(batch, exit->target)
					       : (struct callee){ 0 };
		uintptr_t function = is_recorded(data, &callee) ? 0 : callee.function;
		uint32_t left = function ? left_behind(data, exit, function) : 0;

		if (left && may_follow(batch, function) &&
		    !want(batch, function, left - 1, is_runtimes(data, exit, function)))
			return false;
	}
	return true;
}

static uintptr_t leader_at(const struct clone_data *data, uintptr_t original)
{
	for (size_t i = 0; i < data->copy.nr_leaders; i++)
		if (data->copy.leaders[i].original == original)
			return data->copy.leaders[i].copy;
	return 0;
}

/*
 * The clone for an exit: of this batch, or an earlier one. A clone for calls by the runtime may
 * change registers that other callers rely on; only a tail jump of such a clone may lead to it.
 */
static const struct clone_data *clone_behind(const struct batch *batch,
					     const struct clone_data *data,
					     const struct copy_exit *exit, uintptr_t function)
{
	uint32_t left = left_behind(data, exit, function);
	const struct clone_data *found = batch_find(batch, function);

	if (!found && left && may_follow(batch, function))
		found = clone_data_find(function, batch->options->probes, left - 1, false);
	if (!found || found->dropped)
		return NULL;
	return !found->runtime_calls_it || (data->runtime_calls_it && exit->kind == COPY_TAIL_JUMP)
		       ? found
		       : NULL;
}

static uintptr_t entry_into(const struct batch *batch, const struct clone_data *data,
			    const struct copy_exit *exit, uintptr_t function)
{
	const struct clone_data *to = clone_behind(batch, data, exit, function);

	if (!to)
		return 0;
	if (to->clone.start == function)
		return to->copy.code;
	return exit->kind == COPY_TAIL_JUMP && to->copy.leaders ? leader_at(to, function) : 0;
}

static const char *why_missed(const struct batch *batch, const struct clone_data *data,
			      const struct copy_exit *exit, uintptr_t function)
{
	struct code_bounds bounds;

	if (exit->kind == COPY_CALL_INDIRECT)
		return "through a pointer";
	if (!function)
		return "in another library, not called yet";
	if (exit->kind == COPY_CALL_LINKED && callee_module(function) == batch->module)
		return "through a table of imports";
	if (!may_follow(batch, function))
		return callee_module(function) != batch->module ? "in another library"
		       : callee_is_statement(function)
			       ? "input and output of the language's library are not recorded"
			       : "not to be followed";
	if (refusals_find(function))
		return "refused";
	if (!left_behind(data, exit, function))
		return "too deep";
	return code_bounds_find(function, &bounds) == CODE_BOUNDS_FOUND
		       ? "not its begin"
		       : "no function is known there";
}

static struct callee callee_at(const struct batch *batch, const struct copy_exit *exit)
{
	if (exit->kind == COPY_CALL || exit->kind == COPY_TAIL_JUMP)
		return direct_callee(batch, exit->target);
	return exit->kind == COPY_CALL_LINKED ? callee_through(exit->target) : (struct callee){ 0 };
}

/* Accesses of memcpy, memmove, memset are recorded. */
static void note_miss(const struct batch *batch, const struct clone_data *data,
		      const struct copy_exit *exit, const struct callee *callee)
{
	const struct clone_missed miss = {
		.target = callee->function ? callee->function : exit->target,
		.name = callee->name,
		.why = why_missed(batch, data, exit, callee->function),
		.through_pointer = exit->kind == COPY_CALL_INDIRECT,
		.first_site = exit->first_site,
		.nr_sites = exit->nr_sites,
	};

	if (!is_recorded(data, callee))
		refusals_add_missed(&miss);
}

/* False: the call needs a guard, and none is left. */
static bool lead_through_guard(const struct clone_data *data, const struct copy_exit *exit,
			       const struct callee *callee)
{
	const struct runtime_entry *rule = is_recorded(data, callee) ? NULL : outside_entry(callee);
	uintptr_t guard = rule ? guard_for(rule, exit->target, data->clone.probes) : 0;

	return !rule || (guard && copy_lead(&data->copy, exit, guard));
}

bool link_exits(const struct batch *batch, const struct clone_data *data)
{
	for (size_t i = 0; i < data->copy.nr_exits; i++) {
		const struct copy_exit *exit = &data->copy.exits[i];
		struct callee callee = callee_at(batch, exit);
		bool direct = exit->kind == COPY_CALL || exit->kind == COPY_TAIL_JUMP;
		uintptr_t entry = direct && callee.function && !is_recorded(data, &callee)
					  ? entry_into(batch, data, exit, callee.function)
					  : 0;

		if (entry && copy_lead(&data->copy, exit, entry))
			continue;
		note_miss(batch, data, exit, &callee);
		if (direct && !lead_through_guard(data, exit, &callee))
			return false;
	}
	return true;
}
