/* SPDX-License-Identifier: Apache-2.0 */
/* Interleaved stride runs of a group, simulated where they enter lines. */
#include "analysis/simulator/interleaving.h"

#include <string.h>

#include "analysis/simulator/cache_search.h"
#include "analysis/simulator/hierarchy.h"
#include "analysis/simulator/prefetch.h"
#include "analysis/simulator/utilisation.h"

#define RUN_BITS 8
#define PART 8
#define NEVER (1ull << 55) /* rounds: more than any window has */
#define TICKS 4            /* of a cache's clock for an access, at most */

static inline uint64_t due_at(uint64_t round, uint32_t number)
{
	return round << RUN_BITS | number;
}

/* ------------------------------------------------------------------ current lines */

/* One of `ways` or `nexts` of a run. */
static inline void set_way(struct interleaving *interleaving, uint32_t *of, uint32_t way)
{
	if (interleaving->runs_in_way && *of != way) {
		if (*of != NO_WAY)
			interleaving->runs_in_way[*of]--;
		if (way != NO_WAY)
			interleaving->runs_in_way[way]++;
	}
	*of = way;
}

static inline void set_next(struct interleaving *interleaving, const struct member *member,
			    uint32_t way)
{
	set_way(interleaving, &interleaving->nexts[member->number], way);
}

/* ------------------------------------------------------------------ what is due */

static void push(struct interleaving *interleaving, uint64_t due)
{
	uint32_t at;

	if (interleaving->end == INTERLEAVING_DUE - 1) {
		interleaving->end -= interleaving->first;
		memmove(interleaving->due, &interleaving->due[interleaving->first],
			interleaving->end * sizeof(*interleaving->due));
		interleaving->first = 0;
	}
	for (at = interleaving->end++; at > interleaving->first && interleaving->due[at - 1] > due;
	     at--)
		interleaving->due[at] = interleaving->due[at - 1];
	interleaving->due[at] = due;
	interleaving->due[interleaving->end] = UINT64_MAX;
}

/* A run that is never due is not in the list. */
static void set_due(struct interleaving *interleaving, uint64_t round, uint32_t number)
{
	if (round < NEVER)
		push(interleaving, due_at(round, number));
}

static void change_due(struct interleaving *interleaving, uint64_t round, uint32_t number)
{
	uint32_t at = interleaving->first;

	while (at < interleaving->end && (interleaving->due[at] & (due_at(1, 0) - 1)) != number)
		at++;
	if (at < interleaving->end) {
		interleaving->end--;
		memmove(&interleaving->due[at], &interleaving->due[at + 1],
			(interleaving->end - at) * sizeof(*interleaving->due));
	}
	set_due(interleaving, round, number);
}

/* ------------------------------------------------------------------ the group begins */

/* With such strides the prefetcher requests the next line, for any access in the current one. */
static bool asks_by_line(const struct simulator *simulator, const struct core *core,
			 const struct member *member)
{
	return member->step * 2 < 1ull << core->levels[simulator->last_private]->shift;
}

static void member_begin(const struct simulator *simulator, struct core *core,
			 const struct stride_run *group, const struct stride_run *run,
			 struct member *member)
{
	bool bypass = stride_run_bypasses(simulator, run);
	unsigned level = bypass ? L2 : L1;

	*member = (struct member){
		.cache = core->levels[level],
		.counters = stride_run_counters(simulator, core, run),
		.number = (uint32_t)(run - group),
		.held_cycles = stride_run_held_cycles(simulator, core, level),
		.step = stride_run_step(run),
		.state = stride_run_state(run),
		.bypass = bypass,
		.row = core->strides[level] ? prefetch_row(core, level, run->site) : NULL,
	};
}

/* Accesses touch lines of the first level other than the runs' current lines. */
static bool needs_care(const struct simulator *simulator, const struct member *member)
{
	bool prefetched_into = simulator->last_private == L1 &&
			       (simulator->next_line || simulator->strides);

	return member->bypass || prefetched_into || simulator->model.cache[L1].write_around;
}

