/* SPDX-License-Identifier: Apache-2.0 */
/* From the search to an execution with watched pages, and back. */
#include "ompt_tool/session/writing.h"

#include "analysis/base/own_stack.h"
#include "ompt_tool/placement/page_writes.h"
#include "ompt_tool/session/executions.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/requests.h"
#include "ompt_tool/session/varying.h"

/* Executions of the phase before it: the first ones may still touch memory for the first time. */
#define WAIT 2

static bool is_due(void)
{
	return online.writes && !online.wrote && online.state == ONLINE_SEARCHING &&
	       !varying_is_on() && !requests_record() && online.run.phase.executions >= WAIT;
}

void writing_begin_if_due(void)
{
	if (!is_due())
		return;
	online.wrote = true;
	if (!online.read_midway)
		requests_read_declarations();
	if (!page_writes_begin(online.writes))
		return;
	requests_faults(&online.phase);
	online.state = ONLINE_WRITING;
	online.repetitions = 0;
	online.stepped = true;
}

static void resume_search(void)
{
	experiment_skip(online.experiment, false);
	requests_apply(&online.phase);
	online.state = ONLINE_SEARCHING;
	online.repetitions = 0;
	online.stepped = true;
}

bool writing_answer(enum detector_answer what, uint64_t now_ns)
{
	uint64_t executions = detector_repetitions(online.detector);

	switch (what) {
	case DETECTOR_BOUNDARY:
	case DETECTOR_END:
		page_writes_end(online.writes, executions);
		executions_pass(now_ns, executions);
		resume_search();
		if (what == DETECTOR_END)
			online.state = ONLINE_BETWEEN;
		return true;
	case DETECTOR_CHANGED:
	case DETECTOR_ABANDONED:
		writing_stop("the program went to another phase");
		resume_search();
		return false;
	default: return true;
	}
}

static void stop(void *why)
{
	page_writes_stop(online.writes, why);
}

void writing_stop(const char *why)
{
	if (online.state == ONLINE_WRITING)
		own_stack_call(stop, (void *)why);
}
