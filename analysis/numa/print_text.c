/* SPDX-License-Identifier: Apache-2.0 */
/* The ranking as text: a line an array, its matrix, first touch, pattern, advice, and its pages. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/numa/page_map.h"
#include "analysis/numa/print.h"
#include "analysis/numa/print_map.h"
#include "analysis/numa/print_measured.h"
#include "analysis/numa/print_writes.h"
#include "analysis/numa/ranking.h"
#include "analysis/report/array_names.h"
#include "analysis/report/arrays.h"
#include "analysis/report/finding.h"
#include "analysis/report/report.h"
#include "analysis/report/source_words.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"
#include "analysis/simulation/page_use.h"

#define MATRIX_NODES 8 /* more are not printed as a table, but as pairs */
#define PAIRS 6
#define SMALL 0.01 /* of all remote lines: an array with less has no map */
/* first touches in words, and what they have of the array at least */
#define TOUCHES 6
#define SMALL_TOUCH 0.005
#define MOSTLY_SEEN 0.9 /* of an array, or its parts are said to be of what was seen */

struct writer {
	struct text *out;
	struct arena *arena;
	const struct numa_ranking *ranking;
	const struct numa_options *options;
};

const char *numa_why_none(struct text *out, const struct numa_ranking *ranking)
{
	const struct run *run = ranking->run;

	if (!run->modelled.name)
		return "no accesses were simulated: the record keeps none, or this machine cannot be modelled";
	if (run->modelled.nodes < 2)
		return arena_printf(
			out->arena,
			"machine '%s' has one NUMA node, so that nothing is remote on it; name one with several: memsearch numa --machine epyc-2s"
			" (memsearch machine --list)",
			run->modelled.name);
	return NULL;
}

/* ------------------------------------------------------------------ pages */

static void put_map(const struct writer *writer, const struct numa_array *of)
{
	const struct page_uses *uses = writer->ranking->uses;
	struct numa_map map;

	numa_map(writer->ranking, of, &map);
	if (numa_map_has_sites(&map))
		numa_print_row(writer->out, writer->options, &map, "touched at", NUMA_ROW_SITES);
	if (numa_map_has_threads(&map))
		numa_print_row(writer->out, writer->options, &map, "by thread", NUMA_ROW_THREADS);
	numa_print_row(writer->out, writer->options, &map, "pages on", NUMA_ROW_HOMES);
	numa_print_row(writer->out, writer->options, &map, "used by", NUMA_ROW_USERS);
	numa_print_scale(writer->out, &map, uses->page_bytes);
}

/* ------------------------------------------------------------------ matrix */

static uint64_t lines_at(const struct writer *writer, const struct numa_array *of, uint32_t from,
			 uint32_t to)
{
	return of->matrix[(size_t)from * writer->ranking->uses->nodes + to];
}

static bool is_used(const struct writer *writer, const struct numa_array *of, uint32_t node)
{
	for (uint32_t other = 0; other < writer->ranking->uses->nodes; other++)
		if (lines_at(writer, of, node, other) || lines_at(writer, of, other, node))
			return true;
	return false;
}

/* "node 1 from node 0: 1.05 M": the pairs of two nodes with most lines, and what is local. */
static void put_matrix(const struct writer *writer, const struct numa_array *of)
{
	uint32_t nodes = writer->ranking->uses->nodes;
	const char *label = "lines";

	for (uint32_t from = 0; from < nodes; from++) {
		bool first = true;

		if (!is_used(writer, of, from))
			continue;
		for (uint32_t to = 0; to < nodes; to++) {
			if (!lines_at(writer, of, from, to))
				continue;
			if (first)
				text_printf(writer->out, "%*s%-*sto node %" PRIu32 ":", NUMA_INDENT,
					    "", NUMA_LABEL, label, from);
			text_add(writer->out, " ");
			units_count(writer->out, (double)lines_at(writer, of, from, to));
			text_printf(writer->out,
				    from == to ? " of its own," : " of node %" PRIu32 ",", to);
			label = "";
			first = false;
		}
		if (!first) {
			writer->out->length--; /* the last comma */
			text_add(writer->out, "\n");
		}
	}
}

/* ------------------------------------------------------------------ an array */

static void item(const struct writer *writer, const char *label, const char *string)
{
	numa_print_item(writer->out, writer->options, label, string);
}

static const char *share(const struct writer *writer, double part)
{
	struct text text;

	text_init(&text, writer->arena);
	units_share(&text, part);
	return text.bytes ? text.bytes : "";
}

static const char *place_words(const struct writer *writer, const struct touch_group *group)
{
	const char *line = group->before ? NULL : arrays_line(writer->arena, group),
		   *function = line && group->source ? group->source->function : NULL;

	if (group->before)
		return " before memsearch came";
	return line ? arena_printf(
			      writer->arena, " %s%s%s%s", strncmp(line, "near ", 5) ? "at " : "",
			      line, function && *function ? " in " : "",
			      function && *function ? source_function(writer->arena, function) : "")
		    : "";
}

/* Those that are named: the first, and all with a notable part. */
static size_t named_touches(const struct touch_group *groups, size_t nr, uint64_t all)
{
	size_t named = 0;

	while (named < nr && named < TOUCHES &&
	       (!named || (double)groups[named].bytes >= SMALL_TOUCH * (double)all))
		named++;
	return named;
}

/* What the parts below are of. */
static void put_seen(struct text *text, const struct run *run, uint32_t array)
{
	double part = run_touched_part(run, array);

	if (!(part < MOSTLY_SEEN))
		return;
	text_add(text, "of ");
	units_share(text, part);
	text_add(text, " of the array, the rest was not seen: ");
}

