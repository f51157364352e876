/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_COMPARE_H
#define MEMSEARCH_DIFFERENTIAL_COMPARE_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/differential/combine.h"
#include "analysis/differential/match.h"
#include "analysis/differential/statistics.h"

/*
 * The differential profile of two groups of runs: corresponding buckets, how much they differ, and
 * whether that is more than noise.
 *
 * A difference is proven in one of two ways. Counts of recorded and simulated accesses are the same
 * in each run of a binary, unless the runtime distributes the work: there any difference is one.
 * All other values are compared run against run by a rank test; false discoveries are controlled
 * top-down, first regions by metric, then what is in them (statistics.h). Executions of the phase
 * are replicates within a run (replicates.h): with one run on each side they show which values
 * differ in these two runs, which proves nothing of others; with more they tell whether longer or
 * more runs would show more.
 */
struct arena;

enum verdict {
	VERDICT_WORSE,
	VERDICT_BETTER,
	VERDICT_MORE,
	VERDICT_LESS,
	VERDICT_SAME,
	VERDICT_UNKNOWN,
	VERDICT_NEW,
	VERDICT_GONE,
	VERDICTS
};

struct compare_options {
	double work[MATCH_SIDES]; /* amount of work of a mean execution of the phase; > 0 */
	double load[MATCH_SIDES]; /* of saturations: what the value is projected along */
	enum combine function;
	double bound; /* of saturations, in the metric's unit; NAN: none */
	double level; /* of false discoveries: 0.05 */
	/* part of a metric's total below which a bucket of both sides is in no list: 0.001 */
	double cut_off;
	/* times of runs with more threads than CPUs are not compared then */
	bool threads_differ;
	/* neither are times and hardware counters then: the runs come from different computers */
	bool other_machine;
};

/*
 * There may be a million rows: fields that few rows have are behind pointers, derived values are
 * computed on request.
 */
struct difference {
	/* numbers of the match, or PROFILE_NONE; row of metrics.h; a thread is its number */
	uint32_t place, array, part, metric;
	uint32_t nr[MATCH_SIDES]; /* runs that have it */
	/* one of each, those of the base first; NULL: a sum of rows */
	const double *values;
	double mean[MATCH_SIDES]; /* NAN: not measured on that side */
	/* what the new side has beyond its work, over the base's total of the metric; NAN */
	double share;
	double p; /* adjusted; 0: exact; NAN: not tested */
	/* least relative change that such runs show in four of five cases; NAN: not tested */
	double detectable;
	const char *why; /* of VERDICT_UNKNOWN; else NULL */
	/*
	 * 95 % of the ratio, of totals and by comparison_rank of the first rows; NULL: not computed
	 */
	const struct interval *interval;
	/* the same by steps of one run on each side, of these alone; NULL: no such difference */
	const struct interval *of_steps;
	enum verdict verdict;
	/* VERDICT_UNKNOWN, as it was not measured, or not so that both sides compare */
	bool lacking;
	/* each run of a side has the same part, on both sides: it decides */
	bool exact;
	bool whole; /* … and it is all of the value */
	/* below the cut-off on both sides, or too few events: not tested, and in no list */
	bool small;
	/* the difference is below the cut-off: in no list */
	bool slight;
};

static inline const double *difference_values(const struct difference *row, enum match_side side)
{
	return side == MATCH_BASE ? row->values : row->values + row->nr[MATCH_BASE];
}

/* Mean of the new side over that of the base; NAN: base 0 or not measured. */
static inline double difference_ratio(const struct difference *row)
{
	return row->mean[MATCH_BASE] > 0 ? row->mean[MATCH_NEW] / row->mean[MATCH_BASE] : NAN;
}

struct comparison {
	const struct match *match;
	struct compare_options options;
	struct difference *rows;
	size_t nr; /* in no order before comparison_rank */
	struct difference *totals;
	size_t nr_totals; /* of the phase, by metric */
};

/* Rows, then totals. */
static inline struct difference *comparison_row(const struct comparison *comparison, size_t number)
{
	return number < comparison->nr ? &comparison->rows[number]
				       : &comparison->totals[number - comparison->nr];
}

/* In the arena. False: no memory. */
bool compare(struct arena *arena, const struct match *match, const struct compare_options *options,
	     struct comparison *out);
/*
 * The metric that buckets are ranked by, as numbers of different metrics do not compare: that of
 * `name`, or time where runs prove differences of it, else cycles that accesses wait, else misses,
 * else accesses. `of_data`: data structures and lines are listed, which have no time.
 * COMPARED_NONE: none was measured on both sides.
 */
uint32_t comparison_metric(const struct comparison *comparison, const char *name, bool of_data);
/*
 * Sorts differences: worse and new ones, better and gone ones, others, small ones; of each those of
 * the metric first, and the most relevant by the function first. Equal and unknown ones follow in
 * no order. Intervals of the first rows are computed, in the arena.
 */
void comparison_rank(struct arena *arena, struct comparison *comparison, uint32_t metric);

/* By the comparison's function. */
struct combined difference_combined(const struct comparison *comparison,
				    const struct difference *row);
/*
 * 95 % interval of the ratio, by the runs; low NAN: not known. It takes 0.1 ms where it has not
 * been computed.
 */
struct interval difference_interval(const struct difference *row);
/* The same as far as it has been computed. */
struct interval difference_known_interval(const struct difference *row);

/* "worse", "better", "more", "less", "same", "cannot tell", "new", "gone". */
const char *verdict_name(enum verdict verdict);
/* Worse, better, more, less, new or gone. */
bool verdict_is_difference(enum verdict verdict);

#endif
