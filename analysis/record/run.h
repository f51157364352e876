/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_RUN_H
#define MEMSEARCH_RECORD_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analysis/debuginfo/source.h"
#include "memsearch/property.h"
#include "memsearch/region.h"
#include "analysis/record/run_modelled.h"
#include "analysis/record/run_trials.h"
#include "analysis/record/run_placement.h"
#include "analysis/record/run_accesses.h"
#include "analysis/record/run_arrays.h"

/*
 * One run of a program as everything downstream sees it: the tool fills it while
 * the program runs and the record holds it; reading a record or a store yields it
 * again; the report prints it. A plain value: no invariants beyond the indices.
 * Every string and array lives in the arena the run was made in.
 */
struct arena;

/* clang-format off */
#define PHASE_METHOD_LIST(X) \
	X(CONTROL_TOOL, "control_tool", "marked in the program with omp_control_tool") \
	X(SEQUENCE, "sequence", "found: a repeating sequence of regions") \
	X(ANCHOR, "anchor", "found: the begins of one regularly executed region") \
	X(WHOLE_PROGRAM, "whole_program", "none: the whole program is one phase")
/* clang-format on */

enum phase_method {
#define X(id, name, text) PHASE_##id,
	PHASE_METHOD_LIST(X)
#undef X
		PHASE_METHODS
};

const char *phase_method_name(unsigned int method);
const char *phase_method_text(unsigned int method);

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
};

/* A region; its source lines are filled in when it is resolved. */
struct run_region {
	uint32_t id, parent; /* parent MS_REGION_NONE only for region 0 */
	enum ms_region_kind kind;
	/* see sources_region; SERIAL: end of the region before */
	struct code_address construct, inside;
	struct code_address next; /* SERIAL only: begin of the region after */
	bool resolved;
	struct source source;
	struct source next_source;           /* SERIAL only: where the next region begins */
	size_t nr_path;                      /* callers, outermost (main) first */
	struct code_address *path_addresses; /* return addresses */
	struct source *path;                 /* NULL until resolved */
	uint64_t executions;
	/*
	 * MUTEX: as in the source, "update", "locks[3]"; "" that of the unnamed critical
	 * constructs; NULL not known
	 */
	const char *name;
	/* CRITICAL, LOCK: the MUTEX region of its lock; 0: not known, or it takes several */
	uint32_t mutex;
};

/* DATA_STRUCTURE: number of its array, which is the region's construct - 1; else UINT32_MAX. */
static inline uint32_t run_region_array(const struct run_region *region)
{
	return region->kind == MS_DATA_STRUCTURE ? (uint32_t)(region->construct.offset - 1)
						 : UINT32_MAX;
}

/* Each time one thread alone executes it; all threads of the team execute the others together. */
static inline bool run_region_is_of_one_thread(const struct run_region *region)
{
	return region->kind == MS_TASK_REGION || region->kind == MS_SINGLE_REGION;
}

/* What one thread measured in one region over the whole run. */
struct run_measurement {
	struct ms_measurement row;
	uint64_t phases;    /* phase executions during which it was requested */
	double observed_ns; /* and the wall time of those */
};

/* A reading that was never available: (region or MS_REGION_NONE for everywhere, metric, why). */
struct run_missing {
	uint32_t region, metric;
	enum ms_missing why;
};

/* One instruction where samples or faults were taken. */
struct run_hotspot {
	uint32_t region, metric; /* MS_METRIC_SAMPLES or MS_METRIC_FAULT_SAMPLES */
	/* in the program's own code where the stack could be unwound that far */
	struct code_address address;
	/* the sampled instruction itself, in a library perhaps */
	struct code_address leaf;
	bool is_return; /* `address` is a return address */
	uint64_t count;
	double share;                      /* of all samples of this metric in this region */
	struct source source, leaf_source; /* filled when resolved, as is … */
	uint64_t in_library;               /* … the part of `count` in a library that it calls */
};

struct run_evidence {
	const char *name, *unit;
	struct ms_reading reading;
};

