/* SPDX-License-Identifier: Apache-2.0 */
/* Extrapolates bursts to the time of their regions. */
#include "analysis/counting/burst_times.h"

#include <math.h>

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

static bool is_task(const struct run *run, uint32_t region)
{
	return run->regions[region].kind == MS_TASK_REGION;
}

double burst_times_recorded(const struct traced_execution *of, uint32_t region)
{
	double ns = 0;

	for (uint32_t i = 0; i < of->nr_bursts; i++)
		ns += of->bursts[i].region == region ? (double)of->bursts[i].ns : 0;
	return ns;
}

/* Constructs that execute tasks have their time, too, so that their own is unknown. */
static bool has_own_time(const struct burst_times *times, const struct traced_execution *of,
			 uint32_t region, uint32_t outer)
{
	if (is_task(times->run, region))
		return true;
	return outer < times->run->nr_regions && !(times->tasks_ns[outer] > 0) &&
	       times->time_ns[region] > 0 && burst_times_recorded(of, region) > 0;
}

uint32_t burst_times_of(const struct burst_times *times, const struct traced_execution *of,
			uint32_t region)
{
	const struct run *run = times->run;
	uint32_t around = region, outer = run_outermost(run, region);

	/* a parent that is not in the run is none */
	while (around < run->nr_regions && !has_own_time(times, of, around, outer) &&
	       run->regions[around].parent != around)
		around = run->regions[around].parent;
	return around < run->nr_regions && around != MS_REGION_USER ? around : outer;
}

enum ms_metric burst_times_metric(const struct run *run, uint32_t region)
{
	return is_task(run, region) ? MS_METRIC_TASK_TIME : MS_METRIC_TIME;
}

static bool is_work(const struct run *run, uint32_t region)
{
	enum ms_region_kind kind = run->regions[region].kind;

	return kind == MS_DO_REGION || kind == MS_SECTIONS_REGION || kind == MS_SINGLE_REGION ||
	       kind == MS_WORKSHARE_REGION;
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

		if (parent == MS_REGION_USER || parent >= region || is_task(run, region) ||
		    ms_region_kind_is_part(run->regions[region].kind))
			continue;
		if (times->executions[parent] > 0)
			continue;
		times->time_ns[parent] += times->time_ns[region];
	}
}

static void add_tasks(struct burst_times *times)
{
	const struct run *run = times->run;

	for (uint32_t region = 1; region < run->nr_regions; region++) {
		uint32_t outer = is_task(run, region) ? run_outermost(run, region) : MS_REGION_NONE;

		if (outer < run->nr_regions)
			times->tasks_ns[outer] += times->time_ns[region];
	}
}

/*
 * What the threads do in the barrier that closes a region but wait: all of its threads' time from
 * its begin to its end, without the region's own.
 */
static double closing_ns(const struct burst_times *times, uint32_t region)
{
	const struct run *run = times->run;
	double wall_ns = 0, others_ns = 0;
	uint32_t threads = 0;

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct run_measurement *of = &run->measurements[i];

		if (of->row.region != region)
			continue;
		switch (of->row.metric) {
		case MS_METRIC_WALL_TIME: wall_ns += of->row.stat.sum * scale_of(run, of); break;
		case MS_METRIC_TIME: threads++; /* fall through */
		case MS_METRIC_START_DELAY:
		case MS_METRIC_BARRIER_WAIT:
			others_ns += of->row.stat.sum * scale_of(run, of);
			break;
		default: break;
		}
	}
	return fmax(0, wall_ns * threads - others_ns);
}

static void add_work(struct burst_times *times)
{
	const struct run *run = times->run;

	for (uint32_t region = 1; region < run->nr_regions; region++)
		if (is_work(run, region) && run->regions[region].parent < run->nr_regions)
			times->work_ns[run->regions[region].parent] += times->time_ns[region];
}

static void find_inside(struct burst_times *times)
{
	for (uint32_t region = 1; region < times->run->nr_regions; region++)
		if (times->tasks_ns[region] > 0)
			times->inside_ns[region] = fmax(0, times->tasks_ns[region] -
								   closing_ns(times, region));
}

/*
 * The outermost region in whose time a wait is: regions inside a task are in the task's, and nested
 * teams wait in a construct's.
 */
static uint32_t parallel_around(const struct run *run, uint32_t region)
{
	uint32_t outer = run_outermost(run, region);

	while (region < run->nr_regions && region != outer && !is_task(run, region) &&
	       run->regions[region].kind != MS_PARALLEL_REGION)
		region = run->regions[region].parent;
	return region == outer && outer < run->nr_regions &&
			       run->regions[outer].kind == MS_PARALLEL_REGION
		       ? outer
		       : MS_REGION_NONE;
}

