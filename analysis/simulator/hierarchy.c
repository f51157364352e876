/* SPDX-License-Identifier: Apache-2.0 */
/* Simulates an access through all levels. */
#include "analysis/simulator/hierarchy.h"

#include "analysis/simulator/cache_lines.h"
#include "analysis/simulator/cache_search.h"
#include "analysis/simulator/classes.h"
#include "analysis/simulator/prefetch.h"
#include "analysis/simulator/interleaving.h"
#include "analysis/simulator/tlb.h"
#include "analysis/simulator/fast_path.h"
#include "analysis/simulator/memory_lines.h"
#include "analysis/simulator/stride_run.h"

#define MEMORY MODEL_LEVELS /* the level behind all caches */

/* One piece of an access: the line of the smallest size that it touches. */
struct piece {
	uint64_t first, last; /* bytes of the access in it */
	unsigned found;       /* the level that had it, or MEMORY */
	uint8_t missed;       /* levels, bits */
	uint8_t state;        /* what it enters with */
	struct sharing sharing;
	uint32_t ways[MODEL_LEVELS]; /* where it is now; NO_WAY: not, or not known */
};

void hierarchy_write_out(struct simulator *simulator, struct core *core, unsigned level,
			 uint64_t address, uint32_t likely, const struct access *access)
{
	for (; level < MODEL_LEVELS; level++) {
		struct cache *cache = core->levels[level];
		uint32_t way;

		if (level == L3 && simulator->defers) {
			outer_emit(simulator, access, OUTER_WRITE_BACK, address, 0);
			return;
		}
		way = cache && !simulator->model.cache[level].write_through
			      ? cache_find_at(cache, address >> cache->shift, likely)
			      : NO_WAY;

		if (way != NO_WAY) {
			cache->states[way] |= LINE_DIRTY;
			return;
		}
		likely = cache ? 0 : likely;
	}
	access->counters->write_backs++;
}

uint8_t hierarchy_invalidate(struct simulator *simulator, struct core *core, unsigned level,
			     uint64_t line)
{
	struct cache *cache = core->levels[level];
	uint32_t wider = simulator->coherence_shift - cache->shift;
	uint8_t states = 0;

	for (uint64_t inner = line << wider; inner < (line + 1) << wider; inner++) {
		uint32_t way = cache_find(cache, inner);

		if (way == NO_WAY)
			continue;
		interleaving_settle(core);
		states |= cache->states[way];
		if (cache->uses)
			utilisation_leaves(simulator, core, level, way);
		cache_remove(cache, way);
		core->disturbed = true;
	}
	return states & LINE_DIRTY;
}

/* Invalidates a line that an inclusive L3 evicts in its cores' private levels. True: dirty. */
static bool invalidate_inside(struct simulator *simulator, uint32_t l3, uint64_t line)
{
	bool dirty = false;

	for (uint32_t thread = 0;
	     (thread = directory_next_holder(simulator, line, thread)) < simulator->threads;
	     thread++) {
		struct core *core = &simulator->cores[thread];

		for (unsigned level = L1; core->l3 == l3 && level <= simulator->last_private;
		     level++)
			dirty |= hierarchy_invalidate(simulator, core, level, line);
	}
	return dirty;
}

static void evict_l3(struct simulator *simulator, struct core *core, uint32_t way,
		     const struct access *access)
{
	struct cache *cache = core->levels[L3];
	bool dirty = cache->states[way] & LINE_DIRTY;

	if (simulator->model.cache[L3].inclusion == MODEL_INCLUSIVE)
		dirty |= invalidate_inside(simulator, core->l3, cache_line(cache, way));
	cache_evict(cache, way);
	access->counters->write_backs += dirty;
}

