/* SPDX-License-Identifier: Apache-2.0 */
/* From kept traces to what regions, data structures and instructions miss. */
#include "analysis/simulation/simulate.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/thread_clock.h"
#include "analysis/counting/burst_times.h"
#include "analysis/simulation/page_use.h"
#include "analysis/simulation/placement.h"
#include "analysis/simulation/portions.h"
#include "analysis/simulation/values.h"
#include "analysis/trace/kept.h"
#include "analysis/trace/simulation.h"

#define ACCESS_NS 100                    /* simulating one: 50 where it is in a cache, 300 where it misses all and the TLBs; filling the caches shows it */
#define TO_FILL 0.5                      /* of the time there is */
#define OVERTIME 2                       /* times the time there is, where counting takes longer than what filling told: on a busy machine better late than never */
#define PROGRESS_NS 200000000u           /* between two words of progress */
#define SMALL 0.001                      /* part of the accesses */
#define WHOLE 0.01                      /* relative: what copies by one instruction counts as one access there, and by lines here */
#define SEEN 0.9                         /* of an array's bytes, whose first touch is known */
#define TO_COUNT 0.85                    /* of what is left then */

/* By region: of one thread in what was simulated last; and the execution in which a region counts. */
struct sum { struct simulator_counters estimates[SIMULATOR_REPLICATES]; bool any; };

struct work {
	struct arena *arena;
	struct run *run;
	struct kept *kept;
	const struct machine_model *model;
	const struct placement *placement;
	struct trace_streams *streams;
	struct simulation *simulation;
	size_t execution;                /* that is simulated */
	bool counting;                   /* else it fills the caches */
	size_t nr_regions;               /* that the run came with */
	size_t *last;                    /* by region: number + 1 of the execution that counts for it … */
	double *accesses;                /* … and what was simulated of that one … */
	double *recorded;                /* … of what was counted while the program ran; 0: that is not known */
	struct portions *portions;       /* NULL: all is simulated */
	double filled, to_fill;          /* words of traces, where there is a deadline */
	bool late;                       /* filling the caches was not done in time */
	struct sum *sums;
	size_t nr_sums, room_sums;       /* one for each region of the run */
	uint32_t *first_access;          /* by site: number + 1 of its first row of accesses … */
	uint32_t *next_access;           /* … and by row, of the site's next one */
	size_t nr_sites;
	const struct simulate_how *how;
	uint64_t deadline_ns, latest_ns, told_ns;
	double words_there, words_done;  /* of traces, in all executions; done: of each as much as was simulated */
	uint64_t words_loaded;           /* of the execution under way */
	double simulated, stand_for;     /* accesses in regions that count, and those that these stand for */
	struct burst_times burst_times;
	double wall_ns;                  /* of an execution of the phase */
	uint32_t *touchers;              /* by array */
	uint32_t one_in;                 /* lines that are simulated, as the sparsest execution was recorded … */
	uint32_t replicates;             /* … and estimates of each counter */
	bool failed;                     /* no memory */
};

/* ------------------------------------------------------------------ where data was */

static void place_at(void *ctx, uint64_t address, uint64_t since, uint64_t until, struct array_place *out)
{
	const struct work *work = ctx;

	kept_place(work->kept, work->execution, address, since, until, out);
}

static void narrow(void *ctx, uint64_t address, struct array_place *place)
{
	kept_narrow(((const struct work *)ctx)->kept, address, place);
}

/* What is traced early comes before the page faults of then have been read; the run has all of them. */
static uint32_t toucher_of(void *ctx, uint32_t array)
{
	const struct work *work = ctx;

	return array < work->run->nr_arrays && !run_array_is_stack(&work->run->arrays[array]) ? work->touchers[array] : UINT32_MAX;
}

