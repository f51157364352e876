/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one OpenMP construct costs, after the idea of EPCC's microbenchmarks: each construct
 * around next to nothing, many times, the fastest of several rounds (others have the CPU in the slower ones). Prints, a line a construct:
 *     NAME EVENTS NANOSECONDS      (EVENTS: OMPT events a thread gets for one)
 * Usage: constructs [MILLISECONDS a round, default 2]
 */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 9
#define CHUNKS 16                /* of the dynamic loop */

static volatile int sink;

static void touch(void)
{
	__asm__ volatile("" ::: "memory");
}

static void construct_parallel(long times)
{
	for (long i = 0; i < times; i++) {
		#pragma omp parallel
		touch();
	}
}

static void construct_for(long times)
{
	#pragma omp parallel
	for (long i = 0; i < times; i++) {
		#pragma omp for schedule(static)
		for (int j = 0; j < CHUNKS; j++)
			touch();
	}
}

static void construct_barrier(long times)
{
	#pragma omp parallel
	for (long i = 0; i < times; i++) {
		#pragma omp barrier
	}
}

static void construct_critical(long times)
{
	#pragma omp parallel
	for (long i = 0; i < times; i++) {
		#pragma omp critical
		touch();
	}
}

static void construct_dynamic(long times)
{
	#pragma omp parallel
	for (long i = 0; i < times; i++) {
		#pragma omp for schedule(dynamic, 1)
		for (int j = 0; j < CHUNKS; j++)
			touch();
	}
}

/*
 * One loop of very many chunks, nearly all of which the first thread takes: what a chunk costs when nobody
 * fights for it. (With a team of one libomp hands out all in one chunk.)
 */
static void construct_chunk(long times)
{
	int finished = 0;

	#pragma omp parallel for schedule(dynamic, 1)
	for (long i = 0; i < times; i++) {
		if (i == times - 1)
			__atomic_store_n(&finished, 1, __ATOMIC_RELAXED);
		while (omp_get_thread_num() && !__atomic_load_n(&finished, __ATOMIC_RELAXED))
			;
	}
}

/* Chunks of 16 iterations, for which the threads compete. */
static void construct_chunk_of_16(long times)
{
	#pragma omp parallel for schedule(dynamic, 16)
	for (long i = 0; i < 16 * times; i++)
		touch();
}

static void construct_guided(long times)
{
	#pragma omp parallel
	for (long i = 0; i < times; i++) {
		#pragma omp for schedule(guided)
		for (int j = 0; j < CHUNKS; j++)
			touch();
	}
}

static void construct_ordered(long times)
{
	#pragma omp parallel for schedule(dynamic, 1) ordered
	for (long i = 0; i < times; i++) {
		#pragma omp ordered
		touch();
	}
}

static void construct_sections(long times)
{
	#pragma omp parallel
	for (long i = 0; i < times; i++) {
		#pragma omp sections
		{
			#pragma omp section
			touch();
			#pragma omp section
			touch();
		}
	}
}

static void construct_lock(long times)
{
	omp_lock_t lock;

	omp_init_lock(&lock);
	#pragma omp parallel
	for (long i = 0; i < times; i++) {
		omp_set_lock(&lock);
		touch();
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
}

/* Held for longer than a thread takes to return to it. */
static void construct_contended(long times)
{
	omp_lock_t lock;

	omp_init_lock(&lock);
	#pragma omp parallel
	for (long i = 0; i < times; i++) {
		omp_set_lock(&lock);
		for (int j = 0; j < 100; j++)
			touch();
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
}

static void construct_single_nowait(long times)
{
	#pragma omp parallel
	for (long i = 0; i < times; i++) {
		#pragma omp single nowait
		sink = 1;
	}
}

static void construct_single(long times)
{
	#pragma omp parallel
	for (long i = 0; i < times; i++) {
		#pragma omp single
		sink = 1;
	}
}

static void construct_task(long times)
{
	#pragma omp parallel
	#pragma omp master
	for (long i = 0; i < times; i++) {
		#pragma omp task
		touch();
		if (i % 64 == 63) {
			#pragma omp taskwait
		}
	}
}

static const struct construct {
	const char *name;
	int events;
	void (*run)(long times);
} constructs[] = {
	{ "parallel", 6, construct_parallel },   /* on the thread that meets it; 4 with one thread */
	{ "for", 4, construct_for },
	{ "barrier", 2, construct_barrier },
	{ "critical", 2, construct_critical },
	{ "dynamic", 4 + CHUNKS / 2, construct_dynamic },    /* with two threads; one gets a single chunk */
	{ "chunk", 1, construct_chunk },
	{ "chunk_of_16", 1, construct_chunk_of_16 },         /* of all threads */
	{ "guided", 6, construct_guided },
	{ "ordered", 3, construct_ordered },
	{ "sections", 5, construct_sections },
	{ "lock", 2, construct_lock },
	{ "contended", 2, construct_contended },
	{ "single_nowait", 2, construct_single_nowait },
	{ "single", 4, construct_single },
	{ "task", 3, construct_task },
};

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double run_ns(const struct construct *construct, long times)
{
	double begin = now_ns();

	construct->run(times);
	return now_ns() - begin;
}

static double measure(const struct construct *construct, double round_ns)
{
	double fastest = INFINITY;
	long times = 64;

	while (run_ns(construct, times) < round_ns / 2)
		times *= 2;
	for (int i = 0; i < ROUNDS; i++)
		fastest = fmin(fastest, run_ns(construct, times) / (double)times);
	return fastest;
}

int main(int argc, char **argv)
{
	double round_ns = (argc > 1 ? strtod(argv[1], NULL) : 2) * 1e6;

	for (size_t i = 0; i < sizeof(constructs) / sizeof(constructs[0]); i++)
		printf("%s %d %.2f\n", constructs[i].name, constructs[i].events, measure(&constructs[i], round_ns));
	return 0;
}
