/* SPDX-License-Identifier: Apache-2.0 */
/* Where calls and jumps of a batch's copies lead. */
#include "analysis/base/arena.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/guard.h"
#include "ompt_tool/clones/made.h"
#include "ompt_tool/clones/outside.h"

struct made *batch_find(const struct batch *batch, uintptr_t function)
{
	for (struct made *made = batch->first; made; made = made->next)
		if (function >= made->clone.start && function < made->clone.end)
			return made;
	return NULL;
}

/* Statements of input and output are not followed into the language's library, where that is linked in, either. */
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
static bool is_part(const struct made *made, uintptr_t function)
{
	struct code_bounds bounds;

	if (code_bounds_find(function, &bounds) != CODE_BOUNDS_FOUND || bounds.start != function)
		return true;
	for (size_t i = 0; i < made->copy.nr_leaders; i++)
		if (made->copy.leaders[i].original > made->clone.start)
			return true;
	return false;
}

static uint32_t left_behind(const struct made *made, const struct copy_exit *exit, uintptr_t function)
{
	return exit->kind == COPY_TAIL_JUMP && is_part(made, function) ? made->left + 1 : made->left;
}

static bool is_wanted(const struct batch *batch, uintptr_t function, uint32_t left)
{
	for (const struct wanted *wanted = batch->wanted; wanted; wanted = wanted->next)
		if (wanted->function == function)
			return true;
	return batch_find(batch, function) || notes_refused(function) || made_find(function, batch->options->probes, left, false);
}

/* What a part of a function returns to is what the function itself returns to. */
static bool is_runtimes(const struct made *made, const struct copy_exit *exit, uintptr_t function)
{
	return made->runtime_calls_it && exit->kind == COPY_TAIL_JUMP && is_part(made, function);
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
	*wanted = (struct wanted){ .function = function, .left = left, .runtime_calls_it = runtime_calls_it };
	if (batch->wanted)
		batch->wanted_last->next = wanted;
	else
		batch->wanted = wanted;
	batch->wanted_last = wanted;
	return true;
}

/* What memcpy and its like access is recorded where they are called. */
static bool is_recorded(const struct made *made, const struct callee *callee)
{
	return callee->range != CALLEE_OTHER && made->clone.probes & CLONE_ACCESSES;
}

/* A direct call or jump; also to a function of the program's libraries that was not called yet. */
static struct callee direct_callee(const struct batch *batch, uintptr_t target)
{
	struct callee callee = callee_of(target);
	uintptr_t function = callee_bound_first(&callee);

	if (function && may_follow(batch, function))
		callee.function = function;
	return callee;
}

bool link_want(struct batch *batch, const struct made *made)
{
	for (size_t i = 0; i < made->copy.nr_exits; i++) {
		const struct copy_exit *exit = &made->copy.exits[i];
		struct callee callee = exit->kind == COPY_CALL || exit->kind == COPY_TAIL_JUMP ? direct_callee(batch, exit->target) : (struct callee){ 0 };
		uintptr_t function = is_recorded(made, &callee) ? 0 : callee.function;
		uint32_t left = function ? left_behind(made, exit, function) : 0;

		if (left && may_follow(batch, function) && !want(batch, function, left - 1, is_runtimes(made, exit, function)))
			return false;
	}
	return true;
}

static uintptr_t leader_at(const struct made *made, uintptr_t original)
{
	for (size_t i = 0; i < made->copy.nr_leaders; i++)
		if (made->copy.leaders[i].original == original)
			return made->copy.leaders[i].copy;
	return 0;
}

/*
 * The clone that an exit may lead to: of this batch, or an earlier one. One made for the runtime alone changes too many
 * registers, except for what ends where it does.
 */
static const struct made *clone_behind(const struct batch *batch, const struct made *made, const struct copy_exit *exit, uintptr_t function)
{
	uint32_t left = left_behind(made, exit, function);
	const struct made *found = batch_find(batch, function);

	if (!found && left && may_follow(batch, function))
		found = made_find(function, batch->options->probes, left - 1, false);
	if (!found || found->dropped)
		return NULL;
	return !found->runtime_calls_it || (made->runtime_calls_it && exit->kind == COPY_TAIL_JUMP) ? found : NULL;
}

static uintptr_t entry_into(const struct batch *batch, const struct made *made, const struct copy_exit *exit, uintptr_t function)
{
	const struct made *to = clone_behind(batch, made, exit, function);

	if (!to)
		return 0;
	if (to->clone.start == function)
		return to->copy.code;
	return exit->kind == COPY_TAIL_JUMP && to->copy.leaders ? leader_at(to, function) : 0;
}

static const char *why_missed(const struct batch *batch, const struct made *made, const struct copy_exit *exit, uintptr_t function)
{
	struct code_bounds bounds;

	if (exit->kind == COPY_CALL_INDIRECT)
		return "through a pointer";
	if (!function)
		return "in another library, not called yet";
	if (exit->kind == COPY_CALL_LINKED && callee_module(function) == batch->module)
		return "through a table of imports";
	if (!may_follow(batch, function))
		return callee_module(function) != batch->module ? "in another library" :
		       callee_is_statement(function) ? "input and output of the language's library are not recorded" : "not to be followed";
	if (notes_refused(function))
		return "refused";
	if (!left_behind(made, exit, function))
		return "too deep";
	return code_bounds_find(function, &bounds) == CODE_BOUNDS_FOUND ? "not its begin" : "no function is known there";
}

static struct callee callee_at(const struct batch *batch, const struct copy_exit *exit)
{
	if (exit->kind == COPY_CALL || exit->kind == COPY_TAIL_JUMP)
		return direct_callee(batch, exit->target);
	return exit->kind == COPY_CALL_LINKED ? callee_through(exit->target) : (struct callee){ 0 };
}

/* What memcpy and the like access is recorded. */
static void note_miss(const struct batch *batch, const struct made *made, const struct copy_exit *exit, const struct callee *callee)
{
	const struct clone_missed miss = {
		.target = callee->function ? callee->function : exit->target, .name = callee->name,
		.why = why_missed(batch, made, exit, callee->function), .through_pointer = exit->kind == COPY_CALL_INDIRECT,
		.first_site = exit->first_site, .nr_sites = exit->nr_sites,
	};

	if (!is_recorded(made, callee))
		notes_miss(&miss);
}

/* False: the call must go through a guard, and cannot. */
static bool lead_through_guard(const struct made *made, const struct copy_exit *exit, const struct callee *callee)
{
	const struct runtime_entry *rule = is_recorded(made, callee) ? NULL : outside_entry(callee);
	uintptr_t guard = rule ? guard_for(rule, exit->target, made->clone.probes) : 0;

	return !rule || (guard && copy_lead(&made->copy, exit, guard));
}

bool link_exits(const struct batch *batch, const struct made *made)
{
	for (size_t i = 0; i < made->copy.nr_exits; i++) {
		const struct copy_exit *exit = &made->copy.exits[i];
		struct callee callee = callee_at(batch, exit);
		bool direct = exit->kind == COPY_CALL || exit->kind == COPY_TAIL_JUMP;
		uintptr_t entry = direct && callee.function && !is_recorded(made, &callee) ? entry_into(batch, made, exit, callee.function) : 0;

		if (entry && copy_lead(&made->copy, exit, entry))
			continue;
		note_miss(batch, made, exit, &callee);
		if (direct && !lead_through_guard(made, exit, &callee))
			return false;
	}
	return true;
}
