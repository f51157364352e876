/* SPDX-License-Identifier: Apache-2.0 */
/* Obstacles to recording. */
#include "ompt_tool/recording/recording_obstacles.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis/debuginfo/modules.h"
#include "analysis/record/run.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/context_use.h"
#include "ompt_tool/events/serial_code.h"
#include "ompt_tool/recording/recording_private.h"

/* x86's debug registers 0 to 3 (SDM 3, 18.2.1). */
enum { BREAKPOINTS = 4 };

static int open_breakpoint(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = (uintptr_t)recording_obstacle,
		.bp_len = sizeof(long),
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The kernel does not list breakpoints, but allocates no more than the CPU has. */
static bool finds_breakpoints(void)
{
	int fds[BREAKPOINTS], nr = 0, saved = errno, error = 0;

	while (nr < BREAKPOINTS && (fds[nr] = open_breakpoint()) >= 0)
		nr++;
	if (nr < BREAKPOINTS)
		error = errno;
	while (nr > 0)
		close(fds[--nr]);
	errno = saved;
	return error == ENOSPC;
}

/* Once: it takes 1 to 2 ms. */
static bool has_breakpoints(void)
{
	static int has = -1;

	if (has < 0)
		has = finds_breakpoints();
	return has;
}

bool recording_cancelled_anywhere(void)
{
	int before = PTHREAD_CANCEL_DEFERRED, none;

	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before);
	if (before == PTHREAD_CANCEL_ASYNCHRONOUS)
		pthread_setcanceltype(before, &none);
	return before == PTHREAD_CANCEL_ASYNCHRONOUS;
}

const char *recording_obstacle(uintptr_t *function_out)
{
	*function_out = 0;
	if (callee_look() && context_use_signal(function_out))
		return "a signal handler of the program uses the address of the interrupted instruction, which would be another one";
	if (recording_cancelled_anywhere())
		return "the thread may be cancelled at any instruction";
	if (has_breakpoints())
		return "breakpoints are set in the process, which copies of its code would not meet";
	return NULL;
}

static void note_obstacle(struct recording *recording, uintptr_t function)
{
	const struct run *run = recording->run;
	struct run_dropped dropped = {
		.what = "accesses to the program's data structures",
		.why = recording->obstacle,
		.topic = RUN_RECORDING,
	};

	if (function) {
		dropped.what = "accesses to the program's data structures, because of";
		dropped.code = modules_find(run->modules, run->nr_modules, function);
	}
	run_note_dropped(recording->run, recording->arena, dropped);
}

/* Obstacles may change, so they are determined at each experiment. */
void recording_look_for_obstacles(struct recording *recording)
{
	uintptr_t function;

	recording->handlers = context_use_handlers();
	recording->obstacle = recording->asked ? recording_obstacle(&function) : NULL;
	serial_code_allow(!recording->obstacle);
	if (recording->obstacle && !recording->obstacle_reported)
		note_obstacle(recording, function);
	recording->obstacle_reported |= recording->obstacle != NULL;
}

bool recording_has_same_handlers(const struct recording *recording)
{
	return recording->handlers == context_use_handlers();
}
