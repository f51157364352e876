/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/differential/sums.h"

#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/differential/metrics.h"

bool sums_init(struct arena *arena, struct sums *sums, size_t nr_cells)
{
	sums->nr_rows = compared_metrics_nr();
	sums->nr_used = sums->nr_values = 0;
	sums->table = arena_alloc(arena, (nr_cells + 1) * sums->nr_rows * sizeof(*sums->table));
	sums->used = arena_alloc(arena, (nr_cells + 1) * sizeof(*sums->used));
	sums->is_used = arena_alloc(arena, (nr_cells + 1) * sizeof(*sums->is_used));
	for (uint32_t metric = 0; metric < MS_METRICS; metric++) {
		uint32_t row = compared_row(metric, COMPARED_NONE);

		for (sums->rows_of[metric].nr = 0;
		     row != COMPARED_NONE && sums->rows_of[metric].nr < 2;
		     row = compared_row(metric, row))
			sums->rows_of[metric].rows[sums->rows_of[metric].nr++] = row;
	}
	return sums->table && sums->used && sums->is_used;
}

static struct sum *cell_of(struct sums *sums, uint32_t cell)
{
	struct sum *all = &sums->table[cell * sums->nr_rows];

	if (sums->is_used[cell])
		return all;
	sums->is_used[cell] = true;
	sums->used[sums->nr_used++] = cell;
	for (size_t i = 0; i < sums->nr_rows; i++)
		all[i] = (struct sum){ NAN, 0 };
	return all;
}

void sums_add(struct sums *sums, uint32_t cell, uint32_t metric, struct sum sum)
{
	struct sum *all = cell_of(sums, cell);

	for (uint32_t i = 0; i < sums->rows_of[metric].nr; i++) {
		struct sum *one = &all[sums->rows_of[metric].rows[i]];

		sums->nr_values += isnan(one->value);
		one->value = isnan(one->value) ? sum.value : one->value + sum.value;
		one->uncertain += sum.uncertain;
	}
}

void sums_clear(struct sums *sums)
{
	while (sums->nr_used)
		sums->is_used[sums->used[--sums->nr_used]] = false;
	sums->nr_values = 0;
}
