/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_THREAD_BURST_H
#define MEMSEARCH_ACCESSES_THREAD_BURST_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt_tool/accesses/burst_pace.h"

/*
 * A burst is a part of a parallel region in which one thread executes clones and traces its
 * accesses. This module decides when bursts begin and end, and measures how much of the program's
 * time they recorded, by region. It does not process the words, which accesses.c decodes.
 *
 *     begin ─▶ words, steps ─▶ over: end ─▶ due at a task or construct: resume ─▶ …
 *
 * Owner only, callbacks allowed.
 */
struct task_run;
struct thread;

/* Values of frame->sensor_state for the accesses sensor. */
enum access_state {
	ACCESS_STATE_ENDED,
	ACCESS_STATE_PASSED, /* began between bursts: not recorded */
	ACCESS_STATE_TRACED, /* began while accesses were only traced: not counted */
};

/*
 * A burst that ended early because of page faults, which first accesses to zeroed memory cause. It
 * is repeated, and its time is estimated when the repetition ends.
 */
struct slow_burst {
	uint32_t region; /* 0: none */
	uint32_t taken;  /* number of traces before its end */
	uint64_t words, noted_ns;
};

/* Maximum number of constructs with times of their own per burst; others have the region's. */
#define BURST_CONSTRUCTS 16
/* Size of the set of recorded constructs, in which the hash of an address is a bit. */
#define BURST_PLACES 1024

struct thread_burst {
	struct thread *self;
	uint32_t number; /* number of the thread_bursts_allow it belongs to */
	struct burst_pace pace;
	/* parallel region; MS_REGION_NONE: no burst, or it is over */
	uint32_t region;
	/*
	 * region of the code executed since begin_ns: the parallel region, a construct in it, or a
	 * task; MS_REGION_NONE: the thread waits in a task, or for the end of the region
	 */
	uint32_t place;
	const struct task_run *task; /* NULL: none */
	uint64_t begin_ns, begin_cost_ns, begin_cpu_ns;
	uint64_t begin_waits_ns; /* thread.h: waits that ended before begin_ns … */
	uint64_t open_wait_ns;   /* … and part of the current wait before begin_ns */
	uint64_t words_ns;       /* cost since begin_ns of recording words */
	uint64_t noted_ns;       /* time already added to the region … */
	uint64_t tasks_ns;       /* … and to tasks */
	uint64_t part_ns;        /* part of noted_ns since thread_burst_part_ns */
	uint64_t since_ns;       /* begin of the burst, or of its renewal */
	/* part of noted_ns in constructs, which was added to these, too */
	struct {
		uint32_t region;
		uint64_t ns;
	} constructs[BURST_CONSTRUCTS];
	uint32_t nr_constructs;
	/* places in the region where a burst was recorded or tried: a bit set … */
	uint64_t recorded[BURST_PLACES / 64];
	uint32_t due_place; /* … the last place … */
	uint64_t tried_ns;  /* … and its time */
	/* number of bursts without time left, at places that other threads had recorded */
	uint32_t followed;
	/*
	 * words, and CPU time of recording them, of all bursts in the region; CPU time, so that
	 * bursts have the same length on busy machines
	 */
	uint64_t words, cpu_ns;
	uint64_t words_most, cpu_most_ns; /* limits of this burst */
	uint64_t ended_ns;                /* when the last burst ended early; 0: it did not */
	uint64_t due_ns; /* since when tasks are created as clones for the next burst; 0: not yet */
	uint64_t spare_clones; /* number of tasks created as clones between bursts */
	uint64_t faults;       /* page faults of the burst's code so far … */
	uint64_t begin_faults; /* … and the thread's count when the code continued */
	/* words of preceding slow bursts, whose time is estimated from this one's speed */
	uint64_t slow_words;
	struct slow_burst slow; /* the last slow burst; region 0: none */
};

/* CPU time of the thread's bursts since thread_bursts_allow. Any thread. */
uint64_t thread_burst_cpu_ns(const struct thread_burst *burst);

void thread_burst_init(struct thread_burst *burst);
/* Call when the thread's part of the region begins in a clone. */
void thread_burst_begin(struct thread_burst *burst, struct thread *self, uint32_t region);
bool thread_burst_is_active(const struct thread_burst *burst);
/* Whether the burst has used its time or words, or its region has ended. */
bool thread_burst_is_over(const struct thread_burst *burst);
/* Excludes the time since the last words or step, because words were dropped. */
void thread_burst_pass_time(struct thread_burst *burst);
/* Charges `ns`: the cost of storing words in the program's code. */
void thread_burst_charge(struct thread_burst *burst, double ns);
/* Before and after the decoding of `nr` words; `ns`: further cost of these words. */
void thread_burst_take(struct thread_burst *burst, uint64_t nr);
void thread_burst_taken(struct thread_burst *burst, double ns);
/* Time of the region without tasks since the last call: that of the words just taken. */
uint64_t thread_burst_part_ns(struct thread_burst *burst);
/* Call when a construct or task begins or ends. True: the burst is over. */
bool thread_burst_step(struct thread_burst *burst);
/* Call after the thread's constructs or tasks have changed. */
void thread_burst_move(struct thread_burst *burst);
/* Call when the innermost task ends. */
void thread_burst_wait(struct thread_burst *burst);
/* Call when the thread's part of the region has ended; tasks may follow in the barrier. */
void thread_burst_end_part(struct thread_burst *burst);
/* Ends the burst before the end of its region. */
void thread_burst_end(struct thread_burst *burst);
/* Ends the burst without a value: the recorded code does not represent the rest. */
void thread_burst_drop(struct thread_burst *burst);
/* Discards the burst: no more are recorded. False: none was active. */
bool thread_burst_forget(struct thread_burst *burst);

/* The thread's innermost task; NULL: none, or its end was lost. */
struct task_run *thread_burst_task(struct thread *self);
/*
 * Begins another burst when a task begins and the last burst of the region is over. False: none is
 * due.
 */
bool thread_burst_resume(struct thread_burst *burst);
/*
 * Extends an active burst at a construct that was not recorded in this execution of the region, to
 * the time of a burst that begins here. `code`: address in the region's body.
 */
void thread_burst_renew(struct thread_burst *burst, uint64_t code);
/*
 * Whether another burst is due at this address in the region's body: the construct there was not
 * recorded in this execution of the region, or enough time has passed. True once per address or
 * time. If the thread can move into the clone, begin the burst by thread_burst_resume_here.
 */
bool thread_burst_is_due(struct thread_burst *burst, uint64_t code);
void thread_burst_resume_here(struct thread_burst *burst);
/* Whether tasks that the thread creates now are to be clones, while no burst is active. */
bool thread_burst_takes_tasks(struct thread_burst *burst);

#endif
