/* SPDX-License-Identifier: Apache-2.0 */
/* Varies the number of threads between executions of the phase, and measures each number apart. */
#define _GNU_SOURCE /* secure_getenv */
#include "ompt_tool/session/varying.h"

#include <stdlib.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/search/database_reading.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/process/runtime_settings.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/requests.h"
#include "ompt_tool/session/run_contents.h"
#include "ompt_tool/session/searches.h"
#include "ompt_tool/session/thread_plan.h"

/* executions, or groups of short ones, of each number of threads that make a result */
#define GROUPS_LEAST 2

struct variant {
	struct search search;
	struct run_phase phase;
	uint32_t joined_most; /* threads that took part in one of its executions */
};

static struct {
	bool requested, begun;
	const char *why; /* the first thing that prevents it; NULL: nothing does */
	struct thread_plan plan;
	struct variant variants[THREAD_PLAN_MOST];
	struct search none;  /* without values */
	bool due;            /* the runtime does not have the present number yet */
	uint64_t executions; /* of the phase, or groups of short ones */
} varying;

static struct variant *present(void)
{
	return &varying.variants[varying.plan.at];
}

static uint32_t present_count(void)
{
	return varying.plan.counts[varying.plan.at];
}

bool varying_start(void)
{
	const char *counts = secure_getenv(OPTIONS_VARIED_THREADS);

	if (!counts)
		return true;
	if (!thread_plan_read(&varying.plan, counts)) {
		log_warning("bad " OPTIONS_VARIED_THREADS " '%s' is ignored", counts);
		return true;
	}
	varying.requested = true;
	varying.none = online.phase;
	for (size_t i = 0; i < varying.plan.nr; i++)
		if (!searches_add(&varying.variants[i].search))
			return false;
	experiment_by_threads(online.experiment);
	return true;
}

bool varying_is_on(void)
{
	return varying.requested && !varying.why;
}

static void prevent(const char *why)
{
	if (!varying.why)
		varying.why = why;
	online.phase = varying.none;
}

/* ------------------------------------------------------------------ while the program runs */

static void select_variant(void)
{
	online.phase = present()->search;
	online.run.phase = present()->phase;
}

void varying_begin(bool inside)
{
	if (!varying_is_on())
		return;
	if (inside) {
		prevent("the repeated phase lies inside one parallel region, whose team stays as it is");
		return;
	}
	varying.due = varying.begun && varying.plan.at;
	varying.begun = true;
	varying.executions = 0;
	thread_plan_restart(&varying.plan);
	for (size_t i = 0; i < varying.plan.nr; i++) {
		varying.variants[i].phase = online.run.phase;
		varying.variants[i].joined_most = 0;
	}
	select_variant();
}

struct search *varying_search(size_t number)
{
	if (!varying_is_on())
		return number ? NULL : &online.phase;
	return number < varying.plan.nr ? &varying.variants[number].search : NULL;
}

bool varying_is_warm_up(void)
{
	return varying_is_on() && thread_plan_is_warm_up(&varying.plan);
}

void varying_execution(uint32_t joined)
{
	struct variant *ended = present();

	varying.executions++;
	if (joined > present_count() && !varying_is_warm_up()) {
		ended->joined_most = joined;
		prevent(arena_printf(
			online.arena,
			"the program does not follow the number of threads: %u took part in a step where %u %s set (num_threads clauses, omp_set_num_threads or nested regions decide)",
			joined, present_count(), present_count() == 1 ? "was" : "were"));
		return;
	}
	if (!varying_is_warm_up() && joined > ended->joined_most)
		ended->joined_most = joined;
	if (!thread_plan_next(&varying.plan))
		return;
	ended->phase = online.run.phase;
	select_variant();
	requests_all(&online.phase);
	varying.due = true;
}

/*
 * OMPT allows no call of the runtime in a callback; where a step begins there is no other place.
 * The call is safe in these callbacks:
 *
 *  - LLVM's __kmp_fork_call sends parallel_begin before it reads the number of threads and before
 *    it takes its lock; __kmp_set_num_threads takes that lock to shorten the idle team, and
 *    releases it. With the libomp of LLVM 19 the region that begins has the new number. If a
 *    runtime reads the number earlier, the next region has it: the first execution does not count.
 *  - libgomp has no callbacks: libmemsearch-gomp.so sends parallel_begin before it calls libgomp,
 *    which then computes the size of the team.
 *  - In omp_control_tool, and at constructs in serial code, no team begins.
 *
 * Whether teams have the number is checked in each execution that counts. No number is above the
 * first one, for which the program may have allocated memory.
 */
void varying_apply(void)
{
	if (!varying.due || !varying_is_on())
		return;
	varying.due = false;
	if (events_runtimes() > 1)
		prevent("several OpenMP runtimes are in the program, each with a number of threads of its own");
	else if (!runtime_settings_set_threads(present_count()))
		prevent("the OpenMP runtime has no omp_set_num_threads");
}

/* ------------------------------------------------------------------ the end */

static const char *variant_why(const struct variant *variant, uint32_t count)
{
	uint64_t groups = database_groups(variant->search.db);

	if (groups < GROUPS_LEAST)
		return arena_printf(
			online.arena,
			"its phase is repeated too few times: %llu executions were seen, of which %llu count for %u thread%s, and %d are needed",
			(unsigned long long)varying.executions, (unsigned long long)groups, count,
			count == 1 ? "" : "s", GROUPS_LEAST);
	if (variant->joined_most == count)
		return NULL;
	return arena_printf(
		online.arena,
		"the program does not follow the number of threads: at most %u took part in a step where %u %s set (num_threads clauses, OMP_DYNAMIC or OMP_THREAD_LIMIT decide)",
		variant->joined_most, count, count == 1 ? "was" : "were");
}

void varying_end(void)
{
	if (!varying_is_on())
		return;
	if (!varying.begun) {
		prevent(detector_note(online.detector));
		return;
	}
	present()->phase = online.run.phase;
	online.phase = varying.none;
	for (size_t i = 0; i < varying.plan.nr && !varying.why; i++)
		varying.why = variant_why(&varying.variants[i], varying.plan.counts[i]);
}

void varying_note(struct run_phase *phase)
{
	if (varying.requested)
		phase->note = varying.why;
}

static void write(const struct variant *variant, uint32_t count)
{
	const char *path = arena_printf(online.arena, "%s.%u", online.record_path, count);
	struct run run;
	struct record *record = path ? record_replace(online.arena, path, &path) : NULL;

	if (!record)
		return;
	if (!run_contents_of(&run, &variant->search, &variant->phase, true)) {
		record_abandon(record);
		return;
	}
	run.threads = count;
	record_close(record, &run);
}

void varying_write(void)
{
	for (size_t i = 0; varying_is_on() && online.record_path && i < varying.plan.nr; i++)
		write(&varying.variants[i], varying.plan.counts[i]);
}
