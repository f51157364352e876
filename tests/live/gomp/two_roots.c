/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two initial threads with teams of two. The first thread ends a region and begins the next while the second thread's first team executes; both repeat.
 * Prints the number of critical sections.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

enum { REGIONS = 400, BARRIERS = 20 };

static long sums[2];
static atomic_bool other_inside, first_began;

static void meet(long *sum)
{
	if (sum == &sums[0]) {
		atomic_store(&first_began, true);
		return;
	}
	atomic_store(&other_inside, true);
	while (!atomic_load(&first_began))
		sched_yield();
}

static void *regions(void *argument)
{
	long *sum = argument;

	for (int i = 0; i < REGIONS; i++) {
#pragma omp parallel num_threads(2)
		for (int k = 0; k < BARRIERS; k++) {
			meet(sum);
#pragma omp critical
			++*sum;
#pragma omp barrier
		}
	}
	return NULL;
}

int main(void)
{
	pthread_t other;

#pragma omp parallel num_threads(2)
	{
#pragma omp critical
		sums[0]++;
	}
	if (pthread_create(&other, NULL, regions, &sums[1]))
		return 1;
	while (!atomic_load(&other_inside))
		sched_yield();
	regions(&sums[0]);
	pthread_join(other, NULL);
	printf("%ld\n", sums[0] + sums[1]);
	return 0;
}
