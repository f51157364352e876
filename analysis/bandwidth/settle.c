/* SPDX-License-Identifier: Apache-2.0 */
/* Repeats a measurement until it is certain, or returns its uncertainty. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "analysis/bandwidth/bandwidth.h"
#include "analysis/bandwidth/sizes.h"

#define TRIES_MOST 4
#define TIMES_MOST 5 /* in seconds of one try: no further try begins after that */
#define LOCK_POLL_NS 50000000

/* ------------------------------------------------------------------ uncertainty of a try */

static double spread_of(const struct bandwidth *bandwidth)
{
	return fmax(bandwidth->all_spread, bandwidth->single_spread);
}

bool bandwidth_is_uncertain(const struct bandwidth *bandwidth)
{
	return spread_of(bandwidth) > BANDWIDTH_SPREAD_MOST;
}

/* From the lowest to the highest of both, as a best value and a spread. */
static void join(double *best, double *spread, double other_best, double other_spread)
{
	double low = fmin(*best * (1 - *spread), other_best * (1 - other_spread));

	*best = fmax(*best, other_best);
	*spread = *best > 0 ? (*best - low) / *best : 0;
}

static void add_try(struct bandwidth *sum, const struct bandwidth *one, bool first)
{
	struct bandwidth before = *sum;

	*sum = *one;
	if (first)
		return;
	join(&sum->all, &sum->all_spread, before.all, before.all_spread);
	join(&sum->single, &sum->single_spread, before.single, before.single_spread);
	sum->small |= before.small;
}

/* Programs that took a share of the CPUs may have taken the same share of the bandwidth. */
static void doubt(struct bandwidth *bandwidth, double others)
{
	if (others <= BANDWIDTH_SPREAD_MOST)
		return;
	others = fmin(others, 0.99);
	bandwidth->all_spread = fmax(bandwidth->all_spread, others);
	bandwidth->single_spread = fmax(bandwidth->single_spread, others);
}

enum ms_status bandwidth_settle(bandwidth_try *try, void *ctx, double seconds,
				struct bandwidth *out)
{
	struct bandwidth sum = { 0 };
	double spent = 0;

	for (int i = 0; i < TRIES_MOST && spent < TIMES_MOST * seconds; i++) {
		double others = 0, took = 0;
		enum ms_status status = try(ctx, seconds, out, &others, &took);

		if (status != MS_OK)
			return status;
		doubt(out, others);
		if (!bandwidth_is_uncertain(out))
			return MS_OK;
		add_try(&sum, out, i == 0);
		spent += took;
	}
	*out = sum;
	return MS_OK;
}

/* ------------------------------------------------------------------ one try here */

struct use {
	/* seconds: the clock; CPU time of all these CPUs, and of this process */
	double wall, busy, own;
};

static double seconds_of(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

static bool is_measured(const struct bandwidth_sizes *sizes, int cpu)
{
	for (uint32_t i = 0; i < sizes->nr_cpus; i++)
		if (sizes->cpus[i] == cpu)
			return true;
	return false;
}

/*
 * Of the measured CPUs. proc(5): a line for each, "cpu0 user nice system idle iowait irq softirq
 * steal", in clock ticks.
 */
static double busy_seconds(const struct bandwidth_sizes *sizes)
{
	FILE *file = fopen("/proc/stat", "re");
	unsigned long long part[8], ticks = 0;
	char line[256];
	int cpu;

	while (file && fgets(line, sizeof(line), file) && !strncmp(line, "cpu", 3))
		if (sscanf(line, "cpu%d %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &part[0],
			   &part[1], &part[2], &part[3], &part[4], &part[5], &part[6],
			   &part[7]) == 9 &&
		    is_measured(sizes, cpu))
			ticks += part[0] + part[1] + part[2] + part[5] + part[6] + part[7];
	if (file)
		fclose(file);
	return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static struct use use_now(const struct bandwidth_sizes *sizes)
{
	struct timespec now;
	struct rusage own;
	struct use use = { .busy = busy_seconds(sizes) };

	clock_gettime(CLOCK_MONOTONIC, &now);
	use.wall = (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
	getrusage(RUSAGE_SELF, &own);
	use.own = seconds_of(own.ru_utime) + seconds_of(own.ru_stime);
	return use;
}

/* Of the measured CPUs; ticks are whole: an error of one per CPU at begin and end. */
static double share_of_others(struct use before, struct use after, uint32_t threads)
{
	double tick = 2.0 / (double)sysconf(_SC_CLK_TCK) * threads;
	double others = after.busy - before.busy - (after.own - before.own) - tick;

	return others > 0 && after.wall > before.wall
		       ? others / ((after.wall - before.wall) * threads)
		       : 0;
}

enum ms_status bandwidth_try_here(void *ctx, double seconds, struct bandwidth *out,
				  double *others_out, double *took_out)
{
	struct bandwidth_sizes sizes;
	enum ms_status status = bandwidth_sizes_find(&sizes);
	struct use before, after;

	(void)ctx;
	if (status != MS_OK)
		return status;
	before = use_now(&sizes);
	status = bandwidth_measure(seconds, out);
	after = use_now(&sizes);
	bandwidth_sizes_release(&sizes);
	*others_out = status == MS_OK ? share_of_others(before, after, out->threads) : 0;
	*took_out = after.wall - before.wall;
	return status;
}

/* ------------------------------------------------------------------ one at a time */

int bandwidth_lock(double patience)
{
	static const char name[] = "memsearch-calibration";
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + sizeof(name));
	struct timespec poll = { 0, LOCK_POLL_NS };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -1;
	/* abstract: no file, and gone with its owner */
	memcpy(address.sun_path + 1, name, sizeof(name) - 1);
	for (double waited = 0; bind(fd, (struct sockaddr *)&address, length);
	     waited += LOCK_POLL_NS * 1e-9) {
		if (errno != EADDRINUSE || waited >= patience) {
			int error = errno;

			close(fd);
			errno = error;
			return -1;
		}
		nanosleep(&poll, NULL);
	}
	return fd;
}
