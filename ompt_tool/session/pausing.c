/* SPDX-License-Identifier: Apache-2.0 */
/* Pauses of measuring, and its early end. */
#include "ompt_tool/session/pausing.h"

#include "ompt_tool/recording/first_execution.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/requests.h"
#include "ompt_tool/session/trying.h"
#include "ompt_tool/session/watching.h"
#include "ompt_tool/session/writing.h"

static void pause_measuring(const char *why)
{
	trying_stop(why);
	writing_stop(why);
	online.state = ONLINE_PAUSED;
	online.repetitions = 0;
	first_execution_stop();
	experiment_request(online.experiment, NULL, 0);
}

void pausing_begin(uint64_t now_ns)
{
	if (online.state == ONLINE_WATCHING)
		watching_checkpoint(now_ns);
	pause_measuring("the program paused measuring");
}

void pausing_resume(uint64_t now_ns)
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

void pausing_end(const char *why)
{
	online.ended = true;
	pause_measuring(why);
}
