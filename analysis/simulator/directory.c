/* SPDX-License-Identifier: Apache-2.0 */
/* Possible holders of lines, and the writers of invalidated lines. */
#define _DEFAULT_SOURCE
#include "analysis/simulator/directory.h"

#include "analysis/base/own_memory.h"
#include "analysis/simulator/cache_lines.h"
#include "analysis/simulator/cache_search.h"
#include "analysis/simulator/hierarchy.h"
#include "analysis/simulator/interleaving.h"
#include "analysis/simulator/utilisation.h"

#define WRITERS 1024   /* in a word of a track: write × WRITERS + writer */
#define TRACKS_SHARE 2 /* share of the history's budget for tracks */
/* share of the history's budget for blocks: 900 MiB of accessed memory */
#define BLOCK_BYTES ((size_t)6 << 20)

static struct track *track_of(struct directory *directory, uint32_t number)
{
	return (struct track *)((unsigned char *)directory->tracks +
				(size_t)(number - 1) * directory->track_bytes);
}

bool directory_init(struct simulator *simulator)
{
	struct directory *directory = &simulator->directory;
	uint32_t holders = simulator->threads + simulator->nr_l3;
	size_t bytes = SIMULATOR_HISTORY / TRACKS_SHARE;

	directory->words = 1u << (simulator->coherence_shift - 2);
	directory->holders = (holders + 63) / 64;
	lookup_init(&directory->rows,
		    sizeof(struct directory_row) + directory->holders * sizeof(uint64_t), NULL);
	directory->block_budget = BLOCK_BYTES;
	simulator->history_budget -= simulator->shared ? BLOCK_BYTES : 0;
	lookup_init(&directory->blocks, sizeof(struct directory_block), &directory->block_budget);
	for (unsigned level = L1; level < MODEL_LEVELS; level++) {
		const struct model_cache *cache = &simulator->model.cache[level];

		directory->most_lines += (level == L3 ? simulator->nr_l3 : simulator->threads) *
					 (uint32_t)(cache->bytes >> simulator->coherence_shift);
	}
	if (!simulator->shared || !simulator->classified)
		return true;
	directory->track_bytes = sizeof(struct track) +
				 (directory->words + holders) * sizeof(uint64_t);
	directory->max_tracks = (uint32_t)(bytes / directory->track_bytes);
	simulator->history_budget -= bytes;
	directory->tracks = own_memory(bytes, 0);
	return directory->tracks != NULL;
}

void directory_release(struct simulator *simulator)
{
	struct directory *directory = &simulator->directory;

	lookup_release(&directory->rows);
	lookup_release(&directory->blocks);
	if (directory->max_tracks && directory->tracks)
		own_memory_give_back(directory->tracks, SIMULATOR_HISTORY / TRACKS_SHARE);
}

size_t directory_bytes(const struct directory *directory)
{
	return lookup_bytes(&directory->rows) + lookup_bytes(&directory->blocks) +
	       directory->nr_tracks * directory->track_bytes;
}

/* The caches of a holder: L1 and L2 of a core, or an L3. */
static unsigned caches_of(struct simulator *simulator, uint32_t holder, struct cache *caches_out[2])
{
	unsigned nr = 0;

	if (holder >= simulator->threads) {
		caches_out[nr++] = &simulator->l3s[holder - simulator->threads];
		return nr;
	}
	for (unsigned level = L1; level <= simulator->last_private; level++)
		caches_out[nr++] = simulator->cores[holder].levels[level];
	return nr;
}

/* Call before another core invalidates a line of its caches. */
static void settle(struct simulator *simulator, uint32_t holder)
{
	if (holder < simulator->threads)
		interleaving_settle(&simulator->cores[holder]);
}

/* Another core changes the state of its caches. */
static void disturb(struct simulator *simulator, uint32_t holder)
{
	if (holder < simulator->threads)
		simulator->cores[holder].disturbed = true;
}

static uint64_t first_line(const struct simulator *simulator, const struct cache *cache,
			   uint64_t coherence_line)
{
	return coherence_line << (simulator->coherence_shift - cache->shift);
}

