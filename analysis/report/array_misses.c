/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated misses by data structure. */
#include "analysis/report/array_misses.h"

#include <stddef.h>

#include "analysis/base/arena.h"
#include "analysis/report/finding.h"

/* Where a metric goes. */
static const struct { enum ms_metric metric; size_t at; } places[] = {
#define PLACE(id, field) { MS_METRIC_SIM_##id, offsetof(struct array_misses, field) }
	PLACE(LOADS, accesses), PLACE(STORES, accesses), PLACE(L1D_MISSES, missed[0]), PLACE(L2D_MISSES, missed[1]), PLACE(L3D_MISSES, missed[2]),
	PLACE(COLD, cold), PLACE(CAPACITY, capacity), PLACE(CONFLICT, conflict), PLACE(TRUE_SHARING, true_sharing), PLACE(FALSE_SHARING, false_sharing),
	PLACE(DRAM_LOCAL, local), PLACE(DRAM_REMOTE, remote), PLACE(HITM, transfers), PLACE(TLB_WALKS, page_walks), PLACE(FETCHED_BYTES, fetched),
	PLACE(USED_BYTES, used), PLACE(STALL_CYCLES, cycles),
#undef PLACE
};

/* Loops are parts of their construct, so that only what is directly below a construct counts. */
static bool counts(const struct run *run, const struct run_measurement *one)
{
	const struct run_region *region = one->row.region < run->nr_regions ? &run->regions[one->row.region] : NULL;
	const struct run_region *construct = region && region->kind == MS_DATA_STRUCTURE ? finding_construct(run, region) : NULL;

	return one->phases && construct && region->parent == construct->id && run_region_array(region) < run->nr_arrays;
}

const struct array_misses *array_misses(struct arena *arena, const struct run *run)
{
	struct array_misses *all = arena_alloc(arena, (run->nr_arrays + 1) * sizeof(*all));

	for (size_t i = 0; all && i < run->nr_measurements; i++) {
		const struct run_measurement *one = &run->measurements[i];

		for (size_t k = 0; k < sizeof(places) / sizeof(places[0]); k++) {
			char *misses;

			if (places[k].metric != one->row.metric || !counts(run, one))
				continue;
			misses = (char *)&all[run_region_array(&run->regions[one->row.region])];
			*(double *)(misses + places[k].at) += one->row.stat.sum / (double)one->phases;
		}
	}
	return all;
}
