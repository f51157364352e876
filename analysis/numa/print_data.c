/* SPDX-License-Identifier: Apache-2.0 */
/* The ranking for programs: JSON and CSV. */
#include <math.h>

#include "analysis/numa/measured_pages.h"
#include "analysis/numa/page_map.h"
#include "analysis/numa/print.h"
#include "analysis/numa/print_map.h"
#include "analysis/numa/print_measured.h"
#include "analysis/numa/print_writes.h"
#include "analysis/numa/page_ranges.h"
#include "analysis/numa/ranking.h"
#include "analysis/numa/written_pages.h"
#include "analysis/report/array_names.h"
#include "analysis/report/arrays.h"
#include "analysis/report/emitter.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"
#include "analysis/report/report.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "analysis/simulation/page_use.h"

static double part(uint64_t of, uint64_t all)
{
	return all ? (double)of / (double)all : NAN;
}

/* ------------------------------------------------------------------ fields */

struct array_row {
	struct arena *arena;
	const struct numa_ranking *ranking;
	const struct numa_array *of;
	const struct run_array *array;
	size_t rank;                                /* 0: measured only */
	const struct numa_measured_array *measured; /* NULL: its pages are not known */
	const struct numa_written *written;         /* NULL: none of its pages was watched */
};

/* NAN where nothing was measured. */
#define PAGES(row, kind) ((row)->measured ? (double)(row)->measured->kind : NAN)
#define WRITES(row, kind) ((row)->written ? (double)(row)->written->kind : NAN)

/* clang-format off */
#define ARRAY_FIELDS(X) \
	X(NUMBER, "rank", "rank", NULL, NULL, row->rank ? (double)row->rank : NAN) \
	X(NUMBER, "id", NULL, NULL, NULL, row->of->array) \
	X(STRING, "name", "array", NULL, NULL, arrays_name(row->arena, row->ranking->run, row->array)) \
	X(STRING, "kind", "kind", NULL, NULL, row->array->kind) \
	X(NUMBER, "bytes", "bytes", NULL, NULL, row->array->bytes) \
	X(NUMBER, "lines", "lines", NULL, NULL, row->rank ? (double)row->of->lines : NAN) \
	X(NUMBER, "remote_lines", "remote_lines", NULL, NULL, row->rank ? (double)row->of->remote : NAN) \
	X(NUMBER, "remote_share", "remote_share", NULL, NULL, part(row->of->remote, row->of->lines)) \
	X(NUMBER, "share_of_remote", "share_of_remote", NULL, NULL, part(row->of->remote, row->ranking->remote)) \
	X(NUMBER, "stall_share", "stall_share", NULL, NULL, row->of->stalls) \
	X(NUMBER, "remote_stall_share", "remote_stall_share", NULL, NULL, row->of->remote_stalls) \
	X(NUMBER, "sampled_remote_share", NULL, NULL, NULL, row->of->sampled) \
	X(STRING, "pattern", "pattern", NULL, NULL, row->rank ? numa_pattern_name(row->of->pattern) : NULL) \
	X(STRING, NULL, "first_touch", NULL, NULL, row->of->touched) \
	X(STRING, "used_at", "used_at", NULL, NULL, row->of->used) \
	X(STRING, "advice", "advice", NULL, NULL, row->of->advice) \
	X(NUMBER, NULL, "measured_pages", NULL, NULL, PAGES(row, pages)) \
	X(NUMBER, NULL, "measured_untouched", NULL, NULL, PAGES(row, untouched)) \
	X(NUMBER, NULL, "measured_unmapped", NULL, NULL, PAGES(row, unmapped)) \
	X(NUMBER, NULL, "measured_unknown", NULL, NULL, PAGES(row, unknown)) \
	X(STRING, NULL, "measured_by_node", NULL, NULL, numa_measured_by_node(row->arena, row->ranking->measured, row->measured)) \
	X(NUMBER, NULL, "written_pages", NULL, NULL, WRITES(row, written)) \
	X(NUMBER, NULL, "unwritten_pages", NULL, NULL, WRITES(row, unwritten)) \
	X(STRING, NULL, "written_by_thread", NULL, NULL, numa_written_by_thread(row->arena, row->written)) \
	X(STRING, NULL, "written_pattern", NULL, NULL, row->written ? row->written->pattern : NULL) \
	X(NUMBER, NULL, "written_remote", NULL, NULL, row->written && row->written->compared ? WRITES(row, remote) : NAN)
/* clang-format on */
EMIT_LIST(array_fields, struct array_row, ARRAY_FIELDS)

static const struct numa_measured_array *measured_of(const struct numa_ranking *ranking,
						     uint32_t array)
{
	const struct numa_measured *measured = ranking->measured;

	for (size_t i = 0; measured && i < measured->nr; i++)
		if (measured->arrays[i].array == array)
			return &measured->arrays[i];
	return NULL;
}