/* Lines that the outermost private level evicts enter an exclusive L3. */
static void enter_exclusive(struct simulator *simulator, struct core *core, uint64_t address,
			    uint8_t state, const struct access *access)
{
	struct cache *cache = core->levels[L3];
	uint32_t way = cache_find(cache, address >> cache->shift);

	if (way != NO_WAY) {
		cache_touch(cache, way);
		cache->states[way] |= state;
		return;
	}
	cache_forget(cache, address >> cache->shift);
	hierarchy_enter(simulator, core, L3, address, state, access);
	if (simulator->shared)
		directory_note_l3(simulator, core, address);
}

static void evict_way(struct simulator *simulator, struct core *core, unsigned level, uint32_t way,
		      const struct access *access)
{
	struct cache *cache = core->levels[level];
	uint64_t address = cache_line(cache, way) << cache->shift;
	bool dirty = cache->states[way] & LINE_DIRTY;

	if (level == L3) {
		evict_l3(simulator, core, way, access);
		return;
	}
	if (cache->uses)
		utilisation_leaves(simulator, core, level, way);
	if (level == simulator->last_private && core->interleaving)
		interleaving_evicted(core->interleaving, way);
	cache_evict(cache, way);
	if (level == simulator->last_private && core->levels[L3] &&
	    simulator->model.cache[L3].inclusion == MODEL_EXCLUSIVE)
		enter_exclusive(simulator, core, address, dirty ? LINE_DIRTY : 0, access);
	else if (dirty)
		hierarchy_write_out(simulator, core, level + 1, address, cache->outer[way], access);
}

uint32_t hierarchy_enter(struct simulator *simulator, struct core *core, unsigned level,
			 uint64_t address, uint8_t state, const struct access *access)
{
	struct cache *cache = core->levels[level];
	uint64_t line = address >> cache->shift;
	uint32_t way = cache_victim(cache, line);

	if (cache->tags[way])
		evict_way(simulator, core, level, way, access);
	cache_fill(cache, way, line, state);
	if (simulator->classified >> level & 1)
		classes_entered(simulator, cache, line);
	if (cache->uses && level == simulator->last_private)
		utilisation_entered(simulator, core, way, access->slot);
	return way;
}

static void count_miss(struct simulator *simulator, struct core *core, struct access *access,
		       unsigned level, uint64_t address, bool in_shadow)
{
	struct simulator_counters *counters = access->counters;

	access->missed |= (uint8_t)(1u << level);
	++*(access->write ? &counters->write_misses[level] : &counters->read_misses[level]);
	if (simulator->classified >> level & 1)
		counters->classes[level]
				 [classes_of(simulator, core, access, level, address, in_shadow)]++;
}

static bool allocates(const struct simulator *simulator, const struct access *access,
		      unsigned level)
{
	return !(access->write && simulator->model.cache[level].write_around);
}

static __attribute__((noinline)) void missed(struct simulator *simulator, struct core *core,
					     struct access *access, struct piece *piece,
					     unsigned level)
{
	struct cache *cache = core->levels[level];
	uint32_t shadow_line = cache_find_shadow(cache, piece->first >> cache->shift);

	if (!(access->missed >> level & 1))
		count_miss(simulator, core, access, level, piece->first, shadow_line != NO_SHADOW);
	piece->missed |= (uint8_t)(1u << level);
	if (shadow_line == NO_SHADOW)
		return;
	if (allocates(simulator, access, level))
		cache_drop_shadow(cache, shadow_line);
	else
		cache_touch_shadow(cache, shadow_line);
}

static void mark_words(struct cache *cache, uint32_t way, const struct piece *piece)
{
	cache->uses[way].touched |= utilisation_words(cache->shift, piece->first, piece->last);
}

/* Looks into a level. True: it has the piece. */
static inline bool look(struct simulator *simulator, struct core *core, struct access *access,
			struct piece *piece, unsigned level)
{
	struct cache *cache = core->levels[level];
	uint32_t way = cache_find(cache, piece->first >> cache->shift);

