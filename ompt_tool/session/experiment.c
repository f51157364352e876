/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures one execution of the phase: passes requests to the sensors, and adds the rows that they
 * measured to a database.
 */
#include "ompt_tool/session/experiment.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "ompt_tool/arrays/heap_cost.h"
#include "ompt_tool/session/first_touch_rows.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/events/fold.h"
#include "ompt_tool/locks/lock_releases.h"
#include "ompt_tool/locks/pthread_mutexes.h"
#include "ompt_tool/measurements/segment.h"
#include "ompt_tool/process/run_modules.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/process/thread_times.h"
#include "ompt_tool/session/harvest.h"
#include "ompt_tool/session/intervals.h"
#include "ompt_tool/session/sensors.h"

/* CPU time of the tool: all, in callbacks alone, and in hooks of allocations. */
struct tool_cost {
	double ns, callback_ns, heap_ns;
};

/* One thread's values in the current execution, for the rows of region 0 (the whole phase). */
struct share {
	/* of this execution; gauges: the latest value. NULL: no value in the block */
	struct ms_stat *sums[MS_METRIC_BLOCKS];
	struct tool_cost tool; /* up to the last fold */
	uint64_t teams;        /* number of teams it had joined by then */
	bool active;
};

/*
 * Mean number of threads of an execution, weighted by wall time: `first` + extra_ns / wall_ns, so
 * that a constant number is exact.
 */
struct mean_threads {
	double wall_ns, extra_ns;
	uint32_t first;
};

struct experiment {
	struct arena *arena;
	struct segment *segment;
	struct run *run; /* for its modules */
	struct touching *touching;
	struct share *shares; /* by thread index */
	size_t nr_shares, room_shares;
	uint32_t threads; /* maximum of one execution or stretch */
	uint32_t joined;  /* that began to take part in a region between the last two folds */
	/* of the phase, while its wall time was under observation */
	struct mean_threads mean;
	bool counting;
	bool by_threads; /* a database has executions of one number of threads */
	double wall_ns;  /* of the executions that ended last */
	uint32_t asked;  /* sensors, one bit each */
	double heap_ns;  /* lost to hooks of allocations in the last execution */
	/* the usual cost of a fold; of the last one without recorded accesses */
	double fold_ns, last_fold_ns;
	double boundary_ns; /* duration of the last one */
	bool inside;        /* the last boundary lay inside a parallel region */
	/* and there the requests changed, or earlier values were discarded */
	bool settling;
	uint32_t registered; /* number of regions already added to the database below */
	const struct database *registered_in;
	struct database *db; /* target of the current fold; NULL: discard the rows */
};

struct experiment *experiment_new(struct arena *arena, struct segment *segment, struct run *run,
				  const struct inventory *inventory)
{
	struct experiment *experiment = arena_alloc(arena, sizeof(*experiment));
	struct touching *touching = touching_new(arena, segment_regions(segment), inventory);

	if (experiment && touching) {
		experiment->arena = arena;
		experiment->segment = segment;
		experiment->run = run;
		experiment->touching = touching;
	}
	return touching ? experiment : NULL;
}

void experiment_by_threads(struct experiment *experiment)
{
	experiment->by_threads = true;
}

/* ------------------------------------------------------------------ requests */

/* Kinds of the regions directly below region 0 that cover it, once: see is_of_user_region. */
#define PARTS_OF_USER_REGION (1u << MS_PARALLEL_REGION | 1u << MS_SERIAL_REGION)

static bool is_part_of_user_region(const struct region *region)
{
	return region->id != MS_REGION_USER && region->parent == MS_REGION_USER &&
	       (PARTS_OF_USER_REGION >> region->kind & 1);
}

