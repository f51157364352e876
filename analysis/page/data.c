/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of the page. */
#include "analysis/page/data.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/page/source_lines.h"
#include "analysis/page/numbers.h"
#include "analysis/report/access_groups.h"
#include "analysis/report/arrays.h"
#include "analysis/report/array_names.h"
#include "analysis/report/array_use.h"
#include "analysis/report/cause.h"
#include "analysis/report/finding.h"
#include "analysis/report/history_graph.h"
#include "analysis/report/json.h"
#include "analysis/report/misses.h"
#include "analysis/report/region_times.h"
#include "memsearch/host.h"

struct maker {
	struct json *json;
	struct arena *arena;
	const struct run *run;
	const struct page_caps *caps;
	const struct arrays_view *view;
	struct access_groups groups;
};

/* A row and what it is ranked by. */
struct ranked {
	uint32_t id;
	double weight;
};

static int heaviest(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->weight < b->weight || a->weight > b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static void known_string(struct json *json, const char *key, const char *value)
{
	json_string(json, key, value && *value ? value : NULL);
}

/* ------------------------------------------------------------------ the reduced run */

const struct run *page_reduced(struct arena *arena, const struct run *run,
			       const struct page_caps *caps)
{
	struct run *copy = arena_alloc(arena, sizeof(*copy));
	struct run_node *nodes = arena_alloc(arena, (run->nr_nodes + 1) * sizeof(*nodes));
	struct ranked *proven = arena_alloc(arena, (run->nr_nodes + 1) * sizeof(*proven));
	size_t nr = 0;

	if (!copy || !nodes || !proven)
		return NULL;
	*copy = *run;
	for (uint32_t i = 0; i < run->nr_nodes; i++) {
		nodes[i] = run->nodes[i];
		if (nodes[i].state == MS_NODE_TRUE)
			proven[nr++] = (struct ranked){ i, fmax(nodes[i].severity,
								nodes[i].severity_high) };
	}
	if (nr > caps->findings)
		sort(proven, nr, sizeof(*proven), heaviest);
	for (size_t i = caps->findings; i < nr; i++)
		nodes[proven[i].id].state = MS_NODE_DISCONTINUED;
	copy->nodes = nodes;
	return copy;
}

/* ------------------------------------------------------------------ arrays by loops */

struct cell {
	uint32_t array, loop, region;
	double bytes;
	struct misses misses;
};

static int by_place(const void *left, const void *right)
{
	const struct cell *a = *(const struct cell *const *)left,
			  *b = *(const struct cell *const *)right;

	if (a->array != b->array)
		return a->array < b->array ? -1 : 1;
	return a->loop < b->loop ? -1 : a->loop > b->loop;
}

static void add_cell(struct cell *to, const struct cell *from)
{
	struct misses *sum = &to->misses;
	const struct misses *one = &from->misses;

	to->bytes += from->bytes;
	sum->reads += one->reads;
	sum->writes += one->writes;
	for (int i = 0; i < 3; i++)
		sum->missed[i] += one->missed[i];
	sum->page_walks += one->page_walks;
	sum->cycles += one->cycles;
	sum->local += one->local;
	sum->remote += one->remote;
}

/* One for each array and loop, by array; groups in no array are left out. */
static size_t cells_of(const struct maker *maker, struct cell ***out)
{
	struct cell *cells = arena_alloc(maker->arena, (maker->groups.nr + 1) * sizeof(*cells));
	struct cell **order = arena_alloc(maker->arena, (maker->groups.nr + 1) * sizeof(*order));
	size_t nr = 0, last = 0;

	*out = order;
	for (size_t i = 0; cells && order && i < maker->groups.nr; i++) {
		const struct access_group *group = &maker->groups.items[i];

		if (group->array >= maker->run->nr_arrays)
			continue;
		cells[nr] = (struct cell){
			group->array, group->loop != MS_REGION_NONE ? group->loop : group->region,
			group->region, group->bytes * group->executions, group->misses
		};
		order[nr] = &cells[nr];
		nr++;
	}
	if (!nr)
		return 0;
	sort(order, nr, sizeof(*order), by_place);
	for (size_t i = 1; i < nr; i++)
		if (by_place(&order[last], &order[i]))
			order[++last] = order[i];
		else
			add_cell(order[last], order[i]);
	return last + 1;
}

/* The share of all waiting, and of all bytes where nothing was simulated. */
static double weight_of(const struct maker *maker, const struct cell *cell)
{
	return maker->view->waited > 0 ? cell->misses.cycles + 1e-12 * cell->bytes : cell->bytes;
}

/* Marks the `most` heaviest; returns how many are marked. */
static size_t mark_heaviest(struct ranked *items, size_t nr, size_t most, bool *marked,
			    struct ranked **shown_out)
{
	size_t shown = 0;

	sort(items, nr, sizeof(*items), heaviest);
	while (shown < nr && shown < most && items[shown].weight > 0)
		marked[items[shown++].id] = true;
	*shown_out = items;
	return shown;
}

struct marks {
	bool *array, *loop;
	struct ranked *arrays, *loops;
	size_t nr_arrays, nr_loops, all_loops;
};

/* Arrays that no recorded code uses come last, the largest first. */
static bool choose(const struct maker *maker, struct cell *const *cells, size_t nr,
		   struct marks *marks)
{
	const struct run *run = maker->run;

	marks->arrays = arena_alloc(maker->arena, (run->nr_arrays + 1) * sizeof(*marks->arrays));
	marks->loops = arena_alloc(maker->arena, (run->nr_regions + 1) * sizeof(*marks->loops));
	marks->array = arena_alloc(maker->arena, run->nr_arrays + 1);
	marks->loop = arena_alloc(maker->arena, run->nr_regions + 1);
	if (!marks->arrays || !marks->loops || !marks->array || !marks->loop)
		return false;
	for (uint32_t i = 0; i < run->nr_arrays; i++)
		marks->arrays[i] = (struct ranked){
			i, run_array_is_empty(&run->arrays[i])
				   ? 0
				   : 1e-24 * (1 + (double)run->arrays[i].bytes)
		};
	for (uint32_t i = 0; i < run->nr_regions; i++)
		marks->loops[i] = (struct ranked){ i, 0 };
	for (size_t i = 0; i < nr; i++) {
		marks->arrays[cells[i]->array].weight += weight_of(maker, cells[i]);
		marks->all_loops += !(marks->loops[cells[i]->loop].weight > 0);
		marks->loops[cells[i]->loop].weight += weight_of(maker, cells[i]);
	}
	marks->nr_arrays = mark_heaviest(marks->arrays, run->nr_arrays, maker->caps->arrays,
					 marks->array, &marks->arrays);
	marks->nr_loops = mark_heaviest(marks->loops, run->nr_regions, maker->caps->loops,
					marks->loop, &marks->loops);
	return true;
}

static void put_region(const struct maker *maker, uint32_t id)
{
	const struct run_region *region = &maker->run->regions[id];
	struct json *json = maker->json;

	json_number(json, "id", id);
	json_string(json, "kind", ms_region_kind_name(region->kind));
	json_string(json, "place", finding_place(maker->arena, maker->run, id));
	known_string(json, "function", region->source.function);
	known_string(json, "file", region->source.file);
	json_number(json, "line", region->source.line > 0 ? region->source.line : NAN);
}

static void put_touches(const struct maker *maker, uint32_t array)
{
	const struct arrays_view *view = maker->view;
	struct json *json = maker->json;

	json_open(json, "touches", '[');
	for (size_t i = view->first[array]; i < view->first[array + 1]; i++) {
		const struct touch_group *group = &view->groups[i];

		json_open(json, NULL, '{');
		json_bool(json, "before", group->before);
		json_string(json, "who",
			    group->nr_threads || group->by_kernel
				    ? arrays_who(maker->arena, group, 0)
				    : NULL);
		json_string(json, "at", arrays_line(maker->arena, group));
		known_string(json, "file", group->source ? group->source->file : NULL);
		json_number(json, "line",
			    group->source && group->source->line ? group->source->line : NAN);
		json_open(json, "nodes", '[');
		for (size_t k = 0; k < group->nr_nodes; k++)
			json_unsigned(json, NULL, group->nodes[k]);
		json_close(json);
		json_unsigned(json, "pages", group->pages);
		json_unsigned(json, "bytes", group->bytes);
		json_close(json);
	}
	json_close(json);
}

static void put_arrays(const struct maker *maker, const struct marks *marks)
{
	struct json *json = maker->json;

	json_open(json, "arrays", '[');
	for (size_t i = 0; i < marks->nr_arrays; i++) {
		uint32_t id = marks->arrays[i].id;
		const struct run_array *array = &maker->run->arrays[id];
		const struct array_use *use = &maker->view->uses[id];

		json_open(json, NULL, '{');
		json_number(json, "id", id);
		json_string(json, "name", arrays_name(maker->arena, maker->run, array));
		known_string(json, "kind", array->kind);
		known_string(json, "type", array->type);
		known_string(json, "shape", array->shape);
		json_unsigned(json, "size", array->bytes);
		json_unsigned(json, "blocks", array->blocks);
		known_string(json, "file",
			     array->file && *array->file ? array->file : array->site_source.file);
		json_number(json, "line",
			    array->file && *array->file ? array->line : array->site_source.line);
		page_number(json, "reads", use->reads);
		page_number(json, "writes", use->writes);
		page_number(json, "bytes", use->bytes);
		page_number(json, "stride", use->nr_strides ? use->strides[0].stride : NAN);
		page_misses(json, &maker->view->misses[id]);
		put_touches(maker, id);
		json_close(json);
	}
	json_close(json);
}

static void put_loops(const struct maker *maker, const struct marks *marks)
{
	json_open(maker->json, "loops", '[');
	for (size_t i = 0; i < marks->nr_loops; i++) {
		json_open(maker->json, NULL, '{');
		put_region(maker, marks->loops[i].id);
		json_number(maker->json, "construct",
			    cause_construct(maker->run, marks->loops[i].id));
		json_close(maker->json);
	}
	json_close(maker->json);
}

static void put_cells(const struct maker *maker, struct cell *const *cells, size_t nr,
		      const struct marks *marks)
{
	struct json *json = maker->json;

	json_open(json, "cells", '[');
	for (size_t i = 0; i < nr; i++) {
		if (!marks->array[cells[i]->array] || !marks->loop[cells[i]->loop])
			continue;
		json_open(json, NULL, '{');
		json_number(json, "array", cells[i]->array);
		json_number(json, "loop", cells[i]->loop);
		page_number(json, "bytes", cells[i]->bytes);
		page_misses(json, &cells[i]->misses);
		json_close(json);
	}
	json_close(json);
}

static void put_use(const struct maker *maker)
{
	struct marks marks = { 0 };
	struct cell **cells;
	size_t nr = cells_of(maker, &cells);

	if (!choose(maker, cells, nr, &marks))
		return;
	page_number(maker->json, "waited", maker->view->waited);
	put_arrays(maker, &marks);
	put_loops(maker, &marks);
	put_cells(maker, cells, nr, &marks);
	json_unsigned(maker->json, "arrays_left_out", maker->run->nr_arrays - marks.nr_arrays);
	json_unsigned(maker->json, "loops_left_out", marks.all_loops - marks.nr_loops);
}

/* ------------------------------------------------------------------ threads by regions */

/* 0 where it was not measured. */
static void put_times(const struct maker *maker, const char *key, const double *times, size_t nr)
{
	json_open(maker->json, key, '[');
	for (size_t i = 0; i < nr; i++)
		page_number(maker->json, NULL, isnan(times[i]) ? 0 : round(times[i]));
	json_close(maker->json);
}

/* Threads beyond the cap are left out. */
static void put_thread_times(const struct maker *maker, struct region_times *times, uint32_t region)
{
	size_t threads = maker->run->threads < maker->caps->threads ? maker->run->threads
								    : maker->caps->threads;
	struct region_time time = region_time_of(times, region);

	threads = threads < times->width ? threads : times->width;
	json_open(maker->json, NULL, '{');
	put_region(maker, region);
	json_number(maker->json, "parent",
		    maker->run->regions[region].parent == MS_REGION_NONE
			    ? NAN
			    : maker->run->regions[region].parent);
	put_times(maker, "times", time.times, threads);
	put_times(maker, "waits", time.waits, threads);
	json_close(maker->json);
}

/* Loops and called functions are no rows: they are parts of a construct. */
static double thread_weight(const struct maker *maker, struct region_times *times, uint32_t region)
{
	struct region_time time = region_time_of(times, region);

	return region && !ms_region_kind_is_code_part(maker->run->regions[region].kind)
		       ? (time.total > 0 ? time.total : 0) + (time.waited > 0 ? time.waited : 0)
		       : 0;
}

static void put_threads(const struct maker *maker)
{
	const struct run *run = maker->run;
	struct ranked *items = arena_alloc(maker->arena, (run->nr_regions + 1) * sizeof(*items));
	struct region_times times;
	size_t all = 0, nr;

	if (!items || !region_times_init(&times, maker->arena, run))
		return;
	for (uint32_t i = 0; i < run->nr_regions; i++) {
		items[i] = (struct ranked){ i, thread_weight(maker, &times, i) };
		all += items[i].weight > 0;
	}
	sort(items, run->nr_regions, sizeof(*items), heaviest);
	nr = all < maker->caps->regions ? all : maker->caps->regions;
	json_open(maker->json, "regions", '[');
	for (size_t i = 0; i < nr; i++)
		put_thread_times(maker, &times, items[i].id);
	json_close(maker->json);
	json_unsigned(maker->json, "regions_left_out", all - nr);
	json_unsigned(maker->json, "threads_left_out",
		      run->threads > maker->caps->threads ? run->threads - maker->caps->threads
							  : 0);
}

/* ------------------------------------------------------------------ causes, questions */

/* How the array is accessed: a distance in bytes, or a word. */
static void put_movement(struct json *json, const struct array_pattern *pattern)
{
	const char *word = array_pattern_word(pattern);

	if (word || !(pattern->stride > 0))
		json_string(json, NULL, word);
	else
		page_number(json, NULL, pattern->stride);
}

static void put_cause(const struct maker *maker, const struct cause *cause)
{
	struct json *json = maker->json;

	json_open(json, NULL, '{');
	json_number(json, "region", cause->region);
	json_number(json, "construct", cause_construct(maker->run, cause->region));
	json_string(json, "also", cause_also(maker->arena, maker->run, cause));
	json_open(json, "arrays", '[');
	for (size_t i = 0; i < cause->nr_arrays; i++) {
		json_open(json, NULL, '[');
		json_number(json, NULL, cause->arrays[i].array);
		json_number(json, NULL, cause_construct(maker->run, cause->arrays[i].region));
		put_movement(json, &cause->arrays[i].pattern);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

static void put_causes(const struct maker *maker)
{
	struct json *json = maker->json;

	json_open(json, "causes", '['); /* in the order of the report's */
	for (int of_model = 0; of_model < 2; of_model++) {
		const struct cause *causes;
		size_t nr = causes_of(maker->arena, maker->run, of_model, &causes);

		for (size_t i = 0; i < nr; i++)
			put_cause(maker, &causes[i]);
	}
	json_close(json);
}

/* Titles stand apart, once for each property. */
static void put_node(const struct maker *maker, const struct run_node *node)
{
	struct json *json = maker->json;

	json_open(json, NULL, '{');
	json_number(json, "id", node->id);
	json_number(json, "parent", node->parent == MS_NODE_NONE ? NAN : node->parent);
	json_string(json, "property", node->property);
	json_string(json, "place",
		    arena_printf(maker->arena, "%s%s",
				 finding_place(maker->arena, maker->run, node->region),
				 finding_during(maker->arena, maker->run, node)));
	json_number(json, "thread", node->thread == MS_REQUEST_ALL_THREADS ? NAN : node->thread);
	json_string(json, "state", history_graph_verdict(node));
	known_string(json, "value", history_graph_value(maker->arena, maker->run, node));
	json_number(json, "executions",
		    node->reached_executions ? (double)node->reached_executions : NAN);
	page_number(json, "ns", node->reached_ns > 0 ? node->reached_ns : NAN);
	json_close(json);
}

static void put_title(const struct maker *maker, const char **seen, size_t *nr,
		      const struct run_node *node)
{
	for (size_t i = 0; i < *nr; i++)
		if (!strcmp(seen[i], node->property))
			return;
	seen[(*nr)++] = node->property;
	json_string(maker->json, node->property, finding_title(maker->arena, node));
}

static void put_titles(const struct maker *maker, const bool *shown)
{
	const char **seen = arena_alloc(maker->arena, (maker->run->nr_nodes + 1) * sizeof(*seen));
	size_t nr = 0;

	json_open(maker->json, "titles", '{');
	for (size_t i = 0; seen && i < maker->run->nr_nodes; i++)
		if (shown[i])
			put_title(maker, seen, &nr, &maker->run->nodes[i]);
	json_close(maker->json);
}

/* Proven ones and all above them first; parents stand before their children. */
static void put_questions(const struct maker *maker)
{
	const struct run *run = maker->run;
	bool *shown = arena_alloc(maker->arena, run->nr_nodes + 1);
	size_t nr = 0;

	json_open(maker->json, "questions", '[');
	for (size_t i = run->nr_nodes; shown && i-- > 0;) {
		const struct run_node *node = &run->nodes[i];

		shown[i] |= node->state == MS_NODE_TRUE;
		nr += shown[i];
		if (shown[i] && node->parent != MS_NODE_NONE)
			shown[node->parent] = true;
	}
	for (size_t i = 0; shown && i < run->nr_nodes; i++) {
		const struct run_node *node = &run->nodes[i];

		if (!shown[i] && nr < maker->caps->questions &&
		    (node->parent == MS_NODE_NONE || shown[node->parent])) {
			shown[i] = true;
			nr++;
		}
		if (shown[i])
			put_node(maker, node);
	}
	json_close(maker->json);
	if (shown)
		put_titles(maker, shown);
	json_unsigned(maker->json, "questions_left_out", run->nr_nodes - nr);
	json_unsigned(maker->json, "executions", run->phase.executions);
	page_number(maker->json, "program_ns", run->cost.program_wall_ns);
}

static void put_modelled(const struct maker *maker)
{
	const struct run_modelled *modelled = &maker->run->modelled;
	struct json *json = maker->json;

	json_string(json, "model", modelled->name);
	known_string(json, "model_title", modelled->title);
	json_bool(json, "model_here", modelled->here);
	json_string(json, "placement", modelled->placement);
	json_number(json, "one_in", modelled->one_in);
	known_string(json, "omp_places", maker->run->omp_places);
	known_string(json, "omp_proc_bind", maker->run->omp_proc_bind);
	json_string(json, "touched_why", arrays_why(maker->arena, maker->run));
}

void page_data(struct json *json, struct arena *arena, const struct run *run,
	       const struct page_caps *caps, bool brief)
{
	const struct page_lines_options lines = { .lines = caps->lines,
						  .source_lines = caps->source_lines,
						  .brief = brief };
	struct maker maker = { .json = json,
			       .arena = arena,
			       .run = run,
			       .caps = caps,
			       .view = arrays_view(arena, run) };

	json_open(json, NULL, '{');
	if (maker.view) {
		maker.groups = access_groups(arena, run, maker.view->rates);
		put_modelled(&maker);
		put_causes(&maker);
		put_use(&maker);
		page_lines(json, arena, run, &maker.groups, &lines);
		put_threads(&maker);
		put_questions(&maker);
	}
	json_close(json);
}
