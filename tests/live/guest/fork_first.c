/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: forks before its first region and works in both processes. */
#include <sys/wait.h>
#include <unistd.h>
#include "guest.h"

int main(void)
{
	pid_t child = fork();
	int status = 0;

	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	if (!child)
		return guest_sum() & 63;
	wait(&status);
	return guest_end(status);
}
