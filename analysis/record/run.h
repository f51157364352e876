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
	/* RUN_RECORDING: what recorded accesses lack; "" or NULL: none */
	const char *topic;
	/* of the function whose name completes `what`; offset 0: none */
	struct code_address code;
	struct source source; /* filled when resolved */
};
#define RUN_RECORDING "recording"

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

struct run_site {
	struct code_address address; /* return address of the allocation */
	struct source source;        /* filled when resolved */
};

/*
 * A data structure of the program, by the name the programmer gave it. Heap blocks of one
 * allocation site are one.
 */
struct run_array {
	uint32_t id;
	/*
	 * id + 1 of the array that it is a range of, whose accesses in it count here; 0: it is
	 * none. Set only in the process that requested the range
	 */
	uint32_t whole;
	/* "static", "common", "module", "heap", "stack", "thread_private", "automatic" */
	const char *kind;
	const char *name; /* COMMON members "block/member"; "" unknown */
/* … of heap blocks below the size of those that are arrays of their own */
#define RUN_SMALL_BLOCKS "small heap blocks"
	const char *type; /* of an element; "" unknown */
	/* as declared: "[1335][1335]", "(0:1334,1335)"; "" a scalar, or unknown */
	const char *shape;
	/* of the declaration, or of the allocation; "" unknown */
	const char *file;
	int line;               /* 0 unknown */
	const char *module;     /* path of the file it is in; "" heap, stacks */
	uint32_t element_bytes; /* 0 unknown */
	uint64_t bytes;         /* of its largest state */
	uint64_t blocks, live_blocks;
	struct code_address site;  /* heap: return address of the allocation */
	struct source site_source; /* filled when resolved */
	/* in memory at the end, by the process's page table … */
	uint64_t resident_bytes;
	enum ms_missing resident_why; /* … unless this says why that is not known */
	/* heap: calls that led to the site, outermost first, as far as they are known */
	size_t nr_path;
	struct code_address *path; /* return addresses */
	/* the same with those that were inlined, filled when resolved */
	size_t nr_callers;
	struct source *callers;
	/* small heap blocks: further sites that allocated many of them, descending */
	size_t nr_further;
	struct run_site *further;
};

/* Only blocks below the threshold of those that are recorded were allocated at its site. */
static inline bool run_array_is_empty(const struct run_array *array)
{
	return array->site.module != UINT32_MAX && !array->blocks && !array->bytes;
}

/* The array that was declared or allocated: itself, or that which it is a range of. */
static inline uint32_t run_array_declared(const struct run_array *arrays, uint32_t array)
{
	return arrays[array].whole ? arrays[array].whole - 1 : array;
}

/* Whether ranges of it are arrays of their own. `nr`: of arrays. */
static inline bool run_array_is_divided(const struct run_array *arrays, size_t nr, uint32_t array)
{
	/* ranges come last */
	while (nr && arrays[nr - 1].whole && arrays[nr - 1].whole != array + 1)
		nr--;
	return nr && arrays[nr - 1].whole;
}

static inline bool run_array_is_stack(const struct run_array *array)
{
	return array->kind && !strcmp(array->kind, "stack");
}

/* Consecutive pages of the system's page size; the address is in the process. */
struct run_pages {
	uint64_t address, pages;
};

/*
 * Pages of an array that one thread was the first to touch, from one instruction in one region.
 * `before`: pages that were in memory when memsearch started, touched by the initial thread
 * (RUN_THREAD_UNKNOWN: there were others) at an unknown place. `by_kernel`: pages that no
 * instruction of the program faulted: system calls such as read wrote them, or the kernel made a
 * huge page.
 */
#define RUN_THREAD_UNKNOWN UINT32_MAX
struct run_touch {
	uint32_t array, thread;
	/* where the thread was last seen by then, or RUN_PLACE_UNKNOWN */
	uint32_t node;
	uint32_t region; /* MS_REGION_NONE: not known */
	bool before, by_kernel;
	struct code_address address, leaf; /* as in struct run_hotspot */
	bool is_return;
	/*
	 * page faults whose address lies in the array; 0 where a neighbour's brought its pages, too
	 */
	uint64_t faults;
	/*
	 * of the system's page size, of which at least a part is the array's; each is counted once
	 */
	uint64_t pages;
	uint64_t bytes;       /* of the array, in these pages */
	struct source source; /* filled when resolved */
	/*
	 * pages whose addresses are known, by address; one page in `every` stands for its
	 * neighbours. 0: not kept
	 */
	uint64_t every;
	size_t nr_ranges;
	struct run_pages *ranges;
};

