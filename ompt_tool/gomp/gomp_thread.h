/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_GOMP_GOMP_THREAD_H
#define MEMSEARCH_GOMP_GOMP_THREAD_H

#include <stdbool.h>
#include <stdint.h>
#include <omp-tools.h>

#include "ompt_tool/gomp/entries.h"

/* State of a thread of the program, and of its teams (gomp.h). */

/*
 * A parallel region, on the stack of the thread that encountered it. libgomp gets it as the body's
 * data. One cache line, which each worker reads.
 */
struct gomp_team {
	uintptr_t *reductions; /* GOMP_parallel_reductions reads the data's first word */
	gomp_body *body;
	void *data;
	const void *code; /* return address of the call that began it */
	ompt_data_t parallel;
	ompt_work_t work; /* of a combined construct; 0: none */
	uint64_t count;   /* its iterations or sections */
} __attribute__((aligned(64)));

/* State of a thread in its innermost team; saved and restored around a nested one. */
struct gomp_share {
	ompt_data_t implicit; /* data of the implicit task */
	/* of the task under execution: &implicit, or an explicit task's */
	ompt_data_t *task;
	struct gomp_team *team; /* NULL: serial code */
	unsigned int index;     /* in the team */
	ompt_work_t work;       /* type of the current construct, for its end event */
	/*
	 * its body has returned; END of barrier and task are due at the next share, or the team's
	 * end
	 */
	bool arrived;
	/* of a region that began while events rested: its team has no events */
	bool inside;
};

/*
 * A region begun by GOMP_parallel_start, which GOMP_parallel_end ends. Deeper nested ones have no
 * events.
 */
enum { GOMP_OPEN_MAX = 16 };
struct gomp_open {
	struct gomp_team team;
	struct gomp_share outer;
};

struct gomp_thread {
	bool known;   /* thread_begin was sent */
	bool worker;  /* libgomp has created it */
	bool started; /* the tool was started in the current construct */
	struct gomp_share share;
	ompt_data_t data; /* the tool's data of the thread */
	/* of the initial task of a thread that libgomp did not create */
	ompt_data_t initial;
	/* enter_frame: of the current call into libgomp; NULL outside */
	ompt_frame_t frame;
	/* of the team that begins, during parallel_begin; else NULL */
	gomp_body *outlined;
	unsigned int nr_open;
	/* begun by GOMP_parallel_start in a region without events */
	unsigned int nr_inside;
	struct gomp_open *open; /* GOMP_OPEN_MAX rows; NULL: not needed so far */
};
extern __thread struct gomp_thread gomp_self_
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

#endif
