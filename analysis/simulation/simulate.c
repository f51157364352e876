/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates recorded traces: misses of regions, data structures and instructions. */
#include "analysis/simulation/simulate.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/thread_clock.h"
#include "analysis/counting/burst_sums.h"
#include "analysis/counting/burst_weights.h"
#include "analysis/simulation/call_regions.h"
#include "analysis/simulation/page_use.h"
#include "analysis/simulation/placement.h"
#include "analysis/simulation/portions.h"
#include "analysis/simulation/reach.h"
#include "analysis/simulation/site_weights.h"
#include "analysis/simulation/skipped_data.h"
#include "analysis/simulation/unrecorded_data.h"
#include "analysis/simulation/values.h"
#include "analysis/trace/simulation_places.h"
#include "analysis/trace/trace_reader.h"
#include "analysis/trace/simulation.h"
#include "analysis/trace/stretch_rows.h"
#include "analysis/trace/stretches.h"

/*
 * initial estimate per access: 50 for a hit, 300 for a miss of all caches and TLBs; measured while
 * filling
 */
#define ACCESS_NS 100
#define TO_FILL 0.5 /* share of the available time */
/* at most, of the accesses that there is time for: lines that stand for skipped ones */
#define SKIPPED_PART 0.75
/*
 * factor on the available time, when counting is slower than the filling predicted, as on a loaded
 * host
 */
#define OVERTIME 2
#define PROGRESS_NS 200000000u /* between two progress reports */
#define SMALL 0.001            /* share of the accesses */
/* relative tolerance: a copying instruction is one access in counts, and one per line here */
#define WHOLE 0.01
#define SEEN 0.9      /* share of an array's bytes with a known first touch */
#define TO_COUNT 0.85 /* share of the remaining time */

/*
 * By region: values of one thread in the last simulated execution; and the execution in which a
 * region counts.
 */
struct sum {
	struct simulator_counters estimates[SIMULATOR_REPLICATES];
	uint64_t busiest[SIMULATOR_REPLICATES]; /* lines of the region's busiest node */
	bool any;
};

/* Of all threads, by region. */
struct region_total {
	uint64_t *node_lines; /* in an execution, by node; NULL: none */
	uint32_t busiest;     /* the node with most of them */
	uint32_t thread;      /* one with accesses there, + 1; 0: none */
};

/* Counters of a slot, as they count for regions; `lines` from memory by estimate and node. */
struct slot_counts {
	struct simulator_counters estimates[SIMULATOR_REPLICATES];
	uint64_t lines[SIMULATOR_REPLICATES][MODEL_NODES];
};

struct work {
	struct arena *arena;
	struct run *run;
	struct trace_reader *reader;
	const struct machine_model *model;
	const struct placement *placement;
	struct trace_streams *streams;
	struct simulation *simulation;
	size_t execution;  /* current one */
	uint32_t core;     /* of the model, whose slots are visited */
	size_t nr_regions; /* of the run */
	/*
	 * by region: number + 1 of the execution that counts for it; 0: none, or those of its bursts
	 * (burst_sums) …
	 */
	size_t *last;
	double *accesses;          /* … accesses of that execution, counted as in the run … */
	double *recorded;          /* … and those of the run; 0: unknown */
	struct portions *portions; /* NULL: all is simulated */
	/* … between the parts that are; NULL: not known, or all is simulated */
	struct skipped_data *skipped;
	double skipped_most;    /* lines in the place of all regions */
	double selected;        /* accesses, and such lines */
	double filled, to_fill; /* words of traces, where there is a deadline */
	bool late;              /* the deadline passed while filling the caches */
	struct sum *sums;
	size_t nr_sums, room_sums; /* one for each region of the run */
	struct region_total *totals;
	size_t nr_totals, room_totals;
	bool sums_nodes;        /* lines by node are summed up now, else all counters */
	bool marks_pages;       /* lines by node and page are counted */
	double *stores;         /* by array, in all regions */
	uint32_t *first_access; /* by site: number + 1 of its first row of accesses … */
	uint32_t *next_access;  /* … and by row, of the site's next one */
	size_t nr_sites;
	const struct simulate_how *how;
	uint64_t deadline_ns, latest_ns, told_ns;
	double words_there, words_done; /* of traces, in all executions; done: simulated */
	uint64_t words_loaded;          /* of the current execution */
	/* simulated accesses in counting regions, and those that they represent */
	double simulated, stand_for;
	struct burst_times burst_times;
	struct burst_sums *burst_sums;
	struct burst_weights *burst_weights;
	struct site_weights *site_weights;
	struct unrecorded_data *unrecorded;
	struct call_regions calls;
	bool has_cut;              /* of some execution a part alone is stored */
	bool *written;             /* by array, in the current execution */
	uint64_t unrecorded_pages; /* of the modelled machine */
	double wall_ns;            /* of an execution of the phase */
	uint32_t *touchers;        /* by array */
	uint32_t one_in;           /* set sampling 1:N, of the sparsest execution … */
	uint32_t replicates;       /* … and estimates of each counter */
	bool failed;               /* no memory */
};

/* ------------------------------------------------------------------ where data was */

static void place_at(void *ctx, uint64_t address, uint64_t since, uint64_t until,
		     struct array_place *out)
{
	const struct work *work = ctx;

	trace_reader_place(work->reader, work->execution, address, since, until, out);
}

static void narrow(void *ctx, uint64_t address, struct array_place *place)
{
	trace_reader_narrow(((const struct work *)ctx)->reader, address, place);
}

/*
 * First touches of early accesses are missing in the trace, as page faults are read later; the run
 * has all of them.
 */
static uint32_t toucher_of(void *ctx, uint32_t array)
{
	const struct work *work = ctx;

	return array < work->run->nr_arrays && !run_array_is_stack(&work->run->arrays[array])
		       ? work->touchers[array]
		       : UINT32_MAX;
}

