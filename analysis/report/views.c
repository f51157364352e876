/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of one focus: by thread, function, synchronization object, data structure. */
#include "analysis/report/views.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/properties/property.h"
#include "analysis/record/run.h"
#include "analysis/report/array_facts.h"
#include "analysis/report/array_names.h"
#include "analysis/report/finding.h"
#include "analysis/report/places.h"
#include "analysis/report/source_words.h"
#include "analysis/report/sync_objects.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"

#define ROWS_MOST 10
#define NR(array) (sizeof(array) / sizeof(*(array)))

struct view {
	struct arena *arena;
	const struct run *run;
	uint32_t region; /* of the focus; of a data structure that around it */
};

static bool is_in_focus(const struct view *view, uint32_t region)
{
	return region < view->run->nr_regions && run_is_inside(view->run, region, view->region);
}

/* ------------------------------------------------------------------ threads */

enum { TIMES, BARRIERS, LOCKS, ITERATIONS, TASKS, CPU, COLUMNS };

static const uint32_t metrics[COLUMNS] = {
	[TIMES] = MS_METRIC_TIME,      [BARRIERS] = MS_METRIC_BARRIER_WAIT,
	[LOCKS] = MS_METRIC_LOCK_WAIT, [ITERATIONS] = MS_METRIC_ITERATIONS,
	[TASKS] = MS_METRIC_TASKS,     [CPU] = MS_METRIC_CPU_TIME,
};

/* Column of the measurement; COLUMNS: none. Times contain those of regions inside, counts and waits do not. */
static int column_of(const struct view *view, const struct run_measurement *one)
{
	uint32_t region = one->row.region;
	bool outermost = view->region == MS_REGION_USER ? run_outermost(view->run, region) == region
							: region == view->region;
	int column = 0;

	while (column < COLUMNS && metrics[column] != one->row.metric)
		column++;
	if (view->run->regions[region].kind == MS_MUTEX)
		return COLUMNS;
	if (column == TIMES && !outermost)
		return COLUMNS;
	return column == CPU && region != view->region ? COLUMNS : column;
}

static void thread_rows(struct table *table, const struct view *view, const double *values,
			uint32_t threads)
{
	const struct places *places = view->run->machine.nodes > 1
					      ? places_of(view->arena, view->run)
					      : NULL;

	for (uint32_t thread = 0; thread < threads; thread++) {
		const double *row = &values[(size_t)thread * COLUMNS];
		uint32_t node = places ? places_node(places, thread) : RUN_PLACE_UNKNOWN;
		bool any = false;

		for (int i = 0; i < COLUMNS; i++)
			any |= !isnan(row[i]);
		if (!any)
			continue;
		table_number(table, thread);
		table_number(table, node == RUN_PLACE_UNKNOWN ? NAN : node);
		for (int i = 0; i < COLUMNS; i++)
			table_number(table, row[i]);
	}
}

static void threads(struct table *table, const struct view *view)
{
	static const struct table_column columns[] = {
		{ "thread", "1" }, { "node", "1" },       { "time", "ns" }, { "barriers", "ns" },
		{ "locks", "ns" }, { "iterations", "1" }, { "tasks", "1" }, { "cpu", "ns" },
	};
	const struct run *run = view->run;
	size_t nr = (size_t)run->threads * COLUMNS;
	double *values = arena_alloc(view->arena, (nr + 1) * sizeof(*values));

	table_init(table, view->arena, "threads", columns, NR(columns));
	for (size_t i = 0; values && i < nr; i++)
		values[i] = NAN;
	for (size_t i = 0; values && i < run->nr_measurements; i++) {
		const struct run_measurement *one = &run->measurements[i];
		int column = is_in_focus(view, one->row.region) && one->phases &&
					     one->row.thread < run->threads
				     ? column_of(view, one)
				     : COLUMNS;
		double *value = &values[(size_t)one->row.thread * COLUMNS + (size_t)column];

		if (column < COLUMNS)
			*value = (isnan(*value) ? 0 : *value) +
				 one->row.stat.sum / (double)one->phases;
	}
	if (values)
		thread_rows(table, view, values, run->threads);
}

/* ------------------------------------------------------------------ functions */

struct function {
	const char *name;
	double samples;
};

