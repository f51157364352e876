/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a command with stdout to /dev/null and appends "WALL_NS CPU_NS PEAK_KIB" to a file; its status is ours.
 * Usage: timed FILE COMMAND [ARGUMENT…]
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double timeval_ns(struct timeval time)
{
	return (double)time.tv_sec * 1e9 + (double)time.tv_usec * 1e3;
}

static void child(char **command)
{
	int null = open("/dev/null", O_WRONLY);

	dup2(null, STDOUT_FILENO);
	execvp(command[0], command);
	perror(command[0]);
	_exit(127);
}

int main(int argc, char **argv)
{
	double begin = now_ns(), wall;
	struct rusage usage;
	int status;
	FILE *out;
	pid_t pid;

	if (argc < 3)
		return 2;
	pid = fork();
	if (pid == 0)
		child(argv + 2);
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid)
		return 126;
	wall = now_ns() - begin;
	out = fopen(argv[1], "a");
	if (!out)
		return 126;
	fprintf(out, "%.0f %.0f %ld\n", wall, timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime), usage.ru_maxrss);
	fclose(out);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
