/* SPDX-License-Identifier: Apache-2.0 */
/* Stride runs of a group, access by access. */
#include "analysis/simulator/per_access.h"

#include <string.h>

#include "analysis/simulator/cache_search.h"
#include "analysis/simulator/hierarchy.h"
#include "analysis/simulator/skipping.h"
#include "analysis/simulator/prefetch.h"
#include "analysis/simulator/utilisation.h"

#define AHEAD 12 /* accesses; about the host's memory latency */

/*
 * In interleaving.c an access that enters a line costs some 40 + 5/2 × runs ns, as it checks all
 * other runs; per-access simulation costs 20 (bench/simulator.sh). Non-temporal writes have no
 * interleaving.
 */
bool per_access_is_better(const struct simulator *simulator, const struct stride_run *group)
{
	uint64_t line = simulator->model.cache[L1].line, entered = 0; /* bytes a round */
	uint32_t nr = group->group ? group->group : 1;

	for (uint32_t i = 0; i < nr; i++) {
		uint64_t step = stride_run_step(&group[i]);

		if (group[i].non_temporal)
			return true;
		entered += step < line ? step : line;
	}
	return entered * (16 + nr) > 8 * nr * line;
}

static struct run_progress progress_of(const struct simulator *simulator, struct core *core,
				       const struct stride_run *run)
{
	bool bypass = stride_run_bypasses(simulator, run);
	unsigned level = bypass ? L2 : L1;

	return (struct run_progress){
		.counters = stride_run_counters(simulator, core, run),
		.row = core->strides[level] ? prefetch_row(core, level, run->site) : NULL,
		.cache = core->levels[level],
		.address = run->address,
		.held_cycles = stride_run_held_cycles(simulator, core, level),
		.state = stride_run_state(run),
		.bypass = bypass,
	};
}

static inline void set_due(struct per_access *per_access, uint32_t number, uint64_t round)
{
	uint64_t most = per_access->round + PER_ACCESS_AHEAD - 1;

	per_access->due[number] = round;
	per_access->checks[(round < most ? round : most) % PER_ACCESS_AHEAD][number / 64] |=
		1ull << number % 64;
}

static void begin_checks(struct per_access *per_access)
{
	memset(per_access->checks, 0, sizeof(per_access->checks));
	for (uint32_t i = 0; i < per_access->nr; i++)
		set_due(per_access, i, 0);
}

void per_access_begin(struct simulator *simulator, struct core *core, struct per_access *per_access,
		      const struct stride_run *group)
{
	per_access->group = group;
	per_access->round = 0;
	per_access->next = 0;
	per_access->nr = group->group ? group->group : 1;
	for (uint32_t i = 0; i < per_access->nr; i++)
		per_access->runs[i] = progress_of(simulator, core, &group[i]);
	for (uint32_t i = 0; i < per_access->nr; i++)
		per_access->runs[i].ahead = per_access->runs[i].row
						    ? (uint64_t)prefetch_ahead(simulator, core,
									       group[i].stride)
						    : 0;
	per_access->skips = sampling_is_on(&simulator->sampling) &&
			    (!simulator->strides || prefetch_rows_are_own(group, per_access->nr));
	if (per_access->skips)
		begin_checks(per_access);
	memset(per_access->pages, 0, per_access->nr * sizeof(per_access->pages[0]));
	memset(per_access->last_pages, 0, per_access->nr * sizeof(per_access->last_pages[0]));
}

/*
 * Whether the page is in the first TLB, as far as known, or there is no TLB; makes it the newest.
 */
static inline bool translate(struct core *core, struct run_progress *progress, uint64_t page)
{
	struct cache *tlb = &core->tlb[0];

	if (!tlb->tags)
		return true;
	if (tlb->tags[progress->tlb_way] != page + 1)
		progress->tlb_way = cache_guess(tlb, page);
	if (tlb->tags[progress->tlb_way] != page + 1)
		return false;
	cache_touch(tlb, progress->tlb_way);
	return true;
}

