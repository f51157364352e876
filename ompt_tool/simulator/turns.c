/* SPDX-License-Identifier: Apache-2.0 */
/* Logical time: threads take turns. */
#include "ompt_tool/simulator/turns.h"

#include "analysis/base/arena.h"
#include "ompt_tool/simulator/hierarchy.h"
#include "ompt_tool/simulator/rounds.h"
#include "ompt_tool/simulator/utilisation.h"

#define AHEAD 12                         /* accesses; what one needs takes about so long to come from memory */

/* How far a thread has come. */
struct cursor {
	const struct simulator_walk *walks;
	size_t nr, at;                   /* at: the walk that comes next, or first of the group that is under way */
	bool ended, begun;               /* begun: the group has */
	struct rounds rounds;
};

struct cursor *turns_new(struct arena *arena, uint32_t threads)
{
	return arena_alloc(arena, threads * sizeof(struct cursor));
}

/* An access in one line that is there, ready for it, as far as known: it changes nothing but the order of use. False: nothing was done. */
static inline bool access_held(const struct simulator *simulator, struct core *core, const struct simulator_walk *walk, struct cache *cache)
{
	uint64_t line = walk->address >> cache->shift, page = walk->address >> simulator->page_shift, last = walk->address + walk->bytes - 1;
	uint32_t way = cache_guess(cache, line), tlb_way = 0;
	struct cache *tlb = &core->tlb[0];

	if (last >> cache->shift != line || cache->tags[way] != line + 1 || !walk_state_suffices(cache->states[way], walk_state(walk)))
		return false;
	if (tlb->tags && tlb->tags[tlb_way = cache_guess(tlb, page)] != page + 1)
		return false;
	if (tlb->tags)
		cache_touch(tlb, tlb_way);
	cache_touch(cache, way);
	if (cache->uses)
		cache->uses[way].touched |= utilisation_words(cache->shift, walk->address, last);
	return true;
}

/* A walk of one access. */
static inline void run_once(struct simulator *simulator, struct core *core, const struct simulator_walk *walk)
{
	struct simulator_counters *counters = walk_counters(simulator, core, walk);
	bool bypass = walk_bypasses(simulator, walk);
	unsigned level = bypass ? L2 : L1;

	++*(walk->write ? &counters->writes : &counters->reads);
	if (walk->non_temporal || !access_held(simulator, core, walk, core->levels[level])) {
		walk_access(simulator, core, walk, walk->address);
		return;
	}
	counters->bypassed += bypass;
	counters->cycles += walk_held_cycles(simulator, core, level);
	if (core->strides[level])
		walk_train(simulator, core, walk, walk->address);
}

/* What an access will need, if its line is not in L1, is fetched meanwhile. */
static inline void expect(struct simulator *simulator, struct core *core, const struct simulator_walk *walk)
{
	const struct cache *l1 = core->levels[L1];
	uint64_t line = walk->address >> l1->shift;

	if (l1->tags[cache_guess(l1, line)] != line + 1)
		hierarchy_expect(simulator, core, walk->address);
}

/* Walks of one access, of however many groups, as their order is the same alone: how many. */
static uint32_t run_singly(struct simulator *simulator, struct core *core, struct cursor *cursor, uint32_t most)
{
	const struct simulator_walk *walk = &cursor->walks[cursor->at], *last = &cursor->walks[cursor->nr];
	uint32_t done = 0;

	for (; done < most && walk < last && walk->times == 1; done++, walk++) {
		if (last - walk > AHEAD)
			expect(simulator, core, walk + AHEAD);
		run_once(simulator, core, walk);
	}
	cursor->at += done;
	return done;
}

/* Runs the group that is under way: accesses done, `most` at most. */
static uint32_t run_group(struct simulator *simulator, struct core *core, struct cursor *cursor, uint32_t most)
{
	const struct simulator_walk *group = &cursor->walks[cursor->at];
	struct rounds *rounds = &cursor->rounds;
	uint32_t nr = group->group ? group->group : 1;
	uint64_t left;

	if (!cursor->begun)
		rounds_begin(simulator, core, rounds, group);
	left = group->times - rounds->round;
	most = left > most || left * nr - rounds->next > most ? most : (uint32_t)left * nr - rounds->next;
	rounds_run(simulator, core, rounds, most);
	cursor->begun = rounds->round < group->times;
	cursor->at += cursor->begun ? 0 : nr;
	return most;
}

static void take_turn(struct simulator *simulator, struct core *core, struct cursor *cursor, const struct simulator_trace *trace)
{
	uint32_t left = simulator->shared ? SIMULATOR_TURN : INT32_MAX;

	while (left && !cursor->ended) {
		if (cursor->at < cursor->nr) {
			left -= cursor->walks[cursor->at].times == 1 ? run_singly(simulator, core, cursor, left) : run_group(simulator, core, cursor, left);
			continue;
		}
		cursor->at = 0;
		cursor->nr = trace->next(trace->ctx, &cursor->walks);
		cursor->ended = !cursor->nr;
	}
}

void turns_run(struct simulator *simulator, const struct simulator_trace *traces)
{
	uint32_t running = simulator->threads;

	for (uint32_t thread = 0; thread < simulator->threads; thread++)
		simulator->cursors[thread].ended = false;
	while (running) {
		running = 0;
		for (uint32_t thread = 0; thread < simulator->threads; thread++) {
			struct cursor *cursor = &simulator->cursors[thread];

			if (cursor->ended)
				continue;
			take_turn(simulator, &simulator->cores[thread], cursor, &traces[thread]);
			running += !cursor->ended;
		}
	}
}