void interleaving_begin(struct simulator *simulator, struct core *core,
			struct interleaving *interleaving, const struct stride_run *group)
{
	interleaving->group = group;
	interleaving->round = 0;
	interleaving->next = 0;
	interleaving->nr = group->group ? group->group : 1;
	interleaving->first = interleaving->end = 0;
	interleaving->careful = interleaving->lost = false;
	interleaving->runs_in_way = core->runs_in_way;
	for (uint32_t i = 0; i < interleaving->nr + PART && i < INTERLEAVING_WAYS; i++)
		interleaving->ways[i] = interleaving->nexts[i] = interleaving->asked[i] = NO_WAY;
	for (uint32_t i = 0; i < interleaving->nr; i++) {
		member_begin(simulator, core, group, &group[i], &interleaving->members[i]);
		set_due(interleaving, 0, i);
		interleaving->careful |= needs_care(simulator, &interleaving->members[i]);
		interleaving->runs_in_way = interleaving->members[i].bypass
						    ? NULL
						    : interleaving->runs_in_way;
	}
	interleaving->alone = simulator->strides && !interleaving->careful &&
			      prefetch_rows_are_own(group, interleaving->nr);
	interleaving->caught_up = due_at(0, 0);
	interleaving->clock = interleaving->members[0].cache->clock;
	core->interleaving = interleaving;
}

/* ------------------------------------------------------------------ the order of use */

static inline bool is_there(const struct interleaving *interleaving, const struct member *member)
{
	uint32_t way = interleaving->ways[member->number];

	return way != NO_WAY && member->cache->tags[way] == member->tag;
}

/* Touches the words of rounds before this one, which are all in the line. */
static __attribute__((noinline)) void mark_words(const struct interleaving *interleaving,
						 const struct stride_run *run,
						 struct member *member, uint64_t round)
{
	const struct cache *cache = member->cache;
	uint64_t *touched = &cache->uses[interleaving->ways[member->number]].touched, first, last;

	for (; member->step > run->bytes && member->marked < round; member->marked++) {
		first = stride_run_address(run, member->marked);
		*touched |= utilisation_words(cache->shift, first, first + run->bytes - 1);
	}
	if (member->marked >= round)
		return;
	first = stride_run_address(run, run->stride < 0 ? round - 1 : member->marked);
	last = stride_run_address(run, run->stride < 0 ? member->marked : round - 1);
	*touched |= utilisation_words(cache->shift, first, last + run->bytes - 1);
	member->marked = round;
}

/* Whether the LRU update of the run's previous access is still deferred. */
static inline bool is_behind(const struct interleaving *interleaving, uint32_t number,
			     uint64_t round)
{
	return due_at(round, number) >= interleaving->caught_up + due_at(1, 0);
}

/* Applies the LRU updates of the run's line up to that access. */
static inline void touch_line(const struct interleaving *interleaving, const struct stride_run *run,
			      struct member *member, uint64_t round)
{
	if (!is_there(interleaving, member) || !is_behind(interleaving, member->number, round))
		return;
	cache_touch(member->cache, interleaving->ways[member->number]);
	if (member->cache->uses)
		mark_words(interleaving, run, member, round);
}

