/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_MEASUREMENT_H
#define MEMSEARCH_MEASUREMENT_H

#include <stdint.h>

#include "memsearch/metric.h"

/*
 * A sensor's result: the statistics of one metric in one region on one
 * thread, or the reason why there are none. A missing value is never 0.
 */

/* Why there is no value. To add a reason: a row here. */
/* clang-format off */
#define MS_MISSING_LIST(X) \
	X(MS_PRESENT, "present") \
	X(MS_MISSING_NOT_REQUESTED, "not measured yet") \
	X(MS_MISSING_NOT_EXECUTED, "the region was not executed while it was measured") \
	X(MS_MISSING_NOT_PERMITTED, "not permitted (see `memsearch doctor`)") \
	X(MS_MISSING_NOT_SUPPORTED, "not supported by this machine or kernel") \
	X(MS_MISSING_NO_EVENT, "the OpenMP runtime reports no event for it") \
	X(MS_MISSING_LOST, "too many samples were lost") \
	X(MS_MISSING_TOO_FEW, "too few values to tell") \
	X(MS_MISSING_BUDGET, "the overhead limit left no room to measure it") \
	X(MS_MISSING_BROKEN, "the sensor gave impossible values") \
	X(MS_MISSING_SCATTER, "the values scatter too much to tell") \
	X(MS_MISSING_UNSUPPORTED, "this CPU has no event for it that memsearch knows") \
	X(MS_MISSING_NOT_CALIBRATED, "the attainable bandwidth is not known: `memsearch doctor --calibrate` measures it") \
	X(MS_MISSING_TAKEN, "the CPU's counters were taken by the kernel or another program meanwhile") \
	X(MS_MISSING_NO_ROOM, "its events need more counters than this CPU has free") \
	X(MS_MISSING_UNCOVERED, "not every thread could be measured") \
	X(MS_MISSING_MOVED, "a thread ran on more than one NUMA node: bind the threads (OMP_PROC_BIND=close)") \
	X(MS_MISSING_NO_PHASE, "it takes a part of the program that repeats to be measured") \
	X(MS_MISSING_NOT_RECORDED, "not all of its code ran as a copy that records what it accesses") \
	X(MS_MISSING_UNSEEN, "its first touches were not observed: threads ran before memsearch started, freed memory was used again, or the kernel wrote to it") \
	X(MS_MISSING_IN_LOOP, "natural loops and called functions have only counts of accesses by data structure: times and shared lines are measured of their construct") \
	X(MS_MISSING_NOT_MODELLED, "no machine was named whose caches to simulate (--machine)") \
	X(MS_MISSING_NO_ADDRESSES, "no PMU here samples data addresses (--addresses)") \
	X(MS_MISSING_FEW_LINES, "it requires all lines of the modelled caches, but only a sample was simulated (--lines, --trace-limit)") \
	X(MS_MISSING_NOT_WHOLE, "it requires whole executions, but only bursts of accesses were recorded") \
	X(MS_MISSING_NO_RANGE, "it is not known of a range of addresses: recorded accesses tell, once the run has ended") \
	X(MS_MISSING_UNHOOKED, "not all calls that allocate memory are seen: the program has an allocator of its own, or its libraries have") \
	X(MS_MISSING_MISSED, "measuring began too late in the interval: run the program again") \
	X(MS_MISSING_NO_LOOP_TIMES, "times of loops are measured with --strategy loop_aware only") \
	X(MS_MISSING_SHORT_LOOP, "reading the clock at its entries and exits takes longer than the loop itself") \
	X(MS_MISSING_DROPPED, "events in its parallel region cost too much, and were dropped")
/* clang-format on */

enum ms_missing {
#define X(name, text) name,
	MS_MISSING_LIST(X)
#undef X
		MS_MISSING_REASONS
};

static inline const char *ms_missing_text(unsigned int reason)
{
	static const char *const texts[] = {
#define X(name, text) text,
		MS_MISSING_LIST(X)
#undef X
	};
	return reason < MS_MISSING_REASONS ? texts[reason] : "unknown reason";
}

/*
 * Requires an option that the user did not give, or hardware that is absent: reports do not mention
 * it.
 */
static inline int ms_missing_unasked(unsigned int reason)
{
	return reason == MS_MISSING_NOT_MODELLED || reason == MS_MISSING_NO_ADDRESSES ||
	       reason == MS_MISSING_NO_LOOP_TIMES;
}

/* Statistics over executions. count 0: no event; the other fields are 0. */
struct ms_stat {
	uint64_t count; /* executions */
	double sum, min, max;
	/*
	 * of simulated metrics: the sum of the estimates' variances instead, 0 if all lines are
	 * simulated
	 */
	double sum_squares;
};

static inline void ms_stat_add(struct ms_stat *stat, double value)
{
	if (!stat->count || value < stat->min)
		stat->min = value;
	if (!stat->count || value > stat->max)
		stat->max = value;
	stat->count++;
	stat->sum += value;
	stat->sum_squares += value * value;
}

/* Adds the estimate of a simulated metric, with its variance instead of its square. */
static inline void ms_stat_estimate(struct ms_stat *stat, double value, double variance)
{
	double before = stat->sum_squares;

	ms_stat_add(stat, value);
	stat->sum_squares = before + variance;
}

static inline void ms_stat_merge(struct ms_stat *into, const struct ms_stat *from)
{
	if (!from->count)
		return;
	if (!into->count || from->min < into->min)
		into->min = from->min;
	if (!into->count || from->max > into->max)
		into->max = from->max;
	into->count += from->count;
	into->sum += from->sum;
	into->sum_squares += from->sum_squares;
}

/*
 * One row of the summary table: what one thread gathered of one metric in one
 * region since the last time the tables were folded (a gauge: its latest
 * value, count 1). `thread` numbers OS threads densely from 0, the initial
 * thread, in the order in which the runtime announced them.
 */
struct ms_measurement {
	uint32_t region, thread;
	uint32_t metric; /* enum ms_metric */
	uint32_t reserved;
	struct ms_stat stat;
};

/* A value as a property's formula reads it. */
struct ms_reading {
	double value; /* meaningless unless missing == MS_PRESENT */
	double error; /* half width of the 95 % interval; 0 where exact */
	enum ms_rung rung;
	enum ms_missing missing;
};

#endif
