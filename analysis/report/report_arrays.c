/* SPDX-License-Identifier: Apache-2.0 */
/* Data structures as text, JSON (schema "memsearch-arrays-1") and CSV. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/report/access_groups.h"
#include "analysis/report/array_names.h"
#include "analysis/report/array_samples.h"
#include "analysis/report/array_use.h"
#include "analysis/report/arrays.h"
#include "analysis/report/calls.h"
#include "analysis/report/emitter.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"
#include "analysis/report/misses.h"
#include "analysis/report/recorded.h"
#include "analysis/report/region_use.h"
#include "analysis/report/report.h"
#include "analysis/report/source_words.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "analysis/report/thread_use.h"
#include "analysis/report/units.h"

#define WIDTH 100
/* source lines of one array's first touches, and of one region's accesses; the rest is added up */
#define LINES_MOST 3
#define REGIONS_MOST 3 /* that use an array */
#define STRIDES_MOST 3
/* less is not worth naming: a page that belongs to the neighbour, too */
#define LINE_SHARE 0.01
#define NAMES_MOST 10 /* of arrays in a sentence */
/* from this ratio on the threads with the most and the fewest accesses are listed */
#define UNEVEN 1.1
#define NR(array) (sizeof(array) / sizeof(*(array)))

struct page_writer {
	struct text *out;
	struct arena *arena;
	const struct run *run;
	const struct arrays_view *view;
	const struct arrays_options *options;
	struct access_groups groups;
	struct array_sampling sampling;
	double moved; /* bytes, of all arrays */
};

/* ------------------------------------------------------------- first touches */

/* What shares are of: all of a variable; of blocks that come and go, what was touched. */
static uint64_t whole_of(const struct run_array *array, uint64_t touched)
{
	return array->blocks == 1 && array->bytes > touched ? array->bytes : touched;
}

static void add_nodes(const struct page_writer *writer, struct text *text,
		      const struct touch_group *group)
{
	if (writer->run->machine.nodes < 2 || !group->nr_nodes)
		return;
	text_printf(text, " on node%s ", group->nr_nodes > 1 ? "s" : "");
	for (size_t i = 0; i < group->nr_nodes; i++)
		text_printf(text, "%s%" PRIu32, i ? ", " : "", group->nodes[i]);
}

static void next_part(struct text *text)
{
	if (text->length)
		text_add(text, "; ");
}

static void add_group(const struct page_writer *writer, struct text *text,
		      const struct touch_group *group, uint64_t whole)
{
	const char *line = arrays_line(writer->arena, group);

	next_part(text);
	units_share(text, (double)group->bytes / (double)whole);
	if (group->before)
		text_add(text, " before memsearch came");
	else if (!group->by_kernel)
		text_printf(text, " %s%s", line && !strncmp(line, "near ", 5) ? "" : "at ",
			    line ? line : "an unknown line");
	text_printf(text, " by %s", arrays_who(writer->arena, group, whole));
	add_nodes(writer, text, group);
}

static void add_rest(struct text *text, uint64_t bytes, uint64_t whole, const char *words)
{
	if (!bytes)
		return;
	next_part(text);
	units_share(text, (double)bytes / (double)whole);
	text_printf(text, " %s", words);
}

/*
 * Resident bytes without a known first touch, and bytes that are not resident. Less than a page
 * belongs to neighbouring arrays.
 */
static void add_unseen(const struct page_writer *writer, struct text *text,
		       const struct run_array *array, uint64_t touched)
{
	uint64_t seen = touched > array->resident_bytes ? touched : array->resident_bytes;

	if (array->resident_why != MS_PRESENT || array->blocks != 1)
		return;
	if (array->resident_bytes >= touched + writer->run->touching.page_bytes)
		add_rest(text, array->resident_bytes - touched, array->bytes,
			 "in memory, first touch not seen");
	if (array->bytes >= seen + writer->run->touching.page_bytes)
		add_rest(text, array->bytes - seen, array->bytes, "never written");
}

static const char *first_touch(const struct page_writer *writer, const struct run_array *array)
{
	const struct arrays_view *view = writer->view;
	uint64_t touched = arrays_touched(view, array->id), whole = whole_of(array, touched),
		 others = 0;
	size_t first = view->first[array->id], end = view->first[array->id + 1];
	struct text text;

	text_init(&text, writer->arena);
	for (size_t i = first; i < end && whole; i++) {
		if (i == first || (i < first + LINES_MOST &&
				   (double)view->groups[i].bytes >= LINE_SHARE * (double)whole))
			add_group(writer, &text, &view->groups[i], whole);
		else
			others += view->groups[i].bytes;
	}
	if ((double)others >= LINE_SHARE * (double)whole)
		add_rest(&text, others, whole, "at other places");
	add_unseen(writer, &text, array, touched);
	return text.length ? text.bytes : "not seen";
}

/* ------------------------------------------------------------------ by array */

/* "double [512][512]", "50 blocks of double" */
static const char *element_of(const struct page_writer *writer, const struct run_array *array)
{
	const char *type = array->type ? array->type : "",
		   *shape = array->shape ? array->shape : "";

	if (array->blocks > 1)
		return arena_printf(writer->arena, "%" PRIu64 " blocks%s%s", array->blocks,
				    *type ? " of " : "", type);
	return arena_printf(writer->arena, "%s%s%s", type, *type && *shape ? " " : "", shape);
}

/* "main -> setup -> grid_new (grid.c:12)"; NULL: not allocated, or the site is unknown. */
static const char *allocation_of(const struct page_writer *writer, const struct run_array *array)
{
	struct text text;

	if (!array->site_source.function || !*array->site_source.function)
		return NULL;
	text_init(&text, writer->arena);
	for (size_t i = 0; array->callers && i < array->nr_callers; i++)
		text_printf(&text, "%s -> ",
			    array->callers[i].function && *array->callers[i].function
				    ? array->callers[i].function
				    : "?");
	text_add_plain(&text, source_place(writer->arena, &array->site_source));
	return text.bytes;
}

