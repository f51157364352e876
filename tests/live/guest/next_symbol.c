/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: looks for the next definition of a function by dlsym(RTLD_NEXT) and dlvsym, in loops and through a pointer to dlsym. */
/* Flags: -Wl,--no-as-needed -lm -ldl */
/* Does: left the clone */
#define _GNU_SOURCE
#include "guest.h"

#include <dlfcn.h>

#ifdef __x86_64__
#define VERSION "GLIBC_2.2.5"
#else
#define VERSION "GLIBC_2.17"
#endif

typedef double real_function(double x);

double cbrt(double x) { return -x; }         /* another one than libm's */
static void *(*volatile look_up)(void *, const char *) = dlsym;

__attribute__((noinline)) static double next(double x)
{
	real_function *function = (real_function *)dlsym(RTLD_NEXT, "cbrt");

	if (!function) {
		fprintf(stderr, "%s\n", dlerror());
		abort();
	}
	return function(x);
}
__attribute__((noinline)) static double next_by_pointer(double x)
{
	return ((real_function *)look_up(RTLD_NEXT, "cbrt"))(x);
}

__attribute__((noinline)) static double next_of_version(double x)
{
	return ((real_function *)dlvsym(RTLD_NEXT, "cbrt", VERSION))(x);
}

int main(void)
{
	double sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < GUEST_ELEMENTS; i += 500)
			sum += (next(i * 27.0) > 0) + (next_by_pointer(i * 8.0) > 0) + (next_of_version(i * 64.0) > 0);
		sum += next(27);
	}
	return guest_end((long)(sum + 0.5));
}
