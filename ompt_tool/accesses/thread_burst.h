/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_THREAD_BURST_H
#define MEMSEARCH_ACCESSES_THREAD_BURST_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt_tool/accesses/burst_pace.h"

/*
 * One thread's bursts of traced accesses: when they begin and end, and how much of the program's
 * time they have recorded, by region. Without the words, which accesses.c decodes.
 *
 *     begin ─▶ words, steps ─▶ over: end ─▶ due, with a task or a construct: resume ─▶ …
 *
 * Owner only, callbacks allowed, but for the functions on regions.
 */
struct task_run;
struct thread;

/* Kept in frame->sensor_state of the accesses sensor. */
enum access_state {
	ACCESS_STATE_ENDED,
	ACCESS_STATE_PASSED, /* it began between bursts: nothing is recorded of it */
	/* it began while accesses were only traced: nothing was counted of it */
	ACCESS_STATE_TRACED,
};

/*
 * The last burst, if it ended early and spent its time in page faults, as first accesses to zeroed
 * memory do. It is repeated, and its time is estimated when the repetition ends.
 */
struct slow_burst {
	uint32_t region; /* 0: none */
	uint32_t taken;  /* number of traces before its end */
	uint64_t words, noted_ns;
};

/* Constructs of the region that have their own times after one burst; others have the region's. */
#define BURST_CONSTRUCTS 16
/* Of recorded constructs a hash of their addresses modulo this is noted. */
#define BURST_PLACES 1024

struct thread_burst {
	struct thread *self;
	uint32_t number; /* of thread_bursts_allow, to which it belongs */
	struct burst_pace pace;
	/* MS_REGION_NONE: none, or it is over */
	uint32_t region;
	/*
	 * what the thread executes since begin_ns: the region, or a construct of it; a task, whose
	 * region it is; or MS_REGION_NONE: it waits in a task, or for the end of the region
	 */
	uint32_t place;
	const struct task_run *task; /* NULL: none */
	uint64_t begin_ns, begin_cost_ns, begin_cpu_ns;
	uint64_t begin_waits_ns; /* thread.h: waits that ended before begin_ns … */
	uint64_t open_wait_ns;   /* … and part of the present wait that was before it */
	uint64_t words_ns;       /* part of the cost since then: of words recorded since then */
	uint64_t noted_ns;       /* part of its time already added to the region … */
	uint64_t tasks_ns;       /* … and to tasks */
	uint64_t part_ns;        /* of noted_ns the part since thread_burst_part_ns */
	uint64_t since_ns;       /* when the burst began, or was renewed */
	/* of noted_ns the part in constructs, which was added to them, too */
	struct {
		uint32_t region;
		uint64_t ns;
	} constructs[BURST_CONSTRUCTS];
	uint32_t nr_constructs;
	/* of all bursts in the region: places where one was recorded, or tried … */
	uint64_t recorded[BURST_PLACES / 64];
	uint32_t due_place; /* … the last of these … */
	uint64_t tried_ns;  /* … and when */
	uint32_t
		followed; /* bursts without time left, because other threads had recorded the place */
	/*
	 * recorded words, and the CPU time of recording them: so bursts have the same length on
	 * busy machines. Of all bursts in the region; to where this one may go …
	 */
	uint64_t words, cpu_ns;
	uint64_t words_most, cpu_most_ns;
	uint64_t ended_ns; /* … and when the last one ended early; 0: none did */
	uint64_t due_ns;   /* since when tasks are created as clones for the next one; 0: not yet */
	/* tasks that were created as clones between bursts */
	uint64_t spare_clones;
	uint64_t faults;       /* page faults of its code so far … */
	uint64_t begin_faults; /* … and the thread's count when the code continued */
	/*
	 * words of preceding slow bursts in the region, whose time is estimated by the speed of
	 * this one
	 */
	uint64_t slow_words;
	struct slow_burst slow; /* the last one */
};

/* ------------------------------------------------------------------ on regions */

/*
 * Regions that begin from now on may have bursts: `left_ns` of CPU time per thread are left for
 * them, and of the time from now on the part `limit` (0, 0: none may). On the initial thread, in
 * serial code.
 */
void thread_bursts_allow(double left_ns, double limit);
/* Bursts since then that should be repeated: slow ones, and dropped ones. */
uint32_t thread_bursts_left(void);
/*
 * Time in ns, summed over threads, that recorded bursts in the parallel region, construct of one, or
 * task took since the last call, without the cost of recording: a region's is with that of its
 * constructs. *uneven_out: of a construct some of whose words were recorded at another speed. At
 * phase boundaries.
 */
uint64_t thread_bursts_take(uint32_t region, bool *uneven_out);
/* CPU time of its bursts since thread_bursts_allow. Any thread. */
uint64_t thread_burst_cpu_ns(const struct thread_burst *burst);

/* ------------------------------------------------------------------ on a thread */

void thread_burst_init(struct thread_burst *burst);
/* The thread's part of the region begins, in a clone. */
void thread_burst_begin(struct thread_burst *burst, struct thread *self, uint32_t region);
bool thread_burst_is_active(const struct thread_burst *burst);
/* Whether it has used its time or words, or its region is over. */
bool thread_burst_is_over(const struct thread_burst *burst);
/* The time since its last words or step is not counted, as words were dropped. */
void thread_burst_pass_time(struct thread_burst *burst);
/* The thread has recorded words, which cost `ns` while the program's code ran. */
void thread_burst_charge(struct thread_burst *burst, double ns);
/* Around the decoding of `nr` words, which cost `ns` beside the decoding. */
void thread_burst_take(struct thread_burst *burst, uint64_t nr);
void thread_burst_taken(struct thread_burst *burst, double ns);
/* Time of the region, without that of tasks, that the words of thread_burst_take took; once. */
uint64_t thread_burst_part_ns(struct thread_burst *burst);
/* A construct or task begins or ends. True: the burst is over. */
bool thread_burst_step(struct thread_burst *burst);
/* After the thread's constructs or tasks have changed. */
void thread_burst_move(struct thread_burst *burst);
/* The innermost task ends. */
void thread_burst_wait(struct thread_burst *burst);
/* The thread's part of the region has ended; tasks may follow in the barrier. */
void thread_burst_end_part(struct thread_burst *burst);
/* Before its region ended. */
void thread_burst_end(struct thread_burst *burst);
/* Ends it: the recorded begin of the thread's part does not represent the rest. */
void thread_burst_drop(struct thread_burst *burst);
/* No bursts are recorded any more. False: none was open. */
bool thread_burst_forget(struct thread_burst *burst);

/* The thread's innermost task; NULL: none, or its end was lost. */
struct task_run *thread_burst_task(struct thread *self);
/* A task begins, and the last burst of the region is over: begins another. False: none is due. */
bool thread_burst_resume(struct thread_burst *burst);
/*
 * While a burst is active: at this address in the region's body something begins that was not
 * recorded in this execution of the region: the burst gets as much time as one that begins here.
 */
void thread_burst_renew(struct thread_burst *burst, uint64_t code);
/*
 * Whether another is due at this address in the region's body, because what begins there was not
 * recorded in this execution of the region, or by the time. True once for an address, or time. If
 * the thread can move into the clone, begin it by thread_burst_resume_here.
 */
bool thread_burst_is_due(struct thread_burst *burst, uint64_t code);
void thread_burst_resume_here(struct thread_burst *burst);
/* Whether tasks that the thread creates now are to be clones, while no burst is active. */
bool thread_burst_takes_tasks(struct thread_burst *burst);

#endif
