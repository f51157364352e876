/* SPDX-License-Identifier: Apache-2.0 */
/* Bursts that are counted, and gaps between them. */
#include "ompt_tool/sensors/bursts.h"

#define AT_ONCE 0.25                     /* of all, whatever the progress */
#define IN_TIME 0.65                     /* of all, as the execution goes on: the rest is for its end, and for a burst that takes more than others */
#define BEHIND_AT_ONCE 0.5
#define BEHIND_IN_TIME 0.45

void bursts_begin(struct bursts *bursts, uint64_t all_ns)
{
	*bursts = (struct bursts){ .all_ns = all_ns };
}

static bool is_ahead(const struct bursts *bursts, uint64_t spent_ns, double progress, double at_once, double in_time)
{
	return (double)spent_ns > (double)bursts->all_ns * (at_once + in_time * progress);
}

static void begin_next(struct bursts *bursts, bool passing)
{
	bursts->gap = bursts->passing ? bursts->gap : 0;
	bursts->gap += passing ? BURST_WORDS : 0;
	bursts->passing = passing;
	bursts->left = BURST_WORDS;
}

double bursts_next(struct bursts *bursts, uint64_t nr, uint64_t spent_ns, double progress)
{
	if (bursts->all_ns == UINT64_MAX)
		return 1;
	if (!bursts->left)
		begin_next(bursts, !bursts->all_ns || is_ahead(bursts, spent_ns, progress, AT_ONCE, IN_TIME));
	bursts->left -= nr < bursts->left ? nr : bursts->left;
	return bursts->passing ? 0 : 1 + (double)bursts->gap / BURST_WORDS;
}

bool bursts_are_behind(const struct bursts *bursts, uint64_t spent_ns, double progress)
{
	return bursts->all_ns != UINT64_MAX && is_ahead(bursts, spent_ns, progress, BEHIND_AT_ONCE, BEHIND_IN_TIME);
}
