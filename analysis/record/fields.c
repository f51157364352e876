/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of struct run as tables: one list for the record and the store. */
#include "analysis/record/fields.h"

#include <string.h>

#include "analysis/record/run.h"
#include "memsearch/host.h"
#include "memsearch/interval.h"

#define NR(array) (sizeof(array) / sizeof((array)[0]))
#define TYPE_OF(s, member) \
	_Generic(((s *)0)->member, \
		const char *: FIELD_STRING, \
		bool: FIELD_BOOL, \
		int: FIELD_INT, \
		uint32_t: FIELD_U32, \
		uint64_t: FIELD_U64, \
		double: FIELD_DOUBLE)

#define FIELD(s, member, label, ...) \
	{ .name = label, .type = TYPE_OF(s, member), .offset = offsetof(s, member), __VA_ARGS__ }
#define NAMED(s, member, label, list, ...) \
	{ .name = label, \
	  .type = FIELD_ENUM, \
	  .offset = offsetof(s, member), \
	  .names = &list, \
	  __VA_ARGS__ }
#define INSIDE(s, member, label, inner, ...) \
	{ .name = label, \
	  .type = FIELD_STRUCT, \
	  .offset = offsetof(s, member), \
	  .of = &inner, \
	  __VA_ARGS__ }
#define ARRAY(s, member, count, label, inner, ...) \
	{ .name = label, \
	  .type = FIELD_ARRAY, \
	  .offset = offsetof(s, member), \
	  .count_offset = offsetof(s, count), \
	  .of = &inner, \
	  __VA_ARGS__ }
#define OPTIONAL .rule = RULE_OPTIONAL
#define ROW_OF(label) .rule = RULE_ROW, .rows = offsetof(struct run, nr_##label)
#define ROW_OR_NONE(label) .rule = RULE_ROW_OR_NONE, .rows = offsetof(struct run, nr_##label)
#define FIELDS(s, rows) { .bytes = sizeof(s), .nr = NR(rows), .list = rows }

static const char *metric_name(unsigned int metric)
{
	return ms_metric_info(metric)->name;
}

static const char *missing_name(unsigned int reason)
{
	static const char *const names[] = {
#define X(name, text) #name,
		MS_MISSING_LIST(X)
#undef X
	};
	return names[reason];
}

static const char *state_name(unsigned int state)
{
	static const char *const names[] = { "pending", "active",       "true",  "false",
					     "unknown", "discontinued", "missed" };

	_Static_assert(NR(names) == MS_NODE_STATES, "a name for each state");
	return names[state];
}

/* An unknown metric makes its row useless: run_check removes it. */
static const struct field_names kinds = { 1, MS_REGION_KINDS, ms_region_kind_name,
					  MS_REGION_KINDS };
static const struct field_names metrics = { 2, MS_METRICS, metric_name, UINT32_MAX };
static const struct field_names reasons = { 3, MS_MISSING_REASONS, missing_name,
					    MS_MISSING_NOT_SUPPORTED };
static const struct field_names rungs = { 4, MS_RUNGS, ms_rung_name, MS_RUNG_NONE };
static const struct field_names states = { 5, MS_NODE_STATES, state_name, MS_NODE_UNKNOWN };
static const struct field_names methods = { 6, PHASE_METHODS, phase_method_name,
					    PHASE_WHOLE_PROGRAM };
static const struct field_names interval_kinds = { 7, MS_INTERVAL_KINDS, ms_interval_kind_name,
						   MS_INTERVAL_MARKED };

const struct field_names *const field_name_lists[] = { &kinds,  &metrics, &reasons,       &rungs,
						       &states, &methods, &interval_kinds };
const size_t nr_field_name_lists = NR(field_name_lists);

static const struct field address_rows[] = {
	FIELD(struct code_address, module, "module", ROW_OR_NONE(modules)),
	FIELD(struct code_address, offset, "offset"),
};
static const struct fields address_fields = FIELDS(struct code_address, address_rows);

static const struct field source_rows[] = {
	FIELD(struct source, function, "function"),
	FIELD(struct source, file, "file"),
	FIELD(struct source, line, "line"),
	FIELD(struct source, approximate, "approximate"),
	FIELD(struct source, module, "module"),
	FIELD(struct source, offset, "offset"),
};
static const struct fields source_fields = FIELDS(struct source, source_rows);

static const struct field number_rows[] = { { .name = "number", .type = FIELD_U32 } };
static const struct fields number_fields = FIELDS(uint32_t, number_rows);

