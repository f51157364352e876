/* SPDX-License-Identifier: Apache-2.0 */
/* Pages on the machine that the program ran on, as text and JSON. */
#include "analysis/numa/print_measured.h"

#include <inttypes.h>
#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/numa/measured_pages.h"
#include "analysis/numa/measured_map.h"
#include "analysis/numa/page_map.h"
#include "analysis/numa/print.h"
#include "analysis/numa/print_map.h"
#include "analysis/report/array_names.h"
#include "analysis/report/json.h"
#include "analysis/report/finding.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define NOTED 0.005 /* smaller parts are not printed */
#define FILE_WORDS "of a file, or shared memory"

static double part(uint64_t of, uint64_t all)
{
	return all ? (double)of / (double)all : NAN;
}

static const char *pages_words(struct arena *arena, const struct numa_measured *measured,
			       uint64_t pages)
{
	return units_bytes_text(arena, (double)pages * (double)measured->run->placing.page_bytes);
}

/* ------------------------------------------------------------------ an array */

/* "node 0 75 %, node 1 25 %"; NULL: no page is on a node. */
static const char *nodes_words(struct arena *arena, const struct numa_measured *measured,
			       const uint64_t *pages, uint64_t placed)
{
	const char *words = NULL;

	for (uint32_t node = 0; node < measured->nodes; node++)
		if (pages[node])
			words = arena_printf(arena, "%s%snode %" PRIu32 " %s", words ? words : "",
					     words ? ", " : "", node,
					     units_share_text(arena, part(pages[node], placed)));
	return words;
}

static const char *with_part(struct arena *arena, const char *words, uint64_t pages, uint64_t all,
			     const char *what)
{
	double value = part(pages, all);

	if (!(value > NOTED))
		return words;
	return arena_printf(arena, "%s%s%s %s", words ? words : "", words ? "; " : "",
			    units_share_text(arena, value), what);
}

/* Pages that are on no node; NULL: none. */
static const char *others_words(struct arena *arena, const struct numa_measured_array *of)
{
	const char *words = with_part(arena, NULL, of->untouched, of->pages, "never written");

	words = with_part(arena, words, of->unmapped, of->pages, "no longer mapped");
	return with_part(arena, words, of->unknown, of->pages, "unknown");
}

static const char *moved_words(struct arena *arena, const struct numa_measured_array *of)
{
	return of->moved > NOTED
		       ? arena_printf(arena, "%s on another node than after execution %" PRIu64,
				      units_share_text(arena, of->moved), of->first->execution)
		       : NULL;
}

/*
 * A page that was brought to its user once is as it should be: more moves than pages that stayed where
 * they were brought are of pages that go back and forth.
 */
static const char *moves_words(struct arena *arena, const struct numa_measured_array *of)
{
	double settled = of->moved > 0 ? of->moved : 0;

	if (!(of->moves > settled + NOTED))
		return NULL;
	return arena_printf(arena,
			    "%.1f times a page, seen in %" PRIu64
			    " queries: pages go back and forth between nodes",
			    of->moves, of->last->queries);
}

static const char *kind_words(struct arena *arena, const struct numa_measured_array *of)
{
	const char *huge = of->huge > NOTED ? arena_printf(arena, "%s in huge pages",
							   units_share_text(arena, of->huge))
					    : NULL;

	if (!of->last->file)
		return huge;
	return huge ? arena_printf(arena, FILE_WORDS "; %s", huge) : FILE_WORDS;
}

static const char *when_words(struct arena *arena, const struct numa_measured_array *of)
{
	const char *sample = of->error > 0 ? arena_printf(arena,
							  "1 page in %" PRIu64
							  " (shares within %.1f points)",
							  of->last->every, 100 * of->error)
					   : NULL;

	if (of->last->at_end)
		return sample;
	return arena_printf(arena, "%s%safter execution %" PRIu64 ": it was freed later",
			    sample ? sample : "", sample ? ", " : "", of->last->execution);
}