/* A node of the search history graph; the proven ones are the findings. */
struct run_node {
	uint32_t id, parent;  /* MS_NODE_NONE: a root */
	uint32_t state;       /* enum ms_node_state */
	const char *property; /* name */
	uint32_t region;
	uint32_t thread; /* or MS_REQUEST_ALL_THREADS */
	double confidence, severity, severity_low, severity_high;
	enum ms_rung rung;
	enum ms_missing missing;    /* where unknown */
	const char *missing_metric; /* name, or NULL */
	uint32_t experiments;       /* in which it was evaluated */
	size_t nr_evidence;
	struct run_evidence *evidence;
	/* threads the finding is about; 0: not about single threads */
	size_t nr_threads;
	uint32_t *threads;
	/* the property in a short phrase; NULL: not filled in, split the name */
	const char *title;
	/* filled in with the values of this run; NULL where not proven */
	const char *explanation, *advice;
	/* false: nothing is known of the spread; low and high are the severity */
	bool interval_known;
	/* the severity is a model's lower bound, severity_high its upper one */
	bool severity_of_model;
	/* what was counted for it: "loads = skx::…; …"; NULL: it rests on no counter */
	const char *events;
	/* execution of the phase from which on the verdict holds; 0: over all that was read */
	uint64_t since;
	/*
	 * NUMA nodes the finding is about, worst first; 0: not about single ones, or they are not
	 * known
	 */
	size_t nr_numa_nodes;
	uint32_t *numa_nodes;
};

struct run_dropped {
	const char *what, *why;
	uint64_t count; /* 0: not countable */
	/* RUN_RECORDING: what recorded accesses lack; RUN_THREADS: whole threads; "" or NULL: none */
	const char *topic;
	/* of the function whose name completes `what`; offset 0: none */
	struct code_address code;
	struct source source; /* filled when resolved */
};
#define RUN_RECORDING "recording"
#define RUN_THREADS "threads"

/* what `report` says of every sensor */
struct run_sensor {
	const char *name;
	bool works;
	const char *why; /* where it does not, or only in part */
};

/*
 * A metric of hardware counters that could be measured, or that the user or a property requested.
 */
struct run_counter {
	uint32_t metric;
	/* as the user named it (--event); NULL: one of the portable metrics */
	const char *event;
	/* events behind it, as the CPU's table has them; NULL: none */
	const char *formula;
	enum ms_missing why; /* MS_PRESENT: there are values */
	const char *text;    /* why in words; "" or NULL: as ms_missing_text(why) */
	/* times its values were discarded because another user took the counters */
	uint64_t taken;
};

/* How hardware counters were read. */
struct run_counting {
	const char *backend, *table; /* NULL: none worked */
	uint32_t at_once;            /* most metrics at a time */
	uint64_t sets;               /* different ones */
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

/* How first touches were observed. */
struct run_touching {
	uint64_t page_bytes; /* 0: page faults were not sampled */
	uint64_t faults;     /* seen */
	uint64_t lost;       /* not seen: the kernel's ring was full */
	uint64_t nobodys;    /* of those seen: in none of the arrays */
	/* of those seen: counted, not sampled one by one, as a thread had many at once */
	uint64_t others;
	double read_ns; /* what reading the declarations took */
};

/*
 * A phase of a program that has several, one after the other. A run has the results of one; those of
 * the others are runs of their own in its record (record_phase).
 */
struct run_phase_found {
	uint32_t number; /* from 1, in the order of time */
	bool here;       /* the results are of this one */
	enum phase_method method;
	uint32_t region; /* the region that starts it, or MS_REGION_NONE */
	uint64_t executions;
	double wall_ns; /* of these in all */
};

struct run_phase {
	enum phase_method method;
	uint32_t region;          /* the region that starts it, or MS_REGION_NONE */
	uint64_t executions;      /* seen, complete */
	uint64_t executions_read; /* of these, in which anything was measured */
	double wall_ns;           /* of these in all */
	double min_ns, max_ns;
	const char *note; /* e.g. why none was found; NULL */
	/* executions in the record from before it began; bursts among them are of any phase */
	uint64_t kept_before;
	/* executions in the record when another phase followed; 0: none did */
	uint64_t kept_until;
	/* of its executions before it was recognised, which are not among those above; ns */
	double before_ns;
};

struct run_cost {
	/* callbacks (sampled, scaled), boundaries without waits, start and end (measured) */
	double tool_cpu_ns;
	double program_wall_ns, program_cpu_ns;
	/*
	 * 1 + tool time over program time on the critical thread, from the start of the process; an
	 * estimate; NAN: not known
	 */
	double slowdown;
	uint64_t experiments;
	/* Hollingsworth & Miller, table 1 */
	uint64_t counters_possible, counters_used, samples_possible, samples_used;
	uint64_t record_bytes; /* of a record without an end: those of the file */
	double limit;          /* --overhead, as a fraction */
	/* time that its threads were ready to run and had no CPU; 0: also where it is unknown */
	double run_delay_ns;
	/* CPU time of the process's threads that are not OpenMP's; 0: also where it is unknown */
	double others_cpu_ns;
	bool limit_bound; /* the budget kept us from measuring more */
	/*
	 * most of memsearch's own memory that was resident when the record was written; 0: not
	 * known
	 */
	uint64_t memory_bytes;
	/*
	 * from the begin of the process to that of program_wall_ns, when the OpenMP runtime started
	 * memsearch; in no value of the run. 0: not known
	 */
	double before_ns;
};

/*
 * One value of the matrix of a sweep that the run is of: "threads" "16", "env:OMP_PROC_BIND"
 * "spread".
 */
struct run_setting {
	const char *name, *value;
};
/* Names of others, of the matrix (analysis/sweep/settings.h). */
#define SETTING_BINARY "binary"
#define SETTING_THREADS "threads"
#define SETTING_REPETITION "repetition"
#define SETTING_ARGUMENTS "arguments"
#define SETTING_OPTIONS "options"
#define SETTING_OVERSUBSCRIBED "oversubscribed"
#define SETTING_ENVIRONMENT "env:" /* before the variable's name */
/* the modelled one: a run has a row in the store for each (analysis/store/store.h) */
#define RUN_SETTING_MACHINE "machine"

/* What `memsearch sweep` measured around the run; all 0: it is not of a sweep. */
struct run_sweep {
	/* wall time of the same configuration without memsearch; 0: not known */
	double unprofiled_ns;
	/* wall time of this run as `memsearch run` took it, from start to end */
	double profiled_ns;
	uint32_t position; /* of the run in its sweep, from 1; 0: none */
};

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
	/* in the order of time; none where there is one phase at most */
	struct run_phase_found *phases;
	size_t nr_phases, room_phases;
	struct run_access *accesses;
	size_t nr_accesses, room_accesses;
	struct run_sharing *sharings;
	size_t nr_sharings, room_sharings;
	/* each name once; none: not of a sweep */
	struct run_setting *settings;
	size_t nr_settings, room_settings;
};