static const struct field module_rows[] = {
	FIELD(struct module, path, "path"), FIELD(struct module, build_id, "build_id"),
	FIELD(struct module, low, "low"),   FIELD(struct module, high, "high"),
	FIELD(struct module, bias, "bias"),
};
static const struct fields module_fields = FIELDS(struct module, module_rows);

static const struct field region_rows[] = {
	FIELD(struct run_region, id, "id", .rule = RULE_OWN),
	FIELD(struct run_region, parent, "parent", .rule = RULE_EARLIER),
	NAMED(struct run_region, kind, "kind", kinds),
	INSIDE(struct run_region, construct, "construct", address_fields),
	INSIDE(struct run_region, inside, "inside", address_fields),
	INSIDE(struct run_region, next, "next", address_fields),
	FIELD(struct run_region, resolved, "resolved"),
	INSIDE(struct run_region, source, "source", source_fields),
	INSIDE(struct run_region, next_source, "next_source", source_fields),
	ARRAY(struct run_region, path_addresses, nr_path, "path_addresses", address_fields),
	ARRAY(struct run_region, path, nr_path, "path", source_fields),
	FIELD(struct run_region, executions, "executions"),
	FIELD(struct run_region, name, "name", OPTIONAL, .since = 24),
	FIELD(struct run_region, mutex, "mutex", ROW_OF(regions), .since = 24),
	FIELD(struct run_region, key, "key", .since = 47),
};
static const struct fields region_fields = FIELDS(struct run_region, region_rows);

static const struct field measurement_rows[] = {
	FIELD(struct run_measurement, row.region, "region", ROW_OF(regions)),
	FIELD(struct run_measurement, row.thread, "thread"),
	NAMED(struct run_measurement, row.metric, "metric", metrics),
	FIELD(struct run_measurement, row.stat.count, "count"),
	FIELD(struct run_measurement, row.stat.sum, "sum"),
	FIELD(struct run_measurement, row.stat.min, "min"),
	FIELD(struct run_measurement, row.stat.max, "max"),
	FIELD(struct run_measurement, row.stat.sum_squares, "sum_squares"),
	FIELD(struct run_measurement, phases, "phases"),
	FIELD(struct run_measurement, observed_ns, "observed_ns", .rule = RULE_SIZE),
};
static const struct fields measurement_fields = FIELDS(struct run_measurement, measurement_rows);

static const struct field missing_rows[] = {
	FIELD(struct run_missing, region, "region", ROW_OR_NONE(regions)),
	NAMED(struct run_missing, metric, "metric", metrics),
	NAMED(struct run_missing, why, "why", reasons),
};
static const struct fields missing_fields = FIELDS(struct run_missing, missing_rows);

static const struct field hotspot_rows[] = {
	FIELD(struct run_hotspot, region, "region", ROW_OF(regions)),
	NAMED(struct run_hotspot, metric, "metric", metrics),
	INSIDE(struct run_hotspot, address, "address", address_fields),
	INSIDE(struct run_hotspot, leaf, "leaf", address_fields, .since = 2),
	FIELD(struct run_hotspot, is_return, "is_return"),
	FIELD(struct run_hotspot, count, "count"),
	FIELD(struct run_hotspot, share, "share", .rule = RULE_SIZE),
	INSIDE(struct run_hotspot, source, "source", source_fields, OPTIONAL),
	INSIDE(struct run_hotspot, leaf_source, "leaf_source", source_fields, OPTIONAL, .since = 2),
	FIELD(struct run_hotspot, in_library, "in_library", .since = 36),
};
static const struct fields hotspot_fields = FIELDS(struct run_hotspot, hotspot_rows);

static const struct field evidence_rows[] = {
	FIELD(struct run_evidence, name, "name"),
	FIELD(struct run_evidence, unit, "unit"),
	FIELD(struct run_evidence, reading.value, "value", .rule = RULE_UNKNOWN),
	FIELD(struct run_evidence, reading.error, "error", .rule = RULE_UNKNOWN),
	NAMED(struct run_evidence, reading.rung, "rung", rungs),
	NAMED(struct run_evidence, reading.missing, "missing", reasons),
};
static const struct fields evidence_fields = FIELDS(struct run_evidence, evidence_rows);

