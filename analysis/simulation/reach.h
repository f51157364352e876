/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATION_REACH_H
#define MEMSEARCH_SIMULATION_REACH_H

#include <stdbool.h>

/*
 * An upper bound of the cache lines that a construct touches, where they were not counted because
 * marking or tracing them all would have cost too much: of each array no more than it has, and no
 * more than its accesses can touch.
 *
 *     a(n) read once, n values of 8 bytes       min(8 n, 8 n) / 64: near the number itself
 *     p(m) read n times, m < n                  8 m / 64
 *     a table of g GiB looked up n times        n
 */
struct arena;
struct ms_measurement;
struct run;
struct run_array;

/* To one array in one region, as in one execution of the phase. */
struct reach_accesses {
	double accesses, contiguous, bytes;
	double executions; /* of the region, by the thread with most */
};
/* Adds a row of the array's region in the construct. */
void reach_accesses_add(struct reach_accesses *to, const struct ms_measurement *row);
/* Lines of 64 bytes that they touch at most, in all executions. */
double reach_array_lines(const struct reach_accesses *of, const struct run_array *array);

/*
 * Adds MS_METRIC_TOUCHED_MOST to the run's measurements, as of one execution of the phase; accesses
 * to memory in no array, and to stacks, are left out. False: no memory.
 */
bool reach_add(struct arena *arena, struct run *run);

#endif
