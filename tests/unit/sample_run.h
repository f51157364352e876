/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_SAMPLE_RUN_H
#define MEMSEARCH_TESTS_UNIT_SAMPLE_RUN_H

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "memsearch/host.h"
#include "memsearch/metric.h"
#include "tests/unit/test.h"

/*
 * An invented run with one of everything a report can say (no shipped property has these names): a
 * finding with its chain, one in serial code with hot lines, questions answered no, unanswered and
 * given up, a sensor that was refused, things dropped. Strings are constants; arrays live in the
 * arena.
 *
 *     0 phase ── 1 parallel calc2:350 ─┬─ 2 loop calc2:354 ─┬─ 5 unew
 *       │                              │                    └─ 6 grid
 *       │                              └─ 4 lock in update:77
 *       └─ 3 serial code main:12 … 40
 */
#define SAMPLE_COUNT(array) (sizeof(array) / sizeof(*(array)))

static inline void *sample_copy(struct arena *arena, const void *from, size_t bytes)
{
	void *copy = arena_alloc(arena, bytes);

	CHECK(copy != NULL);
	memcpy(copy, from, bytes);
	return copy;
}

static inline struct source sample_source(const char *function, const char *file, int line)
{
	return (struct source){ .function = function,
				.file = file,
				.line = line,
				.module = "swim",
				.offset = 0x1180 + (uint64_t)line };
}

static inline void sample_regions(struct run *run, struct arena *arena)
{
	const struct code_address code = { 0, 0x1200 };
	struct source path[] = { sample_source("main", "swim.c", 30),
				 sample_source("step", "swim.c", 210) };
	struct code_address path_addresses[] = { { 0, 0x1300 }, { 0, 0x1400 } };
	struct run_region regions[] = {
		{ .id = 0, .parent = MS_REGION_NONE, .kind = MS_USER_REGION, .executions = 120 },
		{ .id = 1,
		  .parent = 0,
		  .kind = MS_PARALLEL_REGION,
		  .source = sample_source("calc2", "swim.c", 350),
		  .nr_path = 2 },
		{ .id = 2,
		  .parent = 1,
		  .kind = MS_DO_REGION,
		  .source = sample_source("calc2", "swim.c", 354),
		  .nr_path = 2 },
		{ .id = 3,
		  .parent = 0,
		  .kind = MS_SERIAL_REGION,
		  .source = sample_source("main", "swim.c", 12),
		  .next_source = sample_source("main", "swim.c", 40),
		  .next = { 0, 0x1500 } },
		{ .id = 4,
		  .parent = 1,
		  .kind = MS_LOCK_REGION,
		  .source = sample_source("update", "swim.f90", 77) },
		{ .id = 5, .parent = 2, .kind = MS_DATA_STRUCTURE },
		{ .id = 6, .parent = 2, .kind = MS_DATA_STRUCTURE },
	};

	regions[4].source.approximate = true;
	for (size_t i = 0; i < SAMPLE_COUNT(regions); i++) {
		regions[i].resolved = true;
		regions[i].construct = regions[i].inside = code;
		if (regions[i].kind == MS_DATA_STRUCTURE)
			/* the array's number + 1 */
			regions[i].construct = (struct code_address){ UINT32_MAX, i - 5 + 1 };
		regions[i].executions = 120;
		if (regions[i].nr_path) {
			regions[i].path = sample_copy(arena, path, sizeof(path));
			regions[i].path_addresses = sample_copy(arena, path_addresses,
								sizeof(path_addresses));
		}
	}
	run->regions = sample_copy(arena, regions, sizeof(regions));
	run->nr_regions = run->room_regions = SAMPLE_COUNT(regions);
}

static inline struct ms_reading sample_value(double value, double error, enum ms_rung rung)
{
	return (struct ms_reading){
		.value = value, .error = error, .rung = rung, .missing = MS_PRESENT
	};
}

