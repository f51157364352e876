/* SPDX-License-Identifier: Apache-2.0 */
/* When and for how long a thread records bursts in a parallel region. */
#include "ompt_tool/accesses/burst_pace.h"

#define PARTS 3    /* a burst takes one third of the budget that is left */
#define DUE 2      /* times the region's time at the end of the last burst */
#define OVER_DUE 2 /* times the region's time when the burst was due */
/* leaving a clone takes 0.3 us (measured with 3 million tasks): at most 1 % of the time */
#define SPARE_CLONE_NS 30000

static uint64_t elapsed_ns(const struct burst_pace *pace, uint64_t now_ns)
{
	return now_ns > pace->begun_ns ? now_ns - pace->begun_ns : 0;
}

uint64_t burst_pace_ns(const struct burst_pace *pace, uint64_t now_ns, uint64_t spent_ns)
{
	uint64_t limit = pace->limit < BURST_LIMIT_MOST ? pace->limit : BURST_LIMIT_MOST,
		 all_ns = pace->left_ns + elapsed_ns(pace, now_ns) / 1000 * limit,
		 left_ns = all_ns > spent_ns ? all_ns - spent_ns : 0;

	if (left_ns < BURST_LEAST_NS)
		return 0;
	return left_ns / PARTS > BURST_LEAST_NS ? left_ns / PARTS : BURST_LEAST_NS;
}

static bool is_after(const struct burst_pace *pace, uint64_t now_ns, uint64_t then_ns,
		     uint64_t times)
{
	return then_ns > pace->begun_ns &&
	       elapsed_ns(pace, now_ns) >= times * elapsed_ns(pace, then_ns);
}

bool burst_pace_is_due(const struct burst_pace *pace, uint64_t now_ns, uint64_t ended_ns)
{
	return is_after(pace, now_ns, ended_ns, DUE);
}

bool burst_pace_is_over_due(const struct burst_pace *pace, uint64_t now_ns, uint64_t due_ns)
{
	return is_after(pace, now_ns, due_ns, OVER_DUE);
}

uint64_t burst_pace_spare_clones(const struct burst_pace *pace, uint64_t now_ns)
{
	return elapsed_ns(pace, now_ns) / SPARE_CLONE_NS;
}
