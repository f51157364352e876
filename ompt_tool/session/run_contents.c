/* SPDX-License-Identifier: Apache-2.0 */
/* From the raw tables of measuring and the search to the run. */
#include "ompt_tool/session/run_contents.h"

#include "analysis/base/arena.h"
#include "analysis/report/explain.h"
#include "analysis/report/resolve.h"
#include "analysis/search/outcome.h"
#include "ompt_tool/measurements/segment.h"
#include "ompt_tool/phases/step_series.h"
#include "ompt_tool/placement/page_writes.h"
#include "ompt_tool/process/run_modules.h"
#include "ompt_tool/sampling/unwinder.h"
#include "ompt_tool/session/dropped.h"
#include "ompt_tool/session/function_samples.h"
#include "ompt_tool/session/harvest.h"
#include "ompt_tool/session/inventory.h"
#include "ompt_tool/session/lock_names.h"
#include "ompt_tool/session/cost.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/placing.h"
#include "ompt_tool/session/sensors.h"

/* Hot lines and first touches: both may have to be traced out of libraries. */
static void harvest_sensors(struct function_samples *functions)
{
	struct sensor_record to = online.sensor_record;
	struct unwinder *unwinder = unwinder_new(online.arena, online.run.modules,
						 online.run.nr_modules);

	to.sampled = function_samples_add;
	to.ctx = functions;
	sensors_harvest(&to, unwinder, true);
	inventory_harvest(online.inventory, &online.run, online.arena, unwinder);
	unwinder_free(unwinder);
}

/* Number of metrics except those that this machine does not measure. */
static uint64_t metrics_possible(const struct database *db)
{
	uint64_t nr = 0;

	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		nr += database_missing_why(db, MS_REGION_USER, metric) == MS_PRESENT;
	return nr;
}

static void count_executions(struct run *run, const struct search *search)
{
	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct ms_measurement *row = &run->measurements[i].row;

		if ((row->metric == MS_METRIC_TIME || row->metric == MS_METRIC_WALL_TIME) &&
		    row->region < run->nr_regions &&
		    row->stat.count > run->regions[row->region].executions)
			run->regions[row->region].executions = row->stat.count;
	}
	run->cost.counters_used = run->nr_measurements;
	run->cost.counters_possible = (uint64_t)database_regions(search->db) *
				      metrics_possible(search->db) *
				      (run->threads ? run->threads : 1);
}

/* Each run of the program was an experiment about everything that was evaluated. */
static void note_runs(void)
{
	struct run *run = &online.run;

	for (size_t i = 0;
	     i < run->nr_nodes && run->restarts && run->phase.method == PHASE_WHOLE_PROGRAM; i++)
		if (run->nodes[i].experiments)
			run->nodes[i].experiments = run->restarts + 1;
}

static void add_raw_tables(struct function_samples *functions)
{
	struct region_table *regions = segment_regions(online.segment);

	run_modules_update(&online.run, online.arena);
	sensors_losses(&online.sensor_record);
	harvest_regions(&online.run, online.arena, regions);
	inventory_update(online.inventory, &online.run);
	lock_names_fill(&online.run, online.arena, online.inventory, regions);
	harvest_sensors(functions);
	placing_harvest(online.placing, online.run.phase.executions, cost_placing_ns());
	if (online.writes && !page_writes_harvest(online.writes))
		dropped_add("pages that the phase writes", "no memory", 0);
	if (online.run.writing.why)
		dropped_add("pages that the phase writes", online.run.writing.why, 0);
	inventory_dropped(online.inventory, dropped_add);
	if (online.run.placing.why && online.run.machine.nodes > 1)
		dropped_add("NUMA nodes of pages", online.run.placing.why, 0);
}

void run_contents_so_far(const struct search *search)
{
	outcome_fill(&online.run, online.arena, search->engine, search->db, online.properties);
	run_modules_update(&online.run, online.arena);
	harvest_regions(&online.run, online.arena, segment_regions(online.segment));
	sensors_harvest(&online.sensor_record, NULL, false);
}

static void put_steps(struct run *run, const struct search *search)
{
	run->steps = search->steps->rows;
	run->nr_steps = run->room_steps = search->steps->nr;
}

void run_contents_at_end(struct search *search, uint64_t now_ns, const char *cut_short)
{
	struct function_samples *functions = function_samples_new(online.arena);

	page_writes_stop(online.writes, cut_short ? "memsearch ended" : "the program ended");
	dropped_note(now_ns, cut_short);
	add_raw_tables(functions);
	outcome_fill(&online.run, online.arena, search->engine, search->db, online.properties);
	count_executions(&online.run, search);
	if (function_samples_put(functions, &online.run, online.arena,
				 segment_regions(online.segment)) != MS_OK)
		dropped_add("samples of called functions", "no memory", 0);
	note_runs();
	put_steps(&online.run, search);
	resolve_run(&online.run, online.arena);
	explain(&online.run, online.arena, online.properties);
}

/* NULL: no memory. */
static struct run_region *copy_regions(const struct run *run)
{
	struct run_region *copy = arena_alloc(online.arena, run->nr_regions * sizeof(*copy));

	for (size_t i = 0; copy && i < run->nr_regions; i++) {
		copy[i] = run->regions[i];
		copy[i].executions = 0;
	}
	return copy;
}

/*
 * Least and most are of the whole run (summary.h), so of all searches: known are those of the steps
 * alone, and gauges, which have one value.
 */
static void forget_extremes(struct run *run)
{
	for (size_t i = 0; i < run->nr_measurements; i++) {
		struct ms_measurement *row = &run->measurements[i].row;

		if (row->region != MS_REGION_USER && row->stat.count &&
		    !ms_metric_info(row->metric)->gauge)
			row->stat.min = row->stat.max = row->stat.sum / (double)row->stat.count;
	}
}

bool run_contents_of(struct run *out, const struct search *search, const struct run_phase *phase,
		     bool same_regions)
{
	double lived_ns = online.run.cost.program_wall_ns + (double)online.age_at_start_ns;

	*out = online.run;
	out->regions = copy_regions(out);
	out->room_regions = out->nr_regions;
	out->nodes = NULL;
	out->nr_nodes = out->room_nodes = 0;
	out->measurements = NULL;
	out->nr_measurements = out->room_measurements = 0;
	out->nr_hotspots = same_regions ? 0 : out->nr_hotspots;
	out->nr_trials = 0;
	out->trying = (struct run_trying){ 0 };
	out->phase = *phase;
	put_steps(out, search);
	out->restarts = 0;
	if (same_regions)
		out->time_seen = lived_ns > 0 ? online.run.cost.program_wall_ns / lived_ns : 1;
	engine_finish(search->engine);
	if (!out->regions ||
	    outcome_fill(out, online.arena, search->engine, search->db, online.properties) != MS_OK)
		return false;
	out->restarts_would_help = false;
	forget_extremes(out);
	count_executions(out, search);
	explain(out, online.arena, online.properties);
	return true;
}
