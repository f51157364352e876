/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_PREFETCH_H
#define MEMSEARCH_SIMULATOR_PREFETCH_H

#include "ompt_tool/simulator/state.h"

/* Rule 11. The piece at that address missed in this level. */
void prefetch_next_line(struct simulator *simulator, struct core *core, const struct access *access, unsigned level, uint64_t address);
/* What a level's prefetcher knows of that site, or of another that has the same row. */
static inline struct stride_row *prefetch_row(const struct core *core, unsigned level, uint32_t site)
{
	return &core->strides[level][site % SIMULATOR_STRIDES];
}

/* How far from an access the prefetcher asks that follows such a distance, in bytes. */
static inline int64_t prefetch_ahead(const struct simulator *simulator, const struct core *core, int64_t distance)
{
	int64_t line = (int64_t)1 << core->levels[simulator->last_private]->shift, ahead = distance * 2;

	if (!distance || ahead >= line || ahead <= -line)
		return ahead;
	return distance < 0 ? -line : line;
}

/* The access is over. True: a line was fetched. */
bool prefetch_strides(struct simulator *simulator, struct core *core, const struct access *access);

#endif
