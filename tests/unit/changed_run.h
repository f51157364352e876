/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_CHANGED_RUN_H
#define MEMSEARCH_TESTS_UNIT_CHANGED_RUN_H

#include "analysis/sweep/settings.h"
#include "tests/unit/modelled_run.h"

/*
 * The invented runs that `memsearch diff` compares: one before a change of its program and one
 * after it, whose simulations repeat to the count, and runs that cannot be compared with these or
 * only in part.
 */
static inline void changed_measurement(struct run *run, struct arena *arena, uint32_t region,
				       uint32_t thread, uint32_t metric, double value)
{
	CHECK(ARENA_GROW(arena, run->measurements, run->nr_measurements, run->room_measurements));
	run->measurements[run->nr_measurements++] = (struct run_measurement){
		.row = { .region = region,
			 .thread = thread,
			 .metric = metric,
			 .stat = { 3, 3 * value, value, value, 3 * value * value } },
		.phases = 3,
		.observed_ns = 4e7,
	};
}

/*
 * What the loop accesses in its data structures is all that it accesses, as in records of real
 * runs.
 */
static inline void changed_sums(struct run *run, struct arena *arena)
{
	static const struct {
		enum ms_metric metric;
		double of_thread[2];
	} sums[] = {
		{ MS_METRIC_WRITES, { 100000, 0 } },
		{ MS_METRIC_READ_BYTES, { 2400000, 800000 } },
		{ MS_METRIC_WRITTEN_BYTES, { 800000, 0 } },
	};

	for (size_t i = 0; i < SAMPLE_COUNT(sums); i++)
		for (uint32_t thread = 0; thread < 2; thread++) {
			changed_measurement(run, arena, 1, thread, sums[i].metric,
					    sums[i].of_thread[thread]);
			changed_measurement(run, arena, 2, thread, sums[i].metric,
					    sums[i].of_thread[thread]);
		}
}

static inline void before_run(struct run *run, struct arena *arena)
{
	modelled_run(run, arena);
	changed_sums(run, arena);
	for (uint32_t thread = 0; thread < 2; thread++)
		changed_measurement(run, arena, 4, thread, MS_METRIC_TIME, 1e5);
	run->modelled.basis = RUN_BASIS_STEADY;
	run->modelled.steps = 1;
}

/* -- after a change */

static inline struct run_measurement *changed_find(struct run *run, uint32_t region,
						   uint32_t thread, uint32_t metric)
{
	for (size_t i = 0; i < run->nr_measurements; i++)
		if (run->measurements[i].row.region == region &&
		    run->measurements[i].row.thread == thread &&
		    run->measurements[i].row.metric == metric)
			return &run->measurements[i];
	return NULL;
}

/* By what region 5 (unew) or 6 (grid) grows its constructs grow, too. */
static inline void changed_scale(struct run *run, uint32_t region, uint32_t thread, uint32_t metric,
				 double factor)
{
	struct run_measurement *own = changed_find(run, region, thread, metric);
	double added = own ? (factor - 1) * own->row.stat.sum : 0;

	if (!own)
		return;
	own->row.stat.sum += added;
	for (uint32_t outer = 1; outer <= 2; outer++) {
		struct run_measurement *one = changed_find(run, outer, thread, metric);

		if (one)
			one->row.stat.sum += added;
	}
}

static inline void changed_misses(struct run *run)
{
	static const enum ms_metric worse[] = {
		MS_METRIC_SIM_L1D_MISSES,  MS_METRIC_SIM_L2D_MISSES, MS_METRIC_SIM_L3D_MISSES,
		MS_METRIC_SIM_CAPACITY,    MS_METRIC_SIM_DRAM_LOCAL, MS_METRIC_SIM_FETCHED_BYTES,
		MS_METRIC_SIM_STALL_CYCLES
	};

	for (uint32_t thread = 0; thread < 2; thread++)
		for (size_t i = 0; i < SAMPLE_COUNT(worse); i++) {
			changed_scale(run, 5, thread, worse[i], 1.5);
			changed_scale(run, 6, thread, worse[i], 0.75);
		}
	run->accesses[0].misses.l1 = 270000;
	run->accesses[0].misses.l2 = 135000;
	run->accesses[0].misses.cycles = 18000000;
}

