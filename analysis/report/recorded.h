/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REPORT_RECORDED_H
#define MEMSEARCH_REPORT_RECORDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"

/*
 * How much of a run's code was recorded, and why the rest was not: the basis of the accesses in a
 * report.
 */
struct arena;
struct json;
struct text;

struct unrecorded {
	uint32_t region;
	double share; /* of the phase's time, without that of regions inside */
	const char *why;
	bool begun; /* some of its instructions were recorded … */
	bool left;  /* … beside those that take its time (recorded_left.h) */
};

#define RECORDED_BURSTS_LEAST 0.1
struct recorded {
	/* of the phase's time in regions whose accesses were recorded; NAN: no time was measured */
	double share;
	/*
	 * of that, in regions of which the begins of executions alone were recorded: bursts; from
	 * RECORDED_BURSTS_LEAST on a report says so
	 */
	double bursts;
	/* of a hundredth of the time and more, and those recorded in part; the largest first */
	struct unrecorded *regions;
	size_t nr;
};

/*
 * Shares of the time of the thread that spends most there, as serial code is one thread's. In the
 * arena.
 */
struct recorded recorded_of(struct arena *arena, const struct run *run);
/*
 * [run->nr_regions]: part of a region's time, with that of regions inside, in recorded ones; NAN:
 * no time was measured. NULL: no memory.
 */
const double *recorded_parts(struct arena *arena, const struct run *run);
/* Why there are no recorded accesses at all; NULL: there are. */
const char *recorded_why_none(struct arena *arena, const struct run *run);
/*
 * "loop in f (a.c:3) and 2 other regions, with 40 % of the time": code of which no accesses are
 * known, if it takes a tenth of the phase's time or more; NULL: it does not, or nothing at all
 * was recorded. `why_out`: the reason, of the first one.
 */
const char *recorded_lacks(struct arena *arena, const struct run *run, const char **why_out);
/* Why none of them was simulated; NULL: some were. */
const char *recorded_why_not_simulated(struct arena *arena, const struct run *run);
/*
 * A sentence and a list: coverage, code that was not recorded, functions that could not be copied,
 * calls that were not followed.
 */
void recorded_text(struct text *out, const struct run *run);
/* "recording": {…} into the object of a run. */
void recorded_json(struct json *json, struct arena *arena, const struct run *run);

#endif
