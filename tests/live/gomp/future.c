/* SPDX-License-Identifier: Apache-2.0 */
/* -DLIBRARY: stands for a libgomp of a GCC to come. Else a program that calls what only that one has. */
#include <stdio.h>

int GOMP_future_construct(int value);
int GOMP_target_future(int value);

#ifdef LIBRARY
int GOMP_future_construct(int value) { return value + 1; }
int GOMP_target_future(int value) { return value + 2; }
#else
int main(void)
{
	int sum = 0;

	for (int step = 0; step < 50; step++) {
#pragma omp parallel for schedule(dynamic, 10) reduction(+ : sum)
		for (int i = 0; i < 10000; i++)
			sum += i & step;
		sum += GOMP_future_construct(step) + GOMP_target_future(step);
	}
	printf("%d\n", sum);
	return 0;
}
#endif