/*
 * What accesses miss on the modelled machine (--machine), and what that moves. Sums of all threads
 * over the executions of the phase that were simulated: those in which its metrics were measured.
 */
struct run_misses {
	uint64_t reads, writes; /* simulated; both 0: none was */
	uint64_t l1, l2, l3;    /* accesses that this level does not serve */
	/* of those of L2, or of L1 where there is no L2 */
	uint64_t cold, capacity, conflict, true_sharing, false_sharing;
	/* lines from the memory of the own node and of others, and from other cores */
	uint64_t local, remote, transfers;
	uint64_t prefetched;  /* accesses to lines that a prefetcher had brought */
	uint64_t prefetches;  /* lines from memory that prefetchers brought */
	uint64_t write_backs; /* lines written to memory */
	uint64_t page_walks;
	uint64_t fetched, used; /* bytes of lines brought, and of these touched */
	uint64_t cycles;        /* waited if nothing overlaps */
};

/*
 * What one instruction does to one data structure in one region: every access of the executions
 * that were recorded, all threads together. A vector is one value.
 */
#define RUN_ARRAY_NONE UINT32_MAX /* in none of the arrays */
struct run_access {
	uint32_t array, region;
	struct code_address address;
	uint32_t bytes; /* of a value */
	/* region of the innermost natural loop it is in; of another kind: it is in none */
	uint32_t loop;
	uint64_t reads, writes; /* values */
	/*
	 * of the region, summed over the threads that recorded it; task and single: of all, for
	 * each of these
	 */
	uint64_t executions;
	uint32_t threads; /* that accessed it */
	/* number of the operand in the run's traces (analysis/trace/trace_pieces.h) */
	uint32_t site;
	uint64_t least, most; /* values of the thread with the fewest and the most */
	/* bytes between its accesses, the most frequent; 0: none, or always the same place */
	double stride;
	double with_stride; /* part of the accesses that keep to it */
	/*
	 * part of its steps to another cache line that are its stride, short, or like the last far
	 * one (analysis/counting/access_table.h); 0 in records before STORE_VERSION 32
	 */
	double regular;
	/*
	 * bytes by which it reads behind what its loop writes, which earlier iterations have
	 * written; 0: it does not, as far as ranges of addresses show
	 */
	uint64_t carried;
	struct source source; /* filled when resolved */
	struct run_misses misses;
};

/*
 * Of the region by each thread, as threads execute one together. 0: none was recorded completely.
 */
static inline double run_access_executions(const struct run_access *access)
{
	return access->threads ? (double)access->executions / access->threads : 0;
}

/*
 * Cache lines of one data structure that threads share in one region. Sums over the executions that
 * were compared.
 */
