/* SPDX-License-Identifier: Apache-2.0 */
/* Guest: counts SIGXFSZ and SIGPIPE, of which only its own writes send any. */
/* Does: cut off */
/* Shell: ulimit -f 64 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include "long_steps.h"

static volatile sig_atomic_t sizes, pipes;

static void count(int signal)
{
	if (signal == SIGXFSZ)
		sizes++;
	else
		pipes++;
}

int main(void)
{
	FILE *file = tmpfile();
	int ends[2];

	signal(SIGXFSZ, count);
	signal(SIGPIPE, count);
	steps(1500);
	if (!file || pipe(ends) || close(ends[0]))
		return 1;
	if (pwrite(fileno(file), "x", 1, 64 << 10) >= 0 || write(ends[1], "x", 1) >= 0)
		return 1;
	steps(1500);
	printf("%d %d %.12e\n", (int)sizes, (int)pipes, sum());
	return 3;
}
