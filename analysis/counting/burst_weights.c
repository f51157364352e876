/* SPDX-License-Identifier: Apache-2.0 */
/* Weights bursts by the time that they stand for. */
#include "analysis/counting/burst_weights.h"

#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"

/* A burst with less recorded time stands for no more than if it had this. */
#define LEAST_NS 100000

/* Regions that are executed more often are short, and each execution has few bursts. */
#define EXECUTIONS_MOST 16

/* Of times that no program has: counts stay numbers. */
#define WEIGHT_MOST 1e6

/* Weights may be far below 1, and are applied to single accesses. */
#define UNIT 1024

struct weighted_burst {
	uint32_t region, thread; /* region: the outermost one */
	uint64_t team;           /* its execution, see TRACE_TEAM */
	uint64_t begin_ns, ns;
	size_t execution; /* of the record */
	double span_ns;   /* that it stands for */
};

struct burst_weights {
	struct arena *arena;
	const struct burst_times *times;
	const struct burst_sums *sums;
	struct weighted_burst *bursts; /* from burst_weights_end on sorted, see in_order */
	size_t nr, room;
	bool *weighted; /* by outermost region */
};

struct burst_weights *burst_weights_new(struct arena *arena, const struct burst_times *times,
					const struct burst_sums *sums)
{
	struct burst_weights *weights = arena_alloc(arena, sizeof(*weights));

	if (weights)
		*weights = (struct burst_weights){ .arena = arena, .times = times, .sums = sums };
	return weights;
}

/* Without tasks, the place of whose time is unknown. */
static bool is_in_question(const struct burst_times *times, uint32_t region)
{
	const struct run *run = times->run;

	return region < run->nr_regions && run->regions[region].kind == MS_PARALLEL_REGION &&
	       run->phase.executions <= 1 && times->executions[region] <= EXECUTIONS_MOST &&
	       times->time_ns[region] > 0 && !(times->tasks_ns[region] > 0);
}

static uint32_t outermost_of(const struct burst_weights *weights, uint32_t region)
{
	return region < weights->times->run->nr_regions ? run_outermost(weights->times->run, region)
							: MS_REGION_NONE;
}

/* ------------------------------------------------------------------ marks */

static bool add(struct burst_weights *weights, const struct weighted_burst *burst)
{
	for (size_t i = weights->nr; i-- > 0;) {
		struct weighted_burst *last = &weights->bursts[i];

		if (last->thread != burst->thread)
			continue;
		if (last->begin_ns != burst->begin_ns || last->region != burst->region)
			break;
		last->ns += burst->ns;
		return true;
	}
	if (!ARENA_GROW(weights->arena, weights->bursts, weights->nr, weights->room))
		return false;
	weights->bursts[weights->nr++] = *burst;
	return true;
}

/* A region that continues in another execution of the record may have no mark there. */
static uint64_t last_team(const struct burst_weights *weights, uint32_t thread)
{
	for (size_t i = weights->nr; i-- > 0;)
		if (weights->bursts[i].thread == thread)
			return weights->bursts[i].team;
	return 0;
}

/* A mark's time is that of the region of the words behind it. */
static bool note_stream(struct burst_weights *weights, const struct traced_execution *of,
			size_t execution, const struct trace_stream *stream)
{
	struct weighted_burst burst = { .thread = stream->thread,
					.execution = execution,
					.team = last_team(weights, stream->thread) };
	struct trace at = stream->trace;
	struct trace_entry entry;

	for (; trace_look(&at, &entry); trace_pass(&at)) {
		if (entry.kind != TRACE_MARK)
			continue;
		if (entry.mark == TRACE_TEAM) {
			burst.team = entry.words[0];
		} else if (entry.mark == TRACE_BURST) {
			burst.begin_ns = entry.words[0];
			burst.ns = entry.words[1];
		} else if (entry.mark == TRACE_PART && burst.ns) {
			burst.region = outermost_of(
				weights, trace_reader_region(of, (uint32_t)entry.words[0]));
			if (is_in_question(weights->times, burst.region) && !add(weights, &burst))
				return false;
			burst.ns = 0;
		}
	}
	return true;
}

bool burst_weights_note(struct burst_weights *weights, const struct trace_reader *reader,
			size_t execution, const struct trace_streams *streams)
{
	const struct traced_execution *of = trace_reader_execution(reader, execution);

	for (uint32_t i = 0; of->nr_bursts && i < streams->threads; i++)
		if (trace_stream_is_begun(&streams->streams[i]) &&
		    !note_stream(weights, of, execution, &streams->streams[i]))
			return false;
	return true;
}

/* ------------------------------------------------------------------ weights */

/* The thread's time in the region, with waits; 0: unknown. */
static double thread_ns(const struct run *run, uint32_t region, uint32_t thread)
{
	double ns = 0;

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct ms_measurement *row = &run->measurements[i].row;

		if (row->region == region && row->thread == thread && row->metric == MS_METRIC_TIME)
			ns += row->stat.sum;
	}
	return ns;
}

