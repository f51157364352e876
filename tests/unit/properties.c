/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shipped properties over tables: a sound program that must prove nothing, and one planted
 * problem at a time, with everything that must then be proven, where, and how severe;
 * hand-computed.
 */
#include "analysis/properties/fill.h"
#include "tests/unit/context.h"

#define MS 1e6 /* ns */
#define US 1e3

/*
 * One phase of 100 ms on 4 threads: 400 ms of thread-time. Children of the parallel region come
 * after it.
 */
enum {
	PHASE,
	PARALLEL,
	LOOP,
	BARRIER,
	CRITICAL,
	LOCK,
	ORDERED,
	SINGLE,
	MASTER,
	TASK,
	TASKWAIT,
	SERIAL,
	REGIONS
};
#define THREAD_TIME (400 * MS)

static void set_rusage(struct table *table, uint32_t region, double cpu_ns)
{
	static const enum ms_metric none[] = {
		MS_METRIC_VOLUNTARY_SWITCHES, MS_METRIC_INVOLUNTARY_SWITCHES,
		MS_METRIC_MINOR_FAULTS,       MS_METRIC_MAJOR_FAULTS,
		MS_METRIC_BLOCK_READS,        MS_METRIC_BLOCK_WRITES,
		MS_METRIC_MIGRATIONS,         MS_METRIC_SYSTEM_TIME,
		MS_METRIC_FAULT_SAMPLES,      MS_METRIC_ALLOCATIONS
	};
	uint32_t threads = region == SERIAL ? 1 : table->threads;

	for (uint32_t thread = 0; thread < threads; thread++) {
		table_set(table, region, thread, MS_METRIC_CPU_TIME, cpu_ns);
		table_set(table, region, thread, MS_METRIC_SAMPLES, cpu_ns / MS);
		for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
			table_set(table, region, thread, none[i], 0);
	}
}

static void set_work(struct table *table)
{
	table_set(table, PARALLEL, 0, MS_METRIC_WALL_TIME, 98.5 * MS);
	table_set_all(table, PARALLEL, MS_METRIC_TIME, 98 * MS);
	table_set_all(table, PARALLEL, MS_METRIC_BARRIER_WAIT, 0.1 * MS);
	table_set_all(table, PARALLEL, MS_METRIC_START_DELAY, 0.05 * MS);
	table_set_all(table, LOOP, MS_METRIC_TIME, 80 * MS);
	table_set_all(table, LOOP, MS_METRIC_BARRIER_WAIT, 0.2 * MS);
	table_set_all(table, LOOP, MS_METRIC_ITERATIONS, 25000);
	table_set_all(table, LOOP, MS_METRIC_CHUNKS, 100);
	table_set_all(table, BARRIER, MS_METRIC_BARRIER_WAIT, 0.1 * MS);
	table_set_all(table, CRITICAL, MS_METRIC_LOCK_WAIT, 0.05 * MS);
	table_set_all(table, LOCK, MS_METRIC_LOCK_WAIT, 0.05 * MS);
	table_set_all(table, ORDERED, MS_METRIC_LOCK_WAIT, 0.05 * MS);
	table_set(table, SINGLE, 0, MS_METRIC_TIME, 0.2 * MS);
	table_set_all(table, SINGLE, MS_METRIC_BARRIER_WAIT, 0.1 * MS);
	table_set(table, MASTER, 0, MS_METRIC_TIME, 0.2 * MS);
	table_set_all(table, TASK, MS_METRIC_TASKS, 100);
	table_set_all(table, TASK, MS_METRIC_TASK_TIME, 2 * MS);
	table_set_all(table, TASKWAIT, MS_METRIC_BARRIER_WAIT, 0.1 * MS);
	table_set(table, SERIAL, 0, MS_METRIC_WALL_TIME, 1.5 * MS);
	table_set(table, SERIAL, 0, MS_METRIC_TIME, 1.5 * MS);
}

static void set_accesses(struct table *table, uint32_t region, double reads)
{
	table_set_all(table, region, MS_METRIC_READS, reads);
	table_set_all(table, region, MS_METRIC_WRITES, reads / 10);
	table_set_all(table, region, MS_METRIC_TOUCHED_LINES, 1000);
}

/* Balanced, computing, bound to its CPUs, alone on the machine. */
static struct table *sound_program(void)
{
	struct table *table = table_new(4, 100 * MS);

	table_region(table, PHASE, MS_PARALLEL_REGION, 10);
	table_region(table, PARALLEL, MS_DO_REGION, 10);
	table_region(table, PARALLEL, MS_BARRIER_REGION, 10);
	table_region(table, PARALLEL, MS_CRITICAL_REGION, 10);
	table_region(table, PARALLEL, MS_LOCK_REGION, 10);
	table_region(table, PARALLEL, MS_ORDERED_REGION, 10);
	table_region(table, PARALLEL, MS_SINGLE_REGION, 10);
	table_region(table, PARALLEL, MS_MASTER_REGION, 10);
	table_region(table, PARALLEL, MS_TASK_REGION, 100);
	table_region(table, PARALLEL, MS_TASKWAIT_REGION, 10);
	table_region(table, PHASE, MS_SERIAL_REGION, 11);
	set_rusage(table, PHASE, 99 * MS);
	set_rusage(table, PARALLEL, 98 * MS);
	set_rusage(table, LOOP, 80 * MS);
	set_rusage(table, SERIAL, 1.5 * MS);
	table_set(table, SERIAL, 0, MS_METRIC_SAMPLES, 1.5);
	table_set_all(table, PHASE, MS_METRIC_ALLOWED_CPUS, 1);
	table_set_all(table, PHASE, MS_METRIC_TOOL_TIME, 1 * MS);
	for (uint32_t region = PARALLEL; region <= SERIAL; region++)
		table_set_all(table, region, MS_METRIC_TOOL_TIME, 0);
	table_set_all(table, PHASE, MS_METRIC_SYSTEM_TIME, 0.5 * MS);
	table_set_all(table, PHASE, MS_METRIC_MINOR_FAULTS, 10);
	set_work(table);
	set_accesses(table, PARALLEL, 1e6);
	set_accesses(table, LOOP, 2e7);
	return table;
}

/* -- one planted problem each */

static void set_4(struct table *table, uint32_t region, enum ms_metric metric, double a, double b,
		  double c, double d)
{
	table_set(table, region, 0, metric, a);
	table_set(table, region, 1, metric, b);
	table_set(table, region, 2, metric, c);
	table_set(table, region, 3, metric, d);
}

/*
 * Thread 2 is late at the end of the parallel region: 98 against 48; 4 * (98 - 60.5) - 4 * 10 * 5
 * us = 149.8 ms.
 */
