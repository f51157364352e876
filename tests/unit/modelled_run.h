/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_MODELLED_RUN_H
#define MEMSEARCH_TESTS_UNIT_MODELLED_RUN_H

#include "tests/unit/sample_run.h"

/*
 * The invented run as it would be on a machine that counts misses, with another one modelled beside
 * it. Of three executions of the phase, in thousands an execution, by threads 0 and 1; the loop is
 * all of the parallel region, unew and grid all of the loop.
 */
struct modelled_row {
	uint32_t region;
	enum ms_metric metric;
	double of_thread[2];
};

static const struct modelled_row modelled_rows[] = {
#define MODELLED_BOTH(metric, zero, one) \
	{ 1, MS_METRIC_##metric, { zero, one } }, \
	{ \
		2, MS_METRIC_##metric, \
		{ \
			zero, one \
		} \
	}
#define MODELLED_ALL(metric, unew_0, unew_1, grid_0) \
	MODELLED_BOTH(metric, unew_0 + grid_0, unew_1), \
		{ 5, MS_METRIC_##metric, { unew_0, unew_1 } }, \
	{ \
		6, MS_METRIC_##metric, { grid_0, 0 } \
	}
	MODELLED_ALL(SIM_LOADS, 200, 100, 100),
	MODELLED_ALL(SIM_STORES, 100, 0, 0),
	MODELLED_ALL(SIM_L1D_MISSES, 60, 20, 100),
	MODELLED_ALL(SIM_L2D_MISSES, 30, 10, 80),
	MODELLED_ALL(SIM_L3D_MISSES, 20, 5, 40),
	MODELLED_ALL(SIM_COLD, 6, 2, 0),
	MODELLED_ALL(SIM_CAPACITY, 24, 0, 80),
	MODELLED_ALL(SIM_FALSE_SHARING, 0, 8, 0),
	MODELLED_ALL(SIM_DRAM_LOCAL, 15, 0, 40),
	MODELLED_ALL(SIM_DRAM_REMOTE, 5, 5, 0),
	MODELLED_ALL(SIM_HITM, 0, 8, 0),
	MODELLED_ALL(SIM_PREFETCHED, 10, 5, 0),
	MODELLED_ALL(SIM_PREFETCHES, 12, 6, 0),
	MODELLED_ALL(SIM_DRAM_PREFETCHES, 8, 6, 0),
	MODELLED_ALL(SIM_WRITE_BACKS, 10, 0, 0),
	MODELLED_ALL(SIM_FETCHED_BYTES, 1920, 640, 5120),
	MODELLED_ALL(SIM_USED_BYTES, 1920, 320, 640),
	MODELLED_ALL(SIM_STALL_CYCLES, 4000, 1000, 5000),
	MODELLED_BOTH(L1D_MISSES, 170, 25),
	MODELLED_BOTH(L2D_MISSES, 100, 10),
	MODELLED_BOTH(STALL_CYCLES, 600, 60),
#undef MODELLED_ALL
#undef MODELLED_BOTH
};

static inline void modelled_measurements(struct run *run, struct arena *arena)
{
	for (size_t i = 0; i < 2 * SAMPLE_COUNT(modelled_rows); i++) {
		const struct modelled_row *row = &modelled_rows[i / 2];
		double value = 1000 * row->of_thread[i % 2];

		CHECK(ARENA_GROW(arena, run->measurements, run->nr_measurements,
				 run->room_measurements));
		run->measurements[run->nr_measurements++] = (struct run_measurement){
			.row = { .region = row->region,
				 .thread = (uint32_t)(i % 2),
				 .metric = row->metric,
				 .stat = { 3, 3 * value, value, value, 3 * value * value } },
			.phases = 3,
			.observed_ns = 4e7,
		};
	}
}

static inline void modelled_run(struct run *run, struct arena *arena)
{
	sample_run(run, arena);
	run->modelled = (struct run_modelled){
		.name = "xeon-2s", .title = "two of something", .cores = 2, .nodes = 2, .line = 64
	};
	modelled_measurements(run, arena);
	/* unew is read at line 356 and written at line 357, grid read in grid.h */
	run->accesses[0].misses = (struct run_misses){ .reads = 900000,
						       .l1 = 180000,
						       .l2 = 90000,
						       .l3 = 60000,
						       .cold = 24000,
						       .capacity = 42000,
						       .false_sharing = 24000,
						       .local = 30000,
						       .remote = 30000,
						       .fetched = 5760000,
						       .used = 4800000,
						       .prefetched = 45000,
						       .prefetches = 42000,
						       .cycles = 12000000 };
	run->accesses[1].misses = (struct run_misses){ .writes = 300000,
						       .l1 = 60000,
						       .l2 = 30000,
						       .l3 = 15000,
						       .capacity = 30000,
						       .local = 15000,
						       .fetched = 1920000,
						       .used = 1920000,
						       .write_backs = 30000,
						       .cycles = 3000000 };
	run->accesses[2].misses = (struct run_misses){ .reads = 300000,
						       .l1 = 300000,
						       .l2 = 240000,
						       .l3 = 120000,
						       .capacity = 240000,
						       .local = 120000,
						       .fetched = 15360000,
						       .used = 1920000,
						       .cycles = 15000000 };
}

#endif