/* A metric of region 0 is the sum over its parts: requests it there. */
static uint32_t ask_below_user_region(struct region_table *table, const struct ms_request *requests,
				      size_t nr)
{
	struct region *user = region_table_at(table, MS_REGION_USER);
	uint32_t sensors_asked = 0;

	for (size_t i = 0; i < nr; i++)
		if (requests[i].region == MS_REGION_USER)
			sensors_asked |= 1u << ms_metric_info(requests[i].metric)->sensor;
	for (uint32_t id = 1; sensors_asked && id < region_table_count(table); id++) {
		struct region *region = region_table_at(table, id);

		if (is_part_of_user_region(region))
			__atomic_fetch_or(&region->requests, sensors_asked, __ATOMIC_RELAXED);
	}
	for (int sensor = 0; sensor < MS_SENSORS; sensor++)
		if (sensors_asked >> sensor & 1)
			__atomic_fetch_or(&user->subregion_kinds[sensor], PARTS_OF_USER_REGION,
					  __ATOMIC_RELAXED);
	return sensors_asked;
}

static bool is_requested(const struct segment *segment, const struct ms_request *requests,
			 size_t nr)
{
	const struct ms_request *now;
	size_t nr_now = segment_requests(segment, &now);

	return nr_now == nr && (!nr || !memcmp(now, requests, nr * sizeof(*now)));
}

static bool wants_locks(const struct ms_request *requests, size_t nr)
{
	bool wants = false;

	for (size_t i = 0; i < nr; i++)
		wants |= ms_metric_is_of_locks(requests[i].metric);
	return wants;
}

void experiment_request(struct experiment *experiment, const struct ms_request *requests, size_t nr)
{
	struct region_table *table = segment_regions(experiment->segment);
	uint32_t asked;

	experiment->counting = false;
	for (size_t i = 0; i < nr; i++)
		experiment->counting |= requests[i].region == MS_REGION_USER &&
					ms_metric_info(requests[i].metric)->sensor ==
						MS_SENSOR_CLOCK;
	experiment->settling |= experiment->inside &&
				!is_requested(experiment->segment, requests, nr);
	sensors_select(requests, nr);
	segment_requests_set(experiment->segment, requests, nr);
	asked = segment_requests_apply(experiment->segment);
	asked |= ask_below_user_region(table, requests, nr);
	experiment->asked = asked;
	experiment->settling |= sensors_requested(asked);
	sensors_leave_out(experiment->settling, experiment->inside);
	events_request(sensors_at_work(asked), wants_locks(requests, nr));
}

/* ---------------------------------------------------------------------- fold */

static struct share *share_of(struct experiment *experiment, uint32_t thread)
{
	while (experiment->nr_shares <= thread) {
		if (!ARENA_GROW(experiment->arena, experiment->shares, experiment->nr_shares,
				experiment->room_shares))
			return NULL;
		memset(&experiment->shares[experiment->nr_shares++], 0, sizeof(struct share));
	}
	return &experiment->shares[thread];
}

/*
 * Whether a row is added to region 0. Most values of a region include those of inner regions, so
 * parallel regions and serial stretches cover everything once. Samples and accesses are counted
 * only in the innermost construct; accesses also in its parts.
 */
static bool is_of_user_region(const struct region *region, uint32_t metric)
{
	if (ms_metric_info(metric)->sensor == MS_SENSOR_CLOCK || region->id == MS_REGION_USER)
		return false;
	if (ms_metric_info(metric)->sensor == MS_SENSOR_LOOPS)
		return false;
	if (ms_metric_info(metric)->sensor == MS_SENSOR_ACCESSES)
		return !ms_region_kind_is_part(region->kind);
	if (metric == MS_METRIC_SAMPLES || metric == MS_METRIC_FAULT_SAMPLES)
		return true;
	return is_part_of_user_region(region);
}

/* NULL: no value of this block so far. */
static struct ms_stat *share_sum(const struct share *share, uint32_t metric)
{
	struct ms_stat *block = share->sums[metric / MS_METRIC_BLOCK];

	return block ? &block[metric % MS_METRIC_BLOCK] : NULL;
}

/* NULL: no memory. */
static struct ms_stat *share_sum_make(struct experiment *experiment, struct share *share,
				      uint32_t metric)
{
	struct ms_stat **block = &share->sums[metric / MS_METRIC_BLOCK];

	if (!*block)
		*block = arena_alloc(experiment->arena, MS_METRIC_BLOCK * sizeof(**block));
	return share_sum(share, metric);
}

