/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: has its data in the file that is descriptor 2, written to its last moment. */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "guest.h"

#ifndef EARLY
#define EARLY 0
#endif

/* The parent looks when the child and all it had are gone. */
int main(void)
{
	int ends[2], status = 0;
	char byte;
	pid_t child;

	if (pipe(ends))
		return 1;
	child = fork();
	if (!child) {
		close(ends[0]);
		for (int step = 0; step < GUEST_STEPS; step++) {
			if (step == (EARLY ? 0 : 10)) {
				close(2);
				if (open("data", O_CREAT | O_RDWR | O_TRUNC, 0600) != 2)
					_exit(9);
			}
			guest_step();
		}
		return write(2, "data\n", 5) != 5;
	}
	close(ends[1]);
	waitpid(child, &status, 0);
	while (read(ends[0], &byte, 1) > 0) {
	}
	printf("%d %ld bytes\n", status, (long)lseek(open("data", O_RDONLY), 0, SEEK_END));
	return 0;
}
