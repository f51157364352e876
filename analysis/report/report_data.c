/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report for programs: JSON, schema "memsearch-report-1" (report/schema/), and CSV, a row a
 * finding. Fields may be added, never removed.
 */
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/report/array_names.h"
#include "analysis/report/cause.h"
#include "analysis/report/cause_json.h"
#include "analysis/report/counts.h"
#include "analysis/report/data_private.h"
#include "analysis/report/emitter.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"
#include "analysis/report/lock_facts.h"
#include "analysis/report/rank.h"
#include "analysis/report/report.h"
#include "analysis/report/source_words.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "analysis/report/other_phases.h"
#include "analysis/report/tried.h"
#include "memsearch/host.h"

void data_number(struct data_writer *writer, const char *key, double value)
{
	json_number(&writer->json, key, writer->options->brief ? NAN : value);
}

void data_string(struct data_writer *writer, const char *key, const char *value)
{
	json_string(&writer->json, key, writer->options->brief ? NULL : value);
}

/* "" is how a run says that it does not know; JSON has null for that. */
static void known_string(struct data_writer *writer, const char *key, const char *value)
{
	json_string(&writer->json, key, value && *value ? value : NULL);
}

/* -- the runs */

/* What the calibration found, in bytes per second. */
static void bandwidth(struct data_writer *writer, const struct machine *about)
{
	struct json *json = &writer->json;

	if (!(about->attainable_bandwidth > 0)) {
		json_null(json, "bandwidth");
		return;
	}
	json_open(json, "bandwidth", '{');
	data_number(writer, "attainable", about->attainable_bandwidth);
	data_number(writer, "single", about->single_bandwidth);
	data_number(writer, "spread", about->bandwidth_spread);
	json_bool(json, "uncertain", about->bandwidth_spread > RUN_CALIBRATION_SPREAD_MOST);
	data_number(writer, "measured_seconds", (double)about->bandwidth_measured);
	data_number(writer, "cache_bytes", about->cache_bytes ? (double)about->cache_bytes : NAN);
	json_close(json);
}

static void machine(struct data_writer *writer, const struct machine *about)
{
	struct json *json = &writer->json;

	json_open(json, "machine", '{');
	data_string(writer, "host", about->host_name);
	data_string(writer, "cpu", about->cpu_model);
	data_string(writer, "kernel", about->kernel);
	data_number(writer, "cpus", about->cpus);
	data_number(writer, "cpus_online", about->cpus_online);
	data_number(writer, "nodes", about->nodes ? about->nodes : NAN);
	data_number(writer, "memory_bytes",
		    about->memory_bytes ? (double)about->memory_bytes : NAN);
	bandwidth(writer, about);
	json_close(json);
}

static void rungs(struct data_writer *writer, const struct run *run)
{
	bool used[MS_RUNGS] = { false };

	for (size_t i = 0; i < run->nr_measurements; i++)
		if (run->measurements[i].row.metric < MS_METRICS)
			used[ms_metric_info(run->measurements[i].row.metric)->rung] = true;
	json_open(&writer->json, "rungs", '[');
	for (unsigned int rung = MS_RUNG_NONE + 1; rung < MS_RUNGS; rung++)
		if (used[rung])
			json_string(&writer->json, NULL, ms_rung_name(rung));
	json_close(&writer->json);
}

/* Times of steps; null: there are none. */
static void series(struct data_writer *writer, const struct run *run)
{
	struct json *json = &writer->json;

	if (!run->nr_steps) {
		json_null(json, "series");
		return;
	}
	json_open(json, "series", '[');
	for (size_t i = 0; i < run->nr_steps; i++) {
		const struct run_step *step = &run->steps[i];

		json_open(json, NULL, '{');
		json_unsigned(json, "executions", step->executions);
		json_unsigned(json, "recorded", step->recorded);
		data_number(writer, "wall_ns", step->wall_ns);
		data_number(writer, "min_ns", step->min_ns);
		data_number(writer, "max_ns", step->max_ns);
		json_close(json);
	}
	json_close(json);
}

