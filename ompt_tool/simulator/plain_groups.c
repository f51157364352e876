/* SPDX-License-Identifier: Apache-2.0 */
/* Walks of a group on a plain machine, which take turns: run by their schedule. */
#include "analysis/base/arena.h"
#include "ompt_tool/simulator/plain_levels.h"
#include "ompt_tool/simulator/schedule.h"
#include "ompt_tool/simulator/walk.h"

struct plain_group {
	struct schedule schedule;
	struct simulator_counters *counters[UINT8_MAX];  /* by walk, … */
	struct plain_met met[UINT8_MAX]; /* … and what they do not have yet */
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
static inline void use(struct plain_row *row, uint32_t place, int32_t time)
{
	int32_t stamp = time | (int32_t)place;

	row->stamps[place] = stamp > row->stamps[place] ? stamp : row->stamps[place];
}

/* Whether a line of the set has a stamp that is to come. */
static __attribute__((noinline)) bool is_held(const struct plain *plain, const struct plain_row *row, int32_t now)
{
	for (uint32_t place = 0; place < plain->l1.ways; place++)
		if (row->stamps[place] >= now + plain_stamp(1))
			return true;
	return false;
}

/* Whether walks fight for a set whose least stamp this is: what is held was used within the last round. */
static inline bool is_fight(const struct plain *plain, const struct plain_row *row, int32_t least, int32_t now, int32_t turn)
{
	return __builtin_expect(least >= now - turn, 0) && is_held(plain, row, now);
}

/* Where the usual way does not serve. */
static __attribute__((noinline)) void fill(struct plain *plain, const struct schedule_entry *entry, uint32_t place, int32_t begun)
{
	struct simulator_counters *counters = plain->group->counters[entry->walk];

	plain_count(plain, entry->write, plain_fill(plain, plain_name(entry->line), entry->write, place, begun + entry->last, counters), counters);
}

/* False: they fight, and nothing is done. */
static inline __attribute__((always_inline)) bool miss(struct plain *plain, struct plain_row *row, const struct schedule_entry *entry, struct plain_name name, int32_t begun, int32_t turn)
{
	int32_t least = plain_least(&plain->l1, row), now = begun + entry->time;

	if (is_fight(plain, row, least, now, turn))
		return false;
	plain_expect(plain, name.line + entry->on);
	if (__builtin_expect(plain->usual, 1))
		plain_take(plain, row, name, entry->write, plain_place(least), begun + entry->last, &plain->group->met[entry->walk]);
	else
		fill(plain, entry, plain_place(least), begun);
	return true;
}

/* One of two lines: where it is; if it is not there, where it will be. */
struct piece { struct plain_name name; struct plain_row *row; uint32_t place; bool there; };

static bool find_piece(const struct plain *plain, uint64_t line, int32_t now, int32_t turn, struct piece *out)
{
	int32_t least;

	out->name = plain_name(line);
	out->row = plain_row(&plain->l1, line);
	out->there = plain_find(out->row->marks, out->row->tags, out->name, &out->place);
	if (out->there)
		return true;
	least = plain_least(&plain->l1, out->row);
	out->place = plain_place(least);
	return !is_fight(plain, out->row, least, now, turn);
}

static uint32_t enter_piece(struct plain *plain, const struct piece *piece, const struct schedule_entry *entry, int32_t last)
{
	if (!piece->there)
		return plain_fill(plain, piece->name, entry->write, piece->place, last, plain->group->counters[entry->walk]);
	use(piece->row, piece->place, last);
	piece->row->tags[piece->place] |= entry->write;
	return 0;
}

/* Two lines, which are of different sets. */
static __attribute__((noinline)) bool enter_both(struct plain *plain, const struct schedule_entry *entry, int32_t begun, int32_t turn)
{
	int32_t now = begun + entry->time;
	struct piece first, second;
	uint32_t met;

	if (!find_piece(plain, entry->line, now, turn, &first) || !find_piece(plain, entry->line + 1, now, turn, &second))
		return false;
	met = enter_piece(plain, &first, entry, begun + entry->last);
	met = plain_both(met, enter_piece(plain, &second, entry, begun + entry->second));
	if (met)
		plain_count(plain, entry->write, met, plain->group->counters[entry->walk]);
	return true;
}

/* Entries of some periods. Where they stop as walks fight is the one that is not done, and its period; else `end`, and the period behind the last. */
struct stretch {
	struct schedule_entry *first;
	const struct schedule_entry *end;
	int32_t begun, period, turn;     /* begun: when the first period did; period: how long it takes */
	uint64_t periods;
};

static inline __attribute__((always_inline)) struct schedule_entry *run_entries_here(struct plain *plain, struct stretch *stretch)
{
	const struct plain_l1 l1 = plain->l1;
	const struct schedule_entry *end = stretch->end;
	uint8_t *guesses = plain->guesses;
	struct schedule_entry *entry = stretch->first;

	for (; stretch->periods; stretch->periods--, stretch->begun += stretch->period) {
		int32_t begun = stretch->begun;

		for (entry = stretch->first; entry < end; entry++) {
			struct plain_name name = plain_name(entry->line);
			struct plain_row *row = plain_row(&l1, name.line);
			uint32_t place;

			if (__builtin_expect(entry->both, 0)) {
				if (!enter_both(plain, entry, begun, stretch->turn))
					return entry;
			} else if (plain_find_l1(row, guesses, name, &place)) {
				use(row, place, begun + entry->last);
				row->tags[place] |= entry->write;
			} else if (!miss(plain, row, entry, name, begun, stretch->turn)) {
				return entry;
			}
			entry->line = name.line + entry->on; /* that of the next period */
		}
	}
	return entry;
}

#ifdef __x86_64__
static __attribute__((target("avx2,bmi,bmi2"))) struct schedule_entry *run_entries_by_vectors(struct plain *plain, struct stretch *stretch)
{
	return run_entries_here(plain, stretch);
}

static __attribute__((noinline)) struct schedule_entry *run_entries(struct plain *plain, struct stretch *stretch)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") ? run_entries_by_vectors(plain, stretch) : run_entries_here(plain, stretch);
}
#else
static struct schedule_entry *run_entries(struct plain *plain, struct stretch *stretch)
{
	return run_entries_here(plain, stretch);
}
#endif

