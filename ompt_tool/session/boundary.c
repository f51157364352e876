/* SPDX-License-Identifier: Apache-2.0 */
/* A phase boundary: the step that the detector's answer calls for, and the account of its time. */
#include "ompt_tool/session/boundary.h"

#include "analysis/base/own_stack.h"
#include "ompt_tool/process/shortage.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/process/thread_times.h"
#include "ompt_tool/session/agent_turns.h"
#include "ompt_tool/session/executions.h"
#include "ompt_tool/session/intervals.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/pausing.h"
#include "ompt_tool/session/requests.h"
#include "ompt_tool/session/resting.h"
#include "ompt_tool/session/trying.h"
#include "ompt_tool/session/varying.h"
#include "ompt_tool/session/watching.h"
#include "ompt_tool/session/writing.h"

static void between_marks(void)
{
	online.state = ONLINE_BETWEEN;
	online.repetitions = 0;
}

static void answer(enum detector_answer what, uint64_t now_ns)
{
	if (online.state == ONLINE_TRYING && trying_answer(what, now_ns))
		return;
	if (online.state == ONLINE_WRITING && writing_answer(what, now_ns))
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
		if (online.state != ONLINE_TRYING && online.state != ONLINE_WRITING)
			between_marks();
		break;
	case DETECTOR_CHANGED: executions_begin(); break;
	case DETECTOR_ABANDONED: executions_abandon(); break;
	case DETECTOR_NOTHING: break;
	}
}

struct step {
	struct thread *self;
	enum detector_answer what;
	uint64_t now_ns;
};

static void take_step(void *argument)
{
	const struct step *step = argument;

	bool rested = online.rest_ns;

	resting_end(step->now_ns);
	agent_turns_look(step->now_ns);
	if (memory_is_short(step->now_ns))
		pausing_end("memory became short");
	else if (step->what != DETECTOR_NOTHING)
		answer(step->what, step->now_ns);
	else if (!rested)
		watching_continue(step->self, step->now_ns);
}

static void judge_rest(void *argument)
{
	const struct step *step = argument;

	resting_judge(step->self, step->now_ns);
}

/* Its time is the tool's, too. */
void boundary_rest(struct thread *self, uint64_t now_ns)
{
	struct thread_stretch stretch = thread_stretch_begin();
	uint64_t noted_ns = self->boundary_ns;

	own_stack_call(judge_rest, &(struct step){ self, DETECTOR_NOTHING, now_ns });
	__atomic_store_n(&self->boundary_ns, noted_ns + thread_stretch_end(self, &stretch),
			 __ATOMIC_RELAXED);
}

/*
 * A step of the search, or a phase's begin, is not part of the next execution's cost; the begin of
 * recording is part of recording's cost.
 */
static void charge_step(void)
{
	if (online.stepped && online.state == ONLINE_SEARCHING && !requests_record())
		agent_turns_charge(experiment_between_ns(online.experiment));
	online.stepped = false;
}

void boundary_step(struct thread *self, enum detector_answer what, uint64_t now_ns)
{
	struct thread_stretch stretch = thread_stretch_begin();
	uint64_t noted_ns = self->boundary_ns, elapsed_ns;

	if (what == DETECTOR_BOUNDARY && online.state != ONLINE_TRYING &&
	    online.state != ONLINE_WRITING && executions_are_short(self, now_ns))
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

void boundary_interval(struct thread *self, bool begin, int number, uint64_t now_ns)
{
	if (watching_may_part(now_ns))
		boundary_step(self, DETECTOR_NOTHING, now_ns);
	intervals_mark(begin, number, online.stretch_ns, now_ns);
}