/* Adds a row to its thread's sum for region 0. */
static void share_add(struct experiment *experiment, const struct ms_measurement *row)
{
	struct region *region = region_table_at(segment_regions(experiment->segment), row->region);
	struct share *share = share_of(experiment, row->thread);
	bool is_gauge = ms_metric_info(row->metric)->gauge;
	struct ms_stat *sum;

	if (!share || !region)
		return;
	share->active = true;
	if (!is_gauge && !is_of_user_region(region, row->metric))
		return;
	sum = share_sum_make(experiment, share, row->metric);
	if (sum && is_gauge)
		*sum = row->stat;
	else if (sum)
		ms_stat_merge(sum, &row->stat);
}

/* Gauges of region 0 are in its own rows, user_rows, of every execution. */
static bool comes_later(const struct ms_measurement *row)
{
	return row->region == MS_REGION_USER && ms_metric_info(row->metric)->gauge;
}

static void drain(void *ctx, const struct ms_measurement *rows, size_t nr)
{
	struct experiment *experiment = ctx;

	for (size_t i = 0; i < nr; i++) {
		share_add(experiment, &rows[i]);
		touching_note(experiment->touching, &rows[i]);
		if (experiment->db && !comes_later(&rows[i]))
			database_add(experiment->db, &rows[i]);
	}
}

static void emit(void *ctx, const struct ms_measurement *row)
{
	struct experiment *experiment = ctx;

	segment_row(experiment->segment, row, drain, experiment);
}

/* A gauge is emitted once, when it is set; its value holds for all later executions. */
static void share_clear(struct share *share)
{
	for (uint32_t metric = 0; metric < MS_METRICS; metric++) {
		struct ms_stat *sum = share_sum(share, metric);

		if (sum && !ms_metric_info(metric)->gauge)
			*sum = (struct ms_stat){ 0 };
	}
	share->active = false;
}

/* Marks threads that began to take part in a region since the last fold. */
static void shares_teams(struct experiment *experiment)
{
	experiment->joined = 0;
	for (const struct thread *thread = thread_next(NULL); thread;
	     thread = thread_next(thread)) {
		uint64_t teams = __atomic_load_n(&thread->teams, __ATOMIC_RELAXED);
		struct share *share = share_of(experiment, thread->index);

		if (!share)
			continue;
		experiment->joined += teams != share->teams;
		/* values of idle threads may be those of an earlier team, reported late */
		if (experiment->by_threads && thread->index)
			share->active = false;
		share->active |= teams != share->teams;
		share->teams = teams;
	}
}

/*
 * A single fold may include an allocation or a wait for a CPU; the cost of a sensor that is
 * measured alone is not typical of other executions.
 */
static void note_fold_cost(struct experiment *experiment, double ns)
{
	if (experiment_is_alone(experiment))
		return;
	experiment->fold_ns = experiment->last_fold_ns > 0 ? fmin(ns, experiment->last_fold_ns)
							   : ns;
	experiment->last_fold_ns = ns;
}

/* The boundary's work belongs to the execution that ended: charged before new requests are made. */
static void note_boundary(struct experiment *experiment, uint64_t ns)
{
	struct thread *self = events_self();

	experiment->boundary_ns = (double)ns;
	if (self)
		__atomic_store_n(&self->boundary_ns, self->boundary_ns + ns, __ATOMIC_RELAXED);
}

/* What threads still have of an open region. */
enum fold_open {
	FOLD_DROP_OPEN,
	FOLD_DISCARD_NEXT, /* kept, for the next execution, which will be discarded, too */
	FOLD_KEEP_OPEN,
};

/* `db` NULL: discards the rows. */
static void fold(struct experiment *experiment, struct database *db, enum fold_open open,
		 uint64_t executions)
{
	uint64_t begin_ns = thread_clock_ns(), elapsed_ns;

	for (size_t i = 0; i < experiment->nr_shares; i++)
		share_clear(&experiment->shares[i]);
	experiment->db = db;
	experiment->inside = events_part(open != FOLD_DROP_OPEN, (uint32_t)executions);
	experiment->settling = experiment->inside && open != FOLD_KEEP_OPEN;
	sensors_ended((uint32_t)executions);
	events_fold(emit, experiment);
	segment_flush(experiment->segment, drain, experiment);
	touching_rows(experiment->touching, db);
	sensors_leave_out(experiment->settling, experiment->inside);
	experiment->db = NULL;
	shares_teams(experiment);
	elapsed_ns = thread_clock_ns() - begin_ns;
	note_fold_cost(experiment, (double)elapsed_ns);
	note_boundary(experiment, elapsed_ns);
}

