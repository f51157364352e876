/* SPDX-License-Identifier: Apache-2.0 */
/* Several phases of a program: which are kept, listed and written beside the main one. */
#include "ompt_tool/session/kept_phases.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/record/record.h"
#include "analysis/search/database_reading.h"
#include "ompt_tool/accesses/keeping.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/run_contents.h"
#include "ompt_tool/session/searches.h"
#include "ompt_tool/session/varying.h"

/* With fewer executions of a phase (or groups of short ones) there is no answer about it. */
#define GROUPS_MIN 2
/* A shorter part of the run is not worth a report of its own. */
#define WORTH 0.02

/* The phases that are not in the run, in the order of time. */
static struct {
	struct kept_phase *phases[PHASES_KEPT + 1];
	uint32_t numbers[PHASES_KEPT + 1];
	size_t nr;
	struct kept_phase last; /* online.phase */
} others;

bool kept_phases_new(void)
{
	for (size_t i = 0; i < PHASES_KEPT; i++)
		if (!searches_add(&online.kept[i].search))
			return false;
	return true;
}

bool kept_phases_is_measured(const struct search *search, const struct run_phase *phase)
{
	return database_groups(search->db) >= GROUPS_MIN && phase->executions;
}

/* The place for one more; its search is spare. NULL: all that are kept took longer. */
static struct kept_phase *place_for(double wall_ns)
{
	struct kept_phase *kept = online.kept;
	size_t least = 0, last = PHASES_KEPT - 1;
	struct search spare;

	if (online.nr_kept < PHASES_KEPT)
		return &kept[online.nr_kept++];
	for (size_t i = 1; i < PHASES_KEPT; i++)
		if (kept[i].phase.wall_ns < kept[least].phase.wall_ns)
			least = i;
	if (kept[least].phase.wall_ns >= wall_ns)
		return NULL;
	spare = kept[least].search;
	memmove(&kept[least], &kept[least + 1], (last - least) * sizeof(*kept));
	kept[last].search = spare;
	return &kept[last];
}

void kept_phases_keep(void)
{
	struct run_phase *present = &online.run.phase;
	struct kept_phase *place;
	struct search spare;

	if (varying_is_on() || present->method == PHASE_WHOLE_PROGRAM ||
	    !kept_phases_is_measured(&online.phase, present))
		return;
	place = place_for(present->wall_ns);
	if (!place)
		return;
	spare = place->search;
	*place = (struct kept_phase){ online.phase, *present };
	place->phase.kept_until = keeping_executions();
	if (!place->phase.kept_until) /* the trace has nothing of it, only of later phases */
		place->phase.kept_before = UINT64_MAX;
	online.phase = spare;
}

/*
 * Not one that is part of the phase shown, as an inner loop of which the outer one was recognised
 * later.
 */
static bool is_other(const struct kept_phase *of, const struct search *shown, double all_ns)
{
	return of->search.db != shown->db && of->phase.wall_ns >= WORTH * all_ns &&
	       kept_phases_is_measured(&of->search, &of->phase) &&
	       (shown == &online.whole || !database_threads(shown->db, of->phase.region, NULL, 0));
}

static bool list(const struct run_phase *phase, bool here)
{
	struct run *run = &online.run;

	if (!ARENA_GROW(online.arena, run->phases, run->nr_phases, run->room_phases))
		return false;
	run->phases[run->nr_phases] = (struct run_phase_found){
		.number = (uint32_t)run->nr_phases + 1,
		.here = here,
		.method = phase->method,
		.region = phase->region,
		.executions = phase->executions,
		.wall_ns = phase->wall_ns,
	};
	run->nr_phases++;
	return true;
}

static void list_other(struct kept_phase *other)
{
	engine_finish(other->search.engine);
	if (!engine_answered(other->search.engine) || !list(&other->phase, false))
		return;
	others.phases[others.nr] = other;
	others.numbers[others.nr++] = (uint32_t)online.run.nr_phases;
}

void kept_phases_list(const struct search *shown, const struct run_phase *last, uint64_t now_ns)
{
	double all_ns = (double)(now_ns - online.start_ns);

	others.last = (struct kept_phase){ online.phase, *last };
	for (size_t i = 0; i < online.nr_kept; i++) {
		struct kept_phase *kept = &online.kept[i];

		if (kept->search.db == shown->db)
			list(&kept->phase, true);
		else if (is_other(kept, shown, all_ns))
			list_other(kept);
	}
	if (shown == &online.phase)
		list(last, true);
	else if (last->method != PHASE_WHOLE_PROGRAM && is_other(&others.last, shown, all_ns))
		list_other(&others.last);
	if (!others.nr)
		online.run.nr_phases = 0;
}

/* Of the run's list a copy, in which `number` is here. False: no memory. */
static bool list_from(struct run *run, uint32_t number)
{
	const struct run_phase_found *phases = run->phases;

	run->phases = arena_alloc(online.arena, run->nr_phases * sizeof(*run->phases));
	for (size_t i = 0; run->phases && i < run->nr_phases; i++) {
		run->phases[i] = phases[i];
		run->phases[i].here = phases[i].number == number;
	}
	return run->phases;
}

void kept_phases_write(void)
{
	for (size_t i = 0; online.record && i < others.nr; i++) {
		const struct kept_phase *other = others.phases[i];
		struct run run;

		if (run_contents_of(&run, &other->search, &other->phase, false) &&
		    list_from(&run, others.numbers[i]))
			record_phase(online.record, others.numbers[i], &run);
	}
}
