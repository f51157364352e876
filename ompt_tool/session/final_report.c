/* SPDX-License-Identifier: Apache-2.0 */
/* The report on stderr at the end. */
#include "ompt_tool/session/final_report.h"

#include <unistd.h>

#include "analysis/base/log.h"
#include "analysis/report/report.h"
#include "analysis/report/text.h"
#include "ompt_tool/accesses/keeping.h"
#include "ompt_tool/session/after_run.h"
#include "ompt_tool/session/agent_turns.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/restart.h"

static bool keeps_traces(void)
{
	return online.record_path && online.run.complete && keeping_executions() > 0;
}

void final_report(const char *cut_short)
{
	const struct run *run = &online.run;
	struct report_options options;
	struct text text;

	agent_turns_end();
	/* `memsearch run` prints it, together with the analysis of recorded accesses */
	if (online.options.quiet || restart_is_awaited())
		return;
	if (!cut_short && !online.options.quick && keeps_traces() &&
	    after_run_report(online.arena, online.record_path, online.options.machine)) {
		log_warning("%s is the record",
			    online.options.brief ? "RECORD" : online.record_path);
		return;
	}
	report_options_init(&options);
	options.brief = online.options.brief;
	options.colour = isatty(STDERR_FILENO);
	text_init(&text, online.arena);
	report_format("text")(&text, &run, 1, &options);
	if (online.record_path)
		text_printf(&text,
			    "memsearch: %s is the record; `memsearch report %s` shows all of it\n",
			    options.brief ? "RECORD" : online.record_path,
			    options.brief ? "RECORD" : online.record_path);
	log_text(text.bytes, text.length);
}