static void plant_region_imbalance(struct table *table)
{
	set_4(table, PARALLEL, MS_METRIC_TIME, 48 * MS, 48 * MS, 98 * MS, 48 * MS);
	set_4(table, PARALLEL, MS_METRIC_CPU_TIME, 48 * MS, 48 * MS, 98 * MS, 48 * MS);
	set_4(table, PARALLEL, MS_METRIC_BARRIER_WAIT, 50 * MS, 50 * MS, 0, 50 * MS);
}

/*
 * Threads 0 and 1 have twice the work in the loop: 4 * (80 - 60) - 0.2 = 79.8 ms, and 4 iterations
 * a thread.
 */
static void plant_loop_imbalance(struct table *table)
{
	set_4(table, LOOP, MS_METRIC_TIME, 80 * MS, 80 * MS, 40 * MS, 40 * MS);
	set_4(table, LOOP, MS_METRIC_CPU_TIME, 80 * MS, 80 * MS, 40 * MS, 40 * MS);
	set_4(table, LOOP, MS_METRIC_BARRIER_WAIT, 0, 0, 40 * MS, 40 * MS);
	set_4(table, LOOP, MS_METRIC_ITERATIONS, 60, 60, 30, 30);
}

/* Thread 2 is slower in the loop: 4 * (80 - 75.5) - 0.2 = 17.8 ms. */
static void plant_little_imbalance(struct table *table)
{
	set_4(table, LOOP, MS_METRIC_TIME, 74 * MS, 74 * MS, 80 * MS, 74 * MS);
	set_4(table, LOOP, MS_METRIC_CPU_TIME, 74 * MS, 74 * MS, 80 * MS, 74 * MS);
	set_4(table, LOOP, MS_METRIC_BARRIER_WAIT, 6 * MS, 6 * MS, 0, 6 * MS);
	set_4(table, LOOP, MS_METRIC_READS, 2e7, 2e7, 2.2e7, 2e7);
}

/* It makes as many accesses as the others. */
static void plant_slow_cpu(struct table *table)
{
	plant_little_imbalance(table);
	set_accesses(table, LOOP, 2e7);
}

/* One access in 151 ns says little about the work: 17.8 ms * (1 - 20 / 151). */
static void plant_few_accesses(struct table *table)
{
	plant_little_imbalance(table);
	set_accesses(table, LOOP, 5e5 / 1.1);
}

/* The same times, but nobody waits (nowait): nothing is lost. */
static void plant_nowait(struct table *table)
{
	plant_loop_imbalance(table);
	table_missing(table, LOOP, MS_METRIC_BARRIER_WAIT, MS_MISSING_NOT_EXECUTED);
}

/*
 * Another thread is late each time: equal sums, 20 ms waited by each, less the price of the barrier
 * and what the others may wait for threads that started late: 4 * 20 - 4 * 10 * 50 us - 3 * 4 *
 * 0.05 = 77.4 ms.
 */
#define SHIFTING (80 * MS - 2 * MS - 0.6 * MS)

static void plant_shifting(struct table *table)
{
	table_set_all(table, PARALLEL, MS_METRIC_TIME, 78 * MS);
	table_set_all(table, PARALLEL, MS_METRIC_CPU_TIME, 78 * MS);
	table_set_all(table, PARALLEL, MS_METRIC_BARRIER_WAIT, 20 * MS);
}

/*
 * The same, but for 18 of the 20 ms all have arrived and the thread that releases them has lost its
 * CPU: 5.4 ms are left.
 */
static void plant_late_release(struct table *table)
{
	plant_shifting(table);
	table_set(table, PARALLEL, 0, MS_METRIC_RELEASE_DELAY, 18 * MS);
}

/* The same on a busy machine: 30 ms taken from one thread, for which the other three may wait. */
static void plant_shifting_busy(struct table *table)
{
	plant_shifting(table);
	table_set(table, PHASE, 1, MS_METRIC_INVOLUNTARY_SWITCHES, 10);
	table_set(table, PARALLEL, 1, MS_METRIC_INVOLUNTARY_SWITCHES, 10);
	table_set(table, PARALLEL, 1, MS_METRIC_CPU_TIME, 48 * MS);
}

/* Thread 2 is always late because its CPU is taken for 50 ms: all have the same work. */
static void plant_busy_imbalance(struct table *table)
{
	set_4(table, PARALLEL, MS_METRIC_TIME, 48 * MS, 48 * MS, 98 * MS, 48 * MS);
	table_set_all(table, PARALLEL, MS_METRIC_CPU_TIME, 48 * MS);
	set_4(table, PARALLEL, MS_METRIC_BARRIER_WAIT, 50 * MS, 50 * MS, 0, 50 * MS);
	table_set(table, PHASE, 2, MS_METRIC_INVOLUNTARY_SWITCHES, 12);
	table_set(table, PARALLEL, 2, MS_METRIC_INVOLUNTARY_SWITCHES, 12);
}

/*
 * The threads take turns in coming 300 us late at 100 barriers: no lasting difference, and not the
 * barrier's price.
 */
static void plant_alternating_barrier(struct table *table)
{
	table->regions[BARRIER].executions = 100;
	table_set_all(table, BARRIER, MS_METRIC_BARRIER_WAIT, 22.5 * MS);
}

/* Thread 3 is last at the barrier: the others wait 30 ms in 10 times. */
static void plant_barrier(struct table *table)
{
	set_4(table, BARRIER, MS_METRIC_BARRIER_WAIT, 30 * MS, 30 * MS, 30 * MS, 0);
}

/*
 * 1000 regions of 48 us and as much for starting and joining: 4 * (12 + 36) = 192 ms, all below 50
 * us each.
 */
static void plant_small_regions(struct table *table)
{
	table->regions[PARALLEL].executions = 1000;
	table_set_all(table, PARALLEL, MS_METRIC_TIME, 48 * MS);
	table_set_all(table, PARALLEL, MS_METRIC_CPU_TIME, 48 * MS);
	table_set_all(table, PARALLEL, MS_METRIC_START_DELAY, 12 * MS);
	table_set_all(table, PARALLEL, MS_METRIC_BARRIER_WAIT, 36 * MS);
}

/* 1000 regions whose threads start 30 us late. */
static void plant_sleepers(struct table *table)
{
	table->regions[PARALLEL].executions = 1000;
	table_set_all(table, PARALLEL, MS_METRIC_TIME, 65 * MS);
	table_set_all(table, PARALLEL, MS_METRIC_CPU_TIME, 65 * MS);
	table_set_all(table, PARALLEL, MS_METRIC_START_DELAY, 30 * MS);
	table_set_all(table, PARALLEL, MS_METRIC_BARRIER_WAIT, 2 * MS);
}