static inline void sample_evidence(struct run *run, struct arena *arena)
{
	struct run_evidence imbalance[] = {
		{ "imbalance", "ratio", sample_value(0.42, 0, MS_RUNG_TIMED) },
		{ "barrier_wait", "ns", sample_value(12.3e6, 0.4e6, MS_RUNG_TIMED) },
		{ "iterations", "1", sample_value(262144, 0, MS_RUNG_COUNTED) },
		{ "lock_wait", "ns", { .missing = MS_MISSING_BUDGET } },
	};
	struct run_evidence serial[] = {
		{ "serial_time", "ns", sample_value(4.56e9, 0.1e9, MS_RUNG_TIMED) },
		{ "share", "%", sample_value(12.0, 0.5, MS_RUNG_SAMPLED) },
	};
	uint32_t threads[] = { 3, 4 };

	run->nodes[2].evidence = sample_copy(arena, imbalance, sizeof(imbalance));
	run->nodes[2].nr_evidence = SAMPLE_COUNT(imbalance);
	run->nodes[2].threads = sample_copy(arena, threads, sizeof(threads));
	run->nodes[2].nr_threads = 2;
	run->nodes[3].evidence = sample_copy(arena, serial, sizeof(serial));
	run->nodes[3].nr_evidence = SAMPLE_COUNT(serial);
}

static const struct run_node sample_node_rows[] = {
	{ .id = 0,
	  .parent = MS_NODE_NONE,
	  .state = MS_NODE_TRUE,
	  .property = "UnevenWork",
	  .title = "uneven work among threads",
	  .region = 0,
	  .severity = 0.31,
	  .severity_low = 0.30,
	  .severity_high = 0.32,
	  .confidence = 0.99 },
	{ .id = 1,
	  .parent = 0,
	  .state = MS_NODE_TRUE,
	  .property = "UnevenWorkInRegion",
	  .region = 1,
	  .severity = 0.30,
	  .severity_low = 0.29,
	  .severity_high = 0.31,
	  .confidence = 0.99 },
	{ .id = 2,
	  .parent = 1,
	  .state = MS_NODE_TRUE,
	  .property = "UnevenWorkInLoop",
	  .title = "uneven work in a loop",
	  .region = 2,
	  .severity = 0.29,
	  .severity_low = 0.22,
	  .severity_high = 0.38,
	  .confidence = 0.98,
	  .explanation =
		  "Some threads get more work from this loop than others; the others wait 12.3 ms at its end "
		  "in every execution of the phase.",
	  .advice =
		  "Try schedule(dynamic, 16) or schedule(guided) on the loop. If the imbalance comes from the data, "
		  "sort or block the data so that equal numbers of iterations mean equal work." },
	{ .id = 3,
	  .parent = MS_NODE_NONE,
	  .state = MS_NODE_TRUE,
	  .property = "SerialCodeFound",
	  .title = "serial code",
	  .region = 3,
	  .severity = 0.12,
	  .severity_low = 0.12,
	  .severity_high = 0.12,
	  .confidence = 0.9,
	  .explanation = "All threads but one have nothing to do here.",
	  .advice = "Make the loop parallel." },
	{ .id = 4,
	  .parent = MS_NODE_NONE,
	  .state = MS_NODE_FALSE,
	  .property = "LockWaits",
	  .region = 4,
	  .severity = 0.012,
	  .severity_low = 0.01,
	  .severity_high = 0.014,
	  .confidence = 0.95 },
	{ .id = 5,
	  .parent = MS_NODE_NONE,
	  .state = MS_NODE_UNKNOWN,
	  .property = "HeapChurn",
	  .region = 0,
	  .missing = MS_MISSING_NOT_PERMITTED,
	  .missing_metric = "fault_samples" },
	{ .id = 6,
	  .parent = 4,
	  .state = MS_NODE_DISCONTINUED,
	  .property = "LockWaitsByThread",
	  .region = 4 },
	{ .id = 7,
	  .parent = MS_NODE_NONE,
	  .state = MS_NODE_TRUE,
	  .property = "LeadsToLoops",
	  .title = "something leads on",
	  .region = 0,
	  .confidence = 1 },
	{ .id = 8,
	  .parent = 7,
	  .state = MS_NODE_TRUE,
	  .property = "LeadsToArrays",
	  .title = "something leads to arrays",
	  .region = 2,
	  .confidence = 1 },
	{ .id = 9,
	  .parent = 8,
	  .state = MS_NODE_TRUE,
	  .property = "ArrayWalked",
	  .title = "an array is walked through",
	  .region = 5,
	  .severity_high = 0.04,
	  .severity_of_model = true,
	  .confidence = 1,
	  .explanation = "unew is walked through by a stride of 4 KiB.",
	  .advice = "Swap the loops." },
};

