/* SPDX-License-Identifier: Apache-2.0 */
/* rusage: the kernel's counts of a thread (getrusage RUSAGE_THREAD), its CPU, and its allocations. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "memsearch/sensor.h"
#include "ompt_tool/arrays/heap.h"
#include "ompt_tool/measurements/summary.h"
#include "ompt_tool/process/thread.h"

enum value {
	CPU,
	SYSTEM,
	VOLUNTARY,
	INVOLUNTARY,
	MINOR,
	MAJOR,
	READS,
	WRITES,
	MOVES,
	ALLOCATIONS,
	VALUES
};

/* order of the values in sensor_state */
static const enum ms_metric metrics[VALUES] = {
	[CPU] = MS_METRIC_CPU_TIME,
	[SYSTEM] = MS_METRIC_SYSTEM_TIME,
	[VOLUNTARY] = MS_METRIC_VOLUNTARY_SWITCHES,
	[INVOLUNTARY] = MS_METRIC_INVOLUNTARY_SWITCHES,
	[MINOR] = MS_METRIC_MINOR_FAULTS,
	[MAJOR] = MS_METRIC_MAJOR_FAULTS,
	[READS] = MS_METRIC_BLOCK_READS,
	[WRITES] = MS_METRIC_BLOCK_WRITES,
	[MOVES] = MS_METRIC_MIGRATIONS,
	[ALLOCATIONS] = MS_METRIC_ALLOCATIONS,
};
_Static_assert(VALUES <= sizeof(((struct frame *)0)->sensor_state[0]) / sizeof(uint64_t),
	       "values must fit a frame");

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/*
 * CPU time comes from the thread's clock, because getrusage gives it as of the last timer tick or
 * switch, up to some ms ago: many regions are shorter.
 */
static bool read_values(uint64_t values[VALUES])
{
	struct rusage usage;
	struct timespec cpu;

	if (getrusage(RUSAGE_THREAD, &usage) || clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu))
		return false;
	values[CPU] = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec;
	values[SYSTEM] = ns_of(usage.ru_stime);
	values[VOLUNTARY] = (uint64_t)usage.ru_nvcsw;
	values[INVOLUNTARY] = (uint64_t)usage.ru_nivcsw;
	values[MINOR] = (uint64_t)usage.ru_minflt;
	values[MAJOR] = (uint64_t)usage.ru_majflt;
	values[READS] = (uint64_t)usage.ru_inblock;
	values[WRITES] = (uint64_t)usage.ru_oublock;
	values[MOVES] = 0;
	values[ALLOCATIONS] = heap_allocations();
	return true;
}

/*
 * CPU time must move when the CPU works; 200 ms is twenty ticks where the kernel counts in ticks.
 */
static bool cpu_time_moves(void)
{
	uint64_t before[VALUES], after[VALUES];
	struct timespec begin, now;

	if (!read_values(before) || clock_gettime(CLOCK_MONOTONIC, &begin))
		return false;
	do {
		if (!read_values(after) || clock_gettime(CLOCK_MONOTONIC, &now))
			return false;
	} while (after[CPU] == before[CPU] &&
		 (now.tv_sec - begin.tv_sec) * 1000000000l + now.tv_nsec - begin.tv_nsec <
			 200000000l);
	return after[CPU] > before[CPU];
}

static void probe(struct sensor_status *status)
{
	uint64_t values[VALUES];

	if (!read_values(values)) {
		status->why = errno == EPERM ? MS_MISSING_NOT_PERMITTED : MS_MISSING_NOT_SUPPORTED;
		snprintf(status->text, sizeof(status->text),
			 "getrusage(RUSAGE_THREAD) or the thread's CPU clock: %s", strerror(errno));
	} else if (!cpu_time_moves()) {
		status->why = MS_MISSING_BROKEN;
		snprintf(status->text, sizeof(status->text),
			 "the thread's CPU clock does not move");
	} else {
		status->works = true;
		status->why = MS_PRESENT;
	}
}

static void probe_metric(enum ms_metric metric, struct sensor_status *status)
{
	if (metric != MS_METRIC_ALLOCATIONS || heap_counts_allocations())
		return;
	status->works = false;
	status->why = MS_MISSING_UNHOOKED;
}

/*
 * CPUs allowed; read inside the first region, because libomp binds its threads only then. 8192 CPUs
 * are the kernel's most.
 */