static void user_row(struct database *db, uint32_t thread, enum ms_metric metric,
		     const struct ms_stat *stat)
{
	struct ms_measurement row = { .region = MS_REGION_USER,
				      .thread = thread,
				      .metric = metric };

	if (!stat || !stat->count)
		return;
	row.stat = *stat;
	database_add(db, &row);
}

/* Cost of one thread since its begin, without its waits for a CPU at boundaries. */
static struct tool_cost cost_of(const struct thread *thread)
{
	return (struct tool_cost){ (double)thread_tool_ns(thread) -
					   (double)__atomic_load_n(&thread->waited_ns,
								   __ATOMIC_RELAXED),
				   (double)__atomic_load_n(&thread->cost_ns, __ATOMIC_RELAXED),
				   (double)__atomic_load_n(&thread->heap_ns, __ATOMIC_RELAXED) };
}

/* The same since the last fold. */
static struct tool_cost cost_since(struct experiment *experiment, const struct thread *thread)
{
	struct share *share = share_of(experiment, thread->index);
	struct tool_cost now = cost_of(thread), cost;

	if (!share)
		return (struct tool_cost){ 0 };
	cost = (struct tool_cost){ now.ns - share->tool.ns,
				   now.callback_ns - share->tool.callback_ns,
				   now.heap_ns - share->tool.heap_ns };
	share->tool = now;
	return cost;
}

/* The spread within a group is unknown. */
static struct ms_stat wall_time(double wall_ns, uint64_t executions)
{
	double each = wall_ns / (double)executions;

	return (struct ms_stat){ .count = executions,
				 .sum = wall_ns,
				 .min = each,
				 .max = each,
				 .sum_squares = wall_ns * each };
}

static void user_rows(struct experiment *experiment, struct database *db, double wall_ns,
		      uint64_t executions)
{
	struct ms_stat wall = wall_time(wall_ns, executions);

	user_row(db, 0, MS_METRIC_WALL_TIME, &wall);
	for (uint32_t thread = 0; thread < experiment->nr_shares; thread++) {
		const struct share *share = &experiment->shares[thread];

		if (experiment->by_threads && !share->active)
			continue; /* its gauges are of executions with more threads */
		for (unsigned int metric = 0; metric < MS_METRICS; metric++)
			user_row(db, thread, metric, share_sum(share, metric));
	}
}

/* Counts threads with a value, or that began to take part in a region: independent of requests. */
static uint32_t count_threads(struct experiment *experiment)
{
	uint32_t active = 0;

	for (size_t i = 0; i < experiment->nr_shares; i++)
		active += experiment->shares[i].active;
	active = active ? active : 1;
	if (active > experiment->threads)
		experiment->threads = active;
	return active;
}

static double mean_threads(struct experiment *experiment, uint32_t active, double wall_ns)
{
	struct mean_threads *mean = &experiment->mean;

	if (experiment->by_threads)
		return active;
	if (experiment->counting && wall_ns > 0) {
		mean->first = mean->wall_ns > 0 ? mean->first : active;
		mean->wall_ns += wall_ns;
		mean->extra_ns += wall_ns * ((double)active - mean->first);
	}
	return mean->wall_ns > 0 ? mean->first + mean->extra_ns / mean->wall_ns : active;
}

/*
 * Time that the program loses to callbacks: within a team the thread with most, because the others
 * wait for it; in addition threads that are created anew, whose creator waits until they have begun
 * and ended; with more threads than CPUs, each CPU's share of the sum. The same of the hooks of
 * allocations. Work between executions is added.
 */
struct loss {
	struct loss_part {
		double own_ns, created_ns, all_ns;
	} callbacks, heap;
	double between_ns;
};

static void add_part(struct loss_part *part, const struct thread *thread, double ns)
{
	double *most_ns = thread->successor ? &part->created_ns : &part->own_ns;

	*most_ns = fmax(*most_ns, ns);
	part->all_ns += ns;
}

