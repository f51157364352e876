/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_CONTEXT_H
#define MEMSEARCH_TESTS_UNIT_CONTEXT_H

#include "analysis/base/arena.h"
#include "analysis/properties/evaluation.h"
#include "analysis/properties/property.h"
#include "tests/unit/test.h"

/*
 * A context for property_evaluate out of a table that a test fills by hand: what is
 * not set was requested but not executed. All values are per phase execution.
 */
#define TABLE_REGIONS 24
#define TABLE_THREADS 8

struct table {
	uint32_t nr_regions, threads;
	struct {
		uint32_t parent, threads;
		enum ms_region_kind kind;
		double executions;
	} regions[TABLE_REGIONS];
	struct ms_reading cells[TABLE_REGIONS][TABLE_THREADS][MS_METRICS];
	double cpus, nodes, modelled_nodes, phase_executions;
	double node_free;  /* 0: not known */
	double core_cycle; /* ns; 0: not known */
	/* 0: not known; bytes, bytes/s */
	double line_size, attainable, single, caches, modelled;
	struct property_context context;
};

static inline struct ms_reading table_reading(void *data, uint32_t region, uint32_t thread,
					      uint32_t metric)
{
	struct ms_reading none = { .missing = MS_MISSING_NOT_EXECUTED };

	return region < TABLE_REGIONS && thread < TABLE_THREADS
		       ? ((struct table *)data)->cells[region][thread][metric]
		       : none;
}

static inline size_t table_threads(void *data, uint32_t region, uint32_t *out, size_t room)
{
	uint32_t nr = ((struct table *)data)->regions[region].threads;

	for (uint32_t i = 0; i < nr && i < room; i++)
		out[i] = i;
	return nr;
}

static inline struct ms_reading table_executions(void *data, uint32_t region)
{
	struct ms_reading reading = { .value = ((struct table *)data)->regions[region].executions,
				      .rung = MS_RUNG_COUNTED };

	return reading;
}

static inline uint32_t table_parent(void *data, uint32_t region)
{
	return ((struct table *)data)->regions[region].parent;
}

static inline enum ms_region_kind table_kind(void *data, uint32_t region)
{
	return ((struct table *)data)->regions[region].kind;
}

static inline size_t table_children(void *data, uint32_t region, uint32_t *out, size_t room)
{
	struct table *table = data;
	size_t nr = 0;

	for (uint32_t i = 0; i < table->nr_regions; i++) {
		if (table->regions[i].parent != region)
			continue;
		if (nr < room)
			out[nr] = i;
		nr++;
	}
	return nr;
}

static inline struct ms_reading table_constant(void *data, const char *name)
{
	const struct table *table = data;
	struct ms_reading reading = { .rung = MS_RUNG_COUNTED };

	reading.value = !strcmp(name, "cpus")                   ? table->cpus
			: !strcmp(name, "nodes")                ? table->nodes
			: !strcmp(name, "phase_threads")        ? table->threads
			: !strcmp(name, "sampling_hz")          ? 1000
			: !strcmp(name, "chunk_cost")           ? 100
			: !strcmp(name, "fault_cost")           ? 2000
			: !strcmp(name, "atomic_cost")          ? 6
			: !strcmp(name, "core_cycle_time")      ? table->core_cycle
			: !strcmp(name, "line_size")            ? table->line_size
			: !strcmp(name, "page_size")            ? 4096
			: !strcmp(name, "attainable_bandwidth") ? table->attainable
			: !strcmp(name, "cache_bytes")          ? table->caches
			: !strcmp(name, "modelled_cache_bytes") ? table->modelled
			: !strcmp(name, "single_bandwidth")     ? table->single
			: !strcmp(name, "cycle_time")           ? 0.5
			: !strcmp(name, "walk_time")            ? 15
			: !strcmp(name, "second_cache_time")    ? 5
			: !strcmp(name, "second_tlb_time")      ? 3
			: !strcmp(name, "third_cache_time")     ? 10
			: !strcmp(name, "memory_time")          ? 100
			: !strcmp(name, "remote_memory_time")   ? 200
			: !strcmp(name, "modelled_nodes")       ? table->modelled_nodes
			: !strcmp(name, "node_free")            ? table->node_free
			: !strcmp(name, "transfer_time")        ? 80
			: !strcmp(name, "remote_transfer_time") ? 160
								: table->phase_executions;
	if (!strcmp(name, "modelled_cache_bytes") || !strcmp(name, "modelled_nodes"))
		reading.rung = MS_RUNG_SIMULATED;
	reading.missing = reading.value > 0 ? MS_PRESENT : MS_MISSING_NOT_SUPPORTED;
	return reading;
}

