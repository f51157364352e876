/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: is process 1 of a namespace: its numbers are others than /proc's. */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	int status;

	if (unshare(CLONE_NEWUSER | CLONE_NEWPID))
		return 77;
	if (fork()) {
		wait(&status);
		return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
	}
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	return guest_end(getpid());
}
