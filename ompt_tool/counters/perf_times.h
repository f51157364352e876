/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTERS_PERF_TIMES_H
#define MEMSEARCH_COUNTERS_PERF_TIMES_H

#include <stddef.h>
#include <stdint.h>

/*
 * Whether several groups of the kernel, read one after the other, counted all the time. A group of
 * one kind of core counts nothing while the thread runs on another kind: then the times of the
 * kinds together must cover it. Callbacks allowed.
 */
struct perf_times {
	uint32_t kind; /* 0: counts on all cores */
	uint64_t enabled_ns, running_ns;
};

/*
 * Sums enabled and running times; both increase equally if nothing was missed. `missed_ns` is
 * carried over from one reading to the next, initially 0: the missed time found so far.
 */
void perf_times_sum(const struct perf_times *times, size_t nr, int64_t *missed_ns,
		    uint64_t *enabled_out, uint64_t *running_out);

/* tolerance for several kinds of core: the time between reading their groups */
#define PERF_TIMES_SLACK_NS 100000

#endif