/* ------------------------------------------------------------------ rounds */

static inline int32_t time_at(const struct plain *plain, uint64_t round, uint32_t number)
{
	return plain->clock + (int32_t)(round * plain->group->schedule.nr + number);
}

/* The stamp of a line that was used then, and before `now`. */
static void settle_line(struct plain *plain, uint64_t line, int32_t then, int32_t now)
{
	struct plain_row *row = plain_row(&plain->l1, line);
	uint32_t place;

	if (!plain_find(row->marks, row->tags, plain_name(line), &place))
		return;
	if (row->stamps[place] >= now)
		row->stamps[place] = then | (int32_t)place;
	else
		use(row, place, then);
}

/* All stamps are what they are at that point: of lines that are held, of the access that was last. */
static void settle(struct plain *plain, const struct simulator_walk *walks, uint64_t from, struct plain_point point)
{
	int32_t now = time_at(plain, point.round, point.walk);
	uint32_t shift = plain->l1.shift;

	for (uint32_t i = 0; i < (point.round ? plain->group->schedule.nr : point.walk); i++) {
		uint64_t round = point.round - (i >= point.walk), address = walk_address(&walks[i], from + round), line = address >> shift;
		uint64_t last = (address + walks[i].bytes - 1) >> shift;
		int32_t then = time_at(plain, round, i);

		settle_line(plain, line, plain_stamp(then), plain_stamp(now));
		if (last != line)
			settle_line(plain, last, plain_stamp(then), plain_stamp(now));
	}
	plain->clock = now;
}

