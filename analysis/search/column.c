/* SPDX-License-Identifier: Apache-2.0 */
/* One metric of one region in the performance database: its cells. */
#include "analysis/search/column.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/search/database_private.h"

/* ------------------------------------------------------------------ columns */

struct column *column_get(struct database *db, uint32_t region, uint32_t metric)
{
	struct column ***block = &db->regions[region].columns[metric / MS_METRIC_BLOCK], **place;

	if (!*block)
		*block = arena_alloc(db->arena, MS_METRIC_BLOCK * sizeof(**block));
	if (!*block)
		return NULL;
	place = &(*block)[metric % MS_METRIC_BLOCK];
	if (!*place) {
		*place = arena_alloc(db->arena, sizeof(**place));
		if (*place) {
			(*place)->region = region;
			(*place)->metric = metric;
		}
	}
	return *place;
}

bool column_list(struct database *db, struct column *column)
{
	if (column->listed == db->generation && db->generation)
		return true;
	if (!ARENA_GROW(db->arena, db->listed.items, db->listed.nr, db->listed.room))
		return false;
	db->listed.items[db->listed.nr++] = column;
	column->listed = db->generation;
	return true;
}

static struct thread_observation *thread_find(const struct column *column, uint32_t thread)
{
	struct thread_observation *only = column->threads;

	while (only && only->thread != thread)
		only = only->next;
	return only;
}

void column_want_thread(struct database *db, struct column *column, uint32_t thread)
{
	struct thread_observation *only = thread_find(column, thread);

	if (!only) {
		only = arena_alloc(db->arena, sizeof(*only));
		if (!only)
			return;
		only->thread = thread;
		only->next = column->threads;
		column->threads = only;
	}
	only->stamp = db->generation;
}

void column_switch(struct database *db, struct column *column)
{
	bool all = column->stamp == db->generation, below = column->below_stamp == db->generation;

	if (db->window && (all || below) && !column_marked(db, column))
		column_mark(db, column);
	observation_switch(db, &column->all, all);
	observation_switch(db, &column->below, below);
	for (struct thread_observation *only = column->threads; only; only = only->next)
		observation_switch(db, &only->seen, !all && only->stamp == db->generation);
}

bool column_is_on(const struct column *column)
{
	const struct thread_observation *only = column->threads;

	while (only && !only->seen.on)
		only = only->next;
	return column->all.on || only;
}

/* ------------------------------------------------------------------ cells */

/* Block and place of a slot: blocks of 1, 1, 2, 4, 8, 16, then 32 cells each. */
static uint32_t block_of(uint32_t slot, uint32_t *place_out)
{
	uint32_t block;

	if (slot >= 32) {
		*place_out = slot % 32;
		return 5 + slot / 32;
	}
	block = slot ? 32 - (uint32_t)__builtin_clz(slot) : 0;
	*place_out = slot ? slot - (1u << (block - 1)) : 0;
	return block;
}

static uint32_t block_cells(size_t block)
{
	return block < 2 ? 1 : block < 6 ? 1u << (block - 1) : 32;
}

/* ------------------------------------------------------------------ the recent window */

const struct column_mark *column_marked(const struct database *db, const struct column *column)
{
	return column->mark && column->mark->number == db->window ? column->mark : NULL;
}

/* 64 MiB of them in all; beyond that columns have no recent window. */
#define MARK_CELLS_MAX ((size_t)1 << 20)

static bool mark_reserve(struct database *db, struct column_mark *mark, size_t nr)
{
	if (nr <= mark->room)
		return true;
	if (nr > MARK_CELLS_MAX - db->mark_cells)
		return false;
	mark->cells = arena_alloc(db->arena, nr * sizeof(*mark->cells));
	mark->room = mark->cells ? nr : 0;
	db->mark_cells += mark->room;
	return mark->cells != NULL;
}

void column_mark(struct database *db, struct column *column)
{
	size_t nr = db->regions[column->region].team.nr;

	if (!column->mark)
		column->mark = arena_alloc(db->arena, sizeof(*column->mark));
	if (!column->mark || !mark_reserve(db, column->mark, nr))
		return; /* no recent values */
	for (uint32_t slot = 0; slot < nr; slot++) {
		const struct cell *cell = column_cell(column, slot);

		column->mark->cells[slot] = cell ? *cell : (struct cell){ 0 };
	}
	column->mark->nr = nr;
	column->mark->number = db->window;
	column->mark->scale_version = 0;
	column->mark->executed = column->executed;
	column->mark->all = observation_now(db, &column->all);
	column->mark->below = observation_now(db, &column->below);
}

/* ------------------------------------------------------------------ clearing */

static void cells_clear(struct column *column)
{
	for (size_t i = 0; i < column->nr_blocks; i++)
		memset(column->blocks[i], 0, block_cells(i) * sizeof(struct cell));
	if (column->expected)
		column->expected->nr = 0;
	column->executed = 0;
	memset(column->most, 0, sizeof(column->most));
}