static int by_samples(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	if (a->samples < b->samples || a->samples > b->samples)
		return a->samples > b->samples ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void functions(struct table *table, const struct view *view)
{
	static const struct table_column columns[] = { { "share", "%" },
						       { "samples", "1" },
						       { "function", NULL } };
	const struct run *run = view->run;
	struct function *rows = NULL;
	size_t nr = 0, room = 0;
	double all = 0;

	table_init(table, view->arena, "functions", columns, NR(columns));
	for (size_t i = 0; i < run->nr_hotspots; i++) {
		const struct run_hotspot *spot = &run->hotspots[i];
		const char *name = spot->source.function;
		size_t at = 0;

		if (spot->metric != MS_METRIC_SAMPLES || !is_in_focus(view, spot->region))
			continue;
		if (hotspot_waits(spot))
			name = "(waits in the OpenMP runtime)";
		else if (!name || !*name)
			name = source_place(view->arena, &spot->source);
		while (at < nr && strcmp(rows[at].name, name) != 0)
			at++;
		if (at == nr) {
			if (!ARENA_GROW(view->arena, rows, nr, room))
				return;
			rows[nr++] = (struct function){ .name = name };
		}
		rows[at].samples += (double)spot->count;
		all += (double)spot->count;
	}
	if (nr)
		sort(rows, nr, sizeof(*rows), by_samples);
	for (size_t i = 0; i < nr && i < ROWS_MOST; i++) {
		table_number(table, 100 * rows[i].samples / all);
		table_number(table, rows[i].samples);
		table_string(table, source_function(view->arena, rows[i].name));
	}
}

/* ------------------------------------------------------------------ synchronization objects */

static bool is_same(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* Of the object of the focus; of a place that takes several objects, these; else all objects and places. */
static bool is_shown(const struct view *view, const struct sync_row *row, struct sync_name focus)
{
	if (focus.object)
		return is_same(row->type, focus.type) && is_same(row->class, focus.class) &&
		       is_same(row->object, focus.object);
	return row->object && (!row->place || is_in_focus(view, row->region));
}

static void sync(struct table *table, const struct view *view)
{
	static const struct table_column columns[] = {
		{ "share", "%" }, { "waiting", "ns" }, { "entries", "1" }, { "held", "ns" },
		{ "type", NULL }, { "object", NULL },  { "place", NULL },
	};
	struct sync_name focus = sync_name_of(view->arena, view->run, view->region);
	const struct sync_row *rows;
	size_t nr = sync_rows_of(view->arena, view->run, &rows), shown = 0;

	table_init(table, view->arena, "sync", columns, NR(columns));
	for (size_t i = 0; i < nr && shown < ROWS_MOST; i++) {
		if (!is_shown(view, &rows[i], focus) || isnan(rows[i].waiting_ns))
			continue;
		table_number(table, 100 * rows[i].share);
		table_number(table, rows[i].waiting_ns);
		table_number(table, rows[i].entries);
		table_number(table, rows[i].held_ns);
		table_string(table, rows[i].type);
		table_string(table, rows[i].object);
		table_string(table, rows[i].place);
		shown++;
	}
}

/* ------------------------------------------------------------------ data structures */

struct used {
	double accesses;
	uint32_t region; /* of kind DATA_STRUCTURE */
};

static int by_accesses(const void *left, const void *right)
{
	const struct used *a = left, *b = right;

	if (a->accesses < b->accesses || a->accesses > b->accesses)
		return a->accesses > b->accesses ? -1 : 1;
	return a->region < b->region ? -1 : a->region > b->region;
}

static void arrays(struct table *table, const struct view *view)
{
	static const struct table_column columns[] = {
		{ "reads", "1" },       { "writes", "1" },          { "L1 misses", "1" },
		{ "L2 misses", "1" },   { "L3 misses", "1" },       { "from memory", "1" },
		{ "other nodes", "1" }, { "data structure", NULL },
	};
	const struct run *run = view->run;
	const struct array_facts *facts = array_facts_of(view->arena, run);
	struct used *used = arena_alloc(view->arena, (run->nr_regions + 1) * sizeof(*used));
	size_t nr = 0;

	table_init(table, view->arena, "arrays", columns, NR(columns));
	for (uint32_t i = 0; facts && used && i < run->nr_regions; i++)
		if (run->regions[i].kind == MS_DATA_STRUCTURE &&
		    run->regions[i].parent == view->region && !isnan(facts[i].reads))
			used[nr++] = (struct used){ facts[i].reads + facts[i].writes, i };
	if (nr)
		sort(used, nr, sizeof(*used), by_accesses);
	for (size_t i = 0; i < nr && i < ROWS_MOST; i++) {
		const struct array_facts *of = &facts[used[i].region];

		table_number(table, of->reads);
		table_number(table, of->writes);
		for (size_t level = 0; level < NR(of->misses); level++)
			table_number(table, of->misses[level]);
		table_number(table, of->memory_lines);
		table_number(table, of->remote_lines);
		table_string(table,
			     arrays_name(view->arena, run, finding_array(run, used[i].region)));
	}
}

/* ------------------------------------------------------------------ */

static const char *const titles[] = {
#define X(id, name, text) text,
	PROPERTY_VIEW_LIST(X)
#undef X
};

static void (*const makers[PROPERTY_VIEWS])(struct table *table, const struct view *view) = {
	[PROPERTY_VIEW_THREADS] = threads,
	[PROPERTY_VIEW_FUNCTIONS] = functions,
	[PROPERTY_VIEW_SYNC] = sync,
	[PROPERTY_VIEW_ARRAYS] = arrays,
};

void views_text(struct text *out, const struct run *run, const struct run_node *node, int indent)
{
	const struct run_region *region = finding_region(run, node);
	struct view view = { .arena = out->arena, .run = run };

	if (!region)
		return;
	view.region = region->id;
	for (unsigned int i = 0; i < PROPERTY_VIEWS; i++) {
		struct table table;

		if (!(node->views & 1u << i))
			continue;
		makers[i](&table, &view);
		if (!table.nr)
			continue;
		table.indent = indent;
		text_printf(out, "%*s%s:\n", indent, "", titles[i]);
		table_print(out, &table, "text");
	}
}