	access->looked |= (uint8_t)(1u << level);
	if (way == NO_WAY) {
		missed(simulator, core, access, piece, level);
		return false;
	}
	piece->found = level;
	piece->ways[level] = way;
	if (cache->states[way] & LINE_PREFETCHED) {
		cache->states[way] &= (uint8_t)~LINE_PREFETCHED;
		access->counters->prefetched++;
	}
	cache_touch(cache, way);
	return true;
}

static void look_private(struct simulator *simulator, struct core *core, struct access *access,
			 struct piece *piece)
{
	for (unsigned level = access->bypass ? L2 : L1; level <= simulator->last_private; level++)
		if (look(simulator, core, access, piece, level))
			return;
}

/* Rule 6. */
static void ask_others(struct simulator *simulator, struct core *core, struct access *access,
		       struct piece *piece)
{
	bool held = piece->found != MEMORY;
	uint8_t state = held ? core->levels[piece->found]->states[piece->ways[piece->found]] : 0;

	if (!simulator->shared)
		piece->sharing.owned = true;
	else if (held && (state & LINE_OWNED || !access->write))
		piece->sharing.owned = state & LINE_OWNED;
	else if (access->write)
		piece->sharing = directory_write(simulator, core, piece->first, held);
	else
		piece->sharing = directory_read(simulator, core, access, piece->first);
	access->counters->upgrades += held && piece->sharing.others;
	access->counters->transfers += piece->sharing.transferred;
	access->counters->remote_transfers += piece->sharing.transferred && piece->sharing.remote;
}

uint8_t hierarchy_take_out(struct simulator *simulator, struct core *core, uint64_t address,
			   uint32_t way)
{
	uint8_t state = core->levels[L3]->states[way] & LINE_DIRTY;

	cache_remove(core->levels[L3], way);
	if (state && simulator->shared)
		directory_note_dirty(simulator, core, address);
	return state;
}

static void look_l3(struct simulator *simulator, struct core *core, struct access *access,
		    struct piece *piece)
{
	struct cache *cache = core->levels[L3];

	if (piece->found == MEMORY && simulator->defers) {
		outer_fetch(simulator, access, piece->first, piece->sharing.transferred);
		return;
	}
	if (piece->found != MEMORY || !cache || !look(simulator, core, access, piece, L3))
		return;
	if (simulator->model.cache[L3].inclusion != MODEL_EXCLUSIVE)
		return;
	piece->state = hierarchy_take_out(simulator, core, piece->first, piece->ways[L3]);
	piece->ways[L3] = NO_WAY;
}

static uint32_t memory_latency(struct simulator *simulator, struct core *core,
			       struct access *access, uint64_t address)
{
	const struct machine_model *model = &simulator->model;
	uint32_t node = pages_node(&simulator->pages, address >> simulator->page_shift, core->node,
				   &simulator->lost);

	core_got_line(simulator, core, access->slot, access->counters, address, node,
		      &simulator->lost);
	if (model->distances[0][0])
		return model->distances[core->node][node];
	return node == core->node ? model->memory_latency : model->remote_latency;
}

static uint32_t latency(struct simulator *simulator, struct core *core, struct access *access,
			const struct piece *piece)
{
	const struct machine_model *model = &simulator->model;

	if (piece->sharing.transferred)
		return piece->sharing.remote ? model->remote_transfer_latency
					     : model->transfer_latency;
	if (piece->found == MEMORY && simulator->defers)
		return model->cache[L1].latency; /* outer.c counts the rest */
	return piece->found == MEMORY ? memory_latency(simulator, core, access, piece->first)
				      : model->cache[piece->found].latency;
}

/* The levels that missed get the line, from the outside in. */
static void enter_levels(struct simulator *simulator, struct core *core, struct access *access,
			 struct piece *piece)
{
	uint32_t outer = NO_WAY;

