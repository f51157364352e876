/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: ends by quick_exit, with its handlers, in a region. */
/* Does: cut off */
#include <unistd.h>
#include "guest.h"

static void quick(void)
{
	dprintf(1, "quick\n");
}

int main(void)
{
	at_quick_exit(quick);
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	guest_end(0);
	fflush(stdout);
#pragma omp parallel
	{
#pragma omp single
		quick_exit(11);
	}
}
