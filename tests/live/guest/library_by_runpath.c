/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: opens a library that only its own RUNPATH leads to, in parallel loops. */
/* Flags: -Wl,-rpath,$ORIGIN -Wl,--enable-new-dtags -ldl */
/* Library: -g */
/* Does: left the clone */
#ifdef LIBRARY
int plugged(int x) { return 2 * x + 1; }
#else
#include "guest.h"

#include <dlfcn.h>

__attribute__((noinline)) static int plug(int x)
{
	void *library = dlopen("library_by_runpath.so", RTLD_NOW);
	int value = -1;

	if (library) {
		value = ((int (*)(int))dlsym(library, "plugged"))(x);
		dlclose(library);
	}
	return value;
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < GUEST_ELEMENTS; i += 2000)
			sum += plug(i);
		sum += plug(step);
	}
	return guest_end(sum);
}
#endif