/* By array, the thread that touched all of it that was seen, and most of it; UINT32_MAX: there is none. */
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

		if (touch->array >= run->nr_arrays)
			continue;
		work->touchers[touch->array] = bytes[touch->array] && work->touchers[touch->array] != touch->thread ? RUN_THREAD_UNKNOWN : touch->thread;
		bytes[touch->array] += touch->bytes + !touch->bytes;
	}
	for (size_t i = 0; i < run->nr_arrays; i++)
		if ((double)bytes[i] < SEEN * (double)run->arrays[i].bytes || run->arrays[i].blocks > 1)
			work->touchers[i] = UINT32_MAX;
	return true;
}

/* ------------------------------------------------------------------ regions */

static uint32_t region_of(const struct work *work, uint32_t region)
{
	const struct kept_execution *of = kept_execution(work->kept, work->execution);
	uint32_t serial = region & ~TRACE_SERIAL;

	if (region != MS_REGION_NONE && region & TRACE_SERIAL)
		region = serial < of->nr_serials ? of->serials[serial] : MS_REGION_NONE;
	return region < work->nr_regions ? region : MS_REGION_NONE;
}

static bool is_array_of(const struct run_region *region, uint32_t array, uint32_t parent)
{
	return region->kind == MS_DATA_STRUCTURE && region->parent == parent && run_region_array(region) == array;
}

