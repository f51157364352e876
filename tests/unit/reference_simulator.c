/* SPDX-License-Identifier: Apache-2.0 */
/* What simulator.h says, sentence by sentence. Numbers in comments are those of its rules. */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/reference_simulator.h"

#define L1 0
#define L2 1
#define L3 2
#define MEMORY MODEL_LEVELS
#define NOBODY UINT32_MAX
#define WORD 4
#define MAX_WORDS (256 / WORD)

/* Line or page number → its place in an array, in the order they were first asked for. */
struct numbering {
	uint64_t *keys;
	uint32_t *index; /* of power-of-two size, 0: free, else place + 1 */
	uint32_t nr, room;
};

struct way {
	bool valid, dirty, prefetched;
	bool counts; /* came since the counters were cleared */
	bool touched[MAX_WORDS];
	uint64_t line, newest; /* newest: time of last use */
	uint32_t slot, entry;  /* whose access brought it */
};

/* What became of a line of one cache. */
struct past {
	bool entered, taken; /* taken: when it last left, by another core's write */
};

/* fully associative, LRU */
struct shadow {
	uint64_t *lines, *newest, room, nr;
};

/*
 * When another core's write last took coherence lines from here: the L1 and L2 of a core, or an L3.
 */
struct takings {
	struct numbering lines;
	uint64_t *when;
};

struct cache {
	const struct model_cache *model;
	uint32_t level, first_core;
	uint64_t sets;
	struct way *ways;
	/* [set][node], node 0 unused, 1 the root; true: the victim is in the upper half */
	bool *trees;
	struct shadow shadow;
	struct numbering lines;
	struct past *pasts;
	struct takings *takings;
};

struct tlb {
	uint32_t sets, ways;
	uint64_t *pages, *newest; /* newest 0: empty */
};

/* the last one of a word */
struct writer {
	uint64_t when; /* 0: nobody wrote it */
	uint32_t core;
};

/* a line of the coherence size */
struct coherent {
	struct writer writers[MAX_WORDS];
	bool contested[SIMULATOR_MAX_THREADS]; /* for these cores */
};

struct page {
	bool placed, accessed;
	uint32_t node;
	bool shared, split;
};

/* of a page: the lines that cores of each node got of it */
struct part {
	uint64_t lines[MODEL_NODES];
};

/* a row of the table of a core and level */
struct strider {
	bool used;
	uint32_t site;
	uint64_t last;
	int64_t distance; /* 0: none yet */
};

struct core {
	struct cache *cache[MODEL_LEVELS];
	struct takings takings;
	struct tlb tlb[2];
	struct strider striders[MODEL_LEVELS][SIMULATOR_STRIDES];
	/* when 0: none */
	struct combining {
		uint64_t line, when;
	} combining[SIMULATOR_COMBINING];
};

struct reference {
	struct machine_model model;
	uint32_t threads, slots, nr_l3;
	uint32_t smallest, largest; /* line, of any level */
	uint64_t time;              /* accesses and all else that makes a line the newest */
	struct cache *l3;
	struct takings *l3_takings;
	struct core *cores;
	struct numbering coherent_lines, page_numbers, part_numbers;
	struct coherent *coherent;
	struct page *pages;
	struct part *parts;
	struct sampling sampling;
	/* counters: by thread, slot and entry of sampling.h */
	struct simulator_counters *counters, uncounted[SAMPLING_ENTRIES];
};

struct access {
	uint64_t address, bytes, when;
	uint32_t core, slot, site;
	uint32_t entry; /* of the piece that is under way */
	bool write, is_float, non_temporal;
	struct simulator_counters *counters;
	bool looked[MODEL_LEVELS], missed[MODEL_LEVELS];
	bool contested;
	uint64_t latency;
	struct simulator_counters *slowest; /* of the piece that has that latency */
};

struct piece {
	uint64_t address;
	bool looked[MODEL_LEVELS];
	uint32_t found; /* the level that has it, or MEMORY */
	uint32_t owner; /* the core that serves it, or NOBODY */
	bool dirty;     /* where an exclusive L3 gave it away */
};

/* -- memory */

static void *must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

static void *zeroed(size_t nr, size_t size)
{
	return must(calloc(nr ? nr : 1, size));
}

static uint32_t index_of(const struct numbering *numbering, uint64_t key)
{
	uint32_t i = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (2 * numbering->room - 1);

	while (numbering->index[i] && numbering->keys[numbering->index[i] - 1] != key)
		i = (i + 1) & (2 * numbering->room - 1);
	return i;
}

static void numbering_grow(struct numbering *numbering)
{
	numbering->room = numbering->room ? 2 * numbering->room : 64;
	numbering->keys = must(realloc(numbering->keys, numbering->room * sizeof(uint64_t)));
	free(numbering->index);
	numbering->index = zeroed(2 * (size_t)numbering->room, sizeof(uint32_t));
	for (uint32_t i = 0; i < numbering->nr; i++)
		numbering->index[index_of(numbering, numbering->keys[i])] = i + 1;
}

/* The place of the key in *array, which grows with zeros. */
static void *numbered(struct numbering *numbering, uint64_t key, void *array, size_t size)
{
	char **elements = array;
	size_t room = numbering->room;
	uint32_t *place;

	if (numbering->nr == room) {
		numbering_grow(numbering);
		*elements = must(realloc(*elements, numbering->room * size));
		memset(*elements + room * size, 0, (numbering->room - room) * size);
	}
	place = &numbering->index[index_of(numbering, key)];
	if (!*place) {
		numbering->keys[numbering->nr] = key;
		*place = ++numbering->nr;
	}
	return *elements + (*place - 1) * size;
}

static void numbering_release(struct numbering *numbering)
{
	free(numbering->keys);
	free(numbering->index);
}

/* -- the machine */

static bool exists(const struct reference *reference, uint32_t level)
{
	return reference->model.cache[level].bytes;
}

/* 5, 10, 11: L1 stands for L2 where there is none. */
static uint32_t outer_private(const struct reference *reference)
{
	return exists(reference, L2) ? L2 : L1;
}

static uint32_t node_of(const struct reference *reference, uint32_t core)
{
	return core / (reference->model.cores / reference->model.nodes);
}

static uint64_t line_of(const struct reference *reference, uint32_t level, uint64_t address)
{
	return address / reference->model.cache[level].line;
}

static uint64_t address_of(const struct cache *cache, uint64_t line)
{
	return line * cache->model->line;
}

