/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks of a group on a plain machine, which take turns. Looked at is only where a walk enters a line (plain_schedule.h). In between it only uses a line that it
 * holds, which needs nothing: the line gets the stamp of its last use at once, although that is to come. Who displaces a line takes the one with the least
 * stamp: if that is older than a round it is right, as what is held was used in the last round, and all other stamps are true. If it is not, and
 * lines of the set have stamps to come, walks fight for the set: stamps become what they are by now, and the group goes on access by access for a while.
 *
 *     stamps of a set:   … │ a round ago  ·  ·  now │ to come
 *                        ▲
 *                        least: displaced
 */
#include "analysis/base/arena.h"
#include "ompt_tool/simulator/plain_levels.h"
#include "ompt_tool/simulator/plain_schedule.h"
#include "ompt_tool/simulator/walk.h"

#define FEW_ROUNDS 3                     /* are done before a schedule is made */
#define PATIENCE 256                     /* rounds, at most, until walks that fought try again */

struct plain_group {
	struct plain_schedule schedule;
	struct simulator_counters *counters[UINT8_MAX];  /* by walk */
	struct plain_met met[UINT8_MAX]; /* not counted there yet */
	int32_t turn;                    /* ticks of a round */
	uint32_t patience;               /* rounds */
};

/* Where in a group one is: all walks before that one had their turn in this round. */
struct plain_point { uint64_t round; uint32_t walk; };

bool plain_groups_init(struct plain *plain)
{
	plain->group = arena_alloc(plain->of->arena, sizeof(*plain->group));
	return plain->group != NULL;
}

/* ------------------------------------------------------------------ entering lines */

/* Used then; may be used later. */
static inline void stamp(int32_t *stamps, uint32_t way, int32_t time)
{
	int32_t now = time | (int32_t)(way % PLAIN_ROW);

	stamps[way] = now > stamps[way] ? now : stamps[way];
}

/* Whether a line of the set has a stamp that is to come. */
static __attribute__((noinline)) bool is_held(const struct plain *plain, uint32_t set, int32_t now)
{
	const int32_t *stamps = &plain->stamps[set << PLAIN_ROW_SHIFT];

	for (uint32_t way = 0; way < plain->l1.ways; way++)
		if (stamps[way] >> PLAIN_ROW_SHIFT > now)
			return true;
	return false;
}

/* The way that a line takes which the set has not, entered now; `since`: all lines that are held were used since then. PLAIN_NO_WAY: they fight. */
static inline uint32_t way_for(const struct plain *plain, uint64_t line, int32_t now, int32_t since)
{
	uint32_t set = plain_set(&plain->l1, line), way = plain_oldest(plain, set);

	if (__builtin_expect(plain->stamps[way] >> PLAIN_ROW_SHIFT >= since, 0) && is_held(plain, set, now))
		return PLAIN_NO_WAY;
	return way;
}

static __attribute__((noinline)) void fill(struct plain *plain, const struct plain_entry *entry, uint32_t way, int32_t last)
{
	struct simulator_counters *counters = plain->group->counters[entry->walk];

	plain_count(plain, entry->write, plain_fill(plain, entry->address, entry->write, way, last, counters), counters);
}

/* False: they fight, and nothing is done. */
static __attribute__((noinline)) bool miss(struct plain *plain, const struct plain_entry *entry, uint64_t line, uint8_t mark, int32_t begun, int32_t since)
{
	uint32_t set = plain_set(&plain->l1, line), row = set << PLAIN_ROW_SHIFT;
	int32_t least = plain_least(plain, row), last = (begun << PLAIN_ROW_SHIFT) + entry->last;

	if (__builtin_expect(least >> PLAIN_ROW_SHIFT >= since, 0) && is_held(plain, set, begun + entry->time))
		return false;
	plain_expect(plain, entry->address + entry->on);
	if (plain->usual)
		plain_take(plain, line, mark, entry->write, plain_way_of(row, least), last, &plain->group->met[entry->walk]);
	else
		fill(plain, entry, plain_way_of(row, least), last);
	return true;
}

