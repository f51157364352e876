/* SPDX-License-Identifier: Apache-2.0 */
/* The ranking for programs: JSON and CSV. */
#include <math.h>

#include "analysis/numa/page_map.h"
#include "analysis/numa/print.h"
#include "analysis/numa/ranking.h"
#include "analysis/report/arrays.h"
#include "analysis/report/csv.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"
#include "analysis/report/report.h"
#include "analysis/report/text.h"
#include "analysis/simulation/page_use.h"

static double part(uint64_t of, uint64_t all)
{
	return all ? (double)of / (double)all : NAN;
}

/* ------------------------------------------------------------------ JSON */

static void put_touch(struct json *json, const struct touch_group *touch, uint64_t all)
{
	if (!touch) {
		json_null(json, "first_touch");
		return;
	}
	json_open(json, "first_touch", '{');
	json_number(json, "share", part(touch->bytes, all));
	json_bool(json, "before_memsearch", touch->before);
	json_string(json, "function", touch->source ? touch->source->function : NULL);
	json_string(json, "file", touch->source && !touch->before ? touch->source->file : NULL);
	if (touch->source && touch->source->line && !touch->before)
		json_unsigned(json, "line", (uint64_t)touch->source->line);
	else
		json_null(json, "line");
	json_open(json, "threads", '[');
	for (size_t i = 0; i < touch->nr_threads; i++)
		json_unsigned(json, NULL, touch->threads[i]);
	json_close(json);
	json_close(json);
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

static void put_node(struct json *json, const char *key, uint32_t node)
{
	if (node == NUMA_NOBODY)
		json_null(json, key);
	else if (node == NUMA_SEVERAL)
		json_string(json, key, "several");
	else
		json_unsigned(json, key, node);
}

static void put_map(struct json *json, const struct numa_ranking *ranking, const struct numa_array *of)
{
	struct numa_map map;

	numa_map(ranking->uses, of, &map);
	json_open(json, "page_map", '{');
	json_unsigned(json, "page_bytes", ranking->uses->page_bytes);
	json_number(json, "pages_a_block", map.block_pages);
	json_open(json, "blocks", '[');
	for (size_t i = 0; i < map.nr; i++) {
		json_open(json, NULL, '{');
		json_unsigned(json, "pages", map.blocks[i].pages);
		put_node(json, "on", map.blocks[i].home);
		put_node(json, "used_by", map.blocks[i].user);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

static void put_array(struct json *json, const struct numa_ranking *ranking, const struct numa_array *of)
{
	const struct run_array *array = &ranking->run->arrays[of->array];

	json_open(json, NULL, '{');
	json_string(json, "name", arrays_name(json->out->arena, ranking->run, array));
	json_string(json, "kind", array->kind);
	json_unsigned(json, "bytes", array->bytes);
	json_unsigned(json, "lines", of->lines);
	json_unsigned(json, "remote_lines", of->remote);
	json_number(json, "remote_share", part(of->remote, of->lines));
	json_number(json, "share_of_remote", part(of->remote, ranking->remote));
	json_number(json, "stall_share", of->stalls);
	json_number(json, "remote_stall_share", of->remote_stalls);
	json_number(json, "sampled_remote_share", of->sampled);
	json_string(json, "pattern", numa_pattern_name(of->pattern));
	json_string(json, "used_at", of->used);
	put_touch(json, of->touch, arrays_touched(ranking->view, of->array));
	put_matrix(json, of, ranking->uses->nodes);
	json_string(json, "advice", of->advice);
	put_map(json, ranking, of);
	json_close(json);
}

void numa_json(struct text *out, const struct numa_ranking *ranking, const struct numa_options *options)
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
		put_array(&json, ranking, &ranking->arrays[i]);
	json_close(&json);
	json_close(&json);
}

/* ------------------------------------------------------------------ CSV */

void numa_csv(struct text *out, const struct numa_ranking *ranking, const struct numa_options *options)
{
	const struct run *run = ranking->run;

	(void)options;
	text_add(out, "rank,array,kind,bytes,lines,remote_lines,remote_share,share_of_remote,stall_share,remote_stall_share,pattern,first_touch,used_at,advice\n");
	for (size_t i = 0; !numa_why_none(out, ranking) && i < ranking->nr; i++) {
		const struct numa_array *of = &ranking->arrays[i];
		const struct run_array *array = &run->arrays[of->array];
		const double numbers[] = { (double)array->bytes, (double)of->lines, (double)of->remote, part(of->remote, of->lines), part(of->remote, ranking->remote), of->stalls,
					   of->remote_stalls };

		csv_number(out, 1, (double)i + 1);
		csv_string(out, 0, arrays_name(out->arena, run, array));
		csv_string(out, 0, array->kind);
		for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
			csv_number(out, 0, numbers[k]);
		csv_string(out, 0, numa_pattern_name(of->pattern));
		csv_string(out, 0, of->touched);
		csv_string(out, 0, of->used);
		csv_string(out, 0, of->advice);
		text_add(out, "\n");
	}
}
