/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_METRIC_H
#define MEMSEARCH_METRIC_H

/*
 * The metrics that sensors measure: name, unit, the entity that one value belongs to (`per`), the
 * sensor that measures it, meaning. Derived metrics (ratios, imbalances) are formulas in
 * properties/metrics/ and never appear here.
 *
 * Every measured metric is additive: the value of one (region, thread) over several executions of
 * the region is the sum. A gauge is not. Its value is the latest one (MS_GAUGE_LATEST), or the one
 * it has in nine of ten executions of the phase (MS_GAUGE_LASTING; no value if there is none).
 *
 * To add a metric: 1. a row here, at the end; 2. the sensor that fills it.
 */
/* how a number was obtained, best first; a value with a simulated part is simulated */
enum ms_rung {
	MS_RUNG_NONE, /* there is no number */
	/* PMU, an OS event counter, every access recorded, page faults of user code */
	MS_RUNG_COUNTED,
	MS_RUNG_SAMPLED,   /* address or clock samples; has an error bar */
	MS_RUNG_SIMULATED, /* cache model fed by recorded accesses */
	MS_RUNG_TIMED,     /* differences of clock readings */
	MS_RUNGS
};

enum ms_gauge { MS_GAUGE_NONE, MS_GAUGE_LATEST, MS_GAUGE_LASTING };

/*  X(ID, name, summary) */
/* clang-format off */
#define MS_SENSOR_LIST(X) \
	X(CLOCK, "clock", "time in regions, at barriers and in locks, from the times of OpenMP events") \
	X(RUSAGE, "rusage", "CPU time, context switches, page faults, block I/O and allocations of threads, and the CPU they run on") \
	X(SAMPLES, "samples", "CPU-clock samples of user code, with stacks, by polled kernel rings") \
	X(FAULTS, "faults", "minor page faults of user code, with data address and instruction") \
	X(COUNTERS, "counters", "hardware counters of the CPU by portable metrics, and software events of the kernel") \
	X(ACCESSES, "accesses", "every memory access of chosen functions, by data structure, recorded by an instrumented copy") \
	X(SIMULATED, "simulated", "cache, TLB and memory traffic of a modelled machine, from recorded accesses after the run (--machine)") \
	X(ADDRESSES, "addresses", "data accesses sampled by the PMU with address, latency and source of the data (--addresses)") \
	X(WATCHPOINTS, "watchpoints", "accesses to words of cache lines that look falsely shared, by hardware breakpoints, some thousand in all") \
	X(LOOPS, "loop_time", "time of natural loops and called functions, by a copy of their code that reads the clock at entries and exits (--strategy loop_aware)")
/* clang-format on */

/* also bit numbers of the sensor masks of regions (ompt_tool/regions/region.h) */
enum ms_sensor_id {
#define X(id, name, summary) MS_SENSOR_##id,
	MS_SENSOR_LIST(X)
#undef X
	MS_SENSORS
};

/* Name in reports and options. `sensor` must be below MS_SENSORS. */
static inline const char *ms_sensor_name(unsigned int sensor)
{
	static const char *const names[MS_SENSORS] = {
#define X(id, name, summary) name,
		MS_SENSOR_LIST(X)
#undef X
	};
	return names[sensor];
}

/* Description in `memsearch list sensors`. `sensor` must be below MS_SENSORS. */
static inline const char *ms_sensor_summary(unsigned int sensor)
{
	static const char *const summaries[MS_SENSORS] = {
#define X(id, name, summary) summary,
		MS_SENSOR_LIST(X)
#undef X
	};
	return summaries[sensor];
}

/*
 * Metrics of hardware counters, under portable names. The files properties/metrics/NAME.events list
 * the CPU's events for each name, and state what they do not count; a metric without an event is
 * unsupported. All count user code. A line is a cache line of the machine.
 */
#define MS_METRIC_COUNTER(X, ID, name, meaning) \
	X(ID, name, "1", "thread and execution", COUNTERS, COUNTED, 0, meaning)
