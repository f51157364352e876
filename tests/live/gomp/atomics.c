/* SPDX-License-Identifier: Apache-2.0 */
/* An atomic update that no instruction does, and a reduction of two variables: libgomp has one lock for both. */
#include <stdio.h>

static long double wide;

static void update(void)
{
#pragma omp parallel for schedule(dynamic, 100)
	for (int i = 0; i < 20000; i++) {
#pragma omp atomic
		wide += i;
	}
}

static long reduce(void)
{
	long first = 0, second = 0;

#pragma omp parallel reduction(+ : first, second)
	for (int i = 0; i < 1000; i++) {
		first += i;
		second += i % 3;
	}
	return first + second;
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < 100; step++) {
		update();
		sum += reduce() > 0;
	}
	printf("%ld %.0Lf\n", sum, wide);
	return 3;
}
