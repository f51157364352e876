/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: kills itself with SIGKILL from a worker. */
/* Does: cut off */
#include <omp.h>
#include <signal.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	guest_end(0);
	fflush(stdout);
#pragma omp parallel
	{
		if (omp_get_thread_num() == omp_get_num_threads() - 1)
			kill(getpid(), SIGKILL);
		for (;;)
			pause();
	}
}