/*
 * By array, the thread of all its known first touches, if these cover most of it; UINT32_MAX: none.
 */
static bool find_touchers(struct work *work)
{
	const struct run *run = work->run;
	uint64_t *bytes = arena_alloc(work->arena, (run->nr_arrays + 1) * sizeof(*bytes));

	work->touchers = arena_alloc(work->arena, (run->nr_arrays + 1) * sizeof(*work->touchers));
	if (!bytes || !work->touchers)
		return false;
	memset(bytes, 0, (run->nr_arrays + 1) * sizeof(*bytes));
	for (size_t i = 0; i < run->nr_touches; i++) {
		const struct run_touch *touch = &run->touches[i];

		if (touch->array >= run->nr_arrays || touch->by_kernel)
			continue;
		work->touchers[touch->array] = bytes[touch->array] &&
							       work->touchers[touch->array] !=
								       touch->thread
						       ? RUN_THREAD_UNKNOWN
						       : touch->thread;
		bytes[touch->array] += touch->bytes + !touch->bytes;
	}
	for (size_t i = 0; i < run->nr_arrays; i++)
		if ((double)bytes[i] < SEEN * (double)run->arrays[i].bytes ||
		    run->arrays[i].blocks > 1)
			work->touchers[i] = UINT32_MAX;
	return true;
}

/* ------------------------------------------------------------------ regions */

static uint32_t region_of(const struct work *work, uint32_t region)
{
	const struct traced_execution *of = trace_reader_execution(work->reader, work->execution);
	uint32_t serial = region & ~TRACE_SERIAL;

	if (region != MS_REGION_NONE && region & TRACE_SERIAL)
		region = serial < of->nr_serials ? of->serials[serial] : MS_REGION_NONE;
	return region < work->nr_regions ? region : MS_REGION_NONE;
}

static bool is_array_of(const struct run_region *region, uint32_t array, uint32_t parent)
{
	return region->kind == MS_DATA_STRUCTURE && region->parent == parent &&
	       run_region_array(region) == array;
}

/* MS_REGION_NONE: no memory. */
static uint32_t new_region(struct work *work, uint32_t array, uint32_t parent)
{
	struct run *run = work->run;
	uint32_t id = (uint32_t)run->nr_regions;

	if (!ARENA_GROW(work->arena, run->regions, run->nr_regions, run->room_regions))
		return MS_REGION_NONE;
	run->regions[run->nr_regions++] = (struct run_region){
		.id = id,
		.parent = parent,
		.kind = MS_DATA_STRUCTURE,
		.construct = { .module = run->regions[parent].construct.module,
			       .offset = (uint64_t)array + 1 },
		.inside = run->regions[parent].inside,
		.next = run->regions[parent].next,
		.resolved = true,
	};
	return id;
}

static uint32_t array_below(struct work *work, uint32_t array, uint32_t parent)
{
	for (uint32_t id = parent + 1; id < work->run->nr_regions; id++)
		if (is_array_of(&work->run->regions[id], array, parent))
			return id;
	return new_region(work, array, parent);
}

static struct region_total *total_of(struct work *work, uint32_t region)
{
	while (work->nr_totals <= region && region != MS_REGION_NONE) {
		if (!ARENA_GROW(work->arena, work->totals, work->nr_totals, work->room_totals))
			break;
		work->totals[work->nr_totals++] = (struct region_total){ .thread = 0 };
	}
	work->failed |= region >= work->nr_totals;
	return region < work->nr_totals ? &work->totals[region] : NULL;
}

/* Lines by node, of all estimates; the node with most of them is the busiest. */
static void add_nodes(struct work *work, uint32_t region, const struct slot_counts *counts)
{
	struct region_total *total = total_of(work, region);
	uint32_t nodes = work->model->nodes;

	if (!total)
		return;
	if (!total->node_lines)
		total->node_lines = arena_alloc(work->arena, nodes * sizeof(*total->node_lines));
	if (!total->node_lines) {
		work->failed = true;
		return;
	}
	for (uint32_t node = 0; node < nodes; node++) {
		for (uint32_t i = 0; i < work->replicates; i++)
			total->node_lines[node] += counts->lines[i][node];
		if (total->node_lines[node] > total->node_lines[total->busiest])
			total->busiest = node;
	}
}

static void add_counters(struct work *work, uint32_t region, const struct slot_counts *counts)
{
	uint32_t busiest = region < work->nr_totals ? work->totals[region].busiest : 0;
	struct sum *sum;

	while (work->nr_sums <= region && region != MS_REGION_NONE) {
		if (!ARENA_GROW(work->arena, work->sums, work->nr_sums, work->room_sums))
			break;
		work->sums[work->nr_sums++] = (struct sum){ .any = false };
	}
	if (region >= work->nr_sums) {
		work->failed = true;
		return;
	}
	sum = &work->sums[region];
	for (uint32_t i = 0; i < work->replicates; i++) {
		simulation_add(&sum->estimates[i], &counts->estimates[i]);
		sum->busiest[i] += counts->lines[i][busiest];
	}
	sum->any = true;
}

static void add(struct work *work, uint32_t region, const struct slot_counts *counts)
{
	if (work->sums_nodes)
		add_nodes(work, region, counts);
	else
		add_counters(work, region, counts);
}

static void add_with_array(struct work *work, uint32_t region, uint32_t array,
			   const struct slot_counts *counts)
{
	add(work, region, counts);
	if (array < work->run->nr_arrays)
		add(work, array_below(work, array, region), counts);
}

/* The row of an instruction, array and region. NULL: none. */
static struct run_access *access_of(const struct work *work, uint32_t region, uint32_t site,
				    uint32_t array)
{
	uint32_t row = site < work->nr_sites ? work->first_access[site] : 0;

	for (; row; row = work->next_access[row - 1]) {
		struct run_access *access = &work->run->accesses[row - 1];

		if (access->region == region &&
		    (access->array == array ||
		     (array >= work->run->nr_arrays && access->array == RUN_ARRAY_NONE)))
			return access;
	}
	return NULL;
}

