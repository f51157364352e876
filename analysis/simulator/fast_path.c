/* SPDX-License-Identifier: Apache-2.0 */
/* The most frequent path of a miss, see fast_path.h. */
#include "analysis/simulator/fast_path.h"

#include "analysis/simulator/cache_lines.h"
#include "analysis/simulator/cache_search.h"
#include "analysis/simulator/classes.h"
#include "analysis/simulator/hierarchy.h"
#include "analysis/simulator/interleaving.h"
#include "analysis/simulator/memory_lines.h"
#include "analysis/simulator/utilisation.h"

/*
 * All is inlined into functions with a constant `struct known`, so that the compiler removes checks
 * of it.
 */
#define INLINE inline __attribute__((always_inline))

struct aim {
	struct simulator *simulator;
	struct core *core;
	const struct access *access;
	uint64_t address, line;
	uint8_t partial_tag; /* of the line */
	const struct known {
		bool uses;           /* of lines are counted */
		unsigned classified; /* levels */
		/*
		 * all levels are LRU, with so few ways that their partial tags are compared at once
		 */
		bool simple;
	} known;
};

static INLINE struct aim aim_at(struct simulator *simulator, struct core *core,
				const struct access *access, uint64_t address,
				const struct known known)
{
	uint64_t line = address >> core->levels[L1]->shift;

	return (struct aim){ .simulator = simulator,
			     .core = core,
			     .access = access,
			     .address = address,
			     .line = line,
			     .partial_tag = partial_tag_of(line),
			     .known = known };
}

static INLINE bool is_classified(const struct aim *aim, unsigned level)
{
	return aim->known.classified >> level & 1;
}

static bool fits(const struct model_cache *cache, uint32_t line)
{
	return cache->line == line && cache->ways <= PARTIAL_TAGS * 2 && !cache->write_around &&
	       !cache->write_through && !cache->float_bypasses;
}

bool fast_path_applies(const struct simulator *simulator)
{
	const struct model_cache *cache = simulator->model.cache;
	bool has_l3 = cache[L3].bytes;

	return cache[L2].bytes && fits(&cache[L1], cache[L1].line) &&
	       fits(&cache[L2], cache[L1].line) &&
	       (!has_l3 ||
		(fits(&cache[L3], cache[L1].line) && cache[L3].inclusion == MODEL_NON_INCLUSIVE));
}

/* ------------------------------------------------------------------ one level */

/* The first way of the line's set: found once a level. */
static INLINE uint32_t first_of(const struct aim *aim, const struct cache *cache)
{
	return cache_set(cache, aim->line) * cache->ways;
}

/*
 * The class of the level's miss. The line enters the level: it is added to the history, and removed
 * from the shadow cache's evicted lines.
 */
static INLINE enum simulator_class class_of(const struct aim *aim, struct cache *cache)
{
	struct eviction_history_row *row = eviction_history_find(&cache->history, aim->line, true);
	enum simulator_class class = cache->history.lost ? CLASS_CAPACITY : CLASS_COLD;
	uint32_t shadow_line = cache_find_shadow(cache, aim->line);

	if (shadow_line != NO_SHADOW)
		cache_drop_shadow(cache, shadow_line);
	if (row && row->seen & eviction_history_bit(aim->line))
		return shadow_line == NO_SHADOW ? CLASS_CAPACITY : CLASS_CONFLICT;
	if (row)
		row->seen |= eviction_history_bit(aim->line);
	else
		cache->history.lost++;
	return class;
}

static INLINE uint32_t search(const struct aim *aim, const struct cache *cache, uint32_t first)
{
	return aim->known.simple ? cache_search_first(cache, aim->line, first, aim->partial_tag)
				 : cache_search_set(cache, aim->line, first, aim->partial_tag);
}

/* The access misses the level: counted once an access. */
static INLINE void miss(const struct aim *aim, struct access *access, unsigned level)
{
	bool counts = !(access->missed >> level & 1);
	struct simulator_counters *counters = access->counters;

	(access->write ? counters->write_misses : counters->read_misses)[level] += counts;
	access->missed |= (uint8_t)(1u << level);
	if (is_classified(aim, level))
		counters->classes[level][class_of(aim, aim->core->levels[level])] += counts;
}

