/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_STATISTICS_PRIVATE_H
#define MEMSEARCH_DIFFERENTIAL_STATISTICS_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Inside of statistics_*.c. */

#define EXACT_VALUES 64 /* of both groups together, for an exact rank test */
/*
 * (sums + 1) * (k + 1) of the largest exact test, 17 values of 34: sums of half the range, in steps
 * of half a rank.
 */
#define EXACT_CELLS (18 * 562)

/* Whether the rank test of such groups is exact: all groupings can be counted in 32 bits. */
bool statistics_exact(size_t na, size_t nb);
/*
 * Twice the tail of the normal distribution beyond a deviation, with the correction for continuity:
 * values come in steps of 1.
 */
double statistics_normal_p(double deviation, double variance);
/*
 * Of the number of pairs in the wrong order; `ties`: sum of t^3 - t over groups of t equal values.
 */
double statistics_rank_variance(double na, double nb, double ties);
/* n over k, INFINITY where it is too large. */
double statistics_choose(size_t n, size_t k);
/*
 * Counts groupings of these `nr` ranks, which are in ascending order: cell [size] [sum] is the
 * number of those of `size` ranks with that sum, at most `most`. Returns the row of size `k`,
 * within `cells`.
 */
const uint32_t *statistics_groupings(const uint32_t *ranks, size_t nr, size_t k, size_t most,
				     uint32_t cells[EXACT_CELLS]);
/* From 0, below 1: splitmix64 (Steele, Lea & Flood 2014), with any state. */
double statistics_random(uint64_t *state);
/* Of doubles, for qsort(3). */
int statistics_by_value(const void *a, const void *b);

#endif
