/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which recorded words are counted and traced within the cost limit. */
#include "ompt_tool/accesses/bursts.h"

/*
 * Allowed cost as fractions of the limit: `at_once`, plus `in_time` times the progress of the
 * execution. The rest is a reserve for the end, and for parts that take longer than before.
 */
struct bound {
	double at_once, in_time;
};
static const struct bound lines = { 0.04, 0.75 }, counting = { 0.2, 0.5 },
			  counting_alone = { 0.5, 0.45 }, tracing = { 0.75, 0.25 };

void bursts_begin(struct bursts *bursts, uint64_t all_ns)
{
	*bursts = (struct bursts){ .all_ns = all_ns };
}

void bursts_enter(struct bursts *bursts)
{
	bursts->here = 0;
	bursts->counted_here = false;
}

static bool is_ahead(const struct bursts *bursts, uint64_t spent_ns, double progress,
		     struct bound bound)
{
	return (double)spent_ns >
	       (double)bursts->all_ns * (bound.at_once + bound.in_time * progress);
}

/*
 * Even where the cost exceeds the limit, a burst is counted after SKIPPED_MOST words that were not, or
 * after 1/SKIPPED_PART of all words if that is more: otherwise only the beginning of an execution
 * would be counted. The number of these bursts grows with the logarithm of the words.
 */
#define SKIPPED_MOST (16 * (uint64_t)BURST_WORDS)
#define SKIPPED_PART 8
/* the same for words of a construct of which none was counted */
#define UNSEEN_MOST (2 * (uint64_t)BURST_WORDS)

static bool must_count(const struct bursts *bursts)
{
	uint64_t most = bursts->words / SKIPPED_PART;

	return bursts->passing && bursts->all_ns &&
	       (bursts->gap >= (most > SKIPPED_MOST ? most : SKIPPED_MOST) ||
		(!bursts->counted_here && bursts->here >= UNSEEN_MOST));
}

static void begin_next(struct bursts *bursts, bool passing)
{
	bursts->forced = passing && must_count(bursts);
	passing &= !bursts->forced;
	bursts->gap = bursts->passing ? bursts->gap : 0;
	bursts->here = bursts->passing ? bursts->here : 0;
	bursts->gap += passing ? BURST_WORDS : 0;
	bursts->passing = passing;
	bursts->left = BURST_WORDS;
}

double bursts_next(struct bursts *bursts, uint64_t nr, uint64_t spent_ns, double progress)
{
	if (bursts->all_ns == UINT64_MAX)
		return 1;
	bursts->without_lines |= is_ahead(bursts, spent_ns, progress, lines);
	bursts->without_trace |= is_ahead(bursts, spent_ns, progress, tracing);
	if (!bursts->left)
		begin_next(bursts,
			   !bursts->all_ns ||
				   is_ahead(bursts, spent_ns, progress,
					    bursts->without_trace ? counting_alone : counting));
	bursts->words += nr;
	bursts->left -= nr < bursts->left ? nr : bursts->left;
	bursts->counted_here |= !bursts->passing;
	if (!bursts->passing)
		return 1 + (double)bursts->here / BURST_WORDS;
	bursts->here += nr;
	return 0;
}