static void note_allowed(struct thread *self)
{
	unsigned long mask[8192 / 8 / sizeof(unsigned long)];
	long bytes = syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);
	int nr = 0;

	for (long i = 0; i < bytes / (long)sizeof(mask[0]); i++)
		nr += __builtin_popcountl(mask[i]);
	if (nr)
		summary_set(self->summary, MS_REGION_USER, MS_METRIC_ALLOWED_CPUS, nr);
	self->sensor[MS_SENSOR_RUSAGE] = self; /* done */
	if (self->last_cpu)
		summary_set(self->summary, MS_REGION_USER, MS_METRIC_NODE, self->last_node);
}

/*
 * The thread is on another CPU than before; queries its node, which is used only after the thread
 * can have been bound.
 */
static void note_move(struct thread *self)
{
	unsigned int cpu, node;

	if (syscall(SYS_getcpu, &cpu, &node, NULL))
		return;
	self->moves += self->last_cpu && cpu + 1 != self->last_cpu;
	if (self->sensor[MS_SENSOR_RUSAGE] && (!self->last_cpu || node != self->last_node))
		summary_set(self->summary, MS_REGION_USER, MS_METRIC_NODE, node);
	__atomic_store_n(&self->last_node, node, __ATOMIC_RELAXED);
	__atomic_store_n(&self->last_cpu, cpu + 1, __ATOMIC_RELAXED);
}

/* Changes of CPU so far, as observed at begins and ends of regions. */
static uint64_t count_moves(struct thread *self)
{
	if ((uint32_t)sched_getcpu() + 1 != self->last_cpu)
		note_move(self);
	return self->moves;
}

static bool thread_begin(struct thread *self)
{
	self->sensor[MS_SENSOR_RUSAGE] = NULL;
	return true;
}

static void region_begin(struct thread *self, struct frame *frame)
{
	uint64_t *values = frame->sensor_state[MS_SENSOR_RUSAGE];

	if (!self->sensor[MS_SENSOR_RUSAGE] && frame->type == FRAME_PARALLEL)
		note_allowed(self);
	if (!read_values(values))
		values[CPU] = UINT64_MAX;
	values[MOVES] = count_moves(self);
}

static void region_end(struct thread *self, struct frame *frame)
{
	const uint64_t *before = frame->sensor_state[MS_SENSOR_RUSAGE];
	uint64_t after[VALUES];

	if (before[CPU] == UINT64_MAX || !read_values(after))
		return;
	after[MOVES] = count_moves(self);
	/* most are 0 most of the time, and a missing row means 0 */
	for (int i = 0; i < VALUES; i++)
		if (after[i] != before[i])
			summary_add(self->summary, frame->region, metrics[i],
				    (double)(after[i] - before[i]));
}

/* Writes the last observed CPU and node of every thread. */
static enum ms_status harvest(const struct sensor_record *to, struct unwinder *unwinder,
			      bool at_end)
{
	struct run *run = to->run;

	(void)unwinder;
	(void)at_end;
	for (const struct thread *thread = thread_next(NULL); thread;
	     thread = thread_next(thread)) {
		uint32_t cpu = __atomic_load_n(&thread->last_cpu, __ATOMIC_RELAXED);
		uint32_t node = __atomic_load_n(&thread->last_node, __ATOMIC_RELAXED);

		while (run->nr_places <= thread->index) {
			if (!ARENA_GROW(to->arena, run->places, run->nr_places, run->room_places))
				return MS_ERR_MEMORY;
			run->places[run->nr_places] = (struct run_place){ (uint32_t)run->nr_places,
									  RUN_PLACE_UNKNOWN,
									  RUN_PLACE_UNKNOWN, 0 };
			run->nr_places++;
		}
		run->places[thread->index] = (struct run_place){
			.thread = thread->index,
			.cpu = cpu ? cpu - 1 : RUN_PLACE_UNKNOWN,
			.node = cpu ? node : RUN_PLACE_UNKNOWN,
			.moves = __atomic_load_n(&thread->moves, __ATOMIC_RELAXED),
		};
	}
	return MS_OK;
}

extern const struct sensor sensor_rusage;
const struct sensor sensor_rusage = {
	.id = MS_SENSOR_RUSAGE,
	.probe = probe,
	.probe_metric = probe_metric,
	.thread_begin = thread_begin,
	.region_begin = region_begin,
	.region_end = region_end,
	.session = { .harvest = harvest },
};
