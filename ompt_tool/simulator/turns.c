/* SPDX-License-Identifier: Apache-2.0 */
/* Logical time: threads take turns; and the short way of accesses that change nothing but the order of use. */
#include "ompt_tool/simulator/turns.h"

#include "ompt_tool/simulator/hierarchy.h"
#include "ompt_tool/simulator/utilisation.h"

/* How far a thread has come. */
struct cursor {
	const struct simulator_walk *walks;
	size_t nr, at;                   /* at: first walk of the group that is under way */
	uint64_t row;                    /* which access of each walk of it comes next, … */
	uint32_t member;                 /* … and of which walk */
	bool ended;
};

static bool bypasses(const struct simulator *simulator, const struct simulator_walk *walk)
{
	return walk->is_float && simulator->model.cache[L1].float_bypasses;
}

static struct simulator_counters *counters_of(const struct simulator *simulator, struct core *core, const struct simulator_walk *walk)
{
	return &core->counters[walk->slot < simulator->slots ? walk->slot : simulator->slots];
}

/* The page is known to the first TLB, or there is none. */
static inline bool is_translated(const struct simulator *simulator, struct core *core, uint64_t address)
{
	struct cache *tlb = &core->tlb[0];
	uint64_t page = address >> simulator->page_shift;
	uint32_t way;

	if (!tlb->tags)
		return true;
	way = tlb->guesses[page & tlb->guess_mask];
	if (tlb->tags[way] != page + 1)
		return false;
	cache_touch(tlb, way);
	return true;
}

/*
 * An access that is all in one line, which the first level has, ready for it. False: nothing was done, it needs the long way.
 */
static inline bool access_held(const struct simulator *simulator, struct core *core, struct cache *cache, uint64_t address, uint32_t bytes, uint8_t state)
{
	uint64_t line = address >> cache->shift, last = address + bytes - 1;
	uint32_t way = cache->guesses[line & cache->guess_mask];

	if (cache->tags[way] != line + 1 || last >> cache->shift != line || (cache->states[way] & (state | LINE_PREFETCHED)) != state)
		return false;
	if (!is_translated(simulator, core, address))
		return false;
	cache_touch(cache, way);
	if (cache->touched)
		cache->touched[way] |= utilisation_words(cache->shift, address, last);
	return true;
}

static void access_any(struct simulator *simulator, struct core *core, const struct simulator_walk *walk, uint64_t address)
{
	struct access access = {
		.address = address, .last = address + walk->bytes - 1, .slot = walk->slot < simulator->slots ? walk->slot : simulator->slots,
		.site = walk->site, .write = walk->write, .bypass = bypasses(simulator, walk), .counters = counters_of(simulator, core, walk),
	};

	hierarchy_access(simulator, core, &access);
}

/* The walk's access number `row`. */
static void step(struct simulator *simulator, struct core *core, const struct simulator_walk *walk, uint64_t row)
{
	uint64_t address = walk->address + (uint64_t)walk->stride * row;
	bool bypass = bypasses(simulator, walk);
	struct simulator_counters *counters = counters_of(simulator, core, walk);
	unsigned level = bypass ? L2 : L1;

	++*(walk->write ? &counters->writes : &counters->reads);
	if (core->strides[level] || !access_held(simulator, core, core->levels[level], address, walk->bytes, walk->write ? LINE_WRITABLE : 0)) {
		access_any(simulator, core, walk, address);
		return;
	}
	counters->bypassed += bypass;
	counters->cycles += simulator->model.cache[level].latency - simulator->model.cache[L1].latency + (core->tlb[0].tags ? simulator->model.tlb[0].latency : 0);
}

/* Runs the group that is under way: accesses done, `most` at most. */
static uint32_t run_group(struct simulator *simulator, struct core *core, struct cursor *cursor, uint32_t most)
{
	const struct simulator_walk *group = &cursor->walks[cursor->at];
	uint32_t members = group->group ? group->group : 1, done = 0;

	while (done < most && cursor->row < group->times) {
		step(simulator, core, &group[cursor->member], cursor->row);
		done++;
		if (++cursor->member == members) {
			cursor->member = 0;
			cursor->row++;
		}
	}
	if (cursor->row >= group->times) {
		cursor->at += members;
		cursor->row = 0;
	}
	return done;
}

static void take_turn(struct simulator *simulator, struct core *core, struct cursor *cursor, const struct simulator_trace *trace)
{
	uint32_t left = SIMULATOR_TURN;

	while (left && !cursor->ended) {
		if (cursor->at < cursor->nr) {
			left -= run_group(simulator, core, cursor, left);
			continue;
		}
		cursor->at = 0;
		cursor->nr = trace->next(trace->ctx, &cursor->walks);
		cursor->ended = !cursor->nr;
	}
}

void turns_run(struct simulator *simulator, const struct simulator_trace *traces)
{
	struct cursor cursors[SIMULATOR_MAX_THREADS] = { { 0 } };
	uint32_t running = simulator->threads;

	while (running) {
		running = 0;
		for (uint32_t thread = 0; thread < simulator->threads; thread++) {
			if (cursors[thread].ended)
				continue;
			take_turn(simulator, &simulator->cores[thread], &cursors[thread], &traces[thread]);
			running += !cursors[thread].ended;
		}
	}
}