static const struct field node_rows[] = {
	FIELD(struct run_node, id, "id", .rule = RULE_OWN),
	FIELD(struct run_node, parent, "parent", .rule = RULE_EARLIER_OR_NONE),
	NAMED(struct run_node, state, "state", states),
	FIELD(struct run_node, property, "property"),
	FIELD(struct run_node, region, "region", ROW_OF(regions)),
	FIELD(struct run_node, thread, "thread"),
	FIELD(struct run_node, confidence, "confidence", .rule = RULE_UNKNOWN),
	FIELD(struct run_node, severity, "severity", .rule = RULE_UNKNOWN),
	FIELD(struct run_node, severity_low, "severity_low", .rule = RULE_UNKNOWN),
	FIELD(struct run_node, severity_high, "severity_high", .rule = RULE_UNKNOWN),
	NAMED(struct run_node, rung, "rung", rungs),
	NAMED(struct run_node, missing, "missing", reasons),
	FIELD(struct run_node, missing_metric, "missing_metric", OPTIONAL),
	FIELD(struct run_node, experiments, "experiments"),
	ARRAY(struct run_node, evidence, nr_evidence, "evidence", evidence_fields),
	ARRAY(struct run_node, threads, nr_threads, "threads", number_fields),
	FIELD(struct run_node, title, "title", OPTIONAL, .since = 2),
	FIELD(struct run_node, explanation, "explanation", OPTIONAL),
	FIELD(struct run_node, advice, "advice", OPTIONAL),
	FIELD(struct run_node, interval_known, "interval_known", .since = 3),
	FIELD(struct run_node, since, "since", .since = 3),
	FIELD(struct run_node, severity_of_model, "severity_of_model", .since = 4),
	FIELD(struct run_node, events, "events", OPTIONAL, .since = 5),
	ARRAY(struct run_node, numa_nodes, nr_numa_nodes, "numa_nodes", number_fields, .since = 9),
	FIELD(struct run_node, views, "views", .since = 43),
	FIELD(struct run_node, interval, "interval", .since = 43),
	FIELD(struct run_node, reached_executions, "reached_executions", .since = 44),
	FIELD(struct run_node, reached_ns, "reached_ns", .rule = RULE_SIZE, .since = 44),
};
static const struct fields node_fields = FIELDS(struct run_node, node_rows);

static const struct field dropped_rows[] = {
	FIELD(struct run_dropped, what, "what"),
	FIELD(struct run_dropped, why, "why"),
	FIELD(struct run_dropped, count, "count"),
	FIELD(struct run_dropped, topic, "topic", OPTIONAL, .since = 12),
	INSIDE(struct run_dropped, code, "code", address_fields, .since = 12),
	INSIDE(struct run_dropped, source, "source", source_fields, OPTIONAL, .since = 12),
};
static const struct fields dropped_fields = FIELDS(struct run_dropped, dropped_rows);

static const struct field sensor_rows[] = {
	FIELD(struct run_sensor, name, "name"),
	FIELD(struct run_sensor, works, "works"),
	FIELD(struct run_sensor, why, "why"),
};
static const struct fields sensor_fields = FIELDS(struct run_sensor, sensor_rows);

static const struct field counter_rows[] = {
	NAMED(struct run_counter, metric, "metric", metrics),
	FIELD(struct run_counter, event, "event", OPTIONAL),
	FIELD(struct run_counter, formula, "formula", OPTIONAL),
	NAMED(struct run_counter, why, "why", reasons),
	FIELD(struct run_counter, text, "text", OPTIONAL),
	FIELD(struct run_counter, taken, "taken"),
};
static const struct fields counter_fields = FIELDS(struct run_counter, counter_rows);

static const struct field place_rows[] = {
	FIELD(struct run_place, thread, "thread"),
	FIELD(struct run_place, cpu, "cpu"),
	FIELD(struct run_place, node, "node"),
	FIELD(struct run_place, moves, "moves"),
};
static const struct fields place_fields = FIELDS(struct run_place, place_rows);

static const struct field node_memory_rows[] = {
	FIELD(struct run_node_memory, node, "node"),
	FIELD(struct run_node_memory, bytes, "bytes"),
	FIELD(struct run_node_memory, free_bytes, "free_bytes"),
};
static const struct fields node_memory_fields = FIELDS(struct run_node_memory, node_memory_rows);

static const struct field site_rows[] = {
	INSIDE(struct run_site, address, "address", address_fields),
	INSIDE(struct run_site, source, "source", source_fields, OPTIONAL),
};
static const struct fields site_fields = FIELDS(struct run_site, site_rows);

