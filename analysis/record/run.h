/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_RUN_H
#define MEMSEARCH_RECORD_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run_accesses.h"
#include "analysis/record/run_arrays.h"
#include "analysis/record/run_cost.h"
#include "analysis/record/run_intervals.h"
#include "analysis/record/run_machine.h"
#include "analysis/record/run_modelled.h"
#include "analysis/record/run_nodes.h"
#include "analysis/record/run_phase.h"
#include "analysis/record/run_placement.h"
#include "analysis/record/run_regions.h"
#include "analysis/record/run_sensors.h"
#include "analysis/record/run_settings.h"
#include "analysis/record/run_trials.h"
#include "analysis/record/run_writes.h"

/*
 * One run of a program as everything downstream sees it: the tool fills it while
 * the program runs and the record holds it; reading a record or a store yields it
 * again; the report prints it. A plain value: no invariants beyond the indices.
 * Every string and array lives in the arena the run was made in.
 */
struct run {
	const char *program; /* argv[0] */
	const char *command; /* the whole line, shortened to 4 KiB */
	const char *runtime; /* "LLVM OMP version: …" */
	/* environment variables, as the program had them; NULL: not set, or not known */
	const char *omp_places, *omp_proc_bind;
	bool runtime_swapped; /* a libgomp program on libomp */
	uint32_t pid;
	uint64_t start_realtime_ns;
	uint32_t threads; /* largest team */
	bool complete;    /* the end was written: nothing was cut off */
	/* at the end of its record, because they are torn or damaged; known to its reader only */
	uint64_t bytes_ignored;
	const char *strategy;
	struct machine machine;
	struct run_phase phase;
	struct run_cost cost;
	struct run_counting counting;
	struct run_touching touching;
	struct run_placing placing;
	struct run_trying trying;
	struct run_writing writing;
	struct run_modelled modelled;
	struct run_sweep sweep;
	/* share of the run's wall time that was under observation */
	double time_seen;
	bool restarts_would_help;
	uint32_t restarts; /* extra runs made */

	struct module *modules;
	size_t nr_modules, room_modules;
	/* regions[i].id == i */
	struct run_region *regions;
	size_t nr_regions, room_regions;
	struct run_measurement *measurements;
	size_t nr_measurements, room_measurements;
	struct run_missing *missing;
	size_t nr_missing, room_missing;
	struct run_hotspot *hotspots;
	size_t nr_hotspots, room_hotspots;
	/* nodes[i].id == i */
	struct run_node *nodes;
	size_t nr_nodes, room_nodes;
	struct run_dropped *dropped;
	size_t nr_dropped, room_dropped;
	struct run_sensor *sensors;
	size_t nr_sensors, room_sensors;
	struct run_counter *counters;
	size_t nr_counters, room_counters;
	struct run_place *places;
	size_t nr_places, room_places;
	/* arrays[i].id == i */
	struct run_array *arrays;
	size_t nr_arrays, room_arrays;
	struct run_touch *touches;
	size_t nr_touches, room_touches;
	/* of one array in the order of time */
	struct run_placement *placements;
	size_t nr_placements, room_placements;
	struct run_node_memory *node_memory; /* by node */
	size_t nr_node_memory, room_node_memory;
	struct run_trial *trials; /* in the order of time */
	size_t nr_trials, room_trials;
	/* by array, then by state, thread and node */
	struct run_write *writes;
	size_t nr_writes, room_writes;
	/* in the order of time; none where there is one phase at most */
	struct run_phase_found *phases;
	size_t nr_phases, room_phases;
	/* in the order of time; none where the whole program is the phase, or the run was cut off */
	struct run_step *steps;
	size_t nr_steps, room_steps;
	struct run_interval *intervals; /* run_node.interval is the row + 1 */
	size_t nr_intervals, room_intervals;
	struct run_access *accesses;
	size_t nr_accesses, room_accesses;
	struct run_sharing *sharings;
	size_t nr_sharings, room_sharings;
	/* each name once; none: not of a sweep */
	struct run_setting *settings;
	size_t nr_settings, room_settings;
	struct run_variable *variables; /* by name */
	size_t nr_variables, room_variables;
};

/* Mean wall time of an execution of the phase, or of the program without one; 0: not known. */
static inline double run_execution_ns(const struct run *run)
{
	return run->phase.executions ? run->phase.wall_ns / (double)run->phase.executions
				     : run->cost.program_wall_ns;
}

/* CPUs that the process's threads use that are not OpenMP's, on average; 0: also where it is unknown. */
static inline double run_other_cpus(const struct run *run)
{
	return run->cost.program_wall_ns > 0 ? run->cost.others_cpu_ns / run->cost.program_wall_ns
					     : 0;
}
/* from which on they are said to take part */
#define RUN_OTHER_CPUS_LEAST 0.1

#endif