/* 2000 loops with 10 ms at their barriers; 2000 barriers with 20 ms. */
static void plant_small_loops(struct table *table)
{
	table->regions[LOOP].executions = 2000;
	table_set_all(table, LOOP, MS_METRIC_TIME, 60 * MS);
	table_set_all(table, LOOP, MS_METRIC_BARRIER_WAIT, 10 * MS);
}

static void plant_many_barriers(struct table *table)
{
	table->regions[BARRIER].executions = 2000;
	table_set_all(table, BARRIER, MS_METRIC_BARRIER_WAIT, 20 * MS);
}

/* 100,000 chunks a thread of 0.8 us: 400,000 * 100 ns = 40 ms. */
static void plant_small_chunks(struct table *table)
{
	table_set_all(table, LOOP, MS_METRIC_CHUNKS, 100000);
}

static void plant_critical(struct table *table)
{
	table_set_all(table, CRITICAL, MS_METRIC_LOCK_WAIT, 10 * MS);
}

static void plant_lock(struct table *table)
{
	table_set_all(table, LOCK, MS_METRIC_LOCK_WAIT, 10 * MS);
}

static void plant_ordered(struct table *table)
{
	table_set_all(table, ORDERED, MS_METRIC_LOCK_WAIT, 10 * MS);
}

/* The tasks of the sound program: 400 of 300 ns. */
#define TASKS_COST (0.12 * MS)

/* 20 ms alone in single; the others wait 19.5 ms each at its end. */
static void plant_single(struct table *table)
{
	table_set(table, SINGLE, 0, MS_METRIC_TIME, 20 * MS);
	set_4(table, SINGLE, MS_METRIC_BARRIER_WAIT, 0, 19.5 * MS, 19.5 * MS, 19.5 * MS);
}

/* The same with nowait: nobody waits. */
static void plant_single_nowait(struct table *table)
{
	table_set(table, SINGLE, 0, MS_METRIC_TIME, 20 * MS);
	table_missing(table, SINGLE, MS_METRIC_BARRIER_WAIT, MS_MISSING_NOT_EXECUTED);
}

/* 20 ms in master; the others wait 20 ms at the barrier that follows. */
static void plant_master(struct table *table)
{
	table_set(table, MASTER, 0, MS_METRIC_TIME, 20 * MS);
	set_4(table, BARRIER, MS_METRIC_BARRIER_WAIT, 0, 20 * MS, 20 * MS, 20 * MS);
}

/*
 * One thread executes all 8 tasks for 60 ms while the others wait in the barrier: 4 * 60 - 60 = 180
 * ms.
 */
static void plant_few_tasks(struct table *table)
{
	set_4(table, TASK, MS_METRIC_TASKS, 8, 0, 0, 0);
	set_4(table, TASK, MS_METRIC_TASK_TIME, 60 * MS, 0, 0, 0);
	set_4(table, PARALLEL, MS_METRIC_BARRIER_WAIT, 0, 60 * MS, 60 * MS, 60 * MS);
	set_4(table, PARALLEL, MS_METRIC_TIME, 98 * MS, 98 * MS, 98 * MS, 98 * MS);
}

/* 20,000 tasks a thread of 1 us: 80,000 * 300 ns = 24 ms. */
static void plant_small_tasks(struct table *table)
{
	table_set_all(table, TASK, MS_METRIC_TASKS, 20000);
	table_set_all(table, TASK, MS_METRIC_TASK_TIME, 20 * MS);
}

static void plant_taskwait(struct table *table)
{
	table_set_all(table, TASKWAIT, MS_METRIC_BARRIER_WAIT, 20 * MS);
}

/*
 * As much waiting as the phase has time, most of it in tasks: no more than 400 - 4 * 80 ms can be
 * waits.
 */
static void plant_taskwait_in_tasks(struct table *table)
{
	table_set_all(table, TASK, MS_METRIC_TASK_TIME, 80 * MS);
	table_set_all(table, TASKWAIT, MS_METRIC_BARRIER_WAIT, 98 * MS);
}

/* 30 of 100 ms are serial: 30 * 3 of 400. */
static void plant_serial(struct table *table)
{
	table_set(table, SERIAL, 0, MS_METRIC_WALL_TIME, 30 * MS);
	table_set(table, SERIAL, 0, MS_METRIC_TIME, 30 * MS);
	table_set(table, SERIAL, 0, MS_METRIC_CPU_TIME, 30 * MS);
	table_set(table, SERIAL, 0, MS_METRIC_SAMPLES, 30);
}

/* The kernel took more samples than one a millisecond: that makes the stretch no longer. */
static void plant_many_samples(struct table *table)
{
	plant_serial(table);
	table_set(table, SERIAL, 0, MS_METRIC_SAMPLES, 40);
	table_set(table, SERIAL, 0, MS_METRIC_MINOR_FAULTS, 500);
}

/*
 * Of 30 ms serial 10 are in the program's own code, by samples of a millisecond; 500 page faults
 * take 2 us each, memsearch 1 ms on each thread.
 */
static void plant_system_calls(struct table *table)
{
	plant_serial(table);
	table_set(table, SERIAL, 0, MS_METRIC_SAMPLES, 10);
	table_set(table, SERIAL, 0, MS_METRIC_SYSTEM_TIME,
		  20 * MS); /* where there are no samples */
	table_set(table, SERIAL, 0, MS_METRIC_MINOR_FAULTS, 500);
	table_set(table, PHASE, 0, MS_METRIC_SYSTEM_TIME, 20 * MS);
}

/* 10 ms serial, 2 of them on the CPU; 100 times 10 blocks of 512 bytes. */
static void plant_io(struct table *table)
{
	table_set(table, SERIAL, 0, MS_METRIC_WALL_TIME, 10 * MS);
	table_set(table, SERIAL, 0, MS_METRIC_TIME, 10 * MS);
	table_set(table, SERIAL, 0, MS_METRIC_CPU_TIME, 2 * MS);
	table_set(table, SERIAL, 0, MS_METRIC_SAMPLES, 2);
	table_set(table, SERIAL, 0, MS_METRIC_VOLUNTARY_SWITCHES, 100);
	table_set(table, SERIAL, 0, MS_METRIC_BLOCK_WRITES, 1000);
}

/* Each thread sleeps 20 ms in the region. */
static void plant_parallel_io(struct table *table)
{
	table_set_all(table, PARALLEL, MS_METRIC_CPU_TIME, 78 * MS);
	table_set_all(table, PARALLEL, MS_METRIC_VOLUNTARY_SWITCHES, 5);
}

