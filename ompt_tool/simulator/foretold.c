/* SPDX-License-Identifier: Apache-2.0 */
/* Walks of a group on a usual machine, looked at when they enter lines, which is told in advance. */
#include "ompt_tool/simulator/foretold.h"

#include "ompt_tool/simulator/hierarchy.h"
#include "ompt_tool/simulator/singly.h"
#include "ompt_tool/simulator/tlb.h"
#include "ompt_tool/simulator/usual.h"
#include "ompt_tool/simulator/utilisation.h"

#define MOST_TIME (1u << 24)             /* of a schedule */
#define NO_PAGES 63                      /* bits of a line's number in a page, where there is no TLB: all lines are on one */

/* ------------------------------------------------------------------ which groups */

/* No access is in two lines. */
static bool is_aligned(const struct simulator_walk *walk)
{
	return !(walk->bytes & (walk->bytes - 1)) && !((walk->address | (uint64_t)walk->stride) & (walk->bytes - 1));
}

/* One whose accesses overlap goes on using a line when it has entered the next one; one that goes down uses the one that it leaves after that. */
static bool can_be_told(const struct cache *l1, const struct simulator_walk *walk)
{
	uint64_t step = walk_step(walk);

	return schedule_takes(walk, l1->shift) && (!step || step >= walk->bytes) && (walk->stride >= 0 || is_aligned(walk));
}

bool foretold_applies(const struct simulator *simulator, const struct simulator_walk *group)
{
	const struct cache *l1 = simulator->cores[0].levels[L1];

	if (!simulator->usual || simulator->next_line || simulator->strides || sampling_is_on(&simulator->sampling) || simulator->classified >> L1 & 1 || l1->trees || !l1->set_mask ||
	    group->times <= SCHEDULE_FEW_ROUNDS)
		return false;
	for (uint32_t i = 0; i < (group->group ? group->group : 1u); i++)
		if (!can_be_told(l1, &group[i]))
			return false;
	return true;
}

void foretold_begin(struct simulator *simulator, struct core *core, struct foretold *foretold, const struct simulator_walk *group)
{
	foretold->group = group;
	foretold->round = foretold->singly_to = 0;
	foretold->next = 0;
	foretold->nr = group->group ? group->group : 1;
	foretold->told = false;
	foretold->patience = 1;
	for (uint32_t i = 0; i < foretold->nr; i++) {
		struct simulator_counters *counters = walk_counters(simulator, core, &group[i]);
		uint32_t slot = (uint32_t)(counters - core->counters);

		foretold->walks[i].access = (struct access){ .slot = slot, .whole = slot, .site = group[i].site, .write = group[i].write, .counters = counters };
	}
}

/* ------------------------------------------------------------------ words touched */

/* Those of bytes [first, last] that are in the line. */
static uint64_t words_in(uint32_t shift, uint64_t line, uint64_t first, uint64_t last)
{
	uint64_t begin = line << shift, end = begin + (1ull << shift) - 1;

	first = first < begin ? begin : first;
	last = last > end ? end : last;
	return first > last ? 0 : utilisation_words(shift, first, last);
}

/* What a walk touches in a line in rounds [from, to), as far as it is there without a break. It is there in the first one if it goes on, else in the last one. */
static uint64_t words_touched(const struct simulator_walk *walk, uint32_t shift, uint64_t line, uint64_t from, uint64_t to)
{
	uint64_t first = walk_address(walk, from), last = walk_address(walk, to - 1), words = 0, more;

	if (walk->stride == (int64_t)walk->bytes)
		return words_in(shift, line, first, last + walk->bytes - 1);
	if (-walk->stride == (int64_t)walk->bytes)
		return words_in(shift, line, last, first + walk->bytes - 1);
	do {
		more = words_in(shift, line, last, last + walk->bytes - 1);
		words |= more;
		last -= (uint64_t)walk->stride;
	} while (more && walk->stride && --to > from);
	return words;
}

/* How many rounds of the schedule the walk has behind it. */
static uint64_t rounds_done(const struct foretold *foretold, uint32_t number)
{
	return foretold->from + foretold->now / foretold->nr + (number < foretold->now % foretold->nr);
}

static void mark_walk(const struct foretold *foretold, struct cache *l1, uint32_t number)
{
	const struct foretold_walk *walk = &foretold->walks[number];
	uint64_t done = rounds_done(foretold, number);

	if (walk->words && l1->tags[walk->way] == walk->tag && done > foretold->from)
		l1->uses[walk->way].touched |= words_touched(&foretold->group[number], l1->shift, walk->tag - 1, foretold->from, done);
}

