/* SPDX-License-Identifier: Apache-2.0 */
/* Sensor: cache misses and the like of a modelled machine. */
#include "ompt_tool/accesses/simulated.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/hash.h"
#include "analysis/base/memory_left.h"
#include "analysis/base/reserve.h"
#include "analysis/simulation/values.h"
#include "analysis/trace/page_touches.h"
#include "memsearch/sensor.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/loop_regions.h"
#include "ompt_tool/accesses/pace.h"
#include "ompt_tool/accesses/site_misses.h"
#include "ompt_tool/accesses/tracing.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/clones/record.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/regions/region_table.h"


#define SUMS 16384                       /* regions, loops and data structures that one thread accessed in one execution; a power of two */

struct sum { uint32_t region; struct simulator_counters estimates[SIMULATOR_REPLICATES]; };      /* region: + 1, 0: free */

static struct {
	struct region_table *regions;
	const struct machine_model *model;
	bool named;                      /* somebody wants one simulated */
	bool real_addresses;
	const char *why;
	struct simulation *simulation;
	bool on, warming, warm, gave_up, ran;    /* on, warming: atomic */
	uint32_t one_in;                 /* set sampling; 0: not decided */
	struct simulated_plan plan;
	struct pace pace;                /* of the first execution */
	double left_ns;                  /* of what it allows, at the last fold */
	double would_take_ns;            /* cost of all of the simulation stopped last */
	uint32_t replicates;             /* of `sums` */
	struct simulation_order order;
	struct site_misses *sites;
	struct sum *sums;
	uint32_t nr_sums, sum_at[SUMS / 2];      /* those in use */
} simulated;

void simulated_configure(struct region_table *regions, bool named, const struct machine_model *model, const char *why, bool real_addresses)
{
	simulated.regions = regions;
	simulated.named = named;
	simulated.model = model;
	simulated.why = why;
	simulated.real_addresses = real_addresses;
}

static uint32_t region_in_trace(uint32_t region)
{
	uint32_t number = region & ~TRACE_SERIAL, nr;
	const uint32_t *serials = tracing_serials(&nr);

	if (region == MS_REGION_NONE || !(region & TRACE_SERIAL))
		return region;
	return number < nr ? serials[number] : MS_REGION_NONE;
}

/* ------------------------------------------------------------------ what regions have of it */

static struct sum *sum_of(uint32_t region)
{
	uint64_t hash = hash_word(region) >> 32;

	for (uint32_t i = 0; i < SUMS; i++) {
		uint32_t at = (uint32_t)(hash + i) % SUMS;

		if (simulated.sums[at].region == region + 1)
			return &simulated.sums[at];
		if (simulated.sums[at].region)
			continue;
		if (simulated.nr_sums == SUMS / 2)
			return NULL;
		simulated.sum_at[simulated.nr_sums++] = at;
		simulated.sums[at] = (struct sum){ .region = region + 1 };
		return &simulated.sums[at];
	}
	return NULL;
}

/* False: no room. */
static bool add(uint32_t region, const struct simulator_counters *estimates)
{
	struct sum *sum = region == MS_REGION_NONE ? NULL : sum_of(region);

	for (uint32_t i = 0; sum && i < simulated.replicates; i++)
		simulation_add(&sum->estimates[i], &estimates[i]);
	return sum || region == MS_REGION_NONE;
}

static bool add_with_array(uint32_t region, uint32_t array, const struct simulator_counters *estimates)
{
	bool all = add(region, estimates);

	if (array != ARRAY_NONE && region != MS_REGION_NONE)
		all &= add(region_table_get(simulated.regions, MS_DATA_STRUCTURE, (uint64_t)array + 1, region, &(bool){ false }), estimates);
	return all;
}

static uint32_t parent_of(uint32_t id)
{
	const struct region *region = region_table_at(simulated.regions, id);

	return region ? region->parent : MS_REGION_NONE;
}

/*
 * As counters have it a construct has what is inside of it, too: to the construct and those around it, the loops around
 * the site, and the data structure below each.
 */