/* Evicts the line from L1: its dirty state and its touched words move to L2. */
static INLINE void leave_l1(const struct aim *aim, uint32_t way)
{
	struct cache *l1 = aim->core->levels[L1], *l2 = aim->core->levels[L2];
	bool dirty = l1->states[way] & LINE_DIRTY, uses = aim->known.uses;
	uint64_t line = cache_line(l1, way);
	uint32_t outer;

	if (!dirty && !uses)
		return;
	if (uses && aim->core->interleaving)
		interleaving_store_touched(aim->core->interleaving, l1, way);
	outer = cache_find_at(l2, line, l1->outer[way]);
	if (__builtin_expect(outer == NO_WAY, 0)) {
		if (dirty)
			hierarchy_write_out(aim->simulator, aim->core, L3, line << l1->shift, 0,
					    aim->access);
		return;
	}
	l2->states[outer] |= (uint8_t)(dirty ? LINE_DIRTY | LINE_LEFT : LINE_LEFT);
	if (uses)
		l2->uses[outer].touched |= l1->uses[way].touched;
}

/* Number of touched words; the most frequent case is all words of the line. */
static INLINE uint32_t words_of(uint64_t touched, uint32_t shift)
{
	uint32_t all = 1u << (shift - 2);

	return touched == ~0ull >> (64 - all) ? all : (uint32_t)__builtin_popcountll(touched);
}

/* Counts the used words of a line that L2 evicts. */
static INLINE void end_use(const struct aim *aim, uint32_t way)
{
	struct cache *l1 = aim->core->levels[L1], *l2 = aim->core->levels[L2];
	struct line_use *use = &l2->uses[way];
	uint64_t line = cache_line(l2, way);

	if (!(l2->states[way] & LINE_LEFT) &&
	    cache_search_set(l1, line, cache_set(l1, line) * l1->ways, l2->partial_tags[way]) !=
		    NO_WAY)
		utilisation_leaves(aim->simulator, aim->core, L2, way);
	else if (use->slot != NOBODY)
		aim->core->counters[use->slot].used_bytes +=
			((uint64_t)words_of(use->touched, l2->shift) - use->settled) *
			UTILISATION_WORD;
}

static INLINE void leave_l2(const struct aim *aim, uint32_t way)
{
	struct cache *l2 = aim->core->levels[L2];

	if (aim->known.uses)
		end_use(aim, way);
	if (aim->core->interleaving)
		interleaving_evicted(aim->core->interleaving, way);
	if (!(l2->states[way] & LINE_DIRTY))
		return;
	hierarchy_write_out(aim->simulator, aim->core, L3, cache_line(l2, way) << l2->shift,
			    l2->outer[way], aim->access);
}

/* Evicts the line of the way that the new line takes. */
static INLINE void make_room(const struct aim *aim, unsigned level, uint32_t way)
{
	struct cache *cache = aim->core->levels[level];
	uint32_t stamp = cache->stamps[way];

	if (!cache->tags[way])
		return;
	if (level == L1)
		leave_l1(aim, way);
	else if (level == L2)
		leave_l2(aim, way);
	else
		aim->access->counters->write_backs += cache->states[way] & LINE_DIRTY;
	if (is_classified(aim, level) && stamp >= cache->oldest)
		cache->log[stamp & cache->log_mask] = SHADOW_MARK |
						      shadow_cache_add(&cache->shadow,
								       cache_line(cache, way),
								       stamp);
}

/* Fills the way with the line, which is neither in the level nor in its shadow cache. */
static INLINE void fill(const struct aim *aim, unsigned level, uint32_t way, uint32_t first,
			uint8_t state)
{
	struct cache *cache = aim->core->levels[level];
	uint32_t now;

	make_room(aim, level, way);
	now = cache_tick(cache);
	cache->tags[way] = aim->line + 1;
	cache->partial_tags[way] = aim->partial_tag;
	cache->states[way] = state;
	cache->stamps[way] = now;
	cache->newest = way;
	if (!aim->known.simple && cache->trees)
		cache_turn_tree(cache, way);
	if (level == L1)
		cache->guesses[aim->line & cache->guess_mask] = (uint16_t)(way - first);
	if (!is_classified(aim, level))
		return;
	cache->log[now & cache->log_mask] = way;
	if (++cache->in_shadow > cache->shadow_lines)
		cache_trim_shadow(cache);
}

