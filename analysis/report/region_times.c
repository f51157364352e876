/* SPDX-License-Identifier: Apache-2.0 */
/* Time of regions by thread. */
#include "analysis/report/region_times.h"

#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "memsearch/host.h"

#define THREADS_MOST 65536 /* numbers of threads in damaged records */

bool region_times_init(struct region_times *all, struct arena *arena, const struct run *run)
{
	*all = (struct region_times){ .run = run };
	for (size_t i = 0; i < run->nr_measurements; i++)
		if (run->measurements[i].row.thread >= all->width &&
		    run->measurements[i].row.thread < THREADS_MOST)
			all->width = run->measurements[i].row.thread + 1;
	all->times = arena_alloc(arena, (all->width + 1) * sizeof(*all->times));
	all->waits = arena_alloc(arena, (all->width + 1) * sizeof(*all->waits));
	for (size_t i = 0; all->times && all->waits && i < all->width; i++)
		all->times[i] = all->waits[i] = NAN;
	return all->times && all->waits &&
	       row_index_init(&all->rows, arena, run->measurements, run->nr_measurements,
			      sizeof(*run->measurements),
			      offsetof(struct run_measurement, row.region), run->nr_regions);
}

static bool is_time(enum ms_region_kind kind, uint32_t metric)
{
	if (ms_region_kind_is_code_part(kind))
		return metric == MS_METRIC_LOOP_TIME;
	if (kind == MS_TASK_REGION)
		return metric == MS_METRIC_TASK_TIME;
	return metric == MS_METRIC_TIME ||
	       (kind == MS_SERIAL_REGION && metric == MS_METRIC_WALL_TIME);
}

static bool is_wait(uint32_t metric)
{
	return metric == MS_METRIC_BARRIER_WAIT || metric == MS_METRIC_LOCK_WAIT;
}

static void add(double *sum, double value)
{
	*sum = isnan(*sum) ? value : *sum + value;
}

static void add_row(const struct region_times *all, enum ms_region_kind kind,
		    const struct run_measurement *one)
{
	double each = one->row.stat.sum / (double)one->phases;

	if (is_time(kind, one->row.metric)) /* fmax passes over a NAN */
		all->times[one->row.thread] = fmax(all->times[one->row.thread], each);
	else if (is_wait(one->row.metric))
		add(&all->waits[one->row.thread], each);
}

static void add_rows(struct region_times *all, uint32_t region)
{
	enum ms_region_kind kind = all->run->regions[region].kind;

	for (uint32_t i = all->rows.first[region]; i < all->rows.first[region + 1]; i++) {
		const struct run_measurement *one = &all->run->measurements[all->rows.rows[i]];

		if (!one->phases || one->row.thread >= all->width ||
		    (!is_time(kind, one->row.metric) && !is_wait(one->row.metric)))
			continue;
		add_row(all, kind, one);
		if (one->row.thread >= all->nr)
			all->nr = one->row.thread + 1;
	}
}

struct region_time region_time_of(struct region_times *all, uint32_t region)
{
	struct region_time time = { NAN, NAN, NAN, all->times, all->waits, 0 };

	for (size_t i = 0; i < all->nr; i++)
		all->times[i] = all->waits[i] = NAN;
	all->nr = 0;
	add_rows(all, region);
	time.nr = all->nr;
	for (size_t i = 0; i < all->nr; i++) {
		if (!isnan(all->times[i]))
			add(&time.total, all->times[i]);
		if (!isnan(all->waits[i]))
			add(&time.waited, all->waits[i]);
		time.longest = fmax(time.longest, all->times[i]);
	}
	return time;
}
