/* SPDX-License-Identifier: Apache-2.0 */
/* Event tables: what the grammar makes of EVENTS, and what a table says. */
#include "analysis/base/arena.h"
#include "analysis/properties/asl.h"
#include "analysis/properties/loader.h"
#include "memsearch/metric.h"

#include <string.h>

bool event_metric_portable(uint32_t metric)
{
	return metric < MS_METRICS && ms_metric_info(metric)->sensor == MS_SENSOR_COUNTERS &&
	       (metric < MS_METRIC_EVENT_1 || metric > MS_METRIC_EVENT_8);
}

/* -- for the grammar */

static struct event_draft *current(const struct loader *loader)
{
	return loader->tables[loader->nr_tables - 1];
}

/*
 * The table of this file that has the name already; the one being parsed has its names before
 * `nr_own` only.
 */
static bool name_taken(const struct loader *loader, const char *name, size_t nr_own)
{
	for (size_t i = 0; i < loader->nr_tables; i++) {
		const struct event_draft *draft = loader->tables[i];
		size_t nr = i + 1 < loader->nr_tables ? draft->names->nr : nr_own;

		for (size_t j = 0; j < nr; j++)
			if (strcmp(draft->names->items[j].text, name) == 0)
				return true;
	}
	return false;
}

static void take_names(struct loader *loader, struct event_draft *draft)
{
	const char **names = loader_alloc(loader, draft->names->nr * sizeof(*names));

	for (size_t i = 0; i < draft->names->nr; i++) {
		const struct asl_name *name = &draft->names->items[i];

		names[i] = name->text;
		if (name_taken(loader, name->text, i))
			loader_error(loader, name->line, name->column,
				     "second EVENTS of '%s' in one file", name->text);
	}
	draft->table.names = names;
	draft->table.nr_names = draft->names->nr;
}

void table_begin(struct loader *loader, struct asl_names *names, const char *title)
{
	struct event_draft *draft = loader_alloc(loader, sizeof(*draft));

	draft->names = names;
	draft->table.title = title;
	draft->table.file = loader->file;
	if (!ARENA_GROW(loader->arena, loader->tables, loader->nr_tables, loader->room_tables))
		longjmp(loader->trouble, 1);
	loader->tables[loader->nr_tables++] = draft;
	take_names(loader, draft);
}

static void check_word(struct loader *loader, const struct event_word *word)
{
	const char *event = word->term.event;

	if (!event[0] || strchr(event, ' '))
		loader_error(loader, word->line, word->column, "'%s' is no name of an event",
			     event);
	if (!(word->term.factor >= EVENT_FACTOR_MIN && word->term.factor <= EVENT_FACTOR_MAX))
		loader_error(loader, word->line, word->column,
			     "the factor of event '%s' is not from 0.001 to 1000000", event);
}

struct event_terms *terms_add(struct loader *loader, struct event_terms *terms,
			      struct event_word word, int sign)
{
	if (!terms)
		terms = loader_alloc(loader, sizeof(*terms));
	check_word(loader, &word);
	if (terms->nr == EVENT_TERMS_MAX)
		loader_error(loader, word.line, word.column, "more than %d events in one metric",
			     EVENT_TERMS_MAX);
	if (!ARENA_GROW(loader->arena, terms->items, terms->nr, terms->room))
		longjmp(loader->trouble, 1);
	word.term.factor *= sign;
	terms->items[terms->nr++] = word.term;
	return terms;
}

static void complain_of_metric(struct loader *loader, struct asl_name name)
{
	const char *names[MS_METRICS];
	size_t nr = 0;

	for (uint32_t metric = 0; metric < MS_METRICS; metric++) {
		const struct ms_metric_info *info = ms_metric_info(metric);

		if (event_metric_portable(metric))
			names[nr++] = info->name;
		else if (strcmp(info->name, name.text) == 0)
			return loader_error(
				loader, name.line, name.column,
				info->sensor == MS_SENSOR_COUNTERS
					? "the event of metric '%s' is named by the user of a run"
					: "metric '%s' is not counted by hardware",
				name.text);
	}
	loader_error(loader, name.line, name.column, "unknown metric '%s'%s", name.text,
		     loader_suggestion(loader, name.text, names, nr));
}

static uint32_t metric_number(const char *name)
{
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (event_metric_portable(metric) &&
		    strcmp(ms_metric_info(metric)->name, name) == 0)
			return metric;
	return MS_METRICS;
}

void table_add(struct loader *loader, struct asl_name name, const struct event_terms *terms,
	       const char *note)
{
	struct event_draft *draft = current(loader);
	struct event_metric metric = { metric_number(name.text), terms->items, terms->nr, note };

	if (metric.metric == MS_METRICS)
		return complain_of_metric(loader, name);
	if (event_table_metric(&draft->table, metric.metric))
		return loader_error(loader, name.line, name.column, "second '%s' in EVENTS",
				    name.text);
	if (!ARENA_GROW(loader->arena, draft->metrics, draft->table.nr_metrics, draft->room))
		longjmp(loader->trouble, 1);
	draft->metrics[draft->table.nr_metrics++] = metric;
	draft->table.metrics = draft->metrics;
}

void table_end(struct loader *loader, int line, int column)
{
	if (!current(loader)->table.nr_metrics && !loader->nr_errors)
		loader_error(loader, line, column, "EVENTS without a metric");
}

/* -- for those who use the tables */

static bool has_name(const struct event_table *table, const char *name)
{
	for (size_t i = 0; i < table->nr_names; i++)
		if (strcmp(table->names[i], name) == 0)
			return true;
	return false;
}

const struct event_table *property_set_events(const struct property_set *set, const char *name)
{
	for (size_t i = set->nr_event_tables; i-- > 0;)
		if (has_name(set->event_tables[i], name))
			return set->event_tables[i];
	return NULL;
}

size_t property_set_event_tables(const struct property_set *set,
				 const struct event_table *const **out)
{
	*out = set->event_tables;
	return set->nr_event_tables;
}

const struct event_metric *event_table_metric(const struct event_table *table, uint32_t metric)
{
	for (size_t i = 0; i < table->nr_metrics; i++)
		if (table->metrics[i].metric == metric)
			return &table->metrics[i];
	return NULL;
}

/*
 * "0.5 * ", or "" for 1; three decimals are enough from EVENT_FACTOR_MIN on; never with the comma
 * of the program's locale.
 */
static const char *factor_text(struct arena *arena, double size)
{
	unsigned long thousandths = (unsigned long)(size * 1000 + 0.5);

	if (size == 1)
		return "";
	if (thousandths % 1000 == 0)
		return arena_printf(arena, "%lu * ", thousandths / 1000);
	if (thousandths % 100 == 0)
		return arena_printf(arena, "%lu.%lu * ", thousandths / 1000,
				    thousandths / 100 % 10);
	return arena_printf(arena, "%lu.%03lu * ", thousandths / 1000, thousandths % 1000);
}

const char *event_metric_formula(struct arena *arena, const struct event_metric *metric)
{
	const char *text = "";

	for (size_t i = 0; text && i < metric->nr_terms; i++) {
		double factor = metric->terms[i].factor;
		const char *size = factor_text(arena, factor < 0 ? -factor : factor);

		text = size ? arena_printf(arena, "%s%s%s%s", text,
					   factor < 0 ? " - "
					   : i        ? " + "
						      : "",
					   size, metric->terms[i].event)
			    : NULL;
	}
	return text;
}