static struct coherent *coherent_of(struct reference *reference, uint64_t address)
{
	return numbered(&reference->coherent_lines, address / reference->largest,
			&reference->coherent, sizeof(struct coherent));
}

static uint64_t coherence_start(const struct reference *reference, uint64_t address)
{
	return address / reference->largest * reference->largest;
}

static uint64_t *when_taken(const struct reference *reference, struct takings *takings,
			    uint64_t address)
{
	return numbered(&takings->lines, address / reference->largest, &takings->when,
			sizeof(uint64_t));
}

/* Also over the end of the address space. */
static bool touches(const struct access *access, uint64_t word)
{
	uint64_t first = access->address / WORD * WORD;

	return word * WORD - first < access->address - first + access->bytes;
}

/* Words of an access are written and used (9, 10) with the piece they lie in. */
static bool piece_touches(const struct reference *reference, const struct access *access,
			  uint64_t piece, uint64_t word)
{
	return touches(access, word) &&
	       word * WORD / reference->smallest == piece / reference->smallest;
}

static struct past *past_of(struct cache *cache, uint64_t line)
{
	return numbered(&cache->lines, line, &cache->pasts, sizeof(struct past));
}

static struct simulator_counters *counters_of(struct reference *reference, uint32_t thread,
					      uint32_t slot, uint32_t entry)
{
	if (slot >= reference->slots)
		return &reference->uncounted[entry];
	return &reference->counters[((size_t)thread * reference->slots + slot) * SAMPLING_ENTRIES +
				    entry];
}

static bool is_sampled(const struct reference *reference)
{
	return reference->sampling.mask;
}

/*
 * 13: "only some lines of coherence are looked at". Counts what happens to one of them from now on.
 */
static bool aim(struct reference *reference, struct access *access, uint64_t address)
{
	uint8_t entry = reference->sampling.entry[address / reference->largest %
						  (reference->sampling.mask + 1)];

	if (entry == SAMPLING_SKIPPED)
		return false;
	access->entry = entry;
	access->counters = counters_of(reference, access->core, access->slot, entry);
	return true;
}

static void cache_init(struct cache *cache, const struct model_cache *model, uint32_t level,
		       uint32_t first_core, struct takings *takings)
{
	uint64_t lines = model->bytes / model->line;

	cache->model = model;
	cache->level = level;
	cache->first_core = first_core;
	cache->takings = takings;
	cache->sets = lines / model->ways;
	cache->ways = zeroed(lines, sizeof(struct way));
	cache->trees = zeroed(lines, sizeof(bool));
	cache->shadow.room = lines;
	cache->shadow.lines = zeroed(lines, sizeof(uint64_t));
	cache->shadow.newest = zeroed(lines, sizeof(uint64_t));
}

static void cache_release(struct cache *cache)
{
	free(cache->ways);
	free(cache->trees);
	free(cache->shadow.lines);
	free(cache->shadow.newest);
	numbering_release(&cache->lines);
	free(cache->pasts);
}

static void core_init(struct reference *reference, uint32_t number)
{
	const struct machine_model *model = &reference->model;
	struct core *core = &reference->cores[number];

	for (uint32_t level = L1; level <= L2; level++) {
		if (!exists(reference, level))
			continue;
		core->cache[level] = zeroed(1, sizeof(struct cache));
		cache_init(core->cache[level], &reference->model.cache[level], level, number,
			   &core->takings);
	}
	if (exists(reference, L3))
		core->cache[L3] = &reference->l3[number / model->cache[L3].cores];
	for (uint32_t i = 0; i < 2 && model->tlb[i].entries; i++) {
		core->tlb[i].ways = model->tlb[i].ways;
		core->tlb[i].sets = model->tlb[i].entries / model->tlb[i].ways;
		core->tlb[i].pages = zeroed(model->tlb[i].entries, sizeof(uint64_t));
		core->tlb[i].newest = zeroed(model->tlb[i].entries, sizeof(uint64_t));
	}
}

static void find_line_sizes(struct reference *reference)
{
	reference->smallest = UINT32_MAX;
	for (uint32_t level = L1; level <= L3; level++) {
		uint32_t line = reference->model.cache[level].line;

		if (!exists(reference, level))
			continue;
		if (line < reference->smallest)
			reference->smallest = line;
		if (line > reference->largest)
			reference->largest = line;
	}
}

struct reference *reference_new(const struct machine_model *model, uint32_t threads, uint32_t slots)
{
	struct reference *reference;

	if (!model->cache[L1].bytes || !threads || threads > model->cores || !slots)
		return NULL;
	reference = zeroed(1, sizeof(*reference));
	reference->model = *model;
	reference->threads = threads;
	reference->slots = slots;
	reference->counters = zeroed((size_t)threads * slots * SAMPLING_ENTRIES,
				     sizeof(*reference->counters));
	find_line_sizes(reference);
	if (exists(reference, L3))
		reference->nr_l3 = model->cores / model->cache[L3].cores;
	reference->l3 = zeroed(reference->nr_l3, sizeof(struct cache));
	reference->l3_takings = zeroed(reference->nr_l3, sizeof(struct takings));
	for (uint32_t i = 0; i < reference->nr_l3; i++)
		cache_init(&reference->l3[i], &reference->model.cache[L3], L3,
			   i * model->cache[L3].cores, &reference->l3_takings[i]);
	reference->cores = zeroed(threads, sizeof(struct core));
	for (uint32_t i = 0; i < threads; i++)
		core_init(reference, i);
	return reference;
}

static void takings_release(struct takings *takings)
{
	numbering_release(&takings->lines);
	free(takings->when);
}

static void core_release(struct core *core)
{
	for (uint32_t level = L1; level <= L2; level++)
		if (core->cache[level]) {
			cache_release(core->cache[level]);
			free(core->cache[level]);
		}
	for (uint32_t i = 0; i < 2; i++) {
		free(core->tlb[i].pages);
		free(core->tlb[i].newest);
	}
	takings_release(&core->takings);
}

void reference_free(struct reference *reference)
{
	for (uint32_t i = 0; i < reference->threads; i++)
		core_release(&reference->cores[i]);
	for (uint32_t i = 0; i < reference->nr_l3; i++) {
		cache_release(&reference->l3[i]);
		takings_release(&reference->l3_takings[i]);
	}
	free(reference->cores);
	free(reference->l3);
	free(reference->l3_takings);
	numbering_release(&reference->coherent_lines);
	free(reference->coherent);
	numbering_release(&reference->page_numbers);
	free(reference->pages);
	numbering_release(&reference->part_numbers);
	free(reference->parts);
	free(reference->counters);
	free(reference);
}