/* The wait of a parallel region's own is that of the barrier that closes it. */
static void add_waits(struct burst_times *times)
{
	const struct run *run = times->run;

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct run_measurement *of = &run->measurements[i];
		uint32_t outer = of->row.metric == MS_METRIC_BARRIER_WAIT &&
						 of->row.region < run->nr_regions &&
						 run->regions[of->row.region].kind !=
							 MS_PARALLEL_REGION
					 ? parallel_around(run, of->row.region)
					 : MS_REGION_NONE;

		/* a time that was added up is without waits */
		if (outer != MS_REGION_NONE && times->executions[outer] > 0)
			times->waits_ns[outer] += of->row.stat.sum * scale_of(run, of);
	}
}

bool burst_times_init(struct burst_times *times, struct arena *arena, const struct run *run)
{
	*times = (struct burst_times){ .run = run };
	times->time_ns = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*times->time_ns));
	times->tasks_ns = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*times->tasks_ns));
	times->executions = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*times->executions));
	times->inside_ns = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*times->inside_ns));
	times->waits_ns = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*times->waits_ns));
	times->work_ns = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*times->work_ns));
	if (!times->time_ns || !times->tasks_ns || !times->inside_ns || !times->executions ||
	    !times->waits_ns || !times->work_ns)
		return false;
	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct run_measurement *of = &run->measurements[i];
		double executions = executions_of(run, of);

		if (of->row.region >= run->nr_regions ||
		    of->row.metric != burst_times_metric(run, of->row.region))
			continue;
		times->time_ns[of->row.region] += of->row.stat.sum * scale_of(run, of);
		if (executions > times->executions[of->row.region])
			times->executions[of->row.region] = executions;
	}
	add_up(times);
	add_tasks(times);
	find_inside(times);
	add_waits(times);
	add_work(times);
	return true;
}

/* part of a region's time that its own code has at least: the other times are not more precise */
#define OWN_LEAST 0.01

/* Without the time of its tasks, and without waits. */
static double own_ns(const struct burst_times *times, uint32_t region)
{
	return fmax(OWN_LEAST * times->time_ns[region],
		    times->time_ns[region] - times->inside_ns[region] - times->waits_ns[region]);
}

/*
 * As if each recorded execution were whole: in one of them threads may wait for pages. Before a phase
 * is detected a region may be executed more often than in one execution of the phase.
 */
static double least_of(const struct burst_times *times, const struct traced_execution *of,
		       uint32_t region, uint64_t begun)
{
	double executions = times->executions[run_outermost(times->run, region)],
	       phases = 1.0 / fmax(1, of->phases);

	return begun && executions > 0 ? fmin(phases, executions / (double)begun) : phases;
}

/* recorded time of a region's own code, at least, that is a scale for it */
#define OWN_LEAST_NS 500000

/*
 * A region's own code has what is left of its time without its work-sharing constructs. Constructs
 * that have no scale of their own have that of all of the region.
 */
static double times_of_rest(const struct burst_times *times, const struct traced_execution *of,
			    uint32_t region, bool of_construct, uint64_t begun)
{
	double all_ns = burst_times_recorded(of, region), left_ns = all_ns,
	       own = own_ns(times, region), rest = own - times->work_ns[region];

	for (uint32_t i = 0; i < of->nr_bursts; i++) {
		uint32_t construct = of->bursts[i].region & ~TRACED_BURST_UNEVEN;

		if (construct != region && construct < times->run->nr_regions &&
		    !is_task(times->run, construct) &&
		    run_outermost(times->run, construct) == region)
			left_ns -= (double)of->bursts[i].ns;
	}
	if (of_construct || times->tasks_ns[region] > 0 || left_ns < OWN_LEAST_NS)
		return fmax(least_of(times, of, region, begun), own / all_ns);
	return fmax(rest, OWN_LEAST * own) / left_ns;
}

bool burst_times_is_in_work(const struct burst_times *times, uint32_t region)
{
	const struct run *run = times->run;

	while (region < run->nr_regions && !is_work(run, region) &&
	       run->regions[region].parent != region)
		region = run->regions[region].parent;
	return region < run->nr_regions && is_work(run, region);
}

double burst_times(const struct burst_times *times, const struct traced_execution *of,
		   uint32_t region, uint64_t begun)
{
	uint32_t around = burst_times_of(times, of, region);
	double recorded;

	if (around >= times->run->nr_regions || !(times->time_ns[around] > 0))
		return 0;
	recorded = burst_times_recorded(of, around);
	if (!(recorded > 0))
		return 0;
	return around == run_outermost(times->run, around)
		       ? times_of_rest(times, of, around, burst_times_is_in_work(times, region),
				       begun)
		       : fmax(least_of(times, of, around, begun), own_ns(times, around) / recorded);
}

