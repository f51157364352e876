/* SPDX-License-Identifier: Apache-2.0 */
/* One access of a stride run. */
#include "analysis/simulator/walk.h"

#include "analysis/simulator/hierarchy.h"
#include "analysis/simulator/non_temporal.h"
#include "analysis/simulator/prefetch.h"
#include "analysis/simulator/tlb.h"

static struct access access_of(const struct simulator *simulator, struct core *core, const struct simulator_walk *walk, uint64_t address)
{
	struct simulator_counters *counters = walk_counters(simulator, core, walk);
	uint32_t slot = (uint32_t)(counters - core->counters);

	return (struct access){
		.address = address, .last = address + walk->bytes - 1, .slot = slot, .whole = slot, .site = walk->site,
		.write = walk->write, .core = (uint8_t)core->number, .bypass = walk_bypasses(simulator, walk), .counters = counters,
	};
}

void walk_access(struct simulator *simulator, struct core *core, const struct simulator_walk *walk, uint64_t address)
{
	walk_access_from(simulator, core, walk, address, address);
}

void walk_access_from(struct simulator *simulator, struct core *core, const struct simulator_walk *walk, uint64_t address, uint64_t from)
{
	struct access access = access_of(simulator, core, walk, address);

	if (walk->non_temporal)
		non_temporal_write(simulator, core, &access);
	else
		hierarchy_access(simulator, core, &access, from);
}

void walk_access_absent(struct simulator *simulator, struct core *core, const struct simulator_walk *walk, uint64_t address, uint32_t tlb_way)
{
	struct access access = access_of(simulator, core, walk, address);

	if (tlb_way == NO_WAY) {
		access.counters->cycles += tlb_access(simulator, core, &access);
	} else if (core->tlb[0].tags) {
		cache_touch(&core->tlb[0], tlb_way);
		access.counters->cycles += simulator->model.tlb[0].latency;
	}
	hierarchy_access_absent(simulator, core, &access);
}

void walk_translate(struct simulator *simulator, struct core *core, const struct simulator_walk *walk, uint64_t address)
{
	struct access access = access_of(simulator, core, walk, address);

	access.counters->bypassed += access.bypass;
	access.counters->cycles += walk_held_cycles(simulator, core, access.bypass ? L2 : L1) - simulator->model.tlb[0].latency + tlb_access(simulator, core, &access);
}

void walk_fetch(struct simulator *simulator, struct core *core, const struct simulator_walk *walk, uint64_t address, uint64_t wanted)
{
	struct access access = access_of(simulator, core, walk, address);

	prefetch_fetch(simulator, core, &access, wanted);
}