/* What the table does not say of blocks that come from one place. */
static const char *allocation_words(const struct page_writer *writer, const struct run_array *array)
{
	const char *allocation = allocation_of(writer, array);

	if (!allocation || array->blocks < 2)
		return allocation;
	return arena_printf(writer->arena,
			    "%s; %" PRIu64 " blocks added up, %" PRIu64 " alive at the end",
			    allocation, array->blocks, array->live_blocks);
}

static bool is_much_used(const struct page_writer *writer, const struct run_array *array)
{
	return writer->view->uses[array->id].bytes > ARRAY_USE_STACK_SHARE * writer->moved;
}

static bool is_shown(const struct page_writer *writer, const struct run_array *array)
{
	if (writer->options->all || array->whole)
		return true;
	/* of which arrays are parts, or whose blocks are not kept */
	if (run_array_is_stack(array) || !array->blocks)
		return is_much_used(writer, array);
	if (array->blocks > 0 && !array->live_blocks && !arrays_touched(writer->view, array->id) &&
	    !writer->view->uses[array->id].nr_regions)
		/* all of its blocks have names of their own, or went untouched */
		return false;
	return array->bytes >= writer->run->touching.page_bytes || is_much_used(writer, array);
}

/* ------------------------------------------------------------ what uses them */

static void add_bytes(struct text *text, double bytes)
{
	text_add_plain(text, bytes < 0 ? "-" : "");
	units_bytes(text, bytes < 0 ? -bytes : bytes);
}

/* "64 bytes 67 %, 16 bytes 30 %, none 3 %", of the bytes moved. */
static const char *strides_of(const struct page_writer *writer, const struct array_use *use)
{
	double rest = use->bytes;
	struct text text;

	text_init(&text, writer->arena);
	for (size_t i = 0; i < use->nr_strides && i < STRIDES_MOST &&
			   use->strides[i].bytes >= LINE_SHARE * use->bytes;
	     i++) {
		double stride = use->strides[i].stride;

		text_add_plain(&text, i ? ", " : "");
		if (stride < 0 || stride > 0)
			add_bytes(&text, stride);
		else
			text_add(&text, "the same place");
		text_add(&text, " ");
		units_share(&text, fmin(1, use->strides[i].bytes / use->bytes));
		rest -= use->strides[i].bytes;
	}
	if (rest >= LINE_SHARE * use->bytes) {
		text_printf(&text, "%s%s ", text.length ? ", " : "",
			    use->nr_strides > STRIDES_MOST ? "others or none" : "none");
		units_share(&text, rest / use->bytes);
	}
	return text.bytes;
}

static void add_extreme(struct text *text, const struct array_use *use,
			const struct array_thread *thread, const char *word)
{
	text_printf(text, ", %s thread %" PRIu32 " with ", word, thread->thread);
	units_share(text, thread->bytes / use->bytes);
}

/* Threads that write, where others only read. */
static void add_writers(struct text *text, struct arena *arena, const struct array_use *use)
{
	uint32_t *writers = arena_alloc(arena, (use->nr_threads + 1) * sizeof(*writers));
	size_t nr = 0;

	for (size_t i = 0; writers && i < use->nr_threads; i++)
		if (use->threads[i].writes > 0)
			writers[nr++] = use->threads[i].thread;
	if (nr && nr < use->nr_threads)
		text_printf(text, "; written by %s only", arrays_threads(arena, writers, nr));
}

static const char *threads_words(struct arena *arena, const struct array_use *use)
{
	uint32_t *threads = arena_alloc(arena, (use->nr_threads + 1) * sizeof(*threads));

	for (size_t i = 0; threads && i < use->nr_threads; i++)
		threads[i] = use->threads[i].thread;
	return threads ? arrays_threads(arena, threads, use->nr_threads) : "";
}

/*
 * "threads 0-3 alike; written by thread 0 only", "threads 0-3: least thread 2 with 10 %, most
 * thread 0 with 50 %"
 */
static const char *users_of(const struct page_writer *writer, const struct array_use *use)
{
	const struct array_thread *least = use->threads, *most = use->threads;
	struct text text;

	for (size_t i = 1; i < use->nr_threads; i++) {
		least = use->threads[i].bytes < least->bytes ? &use->threads[i] : least;
		most = use->threads[i].bytes > most->bytes ? &use->threads[i] : most;
	}
	text_init(&text, writer->arena);
	text_add_plain(&text, threads_words(writer->arena, use));
	if (use->nr_threads > 1 && most->bytes > UNEVEN * least->bytes) {
		add_extreme(&text, use, least, "least");
		add_extreme(&text, use, most, "most");
	} else {
		text_add_plain(&text, use->nr_threads > 1 ? ", all alike" : " alone");
	}
	add_writers(&text, writer->arena, use);
	return text.bytes;
}

/* The loop where one does nearly all, else the construct. */
static uint32_t named_region(const struct array_region *region)
{
	return region->loop == MS_REGION_NONE ? region->region : region->loop;
}

static bool is_in_file(const char *file, const struct source *source)
{
	return file && source->file && source->line && !source->approximate &&
	       !strcmp(file, source->file);
}

static bool is_group_of(const struct page_writer *writer, const struct access_group *group,
			uint32_t array, const struct array_region *region)
{
	return group->array == array && group->region == region->region &&
	       (region->loop == MS_REGION_NONE ||
		(group->loop != MS_REGION_NONE &&
		 run_is_inside(writer->run, group->loop, region->loop)));
}

static bool is_among(const char *const *lines, size_t nr, const char *line)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(lines[i], line))
			return true;
	return false;
}

