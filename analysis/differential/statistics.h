/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_STATISTICS_H
#define MEMSEARCH_DIFFERENTIAL_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Statistics of groups of repetitions: whether two groups differ, by how much, and which of many
 * differences remain when chance differences among them are accounted for. No state between calls;
 * equal input gives equal output; any thread may call.
 *
 * A value is one run: executions of the phase in one run share its placement, addresses and
 * frequency, so they repeat each other and not the run. Tests on executions as if they were runs
 * find differences where there are none.
 */

/*
 * Two-sided p of the Mann-Whitney test (Mann & Whitney 1947): twice the tail towards the deviation,
 * at most 1. Ties have midranks. Exact, ties included, for up to 64 values of which fewer than 2^32
 * groupings exist (17 and 17, 7 and 57); beyond, the normal approximation with corrections for ties
 * and continuity. 1 where a group is empty, all values are equal or one is NAN. About 0.3 us for 5
 * and 5 values, 3 us for 10 and 10, 15 us for 17 and 17. More than 64 values use memory; 1 if there
 * is none.
 */
double statistics_rank_test(const double *a, size_t na, const double *b, size_t nb);
/*
 * The least p that this test gives for such groups; 1 for an empty one. Where it is above the
 * level, no difference can be shown, however large.
 */
double statistics_least_p(size_t na, size_t nb);

struct interval {
	double low, high;
};

/*
 * Confidence interval of mean(b) / mean(a): of its logarithm, by the symmetric percentile-t
 * bootstrap (Hall 1988) of 999 resamples with a fixed seed, which takes 0.1 ms for 5 and 5 values.
 * Student's t with Welch's degrees of freedom instead where a group has fewer than 4 values, or too
 * many resamples have no scatter. In simulations (tests/unit/statistics_simulated.c) 95 % intervals
 * cover 94 to 99 %. Groups without any scatter give an interval of width 0. False, *ratio_out
 * unchanged: fewer than two values in a group, a value that is negative or not finite, a mean of 0,
 * or confidence not between 0 and 1.
 */
bool statistics_ratio_interval(const double *a, size_t na, const double *b, size_t nb,
			       double confidence, struct interval *ratio_out);

/*
 * Mean of the executions of one run, its standard error by how much they scatter, and how many
 * there are.
 */
struct run_mean {
	double value, error;
	double executions;
};
/*
 * The same interval of two runs by their executions: of the logarithm, by Student's t with Welch's
 * degrees of freedom. It says how well these two runs are known, and nothing of other runs. False,
 * *ratio_out unchanged: fewer than two executions, a mean or an error that is not positive and
 * finite, or confidence not between 0 and 1.
 */
bool statistics_runs_ratio(struct run_mean a, struct run_mean b, double confidence,
			   struct interval *ratio_out);
/*
 * Two-sided p that the ratio of these two runs is `ratio`, by the same statistic; 1 where it has no
 * interval.
 */
double statistics_runs_test(struct run_mean a, struct run_mean b, double ratio);

/*
 * The smallest relative change of the mean, as 0.05, that the rank test at `level` finds with
 * probability `power`, given the scatter within both groups, which is taken for normal and equal. A
 * change of one bucket alone among `n` adjusted together is tested at level / n. 0 where there is
 * no scatter. INFINITY where no change can be found: statistics_least_p > level, fewer than three
 * values, mean(a) not positive, or level or power not between 0 and 1.
 */
double statistics_detectable(const double *a, size_t na, const double *b, size_t nb, double level,
			     double power);
/*
 * The same in standard deviations, which depends on nothing but the sizes: compute it once for many
 * buckets, as it takes 20 ms, and multiply it by statistics_scatter.
 */
double statistics_detectable_shift(size_t na, size_t nb, double level, double power);
/*
 * Standard deviation within both groups, pooled, over mean(a). NAN: fewer than three values, or
 * mean(a) not positive.
 */
double statistics_scatter(const double *a, size_t na, const double *b, size_t nb);

/*
 * Adjusted p-values of Benjamini & Hochberg 1995: rejecting those that are at most q keeps the
 * expected share of false ones among them at or below q. NAN is not tested and stays NAN.
 * `adjusted_out` may be `p`. All 1 if there is no memory. 0.3 s for a million.
 */
void statistics_adjust(const double *p, double *adjusted_out, size_t n);
/*
 * Top-down in a tree (Yekutieli 2008): the children of a hypothesis are one family, which is
 * adjusted as above, and tested only if the parent's adjusted p is at most `level`; others get 1,
 * also where p is NAN. parent[i] is SIZE_MAX for roots, otherwise less than i. The expected share
 * of false ones in the whole tree is at most 2 * 1.44 * level (Yekutieli's bound), mostly near
 * level. All 1 if there is no memory. At most 0.3 s for a million.
 */
void statistics_hierarchy(const double *p, const size_t *parent, double *adjusted_out, size_t n,
			  double level);

#endif
