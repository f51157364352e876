/* SPDX-License-Identifier: Apache-2.0 */
/* Interleaved stride runs of a group, simulated where they enter lines. */
#include "analysis/simulator/rounds.h"

#include <string.h>

#include "analysis/simulator/hierarchy.h"
#include "analysis/simulator/prefetch.h"
#include "analysis/simulator/utilisation.h"

#define WALK_BITS 8
#define PART 8
#define NEVER (1ull << 55)               /* rounds: more than any window has */
#define TICKS 4                          /* of a cache's clock for an access, at most */

static inline uint64_t due_at(uint64_t round, uint32_t number)
{
	return round << WALK_BITS | number;
}

/* ------------------------------------------------------------------ current lines */

/* One of `ways` or `nexts` of a walk. */
static inline void set_way(struct rounds *rounds, uint32_t *of, uint32_t way)
{
	if (rounds->walked && *of != way) {
		if (*of != NO_WAY)
			rounds->walked[*of]--;
		if (way != NO_WAY)
			rounds->walked[way]++;
	}
	*of = way;
}

static inline void set_next(struct rounds *rounds, const struct member *member, uint32_t way)
{
	set_way(rounds, &rounds->nexts[member->number], way);
}

/* ------------------------------------------------------------------ what is due */

static void push(struct rounds *rounds, uint64_t due)
{
	uint32_t at;

	if (rounds->end == ROUNDS_DUE - 1) {
		rounds->end -= rounds->first;
		memmove(rounds->due, &rounds->due[rounds->first], rounds->end * sizeof(*rounds->due));
		rounds->first = 0;
	}
	for (at = rounds->end++; at > rounds->first && rounds->due[at - 1] > due; at--)
		rounds->due[at] = rounds->due[at - 1];
	rounds->due[at] = due;
	rounds->due[rounds->end] = UINT64_MAX;
}

/* A run that is never due is not in the list. */
static void set_due(struct rounds *rounds, uint64_t round, uint32_t number)
{
	if (round < NEVER)
		push(rounds, due_at(round, number));
}

static void change_due(struct rounds *rounds, uint64_t round, uint32_t number)
{
	uint32_t at = rounds->first;

	while (at < rounds->end && (rounds->due[at] & (due_at(1, 0) - 1)) != number)
		at++;
	if (at < rounds->end) {
		rounds->end--;
		memmove(&rounds->due[at], &rounds->due[at + 1], (rounds->end - at) * sizeof(*rounds->due));
	}
	set_due(rounds, round, number);
}

/* ------------------------------------------------------------------ the group begins */

/* With such strides the prefetcher requests the next line, for any access in the current one. */
static bool asks_by_line(const struct simulator *simulator, const struct core *core, const struct member *member)
{
	return member->step * 2 < 1ull << core->levels[simulator->last_private]->shift;
}

static void member_begin(const struct simulator *simulator, struct core *core, const struct simulator_walk *group, const struct simulator_walk *walk, struct member *member)
{
	bool bypass = walk_bypasses(simulator, walk);
	unsigned level = bypass ? L2 : L1;

	*member = (struct member){
		.cache = core->levels[level], .counters = walk_counters(simulator, core, walk), .number = (uint32_t)(walk - group), .held_cycles = walk_held_cycles(simulator, core, level),
		.step = walk_step(walk), .state = walk_state(walk), .bypass = bypass, .row = core->strides[level] ? prefetch_row(core, level, walk->site) : NULL,
	};
}

/* Accesses touch lines of the first level other than the runs' current lines. */
static bool needs_care(const struct simulator *simulator, const struct member *member)
{
	bool prefetched_into = simulator->last_private == L1 && (simulator->next_line || simulator->strides);

	return member->bypass || prefetched_into || simulator->model.cache[L1].write_around;
}

