/* SPDX-License-Identifier: Apache-2.0 */
/* How many cache lines constructs touch at most, by the sizes of arrays and numbers of accesses. */
#include "analysis/simulation/reach.h"

#include <math.h>
#include <stdint.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "analysis/search/run_measurements.h"

#define LINE 64.0 /* bytes; as MS_METRIC_TOUCHED_LINES */

/* Of one region in one execution of the phase, all threads. */
struct reach {
	struct reach_accesses all;
	double lines;               /* of its arrays */
	uint32_t recorded, counted; /* threads whose accesses, and whose lines are known */
	bool unrecorded, uncounted; /* … of all threads: not known */
};

void reach_accesses_add(struct reach_accesses *to, const struct ms_measurement *row)
{
	switch (row->metric) {
	case MS_METRIC_READS:
		to->executions = fmax(to->executions, (double)row->stat.count);
		to->accesses += row->stat.sum;
		break;
	case MS_METRIC_WRITES: to->accesses += row->stat.sum; break;
	case MS_METRIC_CONTIGUOUS: to->contiguous += row->stat.sum; break;
	case MS_METRIC_READ_BYTES:
	case MS_METRIC_WRITTEN_BYTES: to->bytes += row->stat.sum; break;
	default: break;
	}
}

static void add_measurement(struct reach *reach, const struct run_measurement *of,
			    const struct measured_wall *wall)
{
	struct ms_measurement row = measured_in_one(of, wall);

	reach_accesses_add(&reach->all, &row);
	reach->recorded += row.metric == MS_METRIC_READS;
	reach->counted += row.metric == MS_METRIC_TOUCHED_LINES;
}

/* Accesses that are not contiguous touch a line each at most. */
double reach_array_lines(const struct reach_accesses *of, const struct run_array *array)
{
	double contiguous = of->accesses > 0 ? fmin(1, of->contiguous / of->accesses) : 0;
	double has = (ceil((double)array->bytes / LINE) + 1) * fmax(1, of->executions);

	return fmin(has, of->bytes * contiguous / LINE + of->accesses * (1 - contiguous));
}

static bool is_construct(enum ms_region_kind kind)
{
	return kind == MS_PARALLEL_REGION || kind == MS_DO_REGION || kind == MS_SECTIONS_REGION;
}

static void add_array(const struct run *run, struct reach *reaches, uint32_t region)
{
	uint32_t parent = run->regions[region].parent,
		 array = run_region_array(&run->regions[region]);

	if (array < run->nr_arrays && parent < run->nr_regions && run->arrays[array].bytes &&
	    is_construct(run->regions[parent].kind) && !run_array_is_stack(&run->arrays[array]))
		reaches[parent].lines += reach_array_lines(&reaches[region].all,
							   &run->arrays[array]);
}

static bool put(struct arena *arena, struct run *run, uint32_t region, const struct reach *reach,
		double wall_ns)
{
	struct run_measurement row = { .row = { .region = region,
						.metric = MS_METRIC_TOUCHED_MOST },
				       .phases = 1,
				       .observed_ns = wall_ns };

	bool is_counted = reach->counted >= reach->recorded && !reach->uncounted;

	if (!is_construct(run->regions[region].kind) || reach->unrecorded || is_counted ||
	    reach->lines <= 0)
		return true;
	ms_stat_add(&row.row.stat, reach->lines);
	if (!ARENA_GROW(arena, run->measurements, run->nr_measurements, run->room_measurements))
		return false;
	run->measurements[run->nr_measurements++] = row;
	return true;
}

bool reach_add(struct arena *arena, struct run *run)
{
	double wall_ns = run_execution_ns(run);
	const struct measured_wall wall = { wall_ns, wall_ns };
	struct reach *reaches = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*reaches));
	bool added = reaches != NULL;

	for (size_t i = 0; reaches && i < run->nr_measurements; i++)
		if (run->measurements[i].row.region < run->nr_regions)
			add_measurement(&reaches[run->measurements[i].row.region],
					&run->measurements[i], &wall);
	for (size_t i = 0; reaches && i < run->nr_missing; i++) {
		uint32_t metric = run->missing[i].metric;

		if (run->missing[i].region >= run->nr_regions)
			continue;
		reaches[run->missing[i].region].unrecorded |= metric == MS_METRIC_READS;
		reaches[run->missing[i].region].uncounted |= metric == MS_METRIC_TOUCHED_LINES;
	}
	for (uint32_t i = 0; reaches && i < run->nr_regions; i++)
		add_array(run, reaches, i);
	for (uint32_t i = 0; added && i < run->nr_regions; i++)
		added = put(arena, run, i, &reaches[i], wall_ns);
	return added;
}
