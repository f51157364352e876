/* SPDX-License-Identifier: Apache-2.0 */
/* `memsearch list`: what there is, here or in a record. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/cmds/command.h"
#include "analysis/cmds/core_queries.h"
#include "analysis/cmds/installation.h"
#include "analysis/cmds/list_events.h"
#include "analysis/cmds/list_machines.h"
#include "analysis/cmds/list_traces.h"
#include "analysis/cmds/show.h"
#include "analysis/options/options.h"
#include "analysis/properties/event_tables.h"
#include "analysis/properties/property.h"
#include "analysis/report/counts.h"
#include "analysis/report/finding.h"
#include "analysis/report/intervals.h"
#include "analysis/report/rank.h"
#include "analysis/report/sync_objects.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "analysis/search/engine.h"
#include "analysis/search/strategies.h"
#include "memsearch/strategy.h"

struct list_values {
	const char *format, *properties;
};

static const struct command_option options[] = {
	COMMAND_FORMAT_ROWS(struct list_values),
	{ .name = "properties",
	  .type = COMMAND_STRING,
	  .metavariable = "FILES",
	  .offset = offsetof(struct list_values, properties),
	  .help = "more property files or folders, separated by colons" },
	{ 0 }
};

/* What a list is made from; `file` is empty where none is needed or given. */
struct source_of_list {
	struct arena *arena;
	const struct list_values *values;
	struct show_file file;
	bool brief;
};

#define NR(array) (sizeof(array) / sizeof(*(array)))

/*
 * Files of the installation and the user's; prints their mistakes. NULL: there is no installation.
 */
static const struct property_set *load_properties(const struct source_of_list *from)
{
	const char *folder = installation_path(from->arena, INSTALLATION_PROPERTIES);
	const struct property_set *set = folder ? property_set_load(from->arena, folder,
								    from->values->properties)
						: NULL;

	for (size_t i = 0; set && i < set->nr_messages; i++)
		log_warning("%s", property_message_line(from->arena, &set->messages[i]));
	return set;
}

/* -- of a run */

static const char *start_of(struct arena *arena, const struct run *run)
{
	time_t seconds = (time_t)(run->start_realtime_ns / 1000000000);
	char text[32];
	struct tm parts;

	if (!seconds || !localtime_r(&seconds, &parts) ||
	    !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts))
		return NULL;
	return arena_strdup(arena, text);
}

static int list_runs(const struct source_of_list *from, struct table *table)
{
	static const struct table_column columns[] = {
		{ "run", "1" },       { "start", NULL },   { "threads", "1" },
		{ "phases", "1" },    { "findings", "1" }, { "detected", NULL },
		{ "complete", NULL }, { "program", NULL },
	};

	table_init(table, from->arena, "runs", columns, NR(columns));
	for (size_t i = 0; i < from->file.nr_runs; i++) {
		const struct run *run = &from->file.runs[i];
		const uint32_t *ids;

		table_number(table, (double)i + 1);
		table_string(table, from->brief ? NULL : start_of(from->arena, run));
		table_number(table, run->threads);
		table_number(table, (double)run->phase.executions);
		table_number(table,
			     (double)report_rank(from->arena, run, REPORT_FINDING, false, &ids));
		table_string(table,
			     report_has_begin(run) ? phase_method_name(run->phase.method) : NULL);
		table_string(table, run->complete ? "yes" : "no");
		table_string(table, report_program(run, from->brief));
	}
	return COMMAND_OK;
}

/* The threads' time in every region; NAN where it was not measured. */
static double *times_of(struct arena *arena, const struct run *run)
{
	double *times = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*times));

	for (size_t i = 0; times && i < run->nr_regions; i++)
		times[i] = NAN;
	for (size_t i = 0; times && i < run->nr_measurements; i++) {
		const struct ms_measurement *row = &run->measurements[i].row;

		if ((row->metric == MS_METRIC_TIME || row->metric == MS_METRIC_LOOP_TIME) &&
		    row->region < run->nr_regions)
			times[row->region] = (isnan(times[row->region]) ? 0 : times[row->region]) +
					     row->stat.sum;
	}
	return times;
}