static void print_array(struct text *out, const struct numa_measured *measured,
			const struct numa_measured_array *of, const struct numa_options *options,
			size_t number)
{
	const struct run_array *array = &measured->run->arrays[of->array];
	const char *nodes = nodes_words(out->arena, measured, of->nodes, of->placed);
	struct numa_map map;

	text_printf(out, "%3zu  %-24s %10s   %s\n", number,
		    arrays_name(out->arena, measured->run, array),
		    pages_words(out->arena, measured, of->pages), nodes ? nodes : "on no node");
	numa_print_item(out, options, "not placed", others_words(out->arena, of));
	numa_print_item(out, options, "moved", moved_words(out->arena, of));
	numa_print_item(out, options, "moves", moves_words(out->arena, of));
	numa_print_item(out, options, "pages", kind_words(out->arena, of));
	numa_print_item(out, options, "asked", when_words(out->arena, of));
	numa_measured_map(measured, of, &map);
	numa_print_row(out, options, &map, "pages on", NUMA_ROW_HOMES);
	numa_print_scale(out, &map, measured->run->placing.page_bytes);
}

/* ------------------------------------------------------------------ all */

/* "node 0 2 GiB (3 %), node 1 40 GiB (62 %)"; NULL: not known, as of records of earlier versions. */
static const char *free_words(struct arena *arena, const struct run *run)
{
	const char *words = NULL;

	for (size_t i = 0; i < run->nr_node_memory; i++) {
		const struct run_node_memory *of = &run->node_memory[i];

		words = arena_printf(arena, "%s%snode %" PRIu32 " %s (%s)", words ? words : "",
				     words ? ", " : "", of->node,
				     units_bytes_text(arena, (double)of->free_bytes),
				     units_share_text(arena, part(of->free_bytes, of->bytes)));
	}
	return words;
}

static void print_sum(struct text *out, const struct numa_measured *measured,
		      const struct numa_options *options)
{
	const struct run_placing *placing = &measured->run->placing;
	const char *nodes = nodes_words(out->arena, measured, measured->pages, measured->placed);
	const char *unused = free_words(out->arena, measured->run);
	struct text time;

	text_init(&time, out->arena);
	units_time(&time, placing->ns);
	text_wrap(
		out,
		nodes ? arena_printf(
				out->arena,
				"All arrays: %s on %s; imbalance %.2f (0: balanced, %u: all on one node).",
				pages_words(out->arena, measured, measured->placed), nodes,
				measured->imbalance, measured->run->machine.nodes - 1)
		      : "No page of an array is on a node.",
		0, options->width);
	text_add(out, "\n");
	text_wrap(
		out,
		arena_printf(
			out->arena,
			"The kernel was asked for %" PRIu64
			" pages in %s.%s Pages: *: of several nodes, .: never written, ?: unknown.",
			placing->asked, time.bytes ? time.bytes : "",
			placing->balancing
				? " Automatic NUMA balancing was on: pages move, and some are unknown."
				: ""),
		0, options->width);
	text_add(out, "\n");
	if (!unused)
		return;
	text_wrap(out,
		  arena_printf(out->arena, "Free memory when pages were asked for, at least: %s.",
			       unused),
		  0, options->width);
	text_add(out, "\n");
}

void numa_measured_text(struct text *out, const struct numa_measured *measured,
			const struct numa_options *options)
{
	const struct run *run = measured ? measured->run : NULL;

	if (!measured || (!measured->nr && !measured->why))
		return;
	text_add(out, "memsearch: ");
	text_add_plain(out, report_program(run, options->brief));
	text_printf(out, "   %" PRIu32 " thread%s on the machine it ran on", run->threads,
		    run->threads == 1 ? "" : "s");
	if (run->machine.nodes)
		text_printf(out, ", %" PRIu32 " NUMA node%s", run->machine.nodes,
			    run->machine.nodes == 1 ? "" : "s");
	text_add(out, "\n");
	if (measured->why) {
		text_wrap(out,
			  arena_printf(out->arena, "Nodes of pages %s: %s.",
				       measured->nr ? "are not complete" : "were not asked for",
				       measured->why),
			  0, options->width);
		text_add(out, "\n");
	}
	if (measured->nr)
		text_printf(out, "\n     %-24s %10s   %s\n", "array", "size", "pages on");
	for (size_t i = 0; i < measured->nr && (!options->most || i < options->most); i++)
		print_array(out, measured, &measured->arrays[i], options, i + 1);
	if (options->most && measured->nr > options->most)
		text_printf(out, "and %zu more: --most 0\n", measured->nr - options->most);
	if (measured->nr) {
		text_add(out, "\n");
		print_sum(out, measured, options);
	}
	text_add(out, "\n");
}