/* Whether the access is in one line that misses L1 and would enter it. */
static inline bool is_absent(const struct simulator *simulator, const struct run_progress *progress,
			     uint64_t address, uint64_t last)
{
	uint64_t line = address >> progress->cache->shift;

	return simulator->fast_path && last >> progress->cache->shift == line &&
	       cache_search(progress->cache, line) == NO_WAY;
}

/*
 * An access in one line that is present in the required state, as far as known, or not sampled, and
 * translated, only updates the LRU order.
 */
static inline void run_one(struct simulator *simulator, struct core *core,
			   struct run_progress *progress, const struct stride_run *run)
{
	uint64_t address = progress->address, last = address + run->bytes - 1;
	bool skipped = stride_run_is_skipped(simulator, run, address);
	uint32_t way = skipped ? NO_WAY
			       : stride_run_held(progress->cache, address, last, progress->state);
	bool absent = !skipped && way == NO_WAY && is_absent(simulator, progress, address, last);
	bool translated = (skipped || absent || way != NO_WAY) &&
			  translate(core, progress, address >> simulator->page_shift);

	progress->address += (uint64_t)run->stride;
	progress->slow += !translated || absent;
	if (absent) {
		stride_run_access_absent(simulator, core, run, address,
					 translated ? progress->tlb_way : NO_WAY);
		return;
	}
	if (!skipped && way == NO_WAY) {
		stride_run_access(simulator, core, run, address);
		return;
	}
	if (!translated)
		stride_run_translate(simulator, core, run, address);
	if (!skipped)
		stride_run_use_held(progress->cache, way, address, last);
	if (progress->row)
		stride_run_train(simulator, core, progress->bypass ? L2 : L1, run, address);
}

/* A non-temporal write: it has no cached state to skip by, so each is simulated. */
static void run_past_caches(struct simulator *simulator, struct core *core,
			    struct run_progress *progress, const struct stride_run *run)
{
	stride_run_access(simulator, core, run, progress->address);
	progress->address += (uint64_t)run->stride;
	progress->slow++;
}

static inline void run_access(struct simulator *simulator, struct core *core,
			      struct run_progress *progress, const struct stride_run *run)
{
	if (run->non_temporal)
		run_past_caches(simulator, core, progress, run);
	else
		run_one(simulator, core, progress, run);
}

/*
 * Prefetches the host data for an access there, if it misses the first level, and for the line that
 * the prefetcher will request.
 */
static inline void expect(const struct simulator *simulator, struct core *core,
			  const struct cache *cache, uint64_t address, uint64_t ahead)
{
	uint64_t line = address >> cache->shift;

	if (!sampling_skips(&simulator->sampling, address >> simulator->coherence_shift) &&
	    cache->tags[cache_guess(cache, line)] != line + 1)
		hierarchy_expect(simulator, core, address + ahead);
}

/* The same for a run's next access, if it enters a line. */
static inline void expect_next(const struct simulator *simulator, struct core *core,
			       const struct run_progress *progress, int64_t stride)
{
	if ((progress->address - (uint64_t)stride) >> progress->cache->shift !=
	    progress->address >> progress->cache->shift)
		expect(simulator, core, progress->cache, progress->address, progress->ahead);
}

static inline void count(const struct stride_run *run, struct run_progress *progress, uint64_t done)
{
	uint64_t held = done - progress->slow;

	*(run->write ? &progress->counters->writes : &progress->counters->reads) += done;
	progress->counters->bypassed += progress->bypass ? held : 0;
	progress->counters->cycles += held * progress->held_cycles;
	progress->slow = 0;
}

static inline void go_on(struct per_access *per_access)
{
	if (++per_access->next == per_access->nr) {
		per_access->next = 0;
		per_access->round++;
	}
}

static void run_each(struct simulator *simulator, struct core *core, struct per_access *per_access,
		     uint32_t accesses)
{
	uint32_t ahead = (per_access->next + AHEAD) % per_access->nr;

	for (; accesses; accesses--, go_on(per_access)) {
		expect_next(simulator, core, &per_access->runs[ahead],
			    per_access->group[ahead].stride);
		ahead = ahead + 1 == per_access->nr ? 0 : ahead + 1;
		run_access(simulator, core, &per_access->runs[per_access->next],
			   &per_access->group[per_access->next]);
	}
}