static uint32_t lines_inside(const struct simulator *simulator, const struct cache *cache)
{
	return 1u << (simulator->coherence_shift - cache->shift);
}

static bool holds(struct simulator *simulator, uint32_t holder, uint64_t coherence_line)
{
	struct cache *caches[2];

	for (unsigned nr = caches_of(simulator, holder, caches); nr-- > 0;)
		for (uint32_t i = 0; i < lines_inside(simulator, caches[nr]); i++)
			if (cache_find(caches[nr],
				       first_line(simulator, caches[nr], coherence_line) + i) !=
			    NO_WAY)
				return true;
	return false;
}

static bool is_needed(void *ctx, void *row_pointer)
{
	const struct directory_row *row = row_pointer;
	struct simulator *simulator = ctx;

	for (uint32_t holder = 0;
	     !row->track &&
	     holder < simulator->threads + (simulator->defers ? 0 : simulator->nr_l3);
	     holder++)
		if (row->holders[holder / 64] >> holder % 64 & 1 &&
		    holds(simulator, holder, lookup_key(row)))
			return true;
	return row->track;
}

/*
 * Frees rows of lines that no cache holds; doubles the table if that frees few. The limit has room
 * for all that the caches can hold.
 */
static void make_room(struct simulator *simulator, struct lookup *rows)
{
	if (rows->nr < rows->room / 2 || rows->room / 4 < simulator->directory.most_lines ||
	    !lookup_rebuild(rows, rows->room, is_needed, simulator))
		return;
	if (rows->nr >= rows->room / 4)
		lookup_rebuild(rows, rows->room * 2, NULL, NULL);
}

static struct directory_row *row_of(struct simulator *simulator, uint64_t coherence_line)
{
	struct lookup *rows = &simulator->directory.rows;
	struct directory_row *row = lookup_find(rows, coherence_line);

	if (row)
		return row;
	make_room(simulator, rows);
	row = lookup_add(rows, coherence_line);
	if (row)
		row->owner = NO_OWNER;
	else
		simulator->lost++;
	return row;
}

static void add_holder(struct directory_row *row, uint32_t holder)
{
	row->holders[holder / 64] |= 1ull << holder % 64;
}

static void note_holder(struct simulator *simulator, uint32_t holder, uint64_t coherence_line,
			uint32_t owner)
{
	struct directory_row *row = holds(simulator, holder, coherence_line)
					    ? row_of(simulator, coherence_line)
					    : NULL;

	if (!row)
		return;
	add_holder(row, holder);
	row->owner = owner;
}

/* Another core is about to access a block of a single owner. */
static void share_block(struct simulator *simulator, uint64_t block, const struct core *core)
{
	unsigned wider = DIRECTORY_BLOCK_SHIFT - simulator->coherence_shift;

	for (uint64_t line = block << wider; line < (block + 1) << wider; line++) {
		if (sampling_skips(&simulator->sampling, line))
			continue;
		/* all cores share the one L3 then */
		if (simulator->nr_l3 && !simulator->defers)
			note_holder(simulator, simulator->threads + core->l3, line, NO_OWNER);
		note_holder(simulator, core->number, line, core->number);
	}
}

static struct directory_block *block_of(struct directory *directory, uint64_t block, uint32_t core)
{
	struct directory_block *row = lookup_find(&directory->blocks, block);

	if (row || directory->overflowed)
		return row;
	row = lookup_add(&directory->blocks, block);
	if (row)
		row->core = core;
	else
		directory->overflowed = true;
	return row;
}

_Static_assert(SIMULATOR_MAX_THREADS < 1 << DIRECTORY_CORE_BITS, "no core is taken for NO_OWNER");

bool directory_is_alone_now(struct simulator *simulator, uint64_t block, uint32_t core)
{
	struct directory *directory = &simulator->directory;
	struct directory_block *row = block_of(directory, block, core);
	uint32_t only = row ? (uint32_t)row->core : NO_OWNER;

	if (only != NO_OWNER && only != core) {
		share_block(simulator, block, &simulator->cores[only]);
		row->core = only = NO_OWNER;
	}
	directory->recent[hash_place(block, DIRECTORY_RECENT_BITS)] = directory_owned(block, only);
	return only == core;
}