#define MS_METRIC_COUNTERS(X) \
	MS_METRIC_COUNTER(X, CYCLES, "cycles", "CPU cycles, not halted") \
	MS_METRIC_COUNTER(X, INSTRUCTIONS, "instructions", "instructions completed") \
	MS_METRIC_COUNTER(X, STALL_CYCLES, "stall_cycles", \
			  "cycles in which the core executes nothing because it waits for memory") \
	MS_METRIC_COUNTER(X, LOADS, "loads", "instructions that load data, or loads") \
	MS_METRIC_COUNTER(X, STORES, "stores", "instructions that store data, or stores") \
	MS_METRIC_COUNTER(X, L1D_MISSES, "l1d_misses", \
			  "data accesses that are not served by the first-level data cache") \
	MS_METRIC_COUNTER(X, L1D_READ_MISSES, "l1d_read_misses", \
			  "loads that are not served by the first-level data cache") \
	MS_METRIC_COUNTER(X, L1D_WRITE_MISSES, "l1d_write_misses", \
			  "stores that are not served by the first-level data cache") \
	MS_METRIC_COUNTER(X, L2D_MISSES, "l2d_misses", \
			  "data accesses that are not served by the second-level cache") \
	MS_METRIC_COUNTER(X, L2D_READ_MISSES, "l2d_read_misses", \
			  "loads that are not served by the second-level cache") \
	MS_METRIC_COUNTER(X, L2D_WRITE_MISSES, "l2d_write_misses", \
			  "stores that are not served by the second-level cache") \
	MS_METRIC_COUNTER(X, L3D_MISSES, "l3d_misses", \
			  "data accesses that are not served by the last-level cache") \
	MS_METRIC_COUNTER(X, L3D_READ_MISSES, "l3d_read_misses", \
			  "loads that are not served by the last-level cache") \
	MS_METRIC_COUNTER(X, L3D_WRITE_MISSES, "l3d_write_misses", \
			  "stores that are not served by the last-level cache") \
	MS_METRIC_COUNTER(X, DRAM_LOCAL, "dram_local", \
			  "lines a data access gets from the memory of its own NUMA node") \
	MS_METRIC_COUNTER(X, DRAM_REMOTE, "dram_remote", \
			  "lines a data access gets from the memory of another NUMA node") \
	MS_METRIC_COUNTER(X, HITM, "hitm", \
			  "loads served with a line that another core's cache has modified") \
	MS_METRIC_COUNTER(X, TLB_WALKS, "tlb_walks", \
			  "data accesses that miss all TLBs, so that the page table is walked") \
	MS_METRIC_COUNTER(X, TLB_WALK_CYCLES, "tlb_walk_cycles", \
			  "cycles in which a page table is walked for a data access") \
	MS_METRIC_COUNTER(X, PREFETCHES, "prefetches", \
			  "lines the hardware prefetches into a cache of the core") \
	MS_METRIC_COUNTER(X, DRAM_READS, "dram_reads", \
			  "lines the core gets from memory, by data accesses and prefetches") \
	MS_METRIC_COUNTER(X, PAGE_FAULTS, "page_faults", \
			  "page faults of user code, as the kernel counts them") \
	MS_METRIC_COUNTER(X, EVENT_1, "event_1", "first event named by the user") \
	MS_METRIC_COUNTER(X, EVENT_2, "event_2", "second event named by the user") \
	MS_METRIC_COUNTER(X, EVENT_3, "event_3", "third event named by the user") \
	MS_METRIC_COUNTER(X, EVENT_4, "event_4", "fourth event named by the user") \
	MS_METRIC_COUNTER(X, EVENT_5, "event_5", "fifth event named by the user") \
	MS_METRIC_COUNTER(X, EVENT_6, "event_6", "sixth event named by the user") \
	MS_METRIC_COUNTER(X, EVENT_7, "event_7", "seventh event named by the user") \
	MS_METRIC_COUNTER(X, EVENT_8, "event_8", "eighth event named by the user")

/*
 * The same of a modelled machine (--machine), and metrics that no hardware has. A line is one of
 * the named level. Classes are of misses in the second-level cache, or the first-level one where
 * there is no second.
 */
#define MS_METRIC_MODELLED(X, ID, name, unit, meaning) \
	X(SIM_##ID, "simulated_" name, unit, "thread and execution", SIMULATED, SIMULATED, 0, \
	  meaning)
