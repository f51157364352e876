/* SPDX-License-Identifier: Apache-2.0 */
/* What was not measured, and why. */
#include "ompt_tool/session/dropped.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/own_memory.h"
#include "ompt_tool/events/fold.h"
#include "ompt_tool/process/gomp_calls.h"
#include "ompt_tool/process/own_libraries.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/session/online_state.h"

void dropped_add(const char *what, const char *why, uint64_t count)
{
	run_note_dropped(&online.run, online.arena,
			 (struct run_dropped){ .what = what, .why = why, .count = count });
}

static void add_dropped(const char *what, const char *why, uint64_t count)
{
	if (count)
		dropped_add(what, why, count);
}

static void drop_cause(void *ctx, const char *text, const char *why, uint64_t count)
{
	(void)ctx;
	add_dropped(text, why, count);
}

static void drop_call(void *ctx, const char *name)
{
	(void)ctx;
	dropped_add(arena_printf(online.arena, "what calls of '%s' do", name),
		    "this function of GNU's OpenMP runtime (libgomp) is newer than memsearch", 0);
}

static void drop_module(void *ctx, const char *module)
{
	(void)ctx;
	dropped_add(
		arena_printf(online.arena, "parallel regions of '%s'", module),
		"it was loaded with RTLD_DEEPBIND, so that it calls GNU's OpenMP runtime (libgomp) past memsearch",
		0);
}

static void note_dropped(void)
{
	events_dropped(drop_cause, NULL);
	if (thread_refused())
		run_note_dropped(
			&online.run, online.arena,
			(struct run_dropped){
				.what = "threads for which there was no memory",
				.why = own_memory_for_a_table() == SIZE_MAX
					       ? "the kernel gave none"
					       : "limits of memory leave too little for them",
				.count = thread_refused(),
				.topic = RUN_THREADS });
	if (strstr(online.run.runtime, "libgomp")) {
		gomp_calls_unknown(drop_call, NULL);
		gomp_calls_unseen(drop_module, NULL);
	}
	if (online.read_midway && own_libraries_why())
		dropped_add(
			"page faults as they are without memsearch",
			arena_printf(
				online.arena,
				"declarations were read on the program's heap, so that later blocks may lie at other addresses: %s",
				own_libraries_why()),
			0);
}

/* Of the phase that is reported. */
static void note_constructs(void)
{
	const struct run *run = &online.run;

	for (uint32_t region = 0; region < run->nr_regions; region++)
		if (database_drops(online.phase.db, region))
			run_note_dropped(
				&online.run, online.arena,
				(struct run_dropped){
					.what = "constructs inside of the",
					.why = "their events cost too much and were dropped",
					.topic = RUN_CONSTRUCTS,
					.code = run->regions[region].construct });
}

/* A run searches only one marked phase; executions of the others are reported. */
static void note_other_marks(uint64_t now_ns)
{
	struct detector_ignored ignored;

	detector_ignored(online.detector, &ignored);
	if (ignored.executions)
		add_dropped(arena_printf(
				    online.arena,
				    "executions of the marked phase %d (%.0f %% of the run's time)",
				    ignored.number,
				    100 * ignored.ns / (double)(now_ns - online.start_ns)),
			    arena_printf(online.arena,
					 "a run searches one marked phase, here number %d",
					 ignored.main_number),
			    ignored.executions);
}

void dropped_note(uint64_t now_ns, const char *cut_short)
{
	note_dropped();
	note_constructs();
	if (cut_short)
		dropped_add("what the program does from its own confinement on", cut_short, 0);
	note_other_marks(now_ns);
}
