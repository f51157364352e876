/* SPDX-License-Identifier: Apache-2.0 */
/* Address translation: two levels of page numbers, then the walk. */
#include "analysis/simulator/tlb.h"

#include "analysis/simulator/cache_lines.h"

static void enter(struct cache *tlb, uint64_t page)
{
	uint32_t way = cache_victim(tlb, page);

	if (tlb->tags[way])
		cache_evict(tlb, way);
	cache_fill(tlb, way, page, 0);
}

static bool look(struct cache *tlb, uint64_t page)
{
	uint32_t way = tlb->tags ? cache_find(tlb, page) : NO_WAY;

	if (way == NO_WAY)
		return false;
	cache_touch(tlb, way);
	return true;
}

/* A miss in the first TLB: enters the page and returns the cycles. */
static uint32_t missed(struct simulator *simulator, struct core *core,
		       struct simulator_counters *counters, uint64_t page)
{
	counters->tlb_misses++;
	if (look(&core->tlb[1], page))
		return simulator->model.tlb[1].latency;
	counters->tlb_walks++;
	/* the first access to a page may be to an unsampled line */
	if (sampling_is_on(&simulator->sampling))
		pages_node(&simulator->pages, page, core->node, &simulator->lost);
	if (core->tlb[1].tags)
		enter(&core->tlb[1], page);
	return simulator->model.walk_latency;
}

static uint32_t look_up(struct simulator *simulator, struct core *core,
			struct simulator_counters *counters, uint64_t page)
{
	uint32_t cycles;

	if (look(&core->tlb[0], page))
		return simulator->model.tlb[0].latency;
	cycles = missed(simulator, core, counters, page);
	enter(&core->tlb[0], page);
	return cycles;
}

uint32_t tlb_look_up(struct simulator *simulator, struct core *core, const struct access *access)
{
	uint64_t first = access->address >> simulator->page_shift,
		 last = access->last >> simulator->page_shift;
	uint32_t cycles;

	cycles = look_up(simulator, core, access->counters, first);
	return first == last ? cycles : cycles + look_up(simulator, core, access->counters, last);
}