#define MS_METRIC_SIMULATED(X) \
	MS_METRIC_MODELLED(X, LOADS, "loads", "1", \
			   "reads of the code that was recorded, single elements of gathers") \
	MS_METRIC_MODELLED( \
		X, STORES, "stores", "1", \
		"writes of the code that was recorded, single elements of scatters; what reads and writes at once is one") \
	MS_METRIC_MODELLED(X, L1D_MISSES, "l1d_misses", "1", \
			   "accesses that the first-level data cache does not serve") \
	MS_METRIC_MODELLED(X, L1D_READ_MISSES, "l1d_read_misses", "1", \
			   "reads that the first-level data cache does not serve") \
	MS_METRIC_MODELLED(X, L1D_WRITE_MISSES, "l1d_write_misses", "1", \
			   "writes that the first-level data cache does not serve") \
	MS_METRIC_MODELLED(X, L2D_MISSES, "l2d_misses", "1", \
			   "accesses that the second-level cache does not serve") \
	MS_METRIC_MODELLED(X, L2D_READ_MISSES, "l2d_read_misses", "1", \
			   "reads that the second-level cache does not serve") \
	MS_METRIC_MODELLED(X, L2D_WRITE_MISSES, "l2d_write_misses", "1", \
			   "writes that the second-level cache does not serve") \
	MS_METRIC_MODELLED(X, L3D_MISSES, "l3d_misses", "1", \
			   "accesses that the third-level cache does not serve") \
	MS_METRIC_MODELLED(X, L3D_READ_MISSES, "l3d_read_misses", "1", \
			   "reads that the third-level cache does not serve") \
	MS_METRIC_MODELLED(X, L3D_WRITE_MISSES, "l3d_write_misses", "1", \
			   "writes that the third-level cache does not serve") \
	MS_METRIC_MODELLED(X, DRAM_LOCAL, "dram_local", "1", \
			   "lines that come from the memory of the core's own NUMA node") \
	MS_METRIC_MODELLED(X, DRAM_REMOTE, "dram_remote", "1", \
			   "lines that come from the memory of another NUMA node") \
	MS_METRIC_MODELLED(X, HITM, "hitm", "1", \
			   "lines that come from another core's cache, which has modified them") \
	MS_METRIC_MODELLED(X, TLB_MISSES, "tlb_misses", "1", \
			   "page look-ups that miss the first-level TLB") \
	MS_METRIC_MODELLED(X, TLB_WALKS, "tlb_walks", "1", \
			   "page look-ups that miss all TLBs, so that the page table is walked") \
	MS_METRIC_MODELLED(X, PREFETCHES, "prefetches", "1", \
			   "lines prefetched into a cache of the core") \
	MS_METRIC_MODELLED( \
		X, PREFETCHED, "prefetched", "1", \
		"accesses that miss the first level and hit a prefetched line, only the first of each line") \
	MS_METRIC_MODELLED(X, DRAM_PREFETCHES, "dram_prefetches", "1", \
			   "lines prefetched that come from memory") \
	MS_METRIC_MODELLED(X, STALL_CYCLES, "stall_cycles", "1", \
			   "cycles that all accesses would wait if none overlapped") \
	MS_METRIC_MODELLED(X, COLD, "cold_misses", "1", \
			   "misses of lines that were never in the cache") \
	MS_METRIC_MODELLED(X, CAPACITY, "capacity_misses", "1", \
			   "misses that a fully associative cache of the size would have, too") \
	MS_METRIC_MODELLED(X, CONFLICT, "conflict_misses", "1", \
			   "misses that a fully associative cache of the size would not have") \
	MS_METRIC_MODELLED( \
		X, TRUE_SHARING, "true_sharing_misses", "1", \
		"coherence misses: another core's write invalidated the line, and the accessed words are among those it wrote") \
	MS_METRIC_MODELLED( \
		X, FALSE_SHARING, "false_sharing_misses", "1", \
		"coherence misses: another core's write invalidated the line, but not the accessed words") \
	MS_METRIC_MODELLED( \
		X, UPGRADES, "upgrades", "1", \
		"writes to lines of which other cores have copies, which are invalidated") \
	MS_METRIC_MODELLED(X, WRITE_BACKS, "write_backs", "1", "lines written to memory") \
	MS_METRIC_MODELLED( \
		X, FETCHED_BYTES, "fetched_bytes", "bytes", \
		"bytes of the lines brought into the second-level cache, or the first-level one where there is no second") \
	MS_METRIC_MODELLED( \
		X, USED_BYTES, "used_bytes", "bytes", \
		"of these, bytes that the core touched, in words of 4, while the line was there") \
	MS_METRIC_MODELLED( \
		X, BYPASSED, "bypassed", "1", \
		"accesses by floating-point and vector registers that bypass the first-level data cache") \
	MS_METRIC_MODELLED( \
		X, CONTESTED, "contested", "1", \
		"accesses to lines that another core has written since this core's last access: an upper bound of coherence misses") \
	MS_METRIC_MODELLED( \
		X, BUSIEST_LINES, "busiest_lines", "1", \
		"lines from memory, by accesses and prefetches, that come from the node from whose memory the region gets most") \
	MS_METRIC_MODELLED( \
		X, SHARED_LINES, "shared_lines", "1", \
		"lines from memory, by accesses and prefetches, of pages that threads of several nodes get lines of") \
	MS_METRIC_MODELLED( \
		X, SPLIT_REMOTE, "split_remote", "1", \
		"lines from another node's memory of huge pages whose small parts are each used by one node") \
	MS_METRIC_MODELLED( \
		X, REMOTE_HITM, "remote_hitm", "1", \
		"lines that come from the cache of a core of another node, which has modified them") \
	MS_METRIC_MODELLED( \
		X, PHASE_STORES, "phase_stores", "1", \
		"writes to the data structure in all constructs that were recorded, by all threads; they count for one of these")