/*
 * 40 ms off the CPU on each thread, most of it in 15 of 20 switches because others took it: the few
 * others are no input or output.
 */
static void plant_taken_and_waited(struct table *table)
{
	table_set_all(table, PARALLEL, MS_METRIC_CPU_TIME, 58 * MS);
	table_set_all(table, PARALLEL, MS_METRIC_VOLUNTARY_SWITCHES, 5);
	table_set_all(table, PARALLEL, MS_METRIC_INVOLUNTARY_SWITCHES, 15);
}

/*
 * 5000 faults a thread and phase, of 2 us. No system time: the phase is shorter than the ticks by
 * which the kernel splits a thread's time.
 */
static void plant_faults(struct table *table)
{
	table_set_all(table, PHASE, MS_METRIC_MINOR_FAULTS, 5000);
	table_set_all(table, PARALLEL, MS_METRIC_MINOR_FAULTS, 5000);
	table_set_all(table, PARALLEL, MS_METRIC_FAULT_SAMPLES, 5000);
}

static void plant_allocations(struct table *table)
{
	table_set_all(table, PHASE, MS_METRIC_ALLOCATIONS, 600e3);
	table_set_all(table, PARALLEL, MS_METRIC_ALLOCATIONS, 600e3);
}

/* The same in the first execution only: memory is touched for the first time. */
static void plant_first_touch(struct table *table)
{
	plant_faults(table);
	table->phase_executions = 1;
}

/* 250 faults with input on each thread, 30 ms off the CPU. */
static void plant_swapping(struct table *table)
{
	table_set_all(table, PHASE, MS_METRIC_MAJOR_FAULTS, 250);
	table_set_all(table, PHASE, MS_METRIC_CPU_TIME, 70 * MS);
}

/* Each thread is put off its CPU 10 times for 48 ms in all. */
static void plant_preemption(struct table *table)
{
	table_set_all(table, PHASE, MS_METRIC_INVOLUNTARY_SWITCHES, 10);
	table_set_all(table, PARALLEL, MS_METRIC_INVOLUNTARY_SWITCHES, 10);
	table_set_all(table, PARALLEL, MS_METRIC_CPU_TIME, 50 * MS);
}

/*
 * Once in ten executions each is put off for 480 ms: the machine is crowded, or the group's CPU
 * time used up.
 */
static void plant_crowd(struct table *table)
{
	table_set_all(table, PHASE, MS_METRIC_INVOLUNTARY_SWITCHES, 0.1);
	table_set_all(table, PARALLEL, MS_METRIC_INVOLUNTARY_SWITCHES, 0.1);
	table_set_all(table, PARALLEL, MS_METRIC_CPU_TIME, 50 * MS);
}

static void plant_oversubscription(struct table *table)
{
	plant_preemption(table);
	table->cpus = 2;
}

/* More threads than CPUs, but they sleep: nothing is taken from anybody. */
static void plant_sleeping_threads(struct table *table)
{
	table->cpus = 2;
}

/* 4 CPUs a thread on one node, 40 moves each: 160 * 50 us = 8 ms. */
static void plant_migration(struct table *table)
{
	table_set_all(table, PHASE, MS_METRIC_ALLOWED_CPUS, 4);
	table_set_all(table, PHASE, MS_METRIC_MIGRATIONS, 40);
}

/* Two nodes of 4 CPUs; threads may use all 8. */
static void plant_unbound(struct table *table)
{
	table->nodes = 2;
	table_set_all(table, PHASE, MS_METRIC_ALLOWED_CPUS, 8);
}

/* Bound to one of two nodes. */
static void plant_bound_to_node(struct table *table)
{
	table->nodes = 2;
	table_set_all(table, PHASE, MS_METRIC_ALLOWED_CPUS, 4);
}

static void plant_unbound_on_one_node(struct table *table)
{
	table_set_all(table, PHASE, MS_METRIC_ALLOWED_CPUS, 8);
}

static void plant_system_time(struct table *table)
{
	table_set_all(table, PHASE, MS_METRIC_SYSTEM_TIME, 20 * MS);
}

/* 20 of 100 ms on each thread; 20,000 critical constructs a thread. */
static void plant_tool(struct table *table)
{
	table_set_all(table, PHASE, MS_METRIC_TOOL_TIME, 20 * MS);
	table->regions[CRITICAL].executions = 20000;
	table_set_all(table, CRITICAL, MS_METRIC_TOOL_TIME, 8 * MS);
}

/* In the whole phase 5 of 100 ms, because the critical construct is measured in few executions of it. */
static void plant_tool_in_few(struct table *table)
{
	plant_tool(table);
	table_set_all(table, PHASE, MS_METRIC_TOOL_TIME, 5 * MS);
	table_set_all(table, CRITICAL, MS_METRIC_TOOL_TIME, 16 * MS);
}

static void plant_nothing(struct table *table)
{
	(void)table;
}

