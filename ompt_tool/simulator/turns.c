/* SPDX-License-Identifier: Apache-2.0 */
/* Logical time: threads take turns. */
#include "ompt_tool/simulator/turns.h"

#include "analysis/base/arena.h"
#include "ompt_tool/simulator/foretold.h"
#include "ompt_tool/simulator/rounds.h"
#include "ompt_tool/simulator/singly.h"

/* How far a thread has come. */
struct cursor {
	const struct simulator_walk *walks;
	size_t nr, at;                   /* at: the walk that comes next, or first of the group that is under way */
	bool ended, begun;               /* begun: the group has */
	enum { BY_FORETOLD, SINGLY, BY_ROUNDS } goes;
	struct foretold *foretold;       /* NULL: was not needed, or there was no memory */
	struct singly singly;
	struct rounds rounds;
};

struct cursor *turns_new(struct arena *arena, uint32_t threads)
{
	return arena_alloc(arena, threads * sizeof(struct cursor));
}

/* ------------------------------------------------------------------ what others have written */

/* Whether the core has the walk's lines of coherence then. */
static bool enters(const struct simulator *simulator, const struct core *core, const struct simulator_walk *walk)
{
	unsigned level = simulator->last_private;

	return core->levels[level]->shift == simulator->coherence_shift && !simulator->model.cache[level].write_around && !walk->non_temporal;
}

static void contest_one(struct simulator *simulator, struct core *core, const struct simulator_walk *walk, uint64_t round)
{
	if (contested_access(&simulator->contested, core->number, walk, walk_address(walk, round), enters(simulator, core, walk)))
		walk_counters(simulator, core, walk)->contested++;
}

/* `all`: accesses of a group, from the first walk's of round `round` on; those before `from` are not meant. */
struct part { const struct simulator_walk *group; uint64_t round; uint32_t nr, from, all; };

/* Whether the walk's access of that round is in one line with the one before, which is of the same part and got the line. */
static bool stays(const struct simulator *simulator, const struct core *core, const struct part *part, uint32_t number, uint32_t round)
{
	const struct simulator_walk *walk = &part->group[number];
	uint64_t address = walk_address(walk, part->round + round), before = address - (uint64_t)walk->stride, more = walk->bytes - 1;
	uint32_t shift = simulator->coherence_shift;

	return enters(simulator, core, walk) && round > (number < part->from) && address >> shift == (before + more) >> shift && before >> shift == (address + more) >> shift;
}

/* Where none is to a contested line it does not matter which one comes first. */
static void contest_part(struct simulator *simulator, struct core *core, const struct part *part)
{
	bool none = true;

	for (uint32_t i = 0; i < part->nr; i++) {
		const struct simulator_walk *walk = &part->group[i];
		uint32_t first = i < part->from, end = part->all / part->nr + (i < part->all % part->nr);

		if (first < end)
			none &= contested_by_none(&simulator->contested, core->number, walk, walk_address(walk, part->round + first), end - first, enters(simulator, core, walk));
	}
	for (uint32_t i = part->from; !none && i < part->all; i++)
		if (!stays(simulator, core, part, i % part->nr, i / part->nr))
			contest_one(simulator, core, &part->group[i % part->nr], part->round + i / part->nr);
}

/* ------------------------------------------------------------------ turns */

/* Walks of one access, of however many groups, as their order is the same alone: how many. */
static uint32_t run_alone(struct simulator *simulator, struct core *core, struct cursor *cursor, uint32_t most)
{
	const struct simulator_walk *walks = &cursor->walks[cursor->at];
	size_t left = cursor->nr - cursor->at;
	uint32_t nr = 0;

	for (; nr < most && nr < left && walks[nr].times == 1; nr++)
		if (simulator->shared)
			contest_one(simulator, core, &walks[nr], 0);
	singly_run_alone(simulator, core, walks, nr, left);
	cursor->at += nr;
	return nr;
}

