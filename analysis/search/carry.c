/* SPDX-License-Identifier: Apache-2.0 */
/* Measurements of whole runs, carried from one run of the program to the next. */
#include "analysis/search/carry.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/search/engine.h"
#include "analysis/search/state_text.h"

#define HEADER "memsearch-measurements 1"
#define ROWS_MAX 100000u /* of a run: some 10 MB of text */
#define EXECUTIONS_MAX 1000000u

struct carried_row {
	uint64_t key; /* of the region; 0: the phase, or a region without one */
	/* row.region: MS_REGION_NONE where only the key is known */
	struct ms_measurement row;
};

struct carried_run {
	uint64_t executions;
	struct ms_metric_set metrics;
	double wall_ns;
	struct carried_row *rows;
	size_t nr, room;
};

struct carry {
	struct arena *arena;
	struct carried_run runs[DATABASE_BATCHES];
	size_t nr;
};

struct carry *carry_new(struct arena *arena)
{
	struct carry *carry = arena_alloc(arena, sizeof(*carry));

	if (carry)
		carry->arena = arena;
	return carry;
}

static bool row_add(struct carry *carry, const struct carried_row *row)
{
	struct carried_run *run = &carry->runs[carry->nr - 1];

	if (!ARENA_GROW(carry->arena, run->rows, run->nr, run->room))
		return false;
	run->rows[run->nr++] = *row;
	return true;
}

/* ------------------------------------------------------------------ fewer runs */

static int by_place(const void *left, const void *right)
{
	const struct carried_row *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->row.metric != b->row.metric)
		return a->row.metric < b->row.metric ? -1 : 1;
	return a->row.thread < b->row.thread ? -1 : a->row.thread > b->row.thread;
}

/* Rows of one place become one: the sums of both runs, or the latest value of a gauge. */
static void rows_merge(struct carried_run *run)
{
	size_t nr = 0;

	sort(run->rows, run->nr, sizeof(*run->rows), by_place);
	for (size_t i = 0; i < run->nr; i++) {
		if (!nr || by_place(&run->rows[nr - 1], &run->rows[i]))
			run->rows[nr++] = run->rows[i];
		else if (ms_metric_info(run->rows[i].row.metric)->gauge)
			run->rows[nr - 1] = run->rows[i];
		else
			ms_stat_merge(&run->rows[nr - 1].row.stat, &run->rows[i].row.stat);
	}
	run->nr = nr;
}

static int by_executions(const void *left, const void *right)
{
	const struct carried_run *a = left, *b = right;

	return a->executions < b->executions ? -1 : a->executions > b->executions;
}

/* Drops metrics that only one of them measured: over both they would be too small. */
static bool runs_merge(struct arena *arena, struct carried_run *into,
		       const struct carried_run *from)
{
	struct ms_metric_set metrics = ms_metric_set_both(&into->metrics, &from->metrics);
	size_t nr = 0;

	for (size_t i = 0; i < from->nr; i++) {
		if (!ARENA_GROW(arena, into->rows, into->nr, into->room))
			return false;
		into->rows[into->nr++] = from->rows[i];
	}
	for (size_t i = 0; i < into->nr; i++)
		if (ms_metric_set_has(&metrics, into->rows[i].row.metric))
			into->rows[nr++] = into->rows[i];
	into->nr = nr;
	into->metrics = metrics;
	into->executions += from->executions;
	into->wall_ns += from->wall_ns;
	rows_merge(into);
	return true;
}

/* Makes room for one more run. */
static bool runs_reserve(struct carry *carry)
{
	if (carry->nr < DATABASE_BATCHES)
		return true;
	sort(carry->runs, carry->nr, sizeof(*carry->runs), by_executions);
	if (!runs_merge(carry->arena, &carry->runs[0], &carry->runs[1]))
		return false;
	carry->nr--;
	memmove(&carry->runs[1], &carry->runs[2], (carry->nr - 1) * sizeof(*carry->runs));
	return true;
}

enum ms_status carry_run(struct carry *carry, double wall_ns, const struct ms_metric_set *metrics,
			 size_t rows)
{
	struct carried_run run = { .executions = 1, .metrics = *metrics, .wall_ns = wall_ns };

	if (!runs_reserve(carry))
		return MS_ERR_MEMORY;
	run.rows = arena_alloc(carry->arena, rows * sizeof(*run.rows));
	run.room = run.rows ? rows : 0;
	carry->runs[carry->nr++] = run;
	return MS_OK;
}

