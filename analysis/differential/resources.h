/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_RESOURCES_H
#define MEMSEARCH_DIFFERENTIAL_RESOURCES_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/differential/fit.h"
#include "analysis/differential/match.h"

/*
 * Resources with a bound: memory bandwidth, locks and critical constructs, one thread that runs
 * serial code. What part of each is in use, and at which load it is full: the paper's procedure for
 * locks (hold time over the run's duration, projected; its section on contention), of hold time,
 * not of time that is waited: waiting begins late and then grows without bound, so that projecting
 * it says nothing (eq. 6 and 7).
 */
struct arena;

struct resource_row {
	enum profile_resource kind;
	uint32_t place; /* number of the match */
	/* by column: mean share of the time in use; NAN: not known */
	double *used;
	/* by column, of locks: ns that threads wait for it in one step; NAN */
	double *waited;
	double hold_ns;         /* of locks: held each time, in the last run; NAN */
	double waiting;         /* share of the threads' time, of the run with the most */
	struct projection full; /* not valid: full.why */
	/*
	 * of locks: eq. 6 through the time that is waited for them, beside `full`; not valid:
	 * waits.why
	 */
	struct contention waits;
	/*
	 * of locks: ns that an acquisition waits with twice the threads, by the time it is held
	 * (eq. 6); INFINITY: it is full by then; NAN
	 */
	double next_wait;
	/*
	 * eq. 7: a lock whose waiting is below the measurement error here can be full at this load;
	 * NAN: does not apply
	 */
	double hidden;
};

struct resources {
	/* the one that is full at the smallest load first */
	struct resource_row *rows;
	size_t nr;
	size_t nr_columns;
	const double *works; /* by column */
};

/*
 * Times of runs with more threads than CPUs are left out. In the arena; no rows also without
 * memory.
 */
struct resources resources_of(struct arena *arena, const struct match *match, const size_t *columns,
			      const double *works, size_t nr_columns);

#endif
