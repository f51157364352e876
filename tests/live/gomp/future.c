/* SPDX-License-Identifier: Apache-2.0 */
/* -DLIBRARY: stands for a libgomp of a GCC to come. Else a program that calls what only that one has. */
#include <stdio.h>

int GOMP_future_construct(int value);
int GOMP_target_future(int value);
/* Of GCC 14: no events. */
void GOMP_add_alloc(void *block);
_Bool GOMP_is_alloc(void *block);

#ifdef LIBRARY
int GOMP_future_construct(int value) { return value + 1; }
int GOMP_target_future(int value) { return value + 2; }
static void *allocated;
void GOMP_add_alloc(void *block) { allocated = block; }
_Bool GOMP_is_alloc(void *block) { return block == allocated; }
#else
int main(void)
{
	int sum = 0;

	for (int step = 0; step < 50; step++) {
#pragma omp parallel for schedule(dynamic, 10) reduction(+ : sum)
		for (int i = 0; i < 10000; i++)
			sum += i & step;
		GOMP_add_alloc(&sum);
		sum += GOMP_future_construct(step) + GOMP_target_future(step) + GOMP_is_alloc(&sum);
	}
	printf("%d\n", sum);
	return 0;
}
#endif
