/* SPDX-License-Identifier: Apache-2.0 */
/* Logical time: threads take turns. */
#include "analysis/simulator/turns.h"

#include "analysis/base/arena.h"
#include "analysis/simulator/contest.h"
#include "analysis/simulator/rounds.h"
#include "analysis/simulator/singly.h"

/* How far a thread has come. */
struct cursor {
	const struct simulator_walk *walks;
	size_t nr, at;                   /* at: the walk that comes next, or first of the group that is under way */
	bool ended, begun;               /* begun: the group has */
	enum { SINGLY, BY_ROUNDS } goes;
	struct singly singly;
	struct rounds rounds;
};

struct cursor *turns_new(struct arena *arena, uint32_t threads)
{
	return arena_alloc(arena, threads * sizeof(struct cursor));
}

/* Walks of one access, of however many groups, as their order is the same alone: how many. */
static uint32_t run_alone(struct simulator *simulator, struct core *core, struct cursor *cursor, uint32_t most)
{
	const struct simulator_walk *walks = &cursor->walks[cursor->at];
	size_t left = cursor->nr - cursor->at;
	uint32_t nr = 0;

	while (nr < most && nr < left && walks[nr].times == 1)
		nr++;
	contest_alone(simulator, core, walks, nr);
	singly_run_alone(simulator, core, walks, nr, left);
	cursor->at += nr;
	return nr;
}

static void begin_group(struct simulator *simulator, struct core *core, struct cursor *cursor, const struct simulator_walk *group)
{
	cursor->goes = singly_is_better(simulator, group) ? SINGLY : BY_ROUNDS;
	if (cursor->goes == SINGLY)
		singly_begin(simulator, core, &cursor->singly, group);
	else
		rounds_begin(simulator, core, &cursor->rounds, group);
}

static uint64_t round_of(const struct cursor *cursor)
{
	return cursor->goes == SINGLY ? cursor->singly.round : cursor->rounds.round;
}

static uint32_t next_of(const struct cursor *cursor)
{
	return cursor->goes == SINGLY ? cursor->singly.next : cursor->rounds.next;
}

/* Of the group that is under way, at most so many. */
static uint32_t accesses_left(const struct cursor *cursor, const struct simulator_walk *group, uint32_t nr, uint32_t most)
{
	uint64_t left = group->times - round_of(cursor);
	uint32_t next = next_of(cursor);

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
	contest_group(simulator, core, group, round_of(cursor), next_of(cursor), most);
	if (cursor->goes == SINGLY)
		singly_run(simulator, core, &cursor->singly, most);
	else
		rounds_run(simulator, core, &cursor->rounds, most);
	cursor->begun = round_of(cursor) < group->times;
	cursor->at += cursor->begun ? 0 : nr;
	return most;
}

/* `left`: accesses. */
static void take_turn(struct simulator *simulator, struct core *core, struct cursor *cursor, const struct simulator_trace *trace, uint32_t left)
{
	simulator->running = core;
	while (left && !cursor->ended) {
		if (cursor->at < cursor->nr) {
			left -= cursor->walks[cursor->at].times == 1 ? run_alone(simulator, core, cursor, left) : run_group(simulator, core, cursor, left);
			continue;
		}
		cursor->at = 0;
		cursor->nr = trace->next(trace->ctx, &cursor->walks);
		if (cursor->nr && !core_counts(simulator, core))
			cursor->nr = 0;          /* no memory: these walks are lost, and the next window must not find them */
		cursor->ended = !cursor->nr;
	}
}

static uint32_t slice_of(struct core *core)
{
	uint32_t slice = core->contests ? SIMULATOR_CONTESTED_SLICE : SIMULATOR_SLICE;

	core->contests = false;
	return slice;
}

void turns_run(struct simulator *simulator, const struct simulator_trace *traces)
{
	uint32_t running = simulator->threads;
	bool alone;

	for (uint32_t thread = 0; thread < simulator->threads; thread++) {
		simulator->cursors[thread].ended = false;
		simulator->cores[thread].contests = true;
	}
	while (running) {
		alone = running == 1;            /* slices of one thread alone change nothing */
		running = 0;
		for (uint32_t thread = 0; thread < simulator->threads; thread++) {
			struct cursor *cursor = &simulator->cursors[thread];
			struct core *core = &simulator->cores[thread];

			if (cursor->ended)
				continue;
			take_turn(simulator, core, cursor, &traces[thread], alone ? INT32_MAX : slice_of(core));
			running += !cursor->ended;
		}
	}
}
