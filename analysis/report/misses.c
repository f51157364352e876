/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated misses by data structure, construct and thread, and in words. */
#include "analysis/report/misses.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/report/emitter.h"
#include "analysis/report/finding.h"
#include "analysis/report/json.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

/* bytes that prefetchers follow: half a small page, as the modelled ones do */
#define LONGEST_STRIDE 2048
#define NOTABLE 0.01 /* smaller parts are not printed */

/*
 * Each figure once: its name, unit, where it is, the metric and the field of accesses it comes
 * from.
 */
/* clang-format off */
#define FIGURES(X, with) \
	X(with, reads, "1", reads, LOADS, reads) \
	X(with, writes, "1", writes, STORES, writes) \
	X(with, l1_misses, "1", missed[0], L1D_MISSES, l1) \
	X(with, l2_misses, "1", missed[1], L2D_MISSES, l2) \
	X(with, l3_misses, "1", missed[2], L3D_MISSES, l3) \
	X(with, cold, "1", cold, COLD, cold) \
	X(with, capacity, "1", capacity, CAPACITY, capacity) \
	X(with, conflict, "1", conflict, CONFLICT, conflict) \
	X(with, true_sharing, "1", true_sharing, TRUE_SHARING, true_sharing) \
	X(with, false_sharing, "1", false_sharing, FALSE_SHARING, false_sharing) \
	X(with, local_lines, "1", local, DRAM_LOCAL, local) \
	X(with, remote_lines, "1", remote, DRAM_REMOTE, remote) \
	X(with, transfers, "1", transfers, HITM, transfers) \
	X(with, prefetched, "1", prefetched, PREFETCHED, prefetched) \
	X(with, prefetched_lines, "1", prefetches, DRAM_PREFETCHES, prefetches) \
	X(with, write_backs, "1", write_backs, WRITE_BACKS, write_backs) \
	X(with, page_walks, "1", page_walks, TLB_WALKS, page_walks) \
	X(with, fetched_bytes, "bytes", fetched, FETCHED_BYTES, fetched) \
	X(with, used_bytes, "bytes", used, USED_BYTES, used) \
	X(with, cycles, "1", cycles, STALL_CYCLES, cycles)
/* clang-format on */

static const struct figure {
	size_t at;
	enum ms_metric metric;
	size_t of_access;
} figures[] = {
#define FIGURE(with, name, unit, field, id, access) \
	{ offsetof(struct misses, field), MS_METRIC_SIM_##id, offsetof(struct run_misses, access) },
	FIGURES(FIGURE, )
#undef FIGURE
};
#define NR_FIGURES (sizeof(figures) / sizeof(figures[0]))

static const struct figure *figure_of(uint32_t metric)
{
	for (size_t i = 0; i < NR_FIGURES; i++)
		if (figures[i].metric == metric)
			return &figures[i];
	return NULL;
}

static double *value_of(struct misses *misses, const struct figure *figure)
{
	return (double *)((char *)misses + figure->at);
}

/* two-sided 95 %, 3 degrees of freedom: four estimates (SIMULATOR_REPLICATES) */
#define STUDENT_3 3.182

static double value(const struct misses *misses, const struct figure *figure)
{
	return *(const double *)((const char *)misses + figure->at);
}

static void add_all(struct misses *to, const struct misses *from)
{
	for (size_t i = 0; i < NR_FIGURES; i++)
		*value_of(to, &figures[i]) += value(from, &figures[i]);
}

/*
 * Unknown: levels that the modelled machine does not have (missing in older records), and values
 * that need all lines, with set sampling.
 */
static void leave_out(const struct run *run, struct misses *misses)
{
	if (run->modelled.one_in > 1)
		misses->true_sharing = misses->false_sharing = misses->transfers = NAN;
	if (run->modelled.lines_recorded)
		misses->page_walks = NAN;
	for (unsigned int level = 0;
	     run->modelled.levels && level < sizeof(misses->missed) / sizeof(misses->missed[0]);
	     level++)
		if (!(run->modelled.levels & 1u << level))
			misses->missed[level] = NAN;
}

/* ------------------------------------------------------------------ from measurements */

static bool is_outermost(const struct run *run, const struct run_region *region)
{
	return region->parent < run->nr_regions &&
	       run->regions[region->parent].kind == MS_USER_REGION;
}

static bool counts(const struct run *run, const struct run_region *region, enum misses_by by)
{
	if (by == MISSES_BY_THREAD_AND_ARRAY)
		return finding_array_of_construct(run, region->id) != UINT32_MAX;
	if (ms_region_kind_is_part(region->kind) || region->kind == MS_USER_REGION)
		return false;
	return by != MISSES_BY_THREAD || is_outermost(run, region);
}

static struct misses_row row_of(const struct run_region *region, uint32_t thread, enum misses_by by)
{
	bool of_construct = by == MISSES_BY_CONSTRUCT || by == MISSES_BY_CONSTRUCT_AND_THREAD;

	return (struct misses_row){ .thread = by == MISSES_BY_CONSTRUCT ? UINT32_MAX : thread,
				    .array = by == MISSES_BY_THREAD_AND_ARRAY
						     ? run_region_array(region)
						     : UINT32_MAX,
				    .region = of_construct ? region->id : UINT32_MAX,
				    .of.streamed = NAN };
}

static int row_order(const void *left, const void *right)
{
	const struct misses_row *a = left, *b = right;

	if (a->region != b->region)
		return a->region < b->region ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return (a->array > b->array) - (a->array < b->array);
}

/* One for each measurement, in any order. */
static struct misses_rows single_rows(struct arena *arena, const struct run *run, enum misses_by by)
{
	struct misses_rows rows = { NULL, 0 };
	size_t room = 0;

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct run_measurement *one = &run->measurements[i];
		const struct figure *figure = figure_of(one->row.metric);

		if (!figure || !one->phases || one->row.region >= run->nr_regions ||
		    !counts(run, &run->regions[one->row.region], by) ||
		    !ARENA_GROW(arena, rows.items, rows.nr, room))
			continue;
		rows.items[rows.nr] = row_of(&run->regions[one->row.region], one->row.thread, by);
		*value_of(&rows.items[rows.nr++].of, figure) = one->row.stat.sum /
							       (double)one->phases;
	}
	return rows;
}