static const struct field array_rows[] = {
	FIELD(struct run_array, id, "id", .rule = RULE_OWN),
	FIELD(struct run_array, kind, "kind"),
	FIELD(struct run_array, name, "name"),
	FIELD(struct run_array, type, "type"),
	FIELD(struct run_array, shape, "shape"),
	FIELD(struct run_array, file, "file"),
	FIELD(struct run_array, line, "line"),
	FIELD(struct run_array, module, "module"),
	FIELD(struct run_array, element_bytes, "element_bytes"),
	FIELD(struct run_array, bytes, "bytes"),
	FIELD(struct run_array, blocks, "blocks"),
	FIELD(struct run_array, live_blocks, "live_blocks"),
	INSIDE(struct run_array, site, "site", address_fields),
	INSIDE(struct run_array, site_source, "site_source", source_fields, OPTIONAL),
	FIELD(struct run_array, resident_bytes, "resident_bytes"),
	NAMED(struct run_array, resident_why, "resident_why", reasons),
	ARRAY(struct run_array, path, nr_path, "path", address_fields, .since = 12),
	ARRAY(struct run_array, callers, nr_callers, "callers", source_fields, .since = 12),
	ARRAY(struct run_array, further, nr_further, "further", site_fields, .since = 33),
};
static const struct fields array_fields = FIELDS(struct run_array, array_rows);

static const struct field pages_rows[] = {
	FIELD(struct run_pages, address, "address"),
	FIELD(struct run_pages, pages, "pages"),
};
static const struct fields pages_fields = FIELDS(struct run_pages, pages_rows);

static const struct field touch_rows[] = {
	FIELD(struct run_touch, array, "array", ROW_OF(arrays)),
	FIELD(struct run_touch, thread, "thread"),
	FIELD(struct run_touch, node, "node"),
	FIELD(struct run_touch, region, "region", ROW_OR_NONE(regions)),
	FIELD(struct run_touch, before, "before"),
	INSIDE(struct run_touch, address, "address", address_fields),
	INSIDE(struct run_touch, leaf, "leaf", address_fields),
	FIELD(struct run_touch, is_return, "is_return"),
	FIELD(struct run_touch, faults, "faults"),
	FIELD(struct run_touch, pages, "pages"),
	FIELD(struct run_touch, bytes, "bytes"),
	INSIDE(struct run_touch, source, "source", source_fields, OPTIONAL),
	FIELD(struct run_touch, by_kernel, "by_kernel", .since = 34),
	FIELD(struct run_touch, every, "every", .since = 34),
	ARRAY(struct run_touch, ranges, nr_ranges, "ranges", pages_fields, .since = 34),
};
static const struct fields touch_fields = FIELDS(struct run_touch, touch_rows);

static const struct field stretch_rows[] = {
	FIELD(struct run_stretch, address, "address"),
	FIELD(struct run_stretch, pages, "pages"),
	FIELD(struct run_stretch, node, "node"),
};
static const struct fields stretch_fields = FIELDS(struct run_stretch, stretch_rows);

static const struct field placement_rows[] = {
	FIELD(struct run_placement, array, "array", ROW_OF(arrays)),
	FIELD(struct run_placement, execution, "execution"),
	FIELD(struct run_placement, at_end, "at_end"),
	FIELD(struct run_placement, every, "every"),
	FIELD(struct run_placement, asked, "asked"),
	FIELD(struct run_placement, huge_bytes, "huge_bytes"),
	FIELD(struct run_placement, file, "file"),
	FIELD(struct run_placement, queries, "queries", .since = 42),
	FIELD(struct run_placement, moves, "moves", .since = 42),
	ARRAY(struct run_placement, stretches, nr_stretches, "stretches", stretch_fields),
};
static const struct fields placement_fields = FIELDS(struct run_placement, placement_rows);

static const struct field write_rows[] = {
	FIELD(struct run_write, array, "array", ROW_OF(arrays)),
	FIELD(struct run_write, state, "state"),
	FIELD(struct run_write, thread, "thread"),
	FIELD(struct run_write, node, "node"),
	FIELD(struct run_write, pages, "pages"),
	FIELD(struct run_write, every, "every"),
	ARRAY(struct run_write, ranges, nr_ranges, "ranges", pages_fields),
};
static const struct fields write_fields = FIELDS(struct run_write, write_rows);

static const struct field trial_array_rows[] = {
	{ .name = "array", .type = FIELD_U32, .offset = 0, ROW_OF(arrays) },
};
static const struct fields trial_array_fields = FIELDS(uint32_t, trial_array_rows);

