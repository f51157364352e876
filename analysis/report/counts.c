/* SPDX-License-Identifier: Apache-2.0 */
/* Raw values of counters, and how they were measured. */
#include "analysis/report/counts.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/bisect.h"
#include "analysis/base/sort.h"
#include "analysis/report/places.h"
#include "memsearch/region.h"

static const struct run_counter *counter_of(const struct run *run, uint32_t metric)
{
	for (size_t i = 0; i < run->nr_counters; i++)
		if (run->counters[i].metric == metric)
			return &run->counters[i];
	return NULL;
}

static int by_size(const void *left, const void *right)
{
	const struct count *a = left, *b = right;

	if (a->counter != b->counter)
		return a->counter < b->counter ? -1 : 1;
	if ((a->region == MS_REGION_USER) != (b->region == MS_REGION_USER))
		return a->region == MS_REGION_USER ? -1 : 1;
	if (a->each < b->each || a->each > b->each)
		return a->each > b->each ? -1 : 1;
	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* The rows of time of one region, by thread: how often each thread executed it. */
struct times {
	const struct run_measurement *rows;
	size_t nr;
};

/* Rows come by region, then metric, time first. */
static void times_follow(struct times *times, const struct run_measurement *row)
{
	if (!times->nr || times->rows[0].row.region != row->row.region)
		*times = (struct times){ row, 0 };
	if (row->row.metric == MS_METRIC_TIME && times->rows + times->nr == row)
		times->nr++;
}

static const struct run_measurement *time_of(const struct times *times, uint32_t thread)
{
	size_t low = BISECT(i, times->nr, times->rows[i].row.thread < thread);

	return low < times->nr && times->rows[low].row.thread == thread ? &times->rows[low] : NULL;
}

/*
 * In a mean execution of the phase; executions of the region that were not read were like the
 * others.
 */
static double value_of(const struct run_measurement *row, const struct times *times)
{
	const struct run_measurement *time = row->row.region == MS_REGION_USER
						     ? NULL
						     : time_of(times, row->row.thread);
	double phases = (double)(row->phases ? row->phases : 1),
	       readings = (double)row->row.stat.count;
	double executions = time && time->phases
				    ? (double)time->row.stat.count / (double)time->phases
				    : 0;

	if (readings > 0 && readings < executions * phases)
		return row->row.stat.sum / readings * executions;
	return row->row.stat.sum / phases;
}

size_t counts_of(struct arena *arena, const struct run *run, bool named, const struct count **out)
{
	const struct places *places = places_of(arena, run);
	struct times times = { NULL, 0 };
	struct count *counts = NULL;
	size_t nr = 0, room = 0;

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct run_measurement *from = &run->measurements[i];
		const struct run_counter *counter = counter_of(run, from->row.metric);

		times_follow(&times, from);
		if (!counter || (named && !counter->event))
			continue;
		if (!ARENA_GROW(arena, counts, nr, room))
			break;
		counts[nr++] = (struct count){
			.counter = counter,
			.region = from->row.region,
			.thread = from->row.thread,
			.readings = from->row.stat.count,
			.phases = from->phases,
			.sum = from->row.stat.sum,
			.each = value_of(from, &times),
			.node = places_node(places, from->row.thread),
		};
	}
	if (nr)
		sort(counts, nr, sizeof(*counts), by_size);
	*out = counts;
	return nr;
}

static bool same_place(const struct count *a, const struct count *b)
{
	return a->counter == b->counter && a->region == b->region;
}

static int by_node(const void *left, const void *right)
{
	const struct count *a = left, *b = right;

	if (a->counter != b->counter)
		return a->counter < b->counter ? -1 : 1;
	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/*
 * Adds the nodes' rows of one counter and region, whose rows by node are `of`; returns how many
 * rows there are then.
 */
static size_t add_nodes(struct count *rows, size_t nr, const struct count *of, size_t nr_of)
{
	size_t begin = nr;

	if (of[nr_of - 1].node == RUN_PLACE_UNKNOWN) /* the largest */
		return nr;
	for (size_t i = 0; i < nr_of; i++) {
		struct count *row = &rows[nr - 1];

		if (nr == begin || row->node != of[i].node) {
			rows[nr++] = of[i];
			rows[nr - 1].thread = COUNT_NODE;
			continue;
		}
		row->readings += of[i].readings;
		row->phases = of[i].phases > row->phases ? of[i].phases : row->phases;
		row->sum += of[i].sum;
		row->each += of[i].each;
	}
	return nr;
}

size_t counts_with_nodes(struct arena *arena, const struct run *run, const struct count **out)
{
	size_t nr = counts_of(arena, run, false, out), all = nr, same;
	struct count *rows = nr && run->machine.nodes > 1
				     ? arena_alloc(arena, 2 * nr * sizeof(*rows))
				     : NULL;

	if (!rows)
		return nr;
	memcpy(rows, *out, nr * sizeof(*rows));
	sort(rows, nr, sizeof(*rows), by_node);
	for (size_t at = 0; at < nr; at += same) {
		for (same = 1; at + same < nr && same_place(&rows[at], &rows[at + same]); same++)
			;
		all = add_nodes(rows, all, rows + at, same);
	}
	sort(rows, all, sizeof(*rows), by_size);
	*out = rows;
	return all;
}

const char *counts_name(const struct run_counter *counter)
{
	return counter->event ? counter->event : ms_metric_info(counter->metric)->name;
}

const char *counts_why(const struct run_counter *counter)
{
	if (counter->why == MS_PRESENT)
		return NULL;
	return counter->text && *counter->text ? counter->text : ms_missing_text(counter->why);
}

const char *counts_how(struct arena *arena, const struct run *run, bool brief)
{
	const struct run_counting *how = &run->counting;
	const char *turns = "";

	if (!how->backend)
		return NULL;
	if (!how->at_once)
		return arena_printf(arena, "%s, events of %s; nothing was asked of them",
				    how->backend, how->table ? how->table : "no table");
	if (how->sets > 1)
		turns = brief ? ", in turn"
			      : arena_printf(arena, ", %" PRIu64 " sets of them in turn",
					     how->sets);
	return arena_printf(arena, "%s, events of %s; %s%" PRIu32 " metric%s at a time%s",
			    how->backend, how->table ? how->table : "no table",
			    how->sets > 1 ? "at most " : "", how->at_once,
			    how->at_once == 1 ? "" : "s", turns);
}
