/* SPDX-License-Identifier: Apache-2.0 */
/* Radix tree from addresses to blocks of memory, live and retired. */
#include "analysis/trace/blocks.h"

#include "analysis/base/populate.h"
#include "analysis/base/reserve.h"

/* the kernel maps higher addresses only on request (mmap hint) */
#define ADDRESS_BITS 48
#define LEVELS 5
#define PAGE_LEVEL 3
#define PAGE_SHIFT 12
#define LINE_SHIFT 6
/* a grid's cells are 8 times as large as those of the next finer one */
#define GRID_BITS 3
#define NODE_CELLS (512 + 64 + 8)
#define PART_CELLS (64 + 8)
/* blocks that cover a part of a page before it is divided */
#define SHARED_MAX 8
/* retired blocks an entry keeps; it drops older ones at twice this number */
#define STATES_MAX 16
/* blocks considered for one answer; with more it is doubtful in any case */
#define STATES_ASKED 8
#define LIVE BLOCKS_LIVE /* time of death */

/* The grids of a level's nodes: the finest has children, the coarser ones follow it in the node. */
static const struct level {
	unsigned int shift, bits, grids;
} levels[LEVELS] = {
	{ 39, 9, 1 }, { 30, 9, 3 }, { 21, 9, 3 }, { PAGE_SHIFT, 9, 3 }, { LINE_SHIFT, 6, 2 },
};

/*
 * Fields that readers use are accessed by get() and put() only. Number 0 of nodes, refs and blocks:
 * none.
 */
struct entry {
	uint64_t first; /* link to the newest live ref */
	/* link to the ref of the block that died last, then the ones before */
	uint64_t past;
	uint64_t died;      /* time of that death */
	uint64_t forgotten; /* latest death of the dropped blocks */
	uint32_t child;     /* node below; 0: none */
	uint32_t live;      /* refs; writers only */
	uint32_t retired;
};

struct ref {
	uint64_t next; /* link; of a free ref: the next free one */
	uint32_t block;
	uint32_t generation; /* grows when the ref is taken out of its list */
};

struct block {
	uint64_t start, bytes, born, died;
	uint32_t array;
	/* in the order of retirement, or of the free ones; writers only, as the rest */
	uint32_t next;
	uint32_t before; /* in the order of retirement */
	uint32_t refs;
	/* no false sharing between threads that end their own blocks */
} __attribute__((aligned(64)));

/* Free numbers are reused first; all from 1 to `used` were allocated at least once. */
struct pool {
	uint32_t used, free;
};

struct counters {
	uint64_t time;
	uint64_t ended; /* the time at which a block ended last by blocks_end */
	struct pool nodes, parts, refs, blocks;
	uint32_t oldest, newest, nr_retired;
};

/* kept in a fork's child, which finds the tables empty */
struct blocks {
	struct counters *counters;
	struct entry (*nodes)[NODE_CELLS]; /* number 0 is the root */
	struct entry (*parts)[PART_CELLS];
	struct ref *refs;
	struct block *blocks;
	uint32_t max_nodes, max_parts, max_refs, max_blocks, max_retired;
	size_t bytes;
};

#define get(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#define put(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELEASE)

/* 4 million blocks, 128 Ki of them retired; some 1.9 GB of address space. */
static void set_sizes(struct blocks *blocks, unsigned int halvings)
{
	blocks->max_nodes = 1u << 15 >> halvings;
	blocks->max_parts = 1u << 17 >> halvings;
	blocks->max_refs = 1u << 24 >> halvings;
	blocks->max_blocks = 1u << 22 >> halvings;
	blocks->max_retired = 1u << 17 >> halvings;
}

static size_t pages(size_t bytes)
{
	/* the largest page of the supported systems */
	return (bytes + 65535) & ~(size_t)65535;
}

/* Places the tables at `memory`; NULL: only computes their size. */
static size_t lay_out(struct blocks *blocks, char *memory)
{
	size_t at = 0;

	blocks->counters = (void *)memory;
	at += pages(sizeof(*blocks->counters));
	blocks->nodes = (void *)(memory ? memory + at : NULL);
	at += pages(blocks->max_nodes * sizeof(*blocks->nodes));
	blocks->parts = (void *)(memory ? memory + at : NULL);
	at += pages(blocks->max_parts * sizeof(*blocks->parts));
	blocks->refs = (void *)(memory ? memory + at : NULL);
	at += pages(blocks->max_refs * sizeof(*blocks->refs));
	blocks->blocks = (void *)(memory ? memory + at : NULL);
	return at + pages(blocks->max_blocks * sizeof(*blocks->blocks));
}

