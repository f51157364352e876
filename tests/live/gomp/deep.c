/* SPDX-License-Identifier: Apache-2.0 */
/* Regions of its own, and those of a library (late_library.c) that binds to its own libraries first: ./deep LIBRARY. */
#include <dlfcn.h>
#include <stdio.h>

static long values[1 << 14];

static long own_step(void)
{
	long sum = 0;

#pragma omp parallel for schedule(dynamic, 64) reduction(+ : sum)
	for (int i = 0; i < 1 << 14; i++) {
		values[i] = values[i] / 2 + i;
		sum += values[i];
	}
	return sum;
}

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;
	long (*work)(int) = library ? (long (*)(int))dlsym(library, "work") : NULL;
	long sum = 0;

	if (!work)
		return 1;
	for (int step = 0; step < 100; step++)
		sum += own_step() + work(1);
	printf("%ld\n", sum);
	return 3;
}