/* All properties that must be proven of a program, and no other one is. */
static const struct {
	int line;
	void (*plant)(struct table *table);
	struct {
		const char *property;
		uint32_t region;
		double lost_ns; /* severity * thread-time */
	} proven[6];
} programs[] = {
	{ __LINE__, plant_nothing, { { 0 } } },
	{ __LINE__,
	  plant_region_imbalance,
	  { { "LoadImbalance", PHASE, 149.8 * MS },
	    { "ImbalanceInRegion", PARALLEL, 149.8 * MS },
	    { "SlowThreads", PARALLEL, 149.8 * MS } } },
	{ __LINE__,
	  plant_loop_imbalance,
	  { { "LoadImbalance", PHASE, 79.8 * MS },
	    { "ImbalanceInRegion", PARALLEL, 79.8 * MS },
	    { "ImbalanceInLoop", LOOP, 79.8 * MS },
	    { "TooFewIterations", LOOP, 79.8 * MS } } },
	{ __LINE__,
	  plant_little_imbalance,
	  { { "ImbalanceInRegion", PARALLEL, 17.8 * MS },
	    { "ImbalanceInLoop", LOOP, 17.8 * MS },
	    { "SlowThreads", LOOP, 17.8 * MS } } },
	{ __LINE__, plant_slow_cpu, { { "UnequalCpus", LOOP, 17.8 * MS } } },
	{ __LINE__,
	  plant_few_accesses,
	  { { "ImbalanceInRegion", PARALLEL, 17.8 * MS * (1 - 20 / 151.0) },
	    { "ImbalanceInLoop", LOOP, 17.8 * MS * (1 - 20 / 151.0) },
	    { "SlowThreads", LOOP, 17.8 * MS * (1 - 20 / 151.0) } } },
	{ __LINE__, plant_nowait, { { 0 } } },
	{ __LINE__,
	  plant_shifting,
	  { { "ShiftingImbalance", PHASE, SHIFTING },
	    { "ShiftingImbalanceInRegion", PARALLEL, SHIFTING } } },
	{ __LINE__, plant_late_release, { { 0 } } },
	{ __LINE__, plant_shifting_busy, { { "CpusTaken", PHASE, 30 * MS } } },
	{ __LINE__, plant_busy_imbalance, { { "CpusTaken", PHASE, 50 * MS } } },
	{ __LINE__,
	  plant_barrier,
	  { { "BarrierWaiting", PHASE, 90 * MS - 0.2 * MS - 0.6 * MS },
	    { "LateAtBarrier", BARRIER, 90 * MS - 0.2 * MS } } },
	{ __LINE__,
	  plant_alternating_barrier,
	  { { "BarrierWaiting", PHASE, 90 * MS - 0.6 * MS },
	    { "LateAtBarrier", BARRIER, 90 * MS } } },
	{ __LINE__,
	  plant_small_regions,
	  { { "WorkTooFine", PHASE, 192 * MS + 0.8 * MS + 0.4 * MS },
	    { "RegionTooSmall", PARALLEL, 192 * MS } } },
	{ __LINE__,
	  plant_sleepers,
	  { { "WorkTooFine", PHASE, 128 * MS + 0.8 * MS + 0.4 * MS },
	    { "RegionTooSmall", PARALLEL, 128 * MS },
	    { "ThreadsWakeLate", PARALLEL, 120 * MS } } },
	{ __LINE__,
	  plant_small_loops,
	  { { "WorkTooFine", PHASE, 40 * MS + 0.6 * MS + 0.4 * MS },
	    { "LoopTooSmall", LOOP, 40 * MS } } },
	{ __LINE__,
	  plant_many_barriers,
	  { { "WorkTooFine", PHASE, 80 * MS + 0.6 * MS + 0.8 * MS },
	    { "BarrierTooFrequent", BARRIER, 80 * MS } } },
	{ __LINE__,
	  plant_small_chunks,
	  { { "ChunksTooSmall", PHASE, (4 * 100000 - 40) * 150e-6 * MS },
	    { "ChunksTooSmallInLoop", LOOP, (4 * 100000 - 40) * 150e-6 * MS } } },
	{ __LINE__,
	  plant_critical,
	  { { "LockWaiting", PHASE, 40.4 * MS }, { "CriticalContention", CRITICAL, 40 * MS } } },
	{ __LINE__,
	  plant_lock,
	  { { "LockWaiting", PHASE, 40.4 * MS }, { "LockContention", LOCK, 40 * MS } } },
	{ __LINE__,
	  plant_ordered,
	  { { "LockWaiting", PHASE, 40.4 * MS }, { "OrderedWaiting", ORDERED, 40 * MS } } },
	{ __LINE__,
	  plant_single,
	  { { "SingleSerialisation", PHASE, 58.5 * MS + 0.4 * MS - TASKS_COST },
	    { "SingleConstruct", SINGLE, 58.5 * MS } } },
	{ __LINE__, plant_single_nowait, { { 0 } } },
	/*
	 * at the barrier the threads do wait, but BarrierWaiting, which it would refine, is not
	 * proven
	 */
	{ __LINE__,
	  plant_master,
	  { { "SingleSerialisation", PHASE, 60 * MS + 0.4 * MS - TASKS_COST },
	    { "MasterConstruct", MASTER, 60 * MS },
	    { "LateAtBarrier", BARRIER, 60 * MS - 0.2 * MS } } },
	{ __LINE__,
	  plant_few_tasks,
	  { { "TaskImbalance", PHASE, 180 * MS }, { "TooFewTasks", TASK, 180 * MS } } },
	/* shares of the program's own time, of which the tool's is one hundredth */
	{ __LINE__,
	  plant_small_tasks,
	  { { "TasksTooSmall", PHASE, 24 * MS / 0.99 }, { "SmallTasks", TASK, 24 * MS / 0.99 } } },
	{ __LINE__,
	  plant_taskwait,
	  { { "TaskwaitWaiting", PHASE, 80 * MS }, { "TaskwaitHere", TASKWAIT, 80 * MS } } },
	{ __LINE__,
	  plant_taskwait_in_tasks,
	  { { "TaskwaitWaiting", PHASE, 80 * MS }, { "TaskwaitHere", TASKWAIT, 392 * MS } } },
	{ __LINE__,
	  plant_serial,
	  { { "SerialFraction", PHASE, 90 * MS }, { "SerialStretch", SERIAL, 90 * MS } } },
	{ __LINE__,
	  plant_many_samples,
	  { { "SerialFraction", PHASE, 90 * MS }, { "SerialStretch", SERIAL, 90 * MS } } },
	/* threads of its own shorten what is not in the kernel; all 4 wait for what is */
	{ __LINE__,
	  plant_system_calls,
	  { { "SerialFraction", PHASE, 90 * MS },
	    { "SerialStretch", SERIAL, 33 * MS },
	    { "SystemTimeInSerialStretch", SERIAL, 60 * MS } } },
	/* of 10 ms serial, 8 are waited by all 4; more threads would not make them shorter */
	{ __LINE__,
	  plant_io,
	  { { "IOWaiting", PHASE, 32 * MS },
	    { "IOInSerialStretch", SERIAL, 32 * MS },
	    { "SmallIO", SERIAL, 8 * MS } } },
	/*
	 * 80 ms less the waits of the runtime: 0.2 + 0.1 + 0.1 + 0.1 at barriers and 0.15 at locks
	 * on each thread
	 */
	{ __LINE__,
	  plant_parallel_io,
	  { { "IOWaiting", PHASE, 80 * MS - 2.6 * MS },
	    { "IOInRegion", PARALLEL, 80 * MS - 2.6 * MS } } },
	{ __LINE__, plant_taken_and_waited, { { "CpusTaken", PHASE, 120 * MS } } },
	{ __LINE__,
	  plant_faults,
	  { { "PageFaults", PHASE, 40 * MS },
	    { "FaultsInRegion", PARALLEL, 40 * MS },
	    { "AllocationChurn", PARALLEL, 40 * MS } } },
	{ __LINE__,
	  plant_first_touch,
	  { { "PageFaults", PHASE, 40 * MS }, { "FaultsInRegion", PARALLEL, 40 * MS } } },
	/* 600,000 pairs of malloc and free on each of four threads: 15 ns each */
	{ __LINE__,
	  plant_allocations,
	  { { "Allocations", PHASE, 36 * MS }, { "AllocationsInRegion", PARALLEL, 36 * MS } } },
	{ __LINE__, plant_swapping, { { "Swapping", PHASE, 100 * MS } } },
	{ __LINE__, plant_preemption, { { "CpusTaken", PHASE, 192 * MS } } },
	{ __LINE__, plant_crowd, { { "CpusTaken", PHASE, 192 * MS } } },
	/* four threads have no CPU for half of their time, and both CPUs work all the time */
	{ __LINE__, plant_oversubscription, { { "Oversubscription", PHASE, 0 } } },
	{ __LINE__, plant_sleeping_threads, { { 0 } } },
	{ __LINE__,
	  plant_migration,
	  { { "UnboundThreads", PHASE, 8 * MS }, { "MigratingThreads", PHASE, 8 * MS } } },
	{ __LINE__, plant_unbound, { { "UnboundThreads", PHASE, 0 } } },
	{ __LINE__, plant_bound_to_node, { { 0 } } },
	{ __LINE__, plant_unbound_on_one_node, { { 0 } } },
	/* less memsearch's own */
	{ __LINE__, plant_system_time, { { "SystemTime", PHASE, 80 * MS - 4 * 1 * MS } } },
	/* 8 ms on each of four threads */
	{ __LINE__,
	  plant_tool,
	  { { "ToolOverhead", PHASE, 80 * MS }, { "ToolOverheadInRegion", CRITICAL, 32 * MS } } },
	{ __LINE__,
	  plant_tool_in_few,
	  { { "ToolOverhead", PHASE, 64 * MS }, { "ToolOverheadInRegion", CRITICAL, 64 * MS } } },
};