static void add_misses(struct run_misses *to, const struct run_misses *from)
{
	uint64_t *sums = (uint64_t *)to;
	const uint64_t *values = (const uint64_t *)from;

	_Static_assert(sizeof(*to) % sizeof(uint64_t) == 0, "all of it is numbers");
	for (size_t i = 0; i < sizeof(*to) / sizeof(uint64_t); i++)
		sums[i] += values[i];
}

/* The phase, region 0, consists of parallel regions and serial code. */
static bool is_part_of_phase(const struct run_region *region)
{
	return region->parent == MS_REGION_USER &&
	       (region->kind == MS_PARALLEL_REGION || region->kind == MS_SERIAL_REGION);
}

static double accesses_in(const struct simulator_counters *counters)
{
	return (double)counters->reads + (double)counters->writes;
}

/* Only its begin is stored. */
static bool is_cut(const struct work *work, size_t execution)
{
	return trace_reader_execution(work->reader, execution)->lost > 0 ||
	       trace_reader_execution(work->reader, execution)->nr_bursts;
}

/*
 * Executions of the phase in one of the record: short ones are recorded as a group. What bursts stand
 * for is known from their time.
 */
static uint32_t phases_of(const struct work *work, size_t execution)
{
	const struct traced_execution *of = trace_reader_execution(work->reader, execution);

	return of->phases > 1 && !of->nr_bursts ? of->phases : 1;
}

/*
 * Whether an execution counts rather than an earlier one: a whole one, and the smaller group, as
 * the number of short executions in a group is another in each run; else the later one.
 */
static bool is_better(const struct work *work, size_t execution, size_t earlier)
{
	if (is_cut(work, execution) != is_cut(work, earlier))
		return is_cut(work, earlier);
	return phases_of(work, execution) <= phases_of(work, earlier);
}

static void note_last(struct work *work, uint32_t region)
{
	const struct traced_execution *of = trace_reader_execution(work->reader, work->execution);
	size_t last = work->last[region];

	if (of->nr_bursts && burst_times(&work->burst_times, of, region, 0) > 0) {
		burst_sums_note(work->burst_sums, work->execution, region);
		return;
	}
	if (of->nr_bursts && !(work->recorded[region] > 0))
		return; /* without a scale the results are invalid */
	if (!last || is_better(work, work->execution, last - 1))
		work->last[region] = work->execution + 1;
}

/* Of all threads in one execution of the phase. */
static void note_recorded(struct work *work)
{
	for (size_t i = 0; i < work->run->nr_measurements; i++) {
		const struct run_measurement *of = &work->run->measurements[i];

		if (of->row.region < work->nr_regions &&
		    (of->row.metric == MS_METRIC_READS || of->row.metric == MS_METRIC_WRITES) &&
		    of->phases)
			work->recorded[of->row.region] += of->row.stat.sum / (double)of->phases;
	}
}

/*
 * Factor from the simulated accesses of a region to one execution of the phase: extrapolates
 * incompletely recorded executions, as far as the recorded number is known, the part selected for
 * the time limit, groups of executions, and bursts.
 */
static double times_of(const struct work *work, uint32_t region)
{
	double kept_times = (work->portions ? portions_times(work->portions, region) : 1) /
			    phases_of(work, work->execution),
	       reader = work->accesses[region] * kept_times;

	if (!work->last[region])
		return kept_times * burst_sums_of(work->burst_sums, region)->times;
	return is_cut(work, work->execution) && reader > 0 && work->recorded[region] > reader
		       ? work->recorded[region] / work->accesses[region]
		       : kept_times;
}

static void add_to_access(const struct work *work, struct run_access *access,
			  const struct slot_counts *counts)
{
	struct simulator_counters mean = simulation_mean(counts->estimates, work->replicates);
	struct run_misses misses = simulation_misses(work->model, &mean);

	add_misses(&access->misses, &misses);
}

/*
 * As with hardware counters, a construct includes inner regions, and each loop around the
 * instruction, and its function, includes inner ones. A call has what its construct has of it.
 */
static void add_everywhere(struct work *work, uint32_t region, const struct simulation_key *key,
			   const struct slot_counts *counts)
{
	const struct run *run = work->run;
	struct run_access *access;
	uint32_t site, call;

	trace_reader_site(work->reader, key->site, &site);
	access = access_of(work, region, site, key->array);
	add_with_array(work, region, key->array, counts);
	call = call_region_below(&work->calls, region, key->call);
	if (call != MS_REGION_NONE)
		add_with_array(work, call, key->array, counts);
	for (uint32_t outer = region; outer < run->nr_regions && outer != MS_REGION_USER;
	     outer = run->regions[outer].parent) {
		if (outer != region)
			add(work, outer, counts);
		if (is_part_of_phase(&run->regions[outer]))
			add(work, MS_REGION_USER, counts);
	}
	if (!access)
		return;
	for (uint32_t loop = access->loop;
	     loop < run->nr_regions && ms_region_kind_is_code_part(run->regions[loop].kind);
	     loop = run->regions[loop].parent)
		add_with_array(work, loop, key->array, counts);
	if (!work->sums_nodes)
		add_to_access(work, access, counts);
}

static bool counts_now(const struct work *work, uint32_t region)
{
	if (region == MS_REGION_NONE)
		return false;
	return work->last[region]
		       ? work->last[region] == work->execution + 1
		       : burst_sum_has(burst_sums_of(work->burst_sums, region), work->execution);
}

/* As in the run, where an access that does both counts as a read and a write. */
static double counted_in(const struct work *work, const struct simulation_key *key,
			 const struct simulator_counters *counters)
{
	uint32_t number;
	const struct record_site *site = trace_reader_site(work->reader, key->site, &number)
						 ? record_site(key->site)
						 : NULL;

	return accesses_in(counters) +
	       (site && site->read && site->write ? (double)counters->writes : 0);
}