/* -- 7: pages */

static struct page *page_of(struct reference *reference, uint64_t address)
{
	return numbered(&reference->page_numbers, address / reference->model.page,
			&reference->pages, sizeof(struct page));
}

static void page_place(struct reference *reference, uint64_t number, uint32_t node)
{
	struct page *page = page_of(reference, number * reference->model.page);

	if (page->accessed)
		return;
	page->placed = true;
	page->node = node;
}

void reference_place(struct reference *reference, uint64_t address, uint64_t bytes, uint32_t node)
{
	uint64_t last = bytes ? (address + bytes - 1) / reference->model.page : 0;

	for (uint64_t number = address / reference->model.page; bytes && number <= last; number++)
		page_place(reference, number, node);
}

/* Its node, for good. */
static uint32_t page_access(struct reference *reference, uint64_t address, uint32_t core)
{
	const struct machine_model *model = &reference->model;
	struct page *page = page_of(reference, address);

	if (!page->accessed && !page->placed)
		page->node = model->interleave ? address / model->page % model->nodes
					       : node_of(reference, core);
	page->accessed = true;
	return page->node;
}

/* -- 15: nodes */

static uint32_t part_bytes(const struct reference *reference)
{
	return reference->model.prefetch_page ? reference->model.prefetch_page
					      : reference->model.page;
}

static void add_line(struct reference *reference, const struct access *access, uint64_t address)
{
	struct part *part = numbered(&reference->part_numbers, address / part_bytes(reference),
				     &reference->parts, sizeof(struct part));

	part->lines[node_of(reference, access->core)]++;
	access->counters->shared_lines += page_of(reference, address)->shared;
}

/* Whether one node has nine tenths of the lines, and how many there are. */
static bool has_owner(const uint64_t *lines, uint64_t *all_out)
{
	uint64_t most = 0;

	*all_out = 0;
	for (uint32_t node = 0; node < MODEL_NODES; node++) {
		*all_out += lines[node];
		most = lines[node] > most ? lines[node] : most;
	}
	return 10 * most >= 9 * *all_out;
}

static void mark_page(struct reference *reference, struct page *page, uint64_t number)
{
	uint32_t nr = reference->model.page / part_bytes(reference);
	uint64_t lines[MODEL_NODES] = { 0 }, all, owned = 0;
	bool one;

	for (uint32_t i = 0; i < nr; i++) {
		const struct part *part = numbered(&reference->part_numbers, number * nr + i,
						   &reference->parts, sizeof(struct part));

		if (has_owner(part->lines, &all))
			owned += all;
		for (uint32_t node = 0; node < MODEL_NODES; node++)
			lines[node] += part->lines[node];
	}
	one = has_owner(lines, &all);
	if (!all)
		return;
	page->split = !one && 10 * owned >= 9 * all;
	page->shared = !one && !page->split;
}

void reference_mark_pages(struct reference *reference)
{
	for (uint32_t i = 0; i < reference->page_numbers.nr; i++)
		mark_page(reference, &reference->pages[i], reference->page_numbers.keys[i]);
}

/* -- 2: TLBs */

static uint64_t *tlb_find(struct tlb *tlb, uint64_t page)
{
	uint32_t first = page % tlb->sets * tlb->ways;

	for (uint32_t i = first; i < first + tlb->ways; i++)
		if (tlb->newest[i] && tlb->pages[i] == page)
			return &tlb->newest[i];
	return NULL;
}

static void tlb_enter(struct tlb *tlb, uint64_t page, uint64_t time)
{
	uint32_t first = page % tlb->sets * tlb->ways, oldest = first;

	for (uint32_t i = first; i < first + tlb->ways; i++)
		if (tlb->newest[i] < tlb->newest[oldest])
			oldest = i;
	tlb->pages[oldest] = page;
	tlb->newest[oldest] = time;
}

static bool tlb_knows(struct tlb *tlb, uint64_t page, uint64_t time)
{
	uint64_t *newest = tlb_find(tlb, page);

	if (newest)
		*newest = time;
	return newest;
}

/* Cycles. */
static uint64_t translate(struct reference *reference, struct access *access, uint64_t page)
{
	const struct machine_model *model = &reference->model;
	struct tlb *tlb = reference->cores[access->core].tlb;
	uint64_t time = ++reference->time, cycles = model->walk_latency;

	if (!model->tlb[0].entries)
		return 0;
	if (tlb_knows(&tlb[0], page, time))
		return model->tlb[0].latency;
	access->counters->tlb_misses++;
	if (model->tlb[1].entries && tlb_knows(&tlb[1], page, time)) {
		cycles = model->tlb[1].latency;
	} else {
		access->counters->tlb_walks++;
		if (is_sampled(reference))
			page_access(reference, page * model->page, access->core);
		if (model->tlb[1].entries)
			tlb_enter(&tlb[1], page, time);
	}
	tlb_enter(&tlb[0], page, time);
	return cycles;
}

static uint64_t translate_access(struct reference *reference, struct access *access)
{
	uint64_t first = access->address / reference->model.page;
	uint64_t last = (access->address + access->bytes - 1) / reference->model.page;
	uint64_t cycles = translate(reference, access, first);

	return last == first ? cycles : cycles + translate(reference, access, last);
}

/* -- one cache */

static struct way *set_of(const struct cache *cache, uint64_t line)
{
	return &cache->ways[line % cache->sets * cache->model->ways];
}

static struct way *find(const struct cache *cache, uint64_t line)
{
	struct way *set = set_of(cache, line);

	for (uint32_t i = 0; i < cache->model->ways; i++)
		if (set[i].valid && set[i].line == line)
			return &set[i];
	return NULL;
}

static bool *tree_of(const struct cache *cache, uint64_t line)
{
	return &cache->trees[line % cache->sets * cache->model->ways];
}

/* From the root to the way: each node on the path points to the other half. */
static void tree_turn_away(bool *tree, uint32_t ways, uint32_t way)
{
	for (uint32_t node = 1, half = ways / 2; half; half /= 2) {
		bool upper = way & half;

		tree[node] = !upper;
		node = 2 * node + upper;
	}
}