static bool holds_any(struct simulator *simulator, uint64_t block, uint32_t core)
{
	unsigned wider = DIRECTORY_BLOCK_SHIFT - simulator->coherence_shift;

	for (uint64_t line = block << wider; line < (block + 1) << wider; line++)
		if (holds(simulator, core, line))
			return true;
	return false;
}

/* A line of a block that several cores have accessed. Removes holders that lost it. */
static bool is_held_elsewhere(struct simulator *simulator, struct directory_row *row, uint32_t core)
{
	for (uint32_t word = 0; word < simulator->directory.holders; word++)
		for (uint64_t bits = row->holders[word]; bits; bits &= bits - 1) {
			uint32_t holder = word * 64 + (uint32_t)__builtin_ctzll(bits);

			if (holder == core || holder >= simulator->threads)
				continue;
			if (holds(simulator, holder, lookup_key(row)))
				return true;
			row->holders[word] &= ~(1ull << holder % 64);
		}
	return row->track;
}

static bool is_any_held_elsewhere(struct simulator *simulator, uint64_t block, uint32_t core)
{
	unsigned wider = DIRECTORY_BLOCK_SHIFT - simulator->coherence_shift;

	for (uint64_t line = block << wider; line < (block + 1) << wider; line++) {
		struct directory_row *row = lookup_find(&simulator->directory.rows, line);

		if (row && is_held_elsewhere(simulator, row, core))
			return true;
	}
	return false;
}

bool directory_make_alone(struct simulator *simulator, uint64_t block, uint32_t core)
{
	struct directory *directory = &simulator->directory;
	struct directory_block *row = block_of(directory, block, core);

	if (!row || row->core == core)
		return row;
	if (row->core == NO_OWNER ? is_any_held_elsewhere(simulator, block, core)
				  : holds_any(simulator, block, (uint32_t)row->core))
		return false;
	row->core = core;
	directory->recent[hash_place(block, DIRECTORY_RECENT_BITS)] = directory_owned(block, core);
	return true;
}

/* The core gets the line, and its L3, unless that is exclusive and enters it itself. */
static void add_core(struct simulator *simulator, struct directory_row *row,
		     const struct core *core)
{
	add_holder(row, core->number);
	if (simulator->nr_l3)
		add_holder(row, simulator->threads + core->l3);
}

/* Bits of the holders in one word that are not the core nor its L3. */
static uint64_t others(const struct simulator *simulator, const struct directory_row *row,
		       const struct core *core, uint32_t word)
{
	uint64_t bits = row->holders[word];
	uint32_t l3 = simulator->threads + core->l3;

	if (core->number / 64 == word)
		bits &= ~(1ull << core->number % 64);
	if (simulator->nr_l3 && l3 / 64 == word)
		bits &= ~(1ull << l3 % 64);
	return bits;
}

static bool has_others(const struct simulator *simulator, const struct directory_row *row,
		       const struct core *core)
{
	for (uint32_t word = 0; word < simulator->directory.holders; word++)
		if (others(simulator, row, core, word))
			return true;
	return false;
}

/* The core's copies become shared and clean. True: one was dirty. */
static bool make_clean(struct simulator *simulator, uint32_t holder, uint64_t coherence_line)
{
	struct cache *caches[2];
	uint8_t states = 0;

	for (unsigned nr = caches_of(simulator, holder, caches); nr-- > 0;)
		for (uint32_t i = 0; i < lines_inside(simulator, caches[nr]); i++) {
			uint32_t way = cache_find(
				caches[nr], first_line(simulator, caches[nr], coherence_line) + i);

			if (way == NO_WAY)
				continue;
			states |= caches[nr]->states[way];
			caches[nr]->states[way] &= (uint8_t)~LINE_WRITABLE;
			disturb(simulator, holder);
		}
	return states & LINE_DIRTY;
}