static inline void sample_nodes(struct run *run, struct arena *arena)
{
	run->nodes = sample_copy(arena, sample_node_rows, sizeof(sample_node_rows));
	run->nr_nodes = run->room_nodes = SAMPLE_COUNT(sample_node_rows);
	for (size_t i = 0; i < run->nr_nodes; i++) {
		run->nodes[i].thread = MS_REQUEST_ALL_THREADS;
		run->nodes[i].rung = MS_RUNG_TIMED;
		run->nodes[i].experiments = 3;
		run->nodes[i].interval_known = true;
	}
	/* those of the first tests; of the others nothing is known */
	for (size_t i = 0; i < 3; i++) {
		run->nodes[i].reached_executions = 2 + 4 * i;
		run->nodes[i].reached_ns = 0.2e9 + 0.05e9 * (double)i;
	}
	sample_evidence(run, arena);
}

/* In two executions of the loop in each of three of the phase that were recorded. */
#define SAMPLE_ACCESSES(at, of, what, values) \
	{ .row = { .region = at, \
		   .thread = of, \
		   .metric = what, \
		   .stat = { 6, values, values / 6.0, values / 6.0, 1 } }, \
	  .phases = 3, \
	  .observed_ns = 4e7 }

#define SAMPLE_ARRAY(field) \
	run->field = sample_copy(arena, field, sizeof(field)); \
	run->nr_##field = run->room_##field = SAMPLE_COUNT(field)

static inline void sample_measurements(struct run *run, struct arena *arena)
{
	struct run_measurement measurements[] = {
		{ .row = { .region = 2,
			   .thread = 1,
			   .metric = MS_METRIC_TIME,
			   .stat = { 120, 1.2e9, 1e7, 1.1e7, 1.3e16 } },
		  .phases = 120,
		  .observed_ns = 1.5e9 },
		{ .row = { .region = 2,
			   .thread = 1,
			   .metric = MS_METRIC_ITERATIONS,
			   .stat = { 120, 262144, 1, 2184, 1e9 } },
		  .phases = 120,
		  .observed_ns = 1.5e9 },
		{ .row = { .region = 1,
			   .thread = 0,
			   .metric = MS_METRIC_WALL_TIME,
			   .stat = { 120, 1.3e9, 1e7, 1.2e7, 1.5e16 } },
		  .phases = 120,
		  .observed_ns = 1.5e9 },
		{ .row = { .region = 3,
			   .thread = 0,
			   .metric = MS_METRIC_TIME,
			   .stat = { 120, 0.15e9, 1e6, 2e6, 2e14 } },
		  .phases = 120,
		  .observed_ns = 1.5e9 },
		SAMPLE_ACCESSES(2, 0, MS_METRIC_READS, 900000),
		SAMPLE_ACCESSES(2, 1, MS_METRIC_READS, 300000),
		/*
		 * unew: read by both, three times as much by thread 0, which alone writes; grid:
		 * read by thread 0
		 */
		SAMPLE_ACCESSES(5, 0, MS_METRIC_READS, 600000),
		SAMPLE_ACCESSES(5, 1, MS_METRIC_READS, 300000),
		SAMPLE_ACCESSES(5, 0, MS_METRIC_WRITES, 300000),
		SAMPLE_ACCESSES(5, 1, MS_METRIC_WRITES, 0),
		SAMPLE_ACCESSES(5, 0, MS_METRIC_READ_BYTES, 4800000),
		SAMPLE_ACCESSES(5, 1, MS_METRIC_READ_BYTES, 2400000),
		SAMPLE_ACCESSES(5, 0, MS_METRIC_WRITTEN_BYTES, 2400000),
		SAMPLE_ACCESSES(5, 1, MS_METRIC_WRITTEN_BYTES, 0),
		SAMPLE_ACCESSES(6, 0, MS_METRIC_READS, 300000),
		SAMPLE_ACCESSES(6, 0, MS_METRIC_READ_BYTES, 2400000),
	};

	SAMPLE_ARRAY(measurements);
}