/* By region and thread, in the order of time. */
static int in_order(const void *left, const void *right)
{
	const struct weighted_burst *a = left, *b = right;

	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

static bool is_of(const struct weighted_burst *burst, const struct weighted_burst *first)
{
	return burst->region == first->region && burst->thread == first->thread;
}

/*
 * From each burst's begin to that of the next one in the same execution of the region, or to the
 * execution's end; not less than was recorded. `bursts`: those of a thread in a region.
 */
static void span(struct weighted_burst *bursts, size_t nr, double execution_ns)
{
	double end_ns = 0;

	for (size_t i = 0; i < nr; i++) {
		bool goes_on = i + 1 < nr && bursts[i + 1].team == bursts[i].team;

		if (!i || bursts[i].team != bursts[i - 1].team)
			end_ns = (double)bursts[i].begin_ns + execution_ns;
		bursts[i].span_ns = fmax((double)bursts[i].ns,
					 (goes_on ? (double)bursts[i + 1].begin_ns : end_ns) -
						 (double)bursts[i].begin_ns);
	}
}

/* Those of a thread in a region. */
static void end_thread(struct burst_weights *weights, struct weighted_burst *bursts, size_t nr)
{
	uint32_t region = bursts->region;
	size_t executions = 1;

	for (size_t i = 1; i < nr; i++)
		executions += bursts[i].team != bursts[i - 1].team;
	span(bursts, nr,
	     thread_ns(weights->times->run, region, bursts->thread) / (double)executions);
	/*
	 * A burst alone stands for all of its thread's time, as in burst_times.h. A region that
	 * continues after its values were taken counts as another execution.
	 */
	weights->weighted[region] |= nr > executions &&
				     weights->times->executions[region] <= 2 * (double)executions;
}

void burst_weights_end(struct burst_weights *weights)
{
	weights->weighted = arena_alloc(weights->arena, weights->times->run->nr_regions + 1);
	if (!weights->weighted)
		return;
	if (weights->nr)
		sort(weights->bursts, weights->nr, sizeof(*weights->bursts), in_order);
	for (size_t i = 0, end; i < weights->nr; i = end) {
		for (end = i + 1;
		     end < weights->nr && is_of(&weights->bursts[end], &weights->bursts[i]); end++)
			;
		end_thread(weights, &weights->bursts[i], end - i);
	}
}

/* The first one that does not come before. */
static size_t find(const struct burst_weights *weights, const struct weighted_burst *burst)
{
	size_t low = 0, high = weights->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (in_order(&weights->bursts[middle], burst) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of the outermost region, in the executions that count for the region, on all threads. */
static double spans_ns(const struct burst_weights *weights, uint32_t outermost,
		       const struct burst_sum *sum)
{
	size_t i = find(weights, &(struct weighted_burst){ .region = outermost });
	double ns = 0;

	for (; i < weights->nr && weights->bursts[i].region == outermost; i++)
		if (burst_sum_has(sum, weights->bursts[i].execution))
			ns += weights->bursts[i].span_ns;
	return ns;
}

/* Whether the region's words have the scale of all of the outermost region. */
static bool is_weighted(const struct burst_weights *weights, uint32_t outermost, uint32_t region)
{
	const struct burst_times *times = weights->times;

	return outermost < times->run->nr_regions && weights->weighted &&
	       weights->weighted[outermost] &&
	       burst_times_of(times, &burst_sums_of(weights->sums, region)->of, region) ==
		       outermost &&
	       (!(times->work_ns[outermost] > 0) || burst_times_is_in_work(times, region));
}

double burst_weights_unit(const struct burst_weights *weights, uint32_t region)
{
	return is_weighted(weights, outermost_of(weights, region), region) ? UNIT : 1;
}

static double weight(const struct burst_weights *weights, const struct weighted_burst *burst,
		     const struct burst_sum *sum)
{
	double all_ns = spans_ns(weights, burst->region, sum),
	       recorded = burst_times_recorded(&sum->of, burst->region);

	if (!(all_ns > 0) || !(recorded > 0))
		return UNIT;
	return UNIT * fmin(WEIGHT_MOST,
			   burst->span_ns / fmax((double)burst->ns, LEAST_NS) * recorded / all_ns);
}

double burst_weights_of(const struct burst_weights *weights, uint32_t region, uint32_t thread,
			uint64_t begin_ns)
{
	const struct weighted_burst burst = { .region = outermost_of(weights, region),
					      .thread = thread,
					      .begin_ns = begin_ns };
	size_t i;

	if (!is_weighted(weights, burst.region, region))
		return 1;
	i = find(weights, &burst);
	return i < weights->nr && !in_order(&weights->bursts[i], &burst)
		       ? weight(weights, &weights->bursts[i], burst_sums_of(weights->sums, region))
		       : UNIT;
}