/*
 * part of the earlier bursts' time, and of their words, that later ones must have: threads may wait
 * in a burst without recording anything
 */
#define FAR_LESS (1.0 / 16)

bool burst_times_replace(const struct burst_times *times, const struct traced_execution *later,
			 const struct traced_execution *earlier, uint32_t region)
{
	return burst_times_recorded(later, burst_times_of(times, later, region)) >=
		       FAR_LESS * burst_times_recorded(earlier,
						       burst_times_of(times, earlier, region)) &&
	       (double)later->words >= FAR_LESS * (double)earlier->words;
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

static bool is_of_phase(const struct trace_reader *reader, size_t execution)
{
	return !trace_reader_execution(reader, execution)->nr_bursts;
}

static bool has_whole(const struct trace_reader *reader)
{
	for (size_t i = 0; i < trace_reader_executions(reader); i++)
		if (is_of_phase(reader, i))
			return true;
	return false;
}

/* part of a region's accesses in the trace of an execution, from which on it has the region */
#define REACHED (1.0 / 16)

/* Accesses by outermost region, of one execution that is kept. */
struct kept {
	const struct run *run;
	const struct traced_execution *of;
	double *accesses;
};

static void add_entry(void *ctx, uint32_t thread, uint32_t region, uint64_t accesses,
		      uint64_t *times)
{
	const struct kept *kept = ctx;
	uint32_t number = trace_reader_region(kept->of, region);

	(void)thread;
	if (number < kept->run->nr_regions)
		kept->accesses[run_outermost(kept->run, number)] += (double)accesses *
								    (double)*times;
	*times = 0; /* skips them */
}

static bool add_kept(struct kept *kept, struct trace_reader *reader, size_t execution)
{
	struct trace_streams *streams = trace_reader_streams(reader);
	bool read;

	kept->of = trace_reader_execution(reader, execution);
	read = streams && trace_reader_play(reader, execution, streams, add_entry, kept);
	trace_streams_free(streams);
	return read;
}

static void subtract_counted(const struct run *run, double *accesses)
{
	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct run_measurement *of = &run->measurements[i];

		if ((of->row.metric == MS_METRIC_READS || of->row.metric == MS_METRIC_WRITES) &&
		    of->phases && of->row.region < run->nr_regions)
			accesses[run_outermost(run, of->row.region)] -= REACHED * of->row.stat.sum /
									(double)of->phases;
	}
}

/*
 * Drops regions from `recorded` that were counted, but follow after the end of all traces of the
 * phase.
 */
static bool drop_beyond_traces(const struct run *run, struct arena *arena,
			       struct trace_reader *reader, bool *recorded)
{
	struct kept kept = { .run = run };
	size_t nr = trace_reader_executions(reader);

	for (size_t i = 0; i < nr; i++)
		if (is_of_phase(reader, i) && !trace_reader_execution(reader, i)->lost)
			return true;
	kept.accesses = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*kept.accesses));
	for (size_t i = 0; i < nr; i++)
		if (!kept.accesses || (is_of_phase(reader, i) && !add_kept(&kept, reader, i)))
			return false;
	subtract_counted(run, kept.accesses);
	for (size_t i = 0; i < run->nr_regions; i++)
		recorded[i] &= kept.accesses[i] >= 0;
	return true;
}

static double all_time_ns(const struct burst_times *times)
{
	double all_ns = 0;

	for (uint32_t region = 1; region < times->run->nr_regions; region++)
		if (run_outermost(times->run, region) == region)
			all_ns += fmax(times->time_ns[region], times->tasks_ns[region]);
	return all_ns;
}

bool burst_times_are_needed(const struct burst_times *times, struct arena *arena,
			    struct trace_reader *reader)
{
	bool *recorded = recorded_outermost(times->run, arena);
	double needed_ns = 0;

	if (!has_whole(reader))
		return trace_reader_executions(reader) > 0;
	if (!recorded || !drop_beyond_traces(times->run, arena, reader, recorded))
		return false;
	for (size_t i = 0; i < trace_reader_executions(reader); i++) {
		const struct traced_execution *of = trace_reader_execution(reader, i);

		for (uint32_t burst = 0; burst < of->nr_bursts; burst++) {
			uint32_t region = of->bursts[burst].region;
			bool needed = region < times->run->nr_regions &&
				      !recorded[run_outermost(times->run, region)];
			double time_ns = needed ? times->time_ns[region] : 0;

			needed_ns = time_ns > needed_ns ? time_ns : needed_ns;
		}
	}
	return needed_ns > NEEDED * all_time_ns(times);
}