static void add_loss(struct loss *loss, const struct thread *thread, struct tool_cost cost)
{
	add_part(&loss->callbacks, thread, cost.callback_ns);
	add_part(&loss->heap, thread, cost.heap_ns);
	loss->between_ns = fmax(loss->between_ns, cost.ns - cost.callback_ns - cost.heap_ns);
}

static double lost_part(const struct loss_part *part, const struct machine *machine)
{
	return fmax(part->own_ns + part->created_ns,
		    machine->cpus ? part->all_ns / machine->cpus : 0);
}

static struct tool_cost lost(const struct loss *loss, const struct machine *machine)
{
	double callback_ns = lost_part(&loss->callbacks, machine),
	       heap_ns = lost_part(&loss->heap, machine);

	return (struct tool_cost){ callback_ns + heap_ns + loss->between_ns, callback_ns, heap_ns };
}

/* Adds tool_time of every thread. Returns the cost of the execution. */
static struct tool_cost tool_rows(struct experiment *experiment, struct database *db)
{
	struct loss loss = { 0 };

	for (const struct thread *thread = thread_next(NULL); thread;
	     thread = thread_next(thread)) {
		struct tool_cost cost = cost_since(experiment, thread);
		struct ms_stat stat = { 0 };

		if (thread->index >= experiment->nr_shares ||
		    (!experiment->shares[thread->index].active && thread->index))
			continue;
		ms_stat_add(&stat, cost.ns);
		if (db)
			user_row(db, thread->index, MS_METRIC_TOOL_TIME, &stat);
		add_loss(&loss, thread, cost);
	}
	return lost(&loss, &experiment->run->machine);
}

static struct tool_cost lost_so_far(const struct experiment *experiment)
{
	struct loss loss = { 0 };

	for (const struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread))
		add_loss(&loss, thread, cost_of(thread));
	loss.heap.all_ns += (double)heap_cost_elsewhere_ns();
	return lost(&loss, &experiment->run->machine);
}

double experiment_lost_ns(const struct experiment *experiment)
{
	return lost_so_far(experiment).ns;
}

double experiment_lost_to_heap_ns(const struct experiment *experiment)
{
	return lost_so_far(experiment).heap_ns;
}

void experiment_skip(struct experiment *experiment, bool keep_open)
{
	sensors_left_out();
	fold(experiment, NULL, keep_open ? FOLD_KEEP_OPEN : FOLD_DROP_OPEN, 1);
	tool_rows(experiment, NULL);
}

double experiment_between_ns(struct experiment *experiment)
{
	return tool_rows(experiment, NULL).ns;
}

/*
 * Callbacks and hooks of allocations are part of the execution's wall time, but not of the program's
 * own time. No request changes the cost of the hooks: it is not that of the execution's requests.
 */
static void note_cost(struct experiment *experiment, struct engine_cost *cost, double wall_ns,
		      uint64_t executions, struct tool_cost tool)
{
	double program_ns = fmax(0, wall_ns - tool.callback_ns - tool.heap_ns),
	       tool_ns = tool.ns - tool.heap_ns;

	experiment->heap_ns = tool.heap_ns;
	*cost = (struct engine_cost){ .executions = executions,
				      .program_ns = program_ns,
				      .tool_ns = tool_ns,
				      .between_ns = fmax(0, tool_ns - tool.callback_ns) };
	for (unsigned int id = 0; id < MS_SENSORS; id++)
		cost->per_sensor_ns[id] = NAN;
	cost->stopped_early = !sensors_price(experiment->asked, tool.callback_ns,
					     cost->per_sensor_ns);
}

void experiment_settle(struct experiment *experiment, double wall_ns, uint64_t executions,
		       bool next, struct engine_cost *cost_out)
{
	bool passed = experiment->settling;

	if (passed)
		sensors_left_out();
	fold(experiment, NULL, next ? FOLD_DISCARD_NEXT : FOLD_KEEP_OPEN, executions);
	note_cost(experiment, cost_out, wall_ns, executions, tool_rows(experiment, NULL));
	for (unsigned int id = 0; passed && id < MS_SENSORS; id++)
		cost_out->per_sensor_ns[id] = NAN;
}