#define PROGRAMS (sizeof(programs) / sizeof(programs[0]))
#define PROVEN_MAX (sizeof(programs[0].proven) / sizeof(programs[0].proven[0]))

/* The row's entry for a property in a region, or -1. */
static int expected(size_t program, const char *property, uint32_t region)
{
	for (size_t i = 0; i < PROVEN_MAX && programs[program].proven[i].property; i++) {
		if (programs[program].proven[i].region == region &&
		    !strcmp(programs[program].proven[i].property, property))
			return (int)i;
	}
	return -1;
}

static void check_verdict(size_t program, const char *name, uint32_t region,
			  const struct ms_verdict *verdict)
{
	int row = expected(program, name, region);

	if (verdict->truth != (row >= 0 ? MS_TRUE : MS_FALSE))
		test_fail(__FILE__, programs[program].line, "%s of region %u is %s (severity %g)",
			  name, region,
			  verdict->truth == MS_TRUE    ? "true"
			  : verdict->truth == MS_FALSE ? "false"
						       : ms_missing_text(verdict->missing),
			  verdict->severity);
	if (row >= 0 &&
	    fabs(verdict->severity - programs[program].proven[row].lost_ns / THREAD_TIME) > 1e-9)
		test_fail(__FILE__, programs[program].line,
			  "%s of region %u: %.9g ms lost, not %.9g", name, region,
			  verdict->severity * THREAD_TIME / MS,
			  programs[program].proven[row].lost_ns / MS);
}

TEST(properties__what_is_planted_is_proven_and_nothing_else)
{
	struct property_set *set = shipped_properties();

	for (size_t program = 0; program < PROGRAMS; program++) {
		struct table *table = sound_program();

		programs[program].plant(table);
		for (size_t i = 0; i < set->nr; i++) {
			for (uint32_t region = 0; region < REGIONS; region++) {
				struct ms_verdict verdict;

				if (!property_applies(set->properties[i],
						      table->regions[region].kind) ||
				    counts_memory(set->properties[i]) ||
				    is_about_arrays(set->properties[i]) ||
				    is_simulated(set->properties[i]) ||
				    is_sampled(set->properties[i]) ||
				    is_of_nodes(set->properties[i]))
					continue;
				verdict = table_ask(table, set, property_name(set->properties[i]),
						    region);
				check_verdict(program, property_name(set->properties[i]), region,
					      &verdict);
			}
		}
	}
}

/* Every shipped property is proven by at least one of the programs: none is untested. */
TEST(properties__each_has_a_program_that_proves_it)
{
	struct property_set *set = shipped_properties();

	CHECK_THAT(set->nr, >=, 16);
	for (size_t i = 0; i < set->nr; i++) {
		bool found = counts_memory(set->properties[i]) ||
			     is_about_arrays(set->properties[i]) ||
			     is_simulated(set->properties[i]) || is_sampled(set->properties[i]) ||
			     is_of_nodes(set->properties[i]);

		for (size_t program = 0; program < PROGRAMS; program++) {
			for (uint32_t region = 0; region < REGIONS; region++)
				found |= expected(program, property_name(set->properties[i]),
						  region) >= 0;
		}
		if (!found)
			test_fail(__FILE__, __LINE__, "no program proves %s",
				  property_name(set->properties[i]));
	}
}

/* `metric` is missing everywhere: the verdict may not turn false, and unknown must say why. */
static bool unknown_without(size_t program, const struct property_set *set, const char *property,
			    uint32_t region, uint32_t metric)
{
	struct table *table = sound_program();
	struct ms_verdict verdict;

	programs[program].plant(table);
	for (uint32_t i = 0; i < REGIONS; i++)
		table_missing(table, i, metric, MS_MISSING_NOT_PERMITTED);
	verdict = table_ask(table, set, property, region);
	if (verdict.truth == MS_FALSE)
		test_fail(__FILE__, programs[program].line, "%s is false without %s", property,
			  ms_metric_info(metric)->name);
	if (verdict.truth == MS_UNKNOWN &&
	    (verdict.missing != MS_MISSING_NOT_PERMITTED || verdict.missing_metric != (int)metric))
		test_fail(__FILE__, programs[program].line, "%s without %s: %s", property,
			  ms_metric_info(metric)->name, ms_missing_text(verdict.missing));
	return verdict.truth == MS_UNKNOWN;
}

TEST(properties__missing_readings_make_them_unknown)
{
	struct property_set *set = shipped_properties();

	for (size_t program = 0; program < PROGRAMS; program++) {
		for (size_t i = 0; i < PROVEN_MAX && programs[program].proven[i].property; i++) {
			const char *name = programs[program].proven[i].property;
			const struct property *property = property_set_find(set, name);
			const uint32_t *list;
			size_t nr = property_metrics(property, &list), unknown = 0;

			for (size_t j = 0; j < nr; j++)
				unknown += unknown_without(program, set, name,
							   programs[program].proven[i].region,
							   list[j]);
			nr = property_phase_metrics(property, &list);
			for (size_t j = 0; j < nr; j++)
				unknown += unknown_without(program, set, name,
							   programs[program].proven[i].region,
							   list[j]);
			if (!unknown)
				test_fail(__FILE__, programs[program].line,
					  "%s depends on nothing that is measured", name);
		}
	}
}

