/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Life cycle of the tool in the program: starts it, finishes it once, and disables it in a forked
 * child.
 */
#include "ompt_tool/session/core.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/log.h"
#include "analysis/base/own_memory.h"
#include "analysis/base/own_stack.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/session/core_parts.h"
#include "ompt_tool/session/online.h"

#define FINISH_PATIENCE_MS 2000 /* for another thread to leave a phase boundary */

/* State of the first runtime's initialize. Two runtimes may start at once, on two threads. */
enum begun { NOT_BEGUN, BEGINNING, BEGUN, REFUSED };

static struct {
	int adding; /* atomic; 1: a thread adds a runtime */
	int process;
	int started;   /* atomic; 1: online_finish is still to be called */
	int begun;     /* atomic, enum begun */
	bool finished; /* atomic */
} core;

#define WHY_CONFINED "it confines itself (seccomp), and what memsearch calls could end it"

/* `cut_short`: reason why the program continues without memsearch; NULL: it ends. */
static void end(const char *cut_short)
{
	if (!events_enter(FINISH_PATIENCE_MS)) {
		events_enable(false);
		log_warning("the end was not reported: the program %s inside a phase boundary",
			    cut_short ? "confined itself" : "ended");
		return;
	}
	if (cut_short)
		log_warning("measured until here: the program continues alone, as %s", cut_short);
	online_finish(cut_short);
	events_enable(false);
	events_leave();
	if (log_is_debug())
		log_debug("stacks of its own: %zu bytes used of %u", own_stack_deepest(),
			  OWN_STACK_BYTES);
}

/*
 * Whichever comes first: the runtime's finalize, the exit handler (also for exit inside a
 * region), the library's destructor. Events that come later find the gate closed.
 */
static void finish_here(void *cut_short)
{
	int started = 1;

	if (getpid() != core.process ||
	    !__atomic_compare_exchange_n(&core.started, &started, 0, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return;
	end(cut_short);
	__atomic_store_n(&core.finished, true, __ATOMIC_RELEASE);
}

void core_end(void)
{
	if (__atomic_load_n(&core.started, __ATOMIC_RELAXED))
		own_stack_call(finish_here, NULL);
}

static bool has_begun(void)
{
	return __atomic_load_n(&core.begun, __ATOMIC_ACQUIRE) == BEGUN;
}

/* Another thread may be ending the measurement, with calls that are about to be forbidden. */
static void wait_for_end(void)
{
	const struct timespec pause = { 0, 1000000 };

	for (int i = 0; i < FINISH_PATIENCE_MS && has_begun() &&
			!__atomic_load_n(&core.finished, __ATOMIC_ACQUIRE);
	     i++)
		nanosleep(&pause, NULL);
}

/*
 * Ends in the middle of the program; later ends have no effect. Not in a child of vfork, which
 * shares the memory, but is another process.
 */
static void leave(void)
{
	if (getpid() != core.process)
		return;
	if (__atomic_load_n(&core.started, __ATOMIC_RELAXED))
		own_stack_call(finish_here, WHY_CONFINED);
	wait_for_end();
	core_parts_stop();
}

static void forget_here(void *argument)
{
	(void)argument;
	events_enable(false);
	if (__atomic_exchange_n(&core.started, 0, __ATOMIC_RELAXED))
		online_forget();
}

/*
 * In the child: closes the gate, and prevents writing to the parent's files. After the end nothing
 * is necessary, or allowed.
 */
static void forget(void)
{
	own_memory_in_child();
	if (!__atomic_load_n(&core.finished, __ATOMIC_ACQUIRE))
		own_stack_call(forget_here, NULL);
}

struct start {
	ompt_function_lookup_t lookup;
	const char *version; /* of the runtime */
	bool started;
};

static void start_here(void *argument)
{
	struct start *start = argument;

	core.process = getpid();
	start->started = core_parts_start(start->lookup, start->version, leave);
}

static void add_here(void *argument)
{
	struct start *start = argument;

	start->started = core_parts_add_runtime(start->lookup, start->version);
}

bool core_claim(void)
{
	int none = NOT_BEGUN;

	return __atomic_compare_exchange_n(&core.begun, &none, BEGINNING, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

bool core_begin(ompt_function_lookup_t lookup, const char *version)
{
	struct start start = { .lookup = lookup, .version = version };

	own_stack_call(start_here, &start);
	__atomic_store_n(&core.started, start.started, __ATOMIC_RELEASE);
	__atomic_store_n(&core.begun, start.started ? BEGUN : REFUSED, __ATOMIC_RELEASE);
	if (!start.started)
		return false;
	atexit(core_end);
	pthread_atfork(NULL, NULL, forget);
	return true;
}

/* One that starts during the first one's start has no events: waiting could deadlock. */
bool core_add_runtime(ompt_function_lookup_t lookup, const char *version)
{
	struct start start = { .lookup = lookup, .version = version };
	int free = 0;

	if (!has_begun() || getpid() != core.process ||
	    !__atomic_load_n(&core.started, __ATOMIC_ACQUIRE) ||
	    !__atomic_compare_exchange_n(&core.adding, &free, 1, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return false;
	own_stack_call(add_here, &start);
	__atomic_store_n(&core.adding, 0, __ATOMIC_RELEASE);
	return start.started;
}

__attribute__((destructor)) static void at_unload(void)
{
	core_end();
}
