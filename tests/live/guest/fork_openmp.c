/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: children with regions of their own, begun from the midst of the parent's steps. libgomp cannot do that. */
/* Compilers: clang */
#include <sys/wait.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		int status;

		guest_step();
		if (step % 40 != 7)
			continue;
		fflush(stdout);
		if (fork() == 0) {
			for (int own = 0; own < 40; own++)
				guest_step();
			printf("child ");
			guest_end(step);
			exit(step & 63);
		}
		wait(&status);
		sum += status;
	}
	return guest_end(sum);
}