static inline uint32_t table_region(struct table *table, uint32_t parent, enum ms_region_kind kind,
				    double executions)
{
	uint32_t id = table->nr_regions++;

	table->regions[id].parent = parent;
	table->regions[id].kind = kind;
	table->regions[id].executions = executions;
	table->regions[id].threads = kind == MS_SERIAL_REGION ? 1 : table->threads;
	for (uint32_t thread = 0; thread < TABLE_THREADS; thread++) {
		for (uint32_t metric = 0; metric < MS_METRICS; metric++)
			table->cells[id][thread][metric].missing = MS_MISSING_NOT_EXECUTED;
	}
	return id;
}

static inline void table_set(struct table *table, uint32_t region, uint32_t thread,
			     enum ms_metric metric, double value)
{
	table->cells[region][thread][metric] = (struct ms_reading){
		.value = value, .rung = ms_metric_info(metric)->rung
	};
}

/* The same value on all threads of the table. */
static inline void table_set_all(struct table *table, uint32_t region, enum ms_metric metric,
				 double value)
{
	for (uint32_t thread = 0; thread < table->threads; thread++)
		table_set(table, region, thread, metric, value);
}

static inline void table_missing(struct table *table, uint32_t region, enum ms_metric metric,
				 enum ms_missing why)
{
	for (uint32_t thread = 0; thread < TABLE_THREADS; thread++)
		table->cells[region][thread][metric] = (struct ms_reading){ .missing = why };
}

/* Region 0: a phase of `wall_ns` on that many threads, all of whose time is CPU time. */
static inline struct table *table_new(uint32_t threads, double wall_ns)
{
	struct table *table = arena_alloc(arena_new(), sizeof(*table));

	table->threads = threads;
	table->cpus = TABLE_THREADS;
	table->nodes = 1;
	table->phase_executions = 100;
	table->context = (struct property_context){ .data = table,
						    .reading = table_reading,
						    .threads = table_threads,
						    .executions = table_executions,
						    .parent = table_parent,
						    .kind = table_kind,
						    .children = table_children,
						    .constant = table_constant };
	table_region(table, MS_REGION_NONE, MS_USER_REGION, 1);
	table_set(table, 0, 0, MS_METRIC_WALL_TIME, wall_ns);
	table_set_all(table, 0, MS_METRIC_CPU_TIME, wall_ns);
	return table;
}

static inline struct ms_verdict table_ask(struct table *table, const struct property_set *set,
					  const char *property, uint32_t region)
{
	const struct property *found = property_set_find(set, property);
	struct ms_verdict verdict;

	if (!found)
		test_fail(__FILE__, __LINE__, "no property '%s'", property);
	table->context.region = region;
	CHECK_INT(property_evaluate(found, &table->context, &verdict), MS_OK);
	return verdict;
}

/* The shipped properties; fails the test when one of them has an error. */
static inline struct property_set *shipped_properties(void)
{
	struct property_set *set = property_set_load(arena_new(), "properties", NULL);

	for (size_t i = 0; i < set->nr_messages; i++)
		test_fail(set->messages[i].file, set->messages[i].line, "%s",
			  set->messages[i].text);
	return set;
}

/* Of the properties over hardware counters, which tests/unit/memory.c tests. */
static inline bool counts_memory(const struct property *property)
{
	const char *file = property_file(property, &(int){ 0 });

	return strstr(file, "/cache.asl") || strstr(file, "/numa.asl") ||
	       strstr(file, "/tlb.asl") || strstr(file, "/bandwidth.asl");
}

/* Of those over recorded accesses, which tests/unit/array_properties.c tests. */
static inline bool is_about_arrays(const struct property *property)
{
	return strstr(property_file(property, &(int){ 0 }), "/arrays.asl") != NULL;
}

/* Over misses of a modelled machine: simulated_properties.c. */
static inline bool is_simulated(const struct property *property)
{
	return strstr(property_file(property, &(int){ 0 }), "/simulated.asl") != NULL;
}

/* Over its nodes: numa_properties.c. */
static inline bool is_of_nodes(const struct property *property)
{
	return strstr(property_file(property, &(int){ 0 }), "/numa_arrays.asl") != NULL;
}

/* Over samples of data addresses: sampled_properties.c. */
static inline bool is_sampled(const struct property *property)
{
	return strstr(property_file(property, &(int){ 0 }), "/sampled.asl") != NULL;
}

static inline double evidence_of(const struct ms_verdict *verdict, const char *name)
{
	for (size_t i = 0; i < verdict->nr_evidence; i++) {
		if (!strcmp(verdict->evidence[i].name, name) &&
		    verdict->evidence[i].reading.missing == MS_PRESENT)
			return verdict->evidence[i].reading.value;
	}
	return -1;
}

#endif
