/* SPDX-License-Identifier: Apache-2.0 */
/* ./copies A B: opens both libraries as Python does its modules; each brings a libgomp of its own. -DLIBRARY: such a one. */
#include <dlfcn.h>
#include <stdio.h>

#ifdef LIBRARY

long work(int nr);
long work(int nr)
{
	long sum = 0, inside = 0;

#pragma omp parallel for reduction(+ : sum) num_threads(2)
	for (int i = 0; i < nr; i++)
		sum++;
#pragma omp parallel num_threads(2)
	for (int i = 0; i < nr; i++) {
#pragma omp critical
		inside++;
	}
	return sum + inside;
}

#else

int main(int argc, char **argv)
{
	for (int step = 0; step < 50; step++) {
		for (int i = 1; i < argc; i++) {
			void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
			long (*work)(int nr) = library ? (long (*)(int))dlsym(library, "work") : NULL;

			if (!work)
				return 1;
			printf("%ld\n", work(1000));
		}
	}
	return 0;
}

#endif