TEST(properties__culprits)
{
	struct property_set *set = shipped_properties();
	struct table *table = sound_program();
	uint32_t threads[4];

	plant_region_imbalance(table);
	table->context.region = PARALLEL;
	CHECK_INT(property_threads(property_set_find(set, "SlowThreads"), &table->context, threads,
				   4),
		  1);
	CHECK_INT(threads[0], 2);

	table = sound_program();
	plant_barrier(table);
	table->context.region = BARRIER;
	CHECK_INT(property_threads(property_set_find(set, "LateAtBarrier"), &table->context,
				   threads, 4),
		  1);
	CHECK_INT(threads[0], 3);
	CHECK_INT(property_threads(property_set_find(set, "LoadImbalance"), &table->context,
				   threads, 4),
		  0);
}

/*
 * What a region loses in its loops is said to be lost there, and the times it gives show it; the
 * loop is its refinement.
 */
TEST(properties__loss_in_a_loop_is_not_the_end_of_its_region)
{
	struct property_set *set = shipped_properties();
	struct table *table = sound_program();
	struct ms_verdict verdict;
	const uint32_t *parents;

	plant_loop_imbalance(table);
	verdict = table_ask(table, set, "ImbalanceInRegion", PARALLEL);
	CHECK_NEAR(evidence_of(&verdict, "at_end"), 0, 1e-3);
	CHECK_NEAR(evidence_of(&verdict, "inside"), 79.8 * MS, 1e-3);
	/* 0 waited in the loop */
	CHECK_NEAR(evidence_of(&verdict, "slowest"), 98 * MS / 10, 1e-3);
	/* 40 waited by half of the threads */
	CHECK_NEAR(evidence_of(&verdict, "average"), (98 - 20) * MS / 10, 1e-3);
	CHECK_INT(property_parents(property_set_find(set, "ImbalanceInLoop"), &parents), 1);
	CHECK_INT(parents[0], property_index(set, property_set_find(set, "ImbalanceInRegion")));
}

/* Accesses in proportion to the times show that the work differs, equal ones do not. */
TEST(properties__threads_take_longer_by_their_accesses)
{
	struct property_set *set = shipped_properties();
	struct table *table = sound_program();
	struct ms_verdict verdict;

	plant_little_imbalance(table);
	verdict = table_ask(table, set, "SlowThreads", LOOP);
	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_NEAR(evidence_of(&verdict, "more"), 2.4 / 2.25, 1e-9); /* writes included */
	table = sound_program();
	plant_few_accesses(table);
	verdict = table_ask(table, set, "SlowThreads", LOOP);
	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_NEAR(evidence_of(&verdict, "more"), -1, 0);
}

/* As static loops of libgomp. */
TEST(properties__iterations_that_are_not_reported_are_unknown)
{
	struct property_set *set = shipped_properties();
	struct table *table = sound_program();

	plant_loop_imbalance(table);
	table_set_all(table, LOOP, MS_METRIC_ITERATIONS, 0);
	CHECK_INT(table_ask(table, set, "TooFewIterations", LOOP).truth, MS_UNKNOWN);
}

/* Without counts of accesses a small difference may come from the CPUs: from 0 on. */
TEST(properties__threads_are_slower_by_work_or_by_their_cpus)
{
	struct property_set *set = shipped_properties();
	struct table *table = sound_program();
	struct ms_verdict verdict;

	plant_little_imbalance(table);
	table_missing(table, LOOP, MS_METRIC_READS, MS_MISSING_BUDGET);
	verdict = table_ask(table, set, "SlowThreads", LOOP);
	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_NEAR(verdict.severity, 0, 1e-9);
	CHECK_NEAR(verdict.severity_high, 17.8 * MS / THREAD_TIME, 1e-9);
	CHECK_NEAR(evidence_of(&verdict, "unsure"), 17.8 * MS, 1e-3);
	verdict = table_ask(table, set, "UnequalCpus", LOOP);
	CHECK_INT(verdict.truth, MS_UNKNOWN);
	CHECK_INT(verdict.missing, MS_MISSING_BUDGET);
}

/*
 * Where other programs have 4 * 24 ms of the CPUs' time, and memsearch 4 * 1, the other 3 threads
 * may wait 288 ms: 40 ms of short waits prove little.
 */
TEST(properties__short_waits_prove_little_on_a_busy_machine)
{
	static const struct {
		const char *property;
		uint32_t region;
	} asked[] = { { "WorkTooFine", PHASE }, { "LoopTooSmall", LOOP } };
	struct property_set *set = shipped_properties();

	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++) {
		struct table *table = sound_program();
		struct ms_verdict verdict;

		plant_small_loops(table);
		CHECK_NEAR(table_ask(table, set, asked[i].property, asked[i].region).confidence, 1,
			   1e-9);
		table_set_all(table, PHASE, MS_METRIC_CPU_TIME, 75 * MS);
		table_set_all(table, PHASE, MS_METRIC_INVOLUNTARY_SWITCHES, 10);
		verdict = table_ask(table, set, asked[i].property, asked[i].region);
		CHECK_NEAR(verdict.confidence,
			   verdict.severity * THREAD_TIME /
				   (verdict.severity * THREAD_TIME + 288 * MS),
			   1e-9);
		CHECK_THAT(verdict.confidence, <, 0.5);
	}
}

/* The switches that are told are those of the regions whose time was taken: 40 for 192 ms. */
TEST(properties__taken_cpus_have_switches)
{
	struct property_set *set = shipped_properties();
	struct table *table = sound_program();
	struct ms_verdict verdict;

	plant_preemption(table);
	table_set_all(table, PHASE, MS_METRIC_INVOLUNTARY_SWITCHES, 0);
	verdict = table_ask(table, set, "CpusTaken", PHASE);
	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_NEAR(evidence_of(&verdict, "switches"), 40, 1e-9);
	CHECK_NEAR(evidence_of(&verdict, "each"), 4.8 * MS, 1e-3);
	table_set_all(table, PARALLEL, MS_METRIC_INVOLUNTARY_SWITCHES, 0);
	CHECK_INT(table_ask(table, set, "CpusTaken", PHASE).truth, MS_FALSE);
}

/*
 * Each thread sleeps once in 100 executions, for 4.8 s, and loses its CPU once: which of the two
 * took the time is not known.
 */