static uint32_t tree_victim(const bool *tree, uint32_t ways)
{
	uint32_t node = 1;

	while (node < ways)
		node = 2 * node + tree[node];
	return node - ways;
}

static uint32_t oldest(const struct way *set, uint32_t ways)
{
	uint32_t victim = 0;

	for (uint32_t i = 1; i < ways; i++)
		if (set[i].newest < set[victim].newest)
			victim = i;
	return victim;
}

/* 3: "an empty way (the lowest), else the victim" */
static struct way *room_for(const struct cache *cache, uint64_t line)
{
	struct way *set = set_of(cache, line);

	for (uint32_t i = 0; i < cache->model->ways; i++)
		if (!set[i].valid)
			return &set[i];
	if (cache->model->replacement == MODEL_TREE_PLRU)
		return &set[tree_victim(tree_of(cache, line), cache->model->ways)];
	return &set[oldest(set, cache->model->ways)];
}

/* 3: "makes the line the newest (LRU), or turns the tree away from it (PLRU)" */
static void make_newest(struct reference *reference, struct cache *cache, struct way *way)
{
	way->newest = ++reference->time;
	if (cache->model->replacement == MODEL_TREE_PLRU)
		tree_turn_away(tree_of(cache, way->line), cache->model->ways,
			       (uint32_t)(way - set_of(cache, way->line)));
}

/* -- 9: the shadow */

static bool shadow_find(const struct shadow *shadow, uint64_t line, uint64_t *place)
{
	for (*place = 0; *place < shadow->nr; ++*place)
		if (shadow->lines[*place] == line)
			return true;
	return false;
}

static bool shadow_holds(const struct shadow *shadow, uint64_t line)
{
	uint64_t place;

	return shadow_find(shadow, line, &place);
}

/* In place of the oldest, when full. */
static uint64_t shadow_room(struct shadow *shadow)
{
	uint64_t victim = 0;

	if (shadow->nr < shadow->room)
		return shadow->nr++;
	for (uint64_t i = 1; i < shadow->nr; i++)
		if (shadow->newest[i] < shadow->newest[victim])
			victim = i;
	return victim;
}

static void shadow_look(struct reference *reference, struct shadow *shadow, uint64_t line)
{
	uint64_t place;

	if (shadow_find(shadow, line, &place))
		shadow->newest[place] = ++reference->time;
}

/* "if it is not there" */
static void shadow_enter(struct reference *reference, struct shadow *shadow, uint64_t line)
{
	uint64_t place;

	if (shadow_find(shadow, line, &place))
		return;
	place = shadow_room(shadow);
	shadow->lines[place] = line;
	shadow->newest[place] = ++reference->time;
}

static void shadow_remove(struct shadow *shadow, uint64_t line)
{
	uint64_t place;

	if (!shadow_find(shadow, line, &place))
		return;
	shadow->nr--;
	shadow->lines[place] = shadow->lines[shadow->nr];
	shadow->newest[place] = shadow->newest[shadow->nr];
}

/* -- 4: dirty lines */

static struct way *holder(struct reference *reference, uint32_t core, uint32_t level,
			  uint64_t address)
{
	struct cache *cache = level < MODEL_LEVELS ? reference->cores[core].cache[level] : NULL;

	return cache ? find(cache, line_of(reference, level, address)) : NULL;
}

/*
 * Into the first level from this one on that holds the line and "is not `write_through`", else to
 * memory.
 */
static void write_into(struct reference *reference, uint32_t core, uint32_t level, uint64_t address,
		       struct simulator_counters *counters)
{
	for (; level < MODEL_LEVELS; level++) {
		struct way *way = holder(reference, core, level, address);

		if (way && !reference->model.cache[level].write_through) {
			way->dirty = true;
			return;
		}
	}
	counters->write_backs++;
}

/* -- 3, 5: entering and displacing */

/* The line leaves this cache; *way keeps what it was. */
static void leave(struct cache *cache, struct way *way, bool taken)
{
	way->valid = false;
	past_of(cache, way->line)->taken = taken;
}

/* 5: "leaves L1 and L2 of the cores that share it". Whether any was dirty. */
static bool take_back(struct reference *reference, struct cache *l3, uint32_t core, uint32_t level,
		      uint64_t address)
{
	struct cache *cache = reference->cores[core].cache[level];
	bool dirty = false;

	for (uint64_t part = 0; cache && part < l3->model->line; part += cache->model->line) {
		struct way *way = find(cache, line_of(reference, level, address + part));

		if (!way)
			continue;
		dirty |= way->dirty;
		leave(cache, way, false);
		shadow_remove(&cache->shadow, way->line);
	}
	return dirty;
}

static bool take_all_back(struct reference *reference, struct cache *l3, uint64_t address)
{
	bool dirty = false;

	for (uint32_t core = l3->first_core;
	     core < l3->first_core + l3->model->cores && core < reference->threads; core++) {
		dirty |= take_back(reference, l3, core, L1, address);
		dirty |= take_back(reference, l3, core, L2, address);
	}
	return dirty;
}

static void enter_victim(struct reference *reference, struct cache *l3, const struct way *victim,
			 struct simulator_counters *counters);

static void displace(struct reference *reference, struct cache *cache, struct way *way,
		     struct simulator_counters *counters)
{
	struct cache *l3 = reference->cores[cache->first_core].cache[L3];
	uint64_t address = address_of(cache, way->line);
	bool dirty = way->dirty;

	leave(cache, way, false);
	if (cache->level == L3 && cache->model->inclusion == MODEL_INCLUSIVE)
		dirty |= take_all_back(reference, cache, address);
	if (l3 && l3->model->inclusion == MODEL_EXCLUSIVE &&
	    cache->level == outer_private(reference))
		enter_victim(reference, l3, way, counters);
	else if (dirty)
		write_into(reference, cache->first_core, cache->level + 1, address, counters);
}

static struct way *enter(struct reference *reference, struct cache *cache, uint64_t line,
			 struct simulator_counters *counters)
{
	struct way *way = room_for(cache, line);

	if (way->valid)
		displace(reference, cache, way, counters);
	memset(way, 0, sizeof(*way));
	way->valid = true;
	way->line = line;
	make_newest(reference, cache, way);
	shadow_enter(reference, &cache->shadow, line);
	past_of(cache, line)->entered = true;
	return way;
}

/*
 * 5: "what L2 evicts enters L3 (the newest then, dirty if either was), and what L3 then evicts, if
 * dirty, goes to memory"
 */
