/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: its children limit their addresses; some then allocate, others start a program, by each of the exec functions. */
/* Threads: 2 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "guest.h"

#define MB ((rlim_t)1 << 20)

extern char **environ;
static const struct rlimit limit = { 700 * MB, 800 * MB };

/* The shell prints what it was given. */
static void start(int how)
{
	char *const argv[] = { "sh", "-c", "ulimit -v; ulimit -H -v", NULL };

	switch (how) {
	case 1: execv("/bin/sh", argv); break;
	case 2: execve("/bin/sh", argv, environ); break;
	case 3: execvp("sh", argv); break;
	case 4: execvpe("sh", argv, environ); break;
	case 5: fexecve(open("/bin/sh", O_RDONLY), argv, environ); break;
	case 6: execl("/bin/sh", argv[0], argv[1], argv[2], (char *)NULL); break;
	case 7: execlp("sh", argv[0], argv[1], argv[2], (char *)NULL); break;
	case 8: execle("/bin/sh", argv[0], argv[1], argv[2], (char *)NULL, environ); break;
	}
}

static int child(int how)
{
	char *volatile block;
	struct rlimit now;

	if (setrlimit(RLIMIT_AS, &limit) || getrlimit(RLIMIT_AS, &now) || now.rlim_cur != limit.rlim_cur)
		return 3;
	if (how > 8)
		execl("/nowhere", "nowhere", (char *)NULL);
	else if (how > 0)
		start(how);
	block = malloc(100 << 20);
	return block ? 0 : 4;
}

int main(void)
{
	long sum = 0;
	int status;

	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	fflush(stdout);
	for (int how = 0; how < 10; how++) {
		pid_t pid = how == 3 ? vfork() : fork();

		if (pid == 0)
			_exit(how == 3 && (setrlimit(RLIMIT_AS, &limit), start(how), 1) ? 5 : child(how));
		sum = sum * 31 + (waitpid(pid, &status, 0) == pid ? status : -1);
	}
	return guest_end(sum);
}