void rounds_begin(struct simulator *simulator, struct core *core, struct rounds *rounds, const struct simulator_walk *group)
{
	rounds->group = group;
	rounds->round = 0;
	rounds->next = 0;
	rounds->nr = group->group ? group->group : 1;
	rounds->first = rounds->end = 0;
	rounds->careful = rounds->lost = false;
	rounds->walked = core->walked;
	for (uint32_t i = 0; i < rounds->nr + PART && i < ROUNDS_WAYS; i++)
		rounds->ways[i] = rounds->nexts[i] = rounds->asked[i] = NO_WAY;
	for (uint32_t i = 0; i < rounds->nr; i++) {
		member_begin(simulator, core, group, &group[i], &rounds->members[i]);
		set_due(rounds, 0, i);
		rounds->careful |= needs_care(simulator, &rounds->members[i]);
		rounds->walked = rounds->members[i].bypass ? NULL : rounds->walked;
	}
	rounds->alone = simulator->strides && !rounds->careful && prefetch_rows_are_own(group, rounds->nr);
	rounds->caught_up = due_at(0, 0);
	rounds->clock = rounds->members[0].cache->clock;
	core->rounds = rounds;
}

/* ------------------------------------------------------------------ the order of use */

static inline bool is_there(const struct rounds *rounds, const struct member *member)
{
	uint32_t way = rounds->ways[member->number];

	return way != NO_WAY && member->cache->tags[way] == member->tag;
}

/* Touches the words of rounds before this one, which are all in the line. */
static __attribute__((noinline)) void mark_words(const struct rounds *rounds, const struct simulator_walk *walk, struct member *member, uint64_t round)
{
	const struct cache *cache = member->cache;
	uint64_t *touched = &cache->uses[rounds->ways[member->number]].touched, first, last;

	for (; member->step > walk->bytes && member->marked < round; member->marked++) {
		first = walk_address(walk, member->marked);
		*touched |= utilisation_words(cache->shift, first, first + walk->bytes - 1);
	}
	if (member->marked >= round)
		return;
	first = walk_address(walk, walk->stride < 0 ? round - 1 : member->marked);
	last = walk_address(walk, walk->stride < 0 ? member->marked : round - 1);
	*touched |= utilisation_words(cache->shift, first, last + walk->bytes - 1);
	member->marked = round;
}

/* Whether the LRU update of the run's previous access is still deferred. */
static inline bool is_behind(const struct rounds *rounds, uint32_t number, uint64_t round)
{
	return due_at(round, number) >= rounds->caught_up + due_at(1, 0);
}

/* Applies the LRU updates of the run's line up to that access. */
static inline void touch_line(const struct rounds *rounds, const struct simulator_walk *walk, struct member *member, uint64_t round)
{
	if (!is_there(rounds, member) || !is_behind(rounds, member->number, round))
		return;
	cache_touch(member->cache, rounds->ways[member->number]);
	if (member->cache->uses)
		mark_words(rounds, walk, member, round);
}

/* The same for the second line of an access that spans two. */
static inline void touch_next(const struct rounds *rounds, const struct member *member, uint64_t round)
{
	uint32_t way = rounds->nexts[member->number];

	if (way != NO_WAY && member->cache->tags[way] == member->tag + 1 && is_behind(rounds, member->number, round))
		cache_touch(member->cache, way);
}

/* In parts of as many ways as processors compare at once; the rest is padding. */
static inline bool is_among(const uint32_t *ways, uint32_t nr, uint32_t way)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < nr; i += PART)
		for (uint32_t j = 0; j < PART; j++)
			found |= ways[i + j] == way ? ~0u : 0;
	return found;
}

void rounds_mark_walked(struct rounds *rounds, const struct cache *cache, uint32_t way)
{
	for (uint32_t i = 0; i < rounds->nr; i++) {
		struct member *member = &rounds->members[i];

		if (rounds->ways[i] == way && member->cache == cache && is_there(rounds, member))
			mark_words(rounds, &rounds->group[i], member, rounds->round + (i < rounds->next));
	}
}

