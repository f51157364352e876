/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole tool on a fake runtime: REGIONS distinct parallel regions, each once on THREADS
 * threads, then the end of the program. Prints how long the end took (search, lines, record, list)
 * and what was lost. Usage: scale [REGIONS [THREADS]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analysis/base/arena.h"
#include "analysis/record/record.h"
#include "ompt_tool/events/fold.h"
#include "ompt_tool/session/core.h"
#include "ompt_tool/session/core_parts.h"
#include "tests/host/host.h"

static struct host_thread *threads;
static struct host_task *tasks, initial;

static double now_s(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void start(int nr_threads)
{
	threads = calloc((size_t)nr_threads, sizeof(*threads));
	tasks = calloc((size_t)nr_threads, sizeof(*tasks));
	if (!threads || !tasks || !host_start(core_start))
		exit(1);
	host_thread_begin(&threads[0], ompt_thread_initial);
	host_initial_task(&initial);
	for (int i = 1; i < nr_threads; i++)
		host_thread_begin(&threads[i], ompt_thread_worker);
}

static void region(int nr_threads, uint64_t code)
{
	struct host_team team;

	host_on(&threads[0]);
	host_parallel_begin(&team, (unsigned int)nr_threads, code);
	for (int i = 0; i < nr_threads; i++) {
		host_on(&threads[i]);
		host_implicit_begin(&team, &tasks[i], (unsigned int)i);
	}
	for (int i = 0; i < nr_threads; i++) {
		host_on(&threads[i]);
		host_arrive();
	}
	host_on(&threads[0]);
	host_sync(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, 0);
	host_implicit_end(&tasks[0], 0);
	host_parallel_end(&team);
	for (int i = 1; i < nr_threads; i++) {
		host_on(&threads[i]);
		host_leave_late(&tasks[i]);
	}
}

static void dropped(void *ctx, const char *text, const char *why, uint64_t count)
{
	*(uint64_t *)ctx += count;
	printf("dropped: %llu %s (%s)\n", (unsigned long long)count, text, why);
}

/* Regions, and the values that their times must have, as the record tells. */
static int check(const char *path, int nr_regions, int nr_threads)
{
	struct arena *arena = arena_new();
	struct run run = { 0 };
	uint64_t ignored = 0, parallel = 0, times = 0;

	if (record_read(arena, path, &run, &ignored) != MS_OK)
		return 1;
	for (size_t i = 0; i < run.nr_regions; i++)
		parallel += run.regions[i].kind == MS_PARALLEL_REGION;
	for (size_t i = 0; i < run.nr_measurements; i++)
		times += run.measurements[i].row.metric == MS_METRIC_TIME &&
			 run.regions[run.measurements[i].row.region].kind == MS_PARALLEL_REGION;
	printf("record: %llu parallel regions, %llu (region, thread) times\n",
	       (unsigned long long)parallel, (unsigned long long)times);
	return parallel != (uint64_t)nr_regions ||
	       times != (uint64_t)nr_regions * (uint64_t)nr_threads;
}

int main(int argc, char **argv)
{
	int nr_regions = argc > 1 ? atoi(argv[1]) : 10000,
	    nr_threads = argc > 2 ? atoi(argv[2]) : 256;
	const char *path = getenv("MEMSEARCH_OUTPUT");
	uint64_t lost = 0;
	double begin, middle, end, cpu;

	begin = now_s(CLOCK_MONOTONIC);
	start(nr_threads);
	for (int i = 0; i < nr_regions; i++)
		region(nr_threads, 0x10000 + 16 * (uint64_t)i);
	events_dropped(dropped, &lost);
	host_on(&threads[0]);
	middle = now_s(CLOCK_MONOTONIC);
	cpu = now_s(CLOCK_PROCESS_CPUTIME_ID);
	host_finalize();
	end = now_s(CLOCK_MONOTONIC);
	cpu = now_s(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	printf("%d regions x %d threads: events %.2f s, end of the program with its report %.2f s (%.2f s of CPU time), %llu lost\n",
	       nr_regions, nr_threads, middle - begin, end - middle, cpu, (unsigned long long)lost);
	return lost || (path && check(path, nr_regions, nr_threads));
}
