/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: vfork and exec in the midst of parallel regions. */
/* Does: left the clone */
#define _GNU_SOURCE
#include "guest.h"

#include <sys/wait.h>
#include <unistd.h>

static int run_true(void)
{
	int status = -1;
	pid_t child = vfork();

	if (!child) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(9);
	}
	return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

int main(void)
{
	long bad = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step % 8)
			continue;
#pragma omp parallel for schedule(static) reduction(+ : bad)
		for (int i = 0; i < 2; i++) {
			guest_to[i] += 1;
			bad += run_true() != 0;
		}
	}
	return guest_end(bad);
}