void column_clear(struct column *column)
{
	cells_clear(column);
	observation_clear(&column->all);
	observation_clear(&column->below);
	for (struct thread_observation *only = column->threads; only; only = only->next)
		observation_clear(&only->seen);
}

void column_forget(const struct database *db, struct column *column)
{
	cells_clear(column);
	observation_forget(db, &column->all);
	observation_forget(db, &column->below);
	for (struct thread_observation *only = column->threads; only; only = only->next)
		observation_forget(db, &only->seen);
	if (column->mark)
		column->mark->number = 0; /* of no window */
}

const struct cell *column_cell(const struct column *column, uint32_t slot)
{
	uint32_t place, block = block_of(slot, &place);

	return block < column->nr_blocks ? &column->blocks[block][place] : NULL;
}

static struct cell *cell_make(struct database *db, struct column *column, uint32_t slot)
{
	uint32_t place, block = block_of(slot, &place);

	while (column->nr_blocks <= block) {
		struct cell *cells;

		if (!ARENA_GROW(db->arena, column->blocks, column->nr_blocks, column->room_blocks))
			return NULL;
		cells = arena_alloc(db->arena, block_cells(column->nr_blocks) * sizeof(*cells));
		if (!cells)
			return NULL;
		column->blocks[column->nr_blocks++] = cells;
	}
	return &column->blocks[block][place];
}

bool column_expect(struct database *db, struct column *column, uint32_t slot, uint64_t executions)
{
	struct expected *expected = column->expected;

	if (!expected)
		expected = column->expected = arena_alloc(db->arena, sizeof(*expected));
	while (expected && expected->nr <= slot) {
		if (!ARENA_GROW(db->arena, expected->executions, expected->nr, expected->room))
			return false;
		expected->executions[expected->nr++] = 0;
	}
	if (expected)
		expected->executions[slot] += executions;
	return expected != NULL;
}

static void cell_set(struct cell *cell, double value)
{
	*cell = (struct cell){
		.sum = { value },
		.count = { 1 },
		.sum_squares = value * value,
		.min = (float)value,
		.max = (float)value,
	};
}

/*
 * A value that has come more seldom than others gives way to the latest, of which it is not known
 * how often it came before. A row whose bounds differ is of a run in which no value lasted.
 */
static void cell_last(struct cell *cell, const struct ms_stat *stat)
{
	uint32_t others = cell->count[1];
	bool empty = cell_is_empty(cell), lasted = stat->min == stat->max;

	if (empty || stat->min < (double)cell->min)
		cell->min = (float)stat->min;
	if (empty || stat->max > (double)cell->max)
		cell->max = (float)stat->max;
	if (empty)
		cell->sum[0] = stat->sum;
	if (lasted && cell->sum[0] == stat->sum) {
		cell->count[0] += cell->count[0] < UINT32_MAX;
		return;
	}
	cell->count[1] += others < UINT32_MAX;
	if (!lasted || cell->count[1] <= cell->count[0])
		return;
	cell->sum[0] = stat->sum;
	cell->count[1] = cell->count[0] + others;
	cell->count[0] = 1;
}

static void most_update(struct column *column, const struct cell *cell, uint32_t batch)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < DATABASE_BATCHES; i++)
		all += cell->count[i];
	if (cell->count[batch] > column->most[batch])
		column->most[batch] = cell->count[batch];
	if (all > column->most[DATABASE_BATCHES])
		column->most[DATABASE_BATCHES] = all < UINT32_MAX ? (uint32_t)all : UINT32_MAX;
}

static void cell_add(struct column *column, struct cell *cell, uint32_t batch,
		     const struct ms_stat *stat)
{
	uint64_t count = cell->count[batch] + stat->count;
	bool empty = cell_is_empty(cell);

	if (empty || stat->min < (double)cell->min)
		cell->min = (float)stat->min;
	if (empty || stat->max > (double)cell->max)
		cell->max = (float)stat->max;
	cell->sum[batch] += stat->sum;
	cell->sum_squares += stat->sum_squares;
	cell->count[batch] = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
	most_update(column, cell, batch);
}

enum ms_status column_add(struct database *db, struct column *column,
			  const struct ms_measurement *row, uint32_t slot)
{
	const struct observation *seen = &column->all;
	struct cell *cell;

	if (!seen->on) {
		const struct thread_observation *only = thread_find(column, row->thread);

		if (!only || !only->seen.on)
			return MS_OK; /* not requested */
		seen = &only->seen;
	}
	cell = cell_make(db, column, slot);
	if (!cell)
		return MS_ERR_MEMORY;
	if (ms_metric_info(row->metric)->gauge == MS_GAUGE_LATEST)
		cell_set(cell, row->stat.sum);
	else if (ms_metric_info(row->metric)->gauge == MS_GAUGE_LASTING)
		cell_last(cell, &row->stat);
	else
		cell_add(column, cell, observation_batch(seen, db->total.groups), &row->stat);
	return MS_OK;
}
