/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_EVENTS_H
#define MEMSEARCH_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include <omp-tools.h>

#include "memsearch/measurement.h"

/*
 * From OMPT callbacks to the threads' summaries: tracks the construct that a thread is in, and adds
 * what the clock and the sensors measure. Not here: phase boundaries and requests (struct
 * events_listener), the source of an address (analysis/debuginfo/source.h).
 *
 * To handle another event: 1. its handle_EVENT in the file of its family, declared in event.h; 2.
 * its GATE in callbacks.c; 3. its name in CALLBACK_LIST. `mutex_released` is registered with
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

struct callback {
	ompt_callbacks_t id;
	ompt_callback_t function;
	const char *name;
};
extern const struct callback callbacks[];
extern const unsigned int nr_callbacks;

/*
 * The listener to events that may be phase boundaries, and to regions that run as clones. No
 * function is NULL. `event` and `control` are called inside of events_enter.
 */
struct events_listener {
	/*
	 * The initial thread is about to begin `region` (before it is measured). level 0: a
	 * parallel region, or an orphaned construct in serial code; level 1: a loop, barrier,
	 * single or sections inside the parallel region it is in.
	 */
	void (*event)(struct thread *self, int level, uint32_t region, uint64_t now_ns);
	/*
	 * omp_control_tool, on any thread: 64 begins, 65 ends an execution of phase `modifier`; 1
	 * start, 2 pause, 4 end measuring.
	 */
	void (*control)(struct thread *self, uint64_t command, uint64_t modifier, uint64_t now_ns);
	/* A parallel region begins whose body is a recording clone. */
	void (*clone_begins)(struct region *region);
	/* After a parallel region the initial thread is in serial code. */
	void (*serial_begins)(void);
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
/*
 * For locks of which no runtime has events: call on the thread that acquires one, before it waits and
 * when it has it. A lock that waits for a condition is free meanwhile, and is forgotten before.
 */
void events_acquire(ompt_mutex_t kind, ompt_wait_id_t variable, const void *codeptr);
void events_acquired(ompt_mutex_t kind, ompt_wait_id_t variable, const void *codeptr);
void events_forget_lock(ompt_wait_id_t variable);
/*
 * For a runtime without these events: call on the thread that holds the lock, before and after it
 * releases it. Any thread of the program. `variable`: address of the lock variable, 0 for the
 * unnamed critical constructs if the runtime has none for these.
 */
void events_releasing(ompt_mutex_t kind, ompt_wait_id_t variable);
void events_released(ompt_mutex_t kind);
/*
 * States that releases are reported, by these functions or by a runtime's events; before
 * online_start.
 */
void events_see_releases(void);
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

/*
 * Disables (or enables) events inside of parallel regions, from the region that begins now on: each
 * then costs a load and a branch. Call on the initial thread when it begins a region in serial
 * code. No effect while anything is requested, and in programs with several initial threads or with
 * worksharing outside of regions.
 */
void events_rest(bool rest);
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
 * Emits every value since the last fold: the summaries, and waits at the end of parallel regions
 * whose workers have had no event since. There may be two rows of one cell. One caller at a time.
 * Returns the number of rows emitted.
 */
uint64_t events_fold(void (*emit)(void *ctx, const struct ms_measurement *row), void *ctx);

/*
 * Call before events_fold at a phase boundary. If it lies inside a parallel region, the values of
 * that region so far are summarised as one part: the initial thread's now, those of other threads
 * when they next begin a construct, so mostly in the next fold. `keep` false: they are dropped
 * instead. `executions`: number of phase executions in the part. False: the boundary is outside of
 * regions (or this is not the initial thread), nothing was done.
 */
bool events_part(bool keep, uint32_t executions);

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
 * Parts of the open outermost region (events_part), of threads other than the initial one, whose
 * accesses were requested and are not all recorded, so far.
 */
uint32_t events_incomplete_parts(void);

/*
 * In a forked child: if it was forked in a serial stretch in clones, it continues in the program's
 * own code.
 */
void events_forget_serial(void);

/* Calls `visit` for each thing that was not measured, and why (constant texts). */
void events_dropped(void (*visit)(void *ctx, const char *text, const char *why, uint64_t count),
		    void *ctx);

/*
 * Mutual exclusion of online.c: events_enter waits up to `patience_ms` for another thread to leave;
 * false: it did not. Callbacks enter with patience 0, core.c with more.
 */
bool events_enter(unsigned int patience_ms);
void events_leave(void);

#endif