static const struct numa_written *written_of(const struct numa_ranking *ranking, uint32_t array)
{
	const struct numa_writes *writes = ranking->writes;

	for (size_t i = 0; writes && i < writes->nr; i++)
		if (writes->arrays[i].array == array)
			return &writes->arrays[i];
	return NULL;
}

static struct array_row array_row(struct arena *arena, const struct numa_ranking *ranking,
				  const struct numa_array *of, size_t rank)
{
	return (struct array_row){ arena,
				   ranking,
				   of,
				   &ranking->run->arrays[of->array],
				   rank,
				   measured_of(ranking, of->array),
				   written_of(ranking, of->array) };
}

/* ------------------------------------------------------------------ JSON */

static void put_source(struct json *json, const struct touch_group *touch)
{
	const struct source *source = touch->before ? NULL : touch->source;

	json_string(json, "function", touch->source ? touch->source->function : NULL);
	json_string(json, "file", source ? source->file : NULL);
	if (source && source->line)
		json_unsigned(json, "line", (uint64_t)source->line);
	else
		json_null(json, "line");
}

static void put_region(struct json *json, const struct run *run, uint32_t region)
{
	struct arena *arena = json->out->arena;
	const char *const *functions;
	size_t nr = region == MS_REGION_NONE ? 0
					     : finding_functions(arena, run, region, &functions);

	if (region == MS_REGION_NONE)
		json_null(json, "region");
	else
		json_unsigned(json, "region", region);
	json_string(json, "place",
		    region == MS_REGION_NONE ? NULL : finding_place(arena, run, region));
	json_open(json, "call_path", '[');
	for (size_t i = 0; i < nr; i++)
		json_string(json, NULL, functions[i]);
	json_close(json);
}

static void put_numbers(struct json *json, const char *name, const uint32_t *numbers, size_t nr)
{
	json_open(json, name, '[');
	for (size_t i = 0; i < nr; i++)
		json_unsigned(json, NULL, numbers[i]);
	json_close(json);
}

/* `key` NULL: an item of a list. */
static void put_touch(struct json *json, const char *key, const struct run *run,
		      const struct touch_group *touch, uint64_t all)
{
	json_open(json, key, '{');
	json_number(json, "share", part(touch->bytes, all));
	json_bool(json, "before_memsearch", touch->before);
	json_bool(json, "by_kernel", touch->by_kernel);
	put_source(json, touch);
	put_region(json, run, touch->region);
	put_numbers(json, "threads", touch->threads, touch->nr_threads);
	json_close(json);
}

static void put_touches(struct json *json, const struct numa_ranking *ranking,
			const struct numa_array *of)
{
	const struct arrays_view *view = ranking->view;
	uint32_t array = run_array_declared(ranking->run->arrays, of->array);
	uint64_t all = arrays_touched(view, array);

	if (of->touch)
		put_touch(json, "first_touch", ranking->run, of->touch, all);
	else
		json_null(json, "first_touch");
	json_open(json, "first_touches", '[');
	for (size_t i = view->first[array]; i < view->first[array + 1]; i++)
		put_touch(json, NULL, ranking->run, &view->groups[i], all);
	json_close(json);
}

/* The first touch of a range, one thread's; NULL: not known. */
static void put_range_touch(struct json *json, const struct numa_ranking *ranking,
			    const struct run_touch *touch)
{
	const struct touch_group *group = touch ? arrays_group(ranking->view, touch) : NULL;

	if (!group) {
		json_null(json, "first_touch");
		return;
	}
	json_open(json, "first_touch", '{');
	json_unsigned(
		json, "number",
		(uint64_t)(group - &ranking->view->groups[ranking->view->first[touch->array]]));
	if (touch->thread == RUN_THREAD_UNKNOWN)
		json_null(json, "thread");
	else
		json_unsigned(json, "thread", touch->thread);
	json_number(json, "node", numa_node_of_thread(ranking, touch->thread));
	put_source(json, group);
	json_close(json);
}

static void put_ranges(struct json *json, const struct numa_ranking *ranking,
		       const struct numa_array *of)
{
	struct numa_ranges ranges;

	numa_ranges(json->out->arena, ranking, of, &ranges);
	json_open(json, "page_ranges", '[');
	for (size_t i = 0; i < ranges.nr; i++) {
		const struct numa_range *range = &ranges.items[i];

		json_open(json, NULL, '{');
		json_unsigned(json, "first_byte", range->offset);
		json_unsigned(json, "pages", range->pages);
		json_unsigned(json, "on", range->home);
		json_open(json, "lines_to", '[');
		for (uint32_t node = 0; node < ranking->uses->nodes; node++)
			json_unsigned(json, NULL, range->lines[node]);
		json_close(json);
		put_range_touch(json, ranking, range->touch);
		json_close(json);
	}
	json_close(json);
	json_unsigned(json, "pages_left_out", ranges.left_out);
}

