/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_SKIPPING_H
#define MEMSEARCH_SIMULATOR_SKIPPING_H

#include "analysis/simulator/cache_search.h"
#include "analysis/simulator/per_access.h"

/* With set sampling: the number of accesses of a stride run that can be skipped. */

static inline bool skip_has_page(struct core *core, const struct run_progress *progress,
				 uint64_t page)
{
	return !core->tlb[0].tags ||
	       cache_find_at(&core->tlb[0], page, progress->tlb_way) != NO_WAY;
}

/*
 * Bytes of a prefetcher's page from an address on, in the direction of a run, without a sampled
 * line; includes the address's own byte.
 */
static inline uint64_t skip_room(const struct simulator *simulator, uint64_t address, bool down,
				 uint64_t *in_page_out)
{
	const struct sampling *sampling = &simulator->sampling;
	uint32_t shift = simulator->coherence_shift,
		 group = (uint32_t)(address >> shift) & sampling->mask;
	uint64_t in_line = address & ((1ull << shift) - 1),
		 in_page = address & ((1ull << simulator->prefetch_shift) - 1), room;

	if (down)
		room = ((uint64_t)sampling->behind[group] << shift) -
		       (sampling->behind[group] ? (1ull << shift) - in_line - 1 : 0);
	else
		room = ((uint64_t)sampling->ahead[group] << shift) -
		       (sampling->ahead[group] ? in_line : 0);
	*in_page_out = down ? in_page + 1 : (1ull << simulator->prefetch_shift) - in_page;
	return room;
}

/*
 * The number of accesses from there on that fit into the room, of which the first one takes
 * `bytes`.
 */
static inline uint64_t skip_fit(uint64_t room, uint64_t bytes, uint64_t step)
{
	return room < bytes ? 0 : (uint32_t)(room - bytes) / (uint32_t)step + 1;
}

/* Accesses before the prefetcher requests a sampled line. */
static inline uint64_t skip_unrequested(const struct simulator *simulator,
					const struct stride_run *run,
					const struct run_progress *progress, uint64_t step)
{
	uint64_t asked = progress->address + progress->ahead, in_page, room;

	if (progress->row->site != (uint64_t)run->site + 1 ||
	    progress->row->distance != run->stride)
		return 0;
	if (!progress->ahead ||
	    progress->address >> simulator->prefetch_shift != asked >> simulator->prefetch_shift)
		return UINT64_MAX;
	room = skip_room(simulator, asked, run->stride < 0, &in_page);
	return room >= in_page ? UINT64_MAX : skip_fit(room, 1, step);
}

/* The access is on one page, that of the whole previous access, which is in the TLB. */
static inline bool skip_stays(const struct simulator *simulator, struct core *core,
			      const struct stride_run *run, const struct run_progress *progress,
			      uint64_t address)
{
	uint64_t page = address >> simulator->page_shift, before = address - (uint64_t)run->stride,
		 more = run->bytes - 1;

	return (address + more) >> simulator->page_shift == page &&
	       before >> simulator->page_shift == page &&
	       (before + more) >> simulator->page_shift == page &&
	       skip_has_page(core, progress, page);
}

/* From its next access on. */
static inline uint64_t skip_times(const struct simulator *simulator, struct core *core,
				  const struct stride_run *run, const struct run_progress *progress)
{
	bool down = run->stride < 0;
	uint64_t step = down ? -(uint64_t)run->stride : (uint64_t)run->stride, room, in_page, times,
		 unasked;

	if (run->non_temporal || !stride_run_is_skipped(simulator, run, progress->address) ||
	    !skip_stays(simulator, core, run, progress, progress->address))
		return 0;
	if (!step)
		return UINT32_MAX;
	room = skip_room(simulator, progress->address, down, &in_page);
	times = skip_fit(room < in_page ? room : in_page, down ? 1 : run->bytes, step);
	unasked = progress->row ? skip_unrequested(simulator, run, progress, step) : UINT64_MAX;
	return times < unasked ? times : unasked;
}

#endif
