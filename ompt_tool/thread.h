/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_THREAD_H
#define MEMSEARCH_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/metric.h"
#include "memsearch/region.h"

/*
 * What the tool keeps of one OS thread. Made in thread_begin on the thread itself,
 * never freed before the process ends (late END events), found again through the
 * runtime's thread data. The current thread's is always called `self`.
 *
 * Rules for code that runs in a callback:
 * 1. no malloc, no lock, no I/O, no call that may do one of these;
 * 2. write only to `self`, to task_data of the event, and to atomics;
 * 3. return at once unless measuring() is on, `self` is not NULL, and the process is
 *    the one we started in (a fork's child drops everything);
 * 4. keep nothing but task_data between BEGIN and END: END comes late on workers, its
 *    parallel_data is NULL and its index may be another team's;
 * 5. tag what BEGIN stores with the epoch; ignore an END of another epoch;
 * 6. never exit, abort, assert, change a signal handler or print to stdout.
 */
struct summary;
struct parallel;

/* A construct a thread is in: pushed at BEGIN, popped at END (or when an enclosing one ends). */
struct frame {
	uint32_t region;
	uint32_t epoch;
	uint32_t requests;               /* of the region when it began */
	uint64_t begin_ns;
	uint64_t sensor_state[MS_SENSORS][8];   /* values at begin, one row a sensor */
};

#define THREAD_FRAMES 64             /* deeper nesting is counted as dropped */

struct thread {
	/* hot: touched by every event */
	struct summary *summary;
	uint32_t index;                  /* dense, 0 = initial thread */
	uint32_t depth;                  /* frames in use */
	uint32_t cost_countdown;         /* 1 callback in so many is timed */
	uint32_t last_cpu;
	uint64_t cost_ns;                /* estimated time in callbacks so far */
	uint64_t dropped;
	struct frame frames[THREAD_FRAMES];
	/* cold */
	int os_id;                       /* gettid */
	bool ended;
	void *sensor[MS_SENSORS];        /* private to each sensor */
	struct thread *next;             /* list of all threads, pushed with CAS */
};

/* CLOCK_MONOTONIC through the vdso. */
uint64_t thread_clock_ns(void);

#endif