	for (unsigned level = MODEL_LEVELS; level-- > 0;) {
		bool exclusive = level == L3 &&
				 simulator->model.cache[L3].inclusion == MODEL_EXCLUSIVE;

		if (piece->missed >> level & 1 && !exclusive &&
		    allocates(simulator, access, level)) {
			piece->ways[level] = hierarchy_enter(
				simulator, core, level, piece->first,
				level == simulator->last_private ? piece->state : 0, access);
			cache_note_outer(core->levels[level], piece->ways[level], outer);
		}
		outer = core->levels[level] ? piece->ways[level] : outer;
	}
}

/* Dirty in the first level that takes it. */
static void write(struct simulator *simulator, struct core *core, struct access *access,
		  const struct piece *piece)
{
	unsigned level = access->bypass ? L2 : L1;
	uint32_t way = piece->ways[level];

	if (way != NO_WAY && !simulator->model.cache[level].write_through)
		core->levels[level]->states[way] |= LINE_DIRTY;
	else
		hierarchy_write_out(simulator, core, level, piece->first, 0, access);
}

/*
 * Marks the line dirty where the write goes, as exclusive if no other core holds it, and as used.
 */
static void settle_piece(struct simulator *simulator, struct core *core, struct access *access,
			 struct piece *piece)
{
	bool looked_at = true, marked = false;

	for (unsigned level = access->bypass ? L2 : L1;
	     level <= simulator->last_private && looked_at; level++) {
		struct cache *cache = core->levels[level];
		uint32_t way = piece->ways[level];

		looked_at = piece->missed >> level & 1;
		if (way == NO_WAY)
			continue;
		cache->states[way] = (uint8_t)((cache->states[way] & ~(LINE_OWNED | LINE_LEFT)) |
					       (piece->sharing.owned ? LINE_OWNED : 0));
		if (cache->uses && !marked)
			mark_words(cache, way, piece);
		marked = true; /* L2 gets to know when the line leaves L1 */
	}
	if (access->write)
		write(simulator, core, access, piece);
}

void hierarchy_expect(const struct simulator *simulator, struct core *core, uint64_t address)
{
	if (sampling_skips(&simulator->sampling, address >> simulator->coherence_shift))
		return;
	for (unsigned level = L2; level <= (simulator->defers ? L2 : L3); level++) {
		struct cache *cache = core->levels[level];

		if (!cache)
			continue;
		cache_expect(cache, address >> cache->shift);
		if (simulator->classified >> level & 1)
			classes_expect(cache, address >> cache->shift);
	}
	if (simulator->shared && !simulator->private && simulator->directory.rows.room)
		__builtin_prefetch(lookup_row(&simulator->directory.rows,
					      lookup_place(&simulator->directory.rows,
							   address >> simulator->coherence_shift)));
}

static __attribute__((noinline)) uint32_t access_any_piece(struct simulator *simulator,
							   struct core *core, struct access *access,
							   uint64_t first, uint64_t last,
							   uint8_t *missed_out)
{
	struct piece piece = {
		.first = first, .last = last, .found = MEMORY, .ways = { NO_WAY, NO_WAY, NO_WAY }
	};
	uint32_t cycles;

	look_private(simulator, core, access, &piece);
	ask_others(simulator, core, access, &piece);
	look_l3(simulator, core, access, &piece);
	cycles = latency(simulator, core, access, &piece);
	enter_levels(simulator, core, access, &piece);
	settle_piece(simulator, core, access, &piece);
	if (access->write && simulator->shared && !simulator->private)
		directory_written(simulator, core, piece.first, piece.last);
	*missed_out = piece.missed;
	return cycles;
}