/*
 * The same by samples of data addresses: the number of samples, and estimates: samples times the
 * period.
 */
#define MS_METRIC_SAMPLE(X, ID, name, meaning) \
	X(ID, name, "1", "thread and execution", ADDRESSES, SAMPLED, 0, meaning)
#define MS_METRIC_SAMPLED(X) \
	MS_METRIC_SAMPLE( \
		X, ADDRESS_SAMPLES, "address_samples", \
		"data accesses (or page faults in their place) sampled with their address, with those of inner constructs") \
	MS_METRIC_SAMPLE(X, SAMPLED_LOADS, "sampled_loads", "loads, by samples") \
	MS_METRIC_SAMPLE(X, SAMPLED_STORES, "sampled_stores", "stores, by samples") \
	MS_METRIC_SAMPLE( \
		X, SAMPLED_L1D_MISSES, "sampled_l1d_misses", \
		"accesses that the first-level data cache does not serve, by samples; accesses to lines that are being filled included") \
	MS_METRIC_SAMPLE(X, SAMPLED_L2D_MISSES, "sampled_l2d_misses", \
			 "accesses that the second-level cache does not serve, by samples") \
	MS_METRIC_SAMPLE(X, SAMPLED_L3D_MISSES, "sampled_l3d_misses", \
			 "accesses that the last-level cache does not serve, by samples") \
	MS_METRIC_SAMPLE(X, SAMPLED_DRAM_LOCAL, "sampled_dram_local", \
			 "accesses served by the memory of the own NUMA node, by samples") \
	MS_METRIC_SAMPLE(X, SAMPLED_DRAM_REMOTE, "sampled_dram_remote", \
			 "accesses served by the memory of another NUMA node, by samples") \
	MS_METRIC_SAMPLE(X, SAMPLED_HITM, "sampled_hitm", \
			 "accesses to a line that another core's cache has modified, by samples") \
	MS_METRIC_SAMPLE(X, SAMPLED_TLB_WALKS, "sampled_tlb_walks", \
			 "accesses that miss all TLBs, by samples") \
	MS_METRIC_SAMPLE( \
		X, SAMPLED_WAIT_CYCLES, "sampled_wait_cycles", \
		"cycles that accesses beyond the first-level cache take if none overlap, by samples")

#define MS_METRIC_RUSAGE(X, ID, name, meaning) \
	X(ID, name, "1", "thread and execution", RUSAGE, COUNTED, 0, meaning)

