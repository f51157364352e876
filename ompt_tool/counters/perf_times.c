/* SPDX-License-Identifier: Apache-2.0 */
/* Time running of several groups of the kernel taken together. */
#include "ompt_tool/counters/perf_times.h"

#include "ompt_tool/sampling/perf_machine.h"

static int64_t idle_ns(const struct perf_times *times)
{
	return (int64_t)(times->enabled_ns - times->running_ns);
}

/*
 * Groups of all cores: each must run all the time, and the kernel reads both times of one at once,
 * so that this is exact.
 */
static int64_t missed_everywhere(const struct perf_times *times, size_t nr)
{
	int64_t missed = 0;

	for (size_t i = 0; i < nr; i++)
		missed += times[i].kind ? 0 : idle_ns(&times[i]);
	return missed;
}

/*
 * n kinds of core: together they are idle for n - 1 times the run time of the thread; groups of one
 * kind are idle equally.
 */
static int64_t missed_by_kinds(const struct perf_times *times, size_t nr, size_t *kinds)
{
	const struct perf_times *of_kind[PERF_KINDS_MAX + 1] = { NULL }, *first = NULL;
	int64_t missed = 0;

	*kinds = 0;
	for (size_t i = 0; i < nr; i++) {
		const struct perf_times **same = &of_kind[times[i].kind];

		if (!times[i].kind)
			continue;
		if (*same) {
			missed += idle_ns(&times[i]) - idle_ns(*same);
			continue;
		}
		missed += idle_ns(&times[i]) - (first ? (int64_t)first->enabled_ns : 0);
		*same = &times[i];
		first = first ? first : *same;
		++*kinds;
	}
	return missed;
}

void perf_times_sum(const struct perf_times *times, size_t nr, int64_t *missed_ns,
		    uint64_t *enabled_out, uint64_t *running_out)
{
	size_t kinds;
	int64_t by_kinds = missed_by_kinds(times, nr, &kinds);

	if (by_kinds > *missed_ns + (kinds > 1 ? PERF_TIMES_SLACK_NS : 0))
		*missed_ns = by_kinds;
	*enabled_out = times[0].enabled_ns;
	*running_out = times[0].enabled_ns - (uint64_t)(missed_everywhere(times, nr) + *missed_ns);
}