/* `absent`: the caller knows that L1 misses it, so L1 is not searched. */
static inline uint32_t access_piece(struct simulator *simulator, struct core *core,
				    struct access *access, uint64_t first, uint64_t last,
				    bool absent)
{
	bool fast = simulator->fast_path &&
		    (absent ||
		     cache_find(core->levels[L1], first >> simulator->piece_shift) == NO_WAY);
	uint8_t missed = 0;
	uint32_t cycles = fast ? fast_path_access(simulator, core, access, first, last, &missed)
			       : 0;

	if (!cycles)
		cycles = access_any_piece(simulator, core, access, first, last, &missed);
	for (unsigned level = L1; simulator->next_line && missed >> level; level++)
		if (missed >> level & 1 && simulator->model.cache[level].next_line)
			prefetch_next_line(simulator, core, access, level, first);
	return cycles;
}

/*
 * One of several pieces: the search for accesses that only update the LRU order ignores it as it
 * does the others.
 */
static uint32_t access_part(struct simulator *simulator, struct core *core, struct access *access,
			    uint64_t first, uint64_t last)
{
	unsigned level = access->bypass ? L2 : L1;
	uint32_t way = stride_run_held(core->levels[level], first, last,
				       access->write ? LINE_WRITABLE : 0);

	if (way == NO_WAY)
		return access_piece(simulator, core, access, first, last, false);
	stride_run_use_held(core->levels[level], way, first, last);
	access->looked |= (uint8_t)(1u << level);
	return simulator->model.cache[level].latency;
}

/* The cycles of its slowest piece, to which it counts from then on. 0: none was simulated. */
static uint32_t access_pieces(struct simulator *simulator, struct core *core, struct access *access,
			      uint64_t from)
{
	uint64_t piece_bytes = 1ull << simulator->piece_shift, first = from,
		 left = access->last - from + 1;
	struct simulator_counters *counters = access->counters;
	bool several = (from & (piece_bytes - 1)) + left > piece_bytes;
	uint32_t slowest = 0;

	while (left) {
		uint64_t bytes = piece_bytes - (first & (piece_bytes - 1));
		uint32_t cycles = 0;

		bytes = bytes < left ? bytes : left;
		if (access_aim(simulator, core, access, first))
			cycles = several ? access_part(simulator, core, access, first,
						       first + bytes - 1)
					 : access_piece(simulator, core, access, first,
							first + bytes - 1, false);
		if (cycles > slowest) {
			slowest = cycles;
			counters = access->counters;
		}
		first += bytes;
		left -= bytes;
	}
	access->counters = counters;
	return slowest;
}

static void count_cycles(struct simulator *simulator, struct access *access, uint32_t slowest,
			 uint32_t least)
{
	if (slowest <= least)
		return;
	if (access->deferred)
		outer_slowest(simulator, access, slowest - least);
	else
		access->counters->cycles += slowest - least;
}

void hierarchy_access(struct simulator *simulator, struct core *core, struct access *access,
		      uint64_t from)
{
	struct simulator_counters *whole = access->counters;
	uint32_t least = simulator->model.cache[L1].latency, slowest;

	whole->cycles += tlb_access(simulator, core, access);
	whole->bypassed += access->bypass;
	if (sampling_is_on(&simulator->sampling))
		access->looked |= (uint8_t)(access->bypass ? 1u << L2 : 1u << L1);
	slowest = access_pieces(simulator, core, access, from);
	/* L2's time is that of all accesses */
	if (sampling_is_on(&simulator->sampling) && access->bypass) {
		whole->cycles += simulator->model.cache[L2].latency - least;
		least = simulator->model.cache[L2].latency;
	}
	count_cycles(simulator, access, slowest, least);
	if (simulator->strides)
		prefetch_strides(simulator, core, access);
}

void hierarchy_access_absent(struct simulator *simulator, struct core *core, struct access *access)
{
	uint32_t least = simulator->model.cache[L1].latency, cycles;

	if (sampling_is_on(&simulator->sampling))
		access->looked |= 1u << L1;
	if (access_aim(simulator, core, access, access->address)) {
		cycles = access_piece(simulator, core, access, access->address, access->last, true);
		count_cycles(simulator, access, cycles, least);
	}
	if (simulator->strides)
		prefetch_strides(simulator, core, access);
}