static bool add_everywhere(uint32_t region, const struct simulation_key *key, const struct simulator_counters *estimates)
{
	struct simulator_counters mean = simulation_mean(estimates, simulated.replicates);
	const struct record_site *site = key->site < record_nr_sites() ? record_site(key->site) : NULL;
	bool all = site_misses_add(simulated.sites, region, key->site, key->array, &mean);

	all &= add_with_array(region, key->array, estimates);
	for (uint32_t outer = parent_of(region); outer != MS_REGION_USER && outer != MS_REGION_NONE; outer = parent_of(outer))
		all &= add(outer, estimates);
	for (uint32_t loop = site ? loop_joined(site->loop) : 0; loop; loop = loop_parent(loop))
		all &= add_with_array(loop_region(simulated.regions, region, loop), key->array, estimates);
	return all;
}

static void add_slot(void *ctx, const struct simulation_key *key, const struct simulator_counters *estimates, uint32_t replicates)
{
	uint32_t region = region_in_trace(key->region);

	(void)ctx;
	simulated.replicates = replicates;
	if (region != MS_REGION_NONE ? !add_everywhere(region, key, estimates) : tracing_is_past_serials(key->region))
		simulated.order.lost_accesses += estimates->reads + estimates->writes;
}

struct emission {
	void (*emit)(void *ctx, const struct ms_measurement *row);
	void *ctx;
	uint32_t thread;
};

static void emit_value(const struct emission *emission, uint32_t region, enum ms_metric metric, const double *values, uint32_t nr)
{
	struct ms_measurement row = { .region = region, .thread = emission->thread, .metric = metric, .stat = simulation_stat(values, nr) };

	emission->emit(emission->ctx, &row);
}

bool simulated_lacks(uint32_t metric) { return simulated.model && simulation_lacks(simulated.model, metric); }

static void emit_sum(const struct emission *emission, const struct sum *sum)
{
	enum ms_metric metrics[SIMULATION_VALUES];
	double values[SIMULATOR_REPLICATES][SIMULATION_VALUES];
	size_t nr = 0;

	for (uint32_t i = 0; i < simulated.replicates; i++)
		nr = simulation_values(simulated.model, simulated.replicates > 1, &sum->estimates[i], metrics, values[i]);
	for (size_t at = 0; at < nr; at++) {
		double of[SIMULATOR_REPLICATES];

		for (uint32_t i = 0; i < simulated.replicates; i++)
			of[i] = values[i][at];
		emit_value(emission, sum->region - 1, metrics[at], of, simulated.replicates);
	}
}

static void forget_sums(void)
{
	for (uint32_t i = 0; i < simulated.nr_sums; i++)
		simulated.sums[simulated.sum_at[i]].region = 0;
	simulated.nr_sums = 0;
}

static void note_order(void)
{
	struct simulation_order order = simulation_order(simulated.simulation);

	simulated.order.early_windows += order.early_windows;
	simulated.order.lost_teams += order.lost_teams;
	simulated.order.lost_accesses += order.lost_accesses;
	simulated.order.lost_lines = order.lost_lines;
}

/* A core's counters are the first thread's that ran on it: teams of different sizes may have put another one there. */
static void emit_all(void (*emit)(void *ctx, const struct ms_measurement *row), void *ctx)
{
	bool done[SIMULATOR_MAX_THREADS] = { false };
	uint32_t core;

	for (const struct thread *of = thread_next(NULL); of; of = thread_next(of)) {
		const struct emission emission = { emit, ctx, of->index };
		if (!simulation_core(simulated.simulation, of->index, &core) || done[core])
			continue;
		done[core] = true;
		simulation_each(simulated.simulation, core, add_slot, NULL);
		for (uint32_t i = 0; i < simulated.nr_sums; i++)
			emit_sum(&emission, &simulated.sums[simulated.sum_at[i]]);
		forget_sums();
	}
}

/*
 * By then all that recording may take is used up, with what the thread has recorded itself. The first execution leaves what is for what comes after; the second
 * one may come later.
 */
static uint64_t deadline(const struct thread *thread)
{
	const struct simulated_plan *plan = &simulated.plan;
	uint64_t left_ns = accesses_left_ns(thread), kept_ns = simulated.warming && plan->sparsest ? (uint64_t)plan->to_come_ns : 0;

	if (left_ns >= UINT64_MAX / 2)
		return 0;
	return thread_clock_ns() + (left_ns > kept_ns ? left_ns - kept_ns : 0);
}

