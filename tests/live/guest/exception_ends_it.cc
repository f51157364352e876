/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: an uncaught exception leaves a function that must not throw, in a region: terminate's own handler ends the program. */
/* Does: cut off */
#include <exception>
#include <unistd.h>
#include "guest.h"

__attribute__((noinline)) static void thrower(int n)
{
	if (n)
		throw n;
}
__attribute__((noinline)) static void quiet(int n) noexcept
{
	thrower(n);
}

int main()
{
	std::set_terminate([] { dprintf(1, "terminated %d\n", (int)(std::current_exception() != nullptr)); _exit(7); });
	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
#pragma omp parallel for
		for (int i = 0; i < 100; i++)
			quiet(step == GUEST_STEPS - 5 && i == 99);
	}
	return guest_end(0);
}
