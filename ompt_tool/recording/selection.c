/* SPDX-License-Identifier: Apache-2.0 */
/* Which bodies are recorded, by the regions whose accesses are requested. */
#include "ompt_tool/recording/selection.h"

#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/loop_times.h"
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/events/body.h"
#include "ompt_tool/events/event.h"
#include "ompt_tool/events/frame.h"
#include "ompt_tool/recording/body_clones.h"
#include "ompt_tool/recording/recording_private.h"
#include "ompt_tool/recording/recording_serial.h"
#include "ompt_tool/recording/source_loops.h"
#include "ompt_tool/regions/region_table.h"

struct region *selection_holder(const struct recording *recording, struct region *region)
{
	while (region && region->kind != MS_PARALLEL_REGION && region->kind != MS_TASK_REGION &&
	       region->id != MS_REGION_USER)
		region = region_table_at(recording->regions, region->parent);
	return region && region->id != MS_REGION_USER ? region : NULL;
}

bool selection_add_body(struct recording *recording, uint64_t function, uint32_t probes)
{
	if (body_clones_has(function))
		return true;
	if (!body_clones_make(function, probes))
		return false;
	loops_update(recording->loops);
	body_clones_add(function);
	return true;
}

bool selection_add_bodies(struct recording *recording, struct region *holder)
{
	uint32_t nr = holder ? region_bodies(holder) : 0;
	bool is_task = nr && holder->kind == MS_TASK_REGION;
	uint32_t probes = loop_times_is_on() ? LOOP_TIMES_PROBES
			  : is_task          ? PROBES_OF_TASKS
					     : CLONE_ACCESSES;

	/* nor in a region around the phase, in which threads may still be in other clones */
	if (loop_times_is_on() && (is_task || (event_initial() && event_initial()->depth)))
		return false;
	for (uint32_t i = 0; i < nr; i++)
		if (!selection_add_body(recording, holder->bodies[i], probes))
			return false;
	return nr > 0;
}

bool selection_asked(const struct region *region)
{
	return region && !ms_region_kind_is_part(region->kind) && region->id != MS_REGION_USER &&
	       (region_requests(region) & (loop_times_is_on() ? LOOPS_BIT : ACCESSES_BIT));
}

bool selection_recorded(struct region *holder)
{
	uint32_t nr = region_bodies(holder);

	for (uint32_t i = 0; i < nr; i++)
		if (!body_clones_has(holder->bodies[i]))
			return false;
	return nr > 0;
}

/* A region that began before bodies were tracked: the initial thread's present team is its team. */
static void note_running(struct region *team)
{
	struct thread *self = event_initial();
	struct frame *frame = self && !self->task_running ? frame_team(self) : NULL;
	struct code_bounds bounds;
	uint64_t code;

	if (!frame || !team || frame->region != team->id || region_bodies(team))
		return;
	code = body_around();
	if (code && code_bounds_find(code - 1, &bounds) == CODE_BOUNDS_FOUND)
		region_note_body(team, bounds.start);
}

void selection_announce(struct recording *recording)
{
	uint32_t choice = __atomic_load_n(&events.choices, __ATOMIC_RELAXED) + 1;

	for (uint32_t id = 0; id < region_table_count(recording->regions); id++) {
		struct region *region = region_table_at(recording->regions, id),
			      *holder = selection_asked(region)
						? selection_holder(recording, region)
						: NULL;

		if (holder && selection_recorded(holder))
			__atomic_store_n(&holder->recorded, choice, __ATOMIC_RELAXED);
	}
	__atomic_store_n(&events.choices, choice, __ATOMIC_RELEASE);
}

void selection_add(struct recording *recording, struct region *region)
{
	if (region->kind == MS_SERIAL_REGION && loop_times_is_on())
		return;
	if (region->kind == MS_SERIAL_REGION) {
		recording_serial_prepare(recording->regions, region);
		loops_update(recording->loops);
		return;
	}
	note_running(selection_holder(recording, region));
	selection_add_bodies(recording, selection_holder(recording, region));
}
