/* SPDX-License-Identifier: Apache-2.0 */
/* The search over recorded and simulated accesses, after the program has ended. */
#include "analysis/simulation/findings.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/machine/machines.h"
#include "analysis/machine/model.h"
#include "analysis/properties/property.h"
#include "analysis/search/database.h"
#include "analysis/search/engine.h"
#include "analysis/search/run_measurements.h"
#include "analysis/search/outcome.h"
#include "analysis/simulation/placement.h"
#include "analysis/simulation/range_requests.h"
#include "analysis/simulation/returning_pages.h"
#include "memsearch/host.h"
#include "memsearch/metric.h"

/* ------------------------------------------------------------------ constants */

/* Latency of the node that is farthest from node 0; with one node its own. */
static uint32_t remote_latency(const struct machine_model *model)
{
	uint32_t most = model->remote_latency;

	for (uint32_t node = 0; node < model->nodes && !model->remote_latency; node++)
		most = model->distances[0][node] > most ? model->distances[0][node] : most;
	return most ? most : model->memory_latency;
}

void findings_waits(struct database *db, const struct machine_model *model)
{
	const struct {
		const char *name;
		uint32_t cycles, less;
	} waits[] = {
		{ "cycle_time", 1, 0 },
		{ "walk_time", model->walk_latency, 0 },
		{ "second_tlb_time", model->tlb[1].latency, 0 },
		{ "second_cache_time", model->cache[1].latency, model->cache[0].latency },
		{ "third_cache_time", model->cache[2].latency, model->cache[0].latency },
		{ "memory_time", model->memory_latency, model->cache[0].latency },
		{ "remote_memory_time", remote_latency(model), model->cache[0].latency },
		{ "transfer_time", model->transfer_latency, model->cache[0].latency },
		{ "remote_transfer_time",
		  model->remote_transfer_latency ? model->remote_transfer_latency
						 : model->transfer_latency,
		  model->cache[0].latency },
	};

	for (size_t i = 0; model->hz > 0 && i < sizeof(waits) / sizeof(waits[0]); i++)
		database_constant(db, waits[i].name,
				  waits[i].cycles > waits[i].less
					  ? 1e9 / model->hz * (waits[i].cycles - waits[i].less)
					  : 0);
}

void findings_machine(struct database *db, const struct machine *machine)
{
	database_constant(db, "cpus", machine->cpus);
	if (machine->nodes)
		database_constant(db, "nodes", machine->nodes);
	if (machine->attainable_bandwidth > 0) {
		database_timed_constant(db, "attainable_bandwidth", machine->attainable_bandwidth,
					machine->attainable_bandwidth * machine->bandwidth_spread);
		database_timed_constant(db, "single_bandwidth", machine->single_bandwidth,
					machine->single_bandwidth * machine->bandwidth_spread);
	}
	if (machine->atomic_ns > 0)
		database_constant(db, "atomic_cost", machine->atomic_ns);
	if (machine->cycle_ns > 0)
		database_constant(db, "core_cycle_time", machine->cycle_ns);
	if (machine->cache_bytes)
		database_constant(db, "cache_bytes", (double)machine->cache_bytes);
}

static bool is_elsewhere(const struct machine_model *model)
{
	return strcmp(model->name, MACHINES_HOST);
}

void findings_modelled(struct database *db, const struct machine_model *model, uint32_t threads)
{
	if (!is_elsewhere(model))
		return;
	database_modelled_constant(db, "modelled_cache_bytes",
				   (double)model_cache_bytes(model, threads));
	database_modelled_constant(db, "modelled_nodes", model->nodes);
}

static bool runs_on(const struct run *run, uint32_t node)
{
	for (size_t i = 0; i < run->nr_places; i++)
		if (run->places[i].node == node)
			return true;
	return false;
}

/* The smallest free part of a node on which threads were last seen, while the program ran. */
static void set_node_free(struct database *db, const struct run *run)
{
	double least = INFINITY;

	for (size_t i = 0; i < run->nr_node_memory; i++) {
		const struct run_node_memory *of = &run->node_memory[i];

		if (of->bytes && runs_on(run, of->node))
			least = fmin(least, (double)of->free_bytes / (double)of->bytes);
	}
	if (isfinite(least))
		database_constant(db, "node_free", least);
}

