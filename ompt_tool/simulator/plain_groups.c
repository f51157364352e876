/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks of a group on a plain machine, which take turns. A walk is looked at where it enters a line, and has to be looked at no later than 63 rounds thereafter; in between
 * it only uses lines that it holds, and that may be behind in the order of use. For all lines that are held were used in the
 * last round, later than any line that a walk has left: a line is touched when it is left. Who is about to displace one that is held brings
 * its set into order first. More looks than needed change nothing.
 *
 *     due:  round mod 64     5 ▼      6        7       8  …
 *                walks:    0 · 2 3   · · · ·  · 1 · ·
 */
#include "ompt_tool/simulator/plain.h"

#include "analysis/base/arena.h"
#include "ompt_tool/simulator/walk.h"

#define AHEAD 64                         /* rounds */
#define WORDS ((UINT8_MAX + 63) / 64)    /* of bits, by walk */
#define PIECES 2

struct plain_walk {
	uint64_t stride;
	uint64_t address;                /* of round 0 */
	uint64_t rounds_a_byte;          /* in units of 2^-32, rounded up: 2^32 / distance between accesses */
	uint32_t bytes, least;           /* least: rounds in which it certainly is where it is */
	bool write, down;
	uint32_t ways[PIECES];           /* held in L1, in the order of use; PLAIN_NO_WAY */
	struct simulator_counters *counters;
};

struct plain_group {
	uint32_t nr;
	uint64_t due[AHEAD][WORDS];      /* walks, by round */
	uint64_t busy;                   /* rounds in which some are due */
	uint16_t *held;                  /* by way of L1: how often walks hold it */
	struct plain_walk walks[UINT8_MAX];
};

bool plain_groups_init(struct plain *plain)
{
	struct plain_group *group = arena_alloc(plain->of->arena, sizeof(*group));

	plain->group = group;
	if (group)
		group->held = space_take(&plain->of->space, ((size_t)plain->l1.set_mask + 1) * PLAIN_ROW * sizeof(*group->held));
	return group && group->held;
}

static void set_due(struct plain_group *group, uint64_t round, uint32_t number)
{
	group->due[round % AHEAD][number / 64] |= 1ull << number % 64;
	group->busy |= 1ull << round % AHEAD;
}

/* ------------------------------------------------------------------ lines that are held */

/* What the walks from `first` on hold in a set is touched. */
static void touch_held(struct plain *plain, uint32_t set, uint32_t first, uint32_t end)
{
	for (const struct plain_walk *walk = &plain->group->walks[first]; walk < &plain->group->walks[end]; walk++)
		for (unsigned piece = 0; piece < PIECES; piece++)
			if (walk->ways[piece] != PLAIN_NO_WAY && walk->ways[piece] >> PLAIN_ROW_SHIFT == set)
				plain_touch(&plain->l1, walk->ways[piece]);
}

/* Who holds it needs a look at its next access. */
static void take_away(struct plain_group *group, uint32_t way, uint64_t round, uint32_t number)
{
	for (uint32_t i = 0; i < group->nr; i++)
		for (unsigned piece = 0; piece < PIECES; piece++)
			if (group->walks[i].ways[piece] == way) {
				group->walks[i].ways[piece] = PLAIN_NO_WAY;
				set_due(group, round + (i <= number), i);
			}
	group->held[way] = 0;
}

/* What a line displaces that a walk enters, in its turn of this round. */
static uint32_t victim(struct plain *plain, uint64_t line, uint64_t round, uint32_t number)
{
	struct plain_group *group = plain->group;
	uint32_t set = plain_set(&plain->l1, line), way = plain_oldest(&plain->l1, set);

	if (!group->held[way])
		return way;
	touch_held(plain, set, number + 1, group->nr);
	touch_held(plain, set, 0, number + 1);
	way = plain_oldest(&plain->l1, set);
	if (group->held[way])
		take_away(group, way, round, number);
	return way;
}

static inline void leave(struct plain *plain, struct plain_walk *walk)
{
	for (unsigned piece = 0; piece < PIECES; piece++) {
		uint32_t way = walk->ways[piece];

		if (way == PLAIN_NO_WAY)
			continue;
		plain_touch(&plain->l1, way);
		plain->group->held[way]--;
		walk->ways[piece] = PLAIN_NO_WAY;
	}
}

/* ------------------------------------------------------------------ looks */

