/* SPDX-License-Identifier: Apache-2.0 */
#include "ompt_tool/process/run_delay.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

double run_delay_ns(pid_t tid)
{
	char path[64], text[128], *end;
	ssize_t nr = -1;
	double ns;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		nr = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (nr <= 0)
		return NAN;
	text[nr] = 0;
	strtoull(text, &end, 10);
	if (*end != ' ')
		return NAN;
	ns = (double)strtoull(end + 1, &end, 10);
	return *end == ' ' ? ns : NAN;
}
