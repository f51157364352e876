/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that the phase wrote, as text and JSON. */
#include "analysis/numa/print_writes.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/numa/page_map.h"
#include "analysis/numa/print.h"
#include "analysis/numa/print_map.h"
#include "analysis/numa/written_map.h"
#include "analysis/numa/written_pages.h"
#include "analysis/report/array_names.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define WRITERS 8 /* that are named */

static double part(uint64_t of, uint64_t all)
{
	return all ? (double)of / (double)all : 0;
}

static const char *bytes_words(struct arena *arena, const struct numa_writes *writes,
			       uint64_t pages)
{
	return units_bytes_text(arena, (double)pages * (double)writes->run->writing.page_bytes);
}

/* ------------------------------------------------------------------ an array */

/* "thread 0 (node 0) 50 %, thread 1 (node 1) 50 %" */
static const char *writers_words(struct arena *arena, const struct numa_writes *writes,
				 const struct numa_written *of)
{
	bool nodes = writes->run->machine.nodes > 1;
	const char *words = NULL;

	for (size_t i = 0; i < of->nr_writers && i < WRITERS; i++) {
		const struct numa_writer *writer = &of->writers[i];
		const char *node = nodes && writer->node != RUN_PLACE_UNKNOWN
					   ? arena_printf(arena, " (node %" PRIu32 ")",
							  writer->node)
					   : "";

		words = arena_printf(arena, "%s%sthread %" PRIu32 "%s %s", words ? words : "",
				     words ? ", " : "", writer->thread, node,
				     units_share_text(arena, part(writer->pages, of->written)));
	}
	if (of->nr_writers > WRITERS)
		words = arena_printf(arena, "%s, %zu more", words, of->nr_writers - WRITERS);
	if (of->unknown)
		words = arena_printf(arena, "%s%sby whom is not measured %s", words ? words : "",
				     words ? ", " : "",
				     units_share_text(arena, part(of->unknown, of->written)));
	return words;
}

static const char *pattern_words(const char *pattern)
{
	if (!pattern)
		return NULL;
	return !strcmp(pattern, "one_writer")       ? "one thread writes nearly all of it"
	       : !strcmp(pattern, "private_blocks") ? "each thread writes a block of its own"
						    : "pages of several threads alternate";
}

static const char *remote_words(struct arena *arena, const struct numa_written *of)
{
	return of->compared
		       ? arena_printf(
				 arena,
				 "%s of the written pages lie on another node than their writer",
				 units_share_text(arena, part(of->remote, of->compared)))
		       : NULL;
}

static const char *with(struct arena *arena, const char *words, const struct numa_writes *writes,
			uint64_t pages, const char *what)
{
	return pages ? arena_printf(arena, "%s%s%s %s", words ? words : "", words ? "; " : "",
				    bytes_words(arena, writes, pages), what)
		     : words;
}

/* NULL: all pages were watched. */
static const char *unwatched_words(struct arena *arena, const struct numa_writes *writes,
				   const struct numa_written *of)
{
	const char *words = with(arena, NULL, writes, of->huge,
				 "in huge pages (unsupported: the kernel would split them)");

	words = with(arena, words, writes, of->other,
		     "shared, of a file, not in memory, or over budget");
	return with(arena, words, writes, of->gone, "unmapped or moved meanwhile");
}

static void print_array(struct text *out, const struct numa_writes *writes,
			const struct numa_written *of, const struct numa_options *options,
			size_t number)
{
	const struct run_array *array = &writes->run->arrays[of->array];
	uint64_t watched = of->written + of->unwritten;
	struct numa_map map;

	text_printf(out, "%3zu  %-24s %10s %10s   %s\n", number,
		    arrays_name(out->arena, writes->run, array),
		    bytes_words(out->arena, writes, watched),
		    watched ? units_share_text(out->arena, part(of->written, watched)) : "-",
		    of->every > 1 ? arena_printf(out->arena, "1 page in %" PRIu64, of->every)
				  : "each page");
	numa_print_item(out, options, "written by", writers_words(out->arena, writes, of));
	numa_print_item(out, options, "pattern", pattern_words(of->pattern));
	numa_print_item(out, options, "remote", remote_words(out->arena, of));
	numa_print_item(out, options, "not watched", unwatched_words(out->arena, writes, of));
	if (!of->nr_writers)
		return;
	numa_written_map(writes, of, &map);
	numa_print_row(out, options, &map, "by thread", NUMA_ROW_THREADS);
	if (writes->run->machine.nodes > 1)
		numa_print_row(out, options, &map, "by node", NUMA_ROW_USERS);
	numa_print_scale(out, &map, writes->run->writing.page_bytes);
}

/* ------------------------------------------------------------------ all */

