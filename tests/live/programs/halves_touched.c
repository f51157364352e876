/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The initial thread initialises the second half of one array, and each thread a part of the first half as small as
 * half of what it uses later. A system call fills another array.
 */
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define N (1 << 18)

static double half[N], input[N];

int main(void)
{
	double sum = omp_get_max_threads() - omp_get_max_threads();     /* the runtime has begun */
	int zero = open("/dev/zero", O_RDONLY);

	if (read(zero, input, sizeof(input)) != sizeof(input))
		return 1;
	for (int i = N / 2; i < N; i++)
		half[i] = i;                                    /* HERE: alone */
#pragma omp parallel for schedule(static)
	for (int i = 0; i < N / 2; i++)
		half[i] = i;                                    /* HERE: parts */
	for (int step = 0; step < 1000; step++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < N; i++)
			sum += half[i] + input[i];
	}
	printf("%g\n", sum);
	return 0;
}