struct lines {
	const char **items; /* each once, that with the most accesses first */
	size_t nr, room;
	bool in_file; /* all are in the region's own file */
};

static struct lines lines_in(const struct page_writer *writer, uint32_t array,
			     const struct array_region *region)
{
	const char *file = writer->run->regions[named_region(region)].source.file;
	struct lines lines = { .in_file = true };

	for (size_t i = 0; i < writer->groups.nr; i++) {
		const struct access_group *group = &writer->groups.items[i];
		const char *line = is_group_of(writer, group, array, region)
					   ? access_line(writer->arena, group->source)
					   : NULL;

		if (!line || is_among(lines.items, lines.nr, line) ||
		    !ARENA_GROW(writer->arena, lines.items, lines.nr, lines.room))
			continue;
		lines.items[lines.nr++] = line;
		lines.in_file = lines.in_file && is_in_file(file, group->source);
	}
	return lines;
}

/*
 * Of one array in one region: " at lines 98, 102, 104 and 3 more"; with the file where that is not
 * the region's: " at other.h:7".
 */
static void add_lines(const struct page_writer *writer, struct text *text, uint32_t array,
		      const struct array_region *region)
{
	struct lines lines = lines_in(writer, array, region);

	if (lines.nr)
		text_printf(text, " at %s",
			    !lines.in_file ? ""
			    : lines.nr > 1 ? "lines "
					   : "line ");
	for (size_t i = 0; i < lines.nr && i < LINES_MOST; i++)
		text_printf(text, "%s%s", i ? ", " : "",
			    lines.in_file ? strrchr(lines.items[i], ':') + 1 : lines.items[i]);
	if (lines.nr > LINES_MOST)
		text_printf(text, " and %zu more", lines.nr - LINES_MOST);
}

/* "67 % in the loop in calc1 (swim.c:95) at line 98, 102, when called by main (swim.c:60); 33 % in …" */
static const char *regions_of(const struct page_writer *writer, const struct run_array *array,
			      const struct array_use *use)
{
	double rest = use->bytes;
	const char *calls;
	struct text text;

	text_init(&text, writer->arena);
	for (size_t i = 0; i < use->nr_regions && i < REGIONS_MOST; i++) {
		const struct array_region *region = &use->regions[i];

		if (region->bytes < LINE_SHARE * use->bytes ||
		    region->region >= writer->run->nr_regions)
			break;
		next_part(&text);
		units_share(&text, region->bytes / use->bytes);
		text_printf(&text, " in the %s",
			    finding_place(writer->arena, writer->run, named_region(region)));
		add_lines(writer, &text, array->id, region);
		calls = calls_of_array(writer->arena, writer->run, writer->view->calls,
				       region->region, array->id);
		if (calls)
			text_printf(&text, ", when called by %s", calls);
		rest -= region->bytes;
	}
	if (rest >= LINE_SHARE * use->bytes) {
		next_part(&text);
		units_share(&text, rest / use->bytes);
		text_add(&text, " in other regions");
	}
	return text.bytes;
}

static double if_used(const struct array_use *use, double value)
{
	return use->nr_regions ? value : NAN;
}

/* ------------------------------------------------------------------- fields of all formats */

static double known(uint32_t number)
{
	return number == UINT32_MAX ? NAN : number;
}

struct array_of {
	const struct page_writer *writer;
	const struct run_array *array;
	const struct array_use *use;
	size_t run_number;
};

static struct array_of array_of(const struct page_writer *writer, const struct run_array *array,
				size_t number)
{
	return (struct array_of){ writer, array, &writer->view->uses[array->id], number };
}

static const char *name_of(const struct array_of *row)
{
	return arrays_name(row->writer->arena, row->writer->run, row->array);
}

static const char *whole_name(const struct array_of *row)
{
	const struct run *run = row->writer->run;

	return row->array->whole
		       ? arrays_name(row->writer->arena, run, &run->arrays[row->array->whole - 1])
		       : NULL;
}

static bool is_declared(const struct run_array *array)
{
	return array->file && *array->file;
}

static double declared_line(const struct run_array *array)
{
	int line = is_declared(array) ? array->line : array->site_source.line;

	return line > 0 ? line : NAN;
}

/* clang-format off */
#define ARRAY_FIELDS(X) \
	X(NUMBER, NULL, "run", NULL, NULL, row->run_number) \
	X(NUMBER, "id", NULL, NULL, NULL, row->array->id) \
	X(STRING, "name", "array", "array", NULL, name_of(row)) \
	X(STRING, "range_of", NULL, NULL, NULL, whole_name(row)) \
	X(STRING, "kind", "kind", "kind", NULL, row->array->kind) \
	X(STRING, "type", "type", NULL, NULL, row->array->type) \
	X(STRING, "shape", "shape", NULL, NULL, row->array->shape) \
	X(NUMBER, "element_bytes", NULL, NULL, NULL, row->array->element_bytes ? row->array->element_bytes : NAN) \
	X(NUMBER, "bytes", "bytes", "size", "bytes", row->array->bytes) \
	X(NUMBER, "live_blocks", NULL, NULL, NULL, row->array->live_blocks) \
	X(STRING, "file", NULL, NULL, NULL, is_declared(row->array) ? row->array->file : row->array->site_source.file) \
	X(NUMBER, "line", NULL, NULL, NULL, declared_line(row->array)) \
	X(STRING, NULL, "declared", NULL, NULL, arrays_declared(row->writer->arena, row->array)) \
	X(STRING, "allocated", NULL, NULL, NULL, arrays_allocated(row->writer->arena, row->array)) \
	X(STRING, "module", NULL, NULL, NULL, row->writer->options->brief ? NULL : row->array->module) \
	X(NUMBER, "resident_bytes", "resident_bytes", NULL, NULL, \
	  row->array->resident_why == MS_PRESENT ? (double)row->array->resident_bytes : NAN) \
	X(STRING, "resident_why", NULL, NULL, NULL, arrays_resident_why(row->array)) \
	X(NUMBER, "touched_bytes", NULL, NULL, NULL, arrays_touched(row->writer->view, row->array->id))
