/* SPDX-License-Identifier: Apache-2.0 */
/* From the raw tables of measuring and the search to the run. */
#include "ompt_tool/session/run_contents.h"

#include "analysis/report/explain.h"
#include "analysis/report/resolve.h"
#include "analysis/search/outcome.h"
#include "ompt_tool/measurements/segment.h"
#include "ompt_tool/process/run_modules.h"
#include "ompt_tool/sampling/unwinder.h"
#include "ompt_tool/session/dropped.h"
#include "ompt_tool/session/harvest.h"
#include "ompt_tool/session/inventory.h"
#include "ompt_tool/session/lock_names.h"
#include "ompt_tool/session/cost.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/placing.h"
#include "ompt_tool/session/sensors.h"

/* Hot lines and first touches: both may have to be traced out of libraries. */
static void harvest_sensors(void)
{
	struct unwinder *unwinder = unwinder_new(online.arena, online.run.modules,
						 online.run.nr_modules);

	sensors_harvest(&online.sensor_record, unwinder, true);
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

static void count_executions(struct search *search)
{
	struct run *run = &online.run;

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

static void add_raw_tables(void)
{
	struct region_table *regions = segment_regions(online.segment);

	run_modules_update(&online.run, online.arena);
	sensors_losses(&online.sensor_record);
	harvest_regions(&online.run, online.arena, regions);
	inventory_update(online.inventory, &online.run);
	lock_names_fill(&online.run, online.arena, online.inventory, regions);
	harvest_sensors();
	placing_harvest(online.placing, online.run.phase.executions, cost_placing_ns());
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

void run_contents_at_end(struct search *search)
{
	add_raw_tables();
	outcome_fill(&online.run, online.arena, search->engine, search->db, online.properties);
	count_executions(search);
	note_runs();
	resolve_run(&online.run, online.arena);
	explain(&online.run, online.arena, online.properties);
}