static int list_regions(const struct source_of_list *from, struct table *table)
{
	static const struct table_column columns[] = {
		{ "run", "1" },
		{ "region", "1" },
		{ "parent", "1" },
		{ "measured_executions", "1" },
		{ "measured_time", "ns" },
		{ "kind", NULL },
		{ "place", NULL },
	};
	static const char *const headings[NR(columns)] = { "run",  "region", "parent", "measured",
							   "time", "kind",   "place" };

	table_init(table, from->arena, "regions", columns, NR(columns));
	table->headings = headings;
	table->footer =
		"measured: how often the region was executed while it was being measured, mostly not the whole run; time: of all "
		"threads together in these executions; -: was not measured, or does not apply";
	for (size_t i = 0; i < from->file.nr_runs; i++) {
		struct run *run = &from->file.runs[i];
		const double *times;

		show_complete(from->arena, run, from->values->properties);
		times = times_of(from->arena, run);
		for (uint32_t region = 0; times && region < run->nr_regions; region++) {
			uint32_t parent = run->regions[region].parent;

			table_number(table, (double)i + 1);
			table_number(table, region);
			table_number(table, parent == MS_REGION_NONE ? NAN : parent);
			table_number(table, run->regions[region].executions
						    ? (double)run->regions[region].executions
						    : NAN);
			table_number(table, times[region]);
			table_string(table, ms_region_kind_name(run->regions[region].kind));
			table_string(table, finding_place(from->arena, run, region));
		}
	}
	return COMMAND_OK;
}

static int list_intervals(const struct source_of_list *from, struct table *table)
{
	static const struct table_column columns[] = {
		{ "run", "1" },        { "kind", NULL },  { "known_since", NULL },
		{ "executions", "1" }, { "first", "1" },  { "last", "1" },
		{ "time", "ns" },      { "state", NULL }, { "name", NULL },
		{ "within", NULL },
	};

	table_init(table, from->arena, "intervals", columns, NR(columns));
	table->footer =
		"executions: of the phase, or stretches of the program without one, from number first to last; known_since: static: always; start: by an "
		"option; run: found or marked while the program ran; within: the smallest intervals around it";
	for (size_t i = 0; i < from->file.nr_runs; i++) {
		const struct interval_row *rows;
		size_t nr = interval_rows(from->arena, &from->file.runs[i], &rows);

		for (size_t k = 0; k < nr; k++) {
			table_number(table, (double)i + 1);
			table_string(table, rows[k].kind);
			table_string(table, rows[k].born);
			table_number(table, rows[k].executions);
			table_number(table, rows[k].first);
			table_number(table, rows[k].last);
			table_number(table, rows[k].wall_ns);
			table_string(table, rows[k].state);
			table_string(table, rows[k].name);
			table_string(table, rows[k].in);
		}
	}
	return COMMAND_OK;
}

static int list_counts(const struct source_of_list *from, struct table *table)
{
	static const struct table_column columns[] = {
		{ "run", "1" },      { "counter", NULL },   { "count", "exact" },
		{ "readings", "1" }, { "executions", "1" }, { "thread", "1" },
		{ "region", "1" },   { "node", "1" },       { "place", NULL },
	};

	table_init(table, from->arena, "counts", columns, NR(columns));
	table->footer =
		"count: in one mean execution of the phase, or in the run; readings: counted executions of the region; executions: of the phase, in which they were "
		"counted; without a thread: sum over all threads on the NUMA node";
	for (size_t i = 0; i < from->file.nr_runs; i++) {
		struct run *run = &from->file.runs[i];
		const struct count *counts;
		size_t nr;

		show_complete(from->arena, run, from->values->properties);
		nr = counts_with_nodes(from->arena, run, &counts);
		for (size_t k = 0; k < nr; k++) {
			table_number(table, (double)i + 1);
			table_string(table, counts_name(counts[k].counter));
			table_number(table, counts[k].each);
			table_number(table, (double)counts[k].readings);
			table_number(table, (double)counts[k].phases);
			table_number(table,
				     counts[k].thread == COUNT_NODE ? NAN : counts[k].thread);
			table_number(table, counts[k].region);
			table_number(table,
				     counts[k].node == RUN_PLACE_UNKNOWN ? NAN : counts[k].node);
			table_string(table, finding_place(from->arena, run, counts[k].region));
		}
	}
	return COMMAND_OK;
}