static inline void touch_page(struct core *core, const struct rounds *rounds, const struct member *member, uint64_t round)
{
	struct cache *tlb = &core->tlb[0];

	if (tlb->tags && tlb->tags[member->tlb_way] == member->page && is_behind(rounds, member->number, round))
		cache_touch(tlb, member->tlb_way);
}

/* Applies the LRU updates of all accesses before the next one. */
static void catch_up(struct core *core, struct rounds *rounds)
{
	uint32_t next = rounds->next, at = next;

	rounds->clock = rounds->members[0].cache->clock;
	do {
		uint64_t round = rounds->round + (at < next);

		touch_page(core, rounds, &rounds->members[at], round);
		touch_line(rounds, &rounds->group[at], &rounds->members[at], round);
		touch_next(rounds, &rounds->members[at], round);
		at = at + 1 == rounds->nr ? 0 : at + 1;
	} while (at != next);
	rounds->caught_up = due_at(rounds->round, next);
}

void rounds_settle(struct core *core)
{
	struct rounds *rounds = core->rounds;

	if (rounds && !core->running && rounds->caught_up < due_at(rounds->round, rounds->next))
		catch_up(core, rounds);
}

/*
 * The twin drops its oldest line, which must not be a current line. Each of those was touched in the round before the
 * last update, or later; the clock bounds the number of lines touched since then, plus some per access.
 */
static bool twin_is_near(const struct rounds *rounds)
{
	const struct cache *cache = rounds->members[0].cache;

	return cache->log && cache->clock - rounds->clock + TICKS * (rounds->nr + 2) >= cache->twin_lines;
}

static inline bool is_walked(const struct rounds *rounds, uint32_t way)
{
	return rounds->walked ? rounds->walked[way] : is_among(rounds->ways, rounds->nr, way) || is_among(rounds->nexts, rounds->nr, way);
}

/*
 * Whether entering a line may evict a current line. While updates are deferred the line with the oldest stamp is the
 * oldest, unless it is a current line; PLRU trees give no answer then.
 */
static bool displaces_walked(const struct rounds *rounds, struct cache *cache, uint64_t line)
{
	return cache->trees || is_walked(rounds, cache_victim(cache, line));
}

/* The same for pages. */
static bool displaces_walked_page(const struct core *core, const struct rounds *rounds, uint64_t page)
{
	const struct cache *tlb = &core->tlb[0];
	uint32_t way = cache_oldest(tlb, page - 1);

	for (uint32_t i = 0; i < rounds->nr; i++)
		if (rounds->members[i].tlb_way == way && rounds->members[i].page == tlb->tags[way])
			return true;
	return false;
}

/* ------------------------------------------------------------------ simulated accesses */

/* The line may be present from a time when more lines were sampled. */
static inline bool is_skipped(const struct simulator *simulator, const struct cache *cache, uint64_t line)
{
	return sampling_skips(&simulator->sampling, line >> (simulator->coherence_shift - cache->shift));
}

/* Finds its line and page. A present line must be found: after its access its LRU position relative to other current lines is valid only if all are updated. */
static inline void find(const struct simulator *simulator, struct core *core, struct rounds *rounds, struct member *member)
{
	struct cache *cache = member->cache, *tlb = &core->tlb[0];
	uint32_t way;

	set_way(rounds, &rounds->ways[member->number], is_skipped(simulator, cache, member->tag - 1) ? NO_WAY : cache_find(cache, member->tag - 1));
	if (!tlb->tags || tlb->tags[member->tlb_way] == member->page)
		return;
	way = cache_find(tlb, member->page - 1);
	member->tlb_way = way == NO_WAY ? 0 : way;
}

static bool has_page(const struct core *core, const struct member *member)
{
	return !core->tlb[0].tags || core->tlb[0].tags[member->tlb_way] == member->page;
}

static inline bool has_line(const struct rounds *rounds, const struct member *member)
{
	return member->skipped || (is_there(rounds, member) && walk_state_suffices(member->cache->states[rounds->ways[member->number]], member->state));
}

