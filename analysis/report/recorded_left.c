/* SPDX-License-Identifier: Apache-2.0 */
/* Regions whose record lacks the code that takes their time. */
#include "analysis/report/recorded_left.h"

#include <stddef.h>
#include <stdint.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "analysis/report/source_words.h"

#define FEW_PER_NS 1e-3   /* accesses in a thread's time: one miss each would take a tenth of it */
#define SAMPLES_LEAST 10  /* of a region */
#define NEAR_BYTES 0x4000 /* in the same function, or one beside it */

struct region_sums {
	double time_ns, accesses; /* in one execution of the phase, of all threads */
	uint64_t samples, near;   /* near recorded accesses */
};

static bool has_few(const struct region_sums *of)
{
	return of->accesses > 0 && of->accesses < FEW_PER_NS * of->time_ns;
}

static void add_measurements(struct region_sums *sums, const struct run *run)
{
	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct run_measurement *of = &run->measurements[i];
		uint32_t region = of->row.region, outer;
		double value = of->phases ? of->row.stat.sum / (double)of->phases : 0;

		if (region >= run->nr_regions || region == MS_REGION_USER ||
		    ms_region_kind_is_part(run->regions[region].kind))
			continue;
		outer = run_outermost(run, region);
		if (outer >= run->nr_regions)
			continue;
		if (of->row.metric == MS_METRIC_TIME && outer == region)
			sums[outer].time_ns += value;
		if (of->row.metric == MS_METRIC_READS || of->row.metric == MS_METRIC_WRITES)
			sums[outer].accesses += value;
	}
}

static bool is_near(const struct run *run, const struct run_hotspot *spot)
{
	uint32_t outer = run_outermost(run, spot->region);

	for (size_t i = 0; i < run->nr_accesses; i++) {
		const struct code_address *address = &run->accesses[i].address;

		if (address->module == spot->leaf.module &&
		    address->offset + NEAR_BYTES > spot->leaf.offset &&
		    address->offset < spot->leaf.offset + NEAR_BYTES &&
		    run_outermost(run, run->accesses[i].region) == outer)
			return true;
	}
	return false;
}

/* Of regions with few accesses only: each sample is compared with all of these. */
static void add_samples(struct region_sums *sums, const struct run *run)
{
	for (size_t i = 0; i < run->nr_hotspots; i++) {
		const struct run_hotspot *spot = &run->hotspots[i];
		uint32_t outer = run_outermost(run, spot->region);

		if (spot->metric != MS_METRIC_SAMPLES || hotspot_waits(spot) ||
		    outer >= run->nr_regions || !has_few(&sums[outer]))
			continue;
		sums[outer].samples += spot->count;
		sums[outer].near += is_near(run, spot) ? spot->count : 0;
	}
}

const bool *recorded_left(struct arena *arena, const struct run *run)
{
	struct region_sums *sums = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*sums));
	bool *left = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*left));

	if (!sums || !left)
		return NULL;
	add_measurements(sums, run);
	add_samples(sums, run);
	for (uint32_t i = 1; i < run->nr_regions; i++) {
		uint32_t outer = run_outermost(run, i);
		const struct region_sums *of = &sums[outer < run->nr_regions ? outer : 0];

		left[i] = of->samples >= SAMPLES_LEAST && 2 * of->near < of->samples;
	}
	return left;
}