/* ------------------------------------------------------------------ skipping */

static void touch_page(struct cache *tlb, const struct run_progress *progress, uint64_t page)
{
	uint32_t way = cache_find_at(tlb, page, progress->tlb_way);

	if (way != NO_WAY)
		cache_touch(tlb, way);
}

/* Pages of the last access of each run, in the order of these. */
static void catch_up_pages(const struct simulator *simulator, struct core *core,
			   const struct per_access *per_access)
{
	uint32_t next = per_access->next, at = next;

	do {
		const struct stride_run *run = &per_access->group[at];
		uint64_t rounds = per_access->round + (at < next),
			 first = stride_run_address(run, rounds - 1), last = first + run->bytes - 1;

		if (rounds) {
			touch_page(&core->tlb[0], &per_access->runs[at],
				   first >> simulator->page_shift);
			if (first >> simulator->page_shift != last >> simulator->page_shift)
				touch_page(&core->tlb[0], &per_access->runs[at],
					   last >> simulator->page_shift);
		}
		at = at + 1 == per_access->nr ? 0 : at + 1;
	} while (at != next);
}

static inline void catch_up_row(struct run_progress *progress, const struct stride_run *run,
				uint64_t rounds)
{
	if (progress->row_behind)
		progress->row->last = stride_run_address(run, rounds - 1);
	progress->row_behind = false;
}

/* Runs whose page has just left the TLB need a simulation of their next access. */
static void look_after_pages(const struct simulator *simulator, struct core *core,
			     struct per_access *per_access)
{
	for (uint32_t i = 0; i < per_access->nr; i++) {
		uint64_t next = per_access->round + (i < per_access->next);

		if (i != per_access->next && per_access->due[i] > next &&
		    !skip_has_page(core, &per_access->runs[i],
				   stride_run_address(&per_access->group[i], next) >>
					   simulator->page_shift))
			set_due(per_access, i, next);
	}
}

/*
 * Updates the pages of the run's last access that this one is not on: their LRU order among pages
 * that runs have left is then valid.
 */
static void leave_pages(struct core *core, const struct per_access *per_access, uint64_t page)
{
	const struct run_progress *progress = &per_access->runs[per_access->next];
	uint64_t first = per_access->pages[per_access->next],
		 last = per_access->last_pages[per_access->next];

	if (first && (first != page || last != page)) {
		touch_page(&core->tlb[0], progress, first - 1);
		if (last != first)
			touch_page(&core->tlb[0], progress, last - 1);
	}
}

/*
 * Whether a missing page may evict a current page from the TLB: only updates of current pages are
 * deferred.
 */
static bool evicts_page(const struct core *core, const struct per_access *per_access, uint64_t page)
{
	const struct cache *tlb = &core->tlb[0];
	uint64_t leaves = tlb->tags[cache_lru_way(tlb, page - 1)], found = 0;

	for (uint32_t i = 0; i < per_access->nr; i++)
		found |= (per_access->pages[i] == leaves) | (per_access->last_pages[i] == leaves);
	return leaves && found;
}

/*
 * The run's next access is on these pages, page + 1. True: a current page may leave the TLB; all
 * deferred updates were applied.
 */
static bool enter_pages(const struct simulator *simulator, struct core *core,
			struct per_access *per_access, uint64_t page, uint64_t last_page)
{
	const struct run_progress *progress = &per_access->runs[per_access->next];
	bool has_first = skip_has_page(core, progress, page - 1),
	     has_last = page == last_page || skip_has_page(core, progress, last_page - 1), disturbs;

	disturbs = page != last_page ? !has_first || !has_last
				     : !has_first && evicts_page(core, per_access, page);
	if (disturbs)
		catch_up_pages(simulator, core, per_access);
	else
		leave_pages(core, per_access, page);
	per_access->pages[per_access->next] = page;
	per_access->last_pages[per_access->next] = last_page;
	return disturbs;
}