/* All estimates have the same accesses. */
static void note_slot(void *ctx, const struct simulation_key *key,
		      const struct simulator_counters *estimates, uint32_t replicates)
{
	struct work *work = ctx;
	uint32_t region = region_of(work, key->region);

	work->replicates = replicates;
	if (counts_now(work, region))
		work->accesses[region] += counted_in(work, key, estimates);
}

static void note_written(void *ctx, const struct simulation_key *key,
			 const struct simulator_counters *estimates, uint32_t replicates)
{
	struct work *work = ctx;

	(void)replicates;
	if (key->array < work->run->nr_arrays && estimates[0].writes)
		work->written[key->array] = true;
}

/*
 * How many accesses of an execution each simulated one stands for. Bursts may record the same begin of
 * a region again, whose lines are in the caches then: the first ones stand for its data.
 */
static double data_times(const struct work *work, uint32_t region)
{
	const struct traced_execution *of = trace_reader_execution(work->reader, work->execution);
	bool bursts = of->nr_bursts && region != MS_REGION_NONE && !work->last[region];

	if (bursts)
		return burst_sums_of(work->burst_sums, region)->noted == work->execution + 1
			       ? burst_times(&work->burst_times, of, region,
					     burst_sums_begun(work->burst_sums, work->execution,
							      region))
			       : 1;
	return counts_now(work, region) ? times_of(work, region) * phases_of(work, work->execution)
					: 1;
}

/* While filling: lines from memory. */
static void note_unrecorded(void *ctx, const struct simulation_key *key,
			    const struct simulator_counters *estimates, uint32_t replicates)
{
	struct work *work = ctx;
	uint32_t region = region_of(work, key->region);
	struct simulator_counters mean = simulation_mean(estimates, replicates);
	double lines = (double)mean.dram_local + (double)mean.dram_remote +
		       (double)mean.dram_prefetches;

	unrecorded_data_add(work->unrecorded, key->array, lines, data_times(work, region),
			    mean.writes > 0);
}

/* Scaled to one execution of the phase. False: the region does not count in this one. */
static bool fill_counts(const struct work *work, uint32_t region, const struct simulation_key *key,
			const struct simulator_counters *estimates, struct slot_counts *out)
{
	double times;

	if (!counts_now(work, region))
		return false;
	times = times_of(work, region) * site_weights_of(work->site_weights, region, key->site);
	*out = (struct slot_counts){ .lines = { { 0 } } };
	for (uint32_t i = 0; i < work->replicates; i++) {
		out->estimates[i] = estimates[i];
		simulation_scale(&out->estimates[i], times);
		if (!work->marks_pages ||
		    !simulation_node_lines(work->simulation, work->core, key, i, out->lines[i]))
			continue;
		for (uint32_t node = 0; node < work->model->nodes; node++)
			out->lines[i][node] = (uint64_t)((double)out->lines[i][node] * times + 0.5);
	}
	return true;
}

static void note_nodes(void *ctx, const struct simulation_key *key,
		       const struct simulator_counters *estimates, uint32_t replicates)
{
	struct work *work = ctx;
	uint32_t region = region_of(work, key->region);
	struct slot_counts counts;

	(void)replicates;
	if (fill_counts(work, region, key, estimates, &counts))
		add_everywhere(work, region, key, &counts);
}

static void count_slot(void *ctx, const struct simulation_key *key,
		       const struct simulator_counters *estimates, uint32_t replicates)
{
	struct work *work = ctx;
	uint32_t region = region_of(work, key->region);
	struct slot_counts counts;

	(void)replicates;
	if (!fill_counts(work, region, key, estimates, &counts))
		return;
	work->simulated += accesses_in(estimates);
	work->stand_for += accesses_in(counts.estimates) * phases_of(work, work->execution);
	if (key->array < work->run->nr_arrays)
		work->stores[key->array] += (double)counts.estimates[0].writes;
	add_everywhere(work, region, key, &counts);
}

/* ------------------------------------------------------------------ into the run */

static void put(struct work *work, uint32_t region, uint32_t thread, enum ms_metric metric,
		const struct ms_stat *stat)
{
	struct run *run = work->run;
	struct run_measurement row = {
		.row = { .region = region, .thread = thread, .metric = metric, .stat = *stat },
		.phases = 1,
		.observed_ns = work->wall_ns
	};

	if (work->one_in > 1 && simulation_needs_addresses(metric))
		return;
	if (ARENA_GROW(work->arena, run->measurements, run->nr_measurements,
		       run->room_measurements))
		run->measurements[run->nr_measurements++] = row;
	else
		work->failed = true;
}

/* With one node that serves all. */
static void put_busiest(struct work *work, uint32_t region, uint32_t thread)
{
	const struct sum *sum = &work->sums[region];
	double of[SIMULATOR_REPLICATES];
	struct ms_stat stat;

	if (!work->marks_pages && work->model->nodes > 1)
		return;
	for (uint32_t i = 0; i < work->replicates; i++)
		of[i] = work->marks_pages ? (double)sum->busiest[i]
					  : (double)sum->estimates[i].dram_local +
						    (double)sum->estimates[i].dram_prefetches;
	stat = simulation_stat(of, work->replicates);
	put(work, region, thread, MS_METRIC_SIM_BUSIEST_LINES, &stat);
}

static void put_sum(struct work *work, uint32_t region, uint32_t thread)
{
	enum ms_metric metrics[SIMULATION_VALUES];
	double values[SIMULATOR_REPLICATES][SIMULATION_VALUES], of[SIMULATOR_REPLICATES];
	size_t nr = 0;

	for (uint32_t i = 0; i < work->replicates; i++)
		nr = simulation_values(work->model, work->one_in > 1,
				       &work->sums[region].estimates[i], metrics, values[i]);
	for (size_t at = 0; at < nr; at++) {
		struct ms_stat stat;

		for (uint32_t i = 0; i < work->replicates; i++)
			of[i] = values[i][at];
		stat = simulation_stat(of, work->replicates);
		put(work, region, thread, metrics[at], &stat);
	}
	put_busiest(work, region, thread);
}