static void phases(struct data_writer *writer, const struct run *run)
{
	const struct run_phase *phase = &run->phase;
	struct json *json = &writer->json;
	double mean = phase->executions ? phase->wall_ns / (double)phase->executions : NAN;

	json_open(json, "phases", '{');
	json_unsigned(json, "executions", phase->executions);
	json_string(json, "detected",
		    report_has_begin(run) ? phase_method_name(phase->method) : NULL);
	known_string(writer, "note", phase->note);
	json_number(json, "read", finding_phase_read(run));
	data_number(writer, "mean_ns", mean);
	data_number(writer, "min_ns", phase->executions ? phase->min_ns : NAN);
	data_number(writer, "max_ns", phase->executions ? phase->max_ns : NAN);
	series(writer, run);
	json_close(json);
}

static void environment(struct data_writer *writer, const struct run *run)
{
	struct json *json = &writer->json;

	json_open(json, "environment", '{');
	for (size_t i = 0; i < run->nr_variables && !writer->options->brief; i++)
		json_string(json, run->variables[i].name, run->variables[i].value);
	json_close(json);
}

static void cost(struct data_writer *writer, const struct run *run)
{
	const struct run_cost *spent = &run->cost;
	struct json *json = &writer->json;
	double known = report_has_begin(run) ? 1 : NAN;

	json_open(json, "cost", '{');
	data_number(writer, "slowdown", known * spent->slowdown);
	data_number(writer, "experiments", known * (double)spent->experiments);
	data_number(writer, "tool_cpu_ns", known * spent->tool_cpu_ns);
	data_number(writer, "program_cpu_ns", known * spent->program_cpu_ns);
	data_number(writer, "program_wall_ns", known * spent->program_wall_ns);
	data_number(writer, "counters_possible", known * (double)spent->counters_possible);
	data_number(writer, "counters_used", known * (double)spent->counters_used);
	data_number(writer, "samples_possible", known * (double)spent->samples_possible);
	data_number(writer, "samples_used", known * (double)spent->samples_used);
	data_number(writer, "record_bytes", (double)spent->record_bytes);
	data_number(writer, "tool_memory_bytes",
		    spent->memory_bytes ? known * (double)spent->memory_bytes : NAN);
	json_number(json, "limit", spent->limit);
	json_bool(json, "limit_bound", spent->limit_bound);
	json_close(json);
}

static void sensors(struct data_writer *writer, const struct run *run)
{
	struct json *json = &writer->json;

	json_open(json, "sensors", '[');
	for (size_t i = 0; i < run->nr_sensors; i++) {
		json_open(json, NULL, '{');
		json_string(json, "name", run->sensors[i].name);
		json_bool(json, "works", run->sensors[i].works);
		known_string(writer, "why", run->sensors[i].why);
		json_close(json);
	}
	json_close(json);
}

/* NAN, written as null, where it is not known. */
static double place_number(uint32_t number)
{
	return number == RUN_PLACE_UNKNOWN ? NAN : number;
}

static void places(struct data_writer *writer, const struct run *run)
{
	struct json *json = &writer->json;

	json_open(json, "places", '[');
	for (size_t i = 0; i < run->nr_places; i++) {
		json_open(json, NULL, '{');
		json_unsigned(json, "thread", run->places[i].thread);
		data_number(writer, "cpu", place_number(run->places[i].cpu));
		data_number(writer, "node", place_number(run->places[i].node));
		data_number(writer, "moves", (double)run->places[i].moves);
		json_close(json);
	}
	json_close(json);
}