void experiment_restart(struct experiment *experiment)
{
	experiment_skip(experiment, false);
	experiment->mean = (struct mean_threads){ 0 };
}

/* Of region 0, over all threads, in the executions that end. */
static double user_sum(void *ctx, uint32_t metric)
{
	const struct experiment *experiment = ctx;
	double sum = 0;

	for (size_t i = 0; i < experiment->nr_shares; i++) {
		const struct ms_stat *stat = share_sum(&experiment->shares[i], metric);

		sum += stat ? stat->sum : 0;
	}
	return metric == MS_METRIC_WALL_TIME ? experiment->wall_ns : sum;
}

static void end_execution(struct experiment *experiment, struct database *db, double wall_ns,
			  uint64_t executions, struct engine_cost *cost_out)
{
	experiment_regions(experiment, db);
	database_execution_begin(db);
	fold(experiment, db, FOLD_KEEP_OPEN, executions);
	user_rows(experiment, db, wall_ns, executions);
	note_cost(experiment, cost_out, wall_ns, executions, tool_rows(experiment, db));
	experiment->wall_ns = wall_ns;
	intervals_apply(db, executions, user_sum, experiment);
	database_execution_end(db, wall_ns, executions);
}

void experiment_execution(struct experiment *experiment, struct database *db, double wall_ns,
			  uint64_t executions, struct engine_cost *cost_out)
{
	end_execution(experiment, db, wall_ns, executions, cost_out);
	database_constant(db, "phase_threads",
			  mean_threads(experiment, count_threads(experiment), wall_ns));
}

void experiment_stretch(struct experiment *experiment, struct database *db, double wall_ns,
			struct engine_cost *cost_out)
{
	end_execution(experiment, db, wall_ns, 1, cost_out);
	count_threads(experiment);
	database_constant(db, "phase_threads", experiment->threads);
}

static void register_region(struct experiment *experiment, struct database *db,
			    const struct region *region)
{
	struct ms_region_info parent = { 0 };
	struct ms_region_info info = { .id = region->id,
				       .parent = region->parent,
				       .kind = (enum ms_region_kind)region->kind };

	if (region->id != MS_REGION_USER && database_region_info(db, region->parent, &parent))
		info.key = harvest_region_key(experiment->run, region, parent.key);
	database_region(db, &info);
	intervals_region(experiment->run, region);
}

void experiment_regions(struct experiment *experiment, struct database *db)
{
	struct region_table *table = segment_regions(experiment->segment);
	uint32_t nr = region_table_count(table);

	if (experiment->registered_in != db) {
		experiment->registered_in = db;
		experiment->registered = 0;
	}
	if (experiment->registered < nr) {
		run_modules_update(experiment->run, experiment->arena);
		lock_releases_follow();
		pthread_mutexes_follow();
	}
	for (; experiment->registered < nr; experiment->registered++)
		register_region(experiment, db, region_table_at(table, experiment->registered));
}

bool experiment_settling(const struct experiment *experiment)
{
	return experiment->settling;
}

uint32_t experiment_threads(const struct experiment *experiment)
{
	return experiment->threads;
}

uint32_t experiment_joined(const struct experiment *experiment)
{
	return experiment->joined;
}

bool experiment_is_inside(const struct experiment *experiment)
{
	return experiment->inside;
}

bool experiment_is_alone(const struct experiment *experiment)
{
	return sensors_are_measured_alone(experiment->asked);
}

double experiment_fold_ns(const struct experiment *experiment)
{
	return experiment->fold_ns;
}

double experiment_heap_ns(const struct experiment *experiment)
{
	return experiment->heap_ns;
}

double experiment_tool_cpu_ns(const struct experiment *experiment)
{
	double total = 0;

	(void)experiment;
	for (const struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread))
		total += fmax(0, cost_of(thread).ns - cost_of(thread).heap_ns);
	return total;
}

double experiment_heap_cpu_ns(const struct experiment *experiment)
{
	double total = (double)heap_cost_elsewhere_ns();

	(void)experiment;
	for (const struct thread *thread = thread_next(NULL); thread; thread = thread_next(thread))
		total += cost_of(thread).heap_ns;
	return total;
}
