/* SPDX-License-Identifier: Apache-2.0 */
/* Extrapolates bursts to the time of their regions. */
#include "analysis/counting/burst_times.h"

#include "analysis/base/arena.h"
#include "memsearch/metric.h"

/* share of the time from which a region makes bursts necessary */
#define NEEDED 0.02

/* Times are measured in part of the executions. */
static double scale_of(const struct run *run, const struct run_measurement *of)
{
	double wall_ns = run->phase.executions ? run->phase.wall_ns / (double)run->phase.executions
					       : run->cost.program_wall_ns;

	return of->observed_ns > 0 ? wall_ns / of->observed_ns : 1;
}

static double executions_of(const struct run *run, const struct run_measurement *of)
{
	return run->phase.executions && of->phases ? (double)of->row.stat.count / (double)of->phases
						   : (double)of->row.stat.count;
}

/*
 * A region that encloses the phase may have no time: it gets that of inner regions, which have
 * higher numbers.
 */
static void add_up(struct burst_times *times)
{
	const struct run *run = times->run;

	for (size_t region = run->nr_regions; region-- > 1;) {
		uint32_t parent = run->regions[region].parent;

		if (parent == MS_REGION_USER || parent >= region ||
		    ms_region_kind_is_part(run->regions[region].kind))
			continue;
		if (times->executions[parent] > 0)
			continue;
		times->time_ns[parent] += times->time_ns[region];
	}
}

bool burst_times_init(struct burst_times *times, struct arena *arena, const struct run *run)
{
	*times = (struct burst_times){ .run = run };
	times->time_ns = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*times->time_ns));
	times->executions = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*times->executions));
	for (size_t i = 0; times->time_ns && times->executions && i < run->nr_measurements; i++) {
		const struct run_measurement *of = &run->measurements[i];
		double executions = executions_of(run, of);

		if (of->row.metric != MS_METRIC_TIME || of->row.region >= run->nr_regions)
			continue;
		times->time_ns[of->row.region] += of->row.stat.sum * scale_of(run, of);
		if (executions > times->executions[of->row.region])
			times->executions[of->row.region] = executions;
	}
	if (times->time_ns && times->executions)
		add_up(times);
	return times->time_ns && times->executions;
}

double burst_times(const struct burst_times *times, const struct traced_execution *of,
		   uint32_t region)
{
	double recorded_ns = 0;

	region = run_outermost(times->run, region);
	for (uint32_t i = 0; i < of->nr_bursts; i++)
		recorded_ns += of->bursts[i].region == region ? (double)of->bursts[i].ns : 0;
	if (region >= times->run->nr_regions || !(recorded_ns > 0) || !(times->time_ns[region] > 0))
		return 0;
	return times->time_ns[region] > recorded_ns ? times->time_ns[region] / recorded_ns : 1;
}

/*
 * By region: its accesses, or those of an inner region, were recorded in executions of the phase.
 * NULL: no memory.
 */
static bool *recorded_outermost(const struct run *run, struct arena *arena)
{
	bool *recorded = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*recorded));

	for (size_t i = 0; recorded && i < run->nr_measurements; i++)
		if (run->measurements[i].row.metric == MS_METRIC_READS &&
		    run->measurements[i].row.region < run->nr_regions)
			recorded[run_outermost(run, run->measurements[i].row.region)] = true;
	return recorded;
}

static double all_time_ns(const struct burst_times *times)
{
	double all_ns = 0;

	for (uint32_t region = 1; region < times->run->nr_regions; region++)
		all_ns += run_outermost(times->run, region) == region ? times->time_ns[region] : 0;
	return all_ns;
}

static bool has_whole(const struct trace_reader *reader)
{
	for (size_t i = 0; i < trace_reader_executions(reader); i++)
		if (!trace_reader_execution(reader, i)->nr_bursts)
			return true;
	return false;
}

bool burst_times_are_needed(const struct burst_times *times, struct arena *arena,
			    const struct trace_reader *reader)
{
	const bool *recorded = recorded_outermost(times->run, arena);
	double needed_ns = 0;

	if (!has_whole(reader))
		return trace_reader_executions(reader) > 0;
	for (size_t i = 0; recorded && i < trace_reader_executions(reader); i++) {
		const struct traced_execution *of = trace_reader_execution(reader, i);

		for (uint32_t burst = 0; burst < of->nr_bursts; burst++) {
			uint32_t region = of->bursts[burst].region;
			double time_ns = region < times->run->nr_regions && !recorded[region]
						 ? times->time_ns[region]
						 : 0;

			needed_ns = time_ns > needed_ns ? time_ns : needed_ns;
		}
	}
	return needed_ns > NEEDED * all_time_ns(times);
}
