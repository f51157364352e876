/* SPDX-License-Identifier: Apache-2.0 */
/* Stride runs of a group, access by access. */
#include "analysis/simulator/singly.h"

#include <string.h>

#include "analysis/simulator/hierarchy.h"
#include "analysis/simulator/passing.h"
#include "analysis/simulator/prefetch.h"
#include "analysis/simulator/utilisation.h"

#define AHEAD 12                         /* accesses; about the host's memory latency */

/*
 * In rounds.c an access that enters a line costs some 40 + 5/2 × runs ns, as it checks all other runs; per-access
 * simulation costs 20 (bench/simulator.sh). Non-temporal writes have no rounds.
 */
bool singly_is_better(const struct simulator *simulator, const struct simulator_walk *group)
{
	uint64_t line = simulator->model.cache[L1].line, entered = 0;    /* bytes a round */
	uint32_t nr = group->group ? group->group : 1;

	for (uint32_t i = 0; i < nr; i++) {
		uint64_t step = walk_step(&group[i]);

		if (group[i].non_temporal)
			return true;
		entered += step < line ? step : line;
	}
	return entered * (16 + nr) > 8 * nr * line;
}

static struct lone lone_of(const struct simulator *simulator, struct core *core, const struct simulator_walk *walk)
{
	bool bypass = walk_bypasses(simulator, walk);
	unsigned level = bypass ? L2 : L1;

	return (struct lone){
		.counters = walk_counters(simulator, core, walk), .row = core->strides[level] ? prefetch_row(core, level, walk->site) : NULL, .cache = core->levels[level],
		.address = walk->address, .held_cycles = walk_held_cycles(simulator, core, level),
		.state = walk_state(walk), .bypass = bypass,
	};
}

static inline void set_due(struct singly *singly, uint32_t number, uint64_t round)
{
	uint64_t most = singly->round + SINGLY_AHEAD - 1;

	singly->due[number] = round;
	singly->looks[(round < most ? round : most) % SINGLY_AHEAD][number / 64] |= 1ull << number % 64;
}

static void begin_looks(struct singly *singly)
{
	memset(singly->looks, 0, sizeof(singly->looks));
	for (uint32_t i = 0; i < singly->nr; i++)
		set_due(singly, i, 0);
}

void singly_begin(struct simulator *simulator, struct core *core, struct singly *singly, const struct simulator_walk *group)
{
	singly->group = group;
	singly->round = 0;
	singly->next = 0;
	singly->nr = group->group ? group->group : 1;
	for (uint32_t i = 0; i < singly->nr; i++)
		singly->walks[i] = lone_of(simulator, core, &group[i]);
	for (uint32_t i = 0; i < singly->nr; i++)
		singly->walks[i].ahead = singly->walks[i].row ? (uint64_t)prefetch_ahead(simulator, core, group[i].stride) : 0;
	singly->passes = sampling_is_on(&simulator->sampling) && (!simulator->strides || prefetch_rows_are_own(group, singly->nr));
	if (singly->passes)
		begin_looks(singly);
	memset(singly->pages, 0, singly->nr * sizeof(singly->pages[0]));
	memset(singly->last_pages, 0, singly->nr * sizeof(singly->last_pages[0]));
}

/* Whether the page is in the first TLB, as far as known, or there is no TLB; makes it the newest. */
static inline bool translate(struct core *core, struct lone *lone, uint64_t page)
{
	struct cache *tlb = &core->tlb[0];

	if (!tlb->tags)
		return true;
	if (tlb->tags[lone->tlb_way] != page + 1)
		lone->tlb_way = cache_guess(tlb, page);
	if (tlb->tags[lone->tlb_way] != page + 1)
		return false;
	cache_touch(tlb, lone->tlb_way);
	return true;
}

/* Whether the access is in one line that misses L1 and would enter it. */
static inline bool is_absent(const struct simulator *simulator, const struct lone *lone, uint64_t address, uint64_t last)
{
	uint64_t line = address >> lone->cache->shift;

	return simulator->usual && last >> lone->cache->shift == line && cache_search(lone->cache, line) == NO_WAY;
}

/* An access in one line that is present in the required state, as far as known, or not sampled, and translated, only updates the LRU order. */
static inline void run_one(struct simulator *simulator, struct core *core, struct lone *lone, const struct simulator_walk *walk)
{
	uint64_t address = lone->address, last = address + walk->bytes - 1;
	bool skipped = walk_is_skipped(simulator, walk, address);
	uint32_t way = skipped ? NO_WAY : walk_held(lone->cache, address, last, lone->state);
	bool absent = !skipped && way == NO_WAY && is_absent(simulator, lone, address, last);
	bool translated = (skipped || absent || way != NO_WAY) && translate(core, lone, address >> simulator->page_shift);

	lone->address += (uint64_t)walk->stride;
	lone->slow += !translated || absent;
	if (absent) {
		walk_access_absent(simulator, core, walk, address, translated ? lone->tlb_way : NO_WAY);
		return;
	}
	if (!skipped && way == NO_WAY) {
		walk_access(simulator, core, walk, address);
		return;
	}
	if (!translated)
		walk_translate(simulator, core, walk, address);
	if (!skipped)
		walk_use_held(lone->cache, way, address, last);
	if (lone->row)
		walk_train(simulator, core, lone->bypass ? L2 : L1, walk, address);
}

