/* SPDX-License-Identifier: Apache-2.0 */
/* Phase boundaries: maps events of the initial thread to steps of the measurement. */
#include "ompt_tool/session/online.h"

#include "analysis/base/guest_state.h"
#include "analysis/base/own_stack.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/process/shortage.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/recording/first_execution.h"
#include "ompt_tool/session/executions.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/requests.h"
#include "ompt_tool/session/sensors.h"
#include "ompt_tool/session/trying.h"
#include "ompt_tool/session/varying.h"
#include "ompt_tool/session/watching.h"

struct online online;

static void between_marks(void)
{
	online.state = ONLINE_BETWEEN;
	online.repetitions = 0;
}

static void answer(enum detector_answer what, uint64_t now_ns)
{
	if (online.state == ONLINE_TRYING && trying_answer(what, now_ns))
		return;
	switch (what) {
	case DETECTOR_FOUND:
		watching_checkpoint(now_ns);
		executions_begin();
		break;
	case DETECTOR_BEGIN:
		if (online.state == ONLINE_WATCHING) {
			watching_checkpoint(now_ns);
			executions_begin();
		}
		experiment_skip(online.experiment, true);
		online.state = ONLINE_SEARCHING;
		break;
	case DETECTOR_BOUNDARY: executions_end(now_ns); break;
	case DETECTOR_END:
		executions_end(now_ns);
		if (online.state != ONLINE_TRYING)
			between_marks();
		break;
	case DETECTOR_CHANGED: executions_begin(); break;
	case DETECTOR_ABANDONED: executions_abandon(); break;
	case DETECTOR_NOTHING: break;
	}
}

/* Like omp_control_tool's end, but without another step of the search, which needs memory. */
static void end_measuring(void)
{
	trying_stop("memory became short");
	online.ended = true;
	online.state = ONLINE_PAUSED;
	online.repetitions = 0;
	first_execution_stop();
	experiment_request(online.experiment, NULL, 0);
}

struct step {
	const struct thread *self;
	enum detector_answer what;
	uint64_t now_ns;
};

static void take_step(void *argument)
{
	const struct step *step = argument;

	if (memory_is_short(step->now_ns))
		end_measuring();
	else if (step->what == DETECTOR_NOTHING)
		watching_continue(step->self, step->now_ns);
	else
		answer(step->what, step->now_ns);
}

/*
 * A step of the search, or a phase's begin, is not part of the next execution's cost; the begin of
 * recording is part of recording's cost.
 */
static void charge_step(void)
{
	if (online.stepped && online.state == ONLINE_SEARCHING &&
	    !engine_records(online.phase.engine))
		engine_charge(online.phase.engine, experiment_between_ns(online.experiment));
	online.stepped = false;
}

/*
 * Runs one step and accounts for its time; the next stretch begins after it, unless the present one
 * continues.
 */
static void boundary(struct thread *self, enum detector_answer what, uint64_t now_ns)
{
	struct thread_stretch stretch = thread_stretch_begin();
	uint64_t noted_ns = self->boundary_ns, elapsed_ns;

	if (what == DETECTOR_BOUNDARY && online.state != ONLINE_TRYING &&
	    executions_are_short(self, now_ns))
		online.repetitions += detector_repetitions(online.detector);
	else
		own_stack_call(take_step, &(struct step){ self, what, now_ns });
	varying_apply();
	elapsed_ns = thread_stretch_end(self, &stretch);
	/* includes time noted by the step itself */
	__atomic_store_n(&self->boundary_ns, noted_ns + elapsed_ns, __ATOMIC_RELAXED);
	charge_step();
	if (!online.repetitions) {
		online.stretch_ns = stretch.begin_ns + elapsed_ns;
		online.stretch_cost_ns = self->cost_ns;
		online.stretch_timed_ns = self->timed_ns;
	}
}

/* Between experiments, and nothing new is expected inside of the region that begins now. */
static bool is_at_rest(uint32_t region)
{
	return online.state == ONLINE_SEARCHING && engine_experiments(online.phase.engine) &&
	       detector_ignores_inside(online.detector, region, events_rest_in_runtime());
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

static void online_event(struct thread *self, int level, uint32_t region, uint64_t now_ns)
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
		what = detector_event(online.detector, level, region,
				      now_ns ? programs_ns(self, now_ns) : 0);
		if (what != DETECTOR_NOTHING || watching_must_change(self, now_ns))
			boundary(self, what, now_ns);
	}
	if (level == DETECTOR_REGION)
		events_rest(is_at_rest(region));
	float_flags_put_back(flags);
}

/* Values of watching so far count; an incomplete execution of a phase does not. */
static void pause_measuring(uint64_t now_ns)
{
	if (online.state == ONLINE_WATCHING)
		watching_checkpoint(now_ns);
	trying_stop("the program paused measuring");
	online.state = ONLINE_PAUSED;
	online.repetitions = 0;
	first_execution_stop();
	experiment_request(online.experiment, NULL, 0);
}

static void resume_measuring(uint64_t now_ns)
{
	if (online.state != ONLINE_PAUSED || online.ended)
		return;
	experiment_skip(online.experiment, false);
	online.stretch_ns = now_ns;
	if (online.run.phase.method == PHASE_WHOLE_PROGRAM) {
		watching_begin();
		return;
	}
	requests_apply(&online.phase);
	online.state = ONLINE_SEARCHING;
}

static void online_control(struct thread *self, uint64_t command, uint64_t modifier,
			   uint64_t now_ns)
{
	enum detector_answer what;

	if (self->index != 0 || online.state == ONLINE_OFF)
		return;
	switch (command) {
	case 1: resume_measuring(now_ns); break;
	case 2: pause_measuring(now_ns); break;
	case 4:
		online.ended = true;
		pause_measuring(now_ns);
		break;
	case 64:
	case 65:
		what = detector_mark(online.detector, command == 64, (int)modifier,
				     programs_ns(self, now_ns));
		if (what != DETECTOR_NOTHING && online.state != ONLINE_PAUSED)
			boundary(self, what, now_ns);
		break;
	default: break;
	}
}

const struct events_listener online_listener = {
	.event = online_event,
	.control = online_control,
	.clone_begins = first_execution_begins,
	.serial_begins = first_execution_ends,
};

void online_forget(void)
{
	online.state = ONLINE_OFF;
	sensors_forget();
	if (online.record)
		record_abandon(online.record);
}
