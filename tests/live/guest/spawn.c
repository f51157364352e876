/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: starts programs by posix_spawn, vfork and exec, system and popen, from the midst of its steps. */
#define _GNU_SOURCE
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include "guest.h"

extern char **environ;

static int spawned(char *command)
{
	char *words[] = { "sh", "-c", command, NULL };
	int status = -1;
	pid_t child;

	if (!posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ))
		waitpid(child, &status, 0);
	return status;
}
static int borrowed(char *command)
{
	int status = -1;
	pid_t child = vfork();

	if (!child) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	waitpid(child, &status, 0);
	return status;
}

int main(void)
{
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		char command[32];

		guest_step();
		if (step % 25)
			continue;
		snprintf(command, sizeof command, "exit %d", step % 99);
		sum = sum * 7 + spawned(command) + borrowed(command) + system(command);
		FILE *pipe = popen("echo 5; echo 6", "r");
		int value = 0;

		while (fscanf(pipe, "%d", &value) == 1)
			sum += value;
		sum += pclose(pipe);
	}
	return guest_end(sum);
}