struct sharing directory_read(struct simulator *simulator, struct core *core,
			      const struct access *access, uint64_t address)
{
	uint64_t line = address >> simulator->coherence_shift;
	struct sharing sharing = { .owned = directory_is_alone(simulator, core, address) };
	struct directory_row *row = sharing.owned ? NULL : row_of(simulator, line);
	uint32_t owner = row ? row->owner : NO_OWNER;

	if (!row)
		return sharing;
	if (owner != NO_OWNER && owner != core->number) {
		row->owner = NO_OWNER;
		sharing.transferred = make_clean(simulator, owner, line);
		sharing.remote = simulator->cores[owner].node != core->node;
		if (sharing.transferred)
			hierarchy_write_out(simulator, &simulator->cores[owner], L3, address, 0,
					    access);
	}
	add_core(simulator, row, core);
	if (has_others(simulator, row, core))
		return sharing;
	row->owner = core->number;
	sharing.owned = !row->track;
	return sharing;
}

static uint32_t new_track(struct simulator *simulator)
{
	struct directory *directory = &simulator->directory;
	uint32_t number = directory->free_track;
	struct track *track;

	if (!number && directory->nr_tracks == directory->max_tracks) {
		simulator->lost++;
		return 0;
	}
	if (!number)
		return ++directory->nr_tracks; /* as it was mapped: all zero */
	track = track_of(directory, number);
	directory->free_track = track->next_free;
	*track = (struct track){ 0 };
	for (uint32_t i = 0; i < directory->words + simulator->threads + simulator->nr_l3; i++)
		track->last[i] = 0;
	return number;
}

/*
 * The holder lost its copies to the current write, `lines` of them from caches that classify
 * misses. A later miss in one of these compares with this write whichever cache held the line now.
 */
static void note_taken(struct simulator *simulator, struct directory_row *row, uint32_t holder,
		       uint32_t lines)
{
	struct directory *directory = &simulator->directory;
	struct track *track;

	if (!row->track)
		row->track = new_track(simulator);
	if (!row->track)
		return;
	track = track_of(directory, row->track);
	track->marks += lines;
	track->last[directory->words + holder] = track->writes + 1;
}

static bool mark_taken(struct cache *cache, uint64_t line)
{
	struct eviction_history_row *row = eviction_history_find(&cache->history, line, true);

	if (!row)
		return false;
	row->taken |= eviction_history_bit(line);
	return true;
}

/* Removes all copies of a holder. Returns their state; *held_out: there were some. */
static uint8_t take(struct simulator *simulator, struct directory_row *row, uint32_t holder,
		    bool *held_out)
{
	struct cache *caches[2];
	uint32_t marks = 0;
	uint8_t states = 0;

	*held_out = false;
	for (unsigned level = 0, nr = caches_of(simulator, holder, caches); level < nr; level++)
		for (uint32_t i = 0; i < lines_inside(simulator, caches[level]); i++) {
			uint64_t line = first_line(simulator, caches[level], lookup_key(row)) + i;
			uint32_t way = cache_find(caches[level], line);

			if (way == NO_WAY)
				continue;
			*held_out = true;
			settle(simulator, holder);
			states |= caches[level]->states[way];
			if (caches[level]->uses)
				utilisation_leaves(simulator, &simulator->cores[holder], level,
						   way);
			cache_remove(caches[level], way);
			disturb(simulator, holder);
			marks += caches[level]->log && mark_taken(caches[level], line);
		}
	if (marks || (*held_out && row->track))
		note_taken(simulator, row, holder, marks);
	return states;
}

static void take_from(struct simulator *simulator, struct core *core, struct directory_row *row,
		      uint32_t holder, struct sharing *sharing)
{
	bool held, is_core = holder < simulator->threads;
	uint8_t states = take(simulator, row, holder, &held);

	sharing->others |= held && is_core;
	sharing->dirty |= states & LINE_DIRTY;
	if (is_core && states & LINE_DIRTY) {
		sharing->transferred = true;
		sharing->remote = simulator->cores[holder].node != core->node;
	}
}