TEST(properties__an_odd_switch_in_a_long_sleep_takes_nothing)
{
	struct property_set *set = shipped_properties();
	struct table *table = sound_program();

	plant_crowd(table);
	table_set_all(table, PARALLEL, MS_METRIC_INVOLUNTARY_SWITCHES, 0.01);
	table_set_all(table, PARALLEL, MS_METRIC_VOLUNTARY_SWITCHES, 0.01);
	CHECK_INT(table_ask(table, set, "CpusTaken", PHASE).truth, MS_FALSE);
}

/* What handing a chunk out takes depends on the runtime: from 100 ns to all that there is. */
/* The time of the tool is none of the program's, but at most half of the time counts as that. */
TEST(properties__small_regions_without_the_tool)
{
	static const double tool_ms[] = { 0, 10, 80 }, most[] = { 0.53, 0.53 / 0.9, 1 };

	for (size_t i = 0; i < sizeof(most) / sizeof(most[0]); i++) {
		struct property_set *set = shipped_properties();
		struct table *table = sound_program();
		struct ms_verdict verdict;

		plant_small_regions(table);
		table_set_all(table, PHASE, MS_METRIC_TOOL_TIME, tool_ms[i] * MS);
		verdict = table_ask(table, set, "RegionTooSmall", PARALLEL);
		CHECK_INT(verdict.truth, MS_TRUE);
		CHECK_NEAR(verdict.severity_high, most[i], 1e-6);
	}
}

/* 4 threads are in the critical for 5 ms each, in 100 executions: a fifth of the phase. */
TEST(properties__locks_say_how_long_they_are_held)
{
	struct property_set *set = shipped_properties();
	struct table *table = sound_program();
	uint32_t mutex = REGIONS;
	struct ms_verdict verdict;
	const char *text;

	plant_critical(table);
	table_region(table, PHASE, MS_MUTEX, 100);
	for (uint32_t region = CRITICAL; region <= mutex; region += mutex - CRITICAL) {
		table_set_all(table, region, MS_METRIC_LOCK_HELD, 5 * MS);
		table_set_all(table, region, MS_METRIC_LOCK_ACQUISITIONS, 25);
	}
	table_set_all(table, mutex, MS_METRIC_LOCK_WAIT, 10 * MS);
	verdict = table_ask(table, set, "CriticalContention", CRITICAL);
	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_NEAR(evidence_of(&verdict, "held"), 0.2 * MS, 1e-3);
	CHECK_NEAR(evidence_of(&verdict, "use"), 0.2, 1e-9);
	text = property_fill(set->arena,
			     property_explanation(property_set_find(set, "CriticalContention")),
			     verdict.evidence, verdict.nr_evidence, NULL, 0);
	CHECK(strstr(text, "It stays for 200 us: some thread is in it 20 % of the time."));
	verdict = table_ask(table, set, "LockWaiting", PHASE);
	/* with 0.1 ms for the lock and the ordered construct, without the MUTEX */
	CHECK_NEAR(evidence_of(&verdict, "waiting"), 40.4 * MS, 1e-3);
	CHECK_NEAR(evidence_of(&verdict, "busiest"), 0.2, 1e-9);
	table_missing(table, CRITICAL, MS_METRIC_LOCK_HELD, MS_MISSING_NO_EVENT);
	verdict = table_ask(table, set, "CriticalContention", CRITICAL);
	CHECK_INT(verdict.truth, MS_TRUE);
	text = property_fill(set->arena,
			     property_explanation(property_set_find(set, "CriticalContention")),
			     verdict.evidence, verdict.nr_evidence, NULL, 0);
	CHECK(!strstr(text, "stays"));
}

TEST(properties__chunks_cost_up_to_all_of_the_loop)
{
	struct ms_verdict verdict;
	struct table *table = sound_program();

	plant_small_chunks(table);
	verdict = table_ask(table, shipped_properties(), "ChunksTooSmallInLoop", LOOP);
	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_THAT(verdict.severity_high, >, 2 * verdict.severity);
	CHECK_NEAR(verdict.severity_high,
		   evidence_of(&verdict, "chunk_time") * 4 * 100000 /
			   (evidence_of(&verdict, "chunks") * 150 / verdict.severity),
		   1e-9);
}

/* One thread cannot wait for others, whatever its times are. */
TEST(properties__one_thread_proves_no_waiting)
{
	struct property_set *set = shipped_properties();
	struct table *table = table_new(1, 100 * MS);

	table_region(table, PHASE, MS_PARALLEL_REGION, 10);
	table_set(table, PARALLEL, 0, MS_METRIC_TIME, 30 * MS);
	table_set(table, PARALLEL, 0, MS_METRIC_BARRIER_WAIT, 30 * MS);
	table_region(table, PHASE, MS_SERIAL_REGION, 10);
	table_set(table, 2, 0, MS_METRIC_WALL_TIME, 40 * MS);
	CHECK_INT(table_ask(table, set, "LoadImbalance", PHASE).truth, MS_FALSE);
	CHECK_INT(table_ask(table, set, "ShiftingImbalance", PHASE).truth, MS_FALSE);
	CHECK_INT(table_ask(table, set, "WorkTooFine", PHASE).truth, MS_FALSE);
	CHECK_INT(table_ask(table, set, "BarrierWaiting", PHASE).truth, MS_FALSE);
	CHECK_INT(table_ask(table, set, "SerialFraction", PHASE).truth, MS_FALSE);
}

/*
 * Every text can be filled from the property's own evidence: no "unknown" is left but for the words
 * in brackets.
 */
TEST(properties__texts_are_complete)
{
	struct property_set *set = shipped_properties();

	for (size_t program = 0; program < PROGRAMS; program++) {
		struct table *table = sound_program();

		programs[program].plant(table);
		for (size_t i = 0; i < PROVEN_MAX && programs[program].proven[i].property; i++) {
			const struct property *property = property_set_find(
				set, programs[program].proven[i].property);
			struct ms_verdict verdict = table_ask(table, set, property_name(property),
							      programs[program].proven[i].region);
			const char *text = property_fill(set->arena, property_explanation(property),
							 verdict.evidence, verdict.nr_evidence,
							 NULL, 0);
			const char *advice = property_fill(set->arena, property_advice(property),
							   verdict.evidence, verdict.nr_evidence,
							   NULL, 0);

			if (strstr(property_explanation(property), "execution of") ||
			    strstr(property_advice(property), "execution of"))
				test_fail(__FILE__, __LINE__,
					  "%s speaks of a phase where there may be none",
					  property_name(property));
			if (strstr(text, "unknown") || strpbrk(text, "{}[]") ||
			    strstr(advice, "unknown") || strpbrk(advice, "{}[]") ||
			    strlen(advice) < 30)
				test_fail(__FILE__, __LINE__, "%s: %s / %s",
					  property_name(property), text, advice);
		}
	}
}
