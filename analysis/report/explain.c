/* SPDX-License-Identifier: Apache-2.0 */
/* Turns proven properties into sentences about this run. */
#include "analysis/report/explain.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/properties/fill.h"
#include "analysis/properties/property.h"
#include "analysis/report/array_names.h"
#include "analysis/report/finding.h"
#include "analysis/report/source_words.h"
#include "memsearch/host.h"
#include "memsearch/metric_set.h"

static const char *or_else(const char *text, const char *otherwise)
{
	return text && *text ? text : otherwise;
}

static const char *end_of_serial(struct arena *arena, struct code_address address,
				 const struct source *source, const char *otherwise)
{
	return address.module == UINT32_MAX && !address.offset ? otherwise
							       : source_place(arena, source);
}

static const char *place_of_serial(struct arena *arena, const struct run_region *region)
{
	const char *begin = end_of_serial(arena, region->construct, &region->source,
					  "the start of the program");
	const char *end = end_of_serial(arena, region->next, &region->next_source,
					"the end of the program");

	if (begin && end && !strcmp(begin, end))
		return arena_printf(
			arena,
			"the serial code after the parallel region in %s, until it starts again",
			begin);
	return arena_printf(arena, "the serial code between %s and %s", begin, end);
}

static const char *place_of_region(struct arena *arena, const struct run *run,
				   const struct run_region *region)
{
	if (region->kind == MS_USER_REGION)
		return run->phase.method == PHASE_WHOLE_PROGRAM ? "the whole program"
								: "the whole phase";
	if (region->kind == MS_SERIAL_REGION)
		return place_of_serial(arena, region);
	if (region->kind == MS_LOOP_REGION)
		return arena_printf(arena, "the %s", source_loop(arena, &region->source));
	if (region->kind == MS_SUB_REGION)
		return arena_printf(arena, "the function %s", source_place(arena, &region->source));
	return source_place(arena, &region->source);
}

/* NULL: none. */
static const char *list_numbers(struct arena *arena, const uint32_t *numbers, size_t nr)
{
	char *text = nr ? arena_printf(arena, "%u", numbers[0]) : NULL;

	for (size_t i = 1; text && i < nr; i++)
		text = arena_printf(arena, "%s, %u", text, numbers[i]);
	return text;
}

/* "node 1", "nodes 1, 3"; NULL. */
static const char *list_nodes(struct arena *arena, const struct run_node *node)
{
	const char *list = list_numbers(arena, node->numa_nodes, node->nr_numa_nodes);

	return list ? arena_printf(arena, "node%s %s", node->nr_numa_nodes > 1 ? "s" : "", list)
		    : NULL;
}

enum {
	WORD_REGION,
	WORD_FUNCTION,
	WORD_LINE,
	WORD_HOT_FUNCTION,
	WORD_HOT_LINE,
	WORD_HOT_SHARE,
	WORD_THREADS,
	WORD_NODES,
	WORD_PARENT_HOT_FUNCTION,
	WORD_PARENT_HOT_LINE,
	WORD_EXECUTION,
	WORD_PHASE,
	WORD_ARRAY,
	WORD_ARRAY_LINE,
	WORD_FIRST_TOUCH_LINE,
	WORD_CONSTRUCT,
	WORD_CONSTRUCT_LINE,
	WORD_LOOPS,
	WORDS
};

static void hot_words(struct arena *arena, const struct run_hotspot *spot,
		      struct property_word *words)
{
	words[WORD_HOT_FUNCTION] = (struct property_word){ "hot_function", NULL };
	words[WORD_HOT_LINE] = (struct property_word){ "hot_line", NULL };
	words[WORD_HOT_SHARE] = (struct property_word){ "hot_share", NULL };
	if (!spot)
		return;
	words[WORD_HOT_FUNCTION].text = or_else(spot->source.function, NULL);
	if (spot->source.line)
		words[WORD_HOT_LINE].text = arena_printf(
			arena, "%s:%d", or_else(spot->source.file, "?"), spot->source.line);
	words[WORD_HOT_SHARE].text = arena_printf(arena, "%.0f %%", 100 * spot->share);
}

/*
 * The hottest line around a construct that has no code of its own, a barrier: the enclosing
 * region's, but not the one the construct stands at, where threads wait.
 */
static const struct run_hotspot *hotspot_around(const struct run *run,
						const struct run_region *region, uint32_t metric)
{
	const struct run_hotspot *best = NULL;

	for (size_t i = 0; i < run->nr_hotspots; i++) {
		const struct run_hotspot *spot = &run->hotspots[i];
		const struct source *source = &spot->source;
		bool here = source->line == region->source.line &&
			    !strcmp(or_else(source->file, ""), or_else(region->source.file, ""));

		if (spot->region == region->parent && spot->metric == metric && source->line &&
		    !here && (!best || spot->count > best->count))
			best = spot;
	}
	return best;
}

