/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: looks at itself: its threads, its children, its name, its CPUs, its priority, its limits of a traced process; only its own doing may show. */
#define _GNU_SOURCE
#include <dirent.h>
#include <omp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "guest.h"

static int threads(void)
{
	DIR *folder = opendir("/proc/self/task");
	int nr = 0;

	while (readdir(folder))
		nr++;
	closedir(folder);
	return nr - 2;
}

int main(int count, char **words)
{
	char name[16] = "";
	cpu_set_t cpus;
	long sum = 0;

	for (int step = 0; step < GUEST_STEPS; step++) {
		guest_step();
		if (step % 25)
			continue;
		sum += threads() - omp_get_max_threads();
		sum += waitpid(-1, NULL, WNOHANG) == -1;
		sched_getaffinity(0, sizeof cpus, &cpus);
		sum = sum * 3 + CPU_COUNT(&cpus) + getpriority(PRIO_PROCESS, 0) + sched_getscheduler(0);
		prctl(PR_GET_NAME, name);
		sum += prctl(PR_GET_DUMPABLE) * 5 + prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) * 7 + prctl(PR_GET_TIMERSLACK) % 1000;
	}
	printf("%s %d %d\n", name, count, (int)(strrchr(words[0], '/') != NULL));
	return guest_end(sum);
}
