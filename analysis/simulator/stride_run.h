/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_STRIDE_RUN_H
#define MEMSEARCH_SIMULATOR_STRIDE_RUN_H

#include "analysis/simulator/cache_search.h"
#include "analysis/simulator/prefetch.h"
#include "analysis/simulator/utilisation.h"

/* One access of a stride run: its address, its counters, and the work it needs. */

static inline uint64_t stride_run_address(const struct stride_run *run, uint64_t round)
{
	return run->address + (uint64_t)run->stride * round;
}

/* Absolute distance between consecutive accesses. */
static inline uint64_t stride_run_step(const struct stride_run *run)
{
	return run->stride < 0 ? -(uint64_t)run->stride : (uint64_t)run->stride;
}

/* Its addresses wrap at 2^64. */
static inline bool stride_run_wraps(const struct stride_run *run)
{
	uint64_t way, end;

	if (__builtin_mul_overflow(stride_run_step(run), run->times, &way))
		return true;
	return run->stride < 0 ? way > run->address
			       : __builtin_add_overflow(run->address + run->bytes, way, &end);
}

static inline bool stride_run_bypasses(const struct simulator *simulator,
				       const struct stride_run *run)
{
	return run->is_float && simulator->model.cache[L1].float_bypasses;
}

static inline struct simulator_counters *stride_run_counters(const struct simulator *simulator,
							     struct core *core,
							     const struct stride_run *run)
{
	uint32_t slot = (run->slot < simulator->slots ? run->slot : simulator->slots) *
			simulator->sampling.entries;

	if (slot >= core->used_counters)
		core->used_counters = slot + simulator->sampling.entries;
	return &core->counters[slot];
}

/* The line state with which an access only updates the LRU order. */
static inline uint8_t stride_run_state(const struct stride_run *run)
{
	return run->write ? LINE_WRITABLE : 0;
}

/* None of its lines (one or two) is sampled, and they are on one page. */
static inline bool stride_run_is_skipped(const struct simulator *simulator,
					 const struct stride_run *run, uint64_t address)
{
	const struct sampling *sampling = &simulator->sampling;
	uint64_t last = address + run->bytes - 1, line = address >> simulator->coherence_shift,
		 last_line = last >> simulator->coherence_shift;

	if (!sampling_is_on(sampling) || !sampling_skips(sampling, line))
		return false;
	return last_line == line ||
	       (last_line == line + 1 && sampling_skips(sampling, last_line) &&
		address >> simulator->page_shift == last >> simulator->page_shift);
}

/* The cycles of such an access, with this first level. */
static inline uint32_t stride_run_held_cycles(const struct simulator *simulator,
					      const struct core *core, unsigned level)
{
	uint32_t translation = core->tlb[0].tags ? simulator->model.tlb[0].latency : 0;

	return simulator->model.cache[level].latency - simulator->model.cache[L1].latency +
	       translation;
}

static inline bool stride_run_state_suffices(uint8_t state, uint8_t needed)
{
	return (state & (needed | LINE_PREFETCHED)) == needed;
}

/*
 * The way of these bytes, of one line, in the first level, if an access only updates the LRU order,
 * as far as known. Else NO_WAY.
 */
static inline uint32_t stride_run_held(const struct cache *cache, uint64_t first, uint64_t last,
				       uint8_t needed)
{
	uint64_t line = first >> cache->shift;
	uint32_t way = cache_guess(cache, line);

	return last >> cache->shift == line && cache->tags[way] == line + 1 &&
			       stride_run_state_suffices(cache->states[way], needed)
		       ? way
		       : NO_WAY;
}

/* Applies such an access to the cache. */
static inline void stride_run_use_held(struct cache *cache, uint32_t way, uint64_t first,
				       uint64_t last)
{
	cache_touch(cache, way);
	if (cache->uses)
		cache->uses[way].touched |= utilisation_words(cache->shift, first, last);
}

/* Simulates an access, except that it is not counted as a read or write. */
void stride_run_access(struct simulator *simulator, struct core *core, const struct stride_run *run,
		       uint64_t address);
/* The same without first-level lines before `from`, where it only updates the LRU order. */
void stride_run_access_from(struct simulator *simulator, struct core *core,
			    const struct stride_run *run, uint64_t address, uint64_t from);
/*
 * The same of an access in one piece that misses L1 and does not bypass it. tlb_way: its page in
 * the first TLB, if there is one; NO_WAY: not looked up.
 */
void stride_run_access_absent(struct simulator *simulator, struct core *core,
			      const struct stride_run *run, uint64_t address, uint32_t tlb_way);
/*
 * The same of an access that only updates the LRU order, after translation: updates it and adds the
 * cycles.
 */
void stride_run_translate(struct simulator *simulator, struct core *core,
			  const struct stride_run *run, uint64_t address);
/* A prefetcher fetches the line of the address `wanted`, on behalf of that access. */
void stride_run_fetch(struct simulator *simulator, struct core *core, const struct stride_run *run,
		      uint64_t address, uint64_t wanted);

/*
 * Passes an access that only updated the LRU order to the prefetcher of `level`, the first one.
 * True: it fetched a line.
 */
static inline bool stride_run_train(struct simulator *simulator, struct core *core, unsigned level,
				    const struct stride_run *run, uint64_t address)
{
	uint64_t wanted;

	if (!prefetch_hears(simulator, core, level, run->site, address, &wanted))
		return false;
	stride_run_fetch(simulator, core, run, address, wanted);
	return true;
}

#endif
