/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: ends in exit within a region, by a worker, with exit handlers that run regions and print; then what is buffered comes out. */
#include <omp.h>
#include <unistd.h>
#include "guest.h"

static void first(void)
{
	printf("first %d\n", (int)(guest_value(3) * 1000));
}
static void second(void)
{
	long sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += i;
	printf("second %ld\n", sum);
}

int main(void)
{
	atexit(first);
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	atexit(second);
	guest_end(0);
#pragma omp parallel
	{
		if (omp_get_thread_num() == omp_get_num_threads() - 1)
			exit(23);
		for (;;)
			pause();
	}
}
