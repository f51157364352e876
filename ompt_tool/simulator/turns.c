/* SPDX-License-Identifier: Apache-2.0 */
/* Logical time: threads take turns. */
#include "ompt_tool/simulator/turns.h"

#include "analysis/base/arena.h"
#include "ompt_tool/simulator/hierarchy.h"
#include "ompt_tool/simulator/rounds.h"
#include "ompt_tool/simulator/singly.h"
#include "ompt_tool/simulator/utilisation.h"

#define AHEAD 12                         /* accesses; what one needs takes about so long to come from memory */

/* How far a thread has come. */
struct cursor {
	const struct simulator_walk *walks;
	size_t nr, at;                   /* at: the walk that comes next, or first of the group that is under way */
	bool ended, begun;               /* begun: the group has */
	bool goes_singly;                /* by `singly`, else by `rounds` */
	struct singly singly;
	struct rounds rounds;
};

struct cursor *turns_new(struct arena *arena, uint32_t threads)
{
	return arena_alloc(arena, threads * sizeof(struct cursor));
}

/* Whether its page is in the first TLB, as far as known, or there is none: it is the newest then. */
static inline bool is_translated(struct core *core, uint64_t page)
{
	struct cache *tlb = &core->tlb[0];
	uint32_t way;

	if (!tlb->tags)
		return true;
	way = cache_guess(tlb, page);
	if (tlb->tags[way] != page + 1)
		return false;
	cache_touch(tlb, way);
	return true;
}

/* An access in one line that is there, ready for it, as far as known: it changes nothing but the order of use. False: nothing was done. */
static inline bool access_held(const struct simulator *simulator, struct core *core, const struct simulator_walk *walk, uint64_t address, struct cache *cache)
{
	uint64_t last = address + walk->bytes - 1;
	uint32_t way = walk_held(cache, address, last, walk_state(walk));

	if (way == NO_WAY || !is_translated(core, address >> simulator->page_shift))
		return false;
	walk_use_held(cache, way, address, last);
	return true;
}

/* Of an access in a line that is not looked at: its page, and what the first level's prefetcher makes of it. */
static inline void skip_once(struct simulator *simulator, struct core *core, const struct simulator_walk *walk, uint64_t address, struct simulator_counters *counters)
{
	bool bypass = walk_bypasses(simulator, walk);
	unsigned level = bypass ? L2 : L1;

	if (is_translated(core, address >> simulator->page_shift)) {
		counters->bypassed += bypass;
		counters->cycles += walk_held_cycles(simulator, core, level);
	} else {
		walk_translate(simulator, core, walk, address);
	}
	if (core->strides[level])
		walk_train(simulator, core, level, walk, address);
}

/* One access of a walk. */
static inline void run_once(struct simulator *simulator, struct core *core, const struct simulator_walk *walk, uint64_t address)
{
	struct simulator_counters *counters = walk_counters(simulator, core, walk);
	bool bypass = walk_bypasses(simulator, walk);
	unsigned level = bypass ? L2 : L1;

	++*(walk->write ? &counters->writes : &counters->reads);
	if (!walk->non_temporal && walk_is_skipped(simulator, walk, address)) {
		skip_once(simulator, core, walk, address, counters);
		return;
	}
	if (walk->non_temporal || !access_held(simulator, core, walk, address, core->levels[level])) {
		walk_access(simulator, core, walk, address);
		return;
	}
	counters->bypassed += bypass;
	counters->cycles += walk_held_cycles(simulator, core, level);
	if (core->strides[level])
		walk_train(simulator, core, level, walk, address);
}

/* What an access will need, if its line is not in L1, is fetched meanwhile. */
static inline void expect(struct simulator *simulator, struct core *core, uint64_t address)
{
	const struct cache *l1 = core->levels[L1];
	uint64_t line = address >> l1->shift;

	if (!sampling_skips(&simulator->sampling, address >> simulator->coherence_shift) && l1->tags[cache_guess(l1, line)] != line + 1)
		hierarchy_expect(simulator, core, address);
}

/* Walks of one access, of however many groups, as their order is the same alone: how many. */
static uint32_t run_singly(struct simulator *simulator, struct core *core, struct cursor *cursor, uint32_t most)
{
	const struct simulator_walk *walk = &cursor->walks[cursor->at], *last = &cursor->walks[cursor->nr];
	uint32_t done = 0;

	for (; done < most && walk < last && walk->times == 1; done++, walk++) {
		if (last - walk > AHEAD)
			expect(simulator, core, walk[AHEAD].address);
		run_once(simulator, core, walk, walk->address);
	}
	cursor->at += done;
	return done;
}

static void begin_group(struct simulator *simulator, struct core *core, struct cursor *cursor, const struct simulator_walk *group)
{
	cursor->goes_singly = singly_is_better(simulator, group);
	if (cursor->goes_singly)
		singly_begin(simulator, core, &cursor->singly, group);
	else
		rounds_begin(simulator, core, &cursor->rounds, group);
}

/* Of the group that is under way, at most so many. */
static uint32_t accesses_left(const struct cursor *cursor, const struct simulator_walk *group, uint32_t nr, uint32_t most)
{
	uint64_t round = cursor->goes_singly ? cursor->singly.round : cursor->rounds.round, left = group->times - round;
	uint32_t next = cursor->goes_singly ? cursor->singly.next : cursor->rounds.next;

	return left > most || left * nr - next > most ? most : (uint32_t)left * nr - next;
}

/* Runs the group that is under way: accesses done, `most` at most. */
static uint32_t run_group(struct simulator *simulator, struct core *core, struct cursor *cursor, uint32_t most)
{
	const struct simulator_walk *group = &cursor->walks[cursor->at];
	uint32_t nr = group->group ? group->group : 1;

	if (!cursor->begun)
		begin_group(simulator, core, cursor, group);
	most = accesses_left(cursor, group, nr, most);
	if (cursor->goes_singly)
		singly_run(simulator, core, &cursor->singly, most);
	else
		rounds_run(simulator, core, &cursor->rounds, most);
	cursor->begun = (cursor->goes_singly ? cursor->singly.round : cursor->rounds.round) < group->times;
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
		cursor->ended = !cursor->nr || !core_counts(simulator, core);
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
