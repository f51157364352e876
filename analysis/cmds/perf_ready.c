/* SPDX-License-Identifier: Apache-2.0 */
/* An event of our own that makes the kernel, and a virtual machine's host, ready for others. */
#define _GNU_SOURCE
#include "analysis/cmds/perf_ready.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool with_counters;

/* Of the calling thread; counts from now on. */
static int open_event(__u32 type, __u64 config)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = type,
					.config = config,
					.exclude_kernel = 1,
					.exclude_hv = 1 };

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void *make_ready(void *unused)
{
	(void)unused;
	if (!with_counters || open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES) < 0)
		open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY);
	return NULL;
}

void perf_ready_begin(bool counters)
{
	sigset_t all, before;
	pthread_t thread;

	if (prctl(PR_GET_SECCOMP) != 0)
		return;
	with_counters = counters;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before); /* signals are for the thread that waits */
	if (!pthread_create(&thread, NULL, make_ready, NULL))
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}