static void enter_victim(struct reference *reference, struct cache *l3, const struct way *victim,
			 struct simulator_counters *counters)
{
	struct way *way = find(l3, victim->line);

	shadow_look(reference, &l3->shadow, victim->line);
	shadow_enter(reference, &l3->shadow, victim->line);
	if (way)
		make_newest(reference, l3, way);
	else
		way = enter(reference, l3, victim->line, counters);
	way->dirty |= victim->dirty;
}

/* -- 9: classes */

static bool is_another(const struct cache *cache, uint32_t core)
{
	return core < cache->first_core || core >= cache->first_core + cache->model->cores;
}

/*
 * "touches in that line a word that another core wrote last, and did so at or after the write that
 * last took the coherence line"
 */
static bool truly_shared(struct reference *reference, const struct access *access,
			 struct cache *cache, uint64_t line)
{
	uint64_t start = address_of(cache, line), words = reference->largest / WORD;
	uint64_t taken = *when_taken(reference, cache->takings, start);

	for (uint64_t word = start / WORD; word < start / WORD + cache->model->line / WORD;
	     word++) {
		struct writer writer = coherent_of(reference, start)->writers[word % words];

		if (touches(access, word) && writer.when && is_another(cache, writer.core) &&
		    writer.when >= taken)
			return true;
	}
	return false;
}

static enum simulator_class class_of(struct reference *reference, const struct access *access,
				     struct cache *cache, uint64_t line)
{
	struct past past = *past_of(cache, line);

	if (past.taken)
		return truly_shared(reference, access, cache, line) ? CLASS_TRUE_SHARING
								    : CLASS_FALSE_SHARING;
	if (!past.entered)
		return CLASS_COLD;
	return shadow_holds(&cache->shadow, line) ? CLASS_CONFLICT : CLASS_CAPACITY;
}

/* 1, 9: once an access, by the first piece that misses. */
static void count_miss(struct reference *reference, struct access *access, struct cache *cache,
		       uint64_t line)
{
	uint32_t level = cache->level;

	if (access->missed[level])
		return;
	access->missed[level] = true;
	(access->write ? access->counters->write_misses : access->counters->read_misses)[level]++;
	access->counters->classes[level][class_of(reference, access, cache, line)]++;
}

/* -- 6: coherence */

/* Its L1 or L2 hold any of the coherence line; *dirty: any of that is dirty. */
static bool core_holds(struct reference *reference, uint32_t core, uint64_t address, bool *dirty)
{
	uint64_t start = coherence_start(reference, address);
	bool holds = false;

	*dirty = false;
	for (uint64_t part = 0; part < reference->largest; part += reference->smallest)
		for (uint32_t level = L1; level <= L2; level++) {
			struct way *way = holder(reference, core, level, start + part);

			holds |= way != NULL;
			*dirty |= way && way->dirty;
		}
	return holds;
}

static bool held_elsewhere(struct reference *reference, uint32_t core, uint64_t address)
{
	bool dirty;

	for (uint32_t other = 0; other < reference->threads; other++)
		if (other != core && core_holds(reference, other, address, &dirty))
			return true;
	return false;
}

static uint32_t modified_elsewhere(struct reference *reference, uint32_t core, uint64_t address)
{
	for (uint32_t other = 0; other < reference->threads; other++) {
		bool dirty;

		if (other != core && core_holds(reference, other, address, &dirty) && dirty)
			return other;
	}
	return NOBODY;
}

/*
 * "A read leaves it clean there; it is written (one line) into L3 of that core if that holds it,
 * else to memory"
 */
static void clean(struct reference *reference, uint32_t owner, uint64_t address,
		  struct simulator_counters *counters)
{
	uint64_t start = coherence_start(reference, address);

	for (uint64_t part = 0; part < reference->largest; part += reference->smallest)
		for (uint32_t level = L1; level <= L2; level++) {
			struct way *way = holder(reference, owner, level, start + part);

			if (way)
				way->dirty = false;
		}
	write_into(reference, owner, L3, start, counters);
}

/* All of a coherence line that this cache holds goes, dirty or not. */
static void take(struct reference *reference, struct cache *cache, uint64_t address, uint64_t when)
{
	uint64_t start = coherence_start(reference, address);

	for (uint64_t part = 0; cache && part < reference->largest; part += cache->model->line) {
		struct way *way = find(cache, line_of(reference, cache->level, start + part));

		if (!way)
			continue;
		leave(cache, way, true);
		shadow_remove(&cache->shadow, way->line);
		*when_taken(reference, cache->takings, address) = when;
	}
}

/* "from all other cores' L1 and L2, and from the L3s that the writing core does not use" */
static void take_from_others(struct reference *reference, const struct access *access,
			     uint64_t address)
{
	for (uint32_t core = 0; core < reference->threads; core++) {
		if (core == access->core)
			continue;
		take(reference, reference->cores[core].cache[L1], address, access->when);
		take(reference, reference->cores[core].cache[L2], address, access->when);
	}
	for (uint32_t i = 0; i < reference->nr_l3; i++)
		if (&reference->l3[i] != reference->cores[access->core].cache[L3])
			take(reference, &reference->l3[i], address, access->when);
}

static void ask_others(struct reference *reference, struct access *access, struct piece *piece)
{
	if (piece->found == MEMORY)
		piece->owner = modified_elsewhere(reference, access->core, piece->address);
	if (piece->owner != NOBODY) {
		access->counters->transfers++;
		access->counters->remote_transfers += node_of(reference, piece->owner) !=
						      node_of(reference, access->core);
		if (!access->write)
			clean(reference, piece->owner, piece->address, access->counters);
	}
	if (access->write) {
		if (piece->found != MEMORY &&
		    held_elsewhere(reference, access->core, piece->address))
			access->counters->upgrades++;
		take_from_others(reference, access, piece->address);
	}
}

static void note_writer(struct reference *reference, const struct access *access, uint64_t address)
{
	uint64_t words = reference->largest / WORD,
		 first = coherence_start(reference, address) / WORD;
	struct coherent *coherent = coherent_of(reference, address);

	for (uint64_t word = first; word < first + words; word++)
		if (piece_touches(reference, access, address, word))
			coherent->writers[word % words] = (struct writer){ access->when,
									   access->core };
}

/* -- 3, 5: looking a line up */