static inline uint32_t enter(struct plain *plain, const struct plain_entry *entry, uint64_t address, int32_t last, uint32_t victim)
{
	uint32_t way = plain_find(&plain->l1, address >> plain->l1.shift);

	if (way == PLAIN_NO_WAY)
		return plain_fill(plain, address, entry->write, victim, last, plain->group->counters[entry->walk]);
	stamp(plain->stamps, way, last);
	plain->l1.tags[way] |= entry->write;
	return 0;
}

/* Two lines, which are of different sets. */
static __attribute__((noinline)) bool enter_both(struct plain *plain, const struct plain_entry *entry, int32_t begun, int32_t since)
{
	uint32_t shift = plain->l1.shift, met, first, second;
	uint64_t address = entry->address, next = ((address >> shift) + 1) << shift;
	int32_t now = begun + entry->time;

	first = way_for(plain, address >> shift, now, since);
	second = way_for(plain, next >> shift, now + 1, since);
	if ((first == PLAIN_NO_WAY && plain_find(&plain->l1, address >> shift) == PLAIN_NO_WAY) ||
	    (second == PLAIN_NO_WAY && plain_find(&plain->l1, next >> shift) == PLAIN_NO_WAY))
		return false;
	met = enter(plain, entry, address, (begun << PLAIN_ROW_SHIFT) + entry->last, first);
	met = plain_both(met, enter(plain, entry, next, (begun << PLAIN_ROW_SHIFT) + entry->second, second));
	if (met)
		plain_count(plain, entry->write, met, plain->group->counters[entry->walk]);
	return true;
}

/* Entries from one to another, of a period that began then; they are those of the next one thereafter. Returned: the one at which walks fight, which is not done; or `end`. */
static inline __attribute__((always_inline)) struct plain_entry *run_entries(struct plain *plain, struct plain_entry *entry, const struct plain_entry *end, int32_t begun, bool first)
{
	const struct plain_cache l1 = plain->l1;
	int32_t *stamps = plain->stamps, turn = plain->group->turn;

	for (; entry < end; entry++) {
		int32_t since = first ? begun : begun + entry->time - turn;
		uint64_t line = entry->address >> l1.shift;
		uint8_t mark = mark_of(line);
		uint32_t way;

		if (__builtin_expect(entry->both, 0)) {
			if (!enter_both(plain, entry, begun, since))
				break;
		} else if ((way = plain_find_marked(&l1, line, mark)) == PLAIN_NO_WAY) {
			if (!miss(plain, entry, line, mark, begun, since))
				break;
		} else {
			stamp(stamps, way, (begun << PLAIN_ROW_SHIFT) + entry->last);
			l1.tags[way] |= entry->write;
		}
		entry->address += entry->on;
	}
	return (struct plain_entry *)entry;
}

/* ------------------------------------------------------------------ rounds */

static inline int32_t time_at(const struct plain *plain, uint64_t round, uint32_t number)
{
	return plain->clock + (int32_t)(PLAIN_PIECES * (round * plain->group->schedule.nr + number));
}

/* All stamps are what they are at that point. */
static void settle(struct plain *plain, const struct simulator_walk *walks, uint64_t from, struct plain_point point)
{
	int32_t now = time_at(plain, point.round, point.walk);
	uint32_t shift = plain->l1.shift;

	for (uint32_t i = 0; i < plain->group->schedule.nr; i++) {
		uint64_t round = point.round - (i >= point.walk), address = walk_address(&walks[i], from + round), last = address + walks[i].bytes - 1;
		int32_t time = time_at(plain, round, i);

		if (i >= point.walk && !point.round)
			break;
		for (;; address = last, time++) {
			uint32_t way = plain_find(&plain->l1, address >> shift);

			if (way != PLAIN_NO_WAY && plain->stamps[way] >> PLAIN_ROW_SHIFT >= now)
				plain->stamps[way] = time << PLAIN_ROW_SHIFT | (int32_t)(way % PLAIN_ROW);
			else if (way != PLAIN_NO_WAY)
				stamp(plain->stamps, way, time << PLAIN_ROW_SHIFT);
			if (address >> shift == last >> shift)
				break;
		}
	}
	plain->clock = now;
}

/* Its entries of rounds below `rounds` only. */
static struct plain_entry *end_of(struct plain_schedule *schedule, uint64_t rounds)
{
	int64_t ticks = (int64_t)(PLAIN_PIECES * rounds * schedule->nr);
	uint32_t end = schedule->end;