/* MS_REGION_NONE: no memory. */
static uint32_t new_region(struct work *work, uint32_t array, uint32_t parent)
{
	struct run *run = work->run;
	uint32_t id = (uint32_t)run->nr_regions;

	if (!ARENA_GROW(work->arena, run->regions, run->nr_regions, run->room_regions))
		return MS_REGION_NONE;
	run->regions[run->nr_regions++] = (struct run_region){
		.id = id, .parent = parent, .kind = MS_DATA_STRUCTURE, .construct = { .module = run->regions[parent].construct.module, .offset = (uint64_t)array + 1 },
		.inside = run->regions[parent].inside, .next = run->regions[parent].next, .resolved = true,
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

static void add(struct work *work, uint32_t region, const struct simulator_counters *estimates)
{
	while (work->nr_sums <= region && region != MS_REGION_NONE) {
		if (!ARENA_GROW(work->arena, work->sums, work->nr_sums, work->room_sums))
			break;
		work->sums[work->nr_sums++] = (struct sum){ .any = false };
	}
	if (region >= work->nr_sums) {
		work->failed = true;
		return;
	}
	for (uint32_t i = 0; i < work->replicates; i++)
		simulation_add(&work->sums[region].estimates[i], &estimates[i]);
	work->sums[region].any = true;
}

static void add_with_array(struct work *work, uint32_t region, uint32_t array, const struct simulator_counters *estimates)
{
	add(work, region, estimates);
	if (array < work->run->nr_arrays)
		add(work, array_below(work, array, region), estimates);
}

/* What one instruction does to the array in the region. NULL: nothing is known of it. */
static struct run_access *access_of(const struct work *work, uint32_t region, uint32_t site, uint32_t array)
{
	uint32_t row = site < work->nr_sites ? work->first_access[site] : 0;

	for (; row; row = work->next_access[row - 1]) {
		struct run_access *access = &work->run->accesses[row - 1];

		if (access->region == region && (access->array == array || (array >= work->run->nr_arrays && access->array == RUN_ARRAY_NONE)))
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

/* Parallel regions and serial stretches make up the phase, which is region 0. */
static bool is_part_of_phase(const struct run_region *region)
{
	return region->parent == MS_REGION_USER && (region->kind == MS_PARALLEL_REGION || region->kind == MS_SERIAL_REGION);
}

static double accesses_in(const struct simulator_counters *counters)
{
	return (double)counters->reads + (double)counters->writes;
}

/* The begin of it is kept alone. */
static bool is_cut(const struct work *work, size_t execution)
{
	return kept_execution(work->kept, execution)->lost > 0 || kept_execution(work->kept, execution)->nr_bursts;
}

/* Executions of the phase that one in the record is: short ones are kept as a group. */
static uint32_t phases_of(const struct work *work, size_t execution)
{
	uint32_t phases = kept_execution(work->kept, execution)->phases;

	return phases > 1 ? phases : 1;
}

/*
 * Whether an execution counts rather than an earlier one: a whole one, and the smaller group, as the number of short executions in a group is
 * another in each run; else the later one.
 */
static bool is_better(const struct work *work, size_t execution, size_t earlier)
{
	if (is_cut(work, execution) != is_cut(work, earlier))
		return is_cut(work, earlier);
	return phases_of(work, execution) <= phases_of(work, earlier);
}

static void note_last(struct work *work, uint32_t region)
{
	const struct kept_execution *of = kept_execution(work->kept, work->execution);
	size_t last = work->last[region];

	if (of->nr_bursts && !(work->recorded[region] > 0) && !(burst_times(&work->burst_times, of, region) > 0))
		return;                          /* what is there is of no use */
	if (!last || is_better(work, work->execution, last - 1))
		work->last[region] = work->execution + 1;
}

/* Of all threads in one execution of the phase. */
static void note_recorded(struct work *work)
{
	for (size_t i = 0; i < work->run->nr_measurements; i++) {
		const struct run_measurement *of = &work->run->measurements[i];

		if (of->row.region < work->nr_regions && (of->row.metric == MS_METRIC_READS || of->row.metric == MS_METRIC_WRITES) && of->phases)
			work->recorded[of->row.region] += of->row.stat.sum / (double)of->phases;
	}
}

/*
 * What is simulated of a region times this is one execution of the phase: of executions of which the begin is kept, as far as is known;
 * of what is kept, where there was no time for all of that; of groups of executions; and of bursts.
 */
static double times_of(const struct work *work, uint32_t region)
{
	double kept_times = (work->portions ? portions_times(work->portions, region) : 1) / phases_of(work, work->execution), kept = work->accesses[region] * kept_times;
	const struct kept_execution *of = kept_execution(work->kept, work->execution);
	double bursts = of->nr_bursts ? burst_times(&work->burst_times, of, region) : 0;

	if (bursts > 0 && !(work->recorded[region] > 0))
		return kept_times * bursts;
	return is_cut(work, work->execution) && kept > 0 && work->recorded[region] > kept ? work->recorded[region] / work->accesses[region] : kept_times;
}

/* As counters have it a construct has what is inside of it, too; so has each loop around the instruction, as far as these are known. */
static void add_everywhere(struct work *work, uint32_t region, const struct simulation_key *key, const struct simulator_counters *estimates)
{
	const struct run *run = work->run;
	struct run_access *access;
	struct simulator_counters mean;
	struct run_misses misses;
	uint32_t site;

	kept_site(work->kept, key->site, &site);
	access = access_of(work, region, site, key->array);
	add_with_array(work, region, key->array, estimates);
	for (uint32_t outer = region; outer < run->nr_regions && outer != MS_REGION_USER; outer = run->regions[outer].parent) {
		if (outer != region)
			add(work, outer, estimates);
		if (is_part_of_phase(&run->regions[outer]))
			add(work, MS_REGION_USER, estimates);
	}
	if (!access)
		return;
	for (uint32_t loop = access->loop; loop < run->nr_regions && run->regions[loop].kind == MS_LOOP_REGION; loop = run->regions[loop].parent)
		add_with_array(work, loop, key->array, estimates);
	mean = simulation_mean(estimates, work->replicates);
	misses = simulation_misses(work->model, &mean);
	add_misses(&access->misses, &misses);
}

static bool counts_now(const struct work *work, uint32_t region)
{
	return region != MS_REGION_NONE && work->last[region] == work->execution + 1;
}

/* Accesses are the same in all estimates. */
static void note_slot(void *ctx, const struct simulation_key *key, const struct simulator_counters *estimates, uint32_t replicates)
{
	struct work *work = ctx;
	uint32_t region = region_of(work, key->region);

	work->replicates = replicates;
	if (counts_now(work, region))
		work->accesses[region] += accesses_in(estimates);
}

static void count_slot(void *ctx, const struct simulation_key *key, const struct simulator_counters *estimates, uint32_t replicates)
{
	struct work *work = ctx;
	uint32_t region = region_of(work, key->region);
	struct simulator_counters all[SIMULATOR_REPLICATES];

	if (!counts_now(work, region))
		return;
	for (uint32_t i = 0; i < replicates; i++) {
		all[i] = estimates[i];
		simulation_scale(&all[i], times_of(work, region));
	}
	work->simulated += accesses_in(estimates);
	work->stand_for += accesses_in(all) * phases_of(work, work->execution);
	add_everywhere(work, region, key, all);
}

/* ------------------------------------------------------------------ into the run */

static void put(struct work *work, uint32_t region, uint32_t thread, enum ms_metric metric, const struct ms_stat *stat)
{
	struct run *run = work->run;
	struct run_measurement row = { .row = { .region = region, .thread = thread, .metric = metric, .stat = *stat }, .phases = 1, .observed_ns = work->wall_ns };

	if (work->one_in > 1 && simulation_needs_addresses(metric))
		return;
	if (ARENA_GROW(work->arena, run->measurements, run->nr_measurements, run->room_measurements))
		run->measurements[run->nr_measurements++] = row;
	else
		work->failed = true;
}

static void put_sum(struct work *work, uint32_t region, uint32_t thread)
{
	enum ms_metric metrics[SIMULATION_VALUES];
	double values[SIMULATOR_REPLICATES][SIMULATION_VALUES], of[SIMULATOR_REPLICATES];
	size_t nr = 0;

	for (uint32_t i = 0; i < work->replicates; i++)
		nr = simulation_values(work->model, work->one_in > 1, &work->sums[region].estimates[i], metrics, values[i]);
	for (size_t at = 0; at < nr; at++) {
		struct ms_stat stat;

		for (uint32_t i = 0; i < work->replicates; i++)
			of[i] = values[i][at];
		stat = simulation_stat(of, work->replicates);
		put(work, region, thread, metrics[at], &stat);
	}
}

static void put_sums(struct work *work, uint32_t thread)
{
	for (uint32_t region = 0; region < work->nr_sums; region++) {
		if (work->sums[region].any)
			put_sum(work, region, thread);
		work->sums[region] = (struct sum){ .any = false };
	}
}

/* Of all regions: accesses to some lines alone were recorded. */
static void put_missing(struct work *work)
{
	struct run *run = work->run;

	for (uint32_t metric = 0; work->one_in > 1 && metric < MS_METRICS; metric++) {
		if (!simulation_needs_addresses(metric))
			continue;
		if (ARENA_GROW(work->arena, run->missing, run->nr_missing, run->room_missing))
			run->missing[run->nr_missing++] = (struct run_missing){ .region = MS_REGION_NONE, .metric = metric, .why = MS_MISSING_FEW_LINES };
		else
			work->failed = true;
	}
}

/* A core's counters are the first thread's that ran on it. */
typedef void visit_slot(void *ctx, const struct simulation_key *key, const struct simulator_counters *counters, uint32_t replicates);

static void each_core(struct work *work, visit_slot *visit, void (*after)(struct work *work, uint32_t thread))
{
	bool done[SIMULATOR_MAX_THREADS] = { false };
	uint32_t core;

	for (uint32_t thread = 0; thread < work->streams->threads; thread++) {
		if (!simulation_core(work->simulation, thread, &core) || done[core])
			continue;
		done[core] = true;
		simulation_each(work->simulation, core, visit, work);
		if (after)
			after(work, thread);
	}
}

static void collect(struct work *work)
{
	each_core(work, note_slot, NULL);
	each_core(work, count_slot, put_sums);
}

static void forget_modelled(struct run *run)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->nr_measurements; i++)
		if (ms_metric_info(run->measurements[i].row.metric)->sensor != MS_SENSOR_SIMULATED)
			run->measurements[kept++] = run->measurements[i];
	run->nr_measurements = kept;
	for (size_t i = 0; i < run->nr_accesses; i++)
		run->accesses[i].misses = (struct run_misses){ 0 };
	kept = 0;
	for (size_t i = 0; i < run->nr_missing; i++)
		if (ms_metric_info(run->missing[i].metric)->sensor != MS_SENSOR_SIMULATED)
			run->missing[kept++] = run->missing[i];
	run->nr_missing = kept;
}

/* Whether what was simulated of a region is what was recorded of it in executions of the phase. */
static bool is_region_whole(const struct work *work, size_t region)
{
	return fabs(work->accesses[region] - work->recorded[region]) <= WHOLE * work->recorded[region];
}

/* That counts for all of the phase; SIZE_MAX: none does. */
static size_t best_execution(const struct work *work)
{
	size_t best = SIZE_MAX;

	for (size_t i = 0; i < kept_executions(work->kept); i++)
		if (best == SIZE_MAX || is_better(work, i, best))
			best = i;
	return best;
}

/* Of the regions that were recorded in executions of the phase; others are not part of most of these, and small ones change nothing. */
static enum run_basis basis_of(const struct work *work, size_t best)
{
	size_t whole = 0;
	double all = 0;
	bool any = false;

	if (work->late || (work->portions && !portions_are_whole(work->portions)) || best == SIZE_MAX)
		return RUN_BASIS_MIXED;
	for (size_t i = 0; i < kept_executions(work->kept); i++)
		whole += !is_cut(work, i);
	for (size_t i = 0; i < work->nr_regions; i++)
		all += ms_region_kind_is_part(work->run->regions[i].kind) ? 0 : work->recorded[i];
	for (size_t i = 0; i < work->nr_regions; i++) {
		if (!work->last[i] || !(work->recorded[i] > SMALL * all))
			continue;
		if (work->last[i] != best + 1 || (is_cut(work, best) && !is_region_whole(work, i)))
			return RUN_BASIS_MIXED;
		any = true;
	}
	if (!any)
		return RUN_BASIS_MIXED;
	if (is_cut(work, best))
		return RUN_BASIS_BURSTS;
	return whole > 1 ? RUN_BASIS_STEADY : RUN_BASIS_ONE;
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
	out->pages = work->placement->on_node ? 0 : pages.accessed;
	out->pages_placed = pages.placed;
	placement_describe(work->placement, out);
	out->one_in = work->one_in;
	out->lines_recorded = work->one_in > 1;
	out->basis = basis_of(work, best);
	out->steps = best == SIZE_MAX ? 0 : phases_of(work, best);
	out->begins = work->simulated < 0.999 * work->stand_for ? work->simulated / work->stand_for : 0;
	out->line = out->levels = 0;
	for (unsigned int level = 0; level < sizeof(model->cache) / sizeof(model->cache[0]); level++) {
		if (!model->cache[level].bytes)
			continue;
		out->levels |= 1u << level;
		out->line = model->cache[level].line;
	}
}

/* ------------------------------------------------------------------ executions */

static void note_entry(void *ctx, uint32_t thread, uint32_t region, uint64_t accesses, struct kept_times *times)
{
	struct work *work = ctx;

	region = region_of(work, region);
	if (region != MS_REGION_NONE)
		note_last(work, region);
	if (work->portions)
		portions_note(work->portions, (uint32_t)work->execution, thread, region, accesses, times->nr);
	times->nr = 0;
}

static void choose_times(void *ctx, uint32_t thread, uint32_t region, uint64_t accesses, struct kept_times *times)
{
	struct work *work = ctx;
	struct portion portion = portions_wanted(work->portions, thread, region_of(work, region), accesses, times->nr);

	*times = (struct kept_times){ portion.skip, portion.times };
}

static double time_left(const struct work *work)
{
	uint64_t now_ns = thread_clock_ns();

	return work->deadline_ns > now_ns ? (double)(work->deadline_ns - now_ns) : 0;
}

/* What it accesses counts for all of the phase. */
static bool is_of_phase(const struct work *work)
{
	return work->execution == best_execution(work) || kept_execution(work->kept, work->execution)->nr_bursts;
}

/* The next execution that is wanted, from the one under way on. */
static bool next_wanted(struct work *work)
{
	while (work->execution < kept_executions(work->kept) && work->how->one && !is_of_phase(work))
		work->execution++;
	return work->execution < kept_executions(work->kept);
}

/* Reading is fast. */
static bool read_all(struct work *work)
{
	if (work->deadline_ns)
		work->portions = portions_new(work->arena, (uint32_t)kept_executions(work->kept), work->streams->threads, (uint32_t)work->nr_regions);
	for (work->execution = 0; next_wanted(work); work->execution++) {
		if (!kept_play(work->kept, work->execution, work->streams, note_entry, work))
			return false;
		simulation_clear(work->simulation);
	}
	if (work->portions)
		portions_limit(work->portions, (uint64_t)(TO_FILL * time_left(work) / ACCESS_NS));
	return true;
}

/* False: it cannot be read. */
static bool load(struct work *work)
{
	bool loaded;

	if (work->portions)
		portions_begin(work->portions, (uint32_t)work->execution, work->counting);
	loaded = kept_play(work->kept, work->execution, work->streams, work->portions ? choose_times : NULL, work);
	work->words_loaded = simulation_words_left(work->simulation);
	return loaded;
}

/* Each execution is simulated twice, and counts as it is in the record, however much of it is wanted. */
static bool tell_progress(void *ctx)
{
	struct work *work = ctx;
	uint64_t now_ns = thread_clock_ns();
	double of_execution = (double)kept_execution(work->kept, work->execution)->words;

	if (now_ns - work->told_ns < PROGRESS_NS || !work->words_loaded)
		return true;
	work->told_ns = now_ns;
	of_execution *= 1 - (double)simulation_words_left(work->simulation) / (double)work->words_loaded;
	work->how->progress(work->how->ctx, (work->words_done + of_execution) / (2 * work->words_there));
	return true;
}

static void execution_done(struct work *work)
{
	work->words_done += (double)kept_execution(work->kept, work->execution)->words;
	simulation_clear(work->simulation);
}

/* Till then; what is left is not in the caches when counting begins. */
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
		execution_done(work);
	}
	return true;
}

