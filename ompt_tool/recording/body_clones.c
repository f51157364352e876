/* SPDX-License-Identifier: Apache-2.0 */
/* The bodies that run as recording clones, and the redirection of the runtime's entries to them. */
#include "ompt_tool/recording/body_clones.h"

#include <errno.h>

#include "analysis/base/guest_state.h"
#include "analysis/base/own_stack.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/loop_times.h"
#include "ompt_tool/arrays/heap.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/clones/switching.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/process/thread_times.h"
#include "ompt_tool/recording/first_execution.h"
#include "ompt_tool/recording/recorded_code.h"
#include "ompt_tool/recording/recording_obstacles.h"

/* functions recorded at a time; one experiment is about one region and what is in it */
#define BODIES_ON 64

/* Functions that are redirected to clones now; read by every thread at every region. Atomic. */
static uint64_t on[BODIES_ON]; /* 0: not any more */
static uint32_t nr_on;

static void (*make_first)(void *function);
static bool is_redirected;
static unsigned long long loaded; /* modules at the last redirection */

bool body_clones_has(uint64_t function)
{
	uint32_t nr = __atomic_load_n(&nr_on, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < nr; i++)
		if (__atomic_load_n(&on[i], __ATOMIC_RELAXED) == function)
			return true;
	return false;
}

bool body_clones_make(uint64_t function, uint32_t probes)
{
	return nr_on < BODIES_ON && recorded_code_clone(function, probes, true);
}

void body_clones_add(uint64_t function)
{
	__atomic_store_n(&on[nr_on], function, __ATOMIC_RELAXED);
	__atomic_store_n(&nr_on, nr_on + 1, __ATOMIC_RELEASE);
}

void body_clones_clear(void)
{
	__atomic_store_n(&nr_on, 0, __ATOMIC_RELEASE);
}

uint32_t body_clones_count(void)
{
	return nr_on;
}

static uintptr_t clone_for(uint64_t function, enum switching_use use)
{
	if (!body_clones_has(function))
		return 0;
	return use == SWITCHING_TASK ? clone_with(function, PROBES_OF_TASKS) : clone_of(function);
}

/* Any thread, in the middle of its code: leaves the clones. */
static void leave(enum switching_stops stops)
{
	uint32_t nr = __atomic_load_n(&nr_on, __ATOMIC_ACQUIRE);

	if (stops == SWITCHING_ALL)
		body_clones_clear();
	for (uint32_t i = 0; stops == SWITCHING_LIBRARIES && i < nr; i++)
		if (!recorded_code_is_executables(on[i]))
			__atomic_store_n(&on[i], 0, __ATOMIC_RELAXED);
	events_left_clones();
}

/*
 * Before the runtime is entered. Bodies of earlier bursts run as originals again. Budgets are
 * computed in floating-point arithmetic, whose flags the program must not see.
 */
static void record_first(const struct thread *self, uintptr_t function)
{
	int error = errno;
	uint64_t flags = float_flags();

	if (!self->index && !self->depth)
		body_clones_clear();
	if (first_execution_wants(self, function))
		own_stack_call(make_first, &function);
	float_flags_put_back(flags);
	errno = error;
}

static void look_at_code(void *argument)
{
	struct thread_stretch stretch = thread_stretch_begin();
	struct thread *self = events_self();

	*(bool *)argument = clone_is_current();
	__atomic_store_n(&self->boundary_ns, self->boundary_ns + thread_stretch_end(self, &stretch),
			 __ATOMIC_RELAXED);
}

/*
 * Serial code between two regions may have changed code by calls that bypass the guards: then the
 * body runs as the original.
 */
static bool code_is_current(const struct thread *self)
{
	int error = errno;
	bool current = true;

	if (!self->worker && !self->depth)
		own_stack_call(look_at_code, &current);
	if (!current)
		leave(SWITCHING_ALL);
	errno = error;
	return current;
}

/* Any thread, about to enter the runtime. */
static uintptr_t translate(uintptr_t function, enum switching_use use)
{
	struct thread *self = events_self();
	uintptr_t clone;

	if (self && use == SWITCHING_BODY && first_execution_is_on())
		record_first(self, function);
	clone = self ? clone_for(function, use) : 0;
	if (clone && use == SWITCHING_BODY && !code_is_current(self))
		clone = 0;

	/* libomp makes its own threads asynchronously cancellable, but cancels none. */
	if (clone && !self->worker && recording_cancelled_anywhere())
		clone = 0;

	if (self && use == SWITCHING_BODY) {
		self->next_body = function;
		self->next_body_is_clone = clone != 0;
		self->next_body_has_times = clone && loop_times_is_on();
	}
	if (self && use == SWITCHING_TASK) {
		self->next_task_body = function;
		if (clone && !accesses_records_tasks(self))
			clone = 0;
	}
	return clone ? clone : function;
}

/* Includes modules loaded by dlopen meanwhile. */
static const char *redirect(void)
{
	struct switching_status status;

	callee_look();
	loaded = callee_loaded();
	switching_redirect(translate, &status);
	return status.why;
}

bool body_clones_differ_from_passed(void)
{
	const struct thread *self = events_self();

	return self && self->next_body &&
	       (self->next_body_is_clone != body_clones_has(self->next_body) ||
		(self->next_body_is_clone && self->next_body_has_times != loop_times_is_on()));
}

const char *body_clones_redirect(void (*make)(void *function))
{
	const char *why;

	if (is_redirected) {
		body_clones_redirect_new();
		return NULL;
	}
	make_first = make;
	switching_leaving(leave);
	why = redirect();
	is_redirected = !why;
	return why;
}

void body_clones_redirect_new(void)
{
	if (!callee_look() || callee_loaded() == loaded)
		return;
	heap_update(); /* first: redirections made here are permanent */
	redirect();
}
