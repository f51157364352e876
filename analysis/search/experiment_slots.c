/* SPDX-License-Identifier: Apache-2.0 */
/* Which counters an experiment measures: those asked for that fit together, the others in turn. */
#include "analysis/base/sort.h"
#include "analysis/search/database_reading.h"
#include "analysis/search/engine_private.h"
#include "analysis/search/experiment_plan.h"
#include "analysis/search/experiment_slots.h"

/*
 * Rotating user counters are measured in one of EXTRA_TURNS slots, once all have been seen for
 * twice the sufficient time: their values are means over a part of the executions anyway, and each
 * reading after the program's own work has cold caches.
 */
#define EXTRA_TURNS 8

/* A metric that waits for a counter, and for how many executions it had one. */
struct turn {
	uint32_t metric, place;
	uint64_t groups;
};

struct turns {
	struct turn items[MS_METRICS];
	size_t nr;
};

static int by_groups(const void *left, const void *right)
{
	const struct turn *a = left, *b = right;

	if (a->groups != b->groups)
		return a->groups < b->groups ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static void turn_add(const struct engine *engine, struct turns *turns, uint32_t metric,
		     uint32_t region)
{
	uint64_t groups = engine->extra.before[metric] +
			  database_observed_at(engine->db, region, metric, 0).groups;

	for (size_t i = 0; i < turns->nr; i++)
		if (turns->items[i].metric == metric) {
			turns->items[i].groups = groups < turns->items[i].groups
							 ? groups
							 : turns->items[i].groups;
			return;
		}
	turns->items[turns->nr] = (struct turn){ metric, (uint32_t)turns->nr, groups };
	turns->nr++;
}

/* What was measured least comes first. */
static size_t turns_order(struct turns *turns, uint32_t metrics[MS_METRICS])
{
	sort(turns->items, turns->nr, sizeof(turns->items[0]), by_groups);
	for (size_t i = 0; i < turns->nr; i++)
		metrics[i] = turns->items[i].metric;
	return turns->nr;
}

/*
 * One after the other; what does not even fit alone is missing from now on. How many were left out.
 */
static size_t take_each(struct engine *engine, struct slots *slots, const uint32_t *metrics,
			size_t nr)
{
	size_t left_out = 0;

	for (size_t i = 0; i < nr; i++) {
		if (slots_take(slots, metrics[i]))
			continue;
		if (slots_fit_alone(slots, &metrics[i], 1))
			left_out++;
		else
			database_missing(engine->db, MS_REGION_NONE, metrics[i],
					 MS_MISSING_NO_ROOM);
	}
	return left_out;
}

/* ------------------------------------------------------------------ the user's counters */

static bool is_extra(const struct engine *engine, uint32_t metric)
{
	for (size_t i = 0; i < engine->config.nr_extra; i++)
		if (engine->config.extra[i] == metric)
			return true;
	return false;
}

static bool all_are_extra(const struct engine *engine, const struct slots *slots)
{
	for (size_t i = 0; i < slots->nr; i++)
		if (!is_extra(engine, slots->metrics[i]))
			return false;
	return slots->nr > 0;
}

static bool is_missing(const struct engine *engine, uint32_t metric)
{
	return database_missing_why(engine->db, MS_REGION_USER, metric) != MS_PRESENT;
}

/* Those that are not missing, and how many. */
static size_t extra_present(const struct engine *engine, uint32_t metrics[MS_METRICS])
{
	size_t nr = 0;

	for (size_t i = 0; i < engine->config.nr_extra; i++)
		if (!is_missing(engine, engine->config.extra[i]))
			metrics[nr++] = engine->config.extra[i];
	return nr;
}

static bool is_seen_plenty(const struct engine *engine, uint32_t metric)
{
	struct database_observed of = database_observed_at(engine->db, MS_REGION_USER, metric, 0);

	return of.groups / 2 >= engine->config.sufficient_executions &&
	       of.ns / 2 >= engine->config.sufficient_ns;
}

bool experiment_extra_rests(struct engine *engine)
{
	uint32_t metrics[MS_METRICS];
	size_t nr = extra_present(engine, metrics);

	for (size_t i = 0; i < nr; i++)
		if (!is_seen_plenty(engine, metrics[i]))
			return false;
	if (!nr || slots_fit_alone(&engine->now.slots, metrics, nr))
		return false;
	return engine->extra.turns++ % EXTRA_TURNS != 0;
}

bool experiment_take_extra(struct engine *engine, struct slots *slots)
{
	uint32_t metrics[MS_METRICS];
	struct turns turns = { .nr = 0 };
	size_t nr = extra_present(engine, metrics);

	for (size_t i = 0; i < nr; i++)
		turn_add(engine, &turns, metrics[i], MS_REGION_USER);
	return !take_each(engine, slots, metrics, turns_order(&turns, metrics));
}

void experiment_left_out(struct engine *engine, const struct slots *slots)
{
	engine->selection.crowded = true;
	engine->selection.crowded_out |= all_are_extra(engine, slots);
}

/* ------------------------------------------------------------------ everything, in turn */

bool experiment_take_turns(struct engine *engine, struct slots *slots, const uint32_t *wanted,
			   size_t nr)
{
	uint32_t metrics[MS_METRICS];
	struct turns turns = { .nr = 0 };
	bool last = engine->extra.turns_last, all = true;

	for (size_t i = 0; i < nr; i++)
		if (slots_limit(wanted[i]) && !is_missing(engine, wanted[i]) &&
		    !is_extra(engine, wanted[i]))
			turn_add(engine, &turns, wanted[i], MS_REGION_USER);
	nr = turns_order(&turns, metrics);
	if (!last)
		all = experiment_take_extra(engine, slots);
	if (take_each(engine, slots, metrics, nr))
		all = false;
	engine->extra.turns_last = !all && !last && all_are_extra(engine, slots);
	return experiment_take_extra(engine, slots) && all;
}

/* ------------------------------------------------------------------ what a candidate needs */

static void drop_without_slot(const struct slots *slots, struct needs *needs)
{
	size_t kept = 0;

	for (size_t i = 0; i < needs->nr; i++)
		if (!slots_limit(needs->items[i].metric) ||
		    slots_has(slots, needs->items[i].metric))
			needs->items[kept++] = needs->items[i];
	needs->nr = kept;
}

bool experiment_needs_counters(const struct needs *needs)
{
	for (size_t i = 0; i < needs->nr; i++)
		if (slots_limit(needs->items[i].metric))
			return true;
	return false;
}

bool experiment_choose(struct engine *engine, struct needs *needs)
{
	uint32_t metrics[MS_METRICS];
	struct turns turns = { .nr = 0 };
	size_t nr;

	if (!engine->now.slots.fits || !experiment_needs_counters(needs))
		return true;
	for (size_t i = 0; i < needs->nr; i++)
		if (slots_limit(needs->items[i].metric))
			turn_add(engine, &turns, needs->items[i].metric, needs->items[i].region);
	nr = turns_order(&turns, metrics);
	if (slots_take_all(&engine->now.slots, metrics, nr))
		return true;
	if (!slots_fit_alone(&engine->now.slots, metrics, nr))
		take_each(engine, &engine->now.slots, metrics, nr);
	drop_without_slot(&engine->now.slots, needs);
	return experiment_needs_counters(needs);
}
