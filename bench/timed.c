/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command with stdout to /dev/null and appends "WALL_NS CPU_NS PEAK_KIB" to a file; its
 * status is ours. Usage: timed FILE COMMAND [ARGUMENT…]
 */
#include "usage.h"

#include <sys/wait.h>

static void child(char **command)
{
	usage_silence();
	execvp(command[0], command);
	perror(command[0]);
	_exit(127);
}

int main(int argc, char **argv)
{
	double begin = usage_now_ns(), wall;
	struct rusage usage;
	int status;
	pid_t pid;

	if (argc < 3)
		return 2;
	pid = fork();
	if (pid == 0)
		child(argv + 2);
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		return 126;
	wall = usage_now_ns() - begin;
	if (!usage_append(argv[1], wall, &usage))
		return 126;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