static double left_ns(const struct thread *thread)
{
	uint64_t left = accesses_left_ns(thread);

	return left < UINT64_MAX / 2 ? (double)left : INFINITY;
}

/* Lines as `pace` says, now that so much is left of the first execution. False: there is no room for the second. */
static bool make_room(uint64_t words_left)
{
	uint32_t one_in = pace_look(&simulated.pace, simulated_one_in(), words_left, thread_clock_ns());

	if (one_in > simulated_one_in() && simulation_thin(simulated.simulation, one_in))
		simulated.one_in = one_in;
	return one_in;
}

static bool make_room_between(void *ctx)
{
	(void)ctx;
	return !pace_is_due(&simulated.pace, thread_clock_ns()) || make_room(simulation_words_left(simulated.simulation));
}

/* Of simulating with as many lines as now. */
static double so_far_ns(bool paced, uint64_t begin_ns)
{
	const struct pace *pace = &simulated.pace;
	uint64_t now_ns = thread_clock_ns();

	return paced ? pace->as_now_ns + (double)(now_ns - pace->looked_ns) : (double)(now_ns - begin_ns);
}

/* It will be tried again, with as few lines as may be. `words`: of all of it, of which what was done took so long; NAN: it was not all recorded. */
static void give_up(uint64_t words, double taken_ns)
{
	const struct simulated_plan *plan = &simulated.plan;
	double done = words ? 1 - (double)simulation_words_left(simulated.simulation) / (double)words : 1;
	uint32_t one_in = simulated_one_in();

	simulated.would_take_ns = done >= PACE_TO_TELL ? taken_ns / done : NAN;
	if (plan->sparsest <= one_in || !simulation_thin(simulated.simulation, plan->sparsest))
		return;
	simulated.one_in = plan->sparsest;
	simulated.would_take_ns *= plan->lines_share(plan->sparsest) / plan->lines_share(one_in);
}

/* Simulates what is recorded. False: not all of it, as there was no time, or there is none for the second execution after the first. */
static bool run(const struct thread *thread)
{
	const struct simulated_plan *plan = &simulated.plan;
	double left = left_ns(thread), recorded_ns = simulated.left_ns - left;
	bool paced = simulated.warming && plan->sparsest && isfinite(left), in_time;
	uint64_t begin_ns = thread_clock_ns(), words = simulation_words_left(simulated.simulation);

	simulated.pace = (struct pace){
		.sparsest = plan->sparsest, .lines_share = plan->lines_share, .room_ns = left - plan->to_come_ns - recorded_ns, .spare_ns = plan->spare_ns,
	};
	if (paced)
		pace_begin(&simulated.pace, words, begin_ns);
	simulation_between(simulated.simulation, paced ? make_room_between : NULL, NULL);
	in_time = simulation_run(simulated.simulation, deadline(thread));
	simulated.warm = in_time && left > 0;    /* else it was not all recorded */
	accesses_spend(thread, thread_clock_ns() - begin_ns);
	in_time = in_time && (!paced || make_room(0));
	if (!in_time)
		give_up(words, left > 0 ? so_far_ns(paced, begin_ns) : NAN);
	return in_time;
}

static void forget_execution(void)
{
	simulation_clear(simulated.simulation);
	tracing_forget();
}

/* The rows of all threads, with the initial one's. */
static void fold(struct thread *thread, void (*emit)(void *ctx, const struct ms_measurement *row), void *ctx)
{
	if (thread->index || !simulated.on)
		return;
	simulated.ran = !tracing_is_put_off();
	if (simulated.ran) {
		simulated.gave_up |= !run(thread);
		if (!simulated.gave_up)
			note_order();
		if (!simulated.warming && !simulated.gave_up && !simulated_uncovered())
			emit_all(emit, ctx);
		__atomic_store_n(&simulated.warming, false, __ATOMIC_RELAXED);
	}
	forget_execution();
	simulated.left_ns = left_ns(thread);
}

void simulated_plan(const struct simulated_plan *plan)
{
	simulated.plan = *plan;
	simulated.left_ns = plan->allowed_ns;
}

void simulated_sample(uint32_t one_in)
{
	if (simulated.one_in || !simulated.simulation)
		return;
	simulated.one_in = simulation_sample(simulated.simulation, one_in) ? one_in : 1;
}

