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

struct timeline {
	uint32_t nr_threads;
	/* of the next thread; a thread without times has none */
	struct timeline_event *events;
	size_t nr;
	double end_ns; /* of the last one */
	/* for the next one */
	uint32_t thread;
	double *times, *own, *total, *begin; /* [nodes]; times: [nr_threads][nodes] */
};

/* In the arena of the exports. False: no memory. */
bool timeline_of(const struct exports *exports, size_t run, struct timeline *out);
/* Sets events, nr and end_ns for thread number 0, then 1, …; false behind the last one. */
bool timeline_next(const struct exports *exports, struct timeline *timeline);

#endif