/* The way that the line replaces. */
static INLINE uint32_t victim_of(const struct aim *aim, const struct cache *cache, uint32_t first)
{
	uint32_t way = first + cache->lru_way(&cache->stamps[first], cache->ways);

	return !aim->known.simple && cache->trees && cache->tags[way]
		       ? cache_tree_victim(cache, first / cache->ways)
		       : way;
}

/* Records which slot fetched the new line of L2; none of its words is touched yet. */
static INLINE void begin_use(const struct aim *aim, uint32_t way)
{
	struct cache *l2 = aim->core->levels[L2];

	if (!aim->known.uses)
		return;
	l2->uses[way] = (struct line_use){ .slot = aim->access->slot };
	aim->access->counters->fetched_bytes += 1ull << l2->shift;
}

/* ------------------------------------------------------------------ all levels */

/*
 * Enters the line into L3 if it is not there; returns its way, NO_WAY: there is no L3. *found_out:
 * it was there.
 */
static INLINE uint32_t through_l3(const struct aim *aim, struct access *missing, bool *found_out)
{
	struct cache *l3 = aim->core->levels[L3];
	uint32_t first, way;

	*found_out = false;
	if (!l3)
		return NO_WAY;
	first = first_of(aim, l3);
	way = search(aim, l3, first);
	*found_out = way != NO_WAY;
	if (missing)
		missing->looked |= 1u << L3;
	if (way == NO_WAY && missing)
		miss(aim, missing, L3);
	else if (way == NO_WAY && is_classified(aim, L3))
		class_of(aim, l3);
	if (way == NO_WAY) {
		way = victim_of(aim, l3, first);
		fill(aim, L3, way, first, 0);
	} else {
		cache_touch(l3, way);
	}
	return way;
}

static INLINE uint32_t from_memory(const struct aim *aim)
{
	const struct machine_model *model = &aim->simulator->model;
	uint32_t own = aim->core->node,
		 node = pages_node(&aim->simulator->pages,
				   aim->address >> aim->simulator->page_shift, own,
				   &aim->simulator->lost);

	core_got_line(aim->simulator, aim->core, aim->access->slot, aim->access->counters,
		      aim->address, node, &aim->simulator->lost);
	if (model->distances[0][0])
		return model->distances[own][node];
	return node == own ? model->memory_latency : model->remote_latency;
}

/* Enters the line into L2 if it is not there; returns the cycles of the access. */
static INLINE uint32_t through_l2(const struct aim *aim, struct access *access, uint32_t *way_out,
				  uint8_t *missed_out)
{
	const struct machine_model *model = &aim->simulator->model;
	struct cache *l2 = aim->core->levels[L2];
	uint32_t first = first_of(aim, l2), way = search(aim, l2, first), outer, cycles;
	bool found;

	access->looked |= 1u << L2;
	if (way != NO_WAY) {
		access->counters->prefetched += (l2->states[way] & LINE_PREFETCHED) != 0;
		l2->states[way] = (uint8_t)((l2->states[way] & ~(LINE_PREFETCHED | LINE_LEFT)) |
					    LINE_OWNED);
		cache_touch(l2, way);
		*way_out = way;
		return model->cache[L2].latency;
	}
	miss(aim, access, L2);
	*missed_out |= 1u << L2;
	if (aim->simulator->defers) {
		outer_fetch(aim->simulator, access, aim->address, false);
		outer = 0;
		cycles = model->cache[L1].latency; /* outer.c counts the rest */
	} else {
		outer = through_l3(aim, access, &found);
		*missed_out |= found ? 0 : 1u << L3;
		cycles = found ? model->cache[L3].latency : from_memory(aim);
	}
	way = *way_out = victim_of(aim, l2, first);
	fill(aim, L2, way, first, LINE_OWNED);
	begin_use(aim, way);
	l2->outer[way] = outer;
	return cycles;
}