/* clang-format on */
EMIT_LIST(array_fields, struct array_of, ARRAY_FIELDS)

static bool has_stride(const struct array_use *use)
{
	return use->nr_regions && use->nr_strides && use->strides[0].bytes > 0;
}

static const char *most_used(const struct array_of *row)
{
	const struct array_use *use = row->use;

	return use->nr_regions ? finding_place(row->writer->arena, row->writer->run,
					       named_region(&use->regions[0]))
			       : NULL;
}

/* clang-format off */
#define ALLOCATION_FIELDS(X) \
	X(NUMBER, "blocks", "blocks", NULL, NULL, row->array->blocks) \
	X(STRING, "allocated_by", "allocated_by", NULL, NULL, allocation_of(row->writer, row->array))
/* clang-format on */
EMIT_LIST(allocation_fields, struct array_of, ALLOCATION_FIELDS)

/* clang-format off */
#define USE_FIELDS(X) \
	X(NUMBER, "reads", "reads", "reads", "1", if_used(row->use, row->use->reads)) \
	X(NUMBER, "writes", "writes", "writes", "1", if_used(row->use, row->use->writes)) \
	X(NUMBER, "bytes", "moved", "moved", "bytes", if_used(row->use, row->use->bytes)) \
	X(NUMBER, NULL, "threads", "threads", "1", if_used(row->use, (double)row->use->nr_threads)) \
	X(NUMBER, NULL, "stride", NULL, NULL, has_stride(row->use) ? row->use->strides[0].stride : NAN) \
	X(NUMBER, NULL, "with_stride", NULL, NULL, \
	  has_stride(row->use) ? fmin(1, row->use->strides[0].bytes / row->use->bytes) : NAN) \
	X(STRING, NULL, "used_most_in", NULL, NULL, most_used(row)) \
	X(STRING, NULL, NULL, "declared", NULL, arrays_declared(row->writer->arena, row->array)) \
	X(STRING, NULL, NULL, "of", NULL, element_of(row->writer, row->array)) \
	X(NUMBER, NULL, "array_id", NULL, NULL, row->array->id)
/* clang-format on */
EMIT_LIST(use_fields, struct array_of, USE_FIELDS)

struct touch_row {
	const struct page_writer *writer;
	const struct run_touch *touch;
};

static const char *place_of(const struct touch_row *row)
{
	return row->touch->region == MS_REGION_NONE
		       ? NULL
		       : finding_place(row->writer->arena, row->writer->run, row->touch->region);
}

/* An array that was not seen to be touched has a row of CSV all the same. */
static double touch_count(const struct touch_row *row, uint64_t value)
{
	return row->touch->array == RUN_ARRAY_NONE ? NAN : (double)value;
}

static const char *before_word(const struct touch_row *row)
{
	return row->touch->array == RUN_ARRAY_NONE ? NULL : row->touch->before ? "yes" : "no";
}

/* clang-format off */
#define TOUCHER_FIELDS(X) \
	X(NUMBER, "thread", "thread", NULL, NULL, known(row->touch->thread)) \
	X(NUMBER, "node", "node", NULL, NULL, row->writer->options->brief ? NAN : known(row->touch->node)) \
	X(BOOL, "before", NULL, NULL, NULL, row->touch->before) \
	X(BOOL, "by_kernel", NULL, NULL, NULL, row->touch->by_kernel) \
	X(STRING, NULL, "before", NULL, NULL, before_word(row))
/* clang-format on */
EMIT_LIST(toucher_fields, struct touch_row, TOUCHER_FIELDS)

/* clang-format off */
#define TOUCH_FIELDS(X) \
	X(NUMBER, "region", NULL, NULL, NULL, known(row->touch->region)) \
	X(STRING, "place", "place", NULL, NULL, place_of(row)) \
	X(NUMBER, "faults", "faults", NULL, NULL, touch_count(row, row->touch->faults)) \
	X(NUMBER, "pages", "pages", NULL, NULL, touch_count(row, row->touch->pages)) \
	X(NUMBER, "bytes", "touched_bytes", NULL, NULL, touch_count(row, row->touch->bytes))
/* clang-format on */
EMIT_LIST(touch_fields, struct touch_row, TOUCH_FIELDS)

static const struct emit_list *const text_lists[] = { &array_fields, &use_fields, NULL };

static void array_row(const struct page_writer *writer, struct table *table,
		      const struct run_array *array)
{
	const struct array_of row = array_of(writer, array, 0);
	const struct array_use *use = row.use;

	emit_row(table, EMIT_TEXT, text_lists, &row);
	table_note(table, "allocated by", allocation_words(writer, array));
	if (array->whole) {
		table_note(table, "range of", whole_name(&row));
	} else {
		table_note(table, "first touch", first_touch(writer, array));
		table_note(table, "sampled",
			   array_samples_words(writer->arena, &writer->sampling, array->id));
		table_note(table, "used without",
			   arrays_ranges(writer->arena, writer->run, array->id));
	}
	if (!use->nr_regions)
		return;
	table_note(table, "used", regions_of(writer, array, use));
	table_note(table, "used by", users_of(writer, use));
	table_note(table, "strides", strides_of(writer, use));
	table_note(table, "misses",
		   misses_words(writer->arena, &writer->view->misses[array->id],
				writer->view->waited));
}