/* CPUs that the process's threads use that are not OpenMP's, on average; 0: also where it is unknown. */
static inline double run_other_cpus(const struct run *run)
{
	return run->cost.program_wall_ns > 0 ? run->cost.others_cpu_ns / run->cost.program_wall_ns
					     : 0;
}
/* from which on they are said to take part */
#define RUN_OTHER_CPUS_LEAST 0.1

/* What makes a run from a file invalid: "regions[3].parent", "is 7, not an earlier row". */
struct run_fault {
	char where[96], why[96];
};

/*
 * Checks a run that came from a file against the rules of its fields (analysis/record/fields.h).
 * True: every index names a row, parents stand before their children, numbers are possible, strings
 * are there unless they are optional. False: *fault_out has the first error, and the run must not
 * be used. Rows that name a metric of a later version are removed; `removed_out` gets their number.
 * If !run->complete, indices of rows that were cut off are corrected. A run that passed is not
 * changed by a second check.
 */
bool run_check(struct run *run, size_t *removed_out, struct run_fault *fault_out);
/*
 * The region of the whole run or phase that a region is in, a parallel region or serial stretch, or
 * the region itself.
 */
uint32_t run_outermost(const struct run *run, uint32_t region);
/*
 * The construct that a data structure, loop or function is in, or the region itself; MS_REGION_NONE:
 * its parent is not in the run.
 */
uint32_t run_construct(const struct run *run, uint32_t region);
/* A metric of an array in all regions and on all threads; 0: no rows. */
double run_array_sum(const struct run *run, uint32_t array, uint32_t metric);
/*
 * Part of what was written of the array, as far as that is known, whose first touches were seen; 1:
 * also where it has, or had, several blocks.
 */
double run_touched_part(const struct run *run, uint32_t array);
#define RUN_TOUCHED_LEAST 0.5 /* to tell who touched it first */
/* Whether the region is `outer`, or inside of it. */
bool run_is_inside(const struct run *run, uint32_t region, uint32_t outer);
/* Number of the phase that the results are of; 0: there is one phase at most, or they are of none. */
uint32_t run_phase_here(const struct run *run);
/* Value of a setting; NULL: it has none of that name. */
const char *run_setting(const struct run *run, const char *name);
/* One more thing that was not measured, as far as there is memory; its texts stay the caller's. */
void run_note_dropped(struct run *run, struct arena *arena, struct run_dropped dropped);
/* The same of `count` things without a place in the code; nothing where there are none. */
void run_note_count(struct run *run, struct arena *arena, const char *what, const char *why,
		    uint64_t count);

#endif