/* As of one that is not temporal nothing else is known. */
static void run_past_caches(struct simulator *simulator, struct core *core, struct lone *lone, const struct simulator_walk *walk)
{
	walk_access(simulator, core, walk, lone->address);
	lone->address += (uint64_t)walk->stride;
	lone->slow++;
}

static inline void run_access(struct simulator *simulator, struct core *core, struct lone *lone, const struct simulator_walk *walk)
{
	if (walk->non_temporal)
		run_past_caches(simulator, core, lone, walk);
	else
		run_one(simulator, core, lone, walk);
}

/* Prefetches the host data for an access there, if it misses the first level, and for the line that the prefetcher will request. */
static inline void expect(const struct simulator *simulator, struct core *core, const struct cache *cache, uint64_t address, uint64_t ahead)
{
	uint64_t line = address >> cache->shift;

	if (!sampling_skips(&simulator->sampling, address >> simulator->coherence_shift) && cache->tags[cache_guess(cache, line)] != line + 1)
		hierarchy_expect(simulator, core, address + ahead);
}

/* The same for a run's next access, if it enters a line. */
static inline void expect_next(const struct simulator *simulator, struct core *core, const struct lone *lone, int64_t stride)
{
	if ((lone->address - (uint64_t)stride) >> lone->cache->shift != lone->address >> lone->cache->shift)
		expect(simulator, core, lone->cache, lone->address, lone->ahead);
}

static inline void count(const struct simulator_walk *walk, struct lone *lone, uint64_t done)
{
	uint64_t held = done - lone->slow;

	*(walk->write ? &lone->counters->writes : &lone->counters->reads) += done;
	lone->counters->bypassed += lone->bypass ? held : 0;
	lone->counters->cycles += held * lone->held_cycles;
	lone->slow = 0;
}

static inline void go_on(struct singly *singly)
{
	if (++singly->next == singly->nr) {
		singly->next = 0;
		singly->round++;
	}
}

static void run_each(struct simulator *simulator, struct core *core, struct singly *singly, uint32_t accesses)
{
	uint32_t ahead = (singly->next + AHEAD) % singly->nr;

	for (; accesses; accesses--, go_on(singly)) {
		expect_next(simulator, core, &singly->walks[ahead], singly->group[ahead].stride);
		ahead = ahead + 1 == singly->nr ? 0 : ahead + 1;
		run_access(simulator, core, &singly->walks[singly->next], &singly->group[singly->next]);
	}
}

/* ------------------------------------------------------------------ skipping */

static void touch_page(struct cache *tlb, const struct lone *lone, uint64_t page)
{
	uint32_t way = cache_find_at(tlb, page, lone->tlb_way);

	if (way != NO_WAY)
		cache_touch(tlb, way);
}

/* Pages of the last access of each run, in the order of these. */
static void catch_up_pages(const struct simulator *simulator, struct core *core, const struct singly *singly)
{
	uint32_t next = singly->next, at = next;

	do {
		const struct simulator_walk *walk = &singly->group[at];
		uint64_t rounds = singly->round + (at < next), first = walk_address(walk, rounds - 1), last = first + walk->bytes - 1;

		if (rounds) {
			touch_page(&core->tlb[0], &singly->walks[at], first >> simulator->page_shift);
			if (first >> simulator->page_shift != last >> simulator->page_shift)
				touch_page(&core->tlb[0], &singly->walks[at], last >> simulator->page_shift);
		}
		at = at + 1 == singly->nr ? 0 : at + 1;
	} while (at != next);
}

static inline void catch_up_row(struct lone *lone, const struct simulator_walk *walk, uint64_t rounds)
{
	if (lone->row_behind)
		lone->row->last = walk_address(walk, rounds - 1);
	lone->row_behind = false;
}

/* Runs whose page has just left the TLB need a simulation of their next access. */
static void look_after_pages(const struct simulator *simulator, struct core *core, struct singly *singly)
{
	for (uint32_t i = 0; i < singly->nr; i++) {
		uint64_t next = singly->round + (i < singly->next);

		if (i != singly->next && singly->due[i] > next &&
		    !passing_has_page(core, &singly->walks[i], walk_address(&singly->group[i], next) >> simulator->page_shift))
			set_due(singly, i, next);
	}
}

/* Updates the pages of the run's last access that this one is not on: their LRU order among pages that runs have left is then valid. */
static void leave_pages(struct core *core, const struct singly *singly, uint64_t page)
{
	const struct lone *lone = &singly->walks[singly->next];
	uint64_t first = singly->pages[singly->next], last = singly->last_pages[singly->next];

	if (first && (first != page || last != page)) {
		touch_page(&core->tlb[0], lone, first - 1);
		if (last != first)
			touch_page(&core->tlb[0], lone, last - 1);
	}
}

