/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: built with -finstrument-functions, keeps a tally of who called whom. */
/* Flags: -finstrument-functions -ldl */
/* Does: refused */
#define _GNU_SOURCE
#include "guest.h"

#include <dlfcn.h>

#define PLAIN __attribute__((no_instrument_function))

static long tally;

PLAIN static long offset_of(void *address)
{
	Dl_info info;

	return dladdr(address, &info) && info.dli_fbase ? (char *)address - (char *)info.dli_fbase : -1000000;
}

PLAIN void __cyg_profile_func_enter(void *function, void *call_site);
PLAIN void __cyg_profile_func_exit(void *function, void *call_site);
void __cyg_profile_func_enter(void *function, void *call_site)
{
	(void)function;
	if (offset_of(call_site) < 0)
		__atomic_fetch_add(&tally, 1000000, __ATOMIC_RELAXED);
}
void __cyg_profile_func_exit(void *function, void *call_site)
{
	(void)call_site;
	if (offset_of(function) < 0)
		__atomic_fetch_add(&tally, 1000000, __ATOMIC_RELAXED);
}

__attribute__((noinline)) long work(int i)
{
	return i * 3 + 1;
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS / 2; step++) {
#pragma omp parallel for schedule(static) reduction(+ : sum)
		for (int i = 0; i < GUEST_ELEMENTS; i += 50) {
			guest_to[i] += i;
			sum += work(i);
		}
#pragma omp parallel for schedule(static)
		for (int i = 0; i < GUEST_ELEMENTS; i++)
			guest_from[i] += guest_to[i] * 0.5;
	}
	return guest_end(sum + tally);
}