/* Returns how many were not printed because there are too many. */
static size_t by_array(const struct page_writer *writer, struct table *table)
{
	size_t shown = 0;

	emit_columns(table, writer->arena, EMIT_TEXT, text_lists);
	for (size_t i = 0; i < writer->view->nr_order; i++) {
		const struct run_array *array = &writer->run->arrays[writer->view->order[i]];

		if (!is_shown(writer, array))
			continue;
		if (!writer->options->most || shown < writer->options->most)
			array_row(writer, table, array);
		shown++;
	}
	return writer->options->most && shown > writer->options->most
		       ? shown - writer->options->most
		       : 0;
}

/* ------------------------------------------------------------------- by line */

struct line {
	const struct touch_group *const *groups; /* those of one line, the largest first */
	size_t nr;
	uint64_t bytes;
};

static int line_place(const struct touch_group *a, const struct touch_group *b)
{
	int order = a->before - b->before;

	order = order ? order : a->by_kernel - b->by_kernel;
	order = order ? order
		      : strcmp(a->source->file ? a->source->file : "",
			       b->source->file ? b->source->file : "");
	order = order ? order
		      : (a->source->line > b->source->line) - (a->source->line < b->source->line);
	return order ? order
		     : strcmp(a->source->function ? a->source->function : "",
			      b->source->function ? b->source->function : "");
}

static int place_order(const void *a, const void *b)
{
	const struct touch_group *x = *(const struct touch_group *const *)a,
				 *y = *(const struct touch_group *const *)b;
	int order = line_place(x, y);

	order = order ? order : (x->bytes < y->bytes) - (x->bytes > y->bytes);
	return order ? order : (x->array > y->array) - (x->array < y->array);
}

static int heavier_line(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int order = (x->bytes < y->bytes) - (x->bytes > y->bytes);

	return order ? order : line_place(x->groups[0], y->groups[0]);
}

static struct line line_at(const struct touch_group *const *groups, size_t nr)
{
	struct line line = { .groups = groups };

	while (line.nr < nr && !line_place(groups[0], groups[line.nr]))
		line.bytes += groups[line.nr++]->bytes;
	return line;
}

static size_t lines_of(const struct page_writer *writer, const struct line **out)
{
	const struct arrays_view *view = writer->view;
	const struct touch_group **groups = arena_alloc(writer->arena,
							(view->nr_groups + 1) * sizeof(*groups));
	struct line *lines = arena_alloc(writer->arena, (view->nr_groups + 1) * sizeof(*lines));
	size_t nr = 0, kept = 0;

	if (!groups || !lines)
		return 0;
	for (size_t i = 0; i < view->nr_groups; i++)
		if (is_shown(writer, &writer->run->arrays[view->groups[i].array]))
			groups[kept++] = &view->groups[i];
	sort(groups, kept, sizeof(*groups), place_order);
	for (size_t i = 0; i < kept; i += lines[nr++].nr)
		lines[nr] = line_at(&groups[i], kept - i);
	sort(lines, nr, sizeof(*lines), heavier_line);
	*out = lines;
	return nr;
}

static bool is_named_before(const struct line *line, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (line->groups[i]->array == line->groups[at]->array)
			return true;
	return false;
}

static const char *arrays_of_line(const struct page_writer *writer, const struct line *line)
{
	struct text text;

	text_init(&text, writer->arena);
	for (size_t i = 0; i < line->nr && (!i || (double)line->groups[i]->bytes >=
							  LINE_SHARE * (double)line->bytes);
	     i++)
		if (!is_named_before(line, i))
			text_printf(&text, "%s%s", i ? ", " : "",
				    arrays_name(writer->arena, writer->run,
						&writer->run->arrays[line->groups[i]->array]));
	return text.bytes;
}

/* Of all its arrays the threads are mostly the same; those of the one touched most are named. */
static void line_row(const struct page_writer *writer, struct table *table, const struct line *line)
{
	const struct touch_group *group = line->groups[0];
	const char *place = arrays_line(writer->arena, group);

	table_string(table, group->before      ? "before memsearch came"
			    : group->by_kernel ? "system calls"
			    : place            ? place
					       : "an unknown line");
	table_number(table, (double)line->bytes);
	table_string(table, arrays_who(writer->arena, group, 0));
	table_string(table, arrays_of_line(writer, line));
	table_note(table, "in",
		   group->region == MS_REGION_NONE
			   ? NULL
			   : finding_place(writer->arena, writer->run, group->region));
}

static size_t by_line(const struct page_writer *writer, struct table *table)
{
	static const struct table_column columns[] = {
		{ "first touch at", NULL },
		{ "size", "bytes" },
		{ "by", NULL },
		{ "arrays", NULL },
	};
	const struct line *lines;
	size_t nr = lines_of(writer, &lines),
	       most = writer->options->most ? writer->options->most : nr;

	table_init(table, writer->arena, "lines", columns, NR(columns));
	for (size_t i = 0; i < nr && i < most; i++)
		line_row(writer, table, &lines[i]);
	return nr > most ? nr - most : 0;
}

/* --------------------------------------------------------------------- text */

static void sentence(struct text *out, const char *string)
{
	text_wrap(out, string, 0, WIDTH);
	text_add(out, "\n");
}

static const char *bytes_words(struct arena *arena, uint64_t bytes)
{
	struct text text;

	text_init(&text, arena);
	units_bytes(&text, (double)bytes);
	return text.bytes;
}

/* Many faults at once are sampled. */
static const char *others_words(const struct page_writer *writer)
{
	uint64_t others = writer->run->touching.others;

	return others ? arena_printf(
				writer->arena,
				" Many came at once: %" PRIu64
				" were not sampled one by one, and count for the pages between "
				"those that were.",
				others)
		      : "";
}