static void parent_words(struct arena *arena, const struct run_hotspot *spot,
			 struct property_word *words)
{
	words[WORD_PARENT_HOT_FUNCTION] = (struct property_word){
		"parent_hot_function", spot ? or_else(spot->source.function, NULL) : NULL
	};
	words[WORD_PARENT_HOT_LINE] = (struct property_word){ "parent_hot_line", NULL };
	if (spot)
		words[WORD_PARENT_HOT_LINE].text = arena_printf(
			arena, "%s:%d", or_else(spot->source.file, "?"), spot->source.line);
}

/* What the hot line of a property is a line of: the page faults it asks for, else CPU time. */
static uint32_t hot_metric(const struct property *property)
{
	const uint32_t *metrics;
	size_t nr = property_metrics(property, &metrics);

	for (size_t i = 0; i < nr; i++)
		if (metrics[i] == MS_METRIC_FAULT_SAMPLES)
			return MS_METRIC_FAULT_SAMPLES;
	return MS_METRIC_SAMPLES;
}

/* Where most of an array's first touches of a known line were; NULL: none is known. */
static const char *first_touch_line(struct arena *arena, const struct run *run,
				    const struct run_array *array)
{
	const struct run_touch *best = NULL;

	for (size_t i = 0; array && i < run->nr_touches; i++) {
		const struct run_touch *touch = &run->touches[i];

		if (touch->array == array->id && touch->source.line &&
		    (!best || touch->bytes > best->bytes))
			best = touch;
	}
	return best ? arena_printf(arena, "%s:%d", or_else(best->source.file, "?"),
				   best->source.line)
		    : NULL;
}

/* Where an array is accessed most in a region; NULL: not known. */
static const struct source *accessed_at(const struct run *run, const struct run_array *array,
					uint32_t region)
{
	const struct run_access *most = NULL;

	for (size_t i = 0; i < run->nr_accesses; i++) {
		const struct run_access *access = &run->accesses[i];

		if (access->array < run->nr_arrays && &run->arrays[access->array] == array &&
		    access->region == region && access->source.line &&
		    (!most || access->reads + access->writes > most->reads + most->writes))
			most = access;
	}
	return most ? &most->source : NULL;
}

static const char *line_of(struct arena *arena, const struct source *source)
{
	if (!source || !source->line)
		return "an unknown line";
	return arena_printf(arena, "%s:%d", or_else(source->file, "?"), source->line);
}

/* Serial code has no line of its own: its address is where the region before it ends. */
static void line_words(struct arena *arena, const struct run *run, const struct run_region *region,
		       const struct run_array *array, struct property_word *words)
{
	const struct source *source = region ? &region->source : NULL;
	const struct source *accessed = array && region && region->kind == MS_SERIAL_REGION
						? accessed_at(run, array, region->id)
						: NULL;

	words[WORD_LINE] = (struct property_word){ "line",
						   line_of(arena, accessed ? accessed : source) };
}

static void array_words(struct arena *arena, const struct run *run, const struct run_array *array,
			struct property_word *words)
{
	words[WORD_ARRAY] = (struct property_word){ "array", arrays_name(arena, run, array) };
	words[WORD_ARRAY_LINE] = (struct property_word){ "array_line",
							 array ? arrays_declared(arena, array)
							       : NULL };
	words[WORD_FIRST_TOUCH_LINE] = (struct property_word){
		"first_touch_line", first_touch_line(arena, run, array)
	};
}

/* The loop around, be it a natural one or the construct's own. */
static const struct source *loop_around(const struct run *run, const struct run_region *loop)
{
	uint32_t parent = finding_outside_functions(run, loop->parent);
	const struct run_region *around = parent < loop->id ? &run->regions[parent] : NULL;
	const struct source *source = around && (around->kind == MS_LOOP_REGION ||
						 around->kind == MS_DO_REGION)
					      ? &around->source
					      : NULL;

	if (!source || !source->line || source->line == loop->source.line ||
	    strcmp(or_else(source->file, ""), or_else(loop->source.file, "")) != 0)
		return NULL;
	return source;
}

/* Those to be changed together: "loops at k.c:41 and 42", "loops around k.c:42". */
static const char *loops_words(struct arena *arena, const struct run *run,
			       const struct run_region *region)
{
	const struct source *around = region && region->kind == MS_LOOP_REGION &&
						      region->source.line
					      ? loop_around(run, region)
					      : NULL;

	if (!around)
		return arena_printf(arena, "loops around %s",
				    line_of(arena, region ? &region->source : NULL));
	return arena_printf(arena, "loops at %s:%d and %d", or_else(around->file, "?"),
			    around->line, region->source.line);
}