enum ms_status carry_row(struct carry *carry, const struct database *db,
			 const struct ms_measurement *row)
{
	struct carried_row carried = { .row = *row };
	struct ms_region_info region;

	if (!carry->nr || !database_region_info(db, row->region, &region))
		return MS_ERR_NOT_FOUND;
	carried.key = row->region == MS_REGION_USER ? 0 : region.key;
	return row_add(carry, &carried) ? MS_OK : MS_ERR_MEMORY;
}

/* ------------------------------------------------------------------ what there is */

uint64_t carry_measured(const struct carry *carry, uint32_t metric)
{
	uint64_t executions = 0;

	for (size_t i = 0; i < carry->nr; i++)
		executions += ms_metric_set_has(&carry->runs[i].metrics, metric)
				      ? carry->runs[i].executions
				      : 0;
	return executions;
}

uint64_t carry_executions(const struct carry *carry)
{
	uint64_t executions = 0;

	for (size_t i = 0; i < carry->nr; i++)
		executions += carry->runs[i].executions;
	return executions;
}

void carry_wall(const struct carry *carry, double *sum_ns_out, double *min_ns_out,
		double *max_ns_out)
{
	*sum_ns_out = *min_ns_out = *max_ns_out = 0;
	for (size_t i = 0; i < carry->nr; i++) {
		double each = carry->runs[i].wall_ns / (double)carry->runs[i].executions;

		*sum_ns_out += carry->runs[i].wall_ns;
		*min_ns_out = i ? fmin(*min_ns_out, each) : each;
		*max_ns_out = fmax(*max_ns_out, each);
	}
}

struct keyed_region {
	uint64_t key;
	uint32_t id;
};

static int by_key(const void *left, const void *right)
{
	const struct keyed_region *a = left, *b = right;

	return a->key < b->key ? -1 : a->key > b->key;
}

struct keyed_regions {
	struct keyed_region *items;
	size_t nr;
};

static struct keyed_regions keyed_regions(struct arena *arena, const struct database *db)
{
	uint32_t nr = database_regions(db);
	struct keyed_regions regions = { .items = arena_alloc(arena,
							      (nr + 1) * sizeof(*regions.items)) };
	struct ms_region_info info;

	for (uint32_t id = 1; regions.items && id < nr; id++)
		if (database_region_info(db, id, &info) && info.key)
			regions.items[regions.nr++] = (struct keyed_region){ info.key, id };
	if (regions.items)
		sort(regions.items, regions.nr, sizeof(*regions.items), by_key);
	return regions;
}

/* MS_REGION_NONE: this run has not met it. */
static uint32_t region_of(const struct keyed_regions *regions, const struct carried_row *row)
{
	struct keyed_region wanted = { .key = row->key };
	const struct keyed_region *found;

	if (row->row.region != MS_REGION_NONE)
		return row->row.region;
	if (!row->key)
		return MS_REGION_USER;
	found = regions->nr ? bsearch(&wanted, regions->items, regions->nr, sizeof(wanted), by_key)
			    : NULL;
	return found ? found->id : MS_REGION_NONE;
}

static void play_run(const struct carried_run *run, const struct keyed_regions *regions,
		     struct database *db, const struct engine *engine)
{
	struct ms_request requests[MS_METRICS];
	size_t nr = 0;

	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (ms_metric_set_has(&run->metrics, metric))
			requests[nr++] = engine_request(engine, metric, MS_REGION_USER, true);
	database_requests(db, requests, nr);
	database_execution_begin(db);
	for (size_t i = 0; i < run->nr; i++) {
		struct ms_measurement row = run->rows[i].row;

		row.region = region_of(regions, &run->rows[i]);
		database_add(db, &row);
	}
	database_execution_end(db, run->wall_ns, run->executions);
}

void carry_play(const struct carry *carry, struct database *db, const struct engine *engine)
{
	struct keyed_regions regions = keyed_regions(carry->arena, db);

	for (size_t i = 0; i < carry->nr; i++)
		play_run(&carry->runs[i], &regions, db, engine);
}

/* ------------------------------------------------------------------ writing and reading */

#define METRICS_TEXT (17 * MS_METRIC_SET_WORDS) /* 16 digits and what stands behind them */