/* The prefetcher would fetch. */
static inline bool misses_asked(const struct simulator *simulator, const struct core *core, const struct rounds *rounds, const struct member *member)
{
	uint32_t way = rounds->asked[member->number];

	return member->row && (!member->trained || (way != NO_WAY && core->levels[simulator->last_private]->tags[way] != member->asked));
}

static inline bool is_ready(const struct simulator *simulator, const struct core *core, const struct rounds *rounds, const struct member *member)
{
	return has_line(rounds, member) && has_page(core, member) && !misses_asked(simulator, core, rounds, member);
}

/* Rounds in which the run stays in its current line. 0: this access spans two lines. */
static inline uint64_t rounds_in_line(const struct member *member, const struct simulator_walk *walk, uint64_t address)
{
	uint64_t size = 1ull << member->cache->shift, in_line = address & (size - 1), room = size - in_line;

	if (walk->bytes > room)
		return 0;
	room = walk->stride < 0 ? in_line : room - walk->bytes;
	if (room < member->step)
		return 1;
	return member->step ? (uint32_t)room / (uint32_t)member->step + 1 : NEVER;
}

struct stretch { uint64_t begin, last; };        /* addresses */

/*
 * The range in which no access of the run is simulated: from its line on, in its direction, up to a sampled line or the
 * end of the prefetchers' page. The prefetcher of the first level requests the next line: the line before a sampled one
 * must be simulated, and ends the range.
 */
static struct stretch stretch_skipped(const struct simulator *simulator, const struct core *core, const struct member *member, bool down, uint64_t address)
{
	const struct sampling *sampling = &simulator->sampling;
	uint32_t shift = simulator->coherence_shift, group = (uint32_t)(address >> shift) & sampling->mask, lines = down ? sampling->behind[group] : sampling->ahead[group];
	uint64_t page = (1ull << simulator->prefetch_shift) - 1, begin, last;

	if (member->row && lines > 1)
		lines--;
	else if (member->row)
		shift = core->levels[simulator->last_private]->shift;
	begin = (down ? (address >> shift) + 1 - lines : address >> shift) << shift;
	last = ((down ? (address >> shift) + 1 : (address >> shift) + lines) << shift) - 1;
	return (struct stretch){ begin > (address & ~page) ? begin : address & ~page, last < (address | page) ? last : address | page };
}

/* Rounds in which the run stays there. 0: this access spans its end. */
static uint64_t rounds_skipped(const struct simulator *simulator, const struct core *core, const struct member *member, const struct simulator_walk *walk, uint64_t address)
{
	struct stretch stretch = stretch_skipped(simulator, core, member, walk->stride < 0, address);
	uint64_t last = address + walk->bytes - 1;

	if (last > stretch.last || last < address)
		return 0;
	if (!member->step)
		return NEVER;
	return (walk->stride < 0 ? address - stretch.begin : stretch.last - last) / member->step + 1;
}

/* The run's access of this round is not in the line of the previous one. */
static inline void move(struct simulator *simulator, struct core *core, struct rounds *rounds, struct member *member, uint64_t address)
{
	const struct simulator_walk *walk = &rounds->group[member->number];
	bool skips = sampling_skips(&simulator->sampling, address >> simulator->coherence_shift);
	uint64_t page = (address >> simulator->page_shift) + 1, stays = skips ? rounds_skipped(simulator, core, member, walk, address) : rounds_in_line(member, walk, address);

	touch_line(rounds, walk, member, rounds->round);
	if (page != member->page)
		touch_page(core, rounds, member, rounds->round);
	member->until = rounds->round + stays;
	member->skipped = skips && stays;
	member->tag = (address >> member->cache->shift) + 1;
	member->page = page;
	member->marked = rounds->round;
	set_next(rounds, member, NO_WAY);
	find(simulator, core, rounds, member);
}