static void limit_counting(struct work *work, double took_ns)
{
	double part = work->to_fill > 0 ? work->filled / work->to_fill : 1, times = took_ns > 0 ? TO_COUNT * time_left(work) / took_ns : 1;

	if (work->portions && part * times < 1)
		portions_limit(work->portions, (uint64_t)((double)portions_all(work->portions) * part * times));
}

static bool count(struct work *work, struct simulate_result *result)
{
	struct simulation_order order;

	if (!load(work)) {
		result->status = SIMULATE_DAMAGED;
		return false;
	}
	if (!simulation_run(work->simulation, work->latest_ns)) {
		result->status = SIMULATE_LATE;
		return false;
	}
	collect(work);
	if (work->how->pages && is_of_phase(work))
		work->failed |= !page_uses_add(work->how->pages, work->arena, work->simulation, work->model->nodes, work->model->page);
	order = simulation_order(work->simulation);
	result->lost_accesses += order.lost_accesses + kept_execution(work->kept, work->execution)->lost;
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
	work->latest_ns = work->deadline_ns ? work->deadline_ns + OVERTIME * (uint64_t)time_left(work) : 0;
	if (!fill(work, work->deadline_ns ? begin_ns + (uint64_t)(TO_FILL * time_left(work)) : 0)) {
		result->status = SIMULATE_DAMAGED;
		return false;
	}
	limit_counting(work, (double)(thread_clock_ns() - begin_ns));
	work->counting = true;
	for (work->execution = 0; next_wanted(work); work->execution++)
		if (!count(work, result))
			return false;
	return true;
}