static bool exclusive(const struct cache *cache)
{
	return cache->level == L3 && cache->model->inclusion == MODEL_EXCLUSIVE;
}

/* Whether this cache has it. *dirty: so it was where an exclusive L3 gave it away. */
static bool look_up(struct reference *reference, struct cache *cache, uint64_t line, bool *dirty)
{
	struct way *way = find(cache, line);

	if (exclusive(cache)) {
		shadow_remove(&cache->shadow, line);
		if (!way)
			return false;
		*dirty = way->dirty;
		leave(cache, way, false);
		return true;
	}
	shadow_look(reference, &cache->shadow, line);
	if (!way)
		return false;
	shadow_enter(reference, &cache->shadow, line);
	make_newest(reference, cache, way);
	return true;
}

/* 11: "The first piece that is looked for there and found is `prefetched`" */
static void note_prefetched(struct cache *cache, uint64_t line, struct simulator_counters *counters)
{
	struct way *way = find(cache, line);

	if (!way || !way->prefetched)
		return;
	way->prefetched = false;
	counters->prefetched++;
}

static bool bypasses(const struct reference *reference, const struct access *access, uint32_t level)
{
	return level == L1 && access->is_float && reference->model.cache[L1].float_bypasses;
}

static void look_at(struct reference *reference, struct access *access, struct piece *piece,
		    uint32_t level)
{
	struct cache *cache = reference->cores[access->core].cache[level];
	uint64_t line;

	if (!cache || bypasses(reference, access, level) || piece->found != MEMORY)
		return;
	line = line_of(reference, level, piece->address);
	access->looked[level] = piece->looked[level] = true;
	note_prefetched(cache, line, access->counters);
	if (!find(cache, line))
		count_miss(reference, access, cache, line);
	if (look_up(reference, cache, line, &piece->dirty))
		piece->found = level;
}

/* 10: what the line brings belongs to the access's slot. */
static void count_fetched(const struct reference *reference, struct way *way, uint32_t level,
			  const struct access *access)
{
	if (level != outer_private(reference))
		return;
	way->counts = true;
	way->slot = access->slot;
	way->entry = access->entry;
	access->counters->fetched_bytes += reference->model.cache[level].line;
}

/* 3: "entered from the outside in" where it missed. */
static void enter_all(struct reference *reference, struct access *access, const struct piece *piece)
{
	for (uint32_t level = MEMORY; level-- > L1;) {
		struct cache *cache = reference->cores[access->core].cache[level];
		struct way *way;

		if (!piece->looked[level] || level == piece->found || exclusive(cache) ||
		    (access->write && cache->model->write_around))
			continue;
		way = enter(reference, cache, line_of(reference, level, piece->address),
			    access->counters);
		way->dirty = piece->dirty && level == outer_private(reference);
		count_fetched(reference, way, level, access);
	}
}

/* -- 10: utilisation */

static void touch(struct reference *reference, const struct access *access, uint64_t address)
{
	uint32_t level = outer_private(reference);
	struct way *way = holder(reference, access->core, level, address);
	uint64_t words = reference->model.cache[level].line / WORD;

	for (uint64_t word = 0; way && word < words; word++) {
		if (way->touched[word] ||
		    !piece_touches(reference, access, address, way->line * words + word))
			continue;
		way->touched[word] = true;
		if (way->counts)
			counters_of(reference, access->core, way->slot, way->entry)->used_bytes +=
				WORD;
	}
}

/* -- 7, 8: memory and cycles */

static bool has_distances(const struct machine_model *model)
{
	for (uint32_t from = 0; from < model->nodes; from++)
		for (uint32_t to = 0; to < model->nodes; to++)
			if (model->distances[from][to])
				return true;
	return false;
}

static uint64_t memory_latency(const struct machine_model *model, uint32_t from, uint32_t to)
{
	if (has_distances(model))
		return model->distances[from][to];
	return from == to ? model->memory_latency : model->remote_latency;
}

/* What delivers the piece, in cycles. */
static uint64_t deliver(struct reference *reference, struct access *access,
			const struct piece *piece)
{
	const struct machine_model *model = &reference->model;
	uint32_t node = node_of(reference, access->core), home;

	if (piece->owner != NOBODY)
		return node_of(reference, piece->owner) == node ? model->transfer_latency
								: model->remote_transfer_latency;
	if (piece->found != MEMORY)
		return model->cache[piece->found].latency;
	home = page_access(reference, piece->address, access->core);
	if (home == node)
		access->counters->dram_local++;
	else
		access->counters->dram_remote++;
	access->counters->split_remote += home != node && page_of(reference, piece->address)->split;
	add_line(reference, access, piece->address);
	return memory_latency(model, node, home);
}

/* -- 11: prefetches */

/* Whether it was there. */
static bool prefetch_through_l3(struct reference *reference, const struct access *access,
				uint64_t address, bool *dirty)
{
	struct cache *l3 = reference->cores[access->core].cache[L3];
	uint64_t line;

	if (!l3)
		return false;
	line = line_of(reference, L3, address);
	if (look_up(reference, l3, line, dirty))
		return true;
	if (!exclusive(l3))
		enter(reference, l3, line, access->counters);
	return false;
}

static uint32_t prefetch_page(const struct reference *reference)
{
	return reference->model.prefetch_page ? reference->model.prefetch_page
					      : reference->model.page;
}

/* From: an address in the page that is not left. */
static void prefetch(struct reference *reference, const struct access *by, uint64_t from,
		     uint64_t address)
{
	struct access copy = *by, *access = &copy;
	uint32_t level = outer_private(reference), owner;
	struct cache *cache = reference->cores[access->core].cache[level];
	uint64_t line = line_of(reference, level, address);
	struct way *way;
	bool dirty = false;

	if (from / prefetch_page(reference) != address / prefetch_page(reference) ||
	    find(cache, line) || !aim(reference, access, address))
		return;
	access->counters->prefetches++;
	shadow_look(reference, &cache->shadow, line);
	owner = modified_elsewhere(reference, access->core, address);
	if (owner != NOBODY)
		clean(reference, owner, address, access->counters);
	if (!prefetch_through_l3(reference, access, address, &dirty) && owner == NOBODY) {
		access->counters->dram_prefetches++;
		add_line(reference, access, address);
	}
	way = enter(reference, cache, line, access->counters);
	way->dirty = dirty;
	way->prefetched = true;
	count_fetched(reference, way, level, access);
}