/* Runs whose lines or pages were just evicted need a simulation of their next access. */
static void look_after_others(const struct simulator *simulator, const struct core *core, struct rounds *rounds, uint32_t number)
{
	for (uint32_t i = 0; i < rounds->nr; i++)
		if (i != number && !is_ready(simulator, core, rounds, &rounds->members[i]))
			change_due(rounds, rounds->round + (i < number), i);
}

/* The run has entered a missing line: prefetches the host data for its next line, and for lines that prefetchers will request. */
static inline void expect_next(const struct simulator *simulator, struct core *core, const struct rounds *rounds, const struct member *member, uint64_t address)
{
	const struct simulator_walk *walk = &rounds->group[member->number];
	uint64_t line = 1ull << member->cache->shift, ahead = simulator->next_line || simulator->strides ? 2 * line : line;

	if (walk->stride)
		hierarchy_expect(simulator, core, walk->stride < 0 ? address - (member->step > ahead ? member->step : ahead) :
								      address + walk->bytes - 1 + (member->step > ahead ? member->step : ahead));
}

/* An access that may change more than the LRU order. */
static void access_whole(struct simulator *simulator, struct core *core, struct rounds *rounds, struct member *member, uint64_t address)
{
	bool in_line = rounds->round < member->until;
	bool disturbs = !in_line || rounds->careful || (!has_page(core, member) && displaces_walked_page(core, rounds, member->page)) ||
			(!is_there(rounds, member) && displaces_walked(rounds, member->cache, member->tag - 1));

	if (disturbs)
		catch_up(core, rounds);
	if (in_line && member->cache->uses && is_there(rounds, member))
		mark_words(rounds, &rounds->group[member->number], member, rounds->round);
	if (in_line && !rounds->careful && !is_there(rounds, member) && has_page(core, member))
		walk_access_absent(simulator, core, &rounds->group[member->number], address, member->tlb_way);
	else
		walk_access(simulator, core, &rounds->group[member->number], address);
	expect_next(simulator, core, rounds, member, address);
	rounds->caught_up += rounds->caught_up == due_at(rounds->round, member->number);
	member->slow++;
	member->marked = rounds->round + 1;
	find(simulator, core, rounds, member);
	if (!in_line)
		set_way(rounds, &rounds->ways[member->number], NO_WAY);
	if (disturbs || simulator->model.cache[L3].inclusion == MODEL_INCLUSIVE)
		look_after_others(simulator, core, rounds, member->number);
}

/* Updates the prefetcher's row for all accesses before that round. */
static inline void catch_up_row(const struct rounds *rounds, const struct member *member, uint64_t round)
{
	if (member->trained)
		member->row->last = walk_address(&rounds->group[member->number], round - 1);
}

/* After the prefetcher has seen this access: whether it will ignore the next ones in the line, and because of which line. */
static void note_asked(const struct simulator *simulator, const struct core *core, struct rounds *rounds, struct member *member, uint64_t address)
{
	const struct simulator_walk *walk = &rounds->group[member->number];
	struct cache *cache = core->levels[simulator->last_private];
	uint64_t asked = address + (walk->stride < 0 ? -(1ull << cache->shift) : 1ull << cache->shift);
	bool elsewhere = !walk->stride || address >> simulator->prefetch_shift != asked >> simulator->prefetch_shift;

	elsewhere |= sampling_skips(&simulator->sampling, asked >> simulator->coherence_shift);
	rounds->asked[member->number] = elsewhere ? NO_WAY : cache_find(cache, asked >> cache->shift);
	member->asked = (asked >> cache->shift) + 1;
	member->trained = rounds->alone && asks_by_line(simulator, core, member) && member->row->site == (uint64_t)walk->site + 1 && member->row->last == address &&
			  (!walk->stride || member->row->distance == walk->stride) && (elsewhere || rounds->asked[member->number] != NO_WAY);
}