void foretold_mark(const struct core *core, uint32_t way)
{
	const struct foretold *foretold = core->foretold;

	for (uint32_t i = 0; i < foretold->nr; i++)
		if (foretold->walks[i].way == way)
			mark_walk(foretold, core->levels[L1], i);
}

/* Its line is about to leave L1. */
static void leave_way(const struct core *core, struct foretold *foretold, uint32_t way)
{
	foretold_mark(core, way);
	for (uint32_t i = 0; i < foretold->nr; i++)
		foretold->walks[i].words = foretold->walks[i].way == way ? 0 : foretold->walks[i].words;
}

/* ------------------------------------------------------------------ entering pages and lines */

/* Used up to then. */
static inline void use(struct cache *cache, uint32_t way, uint32_t stamp)
{
	cache->stamps[way] = stamp > cache->stamps[way] ? stamp : cache->stamps[way];
}

static __attribute__((noinline)) bool is_held(const struct cache *cache, uint32_t way, uint32_t now)
{
	uint32_t first = way / cache->ways * cache->ways;

	for (way = first; way < first + cache->ways; way++)
		if (cache->stamps[way] >= now)
			return true;
	return false;
}

/* Whether this way, the oldest of its set, was used within the last round: others that are held may have been used before. */
static inline bool is_recent(const struct foretold *foretold, const struct cache *cache, uint32_t way, uint32_t now)
{
	return __builtin_expect(cache->stamps[way] + foretold->nr >= now, 0);
}

/* What is done next is done at that time: the newest until then has others behind it. */
static inline void set_clock(struct cache *cache, uint32_t now)
{
	cache->clock = now;
	cache->newest = NO_WAY;
}

/* How often the walk uses the page after this access, which is the first one to do so. */
static uint64_t uses_of_page(const struct simulator *simulator, const struct simulator_walk *walk, uint64_t page, uint64_t address)
{
	uint64_t step = walk_step(walk), room;

	room = walk->stride < 0 ? address + walk->bytes - 1 - (page << simulator->page_shift) : ((page + 1) << simulator->page_shift) - 1 - address;
	if (room < step)
		return 0;
	return step ? (uint32_t)room / (uint32_t)step : UINT64_MAX;
}

/* The walk's access is on another page than the one before; *more_out: the cycles of the one where it begins or ends, if it is on two. False: these may be of one set, or walks fight; nothing is done. */
static __attribute__((noinline)) bool enter_page(struct simulator *simulator, struct core *core, struct foretold *foretold, const struct schedule_entry *entry, int32_t offset, uint64_t page, uint32_t *more_out)
{
	struct cache *tlb = &core->tlb[0];
	struct foretold_walk *walk = &foretold->walks[entry->walk];
	const struct simulator_walk *group = &foretold->group[entry->walk];
	uint64_t address = (entry->line << core->levels[L1]->shift) + (uint64_t)offset, uses = uses_of_page(simulator, group, page, address);
	uint32_t way = cache_find(tlb, page), first_latency = simulator->model.tlb[0].latency, latency = first_latency, now = foretold->tlb_clock + foretold->now;
	bool on_two = address >> simulator->page_shift != page || (address + group->bytes - 1) >> simulator->page_shift != page;

	if (on_two && !tlb->set_mask)
		return false;
	if (way == NO_WAY) {
		way = cache_oldest(tlb, page);
		if (is_recent(foretold, tlb, way, now) && is_held(tlb, way, now))
			return false;
		latency = tlb_missed(simulator, core, walk->access.counters, page);
		cache_put(tlb, way, page);
	}
	use(tlb, way, now + (uint32_t)(uses < foretold->schedule.rounds ? uses : foretold->schedule.rounds) * foretold->nr);
	*more_out = on_two ? first_latency : 0;
	walk->access.counters->cycles += latency - first_latency + *more_out;
	walk->page = page + 1;
	return true;
}

/* The first way of a line's set in L1, whose sets are a power of two. */
static inline uint32_t first_way(const struct cache *l1, uint64_t line)
{
	return ((uint32_t)line & l1->set_mask) * l1->ways;
}