static void prefetch_next_lines(struct reference *reference, const struct access *access,
				const struct piece *piece)
{
	for (uint32_t level = L1; level <= L3; level++) {
		const struct model_cache *cache = &reference->model.cache[level];

		if (piece->looked[level] && level != piece->found && cache->next_line)
			prefetch(reference, access, piece->address,
				 (line_of(reference, level, piece->address) + 1) * cache->line);
	}
}

/* Two distances, or one line in that direction if that is more. */
static int64_t ahead(int64_t distance, int64_t line)
{
	if (2 * distance > -line && 2 * distance < line)
		return distance < 0 ? -line : line;
	return 2 * distance;
}

static void prefetch_stride(struct reference *reference, const struct access *access,
			    uint32_t level)
{
	struct strider *row =
		&reference->cores[access->core].striders[level][access->site % SIMULATOR_STRIDES];
	int64_t line = reference->model.cache[outer_private(reference)].line,
		half = prefetch_page(reference) / 2;
	int64_t distance = (int64_t)(access->address - row->last), before = row->distance;

	if (!row->used || row->site != access->site) {
		*row = (struct strider){ .used = true,
					 .site = access->site,
					 .last = access->address };
		return;
	}
	if (!distance)
		return;
	row->last = access->address;
	row->distance = distance;
	if (distance == before && distance <= half && distance >= -half)
		prefetch(reference, access, access->address,
			 access->address + (uint64_t)ahead(distance, line));
}

static void prefetch_strides(struct reference *reference, const struct access *access)
{
	for (uint32_t level = L1; level <= L3; level++)
		if (access->looked[level] && reference->model.cache[level].strides)
			prefetch_stride(reference, access, level);
}

/* -- one access */

static void do_piece(struct reference *reference, struct access *access, uint64_t address)
{
	struct piece piece = { .address = address, .found = MEMORY, .owner = NOBODY };
	uint64_t latency;

	if (!is_sampled(reference))
		page_access(reference, address, access->core);
	look_at(reference, access, &piece, L1);
	look_at(reference, access, &piece, L2);
	ask_others(reference, access, &piece);
	look_at(reference, access, &piece, L3);
	enter_all(reference, access, &piece);
	if (access->write) {
		write_into(reference, access->core, bypasses(reference, access, L1) ? L2 : L1,
			   address, access->counters);
		note_writer(reference, access, address);
	}
	touch(reference, access, address);
	latency = deliver(reference, access, &piece);
	if (latency > access->latency) {
		access->latency = latency;
		access->slowest = access->counters;
	}
	prefetch_next_lines(reference, access, &piece);
}

/* -- 12: writes past the caches */

static bool is_dirty(struct reference *reference, struct cache *cache, uint64_t start)
{
	for (uint64_t part = 0; cache && part < reference->largest; part += cache->model->line) {
		struct way *way = find(cache, line_of(reference, cache->level, start + part));

		if (way && way->dirty)
			return true;
	}
	return false;
}

static bool is_dirty_anywhere(struct reference *reference, uint64_t start)
{
	bool dirty = false;

	for (uint32_t core = 0; core < reference->threads; core++)
		for (uint32_t level = L1; level <= L3; level++)
			dirty |= is_dirty(reference, reference->cores[core].cache[level], start);
	return dirty;
}

/* "those of the core and its L3 as by rule 5 (inclusive)" */
static void drop(struct reference *reference, struct cache *cache, uint64_t start)
{
	for (uint64_t part = 0; cache && part < reference->largest; part += cache->model->line) {
		struct way *way = find(cache, line_of(reference, cache->level, start + part));

		if (!way)
			continue;
		leave(cache, way, false);
		shadow_remove(&cache->shadow, way->line);
	}
}

/* "one of the SIMULATOR_COMBINING such lines that the core wrote to last" */
static bool combined(struct core *core, uint64_t line, uint64_t now)
{
	struct combining *oldest = core->combining;

	for (uint32_t i = 0; i < SIMULATOR_COMBINING; i++) {
		struct combining *one = &core->combining[i];

		if (one->when && one->line == line) {
			one->when = now;
			return true;
		}
		if (one->when < oldest->when)
			oldest = one;
	}
	*oldest = (struct combining){ line, now };
	return false;
}

static void do_past_caches(struct reference *reference, struct access *access, uint64_t address)
{
	uint64_t start = coherence_start(reference, address);
	struct core *core = &reference->cores[access->core];

	bool alone = !combined(core, start, ++reference->time);

	page_access(reference, address, access->core);
	if (!aim(reference, access, address))
		return;
	if (is_dirty_anywhere(reference, start))
		access->counters->write_backs++;
	for (uint32_t level = L1; level <= L3; level++)
		drop(reference, core->cache[level], start);
	take_from_others(reference, access, address);
	if (alone)
		access->counters->write_backs++;
	note_writer(reference, access, address);
}

/*
 * 14: "not by rule 12, and the outermost of its private levels has lines of that size and is not
 * `write_around`"
 */
static bool ends_contest(const struct reference *reference, const struct access *access)
{
	const struct model_cache *cache = &reference->model.cache[outer_private(reference)];

	return cache->line == reference->largest && !cache->write_around && !access->non_temporal;
}

static void contest(struct reference *reference, struct access *access)
{
	for (uint64_t byte = 0; byte < access->bytes; byte++)
		access->contested |=
			coherent_of(reference, access->address + byte)->contested[access->core];
	for (uint64_t byte = 0; byte < access->bytes; byte++) {
		struct coherent *line = coherent_of(reference, access->address + byte);

		for (uint32_t i = 0; access->write && i < reference->threads; i++)
			line->contested[i] |= i != access->core;
		if (ends_contest(reference, access))
			line->contested[access->core] = false;
	}
	access->counters->remotely_written += access->contested;
}

