/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks of a group on a plain machine, which take turns. A walk is looked at where it enters a line, and no later than 63 rounds thereafter; in between
 * it only uses the line that it holds. When it leaves that, the line gets the stamp of its last use, which was a round ago. So stamps of
 * lines that are held are too early, all others are right; who is about to displace a line that is held looks at the set again with stamps as
 * they ought to be. More looks than needed change nothing.
 *
 *     due:  round mod 64     5 ▼      6        7       8  …
 *                walks:    0 · 2 3   · · · ·  · 1 · ·
 */
#include "analysis/base/arena.h"
#include "ompt_tool/simulator/plain_levels.h"
#include "ompt_tool/simulator/walk.h"

#define AHEAD 64                         /* rounds */
#define WORDS ((UINT8_MAX + 63) / 64)    /* of bits, by walk */
#define PIECES 2                         /* of an access, at most: times that it takes */

struct plain_walk {
	uint64_t stride;
	uint64_t address;                /* of round 0 */
	uint64_t ahead;                  /* from a line to the next one, or a part of it */
	uint64_t rounds_a_byte;          /* in units of 2^-32, rounded up: 2^32 / distance between accesses */
	uint32_t bytes, least;           /* least: rounds in which it certainly is where it is */
	uint32_t way;                    /* held in L1; PLAIN_NO_WAY */
	bool write, down;
	struct simulator_counters *counters;
};

