/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_TLB_H
#define MEMSEARCH_SIMULATOR_TLB_H

#include "analysis/simulator/access.h"
#include "analysis/simulator/cache_search.h"
#include "analysis/simulator/state.h"

uint32_t tlb_look_up(struct simulator *simulator, struct core *core, const struct access *access);

/* Rule 2: the cycles that translating an access adds. */
static inline uint32_t tlb_access(struct simulator *simulator, struct core *core,
				  const struct access *access)
{
	uint64_t page = access->address >> simulator->page_shift;
	struct cache *tlb = &core->tlb[0];
	uint32_t way;

	if (!tlb->tags)
		return 0;
	way = cache_guess(tlb, page);
	if (access->last >> simulator->page_shift != page || tlb->tags[way] != page + 1)
		return tlb_look_up(simulator, core, access);
	cache_touch(tlb, way);
	return simulator->model.tlb[0].latency;
}

#endif
