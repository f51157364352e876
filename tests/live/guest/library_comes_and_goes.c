/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: opens a library with regions in it, runs them and closes it, again and again. */
/* Library: */
/* Flags: -ldl */
#ifdef LIBRARY
#include <omp.h>
static double values[5000];
double run(int step);
double run(int step)
{
	double sum = 0;
#pragma omp parallel for schedule(static)
	for (int i = 0; i < 5000; i++)
		for (int k = 0; k < 20; k++)
			values[i] += 1.0 / (i + k + step + 1);
	for (int i = 0; i < 5000; i++)
		sum += values[i];
	return sum;
}
#else
#include <dlfcn.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	char path[4096];
	double sum = 0;
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 4);

	strcpy(path + length, ".so");
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step % 3 == 0) {
			void *library = dlopen(path, step % 2 ? RTLD_NOW : RTLD_LAZY);
			double (*run)(int);

			if (!library)
				return printf("%s\n", dlerror());
			*(void **)&run = dlsym(library, "run");
			for (int i = 0; i < 4; i++)
				sum += run(step);
			dlclose(library);
		}
	}
	printf("%.17g\n", sum);
	return guest_end(0);
}
#endif