void findings_constants(struct database *db, const struct run *run,
			const struct machine_model *model)
{
	findings_machine(db, &run->machine);
	if (!model || !is_elsewhere(model))
		set_node_free(db, run);
	database_constant(db, "phase_threads", run->threads);
	database_constant(db, "phase_executions",
			  run->phase.executions ? (double)run->phase.executions : 1);
	if (run->touching.page_bytes)
		database_constant(db, "page_size", (double)run->touching.page_bytes);
	if (run->modelled.line)
		database_constant(db, "line_size", run->modelled.line);
	if (!model)
		return;
	findings_waits(db, model);
	findings_modelled(db, model, run->threads);
}

/* ------------------------------------------------------------------ the run as one execution */

/* Share of the phase's time on a CPU, of the thread with the largest share; 1: unknown. */
static double longest_on_cpu(const struct run *run)
{
	double longest = 0;

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct run_measurement *of = &run->measurements[i];

		if (of->row.metric == MS_METRIC_CPU_TIME && of->row.region == MS_REGION_USER &&
		    of->observed_ns > 0)
			longest = fmax(longest, of->row.stat.sum / of->observed_ns);
	}
	return longest > 0 ? longest : 1;
}

/*
 * More threads than CPUs here, but not there: of a thread's time here it waits for a CPU for as
 * long as other threads and programs have it. Shares of that time would be smaller by this factor
 * than those of a machine that has a core for each thread.
 */
static double of_time_with_cores(const struct run *run, const struct machine_model *model)
{
	bool is_crowded = run->machine.cpus && run->threads > run->machine.cpus;

	if (!is_crowded || !is_elsewhere(model) || run->threads > model->cores)
		return 1;
	return fmin((double)run->machine.cpus / run->threads, longest_on_cpu(run));
}

/* As measured, and on the modelled machine. */
static struct measured_wall wall_of(const struct run *run, const struct machine_model *model)
{
	double wall_ns = run_execution_ns(run);

	return (struct measured_wall){ wall_ns, wall_ns * of_time_with_cores(run, model) };
}

/*
 * On another machine caches, memory and nodes are those of the model: this machine's counters and
 * nodes do not apply.
 */
static bool is_of_this_machine(uint32_t metric)
{
	return metric == MS_METRIC_NODE || ms_metric_info(metric)->sensor == MS_SENSOR_COUNTERS;
}

static bool is_wanted(const struct run_measurement *of, const struct machine_model *model)
{
	return !is_elsewhere(model) || !is_of_this_machine(of->row.metric);
}

/* Every metric with a row, and those that were read with it (measured_together). */
static bool request_all(struct arena *arena, struct database *db, const struct run *run,
			const struct machine_model *model)
{
	struct ms_request *requests = arena_alloc(arena, MS_METRICS * sizeof(*requests));
	bool there[MS_METRICS] = { false }, read[MS_SENSORS] = { false };
	size_t nr = 0;

	for (size_t i = 0; requests && i < run->nr_measurements; i++) {
		uint32_t metric = run->measurements[i].row.metric;
		enum ms_sensor_id sensor = ms_metric_info(metric)->sensor;

		there[metric] |= is_wanted(&run->measurements[i], model);
		read[sensor] |= measured_together(sensor);
	}
	there[MS_METRIC_NODE] |= is_elsewhere(model);
	there[MS_METRIC_PAGE_MOVES] = true;
	for (uint32_t metric = 0; requests && metric < MS_METRICS; metric++)
		if (there[metric] || read[ms_metric_info(metric)->sensor])
			requests[nr++] = (struct ms_request){ .metric = metric,
							      .region = MS_REGION_USER,
							      .thread = MS_REQUEST_ALL_THREADS,
							      .flags = MS_REQUEST_SUBREGIONS };
	database_requests(db, requests, nr);
	return requests;
}

/*
 * A modelled machine has no counters. Unless that is known, properties that use counters where there
 * are some would wait for them.
 */
static void miss_counters(struct database *db, const struct machine_model *model)
{
	for (uint32_t metric = 0; is_elsewhere(model) && metric < MS_METRICS; metric++)
		if (ms_metric_info(metric)->sensor == MS_SENSOR_COUNTERS)
			database_missing(db, MS_REGION_NONE, metric, MS_MISSING_NOT_SUPPORTED);
}

/* The threads' nodes on another machine. */
static void place_threads(struct database *db, const struct machine_model *model,
			  const struct placement *placement)
{
	for (uint32_t thread = 0; is_elsewhere(model) && thread < placement->threads; thread++) {
		struct ms_measurement row = { .region = MS_REGION_USER,
					      .thread = thread,
					      .metric = MS_METRIC_NODE };

		ms_stat_add(&row.stat, placement_node(placement, model, thread));
		database_add(db, &row);
	}
}