/* Whether a missing page may evict a current page from the TLB: only updates of current pages are deferred. */
static bool displaces_page(const struct core *core, const struct singly *singly, uint64_t page)
{
	const struct cache *tlb = &core->tlb[0];
	uint64_t leaves = tlb->tags[cache_oldest(tlb, page - 1)], found = 0;

	for (uint32_t i = 0; i < singly->nr; i++)
		found |= (singly->pages[i] == leaves) | (singly->last_pages[i] == leaves);
	return leaves && found;
}

/* The run's next access is on these pages, page + 1. True: a current page may leave the TLB; all deferred updates were applied. */
static bool enter_pages(const struct simulator *simulator, struct core *core, struct singly *singly, uint64_t page, uint64_t last_page)
{
	const struct lone *lone = &singly->walks[singly->next];
	bool has_first = passing_has_page(core, lone, page - 1), has_last = page == last_page || passing_has_page(core, lone, last_page - 1), disturbs;

	disturbs = page != last_page ? !has_first || !has_last : !has_first && displaces_page(core, singly, page);
	if (disturbs)
		catch_up_pages(simulator, core, singly);
	else
		leave_pages(core, singly, page);
	singly->pages[singly->next] = page;
	singly->last_pages[singly->next] = last_page;
	return disturbs;
}

/* An access that is not skipped. */
static void look(struct simulator *simulator, struct core *core, struct singly *singly)
{
	const struct simulator_walk *walk = &singly->group[singly->next];
	struct lone *lone = &singly->walks[singly->next];
	uint64_t address = walk_address(walk, singly->round), page = (address >> simulator->page_shift) + 1, last_page = ((address + walk->bytes - 1) >> simulator->page_shift) + 1;
	bool disturbs = core->tlb[0].tags && enter_pages(simulator, core, singly, page, last_page);

	catch_up_row(lone, walk, singly->round);
	lone->address = address;
	run_access(simulator, core, lone, walk);
	if (disturbs)
		look_after_pages(simulator, core, singly);
	set_due(singly, singly->next, singly->round + 1 + passing_times(simulator, core, walk, lone));
	lone->row_behind = lone->row && walk->stride && singly->due[singly->next] > singly->round + 1;
	if (!lone->row_behind)
		expect_next(simulator, core, lone, walk->stride);
}

static void end_passing(const struct simulator *simulator, struct core *core, struct singly *singly)
{
	if (core->tlb[0].tags)
		catch_up_pages(simulator, core, singly);
	for (uint32_t i = 0; i < singly->nr; i++)
		catch_up_row(&singly->walks[i], &singly->group[i], singly->round);
}

/* Due runs of this round, in order, from `next` on and before `end`, of 64 of them. */
static inline void run_word(struct simulator *simulator, struct core *core, struct singly *singly, uint32_t word, uint32_t end)
{
	uint64_t *looks = &singly->looks[singly->round % SINGLY_AHEAD][word], before = end / 64 > word ? UINT64_MAX : (1ull << end % 64) - 1, now;

	while ((now = *looks & before)) {
		uint32_t number = word * 64 + (uint32_t)__builtin_ctzll(now);

		*looks &= ~(1ull << number % 64);
		if (singly->due[number] > singly->round) {
			set_due(singly, number, singly->due[number]);
			continue;
		}
		singly->next = number;
		look(simulator, core, singly);
	}
}

static void run_due(struct simulator *simulator, struct core *core, struct singly *singly, uint64_t end, uint32_t end_next)
{
	for (;; singly->round++, singly->next = 0) {
		uint32_t before = singly->round < end ? singly->nr : end_next;

		for (uint32_t word = singly->next / 64; word * 64 < before; word++)
			run_word(simulator, core, singly, word, before);
		if (singly->round == end)
			break;
	}
	singly->next = end_next;
	if (end == singly->group->times)
		end_passing(simulator, core, singly);
}

void singly_run(struct simulator *simulator, struct core *core, struct singly *singly, uint32_t accesses)
{
	uint64_t all = singly->next + (uint64_t)accesses;

	if (singly->passes)
		run_due(simulator, core, singly, singly->round + all / singly->nr, (uint32_t)(all % singly->nr));
	else
		run_each(simulator, core, singly, accesses);
	for (uint32_t i = 0; singly->round == singly->group->times && i < singly->nr; i++)
		count(&singly->group[i], &singly->walks[i], singly->round);
}

/* ------------------------------------------------------------------ alone */

void singly_run_alone(struct simulator *simulator, struct core *core, const struct simulator_walk *walks, uint32_t nr, size_t known)
{
	for (uint32_t i = 0; i < nr; i++) {
		struct lone lone = lone_of(simulator, core, &walks[i]);

		if (i + AHEAD < known)
			expect(simulator, core, core->levels[L1], walks[i + AHEAD].address, 0);
		run_access(simulator, core, &lone, &walks[i]);
		count(&walks[i], &lone, 1);
	}
}
