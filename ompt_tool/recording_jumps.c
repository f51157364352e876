/* SPDX-License-Identifier: Apache-2.0 */
/* Jumps to clones at the begin of functions that libraries call back. */
#include "ompt_tool/recording_jumps.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/arena.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/switching.h"
#include "ompt_tool/events/event.h"
#include "ompt_tool/events/frame.h"
#include "ompt_tool/recorded_code.h"
#include "ompt_tool/regions/region_table.h"
#include "ompt_tool/thread.h"

struct jump {
	uintptr_t function;
	uint64_t module;                 /* callee_identity: another may come to its place, and it may come back */
	bool on, wanted;
	bool uncopied;                   /* which is said where clones are refused */
	const char *refusal;             /* why there is none, for good; NULL: there may be one */
};

#define WHY_SIGNALS "a signal handler may run between any two instructions of recorded code"
#define WHY_INSIDE "the phase's executions end inside of a parallel region or a task"

static struct jump *jumps;
static size_t nr_jumps, room_jumps;
static size_t looked_at;                 /* of those handed on */

static bool is_loaded(const struct jump *jump)
{
	return callee_identity(jump->function) == jump->module;
}

/* A module that came back is as its file is. */
static void look_at_modules(void)
{
	static unsigned long long unloaded;

	if (!callee_look() || unloaded == callee_unloaded())
		return;
	unloaded = callee_unloaded();
	for (size_t i = 0; i < nr_jumps; i++)
		jumps[i].on &= is_loaded(&jumps[i]) && switching_entry_is_on(jumps[i].function);
}

/* What the runtime calls is exchanged where it is handed over (switching.h). */
static bool is_body(struct region_table *regions, uintptr_t function)
{
	for (uint32_t id = 0; id < region_table_count(regions); id++) {
		const struct region *region = region_table_at(regions, id);

		if (region && region_has_body(region, function))
			return true;
	}
	return false;
}

static void find(struct arena *arena, struct region_table *regions)
{
	for (uintptr_t function; (function = clone_handed(looked_at)); looked_at++)
		if (recorded_code_is_programs(function) && !is_body(regions, function) && ARENA_GROW(arena, jumps, nr_jumps, room_jumps))
			jumps[nr_jumps++] = (struct jump){ .function = function, .module = callee_identity(function) };
}

/* ------------------------------------------------------------------ which are wanted */

struct handlers { uintptr_t functions[NSIG]; size_t nr; };

static void read_handlers(struct handlers *handlers)
{
	handlers->nr = 0;
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;

		if (!sigaction(number, NULL, &action) && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN)
			handlers->functions[handlers->nr++] = (uintptr_t)action.sa_sigaction;
	}
}

/* It may run between any two instructions of recorded code, whose record it must not get into (clones/record.h). */
static bool is_handler(const struct handlers *handlers, uintptr_t function)
{
	for (size_t i = 0; i < handlers->nr; i++)
		if (handlers->functions[i] == function)
			return true;
	return false;
}

static uintptr_t clone_behind(const struct jump *jump)
{
	return clone_with(jump->function, CLONE_ACCESSES);
}

static void look_at(struct jump *jump, const struct handlers *handlers)
{
	const char *why;

	if (is_handler(handlers, jump->function))
		jump->refusal = WHY_SIGNALS;
	if (jump->on || jump->refusal || jump->uncopied)
		return;
	jump->uncopied = !recorded_code_clone(jump->function, CLONE_ACCESSES, false);
	if (!jump->uncopied && !switching_entry_fits(jump->function, clone_behind(jump), &why))
		jump->refusal = why;
}

/* A region may have begun since that a function is the body of. Cloning one function can show others. */
static void choose(struct arena *arena, struct region_table *regions)
{
	struct handlers handlers;

	find(arena, regions);
	if (nr_jumps)
		read_handlers(&handlers);
	for (size_t i = 0; i < nr_jumps; i++) {
		jumps[i].wanted = is_loaded(&jumps[i]) && !is_body(regions, jumps[i].function);
		if (jumps[i].wanted)
			look_at(&jumps[i], &handlers);
		find(arena, regions);
	}
}

static void choose_none(void)
{
	for (size_t i = 0; i < nr_jumps; i++)
		jumps[i].wanted = false;
}

/* ------------------------------------------------------------------ putting them */

static bool has_ended(const struct thread *thread) { return __atomic_load_n(&thread->ended, __ATOMIC_ACQUIRE); }

static const struct thread *thread_of(int os_id)
{
	const struct thread *thread = thread_next(NULL);

	while (thread && (thread->os_id != os_id || has_ended(thread)))
		thread = thread_next(thread);
	return thread;
}

/* Not only others' worker: it has begun regions, or was in none while they were counted. */
static bool may_begin_regions(const struct thread *thread)
{
	return __atomic_load_n(&thread->parallel_sequence, __ATOMIC_RELAXED) || !__atomic_load_n(&thread->teams, __ATOMIC_RELAXED);
}

static bool may_others_begin_regions(const struct thread *self)
{
	for (const struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread))
		if (thread != self && !has_ended(thread) && may_begin_regions(thread))
			return true;
	return false;
}

/* A worker whose regions this thread alone begins, which it does not just now. */
static bool waits(void *ctx, int os_id)
{
	const struct thread *self = ctx, *thread = thread_of(os_id);

	return thread && thread != self && !may_others_begin_regions(self);
}

/* NULL: nobody is where a jump would change what he runs, as far as this thread knows. */
static const char *why_not_now(struct thread *self)
{
	return !self || self->task_running || frame_team(self) ? WHY_INSIDE : NULL;
}

/* NULL: it is as it should be. */
static const char *turn(struct jump *jump, struct thread *self)
{
	bool on = jump->wanted && !jump->refusal && !jump->uncopied;
	const char *why = NULL;

	if (jump->on == on)
		return NULL;
	why = why_not_now(self);
	if (!why && switching_entry(jump->function, clone_behind(jump), on, waits, self, &why))
		jump->on = on;
	return why;
}

bool recording_jumps(struct arena *arena, struct region_table *regions, bool on, struct jumps_refused *refused_out)
{
	struct thread *self = event_initial();
	bool all = true;

	*refused_out = (struct jumps_refused){ 0 };
	look_at_modules();
	if (on)
		choose(arena, regions);
	else
		choose_none();
	for (size_t i = 0; i < nr_jumps; i++) {
		const char *why = turn(&jumps[i], self);

		all &= !why;
		if (!jumps[i].wanted || refused_out->why)
			continue;
		refused_out->why = jumps[i].refusal ? jumps[i].refusal : why;
		refused_out->function = jumps[i].refusal ? jumps[i].function : 0;
	}
	return all;
}

void recording_jumps_forget(void)
{
	const char *why;

	for (size_t i = 0; i < nr_jumps; i++)
		if (jumps[i].on && switching_entry(jumps[i].function, 0, false, NULL, NULL, &why))
			jumps[i].on = false;
}