static int list_sync(const struct source_of_list *from, struct table *table)
{
	static const struct table_column columns[] = {
		{ "run", "1" },     { "type", NULL }, { "class", NULL },
		{ "object", NULL }, { "share", "%" }, { "waiting", "ns" },
		{ "entries", "1" }, { "held", "ns" }, { "place", NULL },
	};

	table_init(table, from->arena, "sync", columns, NR(columns));
	table->footer =
		"values of one mean execution of the phase: waiting, and its share of the time, of all threads together; entries: acquisitions, or executions by "
		"threads; held: each time; -: was not measured, does not apply, or a row that sums up those below";
	for (size_t i = 0; i < from->file.nr_runs; i++) {
		struct run *run = &from->file.runs[i];
		const struct sync_row *rows;
		size_t nr;

		show_complete(from->arena, run, from->values->properties);
		nr = sync_rows_of(from->arena, run, &rows);
		for (size_t k = 0; k < nr; k++) {
			table_number(table, (double)i + 1);
			table_string(table, rows[k].type);
			table_string(table, rows[k].class);
			table_string(table, rows[k].object);
			table_number(table, 100 * rows[k].share);
			table_number(table, rows[k].waiting_ns);
			table_number(table, rows[k].entries);
			table_number(table, rows[k].held_ns);
			table_string(table, rows[k].place);
		}
	}
	return COMMAND_OK;
}

static int list_kept(const struct source_of_list *from, struct table *table)
{
	show_complete(from->arena, from->file.runs, from->values->properties);
	return list_traces(from->arena, from->file.path, from->file.runs,
			   from->values->format && strcmp(from->values->format, "text") != 0,
			   table);
}

/* -- of this machine, or of a run if a file was named */

static void sensor_row(struct table *table, const char *name, bool works, const char *why)
{
	table_string(table, name);
	table_string(table, works ? "yes" : "no");
	table_string(table, why);
}

/* As they would be found in a program that is started now. */
static int sensors_here(struct table *table, const struct source_of_list *from)
{
	struct ms_probe *probe = arena_alloc(from->arena, sizeof(*probe));
	const char *why = "no memory";

	if (!probe || !core_query_probe(from->arena, from->values->properties, probe, &why)) {
		log_warning("cannot ask the sensors: %s", why);
		return COMMAND_BAD_DATA;
	}
	for (unsigned int id = 0; id < MS_SENSORS; id++)
		sensor_row(table, ms_sensor_name(id), probe->sensors[id].works,
			   probe->sensors[id].text[0] ? probe->sensors[id].text
						      : ms_sensor_summary(id));
	return COMMAND_OK;
}

static int list_sensors(const struct source_of_list *from, struct table *table)
{
	static const struct table_column columns[] = { { "sensor", NULL },
						       { "works", NULL },
						       { "note", NULL } };

	table_init(table, from->arena, "sensors", columns, NR(columns));
	if (!from->file.nr_runs)
		return sensors_here(table, from);
	for (size_t i = 0; i < from->file.nr_runs; i++)
		for (size_t j = 0; j < from->file.runs[i].nr_sensors; j++)
			sensor_row(table, from->file.runs[i].sensors[j].name,
				   from->file.runs[i].sensors[j].works,
				   from->file.runs[i].sensors[j].why);
	return COMMAND_OK;
}

