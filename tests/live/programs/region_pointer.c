/* SPDX-License-Identifier: Apache-2.0 */
/* Takes the address of the runtime's entry, besides calling it: at fixed addresses it is that of a linkage entry of the program. */
#include <stdio.h>

#ifdef __clang__
void __kmpc_fork_call(void *place, int nr, void (*body)(int *, int *, ...), ...);
static void (*volatile entry)(void *place, int nr, void (*body)(int *, int *, ...), ...) = __kmpc_fork_call;
#define ENTRY ((void *)__kmpc_fork_call)
#else
void GOMP_parallel(void (*body)(void *), void *data, unsigned int threads, unsigned int flags);
static void (*volatile entry)(void (*body)(void *), void *data, unsigned int threads, unsigned int flags) = GOMP_parallel;
#define ENTRY ((void *)GOMP_parallel)
#endif

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 5; i++) {
#pragma omp parallel for reduction(+ : sum) schedule(static)
		for (int j = 0; j < 1000; j++)
			sum += j + i;
	}
	printf("%ld %d\n", sum, (void *)entry == ENTRY);
	return 0;
}
