/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: a child leaves a core that a debugger can read, within the limit of its size. */
/* Shell: ulimit -c 131072 */
/* Threads: 2 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "guest.h"

/* Cores come here, under that name. */
static int is_core_here(void)
{
	char pattern[128] = "", with_pid[8] = "";
	FILE *file = fopen("/proc/sys/kernel/core_pattern", "r");
	FILE *pid = fopen("/proc/sys/kernel/core_uses_pid", "r");

	if (file && !fgets(pattern, sizeof(pattern), file))
		pattern[0] = '\0';
	if (pid && !fgets(with_pid, sizeof(with_pid), pid))
		with_pid[0] = '\0';
	if (file)
		fclose(file);
	if (pid)
		fclose(pid);
	return !strcmp(pattern, "core\n") && !strcmp(with_pid, "0\n");
}

int main(void)
{
	struct stat core = { 0 };
	int status = 0;
	pid_t child;

	if (!is_core_here())
		return 77;
	child = fork();
	for (int step = 0; step < GUEST_STEPS; step++)
		guest_step();
	if (child == 0)
		abort();
	waitpid(child, &status, 0);
	stat("core", &core);
	/* 64 MB are allowed; as large as that, it is cut off */
	return guest_end(WTERMSIG(status) * 4 + !!WCOREDUMP(status) * 2 +
			 (core.st_size > 0 && core.st_size < 64 << 20));
}
