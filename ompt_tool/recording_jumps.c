/* SPDX-License-Identifier: Apache-2.0 */
/* Jumps to clones at the begin of functions that libraries call back. */
#include "ompt_tool/recording_jumps.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/arena.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/switching.h"
#include "ompt_tool/events/event.h"
#include "ompt_tool/events/frame.h"
#include "ompt_tool/recorded_code.h"
#include "ompt_tool/regions/region_table.h"
#include "ompt_tool/thread.h"

struct jump {
	uintptr_t function;
	bool on, out_of_question;
};

static struct jump *jumps;
static size_t nr_jumps, room_jumps;
static size_t looked_at;                 /* of those handed on */

/* What the runtime calls is exchanged where it is handed over (switching.h). */
static bool is_body(struct region_table *regions, uintptr_t function)
{
	for (uint32_t id = 0; id < region_table_count(regions); id++) {
		const struct region *region = region_table_at(regions, id);
		uint32_t nr = region ? region_bodies(region) : 0;

		for (uint32_t i = 0; i < nr; i++)
			if (region->bodies[i] == function)
				return true;
	}
	return false;
}

/* Cloning one can show others. */
static void find(struct arena *arena, struct region_table *regions)
{
	size_t nr;
	const uintptr_t *handed = clone_handed(&nr);

	for (; looked_at < nr; handed = clone_handed(&nr)) {
		uintptr_t function = handed[looked_at++];

		if (recorded_code_is_programs(function) && !is_body(regions, function) && recorded_code_clone(function, CLONE_ACCESSES, false) &&
		    ARENA_GROW(arena, jumps, nr_jumps, room_jumps))
			jumps[nr_jumps++] = (struct jump){ .function = function };
	}
}

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

/* It may run between any two instructions of recorded code, whose record it must not get into (clones/record.h). */
static bool is_signal_handler(uintptr_t function)
{
	for (int number = 1; number < NSIG; number++) {
		struct sigaction action;

		if (!sigaction(number, NULL, &action) && (uintptr_t)action.sa_sigaction == function)
			return true;
	}
	return false;
}

static bool are_all(bool on)
{
	size_t nr, i = 0;

	clone_handed(&nr);
	while (i < nr_jumps && (jumps[i].on == on || jumps[i].out_of_question))
		i++;
	return i == nr_jumps && (!on || looked_at == nr);
}

bool recording_jumps(struct arena *arena, struct region_table *regions, bool on, const char **why_out)
{
	struct thread *self = event_initial();

	*why_out = NULL;
	if (!self || self->task_running || frame_team(self))
		return are_all(on);
	if (on)
		find(arena, regions);
	for (size_t i = 0; i < nr_jumps; i++) {
		struct jump *jump = &jumps[i];
		const char *why;

		jump->out_of_question |= on && !jump->on && is_signal_handler(jump->function);
		if (jump->on == on || jump->out_of_question)
			continue;
		if (switching_entry(jump->function, clone_with(jump->function, CLONE_ACCESSES), on, waits, self, &why))
			jump->on = on;
		else
			*why_out = why;
	}
	return are_all(on);
}
