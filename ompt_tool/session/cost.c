/* SPDX-License-Identifier: Apache-2.0 */
/* Cost of measuring, for the report and for the limit. */
#include "ompt_tool/session/cost.h"

#include <math.h>
#include <time.h>

#include "analysis/base/own_memory.h"
#include "ompt_tool/process/run_delay.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/process/thread_times.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/placing.h"

/* of the limit */
#define PLACING_PART 0.1

/* NULL: none has begun. */
static const struct thread *initial_thread(void)
{
	const struct thread *thread = thread_next(NULL);

	while (thread && thread->index != 0)
		thread = thread_next(thread);
	return thread;
}

/* Time of measuring on the initial thread since the start. */
static uint64_t taken_of_initial_ns(void)
{
	const struct thread *initial = initial_thread();

	return (initial ? thread_tool_ns(initial) : 0) + online.start_cost_ns;
}

double cost_lost_ns(void)
{
	return fmax((double)taken_of_initial_ns(),
		    experiment_lost_ns(online.experiment) + (double)online.start_cost_ns) +
	       online.clones_excess.all_ns + online.events_excess.all_ns;
}

struct engine_time cost_time(void *ctx)
{
	(void)ctx;
	return (struct engine_time){
		.executions = online.run.phase.executions,
		.program_ns = (double)(thread_clock_ns() - online.start_ns),
	};
}

double cost_placing_ns(void)
{
	double lived_ns = (double)(thread_clock_ns() - online.start_ns + online.age_at_start_ns);

	return PLACING_PART * online.options.overhead * lived_ns - placing_ns(online.placing);
}

/*
 * Measuring takes the time of a clock, which runs while a thread waits for a CPU, too: the part of it
 * that is no such wait, assumed to be that of all the initial thread's time. Not of the hooks of
 * allocations: they are so short that those with a wait are known, and count once.
 */
static double part_with_cpu(double lived_ns)
{
	const struct thread *initial = initial_thread();
	double waits_ns = initial ? run_delay_ns(initial->os_id) : NAN;

	return isnan(waits_ns) ? 1 : fmax(0, 1 - waits_ns / lived_ns);
}

/* NAN: not known. */
static double slowdown(double lived_ns, double tool_ns)
{
	return lived_ns > tool_ns ? lived_ns / (lived_ns - tool_ns) : NAN;
}

/* Without waits for a CPU. */
static double critical_ns(double with_cpu)
{
	double heap_ns = experiment_lost_to_heap_ns(online.experiment);

	return (cost_lost_ns() - heap_ns) * with_cpu + heap_ns;
}

/* Of the threads that are there. */
static double all_run_delay_ns(void)
{
	double all_ns = 0;

	for (const struct thread *thread = thread_next(NULL); thread;
	     thread = thread_next(thread)) {
		double ns = run_delay_ns(thread->os_id);

		all_ns += isnan(ns) ? 0 : ns;
	}
	return all_ns;
}

/*
 * CPU time of threads that are not OpenMP's. 0: unknown, as a thread of OpenMP's has ended.
 */
static double others_cpu_ns(double process_ns)
{
	for (const struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread))
		process_ns -= run_cpu_ns(thread->os_id);
	return process_ns > 0 ? process_ns : 0;
}

void cost_note(uint64_t now_ns)
{
	struct run_cost *cost = &online.run.cost;
	struct timespec cpu;
	double wall = (double)(now_ns - online.start_ns),
	       lived = wall + (double)online.age_at_start_ns;
	double critical = cost_lost_ns(), with_cpu = part_with_cpu(lived);
	uint64_t resident;

	resident = own_memory_resident();
	cost->memory_bytes = resident > cost->memory_bytes ? resident : cost->memory_bytes;
	cost->tool_cpu_ns = (experiment_tool_cpu_ns(online.experiment) +
			     (double)online.start_cost_ns) *
				    with_cpu +
			    experiment_heap_cpu_ns(online.experiment);
	cost->program_wall_ns = wall;
	cost->before_ns = (double)online.age_at_start_ns;
	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) == 0)
		cost->program_cpu_ns = (double)cpu.tv_sec * 1e9 + (double)cpu.tv_nsec;
	cost->run_delay_ns = all_run_delay_ns();
	cost->others_cpu_ns = others_cpu_ns(cost->program_cpu_ns);
	cost->slowdown = slowdown(lived, critical_ns(with_cpu));
	online.run.threads = experiment_threads(online.experiment);
	online.run.time_seen = online.age_at_start_ns ? wall / lived : 1;
	if (online.watched_ns > 0)
		online.run.time_seen = fmin(online.run.time_seen,
					    online.watched_ns /
						    fmax(online.watched_ns, lived - critical));
}

void cost_note_end(uint64_t begin_ns)
{
	struct run_cost *cost = &online.run.cost;
	double end_ns = (double)(thread_clock_ns() - begin_ns),
	       lived = cost->program_wall_ns + (double)online.age_at_start_ns + end_ns,
	       with_cpu = part_with_cpu(lived);

	cost->tool_cpu_ns += end_ns;
	cost->slowdown = slowdown(lived, critical_ns(with_cpu) + end_ns * with_cpu);
}