static bool reserve_tables(struct blocks *blocks)
{
	char *memory;

	set_sizes(blocks, 0);
	set_sizes(blocks, reserve_halvings(lay_out(blocks, NULL)));
	blocks->bytes = lay_out(blocks, NULL);
	memory = reserve(blocks->bytes);
	if (memory)
		lay_out(blocks, memory);
	return memory != NULL;
}

struct blocks *blocks_new(void)
{
	struct blocks *blocks = reserve_kept(sizeof(*blocks));

	if (blocks && !reserve_tables(blocks)) {
		reserve_undo(blocks, sizeof(*blocks));
		blocks = NULL;
	}
	return blocks;
}

void blocks_free(struct blocks *blocks)
{
	reserve_undo(blocks->counters, blocks->bytes);
	reserve_undo(blocks, sizeof(*blocks));
}

/* Atomic: other threads may raise it. */
static void raise_time(struct counters *counters, uint64_t to)
{
	uint64_t now = get(counters->time);

	while (now < to && !__atomic_compare_exchange_n(&counters->time, &now, to, false,
							__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		continue;
}

uint64_t blocks_time(const struct blocks *blocks)
{
	struct counters *counters = blocks->counters;
	uint64_t now = get(counters->time);

	if (now && get(counters->ended) == now)
		raise_time(counters, now + 1);
	return get(counters->time);
}

static struct entry *entries(const struct blocks *blocks, int level, uint32_t node)
{
	return level > PAGE_LEVEL ? blocks->parts[node] : blocks->nodes[node];
}

static uint64_t link_to(const struct blocks *blocks, uint32_t ref)
{
	return ref ? (uint64_t)get(blocks->refs[ref].generation) << 32 | ref : 0;
}

static void forget_oldest(struct blocks *blocks);

/* A number never used; `row`: bytes of a row; 0: the table is full. */
static uint32_t pool_next(struct pool *pool, uint32_t max, void *table, size_t row)
{
	if (pool->used + 1 >= max)
		return 0;
	if (!pool->used++)
		pages_ahead(table, max * row, 0, row); /* row 0 is never allocated */
	pages_ahead(table, max * row, pool->used * row, row);
	return pool->used;
}

static uint32_t take_ref(struct blocks *blocks)
{
	struct pool *pool = &blocks->counters->refs;
	uint32_t ref = 0;

	if (!pool->free)
		ref = pool_next(pool, blocks->max_refs, blocks->refs, sizeof(blocks->refs[0]));
	while (!ref && !pool->free && blocks->counters->nr_retired)
		forget_oldest(blocks);
	if (!ref && pool->free) {
		ref = pool->free;
		pool->free = (uint32_t)blocks->refs[ref].next;
	}
	return ref;
}

static uint32_t take_block(struct blocks *blocks)
{
	struct pool *pool = &blocks->counters->blocks;
	uint32_t block = 0;

	if (!pool->free)
		block = pool_next(pool, blocks->max_blocks, blocks->blocks,
				  sizeof(blocks->blocks[0]));
	if (!block && !pool->free && blocks->counters->nr_retired)
		forget_oldest(blocks);
	if (!block && pool->free) {
		block = pool->free;
		pool->free = blocks->blocks[block].next;
	}
	return block;
}

static void free_block(struct blocks *blocks, uint32_t block)
{
	put(blocks->blocks[block].born, 0);
	blocks->blocks[block].next = blocks->counters->blocks.free;
	blocks->counters->blocks.free = block;
}

/* Removes it from the list of retired blocks. */
static void free_retired(struct blocks *blocks, uint32_t number)
{
	struct counters *counters = blocks->counters;
	const struct block *block = &blocks->blocks[number];

	if (block->before)
		blocks->blocks[block->before].next = block->next;
	else
		counters->oldest = block->next;
	if (block->next)
		blocks->blocks[block->next].before = block->before;
	else
		counters->newest = block->before;
	counters->nr_retired--;
	free_block(blocks, number);
}

/* The link to a block's ref in the list that begins there; NULL: not in it. */
static uint64_t *find_link(struct blocks *blocks, uint64_t *link, uint32_t block)
{
	while (*link && blocks->refs[(uint32_t)*link].block != block)
		link = &blocks->refs[(uint32_t)*link].next;
	return *link ? link : NULL;
}

static void link_ref(struct blocks *blocks, uint64_t *first, uint32_t ref, uint32_t block)
{
	put(blocks->refs[ref].block, block);
	put(blocks->refs[ref].next, *first);
	put(*first, link_to(blocks, ref));
}

/* Raised before the ref is reused, so that concurrent readers notice. */
static void unlink_ref(struct blocks *blocks, uint64_t *link)
{
	uint32_t ref = (uint32_t)*link;
	struct ref *old = &blocks->refs[ref];

	put(*link, old->next);
	put(old->generation, old->generation + 1);
	put(old->next, blocks->counters->refs.free);
	blocks->counters->refs.free = ref;
}

static bool entry_add(struct blocks *blocks, struct entry *entry, uint32_t block)
{
	uint32_t ref = take_ref(blocks);

	if (!ref)
		return false;
	link_ref(blocks, &entry->first, ref, block);
	blocks->blocks[block].refs++;
	entry->live++;
	return true;
}

static void note_forgotten(const struct blocks *blocks, struct entry *entry, uint32_t block)
{
	if (blocks->blocks[block].died > entry->forgotten)
		put(entry->forgotten, blocks->blocks[block].died);
}

/* A retired block, or one that was added only in part. */
static bool entry_forget(struct blocks *blocks, struct entry *entry, uint32_t block)
{
	bool lives = blocks->blocks[block].died == LIVE;
	uint64_t *link = find_link(blocks, lives ? &entry->first : &entry->past, block);

	if (!link)
		return false;
	if (lives) {
		entry->live--;
	} else {
		entry->retired--;
		note_forgotten(blocks, entry, block);
	}
	unlink_ref(blocks, link);
	blocks->blocks[block].refs--;
	return true;
}

/* Drops older retired refs of the entry, and blocks without a ref. */
static void trim_past(struct blocks *blocks, struct entry *entry)
{
	uint64_t *link = &entry->past;

	for (unsigned int i = 0; i < STATES_MAX; i++)
		link = &blocks->refs[(uint32_t)*link].next;
	while (*link) {
		uint32_t block = blocks->refs[(uint32_t)*link].block;

		note_forgotten(blocks, entry, block);
		unlink_ref(blocks, link);
		entry->retired--;
		if (!--blocks->blocks[block].refs)
			free_retired(blocks, block);
	}
}

/* Enters the retired list before it leaves the live list, which readers read first. */
static bool entry_retire(struct blocks *blocks, struct entry *entry, uint32_t block)
{
	bool known = find_link(blocks, &entry->first, block) != NULL;
	uint32_t ref = known ? take_ref(blocks) : 0;

	if (!known)
		return false;
	if (ref) {
		if (blocks->blocks[block].died > entry->died)
			put(entry->died, blocks->blocks[block].died);
		link_ref(blocks, &entry->past, ref, block);
		entry->retired++;
	} else {
		note_forgotten(blocks, entry, block);
		blocks->blocks[block].refs--;
	}
	unlink_ref(blocks, find_link(blocks, &entry->first, block));
	entry->live--;
	if (entry->retired >= 2 * STATES_MAX)
		trim_past(blocks, entry);
	return true;
}

enum step { STEP_ADD, STEP_RETIRE, STEP_FORGET };

struct walk {
	struct blocks *blocks;
	enum step step;
	uint32_t block;
	uint64_t low, last; /* the block's first and last byte */
};

/* 0: none, and none to be created, or the pool is full. */
static uint32_t child_of(const struct walk *walk, struct entry *entry, int level)
{
	struct blocks *blocks = walk->blocks;
	struct counters *counters = blocks->counters;
	uint32_t child;

	if (entry->child || walk->step != STEP_ADD)
		return entry->child;
	child = level == PAGE_LEVEL ? pool_next(&counters->parts, blocks->max_parts, blocks->parts,
						sizeof(*blocks->parts))
				    : pool_next(&counters->nodes, blocks->max_nodes, blocks->nodes,
						sizeof(*blocks->nodes));
	put(entry->child, child);
	return child;
}

static bool do_step(const struct walk *walk, struct entry *entry)
{
	switch (walk->step) {
	case STEP_ADD: return entry_add(walk->blocks, entry, walk->block);
	case STEP_RETIRE: return entry_retire(walk->blocks, entry, walk->block);
	case STEP_FORGET: return entry_forget(walk->blocks, entry, walk->block);
	}
	return false;
}

/*
 * Where the grid begins in a node whose cells have 1 << `shift` bytes, and the cell of an address
 * in it.
 */
static uint32_t cell_at(uint64_t address, int level, unsigned int shift)
{
	unsigned int end = levels[level].shift + levels[level].bits;
	uint32_t begin = 0;

	for (unsigned int finer = levels[level].shift; finer < shift; finer += GRID_BITS)
		begin += 1u << (end - finer);
	return begin + ((uint32_t)(address >> shift) & ((1u << (end - shift)) - 1));
}

/*
 * The node of a level that has an address; 0: none, and none to be created, or the pool is full.
 * The root is number 0, too.
 */
static uint32_t node_at(const struct walk *walk, uint64_t address, int level)
{
	uint32_t node = 0;

	for (int above = 0; above < level; above++) {
		node = child_of(walk,
				&entries(walk->blocks, above,
					 node)[cell_at(address, above, levels[above].shift)],
				above);
		if (!node)
			return 0;
	}
	return node;
}

/* Removal continues at empty entries: an entry may have dropped the block. */
static bool walk_cells(const struct walk *walk, int level, unsigned int shift, uint64_t low,
		       uint64_t last)
{
	for (uint64_t cell = low >> shift; cell <= last >> shift; cell++) {
		uint32_t node = node_at(walk, cell << shift, level);
		bool done = (node || !level) &&
			    do_step(walk, &entries(walk->blocks, level,
						   node)[cell_at(cell << shift, level, shift)]);

		if (!done && walk->step == STEP_ADD)
			return false;
	}
	return true;
}

/*
 * A shared page has its first blocks in its own list, the others in the child: removal checks both.
 */
static bool walk_page(const struct walk *walk, unsigned int shift, uint64_t base)
{
	uint64_t end = base + (1u << PAGE_SHIFT) - 1;
	uint32_t node = node_at(walk, base, PAGE_LEVEL);
	struct entry *entry = &entries(walk->blocks, PAGE_LEVEL,
				       node)[cell_at(base, PAGE_LEVEL, PAGE_SHIFT)];

	if (!node)
		return false;
	if ((walk->step != STEP_ADD || entry->live < SHARED_MAX) && do_step(walk, entry))
		return true;
	return walk_cells(walk, PAGE_LEVEL + 1, shift, walk->low > base ? walk->low : base,
			  walk->last < end ? walk->last : end);
}

static bool walk_pages(const struct walk *walk, unsigned int shift)
{
	for (uint64_t page = walk->low >> PAGE_SHIFT; page <= walk->last >> PAGE_SHIFT; page++)
		if (!walk_page(walk, shift, page << PAGE_SHIFT) && walk->step == STEP_ADD)
			return false;
	return true;
}

/*
 * The one or two cells that the block covers, of the finest grid with cells as large as the block.
 */
static bool walk_grid(const struct walk *walk)
{
	unsigned int shift = LINE_SHIFT;
	int level = LEVELS - 1;

	while (shift < levels[0].shift && (walk->last - walk->low) >> shift)
		shift += GRID_BITS;
	if (shift < PAGE_SHIFT)
		return walk_pages(walk, shift);
	while (levels[level].shift + (levels[level].grids - 1) * GRID_BITS < shift)
		level--;
	return walk_cells(walk, level, shift, walk->low, walk->last);
}

static bool walk_block(struct blocks *blocks, enum step step, uint32_t number)
{
	const struct block *block = &blocks->blocks[number];
	uint64_t bytes = block->bytes ? block->bytes : 1;
	struct walk walk = { blocks, step, number, block->start, block->start + bytes - 1 };

	return walk_grid(&walk);
}

static void forget_oldest(struct blocks *blocks)
{
	struct counters *counters = blocks->counters;
	uint32_t oldest = counters->oldest;

	walk_block(blocks, STEP_FORGET, oldest);
	free_retired(blocks, oldest);
}

static bool has_address(uint64_t start, uint64_t bytes)
{
	const uint64_t end = (uint64_t)1 << ADDRESS_BITS;

	return start < end && bytes <= end - start;
}

/* 0: full, or no such address. */
static uint32_t add_at(struct blocks *blocks, uint32_t array, uint64_t start, uint64_t bytes,
		       uint64_t born)
{
	uint32_t number = has_address(start, bytes) ? take_block(blocks) : 0;
	struct block *block = &blocks->blocks[number];

	if (!number)
		return 0;
	put(block->start, start);
	put(block->bytes, bytes);
	put(block->array, array);
	put(block->born, born);
	put(block->died, LIVE);
	block->refs = 0;
	if (!walk_block(blocks, STEP_ADD, number)) {
		walk_block(blocks, STEP_FORGET, number);
		free_block(blocks, number);
		return 0;
	}
	return number;
}

uint32_t blocks_add_since(struct blocks *blocks, uint32_t array, uint64_t start, uint64_t bytes,
			  uint64_t born)
{
	uint64_t now = get(blocks->counters->time) + 1;
	uint32_t number = add_at(blocks, array, start, bytes, born);

	if (number)
		raise_time(blocks->counters, now);
	return number;
}

uint32_t blocks_add(struct blocks *blocks, uint32_t array, uint64_t start, uint64_t bytes)
{
	return blocks_add_since(blocks, array, start, bytes, get(blocks->counters->time) + 1);
}

void blocks_end(struct blocks *blocks, uint32_t block)
{
	uint64_t now = get(blocks->counters->time);

	put(blocks->blocks[block].died, now + 1);
	if (get(blocks->counters->ended) != now)
		put(blocks->counters->ended, now);
}

void blocks_again(struct blocks *blocks, uint32_t block)
{
	put(blocks->blocks[block].died, LIVE);
}

void blocks_each(const struct blocks *blocks, uint64_t since,
		 void (*visit)(void *ctx, const struct blocks_row *row), void *ctx)
{
	for (uint32_t i = 1; i <= blocks->counters->blocks.used; i++) {
		const struct block *block = &blocks->blocks[i];

		if (block->born && block->died > since)
			visit(ctx, &(struct blocks_row){ block->start, block->bytes, block->born,
							 block->died, block->array });
	}
}

/* The newer of two live blocks that begin at `start`. */
static uint32_t newest_of(const struct blocks *blocks, const struct entry *entry, uint64_t start,
			  uint32_t newest)
{
	for (uint32_t ref = (uint32_t)entry->first; ref; ref = (uint32_t)blocks->refs[ref].next) {
		uint32_t number = blocks->refs[ref].block;
		const struct block *block = &blocks->blocks[number];

		if (block->start == start && block->died == LIVE &&
		    (!newest || block->born > blocks->blocks[newest].born))
			newest = number;
	}
	return newest;
}

uint32_t blocks_live(const struct blocks *blocks, uint64_t start)
{
	uint32_t node = 0, newest = 0;

	if (!has_address(start, 1))
		return 0;
	for (int level = 0; level < LEVELS; level++) {
		const struct entry *at = entries(blocks, level, node);

		for (unsigned int i = 0; i < levels[level].grids; i++)
			newest = newest_of(
				blocks,
				&at[cell_at(start, level, levels[level].shift + i * GRID_BITS)],
				start, newest);
		node = at[cell_at(start, level, levels[level].shift)].child;
		if (!node)
			break;
	}
	return newest;
}

static void queue_retired(struct blocks *blocks, uint32_t number)
{
	struct counters *counters = blocks->counters;
	struct block *block = &blocks->blocks[number];

	block->before = counters->newest;
	block->next = 0;
	if (counters->newest)
		blocks->blocks[counters->newest].next = number;
	else
		counters->oldest = number;
	counters->newest = number;
	counters->nr_retired++;
}

static void retire_at(struct blocks *blocks, uint32_t number, uint64_t died)
{
	put(blocks->blocks[number].died, died);
	walk_block(blocks, STEP_RETIRE, number);
	raise_time(blocks->counters, died);
	queue_retired(blocks, number);
	if (!blocks->blocks[number].refs)
		free_retired(blocks, number);
	else if (blocks->counters->nr_retired > blocks->max_retired)
		forget_oldest(blocks);
}

void blocks_retire(struct blocks *blocks, uint32_t number, uint32_t *array_out, uint64_t *bytes_out)
{
	uint64_t died = get(blocks->blocks[number].died);

	*array_out = blocks->blocks[number].array;
	*bytes_out = blocks->blocks[number].bytes;
	retire_at(blocks, number, died == LIVE ? get(blocks->counters->time) + 1 : died);
}

bool blocks_restore(struct blocks *blocks, const struct blocks_row *row)
{
	bool possible = row->born && row->born < row->died && row->died >= blocks->counters->time;
	uint32_t number = possible ? add_at(blocks, row->array, row->start, row->bytes, row->born)
				   : 0;

	if (number && row->died != LIVE)
		retire_at(blocks, number, row->died);
	return number;
}

uint32_t blocks_array(const struct blocks *blocks, uint32_t block)
{
	return blocks->blocks[block].array;
}

/* a block, clipped to the requested time */
struct state {
	uint64_t start, bytes, born, low, high; /* lived in [low, high] */
	uint32_t array;
};

struct question {
	uint64_t address, since, until;
	struct state states[STATES_ASKED];
	uint32_t nr, best;
	bool doubtful;
};

static uint64_t lived(const struct state *state)
{
	return state->high - state->low;
}

/* Prefers the block with the longer overlap in time; then the inner one, then the newer one. */
static bool is_better(const struct state *a, const struct state *b)
{
	if (lived(a) != lived(b))
		return lived(a) > lived(b);
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes;
	return a->born > b->born;
}

/*
 * No doubt if it is the same element of the same array, or encloses it all the time (a stack and an
 * array on it).
 */
static bool agrees(const struct state *other, const struct state *best)
{
	if (other->array == best->array && other->start == best->start)
		return true;
	return other->low <= best->low && other->high >= best->high &&
	       other->start <= best->start &&
	       other->bytes - (best->start - other->start) >= best->bytes;
}

/* When the table is full, the best state stays. */
static void weigh(struct question *question, const struct state *state)
{
	uint32_t at = question->nr;

	if (at == STATES_ASKED) {
		question->doubtful = true;
		at = question->best ? 0 : 1;
		if (!is_better(state, &question->states[question->best]))
			return;
	} else {
		question->nr++;
	}
	question->states[at] = *state;
	if (at == 0 || is_better(state, &question->states[question->best]))
		question->best = at;
}

static void answer(struct question *question, struct array_place *out)
{
	const struct state *best = &question->states[question->best];

	for (uint32_t i = 0; i < question->nr; i++)
		question->doubtful |= !agrees(&question->states[i], best);
	out->doubtful = question->doubtful;
	if (!question->nr)
		return;
	out->array = best->array;
	out->offset = question->address - best->start;
	out->block_bytes = best->bytes;
}

static struct state read_state(const struct block *block, const struct question *question)
{
	uint64_t last = get(block->died) - 1;
	struct state state = { .start = get(block->start),
			       .bytes = get(block->bytes),
			       .born = get(block->born),
			       .array = get(block->array) };

	state.low = state.born > question->since ? state.born : question->since;
	state.high = last < question->until ? last : question->until;
	return state;
}

/* False: a ref was reused concurrently. */
static bool ask_list(const struct blocks *blocks, uint64_t link, struct question *question)
{
	while (link) {
		const struct ref *ref = &blocks->refs[(uint32_t)link];
		uint64_t next = get(ref->next);
		const struct block *block = &blocks->blocks[get(ref->block)];
		bool within = question->address - get(block->start) < get(block->bytes);
		struct state state;

		if (within)
			state = read_state(block, question);
		if (get(ref->generation) != link >> 32)
			return false;
		if (within && question->address - state.start < state.bytes &&
		    state.low <= state.high && state.high >= question->since)
			weigh(question, &state);
		link = next;
	}
	return true;
}

static bool ask_entry(const struct blocks *blocks, const struct entry *entry,
		      struct question *question)
{
	if (!ask_list(blocks, get(entry->first), question))
		return false;
	if (question->since < get(entry->died) && !ask_list(blocks, get(entry->past), question))
		return false;
	question->doubtful |= question->since < get(entry->forgotten);
	return true;
}

static bool ask_tree(const struct blocks *blocks, struct question *question)
{
	uint32_t node = 0;

	for (int level = 0; level < LEVELS; level++) {
		const struct entry *at = entries(blocks, level, node);

		for (unsigned int i = 0; i < levels[level].grids; i++)
			if (!ask_entry(blocks,
				       &at[cell_at(question->address, level,
						   levels[level].shift + i * GRID_BITS)],
				       question))
				return false;
		node = get(at[cell_at(question->address, level, levels[level].shift)].child);
		if (!node)
			break;
	}
	return true;
}

bool blocks_at(const struct blocks *blocks, uint64_t address, uint64_t since, uint64_t until,
	       struct array_place *out)
{
	struct question question;

	*out = (struct array_place){ .array = ARRAY_NONE };
	if (!has_address(address, 1))
		return false;
	question.address = address;
	question.since = since;
	question.until = until;
	do { /* repeats only if a writer made progress */
		question.nr = question.best = 0;
		question.doubtful = false;
	} while (!ask_tree(blocks, &question));
	answer(&question, out);
	return question.nr > 0;
}