static void put_sums(struct work *work, uint32_t thread)
{
	for (uint32_t region = 0; region < work->nr_sums; region++) {
		struct region_total *total = work->sums[region].any ? total_of(work, region) : NULL;

		if (work->sums[region].any)
			put_sum(work, region, thread);
		if (total && !total->thread)
			total->thread = thread + 1;
		work->sums[region] = (struct sum){ .any = false };
	}
}

/* Of data structures, after all executions. */
static void put_stores(struct work *work)
{
	for (uint32_t region = 0; region < work->nr_totals; region++) {
		uint32_t array = run_region_array(&work->run->regions[region]);
		struct ms_stat stat = { 0 };

		if (!work->totals[region].thread || array >= work->run->nr_arrays)
			continue;
		ms_stat_add(&stat, work->stores[array]);
		put(work, region, work->totals[region].thread - 1, MS_METRIC_SIM_PHASE_STORES,
		    &stat);
	}
}

/* For all regions: sampled lines were recorded. */
static void put_missing(struct work *work)
{
	struct run *run = work->run;

	for (uint32_t metric = 0; work->one_in > 1 && metric < MS_METRICS; metric++) {
		if (!simulation_needs_addresses(metric))
			continue;
		if (ARENA_GROW(work->arena, run->missing, run->nr_missing, run->room_missing))
			run->missing[run->nr_missing++] = (struct run_missing){
				.region = MS_REGION_NONE,
				.metric = metric,
				.why = MS_MISSING_FEW_LINES
			};
		else
			work->failed = true;
	}
}

/* A core's counters belong to the first thread that ran on it. */
typedef void visit_slot(void *ctx, const struct simulation_key *key,
			const struct simulator_counters *counters, uint32_t replicates);

static void each_core(struct work *work, visit_slot *visit,
		      void (*after)(struct work *work, uint32_t thread))
{
	bool done[SIMULATOR_MAX_THREADS] = { false };
	uint32_t core;

	for (uint32_t thread = 0; thread < work->streams->threads; thread++) {
		if (!simulation_core(work->simulation, thread, &core) || done[core])
			continue;
		done[core] = true;
		work->core = core;
		simulation_each(work->simulation, core, visit, work);
		if (after)
			after(work, thread);
	}
}

static void sum_nodes(struct work *work)
{
	for (size_t i = 0; i < work->nr_totals; i++) {
		work->totals[i].node_lines = NULL;
		work->totals[i].busiest = 0;
	}
	work->sums_nodes = true;
	if (work->marks_pages)
		each_core(work, note_nodes, NULL);
	work->sums_nodes = false;
}

static void collect(struct work *work)
{
	each_core(work, note_slot, NULL);
	sum_nodes(work);
	each_core(work, count_slot, put_sums);
}

static void forget_modelled(struct run *run)
{
	size_t reader = 0;

	for (size_t i = 0; i < run->nr_measurements; i++)
		if (ms_metric_info(run->measurements[i].row.metric)->sensor != MS_SENSOR_SIMULATED)
			run->measurements[reader++] = run->measurements[i];
	run->nr_measurements = reader;
	for (size_t i = 0; i < run->nr_accesses; i++)
		run->accesses[i].misses = (struct run_misses){ 0 };
	reader = 0;
	for (size_t i = 0; i < run->nr_missing; i++)
		if (ms_metric_info(run->missing[i].metric)->sensor != MS_SENSOR_SIMULATED)
			run->missing[reader++] = run->missing[i];
	run->nr_missing = reader;
}

/*
 * Whether the simulated accesses of a region are all of the execution, or of the run: as many as were
 * recorded in executions of the phase, or in bursts that take all of its time in each of these.
 */
static bool is_region_whole(const struct work *work, size_t best, size_t region)
{
	const struct burst_sum *sum = burst_sums_of(work->burst_sums, (uint32_t)region);

	if (!work->last[region])
		return is_cut(work, best) && sum->times * fmax(1, sum->of.phases) <= 1 + WHOLE;
	return work->last[region] == best + 1 &&
	       (!is_cut(work, best) || fabs(work->accesses[region] - work->recorded[region]) <=
					       WHOLE * work->recorded[region]);
}

/* The execution that counts for the phase; SIZE_MAX: none. */
static size_t best_execution(const struct work *work)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < trace_reader_executions(work->reader); i++)
		if (best == SIZE_MAX || is_better(work, i, best))
			best = i;
	return best;
}

/*
 * Checks regions recorded in executions of the phase; others are not part of most executions, and
 * small ones are negligible.
 */
static enum run_basis basis_of(const struct work *work, size_t best)
{
	size_t whole = 0;
	double all = 0;
	bool any = false;

	if (work->late || (work->portions && !portions_are_whole(work->portions)) ||
	    best == SIZE_MAX)
		return RUN_BASIS_MIXED;
	for (size_t i = 0; i < trace_reader_executions(work->reader); i++)
		whole += !is_cut(work, i);
	for (size_t i = 0; i < work->nr_regions; i++)
		all += ms_region_kind_is_part(work->run->regions[i].kind) ? 0 : work->recorded[i];
	for (size_t i = 0; i < work->nr_regions; i++) {
		if ((!work->last[i] && !burst_sums_of(work->burst_sums, (uint32_t)i)->noted) ||
		    !(work->recorded[i] > SMALL * all))
			continue;
		if (!is_region_whole(work, best, i))
			return RUN_BASIS_MIXED;
		any = true;
	}
	if (!any)
		return RUN_BASIS_MIXED;
	if (is_cut(work, best))
		return RUN_BASIS_BURSTS;
	return whole > 1 ? RUN_BASIS_STEADY : RUN_BASIS_ONE;
}