static inline void sample_rest(struct run *run, struct arena *arena)
{
	struct run_hotspot hotspots[] = {
		{ .region = 3,
		  .metric = MS_METRIC_SAMPLES,
		  .count = 800,
		  .share = 0.8,
		  .source = sample_source("sum", "swim.c", 22),
		  .leaf_source = sample_source("sum", "swim.c", 22) },
		{ .region = 3,
		  .metric = MS_METRIC_SAMPLES,
		  .count = 1,
		  .share = 0.001,
		  .source = sample_source("main", "swim.c", 30),
		  .leaf_source = sample_source("write", "", 0) },
	};
	struct run_missing missing[] = {
		{ MS_REGION_NONE, MS_METRIC_FAULT_SAMPLES, MS_MISSING_NOT_PERMITTED },
		{ 4, MS_METRIC_ITERATIONS, MS_MISSING_NO_EVENT },
	};
	struct run_dropped dropped[] = {
		{ .what = "regions", .why = "more than 16384 regions were met", .count = 3 },
		{ .what = "accesses of",
		  .why = "its code could not be copied: a jump into an instruction",
		  .topic = RUN_RECORDING,
		  .code = { 0, 0x1250 },
		  .source = sample_source("smooth", "swim.c", 412) },
		{ .what = "calls in recorded code to pow (libm.so.6)",
		  .why = "in another library; --follow libm records what it accesses there, too",
		  .count = 2,
		  .topic = RUN_RECORDING },
	};
	struct run_sensor sensors[] = {
		{ "clock", true, NULL },
		{ "faults", false,
		  "perf_event_open: permission denied; sysctl kernel.perf_event_paranoid=2 allows it" },
	};
	struct run_place places[] = { { 0, 3, 0, 1 },
				      { 1, 12, 1, 0 },
				      { 2, RUN_PLACE_UNKNOWN, RUN_PLACE_UNKNOWN, 0 } };
	struct module modules[] = { { "/home/u/swim", "abcdef0123", 0x400000, 0x500000, 0 } };

	SAMPLE_ARRAY(hotspots);
	SAMPLE_ARRAY(missing);
	SAMPLE_ARRAY(dropped);
	SAMPLE_ARRAY(sensors);
	SAMPLE_ARRAY(modules);
	SAMPLE_ARRAY(places);
	sample_measurements(run, arena);
}
#undef SAMPLE_ARRAY

/*
 * unew: touched by all threads; grid: by thread 0 alone; blocks of one line of malloc; one nobody
 * touched; a small one.
 */
