/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch list events`: the event tables, one of them, or one metric on all CPUs. */
#include "analysis/cmds/list_events.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/cmds/command.h"
#include "analysis/properties/event_tables.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "memsearch/metric.h"

#define WIDTH 100 /* columns of text, as everywhere */
#define NR(array) (sizeof(array) / sizeof(*(array)))

struct events_list {
	struct arena *arena;
	const struct property_set *set;
	const char *format;
	struct text out;
};

/* The names under which a table is found, "skx, clx"; NULL: later tables hide all of them. */
static const char *names_of(const struct events_list *list, const struct event_table *table)
{
	const char *text = NULL;

	for (size_t i = 0; i < table->nr_names; i++) {
		if (property_set_events(list->set, table->names[i]) != table)
			continue;
		text = text ? arena_printf(list->arena, "%s, %s", text, table->names[i])
			    : table->names[i];
	}
	return text;
}

static void list_tables(struct events_list *list)
{
	static const struct table_column columns[] = {
		{ "table", NULL }, { "metrics", "1" }, { "title", NULL }, { "file", NULL }
	};
	const struct event_table *const *tables;
	size_t nr = property_set_event_tables(list->set, &tables);
	struct table table;

	table_init(&table, list->arena, "event_tables", columns, NR(columns));
	table.schema = "memsearch-list-event-tables-1";
	table.footer =
		"`memsearch list events TABLE` shows the events, `memsearch list events METRIC` those of a metric on all CPUs";
	for (size_t i = 0; i < nr; i++) {
		const char *names = names_of(list, tables[i]);

		if (!names)
			continue;
		table_string(&table, names);
		table_number(&table, (double)tables[i]->nr_metrics);
		table_string(&table, tables[i]->title);
		table_string(&table, tables[i]->file);
	}
	table_print(&list->out, &table, list->format);
}

/*
 * What stands behind one metric of one table; `name` is the metric's or the table's, whichever
 * differs from row to row.
 */
struct events_row {
	const char *name, *formula, *note;
};

/* The name, and beside it the events and below them the note: both are too long for columns. */
static void print_rows(struct events_list *list, const struct events_row *rows, size_t nr)
{
	size_t width = 0;

	for (size_t i = 0; i < nr; i++)
		width = strlen(rows[i].name) > width ? strlen(rows[i].name) : width;
	for (size_t i = 0; i < nr; i++) {
		text_printf(&list->out, "%-*s  ", (int)width, rows[i].name);
		text_wrap(&list->out, rows[i].formula ? rows[i].formula : "unsupported",
			  (int)width + 2, WIDTH);
		if (rows[i].note) {
			text_printf(&list->out, "\n%*s", (int)width + 2, "");
			text_wrap(&list->out, rows[i].note, (int)width + 2, WIDTH);
		}
		text_add(&list->out, "\n");
	}
}

static void show_rows(struct events_list *list, const char *heading, const struct events_row *rows,
		      size_t nr)
{
	const struct table_column columns[] = { { heading, NULL },
						{ "events", NULL },
						{ "note", NULL } };
	struct table table;

	if (!list->format || !strcmp(list->format, "text"))
		return print_rows(list, rows, nr);
	table_init(&table, list->arena, "events", columns, NR(columns));
	table.schema = "memsearch-list-events-1";
	for (size_t i = 0; i < nr; i++) {
		table_string(&table, rows[i].name);
		table_string(&table, rows[i].formula);
		table_string(&table, rows[i].note);
	}
	table_print(&list->out, &table, list->format);
}

static void fill_row(const struct events_list *list, struct events_row *row, const char *name,
		     const struct event_metric *metric)
{
	row->name = name;
	row->formula = metric ? event_metric_formula(list->arena, metric) : NULL;
	row->note = metric ? metric->note : NULL;
}

static void show_one_table(struct events_list *list, const struct event_table *table)
{
	struct events_row rows[MS_METRICS];
	size_t nr = 0;

	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (event_metric_portable(metric))
			fill_row(list, &rows[nr++], ms_metric_info(metric)->name,
				 event_table_metric(table, metric));
	show_rows(list, "metric", rows, nr);
}

static int show_one_metric(struct events_list *list, uint32_t metric)
{
	const struct event_table *const *tables;
	size_t nr_tables = property_set_event_tables(list->set, &tables), nr = 0;
	struct events_row *rows = arena_alloc(list->arena, nr_tables * sizeof(*rows));

	if (!rows)
		return COMMAND_BAD_DATA;
	for (size_t i = 0; i < nr_tables; i++) {
		const char *names = names_of(list, tables[i]);

		if (names)
			fill_row(list, &rows[nr++], names, event_table_metric(tables[i], metric));
	}
	show_rows(list, "table", rows, nr);
	return COMMAND_OK;
}

/* Room for the names of all tables and metrics, with which a wrong one is compared. */
#define NAMES_MAX 256

static int unknown_name(const struct command *self, const struct events_list *list,
			const char *wanted)
{
	const struct event_table *const *tables;
	size_t nr_tables = property_set_event_tables(list->set, &tables), nr = 0;
	const char *names[NAMES_MAX];

	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (event_metric_portable(metric))
			names[nr++] = ms_metric_info(metric)->name;
	for (size_t i = 0; i < nr_tables; i++)
		for (size_t j = 0; j < tables[i]->nr_names && nr < NAMES_MAX; j++)
			names[nr++] = tables[i]->names[j];
	return command_unknown(self, "event table or counted metric", wanted, names, nr);
}

static int show_named(const struct command *self, struct events_list *list, const char *name)
{
	const struct event_table *table = property_set_events(list->set, name);

	if (table) {
		show_one_table(list, table);
		return COMMAND_OK;
	}
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (event_metric_portable(metric) && !strcmp(ms_metric_info(metric)->name, name))
			return show_one_metric(list, metric);
	return unknown_name(self, list, name);
}

int list_events(const struct command *self, struct arena *arena, const struct property_set *set,
		const char *name, const char *format)
{
	struct events_list list = { .arena = arena, .set = set, .format = format };
	int code = COMMAND_OK;

	text_init(&list.out, arena);
	if (name)
		code = show_named(self, &list, name);
	else
		list_tables(&list);
	return code == COMMAND_OK ? command_print(&list.out) : code;
}