/* Its entries of rounds below `rounds` only. */
static struct schedule_entry *end_of(struct schedule *schedule, uint64_t rounds)
{
	int64_t time = (int64_t)rounds * schedule->turn;
	uint32_t end = schedule->end;

	while (end > schedule->first && schedule->entries[end - 1].time >= time)
		end--;
	return &schedule->entries[end];
}

/* Till walks fight, or that round. */
static struct plain_point run_schedule(struct plain *plain, uint64_t rounds)
{
	struct schedule *schedule = &plain->group->schedule;
	struct schedule_entry *first = &schedule->entries[schedule->first];
	int32_t begun = plain_stamp(plain->clock), period = (int32_t)schedule->period * schedule->turn;
	uint64_t whole = first < &schedule->entries[schedule->end] ? (rounds - 1) / schedule->period : 0, left = rounds - whole * schedule->period;
	const struct schedule_entry *end_of_left = left > 1 ? end_of(schedule, left) : first;
	struct stretch stretches[] = {
		{ schedule->entries, first, begun, period, schedule->turn, 1 },
		{ first, &schedule->entries[schedule->end], begun, period, schedule->turn, whole },
		{ first, end_of_left, begun + (int32_t)whole * period, period, schedule->turn, left > 1 },
	};

	for (size_t i = 0; i < sizeof(stretches) / sizeof(*stretches); i++) {
		struct stretch *stretch = &stretches[i];
		struct schedule_entry *entry = run_entries(plain, stretch);

		if (stretch->periods)
			return (struct plain_point){ (uint64_t)((stretch->begun - begun + entry->time) / schedule->turn), entry->walk };
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
		struct plain_met *met = &group->met[i];

		if (met->from_l2 + met->from_memory == 0)
			continue;
		plain_tell(plain, walks[i].write, met, group->counters[i]);
		*met = (struct plain_met){ 0 };
	}
}

/* From one round on, at most to another: to which. */
static uint64_t run_rounds(struct plain *plain, const struct simulator_walk *walks, uint32_t nr, uint64_t from, uint64_t end)
{
	struct plain_group *group = plain->group;
	uint64_t most = PLAIN_TICKS / 2 / nr, rounds = end - from < most ? end - from : most;
	struct plain_point point;

	schedule_make(&group->schedule, walks, nr, from, (uint32_t)rounds, plain->l1.shift, plain_stamp(1));
	rounds = group->schedule.rounds;
	plain_reserve(plain, (int32_t)((rounds + 1 + (2ull << plain->l1.shift)) * nr));
	point = run_schedule(plain, rounds);
	settle(plain, walks, from, point);
	tell(plain, walks, nr);
	if (point.round == rounds)
		return from + rounds;
	group->patience = schedule_patience(group->patience, point.round);
	point.round += from;
	rounds = end - point.round < group->patience ? end - point.round : group->patience;
	run_singly(plain, walks, nr, point, point.round + rounds);
	return point.round + rounds;
}

/* In advance. Two lines of an access must be of different sets, in both levels. */
static bool can_be_told(const struct plain *plain, const struct simulator_walk *walks, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		if (!schedule_takes(&walks[i], plain->l1.shift))
			return false;
	return plain->l1.set_mask && plain->l2.set_mask;
}

void plain_group_run(struct plain *plain, const struct simulator_walk *walks, uint32_t nr)
{
	struct plain_group *group = plain->group;

	if (walks->times <= SCHEDULE_FEW_ROUNDS || !can_be_told(plain, walks, nr)) {
		run_singly(plain, walks, nr, (struct plain_point){ 0, 0 }, walks->times);
		return;
	}
	for (uint32_t i = 0; i < nr; i++)
		group->counters[i] = walk_counters(plain->of, &plain->of->cores[0], &walks[i]);
	group->patience = 1;
	for (uint64_t from = 0; from < walks->times;)
		from = run_rounds(plain, walks, nr, from, walks->times);
}
