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
};

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
	size_t executions = trace_reader_executions(reader);
	struct burst_sums *sums = arena_alloc(arena, sizeof(*sums));

	if (!sums)
		return NULL;
	*sums = (struct burst_sums){ .times = times, .reader = reader };
	sums->from = arena_alloc(arena, (executions + 1) * sizeof(*sums->from));
	sums->regions = arena_alloc(arena, (times->run->nr_regions + 1) * sizeof(*sums->regions));
	if (!sums->from || !sums->regions)
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
	sum->times = burst_times(sums->times, &sum->of, region);
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
