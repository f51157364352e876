/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks of all kinds. Each of 400 steps is one parallel region, in which each thread enters the critical `update` 100 times at two places together, the unnamed
 * critical construct and each of four locks 50 times, and a dynamic loop without a barrier between criticals. With -DPAUSE=N each
 * thread computes between, and there are 100 steps: then the locks are not taken often.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef PAUSE
#define PAUSE 0
#endif
enum { STEPS = PAUSE ? 100 : 400, ROUNDS = 50, LOCKS = 2, MANY = 2048 };

static omp_lock_t locks[LOCKS];
static omp_nest_lock_t nest;
static omp_lock_t *many;
static _Alignas(64) volatile unsigned long work[2][8]; /* of each thread its own cache line */
static volatile unsigned long times[6];               /* by lock */

static void compute(int thread, int rounds)
{
	for (int i = 0; i < rounds; i++)
		work[thread & 1][0] = work[thread & 1][0] * 25214903917u + 11;
}

static void round_of(int thread)
{
	compute(thread, PAUSE);
#pragma omp critical(update)         /* HERE: first */
	times[0]++;
#pragma omp for schedule(dynamic, 1) nowait  /* HERE: loop */
	for (int i = 0; i < 4; i++)
		compute(thread, 5);
#pragma omp critical(update)         /* HERE: second */
	times[0]++;
#pragma omp critical                 /* HERE: unnamed */
	times[1]++;
	for (int i = 0; i < LOCKS; i++) {
		omp_set_lock(&locks[i]);         /* HERE: lock */
		times[2 + i]++;
		omp_unset_lock(&locks[i]);
	}
	omp_set_nest_lock(&nest);            /* HERE: nest */
	omp_set_nest_lock(&nest);
	times[4]++;
	omp_unset_nest_lock(&nest);
	omp_unset_nest_lock(&nest);
	while (!omp_test_lock(&many[7]))     /* HERE: heap */
		;
	times[5]++;
	omp_unset_lock(&many[7]);
}

int main(void)
{
	for (int i = 0; i < LOCKS; i++)
		omp_init_lock(&locks[i]);
	omp_init_nest_lock(&nest);
	many = malloc(MANY * sizeof(*many));
	if (!many)
		return 1;
	omp_init_lock(&many[7]);
	for (int step = 0; step < STEPS; step++) {
#pragma omp parallel num_threads(2)
		for (int i = 0; i < ROUNDS; i++)
			round_of(omp_get_thread_num());
	}
	for (int i = 0; i < 6; i++)
		printf("%lu\n", times[i]);
	return 0;
}
