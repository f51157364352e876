/* SPDX-License-Identifier: Apache-2.0 */
/* Per-thread summaries: cells on demand in reserved address space, one writer, one folder. */
#include "ompt_tool/measurements/summary.h"

#include <stddef.h>

#include "analysis/base/guest_state.h"
#include "analysis/base/own_memory.h"

/*
 * Chain of a region's cells, one per metric, in the order of their first value:
 *
 *     first[region] ──▶ cell ──next──▶ cell …
 *     folded[cell]: values that the folder has emitted; only the folder accesses it
 *
 * 56 + 24 bytes per (region, metric): 10,000 regions with three metrics take 2.4 MB per thread.
 * Address space is reserved for CELLS_A_REGION metrics in every region, more than any thread uses.
 */
struct cell {
	/* min: of whole values; the other fields include the incomplete one */
	double sum, min, max, sum_squares;
	/* sum of the parts of a value that is not complete yet; owner only */
	double open;
	uint64_t count;
	uint32_t next; /* cell number, 0: none */
	uint32_t metric;
};

struct folded {
	double sum, sum_squares;
	/* one ahead while a row has stood for a value that is not complete */
	uint64_t count;
};

struct summary {
	struct cell *cells; /* [1 … nr], all in the same mapping as this */
	struct folded *folded;
	uint32_t nr, room;
	uint32_t regions;                /* highest region with a value + 1: the fold ends there */
	uint32_t last_region, last_cell; /* values mostly come in the same order */
	uint32_t part_region;            /* region whose values are parts at present */
	uint64_t dropped;
	/* number of changes; and at the last fold (folder only) */
	uint64_t changes, folded_changes;
	size_t bytes;
	uint32_t first[MS_REGION_MAX];
};

#define CELLS_A_REGION 64u
#define CELLS_MAX (MS_REGION_MAX * CELLS_A_REGION)
#define CELLS_MIN 4096

static size_t cells_at(void)
{
	return (sizeof(struct summary) + 63) & ~(size_t)63;
}
static size_t folded_at(uint32_t room)
{
	return cells_at() + ((size_t)room + 1) * sizeof(struct cell);
}
static size_t bytes_of(uint32_t room)
{
	return folded_at(room) + ((size_t)room + 1) * sizeof(struct folded);
}

static struct summary *map(uint32_t room)
{
	size_t bytes = bytes_of(room);
	char *memory = own_memory(bytes, 0);
	struct summary *summary = (struct summary *)memory;

	if (!memory)
		return NULL;
	summary->cells = (struct cell *)(memory + cells_at());
	summary->folded = (struct folded *)(memory + folded_at(room));
	summary->room = room;
	summary->bytes = bytes;
	summary->last_region = summary->part_region = MS_REGION_NONE;
	return summary;
}

struct summary *summary_new(void)
{
	struct summary *summary = NULL;
	size_t most = own_memory_for_a_table() / 4; /* each thread has one */

	/* under RLIMIT_AS or strict overcommit smaller sizes are tried */
	for (uint32_t room = CELLS_MAX; !summary && room >= CELLS_MIN; room /= 4)
		if (bytes_of(room) <= most || room == CELLS_MIN)
			summary = map(room);
	return summary;
}

void summary_free(struct summary *summary)
{
	if (summary)
		own_memory_give_back(summary, summary->bytes);
}

static struct cell *cell_add(struct summary *summary, uint32_t region, enum ms_metric metric,
			     uint32_t *link)
{
	uint32_t number = summary->nr + 1;
	struct cell *cell = &summary->cells[number];

	if (number > summary->room) {
		__atomic_store_n(&summary->dropped, summary->dropped + 1, __ATOMIC_RELAXED);
		return NULL;
	}
	cell->metric = metric;
	__atomic_store_n(&summary->nr, number, __ATOMIC_RELAXED);
	if (region >= summary->regions)
		__atomic_store_n(&summary->regions, region + 1, __ATOMIC_RELAXED);
	__atomic_store_n(link, number, __ATOMIC_RELEASE);
	summary->last_region = region;
	summary->last_cell = number;
	return cell;
}

/*
 * The cell of (region, metric), made if it is new; tries the successor of the last one before it
 * follows the chain.
 */
static struct cell *cell_get(struct summary *summary, uint32_t region, enum ms_metric metric)
{
	uint32_t *link;

	if (region >= MS_REGION_MAX) {
		__atomic_store_n(&summary->dropped, summary->dropped + 1, __ATOMIC_RELAXED);
		return NULL;
	}
	if (region == summary->last_region) {
		uint32_t after = summary->cells[summary->last_cell].next;

		if (after && summary->cells[after].metric == metric) {
			summary->last_cell = after;
			return &summary->cells[after];
		}
	}
	for (link = &summary->first[region]; *link; link = &summary->cells[*link].next) {
		if (summary->cells[*link].metric == metric) {
			summary->last_region = region;
			summary->last_cell = *link;
			return &summary->cells[*link];
		}
	}
	return cell_add(summary, region, metric, link);
}

/*
 * The owner is the only writer, so plain loads of its own values are enough; the folder reads while
 * it stores.
 */
static void store(double *field, double value)
{
	__atomic_store(field, &value, __ATOMIC_RELAXED);
}

static double load(double *field)
{
	double value;

	__atomic_load(field, &value, __ATOMIC_RELAXED);
	return value;
}