const char *numa_measured_by_node(struct arena *arena, const struct numa_measured *measured,
				  const struct numa_measured_array *of)
{
	const char *words = NULL;

	for (uint32_t node = 0; of && node < measured->nodes; node++)
		if (of->nodes[node])
			words = arena_printf(arena, "%s%s%" PRIu32 "=%" PRIu64, words ? words : "",
					     words ? " " : "", node, of->nodes[node]);
	return words;
}

/* ------------------------------------------------------------------ JSON */

static void put_pages(struct json *json, const struct numa_measured *measured,
		      const uint64_t *pages)
{
	json_open(json, "pages_by_node", '[');
	for (uint32_t node = 0; node < measured->nodes; node++)
		json_unsigned(json, NULL, pages[node]);
	json_close(json);
}

static void put_array(struct json *json, const struct numa_measured *measured,
		      const struct numa_measured_array *of)
{
	struct numa_map map;

	json_open(json, NULL, '{');
	numa_put_array(json, measured->run, of->array);
	json_unsigned(json, "pages", of->pages);
	json_unsigned(json, "placed", of->placed);
	json_unsigned(json, "untouched", of->untouched);
	json_unsigned(json, "unmapped", of->unmapped);
	json_unsigned(json, "unknown", of->unknown);
	put_pages(json, measured, of->nodes);
	json_unsigned(json, "one_page_in", of->last->every);
	json_number(json, "share_error", of->error);
	json_number(json, "moved_share", of->moved);
	json_number(json, "moves_per_page", of->moves);
	json_number(json, "huge_share", of->huge);
	json_bool(json, "file", of->last->file);
	json_bool(json, "at_end", of->last->at_end);
	json_unsigned(json, "execution", of->last->execution);
	numa_measured_map(measured, of, &map);
	numa_put_map(json, &map, measured->run->placing.page_bytes, NUMA_MAP_PLACED);
	json_close(json);
}

static void put_free(struct json *json, const struct run *run)
{
	json_open(json, "free_memory", '[');
	for (size_t i = 0; i < run->nr_node_memory; i++) {
		json_open(json, NULL, '{');
		json_unsigned(json, "node", run->node_memory[i].node);
		json_unsigned(json, "bytes", run->node_memory[i].bytes);
		json_unsigned(json, "free_bytes", run->node_memory[i].free_bytes);
		json_close(json);
	}
	json_close(json);
}

void numa_measured_json(struct json *json, const struct numa_measured *measured)
{
	const struct run_placing *placing = measured ? &measured->run->placing : NULL;

	if (!measured) {
		json_null(json, "measured");
		return;
	}
	json_open(json, "measured", '{');
	json_string(json, "missing", measured->why);
	json_unsigned(json, "nodes", measured->run->machine.nodes);
	json_unsigned(json, "page_bytes", placing->page_bytes);
	json_unsigned(json, "pages_asked", placing->asked);
	json_number(json, "ns", placing->ns);
	json_bool(json, "balancing", placing->balancing);
	put_pages(json, measured, measured->pages);
	json_number(json, "imbalance", measured->imbalance);
	put_free(json, measured->run);
	json_open(json, "arrays", '[');
	for (size_t i = 0; i < measured->nr; i++)
		put_array(json, measured, &measured->arrays[i]);
	json_close(json);
	json_close(json);
}
