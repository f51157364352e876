/* SPDX-License-Identifier: Apache-2.0 */
/* Recording while no phase is known: makes the clone of a body before its first execution. */
#include "ompt_tool/accesses/keeping.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/process/thread_times.h"
#include "ompt_tool/recording/body_clones.h"
#include "ompt_tool/recording/first_execution.h"
#include "ompt_tool/recording/recorded_code.h"
#include "ompt_tool/recording/recording_private.h"
#include "ompt_tool/recording/selection.h"
#include "ompt_tool/recording/source_loops.h"

static struct recording *watching; /* whose program has no phase yet */
static void (*before_first)(void); /* called before the first clone is made; NULL: it was */

/*
 * Tasks that recorded code may create, and those that these create, as the runtime gets their
 * functions while the region runs. Not more than the set has room for.
 */
static void add_tasks(void)
{
	const struct clone *newest, *until = NULL;

	do {
		newest = clone_newest();
		for (const struct clone *clone = newest; clone != until;
		     clone = clone_made_before(clone))
			for (uint32_t i = 0; i < clone->nr_tasks; i++)
				selection_add_body(watching, clone->tasks[i], PROBES_OF_TASKS);
		until = newest;
	} while (newest != clone_newest());
}

static void make_first(void *argument)
{
	uintptr_t function = *(const uintptr_t *)argument;
	struct thread_stretch stretch = thread_stretch_begin();
	uint64_t cpu_ns, took_ns;
	bool made = false;

	if (before_first)
		before_first();
	before_first = NULL;
	/* the work before is done in every program, at the latest at its end */
	cpu_ns = thread_cpu_ns();
	watching->asked = true;
	recording_look_for_obstacles(watching);
	if (!watching->obstacle) {
		clone_check();
		recorded_code_follow(); /* functions that earlier bursts called through pointers */
		made = selection_add_body(watching, function, CLONE_ACCESSES);
		if (made)
			add_tasks();
	}
	watching->asked = false;
	took_ns = thread_stretch_end(events_self(), &stretch);
	__atomic_store_n(&events_self()->boundary_ns, events_self()->boundary_ns + took_ns,
			 __ATOMIC_RELAXED);
	if (!first_execution_passes(thread_cpu_ns() - cpu_ns, made))
		body_clones_clear();
}

const char *recording_redirect(struct recording *recording)
{
	const char *why = body_clones_redirect(make_first);

	recording->prepared = !why;
	return why;
}

/* Called repeatedly: modules that call the runtime may be loaded later, by dlopen. */
void recording_watch(struct recording *recording, double limit, void (*before)(void))
{
	loops_rest_unused(recording->loops);
	if (!recording->works || !keeping_is_on() || recording_redirect(recording))
		return;
	watching = recording;
	before_first = before;
	first_execution_start(recording->regions, limit);
}