void rounds_displaced(struct rounds *rounds, uint32_t way)
{
	rounds->lost |= rounds->alone && is_among(rounds->asked, rounds->nr, way);
}

/* Passes an access that only updates the LRU order to a prefetcher; applies deferred updates first, if they affect its result. */
static void train(struct simulator *simulator, struct core *core, struct rounds *rounds, struct member *member, uint64_t address)
{
	const struct simulator_walk *walk = &rounds->group[member->number];
	if (rounds->careful) {
		catch_up(core, rounds);
		touch_page(core, rounds, member, rounds->round + 1);
		touch_line(rounds, walk, member, rounds->round + 1);
		rounds->caught_up++;
	}
	if (member->cache->uses && !member->skipped)
		mark_words(rounds, walk, member, rounds->round + 1);
	if (walk_train(simulator, core, member->bypass ? L2 : L1, walk, address))
		look_after_others(simulator, core, rounds, member->number);
}

/* The first level has all that the access needs, except its page, if that is not `translated`. */
static void access_held(struct simulator *simulator, struct core *core, struct rounds *rounds, struct member *member, uint64_t address, bool translated)
{
	bool disturbs = !translated && displaces_walked_page(core, rounds, member->page);

	if (disturbs)
		catch_up(core, rounds);
	if (!translated) {
		walk_translate(simulator, core, &rounds->group[member->number], address);
		member->slow++;
		find(simulator, core, rounds, member);
	}
	if (member->cache->log && !member->skipped)
		cache_touch(member->cache, rounds->ways[member->number]);
	if (member->row)
		train(simulator, core, rounds, member, address);
	if (disturbs)
		look_after_others(simulator, core, rounds, member->number);
}

/* Whether the access spans the current line and the next one, and the run continues there, all on one page. */
static inline bool crosses(const struct simulator *simulator, const struct core *core, const struct rounds *rounds, const struct member *member, uint64_t address)
{
	const struct simulator_walk *walk = &rounds->group[member->number];
	uint64_t next = member->tag << member->cache->shift, last = address + walk->bytes - 1, then = walk_address(walk, rounds->round + 1);

	return address >> member->cache->shift == member->tag - 1 && last >> member->cache->shift == member->tag && walk->stride > 0 &&
	       then >> member->cache->shift == member->tag && rounds_in_line(member, walk, then) && next >> simulator->page_shift == member->page - 1 &&
	       !rounds->careful && !member->skipped && !is_skipped(simulator, member->cache, member->tag) && has_line(rounds, member) && has_page(core, member);
}

/* Simulates such an access. False: it may evict a current line, and nothing was done. */
static bool access_crossing(struct simulator *simulator, struct core *core, struct rounds *rounds, struct member *member, uint64_t address)
{
	const struct simulator_walk *walk = &rounds->group[member->number];
	struct cache *cache = member->cache;
	uint64_t next = member->tag << cache->shift, last = address + walk->bytes - 1;
	uint32_t way = cache_find(cache, member->tag);
	bool held = way != NO_WAY && walk_state_suffices(cache->states[way], member->state) && !misses_asked(simulator, core, rounds, member);
	bool in_order = rounds->caught_up == due_at(rounds->round, member->number);

	if (way == NO_WAY && displaces_walked(rounds, cache, member->tag))
		return false;
	if (in_order) {
		touch_page(core, rounds, member, rounds->round + 1);
		cache_touch(cache, rounds->ways[member->number]);
	}
	if (cache->uses) {
		mark_words(rounds, walk, member, rounds->round);
		cache->uses[rounds->ways[member->number]].touched |= utilisation_words(cache->shift, address, next - 1);
	}
	member->marked = member->until = rounds->round + 1;
	if (held) {
		if (cache->log || in_order)
			cache_touch(cache, way);
		if (cache->uses)
			cache->uses[way].touched |= utilisation_words(cache->shift, next, last);
		if (member->row)
			member->row->last = address;
	} else {
		walk_access_from(simulator, core, walk, address, next);
		expect_next(simulator, core, rounds, member, address);
		member->slow++;
		way = cache_find(cache, member->tag);
		if (simulator->model.cache[L3].inclusion == MODEL_INCLUSIVE)
			look_after_others(simulator, core, rounds, member->number);
	}
	set_next(rounds, member, way);
	rounds->caught_up += in_order;
	return true;
}

