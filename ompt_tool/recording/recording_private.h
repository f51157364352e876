/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_RECORDING_PRIVATE_H
#define MEMSEARCH_RECORDING_RECORDING_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/measurement.h"
#include "ompt_tool/recording/recording.h"

/*
 * Definition of struct recording, for recording.c, first_recording.c, selection.c, settling.c and
 * recording_obstacles.c.
 */
struct loops;

/* For threads that are still in the original of a region's body. */
struct wait {
	uint32_t unrecorded; /* the region's, at the last boundary */
	uint32_t executions; /* consecutive executions in which it increased … */
	uint64_t since_ns;   /* … and the end of the first one */
};

struct recording {
	struct arena *arena;
	struct region_table *regions;
	struct run *run;
	struct loops *loops;
	uint64_t begun_ns; /* recording_new */
	bool works, prepared;
	bool asked;                /* accesses, or times of loops, of some region are requested */
	uint64_t executions;       /* since recording_prepare */
	uint64_t left_ns;          /* recording_left_ns at the begin of the execution */
	uint32_t incomplete_parts; /* events_incomplete_parts at the last boundary */
	/* executions in a row in which functions called through pointers were found */
	uint32_t follows;
	const char *obstacle; /* why nothing is recorded now; NULL: it may be */
	uint64_t handlers;    /* context_use_handlers when that was determined */
	bool obstacle_reported;
	struct wait *waits; /* by region */
	size_t nr_waits, room_waits;
};

/*
 * Redirects the runtime's entries to clones. Returns why nothing can be recorded; NULL: something
 * can.
 */
const char *recording_redirect(struct recording *recording);
/*
 * At each experiment, as the program may set up and remove obstacles: recording_obstacle, noted in
 * the run.
 */
void recording_look_for_obstacles(struct recording *recording);
/* accesses_left_ns of the initial thread, which calls this; UINT64_MAX: no limit, or no thread. */
uint64_t recording_left_ns(void);
/* Metrics of recorded accesses, of one region, are missing. */
void recording_mark_region(struct database *db, uint32_t region, enum ms_missing why);

#endif
