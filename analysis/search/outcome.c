/* SPDX-License-Identifier: Apache-2.0 */
/* Puts what a search has found and measured into a run. */
#include "analysis/search/outcome.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/search/database_intervals.h"
#include "analysis/search/database_reading.h"
#include "analysis/search/engine_results.h"

/* Everything a node owns is allocated once, in full size, and overwritten at later steps. */
static enum ms_status node_make(struct run *run, struct arena *arena)
{
	struct run_node *node;

	if (!ARENA_GROW(arena, run->nodes, run->nr_nodes, run->room_nodes))
		return MS_ERR_MEMORY;
	node = &run->nodes[run->nr_nodes];
	*node = (struct run_node){ .id = (uint32_t)run->nr_nodes };
	node->evidence = arena_alloc(arena, MS_EVIDENCE_MAX * sizeof(*node->evidence));
	node->threads = arena_alloc(arena, sizeof(((struct engine_node *)NULL)->threads));
	node->numa_nodes = arena_alloc(arena, sizeof(((struct engine_node *)NULL)->nodes));
	if (!node->evidence || !node->threads || !node->numa_nodes)
		return MS_ERR_MEMORY;
	run->nr_nodes++;
	return MS_OK;
}

static void node_verdict(struct run_node *node, const struct ms_verdict *verdict)
{
	node->confidence = verdict->confidence;
	node->severity = verdict->severity;
	node->severity_low = verdict->severity_low;
	node->severity_high = verdict->severity_high;
	node->interval_known = verdict->interval_known;
	node->severity_of_model = verdict->severity_of_model;
	node->rung = verdict->rung;
	node->missing = verdict->missing;
	node->missing_metric = NULL;
	if (verdict->truth == MS_UNKNOWN && verdict->missing_metric >= 0)
		node->missing_metric = ms_metric_info((unsigned int)verdict->missing_metric)->name;
	node->nr_evidence = verdict->nr_evidence;
	for (size_t i = 0; i < verdict->nr_evidence; i++)
		node->evidence[i] = (struct run_evidence){
			.name = verdict->evidence[i].name,
			.unit = verdict->evidence[i].unit,
			.reading = verdict->evidence[i].reading,
		};
}

static void node_fill(struct run_node *node, const struct engine_node *from,
		      const struct property_set *properties)
{
	node->parent = from->candidate.parent;
	node->state = from->state;
	node->property = property_name(properties->properties[from->candidate.property]);
	node->title = property_title(properties->properties[from->candidate.property]);
	node->region = from->candidate.region;
	node->thread = from->candidate.thread;
	node->interval = from->candidate.interval;
	node->experiments = from->experiments;
	node->since = from->since;
	node->reached_executions = from->reached.executions;
	node->reached_ns = from->reached.program_ns;
	node->nr_threads = from->nr_threads;
	memcpy(node->threads, from->threads, from->nr_threads * sizeof(*node->threads));
	node->nr_numa_nodes = from->nr_nodes;
	memcpy(node->numa_nodes, from->nodes, from->nr_nodes * sizeof(*node->numa_nodes));
	node_verdict(node, &from->verdict);
}

struct collector {
	struct run *run;
	struct arena *arena;
	enum ms_status status;
};

/*
 * All at once, as a table that grows is copied; where there is no memory for it, it grows as far as
 * it can.
 */
static void reserve(struct collector *collector, size_t rows)
{
	struct run *run = collector->run;
	struct run_measurement *measurements = NULL;

	if (rows > run->room_measurements)
		measurements = arena_alloc(collector->arena, rows * sizeof(*measurements));
	if (!measurements)
		return;
	run->measurements = measurements;
	run->room_measurements = rows;
}

static void collect(void *ctx, const struct ms_measurement *row, uint64_t phases,
		    double observed_ns)
{
	struct collector *collector = ctx;
	struct run *run = collector->run;

	if (!ARENA_GROW(collector->arena, run->measurements, run->nr_measurements,
			run->room_measurements)) {
		collector->status = MS_ERR_MEMORY;
		return;
	}
	run->measurements[run->nr_measurements++] = (struct run_measurement){
		.row = *row,
		.phases = phases,
		.observed_ns = observed_ns,
	};
}

static enum ms_status intervals_fill(struct run *run, struct arena *arena,
				     const struct database *db)
{
	struct ms_interval_info info;

	run->nr_intervals = 0;
	for (uint32_t id = 1; database_interval_info(db, id, &info); id++) {
		struct database_interval_extent extent = database_interval_extent(db, id);

		if (!ARENA_GROW(arena, run->intervals, run->nr_intervals, run->room_intervals))
			return MS_ERR_MEMORY;
		run->intervals[run->nr_intervals++] = (struct run_interval){
			.kind = info.kind,
			.name = database_interval_name(db, id),
			.executions = info.executions,
			.first = extent.first,
			.last = extent.last,
			.wall_ns = extent.wall_ns,
			.open = info.open,
			.parents = info.parents,
		};
	}
	return MS_OK;
}

static void volume_fill(struct run *run, const struct database *db)
{
	struct database_volume volume;

	database_volume(db, &volume);
	run->cost.counters_possible = volume.counters_possible;
	run->cost.counters_used = volume.counters_used;
	run->cost.samples_possible = volume.samples_possible;
	run->cost.samples_used = volume.samples_used;
}

enum ms_status outcome_fill_nodes(struct run *run, struct arena *arena, const struct engine *engine,
				  const struct database *db, const struct property_set *properties)
{
	size_t nr = engine_nodes(engine);

	while (run->nr_nodes < nr)
		if (node_make(run, arena) != MS_OK)
			return MS_ERR_MEMORY;
	run->nr_nodes = nr; /* an engine that started over has fewer */
	for (size_t i = 0; i < nr; i++)
		node_fill(&run->nodes[i], engine_node(engine, (uint32_t)i), properties);
	run->phase.executions_read = database_executions_read(db);
	run->cost.experiments = engine_experiments(engine);
	run->cost.limit_bound = run->cost.limit_bound || engine_budget_bound(engine);
	run->restarts_would_help = engine_restarts_would_help(engine);
	volume_fill(run, db);
	return intervals_fill(run, arena, db);
}

enum ms_status outcome_fill(struct run *run, struct arena *arena, const struct engine *engine,
			    const struct database *db, const struct property_set *properties)
{
	struct collector collector = { .run = run, .arena = arena };
	enum ms_status status = outcome_fill_nodes(run, arena, engine, db, properties);

	if (status != MS_OK)
		return status;
	run->nr_measurements = 0;
	reserve(&collector, database_extent(db).rows);
	database_each(db, collect, &collector);
	return collector.status;
}
