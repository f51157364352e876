/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logical time: threads take turns. And the short way of accesses that find everything as they need it: those change nothing but the order of
 * use, and where all accesses of a group do, doing the same again in the same lines changes nothing at all.
 */
#include "ompt_tool/simulator/turns.h"

#include "ompt_tool/simulator/hierarchy.h"
#include "ompt_tool/simulator/prefetch.h"
#include "ompt_tool/simulator/utilisation.h"

/* One walk of the group that is under way. */
struct member {
	struct cache *cache;             /* the first level it looks at */
	struct simulator_counters *counters;
	uint64_t until;                  /* the first round whose access leaves the line, or is not all in it */
	uint64_t tag, page;              /* line + 1, page + 1 */
	const uint64_t *tag_at, *page_at;        /* where they are, as far as known */
	const uint8_t *state_at;
	uint32_t way, tlb_way;
	uint64_t marked;                 /* rounds before this one are in the words touched */
	uint32_t slow;                   /* accesses on the long way, not yet counted */
	uint32_t held_cycles;            /* what one on the short way takes */
	uint8_t state;                   /* that the line must have for the short way */
	bool bypass, trains;             /* trains: a prefetcher wants to know of every access */
};

/* How far a thread has come. */
struct cursor {
	const struct simulator_walk *walks;
	size_t nr, at;                   /* at: first walk of the group that is under way */
	uint64_t round;                  /* which access of each walk of it comes next, … */
	uint32_t next;                   /* … and of which walk */
	bool ended, prepared;
	struct member members[UINT8_MAX];
};

struct cursor *turns_new(struct arena *arena, uint32_t threads)
{
	return arena_alloc(arena, threads * sizeof(struct cursor));
}

static uint64_t address_of(const struct simulator_walk *walk, uint64_t round)
{
	return walk->address + (uint64_t)walk->stride * round;
}

/* What an access on the short way costs. */
static uint32_t held_cycles(const struct simulator *simulator, const struct core *core, unsigned level)
{
	uint32_t translation = core->tlb[0].tags ? simulator->model.tlb[0].latency : 0;

	return simulator->model.cache[level].latency - simulator->model.cache[L1].latency + translation;
}

/* Where its line and page are, if they are where they were last. */
static void member_find(struct core *core, struct member *member)
{
	struct cache *cache = member->cache, *tlb = &core->tlb[0];

	member->way = cache_guess(cache, member->tag - 1);
	member->tag_at = &cache->tags[member->way];
	member->state_at = &cache->states[member->way];
	member->tlb_way = tlb->tags ? cache_guess(tlb, member->page - 1) : 0;
	member->page_at = tlb->tags ? &tlb->tags[member->tlb_way] : &member->page;
}

static void member_init(const struct simulator *simulator, struct core *core, const struct simulator_walk *walk, struct member *member)
{
	bool bypass = walk->is_float && simulator->model.cache[L1].float_bypasses;
	unsigned level = bypass ? L2 : L1;

	member->cache = core->levels[level];
	member->counters = &core->counters[walk->slot < simulator->slots ? walk->slot : simulator->slots];
	member->until = 0;
	member->tag = member->page = 0;
	member->marked = member->slow = 0;
	member->held_cycles = held_cycles(simulator, core, level);
	member->state = walk->write ? LINE_WRITABLE : 0;
	member->bypass = bypass;
	member->trains = core->strides[level];
	member_find(core, member);
}

static void member_count(const struct simulator_walk *walk, struct member *member, uint64_t done)
{
	uint64_t held = done - member->slow;

	*(walk->write ? &member->counters->writes : &member->counters->reads) += done;
	member->counters->bypassed += member->bypass ? held : 0;
	member->counters->cycles += held * member->held_cycles;
	member->slow = 0;
}

/* How many rounds the walk stays in the line where it now is. 0: this access is not all in it. */
static uint64_t rounds_in_line(const struct cache *cache, const struct simulator_walk *walk, uint64_t address)
{
	uint64_t size = 1ull << cache->shift, in_line = address & (size - 1), room = size - in_line;
	uint64_t step = walk->stride < 0 ? -(uint64_t)walk->stride : (uint64_t)walk->stride;

	if (walk->bytes > room)
		return 0;
	if (!step)
		return UINT64_MAX / 2;
	room = walk->stride < 0 ? in_line : room - walk->bytes;
	return room < step ? 1 : (uint32_t)room / (uint32_t)step + 1;
}

/* An access on the short way: its line and page are there, ready for it. False: nothing was done, it needs the long one. */
static inline bool access_held(struct core *core, const struct simulator_walk *walk, const struct member *member, uint64_t round)
{
	struct cache *cache = member->cache, *tlb = &core->tlb[0];
	uint32_t way = member->way;

	if (cache->tags[way] != member->tag || (cache->states[way] & (member->state | LINE_PREFETCHED)) != member->state)
		return false;
	if (tlb->tags) {
		if (tlb->tags[member->tlb_way] != member->page)
			return false;
		cache_touch(tlb, member->tlb_way);
	}
	cache_touch(cache, way);
	if (cache->uses) {
		uint64_t address = address_of(walk, round);

		cache->uses[way].touched |= utilisation_words(cache->shift, address, address + walk->bytes - 1);
	}
	return true;
}

