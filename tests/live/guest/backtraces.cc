/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: backtraces in parallel loops, in functions that they call, and where exceptions are caught. */
/* Flags: -rdynamic -ldl */
/* Does: left the clone */
#define _GNU_SOURCE
#include "guest.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdexcept>

__attribute__((noinline)) static long frames_of_program(void)
{
	void *frames[64];
	int nr = backtrace(frames, 64);
	long found = 0;
	static const int anchor = 0;
	Dl_info own, info;

	dladdr(&anchor, &own);
	for (int i = 0; i < nr && i < 3; i++)        /* the rest is the runtime's */
		found = found * 31 + (dladdr(frames[i], &info) && info.dli_fbase == own.dli_fbase ? (char *)frames[i] - (char *)info.dli_fbase : -1);
	return found;
}

__attribute__((noinline)) long inner(int i)
{
	long found = frames_of_program();

	if (i % 500 == 0)
		throw std::runtime_error("on purpose");
	return found;
}

__attribute__((noinline)) long middle(int i)
{
	try {
		return inner(i) + 1;
	} catch (const std::exception &) {
		return frames_of_program() + 2;
	}
}

int main()
{
	long found = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for schedule(static) reduction(+ : found)
		for (int i = 0; i < GUEST_ELEMENTS; i += 250)
			found += middle(i) + frames_of_program();
		found += middle(step);
	}
	return guest_end(found);
}
