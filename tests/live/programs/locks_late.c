/* SPDX-License-Identifier: Apache-2.0 */
/* A library with a critical construct, which the program loads after a number of steps. With -DLIBRARY the library, without it the program. */
#include <stdio.h>

enum { BEFORE = 40, STEPS = 80, ROUNDS = 500 };
typedef void step_of(void);

#ifdef LIBRARY
static unsigned long entered;

void step(void)
{
#pragma omp parallel num_threads(2)
	for (int i = 0; i < ROUNDS; i++) {
#pragma omp critical(late)
		entered++;
	}
}
#else
#include <dlfcn.h>

static volatile unsigned long work[64];

static void early(void)
{
#pragma omp parallel for num_threads(2)
	for (int i = 0; i < 64; i++)
		for (int k = 0; k < 20000; k++)
			work[i]++;
}

int main(int argc, char **argv)
{
	step_of *step;
	void *library;

	for (int i = 0; i < BEFORE; i++)
		early();
	library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	step = library ? (step_of *)dlsym(library, "step") : NULL;
	if (!step)
		return 1;
	for (int i = 0; i < STEPS; i++) {
		early();
		step();
	}
	printf("%lu\n", work[7]);
	return 0;
}
#endif
