/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PROCESS_THREAD_FRAMES_H
#define MEMSEARCH_PROCESS_THREAD_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/metric.h"

/* Constructs and tasks that a thread is in (thread.h). */

/* One execution of a parallel region, owned by the encountering thread. */
struct parallel {
	uint64_t sequence; /* atomic; number of the execution that uses the slot */
	uint64_t end_ns;   /* atomic; 0 until its closing barrier is passed */
	uint64_t last_ns;  /* atomic; latest arrival at that barrier so far */
	uint64_t begin_ns;
	/* begin of the wall time that is not in a part yet, see region_parts.c; owner only */
	uint64_t part_ns;
	uint32_t region, live;
	uint32_t call;          /* CALL_REGION by which it was reached; 0: none, see call_path.h */
	uint32_t threads;       /* atomic; of its team, once one of them has begun */
	bool recorded;          /* its body runs as a clone that records accesses */
	struct parallel *outer; /* the enclosing parallel region that the same thread has begun */
};

enum frame_type {
	FRAME_SERIAL,
	FRAME_PARALLEL, /* an implicit task */
	/* loop, sections, single, workshare, distribute: they do not nest */
	FRAME_WORK,
	FRAME_TASKLOOP,
	FRAME_MASKED,
	FRAME_REDUCTION,
	FRAME_BARRIER,
	FRAME_TASKWAIT,
};

enum frame_clone {
	FRAME_IN_ORIGINAL,
	FRAME_IN_CLONE,
	FRAME_PARTLY_IN_CLONE, /* the thread left it in a call, others may return to it */
};

/* Why the accesses in a construct are unknown. */
enum frame_outside {
	/* the body did not run as a clone when it began, or when its part did (region_parts.c) */
	FRAME_BEGUN_OUTSIDE = 1,
	FRAME_LEFT, /* it did, and the thread returned to the original */
};

/* A construct a thread is in: pushed at BEGIN, popped at END (or when an enclosing one ends). */
struct frame {
	uint32_t region; /* or MS_REGION_NONE: dropped */
	uint32_t epoch;
	uint32_t requests; /* of the region when it began */
	uint8_t type;      /* the region's requests when the frame was pushed */
	uint8_t stopped;   /* no longer measured; waits for its (late) end event */
	uint8_t other;     /* not the executor of a single: only its barrier counts */
	/* implicit tasks: a code address in the body is known */
	uint8_t has_inside;
	/* its part was closed at a phase boundary and the next not begun; see region_parts.c */
	uint8_t parted;
	uint8_t in_parts; /* number of parts closed since it began or continued */
	/* enum frame_clone, of implicit tasks: the body runs as a clone that records accesses */
	uint8_t in_clone;
	/* enum frame_outside; 0: all of it so far ran in such a clone */
	uint8_t outside;
	/*
	 * number of phase executions that the values added next represent; 0: not even a part, see
	 * region_parts.c
	 */
	uint32_t executions;
	uint32_t chunks;     /* loops: chunks assigned to the thread so far */
	uint32_t team_index; /* implicit tasks: number in the team */
	uint64_t begin_ns;
	uint64_t arrival_ns;       /* implicit tasks: at the closing barrier */
	uint64_t tasks_ns;         /* the thread's task time at begin (waits: at arrival) */
	struct parallel *parallel; /* implicit tasks: execution they belong to … */
	uint64_t sequence;         /* … as long as the slot still has this number */
	uint64_t sensor_state[MS_SENSORS][13]; /* values at begin, one row a sensor */
};

/* What is known of an explicit task's code. */
enum task_code {
	TASK_UNSEEN, /* nothing of it was recorded so far */
	/*
	 * likewise; its creator calls it directly or contains it inline, and is a recording clone
	 */
	TASK_IN_CREATOR,
	TASK_CLONE, /* it is such a clone */
	/* it is not, or not all that it recorded is certainly its own */
	TASK_ORIGINAL,
};

/* An explicit task that was begun here and is not complete. */
struct task_run {
	const void *task; /* its task_data */
	uint64_t elapsed_ns;
	uint32_t region, depth; /* frames in use when it began */
	uint32_t requests;      /* of the region when it began */
	uint8_t code;           /* enum task_code */
	/* it has just begun, inside its creator's code: that determines its code */
	uint8_t called;
};

/*
 * A worker's wait at the end of a parallel region. Its end event is sent when the worker is needed
 * again, possibly never; so the wait ends with the region, and is added by whichever comes first:
 * the owner's next event or the fold. `state`: even: no wait; odd: pending. The odd state is left
 * by compare-and-swap.
 */
struct pending_wait {
	uint64_t state;
	uint64_t arrival_ns, tasks_ns, sequence;
	struct parallel *parallel;
	uint32_t region;
};

/*
 * Result of searching the region in which a task's function is a body; valid while there are
 * `regions` regions.
 */
struct task_body {
	uint64_t function; /* 0: none was searched */
	uint32_t parent, regions, id;
};

#endif