static void construct_words(struct arena *arena, const struct run *run,
			    const struct run_region *region, struct property_word *words)
{
	const struct run_region *construct = finding_construct(run, region);

	words[WORD_CONSTRUCT] = (struct property_word){
		"construct",
		construct ? finding_place(arena, run, construct->id) : "an unknown region"
	};
	if (construct && construct->kind != MS_USER_REGION && construct->kind != MS_SERIAL_REGION)
		words[WORD_CONSTRUCT].text = arena_printf(arena, "the %s",
							  words[WORD_CONSTRUCT].text);
	words[WORD_CONSTRUCT_LINE] = (struct property_word){
		"construct_line", line_of(arena, construct ? &construct->source : NULL)
	};
	words[WORD_LOOPS] = (struct property_word){ "loops", loops_words(arena, run, region) };
}

static void words_of(const struct run *run, struct arena *arena, const struct run_node *node,
		     uint32_t metric, struct property_word *words)
{
	const struct run_region *region = finding_region(run, node);
	const struct run_hotspot *spot = hotspot_of(run, region ? region->id : node->region,
						    metric);
	bool whole = run->phase.method == PHASE_WHOLE_PROGRAM;

	words[WORD_REGION] = (struct property_word){ "region",
						     region ? place_of_region(arena, run, region)
							    : "an unknown region" };
	words[WORD_FUNCTION] = (struct property_word){
		"function", region ? or_else(region->source.function, "an unknown function") : "?"
	};
	line_words(arena, run, region, finding_array(run, node->region), words);
	hot_words(arena, spot, words);
	parent_words(arena, region ? hotspot_around(run, region, metric) : NULL, words);
	words[WORD_THREADS] = (struct property_word){ "threads", list_numbers(arena, node->threads,
									      node->nr_threads) };
	words[WORD_NODES] = (struct property_word){ "nodes", list_nodes(arena, node) };
	words[WORD_EXECUTION] = (struct property_word){ "execution",
							whole ? "the run"
							      : "one execution of the phase" };
	words[WORD_PHASE] = (struct property_word){ "phase", whole ? "the run" : "the phase" };
	array_words(arena, run, finding_array(run, node->region), words);
	construct_words(arena, run, region, words);
}

static bool is_measured(const struct run *run, uint32_t metric)
{
	for (size_t i = 0; i < run->nr_measurements; i++)
		if (run->measurements[i].row.metric == metric)
			return true;
	return false;
}

/* Appends "loads = skx::…" to the text. */
static const char *add_formula(struct arena *arena, const char *text, const struct run *run,
			       uint32_t metric)
{
	const char *name = ms_metric_info(metric)->name;

	for (size_t i = 0; i < run->nr_counters; i++)
		if (run->counters[i].metric == metric && run->counters[i].formula &&
		    is_measured(run, metric))
			return arena_printf(arena, "%s%s%s = %s", text ? text : "",
					    text ? "; " : "", name, run->counters[i].formula);
	return text;
}

/*
 * What was counted for a property: its metrics of counters, each once, with the events behind them.
 */
static const char *events_of(const struct run *run, struct arena *arena,
			     const struct property *property)
{
	size_t (*const lists[])(const struct property *, const uint32_t **) = {
		property_metrics,
		property_phase_metrics,
		property_parent_metrics,
		property_construct_metrics,
	};
	const char *text = NULL;
	struct ms_metric_set asked = { 0 };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const uint32_t *metrics;
		size_t nr = lists[i](property, &metrics);

		ms_metric_set_add_all(&asked, metrics, nr);
	}
	MS_METRIC_SET_EACH(metric, &asked)
	text = add_formula(arena, text, run, metric);
	return text;
}

static void explain_node(struct run *run, struct arena *arena, struct run_node *node,
			 const struct property *property)
{
	struct ms_evidence evidence[MS_EVIDENCE_MAX];
	struct property_word words[WORDS];
	size_t nr = node->nr_evidence < MS_EVIDENCE_MAX ? node->nr_evidence : MS_EVIDENCE_MAX;

	for (size_t i = 0; i < nr; i++)
		evidence[i] = (struct ms_evidence){ node->evidence[i].name, node->evidence[i].unit,
						    node->evidence[i].reading };
	words_of(run, arena, node, hot_metric(property), words);
	node->explanation = property_fill(arena, property_explanation(property), evidence, nr,
					  words, WORDS);
	node->events = events_of(run, arena, property);
	node->advice = property_fill(arena, property_advice(property), evidence, nr, words, WORDS);
}

void explain(struct run *run, struct arena *arena, const struct property_set *properties)
{
	for (size_t i = 0; i < run->nr_nodes; i++) {
		const struct property *property = property_set_find(properties,
								    run->nodes[i].property);

		if (!property)
			continue;
		run->nodes[i].title = property_title(property);
		run->nodes[i].views = property_views(property);
		if (run->nodes[i].state == MS_NODE_TRUE)
			explain_node(run, arena, &run->nodes[i], property);
	}
}