/* Yields what was met. */
static inline uint32_t enter(struct plain *plain, struct plain_walk *walk, unsigned piece, uint64_t address, uint64_t round, uint32_t number)
{
	uint64_t line = address >> plain->l1.shift;
	uint32_t way = plain_find(&plain->l1, line), met = 0;

	if (way == PLAIN_NO_WAY) {
		way = victim(plain, line, round, number);
		met = plain_fill(plain, address, walk->write, way, walk->counters);
	} else if (walk->write) {
		plain->l1.tags[way] |= 1;
	}
	plain->group->held[way]++;
	walk->ways[piece] = way;
	return met;
}

/* How many rounds after this look the next one is due, of a walk that is in one line. */
static inline uint64_t rounds_here(const struct plain_walk *walk, uint64_t address, uint32_t shift)
{
	uint64_t in_line = address & ((1ull << shift) - 1), room = walk->down ? in_line : (1ull << shift) - in_line - walk->bytes;
	uint64_t rounds = (room * walk->rounds_a_byte >> 32) + walk->least;

	return rounds < AHEAD ? rounds : AHEAD - 1;
}

static inline void look(struct plain *plain, uint64_t round, uint32_t number)
{
	struct plain_walk *walk = &plain->group->walks[number];
	uint64_t address = walk->address + walk->stride * round, last = address + walk->bytes - 1, rounds = walk->least;
	uint32_t shift = plain->l1.shift, met;

	leave(plain, walk);
	met = enter(plain, walk, 0, address, round, number);
	if (address >> shift == last >> shift)
		rounds = rounds_here(walk, address, shift);
	else
		met = plain_both(met, enter(plain, walk, 1, last, round, number));
	if (met)
		plain_count(plain, walk->write, met, walk->counters);
	set_due(plain->group, round + rounds, number);
}

/* ------------------------------------------------------------------ groups */

static void begin(struct plain *plain, const struct simulator_walk *walks, uint32_t nr)
{
	struct plain_group *group = plain->group;
	uint64_t line = 1ull << plain->l1.shift;

	memset(group->due, 0, sizeof(group->due));
	group->busy = 0;
	group->nr = nr;
	for (uint32_t i = 0; i < nr; i++) {
		const struct simulator_walk *walk = &walks[i];
		uint64_t step = walk->stride < 0 ? -(uint64_t)walk->stride : (uint64_t)walk->stride;

		group->walks[i] = (struct plain_walk){
			.stride = (uint64_t)walk->stride, .address = walk->address, .rounds_a_byte = step && step < line ? (1ull << 32) / step + 1 : 0,
			.bytes = walk->bytes, .least = step ? 1 : AHEAD - 1, .write = walk->write, .down = walk->stride < 0, .ways = { PLAIN_NO_WAY, PLAIN_NO_WAY },
			.counters = walk_counters(plain->of, &plain->of->cores[0], walk),
		};
		set_due(group, 0, i);
	}
}

/* The next round in which somebody is due; there always is one. */
static inline uint64_t next_round(const struct plain_group *group, uint64_t round)
{
	uint32_t at = round % AHEAD;

	return round + (uint64_t)__builtin_ctzll(group->busy >> at | group->busy << (AHEAD - at) % AHEAD);
}

static void run_round(struct plain *plain, uint64_t round)
{
	struct plain_group *group = plain->group;

	for (uint32_t word = 0; word * 64 < group->nr; word++)
		for (uint64_t *due = &group->due[round % AHEAD][word]; *due;) {
			uint32_t number = (uint32_t)__builtin_ctzll(*due);

			*due &= *due - 1;
			look(plain, round, word * 64 + number);
		}
	group->busy &= ~(1ull << round % AHEAD);
}

/* An access of more bytes than a line has, or past the caches: in turn, one by one. */
static void run_singly(struct plain *plain, const struct simulator_walk *group, uint32_t nr)
{
	for (uint64_t round = 0; round < group->times; round++)
		for (uint32_t i = 0; i < nr; i++)
			plain_access(plain, &group[i], walk_address(&group[i], round), walk_counters(plain->of, &plain->of->cores[0], &group[i]));
}

void plain_group_run(struct plain *plain, const struct simulator_walk *walks, uint32_t nr)
{
	uint32_t most = 0;
	bool past = false;

	for (uint32_t i = 0; i < nr; i++) {
		most = walks[i].bytes > most ? walks[i].bytes : most;
		past |= walks[i].non_temporal;
	}
	if (past || most > 1u << plain->l1.shift) {
		run_singly(plain, walks, nr);
		return;
	}
	begin(plain, walks, nr);
	for (uint64_t round = 0; round < walks->times; round = next_round(plain->group, round))
		run_round(plain, round);
	for (uint32_t i = 0; i < nr; i++)
		leave(plain, &plain->group->walks[i]);
}
