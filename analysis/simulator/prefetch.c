/* SPDX-License-Identifier: Apache-2.0 */
/* Hardware prefetchers (rule 11). */
#include "analysis/simulator/prefetch.h"

#include "analysis/simulator/cache_lines.h"
#include "analysis/simulator/hierarchy.h"
#include "analysis/simulator/fast_path.h"
#include "analysis/simulator/memory_lines.h"

bool prefetch_rows_are_own(const struct stride_run *runs, uint32_t nr)
{
	uint64_t taken[SIMULATOR_STRIDES / 64] = { 0 };

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t row = runs[i].site % SIMULATOR_STRIDES;

		if (taken[row / 64] >> row % 64 & 1)
			return false;
		taken[row / 64] |= 1ull << row % 64;
	}
	return true;
}

/* The result of a prefetch in L3. */
struct fetched {
	uint8_t state; /* the line comes with */
	bool found;    /* L3 had it */
	uint32_t way;  /* L3 has it there now, or NO_WAY */
};

static struct fetched fetch_through_l3(struct simulator *simulator, struct core *core,
				       const struct access *access, uint64_t address)
{
	struct cache *cache = core->levels[L3];
	bool exclusive = simulator->model.cache[L3].inclusion == MODEL_EXCLUSIVE;
	uint32_t way = cache ? cache_find(cache, address >> cache->shift) : NO_WAY;

	if (!cache)
		return (struct fetched){ 0, false, NO_WAY };
	if (way != NO_WAY && exclusive)
		return (struct fetched){ hierarchy_take_out(simulator, core, address, way), true,
					 NO_WAY };
	if (way != NO_WAY) {
		cache_touch(cache, way);
		return (struct fetched){ 0, true, way };
	}
	cache_forget(cache, address >> cache->shift);
	return (struct fetched){
		0, false,
		exclusive ? NO_WAY : hierarchy_enter(simulator, core, L3, address, 0, access)
	};
}

void prefetch_fetch(struct simulator *simulator, struct core *core, const struct access *by,
		    uint64_t address)
{
	struct cache *cache = core->levels[simulator->last_private];
	struct access access = *by;
	struct sharing sharing = { .owned = true };
	struct fetched fetched;
	uint32_t way;

	access_aim(simulator, core, &access, address);
	if (simulator->fast_path && fast_path_fetch(simulator, core, &access, address))
		return;
	if (simulator->shared)
		sharing = directory_read(simulator, core, &access, address);
	if (simulator->defers)
		outer_emit(simulator, &access, OUTER_PREFETCH, address,
			   sharing.transferred ? OUTER_TRANSFERRED : 0);
	fetched = simulator->defers ? (struct fetched){ 0, true, NO_WAY }
				    : fetch_through_l3(simulator, core, &access, address);
	cache_forget(cache, address >> cache->shift);
	way = hierarchy_enter(simulator, core, simulator->last_private, address,
			      fetched.state | LINE_PREFETCHED | (sharing.owned ? LINE_OWNED : 0),
			      &access);
	cache_note_outer(cache, way, fetched.way);
	access.counters->prefetches++;
	if (!fetched.found && !sharing.transferred)
		core_prefetched_line(simulator, core, access.slot, access.counters, address,
				     &simulator->lost);
}

void prefetch_next_line(struct simulator *simulator, struct core *core, const struct access *access,
			unsigned level, uint64_t address)
{
	uint64_t line = 1ull << core->levels[level]->shift, next = (address & ~(line - 1)) + line;

	if (prefetch_wants(simulator, core, address, next))
		prefetch_fetch(simulator, core, access, next);
}

void prefetch_strides(struct simulator *simulator, struct core *core, const struct access *access)
{
	uint64_t wanted;

	for (unsigned level = L1; access->looked >> level; level++)
		if (access->looked >> level & 1 && core->strides[level] &&
		    prefetch_hears(simulator, core, level, access->site, access->address, &wanted))
			prefetch_fetch(simulator, core, access, wanted);
}