/* Without pages of accesses that stand for others, whose number is approximate. */
static uint64_t pages_of_program(const struct work *work, const struct simulator_pages *pages)
{
	uint64_t others = work->unrecorded_pages +
			  (work->skipped ? skipped_data_pages(work->skipped) : 0);

	return pages->accessed > pages->placed + others ? pages->accessed - others : pages->placed;
}

static void describe(struct work *work)
{
	const struct machine_model *model = work->model;
	struct simulator_pages pages = simulation_pages(work->simulation);
	struct run_modelled *out = &work->run->modelled;
	size_t best = best_execution(work);

	out->name = model->name;
	out->cores = model->cores;
	out->nodes = model->nodes;
	out->pages = work->placement->on_node ? 0 : pages_of_program(work, &pages);
	out->pages_placed = pages.placed;
	placement_describe(work->placement, out);
	out->one_in = work->one_in;
	out->lines_recorded = work->one_in > 1;
	out->basis = basis_of(work, best);
	out->steps = best == SIZE_MAX ? 0 : phases_of(work, best);
	out->begins = work->simulated < 0.999 * work->stand_for ? work->simulated / work->stand_for
								: 0;
	out->begins_apart = work->skipped && !skipped_data_is_limited(work->skipped) &&
			    !work->has_cut;
	out->line = out->levels = 0;
	for (unsigned int level = 0; level < sizeof(model->cache) / sizeof(model->cache[0]);
	     level++) {
		if (!model->cache[level].bytes)
			continue;
		out->levels |= 1u << level;
		out->line = model->cache[level].line;
	}
}

/* ------------------------------------------------------------------ executions */

static void note_entry(void *ctx, uint32_t thread, uint32_t region, uint64_t accesses,
		       uint64_t *times)
{
	struct work *work = ctx;

	region = region_of(work, region);
	if (region != MS_REGION_NONE)
		note_last(work, region);
	if (work->portions)
		portions_note(work->portions, (uint32_t)work->execution, thread, region, accesses,
			      *times);
	*times = 0;
}

/* What bursts leave out is replaced before each (play_unrecorded). */
static bool is_skipping(const struct work *work, uint32_t execution)
{
	return work->skipped && !trace_reader_execution(work->reader, execution)->nr_bursts;
}

static void choose_times(void *ctx, uint32_t thread, uint32_t region, uint64_t accesses,
			 uint64_t *times)
{
	struct work *work = ctx;
	uint32_t number = region_of(work, region);
	uint64_t all = *times;
	struct traced_part part = trace_reader_part(work->reader, thread);

	*times = portions_wanted(work->portions, thread, number, accesses, all);
	if (!is_skipping(work, (uint32_t)work->execution))
		return;
	if (*times)
		work->failed |= !skipped_data_play(work->skipped, &work->streams->streams[thread],
						   &part);
	if (*times < all)
		skipped_data_note(work->skipped, thread, number,
				  (double)(all - *times) * (double)accesses /
					  (double)portions_of(work->portions, thread, number));
}

static double time_left(const struct work *work)
{
	uint64_t now_ns = thread_clock_ns();

	return work->deadline_ns > now_ns ? (double)(work->deadline_ns - now_ns) : 0;
}

/* Its accesses count for the phase. */
static bool is_of_phase(const struct work *work)
{
	return work->execution == best_execution(work) ||
	       trace_reader_execution(work->reader, work->execution)->nr_bursts;
}

/* The next selected execution, from the current one on. */
static bool next_wanted(struct work *work)
{
	while (work->execution < trace_reader_executions(work->reader) && work->how->one &&
	       !is_of_phase(work))
		work->execution++;
	return work->execution < trace_reader_executions(work->reader);
}

static void add_skipped(void *ctx, uint32_t execution, uint32_t thread, uint32_t region)
{
	struct work *work = ctx;

	if (is_skipping(work, execution))
		work->skipped_most += (double)skipped_data_lines(work->skipped, thread, region);
}

/* What is simulated where there is time for that number of accesses: also lines in others' place. */
static void limit_portions(struct work *work, double most)
{
	double lines = fmin(work->skipped_most, SKIPPED_PART * most);

	work->selected = most;
	portions_limit(work->portions, (uint64_t)most);
	if (!work->skipped || portions_are_whole(work->portions))
		return;
	skipped_data_limit(work->skipped, lines / fmax(1, work->skipped_most), (uint64_t)lines);
	portions_limit(work->portions, (uint64_t)(most - lines));
}

/* Reads all executions to count their accesses, which is fast compared with simulation. */
static bool read_all(struct work *work)
{
	if (work->deadline_ns) {
		work->portions = portions_new(work->arena,
					      (uint32_t)trace_reader_executions(work->reader),
					      work->streams->threads, (uint32_t)work->nr_regions);
		work->skipped = skipped_data_new(work->arena, work->run, work->model,
						 work->placement->cores, work->streams->threads);
	}
	for (work->execution = 0; next_wanted(work); work->execution++) {
		if (!trace_reader_play(work->reader, work->execution, work->streams, note_entry,
				       work) ||
		    !burst_weights_note(work->burst_weights, work->reader, work->execution,
					work->streams))
			return false;
		burst_sums_note_begun(work->burst_sums, work->execution, work->streams);
		simulation_clear(work->simulation);
	}
	burst_sums_end(work->burst_sums);
	burst_weights_end(work->burst_weights);
	if (work->portions && work->skipped)
		portions_each(work->portions, add_skipped, work);
	if (work->portions)
		limit_portions(work, TO_FILL * time_left(work) / ACCESS_NS);
	return true;
}

/* False: it is damaged. */
static bool load(struct work *work)
{
	bool loaded;

	if (work->portions)
		portions_begin(work->portions, (uint32_t)work->execution);
	if (work->skipped)
		skipped_data_begin(work->skipped);
	loaded = trace_reader_play(work->reader, work->execution, work->streams,
				   work->portions ? choose_times : NULL, work);
	work->words_loaded = simulation_words_left(work->simulation);
	return loaded;
}

