/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why do more threads not count faster? Each has counters of its own, but all lie in one control block: threads write
 * different words of the same cache lines. With -DPADDED each thread's counters fill lines of their own.
 * `memsearch arrays --machine altix-bx2` has the misses of control by false sharing: none with one thread, 16400 a step
 * with more, padded none. Each costs more where the other thread is on another node: in `memsearch diff` of
 * 2 and 8 threads the waits for control grow 1.6 times, padded they do not. The work is the same with any number of threads.
 *
 * THREADS 2 8
 * CULPRIT count_events control.of_thread
 * METRIC cycles
 * GROWS 1.5..3
 * BY difference
 * MENDED -DPADDED
 * SAMPLE gcc-12 O3
 */
#include "toy.h"
#include <omp.h>

#define EVENTS (1 << 18)
#define KINDS 4
#define MOST_THREADS 256
#define LINES 256                            /* bytes: two lines of the modelled machine, which prefetches the next */

struct counters {
	uint32_t events[KINDS];
#ifdef PADDED
	char rest[LINES - KINDS * sizeof(uint32_t)];
#endif
};

static struct {
	uint32_t sequence;
	struct counters of_thread[MOST_THREADS] __attribute__((aligned(LINES)));
} control;
static uint8_t kinds[EVENTS];

__attribute__((noinline)) static void count_events(void)
{
#pragma omp parallel
	{
		struct counters *own = &control.of_thread[omp_get_thread_num()];

#pragma omp for schedule(static)
		for (int i = 0; i < EVENTS; i++)
			own->events[kinds[i]]++;     /* HERE: culprit */
	}
	control.sequence++;
}

int main(int argc, char **argv)
{
	int steps = toy_argument(argc, argv, 1, 1500, 1, INT32_MAX);
	uint64_t sum = 0;

	if (omp_get_max_threads() > MOST_THREADS)
		omp_set_num_threads(MOST_THREADS);
	for (int i = 0; i < EVENTS; i++)
		kinds[i] = (uint8_t)(toy_word(i) % KINDS);
	for (int step = 0; step < steps; step++)
		count_events();
	for (int thread = 0; thread < MOST_THREADS; thread++)
		for (int kind = 0; kind < KINDS; kind++)
			sum += (uint64_t)control.of_thread[thread].events[kind] * (uint64_t)(kind + 1);
	workload_checksum(sum + control.sequence);
	return 0;
}