/* What the first touches rest on. */
static const char *basis(const struct page_writer *writer)
{
	const struct run_touching *touching = &writer->run->touching;
	const char *why = arrays_why(writer->arena, writer->run);

	if (why)
		return arena_printf(writer->arena, "Who touched them first is not known: %s.", why);
	if (touching->lost)
		return arena_printf(writer->arena,
				    "First touches by page faults, in pages of %s: %" PRIu64
				    " were seen, %" PRIu64
				    " were lost, because the kernel's buffers were full.%s",
				    bytes_words(writer->arena, touching->page_bytes),
				    touching->faults, touching->lost, others_words(writer));
	return arena_printf(writer->arena,
			    "First touches by page faults, in pages of %s: each of %" PRIu64
			    " was counted, none was lost.%s",
			    bytes_words(writer->arena, touching->page_bytes), touching->faults,
			    others_words(writer));
}

/* Names of the arrays that one thread touched first, the largest first; NULL: there is none. */
static const char *names_alone(const struct page_writer *writer)
{
	struct text text;
	size_t nr = 0;

	text_init(&text, writer->arena);
	for (size_t i = 0; i < writer->view->nr_order; i++) {
		uint32_t array = writer->view->order[i];

		if (!is_shown(writer, &writer->run->arrays[array]) ||
		    !arrays_alone(writer->view, array))
			continue;
		if (nr++ < NAMES_MOST)
			text_printf(&text, "%s%s", nr > 1 ? ", " : "",
				    arrays_name(writer->arena, writer->run,
						&writer->run->arrays[array]));
	}
	if (nr > NAMES_MOST)
		text_printf(&text, " and %zu more", nr - NAMES_MOST);
	return nr ? text.bytes : NULL;
}

/* Whether other threads use them is not known from page faults, so this is no finding. */
static void say_alone(const struct page_writer *writer)
{
	const char *names = writer->run->machine.nodes > 1 && writer->run->threads > 1
				    ? names_alone(writer)
				    : NULL;

	if (!names)
		return;
	text_add(writer->out, "\n");
	sentence(
		writer->out,
		arena_printf(
			writer->arena,
			"One thread alone touched these first: %s. So, unless pages are interleaved, each of them is on one of the machine's %" PRIu32
			" NUMA nodes. Where all threads work on them, let each thread initialise what it works on: the same "
			"parallel loop, with the same schedule.",
			names, writer->run->machine.nodes));
}

static void say_left_out(const struct page_writer *writer, size_t left, const char *what)
{
	if (left)
		sentence(writer->out,
			 arena_printf(writer->arena, "%zu more %s; --most 0 prints all.", left,
				      what));
}

static void print_table(const struct page_writer *writer, const struct table *table,
			const char *without)
{
	if (table->nr)
		table_print(writer->out, table, "text");
	else
		sentence(writer->out, writer->run->touching.page_bytes
					      ? without
					      : "No data structures are known.");
}

static void text_by_line(const struct page_writer *writer)
{
	struct table table;
	size_t before = writer->out->length;
	size_t left = accesses_by_line(writer->out, &writer->groups, writer->options->most,
				       writer->options->all);

	say_left_out(writer, left, "lines");
	if (writer->out->length > before)
		text_add(writer->out, "\n");
	left = by_line(writer, &table);
	print_table(writer, &table, "No first touch of a data structure was seen.");
	say_left_out(writer, left, "lines");
}

static void text_by_region(const struct page_writer *writer)
{
	size_t before = writer->out->length,
	       left = regions_text(writer->out, writer->run, writer->view->waited,
				   writer->options->most);

	if (writer->out->length == before)
		sentence(writer->out,
			 arena_printf(
				 writer->arena,
				 "Nothing is known of regions, as no accesses were simulated: %s.",
				 recorded_why_not_simulated(writer->arena, writer->run)));
	say_left_out(writer, left, "regions");
}

static void text_by_thread(const struct page_writer *writer)
{
	size_t before = writer->out->length,
	       left = threads_text(writer->out, writer->view, writer->options->most);

	if (writer->out->length == before)
		sentence(writer->out, "No thread was seen to access a data structure.");
	say_left_out(writer, left, "threads");
}

static void text_by_array(const struct page_writer *writer)
{
	struct table table;
	size_t left = by_array(writer, &table);

	print_table(writer, &table, "No data structures of a page or more are known.");
	say_left_out(writer, left,
		     writer->run->nr_accesses ? "are used less, or smaller" : "are smaller");
}

static void say_simulated(const struct page_writer *writer)
{
	const struct run_modelled *model = &writer->run->modelled;
	const char *why = recorded_why_not_simulated(writer->arena, writer->run);

	if (!model->name)
		return;
	if (why)
		sentence(writer->out,
			 arena_printf(writer->arena,
				      "Misses in the caches of %s were not simulated: %s.",
				      model->name, why));
	else
		sentence(
			writer->out,
			arena_printf(
				writer->arena,
				"Misses are simulated: the caches of %s (%s). Their kinds are of those of L2, or of L1"
				" where there is no L2. Waiting is what accesses would wait there if none overlapped.",
				model->name, model->title));
	if (!why && model->placement)
		sentence(writer->out, arena_printf(writer->arena, "%c%s.",
						   toupper((unsigned char)*model->placement),
						   model->placement + 1));
	if (!why && model->begins > 0)
		sentence(
			writer->out,
			arena_printf(
				writer->arena,
				"Of executions that were too long to trace the begin was simulated, %.3g %% of what was counted in their regions, and stands for all of these.",
				100 * model->begins));
	if (!why && model->lines_recorded)
		sentence(writer->out, arena_printf(writer->arena, "%s.",
						   misses_sampled(writer->arena, writer->run)));
}

static const char *how_counted(struct arena *arena, const struct run *run)
{
	double bursts = recorded_of(arena, run).bursts;

	if (!(bursts >= RECORDED_BURSTS_LEAST))
		return "every access counted by an instrumented copy of its code";
	return arena_printf(
		arena,
		"estimated from the first accesses of regions with %s of the time, by an instrumented copy of their code (within a factor of four beside other programs)",
		units_share_text(arena, bursts));
}

