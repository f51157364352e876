/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_PREFETCH_H
#define MEMSEARCH_SIMULATOR_PREFETCH_H

#include "analysis/simulator/access.h"
#include "analysis/simulator/cache_search.h"
#include "analysis/simulator/state.h"

/* Next-line prefetcher (rule 11): after a miss of the piece at that address in this level. */
void prefetch_next_line(struct simulator *simulator, struct core *core, const struct access *access,
			unsigned level, uint64_t address);
/* The row of a site in a level's stride table; another site may occupy it. */
static inline struct stride_row *prefetch_row(const struct core *core, unsigned level,
					      uint32_t site)
{
	return &core->strides[level][site % SIMULATOR_STRIDES];
}

/* Whether no two of the runs share a row. */
bool prefetch_rows_are_own(const struct stride_run *runs, uint32_t nr);

/* Distance in bytes of the request for accesses with that distance from each other; 0: none. */
static inline int64_t prefetch_ahead(const struct simulator *simulator, const struct core *core,
				     int64_t distance)
{
	int64_t line = (int64_t)1 << core->levels[simulator->last_private]->shift,
		most = (int64_t)1 << (simulator->prefetch_shift - 1);

	if (!distance || distance > most || distance < -most)
		return 0;
	if (distance * 2 >= line || distance * 2 <= -line)
		return distance * 2;
	return distance < 0 ? -line : line;
}

/* Fetches the line of that address on behalf of the access; call only if prefetch_wants. */
void prefetch_fetch(struct simulator *simulator, struct core *core, const struct access *by,
		    uint64_t address);

/* Whether an access at `from` may prefetch that address: on its page, sampled, not present. */
static inline bool prefetch_wants(const struct simulator *simulator, struct core *core,
				  uint64_t from, uint64_t address)
{
	struct cache *cache = core->levels[simulator->last_private];

	return from >> simulator->prefetch_shift == address >> simulator->prefetch_shift &&
	       !sampling_skips(&simulator->sampling, address >> simulator->coherence_shift) &&
	       cache_find(cache, address >> cache->shift) == NO_WAY;
}

/* Trains a level's stride prefetcher with an access. True: it requests *wanted_out. */
static inline bool prefetch_hears(const struct simulator *simulator, struct core *core,
				  unsigned level, uint32_t site, uint64_t address,
				  uint64_t *wanted_out)
{
	struct stride_row *row = prefetch_row(core, level, site);
	int64_t distance = (int64_t)(address - row->last);

	if (__builtin_expect(row->site != (uint64_t)site + 1, 0)) {
		*row = (struct stride_row){ .last = address, .site = (uint64_t)site + 1 };
		return false;
	}
	if (!distance)
		return false;
	row->last = address;
	if (distance != row->distance) {
		row->distance = distance;
		row->ahead = prefetch_ahead(simulator, core, distance);
		return false;
	}
	if (!row->ahead)
		return false;
	*wanted_out = address + (uint64_t)row->ahead;
	return prefetch_wants(simulator, core, address, *wanted_out);
}

/* Trains the stride prefetchers of all levels that the access has accessed. */
void prefetch_strides(struct simulator *simulator, struct core *core, const struct access *access);

#endif
