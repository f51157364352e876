/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: a worker turns the process into another program while the others compute. */
/* Does: cut off */
#include <omp.h>
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
			execl("/bin/sh", "sh", "-c", "echo another; exit 9", (char *)NULL);
		for (;;)
			guest_value(2);
	}
}