struct run_sharing {
	uint32_t array, region;
	uint64_t executions;
	/* that one thread writes and another touches, no word of them both */
	uint64_t lines;
	uint64_t same_lines; /* the same, but words of these, too */
	uint64_t accesses;   /* to `lines` */
	uint64_t threads;    /* that touch some of them */
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

/* Consecutive pages on one node, by the pages that were queried. */
struct run_stretch {
	uint64_t address; /* of the first page, in the process */
	uint64_t pages;   /* of the system's page size; at least 1 */
	uint32_t node;    /* by the kernel's number, or one of: */
};
#define RUN_NODES_MOST 1024           /* numbers of nodes: below; Linux, MAX_NUMNODES */
#define RUN_NODE_UNTOUCHED UINT32_MAX /* was never written: has no memory */
#define RUN_NODE_UNKNOWN (UINT32_MAX - 1)
#define RUN_NODE_UNMAPPED (UINT32_MAX - 2)

/*
 * Nodes of the pages of an array's live blocks at one time. An array has two: of the first query,
 * and of the last one while it was allocated.
 */
struct run_placement {
	uint32_t array;
	bool at_end; /* the program had ended its work */
	bool file;   /* its first block is mapped from a file */
	/* executions of the phase that were complete then */
	uint64_t execution;
	uint64_t every; /* one page in this number was queried */
	uint64_t asked; /* number of pages that were queried */
	/* of it in pages larger than the system's; RUN_HUGE_UNKNOWN: not known */
	uint64_t huge_bytes;
#define RUN_HUGE_UNKNOWN UINT64_MAX
	/* by address */
	size_t nr_stretches;
	struct run_stretch *stretches;
};

/* How the nodes of pages were queried (move_pages(2)). */
struct run_placing {
	/* why no page was queried, or not all; NULL: all were */
	const char *why;
	uint64_t page_bytes; /* 0: no page was queried */
	uint64_t asked;      /* pages in all, and … */
	double ns;           /* … the time that took */
	bool balancing;      /* the kernel's automatic NUMA balancing was on */
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

/*
 * A change of placement that was tried between executions of the phase (--try): executions with it
 * and without it alternated, and it was undone.
 */
#define RUN_TRIAL_FIRST_TOUCH "first-touch" /* pages on the nodes whose threads use them */
#define RUN_TRIAL_INTERLEAVE "interleave"   /* pages interleaved over the nodes */
#define RUN_TRIAL_BIND "bind"               /* each thread on the CPUs of its present node */
struct run_trial {
	const char *remedy; /* one of the above */
	/* arrays whose pages it moved, most lines from other nodes first */
	size_t nr_arrays;
	uint32_t *arrays;
	/* pairs of blocks of executions, without it and with it, that were compared */
	uint32_t pairs;
	/* part of the time of an execution; below 0: it takes longer. NAN: fewer than two pairs */
	double gain, half_width;    /* of the 95 % interval, by Student's t over the pairs */
	double before_ns, after_ns; /* mean of an execution without and with it; 0: not known */
	uint64_t executions;        /* of the phase, in all */
	uint64_t pages;             /* that change their node, of the system's size, and … */
	uint64_t unmoved;           /* … of these, that the kernel did not move, and … */
	uint64_t not_back;          /* … that are not on their first node afterwards */
	double moving_ns;           /* that moving took, in all */
	uint32_t threads;           /* that it bound */
	const char *why;            /* why it ended before it was decided; NULL: it was */
};

/* Trials of placements. */
struct run_trying {
	bool asked;      /* --try */
	const char *why; /* why nothing was tried; NULL: something was */
	/*
	 * of the initial thread, "bind", "interleave", … (get_mempolicy(2)): first touches do not
	 * place pages; NULL: the default one, by which they do
	 */
	const char *policy;
	/* cache lines that recorded accesses of the phase enter, and those of pages of other nodes */
	uint64_t lines, remote;
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
 * Executions of the phase that the counts of a simulation are of. Runs of one binary with the same
 * basis, but for mixed, and as many steps have the same counts.
 */
enum run_basis {
	/* parts of several, as far as recorded or simulated in time; or not known */
	RUN_BASIS_MIXED,
	/* bursts before the phase was known, which hold each region whole */
	RUN_BASIS_BURSTS,
	RUN_BASIS_ONE, /* one whole execution */
	/* a whole one behind another: the caches held what it left */
	RUN_BASIS_STEADY
};

/*
 * The machine whose caches were simulated; name NULL: none. What keeps its counts from being the
 * same in each run.
 */
struct run_modelled {
	const char *name, *title;
	/* threads were simulated in this host's order from where memory was full */
	uint64_t early_windows;
	uint64_t lost_teams;    /* whose place in time was not known */
	uint64_t lost_accesses; /* were not simulated */
	uint64_t lost_lines;    /* whose misses may have a wrong class */
	/* accessed on its nodes; 0: not known, or it has one node */
	uint64_t pages;
	/* those of them that lie where the program touched them first */
	uint64_t pages_placed;
	/* core i is of node i / (cores / nodes); 0: not known */
	uint32_t cores, nodes;
	/*
	 * by thread, its core; NULL, or a thread without one: thread i runs on core i. Known to who
	 * simulates only, as …
	 */
	const uint32_t *thread_cores;
	uint32_t nr_thread_cores;
	/* … cores and pages in words; NULL: nothing was asked for, and there is one node */
	const char *placement;
	uint32_t line; /* bytes that come from memory at once; 0: not known */
	/* of data caches that it has: 1 << (level - 1); 0: not known */
	uint32_t levels;
	uint32_t one_in; /* set sampling, one line in this number; 0, 1: all */
	/* set sampling, one line in this number, as no others were recorded beyond --trace-limit */
	bool lines_recorded;
	/* it is a model of the machine that the program ran on */
	bool here;
	/* … of the one that reads the record, another; known to who simulates only */
	bool of_reader;
	uint32_t basis; /* enum run_basis */
	/* executions of the phase, short ones, that the counts are the mean of; 0: not known */
	uint32_t steps;
	/*
	 * of the recorded accesses of executions that are not kept whole, the part that is: it
	 * stands for all; 0: there are none; known to who simulates only
	 */
	double begins;
	/* … and between them data was accessed that stands for the rest; known as `begins` */
	bool begins_apart;
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
