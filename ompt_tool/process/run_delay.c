/* SPDX-License-Identifier: Apache-2.0 */
#include "ompt_tool/process/run_delay.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct times {
	double cpu_ns, delay_ns;
};

static struct times times_of(pid_t tid)
{
	const struct times unknown = { NAN, NAN };
	char path[64], text[128], *end;
	ssize_t nr = -1;
	struct times times;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/schedstat", (int)tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		nr = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	if (nr <= 0)
		return unknown;
	text[nr] = 0;
	times.cpu_ns = (double)strtoull(text, &end, 10);
	if (*end != ' ')
		return unknown;
	times.delay_ns = (double)strtoull(end + 1, &end, 10);
	return *end == ' ' ? times : unknown;
}

double run_cpu_ns(pid_t tid)
{
	return times_of(tid).cpu_ns;
}

double run_delay_ns(pid_t tid)
{
	return times_of(tid).delay_ns;
}
