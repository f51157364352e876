/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up bursts of recorded executions. */
#include "analysis/counting/burst_sums.h"

#include <string.h>

#include "analysis/base/arena.h"

struct burst_sums {
	const struct burst_times *times;
	const struct trace_reader *reader;
	struct traced_execution *from; /* by execution: bursts of it and of all later ones */
	struct burst_sum *regions;
	uint32_t *begun; /* by execution, then by outermost region */
	/* by outermost region, of the stream that is read: its last team, and how many it had */
	uint64_t *teams;
	uint32_t *nr_teams;
};

#define NO_TEAM UINT64_MAX

static struct traced_burst *find(struct traced_burst *bursts, uint32_t nr, uint32_t region)
{
	for (uint32_t i = 0; i < nr; i++)
		if ((bursts[i].region & ~TRACED_BURST_UNEVEN) == (region & ~TRACED_BURST_UNEVEN))
			return &bursts[i];
	return NULL;
}

/* False: no memory. */
static bool add(struct arena *arena, struct traced_execution *to,
		const struct traced_execution *later)
{
	struct traced_burst *sums = arena_alloc(
		arena, ((size_t)to->nr_bursts + later->nr_bursts + 1) * sizeof(*sums));
	uint32_t nr = to->nr_bursts;

	if (!sums)
		return false;
	if (nr)
		memcpy(sums, to->bursts, nr * sizeof(*sums));
	for (uint32_t i = 0; i < later->nr_bursts; i++) {
		struct traced_burst *sum = find(sums, to->nr_bursts, later->bursts[i].region);

		if (!sum) {
			sums[nr++] = later->bursts[i];
			continue;
		}
		sum->ns += later->bursts[i].ns;
		sum->region |= later->bursts[i].region & TRACED_BURST_UNEVEN;
	}
	to->bursts = sums;
	to->nr_bursts = nr;
	to->words += later->words;
	to->phases += later->phases;
	return true;
}

struct burst_sums *burst_sums_new(struct arena *arena, const struct burst_times *times,
				  const struct trace_reader *reader)
{
	size_t executions = trace_reader_executions(reader), nr = times->run->nr_regions;
	struct burst_sums *sums = arena_alloc(arena, sizeof(*sums));

	if (!sums)
		return NULL;
	*sums = (struct burst_sums){ .times = times, .reader = reader };
	sums->from = arena_alloc(arena, (executions + 1) * sizeof(*sums->from));
	sums->regions = arena_alloc(arena, (nr + 1) * sizeof(*sums->regions));
	sums->begun = arena_alloc(arena, (executions + 1) * (nr + 1) * sizeof(*sums->begun));
	sums->teams = arena_alloc(arena, (nr + 1) * sizeof(*sums->teams));
	sums->nr_teams = arena_alloc(arena, (nr + 1) * sizeof(*sums->nr_teams));
	if (!sums->from || !sums->regions || !sums->begun || !sums->teams || !sums->nr_teams)
		return NULL;
	for (size_t i = executions; i-- > 0;) {
		sums->from[i] = *trace_reader_execution(reader, i);
		sums->from[i].phases += !sums->from[i].phases;
		if (!sums->from[i].nr_bursts)
			sums->from[i] = sums->from[i + 1];
		else if (!add(arena, &sums->from[i], &sums->from[i + 1]))
			return NULL;
	}
	return sums;
}

void burst_sums_note(struct burst_sums *sums, size_t execution, uint32_t region)
{
	struct burst_sum *sum = &sums->regions[region];

	if (!sum->noted)
		sum->noted = sum->first = execution + 1;
	sum->last = execution + 1;
}

/* Inner teams count as executions of the outermost region, too. */
static void count_teams(struct burst_sums *sums, const struct traced_execution *of,
			const struct trace_stream *stream)
{
	const struct run *run = sums->times->run;
	struct trace at = stream->trace;
	struct trace_entry entry;
	uint64_t team = 0;

	for (size_t i = 0; i < run->nr_regions; i++) {
		sums->teams[i] = NO_TEAM;
		sums->nr_teams[i] = 0;
	}
	for (; trace_look(&at, &entry); trace_pass(&at)) {
		uint32_t region;

		if (entry.kind == TRACE_MARK && entry.mark == TRACE_TEAM)
			team = entry.words[0];
		if (entry.kind != TRACE_MARK || entry.mark != TRACE_PART)
			continue;
		region = run_outermost(run, trace_reader_region(of, (uint32_t)entry.words[0]));
		if (region >= run->nr_regions || sums->teams[region] == team)
			continue;
		sums->teams[region] = team;
		sums->nr_teams[region]++;
	}
}

void burst_sums_note_begun(struct burst_sums *sums, size_t execution,
			   const struct trace_streams *streams)
{
	const struct traced_execution *of = trace_reader_execution(sums->reader, execution);
	size_t nr = sums->times->run->nr_regions;
	uint32_t *begun = &sums->begun[execution * (nr + 1)];

	for (uint32_t i = 0; of->nr_bursts && i < streams->threads; i++) {
		if (!trace_stream_is_begun(&streams->streams[i]))
			continue;
		count_teams(sums, of, &streams->streams[i]);
		/* a thread that comes late has no words of some */
		for (size_t region = 0; region < nr; region++)
			if (sums->nr_teams[region] > begun[region])
				begun[region] = sums->nr_teams[region];
	}
}

uint64_t burst_sums_begun(const struct burst_sums *sums, size_t execution, uint32_t region)
{
	const struct run *run = sums->times->run;

	region = run_outermost(run, region);
	return region < run->nr_regions ? sums->begun[execution * (run->nr_regions + 1) + region]
					: 0;
}

static uint64_t begun_in(const struct burst_sums *sums, const struct burst_sum *sum,
			 uint32_t region)
{
	uint64_t begun = 0;

	for (size_t execution = sum->first - 1; execution < sum->last; execution++)
		begun += burst_sums_begun(sums, execution, region);
	return begun;
}

static void end(const struct burst_sums *sums, struct burst_sum *sum, uint32_t region)
{
	const struct traced_execution *first = trace_reader_execution(sums->reader, sum->first - 1);

	if (sum->first == sum->last) {
		sum->of = *first;
	} else if (burst_times_replace(sums->times, &sums->from[sum->first], first, region)) {
		sum->of = sums->from[sum->first];
		sum->first++;
	} else {
		sum->of = sums->from[sum->first - 1];
	}
	sum->times = burst_times(sums->times, &sum->of, region, begun_in(sums, sum, region));
}

void burst_sums_end(struct burst_sums *sums)
{
	for (uint32_t region = 0; region < sums->times->run->nr_regions; region++)
		if (sums->regions[region].noted)
			end(sums, &sums->regions[region], region);
}

const struct burst_sum *burst_sums_of(const struct burst_sums *sums, uint32_t region)
{
	return &sums->regions[region];
}

bool burst_sum_has(const struct burst_sum *sum, size_t execution)
{
	return sum->noted && execution + 1 >= sum->first && execution < sum->last;
}