/* Whether the group's entries can be foretold. */
static bool is_foretold(struct simulator *simulator, struct cursor *cursor, const struct simulator_walk *group)
{
	if (!foretold_applies(simulator, group))
		return false;
	if (!cursor->foretold)
		cursor->foretold = arena_alloc(simulator->arena, sizeof(*cursor->foretold));
	return cursor->foretold;
}

static void begin_group(struct simulator *simulator, struct core *core, struct cursor *cursor, const struct simulator_walk *group)
{
	cursor->goes = is_foretold(simulator, cursor, group) ? BY_FORETOLD : singly_is_better(simulator, group) ? SINGLY : BY_ROUNDS;
	if (cursor->goes == BY_FORETOLD)
		foretold_begin(simulator, core, cursor->foretold, group);
	else if (cursor->goes == SINGLY)
		singly_begin(simulator, core, &cursor->singly, group);
	else
		rounds_begin(simulator, core, &cursor->rounds, group);
}

static uint64_t round_of(const struct cursor *cursor)
{
	if (cursor->goes == BY_FORETOLD)
		return cursor->foretold->round;
	return cursor->goes == SINGLY ? cursor->singly.round : cursor->rounds.round;
}

static uint32_t next_of(const struct cursor *cursor)
{
	if (cursor->goes == BY_FORETOLD)
		return cursor->foretold->next;
	return cursor->goes == SINGLY ? cursor->singly.next : cursor->rounds.next;
}

/* Of the group that is under way, at most so many. */
static uint32_t accesses_left(const struct cursor *cursor, const struct simulator_walk *group, uint32_t nr, uint32_t most)
{
	uint64_t left = group->times - round_of(cursor);
	uint32_t next = next_of(cursor);

	return left > most || left * nr - next > most ? most : (uint32_t)left * nr - next;
}

static void contest_group(struct simulator *simulator, struct core *core, const struct cursor *cursor, const struct simulator_walk *group, uint32_t accesses)
{
	struct part part = { group, round_of(cursor), group->group ? group->group : 1, next_of(cursor), next_of(cursor) };

	for (uint32_t done; accesses; accesses -= done) {
		done = accesses < SIMULATOR_TURN ? accesses : SIMULATOR_TURN;
		part.all += done;
		contest_part(simulator, core, &part);
		part.round += part.all / part.nr;
		part.from = part.all %= part.nr;
	}
}

/* Runs the group that is under way: accesses done, `most` at most. */
static uint32_t run_group(struct simulator *simulator, struct core *core, struct cursor *cursor, uint32_t most)
{
	const struct simulator_walk *group = &cursor->walks[cursor->at];
	uint32_t nr = group->group ? group->group : 1;

	if (!cursor->begun)
		begin_group(simulator, core, cursor, group);
	most = accesses_left(cursor, group, nr, most);
	if (simulator->shared)
		contest_group(simulator, core, cursor, group, most);
	if (cursor->goes == BY_FORETOLD)
		foretold_run(simulator, core, cursor->foretold, most);
	else if (cursor->goes == SINGLY)
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
	while (left && !cursor->ended) {
		if (cursor->at < cursor->nr) {
			left -= cursor->walks[cursor->at].times == 1 ? run_alone(simulator, core, cursor, left) : run_group(simulator, core, cursor, left);
			continue;
		}
		cursor->at = 0;
		cursor->nr = trace->next(trace->ctx, &cursor->walks);
		cursor->ended = !cursor->nr || !core_counts(simulator, core);
	}
}

void turns_run(struct simulator *simulator, const struct simulator_trace *traces)
{
	uint32_t running = simulator->threads, turn;

	for (uint32_t thread = 0; thread < simulator->threads; thread++)
		simulator->cursors[thread].ended = false;
	while (running) {
		turn = running > 1 ? SIMULATOR_TURN : INT32_MAX;         /* who is alone goes on */
		running = 0;
		for (uint32_t thread = 0; thread < simulator->threads; thread++) {
			struct cursor *cursor = &simulator->cursors[thread];

			if (cursor->ended)
				continue;
			take_turn(simulator, &simulator->cores[thread], cursor, &traces[thread], turn);
			running += !cursor->ended;
		}
	}
}
