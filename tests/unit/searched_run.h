/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_SEARCHED_RUN_H
#define MEMSEARCH_TESTS_UNIT_SEARCHED_RUN_H

#include "analysis/search/database_reading.h"
#include "analysis/search/engine.h"
#include "analysis/search/outcome.h"
#include "tests/host/replay.h"
#include "tests/unit/sample_run.h"

/*
 * A run that measured everything in 40 executions of tests/experiments/unbalanced_misses.txt: of two
 * loops the first has uneven misses; thread 3 gets ten times as many lines from memory.
 *
 *     0 phase ── 1 parallel calc2:350 ─┬─ 2 loop calc2:354
 *                                      └─ 3 loop calc2:360
 */
#define SEARCHED_EXECUTIONS 40

static inline void searched_measure(struct run *run, struct arena *arena)
{
	struct property_set none = { .nr = 0 };
	struct database *db = database_new(arena);
	struct replay *replay = replay_read(arena, "tests/experiments/unbalanced_misses.txt");
	struct ms_request all[MS_METRICS];
	struct engine_config config;
	struct engine_cost cost;
	struct engine *engine;

	CHECK(db && replay);
	engine_config_init(&config);
	replay_prepare(replay, db);
	engine = engine_new(arena, &config, &none, db, NULL);
	CHECK(engine != NULL);
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		all[metric] = (struct ms_request){ .metric = metric,
						   .thread = MS_REQUEST_ALL_THREADS,
						   .flags = MS_REQUEST_SUBREGIONS };
	database_requests(db, all, MS_METRICS);
	for (int i = 0; i < SEARCHED_EXECUTIONS; i++)
		replay_execution(replay, db, all, MS_METRICS, &cost);
	run->nr_nodes = run->nr_measurements = run->room_measurements = 0;
	CHECK_INT(outcome_fill(run, arena, engine, db, &none), MS_OK);
	run->phase.executions = SEARCHED_EXECUTIONS;
	run->phase.wall_ns = database_phase_ns(db) * SEARCHED_EXECUTIONS;
}

static inline void searched_missing(struct run *run, struct arena *arena)
{
	static const struct run_missing missing[] = {
		{ MS_REGION_NONE, MS_METRIC_SAMPLES, MS_MISSING_NOT_PERMITTED },
		{ MS_REGION_NONE, MS_METRIC_FAULT_SAMPLES, MS_MISSING_NOT_PERMITTED },
		{ MS_REGION_NONE, MS_METRIC_L1D_READ_MISSES, MS_MISSING_UNSUPPORTED },
		{ MS_REGION_NONE, MS_METRIC_L1D_WRITE_MISSES, MS_MISSING_UNSUPPORTED },
		{ MS_REGION_NONE, MS_METRIC_L2D_READ_MISSES, MS_MISSING_UNSUPPORTED },
		{ MS_REGION_NONE, MS_METRIC_L2D_WRITE_MISSES, MS_MISSING_UNSUPPORTED },
		{ MS_REGION_NONE, MS_METRIC_L3D_READ_MISSES, MS_MISSING_UNSUPPORTED },
		{ MS_REGION_NONE, MS_METRIC_L3D_WRITE_MISSES, MS_MISSING_UNSUPPORTED },
	};

	run->missing = sample_copy(arena, missing, sizeof(missing));
	run->nr_missing = run->room_missing = SAMPLE_COUNT(missing);
}

static inline void searched_run(struct run *run, struct arena *arena)
{
	sample_run(run, arena);
	run->threads = 4;
	run->machine.cpus = run->machine.cpus_online = 4;
	run->machine.nodes = 1;
	run->counting = (struct run_counting){ "perf", "skx", 4, 5 };
	run->regions[3] = run->regions[2];
	run->regions[3].id = 3;
	run->regions[3].source = sample_source("calc2", "swim.c", 360);
	run->nr_regions = 4;
	run->nr_hotspots = run->nr_arrays = run->nr_touches = run->nr_accesses = 0;
	run->nr_sharings = run->nr_dropped = run->nr_sensors = 0;
	run->touching = (struct run_touching){ 0 };
	searched_measure(run, arena);
	searched_missing(run, arena);
}

#endif