static const struct field trial_rows[] = {
	FIELD(struct run_trial, remedy, "remedy"),
	ARRAY(struct run_trial, arrays, nr_arrays, "arrays", trial_array_fields),
	FIELD(struct run_trial, pairs, "pairs"),
	FIELD(struct run_trial, gain, "gain", .rule = RULE_UNKNOWN),
	FIELD(struct run_trial, half_width, "half_width", .rule = RULE_UNKNOWN),
	FIELD(struct run_trial, before_ns, "before_ns", .rule = RULE_SIZE),
	FIELD(struct run_trial, after_ns, "after_ns", .rule = RULE_SIZE),
	FIELD(struct run_trial, executions, "executions"),
	FIELD(struct run_trial, pages, "pages"),
	FIELD(struct run_trial, unmoved, "unmoved"),
	FIELD(struct run_trial, not_back, "not_back"),
	FIELD(struct run_trial, moving_ns, "moving_ns", .rule = RULE_SIZE),
	FIELD(struct run_trial, why, "why", OPTIONAL),
	FIELD(struct run_trial, threads, "threads"),
};
static const struct fields trial_fields = FIELDS(struct run_trial, trial_rows);

static const struct field phase_rows[] = {
	FIELD(struct run_phase_found, number, "number"),
	FIELD(struct run_phase_found, here, "here"),
	NAMED(struct run_phase_found, method, "method", methods),
	FIELD(struct run_phase_found, region, "region", ROW_OR_NONE(regions)),
	FIELD(struct run_phase_found, executions, "executions"),
	FIELD(struct run_phase_found, wall_ns, "wall_ns", .rule = RULE_SIZE),
};
static const struct fields phase_fields = FIELDS(struct run_phase_found, phase_rows);

static const struct field interval_rows[] = {
	NAMED(struct run_interval, kind, "kind", interval_kinds),
	FIELD(struct run_interval, name, "name"),
	FIELD(struct run_interval, executions, "executions"),
	FIELD(struct run_interval, first, "first"),
	FIELD(struct run_interval, last, "last"),
	FIELD(struct run_interval, wall_ns, "wall_ns", .rule = RULE_SIZE),
	FIELD(struct run_interval, open, "open"),
	FIELD(struct run_interval, parents, "parents"),
};
static const struct fields interval_fields = FIELDS(struct run_interval, interval_rows);

static const struct field miss_rows[] = {
	FIELD(struct run_misses, reads, "reads"),
	FIELD(struct run_misses, writes, "writes"),
	FIELD(struct run_misses, l1, "l1"),
	FIELD(struct run_misses, l2, "l2"),
	FIELD(struct run_misses, l3, "l3"),
	FIELD(struct run_misses, cold, "cold"),
	FIELD(struct run_misses, capacity, "capacity"),
	FIELD(struct run_misses, conflict, "conflict"),
	FIELD(struct run_misses, true_sharing, "true_sharing"),
	FIELD(struct run_misses, false_sharing, "false_sharing"),
	FIELD(struct run_misses, local, "local"),
	FIELD(struct run_misses, remote, "remote"),
	FIELD(struct run_misses, transfers, "transfers"),
	FIELD(struct run_misses, prefetched, "prefetched"),
	FIELD(struct run_misses, prefetches, "prefetches"),
	FIELD(struct run_misses, write_backs, "write_backs"),
	FIELD(struct run_misses, page_walks, "page_walks"),
	FIELD(struct run_misses, fetched, "fetched"),
	FIELD(struct run_misses, used, "used"),
	FIELD(struct run_misses, cycles, "cycles"),
};
static const struct fields miss_fields = FIELDS(struct run_misses, miss_rows);

static const struct field access_rows[] = {
	FIELD(struct run_access, array, "array", ROW_OR_NONE(arrays)),
	FIELD(struct run_access, region, "region", ROW_OF(regions)),
	INSIDE(struct run_access, address, "address", address_fields),
	FIELD(struct run_access, bytes, "bytes"),
	FIELD(struct run_access, reads, "reads"),
	FIELD(struct run_access, writes, "writes"),
	FIELD(struct run_access, executions, "executions"),
	FIELD(struct run_access, threads, "threads"),
	FIELD(struct run_access, least, "least"),
	FIELD(struct run_access, most, "most"),
	FIELD(struct run_access, stride, "stride"),
	FIELD(struct run_access, with_stride, "with_stride", .rule = RULE_SIZE),
	INSIDE(struct run_access, source, "source", source_fields, OPTIONAL),
	FIELD(struct run_access, loop, "loop", ROW_OF(regions), .since = 13),
	INSIDE(struct run_access, misses, "misses", miss_fields, .since = 15),
	FIELD(struct run_access, site, "site", .since = 22),
	FIELD(struct run_access, carried, "carried", .since = 28),
	FIELD(struct run_access, regular, "regular", .rule = RULE_SIZE, .since = 32),
	FIELD(struct run_access, start, "start", .since = 41),
	FIELD(struct run_access, unrolled, "unrolled", .since = 41),
};
static const struct fields access_fields = FIELDS(struct run_access, access_rows);

