/* SPDX-License-Identifier: Apache-2.0 */
/* Set sampling. */
#include "analysis/simulator/sampling.h"

#include <string.h>

/* first groups, always simulated: prefetchers have not requested the first lines of a page */
#define WHOLE 4
/*
 * adjacent counted groups, behind one that is simulated but not counted (seen), as a prefetcher may
 * request the next line
 */
#define RUN SIMULATOR_REPLICATES

static uint32_t coherence_line(const struct machine_model *model)
{
	uint32_t line = 0;

	for (unsigned level = 0; level < MODEL_LEVELS; level++)
		line = model->cache[level].bytes && model->cache[level].line > line
			       ? model->cache[level].line
			       : line;
	return line;
}

/* The largest power of two that divides the sets of all levels. */
static uint32_t groups_of(const struct machine_model *model)
{
	uint64_t groups = SAMPLING_GROUPS;

	for (unsigned level = 0; level < MODEL_LEVELS; level++) {
		const struct model_cache *cache = &model->cache[level];
		uint64_t lines = cache->bytes ? cache->bytes / cache->ways / coherence_line(model)
					      : SAMPLING_GROUPS;

		groups = (lines & -lines) < groups ? lines & -lines : groups;
	}
	return (uint32_t)groups;
}

/*
 * A stride prefetcher behind the first level is trained by misses of all lines, which sampling does
 * not simulate. With a stride prefetcher in the first level it has little effect.
 */
static bool depends_on_misses(const struct machine_model *model)
{
	bool behind = false;

	for (unsigned level = 1; level < MODEL_LEVELS; level++)
		behind |= model->cache[level].bytes && model->cache[level].strides;
	return behind && !model->cache[0].strides;
}

uint32_t simulator_sparsest(const struct machine_model *model)
{
	uint32_t groups = groups_of(model);

	return groups < 4 * RUN || depends_on_misses(model) ? 1 : groups / RUN;
}

static void place_run(struct sampling *sampling, uint32_t seen, uint32_t number)
{
	if (sampling->entry[seen] == SAMPLING_SKIPPED)
		sampling->entry[seen] = SAMPLING_SEEN;
	for (uint32_t i = 0; i < RUN; i++)
		sampling->entry[seen + 1 + i] = (uint8_t)(1 + (i + number) % SIMULATOR_REPLICATES);
}

static void measure_gaps(struct sampling *sampling)
{
	uint32_t groups = sampling->mask + 1;

	for (uint32_t group = 0; group < groups; group++) {
		while (sampling_skips(sampling, group + sampling->ahead[group]))
			sampling->ahead[group]++;
		while (sampling_skips(sampling, group - sampling->behind[group]))
			sampling->behind[group]++;
	}
}

static void init_groups(struct sampling *sampling, uint32_t groups, uint32_t one_in)
{
	uint32_t runs = groups / one_in / RUN;

	sampling->mask = groups - 1;
	sampling->entries = SAMPLING_ENTRIES;
	sampling->groups = groups - WHOLE;
	sampling->runs = runs;
	memset(sampling->entry, SAMPLING_SKIPPED, sizeof(sampling->entry));
	memset(sampling->entry, SAMPLING_WHOLE, WHOLE);
	for (uint32_t run = 0; run < runs; run++)
		place_run(sampling, WHOLE - 1 + run * (groups / runs), run);
	measure_gaps(sampling);
}

bool sampling_init(struct sampling *sampling, const struct machine_model *model, uint32_t one_in)
{
	*sampling = (struct sampling){ .entries = 1, .groups = 1, .runs = 1 };
	if (one_in == 1)
		return true;
	if (one_in < 4 || one_in > simulator_sparsest(model) || one_in & (one_in - 1))
		return false;
	init_groups(sampling, groups_of(model), one_in);
	return true;
}

void sampling_init_recorded(struct sampling *sampling, uint32_t one_in)
{
	*sampling = (struct sampling){ .entries = 1, .groups = 1, .runs = 1 };
	if (one_in > 1)
		init_groups(sampling, SAMPLING_GROUPS, one_in);
}

bool simulator_fits_recorded(const struct machine_model *model, uint32_t one_in)
{
	return one_in <= 1 ||
	       (coherence_line(model) == SAMPLING_LINE && groups_of(model) == SAMPLING_GROUPS &&
		one_in <= simulator_sparsest(model));
}

uint32_t sampling_looked_at(const struct sampling *sampling)
{
	uint32_t nr = 0;

	for (uint32_t group = 0; group <= sampling->mask; group++)
		nr += !sampling_skips(sampling, group);
	return nr;
}

bool sampling_is_within(const struct sampling *sampling, const struct sampling *other)
{
	if (!sampling_is_on(sampling) || !sampling_is_on(other))
		return sampling_is_on(sampling);
	for (uint32_t group = 0; group <= sampling->mask; group++)
		if (!sampling_skips(sampling, group) && sampling_skips(other, group))
			return false;
	return sampling_looked_at(sampling) < sampling_looked_at(other);
}