/* Where L1 has the line, mostly where it is guessed; or NO_WAY. */
static inline uint32_t find(const struct cache *l1, uint64_t line)
{
	uint32_t first = first_way(l1, line), way = first + l1->guesses[line & l1->guess_mask];

	if (l1->tags[way] == line + 1)
		return way;
	way = cache_search_set(l1, line, first, mark_of(line));
	if (way != NO_WAY)
		l1->guesses[line & l1->guess_mask] = (uint16_t)(way - first);
	return way;
}

/* Where a line goes that L1 has not. NO_WAY: walks fight for its set. */
static inline uint32_t make_way(const struct core *core, struct foretold *foretold, uint64_t line)
{
	struct cache *l1 = core->levels[L1];
	uint32_t first = first_way(l1, line), way = first + l1->oldest_of(&l1->stamps[first], l1->ways), now = foretold->clock + foretold->now;

	if (!is_recent(foretold, l1, way, now))
		return way;
	if (is_held(l1, way, now))
		return NO_WAY;
	leave_way(core, foretold, way);
	return way;
}

static inline bool is_ready(const struct cache *l1, uint32_t way, bool write)
{
	return walk_state_suffices(l1->states[way], write ? LINE_WRITABLE : 0);
}

/* The same of one that was there; what nobody else has becomes so. */
static inline bool is_held_ready(const struct cache *l1, uint32_t way, bool write)
{
	if (!write)
		return true;
	if (!(l1->states[way] & LINE_OWNED))
		return false;
	l1->states[way] |= LINE_DIRTY;
	return true;
}

static inline void aim(struct access *access, uint64_t first, uint64_t last)
{
	access->address = first;
	access->last = last;
	access->missed = access->looked = 0;
}

/* L1 has not the line of these bytes, and gets it in that way. Whether it is ready then. */
static inline bool bring(struct simulator *simulator, struct core *core, struct foretold *foretold, struct access *access, uint32_t way, uint64_t first, uint64_t last)
{
	struct cache *l1 = core->levels[L1];
	uint32_t least = simulator->model.cache[L1].latency, cycles;

	aim(access, first, last);
	set_clock(l1, foretold->clock + foretold->now);
	cycles = usual_bring(simulator, core, access, first, way);
	if (!cycles)
		hierarchy_access_absent(simulator, core, access);
	l1->newest = NO_WAY;
	access->counters->cycles += cycles > least ? cycles - least : 0;
	return cycles || is_ready(l1, way, access->write);
}

/* It has it, but not ready for the access. Whether it is then. */
static __attribute__((noinline)) bool get_ready(struct simulator *simulator, struct core *core, struct foretold *foretold, struct access *access, uint32_t way, uint64_t first, uint64_t last)
{
	struct cache *l1 = core->levels[L1];
	uint32_t stamp = l1->stamps[way];

	aim(access, first, last);
	set_clock(l1, foretold->clock + foretold->now);
	hierarchy_access_translated(simulator, core, access, first);
	l1->newest = NO_WAY;
	l1->stamps[way] = stamp;
	return is_ready(l1, way, access->write);
}

/* An access that enters two lines. */
static __attribute__((noinline)) bool enter_both(struct simulator *simulator, struct core *core, struct foretold *foretold, const struct schedule_entry *entry, bool *ready_out)
{
	const struct simulator_walk *group = &foretold->group[entry->walk];
	struct cache *l1 = core->levels[L1];
	struct foretold_walk *walk = &foretold->walks[entry->walk];
	const struct foretold_use *then = &foretold->uses[entry - foretold->schedule.entries];
	uint64_t line = entry->line, address = (line << l1->shift) + (uint64_t)then->offset, last = address + group->bytes - 1;
	uint32_t ways[2] = { cache_find(l1, line), cache_find(l1, line + 1) }, stamps[2] = { 0, 0 }, lasts[2] = { (uint32_t)entry->last, (uint32_t)entry->second };
	bool goes_up = group->stride > 0;

	for (unsigned i = 0; i < 2; i++) {
		if (ways[i] != NO_WAY)
			stamps[i] = l1->stamps[ways[i]];
		else if (make_way(core, foretold, line + i) == NO_WAY)
			return false;
	}
	aim(&walk->access, address, last);
	set_clock(l1, foretold->clock + foretold->now);
	hierarchy_access_translated(simulator, core, &walk->access, address);
	l1->newest = NO_WAY;
	*ready_out = true;
	for (unsigned i = 0; i < 2; i++) {
		ways[i] = cache_find(l1, line + i);
		l1->stamps[ways[i]] = stamps[i];
		use(l1, ways[i], foretold->clock + foretold->begun + lasts[i]);
		*ready_out &= is_ready(l1, ways[i], entry->write);
	}
	walk->way = ways[goes_up];
	walk->tag = line + goes_up + 1;
	walk->words = then->words;
	return true;
}