/* Regions in which a metric was measured. */
static double measured_in(struct arena *arena, const struct source_of_list *from, uint32_t metric)
{
	double nr = 0;

	for (size_t i = 0; i < from->file.nr_runs; i++) {
		const struct run *run = &from->file.runs[i];
		bool *seen = arena_alloc(arena, run->nr_regions + 1);

		for (size_t j = 0; seen && j < run->nr_measurements; j++) {
			const struct ms_measurement *row = &run->measurements[j].row;

			if (row->metric != metric || row->region >= run->nr_regions ||
			    seen[row->region])
				continue;
			seen[row->region] = true;
			nr++;
		}
	}
	return from->file.nr_runs ? nr : NAN;
}

/* Event tables that have events for a metric; NAN: it is not one that they may have. */
static double tables_with(const struct property_set *set, uint32_t metric)
{
	const struct event_table *const *tables;
	size_t nr = set ? property_set_event_tables(set, &tables) : 0;
	double with = 0;

	for (size_t i = 0; i < nr; i++)
		with += event_table_metric(tables[i], metric) != NULL;
	return nr && event_metric_portable(metric) ? with : NAN;
}

static int list_metrics(const struct source_of_list *from, struct table *table)
{
	static const struct table_column columns[] = {
		{ "metric", NULL },      { "unit", NULL },    { "per", NULL },
		{ "sensor", NULL },      { "rung", NULL },    { "regions", "1" },
		{ "event_tables", "1" }, { "meaning", NULL },
	};
	const struct property_set *set = load_properties(from);

	table_init(table, from->arena, "metrics", columns, NR(columns));
	table->footer =
		"event_tables: in how many tables of a CPU's events it is; `memsearch list events METRIC` shows them";
	for (uint32_t metric = 0; metric < MS_METRICS; metric++) {
		const struct ms_metric_info *info = ms_metric_info(metric);

		table_string(table, info->name);
		table_string(table, info->unit);
		table_string(table, info->per);
		table_string(table, ms_sensor_name(info->sensor));
		table_string(table, ms_rung_name(info->rung));
		table_number(table, measured_in(from->arena, from, metric));
		table_number(table, tables_with(set, metric));
		table_string(table, info->meaning);
	}
	return COMMAND_OK;
}

/* -- of this installation */

static int list_properties(const struct source_of_list *from, struct table *table)
{
	static const struct table_column columns[] = { { "property", NULL }, { "title", NULL } };
	const struct property_set *set = load_properties(from);

	table_init(table, from->arena, "properties", columns, NR(columns));
	if (!set)
		return COMMAND_BAD_DATA;
	for (size_t i = 0; i < set->nr; i++) {
		table_string(table, property_name(set->properties[i]));
		table_string(table, property_title(set->properties[i]));
	}
	return set->nr_messages ? COMMAND_BAD_DATA : COMMAND_OK;
}

static int list_strategies(const struct source_of_list *from, struct table *table)
{
	static const struct table_column columns[] = { { "strategy", NULL },
						       { "summary", NULL },
						       { "description", NULL } };
	const char *folder = installation_path(from->arena, INSTALLATION_STRATEGIES);
	const struct strategy_list *list = folder ? strategies_load(from->arena, folder) : NULL;

	table_init(table, from->arena, "strategies", columns, NR(columns));
	if (!list)
		return COMMAND_BAD_DATA;
	for (size_t i = 0; i < list->nr; i++) {
		table_string(table, list->strategies[i]->name);
		table_string(table, list->strategies[i]->summary);
		table_string(table, list->strategies[i]->describe);
	}
	return COMMAND_OK;
}

static int list_modelled(const struct source_of_list *from, struct table *table)
{
	return list_machines(from->arena, table);
}

