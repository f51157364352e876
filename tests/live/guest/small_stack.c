/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: a thread with 16 KiB of stack meets all parallel regions and allocates. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define N 200000
#define STEPS 1500

static double a[N], b[N];

__attribute__((noinline)) static void step(double *factors)
{
#pragma omp parallel for
	for (int i = 1; i < N - 1; i++)
		a[i] = b[i - 1] + b[i + 1];
#pragma omp parallel for
	for (int i = 0; i < N; i++)
		b[i] = a[i] * 0.5 * factors[i % 1000] + 1;
}

static void *run(void *argument)
{
	for (int s = 0; s < STEPS; s++) {
		double *factors = malloc(8192 + 4096 * (size_t)(s % 3));

		for (int i = 0; i < 1000; i++)
			factors[i] = 1 - 1e-6 * i;
		step(factors);
		free(factors);
	}
	return argument;
}

int main(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	double sum = 0;

	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, 16 << 10) || pthread_create(&thread, &attributes, run, NULL))
		return 3;
	pthread_join(thread, NULL);
	for (int i = 0; i < N; i++)
		sum += a[i];
	printf("%.10e\n", sum);
	return 0;
}
