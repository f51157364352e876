/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BENCH_USAGE_H
#define MEMSEARCH_BENCH_USAGE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* What a command took, as timed.c and turns.c tell it. */

static inline double usage_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static inline double usage_time_ns(struct timeval time)
{
	return (double)time.tv_sec * 1e9 + (double)time.tv_usec * 1e3;
}

/* In the child, before exec. */
static inline void usage_silence(void)
{
	dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
}

/* Appends "WALL_NS CPU_NS PEAK_KIB"; false: the file cannot be opened. */
static inline bool usage_append(const char *file, double wall_ns, const struct rusage *usage)
{
	FILE *out = fopen(file, "a");

	if (!out)
		return false;
	fprintf(out, "%.0f %.0f %ld\n", wall_ns,
		usage_time_ns(usage->ru_utime) + usage_time_ns(usage->ru_stime), usage->ru_maxrss);
	return fclose(out) == 0;
}

#endif
