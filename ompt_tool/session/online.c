/* SPDX-License-Identifier: Apache-2.0 */
/* Phase boundaries: maps events of the initial thread to steps of the measurement. */
#include "ompt_tool/session/online.h"

#include "analysis/base/guest_state.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/recording/first_execution.h"
#include "ompt_tool/session/boundary.h"
#include "ompt_tool/session/agent_turns.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/pausing.h"
#include "ompt_tool/session/resting.h"
#include "ompt_tool/session/sensors.h"
#include "ompt_tool/session/watching.h"

struct online online;

/* Between experiments, and nothing new is expected inside of the region that begins now. */
static bool is_at_rest(uint32_t region)
{
	return online.state == ONLINE_SEARCHING && engine_experiments(online.phase.engine) &&
	       detector_ignores_inside(online.detector, region, events_rest_in_runtime());
}

/*
 * Constructs in the region that begins now are dropped, because measuring them cost too much. While
 * accesses are recorded, no times are used.
 */
static bool skips_constructs(uint32_t region)
{
	return online.state == ONLINE_SEARCHING && database_drops(online.phase.db, region) &&
	       !experiment_is_alone(online.experiment) &&
	       !detector_needs_constructs(online.detector);
}

/*
 * The program's own time, without the tool's timed work: an execution that was simulated is no
 * longer than others because of that. An event's own work may be included already, although it came
 * after `now_ns`: then this time stands still, but never decreases.
 */
static uint64_t programs_ns(const struct thread *self, uint64_t now_ns)
{
	int64_t ns = (int64_t)(now_ns - self->boundary_ns - self->timed_ns);

	if (ns > online.programs_ns)
		online.programs_ns = ns;
	return (uint64_t)online.programs_ns;
}

static void online_event(struct thread *self, int level, uint32_t region, uint32_t path,
			 uint64_t now_ns)
{
	enum detector_answer what;
	uint64_t flags;

	if (self->index != 0 || online.state == ONLINE_OFF)
		return;
	flags = float_flags(); /* computing the detector's means raises floating-point exceptions */
	if (online.state != ONLINE_PAUSED) {
		if (!now_ns && (online.state == ONLINE_WATCHING ||
				detector_needs_time(online.detector, level, region)))
			now_ns = thread_clock_ns();
		what = detector_event(online.detector, level, region, path,
				      now_ns ? programs_ns(self, now_ns) : 0);
		if (what != DETECTOR_NOTHING || online.rest_ns ||
		    watching_must_change(self, now_ns))
			boundary_step(self, what, now_ns);
	}
	if (level == DETECTOR_REGION) {
		online.region_ns = now_ns;
		online.region = region;
		events_rest(is_at_rest(region));
		events_skip_constructs(skips_constructs(region));
	}
	float_flags_put_back(flags);
}

static void online_control(struct thread *self, uint64_t command, uint64_t modifier,
			   uint64_t now_ns)
{
	enum detector_answer what;

	if (self->index != 0 || online.state == ONLINE_OFF)
		return;
	if (online.rest_ns)
		boundary_step(self, DETECTOR_NOTHING, now_ns);
	switch (command) {
	case 1: pausing_resume(now_ns); break;
	case 2: pausing_begin(now_ns); break;
	case 4:
		online.ended = true;
		pausing_begin(now_ns);
		break;
	case 64:
	case 65:
		what = detector_mark(online.detector, command == 64, (int)modifier,
				     programs_ns(self, now_ns));
		if (what != DETECTOR_NOTHING && online.state != ONLINE_PAUSED)
			boundary_step(self, what, now_ns);
		break;
	case 66:
	case 67: boundary_interval(self, command == 66, (int)modifier, now_ns); break;
	default: break;
	}
}

static void online_spent(struct thread *self, uint64_t now_ns)
{
	if (resting_is_judged(now_ns))
		boundary_rest(self, now_ns);
}

const struct events_listener online_listener = {
	.event = online_event,
	.control = online_control,
	.clone_begins = first_execution_begins,
	.serial_begins = first_execution_ends,
	.spent = online_spent,
};

void online_forget(void)
{
	online.state = ONLINE_OFF;
	sensors_forget();
	agent_turns_forget();
	if (online.record)
		record_abandon(online.record);
}