/*
 * Each execution is simulated twice; progress counts its recorded words, independent of the
 * selection.
 */
static bool tell_progress(void *ctx)
{
	struct work *work = ctx;
	uint64_t now_ns = thread_clock_ns();
	double of_execution = (double)trace_reader_execution(work->reader, work->execution)->words;

	if (now_ns - work->told_ns < PROGRESS_NS || !work->words_loaded)
		return true;
	work->told_ns = now_ns;
	of_execution *= 1 - (double)simulation_words_left(work->simulation) /
				    (double)work->words_loaded;
	work->how->progress(work->how->ctx,
			    (work->words_done + of_execution) / (2 * work->words_there));
	return true;
}

static void execution_done(struct work *work)
{
	work->words_done += (double)trace_reader_execution(work->reader, work->execution)->words;
	simulation_clear(work->simulation);
}

/* For play_unrecorded. */
static void note_data(struct work *work)
{
	if (!work->has_cut)
		return;
	memset(work->written, 0, work->run->nr_arrays * sizeof(*work->written));
	each_core(work, note_slot, NULL);
	each_core(work, note_written, NULL);
	each_core(work, note_unrecorded, NULL);
}

/* What was recorded in part is found in the caches as after all of the execution. */
static void play_unrecorded(struct work *work)
{
	uint64_t pages;

	if (!is_cut(work, work->execution) || work->late)
		return;
	trace_streams_clear(work->streams);
	if (!unrecorded_data_play(work->unrecorded, work->streams, &pages))
		return;
	simulation_run(work->simulation, work->latest_ns);
	simulation_clear(work->simulation);
	work->unrecorded_pages = pages;
}

/* Deadline of filling; the rest is not in the caches when counting begins. */
static bool fill(struct work *work, uint64_t until_ns)
{
	for (work->execution = 0; next_wanted(work); work->execution++) {
		double words;

		if (!load(work))
			return false;
		words = (double)simulation_words_left(work->simulation);
		work->late = work->late || !simulation_run(work->simulation, until_ns);
		work->to_fill += words;
		work->filled += words - (double)simulation_words_left(work->simulation);
		note_data(work);
		if (work->marks_pages)
			simulation_mark_pages(work->simulation);
		execution_done(work);
	}
	memset(work->accesses, 0, work->nr_regions * sizeof(*work->accesses));
	return true;
}

/* By how long filling took: it may be more, or less. */
static void limit_counting(struct work *work, double took_ns)
{
	double part = work->to_fill > 0 ? work->filled / work->to_fill : 1,
	       times = took_ns > 0 ? TO_COUNT * time_left(work) / took_ns : 1;

	if (!work->portions)
		return;
	if (portions_are_whole(work->portions))
		work->selected = (double)portions_all(work->portions);
	limit_portions(work, work->selected * part * times);
}

static bool count(struct work *work, struct simulate_result *result)
{
	struct simulation_order order;

	play_unrecorded(work);
	if (!load(work)) {
		result->status = SIMULATE_DAMAGED;
		return false;
	}
	site_weights_read(work->site_weights, work->execution, work->streams);
	if (!simulation_run(work->simulation, work->latest_ns)) {
		result->status = SIMULATE_LATE;
		return false;
	}
	collect(work);
	if (work->how->pages && is_of_phase(work))
		work->failed |= !page_uses_add(work->how->pages, work->arena, work->simulation,
					       work->reader, work->model->nodes, work->model->page);
	order = simulation_order(work->simulation);
	result->lost_accesses += order.lost_accesses +
				 trace_reader_execution(work->reader, work->execution)->lost;
	work->run->modelled.lost_teams += order.lost_teams;
	work->run->modelled.lost_lines += order.lost_lines;
	execution_done(work);
	return true;
}

static bool play_all(struct work *work, struct simulate_result *result)
{
	uint64_t begin_ns;

	if (!read_all(work)) {
		result->status = SIMULATE_DAMAGED;
		return false;
	}
	begin_ns = thread_clock_ns();
	work->latest_ns = work->deadline_ns
				  ? work->deadline_ns + OVERTIME * (uint64_t)time_left(work)
				  : 0;
	if (!fill(work, work->deadline_ns ? begin_ns + (uint64_t)(TO_FILL * time_left(work)) : 0)) {
		result->status = SIMULATE_DAMAGED;
		return false;
	}
	limit_counting(work, (double)(thread_clock_ns() - begin_ns));
	for (work->execution = 0; next_wanted(work); work->execution++)
		if (!count(work, result))
			return false;
	return true;
}

static bool index_accesses(struct work *work)
{
	struct run *run = work->run;

	for (size_t i = 0; i < run->nr_accesses; i++)
		if (run->accesses[i].site >= work->nr_sites &&
		    run->accesses[i].site < UINT32_MAX / 2)
			work->nr_sites = run->accesses[i].site + 1;
	work->first_access = arena_alloc(work->arena, (work->nr_sites + 1) * sizeof(uint32_t));
	work->next_access = arena_alloc(work->arena, (run->nr_accesses + 1) * sizeof(uint32_t));
	if (!work->first_access || !work->next_access)
		return false;
	memset(work->first_access, 0, (work->nr_sites + 1) * sizeof(uint32_t));
	for (size_t i = 0; i < run->nr_accesses; i++) {
		uint32_t site = run->accesses[i].site;

		if (site >= work->nr_sites)
			continue;
		work->next_access[i] = work->first_access[site];
		work->first_access[site] = (uint32_t)i + 1;
	}
	return true;
}

/* enum simulator_parts */
static unsigned parts_of(const struct work *work)
{
	unsigned parts = work->how->waits ? 0 : SIMULATE_PRIVATE_CLASSES | SIMULATE_UTILISATION;

	return parts | (work->marks_pages ? SIMULATE_PAGES : 0);
}