uint32_t simulated_one_in(void) { return simulated.one_in ? simulated.one_in : 1; }
bool simulated_has_machine(void) { return simulated.simulation; }
bool simulated_is_on(void) { return simulated.on; }

bool simulated_is_warming(void)
{
	return __atomic_load_n(&simulated.on, __ATOMIC_RELAXED) && __atomic_load_n(&simulated.warming, __ATOMIC_RELAXED);
}

bool simulated_is_warm(void) { return simulated.warm; }
void simulated_begin_anew(void) { simulated.warm = false; }
bool simulated_ran(void) { return simulated.ran; }
bool simulated_gave_up(void) { return simulated.gave_up; }
double simulated_would_take_ns(void) { return simulated.would_take_ns; }
uint32_t simulated_uncovered(void) { return simulated.simulation ? tracing_uncovered() : 0; }
struct simulation_order simulated_order(void) { return simulated.order; }

struct simulator_pages simulated_pages(void)
{
	return simulated.simulation ? simulation_pages(simulated.simulation) : (struct simulator_pages){ 0 };
}

bool simulated_site(uint32_t region, uint32_t site, uint32_t array, struct run_misses *out)
{
	const struct simulator_counters *of = simulated.sites ? site_misses_of(simulated.sites, region, site, array) : NULL;

	if (of)
		*out = simulation_misses(simulated.model, of);
	return of;
}

static void enable(struct thread *thread, bool on)
{
	if (thread->index || !simulated.simulation)
		return;
	if (on)
		simulated_sample(1);             /* unless set otherwise */
	if (on && !simulated.on)
		__atomic_store_n(&simulated.warming, !simulated.warm, __ATOMIC_RELAXED);
	simulated.gave_up &= on;
	__atomic_store_n(&simulated.on, on, __ATOMIC_RELAXED);
	tracing_enable(on);
}

/* ------------------------------------------------------------------ probe */

static bool set_up(void)
{
	simulated.sums = reserve(SUMS * sizeof(*simulated.sums));
	simulated.sites = site_misses_new();
	if (tracing_start(simulated.model->cores, false))
		simulated.simulation = simulation_new(simulated.model, tracing_streams(), SIMULATE_PRIVATE_CLASSES | SIMULATE_UTILISATION, array_places());
	return simulated.sums && simulated.sites && simulated.simulation;
}

static void take_down(void)
{
	reserve_undo(simulated.sums, SUMS * sizeof(*simulated.sums));
	site_misses_free(simulated.sites);
	simulation_free(simulated.simulation);
	tracing_stop();
	simulated.sums = NULL;
	simulated.sites = NULL;
	simulated.simulation = NULL;
}

static const char *start(void)
{
	size_t left = memory_left_to_map().bytes;

	if (!simulated.model && simulated.why)
		return simulated.why;
	if (!sensor_works(MS_SENSOR_ACCESSES))
		return "accesses cannot be recorded here";
	if (!simulated.model || simulated.simulation)    /* none is configured where it is only asked what works (`memsearch doctor`) */
		return NULL;
	if (!set_up()) {
		take_down();
		return "no memory for the modelled machine";
	}
	if (left != SIZE_MAX && memory_left_to_map().bytes < left / 2) {     /* threads' stacks and heaps are still to come */
		take_down();
		return "the address space allowed (`ulimit -v`) is too small for the modelled machine beside the program";
	}
	page_touches_start((uint64_t)sysconf(_SC_PAGESIZE));
	if (simulated.real_addresses)
		simulation_use_real_addresses(simulated.simulation);
	return NULL;
}

static void probe(struct sensor_status *status)
{
	const char *why = start();

	status->works = !why;
	status->why = !why ? MS_PRESENT : simulated.named ? MS_MISSING_NOT_SUPPORTED : MS_MISSING_NOT_MODELLED;
	snprintf(status->text, sizeof(status->text), "%s", why ? why : "");
}

const struct sensor sensor_simulated = {
	.name = "simulated",
	.summary = "cache, TLB and memory traffic of a modelled machine that runs the recorded accesses (--machine)",
	.id = MS_SENSOR_SIMULATED,
	.probe = probe,
	.enable = enable,
	.fold = fold,
};
