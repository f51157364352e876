/* SPDX-License-Identifier: Apache-2.0 */
/* How often pages of data structures change their node, for the search after the run. */
#include "analysis/simulation/returning_pages.h"

#include "analysis/record/run.h"
#include "analysis/search/database.h"

/* Moves by page; negative: the array was queried less than twice. */
static double moves_of(const struct run *run, uint32_t array)
{
	const struct run_placement *first = NULL, *last = NULL;

	for (size_t i = 0; i < run->nr_placements; i++)
		if (run->placements[i].array == array) {
			first = first ? first : &run->placements[i];
			last = &run->placements[i];
		}
	return last != first ? run_placement_returns(first, last, run->placing.page_bytes) : -1;
}

/* A row for each thread that accesses the structure in the region: all have the same value. */
static void add_row(struct database *db, const struct run *run, const struct ms_measurement *reads)
{
	struct ms_measurement row = { .region = reads->region,
				      .thread = reads->thread,
				      .metric = MS_METRIC_PAGE_MOVES };
	double moves = moves_of(run, run_region_array(&run->regions[reads->region]));

	if (moves < 0) {
		database_missing(db, row.region, row.metric, MS_MISSING_TOO_FEW);
		return;
	}
	ms_stat_add(&row.stat, moves);
	database_add(db, &row);
}

void returning_pages_add(struct database *db, const struct run *run)
{
	if (!run->placing.page_bytes) {
		database_missing(db, MS_REGION_NONE, MS_METRIC_PAGE_MOVES,
				 MS_MISSING_NOT_SUPPORTED);
		return;
	}
	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct ms_measurement *of = &run->measurements[i].row;

		if (of->metric == MS_METRIC_READS && of->region < run->nr_regions &&
		    run->regions[of->region].kind == MS_DATA_STRUCTURE)
			add_row(db, run, of);
	}
}
