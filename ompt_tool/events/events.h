/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_H
#define MEMSEARCH_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <omp-tools.h>

#include "memsearch/metric.h"

/*
 * From OMPT callbacks to the threads' summaries: tracks the construct that a thread is in, and adds
 * what the clock and the sensors measure. Not here: phase boundaries and requests (struct
 * events_listener), the source of an address (analysis/debuginfo/source.h).
 *
 * To handle another event: 1. its handle_EVENT in the file of its family, declared in handlers.h;
 * 2. its GATE in callbacks.c; 3. its name in CALLBACK_LIST. `mutex_released` is registered with
 * libgomp only; for LLVM's runtime see lock_releases.h.
 */
struct region;
struct region_table;
struct thread;

/* clang-format off */
#define CALLBACK_LIST(X) \
	X(thread_begin) X(thread_end) X(parallel_begin) X(parallel_end) X(implicit_task) X(work) X(dispatch) X(masked) \
	X(sync_region) X(reduction) X(mutex_acquire) X(mutex_acquired) X(mutex_released) X(task_create) X(task_schedule) X(control_tool)
/* clang-format on */

/*
 * The listener to events that may be phase boundaries, and to regions that run as clones. No
 * function is NULL. `event` and `control` are called inside of events_enter.
 */
struct events_listener {
	/*
	 * The initial thread is about to begin `region` (before it is measured). level 0: a
	 * parallel region, or an orphaned construct in serial code; level 1: a loop, barrier,
	 * single or sections inside the parallel region it is in. `path`: of calls to it, see
	 * call_path.h; 0 for all but parallel regions in serial code.
	 */
	void (*event)(struct thread *self, int level, uint32_t region, uint32_t path,
		      uint64_t now_ns);
	/*
	 * omp_control_tool, on any thread: 64 begins, 65 ends an execution of phase `modifier`; 1
	 * start, 2 pause, 4 end measuring.
	 */
	void (*control)(struct thread *self, uint64_t command, uint64_t modifier, uint64_t now_ns);
	/* A parallel region begins whose body is a recording clone. */
	void (*clone_begins)(struct region *region);
	/* After a parallel region the initial thread is in serial code. */
	void (*serial_begins)(void);
	/* The initial thread has timed a callback, which is over. */
	void (*spent)(struct thread *self, uint64_t now_ns);
};

/*
 * In the tool's initialize: finds the entry points, registers every callback, once. `listener` is
 * kept. False: this runtime cannot be used.
 */
bool events_start(ompt_function_lookup_t lookup, struct region_table *regions,
		  const struct events_listener *listener);
/*
 * Adds a further runtime of the process, after events_start; any thread. A thread known to both is
 * one thread: its regions nest across runtimes. False: this runtime cannot be used (a warning was
 * logged).
 */
bool events_add_runtime(ompt_function_lookup_t lookup);
/* Number of runtimes. Any thread. */
unsigned int events_runtimes(void);
/*
 * Limits the cost of sensors on threads that reuse the block of an ended thread (thread_new): they
 * have sensors only while opening and closing these has taken at most this share of the time from
 * now on; negative, the default: no limit. libgomp creates the threads of a nested team anew at
 * each of its regions.
 */
void events_limit_threads(double share);

/*
 * Calls `visit` for each metric without values because the runtime has no event for it, such as
 * dispatch in libomp 14. After events_start.
 */
void events_missing(void (*visit)(void *ctx, enum ms_metric metric), void *ctx);

/*
 * Off (the default): every callback returns at once, and threads that begin are not recorded.
 * Enable within online_start, so that the initial thread is recorded.
 */
void events_enable(bool on);

/* Any metric of any region; any thread. */
bool events_are_requested(void);

/*
 * Disables (or enables) events inside of parallel regions, from the region that begins now on: each
 * then costs a load and a branch. Call on the initial thread when it begins a region in serial
 * code. No effect while anything is requested, and in programs with several initial threads or with
 * worksharing outside of regions.
 */
void events_rest(bool rest);
/*
 * The same within a region, up to its end: what is open there loses its end. Initial thread,
 * in a region; nothing may be requested. Call events_rest(false) at the next event.
 */
bool events_can_rest(void);
void events_rest_of_region(void);
/*
 * Skips the events of constructs inside of the region that begins now, up to its end: each then costs a
 * load and a branch. The region itself is measured. Call as events_rest. No effect in programs with
 * several initial threads or with worksharing outside of regions.
 */
void events_skip_constructs(bool skip);
/*
 * Whether the runtime skips the events of constructs meanwhile (gomp_tool.h), so that events_rest
 * saves time even if events are rare.
 */
bool events_rest_in_runtime(void);

/*
 * The calling thread, callbacks or not; NULL: the runtime does not know it, or there was no memory
 * for it.
 */
struct thread *events_self(void);

/*
 * Sets the sensors that are requested in any region, one bit each (result of
 * segment_requests_apply), and switches the sensors of all threads. `locks`: metrics of critical and
 * ordered constructs or of locks are requested. Any thread, one at a time; events may continue
 * meanwhile.
 */
void events_request(uint32_t requested, bool locks);

/*
 * Ends the initial thread's current serial stretch; for online_finish. No effect on other threads.
 */
void events_close_serial(uint64_t now_ns);

/*
 * The calling thread has left clones in the middle of its code (switching_left): the accesses of
 * its current constructs are incomplete and will be dropped. No malloc, no lock.
 */
void events_left_clones(void);

/*
 * In a forked child: if it was forked in a serial stretch in clones, it continues in the program's
 * own code.
 */
void events_forget_serial(void);

/*
 * Mutual exclusion of online.c: events_enter waits up to `patience_ms` for another thread to leave;
 * false: it did not. Callbacks enter with patience 0, core.c with more.
 */
bool events_enter(unsigned int patience_ms);
void events_leave(void);

#endif