	while (end > schedule->first && schedule->entries[end - 1].time >= ticks)
		end--;
	return &schedule->entries[end];
}

/* Till walks fight, or that round. */
static struct plain_point run_schedule(struct plain *plain, uint64_t rounds)
{
	struct plain_schedule *schedule = &plain->group->schedule;
	struct plain_entry *first = &schedule->entries[schedule->first], *end = &schedule->entries[schedule->end], *entry;
	uint64_t done = 0;

	entry = run_entries(plain, schedule->entries, first, plain->clock, true);
	if (entry < first)
		return (struct plain_point){ 0, entry->walk };
	for (; done + 1 < rounds && first < end; done += schedule->period) {
		if (rounds - done <= schedule->period)
			end = end_of(schedule, rounds - done);
		entry = run_entries(plain, first, end, time_at(plain, done, 0), false);
		if (entry < end)
			return (struct plain_point){ done + (uint64_t)entry->time / PLAIN_PIECES / schedule->nr, entry->walk };
	}
	return (struct plain_point){ rounds, 0 };
}

/* From one point to another, one by one. */
static void run_singly(struct plain *plain, const struct simulator_walk *group, uint32_t nr, struct plain_point point, uint64_t end)
{
	for (; point.round < end; point.round++, point.walk = 0)
		for (uint32_t i = point.walk; i < nr; i++)
			plain_access(plain, &group[i], walk_address(&group[i], point.round), walk_counters(plain->of, &plain->of->cores[0], &group[i]));
}

static void tell(struct plain *plain, const struct simulator_walk *walks, uint32_t nr)
{
	struct plain_group *group = plain->group;

	for (uint32_t i = 0; i < nr; i++) {
		if (group->met[i].from_l2 + group->met[i].from_memory == 0)
			continue;
		plain_tell(plain, walks[i].write, &group->met[i], group->counters[i]);
		group->met[i] = (struct plain_met){ 0 };
	}
}

/* From one round on, at most to another: to which. */
static uint64_t run_rounds(struct plain *plain, const struct simulator_walk *walks, uint32_t nr, uint64_t from, uint64_t end)
{
	struct plain_group *group = plain->group;
	uint64_t most = PLAIN_TICKS / PLAIN_PIECES / 2 / nr, rounds = end - from < most ? end - from : most;
	struct plain_point point;

	plain_schedule_make(&group->schedule, walks, nr, from, (uint32_t)rounds, plain->l1.shift);
	rounds = group->schedule.rounds;
	plain_reserve(plain, (int32_t)(PLAIN_PIECES * (rounds + 1 + (2ull << plain->l1.shift)) * nr));
	point = run_schedule(plain, rounds);
	settle(plain, walks, from, point);
	tell(plain, walks, nr);
	if (point.round == rounds)
		return from + rounds;
	group->patience = point.round < 2 * FEW_ROUNDS ? 2 * group->patience : 1;
	if (group->patience > PATIENCE)
		group->patience = PATIENCE;
	point.round += from;
	rounds = end - point.round < group->patience ? end - point.round : group->patience;
	run_singly(plain, walks, nr, point, point.round + rounds);
	return point.round + rounds;
}

/* Not past the caches, within two lines that are not of one set. */
static bool can_be_told(const struct plain *plain, const struct simulator_walk *walks, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		if (walks[i].non_temporal || walks[i].bytes > 1u << plain->l1.shift)
			return false;
	return plain->l1.set_mask > 0;
}

void plain_group_run(struct plain *plain, const struct simulator_walk *walks, uint32_t nr)
{
	struct plain_group *group = plain->group;

	if (walks->times <= FEW_ROUNDS || !can_be_told(plain, walks, nr)) {
		run_singly(plain, walks, nr, (struct plain_point){ 0, 0 }, walks->times);
		return;
	}
	for (uint32_t i = 0; i < nr; i++)
		group->counters[i] = walk_counters(plain->of, &plain->of->cores[0], &walks[i]);
	group->turn = (int32_t)(PLAIN_PIECES * nr);
	group->patience = 1;
	for (uint64_t from = 0; from < walks->times;)
		from = run_rounds(plain, walks, nr, from, walks->times);
}