/* What the accesses rest on. */
static void say_recorded(const struct page_writer *writer)
{
	const char *why = recorded_why_none(writer->arena, writer->run),
		   *ranges = arrays_ranges(writer->arena, writer->run, RUN_ARRAY_NONE);

	text_add(writer->out, "\n");
	if (why) {
		sentence(writer->out,
			 arena_printf(writer->arena, "Accesses were not recorded: %s.", why));
		return;
	}
	sentence(
		writer->out,
		arena_printf(
			writer->arena,
			"Reads and writes of one execution of the phase, %s. A vector is one access. Stride: from one access of an instruction to its next. Shares are of the bytes recorded.",
			how_counted(writer->arena, writer->run)));
	say_simulated(writer);
	if (ranges)
		sentence(
			writer->out,
			arena_printf(
				writer->arena,
				"As was asked for, %s counts apart from the rest of its array; first touches are of all of that.",
				ranges));
	recorded_text(writer->out, writer->run);
}

static void say_sampled(const struct page_writer *writer)
{
	const char *basis = array_samples_basis(writer->arena, &writer->sampling);

	if (!basis)
		return;
	text_add(writer->out, "\n");
	sentence(writer->out, basis);
}

static void text_of_run(const struct page_writer *writer)
{
	static void (*const tables[])(const struct page_writer *writer) = {
		[ARRAYS_BY_ARRAY] = text_by_array,
		[ARRAYS_BY_LINE] = text_by_line,
		[ARRAYS_BY_REGION] = text_by_region,
		[ARRAYS_BY_THREAD] = text_by_thread,
	};

	tables[writer->options->by](writer);
	accesses_shared_lines(writer->out, &writer->groups, writer->options->all);
	say_alone(writer);
	text_add(writer->out, "\n");
	sentence(writer->out, basis(writer));
	say_sampled(writer);
	if (writer->run->touching.page_bytes)
		say_recorded(writer);
}

static bool writer_init(struct page_writer *writer, struct text *out, const struct run *run,
			const struct arrays_options *options)
{
	*writer = (struct page_writer){ .out = out,
					.arena = out->arena,
					.run = run,
					.view = arrays_view(out->arena, run),
					.options = options };
	if (!writer->view)
		return false;
	writer->groups = access_groups(out->arena, run, writer->view->rates);
	writer->groups.waited = writer->view->waited;
	writer->sampling = array_samples(out->arena, run);
	for (size_t i = 0; i < writer->view->nr_arrays; i++)
		writer->moved += writer->view->uses[i].bytes;
	return writer->sampling.arrays;
}

void arrays_text(struct text *out, const struct run *const *runs, size_t nr_runs,
		 const struct arrays_options *options)
{
	for (size_t i = 0; i < nr_runs; i++) {
		struct page_writer writer;

		if (!writer_init(&writer, out, runs[i], options))
			return;
		if (i)
			text_add(out, "\n");
		if (nr_runs > 1)
			text_printf(out, "run %zu: %s with %" PRIu32 " threads\n", i + 1,
				    report_program(runs[i], options->brief), runs[i]->threads);
		text_of_run(&writer);
	}
}

/* --------------------------------------------------------------------- JSON */

static void json_touch(const struct page_writer *writer, struct json *json,
		       const struct run_touch *touch)
{
	const struct touch_row row = { writer, touch };

	json_open(json, NULL, '{');
	emit_members(json, &toucher_fields, &row);
	emit_members(json, &source_fields, &touch->source);
	emit_members(json, &touch_fields, &row);
	json_close(json);
}

/* Touches of each array, as lists. */
static const size_t *touches_by_array(struct arena *arena, const struct run *run, size_t **next_out)
{
	size_t *first = arena_alloc(arena, (run->nr_arrays + 1) * sizeof(*first));

	*next_out = arena_alloc(arena, (run->nr_touches + 1) * sizeof(**next_out));
	if (!first || !*next_out)
		return NULL;
	for (size_t i = run->nr_touches; i-- > 0;) {
		(*next_out)[i] = first[run->touches[i].array];
		first[run->touches[i].array] = i + 1;
	}
	return first;
}

static void json_threads(struct json *json, const struct array_use *use)
{
	json_open(json, "threads", '[');
	for (size_t i = 0; i < use->nr_threads; i++) {
		json_open(json, NULL, '{');
		json_unsigned(json, "thread", use->threads[i].thread);
		json_number(json, "reads", use->threads[i].reads);
		json_number(json, "writes", use->threads[i].writes);
		json_number(json, "bytes", use->threads[i].bytes);
		json_close(json);
	}
	json_close(json);
}

static void json_regions(const struct page_writer *writer, struct json *json,
			 const struct array_use *use)
{
	json_open(json, "regions", '[');
	for (size_t i = 0; i < use->nr_regions; i++) {
		json_open(json, NULL, '{');
		json_unsigned(json, "region", use->regions[i].region);
		json_string(json, "place",
			    finding_place(writer->arena, writer->run, use->regions[i].region));
		access_loop_json(json, writer->arena, writer->run, use->regions[i].loop);
		json_number(json, "bytes", use->regions[i].bytes);
		json_close(json);
	}
	json_close(json);
}

