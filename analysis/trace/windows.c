/* SPDX-License-Identifier: Apache-2.0 */
/* Synchronisation points in the traces of threads. */
#include "analysis/trace/windows.h"

void windows_init(struct windows *windows, struct trace_streams *streams,
		  struct window_thread *threads)
{
	*windows = (struct windows){ .nr = streams->threads, .threads = threads };
	for (uint32_t i = 0; i < windows->nr; i++)
		threads[i] = (struct window_thread){ .stream = &streams->streams[i], .number = i };
}

bool window_is_over(const struct window_thread *thread, struct trace_entry *out)
{
	return trace_stream_is_begun(thread->stream) && trace_look(&thread->stream->trace, out) &&
	       out->kind == TRACE_MARK && trace_is_meeting(out->mark);
}

/* Moves threads at the begin of this team into it. */
static void join(struct windows *windows, uint64_t team)
{
	struct trace_entry entry;

	for (uint32_t i = 0; i < windows->nr; i++) {
		struct window_thread *thread = &windows->threads[i];

		if (!window_is_over(thread, &entry) || entry.mark != TRACE_TEAM ||
		    entry.words[0] != team)
			continue;
		thread->team = team;
		thread->number = (uint32_t)entry.words[1] % windows->nr;
		trace_take(&thread->stream->trace);
	}
}

/* Advances past a barrier, or out of the team. False: no thread is in a team. */
static bool pass_meeting(struct windows *windows)
{
	struct trace_entry entry;
	bool any = false;

	for (uint32_t i = 0; i < windows->nr; i++) {
		struct window_thread *thread = &windows->threads[i];

		if (!thread->team || !window_is_over(thread, &entry))
			continue;
		if (entry.mark != TRACE_BARRIER)
			/* its end, or the begin of another team after a lost end */
			thread->team = 0;
		if (entry.mark != TRACE_TEAM)
			trace_take(&thread->stream->trace);
		any = true;
	}
	return any;
}

/* The next team of thread 0, or else one without it; 0: none, no more synchronisation. */
static uint64_t next_team(struct windows *windows)
{
	struct trace_entry entry;

	for (uint32_t i = 0; i < windows->nr; i++) {
		struct window_thread *thread = &windows->threads[i];

		while (window_is_over(thread, &entry) && entry.mark != TRACE_TEAM)
			/* remaining marks of a team whose begin was lost */
			trace_take(&thread->stream->trace);
		if (!window_is_over(thread, &entry))
			continue;
		windows->lost_teams += i > 0;
		return entry.words[0];
	}
	return 0;
}

bool windows_pass(struct windows *windows)
{
	uint64_t team;

	if (pass_meeting(windows))
		return true;
	team = next_team(windows);
	if (team)
		join(windows, team);
	return team != 0;
}
