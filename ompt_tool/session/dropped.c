/* SPDX-License-Identifier: Apache-2.0 */
/* What was not measured, and why. */
#include "ompt_tool/session/dropped.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/keeping.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/measurements/segment.h"
#include "ompt_tool/process/gomp_calls.h"
#include "ompt_tool/process/own_libraries.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/sensors/addresses.h"
#include "ompt_tool/sensors/samples.h"
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

static void add_not_recorded(const char *what, const char *why, uint64_t count)
{
	if (count)
		run_note_dropped(
			&online.run, online.arena,
			(struct run_dropped){
				.what = what, .why = why, .count = count, .topic = RUN_RECORDING });
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

static void note_dropped_addresses(void)
{
	struct addresses_losses all = { 0 };

	for (const struct thread *thread = thread_next(NULL); thread;
	     thread = thread_next(thread)) {
		struct addresses_losses losses = addresses_losses(thread);

		all.throttled += losses.throttled;
		all.in_pmu += losses.in_pmu;
		all.unreadable += losses.unreadable;
		all.crowded += losses.crowded;
		all.left_out += losses.left_out;
	}
	add_dropped("pauses in which no data addresses were sampled",
		    "the kernel stopped for a moment, as samples came too fast", all.throttled);
	add_dropped("address samples", "the PMU had no room for them", all.in_pmu);
	add_dropped("address samples", "they are shorter than they should be", all.unreadable);
	add_dropped("address samples of data structures, which count as in none",
		    "there were too many data structures between two readings", all.crowded);
	add_dropped("executions of regions without address samples",
		    "the PMU had no room for their events, or the program closed file descriptors",
		    all.left_out);
}

static void note_left_out(const struct region *region, const char *what, const char *why)
{
	run_note_dropped(&online.run, online.arena,
			 (struct run_dropped){
				 .what = what,
				 .why = why,
				 .topic = RUN_RECORDING,
				 .code = modules_find(online.run.modules, online.run.nr_modules,
						      region->construct),
			 });
}

/*
 * Constructs of which something was left out, as there was no time for it: how many, and the one
 * with most.
 */
struct left_out {
	uint32_t nr;
	uint64_t all, most;
	const struct region *region;
};

static void add_left_out(struct left_out *to, const struct region *region, uint64_t words)
{
	to->nr += words > 0;
	to->all += words;
	if (words <= to->most)
		return;
	to->most = words;
	to->region = region;
}

/* Accesses that were not counted, and constructs whose lines were not marked in any execution. */
static void note_estimated(struct region_table *regions)
{
	struct left_out not_counted = { 0 }, not_marked = { 0 };
	uint64_t recorded = 0;

	for (uint32_t id = 0; id < region_table_count(regions); id++) {
		const struct region *region = region_table_at(regions, id);
		struct accesses_counted of = accesses_counted(id);

		if (!region->construct)
			continue;
		recorded += of.recorded;
		add_left_out(&not_counted, region, of.recorded - of.counted);
		add_left_out(&not_marked, region, of.lined ? 0 : of.recorded);
	}
	if (not_counted.nr)
		note_left_out(
			not_counted.region,
			arena_printf(online.arena, "%.3g %% of the recorded accesses, most in",
				     100 * (double)not_counted.all / (double)recorded),
			"to count all would have taken more than the limit: the rest, in bursts, stands for them, so that numbers of accesses are estimates");
	if (not_marked.nr)
		note_left_out(
			not_marked.region,
			arena_printf(
				online.arena,
				"how many cache lines are touched, and which of them threads share, in %u construct%s, first of all",
				not_marked.nr, not_marked.nr == 1 ? "" : "s"),
			"to mark them would have taken more than the limit");
}

static void note_dropped(void)
{
	uint64_t samples = 0, faults = 0, accesses = 0, too_long = 0, not_compared = 0,
		 not_looked_at = 0;

	for (const struct thread *thread = thread_next(NULL); thread;
	     thread = thread_next(thread)) {
		samples += samples_losses(thread, MS_SENSOR_SAMPLES).sites;
		faults += samples_losses(thread, MS_SENSOR_FAULTS).sites;
		accesses += accesses_dropped(thread);
		too_long += accesses_too_long(thread);
		not_compared += accesses_not_compared(thread);
	}
	note_dropped_addresses();
	for (uint32_t region = 0; region < region_table_count(segment_regions(online.segment));
	     region++)
		not_looked_at += accesses_not_looked_at(region);
	note_estimated(segment_regions(online.segment));
	add_not_recorded("recorded accesses", "more places than a thread's table has room for",
			 accesses);
	add_not_recorded("recorded string instructions, calls of memcpy and the like",
			 "more than 64 GiB each: a signal handler came in between", too_long);
	add_dropped("cache lines that threads share, in executions of a construct",
		    "a thread was far ahead of others", not_compared);
	add_dropped("cache lines that threads share, in executions of a construct",
		    "there was no room for all that a thread touched", not_looked_at);
	add_dropped("clock samples missing among the hot lines",
		    "more places than a thread's table has room for", samples);
	add_dropped("page faults missing among the hot lines",
		    "more places than a thread's table has room for", faults);
	add_dropped(
		"executions of the phase whose accesses the record does not keep, to simulate them later",
		"there was no time or room to trace all of them, and of others like them the begin is kept",
		keeping_losses().executions);
	add_dropped(
		"executions of the phase whose accesses the record does not keep, to simulate them later",
		"--trace-limit was reached", keeping_losses().at_limit);
	events_dropped(drop_cause, NULL);
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

/* One marked phase is searched in a run; the others must not go unsaid. */
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
	if (cut_short)
		dropped_add("what the program does from its own confinement on", cut_short, 0);
	note_other_marks(now_ns);
}