/* In one execution of the phase. */
static void json_use(const struct page_writer *writer, struct json *json,
		     const struct array_of *row)
{
	const struct array_use *use = row->use;

	if (!use->nr_regions) {
		json_null(json, "use");
		return;
	}
	json_open(json, "use", '{');
	emit_members(json, &use_fields, row);
	json_threads(json, use);
	json_regions(writer, json, use);
	json_open(json, "strides", '[');
	for (size_t i = 0; i < use->nr_strides; i++) {
		json_open(json, NULL, '{');
		json_number(json, "stride", use->strides[i].stride);
		json_number(json, "bytes", use->strides[i].bytes);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

static void json_arrays(const struct page_writer *writer, struct json *json)
{
	size_t *next;
	const size_t *first = touches_by_array(writer->arena, writer->run, &next);

	json_open(json, "arrays", '[');
	for (size_t i = 0; first && i < writer->view->nr_order; i++) {
		uint32_t id = writer->view->order[i];
		struct array_of row = array_of(writer, &writer->run->arrays[id], 0);

		json_open(json, NULL, '{');
		emit_members(json, &array_fields, &row);
		emit_members(json, &allocation_fields, &row);
		json_use(writer, json, &row);
		misses_json(json, &writer->view->misses[id]);
		array_samples_json(json, &writer->sampling, id);
		json_open(json, "first_touches", '[');
		for (size_t k = first[id]; k; k = next[k - 1])
			json_touch(writer, json, &writer->run->touches[k - 1]);
		json_close(json);
		json_close(json);
	}
	json_close(json);
}

static void json_run(const struct page_writer *writer, struct json *json, size_t number)
{
	const struct run_touching *touching = &writer->run->touching;
	const char *why = arrays_why(writer->arena, writer->run);

	json_open(json, NULL, '{');
	json_unsigned(json, "run", number);
	json_string(json, "program", report_program(writer->run, writer->options->brief));
	json_unsigned(json, "threads", writer->run->threads);
	json_open(json, "touching", '{');
	json_string(json, "rung",
		    ms_rung_name(why                                  ? MS_RUNG_NONE
				 : touching->lost || touching->others ? MS_RUNG_SAMPLED
								      : MS_RUNG_COUNTED));
	json_string(json, "why", why);
	json_number(json, "page_bytes", touching->page_bytes ? (double)touching->page_bytes : NAN);
	json_unsigned(json, "faults", touching->faults);
	json_unsigned(json, "lost", touching->lost);
	json_unsigned(json, "in_between", touching->others);
	json_unsigned(json, "in_no_array", touching->nobodys);
	json_number(json, "declarations_ns", writer->options->brief ? NAN : touching->read_ns);
	json_close(json);
	json_arrays(writer, json);
	regions_json(json, writer->arena, writer->run);
	threads_json(json, writer->arena, writer->view);
	accesses_json(json, writer->arena, &writer->groups);
	recorded_json(json, writer->arena, writer->run);
	json_close(json);
}

void arrays_json(struct text *out, const struct run *const *runs, size_t nr_runs,
		 const struct arrays_options *options)
{
	struct json json;

	json_init(&json, out);
	json_open(&json, NULL, '{');
	json_string(&json, "schema", "memsearch-arrays-1");
	json_open(&json, "runs", '[');
	for (size_t i = 0; i < nr_runs; i++) {
		struct page_writer writer;

		if (writer_init(&writer, out, runs[i], options))
			json_run(&writer, &json, i + 1);
	}
	json_close(&json);
	json_close(&json);
}

/* ---------------------------------------------------------------------- CSV */

static void csv_row(struct table *table, const struct array_of *row, const struct run_touch *touch)
{
	const struct touch_row touched = { row->writer, touch };

	emit_cells(table, EMIT_CSV, &array_fields, row);
	emit_cells(table, EMIT_CSV, &toucher_fields, &touched);
	emit_cells(table, EMIT_CSV, &source_fields, &touch->source);
	emit_cells(table, EMIT_CSV, &touch_fields, &touched);
	emit_cells(table, EMIT_CSV, &allocation_fields, row);
	emit_cells(table, EMIT_CSV, &use_fields, row);
}

static void csv_run(const struct page_writer *writer, struct table *table, size_t number)
{
	static const struct run_touch untouched = {
		.array = RUN_ARRAY_NONE,
		.thread = UINT32_MAX,
		.node = UINT32_MAX,
		.region = MS_REGION_NONE,
	};
	size_t *next;
	const size_t *first = touches_by_array(writer->arena, writer->run, &next);

	for (size_t i = 0; first && i < writer->view->nr_order; i++) {
		struct array_of row = array_of(writer, &writer->run->arrays[writer->view->order[i]],
					       number);
		size_t k = first[row.array->id];

		do {
			csv_row(table, &row, k ? &writer->run->touches[k - 1] : &untouched);
			k = k ? next[k - 1] : 0;
		} while (k);
	}
}

void arrays_csv(struct text *out, const struct run *const *runs, size_t nr_runs,
		const struct arrays_options *options)
{
	static const struct emit_list *const lists[] = {
		&array_fields,      &toucher_fields, &source_fields, &touch_fields,
		&allocation_fields, &use_fields,     NULL,
	};
	struct table table;

	if (options->by == ARRAYS_BY_LINE)
		accesses_csv_columns(&table, out->arena);
	else if (options->by == ARRAYS_BY_THREAD)
		threads_csv_columns(&table, out->arena);
	else if (options->by == ARRAYS_BY_REGION)
		regions_csv_columns(&table, out->arena);
	else
		emit_columns(&table, out->arena, EMIT_CSV, lists);
	for (size_t i = 0; i < nr_runs; i++) {
		struct page_writer writer;

		if (!writer_init(&writer, out, runs[i], options))
			continue;
		if (options->by == ARRAYS_BY_LINE)
			accesses_csv(&table, out->arena, &writer.groups, i + 1);
		else if (options->by == ARRAYS_BY_THREAD)
			threads_csv(&table, out->arena, writer.view, i + 1);
		else if (options->by == ARRAYS_BY_REGION)
			regions_csv(&table, out->arena, runs[i], i + 1);
		else
			csv_run(&writer, &table, i + 1);
	}
	table_print(out, &table, "csv");
}

arrays_writer *arrays_format(const char *format)
{
	if (format && !strcmp(format, "json"))
		return arrays_json;
	return format && !strcmp(format, "csv") ? arrays_csv : arrays_text;
}