/* An access that enters one line, which is not there: where it is then; NO_WAY: walks fight, and nothing is done. */
static inline uint32_t enter_absent(struct simulator *simulator, struct core *core, struct foretold *foretold, const struct schedule_entry *entry, const struct foretold_use *then,
				    struct access *access, bool *ready_out)
{
	struct cache *l1 = core->levels[L1];
	uint64_t line = entry->line, begin = line << l1->shift;
	uint32_t way = make_way(core, foretold, line);

	if (way == NO_WAY)
		return NO_WAY;
	usual_expect(core, line + entry->on);
	*ready_out = bring(simulator, core, foretold, access, way, begin + then->first, begin + then->last);
	return way;
}

/* The walk leaves its line: L1 gets to know what it touched there. */
static inline void leave(struct cache *l1, struct foretold_walk *walk)
{
	if (walk->words)
		l1->uses[walk->way].touched |= walk->words;
	walk->words = 0;
}

/* It is in that one now. */
static inline void stay(struct cache *l1, struct foretold_walk *walk, const struct foretold_use *then, uint64_t line, uint32_t way)
{
	if (then->single && then->words)
		l1->uses[way].touched |= then->words;
	walk->way = way;
	walk->tag = line + 1;
	walk->words = then->single ? 0 : then->words;
}

/* The entry, at its time; `clock`: when the period begins. False: that cannot be told, and nothing is done. *ready_out: whether its line is ready for it. */
static inline bool run_entry(struct simulator *simulator, struct core *core, struct foretold *foretold, uint32_t at, uint32_t clock, uint32_t page_bits, bool *ready_out)
{
	struct cache *l1 = core->levels[L1];
	struct schedule_entry *entry = &foretold->schedule.entries[at];
	const struct foretold_use *then = &foretold->uses[at];
	struct foretold_walk *walk = &foretold->walks[entry->walk];
	uint64_t line = entry->line;
	uint32_t way, more = 0;

	if (__builtin_expect(entry->both, 0) && (line + 1) >> page_bits != line >> page_bits)
		return false;
	if (walk->page != (line >> page_bits) + 1 && !enter_page(simulator, core, foretold, entry, then->offset, line >> page_bits, &more))
		return false;
	leave(l1, walk);
	if (__builtin_expect(entry->both, 0)) {
		if (!enter_both(simulator, core, foretold, entry, ready_out))    /* on one page */
			return false;
	} else {
		way = find(l1, line);
		if (way == NO_WAY)
			way = enter_absent(simulator, core, foretold, entry, then, &walk->access, ready_out);
		else if (!is_held_ready(l1, way, entry->write))
			*ready_out = get_ready(simulator, core, foretold, &walk->access, way, (line << l1->shift) + then->first, (line << l1->shift) + then->last);
		if (way == NO_WAY) {
			walk->access.counters->cycles -= more;   /* as it is accessed again */
			return false;
		}
		use(l1, way, clock + (uint32_t)entry->last);
		stay(l1, walk, then, line, way);
	}
	entry->line = line + entry->on;
	return true;
}

/* Whether all entries of the period that begins then are before that time, and there are some. */
static inline bool is_whole(const struct schedule *schedule, uint32_t begun, uint32_t time)
{
	return schedule->first < schedule->end && begun + (uint32_t)schedule->entries[schedule->end - 1].time < time;
}

/*
 * Up to an entry of the period that is under way; they are those of the next one thereafter. Where that is the last one, through all whole periods before that
 * time, too. False: all before foretold->now is done, and it cannot go on so.
 */
static __attribute__((noinline)) bool run_entries(struct simulator *simulator, struct core *core, struct foretold *foretold, uint32_t end, uint32_t time)
{
	const struct schedule *schedule = &foretold->schedule;
	uint32_t page_bits = core->tlb[0].tags ? simulator->page_shift - core->levels[L1]->shift : NO_PAGES, period = schedule->period * foretold->nr;
	uint32_t clock = foretold->clock, begun = foretold->begun, at = foretold->at;
	bool ready = true;

	for (;;) {
		for (; at < end && ready; at++) {
			foretold->now = begun + (uint32_t)schedule->entries[at].time;
			if (!run_entry(simulator, core, foretold, at, clock + begun, page_bits, &ready))
				break;
		}
		if (at < end || !ready || end < schedule->end || !is_whole(schedule, begun + period, time))
			break;
		foretold->begun = begun += period;
		at = schedule->first;
	}
	foretold->at = at;
	foretold->now += !ready;
	return at == end && ready;
}