/* An access that is not skipped. */
static void look(struct simulator *simulator, struct core *core, struct per_access *per_access)
{
	const struct stride_run *run = &per_access->group[per_access->next];
	struct run_progress *progress = &per_access->runs[per_access->next];
	uint64_t address = stride_run_address(run, per_access->round),
		 page = (address >> simulator->page_shift) + 1,
		 last_page = ((address + run->bytes - 1) >> simulator->page_shift) + 1;
	bool disturbs = core->tlb[0].tags &&
			enter_pages(simulator, core, per_access, page, last_page);

	catch_up_row(progress, run, per_access->round);
	progress->address = address;
	run_access(simulator, core, progress, run);
	if (disturbs)
		look_after_pages(simulator, core, per_access);
	set_due(per_access, per_access->next,
		per_access->round + 1 + skip_times(simulator, core, run, progress));
	progress->row_behind = progress->row && run->stride &&
			       per_access->due[per_access->next] > per_access->round + 1;
	if (!progress->row_behind)
		expect_next(simulator, core, progress, run->stride);
}

static void end_skipping(const struct simulator *simulator, struct core *core,
			 struct per_access *per_access)
{
	if (core->tlb[0].tags)
		catch_up_pages(simulator, core, per_access);
	for (uint32_t i = 0; i < per_access->nr; i++)
		catch_up_row(&per_access->runs[i], &per_access->group[i], per_access->round);
}

/* Due runs of this round, in order, from `next` on and before `end`, of 64 of them. */
static inline void run_word(struct simulator *simulator, struct core *core,
			    struct per_access *per_access, uint32_t word, uint32_t end)
{
	uint64_t *looks = &per_access->checks[per_access->round % PER_ACCESS_AHEAD][word],
		 before = end / 64 > word ? UINT64_MAX : (1ull << end % 64) - 1, now;

	while ((now = *looks & before)) {
		uint32_t number = word * 64 + (uint32_t)__builtin_ctzll(now);

		*looks &= ~(1ull << number % 64);
		if (per_access->due[number] > per_access->round) {
			set_due(per_access, number, per_access->due[number]);
			continue;
		}
		per_access->next = number;
		look(simulator, core, per_access);
	}
}

static void run_due(struct simulator *simulator, struct core *core, struct per_access *per_access,
		    uint64_t end, uint32_t end_next)
{
	for (;; per_access->round++, per_access->next = 0) {
		uint32_t before = per_access->round < end ? per_access->nr : end_next;

		for (uint32_t word = per_access->next / 64; word * 64 < before; word++)
			run_word(simulator, core, per_access, word, before);
		if (per_access->round == end)
			break;
	}
	per_access->next = end_next;
	if (end == per_access->group->times)
		end_skipping(simulator, core, per_access);
}

void per_access_run(struct simulator *simulator, struct core *core, struct per_access *per_access,
		    uint32_t accesses)
{
	uint64_t all = per_access->next + (uint64_t)accesses;

	if (per_access->skips)
		run_due(simulator, core, per_access, per_access->round + all / per_access->nr,
			(uint32_t)(all % per_access->nr));
	else
		run_each(simulator, core, per_access, accesses);
	for (uint32_t i = 0; per_access->round == per_access->group->times && i < per_access->nr;
	     i++)
		count(&per_access->group[i], &per_access->runs[i], per_access->round);
}

/* ------------------------------------------------------------------ alone */

void per_access_run_single(struct simulator *simulator, struct core *core,
			   const struct stride_run *runs, uint32_t nr, size_t known)
{
	for (uint32_t i = 0; i < nr; i++) {
		struct run_progress progress = progress_of(simulator, core, &runs[i]);

		if (i + AHEAD < known)
			expect(simulator, core, core->levels[L1], runs[i + AHEAD].address, 0);
		run_access(simulator, core, &progress, &runs[i]);
		count(&runs[i], &progress, 1);
	}
}
