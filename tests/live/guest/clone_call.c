/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: calls clone() itself: a child that shares memory and goes on another stack, and a bare fork without libc's handlers. */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "guest.h"

static char stack[65536] __attribute__((aligned(16)));
static volatile long shared;

static int child(void *argument)
{
	shared += (long)argument;
	return 5;
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		int status = 0;
		pid_t it;

		guest_step();
		if (step % 20)
			continue;
		it = clone(child, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, (void *)(long)step);
		waitpid(it, &status, 0);
		sum += status;
		it = syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
		if (!it)
			syscall(SYS_exit_group, (int)(guest_value(step) * 1000) & 63);
		waitpid(it, &status, 0);
		sum += status;
	}
	return guest_end(sum + shared);
}