static const struct field sharing_rows[] = {
	FIELD(struct run_sharing, array, "array", ROW_OF(arrays)),
	FIELD(struct run_sharing, region, "region", ROW_OF(regions)),
	FIELD(struct run_sharing, executions, "executions"),
	FIELD(struct run_sharing, lines, "lines"),
	FIELD(struct run_sharing, same_lines, "same_lines"),
	FIELD(struct run_sharing, accesses, "accesses"),
	FIELD(struct run_sharing, threads, "threads"),
};
static const struct fields sharing_fields = FIELDS(struct run_sharing, sharing_rows);

static const struct field setting_rows[] = {
	FIELD(struct run_setting, name, "name"),
	FIELD(struct run_setting, value, "value"),
};
static const struct fields setting_fields = FIELDS(struct run_setting, setting_rows);

static const struct field variable_rows[] = {
	FIELD(struct run_variable, name, "name"),
	FIELD(struct run_variable, value, "value"),
};
static const struct fields variable_fields = FIELDS(struct run_variable, variable_rows);

static const struct field step_rows[] = {
	FIELD(struct run_step, executions, "executions"),
	FIELD(struct run_step, recorded, "recorded"),
	FIELD(struct run_step, wall_ns, "wall_ns", .rule = RULE_SIZE),
	FIELD(struct run_step, min_ns, "min_ns", .rule = RULE_SIZE),
	FIELD(struct run_step, max_ns, "max_ns", .rule = RULE_SIZE),
};
static const struct fields step_fields = FIELDS(struct run_step, step_rows);

