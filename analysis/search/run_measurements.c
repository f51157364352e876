/* SPDX-License-Identifier: Apache-2.0 */
/* A finished run's measurements, for the database of a search. */
#include "analysis/search/run_measurements.h"

#include <math.h>

/* Of one row in one execution; more are in damaged records only. */
#define COUNT_MOST 1e15

bool measured_regions(struct database *db, const struct run *run)
{
	for (size_t i = 0; i < run->nr_regions; i++) {
		const struct run_region *region = &run->regions[i];
		const struct ms_region_info info = { region->id, region->parent, region->kind,
						     run_region_key(region) };

		if (database_region(db, &info) != MS_OK)
			return false;
	}
	return true;
}

void measured_missing(struct database *db, const struct run *run)
{
	for (size_t i = 0; i < run->nr_missing; i++)
		database_missing(db, run->missing[i].region, run->missing[i].metric,
				 run->missing[i].why);
	for (size_t i = 0; i < run->nr_counters; i++)
		if (run->counters[i].why != MS_PRESENT)
			database_missing(db, MS_REGION_NONE, run->counters[i].metric,
					 run->counters[i].why);
}

bool measured_together(enum ms_sensor_id sensor)
{
	return sensor == MS_SENSOR_CLOCK || sensor == MS_SENSOR_RUSAGE;
}

static double scale_of(const struct run_measurement *from, const struct measured_wall *wall)
{
	const struct ms_metric_info *metric = ms_metric_info(from->row.metric);

	if (metric->gauge || !from->phases)
		return 1;
	if (database_is_time(from->row.metric) && from->observed_ns > 0)
		return (metric->sensor == MS_SENSOR_CLOCK ? wall->clock_ns : wall->cpu_ns) /
		       from->observed_ns;
	return 1 / (double)from->phases;
}

struct ms_measurement measured_in_one(const struct run_measurement *from,
				      const struct measured_wall *wall)
{
	struct ms_measurement row = from->row;
	double scale = scale_of(from, wall), count;

	scale = isfinite(scale) ? scale : 1;
	count = (double)row.stat.count * scale;
	row.stat.sum *= scale;
	row.stat.sum_squares *= scale;
	row.stat.count = row.stat.count && count < 1 ? 1 : (uint64_t)fmin(count + 0.5, COUNT_MOST);
	return row;
}