/* Words that have no metric yet are left out. */
static void metrics_put(char text[METRICS_TEXT], const struct ms_metric_set *metrics)
{
	size_t nr = MS_METRIC_SET_WORDS, length = 0;

	while (nr > 1 && !metrics->words[nr - 1])
		nr--;
	for (size_t i = 0; i < nr; i++)
		length += (size_t)snprintf(text + length, METRICS_TEXT - length, "%s%" PRIx64,
					   i ? "," : "", metrics->words[i]);
}

static bool metrics_get(const char *text, struct ms_metric_set *out)
{
	for (size_t i = 0; i < MS_METRIC_SET_WORDS; i++) {
		int end = 0;

		if (sscanf(text, "%" SCNx64 "%n", &out->words[i], &end) != 1)
			return false;
		if (!text[end])
			return true;
		if (text[end] != ',')
			return false;
		text += end + 1;
	}
	return false;
}

static void save_row(struct state_writer *writer, const struct carried_row *row)
{
	const struct ms_stat *stat = &row->row.stat;

	if (!row->key && row->row.region != MS_REGION_USER && row->row.region != MS_REGION_NONE)
		return; /* that region could not be found again */
	state_line(writer,
		   "row %" PRIx64 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIx64 " %" PRIx64
		   " %" PRIx64 " %" PRIx64,
		   row->key, row->row.thread, row->row.metric, stat->count, state_bits(stat->sum),
		   state_bits(stat->min), state_bits(stat->max), state_bits(stat->sum_squares));
}

char *carry_save(const struct carry *carry, struct arena *arena)
{
	struct state_writer writer;

	state_begin(&writer, arena, HEADER);
	for (size_t i = 0; i < carry->nr; i++) {
		const struct carried_run *run = &carry->runs[i];
		char metrics[METRICS_TEXT];

		if (run->nr > ROWS_MAX)
			return NULL;
		metrics_put(metrics, &run->metrics);
		state_line(&writer, "run %" PRIu64 " %" PRIx64 " %s", run->executions,
			   state_bits(run->wall_ns), metrics);
		for (size_t k = 0; k < run->nr; k++)
			save_row(&writer, &run->rows[k]);
	}
	return state_end(&writer);
}

static bool is_time(double ns)
{
	return isfinite(ns) && ns >= 0;
}

static bool load_run(struct carry *carry, const char *line)
{
	struct carried_run run = { .nr = 0 };
	uint64_t wall;
	int end = 0;

	if (sscanf(line, "run %" SCNu64 " %" SCNx64 " %n", &run.executions, &wall, &end) != 2 ||
	    !metrics_get(line + end, &run.metrics))
		return false;
	run.wall_ns = state_double(wall);
	if (carry->nr == DATABASE_BATCHES || !run.executions || run.executions > EXECUTIONS_MAX ||
	    !is_time(run.wall_ns))
		return false;
	carry->runs[carry->nr++] = run;
	return true;
}

static bool load_row(struct carry *carry, const char *line)
{
	struct carried_row carried = { .row = { .region = MS_REGION_NONE } };
	struct ms_stat *stat = &carried.row.stat;
	uint64_t sum, least, most, squares;
	int end = 0;

	if (sscanf(line,
		   "row %" SCNx64 " %" SCNu32 " %" SCNu32 " %" SCNu64 " %" SCNx64 " %" SCNx64
		   " %" SCNx64 " %" SCNx64 "%n",
		   &carried.key, &carried.row.thread, &carried.row.metric, &stat->count, &sum,
		   &least, &most, &squares, &end) != 8 ||
	    line[end] || carried.row.metric >= MS_METRICS || !carry->nr)
		return false;
	stat->sum = state_double(sum);
	stat->min = state_double(least);
	stat->max = state_double(most);
	stat->sum_squares = state_double(squares);
	return isfinite(stat->sum) && isfinite(stat->min) && isfinite(stat->max) &&
	       is_time(stat->sum_squares) && carry->runs[carry->nr - 1].nr < ROWS_MAX &&
	       row_add(carry, &carried);
}

static bool load_line(void *ctx, const char *line)
{
	return !strncmp(line, "run ", 4) ? load_run(ctx, line) : load_row(ctx, line);
}

bool carry_is(const char *text)
{
	return state_is(text, HEADER);
}

enum ms_status carry_load(struct carry *carry, const char *text)
{
	struct carry loaded = { .arena = carry->arena };

	if (!state_read(text, HEADER, load_line, &loaded))
		return MS_ERR_FORMAT;
	*carry = loaded;
	return MS_OK;
}
