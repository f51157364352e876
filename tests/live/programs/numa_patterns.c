/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of 1 MiB that the initial thread initialises, each used in another way by the threads of a team. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#define NR (1 << 17)                     /* elements */
#define PAGE 512

static double blocks[NR] __attribute__((aligned(4096))), cyclic[NR] __attribute__((aligned(4096))), table[NR] __attribute__((aligned(4096)));
static double published[NR] __attribute__((aligned(4096))), mixed[NR] __attribute__((aligned(4096)));

static void initialise(void)
{
	for (int i = 0; i < NR; i++)
		blocks[i] = cyclic[i] = table[i] = published[i] = mixed[i] = i % 7;     /* HERE: touched */
}

static void publish(double by)
{
	for (int i = 0; i < NR; i++)
		published[i] += by;
}

static double step(double by)
{
	double sum = 0;

#pragma omp parallel reduction(+ : sum)   /* HERE: used */
	{
		int thread = omp_get_thread_num(), threads = omp_get_num_threads();

#pragma omp for schedule(static)   /* HERE: blocks */
		for (int i = 0; i < NR; i++)
			blocks[i] += by;
#pragma omp for schedule(static, PAGE)   /* HERE: cyclic */
		for (int i = 0; i < NR; i++)
			cyclic[i] += by;
		for (int i = 0; i < NR; i++)
			sum += table[i];
#pragma omp master
		publish(by);
#pragma omp barrier
		for (int i = 0; i < NR; i++)
			sum += published[i];
#pragma omp barrier
		for (int i = thread * 8; i < NR; i += threads * 8)
			mixed[i] += by;
	}
	return sum;
}

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 500;
	double sum = omp_get_max_threads() - omp_get_max_threads();     /* the runtime has begun */

	initialise();
	for (int i = 0; i < steps; i++)
		sum += step(i);
	printf("%g\n", sum);
	return 0;
}