static void do_access(struct reference *reference, struct access *access)
{
	uint64_t first = access->address / reference->smallest * reference->smallest,
		 end = access->address + access->bytes;
	uint64_t cycles, l1 = reference->model.cache[L1].latency;
	struct simulator_counters *whole = counters_of(reference, access->core, access->slot,
						       SAMPLING_WHOLE);

	access->when = ++reference->time;
	access->counters = access->slowest = whole;
	if (access->write)
		access->counters->writes++;
	else
		access->counters->reads++;
	contest(reference, access);
	if (bypasses(reference, access, L1) && !access->non_temporal)
		access->counters->bypassed++;
	cycles = translate_access(reference, access);
	if (is_sampled(reference) && !access->non_temporal)
		access->looked[bypasses(reference, access, L1) ? L2 : L1] = true;
	if (is_sampled(reference) && !access->non_temporal && bypasses(reference, access, L1)) {
		cycles += reference->model.cache[L2].latency - l1;
		l1 = reference->model.cache[L2].latency;
	}
	for (uint64_t done = 0; done < end - first; done += reference->smallest) {
		if (access->non_temporal)
			do_past_caches(reference, access, first + done);
		else if (aim(reference, access, first + done))
			do_piece(reference, access, first + done);
	}
	whole->cycles += cycles;
	if (access->latency > l1)
		access->slowest->cycles += access->latency - l1;
	if (!access->non_temporal)
		prefetch_strides(reference, access);
}

/* -- windows: whose turn it is */

struct reader {
	struct simulator_trace trace;
	const struct stride_run *runs;
	size_t nr, at;  /* runs, the first one of the group */
	uint64_t round; /* of the group */
	uint32_t in_group;
};

static bool has_run(struct reader *reader)
{
	while (reader->at == reader->nr) {
		reader->at = 0;
		reader->nr = reader->trace.next(reader->trace.ctx, &reader->runs);
		if (!reader->nr)
			return false;
	}
	return true;
}

/* The group's next access is the next run's; after the last one's, the first's again. */
static void go_on(struct reader *reader)
{
	const struct stride_run *first = &reader->runs[reader->at];

	if (++reader->in_group < first->group)
		return;
	reader->in_group = 0;
	if (++reader->round < first->times)
		return;
	reader->round = 0;
	reader->at += first->group;
}

static bool next_access(struct reader *reader, struct access *access)
{
	const struct stride_run *run;

	do {
		if (!has_run(reader))
			return false;
		run = &reader->runs[reader->at];
		if (!run->times)
			reader->at += run->group;
	} while (!run->times);
	run += reader->in_group;
	access->address = run->address + reader->round * (uint64_t)run->stride;
	access->bytes = run->bytes;
	access->slot = run->slot;
	access->site = run->site;
	access->write = run->write;
	access->is_float = run->is_float;
	access->non_temporal = run->non_temporal;
	go_on(reader);
	return true;
}

/*
 * False: the thread has come to its end. `contested`: its previous slice had an access to a
 * contested line; then this one.
 */
static bool run_slice(struct reference *reference, struct reader *reader, uint32_t thread,
		      bool *contested)
{
	uint32_t accesses = *contested ? SIMULATOR_SHARED_SLICE : SIMULATOR_SLICE;

	*contested = false;
	for (uint32_t i = 0; i < accesses; i++) {
		struct access access = { .core = thread };

		if (!next_access(reader, &access))
			return false;
		do_access(reference, &access);
		*contested |= access.contested;
	}
	return true;
}

void reference_window(struct reference *reference, const struct simulator_trace *traces)
{
	struct reader readers[SIMULATOR_MAX_THREADS] = { { .nr = 0 } };
	bool ended[SIMULATOR_MAX_THREADS] = { false }, contested[SIMULATOR_MAX_THREADS];
	uint32_t left = reference->threads;

	for (uint32_t i = 0; i < reference->threads; i++) {
		readers[i].trace = traces[i];
		contested[i] = true;
	}
	while (left)
		for (uint32_t i = 0; i < reference->threads; i++)
			if (!ended[i] && !run_slice(reference, &readers[i], i, &contested[i])) {
				ended[i] = true;
				left--;
			}
}

/* -- results */

static void forget_slots(struct cache *cache)
{
	for (uint64_t i = 0; cache && i < cache->sets * cache->model->ways; i++)
		cache->ways[i].counts = cache->ways[i].prefetched = false;
}

void reference_clear_counters(struct reference *reference)
{
	memset(reference->counters, 0,
	       (size_t)reference->threads * reference->slots * SAMPLING_ENTRIES *
		       sizeof(*reference->counters));
	for (uint32_t i = 0; i < reference->part_numbers.nr; i++)
		reference->parts[i] = (struct part){ .lines = { 0 } };
	for (uint32_t i = 0; i < reference->threads; i++)
		forget_slots(reference->cores[i].cache[outer_private(reference)]);
}

const struct simulator_counters *reference_counters(struct reference *reference, uint32_t thread,
						    uint32_t slot)
{
	return counters_of(reference, thread, slot, SAMPLING_WHOLE);
}

/* 13: "as many lines as the level's sets that are looked at" */
/* The oldest leave. */
static void shadow_shrink(struct shadow *shadow, uint64_t room)
{
	shadow->room = room;
	while (shadow->nr > room) {
		uint64_t oldest = 0;

		for (uint64_t i = 1; i < shadow->nr; i++)
			oldest = shadow->newest[i] < shadow->newest[oldest] ? i : oldest;
		shadow_remove(shadow, shadow->lines[oldest]);
	}
}

static void sample_shadow(const struct reference *reference, struct cache *cache)
{
	uint64_t looked_at = 0;

	for (uint64_t set = 0; cache && set < cache->sets; set++)
		looked_at += !sampling_skips(&reference->sampling,
					     set * cache->model->line / reference->largest);
	if (cache)
		shadow_shrink(&cache->shadow, looked_at * cache->model->ways);
}

void reference_sample(struct reference *reference, const struct sampling *sampling)
{
	reference->sampling = *sampling;
	for (uint32_t i = 0; i < reference->threads; i++)
		for (uint32_t level = L1; level <= L2; level++)
			sample_shadow(reference, reference->cores[i].cache[level]);
	for (uint32_t i = 0; i < reference->nr_l3; i++)
		sample_shadow(reference, &reference->l3[i]);
}

void reference_estimate(struct reference *reference, uint32_t thread, uint32_t slot,
			uint32_t replicate, struct simulator_counters *out)
{
	struct simulator_counters counted = *counters_of(reference, thread, slot, 1 + replicate);
	uint64_t *all = (uint64_t *)out;

	*out = *counters_of(reference, thread, slot, SAMPLING_WHOLE);
	if (!is_sampled(reference))
		return;
	for (size_t i = 0; i < sizeof(*out) / sizeof(*all); i++)
		all[i] += (((uint64_t *)&counted)[i] * reference->sampling.groups +
			   reference->sampling.runs / 2) /
			  reference->sampling.runs;
}