/* All accesses before that time. False: all before foretold->now. */
static bool run_until(struct simulator *simulator, struct core *core, struct foretold *foretold, uint32_t time)
{
	const struct schedule *schedule = &foretold->schedule;

	for (;;) {
		uint32_t segment = foretold->at < schedule->first ? schedule->first : schedule->end, end = segment;

		while (end > foretold->at && foretold->begun + (uint32_t)schedule->entries[end - 1].time >= time)
			end--;
		if (!run_entries(simulator, core, foretold, end, time))
			return false;
		if (end < segment || schedule->first == schedule->end)
			break;
		if (segment == schedule->end)
			foretold->begun += schedule->period * foretold->nr;
		foretold->at = schedule->first;
	}
	foretold->now = time;
	return true;
}

/* ------------------------------------------------------------------ schedules */

/* What the walk touches in the line from its access at that address on. */
static uint64_t words_to_come(const struct simulator_walk *walk, uint32_t shift, uint64_t line, uint64_t address)
{
	uint64_t words = 0, more;

	if (walk->stride == (int64_t)walk->bytes)
		return words_in(shift, line, address, UINT64_MAX);
	if (-walk->stride == (int64_t)walk->bytes)
		return words_in(shift, line, 0, address + walk->bytes - 1);
	do {
		more = words_in(shift, line, address, address + walk->bytes - 1);
		words |= more;
		address += (uint64_t)walk->stride;
	} while (more && walk->stride);
	return words;
}

static void note_use(const struct foretold *foretold, const struct cache *l1, const struct schedule_entry *entry, struct foretold_use *out)
{
	const struct simulator_walk *walk = &foretold->group[entry->walk];
	uint64_t step = walk_step(walk);
	uint64_t address = walk_address(walk, foretold->from + (uint32_t)entry->time / foretold->nr), last = address + walk->bytes - 1, in_line = (1ull << l1->shift) - 1, begin;
	bool goes_on = step && step < 1ull << l1->shift;

	begin = entry->line << l1->shift;
	out->offset = (int16_t)(address - begin);
	out->first = (uint8_t)(address > begin ? address - begin : 0);
	out->last = (uint8_t)(last - begin < in_line ? last - begin : in_line);
	out->single = !entry->both && entry->last == entry->time;
	out->words = !l1->uses || (entry->both && !goes_on) ? 0 : words_to_come(walk, l1->shift, entry->line + (entry->both && walk->stride > 0), address);
}

static void tell(struct core *core, struct foretold *foretold)
{
	struct schedule *schedule = &foretold->schedule;
	struct cache *l1 = core->levels[L1], *tlb = &core->tlb[0];
	uint64_t rounds = foretold->group->times - foretold->round, most = MOST_TIME / foretold->nr;
	uint32_t ticks;

	schedule_make(schedule, foretold->group, foretold->nr, foretold->round, (uint32_t)(rounds < most ? rounds : most), l1->shift, 1);
	foretold->from = foretold->round;
	foretold->begun = foretold->at = foretold->now = 0;
	for (uint32_t i = 0; i < schedule->end; i++)
		note_use(foretold, l1, &schedule->entries[i], &foretold->uses[i]);
	ticks = (schedule->rounds + 2 + (2u << l1->shift)) * foretold->nr;
	cache_reserve(l1, ticks);
	foretold->clock = l1->clock + foretold->nr;
	if (tlb->tags)
		cache_reserve(tlb, ticks);
	foretold->tlb_clock = tlb->clock + foretold->nr;
	l1->newest = tlb->newest = NO_WAY;
	for (uint32_t i = 0; i < foretold->nr; i++) {
		foretold->walks[i].page = tlb->tags ? 0 : 1;
		foretold->walks[i].way = foretold->walks[i].words = 0;
	}
	foretold->told = true;
	core->foretold = foretold;
}

/* The stamp of what was used then, and before now. */
static void settle_use(struct cache *cache, uint64_t line, uint32_t then, uint32_t now)
{
	uint32_t way = cache_find(cache, line);

	if (way == NO_WAY)
		return;
	if (cache->stamps[way] >= now)
		cache->stamps[way] = then;
	else
		use(cache, way, then);
}