struct plain_group {
	uint32_t nr;
	bool lost, lost_next;            /* one became due in this round, or the next one, as its line is gone */
	uint64_t due[AHEAD][WORDS];      /* walks, by round, … */
	uint64_t each[WORDS];            /* … and in each round */
	uint16_t *held;                  /* by way of L1: by how many walks */
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

static inline void set_due(struct plain_group *group, uint64_t round, uint32_t number)
{
	group->due[round % AHEAD][number / 64] |= 1ull << number % 64;
}

/* When an access begins, of its first piece; the clock stands where the group began. */
static inline int32_t time_of(const struct plain *plain, uint64_t round, uint32_t number)
{
	return plain->clock + (int32_t)(PIECES * (round * plain->group->nr + number));
}

/* ------------------------------------------------------------------ lines that are held */

/* Used then; may have been used later. */
static inline void stamp(int32_t *stamps, uint32_t way, int32_t time)
{
	int32_t now = time << PLAIN_ROW_SHIFT | (int32_t)(way % PLAIN_ROW);

	stamps[way] = now > stamps[way] ? now : stamps[way];
}

/* Its last use was in this round, with its last piece. */
static inline void leave(struct plain *plain, struct plain_walk *walk, uint64_t round, uint32_t number)
{
	if (walk->way == PLAIN_NO_WAY)
		return;
	stamp(plain->stamps, walk->way, time_of(plain, round, number) + PIECES - 1);
	plain->group->held[walk->way]--;
	walk->way = PLAIN_NO_WAY;
}

/* Who holds it needs a look at its next access. */
static void take_away(struct plain_group *group, uint32_t way, uint64_t round, uint32_t number)
{
	for (uint32_t i = 0; i < group->nr; i++) {
		if (group->walks[i].way != way)
			continue;
		group->walks[i].way = PLAIN_NO_WAY;
		set_due(group, round + (i <= number), i);
		*(i <= number ? &group->lost_next : &group->lost) = true;
	}
	group->held[way] = 0;
}

/* The oldest of a set with lines that are held, in the turn of a walk in this round; nobody holds it any more. */
static __attribute__((noinline)) uint32_t oldest_of_held(struct plain *plain, uint32_t set, uint64_t round, uint32_t number)
{
	struct plain_group *group = plain->group;
	uint32_t way;

	for (uint32_t i = 0; i < group->nr; i++)
		if (group->walks[i].way != PLAIN_NO_WAY && group->walks[i].way >> PLAIN_ROW_SHIFT == set)
			stamp(plain->stamps, group->walks[i].way, time_of(plain, round - (i >= number), i) + PIECES - 1);
	way = plain_oldest(plain, set);
	if (group->held[way])
		take_away(group, way, round, number);
	return way;
}

/* ------------------------------------------------------------------ looks */

/* What every look needs: a copy, so that no store can change it. */
struct view {
	struct plain_cache l1;
	int32_t *stamps;
	uint16_t *held;
};

/* The walk's access to a line that L1 has not: what was met, and where the line is then. */
static __attribute__((noinline)) uint32_t miss(struct plain *plain, const struct plain_walk *walk, uint64_t address, uint64_t round, uint32_t number, int32_t time, uint32_t *way_out)
{
	uint32_t set = plain_set(&plain->l1, address >> plain->l1.shift), way = plain_oldest(plain, set);

	if (plain->group->held[way])
		way = oldest_of_held(plain, set, round, number);
	*way_out = way;
	plain_expect(plain, address + walk->ahead);
	return plain_fill(plain, address, walk->write, way, time, walk->counters);
}

/* How many rounds the walk goes on in the line where it has an access, all in it. */
static inline uint64_t rounds_here(const struct plain_walk *walk, uint64_t address, uint32_t shift)
{
	uint64_t in_line = address & ((1ull << shift) - 1), room = walk->down ? in_line : (1ull << shift) - in_line - walk->bytes;

	return (room * walk->rounds_a_byte >> 32) + walk->least;
}

/* The line is used in this round, and so many rounds from then on, less one. */
static inline void hold(struct view view, struct plain_walk *walk, uint32_t way, uint64_t rounds, int32_t time)
{
	if (rounds > 1) {
		walk->way = way;
		view.held[way]++;
	} else {
		stamp(view.stamps, way, time + PIECES - 1);
	}
}

static uint32_t use(struct plain *plain, const struct plain_walk *walk, uint64_t address, uint64_t round, uint32_t number, int32_t time, uint32_t *way_out)
{
	uint32_t way = *way_out = plain_find(&plain->l1, address >> plain->l1.shift);

	if (way == PLAIN_NO_WAY)
		return miss(plain, walk, address, round, number, time, way_out);
	if (walk->write)
		plain->l1.tags[way] |= 1;
	return 0;
}

/* An access to two lines: the first one is left at once. Yields in how many rounds the next look is due. */
static __attribute__((noinline)) uint64_t look_across(struct plain *plain, struct plain_walk *walk, uint64_t address, uint64_t round, uint32_t number)
{
	const struct view view = { plain->l1, plain->stamps, plain->group->held };
	uint64_t last = address + walk->bytes - 1, next = address + walk->stride, rounds = 1;
	uint32_t shift = plain->l1.shift, way, met;
	int32_t time = time_of(plain, round, number);

	met = use(plain, walk, address, round, number, time, &way);
	stamp(plain->stamps, way, time);
	met = plain_both(met, use(plain, walk, last, round, number, time + 1, &way));
	if (met)
		plain_count(plain, walk->write, met, walk->counters);
	if (next >> shift == last >> shift && (next + walk->bytes - 1) >> shift == last >> shift)
		rounds += rounds_here(walk, next, shift);
	hold(view, walk, way, rounds, time);
	return rounds;
}

/* The access to one line: where that is then. */
static inline __attribute__((always_inline)) uint32_t look_up(struct plain *plain, struct view view, const struct plain_walk *walk, uint64_t address, uint64_t round,
							      uint32_t number, int32_t time)
{
	uint32_t way = plain_find(&view.l1, address >> view.l1.shift), met;

	if (way == PLAIN_NO_WAY) {
		met = miss(plain, walk, address, round, number, time, &way);
		plain_count(plain, walk->write, met, walk->counters);
	} else if (walk->write) {
		view.l1.tags[way] |= 1;
	}
	return way;
}

static inline bool is_across(struct view view, const struct plain_walk *walk, uint64_t address)
{
	return __builtin_expect(address >> view.l1.shift != (address + walk->bytes - 1) >> view.l1.shift, 0);
}

/* Yields in how many rounds the next look is due. `time`: of this access; `period`: of a round. */
static inline __attribute__((always_inline)) uint64_t look(struct plain *plain, struct view view, struct plain_walk *walk, uint64_t round, uint32_t number, int32_t time, int32_t period)
{
	uint64_t address = walk->address + walk->stride * round, rounds;
	uint32_t way = walk->way;

	if (way != PLAIN_NO_WAY) {
		stamp(view.stamps, way, time - period + PIECES - 1);
		view.held[way]--;
		walk->way = PLAIN_NO_WAY;
	}
	if (is_across(view, walk, address))
		return look_across(plain, walk, address, round, number);
	way = look_up(plain, view, walk, address, round, number, time);
	rounds = rounds_here(walk, address, view.l1.shift);
	hold(view, walk, way, rounds, time);
	return rounds;
}

/* The same of a walk that goes on to another line each time, and so never holds one. */
static inline __attribute__((always_inline)) void look_each(struct plain *plain, struct view view, struct plain_walk *walk, uint64_t round, uint32_t number, int32_t time)
{
	uint64_t address = walk->address + walk->stride * round;

	if (is_across(view, walk, address))
		look_across(plain, walk, address, round, number);
	else
		stamp(view.stamps, look_up(plain, view, walk, address, round, number, time), time + PIECES - 1);
}

/* ------------------------------------------------------------------ groups */

static void begin(struct plain *plain, const struct simulator_walk *walks, uint32_t nr, uint64_t from)
{
	struct plain_group *group = plain->group;
	uint64_t line = 1ull << plain->l1.shift;

	memset(group->due, 0, sizeof(group->due));
	memset(group->each, 0, sizeof(group->each));
	group->nr = nr;
	group->lost = group->lost_next = false;
	for (uint32_t i = 0; i < nr; i++) {
		const struct simulator_walk *walk = &walks[i];
		uint64_t step = walk->stride < 0 ? -(uint64_t)walk->stride : (uint64_t)walk->stride;

		group->walks[i] = (struct plain_walk){
			.stride = (uint64_t)walk->stride, .address = walk_address(walk, from), .ahead = step >= line ? (uint64_t)walk->stride : walk->stride < 0 ? -line : line,
			.rounds_a_byte = step && step < line ? (1ull << 32) / step + 1 : 0,
			.bytes = walk->bytes, .least = step ? 1 : AHEAD - 1, .way = PLAIN_NO_WAY, .write = walk->write, .down = walk->stride < 0,
			.counters = walk_counters(plain->of, &plain->of->cores[0], walk),
		};
		if (step >= line)
			group->each[i / 64] |= 1ull << i % 64;
		else
			set_due(group, 0, i);
	}
}

/* Who is due in a round, of 64 walks, in turn. Yields the rounds behind it in which they are due again, as bits. */
static inline __attribute__((always_inline)) uint64_t run_word(struct plain *plain, struct plain_group *group, struct view view, uint64_t round, uint32_t word)
{
	int32_t period = (int32_t)(PIECES * group->nr), begun = time_of(plain, round, word * 64);
	uint64_t *due = &group->due[round % AHEAD][word], each = group->each[word], now = *due | each, busy = each ? 2 : 0;

	for (*due = 0; now; now &= now - 1) {
		uint32_t bit = (uint32_t)__builtin_ctzll(now), number = word * 64 + bit;
		int32_t time = begun + (int32_t)(PIECES * bit);
		uint64_t rounds;

		if (each >> bit & 1) {
			look_each(plain, view, &group->walks[number], round, number, time);
		} else {
			rounds = look(plain, view, &group->walks[number], round, number, time, period);
			rounds = rounds < AHEAD ? rounds : AHEAD - 1;
			set_due(group, round + rounds, number);
			busy |= 1ull << rounds;
		}
		if (__builtin_expect(group->lost, 0)) {
			now |= *due;
			*due = 0;
		}
	}
	return busy;
}

/* So many rounds from one on. */
static void run_rounds(struct plain *plain, const struct simulator_walk *walks, uint32_t nr, uint64_t from, uint64_t rounds)
{
	const struct view view = { plain->l1, plain->stamps, plain->group->held };
	struct plain_group *group = plain->group;
	uint64_t busy = 1;               /* rounds from this one on in which somebody is due, as bits; some always is */

	plain_reserve(plain, (int32_t)(PIECES * rounds * nr));
	begin(plain, walks, nr, from);
	for (uint64_t round = 0; round < rounds;) {
		for (uint32_t word = 0; word * 64 < nr; word++)
			busy |= run_word(plain, group, view, round, word);
		busy |= group->lost_next ? 2 : 0;
		group->lost = group->lost_next = false;
		do {                             /* one by one, which the processor foresees: a number of them it would wait for */
			busy >>= 1;
			round++;
		} while (!(busy & 1));
	}
	for (uint32_t i = 0; i < nr; i++)
		leave(plain, &group->walks[i], rounds - 1, i);
	plain->clock += (int32_t)(PIECES * rounds * nr);
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
	uint64_t at_once = PLAIN_TICKS / PIECES / nr;
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
	for (uint64_t from = 0; from < walks->times; from += at_once)
		run_rounds(plain, walks, nr, from, walks->times - from < at_once ? walks->times - from : at_once);
}