/* The same for the second line of an access that spans two. */
static inline void touch_next(const struct interleaving *interleaving, const struct member *member,
			      uint64_t round)
{
	uint32_t way = interleaving->nexts[member->number];

	if (way != NO_WAY && member->cache->tags[way] == member->tag + 1 &&
	    is_behind(interleaving, member->number, round))
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

void interleaving_store_touched_way(struct interleaving *interleaving, const struct cache *cache,
				    uint32_t way)
{
	for (uint32_t i = 0; i < interleaving->nr; i++) {
		struct member *member = &interleaving->members[i];

		if (interleaving->ways[i] == way && member->cache == cache &&
		    is_there(interleaving, member))
			mark_words(interleaving, &interleaving->group[i], member,
				   interleaving->round + (i < interleaving->next));
	}
}

static inline void touch_page(struct core *core, const struct interleaving *interleaving,
			      const struct member *member, uint64_t round)
{
	struct cache *tlb = &core->tlb[0];

	if (tlb->tags && tlb->tags[member->tlb_way] == member->page &&
	    is_behind(interleaving, member->number, round))
		cache_touch(tlb, member->tlb_way);
}

/* Applies the LRU updates of all accesses before the next one. */
static void catch_up(struct core *core, struct interleaving *interleaving)
{
	uint32_t next = interleaving->next, at = next;

	interleaving->clock = interleaving->members[0].cache->clock;
	do {
		uint64_t round = interleaving->round + (at < next);

		touch_page(core, interleaving, &interleaving->members[at], round);
		touch_line(interleaving, &interleaving->group[at], &interleaving->members[at],
			   round);
		touch_next(interleaving, &interleaving->members[at], round);
		at = at + 1 == interleaving->nr ? 0 : at + 1;
	} while (at != next);
	interleaving->caught_up = due_at(interleaving->round, next);
}

void interleaving_settle(struct core *core)
{
	struct interleaving *interleaving = core->interleaving;

	if (interleaving && !core->running &&
	    interleaving->caught_up < due_at(interleaving->round, interleaving->next))
		catch_up(core, interleaving);
}

/*
 * The shadow drops its oldest line, which must not be a current line. Each of those was touched in
 * the round before the last update, or later; the clock bounds the number of lines touched since
 * then, plus some per access.
 */
static bool shadow_is_near(const struct interleaving *interleaving)
{
	const struct cache *cache = interleaving->members[0].cache;

	return cache->log && cache->clock - interleaving->clock + TICKS * (interleaving->nr + 2) >=
				     cache->shadow_lines;
}

static inline bool is_current(const struct interleaving *interleaving, uint32_t way)
{
	return interleaving->runs_in_way
		       ? interleaving->runs_in_way[way]
		       : is_among(interleaving->ways, interleaving->nr, way) ||
				 is_among(interleaving->nexts, interleaving->nr, way);
}

/*
 * Whether entering a line may evict a current line. While updates are deferred the line with the
 * oldest stamp is the oldest, unless it is a current line; PLRU trees give no answer then.
 */
static bool evicts_current(const struct interleaving *interleaving, struct cache *cache,
			   uint64_t line)
{
	return cache->trees || is_current(interleaving, cache_victim(cache, line));
}

/* The same for pages. */
static bool evicts_current_page(const struct core *core, const struct interleaving *interleaving,
				uint64_t page)
{
	const struct cache *tlb = &core->tlb[0];
	uint32_t way = cache_lru_way(tlb, page - 1);

	for (uint32_t i = 0; i < interleaving->nr; i++)
		if (interleaving->members[i].tlb_way == way &&
		    interleaving->members[i].page == tlb->tags[way])
			return true;
	return false;
}

/* ------------------------------------------------------------------ simulated accesses */

/* The line may be present from a time when more lines were sampled. */
static inline bool is_skipped(const struct simulator *simulator, const struct cache *cache,
			      uint64_t line)
{
	return sampling_skips(&simulator->sampling,
			      line >> (simulator->coherence_shift - cache->shift));
}

/*
 * Finds its line and page. A present line must be found: after its access its LRU position relative
 * to other current lines is valid only if all are updated.
 */
static inline void find(const struct simulator *simulator, struct core *core,
			struct interleaving *interleaving, struct member *member)
{
	struct cache *cache = member->cache, *tlb = &core->tlb[0];
	uint32_t way;

	set_way(interleaving, &interleaving->ways[member->number],
		is_skipped(simulator, cache, member->tag - 1) ? NO_WAY
							      : cache_find(cache, member->tag - 1));
	if (!tlb->tags || tlb->tags[member->tlb_way] == member->page)
		return;
	way = cache_find(tlb, member->page - 1);
	member->tlb_way = way == NO_WAY ? 0 : way;
}

static bool has_page(const struct core *core, const struct member *member)
{
	return !core->tlb[0].tags || core->tlb[0].tags[member->tlb_way] == member->page;
}

static inline bool has_line(const struct interleaving *interleaving, const struct member *member)
{
	return member->skipped ||
	       (is_there(interleaving, member) &&
		stride_run_state_suffices(member->cache->states[interleaving->ways[member->number]],
					  member->state));
}

/* Whether the requested line is missing, so that the prefetcher fetches it. */
static inline bool misses_asked(const struct simulator *simulator, const struct core *core,
				const struct interleaving *interleaving,
				const struct member *member)
{
	uint32_t way = interleaving->asked[member->number];

	return member->row && (!member->trained ||
			       (way != NO_WAY &&
				core->levels[simulator->last_private]->tags[way] != member->asked));
}

static inline bool is_ready(const struct simulator *simulator, const struct core *core,
			    const struct interleaving *interleaving, const struct member *member)
{
	return has_line(interleaving, member) && has_page(core, member) &&
	       !misses_asked(simulator, core, interleaving, member);
}

/* Rounds in which the run stays in its current line. 0: this access spans two lines. */
static inline uint64_t interleaving_in_line(const struct member *member,
					    const struct stride_run *run, uint64_t address)
{
	uint64_t size = 1ull << member->cache->shift, in_line = address & (size - 1),
		 room = size - in_line;

	if (run->bytes > room)
		return 0;
	room = run->stride < 0 ? in_line : room - run->bytes;
	if (room < member->step)
		return 1;
	return member->step ? (uint32_t)room / (uint32_t)member->step + 1 : NEVER;
}

struct stretch {
	uint64_t begin, last;
}; /* addresses */

/*
 * The range in which no access of the run is simulated: from its line on, in its direction, up to a
 * sampled line or the end of the prefetchers' page. The prefetcher of the first level requests the
 * next line: the line before a sampled one must be simulated, and ends the range.
 */
static struct stretch stretch_skipped(const struct simulator *simulator, const struct core *core,
				      const struct member *member, bool down, uint64_t address)
{
	const struct sampling *sampling = &simulator->sampling;
	uint32_t shift = simulator->coherence_shift,
		 group = (uint32_t)(address >> shift) & sampling->mask,
		 lines = down ? sampling->behind[group] : sampling->ahead[group];
	uint64_t page = (1ull << simulator->prefetch_shift) - 1, begin, last;

	if (member->row && lines > 1)
		lines--;
	else if (member->row)
		shift = core->levels[simulator->last_private]->shift;
	begin = (down ? (address >> shift) + 1 - lines : address >> shift) << shift;
	last = ((down ? (address >> shift) + 1 : (address >> shift) + lines) << shift) - 1;
	return (struct stretch){ begin > (address & ~page) ? begin : address & ~page,
				 last < (address | page) ? last : address | page };
}

/* Rounds in which the run stays there. 0: this access spans its end. */
static uint64_t interleaving_skipped(const struct simulator *simulator, const struct core *core,
				     const struct member *member, const struct stride_run *run,
				     uint64_t address)
{
	struct stretch stretch = stretch_skipped(simulator, core, member, run->stride < 0, address);
	uint64_t last = address + run->bytes - 1;

	if (last > stretch.last || last < address)
		return 0;
	if (!member->step)
		return NEVER;
	return (run->stride < 0 ? address - stretch.begin : stretch.last - last) / member->step + 1;
}

/* The run's access of this round is not in the line of the previous one. */
static inline void move(struct simulator *simulator, struct core *core,
			struct interleaving *interleaving, struct member *member, uint64_t address)
{
	const struct stride_run *run = &interleaving->group[member->number];
	bool skips = sampling_skips(&simulator->sampling, address >> simulator->coherence_shift);
	uint64_t page = (address >> simulator->page_shift) + 1,
		 stays = skips ? interleaving_skipped(simulator, core, member, run, address)
			       : interleaving_in_line(member, run, address);

	touch_line(interleaving, run, member, interleaving->round);
	if (page != member->page)
		touch_page(core, interleaving, member, interleaving->round);
	member->until = interleaving->round + stays;
	member->skipped = skips && stays;
	member->tag = (address >> member->cache->shift) + 1;
	member->page = page;
	member->marked = interleaving->round;
	set_next(interleaving, member, NO_WAY);
	find(simulator, core, interleaving, member);
}

/* Runs whose lines or pages were just evicted need a simulation of their next access. */
static void look_after_others(const struct simulator *simulator, const struct core *core,
			      struct interleaving *interleaving, uint32_t number)
{
	for (uint32_t i = 0; i < interleaving->nr; i++)
		if (i != number &&
		    !is_ready(simulator, core, interleaving, &interleaving->members[i]))
			change_due(interleaving, interleaving->round + (i < number), i);
}

/*
 * The run has entered a missing line: prefetches the host data for its next line, and for lines
 * that prefetchers will request.
 */
static inline void expect_next(const struct simulator *simulator, struct core *core,
			       const struct interleaving *interleaving, const struct member *member,
			       uint64_t address)
{
	const struct stride_run *run = &interleaving->group[member->number];
	uint64_t line = 1ull << member->cache->shift,
		 ahead = simulator->next_line || simulator->strides ? 2 * line : line;

	if (run->stride)
		hierarchy_expect(simulator, core,
				 run->stride < 0
					 ? address - (member->step > ahead ? member->step : ahead)
					 : address + run->bytes - 1 +
						   (member->step > ahead ? member->step : ahead));
}

/* An access that may change more than the LRU order. */
static void access_whole(struct simulator *simulator, struct core *core,
			 struct interleaving *interleaving, struct member *member, uint64_t address)
{
	bool in_line = interleaving->round < member->until;
	bool disturbs = !in_line || interleaving->careful ||
			(!has_page(core, member) &&
			 evicts_current_page(core, interleaving, member->page)) ||
			(!is_there(interleaving, member) &&
			 evicts_current(interleaving, member->cache, member->tag - 1));

	if (disturbs)
		catch_up(core, interleaving);
	if (in_line && member->cache->uses && is_there(interleaving, member))
		mark_words(interleaving, &interleaving->group[member->number], member,
			   interleaving->round);
	if (in_line && !interleaving->careful && !is_there(interleaving, member) &&
	    has_page(core, member))
		stride_run_access_absent(simulator, core, &interleaving->group[member->number],
					 address, member->tlb_way);
	else
		stride_run_access(simulator, core, &interleaving->group[member->number], address);
	expect_next(simulator, core, interleaving, member, address);
	interleaving->caught_up += interleaving->caught_up ==
				   due_at(interleaving->round, member->number);
	member->slow++;
	member->marked = interleaving->round + 1;
	find(simulator, core, interleaving, member);
	if (!in_line)
		set_way(interleaving, &interleaving->ways[member->number], NO_WAY);
	if (disturbs || simulator->model.cache[L3].inclusion == MODEL_INCLUSIVE)
		look_after_others(simulator, core, interleaving, member->number);
}

/* Updates the prefetcher's row for all accesses before that round. */
static inline void catch_up_row(const struct interleaving *interleaving,
				const struct member *member, uint64_t round)
{
	if (member->trained)
		member->row->last = stride_run_address(&interleaving->group[member->number],
						       round - 1);
}

/*
 * After the prefetcher has seen this access: whether it will ignore the next ones in the line, and
 * because of which line.
 */
static void note_asked(const struct simulator *simulator, const struct core *core,
		       struct interleaving *interleaving, struct member *member, uint64_t address)
{
	const struct stride_run *run = &interleaving->group[member->number];
	struct cache *cache = core->levels[simulator->last_private];
	uint64_t asked = address +
			 (run->stride < 0 ? -(1ull << cache->shift) : 1ull << cache->shift);
	bool elsewhere = !run->stride ||
			 address >> simulator->prefetch_shift != asked >> simulator->prefetch_shift;

	elsewhere |= sampling_skips(&simulator->sampling, asked >> simulator->coherence_shift);
	interleaving->asked[member->number] = elsewhere ? NO_WAY
							: cache_find(cache, asked >> cache->shift);
	member->asked = (asked >> cache->shift) + 1;
	member->trained = interleaving->alone && asks_by_line(simulator, core, member) &&
			  member->row->site == (uint64_t)run->site + 1 &&
			  member->row->last == address &&
			  (!run->stride || member->row->distance == run->stride) &&
			  (elsewhere || interleaving->asked[member->number] != NO_WAY);
}

void interleaving_evicted(struct interleaving *interleaving, uint32_t way)
{
	interleaving->lost |= interleaving->alone &&
			      is_among(interleaving->asked, interleaving->nr, way);
}

/*
 * Passes an access that only updates the LRU order to a prefetcher; applies deferred updates first,
 * if they affect its result.
 */
static void train(struct simulator *simulator, struct core *core, struct interleaving *interleaving,
		  struct member *member, uint64_t address)
{
	const struct stride_run *run = &interleaving->group[member->number];
	if (interleaving->careful) {
		catch_up(core, interleaving);
		touch_page(core, interleaving, member, interleaving->round + 1);
		touch_line(interleaving, run, member, interleaving->round + 1);
		interleaving->caught_up++;
	}
	if (member->cache->uses && !member->skipped)
		mark_words(interleaving, run, member, interleaving->round + 1);
	if (stride_run_train(simulator, core, member->bypass ? L2 : L1, run, address))
		look_after_others(simulator, core, interleaving, member->number);
}

/* The first level has all that the access needs, except its page, if that is not `translated`. */
static void access_held(struct simulator *simulator, struct core *core,
			struct interleaving *interleaving, struct member *member, uint64_t address,
			bool translated)
{
	bool disturbs = !translated && evicts_current_page(core, interleaving, member->page);

	if (disturbs)
		catch_up(core, interleaving);
	if (!translated) {
		stride_run_translate(simulator, core, &interleaving->group[member->number],
				     address);
		member->slow++;
		find(simulator, core, interleaving, member);
	}
	if (member->cache->log && !member->skipped)
		cache_touch(member->cache, interleaving->ways[member->number]);
	if (member->row)
		train(simulator, core, interleaving, member, address);
	if (disturbs)
		look_after_others(simulator, core, interleaving, member->number);
}

/*
 * Whether the access spans the current line and the next one, and the run continues there, all on
 * one page.
 */
static inline bool crosses(const struct simulator *simulator, const struct core *core,
			   const struct interleaving *interleaving, const struct member *member,
			   uint64_t address)
{
	const struct stride_run *run = &interleaving->group[member->number];
	uint64_t next = member->tag << member->cache->shift, last = address + run->bytes - 1,
		 then = stride_run_address(run, interleaving->round + 1);

	return address >> member->cache->shift == member->tag - 1 &&
	       last >> member->cache->shift == member->tag && run->stride > 0 &&
	       then >> member->cache->shift == member->tag &&
	       interleaving_in_line(member, run, then) &&
	       next >> simulator->page_shift == member->page - 1 && !interleaving->careful &&
	       !member->skipped && !is_skipped(simulator, member->cache, member->tag) &&
	       has_line(interleaving, member) && has_page(core, member);
}

/* Simulates such an access. False: it may evict a current line, and nothing was done. */
static bool access_crossing(struct simulator *simulator, struct core *core,
			    struct interleaving *interleaving, struct member *member,
			    uint64_t address)
{
	const struct stride_run *run = &interleaving->group[member->number];
	struct cache *cache = member->cache;
	uint64_t next = member->tag << cache->shift, last = address + run->bytes - 1;
	uint32_t way = cache_find(cache, member->tag);
	bool held = way != NO_WAY && stride_run_state_suffices(cache->states[way], member->state) &&
		    !misses_asked(simulator, core, interleaving, member);
	bool in_order = interleaving->caught_up == due_at(interleaving->round, member->number);

	if (way == NO_WAY && evicts_current(interleaving, cache, member->tag))
		return false;
	if (in_order) {
		touch_page(core, interleaving, member, interleaving->round + 1);
		cache_touch(cache, interleaving->ways[member->number]);
	}
	if (cache->uses) {
		mark_words(interleaving, run, member, interleaving->round);
		cache->uses[interleaving->ways[member->number]].touched |= utilisation_words(
			cache->shift, address, next - 1);
	}
	member->marked = member->until = interleaving->round + 1;
	if (held) {
		if (cache->log || in_order)
			cache_touch(cache, way);
		if (cache->uses)
			cache->uses[way].touched |= utilisation_words(cache->shift, next, last);
		if (member->row)
			member->row->last = address;
	} else {
		stride_run_access_from(simulator, core, run, address, next);
		expect_next(simulator, core, interleaving, member, address);
		member->slow++;
		way = cache_find(cache, member->tag);
		if (simulator->model.cache[L3].inclusion == MODEL_INCLUSIVE)
			look_after_others(simulator, core, interleaving, member->number);
	}
	set_next(interleaving, member, way);
	interleaving->caught_up += in_order;
	return true;
}

/* Any other access. */
static inline void access_any(struct simulator *simulator, struct core *core,
			      struct interleaving *interleaving, struct member *member,
			      uint64_t address)
{
	if (interleaving->round >= member->until)
		move(simulator, core, interleaving, member, address);
	else
		find(simulator, core, interleaving, member);
	if (interleaving->round < member->until && has_line(interleaving, member))
		access_held(simulator, core, interleaving, member, address, has_page(core, member));
	else
		access_whole(simulator, core, interleaving, member, address);
}

/* The access that is due. */
static inline void look(struct simulator *simulator, struct core *core,
			struct interleaving *interleaving, struct member *member)
{
	uint64_t address = stride_run_address(&interleaving->group[member->number],
					      interleaving->round);

	if (interleaving->careful || shadow_is_near(interleaving))
		catch_up(core, interleaving);
	catch_up_row(interleaving, member, interleaving->round);
	if (interleaving->round < member->until ||
	    !crosses(simulator, core, interleaving, member, address) ||
	    !access_crossing(simulator, core, interleaving, member, address))
		access_any(simulator, core, interleaving, member, address);
	if (member->row)
		note_asked(simulator, core, interleaving, member, address);
	if (interleaving->lost)
		look_after_others(simulator, core, interleaving, member->number);
	interleaving->lost = false;
	set_due(interleaving,
		is_ready(simulator, core, interleaving, member) ? member->until
								: interleaving->round + 1,
		member->number);
}

static void run_due(struct simulator *simulator, struct core *core,
		    struct interleaving *interleaving)
{
	uint64_t due = interleaving->due[interleaving->first++];
	struct member *member = &interleaving->members[due & (due_at(1, 0) - 1)];

	interleaving->next = member->number;
	interleaving->round = due >> RUN_BITS;
	look(simulator, core, interleaving, member);
}

/* ------------------------------------------------------------------ runs */

static void count(const struct stride_run *run, struct member *member, uint64_t done)
{
	uint64_t held = done - member->slow;

	*(run->write ? &member->counters->writes : &member->counters->reads) += done;
	member->counters->bypassed += member->bypass ? held : 0;
	member->counters->cycles += held * member->held_cycles;
	member->slow = 0;
}

/* Other cores have been simulated meanwhile. */
static void look_after_all(const struct simulator *simulator, const struct core *core,
			   struct interleaving *interleaving)
{
	for (uint32_t i = 0; i < interleaving->nr; i++)
		if (!is_ready(simulator, core, interleaving, &interleaving->members[i]))
			change_due(interleaving, interleaving->round + (i < interleaving->next), i);
}

static void end_group(struct core *core, struct interleaving *interleaving)
{
	catch_up(core, interleaving);
	core->interleaving = NULL;
	for (uint32_t i = 0; i < interleaving->nr; i++) {
		catch_up_row(interleaving, &interleaving->members[i], interleaving->round);
		count(&interleaving->group[i], &interleaving->members[i], interleaving->round);
		set_way(interleaving, &interleaving->ways[i], NO_WAY);
		set_next(interleaving, &interleaving->members[i], NO_WAY);
	}
}

void interleaving_run(struct simulator *simulator, struct core *core,
		      struct interleaving *interleaving, uint32_t accesses)
{
	uint64_t end = interleaving->round +
		       (interleaving->next + (uint64_t)accesses) / interleaving->nr;
	uint32_t end_next = (uint32_t)((interleaving->next + (uint64_t)accesses) %
				       interleaving->nr);

	if (core->disturbed)
		look_after_all(simulator, core, interleaving);
	core->disturbed = false;
	while (interleaving->due[interleaving->first] < due_at(end, end_next))
		run_due(simulator, core, interleaving);
	interleaving->round = end;
	interleaving->next = end_next;
	if (end == interleaving->group->times)
		end_group(core, interleaving);
}
