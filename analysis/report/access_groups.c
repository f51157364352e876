/* SPDX-License-Identifier: Apache-2.0 */
/* Recorded accesses by data structure and source line. */
#include "analysis/report/access_groups.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/report/array_names.h"
#include "analysis/report/array_use.h"
#include "analysis/report/emitter.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"
#include "analysis/report/source_words.h"
#include "analysis/report/table.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define WIDTH 100
#define NOTABLE 0.01 /* of all bytes moved; less is left out of the text */

static int text_order(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Records of earlier versions name no loops, but the first region. */
static uint32_t loop_of(const struct run *run, const struct run_access *access)
{
	return access->loop < run->nr_regions && run->regions[access->loop].kind == MS_LOOP_REGION
		       ? access->loop
		       : MS_REGION_NONE;
}

/* One that is to be gathered, and the source of its loop; NULL: it is in none. */
struct access_row {
	const struct run_access *access;
	const struct source *loop;
};

static int line_order(const struct source *a, const struct source *b)
{
	int order = text_order(a->file, b->file);

	order = order ? order : (a->line > b->line) - (a->line < b->line);
	return order ? order : text_order(a->function, b->function);
}

/*
 * Loops of one line are one: a compiler makes several of it: one in each function into which it is
 * inlined, vectorised and scalar ones. Without a line each is its own.
 */
static int loop_order(const struct access_row *a, const struct access_row *b)
{
	int order = (a->loop != NULL) - (b->loop != NULL);

	if (order || !a->loop)
		return order;
	order = line_order(a->loop, b->loop);
	order = order ? order : a->loop->approximate - b->loop->approximate;
	return order || a->loop->line ? order : (a->loop > b->loop) - (a->loop < b->loop);
}

static int by_line(const void *left, const void *right)
{
	const struct access_row *x = left, *y = right;
	const struct run_access *a = x->access, *b = y->access;
	int order;

	if (a->array != b->array)
		return a->array < b->array ? -1 : 1;
	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	order = loop_order(x, y);
	return order ? order : line_order(&a->source, &b->source);
}

static void group_add(const struct run *run, struct access_group *group,
		      const struct run_access *access, double simulated)
{
	double executions = run_access_executions(access),
	       values = (double)(access->reads + access->writes) / executions;
	double before = group->reads + group->writes;

	group->reads += (double)access->reads / executions;
	group->writes += (double)access->writes / executions;
	group->bytes += values * access->bytes;
	group->least += (double)access->least / executions;
	group->most += (double)access->most / executions;
	group->threads = access->threads > group->threads ? access->threads : group->threads;
	if (values > before / 2) {
		group->stride = access->stride;
		group->loop = loop_of(run, access);
	}
	/* a number until the group is complete */
	group->with_stride += values * access->with_stride;
	misses_add_access(run, &group->misses, access, simulated);
}

/* Without a completely recorded execution the accesses per execution are unknown. */
static bool is_complete(const struct run *run, const struct run_access *access, const double *rates)
{
	return access->region < run->nr_regions && rates[access->region] > 0 &&
	       access->executions && access->reads + access->writes;
}

static size_t complete_rows(struct arena *arena, const struct run *run, const double *rates,
			    struct access_row **out)
{
	struct access_row *rows = arena_alloc(arena, (run->nr_accesses + 1) * sizeof(*rows));
	size_t nr = 0;

	for (size_t i = 0; rows && i < run->nr_accesses; i++) {
		uint32_t loop = loop_of(run, &run->accesses[i]);

		if (is_complete(run, &run->accesses[i], rates))
			rows[nr++] = (struct access_row){ &run->accesses[i],
							  loop == MS_REGION_NONE
								  ? NULL
								  : &run->regions[loop].source };
	}
	if (rows)
		sort(rows, nr, sizeof(*rows), by_line);
	*out = rows;
	return nr;
}

static size_t gather(struct arena *arena, const struct run *run, const double *rates,
		     struct access_group **out)
{
	struct access_row *rows;
	size_t nr_rows = complete_rows(arena, run, rates, &rows), nr = 0;
	struct access_group *groups = arena_alloc(arena, (nr_rows + 1) * sizeof(*groups));
	double simulated = misses_executions(run);

	for (size_t i = 0; groups && i < nr_rows; i++) {
		const struct run_access *access = rows[i].access;

		if (!i || by_line(&rows[i - 1], &rows[i]))
			groups[nr++] = (struct access_group){ .array = access->array,
							      .region = access->region,
							      .loop = MS_REGION_NONE,
							      .source = &access->source,
							      .executions = rates[access->region] };
		group_add(run, &groups[nr - 1], access, simulated);
	}
	*out = groups;
	return nr;
}

static double values_of(const struct access_group *group)
{
	return group->reads + group->writes;
}

struct ordered {
	struct access_group group;
	double of_array;
};

static int heaviest_array(const void *left, const void *right)
{
	const struct ordered *a = left, *b = right;
	double more = values_of(&b->group) - values_of(&a->group);

	if (a->group.array == RUN_ARRAY_NONE || b->group.array == RUN_ARRAY_NONE)
		if (a->group.array != b->group.array)
			/* the rest comes last */
			return a->group.array == RUN_ARRAY_NONE ? 1 : -1;
	if (a->of_array < b->of_array || a->of_array > b->of_array)
		return a->of_array > b->of_array ? -1 : 1;
	if (a->group.array != b->group.array)
		return a->group.array < b->group.array ? -1 : 1;
	return (more > 0) - (more < 0);
}

/* By array, that with the most values first. */
static void order_arrays(struct arena *arena, struct access_group *groups, size_t nr)
{
	struct ordered *ordered = arena_alloc(arena, (nr + 1) * sizeof(*ordered));

	for (size_t i = 0, end; ordered && i < nr; i = end) {
		double sum = 0;

		for (end = i; end < nr && groups[end].array == groups[i].array; end++)
			sum += values_of(&groups[end]);
		for (size_t k = i; k < end; k++)
			ordered[k] = (struct ordered){ groups[k], sum };
	}
	if (ordered)
		sort(ordered, nr, sizeof(*ordered), heaviest_array);
	for (size_t i = 0; ordered && i < nr; i++)
		groups[i] = ordered[i].group;
}

struct access_groups access_groups(struct arena *arena, const struct run *run, const double *rates)
{
	struct access_group *groups = NULL;
	size_t nr = gather(arena, run, rates, &groups);

	for (size_t i = 0; i < nr; i++)
		groups[i].with_stride /= values_of(&groups[i]);
	order_arrays(arena, groups, nr);
	return (struct access_groups){ .run = run, .items = groups, .nr = nr };
}

/* --------------------------------------------------------------------- text */

static const struct run_array *array_of(const struct run *run, uint32_t array)
{
	return array < run->nr_arrays ? &run->arrays[array] : NULL;
}

static const char *name_of(struct arena *arena, const struct run *run, uint32_t array)
{
	return array == RUN_ARRAY_NONE ? "(others)" : arrays_name(arena, run, array_of(run, array));
}

/* "8 bytes", "-10.4 KiB", "none": of most of the values. */
static const char *stride_words(struct arena *arena, const struct access_group *group)
{
	struct text text;

	if (group->with_stride < 0.5)
		return "none";
	if (!(group->stride < 0 || group->stride > 0))
		return "same place";
	text_init(&text, arena);
	text_add_plain(&text, group->stride < 0 ? "-" : "");
	units_bytes(&text, fabs(group->stride));
	return text.bytes;
}

const char *access_line(struct arena *arena, const struct source *source)
{
	if (source->file && *source->file && source->line)
		return arena_printf(arena, "%s%s:%d", source->approximate ? "near " : "",
				    source->file, source->line);
	return source_place(arena, source);
}

/*
 * "calc1 (swim.c:95)", without what every row would repeat; serial code by the region before it:
 * "after calc1 (swim.c:95)".
 */
static const char *region_words(struct arena *arena, const struct run *run, uint32_t number)
{
	const struct run_region *region = number < run->nr_regions ? &run->regions[number] : NULL;
	const char *place = region ? source_place(arena, &region->source) : NULL;

	return region && region->kind == MS_SERIAL_REGION ? arena_printf(arena, "after %s", place)
							  : place;
}

/* With the loop it is in: "calc1 (swim.c:95), loop at 97". */
static const char *in_words(struct arena *arena, const struct run *run,
			    const struct access_group *group)
{
	const char *region = region_words(arena, run, group->region);
	const struct source *loop = group->loop == MS_REGION_NONE || !region
					    ? NULL
					    : &run->regions[group->loop].source;

	if (!loop)
		return region;
	if (loop->line && !loop->approximate &&
	    !text_order(loop->file, run->regions[group->region].source.file))
		return arena_printf(arena, "%s, loop at %d", region, loop->line);
	return arena_printf(arena, "%s, loop %s%s", region, loop->approximate ? "" : "at ",
			    access_line(arena, loop));
}

/*
 * How many threads: "2", and where they differ what part of the accesses each has: "2 (10-90 %)".
 */
static const char *balance_words(struct arena *arena, const struct access_group *group)
{
	double values = values_of(group);

	if (group->threads < 2)
		return "1";
	if (group->most <= 1.1 * values / group->threads)
		return arena_printf(arena, "%" PRIu32, group->threads);
	return arena_printf(arena, "%" PRIu32 " (%.0f-%.0f %%)", group->threads,
			    100 * group->least / values, 100 * group->most / values);
}

/* ------------------------------------------------------------------ text, by line */

struct line_row {
	const struct access_group *group;
	double of_line; /* bytes of all of the line's rows */
};

static double moved(const struct access_group *group)
{
	return group->bytes * group->executions;
}

/* 0: one line to the reader. */
static int place_order(const void *left, const void *right)
{
	const struct source *a = ((const struct line_row *)left)->group->source,
			    *b = ((const struct line_row *)right)->group->source;
	int order = text_order(a->file, b->file);

	order = order ? order : (a->line > b->line) - (a->line < b->line);
	order = order ? order : text_order(a->function, b->function);
	return order ? order : a->line ? 0 : (a->offset > b->offset) - (a->offset < b->offset);
}

/* The line with the most first, and its arrays together, that with the most first. */
static int heavier_line(const void *left, const void *right)
{
	const struct line_row *a = left, *b = right;
	int order = (a->of_line < b->of_line) - (a->of_line > b->of_line);

	order = order ? order : place_order(a, b);
	order = order ? order
		      : (moved(a->group) < moved(b->group)) - (moved(a->group) > moved(b->group));
	return order ? order : (a->group > b->group) - (a->group < b->group);
}

static size_t line_rows(struct arena *arena, const struct access_groups *groups,
			struct line_row **out)
{
	size_t nr = groups->nr;
	struct line_row *rows = arena_alloc(arena, (nr + 1) * sizeof(*rows));

	*out = rows;
	if (!rows)
		return 0;
	for (size_t i = 0; i < nr; i++)
		rows[i].group = &groups->items[i];
	sort(rows, nr, sizeof(*rows), place_order);
	for (size_t i = 0, end; i < nr; i = end) {
		double sum = 0;

		for (end = i; end < nr && !place_order(&rows[i], &rows[end]); end++)
			sum += moved(rows[end].group);
		for (size_t k = i; k < end; k++)
			rows[k].of_line = sum;
	}
	sort(rows, nr, sizeof(*rows), heavier_line);
	return nr;
}

struct group_row {
	struct arena *arena;
	const struct run *run;
	const struct access_group *group;
	size_t run_number;
};

static const char *loop_place(const struct group_row *row)
{
	return row->group->loop == MS_REGION_NONE
		       ? NULL
		       : finding_place(row->arena, row->run, row->group->loop);
}

static const char *array_name(const struct group_row *row)
{
	return row->group->array == RUN_ARRAY_NONE
		       ? NULL
		       : name_of(row->arena, row->run, row->group->array);
}

static double executed(const struct group_row *row, double value)
{
	return value * row->group->executions;
}

/* clang-format off */
#define PLACE_FIELDS(X) \
	X(NUMBER, NULL, "run", NULL, NULL, row->run_number) \
	X(STRING, NULL, NULL, "accessed at", NULL, access_line(row->arena, row->group->source))
/* clang-format on */
EMIT_LIST(place_fields, struct group_row, PLACE_FIELDS)

/* clang-format off */
#define GROUP_FIELDS(X) \
	X(NUMBER, "array_id", NULL, NULL, NULL, row->group->array == RUN_ARRAY_NONE ? NAN : row->group->array) \
	X(STRING, "array", "array", NULL, NULL, array_name(row)) \
	X(STRING, NULL, NULL, "array", NULL, name_of(row->arena, row->run, row->group->array)) \
	X(NUMBER, "region", "region", NULL, NULL, row->group->region) \
	X(STRING, "place", "place", NULL, NULL, finding_place(row->arena, row->run, row->group->region)) \
	X(STRING, NULL, "loop", NULL, NULL, loop_place(row)) \
	X(NUMBER, "executions", "executions", NULL, NULL, row->group->executions) \
	X(NUMBER, "reads", "reads", NULL, NULL, row->group->reads) \
	X(NUMBER, NULL, NULL, "reads", "1", executed(row, row->group->reads)) \
	X(NUMBER, "writes", "writes", NULL, NULL, row->group->writes) \
	X(NUMBER, NULL, NULL, "writes", "1", executed(row, row->group->writes)) \
	X(NUMBER, "bytes", "bytes", NULL, NULL, row->group->bytes) \
	X(NUMBER, NULL, NULL, "moved", "bytes", moved(row->group)) \
	X(NUMBER, "stride", "stride", NULL, NULL, row->group->with_stride >= 0.5 ? row->group->stride : NAN) \
	X(STRING, NULL, NULL, "stride", NULL, stride_words(row->arena, row->group)) \
	X(NUMBER, "with_stride", "with_stride", NULL, NULL, row->group->with_stride) \
	X(NUMBER, "threads", "threads", NULL, NULL, row->group->threads) \
	X(STRING, NULL, NULL, "threads", NULL, balance_words(row->arena, row->group)) \
	X(NUMBER, "least", "least", NULL, NULL, row->group->least) \
	X(NUMBER, "most", "most", NULL, NULL, row->group->most) \
	X(STRING, NULL, NULL, "in", NULL, in_words(row->arena, row->run, row->group))
/* clang-format on */
EMIT_LIST(group_fields, struct group_row, GROUP_FIELDS)

#define ID_FIELDS(X) \
	X(NUMBER, NULL, "array_id", NULL, NULL, \
	  row->group->array == RUN_ARRAY_NONE ? NAN : row->group->array)
EMIT_LIST(id_fields, struct group_row, ID_FIELDS)

static const struct emit_list *const text_lists[] = { &place_fields, &group_fields, NULL };

static void row(struct table *table, const struct access_groups *groups,
		const struct access_group *group)
{
	const struct group_row row = { table->arena, groups->run, group, 0 };

	emit_row(table, EMIT_TEXT, text_lists, &row);
	table_note(table, "misses", misses_words(table->arena, &group->misses, groups->waited));
}

static bool is_worth_it(const struct run *run, const struct access_group *group, double all)
{
	const struct run_array *array = array_of(run, group->array);

	return array &&
	       moved(group) >= (run_array_is_stack(array) ? ARRAY_USE_STACK_SHARE : NOTABLE) * all;
}

size_t accesses_by_line(struct text *out, const struct access_groups *groups, size_t most, bool all)
{
	struct line_row *rows;
	size_t nr = line_rows(out->arena, groups, &rows), shown = 0, left = 0;
	double sum = 0;
	struct table table;

	for (size_t i = 0; i < nr; i++)
		sum += moved(rows[i].group);
	emit_columns(&table, out->arena, EMIT_TEXT, text_lists);
	for (size_t i = 0; i < nr; i++) {
		if (!all && !is_worth_it(groups->run, rows[i].group, sum))
			continue;
		if (!most || shown++ < most)
			row(&table, groups, rows[i].group);
		else
			left++;
	}
	if (table.nr)
		table_print(out, &table, "text");
	return left;
}

/* ------------------------------------------------------------- shared lines */

static double mean(uint64_t sum, const struct run_sharing *sharing)
{
	return sharing->executions ? (double)sum / (double)sharing->executions : 0;
}

/* Part of the accesses to the array in the region; NAN: these are not known. */
static double part_of(const struct access_groups *groups, const struct run_sharing *sharing)
{
	double values = 0;

	for (size_t i = 0; i < groups->nr; i++)
		if (groups->items[i].array == sharing->array &&
		    groups->items[i].region == sharing->region)
			values += values_of(&groups->items[i]);
	return values > 0 ? mean(sharing->accesses, sharing) / values : NAN;
}

/* Whether a row is printed: a few lines at the border of two threads' parts are not. */
static bool is_printed(const struct run *run, const struct run_sharing *sharing, double part,
		       bool all)
{
	if (!sharing->lines && !sharing->same_lines)
		return false;
	return all || (part >= NOTABLE && sharing->array < run->nr_arrays &&
		       !run_array_is_stack(&run->arrays[sharing->array]));
}

struct sharing_row {
	struct arena *arena;
	const struct run *run;
	const struct run_sharing *of;
	/* of the accesses to the array in the region; NAN: not known */
	double part;
};

/* clang-format off */
#define SHARING_FIELDS(X) \
	X(NUMBER, "array_id", NULL, NULL, NULL, row->of->array == RUN_ARRAY_NONE ? NAN : row->of->array) \
	X(STRING, "array", NULL, "array", NULL, name_of(row->arena, row->run, row->of->array)) \
	X(NUMBER, "region", NULL, NULL, NULL, row->of->region) \
	X(STRING, "place", NULL, NULL, NULL, finding_place(row->arena, row->run, row->of->region)) \
	X(NUMBER, "lines", NULL, "shared lines", "1", mean(row->of->lines, row->of)) \
	X(NUMBER, "accesses", NULL, NULL, NULL, mean(row->of->accesses, row->of)) \
	X(STRING, NULL, NULL, "of accesses", NULL, \
	  isnan(row->part) ? NULL : arena_printf(row->arena, "%.3g %%", 100 * row->part)) \
	X(NUMBER, "threads", NULL, "threads", "1", mean(row->of->threads, row->of)) \
	X(NUMBER, "same_lines", NULL, "same words", "1", mean(row->of->same_lines, row->of)) \
	X(NUMBER, "executions", NULL, NULL, NULL, row->of->executions) \
	X(STRING, NULL, NULL, "region", NULL, region_words(row->arena, row->run, row->of->region))
/* clang-format on */
EMIT_LIST(sharing_fields, struct sharing_row, SHARING_FIELDS)

void accesses_shared_lines(struct text *out, const struct access_groups *groups, bool all)
{
	static const struct emit_list *const lists[] = { &sharing_fields, NULL };
	const struct run *run = groups->run;
	struct table table;

	emit_columns(&table, out->arena, EMIT_TEXT, lists);
	for (size_t i = 0; i < run->nr_sharings; i++) {
		const struct run_sharing *sharing = &run->sharings[i];
		const struct sharing_row row = { out->arena, run, sharing,
						 part_of(groups, sharing) };

		if (is_printed(run, sharing, row.part, all))
			emit_row(&table, EMIT_TEXT, lists, &row);
	}
	if (!table.nr)
		return;
	text_add(out, "\n");
	table_print(out, &table, "text");
	text_add(out, "\n");
	text_wrap(
		out,
		"Shared lines: cache lines of 64 bytes that one thread writes and another touches in the same execution, in words of their own, and what "
		"part of the array's accesses goes there. Same words: lines of which they share words, too.",
		0, WIDTH);
	text_add(out, "\n");
}

/* ------------------------------------------------------------------ CSV, by line */

void accesses_csv_columns(struct table *table, struct arena *arena)
{
	static const struct emit_list *const lists[] = { &place_fields, &source_fields,
							 &group_fields, &misses_fields,
							 &id_fields,    NULL };

	emit_columns(table, arena, EMIT_CSV, lists);
}

void accesses_csv(struct table *table, struct arena *arena, const struct access_groups *groups,
		  size_t number)
{
	struct line_row *rows;
	size_t nr = line_rows(arena, groups, &rows);

	for (size_t i = 0; i < nr; i++) {
		const struct access_group *group = rows[i].group;
		const struct group_row row = { arena, groups->run, group, number };

		emit_cells(table, EMIT_CSV, &place_fields, &row);
		emit_cells(table, EMIT_CSV, &source_fields, group->source);
		emit_cells(table, EMIT_CSV, &group_fields, &row);
		emit_cells(table, EMIT_CSV, &misses_fields, &group->misses);
		emit_cells(table, EMIT_CSV, &id_fields, &row);
	}
}

/* --------------------------------------------------------------------- JSON */

void access_loop_json(struct json *json, struct arena *arena, const struct run *run, uint32_t loop)
{
	if (loop == MS_REGION_NONE)
		return json_null(json, "loop");
	json_open(json, "loop", '{');
	json_unsigned(json, "region", loop);
	json_string(json, "place", finding_place(arena, run, loop));
	emit_members(json, &source_fields, &run->regions[loop].source);
	json_close(json);
}

static void json_group(struct json *json, struct arena *arena, const struct run *run,
		       const struct access_group *group)
{
	const struct group_row row = { arena, run, group, 0 };

	json_open(json, NULL, '{');
	emit_members(json, &group_fields, &row);
	access_loop_json(json, arena, run, group->loop);
	emit_members(json, &source_fields, group->source);
	misses_json(json, &group->misses);
	json_close(json);
}

static void json_sharing(struct json *json, const struct access_groups *groups, struct arena *arena,
			 const struct run_sharing *sharing)
{
	const struct sharing_row row = { arena, groups->run, sharing, NAN };

	json_open(json, NULL, '{');
	emit_members(json, &sharing_fields, &row);
	json_close(json);
}

void accesses_json(struct json *json, struct arena *arena, const struct access_groups *groups)
{
	const struct run *run = groups->run;

	json_open(json, "accesses", '[');
	for (size_t i = 0; i < groups->nr; i++)
		json_group(json, arena, run, &groups->items[i]);
	json_close(json);
	json_open(json, "sharing", '[');
	for (size_t i = 0; i < run->nr_sharings; i++)
		json_sharing(json, groups, arena, &run->sharings[i]);
	json_close(json);
}
