/* SPDX-License-Identifier: Apache-2.0 */
/* Which code runs as recording clones: life of the recording, and its choice at each experiment. */
#include "ompt_tool/recording/recording_private.h"

#include "analysis/base/arena.h"
#include "analysis/base/thread_clock.h"
#include "analysis/record/run.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/events/event.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/recording/body_clones.h"
#include "ompt_tool/recording/first_execution.h"
#include "ompt_tool/recording/selection.h"
#include "ompt_tool/recording/source_loops.h"
#include "ompt_tool/regions/region_table.h"

struct recording *recording_new(struct arena *arena, struct region_table *regions, struct run *run,
				bool works)
{
	struct recording *recording = arena_alloc(arena, sizeof(*recording));

	if (!recording)
		return NULL;
	*recording = (struct recording){ .arena = arena,
					 .regions = regions,
					 .run = run,
					 .loops = loops_new(arena, run),
					 .begun_ns = thread_clock_ns() };
	recording->works = recording->loops && works;
	return recording;
}

/*
 * Bursts in a parallel region around the phase continue until the search requests a recording, which
 * waits until two whole executions of the phase are affordable.
 */
static bool goes_on(void)
{
	const struct thread *initial = event_initial();

	return first_execution_is_on() && initial && initial->depth;
}

void recording_prepare(struct recording *recording)
{
	const char *why;

	if (goes_on())
		return;
	if (first_execution_is_on())
		body_clones_clear();
	first_execution_stop();
	why = recording->works ? recording_redirect(recording) : NULL;
	recording->works &= !why;
	if (why)
		run_note_dropped(
			recording->run, recording->arena,
			(struct run_dropped){ .what = "accesses to the program's data structures",
					      .why = why });
}

bool recording_select(struct recording *recording, bool asked)
{
	uint32_t nr_before = body_clones_count();

	if (!asked)
		loops_rest_unused(recording->loops);
	if (!recording->prepared || (!asked && !recording->asked))
		return false;
	recording->asked = asked;
	recording_look_for_obstacles(recording);
	if (asked) {
		recording->left_ns = recording_left_ns();
		clone_check();
	}
	body_clones_clear();
	for (uint32_t id = 0; !recording->obstacle && id < region_table_count(recording->regions);
	     id++) {
		struct region *region = region_table_at(recording->regions, id);

		if (selection_asked(region))
			selection_add(recording, region);
	}
	if (asked) {
		loops_update(recording->loops);
		body_clones_redirect_new();
	}
	if (body_clones_count() || nr_before)
		selection_announce(recording);
	return body_clones_differ_from_passed();
}

void recording_announce(struct recording *recording)
{
	selection_announce(recording);
}

void recording_rest(struct recording *recording)
{
	loops_rest(recording->loops);
}

void recording_harvest(const struct recording *recording)
{
	loops_resolve(recording->loops);
}

void recording_forget(void)
{
	events_forget_serial();
	first_execution_forget();
	body_clones_clear();
}
