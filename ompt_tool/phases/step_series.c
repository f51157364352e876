/* SPDX-License-Identifier: Apache-2.0 */
#include "ompt_tool/phases/step_series.h"

#include <math.h>

static void join(struct run_step *row, const struct run_step *next)
{
	row->executions += next->executions;
	row->recorded += next->recorded;
	row->wall_ns += next->wall_ns;
	row->min_ns = fmin(row->min_ns, next->min_ns);
	row->max_ns = fmax(row->max_ns, next->max_ns);
}

static void halve(struct step_series *series)
{
	for (size_t i = 0; i < STEP_SERIES_ROWS; i += 2) {
		series->rows[i / 2] = series->rows[i];
		join(&series->rows[i / 2], &series->rows[i + 1]);
	}
	series->nr = STEP_SERIES_ROWS / 2;
	series->doublings++;
}

static bool is_full(const struct step_series *series, const struct run_step *row)
{
	return row->executions >> series->doublings;
}

void step_series_add(struct step_series *series, double wall_ns, uint64_t executions, bool recorded)
{
	double each = wall_ns / (double)executions;
	struct run_step step = { executions, recorded ? executions : 0, wall_ns, each, each };

	if (series->nr == STEP_SERIES_ROWS && is_full(series, &series->rows[series->nr - 1]))
		halve(series);
	if (series->nr && !is_full(series, &series->rows[series->nr - 1]))
		join(&series->rows[series->nr - 1], &step);
	else
		series->rows[series->nr++] = step;
}
