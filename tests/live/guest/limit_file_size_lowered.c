/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: lowers its limit of file size to nothing after some steps; a child raises it again for it, and it writes. */
/* Does: cut off */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "long_steps.h"

/* By another process, as prlimit(1) does it. */
static int limit_by_another(rlim_t bytes)
{
	pid_t parent = getpid(), child = fork();
	struct rlimit limit = { bytes, RLIM_INFINITY };
	int status = 1;

	if (!child)
		_exit(prlimit(parent, RLIMIT_FSIZE, &limit, NULL) != 0);
	waitpid(child, &status, 0);
	return status;
}

int main(void)
{
	FILE *file = tmpfile();
	int status;

	signal(SIGXFSZ, SIG_DFL);
	steps(1000);
	status = limit_by_another(0);
	steps(1500);
	status |= limit_by_another(RLIM_INFINITY);
	steps(500);
	fputs("written\n", file);
	printf("%d %d %.12e\n", status, fflush(file), sum());
	return 7;
}