static inline void sample_data(struct run *run, struct arena *arena)
{
	const struct code_address nowhere = { UINT32_MAX, 0 };
	struct run_array arrays[] = {
		{ .kind = "static",
		  .name = "unew",
		  .type = "double",
		  .shape = "[512][512]",
		  .file = "swim.c",
		  .line = 31,
		  .bytes = 2 << 20,
		  .resident_bytes = 2 << 20 },
		{ .kind = "heap",
		  .name = "grid",
		  .type = "",
		  .shape = "",
		  .file = "swim.c",
		  .line = 40,
		  .bytes = 64 << 20,
		  .resident_bytes = 60 << 20 },
		{ .kind = "heap",
		  .name = "",
		  .bytes = 3 << 20,
		  .blocks = 50,
		  .live_blocks = 7,
		  .site = { 0, 0x1500 },
		  .site_source = sample_source("read", "input.c", 77),
		  .resident_why = MS_MISSING_NOT_REQUESTED },
		{ .kind = "common",
		  .name = "fields/cu",
		  .type = "real(8)",
		  .shape = "(0:512,512)",
		  .file = "swim.f",
		  .line = 12,
		  .bytes = 513 * 512 * 8 },
		{ .kind = "module",
		  .name = "step",
		  .type = "integer(4)",
		  .shape = "(16)",
		  .file = "grid.f90",
		  .line = 5,
		  .bytes = 64,
		  .resident_bytes = 64 },
		{ .kind = "stack",
		  .name = "stacks of threads",
		  .bytes = 16 << 20,
		  .blocks = 2,
		  .live_blocks = 2,
		  .resident_why = MS_MISSING_NOT_REQUESTED },
	};
	struct code_address path[] = { { 0, 0x1300 } };
	struct source callers[] = { sample_source("main", "swim.c", 30),
				    sample_source("setup", "input.c", 12) };

	for (uint32_t i = 0; i < SAMPLE_COUNT(arrays); i++) {
		arrays[i].id = i;
		if (!arrays[i].blocks) {
			arrays[i].blocks = arrays[i].live_blocks = 1;
			arrays[i].site = nowhere;
		}
	}
	arrays[2].path = sample_copy(arena, path, sizeof(path));
	arrays[2].nr_path = SAMPLE_COUNT(path);
	arrays[2].callers = sample_copy(arena, callers, sizeof(callers));
	arrays[2].nr_callers = SAMPLE_COUNT(callers);
	run->arrays = sample_copy(arena, arrays, sizeof(arrays));
	run->nr_arrays = run->room_arrays = SAMPLE_COUNT(arrays);
}

static inline void sample_touches(struct run *run, struct arena *arena)
{
	const struct code_address nowhere = { UINT32_MAX, 0 }, code = { 0, 0x1200 };
	struct run_touch touches[] = {
		{ .array = 0,
		  .thread = 0,
		  .region = MS_REGION_NONE,
		  .before = true,
		  .pages = 1,
		  .bytes = 4000 },
		{ .array = 0,
		  .thread = 0,
		  .node = 0,
		  .region = 2,
		  .faults = 256,
		  .pages = 256,
		  .bytes = (1 << 20) - 4000 },
		{ .array = 0,
		  .thread = 1,
		  .node = 1,
		  .region = 2,
		  .faults = 192,
		  .pages = 192,
		  .bytes = 768 << 10 },
		{ .array = 0,
		  .thread = 3,
		  .node = 1,
		  .region = 2,
		  .faults = 64,
		  .pages = 64,
		  .bytes = 256 << 10 },
		{ .array = 1,
		  .thread = 0,
		  .node = 0,
		  .region = 3,
		  .faults = 15000,
		  .pages = 15104,
		  .bytes = 59 << 20 },
		{ .array = 2,
		  .thread = 0,
		  .node = 0,
		  .region = 3,
		  .faults = 900,
		  .pages = 1024,
		  .bytes = 4 << 20 },
		{ .array = 4,
		  .thread = 0,
		  .node = 0,
		  .region = 3,
		  .faults = 1,
		  .pages = 1,
		  .bytes = 64 },
		{ .array = 5,
		  .thread = 1,
		  .node = RUN_PLACE_UNKNOWN,
		  .region = 2,
		  .faults = 3,
		  .pages = 3,
		  .bytes = 12288 },
	};

	for (size_t i = 0; i < SAMPLE_COUNT(touches); i++) {
		touches[i].address = touches[i].leaf = touches[i].before ? nowhere : code;
		touches[i].source = touches[i].before ? (struct source){ .function = "",
									 .file = "",
									 .module = "" }
				    : touches[i].region == 2
					    ? sample_source("initial", "swim.c", 354)
					    : sample_source("main", "swim.c", 22);
		if (touches[i].before)
			touches[i].node = RUN_PLACE_UNKNOWN;
	}
	run->touches = sample_copy(arena, touches, sizeof(touches));
	run->nr_touches = run->room_touches = SAMPLE_COUNT(touches);
	run->touching = (struct run_touching){
		.page_bytes = 4096, .faults = 16500, .nobodys = 84, .read_ns = 1.5e6
	};
}

