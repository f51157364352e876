/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sets up the two searches: strategy, constants of the machine, and metrics that this run does not
 * measure.
 */
#include "ompt_tool/session/searches.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/search/carry.h"
#include "analysis/simulation/findings.h"
#include "analysis/search/strategies.h"
#include "memsearch/sensor.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/phases/step_series.h"
#include "ompt_tool/process/this_machine.h"
#include "ompt_tool/process/own_paths.h"
#include "ompt_tool/process/runtime_settings.h"
#include "ompt_tool/session/core_parts.h"
#include "ompt_tool/session/cost.h"
#include "ompt_tool/session/intervals.h"
#include "ompt_tool/session/kept_phases.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/restart.h"
#include "ompt_tool/session/sensors.h"

static struct {
	struct database *dbs[2 + PHASES_KEPT + SEARCHES_ADDED_MOST];
	size_t nr;
	const struct ms_strategy *strategy;
} searches;

struct database *const *searches_databases(size_t *nr_out)
{
	*nr_out = searches.nr;
	return searches.dbs;
}

static void missing(uint32_t metric, enum ms_missing why)
{
	for (size_t i = 0; i < searches.nr; i++)
		database_missing(searches.dbs[i], MS_REGION_NONE, metric, why);
}

static void sensor_missing(const struct sensor *sensor, const struct sensor_status *status)
{
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (ms_metric_info(metric)->sensor == sensor->id)
			missing(metric, status->why);
}

/*
 * A sensor that works may lack some metrics; it describes itself those that may become available
 * later.
 */
static void metrics_missing(const struct sensor *sensor)
{
	for (uint32_t metric = 0; metric < MS_METRICS && sensor->probe_metric && !sensor->missing;
	     metric++) {
		struct sensor_status status = { .works = true };

		if (ms_metric_info(metric)->sensor != sensor->id)
			continue;
		sensor->probe_metric((enum ms_metric)metric, &status);
		if (!status.works)
			missing(metric, status.why);
	}
}

static void note_sensors(void)
{
	struct run *run = &online.run;

	for (unsigned int id = 0; id < MS_SENSORS; id++) {
		const struct sensor_status *status = core_sensor_status(id);

		/* not requested: not reported */
		if (sensors[id] && ms_missing_unasked(status->why)) {
			sensor_missing(sensors[id], status);
			continue;
		}
		if (!sensors[id] ||
		    !ARENA_GROW(online.arena, run->sensors, run->nr_sensors, run->room_sensors))
			continue;
		run->sensors[run->nr_sensors++] = (struct run_sensor){
			.name = ms_sensor_name(id),
			.works = status->works,
			.why = status->text[0] ? status->text : NULL,
		};
		if (status->works)
			metrics_missing(sensors[id]);
		else
			sensor_missing(sensors[id], status);
	}
	for (size_t i = 0; i < searches.nr; i++)
		sensors_describe(searches.dbs[i], searches.dbs[i] != online.whole.db);
}

static void event_missing(void *ctx, enum ms_metric metric)
{
	(void)ctx;
	missing(metric, MS_MISSING_NO_EVENT);
}

/* The record names a file by its whole path, for the search that continues after the run. */
static const struct ms_strategy *load_strategy(void)
{
	const char *name = online.options.strategy;
	const struct ms_strategy *strategy;
	char path[PATH_MAX];

	if (strategies_is_file(name) && realpath(name, path))
		name = arena_strdup(online.arena, path);
	strategy = name ? strategies_of_run(online.arena, paths_strategies(), &name,
					    options_default("strategy"))
			: NULL;
	if (!strategy)
		log_warning("no strategy '%s' in %s; nothing will be searched for",
			    online.options.strategy, paths_strategies());
	online.options.strategy = online.run.strategy = name;
	return strategy;
}

bool searches_add(struct search *search)
{
	struct engine_config config;

	engine_config_init(&config);
	config.overhead_limit = online.options.overhead;
	config.deep_threshold = online.options.deep_threshold;
	config.now = cost_time;
	sensors_configure_search(&config);
	intervals_configure(online.options.interval, &config);
	search->db = database_new(online.arena);
	search->steps = arena_alloc(online.arena, sizeof(*search->steps));
	if (!search->db || !search->steps ||
	    searches.nr == sizeof(searches.dbs) / sizeof(*searches.dbs))
		return false;
	searches.dbs[searches.nr++] = search->db;
	findings_machine(search->db, &online.run.machine);
	database_constant(search->db, "sampling_hz", online.options.sampling_rate);
	database_constant(search->db, "chunk_cost", runtime_settings_chunk_ns(online.run.runtime));
	database_constant(search->db, "page_size", (double)sysconf(_SC_PAGESIZE));
	if (machine_page_fault_ns() > 0)
		database_constant(search->db, "fault_cost", machine_page_fault_ns());
	if (machine_line_bytes())
		database_constant(search->db, "line_size", machine_line_bytes());
	search->engine = engine_new(online.arena, &config, online.properties, search->db,
				    searches.strategy);
	return search->engine != NULL;
}

/* When a program is run again, each run measures counters that were not measured before. */
static void note_earlier_runs(void)
{
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		engine_measured_before(online.whole.engine, metric,
				       carry_measured(online.carry, metric));
}

bool searches_new(void)
{
	searches.strategy = load_strategy();
	return searches.strategy && searches_add(&online.whole) && searches_add(&online.phase) &&
	       kept_phases_new();
}

/* The search that continues after the run uses the strategy that was used at last. */
static void note_strategy(void)
{
	if (strategies_failed())
		online.run.strategy = options_default("strategy");
}

void searches_begin(void)
{
	note_strategy();
	note_sensors();
	events_missing(event_missing, NULL);
	restart_load(online.phase.engine, online.carry, online.arena);
	note_earlier_runs();
}

void searches_save(const struct search *search)
{
	note_strategy();
	restart_save(search->engine, search == &online.whole ? online.carry : NULL, online.arena);
}