/*  X(ID, name, unit, per, sensor, rung, gauge, meaning) */
/* clang-format off */
#define MS_METRIC_LIST(X) \
	X(TIME, "time", "ns", "thread and execution", CLOCK, TIMED, 0, \
	  "time a thread spends in a region up to its closing barrier") \
	X(WALL_TIME, "wall_time", "ns", "execution", CLOCK, TIMED, 0, \
	  "time from begin to end of a region on the thread that met it: parallel, serial and user regions") \
	X(BARRIER_WAIT, "barrier_wait", "ns", "thread and execution", CLOCK, TIMED, 0, \
	  "time a thread waits at a barrier, or at the barrier that closes a parallel region or a loop") \
	X(LOCK_WAIT, "lock_wait", "ns", "thread and execution", CLOCK, TIMED, 0, \
	  "time from asking for a lock, critical or ordered construct to getting it") \
	X(START_DELAY, "start_delay", "ns", "thread and execution", CLOCK, TIMED, 0, \
	  "time from the begin of a parallel region on its encountering thread to the begin of a thread's implicit task") \
	X(ITERATIONS, "iterations", "1", "thread and execution", CLOCK, COUNTED, 0, \
	  "loop iterations assigned to a thread, where the runtime reports them") \
	X(CHUNKS, "chunks", "1", "thread and execution", CLOCK, COUNTED, 0, \
	  "chunks of iterations assigned to a thread, where the runtime reports them") \
	X(TASKS, "tasks", "1", "thread and execution", CLOCK, COUNTED, 0, \
	  "explicit tasks a thread executed, at their creating construct") \
	X(TASK_TIME, "task_time", "ns", "thread and execution", CLOCK, TIMED, 0, \
	  "time a thread spends executing explicit tasks, without tasks it switched to meanwhile") \
	X(TOOL_TIME, "tool_time", "ns", "thread", CLOCK, TIMED, 0, \
	  "time spent in memsearch itself: callbacks and hooks of allocations (sampled and scaled) and phase boundaries (measured); of a region: callbacks of its own events alone") \
	X(CPU_TIME, "cpu_time", "ns", "thread and execution", RUSAGE, COUNTED, 0, \
	  "user and system time of the thread") \
	X(SYSTEM_TIME, "system_time", "ns", "thread and execution", RUSAGE, COUNTED, 0, \
	  "system time of the thread") \
	MS_METRIC_RUSAGE(X, VOLUNTARY_SWITCHES, "voluntary_switches", "times the thread gave up its CPU to wait (getrusage: ru_nvcsw)") \
	MS_METRIC_RUSAGE(X, INVOLUNTARY_SWITCHES, "involuntary_switches", "times the thread was preempted (getrusage: ru_nivcsw)") \
	MS_METRIC_RUSAGE(X, MINOR_FAULTS, "minor_faults", "page faults served without I/O (getrusage: ru_minflt)") \
	MS_METRIC_RUSAGE(X, MAJOR_FAULTS, "major_faults", "page faults that needed I/O (getrusage: ru_majflt)") \
	MS_METRIC_RUSAGE(X, BLOCK_READS, "block_reads", "512-byte blocks read from storage (getrusage: ru_inblock)") \
	MS_METRIC_RUSAGE(X, BLOCK_WRITES, "block_writes", "512-byte blocks written (getrusage: ru_oublock)") \
	MS_METRIC_RUSAGE(X, MIGRATIONS, "migrations", "changes of CPU seen between the begins and ends of regions") \
	X(ALLOWED_CPUS, "allowed_cpus", "1", "thread", RUSAGE, COUNTED, 1, \
	  "CPUs the thread may run on (sched_getaffinity), read inside its first parallel region") \
	X(SAMPLES, "samples", "1", "thread and execution", SAMPLES, SAMPLED, 0, \
	  "CPU-clock samples, those included that the ring had no room for") \
	X(SAMPLES_LOST, "samples_lost", "1", "thread", SAMPLES, COUNTED, 0, \
	  "CPU-clock samples lost because the ring was full") \
	X(FAULT_SAMPLES, "fault_samples", "1", "thread and execution", FAULTS, COUNTED, 0, \
	  "minor page faults taken in user code, each sampled with address and instruction while the ring has room") \
	X(FAULT_SAMPLES_LOST, "fault_samples_lost", "1", "thread", FAULTS, COUNTED, 0, \
	  "page-fault samples lost because the ring was full") \
	X(RELEASE_DELAY, "release_delay", "ns", "execution", CLOCK, TIMED, 0, \
	  "time from the last thread's arrival at the barrier that closes a parallel region until its encountering thread leaves it") \
	X(NODE, "node", "1", "thread", RUSAGE, COUNTED, 2, \
	  "NUMA node a thread runs on from its first parallel region on, by the kernel's number, if it stays there (nine of ten executions)") \
	MS_METRIC_COUNTERS(X) \
	X(READS, "reads", "1", "thread and execution", ACCESSES, COUNTED, 0, \
	  "reads from memory by recorded code, a vector being one, without those of inner constructs; of a natural loop, with those of inner loops") \
	X(WRITES, "writes", "1", "thread and execution", ACCESSES, COUNTED, 0, \
	  "writes to memory by recorded code, a vector being one, without those of inner constructs; of a natural loop, with those of inner loops") \
	X(READ_BYTES, "read_bytes", "bytes", "thread and execution", ACCESSES, COUNTED, 0, \
	  "bytes of these reads") \
	X(WRITTEN_BYTES, "written_bytes", "bytes", "thread and execution", ACCESSES, COUNTED, 0, \
	  "bytes of these writes") \
	X(STRIDED, "strided", "1", "thread and execution", ACCESSES, COUNTED, 0, \
	  "of these, accesses with a constant stride of 64 bytes or more that skips at least half of the bytes and of the cache lines in between") \
	X(CONTIGUOUS, "contiguous", "1", "thread and execution", ACCESSES, COUNTED, 0, \
	  "of the reads and writes, those with a constant stride that is shorter or skips less, also of 0") \
	X(FIRST_TOUCHED, "first_touched", "bytes", "thread", ACCESSES, COUNTED, 1, \
	  "bytes of a data structure in pages that the thread was the first to touch") \
	X(FALSELY_SHARED, "falsely_shared", "1", "thread and execution", ACCESSES, COUNTED, 0, \
	  "of the reads and writes, those to cache lines of 64 bytes that one thread of the team writes and another touches, in different words") \
	X(TOUCHED_LINES, "touched_lines", "1", "thread and execution", ACCESSES, COUNTED, 0, \
	  "different cache lines of 64 bytes that recorded code touches in a construct; one that several threads touch counts for one of them") \
	MS_METRIC_SIMULATED(X) \
	X(TOUCHED_MOST, "touched_most", "1", "execution", SIMULATED, COUNTED, 0, \
	  "different cache lines of 64 bytes that recorded code touches in a construct at most, by the sizes of data structures and the accesses to them; where touched_lines is not known") \
	MS_METRIC_SAMPLED(X) \
	X(ADDRESS_SAMPLES_LOST, "address_samples_lost", "1", "thread", ADDRESSES, COUNTED, 0, \
	  "address samples lost because the ring was full") \
	X(WATCHED_FIRST, "watched_first", "1", "thread and execution", WATCHPOINTS, COUNTED, 0, \
	  "writes to a word of a cache line that recorded accesses found falsely shared, counted by watchpoints up to a limit") \
	X(WATCHED_SECOND, "watched_second", "1", "thread and execution", WATCHPOINTS, COUNTED, 0, \
	  "accesses to another word of that line, which another thread accessed in recorded code, counted likewise") \
	X(LOCK_HELD, "lock_held", "ns", "thread and execution", CLOCK, TIMED, 0, \
	  "time from getting a lock or entering a critical construct to its release, time off the CPU included") \
	X(LOCK_ACQUISITIONS, "lock_acquisitions", "1", "thread and execution", CLOCK, COUNTED, 0, \
	  "times a thread held a lock or was in a critical construct") \
	X(LOCK_HANDOVERS, "lock_handovers", "1", "thread and execution", CLOCK, COUNTED, 0, \
	  "of these, times that another thread had held the lock before; of a MUTEX only") \
	X(LOCK_HANDOVER_TIME, "lock_handover_time", "ns", "thread and execution", CLOCK, TIMED, 0, \
	  "time of these from the other thread's release, or the later begin of the wait, to getting the lock; of a MUTEX only") \
	MS_METRIC_MODELLED( \
		X, L1_CONFLICT, "l1_conflict_misses", "1", \
		"misses of the first-level cache that a fully associative cache of its size would not have") \
	MS_METRIC_RUSAGE(X, ALLOCATIONS, "allocations", "blocks allocated by malloc and its like; those below 64 bytes by samples") \
	X(ATOMICS, "atomics", "1", "thread and execution", ACCESSES, COUNTED, 0, \
	  "of the writes, those of instructions that are atomic, as atomic constructs and locks have them") \
	X(LOOP_TIME, "loop_time", "ns", "thread and execution", LOOPS, TIMED, 0, \
	  "time from entry to exit of a natural loop or called function, what it calls included, reading the clock not") \
	X(LOOP_OWN_TIME, "loop_own_time", "ns", "thread and execution", LOOPS, TIMED, 0, \
	  "the same without the loops and called functions inside") \
	X(LOOP_ENTRIES, "loop_entries", "1", "thread and execution", LOOPS, COUNTED, 0, \
	  "executions of a natural loop, from entry to exit, or calls of a function") \
	X(PAGE_MOVES, "page_moves", "1", "data structure", SIMULATED, SAMPLED, 1, \
	  "moves of a page between NUMA nodes of this machine, by the kernel's answers at queries during the run, without one to the node that it stays on")