static void sentence(struct text *out, const struct numa_options *options, const char *words)
{
	text_wrap(out, words, 0, options->width);
	text_add(out, "\n");
}

static void print_sum(struct text *out, const struct numa_writes *writes,
		      const struct numa_options *options)
{
	const struct run_writing *writing = &writes->run->writing;
	struct text time;

	text_init(&time, out->arena);
	units_time(&time, writing->ns);
	sentence(
		out, options,
		arena_printf(
			out->arena,
			"%" PRIu64 " pages were watched for writes during %" PRIu64
			" execution%s of the phase (write protection by the kernel; %s to set up and read)."
			" A page belongs to the thread of its first write; later writers and reads are not measured."
			" Pages: *: of several threads, .: not written, ?: by whom is not measured.",
			writing->watched, writing->executions, writing->executions == 1 ? "" : "s",
			time.bytes ? time.bytes : ""));
	if (writing->threads)
		sentence(out, options,
			 arena_printf(out->arena, "Writers are not measured: %s.",
				      writing->threads));
}

void numa_writes_text(struct text *out, const struct numa_writes *writes,
		      const struct numa_options *options)
{
	const struct run *run = writes ? writes->run : NULL;

	if (!writes)
		return;
	text_add(out, "memsearch: ");
	text_add_plain(out, report_program(run, options->brief));
	text_printf(out, "   %" PRIu32 " thread%s, pages written\n", run->threads,
		    run->threads == 1 ? "" : "s");
	if (run->writing.why) {
		sentence(out, options,
			 arena_printf(out->arena, "Page writes are not measured: %s.",
				      run->writing.why));
		text_add(out, "\n");
		return;
	}
	text_printf(out, "\n     %-24s %10s %10s   %s\n", "array", "watched", "written", "sample");
	for (size_t i = 0; i < writes->nr && (!options->most || i < options->most); i++)
		print_array(out, writes, &writes->arrays[i], options, i + 1);
	if (options->most && writes->nr > options->most)
		text_printf(out, "and %zu more: --most 0\n", writes->nr - options->most);
	text_add(out, "\n");
	print_sum(out, writes, options);
	text_add(out, "\n");
}

/* ------------------------------------------------------------------ JSON */

static void put_number(struct json *json, const char *name, uint32_t number)
{
	if (number == UINT32_MAX)
		json_null(json, name);
	else
		json_unsigned(json, name, number);
}

static void put_array(struct json *json, const struct numa_writes *writes,
		      const struct numa_written *of)
{
	struct numa_map map;

	json_open(json, NULL, '{');
	numa_put_array(json, writes->run, of->array);
	json_unsigned(json, "written", of->written);
	json_unsigned(json, "unwritten", of->unwritten);
	json_unsigned(json, "gone", of->gone);
	json_unsigned(json, "huge", of->huge);
	json_unsigned(json, "other", of->other);
	json_unsigned(json, "one_page_in", of->every);
	json_string(json, "pattern", of->pattern);
	json_unsigned(json, "unknown_writer", of->unknown);
	json_unsigned(json, "compared", of->compared);
	json_unsigned(json, "remote", of->remote);
	json_open(json, "writers", '[');
	for (size_t i = 0; i < of->nr_writers; i++) {
		json_open(json, NULL, '{');
		put_number(json, "thread", of->writers[i].thread);
		put_number(json, "node", of->writers[i].node);
		json_unsigned(json, "pages", of->writers[i].pages);
		json_close(json);
	}
	json_close(json);
	numa_written_map(writes, of, &map);
	numa_put_map(json, &map, writes->run->writing.page_bytes, NUMA_MAP_WRITTEN);
	json_close(json);
}

const char *numa_written_by_thread(struct arena *arena, const struct numa_written *of)
{
	const char *words = NULL;

	for (size_t i = 0; of && i < of->nr_writers; i++)
		words = arena_printf(arena, "%s%s%" PRIu32 "=%" PRIu64, words ? words : "",
				     words ? " " : "", of->writers[i].thread, of->writers[i].pages);
	return words;
}

void numa_writes_json(struct json *json, const struct numa_writes *writes)
{
	const struct run_writing *writing = writes ? &writes->run->writing : NULL;

	if (!writes) {
		json_null(json, "page_writes");
		return;
	}
	json_open(json, "page_writes", '{');
	json_string(json, "missing", writing->why);
	json_string(json, "writers_missing", writing->threads);
	json_unsigned(json, "page_bytes", writing->page_bytes);
	json_unsigned(json, "executions", writing->executions);
	json_unsigned(json, "pages_watched", writing->watched);
	json_number(json, "ns", writing->ns);
	json_open(json, "arrays", '[');
	for (size_t i = 0; i < writes->nr; i++)
		put_array(json, writes, &writes->arrays[i]);
	json_close(json);
	json_close(json);
}