static void access_long(struct simulator *simulator, struct core *core, const struct simulator_walk *walk, const struct member *member, uint64_t address)
{
	struct access access = {
		.address = address, .last = address + walk->bytes - 1, .slot = (uint32_t)(member->counters - core->counters), .site = walk->site,
		.write = walk->write, .bypass = member->bypass, .counters = member->counters,
	};

	hierarchy_access(simulator, core, &access);
}

/* What the first level's prefetcher makes of an access on the short way. */
static void train(struct simulator *simulator, struct core *core, const struct simulator_walk *walk, const struct member *member, uint64_t round)
{
	struct access access = {
		.address = address_of(walk, round), .slot = (uint32_t)(member->counters - core->counters), .site = walk->site, .looked = member->bypass ? 1u << L2 : 1u << L1,
		.counters = member->counters,
	};

	prefetch_strides(simulator, core, &access);
}

/* Its line and page are there, as the access of this round needs them. */
static inline bool is_ready(const struct member *member, uint64_t round)
{
	return round < member->until && *member->tag_at == member->tag && (*member->state_at & (member->state | LINE_PREFETCHED)) == member->state &&
	       *member->page_at == member->page;
}

/* The walk's access of this round goes the long way, or the short one after all: is its new line there? */
static void step(struct simulator *simulator, struct core *core, const struct simulator_walk *walk, struct member *member, uint64_t round)
{
	uint64_t address = address_of(walk, round);

	if (round >= member->until) {
		member->until = round + rounds_in_line(member->cache, walk, address);
		member->tag = (address >> member->cache->shift) + 1;
		member->page = (address >> simulator->page_shift) + 1;
	}
	member_find(core, member);
	if (is_ready(member, round)) {
		access_held(core, walk, member, round);
		if (member->trains)
			train(simulator, core, walk, member, round);
	} else {
		access_long(simulator, core, walk, member, address);
		member->slow++;
		member_find(core, member);
	}
	member->marked = round + 1;
}

/* The words touched in rounds up to this one, which are all in the line. */
static void mark_rounds(const struct simulator_walk *walk, struct member *member, uint64_t round)
{
	struct cache *cache = member->cache;
	uint64_t step_bytes = walk->stride < 0 ? -(uint64_t)walk->stride : (uint64_t)walk->stride;
	uint64_t first = address_of(walk, member->marked), last = address_of(walk, round), low = first < last ? first : last, high = first < last ? last : first;

	for (; step_bytes > walk->bytes && member->marked < round; member->marked++) {
		uint64_t address = address_of(walk, member->marked);

		cache->uses[member->way].touched |= utilisation_words(cache->shift, address, address + walk->bytes - 1);
	}
	low = step_bytes > walk->bytes ? last : low;
	high = step_bytes > walk->bytes ? last : high;
	cache->uses[member->way].touched |= utilisation_words(cache->shift, low, high + walk->bytes - 1);
	member->marked = round + 1;
}

/*
 * The last `nr` accesses before that of member `next` in this round, which all found what they needed, have not been put into the order of
 * use yet: as each makes its line the newest, the last one of each walk is enough.
 */
static void catch_up(struct core *core, const struct simulator_walk *group, struct member *members, uint32_t members_nr, uint32_t next, uint64_t round, uint64_t nr)
{
	uint32_t count = nr < members_nr ? (uint32_t)nr : members_nr, at = next >= count ? next - count : next + members_nr - count;

	for (; count; count--, at = at + 1 == members_nr ? 0 : at + 1) {
		struct member *member = &members[at];

		if (core->tlb[0].tags)
			cache_touch(&core->tlb[0], member->tlb_way);
		cache_touch(member->cache, member->way);
		if (member->cache->uses)
			mark_rounds(&group[at], member, at < next ? round : round - 1);
	}
}

/* Rounds from this one on, `most` at most, that stay in their lines. */
static uint64_t rounds_alike(const struct member *members, uint32_t nr, uint64_t round, uint64_t most)
{
	for (uint32_t i = 0; i < nr; i++)
		most = members[i].until - round < most ? members[i].until - round : most;
	return most;
}