/* Several have the letters of the map. */
static const char *touch_words(const struct writer *writer, const struct numa_array *of)
{
	const struct arrays_view *view = writer->ranking->view;
	uint32_t array = run_array_declared(writer->ranking->run->arrays, of->array);
	const struct touch_group *groups = &view->groups[view->first[array]];
	uint64_t all = arrays_touched(view, array);
	size_t nr = all ? named_touches(groups, view->first[array + 1] - view->first[array], all)
			: 0;
	struct text text;

	text_init(&text, writer->arena);
	if (nr)
		put_seen(&text, writer->ranking->run, array);
	for (size_t i = 0; i < nr; i++) {
		if (i)
			text_add(&text, "; ");
		if (nr > 1)
			text_printf(&text, "%c: ", numa_site_letter((uint32_t)i));
		units_share(&text, (double)groups[i].bytes / (double)all);
		text_printf(&text, " by %s%s", arrays_who(writer->arena, &groups[i], all),
			    place_words(writer, &groups[i]));
	}
	return nr ? text.bytes : "not seen";
}

static void put_array(const struct writer *writer, const struct numa_array *of)
{
	item(writer, "first touch", touch_words(writer, of));
	put_matrix(writer, of);
	item(writer, "pattern",
	     of->used ? arena_printf(writer->arena, "%s; most in the loop at %s",
				     numa_pattern_words(of->pattern), of->used)
		      : numa_pattern_words(of->pattern));
	if (isfinite(of->sampled))
		item(writer, "measured",
		     arena_printf(
			     writer->arena,
			     "%s of the sampled accesses to memory were remote on the machine it ran on",
			     share(writer, of->sampled)));
	item(writer, "advice", of->advice);
	put_map(writer, of);
}

static void put_line(const struct writer *writer, const struct numa_array *of, size_t number)
{
	const struct numa_ranking *ranking = writer->ranking;
	const struct run_array *array = &ranking->run->arrays[of->array];
	struct text bytes, lines;

	text_init(&bytes, writer->arena);
	units_bytes(&bytes, (double)array->bytes);
	text_init(&lines, writer->arena);
	units_count(&lines, (double)of->lines);
	text_printf(writer->out, "%3zu  %-24s %10s %9s %8s %14s %14s %8s\n", number,
		    arrays_name(writer->arena, ranking->run, array), bytes.bytes ? bytes.bytes : "",
		    lines.bytes ? lines.bytes : "",
		    share(writer, (double)of->remote / (double)of->lines),
		    ranking->remote ? share(writer, (double)of->remote / (double)ranking->remote)
				    : "-",
		    isfinite(of->stalls) ? share(writer, of->stalls) : "-",
		    isfinite(of->remote_stalls) ? share(writer, of->remote_stalls) : "-");
}

/* ------------------------------------------------------------------ all */

static void head(const struct writer *writer)
{
	const struct run *run = writer->ranking->run;
	const struct run_modelled *model = &run->modelled;

	text_add(writer->out, "memsearch: ");
	text_add_plain(writer->out, report_program(run, writer->options->brief));
	text_printf(writer->out,
		    "   %" PRIu32 " thread%s on the simulated machine %s, %" PRIu32 " NUMA nodes\n",
		    run->threads, run->threads == 1 ? "" : "s", model->name, model->nodes);
	if (model->placement) {
		text_wrap(writer->out, arena_printf(writer->arena, "(%s)", model->placement), 0,
			  writer->options->width);
		text_add(writer->out, "\n");
	}
}

static void answer(const struct writer *writer)
{
	const struct numa_ranking *ranking = writer->ranking;

	text_add(writer->out, "\n");
	if (!ranking->lines) {
		text_add(writer->out,
			 "No line comes from memory in the execution that was simulated.\n");
		return;
	}
	units_share(writer->out, (double)ranking->remote / (double)ranking->lines);
	text_add(writer->out, " of the ");
	units_count(writer->out, (double)ranking->lines);
	text_add(writer->out, " lines from memory come from another node.\n");
}

static void legend(const struct writer *writer)
{
	text_add(writer->out, "\n");
	text_wrap(
		writer->out,
		"lines: from memory, in the execution that was simulated, those of prefetchers included. remote: of another node; of all remote: of all arrays together. stalls: part of"
		" what all accesses wait if none overlapped; far: for other nodes' memory. Pages: the node that holds each block, and the node whose threads get nine tenths of its lines"
		" (*: several; .: none came from memory). Touched at: the line of the first touch, by its letter (?: not known).",
		0, writer->options->width);
	text_add(writer->out, "\n");
}

void numa_text(struct text *out, const struct numa_ranking *ranking,
	       const struct numa_options *options)
{
	const struct writer writer = { out, out->arena, ranking, options };
	const char *why = numa_why_none(out, ranking);

	numa_measured_text(out, ranking->measured, options);
	numa_writes_text(out, ranking->writes, options);
	if (why) {
		text_wrap(out, why, 0, options->width);
		text_add(out, "\n");
		return;
	}
	head(&writer);
	answer(&writer);
	if (!ranking->nr)
		return;
	text_printf(out, "\n     %-24s %10s %9s %8s %14s %14s %8s\n", "array", "size", "lines",
		    "remote", "of all remote", "stalls", "far");
	for (size_t i = 0; i < ranking->nr && (!options->most || i < options->most); i++) {
		const struct numa_array *of = &ranking->arrays[i];

		put_line(&writer, of, i + 1);
		if ((double)of->remote > SMALL * (double)ranking->remote || !i)
			put_array(&writer, of);
	}
	if (options->most && ranking->nr > options->most)
		text_printf(out, "and %zu more: --most 0\n", ranking->nr - options->most);
	legend(&writer);
}