static void put_matrix(struct json *json, const struct numa_array *of, uint32_t nodes)
{
	json_open(json, "lines_to_from", '[');
	for (uint32_t from = 0; from < nodes; from++) {
		json_open(json, NULL, '[');
		for (uint32_t to = 0; to < nodes; to++)
			json_unsigned(json, NULL, of->matrix[(size_t)from * nodes + to]);
		json_close(json);
	}
	json_close(json);
}

static void put_array(struct json *json, const struct numa_ranking *ranking,
		      const struct numa_options *options, size_t i)
{
	struct array_row row = array_row(json->out->arena, ranking, &ranking->arrays[i], i + 1);
	struct numa_map map;

	json_open(json, NULL, '{');
	emit_members(json, &array_fields, &row);
	put_touches(json, ranking, row.of);
	put_matrix(json, row.of, ranking->uses->nodes);
	numa_map(ranking, row.of, &map);
	numa_put_map(json, &map, ranking->uses->page_bytes, NUMA_MAP_USED);
	if (options->ranges)
		put_ranges(json, ranking, row.of);
	json_close(json);
}

void numa_json(struct text *out, const struct numa_ranking *ranking,
	       const struct numa_options *options)
{
	const struct run *run = ranking->run;
	const char *why = numa_why_none(out, ranking);
	struct json json;

	json_init(&json, out);
	json_open(&json, NULL, '{');
	json_string(&json, "schema", "memsearch-numa-1");
	json_string(&json, "program", report_program(run, options->brief));
	json_unsigned(&json, "threads", run->threads);
	json_string(&json, "machine", run->modelled.name);
	json_unsigned(&json, "nodes", run->modelled.nodes);
	json_string(&json, "placement", run->modelled.placement);
	json_string(&json, "missing", why);
	json_unsigned(&json, "lines", ranking->lines);
	json_unsigned(&json, "remote_lines", ranking->remote);
	json_open(&json, "arrays", '[');
	for (size_t i = 0; !why && i < ranking->nr; i++)
		put_array(&json, ranking, options, i);
	json_close(&json);
	numa_measured_json(&json, ranking->measured);
	numa_writes_json(&json, ranking->writes);
	json_close(&json);
}

/* ------------------------------------------------------------------ CSV */

static bool is_ranked(const struct numa_ranking *ranking, uint32_t array)
{
	for (size_t i = 0; i < ranking->nr; i++)
		if (ranking->arrays[i].array == array)
			return true;
	return false;
}

/* A row of an array without simulated lines. */
static void put_unranked(struct table *table, struct arena *arena,
			 const struct numa_ranking *ranking, uint32_t array)
{
	const struct numa_array none = {
		.array = array, .stalls = NAN, .remote_stalls = NAN, .sampled = NAN
	};
	struct array_row row = array_row(arena, ranking, &none, 0);

	emit_cells(table, EMIT_CSV, &array_fields, &row);
}

/* Arrays whose pages were queried or watched. */
static void put_measured_only(struct table *table, struct arena *arena,
			      const struct numa_ranking *ranking, bool none_ranked)
{
	const struct numa_measured *measured = ranking->measured;
	const struct numa_writes *writes = ranking->writes;

	for (size_t i = 0; measured && i < measured->nr; i++)
		if (none_ranked || !is_ranked(ranking, measured->arrays[i].array))
			put_unranked(table, arena, ranking, measured->arrays[i].array);
	for (size_t i = 0; writes && i < writes->nr; i++)
		if ((none_ranked || !is_ranked(ranking, writes->arrays[i].array)) &&
		    !measured_of(ranking, writes->arrays[i].array))
			put_unranked(table, arena, ranking, writes->arrays[i].array);
}

void numa_csv(struct text *out, const struct numa_ranking *ranking,
	      const struct numa_options *options)
{
	static const struct emit_list *const lists[] = { &array_fields, NULL };
	bool none = numa_why_none(out, ranking) != NULL;
	struct table table;

	(void)options;
	emit_columns(&table, out->arena, EMIT_CSV, lists);
	for (size_t i = 0; !none && i < ranking->nr; i++) {
		struct array_row row = array_row(out->arena, ranking, &ranking->arrays[i], i + 1);

		emit_cells(&table, EMIT_CSV, &array_fields, &row);
	}
	put_measured_only(&table, out->arena, ranking, none);
	table_print(out, &table, "csv");
}