/* clang-format on */

enum ms_metric {
#define X(id, name, unit, per, sensor, rung, gauge, meaning) MS_METRIC_##id,
	MS_METRIC_LIST(X)
#undef X
	MS_METRICS
};

/*
 * Tables indexed by metric allocate a block of this many entries when the first value of the block
 * is stored: most rows have metrics of few sensors, and metrics of one sensor are neighbours.
 */
#define MS_METRIC_BLOCK 16u
#define MS_METRIC_BLOCKS ((MS_METRICS + MS_METRIC_BLOCK - 1) / MS_METRIC_BLOCK)

struct ms_metric_info {
	const char *name, *unit, *per, *meaning;
	enum ms_sensor_id sensor;
	enum ms_rung rung;
	int gauge; /* enum ms_gauge */
};

/* Row of a metric; constant. `metric` must be below MS_METRICS. Any thread, callbacks included. */
static inline const struct ms_metric_info *ms_metric_info(unsigned int metric)
{
	static const struct ms_metric_info table[MS_METRICS] = {
#define X(id, name, unit, per, sensor, rung, gauge, meaning) \
	{ name, unit, per, meaning, MS_SENSOR_##sensor, MS_RUNG_##rung, gauge },
		MS_METRIC_LIST(X)
#undef X
	};
	return &table[metric];
}

/*
 * Whether the sensor emits a row for each execution it measured, even if the value is 0: then a
 * missing row is a failed reading. For other metrics a missing row of an execution means 0, except
 * for gauges, which have no value then.
 */
static inline int ms_metric_sends_zero(unsigned int metric)
{
	unsigned int sensor = ms_metric_info(metric)->sensor;

	if (sensor == MS_SENSOR_ADDRESSES || sensor == MS_SENSOR_WATCHPOINTS)
		return metric != MS_METRIC_ADDRESS_SAMPLES_LOST;
	return (sensor == MS_SENSOR_COUNTERS || sensor == MS_SENSOR_ACCESSES ||
		sensor == MS_SENSOR_LOOPS) &&
	       !ms_metric_info(metric)->gauge;
}

/* Measured at each acquisition and release of a lock, or of a critical or ordered construct. */
static inline int ms_metric_is_of_locks(unsigned int metric)
{
	return metric == MS_METRIC_LOCK_WAIT || metric == MS_METRIC_LOCK_HELD ||
	       metric == MS_METRIC_LOCK_ACQUISITIONS || metric == MS_METRIC_LOCK_HANDOVERS ||
	       metric == MS_METRIC_LOCK_HANDOVER_TIME;
}

/* Of the cache lines that are marked while a construct is recorded; not a sum over accesses. */
static inline int ms_metric_is_of_lines(unsigned int metric)
{
	return metric == MS_METRIC_FALSELY_SHARED || metric == MS_METRIC_TOUCHED_LINES;
}

/* "counted", "sampled" … as in reports; "none" for a value out of range. */
static inline const char *ms_rung_name(unsigned int rung)
{
	static const char *const names[MS_RUNGS] = { "none", "counted", "sampled", "simulated",
						     "timed" };
	return rung < MS_RUNGS ? names[rung] : "none";
}

#endif
