/* SPDX-License-Identifier: Apache-2.0 */
/* The end of the program: the last fold, the end of the search, the record, the list on stderr. */
#include "ompt_tool/session/online.h"

#include <unistd.h>

#include "ompt_tool/events/events.h"
#include "ompt_tool/process/shortage.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/session/cost.h"
#include "ompt_tool/session/final_report.h"
#include "ompt_tool/session/kept_phases.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/run_contents.h"
#include "ompt_tool/session/searches.h"
#include "ompt_tool/session/trials.h"
#include "ompt_tool/session/varying.h"

static void finish(const char *cut_short)
{
	uint64_t now_ns = thread_clock_ns();
	struct search *search;

	events_close_serial(now_ns);
	trials_end(online.trials, cut_short ? "memsearch ended" : "the program ended",
		   cut_short != NULL);
	varying_end();
	search = searches_end(now_ns);
	online.state = ONLINE_OFF;
	varying_note(&online.run.phase);
	if (cut_short) /* the kernel would continue counting and sampling */
		experiment_request(online.experiment, NULL, 0);
	searches_save(search);
	cost_note(now_ns); /* except the end's */
	run_contents_at_end(search, now_ns, cut_short);
	online.run.complete = true;
	cost_note_end(now_ns);
	if (online.record) {
		/* includes everything but its own size */
		record_update(online.record, &online.run);
		kept_phases_write();
		online.run.cost.record_bytes = record_bytes(online.record);
		record_close(online.record, &online.run);
	}
	varying_write();
	final_report(cut_short);
}

void online_finish(const char *cut_short)
{
	if (online.state != ONLINE_OFF && online.pid == getpid() && !memory_is_short(0))
		finish(cut_short);
}
