/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the period of a sequence of region begins. */
#include "ompt_tool/phases/period.h"

#define REPETITIONS 3  /* fewer may be chance */
#define EVENTS_LEAST 8 /* "A A A" alone is usually an inner loop of "A A A B" … */
/* … but a long repetition may be one of few: changing the phase later costs less than missing it */
#define EVENTS_LEAST_LONG 4
#define LONG_NS 150e6
#define EVENTS_TOLERANT 24  /* below, a shift that matches mostly is chance */
#define GOOD_SHARE 0.90     /* of the best coverage: a shorter period is preferred */
#define TOLERANT_SHARE 0.85 /* of the window: the rest may be extra steps, output … */
/* weights of a window add up to about this, so that 32 bits hold any sum */
#define WEIGHTS 2147483648.0

/* Copies the history in order and weighs each event by the time until the next one. */
static void window_fill(const struct history *history, uint32_t mask,
			struct period_scratch *scratch)
{
	uint64_t first = history->base, nr;
	double scale;

	if (history->count - first > HISTORY_EVENTS)
		first = history->count - HISTORY_EVENTS;
	nr = history->count - first;
	for (uint64_t i = 0; i < nr; i++) {
		scratch->begin_ns[i] = history->begin_ns[(first + i) % HISTORY_EVENTS];
		scratch->symbol[i] = history->symbol[(first + i) % HISTORY_EVENTS] & mask;
	}
	scratch->nr = (uint32_t)nr;
	if (!nr)
		return;
	scale = (double)(scratch->begin_ns[nr - 1] - scratch->begin_ns[0]);
	scale = scale > 0 ? WEIGHTS / scale : 0;
	for (uint64_t i = 0; i + 1 < nr; i++)
		scratch->weight[i] = (uint32_t)((double)(scratch->begin_ns[i + 1] -
							 scratch->begin_ns[i]) *
						scale);
	scratch->weight[nr - 1] = 0;
	scratch->cost_ns += nr * 2;
}

static double window_ns(const struct period_scratch *scratch, uint32_t from, uint32_t to)
{
	return (double)(scratch->begin_ns[to] - scratch->begin_ns[from]);
}

/* Events at the tail that equal the one `length` before them. */
static uint32_t tail_matches(const struct period_scratch *scratch, uint32_t length)
{
	uint32_t nr = scratch->nr, matches = 0;

	while (matches + length < nr &&
	       scratch->symbol[nr - 1 - matches] == scratch->symbol[nr - 1 - matches - length])
		matches++;
	return matches;
}

static double exact_coverage(const struct period_scratch *scratch, uint32_t length)
{
	uint32_t matches = tail_matches(scratch, length), run = matches + length;

	double covered;

	if (run < EVENTS_LEAST_LONG || run < REPETITIONS * length)
		return 0;
	covered = window_ns(scratch, scratch->nr - run, scratch->nr - 1);
	return run < EVENTS_LEAST && covered < LONG_NS ? 0 : covered;
}

/*
 * Time of all events that equal the one `length` before them, scaled up for the first
 * period, which has none before it. 0 where they are less than half of the window.
 */
static double tolerant_coverage(const struct period_scratch *scratch, uint32_t length)
{
	const uint32_t *before = scratch->symbol, *symbol = before + length,
		       *weight = scratch->weight + length;
	uint32_t nr = scratch->nr, sum = 0;
	double all = window_ns(scratch, 0, nr - 1), matched;

	if (nr < EVENTS_TOLERANT)
		return 0;
	/* without a branch, for the vectorizer */
	for (uint32_t i = 0; i < nr - length; i++)
		sum += weight[i] & (symbol[i] == before[i] ? UINT32_MAX : 0);
	matched = sum / WEIGHTS * all;
	return matched >= all / 2 ? matched * all / window_ns(scratch, length, nr - 1) : 0;
}

/* The shortest length whose coverage is near the best one; 0: none reaches `enough_ns`. */
static uint32_t best_length(struct period_scratch *scratch, uint32_t shortest, double enough_ns,
			    double (*coverage)(const struct period_scratch *, uint32_t),
			    double *covered_out)
{
	double all = window_ns(scratch, 0, scratch->nr - 1), best = 0;
	uint32_t longest = scratch->nr / REPETITIONS, length = shortest ? shortest : 1,
		 seen = length;

	for (; seen <= longest; seen++) {
		scratch->covered[seen] = coverage(scratch, seen);
		if (scratch->covered[seen] > best)
			best = scratch->covered[seen];
		if (best >= GOOD_SHARE * all) { /* none can be much better */
			seen++;
			break;
		}
	}
	if (best < enough_ns || best <= 0)
		return 0;
	for (; length < seen; length++)
		if (scratch->covered[length] >= GOOD_SHARE * best)
			break;
	*covered_out = scratch->covered[length];
	return length;
}