static bool index_accesses(struct work *work)
{
	struct run *run = work->run;

	for (size_t i = 0; i < run->nr_accesses; i++)
		if (run->accesses[i].site >= work->nr_sites && run->accesses[i].site < UINT32_MAX / 2)
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

	return parts | (work->how->pages && work->model->nodes > 1 ? SIMULATE_PAGES : 0);
}

static bool begin(struct work *work, const struct simulate_result *result, uint64_t words)
{
	const struct placement *placement = work->placement;
	const struct simulation_places places = {
		.at = place_at, .narrow = narrow, .ctx = work, .toucher = toucher_of, .stack_end = kept_execution(work->kept, 0)->stack_end,
		.cores = placement->cores, .on_node = placement->on_node, .node = placement->node, .homes = placement->homes, .nr_homes = placement->nr_homes,
		.layouts = placement->layouts, .nr_layouts = placement->nr_layouts,
	};

	work->last = arena_alloc(work->arena, (work->run->nr_regions + 1) * sizeof(*work->last));
	work->streams = trace_streams_to_play(result->threads, words);
	work->accesses = arena_alloc(work->arena, (work->run->nr_regions + 1) * sizeof(*work->accesses));
	work->recorded = arena_alloc(work->arena, (work->run->nr_regions + 1) * sizeof(*work->recorded));
	if (!burst_times_init(&work->burst_times, work->arena, work->run) || !find_touchers(work))
		return false;
	if (!work->last || !work->accesses || !work->recorded || !work->streams || !index_accesses(work))
		return false;
	note_recorded(work);
	for (uint32_t i = 0; i < result->threads; i++)
		trace_stream_begin(work->streams, i);
	work->simulation = simulation_new(work->model, work->streams, parts_of(work), &places);
	work->replicates = 1;
	if (!work->simulation || (work->one_in > 1 && !simulation_sample(work->simulation, work->one_in)) || !simulation_use_threads(work->simulation, work->how->jobs))
		return false;
	for (size_t i = 0; i < kept_executions(work->kept); i++)
		work->words_there += (double)kept_execution(work->kept, i)->words;
	if (work->how->progress)
		simulation_between(work->simulation, tell_progress, work);
	return true;
}

