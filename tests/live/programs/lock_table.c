/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks of one array, taken by two functions. In each of 200 steps `insert` takes locks[0] and locks[1] 40 times each, `lookup` locks[1] and
 * locks[2]. Between, each thread computes, so that the locks are not taken often.
 */
#include <omp.h>
#include <stdio.h>

enum { STEPS = 200, LOCKS = 3, EACH = 40 };

static omp_lock_t locks[LOCKS];
static volatile unsigned long table[LOCKS];
static _Alignas(64) volatile unsigned long work[2][8];

static void compute(int rounds)
{
	volatile unsigned long *own = &work[omp_get_thread_num() & 1][0];

	for (int i = 0; i < rounds; i++)
		*own = *own * 25214903917u + 11;
}

static __attribute__((noinline)) void insert(int key)
{
	omp_set_lock(&locks[key]);           /* HERE: insert */
	compute(200);
	table[key]++;
	omp_unset_lock(&locks[key]);
}

static __attribute__((noinline)) unsigned long lookup(int key)
{
	unsigned long value;

	omp_set_lock(&locks[key]);           /* HERE: lookup */
	value = table[key];
	omp_unset_lock(&locks[key]);
	return value;
}

int main(void)
{
	unsigned long sum = 0;

	for (int i = 0; i < LOCKS; i++)
		omp_init_lock(&locks[i]);
	for (int step = 0; step < STEPS; step++) {
#pragma omp parallel for num_threads(2) reduction(+ : sum) schedule(static)
		for (int i = 0; i < 2 * EACH; i++) {
			insert(i % 2);
			compute(5000);
			sum += lookup(1 + i % 2) != 0;
			compute(5000);
		}
	}
	printf("%lu %lu %d\n", table[0], table[1], sum > 0);
	return 0;
}