static bool fill(struct arena *arena, struct database *db, const struct requests_source *source)
{
	const struct run *run = source->run;
	const struct machine_model *model = source->model;
	struct measured_wall wall = wall_of(run, model);

	if (!measured_regions(db, run))
		return false;
	measured_missing(db, run);
	miss_counters(db, model);
	if (!request_all(arena, db, run, model))
		return false;
	database_execution_begin(db);
	for (size_t i = 0; i < run->nr_measurements; i++) {
		struct ms_measurement row = measured_in_one(&run->measurements[i], &wall);

		if (is_wanted(&run->measurements[i], model))
			database_add(db, &row);
	}
	place_threads(db, model, source->placement);
	returning_pages_add(db, run);
	database_execution_end(db, wall.clock_ns, 1);
	return true;
}

/* ------------------------------------------------------------------ into the run */

/*
 * Properties that read recorded or simulated accesses of any region: only the search after the run
 * has all of them.
 */
static bool reads_accesses(const struct property *property)
{
	size_t (*const lists[])(const struct property *, const uint32_t **) = {
		property_metrics,
		property_phase_metrics,
		property_parent_metrics,
		property_construct_metrics,
	};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		const uint32_t *metrics;
		size_t nr = lists[i](property, &metrics);

		for (size_t k = 0; k < nr; k++)
			if (ms_metric_info(metrics[k])->sensor == MS_SENSOR_ACCESSES ||
			    ms_metric_info(metrics[k])->sensor == MS_SENSOR_SIMULATED)
				return true;
	}
	return false;
}

struct merging {
	struct arena *arena;
	struct run *run;
	const struct run *found;
	const struct property_set *properties;
	/* `found` is of another machine than that of the run */
	bool elsewhere;
	size_t nr_before;       /* nodes of the run … */
	uint32_t *first, *next; /* … as one list for each region */
	/* by node of `found`: its node of the run; MS_NODE_NONE: none */
	uint32_t *numbers;
};

static bool is_modelled(const struct run_node *node)
{
	return node->state == MS_NODE_TRUE && node->rung == MS_RUNG_SIMULATED;
}

/* Its evidence is of a whole array that is now split into ranges. */
static bool is_of_divided(const struct merging *merging, const struct run_node *node)
{
	const struct run *run = merging->run;
	uint32_t array = node->region < run->nr_regions
				 ? run_region_array(&run->regions[node->region])
				 : UINT32_MAX;
	const struct property *property = node->property ? property_set_find(merging->properties,
									     node->property)
							 : NULL;

	return array < run->nr_arrays && property && reads_accesses(property) &&
	       run_array_is_divided(run->arrays, run->nr_arrays, array);
}

static bool is_decided(const struct run_node *node)
{
	return node->state == MS_NODE_TRUE || node->state == MS_NODE_FALSE;
}

/* The same question of the search while the program ran. */
static uint32_t asked_before(const struct merging *merging, const struct run_node *node)
{
	uint32_t i = node->region < merging->run->nr_regions ? merging->first[node->region]
							     : MS_NODE_NONE;

	for (; i != MS_NODE_NONE; i = merging->next[i]) {
		const struct run_node *other = &merging->run->nodes[i];

		if (other->thread == node->thread && other->interval == node->interval &&
		    other->property && !strcmp(other->property, node->property))
			break;
	}
	return i;
}

static bool index_nodes(struct merging *merging)
{
	struct run *run = merging->run;

	merging->first = arena_alloc(merging->arena,
				     (run->nr_regions + 1) * sizeof(*merging->first));
	merging->next = arena_alloc(merging->arena, (run->nr_nodes + 1) * sizeof(*merging->next));
	merging->numbers = arena_alloc(merging->arena,
				       (merging->found->nr_nodes + 1) * sizeof(*merging->numbers));
	if (!merging->first || !merging->next || !merging->numbers)
		return false;
	for (size_t i = 0; i < run->nr_regions; i++)
		merging->first[i] = MS_NODE_NONE;
	for (uint32_t i = 0; i < run->nr_nodes; i++) {
		uint32_t region = run->nodes[i].region;

		if (region >= run->nr_regions)
			continue;
		merging->next[i] = merging->first[region];
		merging->first[region] = i;
	}
	return true;
}