static void counters(struct data_writer *writer, const struct run *run)
{
	struct json *json = &writer->json;

	json_open(json, "counters", '{');
	known_string(writer, "backend", run->counting.backend);
	known_string(writer, "table", run->counting.table);
	data_number(writer, "at_once", run->counting.at_once);
	data_number(writer, "sets", (double)run->counting.sets);
	json_open(json, "metrics", '[');
	for (size_t i = 0; i < run->nr_counters; i++) {
		const struct run_counter *counter = &run->counters[i];

		json_open(json, NULL, '{');
		json_string(json, "name", ms_metric_info(counter->metric)->name);
		known_string(writer, "event", counter->event);
		known_string(writer, "formula", counter->formula);
		json_string(json, "why", counts_why(counter));
		json_unsigned(json, "taken", counter->taken);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

static void one_run(struct data_writer *writer, const struct run *run, size_t number)
{
	struct json *json = &writer->json;

	json_open(json, NULL, '{');
	json_unsigned(json, "id", number);
	json_string(json, "program", report_program(run, writer->options->brief));
	data_string(writer, "command", run->command);
	data_number(writer, "pid", run->pid);
	data_number(writer, "start_seconds", (double)(run->start_realtime_ns / 1000000) / 1e3);
	environment(writer, run);
	json_unsigned(json, "threads", run->threads);
	known_string(writer, "runtime", run->runtime);
	json_bool(json, "runtime_swapped", run->runtime_swapped);
	json_bool(json, "complete", run->complete);
	known_string(writer, "strategy", run->strategy);
	json_number(json, "time_seen", run->time_seen);
	json_unsigned(json, "restarts", run->restarts);
	json_bool(json, "restarts_would_help", run->restarts_would_help);
	machine(writer, &run->machine);
	rungs(writer, run);
	phases(writer, run);
	cost(writer, run);
	tried_json(&writer->json, writer->arena, run);
	other_phases_json(&writer->json, run);
	sensors(writer, run);
	places(writer, run);
	counters(writer, run);
	json_close(json);
}

/* -- coverage */

static void unseen(struct data_writer *writer, const struct run *run, size_t number)
{
	const struct unseen *items;
	size_t nr = unseen_of(writer->arena, run, &items);
	struct json *json = &writer->json;

	for (size_t i = 0; i < nr; i++) {
		json_open(json, NULL, '{');
		json_unsigned(json, "run", number);
		json_string(json, "what", items[i].what);
		json_number(json, "share", items[i].share);
		json_string(json, "why", items[i].why);
		json_close(json);
	}
}

static void coverage(struct data_writer *writer, const struct run *const *runs, size_t nr_runs)
{
	struct json *json = &writer->json;
	double least = nr_runs ? runs[0]->time_seen : NAN;

	for (size_t i = 1; i < nr_runs; i++)
		least = fmin(least, runs[i]->time_seen);
	json_open(json, "coverage", '{');
	json_number(json, "time_seen", least);
	json_open(json, "unseen", '[');
	for (size_t i = 0; i < nr_runs; i++)
		unseen(writer, runs[i], i + 1);
	json_close(json);
	json_close(json);
}

/* What the events that the user named have counted. */
static void events(struct data_writer *writer, const struct run *run, size_t number)
{
	struct json *json = &writer->json;
	const struct count *counts;
	size_t nr = counts_of(writer->arena, run, true, &counts);

	for (size_t i = 0; i < nr; i++) {
		json_open(json, NULL, '{');
		json_unsigned(json, "run", number);
		json_string(json, "event", counts[i].counter->event);
		json_string(json, "kind",
			    counts[i].region < run->nr_regions
				    ? ms_region_kind_name(run->regions[counts[i].region].kind)
				    : NULL);
		json_string(json, "place", finding_place(writer->arena, run, counts[i].region));
		json_unsigned(json, "region", counts[i].region);
		json_unsigned(json, "thread", counts[i].thread);
		data_number(writer, "node", place_number(counts[i].node));
		json_number(json, "count", counts[i].each);
		json_number(json, "sum", counts[i].sum);
		json_unsigned(json, "readings", counts[i].readings);
		json_unsigned(json, "executions", counts[i].phases);
		json_close(json);
	}
}

static void dropped(struct data_writer *writer, const struct run *const *runs, size_t nr_runs)
{
	struct json *json = &writer->json;

	json_open(json, "dropped", '[');
	for (size_t i = 0; i < nr_runs; i++)
		for (size_t j = 0; j < runs[i]->nr_dropped; j++) {
			const struct run_dropped *one = &runs[i]->dropped[j];

			json_open(json, NULL, '{');
			json_unsigned(json, "run", i + 1);
			json_string(json, "what", one->what);
			json_string(json, "why", one->why);
			json_number(json, "count", one->count ? (double)one->count : NAN);
			json_string(json, "topic", one->topic && *one->topic ? one->topic : NULL);
			json_string(json, "function",
				    one->source.function && *one->source.function
					    ? one->source.function
					    : NULL);
			json_close(json);
		}
	json_close(json);
}

static void locks(struct data_writer *writer, const struct run *run, size_t number)
{
	const struct lock_facts *locks;
	size_t nr = lock_facts_of(writer->arena, run, &locks);

	for (size_t i = 0; i < nr; i++)
		lock_facts_json(&writer->json, writer->arena, run, number, &locks[i]);
}

/* -- findings */

void data_source(struct data_writer *writer, const struct run *run, const struct source *about,
		 const struct code_address *at, size_t nr, bool is_return)
{
	bool known = (about->module && *about->module) || about->line;
	const char *folder = NULL;
	uint32_t module = UINT32_MAX;

	for (size_t i = 0; i < nr && known; i++) {
		if (module == UINT32_MAX && at[i].module < run->nr_modules)
			module = at[i].module;
		if (!folder && writer->sources && about->file && *about->file)
			folder = sources_folder(writer->sources, run->modules, run->nr_modules,
						at[i], is_return, about->file);
	}
	emit_members(&writer->json, &source_fields, about);
	data_string(writer, "module", known ? about->module : NULL);
	data_number(writer, "offset", known ? (double)about->offset : NAN);
	json_number(&writer->json, "module_id", module == UINT32_MAX ? NAN : module);
	data_string(writer, "directory", folder);
}

void data_region_source(struct data_writer *writer, const struct run *run,
			const struct run_region *region)
{
	/* one without an address has the source of the region around it (resolve.c) */
	const struct run_region *around = region->parent < run->nr_regions
						  ? &run->regions[region->parent]
						  : region;
	const struct code_address at[] = { region->construct, region->inside, around->construct,
					   around->inside };
	/* else the address is an array's number */
	bool is_code = region->kind != MS_DATA_STRUCTURE;

	data_source(writer, run, &region->source, at, is_code ? sizeof(at) / sizeof(*at) : 0,
		    !ms_region_kind_is_code_part(region->kind));
}

void data_hotspot(struct data_writer *writer, const struct run *run, const struct run_hotspot *spot,
		  double part)
{
	struct json *json = &writer->json;

	json_string(json, "metric",
		    spot->metric < MS_METRICS ? ms_metric_info(spot->metric)->name : NULL);
	data_source(writer, run, &spot->source, &spot->address, 1, spot->is_return);
	json_bool(json, "waits", hotspot_waits(spot));
	json_number(json, "share", part * spot->share);
	json_number(json, "count", round(part * (double)spot->count));
}

static void hotspots(struct data_writer *writer, const struct run *run, uint32_t region)
{
	struct json *json = &writer->json;

	json_open(json, "hotspots", '[');
	for (size_t i = 0; i < run->nr_hotspots; i++) {
		if (run->hotspots[i].region != region)
			continue;
		json_open(json, NULL, '{');
		data_hotspot(writer, run, &run->hotspots[i], 1);
		json_close(json);
	}
	json_close(json);
}

static void construct(struct data_writer *writer, const struct run *run,
		      const struct run_region *about)
{
	struct json *json = &writer->json;

	if (!about)
		return json_null(json, "construct");
	json_open(json, "construct", '{');
	json_string(json, "kind", ms_region_kind_name(about->kind));
	data_region_source(writer, run, about);
	json_string(json, "place", finding_place(writer->arena, run, about->id));
	json_close(json);
}

static void region(struct data_writer *writer, const struct run *run, const struct run_node *node)
{
	static const struct run_region unknown = { .kind = MS_REGION_KINDS,
						   .id = MS_REGION_NONE,
						   .construct = { UINT32_MAX, 0 },
						   .inside = { UINT32_MAX, 0 } };
	const struct run_region *found = finding_region(run, node),
				*about = found ? found : &unknown;
	struct json *json = &writer->json;
	const char *const *names;
	size_t nr = finding_functions(writer->arena, run, about->id, &names);

	json_open(json, "region", '{');
	json_number(json, "id", found ? found->id : NAN);
	json_string(json, "kind", ms_region_kind_name(about->kind));
	data_region_source(writer, run, about);
	json_string(json, "place", finding_place(writer->arena, run, about->id));
	json_open(json, "path", '[');
	for (size_t i = 0; i < nr; i++)
		json_string(json, NULL, names[i]);
	json_close(json);
	if (about->kind == MS_SERIAL_REGION) {
		json_open(json, "next", '{');
		data_source(writer, run, &about->next_source, &about->next, 1, true);
		json_close(json);
	}
	if (ms_region_kind_is_code_part(about->kind))
		construct(writer, run, finding_construct(run, about));
	hotspots(writer, run, about->id);
	json_close(json);
}

/* An array, or null where there is none. */
static void numbers(struct json *json, const char *name, const uint32_t *values, size_t nr)
{
	if (!nr) {
		json_null(json, name);
		return;
	}
	json_open(json, name, '[');
	for (size_t i = 0; i < nr; i++)
		json_unsigned(json, NULL, values[i]);
	json_close(json);
}

static void threads(struct data_writer *writer, const struct run *run, const struct run_node *node)
{
	const uint32_t *nodes;
	size_t nr = finding_nodes(writer->arena, run, node, &nodes);

	numbers(&writer->json, "threads", node->threads, node->nr_threads);
	numbers(&writer->json, "nodes", nodes, nr);
}

static double value_of(const struct ms_reading *reading)
{
	return reading->missing == MS_PRESENT ? reading->value : NAN;
}

static void evidence(struct data_writer *writer, const struct run_node *node)
{
	struct json *json = &writer->json;

	json_open(json, "evidence", '{');
	for (size_t i = 0; i < node->nr_evidence; i++)
		json_number(json, node->evidence[i].name ? node->evidence[i].name : "?",
			    value_of(&node->evidence[i].reading));
	json_close(json);
	json_open(json, "evidence_details", '[');
	for (size_t i = 0; i < node->nr_evidence; i++) {
		const struct ms_reading *reading = &node->evidence[i].reading;
		double value = value_of(reading);

		json_open(json, NULL, '{');
		json_string(json, "name", node->evidence[i].name);
		json_string(json, "unit", node->evidence[i].unit);
		json_number(json, "value", value);
		json_number(json, "error", reading->error);
		json_string(json, "rung", ms_rung_name(reading->rung));
		json_string(json, "why",
			    reading->missing != MS_PRESENT ? ms_missing_text(reading->missing)
			    : isfinite(value)              ? NULL
							   : ms_missing_text(MS_MISSING_BROKEN));
		json_close(json);
	}
	json_close(json);
}

static void chain(struct data_writer *writer, const struct run *run, const struct run_node *node)
{
	const uint32_t *ids;
	size_t nr = finding_chain(writer->arena, run, node, &ids);
	struct json *json = &writer->json;

	json_open(json, "chain", '[');
	for (size_t i = 0; i < nr; i++) {
		const struct run_node *parent = &run->nodes[ids[i]];

		json_open(json, NULL, '{');
		json_unsigned(json, "id", parent->id);
		json_string(json, "property", parent->property);
		json_string(json, "place", finding_place(writer->arena, run, parent->region));
		json_number(json, "severity", parent->severity);
		json_close(json);
	}
	json_close(json);
}

/* -- fields of JSON and CSV alike */

struct finding_row {
	struct arena *arena;
	const struct run *run;
	const struct run_node *node;
	const struct run_region *region; /* NULL: unknown */
	const struct ms_reading *rate;   /* shown instead of the share of time; NULL: none */
	const char *advice;
	double run_number, rank;
};

static const char *machine_name(const struct finding_row *row)
{
	return report_standing(row->run, row->node) == REPORT_MODELLED && row->run->modelled.name
		       ? row->run->modelled.name
		       : "host";
}

static double lowest(const struct finding_row *row)
{
	if (row->rate)
		return row->rate->value - row->rate->error;
	return finding_interval(row->node) ? row->node->severity_low : NAN;
}

static double highest(const struct finding_row *row)
{
	if (row->rate)
		return row->rate->value + row->rate->error;
	return finding_interval(row->node) ? row->node->severity_high : NAN;
}

static const char *array_name(const struct finding_row *row)
{
	const struct run_array *array = finding_array(row->run, row->node->region);

	return array ? arrays_name(row->arena, row->run, array) : NULL;
}

static double array_id(const struct finding_row *row)
{
	const struct run_array *array = finding_array(row->run, row->node->region);

	return array ? array->id : NAN;
}

/* "l2_misses=1200; l2_accesses=5000": those that have a value. */
static const char *evidence_words(const struct finding_row *row)
{
	struct text text;

	text_init(&text, row->arena);
	for (size_t i = 0; i < row->node->nr_evidence; i++) {
		const struct run_evidence *evidence = &row->node->evidence[i];

		if (evidence->reading.missing == MS_PRESENT && isfinite(evidence->reading.value))
			text_printf(&text, "%s%s=%.9g", text.length ? "; " : "",
				    evidence->name ? evidence->name : "?", evidence->reading.value);
	}
	return text.bytes;
}

/* clang-format off */
#define FINDING_FIELDS(X) \
	X(NUMBER, "run", "run", NULL, NULL, row->run_number) \
	X(NUMBER, "rank", "rank", NULL, NULL, row->rank) \
	X(NUMBER, "id", "id", NULL, NULL, row->node->id) \
	X(NUMBER, "parent", NULL, NULL, NULL, row->node->parent == MS_NODE_NONE ? NAN : row->node->parent) \
	X(STRING, "property", "property", NULL, NULL, row->node->property) \
	X(STRING, "title", "title", NULL, NULL, finding_title(row->arena, row->node)) \
	X(NUMBER, "severity", "severity", NULL, NULL, row->rate ? row->rate->value : row->node->severity) \
	X(STRING, "severity_is", NULL, NULL, NULL, row->rate ? "rate" : "share") \
	X(NUMBER, NULL, "severity_low", NULL, NULL, lowest(row)) \
	X(NUMBER, NULL, "severity_high", NULL, NULL, highest(row)) \
	X(NUMBER, "confidence", "confidence", NULL, NULL, row->node->confidence) \
	X(STRING, "uncertainty", NULL, NULL, NULL, finding_uncertainty(row->arena, row->node)) \
	X(STRING, "rung", "rung", NULL, NULL, ms_rung_name(row->node->rung)) \
	X(STRING, NULL, "kind", NULL, NULL, row->region ? ms_region_kind_name(row->region->kind) : NULL)
/* clang-format on */
EMIT_LIST(finding_fields, struct finding_row, FINDING_FIELDS)

/* clang-format off */
#define FINDING_WORDS(X) \
	X(BOOL, NULL, "approximate", NULL, NULL, row->region && source_is_approximate(&row->region->source)) \
	X(STRING, NULL, "path", NULL, NULL, finding_path(row->arena, row->run, row->node->region)) \
	X(STRING, NULL, "threads", NULL, NULL, finding_threads(row->arena, row->node)) \
	X(STRING, "work", NULL, NULL, NULL, \
	  row->run->phase.method == PHASE_WHOLE_PROGRAM ? "per program run" : "per phase execution") \
	X(STRING, "explanation", "explanation", NULL, NULL, row->node->explanation) \
	X(STRING, "advice", "advice", NULL, NULL, row->advice) \
	X(STRING, "events", "events", NULL, NULL, row->node->events) \
	X(STRING, "machine", "machine", NULL, NULL, machine_name(row)) \
	X(STRING, NULL, "data_structure", NULL, NULL, array_name(row)) \
	X(STRING, NULL, "evidence", NULL, NULL, evidence_words(row)) \
	X(STRING, NULL, "severity_is", NULL, NULL, row->rate ? "rate" : "share") \
	X(NUMBER, NULL, "region", NULL, NULL, row->region ? row->region->id : NAN) \
	X(NUMBER, NULL, "array_id", NULL, NULL, array_id(row))
/* clang-format on */
EMIT_LIST(finding_words, struct finding_row, FINDING_WORDS)

/*
 * Advice by node: all that is found of a cause has the cause's remedy, as properties by themselves may
 * contradict it.
 */
static const char *const *advice_of(struct arena *arena, const struct run *run, bool of_model)
{
	const char **advice = arena_alloc(arena, (run->nr_nodes + 1) * sizeof(*advice));
	const struct cause *causes;
	size_t nr = advice ? causes_of(arena, run, of_model, &causes) : 0;

	for (size_t i = 0; advice && i < run->nr_nodes; i++)
		advice[i] = run->nodes[i].advice;
	for (size_t i = 0; i < nr; i++) {
		const char *remedy = cause_remedy(arena, run, &causes[i]);

		for (size_t k = 0; k < causes[i].nr_nodes; k++)
			advice[causes[i].nodes[k] - run->nodes] = remedy;
	}
	return advice;
}

static struct finding_row finding_row(struct arena *arena, const struct run *run,
				      const struct run_node *node, const char *const *advice,
				      const struct report_options *options)
{
	return (struct finding_row){
		.arena = arena,
		.run = run,
		.node = node,
		.region = finding_region(run, node),
		.rate = options->severity_rate ? finding_rate(node) : NULL,
		.advice = advice ? advice[node - run->nodes] : NULL,
	};
}

/* -- one finding */

static void interval(struct data_writer *writer, const struct finding_row *row)
{
	struct json *json = &writer->json;

	if (!row->rate && !finding_interval(row->node))
		return json_null(json, "severity_interval");
	json_open(json, "severity_interval", '[');
	json_number(json, NULL, lowest(row));
	json_number(json, NULL, highest(row));
	json_close(json);
}

static void parent_id(struct data_writer *writer, const struct run_node *node)
{
	json_number(&writer->json, "parent", node->parent == MS_NODE_NONE ? NAN : node->parent);
}

static void data_structure(struct data_writer *writer, const struct run *run,
			   const struct run_node *node)
{
	const struct run_array *array = finding_array(run, node->region);
	struct json *json = &writer->json;

	if (!array) {
		json_null(json, "data_structure");
		return;
	}
	json_open(json, "data_structure", '{');
	json_unsigned(json, "id", array->id);
	json_string(json, "name", arrays_name(writer->arena, run, array));
	json_string(json, "kind", array->kind);
	json_unsigned(json, "bytes", array->bytes);
	known_string(writer, "file", array->file);
	json_number(json, "line", array->line > 0 ? array->line : NAN);
	json_close(json);
}

static void finding(struct data_writer *writer, const struct finding_row *row)
{
	struct json *json = &writer->json;

	json_open(json, NULL, '{');
	emit_members(json, &finding_fields, row);
	interval(writer, row);
	region(writer, row->run, row->node);
	data_structure(writer, row->run, row->node);
	threads(writer, row->run, row->node);
	evidence(writer, row->node);
	emit_members(json, &finding_words, row);
	chain(writer, row->run, row->node);
	json_close(json);
}

/* Ranks are among those of one standing. */
static void findings(struct data_writer *writer, const char *name, enum report_standing standing,
		     const struct run *const *runs, size_t nr_runs)
{
	json_open(&writer->json, name, '[');
	for (size_t i = 0; i < nr_runs; i++) {
		const uint32_t *ids;
		size_t nr = report_rank_by(writer->arena, runs[i], standing, writer->options->all,
					   writer->options->severity_rate, &ids);
		const char *const *advice = advice_of(writer->arena, runs[i],
						      standing == REPORT_MODELLED);

		for (size_t j = 0; j < nr; j++) {
			struct finding_row row = finding_row(writer->arena, runs[i],
							     &runs[i]->nodes[ids[j]], advice,
							     writer->options);

			row.run_number = (double)i + 1;
			row.rank = (double)j + 1;
			finding(writer, &row);
		}
	}
	json_close(&writer->json);
}

static const char *interval_name(const struct run *run, const struct run_node *node)
{
	const struct run_interval *interval = run_interval(run, node->interval);

	return interval ? interval->name : NULL;
}

/* What was asked and not proven: with --all only. */
static void candidates(struct data_writer *writer, const struct run *const *runs, size_t nr_runs)
{
	static const char *const states[MS_NODE_STATES] = {
		"pending", "active", "true", "false", "unknown", "discontinued", "missed",
	};
	struct json *json = &writer->json;

	json_open(json, "unproven", '[');
	for (size_t i = 0; i < nr_runs; i++)
		for (size_t j = 0; j < runs[i]->nr_nodes; j++) {
			const struct run_node *node = &runs[i]->nodes[j];

			if (node->state == MS_NODE_TRUE || node->state >= MS_NODE_STATES)
				continue;
			json_open(json, NULL, '{');
			json_unsigned(json, "id", node->id);
			json_unsigned(json, "run", i + 1);
			parent_id(writer, node);
			json_string(json, "property", node->property);
			json_string(json, "place",
				    finding_place(writer->arena, runs[i], node->region));
			json_string(json, "state", states[node->state]);
			json_number(json, "severity",
				    node->state == MS_NODE_FALSE ? node->severity : NAN);
			json_string(json, "why",
				    node->state == MS_NODE_UNKNOWN || node->state == MS_NODE_MISSED
					    ? ms_missing_text(node->missing)
					    : NULL);
			json_string(json, "interval", interval_name(runs[i], node));
			json_close(json);
		}
	json_close(json);
}

static void regions(struct data_writer *writer, const struct run *const *runs, size_t nr_runs)
{
	struct json *json = &writer->json;

	json_open(json, "regions", '[');
	for (size_t i = 0; i < nr_runs; i++)
		region_rows(writer, runs[i], i + 1);
	json_close(json);
	json_open(json, "modules", '[');
	for (size_t i = 0; i < nr_runs; i++)
		module_rows(writer, runs[i], i + 1);
	json_close(json);
}

void report_json(struct text *out, const struct run *const *runs, size_t nr_runs,
		 const struct report_options *options)
{
	static const struct machine no_machine;
	struct data_writer writer = { .arena = out->arena,
				      .options = options,
				      .sources = options->brief ? NULL : sources_new(out->arena) };
	struct json *json = &writer.json;

	json_init(json, out);
	json_open(json, NULL, '{');
	json_string(json, "schema", "memsearch-report-1");
	json_string(json, "program", nr_runs ? report_program(runs[0], options->brief) : NULL);
	machine(&writer, nr_runs ? &runs[0]->machine : &no_machine);
	coverage(&writer, runs, nr_runs);
	json_open(json, "runs", '[');
	for (size_t i = 0; i < nr_runs; i++)
		one_run(&writer, runs[i], i + 1);
	json_close(json);
	findings(&writer, "findings", REPORT_FINDING, runs, nr_runs);
	findings(&writer, "candidates", REPORT_CANDIDATE, runs, nr_runs);
	findings(&writer, "modelled", REPORT_MODELLED, runs, nr_runs);
	causes_json(json, writer.arena, "causes", runs, nr_runs);
	json_open(json, "locks", '[');
	for (size_t i = 0; i < nr_runs; i++)
		locks(&writer, runs[i], i + 1);
	json_close(json);
	json_open(json, "events", '[');
	for (size_t i = 0; i < nr_runs; i++)
		events(&writer, runs[i], i + 1);
	json_close(json);
	if (options->all)
		candidates(&writer, runs, nr_runs);
	dropped(&writer, runs, nr_runs);
	if (!options->no_regions)
		regions(&writer, runs, nr_runs);
	json_close(json);
	if (writer.sources)
		sources_free(writer.sources);
}

/* -- CSV */

static void csv_rows(struct table *table, const struct run *run, size_t number,
		     enum report_standing standing, const struct report_options *options)
{
	static const struct source unknown;
	const uint32_t *ids;
	size_t nr = report_rank_by(table->arena, run, standing, options->all,
				   options->severity_rate, &ids);
	const char *const *advice = advice_of(table->arena, run, standing == REPORT_MODELLED);

	for (size_t i = 0; i < nr; i++) {
		struct finding_row row = finding_row(table->arena, run, &run->nodes[ids[i]], advice,
						     options);

		row.run_number = (double)number;
		row.rank = (double)i + 1;
		emit_cells(table, EMIT_CSV, &finding_fields, &row);
		emit_cells(table, EMIT_CSV, &source_fields,
			   row.region ? &row.region->source : &unknown);
		emit_cells(table, EMIT_CSV, &finding_words, &row);
	}
}

void report_csv(struct text *out, const struct run *const *runs, size_t nr_runs,
		const struct report_options *options)
{
	static const struct emit_list *const lists[] = { &finding_fields, &source_fields,
							 &finding_words, NULL };
	struct table table;

	emit_columns(&table, out->arena, EMIT_CSV, lists);
	for (size_t i = 0; i < nr_runs; i++) {
		csv_rows(&table, runs[i], i + 1, REPORT_FINDING, options);
		csv_rows(&table, runs[i], i + 1, REPORT_MODELLED, options);
	}
	table_print(out, &table, "csv");
}
