/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: a child now and then, which computes with the parent's functions and ends in exit, _exit or by a signal. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		int status = 0;

		guest_step();
		if (step % 10)
			continue;
		fflush(stdout);
		if (fork() == 0) {
			int code = (int)(guest_value(step) * 1e6) & 63;

			step % 20 ? _exit(code) : exit(code);
		}
		wait(&status);
		sum = sum * 31 + status;
	}
	if (wait(NULL) >= 0)     /* no children of others */
		return 1;
	return guest_end(sum);
}