/* MS_NODE_NONE: no memory. */
static uint32_t append(struct merging *merging, const struct run_node *node, uint32_t parent)
{
	struct run *run = merging->run;
	uint32_t id = (uint32_t)run->nr_nodes;

	if (!ARENA_GROW(merging->arena, run->nodes, run->nr_nodes, run->room_nodes))
		return MS_NODE_NONE;
	run->nodes[id] = *node;
	run->nodes[id].id = id;
	run->nodes[id].parent = parent;
	run->nr_nodes++;
	return id;
}

/* Findings of the host, by its own counters, stay in addition to those of another machine. */
static bool is_of_another_machine(const struct run_node *before, const struct run_node *node)
{
	return before->state == MS_NODE_TRUE && before->rung != MS_RUNG_SIMULATED &&
	       node->rung == MS_RUNG_SIMULATED;
}

/* The verdict over all accesses replaces the earlier one over some or none. */
static void replace(struct run_node *before, const struct run_node *node)
{
	uint32_t id = before->id, parent = before->parent;

	if (!is_decided(node))
		return;
	*before = *node;
	before->id = id;
	before->parent = parent;
}

/* Refines what the search in the program did not prove. */
static bool is_refuted(const struct merging *merging, const struct run_node *node, uint32_t parent)
{
	return node->parent != MS_NODE_NONE &&
	       (parent == MS_NODE_NONE || merging->run->nodes[parent].state != MS_NODE_TRUE);
}

/*
 * Nodes without access metrics stay those of the run: measurements by execution are more precise
 * than their mean.
 */
static bool merge_node(struct merging *merging, uint32_t number)
{
	const struct run_node *node = &merging->found->nodes[number];
	const struct property *property = property_set_find(merging->properties, node->property);
	uint32_t parent = node->parent < number ? merging->numbers[node->parent] : MS_NODE_NONE,
		 before = asked_before(merging, node);
	bool rests_on_accesses = property && reads_accesses(property);

	if (before != MS_NODE_NONE && merging->elsewhere && is_decided(node) &&
	    is_of_another_machine(&merging->run->nodes[before], node)) {
		if (node->state == MS_NODE_TRUE)
			before = MS_NODE_NONE;
		else
			rests_on_accesses = false;
	}
	merging->numbers[number] = before;
	if (before != MS_NODE_NONE && rests_on_accesses)
		replace(&merging->run->nodes[before], node);
	if (before != MS_NODE_NONE || (!is_decided(node) && node->state != MS_NODE_UNKNOWN) ||
	    (!rests_on_accesses &&
	     (node->state != MS_NODE_TRUE || is_refuted(merging, node, parent))))
		return true;
	merging->numbers[number] = append(merging, node, parent);
	return merging->numbers[number] != MS_NODE_NONE;
}

static enum ms_status merge(struct merging *merging)
{
	if (!index_nodes(merging))
		return MS_ERR_MEMORY;
	for (size_t i = 0; i < merging->nr_before; i++)
		if (is_modelled(&merging->run->nodes[i]) ||
		    is_of_divided(merging, &merging->run->nodes[i]))
			merging->run->nodes[i].state = MS_NODE_DISCONTINUED;
	for (uint32_t i = 0; i < merging->found->nr_nodes; i++)
		if (!merge_node(merging, i))
			return MS_ERR_MEMORY;
	return MS_OK;
}

/* Its verdicts are reached after the run. */
static struct engine_time time_of_end(void *ctx)
{
	const struct run *run = ctx;

	return (struct engine_time){ run->phase.executions, run->cost.program_wall_ns };
}

enum ms_status findings_of_accesses(struct arena *arena, const struct requests_source *source,
				    const struct property_set *properties,
				    const struct ms_strategy *strategy)
{
	struct run *run = source->run;
	struct database *db = database_new(arena);
	struct run found = { .nr_nodes = 0 };
	struct merging merging = { .arena = arena,
				   .run = run,
				   .found = &found,
				   .properties = properties,
				   .nr_before = run->nr_nodes,
				   .elsewhere = is_elsewhere(source->model) };
	struct engine_config config;
	struct engine *engine;

	if (!db)
		return MS_ERR_MEMORY;
	engine_config_init(&config);
	config.measure = requests_measure;
	config.memory = requests_memory;
	config.measure_ctx = (void *)source;
	config.now = time_of_end;
	config.now_ctx = run;
	findings_constants(db, run, source->model);
	engine = engine_new(arena, &config, properties, db, strategy);
	if (!engine || !fill(arena, db, source))
		return MS_ERR_MEMORY;
	engine_finish(engine);
	if (outcome_fill(&found, arena, engine, db, properties) != MS_OK)
		return MS_ERR_MEMORY;
	return merge(&merging);
}
