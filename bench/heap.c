/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates and frees blocks of BYTES, COUNT times in each of THREADS threads; prints the threads' CPU time in ns.   heap THREADS COUNT BYTES */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static double churn(long count, size_t bytes)
{
	double begin = cpu_ns();

	for (long i = 0; i < count; i++) {
		void *block = malloc(bytes);

		__asm__ volatile("" : : "r"(block) : "memory");          /* keeps it from being left out */
		free(block);
	}
	return cpu_ns() - begin;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 4;
	long count = argc > 2 ? atol(argv[2]) : 10000000;
	size_t bytes = argc > 3 ? strtoul(argv[3], NULL, 10) : 64;
	double sum = 0;

#pragma omp parallel num_threads(threads) reduction(+ : sum)
	sum += churn(count, bytes);
	printf("%.0f\n", sum);
	return 0;
}
