/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_SAMPLING_H
#define MEMSEARCH_SIMULATOR_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/simulator/simulator.h"

/*
 * Rule 13: which lines are looked at. Lines here are those of coherence, the largest of any level. Their group is their number mod the
 * number of groups, which divides the sets of every level: so a set is looked at with all its lines, or not at all.
 *
 *     group    0 1 2 3   4 5 6 7   8 … 34   35   36 37 38 39   40 … 63       64 groups, one line in 8
 *               whole    counted   skipped  seen   counted     skipped
 */
#define SAMPLING_GROUPS 64
#define SAMPLING_LINE 64                 /* bytes: of lines that are sampled when they are recorded */

/* What of a slot's counters an access counts in: the first has what is counted of all lines; then one a replicate; then what nobody reads. */
enum { SAMPLING_WHOLE = 0, SAMPLING_SEEN = SIMULATOR_REPLICATES + 1, SAMPLING_ENTRIES, SAMPLING_SKIPPED = UINT8_MAX };

struct sampling {
	uint32_t mask;                   /* groups - 1; 0: all lines are looked at */
	uint32_t entries;                /* of each slot: 1, or SAMPLING_ENTRIES */
	uint32_t groups, runs;           /* a replicate has so many groups as there are runs, and stands for so many groups */
	uint8_t entry[SAMPLING_GROUPS];  /* by group, or SAMPLING_SKIPPED */
	uint8_t ahead[SAMPLING_GROUPS], behind[SAMPLING_GROUPS];        /* of a group that is skipped: how many groups on, or back, is one that is not */
};

/* False: it is not possible so. one_in 1: all lines. */
bool sampling_init(struct sampling *sampling, const struct machine_model *model, uint32_t one_in);

/* The same groups of lines of SAMPLING_LINE bytes, of no machine (simulator_fits_recorded). `one_in`: 1, 4, 8 or SIMULATOR_SPARSEST. */
void sampling_init_recorded(struct sampling *sampling, uint32_t one_in);

/* How many groups are. */
uint32_t sampling_looked_at(const struct sampling *sampling);
/* All groups that one looks at, and not all of them, are looked at by the other. */
bool sampling_is_within(const struct sampling *sampling, const struct sampling *other);

static inline bool sampling_is_on(const struct sampling *sampling)
{
	return sampling->mask;
}

static inline uint8_t sampling_entry(const struct sampling *sampling, uint64_t line)
{
	return sampling->entry[line & sampling->mask];
}

static inline bool sampling_skips(const struct sampling *sampling, uint64_t line)
{
	return sampling_entry(sampling, line) == SAMPLING_SKIPPED;
}

#endif