/* Any other access. */
static inline void access_any(struct simulator *simulator, struct core *core, struct rounds *rounds, struct member *member, uint64_t address)
{
	if (rounds->round >= member->until)
		move(simulator, core, rounds, member, address);
	else
		find(simulator, core, rounds, member);
	if (rounds->round < member->until && has_line(rounds, member))
		access_held(simulator, core, rounds, member, address, has_page(core, member));
	else
		access_whole(simulator, core, rounds, member, address);
}

/* The access that is due. */
static inline void look(struct simulator *simulator, struct core *core, struct rounds *rounds, struct member *member)
{
	uint64_t address = walk_address(&rounds->group[member->number], rounds->round);

	if (rounds->careful || twin_is_near(rounds))
		catch_up(core, rounds);
	catch_up_row(rounds, member, rounds->round);
	if (rounds->round < member->until || !crosses(simulator, core, rounds, member, address) || !access_crossing(simulator, core, rounds, member, address))
		access_any(simulator, core, rounds, member, address);
	if (member->row)
		note_asked(simulator, core, rounds, member, address);
	if (rounds->lost)
		look_after_others(simulator, core, rounds, member->number);
	rounds->lost = false;
	set_due(rounds, is_ready(simulator, core, rounds, member) ? member->until : rounds->round + 1, member->number);
}

static void run_due(struct simulator *simulator, struct core *core, struct rounds *rounds)
{
	uint64_t due = rounds->due[rounds->first++];
	struct member *member = &rounds->members[due & (due_at(1, 0) - 1)];

	rounds->next = member->number;
	rounds->round = due >> WALK_BITS;
	look(simulator, core, rounds, member);
}

/* ------------------------------------------------------------------ runs */

static void count(const struct simulator_walk *walk, struct member *member, uint64_t done)
{
	uint64_t held = done - member->slow;

	*(walk->write ? &member->counters->writes : &member->counters->reads) += done;
	member->counters->bypassed += member->bypass ? held : 0;
	member->counters->cycles += held * member->held_cycles;
	member->slow = 0;
}

/* Other cores have been simulated meanwhile. */
static void look_after_all(const struct simulator *simulator, const struct core *core, struct rounds *rounds)
{
	for (uint32_t i = 0; i < rounds->nr; i++)
		if (!is_ready(simulator, core, rounds, &rounds->members[i]))
			change_due(rounds, rounds->round + (i < rounds->next), i);
}

static void end_group(struct core *core, struct rounds *rounds)
{
	catch_up(core, rounds);
	core->rounds = NULL;
	for (uint32_t i = 0; i < rounds->nr; i++) {
		catch_up_row(rounds, &rounds->members[i], rounds->round);
		count(&rounds->group[i], &rounds->members[i], rounds->round);
		set_way(rounds, &rounds->ways[i], NO_WAY);
		set_next(rounds, &rounds->members[i], NO_WAY);
	}
}

void rounds_run(struct simulator *simulator, struct core *core, struct rounds *rounds, uint32_t accesses)
{
	uint64_t end = rounds->round + (rounds->next + (uint64_t)accesses) / rounds->nr;
	uint32_t end_next = (uint32_t)((rounds->next + (uint64_t)accesses) % rounds->nr);

	if (core->disturbed)
		look_after_all(simulator, core, rounds);
	core->disturbed = false;
	while (rounds->due[rounds->first] < due_at(end, end_next))
		run_due(simulator, core, rounds);
	rounds->round = end;
	rounds->next = end_next;
	if (end == rounds->group->times)
		end_group(core, rounds);
}
