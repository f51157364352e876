/* SPDX-License-Identifier: Apache-2.0 */
/* From the search to trials, and back. */
#include "ompt_tool/session/trying.h"

#include "analysis/base/own_stack.h"
#include "analysis/search/database_reading.h"
#include "ompt_tool/accesses/keeping.h"
#include "ompt_tool/session/executions.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/requests.h"
#include "ompt_tool/session/trials.h"
#include "ompt_tool/session/varying.h"

/*
 * An execution of the phase was recorded; or bursts, where there was time for one and it was
 * recorded for no part.
 */
static bool are_due(void)
{
	const struct run_phase *phase = &online.run.phase;

	return trials_are_open(online.trials) && online.state == ONLINE_SEARCHING &&
	       !varying_is_on() && !requests_record() &&
	       (keeping_executions() > phase->kept_before || phase->executions >= TRIALS_WAIT);
}

/* Experiments so far have measured all of the phase's regions. */
static bool is_in_phase(void *db, uint32_t region)
{
	return database_threads(db, region, NULL, 0) > 0;
}

void trying_begin_if_due(void)
{
	if (!are_due() || !trials_begin(online.trials, is_in_phase, online.phase.db))
		return;
	experiment_request(online.experiment, NULL, 0);
	online.state = ONLINE_TRYING;
	online.repetitions = 0;
	online.stepped = false;
}

static void resume_search(void)
{
	experiment_skip(online.experiment, false);
	requests_apply(&online.phase);
	online.state = ONLINE_SEARCHING;
	online.repetitions = 0;
}

bool trying_answer(enum detector_answer what, uint64_t now_ns)
{
	uint64_t executions = detector_repetitions(online.detector);
	bool ended = false;

	switch (what) {
	case DETECTOR_BOUNDARY:
	case DETECTOR_END:
		executions_pass(now_ns, executions);
		if (!trials_execution(online.trials, (double)(now_ns - online.stretch_ns),
				      executions))
			resume_search();
		if (what == DETECTOR_END && online.state == ONLINE_SEARCHING)
			online.state = ONLINE_BETWEEN;
		break;
	case DETECTOR_CHANGED:
	case DETECTOR_ABANDONED:
		trying_stop("the program went to another phase");
		resume_search();
		ended = true;
		break;
	default: break;
	}
	return !ended;
}

static void stop(void *why)
{
	trials_end(online.trials, why, true);
}

void trying_stop(const char *why)
{
	if (online.state == ONLINE_TRYING)
		own_stack_call(stop, (void *)why);
}
