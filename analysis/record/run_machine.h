/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_RUN_MACHINE_H
#define MEMSEARCH_RECORD_RUN_MACHINE_H

#include <stdint.h>

/* The machine that a run (run.h) was on, and the CPUs and memory that it used. */
struct machine {
	const char *host_name, *cpu_model, *kernel;
	uint32_t cpus; /* the program may use, by its affinity at start */
	uint32_t cpus_online;
	uint32_t nodes; /* NUMA nodes with memory */
	uint64_t memory_bytes;
	/* bytes/s by all CPUs and by one, by the calibration; 0: there was none */
	double attainable_bandwidth, single_bandwidth;
	double bandwidth_spread; /* (best - median) / best of its repetitions */
/* beyond it the calibration is uncertain: BANDWIDTH_SPREAD_MOST */
#define RUN_CALIBRATION_SPREAD_MOST 0.15
	uint64_t bandwidth_measured; /* when; seconds since 1970 */
	/* of all data caches of these CPUs, by the calibration; 0: not known */
	uint64_t cache_bytes;
	/* an atomic update of a line that the core owns, by a thread that does nothing else; 0: not known */
	double atomic_ns;
	double cycle_ns; /* of a core that works, when the program started; 0: not known */
};

/* Where a thread was last seen, by the kernel's numbers. */
#define RUN_PLACE_UNKNOWN UINT32_MAX
struct run_place {
	uint32_t thread;
	uint32_t cpu, node; /* both or neither RUN_PLACE_UNKNOWN */
	uint64_t moves;     /* changes of CPU seen at begins and ends of regions */
};

/*
 * Memory of a NUMA node, by the kernel's number, when it had the smallest free part of all times at
 * which nodes of pages were asked for. Free as MemFree: page cache is not, which the kernel may free
 * later than it places a page on another node.
 */
struct run_node_memory {
	uint32_t node;
	uint64_t bytes, free_bytes;
};

#endif