static INLINE uint32_t access_with(struct simulator *simulator, struct core *core,
				   struct access *access, uint64_t address, uint64_t last,
				   const struct known known, uint8_t *missed_out)
{
	struct cache *l1 = core->levels[L1];
	const struct aim aim = aim_at(simulator, core, access, address, known);
	uint32_t first = first_of(&aim, l1), outer, way, cycles;

	access->looked |= 1u << L1;
	miss(&aim, access, L1);
	*missed_out = 1u << L1;
	cycles = through_l2(&aim, access, &outer, missed_out);
	way = victim_of(&aim, l1, first);
	fill(&aim, L1, way, first, LINE_OWNED | (access->write ? LINE_DIRTY : 0));
	l1->outer[way] = outer;
	if (known.uses)
		l1->uses[way].touched = utilisation_words(l1->shift, address, last);
	return cycles;
}

static INLINE void fetch_with(struct simulator *simulator, struct core *core,
			      const struct access *access, uint64_t address,
			      const struct known known)
{
	const struct aim aim = aim_at(simulator, core, access, address, known);
	struct cache *l2 = core->levels[L2];
	uint32_t first = first_of(&aim, l2), outer, way;
	bool found = true;

	if (simulator->defers) {
		outer_emit(simulator, access, OUTER_PREFETCH, address, 0);
		outer = 0;
	} else {
		outer = through_l3(&aim, NULL, &found);
	}
	if (is_classified(&aim, L2))
		class_of(&aim, l2);
	way = victim_of(&aim, l2, first);
	fill(&aim, L2, way, first, LINE_PREFETCHED | LINE_OWNED);
	if (known.uses) {
		l2->uses[way].touched = 0;
		utilisation_entered(simulator, core, way, access->slot);
	}
	l2->outer[way] = outer;
	access->counters->prefetches++;
	if (!found)
		core_prefetched_line(simulator, core, access->slot, access->counters, address,
				     &simulator->lost);
}

/* ------------------------------------------------------------------ for what is counted */

/* What most runs count: utilisation of lines, and classes of L1 and L2 misses. */
static const struct known common = { .uses = true,
				     .classified = 1u << L1 | 1u << L2,
				     .simple = true };

bool fast_path_is_common(const struct simulator *simulator)
{
	const struct model_cache *cache = simulator->model.cache;
	bool simple = true;

	for (unsigned level = L1; level < MODEL_LEVELS; level++)
		simple &= cache[level].ways <= PARTIAL_TAGS &&
			  cache[level].replacement == MODEL_LRU;
	return simulator->fast_path && simple && simulator->parts & SIMULATE_UTILISATION &&
	       simulator->classified == common.classified;
}

static inline struct known known(const struct simulator *simulator)
{
	return (struct known){ .uses = simulator->parts & SIMULATE_UTILISATION,
			       .classified = simulator->classified };
}

static __attribute__((noinline)) uint32_t access_common(struct simulator *simulator,
							struct core *core, struct access *access,
							uint64_t first, uint64_t last,
							uint8_t *missed_out)
{
	return access_with(simulator, core, access, first, last, common, missed_out);
}

static __attribute__((noinline)) uint32_t access_any(struct simulator *simulator, struct core *core,
						     struct access *access, uint64_t first,
						     uint64_t last, uint8_t *missed_out)
{
	return access_with(simulator, core, access, first, last, known(simulator), missed_out);
}

uint32_t fast_path_access(struct simulator *simulator, struct core *core, struct access *access,
			  uint64_t first, uint64_t last, uint8_t *missed_out)
{
	if (simulator->shared && !directory_is_alone(simulator, core, first))
		return 0;
	return (simulator->common ? access_common : access_any)(simulator, core, access, first,
								last, missed_out);
}

bool fast_path_fetch(struct simulator *simulator, struct core *core, const struct access *access,
		     uint64_t address)
{
	if (simulator->shared && !directory_is_alone(simulator, core, address))
		return false;
	if (simulator->common)
		fetch_with(simulator, core, access, address, common);
	else
		fetch_with(simulator, core, access, address, known(simulator));
	return true;
}