static const struct field run_rows[] = {
	FIELD(struct run, program, "program", OPTIONAL),
	FIELD(struct run, command, "command"),
	FIELD(struct run, runtime, "runtime"),
	FIELD(struct run, runtime_swapped, "runtime_swapped"),
	FIELD(struct run, pid, "pid"),
	FIELD(struct run, start_realtime_ns, "start_realtime_ns"),
	FIELD(struct run, threads, "threads"),
	FIELD(struct run, complete, "complete"),
	FIELD(struct run, strategy, "strategy"),
	FIELD(struct run, machine.host_name, "host_name"),
	FIELD(struct run, machine.cpu_model, "cpu_model"),
	FIELD(struct run, machine.kernel, "kernel"),
	FIELD(struct run, machine.cpus, "cpus"),
	FIELD(struct run, machine.cpus_online, "cpus_online"),
	FIELD(struct run, machine.nodes, "nodes"),
	FIELD(struct run, machine.memory_bytes, "memory_bytes"),
	NAMED(struct run, phase.method, "phase_method", methods),
	FIELD(struct run, phase.region, "phase_region", ROW_OR_NONE(regions)),
	FIELD(struct run, phase.executions, "phase_executions"),
	FIELD(struct run, phase.wall_ns, "phase_wall_ns", .rule = RULE_SIZE),
	FIELD(struct run, phase.min_ns, "phase_min_ns", .rule = RULE_SIZE),
	FIELD(struct run, phase.max_ns, "phase_max_ns", .rule = RULE_SIZE),
	FIELD(struct run, phase.note, "phase_note", OPTIONAL),
	FIELD(struct run, cost.tool_cpu_ns, "tool_cpu_ns", .rule = RULE_SIZE),
	FIELD(struct run, cost.program_wall_ns, "program_wall_ns", .rule = RULE_SIZE),
	FIELD(struct run, cost.program_cpu_ns, "program_cpu_ns", .rule = RULE_SIZE),
	FIELD(struct run, cost.slowdown, "slowdown", .rule = RULE_UNKNOWN),
	FIELD(struct run, cost.experiments, "experiments"),
	FIELD(struct run, cost.counters_possible, "counters_possible"),
	FIELD(struct run, cost.counters_used, "counters_used"),
	FIELD(struct run, cost.samples_possible, "samples_possible"),
	FIELD(struct run, cost.samples_used, "samples_used"),
	FIELD(struct run, cost.record_bytes, "record_bytes"),
	FIELD(struct run, cost.limit, "overhead_limit", .rule = RULE_SIZE),
	FIELD(struct run, cost.limit_bound, "overhead_limit_bound"),
	FIELD(struct run, time_seen, "time_seen", .rule = RULE_SIZE),
	FIELD(struct run, restarts_would_help, "restarts_would_help", .since = 2),
	FIELD(struct run, restarts, "restarts", .since = 2),
	FIELD(struct run, phase.executions_read, "phase_executions_read", .since = 3),
	FIELD(struct run, counting.backend, "counters_backend", OPTIONAL, .since = 5),
	FIELD(struct run, counting.table, "counters_table", OPTIONAL, .since = 5),
	FIELD(struct run, counting.at_once, "counters_at_once", .since = 5),
	FIELD(struct run, counting.sets, "counters_sets", .since = 5),
	FIELD(struct run, machine.attainable_bandwidth, "attainable_bandwidth", .rule = RULE_SIZE,
	      .since = 6),
	FIELD(struct run, machine.single_bandwidth, "single_bandwidth", .rule = RULE_SIZE,
	      .since = 6),
	FIELD(struct run, machine.bandwidth_spread, "bandwidth_spread", .rule = RULE_SIZE,
	      .since = 6),
	FIELD(struct run, machine.bandwidth_measured, "bandwidth_measured", .since = 6),
	FIELD(struct run, touching.page_bytes, "touching_page_bytes", .since = 8),
	FIELD(struct run, touching.faults, "touching_faults", .since = 8),
	FIELD(struct run, touching.lost, "touching_lost", .since = 8),
	FIELD(struct run, touching.nobodys, "touching_nobodys", .since = 8),
	FIELD(struct run, touching.read_ns, "touching_read_ns", .rule = RULE_SIZE, .since = 8),
	FIELD(struct run, modelled.name, "modelled_machine", OPTIONAL, .since = 14),
	FIELD(struct run, modelled.title, "modelled_title", OPTIONAL, .since = 14),
	FIELD(struct run, modelled.early_windows, "modelled_early_windows", .since = 14),
	FIELD(struct run, modelled.lost_teams, "modelled_lost_teams", .since = 14),
	FIELD(struct run, modelled.lost_accesses, "modelled_lost_accesses", .since = 14),
	FIELD(struct run, modelled.cores, "modelled_cores", .since = 15),
	FIELD(struct run, modelled.nodes, "modelled_nodes", .since = 15),
	FIELD(struct run, modelled.line, "modelled_line", .since = 15),
	FIELD(struct run, modelled.here, "modelled_here", .since = 15),
	FIELD(struct run, modelled.levels, "modelled_levels", .since = 16),
	FIELD(struct run, modelled.lost_lines, "modelled_lost_lines", .since = 16),
	FIELD(struct run, modelled.pages, "modelled_pages", .since = 17),
	FIELD(struct run, modelled.pages_placed, "modelled_pages_placed", .since = 17),
	FIELD(struct run, modelled.one_in, "modelled_one_in", .since = 18),
	FIELD(struct run, machine.cache_bytes, "cache_bytes", .since = 19),
	FIELD(struct run, touching.others, "touching_others", .since = 20),
	FIELD(struct run, cost.memory_bytes, "tool_memory_bytes", .since = 21),
	FIELD(struct run, sweep.unprofiled_ns, "sweep_unprofiled_ns", .rule = RULE_SIZE,
	      .since = 23),
	FIELD(struct run, sweep.profiled_ns, "sweep_profiled_ns", .rule = RULE_SIZE, .since = 23),
	FIELD(struct run, sweep.position, "sweep_position", .since = 23),
	FIELD(struct run, modelled.basis, "modelled_basis", .since = 24),
	FIELD(struct run, modelled.steps, "modelled_steps", .since = 25),
	FIELD(struct run, modelled.lines_recorded, "modelled_lines_recorded", .since = 27),
	FIELD(struct run, omp_places, "omp_places", OPTIONAL, .since = 27),
	FIELD(struct run, omp_proc_bind, "omp_proc_bind", OPTIONAL, .since = 27),
	FIELD(struct run, placing.why, "placing_why", OPTIONAL, .since = 29),
	FIELD(struct run, placing.page_bytes, "placing_page_bytes", .since = 29),
	FIELD(struct run, placing.asked, "placing_asked", .since = 29),
	FIELD(struct run, placing.ns, "placing_ns", .rule = RULE_SIZE, .since = 29),
	FIELD(struct run, placing.balancing, "placing_balancing", .since = 29),
	FIELD(struct run, cost.before_ns, "before_ns", .rule = RULE_SIZE, .since = 31),
	FIELD(struct run, cost.run_delay_ns, "run_delay_ns", .rule = RULE_SIZE, .since = 35),
	FIELD(struct run, phase.kept_before, "phase_kept_before", .since = 35),
	FIELD(struct run, cost.others_cpu_ns, "others_cpu_ns", .rule = RULE_SIZE, .since = 37),
	FIELD(struct run, phase.kept_until, "phase_kept_until", .since = 38),
	FIELD(struct run, phase.before_ns, "phase_before_ns", .rule = RULE_SIZE, .since = 38),
	FIELD(struct run, trying.asked, "trying_asked", .since = 38),
	FIELD(struct run, trying.why, "trying_why", OPTIONAL, .since = 38),
	FIELD(struct run, trying.policy, "trying_policy", OPTIONAL, .since = 38),
	FIELD(struct run, trying.lines, "trying_lines", .since = 38),
	FIELD(struct run, trying.remote, "trying_remote", .since = 38),
	FIELD(struct run, machine.atomic_ns, "atomic_ns", .rule = RULE_SIZE, .since = 40),
	FIELD(struct run, machine.cycle_ns, "cycle_ns", .rule = RULE_SIZE, .since = 41),
	FIELD(struct run, writing.page_bytes, "writing_page_bytes", .since = 43),
	FIELD(struct run, writing.why, "writing_why", OPTIONAL, .since = 43),
	FIELD(struct run, writing.threads, "writing_threads", OPTIONAL, .since = 43),
	FIELD(struct run, writing.executions, "writing_executions", .since = 43),
	FIELD(struct run, writing.watched, "writing_watched", .since = 43),
	FIELD(struct run, writing.ns, "writing_ns", .rule = RULE_SIZE, .since = 43),
};
const struct fields run_fields = FIELDS(struct run, run_rows);