static const struct {
	const char *name;
	bool needs_runs;
	int (*list)(const struct source_of_list *from, struct table *table);
} lists[] = {
	{ "runs", true, list_runs },
	{ "regions", true, list_regions },
	{ "intervals", true, list_intervals },
	{ "counts", true, list_counts },
	{ "traces", true, list_kept },
	{ "sync", true, list_sync },
	{ "metrics", false, list_metrics },
	{ "events", false, NULL }, /* prints itself, see list_named */
	{ "properties", false, list_properties },
	{ "strategies", false, list_strategies },
	{ "sensors", false, list_sensors },
	{ "machines", false, list_modelled },
};

#define WORDS \
	"runs|regions|intervals|counts|traces|sync|metrics|events|properties|strategies|sensors|machines"

static int unknown_list(const struct command *self, const char *word)
{
	const char *names[NR(lists)];

	for (size_t i = 0; i < NR(lists); i++)
		names[i] = lists[i].name;
	return command_unknown(self, "list", word, names, NR(lists));
}

static int print_list(const struct command *self, struct source_of_list *from, size_t which,
		      int nr_operands, char *const *operands)
{
	struct table table;
	struct text out;
	int code = COMMAND_GO_ON, printed;

	from->brief = show_is_brief();
	if (lists[which].needs_runs || nr_operands)
		code = show_load(self, from->arena, nr_operands, operands, &from->file);
	if (code != COMMAND_GO_ON)
		return code;
	table_init(&table, from->arena, lists[which].name, NULL, 0);
	code = lists[which].list(from, &table);
	if (!table.nr_columns)
		return code;
	table.schema = arena_printf(from->arena, "memsearch-list-%s-1", lists[which].name);
	text_init(&out, from->arena);
	table_print(&out, &table, from->values->format);
	printed = command_print(&out);
	return printed == COMMAND_OK ? code : printed;
}

static int list_named(const struct command *self, const struct source_of_list *from,
		      int nr_operands, char *const *operands)
{
	const struct property_set *set = load_properties(from);

	if (nr_operands > 1)
		return command_usage(self, "'%s' is too much", operands[1]);
	return set ? list_events(self, from->arena, set, nr_operands ? operands[0] : NULL,
				 from->values->format)
		   : COMMAND_BAD_DATA;
}

static int run_list(const struct command *self, int argc, char **argv)
{
	struct list_values values = { 0 };
	struct source_of_list from = { .values = &values };
	int nr, code = command_parse(self, &values, argc, argv, &nr);
	size_t which = 0;

	if (code != COMMAND_GO_ON)
		return code;
	if (!nr)
		return command_usage(self, "list what? One of " WORDS);
	while (which < NR(lists) && strcmp(lists[which].name, argv[0]) != 0)
		which++;
	if (which == NR(lists))
		return unknown_list(self, argv[0]);
	from.arena = arena_new();
	if (!from.arena)
		return COMMAND_BAD_DATA;
	code = lists[which].list ? print_list(self, &from, which, nr - 1, argv + 1)
				 : list_named(self, &from, nr - 1, argv + 1);
	arena_free(from.arena);
	return code;
}

const struct command cmd_list = {
	.name = "list",
	.operands = WORDS " [FILE|NAME]",
	.summary = "list the contents of a record or store, or metrics, sensors, machines, …",
	.details =
		"Runs, regions, counts (of hardware counters), traces (recorded accesses that are kept) and sync (synchronization objects) are those of FILE, a record (.ms) or a store (.db), or of the newest in the current folder. "
		"Sensors and metrics are those of this machine, or of FILE if one is named. Events are those that stand behind "
		"the metrics of hardware counters: of all CPUs, or of the one, or the metric, that NAME is. Machines are modelled ones, for `memsearch machine`.",
	.operand_words = WORDS,
	.options = options,
	.run = run_list,
};
