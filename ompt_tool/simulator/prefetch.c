/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that are fetched before they are asked for. */
#include "ompt_tool/simulator/prefetch.h"

#include "ompt_tool/simulator/hierarchy.h"

/* L3's part: yields the state the line comes with, and whether L3 had it. */
static uint8_t fetch_through_l3(struct simulator *simulator, struct core *core, const struct access *access, uint64_t address, bool *found_out)
{
	struct cache *cache = core->levels[L3];
	bool exclusive = simulator->model.cache[L3].inclusion == MODEL_EXCLUSIVE;
	uint32_t way = cache ? cache_find(cache, address >> cache->shift) : NO_WAY;

	*found_out = way != NO_WAY;
	if (!cache)
		return 0;
	if (way == NO_WAY) {
		cache_forget(cache, address >> cache->shift);
		if (!exclusive)
			hierarchy_enter(simulator, core, L3, address, 0, access);
	} else if (exclusive) {
		return hierarchy_take_out(simulator, core, address, way);
	} else {
		cache_touch(cache, way);
	}
	return 0;
}

static void fetch(struct simulator *simulator, struct core *core, const struct access *by, uint64_t address)
{
	struct cache *cache = core->levels[simulator->last_private];
	struct access access = *by;
	struct sharing sharing = { .owned = true };
	bool found;
	uint8_t state;

	access_aim(simulator, core, &access, address);
	if (simulator->shared)
		sharing = directory_read(simulator, core, &access, address);
	state = fetch_through_l3(simulator, core, &access, address, &found) | LINE_PREFETCHED | (sharing.owned ? LINE_OWNED : 0);
	cache_forget(cache, address >> cache->shift);
	hierarchy_enter(simulator, core, simulator->last_private, address, state, &access);
	access.counters->prefetches++;
	access.counters->dram_prefetches += !found && !sharing.transferred;
}

/* False: there was nothing to do. */
static bool prefetch(struct simulator *simulator, struct core *core, const struct access *access, uint64_t from, uint64_t address)
{
	struct cache *cache = core->levels[simulator->last_private];

	if (from >> simulator->page_shift != address >> simulator->page_shift || sampling_skips(&simulator->sampling, address >> simulator->coherence_shift))
		return false;
	if (cache_find(cache, address >> cache->shift) != NO_WAY)
		return false;
	fetch(simulator, core, access, address);
	return true;
}

void prefetch_next_line(struct simulator *simulator, struct core *core, const struct access *access, unsigned level, uint64_t address)
{
	uint64_t line = 1ull << core->levels[level]->shift;

	prefetch(simulator, core, access, address, (address & ~(line - 1)) + line);
}

static bool follow(struct simulator *simulator, struct core *core, const struct access *access, unsigned level)
{
	struct stride_row *row = prefetch_row(core, level, access->site);
	int64_t distance = (int64_t)(access->address - row->last), most = (int64_t)(simulator->model.page / 2);
	bool same = distance == row->distance;

	if (row->site != (uint64_t)access->site + 1) {
		*row = (struct stride_row){ access->address, 0, (uint64_t)access->site + 1 };
		return false;
	}
	if (!distance)
		return false;
	row->last = access->address;
	row->distance = distance;
	return same && distance <= most && distance >= -most && 
	       prefetch(simulator, core, access, access->address, access->address + (uint64_t)prefetch_ahead(simulator, core, distance));
}

bool prefetch_strides(struct simulator *simulator, struct core *core, const struct access *access)
{
	bool any = false;

	for (unsigned level = L1; access->looked >> level; level++)
		if (access->looked >> level & 1 && core->strides[level])
			any |= follow(simulator, core, access, level);
	return any;
}