static bool begin(struct work *work, const struct simulate_result *result, uint64_t words)
{
	const struct placement *placement = work->placement;
	const struct simulation_places places = {
		.at = place_at,
		.narrow = narrow,
		.ctx = work,
		.toucher = toucher_of,
		.stack_end = trace_reader_execution(work->reader, 0)->stack_end,
		.cores = placement->cores,
		.on_node = placement->on_node,
		.node = placement->node,
		.homes = placement->homes,
		.nr_homes = placement->nr_homes,
		.layouts = placement->layouts,
		.nr_layouts = placement->nr_layouts,
	};

	work->marks_pages = work->model->nodes > 1 && (work->how->pages || !work->how->waits);
	work->stores = arena_alloc(work->arena, (work->run->nr_arrays + 1) * sizeof(*work->stores));
	work->last = arena_alloc(work->arena, (work->run->nr_regions + 1) * sizeof(*work->last));
	work->streams = trace_streams_to_play(result->threads,
					      words + (work->deadline_ns ? SKIPPED_DATA_WORDS : 0));
	work->accesses = arena_alloc(work->arena,
				     (work->run->nr_regions + 1) * sizeof(*work->accesses));
	work->recorded = arena_alloc(work->arena,
				     (work->run->nr_regions + 1) * sizeof(*work->recorded));
	if (!burst_times_init(&work->burst_times, work->arena, work->run) || !find_touchers(work))
		return false;
	work->burst_sums = burst_sums_new(work->arena, &work->burst_times, work->reader);
	work->burst_weights = burst_weights_new(work->arena, &work->burst_times, work->burst_sums);
	work->site_weights = site_weights_new(work->arena, work->burst_weights, work->reader);
	if (!work->burst_weights || !work->site_weights)
		return false;
	if (!work->last || !work->accesses || !work->recorded || !work->streams || !work->stores ||
	    !work->burst_sums || !index_accesses(work))
		return false;
	work->unrecorded = unrecorded_data_new(work->arena, work->run, work->model,
					       placement->cores);
	work->written = arena_alloc(work->arena,
				    (work->run->nr_arrays + 1) * sizeof(*work->written));
	if (!work->unrecorded || !work->written)
		return false;
	note_recorded(work);
	for (uint32_t i = 0; i < result->threads; i++)
		trace_stream_begin(work->streams, i);
	work->simulation = simulation_new(work->model, work->streams, parts_of(work), &places);
	work->replicates = 1;
	if (!work->simulation ||
	    (work->one_in > 1 && !simulation_sample(work->simulation, work->one_in)) ||
	    !simulation_use_threads(work->simulation, work->how->jobs))
		return false;
	if (work->how->real_addresses)
		simulation_use_real_addresses(work->simulation);
	call_regions_init(&work->calls, work->arena, work->run);
	if (work->calls.nr)
		simulation_use_calls(work->simulation);
	for (size_t i = 0; i < trace_reader_executions(work->reader); i++)
		work->has_cut |= is_cut(work, i);
	for (size_t i = 0; i < trace_reader_executions(work->reader); i++)
		work->words_there += (double)trace_reader_execution(work->reader, i)->words;
	if (work->how->progress)
		simulation_between(work->simulation, tell_progress, work);
	return true;
}

static void measure(const struct trace_reader *reader, struct simulate_result *result,
		    uint64_t *words_out)
{
	*words_out = 0;
	result->one_in = 1;
	for (size_t i = 0; i < trace_reader_executions(reader); i++) {
		const struct traced_execution *of = trace_reader_execution(reader, i);

		result->threads = of->threads > result->threads ? of->threads : result->threads;
		*words_out = of->words > *words_out ? of->words : *words_out;
		result->one_in = of->one_in > result->one_in ? of->one_in : result->one_in;
	}
}

uint32_t simulate_threads(const struct trace_reader *reader)
{
	struct simulate_result result = { 0 };
	uint64_t words;

	measure(reader, &result, &words);
	return result.threads;
}

struct simulate_result simulate(struct arena *arena, struct run *run, struct trace_reader *reader,
				const struct machine_model *model,
				const struct placement *placement, const struct simulate_how *how)
{
	struct machine_model placed = placement_model(placement, model);
	struct work work = { .arena = arena,
			     .run = run,
			     .reader = reader,
			     .model = &placed,
			     .placement = placement,
			     .how = how,
			     .deadline_ns = how->deadline_ns,
			     .nr_regions = run->nr_regions };
	struct simulate_result result = { .status = SIMULATE_DONE };
	uint64_t words;

	measure(reader, &result, &words);
	work.one_in = result.one_in;
	work.wall_ns = run->phase.executions ? run->phase.wall_ns / (double)run->phase.executions
					     : run->cost.program_wall_ns;
	if (!trace_reader_executions(reader) || !result.threads || words > UINT32_MAX)
		result.status = SIMULATE_NO_TRACE;
	else if (result.threads > model->cores)
		result.status = SIMULATE_FEW_CORES;
	else if (!simulator_fits_recorded(model, result.one_in))
		result.status = SIMULATE_OTHER_SETS;
	else if (!begin(&work, &result, words))
		result.status = SIMULATE_NO_MEMORY;
	if (result.status == SIMULATE_DONE) {
		forget_modelled(run);
		run->modelled = (struct run_modelled){ .early_windows = 0 };
		put_missing(&work);
		if (play_all(&work, &result)) {
			put_stores(&work);
			describe(&work);
			work.failed |= !reach_add(arena, run);
		} else {
			forget_modelled(run);
		}
		if (how->pages) {
			page_uses_sort(how->pages);
			how->pages->model = model;
		}
		result.whole = !work.late && (!work.portions || portions_are_whole(work.portions));
		run->modelled.lost_accesses = result.lost_accesses;
		if (work.failed)
			result.status = SIMULATE_NO_MEMORY;
	}
	simulation_free(work.simulation);
	trace_streams_free(work.streams);
	return result;
}