/* The loop reads one array more, of 8 bytes a value. */
static inline void changed_array(struct run *run, struct arena *arena)
{
	struct run_array array = run->arrays[0];
	struct run_region region = run->regions[5];

	array.id = (uint32_t)run->nr_arrays;
	array.name = "pold";
	array.line = 33;
	CHECK(ARENA_GROW(arena, run->arrays, run->nr_arrays, run->room_arrays));
	run->arrays[run->nr_arrays++] = array;
	region.id = (uint32_t)run->nr_regions;
	region.construct = (struct code_address){ UINT32_MAX, array.id + 1 };
	CHECK(ARENA_GROW(arena, run->regions, run->nr_regions, run->room_regions));
	run->regions[run->nr_regions++] = region;
	changed_measurement(run, arena, region.id, 0, MS_METRIC_READS, 40000);
	changed_measurement(run, arena, region.id, 0, MS_METRIC_READ_BYTES, 320000);
	for (uint32_t outer = 1; outer <= 2; outer++) {
		struct run_measurement *reads = changed_find(run, outer, 0, MS_METRIC_READS);

		if (reads)
			reads->row.stat.sum += 40000 * 3;
		changed_find(run, outer, 0, MS_METRIC_READ_BYTES)->row.stat.sum += 320000 * 3;
	}
}

/*
 * Lines below 300 have moved, one function has another name, one finding is no longer true and
 * another is.
 */
static inline void changed_source(struct run *run)
{
	static struct module module;

	module = run->modules[0];
	module.build_id = "0123456789";
	run->modules = &module;
	for (size_t i = 0; i < run->nr_regions; i++)
		if (run->regions[i].source.line > 300)
			run->regions[i].source.line += 12;
	run->regions[4].source.function = "advance";
	for (size_t i = 0; i < run->nr_accesses; i++)
		if (run->accesses[i].source.line > 300)
			run->accesses[i].source.line += 12;
	run->nodes[3].state = MS_NODE_FALSE;
	run->nodes[4].state = MS_NODE_TRUE;
	run->nodes[4].severity = run->nodes[4].severity_low = run->nodes[4].severity_high = 0.05;
}

static inline void after_run(struct run *run, struct arena *arena)
{
	before_run(run, arena);
	run->pid++;
	changed_misses(run);
	changed_array(run, arena);
	changed_source(run);
}

/* -- what cannot be compared, or only in part */

/* Another program: no function of it is known in the other runs. */
static inline void foreign_run(struct run *run, struct arena *arena)
{
	before_run(run, arena);
	run->program = run->command = "/home/u/cg";
	for (size_t i = 1; i < run->nr_regions; i++) {
		run->regions[i].source.function = run->regions[i].source.function ? "matvec" : NULL;
		run->regions[i].source.file = run->regions[i].source.file ? "cg.c" : NULL;
		run->regions[i].next_source.file = run->regions[i].next_source.file ? "cg.c" : NULL;
	}
}

/*
 * The same program on another computer, of whose times and counts nothing is known, simulated on
 * another machine.
 */
static inline void elsewhere_run(struct run *run, struct arena *arena)
{
	before_run(run, arena);
	run->machine.cpu_model = "another CPU";
	run->machine.host_name = "node8";
	run->machine.cpus = 8;
	run->modelled.name = "altix-bx2";
}

/* Nothing but CPU time, which the other runs do not have. */
static inline void cpu_time_run(struct run *run, struct arena *arena)
{
	sample_run(run, arena);
	run->nr_measurements = 0;
	for (uint32_t thread = 0; thread < 2; thread++)
		changed_measurement(run, arena, 2, thread, MS_METRIC_CPU_TIME, 1e6);
}

/* -- runs of a sweep: 2 and 4 threads, close and spread */

static inline void swept_run(struct run *run, struct arena *arena, const char *threads,
			     const char *binding, double times)
{
	struct run_setting settings[] = {
		{ SETTING_BINARY, "./swim" }, { SETTING_ARGUMENTS, "512 100" },
		{ SETTING_THREADS, threads }, { "env:OMP_PROC_BIND", binding },
		{ SETTING_REPETITION, "1" },  { RUN_SETTING_MACHINE, "xeon-2s" },
	};

	before_run(run, arena);
	run->settings = sample_copy(arena, settings, sizeof(settings));
	run->nr_settings = run->room_settings = SAMPLE_COUNT(settings);
	run->threads = threads[0] - '0';
	run->pid += 10 * run->threads + (uint32_t)strlen(binding);
	run->nr_touches = run->nr_hotspots = run->nr_accesses = run->nr_dropped = 0;
	for (uint32_t thread = 0; thread < 2; thread++)
		changed_scale(run, 5, thread, MS_METRIC_SIM_STALL_CYCLES, times);
}

static inline void swept_2_close(struct run *run, struct arena *arena)
{
	swept_run(run, arena, "2", "close", 1);
}
static inline void swept_2_spread(struct run *run, struct arena *arena)
{
	swept_run(run, arena, "2", "spread", 1.1);
}
static inline void swept_4_close(struct run *run, struct arena *arena)
{
	swept_run(run, arena, "4", "close", 1.5);
}
static inline void swept_4_spread(struct run *run, struct arena *arena)
{
	swept_run(run, arena, "4", "spread", 1.6);
}

#endif