struct misses_rows misses_rows(struct arena *arena, const struct run *run, enum misses_by by)
{
	struct misses_rows rows = single_rows(arena, run, by);
	size_t nr = 0;

	sort(rows.items, rows.nr, sizeof(*rows.items), row_order);
	for (size_t i = 0; i < rows.nr; i++) {
		if (nr && !row_order(&rows.items[nr - 1], &rows.items[i]))
			add_all(&rows.items[nr - 1].of, &rows.items[i].of);
		else
			rows.items[nr++] = rows.items[i];
	}
	rows.nr = nr;
	for (size_t i = 0; i < nr; i++)
		leave_out(run, &rows.items[i].of);
	return rows;
}

struct misses *misses_by_array(struct arena *arena, const struct run *run)
{
	struct misses *all = arena_alloc(arena, (run->nr_arrays + 1) * sizeof(*all));
	struct misses_rows rows = misses_rows(arena, run, MISSES_BY_THREAD_AND_ARRAY);

	for (size_t i = 0; all && i < rows.nr; i++)
		add_all(&all[rows.items[i].array], &rows.items[i].of);
	for (size_t i = 0; all && i < run->nr_arrays; i++)
		leave_out(run, &all[i]);
	return all;
}

double misses_executions(const struct run *run)
{
	uint64_t most = 0;

	for (size_t i = 0; i < run->nr_measurements; i++)
		if (run->measurements[i].row.metric == MS_METRIC_SIM_LOADS &&
		    run->measurements[i].phases > most)
			most = run->measurements[i].phases;
	return (double)most;
}

double misses_error(const struct run *run)
{
	double lines = 0, variance = 0;

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct ms_measurement *row = &run->measurements[i].row;

		if (row->region != MS_REGION_USER || (row->metric != MS_METRIC_SIM_DRAM_LOCAL &&
						      row->metric != MS_METRIC_SIM_DRAM_REMOTE))
			continue;
		lines += row->stat.sum;
		variance += row->stat.sum_squares;
	}
	if (run->modelled.one_in <= 1)
		return 0;
	return lines > 0 ? STUDENT_3 * sqrt(variance) / lines : NAN;
}

const char *misses_sampled(struct arena *arena, const struct run *run)
{
	double error = misses_error(run);

	return arena_printf(
		arena,
		"1 line in %u was recorded where there was no room for all (--trace-limit): misses are estimates%s; TLB misses and lines that threads take from each other are unknown",
		run->modelled.one_in,
		isnan(error) ? ""
			     : arena_printf(arena, ", lines from memory within %.2g %% (95 %%)",
					    100 * error));
}

