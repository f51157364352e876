/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_TIMELINE_H
#define MEMSEARCH_DIFFERENTIAL_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/differential/export.h"

/*
 * A mean execution of the phase, thread by thread: its regions one after another, regions within
 * regions inside of them, each as long as its mean. The order of siblings is that in which regions
 * were first entered; a region that runs several times is one span.
 *
 * For exports by thread: profiles are made with PROFILE_BY_THREAD.
 */
struct timeline_event {
	uint32_t node; /* of the tree */
	bool begin;    /* else its end */
	double at_ns;
};

/* of one thread in a region without those inside of it, or with them, as metrics.h says */
struct timeline_time {
	uint32_t thread, node;
	double ns;
};

struct timeline {
	uint32_t thread;
	struct timeline_event *events; /* of this thread */
	size_t nr;
	double end_ns; /* of the last one */
	/* for the next threads: times by thread */
	struct timeline_time *times;
	size_t nr_times, next;
	double *values, *own, *total, *begin; /* [nodes] */
};

/* In the arena of the exports. False: no memory. */
bool timeline_of(const struct exports *exports, size_t run, struct timeline *out);
/* The next thread that has times, the one of the lowest number first; false: there is none. */
bool timeline_next(const struct exports *exports, struct timeline *timeline);

#endif