struct sharing directory_write(struct simulator *simulator, struct core *core, uint64_t address,
			       bool held)
{
	struct sharing sharing = { .owned = directory_is_alone(simulator, core, address) };
	struct directory_row *row = sharing.owned ? NULL
						  : row_of(simulator,
							   address >> simulator->coherence_shift);

	if (!row)
		return sharing;
	for (uint32_t word = 0; word < simulator->directory.holders; word++) {
		uint64_t bits = others(simulator, row, core, word);

		for (row->holders[word] &= ~bits; bits; bits &= bits - 1)
			take_from(simulator, core, row, word * 64 + (uint32_t)__builtin_ctzll(bits),
				  &sharing);
	}
	add_core(simulator, row, core);
	row->owner = core->number;
	sharing.transferred &= !held;
	sharing.owned = !row->track;
	return sharing;
}

uint32_t directory_next_holder(struct simulator *simulator, uint64_t coherence_line, uint32_t core)
{
	struct directory *directory = &simulator->directory;
	struct directory_row *row = simulator->shared
					    ? lookup_find(&directory->rows, coherence_line)
					    : NULL;
	const struct directory_block *block = lookup_find(
		&directory->blocks,
		coherence_line >> (DIRECTORY_BLOCK_SHIFT - simulator->coherence_shift));

	if (!simulator->shared)
		return core;
	while (core < simulator->threads && !(block && block->core == core) &&
	       !(row && row->holders[core / 64] >> core % 64 & 1))
		core++;
	return core;
}

void directory_note_dirty(struct simulator *simulator, const struct core *core, uint64_t address)
{
	struct directory_row *row = lookup_find(&simulator->directory.rows,
						address >> simulator->coherence_shift);

	if (row)
		row->owner = core->number;
}

void directory_note_l3(struct simulator *simulator, const struct core *core, uint64_t address)
{
	struct directory_row *row = directory_is_alone(simulator, core, address)
					    ? NULL
					    : row_of(simulator,
						     address >> simulator->coherence_shift);

	if (row)
		add_holder(row, simulator->threads + core->l3);
}

void directory_returned(struct simulator *simulator, uint64_t address)
{
	struct directory *directory = &simulator->directory;
	struct directory_row *row = lookup_find(&directory->rows,
						address >> simulator->coherence_shift);
	struct track *track;

	if (!row || !row->track)
		return;
	track = track_of(directory, row->track);
	if (track->marks && --track->marks)
		return;
	track->next_free = directory->free_track;
	directory->free_track = row->track;
	row->track = 0;
}

void directory_written(struct simulator *simulator, const struct core *core, uint64_t first,
		       uint64_t last)
{
	struct directory *directory = &simulator->directory;
	struct directory_row *row = directory->nr_tracks
					    ? lookup_find(&directory->rows,
							  first >> simulator->coherence_shift)
					    : NULL;
	uint64_t word = (first >> 2) % directory->words, end = (last >> 2) % directory->words;
	struct track *track;

	if (!row || !row->track)
		return;
	track = track_of(directory, row->track);
	track->writes++;
	for (; word <= end; word++)
		track->last[word] = track->writes * WRITERS + core->number;
}

static bool is_other(const struct simulator *simulator, uint32_t holder, uint32_t writer)
{
	return holder < simulator->threads
		       ? writer != holder
		       : simulator->cores[writer].l3 != holder - simulator->threads;
}

bool directory_is_true_sharing(struct simulator *simulator, uint32_t holder, uint64_t first,
			       uint64_t last)
{
	struct directory *directory = &simulator->directory;
	struct directory_row *row = lookup_find(&directory->rows,
						first >> simulator->coherence_shift);
	uint64_t word = (first >> 2) % directory->words, end = (last >> 2) % directory->words;
	struct track *track;

	if (!row || !row->track)
		return false;
	for (track = track_of(directory, row->track); word <= end; word++)
		if (track->last[word] / WRITERS >= track->last[directory->words + holder] &&
		    track->last[word] &&
		    is_other(simulator, holder, (uint32_t)(track->last[word] % WRITERS)))
			return true;
	return false;
}