/* Of each execution of the loop; 12 by two threads in three of the phase. */
static inline void sample_accesses(struct run *run, struct arena *arena)
{
	const struct code_address code = { 0, 0x1200 };
	struct run_access accesses[] = {
		{ .array = 0,
		  .region = 2,
		  .address = code,
		  .bytes = 8,
		  .reads = 900000,
		  .executions = 12,
		  .threads = 2,
		  .least = 300000,
		  .most = 600000,
		  .stride = 4096,
		  .with_stride = 0.9,
		  .source = sample_source("calc2", "swim.c", 356) },
		{ .array = 0,
		  .region = 2,
		  .address = code,
		  .bytes = 8,
		  .writes = 300000,
		  .executions = 6,
		  .threads = 1,
		  .least = 300000,
		  .most = 300000,
		  .stride = 8,
		  .with_stride = 1,
		  .source = sample_source("calc2", "swim.c", 357) },
		{ .array = 1,
		  .region = 2,
		  .address = code,
		  .bytes = 8,
		  .reads = 300000,
		  .executions = 6,
		  .threads = 1,
		  .least = 300000,
		  .most = 300000,
		  .with_stride = 0.2,
		  .source = sample_source("at", "grid.h", 9) },
		{ .array = RUN_ARRAY_NONE,
		  .region = 2,
		  .address = code,
		  .bytes = 4,
		  .reads = 60,
		  .executions = 12,
		  .threads = 2,
		  .least = 30,
		  .most = 30,
		  .with_stride = 1,
		  .source = sample_source("calc2", "swim.c", 354) },
	};

	run->accesses = sample_copy(arena, accesses, sizeof(accesses));
	run->nr_accesses = run->room_accesses = SAMPLE_COUNT(accesses);
}

static inline void sample_arrays(struct run *run, struct arena *arena)
{
	sample_data(run, arena);
	sample_touches(run, arena);
	sample_accesses(run, arena);
}

static inline void sample_run(struct run *run, struct arena *arena)
{
	*run = (struct run){
		.program = "/home/u/swim",
		.command = "/home/u/swim 512 100",
		.runtime = "LLVM OMP version: 5.0.20140926",
		.pid = 4711,
		.start_realtime_ns = 1700000000123456789,
		.threads = 16,
		.complete = true,
		.strategy = "property_refine",
		.time_seen = 0.97,
		.machine = { "node7", "A CPU", "6.1.0", 16, 16, 2, (uint64_t)64 << 30, 0, 0, 0, 0,
			     0, 0, 0 },
		.phase = { .method = PHASE_SEQUENCE,
			   .region = 1,
			   .executions = 120,
			   .wall_ns = 1.5e9,
			   .min_ns = 11.9e6,
			   .max_ns = 14e6 },
		.cost = { .tool_cpu_ns = 12e6,
			  .program_wall_ns = 1.6e9,
			  .program_cpu_ns = 20e9,
			  .slowdown = 1.004,
			  .experiments = 7,
			  .counters_possible = 340,
			  .counters_used = 24,
			  .record_bytes = 12345,
			  .limit = 0.05,
			  .limit_bound = true },
		.runtime_swapped = true,
	};
	sample_regions(run, arena);
	sample_nodes(run, arena);
	sample_rest(run, arena);
	sample_arrays(run, arena);
}

#endif
