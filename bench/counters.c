/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What counting four events costs a region boundary, beside the bare read() of that group, and a
 * thread's start, beside a thread that counts nothing. Software events: they take the same system
 * calls as hardware events that rdpmc cannot read. Prints "name value unit" lines; times are CPU
 * times of the thread, the least of REPETITIONS.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/options/options.h"
#include "analysis/properties/property.h"
#include "memsearch/sensor.h"
#include "ompt_tool/counters/counters.h"
#include "ompt_tool/measurements/summary.h"
#include "ompt_tool/process/thread.h"

#define REPETITIONS 25
#define CALLS 4000
#define THREADS 200
#define EVENTS "perf::MINOR-FAULTS,perf::MAJOR-FAULTS,MINOR-FAULTS"

static const uint32_t metrics[] = { MS_METRIC_PAGE_FAULTS, MS_METRIC_EVENT_1, MS_METRIC_EVENT_2,
				    MS_METRIC_EVENT_3 };

static double now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int open_bare(uint64_t config, int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = config,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static struct thread *self;
static int bare = -1;

static void read_bare(void)
{
	uint64_t values[32];

	for (int i = 0; i < CALLS; i++)
		if (read(bare, values, sizeof(values)) != 11 * 8)
			abort();
}

static void begin_regions(void)
{
	for (int i = 0; i < CALLS; i++)
		sensor_counters.region_begin(self, &self->frames[0]);
}

static void begin_and_end_regions(void)
{
	self->frames[0].region = 1;
	for (int i = 0; i < CALLS; i++) {
		sensor_counters.region_begin(self, &self->frames[0]);
		sensor_counters.region_end(self, &self->frames[0]);
	}
}

static double time_of(void (*what)(void))
{
	double before = now_ns(CLOCK_THREAD_CPUTIME_ID);

	what();
	return (now_ns(CLOCK_THREAD_CPUTIME_ID) - before) / CALLS;
}

static void keep_least(double *least, double value)
{
	*least = *least == 0 || value < *least ? value : *least;
}

static void measure_reading(void)
{
	double plain = 0, begin = 0, both = 0;

	self = thread_new(false);
	if (!self || !sensor_counters.thread_begin(self))
		abort();
	bare = open_bare(PERF_COUNT_SW_PAGE_FAULTS, -1);
	open_bare(PERF_COUNT_SW_PAGE_FAULTS_MIN, bare);
	open_bare(PERF_COUNT_SW_PAGE_FAULTS_MAJ, bare);
	open_bare(PERF_COUNT_SW_PAGE_FAULTS_MIN, bare);
	for (int i = 0; i < REPETITIONS; i++) {
		keep_least(&plain, time_of(read_bare));
		keep_least(&begin, time_of(begin_regions));
		keep_least(&both, time_of(begin_and_end_regions));
	}
	printf("bare_read %.0f ns\nregion_begin %.0f ns\nregion_end %.0f ns\n", plain, begin,
	       both - begin);
	printf("reading_ratio %.3f 1\nboundary_ratio %.3f 1\n", begin / plain, both / 2 / plain);
}

static void *live_plainly(void *none)
{
	return thread_new(true) ? NULL : none;
}

static void *live_counted(void *spent)
{
	struct thread *own = thread_new(true);
	double before = now_ns(CLOCK_THREAD_CPUTIME_ID);

	sensor_counters.thread_begin(own);
	sensor_counters.region_begin(own, &own->frames[0]);
	sensor_counters.region_end(own, &own->frames[0]);
	sensor_counters.thread_end(own);
	*(double *)spent = now_ns(CLOCK_THREAD_CPUTIME_ID) - before;
	return NULL;
}

/* CPU time of the process over a thread's life. */
static double life_of(void *(*live)(void *), double *spent)
{
	double before = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	pthread_t id;

	if (pthread_create(&id, NULL, live, spent) || pthread_join(id, NULL))
		abort();
	return now_ns(CLOCK_PROCESS_CPUTIME_ID) - before;
}

/*
 * From before pthread_create to after pthread_join, and on the thread itself from thread_begin to
 * thread_end.
 */
static void measure_threads(void)
{
	double plain = 0, counted = 0, own = 0;

	for (int i = 0; i < THREADS; i++) {
		double spent = 0;

		plain += life_of(live_plainly, &spent);
		counted += life_of(live_counted, &spent);
		own += spent;
	}
	printf("thread_plain %.1f us\nthread_counted %.1f us\nthread_start %.1f us\nthread_start_own %.1f us\n",
	       plain / THREADS / 1e3, counted / THREADS / 1e3, (counted - plain) / THREADS / 1e3,
	       own / THREADS / 1e3);
}

int main(void)
{
	struct sensor_status status = { 0 };

	sensor_counters.session.configure(&(struct sensor_setting){
		.properties = property_set_load(arena_new(), "properties", NULL),
		.options = &(struct options){ .counters = "perf", .event = EVENTS },
	});
	sensor_counters.probe(&status);
	if (!status.works || !sensor_counters.fits(metrics, 4)) {
		fprintf(stderr, "counters: skipped: %s\n", status.text);
		return 77;
	}
	sensor_counters.select(metrics, 4);
	measure_reading();
	measure_threads();
	return 0;
}