double misses_no_streams(const struct run *run)
{
	for (size_t i = 0; i < run->nr_accesses; i++)
		if (run->accesses[i].misses.reads + run->accesses[i].misses.writes)
			return 0;
	return NAN;
}

void misses_add_streams(struct misses *to, const struct run_access *access, double executions)
{
	double lines = (double)(access->misses.local + access->misses.remote);

	if (executions > 0 && (access->stride < 0 || access->stride > 0) &&
	    fabs(access->stride) <= LONGEST_STRIDE)
		to->streamed += lines * access->with_stride / executions;
}

void misses_add_access(const struct run *run, struct misses *to, const struct run_access *access,
		       double executions)
{
	for (size_t i = 0; i < NR_FIGURES && executions > 0; i++)
		*value_of(
			to,
			&figures[i]) += (double)*(const uint64_t *)((const char *)&access->misses +
								    figures[i].of_access) /
					executions;
	misses_add_streams(to, access, executions);
	leave_out(run, to);
}

/* ------------------------------------------------------------------ in words */

static void add_part(struct text *text, double part, const char *what)
{
	if (part < NOTABLE)
		return;
	text_add(text, "; ");
	units_share(text, fmin(1, part));
	text_printf(text, " %s", what);
}

static void add_kinds(struct text *text, const struct misses *misses)
{
	double leave = misses->cold + misses->capacity + misses->conflict + misses->true_sharing +
		       misses->false_sharing;

	if (!(leave > 0))
		return;
	add_part(text, misses->cold / leave, "cold");
	add_part(text, misses->capacity / leave, "capacity");
	add_part(text, misses->conflict / leave, "conflict");
	add_part(text, misses->true_sharing / leave, "true sharing");
	add_part(text, misses->false_sharing / leave, "false sharing");
}

static const char *add_source(struct text *text, const char *between, double part, const char *what)
{
	if (part < NOTABLE)
		return between;
	text_add_plain(text, between);
	units_share(text, fmin(1, part));
	text_printf(text, " %s", what);
	return ", ";
}

/*
 * Lines from memory that come unasked, that a prefetcher could bring, and that are latency-bound;
 * nothing where this is not known.
 */
static void add_sources(struct text *text, const struct misses *misses)
{
	double lines = misses->local + misses->remote, all = lines + misses->prefetches;
	const char *between = "; from memory ";

	if (!(all > 0))
		return;
	between = add_source(text, between, misses->prefetches / all, "prefetched");
	if (isnan(misses->streamed))
		return;
	between = add_source(text, between, misses->streamed / all, "streaming");
	add_source(text, between, fmax(0, lines - misses->streamed) / all, "latency-bound");
}

const char *misses_words(struct arena *arena, const struct misses *misses, double waited)
{
	double accesses = misses_accesses(misses);
	struct text text;

	if (!(accesses > 0))
		return NULL;
	text_init(&text, arena);
	for (int level = 0; level < 3; level++) {
		if (isnan(misses->missed[level]))
			continue;
		text_add_plain(&text, level ? ", " : "");
		units_share(&text, fmin(1, misses->missed[level] / accesses));
		text_printf(&text, "%s in L%d", level ? "" : " of accesses", level + 1);
	}
	add_kinds(&text, misses);
	add_sources(&text, misses);
	add_part(&text, misses->remote / fmax(1, misses->local + misses->remote),
		 "of lines from other nodes");
	if (misses->fetched > 0)
		add_part(&text, misses->used / misses->fetched, "of the bytes fetched used");
	if (waited > 0)
		add_part(&text, misses->cycles / waited, "of all waiting");
	return text.bytes;
}

static bool is_simulated(const struct misses *misses)
{
	return misses_accesses(misses) > 0;
}

#define FIGURE_FIELD(X, name, unit, field, id, access) \
	X(NUMBER, #name, "simulated_" #name, NULL, unit, is_simulated(row) ? row->field : NAN)
/* clang-format off */
#define MISSES_FIELDS(X) \
	X(NUMBER, "accesses", NULL, NULL, NULL, misses_accesses(row)) \
	FIGURES(FIGURE_FIELD, X) \
	X(NUMBER, "streamed_lines", NULL, NULL, NULL, row->streamed)
/* clang-format on */
EMIT_SHARED_LIST(misses_fields, struct misses, MISSES_FIELDS)

void misses_json(struct json *json, const struct misses *misses)
{
	if (!is_simulated(misses))
		return json_null(json, "simulated");
	json_open(json, "simulated", '{');
	emit_members(json, &misses_fields, misses);
	json_close(json);
}
