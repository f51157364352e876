/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_LARGE_RUN_H
#define MEMSEARCH_TESTS_LARGE_RUN_H

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "memsearch/host.h"
#include "memsearch/metric.h"

/*
 * A run with as many regions, threads and arrays: each region is a loop that a thread spends time
 * in and that uses three arrays.
 */

static void large_regions(struct arena *arena, struct run *run, uint32_t regions)
{
	run->nr_regions = regions;
	run->regions = arena_alloc(arena, regions * sizeof(*run->regions));
	for (uint32_t i = 0; i < regions; i++)
		run->regions[i] = (struct run_region){
			.id = i,
			.parent = i ? 0 : MS_REGION_NONE,
			.kind = i ? MS_DO_REGION : MS_USER_REGION,
			.resolved = true,
			.executions = 10,
			.construct = { UINT32_MAX, 0 },
			.inside = { UINT32_MAX, 0 },
			.next = { UINT32_MAX, 0 },
			.source = { .function = arena_printf(arena, "solve_%u", i),
				    .file = arena_printf(arena, "solver_%u.c", i / 50),
				    .line = 1 + (int)(i % 50) * 20,
				    .module = "solver" },
		};
}

static void large_times(struct arena *arena, struct run *run, uint32_t threads)
{
	uint64_t state = 88172645463325252u;

	run->threads = threads;
	run->measurements = arena_alloc(arena, run->nr_regions * (threads + 1) *
						       sizeof(*run->measurements));
	/* accesses were recorded in all, by one thread */
	for (uint32_t i = 0; i < run->nr_regions; i++) {
		struct run_measurement *one = &run->measurements[run->nr_measurements++];

		one->row = (struct ms_measurement){
			.region = i,
			.metric = MS_METRIC_READS,
			.stat = { .count = 10, .sum = 1e4, .min = 1e3, .max = 1e3 }
		};
		one->phases = 10;
		one->observed_ns = 1e9;
	}
	for (uint32_t thread = 0; thread < threads; thread++)
		for (uint32_t i = 0; i < run->nr_regions; i++) {
			struct run_measurement *one = &run->measurements[run->nr_measurements++];

			state = state * 6364136223846793005u + 1442695040888963407u;
			one->row = (struct ms_measurement){ .region = i,
							    .thread = thread,
							    .metric = MS_METRIC_TIME };
			ms_stat_add(&one->row.stat, (double)(20000 + (state >> 33) % 1000000));
			one->phases = 10;
			one->observed_ns = 1e9;
		}
}

static void large_arrays(struct arena *arena, struct run *run, uint32_t arrays)
{
	run->nr_arrays = arrays;
	run->arrays = arena_alloc(arena, (arrays + 1) * sizeof(*run->arrays));
	for (uint32_t i = 0; i < arrays; i++)
		run->arrays[i] = (struct run_array){
			.id = i,
			.kind = "static",
			.name = arena_printf(arena, "field_%u", i),
			.type = "double",
			.shape = "[1000][1000]",
			.file = "fields.c",
			.line = 1 + (int)i,
			.module = "solver",
			.element_bytes = 8,
			.bytes = 8000000,
			.blocks = 1,
			.live_blocks = 1,
			.site = { UINT32_MAX, 0 },
			.resident_bytes = 8000000,
		};
}

static void large_accesses(struct arena *arena, struct run *run)
{
	size_t nr = run->nr_arrays ? 3 * run->nr_regions : 0;

	run->modelled = (struct run_modelled){
		.name = "host", .title = "this machine", .here = true, .levels = 7, .line = 64
	};
	run->nr_accesses = nr;
	run->accesses = arena_alloc(arena, (nr + 1) * sizeof(*run->accesses));
	for (size_t i = 0; i < nr; i++) {
		uint32_t region = (uint32_t)(i / 3);
		uint64_t reads = 1000 * (1 + i % 97);

		run->accesses[i] = (struct run_access){
			.array = (uint32_t)(i * 7 % run->nr_arrays),
			.region = region,
			.loop = region,
			.address = { UINT32_MAX, 0 },
			.bytes = 8,
			.reads = reads,
			.executions = 10 * run->threads,
			.threads = run->threads,
			.site = (uint32_t)i,
			.least = reads / 2,
			.most = reads,
			.stride = 8000,
			.with_stride = 1,
			.source = run->regions[region].source,
			.misses = { .reads = reads,
				    .l1 = reads / 2,
				    .l2 = reads / 4,
				    .l3 = reads / 8,
				    .capacity = reads / 4,
				    .local = reads / 8,
				    .cycles = reads * 20,
				    .page_walks = reads / 16 },
		};
	}
}

/* Every second region has a finding, the rest is answered with no. */
static void large_nodes(struct arena *arena, struct run *run)
{
	run->nr_nodes = run->nr_regions;
	run->nodes = arena_alloc(arena, run->nr_nodes * sizeof(*run->nodes));
	for (uint32_t i = 0; i < run->nr_nodes; i++)
		run->nodes[i] = (struct run_node){
			.id = i,
			.parent = MS_NODE_NONE,
			.state = i % 2 ? MS_NODE_TRUE : MS_NODE_FALSE,
			.property = "LoadImbalance",
			.region = i,
			.thread = MS_REQUEST_ALL_THREADS,
			.confidence = .97,
			.severity = 1e-4,
			.severity_low = 9e-5,
			.severity_high = 1.1e-4,
			.rung = MS_RUNG_TIMED,
			.interval_known = true,
			.experiments = 3,
			.title = "load imbalance",
			.explanation = "One thread takes longer than the others do.",
			.advice = "Distribute the iterations evenly.",
		};
}

static inline void large_run(struct arena *arena, struct run *run, uint32_t regions,
			     uint32_t threads, uint32_t arrays)
{
	*run = (struct run){ .program = "./solver",
			     .command = "./solver",
			     .runtime = "none",
			     .strategy = "none",
			     .complete = true,
			     .time_seen = 1,
			     .phase = { .method = PHASE_SEQUENCE,
					.executions = 10,
					.executions_read = 10,
					.wall_ns = 1e9,
					.min_ns = 1e8,
					.max_ns = 1e8 },
			     .machine = { .host_name = "host",
					  .cpu_model = "cpu",
					  .kernel = "kernel",
					  .cpus = threads,
					  .cpus_online = threads,
					  .nodes = 1 } };
	large_regions(arena, run, regions);
	large_times(arena, run, threads);
	large_arrays(arena, run, arrays);
	large_accesses(arena, run);
	large_nodes(arena, run);
}

#endif
