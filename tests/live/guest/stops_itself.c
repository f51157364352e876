/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: stops itself (SIGSTOP) in its midst, and a child of its own continues it. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "guest.h"

static int stop(void)
{
	pid_t child = fork();
	int status = 0;

	if (!child) {
		for (int i = 0; i < 100; i++) {          /* until the parent has stopped, and some more */
			usleep(3000);
			kill(getppid(), SIGCONT);
		}
		_exit(3);
	}
	raise(SIGSTOP);
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step == 80)
			sum += stop();
	}
	return guest_end(sum);
}