static void settle_walk(const struct simulator *simulator, struct core *core, const struct foretold *foretold, uint32_t number)
{
	const struct simulator_walk *walk = &foretold->group[number];
	struct cache *l1 = core->levels[L1], *tlb = &core->tlb[0];
	uint64_t round = rounds_done(foretold, number) - 1, first = walk_address(walk, round), last = first + walk->bytes - 1;
	uint32_t then = (uint32_t)(round - foretold->from) * foretold->nr + number;

	mark_walk(foretold, l1, number);
	settle_use(l1, first >> l1->shift, foretold->clock + then, foretold->clock + foretold->now);
	if (first >> l1->shift != last >> l1->shift)
		settle_use(l1, last >> l1->shift, foretold->clock + then, foretold->clock + foretold->now);
	if (!tlb->tags)
		return;
	settle_use(tlb, first >> simulator->page_shift, foretold->tlb_clock + then, foretold->tlb_clock + foretold->now);
	if (first >> simulator->page_shift != last >> simulator->page_shift)
		settle_use(tlb, last >> simulator->page_shift, foretold->tlb_clock + then, foretold->tlb_clock + foretold->now);
}

/* All before foretold->now is in the order of use, and counted. */
static void settle(const struct simulator *simulator, struct core *core, struct foretold *foretold)
{
	for (uint32_t i = 0; i < foretold->nr; i++) {
		struct simulator_counters *counters = foretold->walks[i].access.counters;
		uint64_t done = rounds_done(foretold, i) - foretold->from;

		if (!done)
			continue;
		settle_walk(simulator, core, foretold, i);
		*(foretold->group[i].write ? &counters->writes : &counters->reads) += done;
		counters->cycles += done * walk_held_cycles(simulator, core, L1);
	}
	set_clock(core->levels[L1], foretold->clock + foretold->now);
	if (core->tlb[0].tags)
		set_clock(&core->tlb[0], foretold->tlb_clock + foretold->now);
	foretold->round = foretold->from + foretold->now / foretold->nr;
	foretold->next = foretold->now % foretold->nr;
	foretold->told = false;
	core->foretold = NULL;
}

/* ------------------------------------------------------------------ runs */

static void be_patient(struct foretold *foretold)
{
	foretold->patience = schedule_patience(foretold->patience, foretold->round - foretold->from);
	foretold->singly_to = foretold->round + foretold->patience;
}

/* At most to that access. */
static void run_told(struct simulator *simulator, struct core *core, struct foretold *foretold, uint64_t end, uint32_t end_next)
{
	uint64_t time = (end - foretold->from) * foretold->nr + end_next, all = (uint64_t)foretold->schedule.rounds * foretold->nr;
	bool goes_on = run_until(simulator, core, foretold, (uint32_t)(time < all ? time : all));

	if (!goes_on || time >= all)
		settle(simulator, core, foretold);
	else {
		foretold->round = end;
		foretold->next = end_next;
	}
	if (!goes_on)
		be_patient(foretold);
}

static void run_one(struct simulator *simulator, struct core *core, struct foretold *foretold)
{
	struct simulator_walk walk = foretold->group[foretold->next];

	walk.address = walk_address(&walk, foretold->round);
	walk.times = 1;
	singly_run_alone(simulator, core, &walk, 1, 1);
	foretold->next++;
	foretold->round += foretold->next == foretold->nr;
	foretold->next %= foretold->nr;
}

void foretold_run(struct simulator *simulator, struct core *core, struct foretold *foretold, uint32_t accesses)
{
	uint64_t all = foretold->next + (uint64_t)accesses, end = foretold->round + all / foretold->nr;
	uint32_t end_next = (uint32_t)(all % foretold->nr);

	if (core->disturbed && foretold->told)
		settle(simulator, core, foretold);
	core->disturbed = false;
	while (foretold->round < end || foretold->next < end_next) {
		if (!foretold->told && !foretold->next && foretold->round >= foretold->singly_to && foretold->group->times - foretold->round > SCHEDULE_FEW_ROUNDS)
			tell(core, foretold);
		if (foretold->told)
			run_told(simulator, core, foretold, end, end_next);
		else
			run_one(simulator, core, foretold);
	}
	if (foretold->told && end == foretold->group->times)
		settle(simulator, core, foretold);
}