/* Runs that many accesses of the group. */
static void run_rounds(struct simulator *simulator, struct core *core, struct cursor *cursor, const struct simulator_walk *group, uint32_t nr, uint32_t left)
{
	struct member *members = cursor->members;
	uint64_t behind = 0;             /* accesses that are not in the order of use */
	uint32_t ready = 0;              /* the last so many were ready */

	while (left) {
		struct member *member = &members[cursor->next];

		if (!member->trains && is_ready(member, cursor->round)) {
			behind++;
			ready++;
		} else {
			catch_up(core, group, members, nr, cursor->next, cursor->round, behind);
			step(simulator, core, &group[cursor->next], member, cursor->round);
			behind = ready = 0;
		}
		left--;
		if (++cursor->next < nr)
			continue;
		cursor->next = 0;
		cursor->round++;
		if (ready >= nr && left >= nr) {
			uint64_t alike = rounds_alike(members, nr, cursor->round, left / nr);

			cursor->round += alike;
			behind += alike * nr;
			left -= (uint32_t)alike * nr;
		}
	}
	catch_up(core, group, members, nr, cursor->next, cursor->round, behind);
}

/* A walk of one access. */
static void run_once(struct simulator *simulator, struct core *core, const struct simulator_walk *walk)
{
	bool bypass = walk->is_float && simulator->model.cache[L1].float_bypasses;
	unsigned level = bypass ? L2 : L1;
	struct cache *cache = core->levels[level];
	uint64_t address = walk->address, line = address >> cache->shift, page = address >> simulator->page_shift;
	struct member member = {
		.cache = cache, .counters = &core->counters[walk->slot < simulator->slots ? walk->slot : simulator->slots], .tag = line + 1, .page = page + 1,
		.way = cache_guess(cache, line), .tlb_way = core->tlb[0].tags ? cache_guess(&core->tlb[0], page) : 0,
		.state = walk->write ? LINE_WRITABLE : 0, .bypass = bypass,
	};

	++*(walk->write ? &member.counters->writes : &member.counters->reads);
	if ((address + walk->bytes - 1) >> cache->shift != line || !access_held(core, walk, &member, 0)) {
		access_long(simulator, core, walk, &member, address);
		return;
	}
	member.counters->bypassed += bypass;
	member.counters->cycles += held_cycles(simulator, core, level);
	if (core->strides[level])
		train(simulator, core, walk, &member, 0);
}

/* Walks of one access, to the end of their group: how many. */
static uint32_t run_singly(struct simulator *simulator, struct core *core, struct cursor *cursor, const struct simulator_walk *group, uint32_t nr, uint32_t most)
{
	uint32_t done = 0;

	while (done < most && cursor->next < nr) {
		run_once(simulator, core, &group[cursor->next]);
		cursor->next++;
		done++;
	}
	if (cursor->next == nr) {
		cursor->next = 0;
		cursor->at += nr;
	}
	return done;
}

/* Accesses of each walk between two positions: of walk i. */
static uint64_t done_between(uint64_t round, uint32_t next, uint64_t from_round, uint32_t from_next, uint32_t i)
{
	return round + (i < next) - from_round - (i < from_next);
}

/* Runs the group that is under way: accesses done, `most` at most. */
static uint32_t run_group(struct simulator *simulator, struct core *core, struct cursor *cursor, uint32_t most)
{
	const struct simulator_walk *group = &cursor->walks[cursor->at];
	uint32_t nr = group->group ? group->group : 1, from_next = cursor->next;
	uint64_t from = cursor->round, left = (group->times - from) * nr - from_next;

	if (group->times == 1)
		return run_singly(simulator, core, cursor, group, nr, most);
	for (uint32_t i = 0; i < nr && !cursor->prepared; i++)
		member_init(simulator, core, &group[i], &cursor->members[i]);
	cursor->prepared = true;
	most = group->times - from > most || left > most ? most : (uint32_t)left;
	run_rounds(simulator, core, cursor, group, nr, most);
	for (uint32_t i = 0; i < nr; i++)
		member_count(&group[i], &cursor->members[i], done_between(cursor->round, cursor->next, from, from_next, i));
	if (cursor->round == group->times) {
		cursor->at += nr;
		cursor->round = 0;
		cursor->prepared = false;
	}
	return most;
}

static void take_turn(struct simulator *simulator, struct core *core, struct cursor *cursor, const struct simulator_trace *trace)
{
	uint32_t left = simulator->shared ? SIMULATOR_TURN : INT32_MAX;

	while (left && !cursor->ended) {
		if (cursor->at < cursor->nr) {
			left -= run_group(simulator, core, cursor, left);
			continue;
		}
		cursor->at = 0;
		cursor->nr = trace->next(trace->ctx, &cursor->walks);
		cursor->ended = !cursor->nr;
	}
}

void turns_run(struct simulator *simulator, const struct simulator_trace *traces)
{
	uint32_t running = simulator->threads;

	for (uint32_t thread = 0; thread < simulator->threads; thread++)
		simulator->cursors[thread].ended = false;
	while (running) {
		running = 0;
		for (uint32_t thread = 0; thread < simulator->threads; thread++) {
			struct cursor *cursor = &simulator->cursors[thread];

			if (cursor->ended)
				continue;
			take_turn(simulator, &simulator->cores[thread], cursor, &traces[thread]);
			running += !cursor->ended;
		}
	}
}
