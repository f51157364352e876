/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: ends by abort in a function that a region calls. */
/* Shell: ulimit -c 0 */
/* Does: cut off */
#include "guest.h"

__attribute__((noinline)) static void checks(int i)
{
	if (i == 77)
		abort();
}

int main(void)
{
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	guest_end(0);
	fflush(stdout);
#pragma omp parallel for
	for (int i = 0; i < 100; i++)
		checks(i);
}
