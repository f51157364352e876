/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_THREAD_H
#define MEMSEARCH_PROCESS_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/thread_clock.h"
#include "memsearch/metric.h"
#include "memsearch/region.h"
#include "ompt_tool/process/thread_drops.h"
#include "ompt_tool/process/thread_frames.h"
#include "ompt_tool/process/thread_locks.h"

/*
 * Data of one OS thread. Created in thread_begin on the thread itself, never freed before the
 * process ends (late END events), found through the runtime's thread data. The current thread's is
 * always called `self`.
 *
 * Rules for code that runs in a callback:
 * 1. no malloc, no lock, no I/O, no call that may do one of these;
 * 2. write only to `self`, to task_data of the event, and to atomics;
 * 3. return at once unless events are on, `self` is not NULL, and the process is
 *    the one in which the tool was started (a forked child drops everything);
 * 4. keep nothing but task_data between BEGIN and END: END comes late on workers, its
 *    parallel_data is NULL and its index may be another team's;
 * 5. tag what BEGIN stores with the epoch; ignore an END of another epoch;
 * 6. never exit, abort, assert, change a signal handler or print to stdout.
 */
struct summary;

#define THREAD_FRAMES 64 /* deeper nesting is counted as dropped */
/* regions begun by a thread whose end its workers may still query */
#define THREAD_PARALLELS 64
/* explicit tasks begun on a thread and not complete, e.g. at taskwaits */
#define THREAD_TASKS 64
/* locks that a thread holds at once; if there are more, the oldest is dropped */
#define THREAD_HELD 16

/* wall_ns 0: none was read yet */
struct thread_usage {
	uint64_t wall_ns, cpu_ns, preemptions;
};

struct thread {
	/* hot: touched by every event */
	struct summary *summary; /* NULL: no address space left, nothing is measured */
	uint32_t index;          /* dense, 0 = initial thread */
	uint32_t depth;          /* frames in use */
	uint32_t skipped;        /* BEGINs dropped because the frames were full */
	uint32_t cost_countdown; /* the callback in which it reaches 0 is timed */
	uint32_t cost_random;
	uint32_t last_cpu, last_node; /* CPU + 1; 0: unknown, as is the NUMA node */
	uint32_t turn, parts;         /* `events` at the last check */
	/* the same for `choices`; lower while the thread may have to move, see move.c */
	uint32_t choice;
	/* end of the last part of the open outermost region, see region_parts.c */
	uint64_t part_ns;
	/* region of the current event, see event_cost.h */
	uint32_t event_region;
	uint64_t moves; /* changes of CPU seen so far */
	/* estimated time in callbacks so far, without phase boundaries */
	uint64_t cost_ns;
	/* the part of it that was timed where it arose, in callbacks or not: recording's */
	uint64_t timed_ns;
	/* measured time in phase boundaries; added by boundary.c and experiment.c */
	uint64_t boundary_ns;
	/* estimated time the kernel took for the samples read so far; atomic store */
	uint64_t sampled_ns;
	/* estimated time in the hooks of its allocations so far; atomic store by arrays/heap_cost.c */
	uint64_t heap_ns;
	/* the part of boundary_ns in which the thread was not on a CPU; atomic store */
	uint64_t waited_ns;
	/* construct that ended just before, for the barrier that closes it */
	uint32_t closed_region;
	uint32_t nr_tasks;        /* begun and not complete */
	bool task_running;        /* the last of tasks[] runs now */
	uint32_t task_generation; /* tasks[] of an older one are stale; see events */
	uint64_t task_resumed_ns;
	/* BARRIER_WAIT so far in the outermost team's constructs */
	uint64_t waits_ns;
	/* total time in explicit tasks and in their waits; atomic store, read by the fold */
	uint64_t tasks_ns;
	uint32_t mutex_region;
	uint64_t mutex_begin_ns;
	struct pending_wait pending;
	uint64_t teams;        /* atomic; implicit tasks begun */
	struct parallel *open; /* innermost parallel region this thread has begun */
	/* code of the next parallel region, passed to the runtime and recorded; 0: none */
	uint64_t next_body;
	bool next_body_is_clone;  /* the runtime got its clone … */
	bool next_body_has_times; /* … which records times of loops */
	bool worker;              /* created by the runtime */
	bool successor;           /* reuses the block of an ended thread */
	uint32_t runtimes;        /* atomic; number of runtimes that know it */
	/* the same for the next task; 0: no further task will be created from it */
	uint64_t next_task_body;
	struct task_body task_body; /* the last one */
	uint32_t next_parallel, skipped_parallels;
	uint64_t parallel_sequence;
	uint32_t nr_held; /* released by the time lock_sampling has another generation */
	struct lock_sampling lock_sampling;
	struct lock_release release;
	struct held_lock held[THREAD_HELD];
	struct frame frames[THREAD_FRAMES];
	struct task_run tasks[THREAD_TASKS];
	struct parallel parallels[THREAD_PARALLELS];
	/* cold */
	uint64_t dropped[THREAD_DROPS];
	int os_id;                 /* gettid */
	struct thread_usage usage; /* when a long callback was timed last */
	uintptr_t stack;           /* an address in its stack */
	uint32_t ended;            /* atomic */
	uint32_t number;           /* in its first team; 0: not known, or the first */
	void *sensor[MS_SENSORS];  /* private to each sensor */
	struct thread *next;       /* list of all threads, pushed with CAS */
};

/*
 * On the thread itself, in thread_begin. NULL: no memory (counted). A worker of the OpenMP runtime
 * reuses the block of a worker that has ended: libgomp creates the threads of a nested team anew.
 * Other threads reuse blocks once there are THREAD_REUSE, so that a program that keeps creating
 * threads does not use up the address space. `number`: its number in its team, if the runtime says
 * that, else 0: of several blocks it gets the one of that number, so that the values of a block are
 * of one number also where a team shrinks and grows again.
 */
#define THREAD_REUSE 1024
struct thread *thread_new_numbered(bool worker, uint32_t number);
/* Without a number. */
struct thread *thread_new(bool worker);
void thread_end(struct thread *self);
/* All threads, newest first; begin with NULL. Any thread, any time. */
struct thread *thread_next(const struct thread *thread);
uint64_t thread_count(void);
uint64_t thread_refused(void);

/*
 * Zeroed memory for a sensor's data of one thread, which is zeroed again in a forked child
 * (MADV_WIPEONFORK). Released by own_memory_give_back(). NULL: refused by the kernel.
 */
void *thread_memory(size_t bytes);

/* Counts something that could not be measured; owner only. */
static inline void thread_drop(struct thread *self, enum thread_drop cause)
{
	__atomic_store_n(&self->dropped[cause], self->dropped[cause] + 1, __ATOMIC_RELAXED);
}

#endif