#define TABLE(label, number, rows, ...) \
	{ .name = #label, \
	  .id = number, \
	  .fields = &rows, \
	  .items = offsetof(struct run, label), \
	  .nr = offsetof(struct run, nr_##label), \
	  .room = offsetof(struct run, room_##label), \
	  __VA_ARGS__ }

const struct run_table run_tables[] = {
	TABLE(modules, 16, module_fields),
	TABLE(regions, 17, region_fields),
	TABLE(measurements, 18, measurement_fields),
	TABLE(missing, 19, missing_fields),
	TABLE(hotspots, 20, hotspot_fields),
	TABLE(nodes, 21, node_fields),
	TABLE(dropped, 22, dropped_fields),
	TABLE(sensors, 23, sensor_fields, .since = 2),
	TABLE(counters, 24, counter_fields, .since = 5),
	TABLE(places, 25, place_fields, .since = 7),
	TABLE(arrays, 26, array_fields, .since = 8),
	TABLE(touches, 27, touch_fields, .since = 8),
	TABLE(accesses, 28, access_fields, .since = 10),
	TABLE(sharings, 29, sharing_fields, .since = 11),
	TABLE(settings, 30, setting_fields, .since = 23),
	TABLE(placements, 31, placement_fields, .since = 29),
	TABLE(node_memory, 32, node_memory_fields, .since = 30),
	TABLE(trials, 33, trial_fields, .since = 38),
	TABLE(phases, 34, phase_fields, .since = 39),
	TABLE(writes, 35, write_fields, .since = 43),
	TABLE(intervals, 36, interval_fields, .since = 43),
	TABLE(variables, 37, variable_fields, .since = 46),
	TABLE(steps, 38, step_fields, .since = 46),
};
const size_t nr_run_tables = NR(run_tables);

struct run_table_view run_table_of(const struct run_table *table, const struct run *run)
{
	char *base = (char *)run;

	return (struct run_table_view){ (void **)(base + table->items),
					(size_t *)(base + table->nr),
					(size_t *)(base + table->room) };
}

uint32_t field_names_value(const struct field_names *names, const char *name)
{
	for (uint32_t value = 0; name && value < names->nr; value++)
		if (!strcmp(names->name(value), name))
			return value;
	return names->fallback;
}