static void measure(const struct kept *kept, struct simulate_result *result, uint64_t *words_out)
{
	*words_out = 0;
	result->one_in = 1;
	for (size_t i = 0; i < kept_executions(kept); i++) {
		const struct kept_execution *of = kept_execution(kept, i);

		result->threads = of->threads > result->threads ? of->threads : result->threads;
		*words_out = of->words > *words_out ? of->words : *words_out;
		result->one_in = of->one_in > result->one_in ? of->one_in : result->one_in;
	}
}

uint32_t simulate_threads(const struct kept *kept)
{
	struct simulate_result result = { 0 };
	uint64_t words;

	measure(kept, &result, &words);
	return result.threads;
}

struct simulate_result simulate(struct arena *arena, struct run *run, struct kept *kept, const struct machine_model *model, const struct placement *placement,
				const struct simulate_how *how)
{
	struct machine_model placed = placement_model(placement, model);
	struct work work = { .arena = arena, .run = run, .kept = kept, .model = &placed, .placement = placement, .how = how, .deadline_ns = how->deadline_ns,
			     .nr_regions = run->nr_regions };
	struct simulate_result result = { .status = SIMULATE_DONE };
	uint64_t words;

	measure(kept, &result, &words);
	work.one_in = result.one_in;
	work.wall_ns = run->phase.executions ? run->phase.wall_ns / (double)run->phase.executions : run->cost.program_wall_ns;
	if (!kept_executions(kept) || !result.threads || words > UINT32_MAX)
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
		if (play_all(&work, &result))
			describe(&work);
		else
			forget_modelled(run);
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