/* First event of the repeating run: from here a whole period matches the next one. */
static uint32_t run_begin(const struct period_scratch *scratch, uint32_t length)
{
	uint32_t matches = 0;

	for (uint32_t i = 0; i + length < scratch->nr; i++) {
		matches = scratch->symbol[i] == scratch->symbol[i + length] ? matches + 1 : 0;
		if (matches == length)
			return i + 1 - length;
	}
	return scratch->nr - length;
}

static bool occurs_once(const uint32_t *pattern, uint32_t length, uint32_t at)
{
	for (uint32_t i = 0; i < length; i++)
		if (i != at && pattern[i] == pattern[at])
			return false;
	return true;
}

/* The first event of the pattern that occurs once in it, a barrier if there is one. */
static bool unique_start(const uint32_t *pattern, uint32_t length, struct period *period)
{
	bool found = false;

	for (uint32_t i = 0; i < length; i++) {
		bool barrier = pattern[i] & HISTORY_BARRIER;

		if ((found && !barrier) || !occurs_once(pattern, length, i))
			continue;
		period->symbol = pattern[i];
		found = true;
		if (barrier)
			break;
	}
	return found;
}

/* Regions are numbered as they were first met: the lowest number began before the others. */
static uint32_t lowest(const uint32_t *pattern, uint32_t length)
{
	uint32_t at = 0;

	for (uint32_t i = 1; i < length; i++)
		if ((pattern[i] & HISTORY_REGION) < (pattern[at] & HISTORY_REGION))
			at = i;
	return at;
}

static void choose_start(const struct history *history, struct period_scratch *scratch,
			 struct period *period)
{
	uint32_t length = period->length, from = run_begin(scratch, length);
	const uint32_t *pattern = scratch->symbol + from;

	if (!from && history->count - history->base > HISTORY_EVENTS)
		/* the run began before the oldest event of the log */
		pattern += lowest(pattern, length);
	scratch->cost_ns += (uint64_t)length * length / 2 + scratch->nr;
	period->nr_context = 0;
	if (unique_start(pattern, length, period))
		return;
	period->symbol = pattern[0];
	for (uint32_t i = 1; i < length && period->nr_context < PERIOD_CONTEXT; i++)
		period->context[period->nr_context++] = pattern[length - i];
}

bool period_find(const struct history *history, struct period_scratch *scratch, uint32_t mask,
		 uint32_t shortest, double enough_ns, struct period *period_out)
{
	double all, exact = 0, tolerant = 0;
	uint32_t length, other = 0;

	window_fill(history, mask, scratch);
	if (scratch->nr < EVENTS_LEAST_LONG)
		return false;
	all = window_ns(scratch, 0, scratch->nr - 1);
	length = best_length(scratch, shortest, enough_ns, exact_coverage, &exact);
	scratch->cost_ns += scratch->nr;
	if (exact < GOOD_SHARE * all) {
		other = best_length(scratch, shortest, enough_ns, tolerant_coverage, &tolerant);
		/* some 0.1 ns a comparison */
		scratch->cost_ns += (uint64_t)scratch->nr * scratch->nr / 16;
	}
	if (tolerant >= TOLERANT_SHARE * all && tolerant * GOOD_SHARE > exact) {
		length = other;
		exact = tolerant;
		period_out->mean_ns = all * length / scratch->nr;
	} else if (length) {
		period_out->mean_ns = exact * length / (tail_matches(scratch, length) + length);
	}
	period_out->mask = mask;
	period_out->length = length;
	period_out->covered_ns = exact;
	if (length)
		choose_start(history, scratch, period_out);
	return length > 0;
}

bool period_starts(const struct period *period, const struct history *history)
{
	uint64_t last = history->count - 1;

	if ((history->symbol[last % HISTORY_EVENTS] & period->mask) != period->symbol)
		return false;
	if (last - history->base < period->nr_context)
		return false;
	for (uint32_t i = 0; i < period->nr_context; i++)
		if ((history->symbol[(last - 1 - i) % HISTORY_EVENTS] & period->mask) !=
		    period->context[i])
			return false;
	return true;
}
