/* SPDX-License-Identifier: Apache-2.0 */
/* Page maps: a character, or a JSON object, for each block of pages. */
#include "analysis/numa/print_map.h"

#include "analysis/numa/page_map.h"
#include "analysis/numa/print.h"
#include "analysis/record/run.h"
#include "analysis/report/array_names.h"
#include "analysis/report/json.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

static const char *const colours[] = { "32", "33", "36", "35", "34", "31", "92", "93" };

static char digit_of(uint32_t node)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-";

	return node == NUMA_NOBODY         ? '.'
	       : node == NUMA_SEVERAL      ? '*'
	       : node == NUMA_UNKNOWN      ? '?'
	       : node < sizeof(digits) - 1 ? digits[node]
					   : '#';
}

char numa_site_letter(uint32_t site)
{
	return site == NUMA_NOBODY    ? '.'
	       : site == NUMA_SEVERAL ? '*'
	       : site == NUMA_UNKNOWN ? '?'
	       : site < 26            ? (char)('a' + site)
				      : '+';
}

static void print_node(struct text *out, const struct numa_options *options, uint32_t node)
{
	bool coloured = options->colour && node < NUMA_UNKNOWN;

	if (coloured)
		text_printf(out, "\033[%sm", colours[node % (sizeof(colours) / sizeof(*colours))]);
	text_printf(out, "%c", digit_of(node));
	if (coloured)
		text_add(out, "\033[0m");
}

void numa_print_row(struct text *out, const struct numa_options *options,
		    const struct numa_map *map, const char *label, enum numa_row row)
{
	text_printf(out, "%*s%-*s", NUMA_INDENT, "", NUMA_LABEL, label);
	for (size_t i = 0; i < map->nr; i++) {
		const struct numa_block *block = &map->blocks[i];

		if (row == NUMA_ROW_SITES)
			text_printf(out, "%c", numa_site_letter(block->site));
		else if (row == NUMA_ROW_THREADS)
			text_printf(out, "%c", digit_of(block->thread));
		else
			print_node(out, options, row == NUMA_ROW_HOMES ? block->home : block->user);
	}
	text_add(out, "\n");
}

void numa_print_scale(struct text *out, const struct numa_map *map, uint64_t page_bytes)
{
	text_printf(out, "%*s", NUMA_INDENT + NUMA_LABEL, "");
	units_bytes(out, map->block_pages * (double)page_bytes);
	text_add(out, " a character\n");
}

void numa_print_item(struct text *out, const struct numa_options *options, const char *label,
		     const char *words)
{
	if (!words)
		return;
	text_printf(out, "%*s%-*s", NUMA_INDENT, "", NUMA_LABEL, label);
	text_wrap(out, words, NUMA_INDENT + NUMA_LABEL, options->width);
	text_add(out, "\n");
}

static void put_node(struct json *json, const char *key, uint32_t node)
{
	if (node == NUMA_NOBODY)
		json_null(json, key);
	else if (node == NUMA_SEVERAL)
		json_string(json, key, "several");
	else if (node == NUMA_UNKNOWN)
		json_string(json, key, "unknown");
	else
		json_unsigned(json, key, node);
}

void numa_put_array(struct json *json, const struct run *run, uint32_t array)
{
	const struct run_array *of = &run->arrays[array];

	json_unsigned(json, "id", array);
	json_string(json, "name", arrays_name(json->out->arena, run, of));
	json_string(json, "kind", of->kind);
	json_unsigned(json, "bytes", of->bytes);
}

static void put_block(struct json *json, const struct numa_block *block, enum numa_map_of of)
{
	json_open(json, NULL, '{');
	json_unsigned(json, "pages", block->pages);
	if (of == NUMA_MAP_WRITTEN) {
		put_node(json, "written_by", block->thread);
		put_node(json, "written_on", block->user);
	} else {
		put_node(json, "on", block->home);
	}
	if (of == NUMA_MAP_USED) {
		put_node(json, "used_by", block->user);
		put_node(json, "first_touch", block->site);
		put_node(json, "first_thread", block->thread);
	}
	json_close(json);
}

void numa_put_map(struct json *json, const struct numa_map *map, uint64_t page_bytes,
		  enum numa_map_of of)
{
	json_open(json, "page_map", '{');
	json_unsigned(json, "page_bytes", page_bytes);
	json_number(json, "pages_a_block", map->block_pages);
	json_open(json, "blocks", '[');
	for (size_t i = 0; i < map->nr; i++)
		put_block(json, &map->blocks[i], of);
	json_close(json);
	json_close(json);
}
