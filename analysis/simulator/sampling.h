/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_SAMPLING_H
#define MEMSEARCH_SIMULATOR_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/simulator/simulator.h"

/*
 * Set sampling (rule 13). Lines here are those of coherence, the largest of any level. Their group
 * is their number modulo the number of groups, which divides the sets of every level: so a set has
 * all its lines, or none.
 *
 *     group    0 1 2 3   4 5 6 7   8 … 34   35   36 37 38 39   40 … 63       64 groups, one line in
 *                                                                            8
 *               whole    counted   skipped  seen   counted     skipped
 */
#define SAMPLING_GROUPS 64
/* bytes: of lines that are sampled when they are recorded */
#define SAMPLING_LINE 64

/*
 * The counters of a slot: the first for all lines; then one per replicate; then one that is not
 * read.
 */
enum {
	SAMPLING_WHOLE = 0,
	SAMPLING_SEEN = SIMULATOR_REPLICATES + 1,
	SAMPLING_ENTRIES,
	SAMPLING_SKIPPED = UINT8_MAX
};

struct sampling {
	uint32_t mask;    /* groups - 1; 0: all lines are simulated */
	uint32_t entries; /* of each slot: 1, or SAMPLING_ENTRIES */
	/* a replicate has as many groups as there are runs, and stands for `groups` groups */
	uint32_t groups, runs;
	uint8_t entry[SAMPLING_GROUPS]; /* by group, or SAMPLING_SKIPPED */
	/* of a skipped group: distance to the next, or previous, group that is not skipped */
	uint8_t ahead[SAMPLING_GROUPS], behind[SAMPLING_GROUPS];
};

/* False: impossible. one_in 1: all lines. */
bool sampling_init(struct sampling *sampling, const struct machine_model *model, uint32_t one_in);

/*
 * The same groups of lines of SAMPLING_LINE bytes, of no machine (simulator_fits_recorded).
 * `one_in`: 1, 4, 8 or SIMULATOR_SPARSEST.
 */
void sampling_init_recorded(struct sampling *sampling, uint32_t one_in);

/* Number of simulated groups. */
uint32_t sampling_looked_at(const struct sampling *sampling);
/* Whether the groups of this one are a proper subset of the other's. */
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