/* Last: a reader that sees the number sees the changes. */
static void note_change(struct summary *summary)
{
	__atomic_store_n(&summary->changes, summary->changes + 1, __ATOMIC_RELEASE);
}

/* The value that `open` was part of is complete, and stands for `count` values. */
static void complete(struct cell *cell, double whole, uint32_t count)
{
	if (!cell->count || whole < cell->min)
		store(&cell->min, whole);
	cell->open = 0;
	/* last: a count never comes without its value */
	__atomic_store_n(&cell->count, cell->count + count, __ATOMIC_RELEASE);
}

bool summary_add(struct summary *summary, uint32_t region, enum ms_metric metric, double value)
{
	return summary_add_times(summary, region, metric, value, 1, 1);
}

bool summary_add_times(struct summary *summary, uint32_t region, enum ms_metric metric,
		       double value, double times, uint32_t count)
{
	struct cell *cell = cell_get(summary, region, metric);
	/* the program may read the floating-point exception flags: squares are inexact */
	uint64_t flags = float_flags();
	double whole;

	if (!cell)
		return false;
	whole = cell->open + value;
	if (!cell->count || whole > cell->max)
		store(&cell->max, whole);
	store(&cell->sum, cell->sum + value * times);
	/* by whole^2 - open^2 */
	store(&cell->sum_squares, cell->sum_squares + value * (cell->open + whole) * times);
	if (region == summary->part_region)
		cell->open = whole;
	else
		complete(cell, whole, count);
	float_flags_put_back(flags);
	note_change(summary);
	return true;
}

void summary_parts(struct summary *summary, uint32_t region)
{
	summary->part_region = region;
}

void summary_end_parts(struct summary *summary, uint32_t region, bool counted)
{
	if (region >= MS_REGION_MAX)
		return;
	for (uint32_t number = summary->first[region]; number;
	     number = summary->cells[number].next) {
		struct cell *cell = &summary->cells[number];

		if (counted && cell->open != 0 && cell->metric != MS_METRIC_WALL_TIME)
			complete(cell, cell->open, 1);
		else if (!counted)
			cell->open = 0;
	}
	note_change(summary);
}

bool summary_set(struct summary *summary, uint32_t region, enum ms_metric metric, double value)
{
	struct cell *cell = cell_get(summary, region, metric);

	if (!cell)
		return false;
	store(&cell->min, value);
	store(&cell->max, value);
	store(&cell->sum, value);
	store(&cell->sum_squares, value * value);
	__atomic_store_n(&cell->count, cell->count + 1, __ATOMIC_RELEASE);
	note_change(summary);
	return true;
}

uint64_t summary_dropped(const struct summary *summary)
{
	return __atomic_load_n(&summary->dropped, __ATOMIC_RELAXED);
}

uint64_t summary_cells(const struct summary *summary)
{
	return __atomic_load_n(&summary->nr, __ATOMIC_RELAXED);
}

/* The latest value of a gauge; false: it is the one of the last fold. */
static bool gauge_fold(struct cell *cell, struct folded *folded, struct ms_stat *out)
{
	uint64_t count = __atomic_load_n(&cell->count, __ATOMIC_ACQUIRE);
	double value = load(&cell->sum);

	if (count == folded->count)
		return false;
	folded->count = count;
	*out = (struct ms_stat){
		.count = 1, .sum = value, .min = value, .max = value, .sum_squares = value * value
	};
	return true;
}

/*
 * The change of a cell since the last fold; false: none. A row of parts alone has count 1, because
 * count 0 would mean no value; the value they belong to is then not counted again when it is
 * complete.
 */
static bool cell_fold(struct cell *cell, struct folded *folded, struct ms_stat *out)
{
	uint64_t count = __atomic_load_n(&cell->count, __ATOMIC_ACQUIRE);
	double sum = load(&cell->sum), sum_squares = load(&cell->sum_squares);
	uint64_t new = count > folded->count ? count - folded->count : 0;

	if (ms_metric_info(cell->metric)->gauge)
		return gauge_fold(cell, folded, out);
	if (!new && sum == folded->sum)
		return false;
	out->count = new ? new : 1;
	out->sum = sum - folded->sum;
	out->sum_squares = sum_squares - folded->sum_squares;
	out->max = load(&cell->max);
	out->min = count ? load(&cell->min) : out->max;
	*folded = (struct folded){ .sum = sum,
				   .sum_squares = sum_squares,
				   .count = new ? count : count + 1 };
	return true;
}

uint64_t summary_fold(struct summary *summary, uint32_t thread,
		      void (*emit)(void *ctx, const struct ms_measurement *row), void *ctx)
{
	uint64_t changes = __atomic_load_n(&summary->changes, __ATOMIC_ACQUIRE), rows = 0;
	uint32_t regions = __atomic_load_n(&summary->regions, __ATOMIC_RELAXED);

	if (changes == summary->folded_changes)
		return 0;
	summary->folded_changes = changes;
	for (uint32_t region = 0; region < regions; region++) {
		uint32_t number = __atomic_load_n(&summary->first[region], __ATOMIC_ACQUIRE);

		for (; number;
		     number = __atomic_load_n(&summary->cells[number].next, __ATOMIC_ACQUIRE)) {
			struct cell *cell = &summary->cells[number];
			struct ms_measurement row = { .region = region,
						      .thread = thread,
						      .metric = cell->metric };

			if (!cell_fold(cell, &summary->folded[number], &row.stat))
				continue;
			emit(ctx, &row);
			rows++;
		}
	}
	return rows;
}
