/* SPDX-License-Identifier: Apache-2.0 */
/* The table of arrays: rows, heap sites, and the one lock among writers. */
#include "ompt_tool/arrays/array.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/hash.h"
#include "analysis/base/reserve.h"
#include "analysis/base/spin.h"
#include "analysis/trace/blocks.h"
#include "analysis/trace/simulation_places.h"

#define ROWS_MAX (1u << 17)     /* 60 MB of address space */
#define SPINS 100               /* looks before sleeping: a writer needs some 100 ns … */
#define SLEEP_NS 50000          /* … unless it was put off its CPU */
#define SITE_UNKNOWN UINT64_MAX /* key of the row for blocks whose site is not known */

#define get(place) __atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#define put(place, value) __atomic_store_n(&(place), (value), __ATOMIC_RELEASE)

/* Open addressing, at most half full. */
struct site {
	uint64_t key;
	uint32_t array;
};

/* Zeroed in a fork's child, including the lock: its holder does not exist there. */
struct rows {
	uint64_t writer; /* pthread_self of the writer; 0: none */
	uint32_t nr;
	uint64_t live_bytes[ROWS_MAX];
	struct site sites[2 * ROWS_MAX];
	struct array row[ROWS_MAX];
};

/*
 * Recently added blocks, by start address. An ended block keeps its slot until another block needs
 * the slot or its memory: most are allocated again at the same address, site and size, and then
 * neither the lock nor the tree is needed.
 */
#define SLOT_BITS 13
struct slot {
	/*
	 * lock bit of the slot; writers that hold the table's lock wait for it, others fall back to
	 * the slow path
	 */
	uint32_t busy;
	uint32_t block; /* of blocks.h; 0: none */
	uint64_t start, bytes;
	uint32_t array, site;
	uint32_t again; /* times it was allocated again that are not yet added to its row */
	bool ended;
	uint64_t adds; /* value of adds_at when it ended */
} __attribute__((aligned(64)));
/*
 * Blocks added so far, by the memory they use: a block that is allocated again is another one if
 * its memory was used meanwhile. Threads have heaps of their own, and do not make each other's
 * blocks new. Written under the lock.
 */
#define PIECE_SHIFT 16
#define PIECE_BITS 12
#define LARGE ((uint64_t)64 << PIECE_SHIFT) /* bytes; larger blocks are counted together */
struct adds {
	uint64_t all __attribute__((aligned(64))), large __attribute__((aligned(64)));
	/* by hash of the piece of memory */
	uint64_t pieces[1 << PIECE_BITS] __attribute__((aligned(64)));
};
/*
 * Per row: bytes of blocks that ended and are not retired, in SHARES parts by slot, because threads
 * count concurrently. Atomic.
 */
#define SHARES 4
struct share {
	uint64_t bytes;
} __attribute__((aligned(64)));
struct recent {
	struct adds adds;
	struct slot slots[1 << SLOT_BITS];
	struct share ended[ROWS_MAX][SHARES];
};

/* Each is zeroed in a forked child. */
struct tables {
	struct rows *rows;
	struct blocks *blocks;
	struct recent *recent;
};

static struct tables *tables;
static struct array_losses losses;
/* high: 0 at first, written last */
static struct {
	uint32_t array;
	uintptr_t low, high;
} rest;

static void tables_undo(struct tables *new)
{
	if (new->blocks)
		blocks_free(new->blocks);
	if (new->recent)
		reserve_undo(new->recent, sizeof(*new->recent));
	if (new->rows)
		reserve_undo(new->rows, sizeof(*new->rows));
	reserve_undo(new, sizeof(*new));
}

/*
 * Touches all 544 KiB now: otherwise the program's threads would take the page faults, which are
 * counted, when they allocate.
 */
static void touch_slots(struct recent *recent)
{
	for (size_t i = 0; i < sizeof(recent->slots) / sizeof(recent->slots[0]); i++)
		put(recent->slots[i].block, 0);
	for (size_t i = 0; i < sizeof(recent->adds.pieces) / sizeof(recent->adds.pieces[0]); i++)
		put(recent->adds.pieces[i], 0);
}

static struct tables *tables_new(void)
{
	struct tables *new = reserve_kept(sizeof(*new));

	if (!new)
		return NULL;
	new->rows = reserve(sizeof(*new->rows));
	new->recent = new->rows ? reserve(sizeof(*new->recent)) : NULL;
	if (new->recent)
		touch_slots(new->recent);
	new->blocks = new->recent ? blocks_new() : NULL;
	if (new->blocks)
		return new;
	tables_undo(new);
	return NULL;
}

/* NULL: no address space. If several threads create tables concurrently, one wins. */
static struct tables *tables_get(void)
{
	struct tables *have = get(tables), *new;

	if (have)
		return have;
	new = tables_new();
	if (!new)
		return get(tables);
	if (__atomic_compare_exchange_n(&tables, &have, new, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return new;
	tables_undo(new);
	return have;
}

void array_start(void)
{
	tables_get();
}

/* A plain system call, because nanosleep is a cancellation point. */
static void wait_a_little(uint64_t *writer, int looks)
{
	struct timespec pause = { .tv_nsec = SLEEP_NS };
	int error = errno;

	if (looks < SPINS)
		spin_hint();
	else
		syscall(SYS_futex, writer, FUTEX_WAIT_PRIVATE, (uint32_t)get(*writer), &pause, NULL,
			0);
	errno = error;
}

/* False: this thread writes already, and was interrupted by a signal whose handler allocates. */
static bool lock(struct rows *rows)
{
	uint64_t self = (uint64_t)pthread_self(), free = 0;

	for (int looks = 0; !__atomic_compare_exchange_n(&rows->writer, &free, self, false,
							 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
	     looks++) {
		if (free == self)
			return false;
		free = 0;
		wait_a_little(&rows->writer, looks < SPINS ? looks : SPINS);
	}
	return true;
}

static void unlock(struct rows *rows)
{
	put(rows->writer, 0);
}

static bool lost(uint64_t *what)
{
	__atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
	return false;
}

/* The slot of a site, or the free slot where it is to be inserted. */
static struct site *site_slot(struct rows *rows, uint64_t key)
{
	uint32_t mask = 2 * ROWS_MAX - 1;
	uint32_t at = (uint32_t)(hash_word(key) >> 40) & mask;

	while (get(rows->sites[at].key) && get(rows->sites[at].key) != key)
		at = (at + 1) & mask;
	return &rows->sites[at];
}

/*
 * Under the lock. `key`: of a heap site, 0: none. It is published last, so that a reader that finds
 * the key finds the complete row.
 */
static uint32_t row_new(struct rows *rows, const struct array *row, uint64_t key)
{
	uint32_t id = rows->nr;
	struct site *slot = key ? site_slot(rows, key) : NULL;

	if (slot && slot->key)
		return slot->array;
	if (id == ROWS_MAX)
		return ARRAY_NONE;
	rows->row[id] = *row;
	rows->row[id].id = id;
	rows->row[id].blocks = rows->row[id].live_blocks = 0;
	put(rows->nr, id + 1);
	if (slot) {
		put(slot->array, id);
		put(slot->key, key);
	}
	return id;
}

static uint32_t row_get(const struct array *row, uint64_t key)
{
	struct tables *have = tables_get();
	uint32_t id = ARRAY_NONE;

	if (have && lock(have->rows)) {
		id = row_new(have->rows, row, key);
		unlock(have->rows);
	}
	if (id == ARRAY_NONE)
		lost(&losses.rows);
	return id;
}

uint32_t array_new(const struct array *row)
{
	return row_get(row, row->kind == ARRAY_HEAP ? row->site : 0);
}

static uint32_t of_key(uint64_t site, uint64_t key, bool may_add)
{
	const struct array row = {
		.kind = ARRAY_HEAP, .name = "", .type = "", .file = "", .module = "", .site = site
	};
	struct tables *have = tables_get();
	const struct site *slot = have ? site_slot(have->rows, key) : NULL;

	if (slot && get(slot->key))
		return get(slot->array);
	return may_add ? row_get(&row, key) : ARRAY_NONE;
}

uint32_t array_of_site(uint64_t site)
{
	return of_key(site, site ? site : SITE_UNKNOWN, true);
}

/* Keys of paths are no addresses. */
uint32_t array_of_path(uint64_t site, uint64_t path, bool may_add)
{
	return of_key(site, (hash_word(site) ^ hash_word(hash_word(path) + 1)) | (uint64_t)1 << 63,
		      may_add);
}

const struct array *array_get(uint32_t id)
{
	const struct tables *have = get(tables);

	return have && id < get(have->rows->nr) ? &have->rows->row[id] : NULL;
}

uint32_t array_count(void)
{
	const struct tables *have = get(tables);

	return have ? get(have->rows->nr) : 0;
}

/* Does not change the counters of the table. */
void array_describe(uint32_t id, const struct array *row)
{
	struct array *own = (struct array *)array_get(id);

	if (!own)
		return;
	put(own->kind, row->kind);
	put(own->name, row->name);
	put(own->type, row->type);
	put(own->file, row->file);
	put(own->line, row->line);
	put(own->module, row->module);
	put(own->element_bytes, row->element_bytes);
	for (int i = 0; i < ARRAY_DIMENSIONS; i++) {
		put(own->lower[i], row->lower[i]);
		put(own->extent[i], row->extent[i]);
	}
	put(own->column_major, row->column_major);
	put(own->nr_dimensions, row->nr_dimensions);
}

static uint64_t live_bytes(const struct tables *have, uint32_t id)
{
	uint64_t bytes = have->rows->live_bytes[id];

	for (int i = 0; i < SHARES; i++)
		bytes -= __atomic_load_n(&have->recent->ended[id][i].bytes, __ATOMIC_RELAXED);
	return bytes;
}

static void count_block(const struct tables *have, uint32_t id, uintptr_t start, uint64_t bytes)
{
	struct array *row = &have->rows->row[id];
	uint64_t live;

	have->rows->live_bytes[id] += bytes;
	live = live_bytes(have, id);
	if (!row->blocks)
		put(row->start, start);
	/* not while another thread counts */
	if (live > row->bytes && live <= have->rows->live_bytes[id])
		put(row->bytes, live);
	put(row->blocks, row->blocks + 1);
	put(row->live_blocks, row->live_blocks + 1);
}

static uint64_t retire(const struct tables *have, uint32_t block)
{
	uint32_t id;
	uint64_t bytes;

	blocks_retire(have->blocks, block, &id, &bytes);
	have->rows->live_bytes[id] -= bytes;
	put(have->rows->row[id].live_blocks, have->rows->row[id].live_blocks - 1);
	return bytes;
}

/* -- slots */

static uint64_t *piece_at(const struct tables *have, uintptr_t piece)
{
	return &have->recent->adds.pieces[hash_place(piece, PIECE_BITS)];
}

static uintptr_t last_piece(uintptr_t start, uint64_t bytes)
{
	return (start + (bytes ? bytes - 1 : 0)) >> PIECE_SHIFT;
}

/* Under the lock. */
static void note_add(const struct tables *have, uintptr_t start, uint64_t bytes)
{
	struct adds *adds = &have->recent->adds;

	put(adds->all, adds->all + 1);
	if (bytes > LARGE)
		put(adds->large, adds->large + 1);
	for (uintptr_t piece = start >> PIECE_SHIFT;
	     bytes <= LARGE && piece <= last_piece(start, bytes); piece++)
		put(*piece_at(have, piece), *piece_at(have, piece) + 1);
}

/* Has changed if a block was added that may use this memory: its parts only increase. */
static uint64_t adds_at(const struct tables *have, uintptr_t start, uint64_t bytes)
{
	uint64_t sum = get(have->recent->adds.large);

	if (bytes > LARGE)
		return get(have->recent->adds.all);
	for (uintptr_t piece = start >> PIECE_SHIFT; piece <= last_piece(start, bytes); piece++)
		sum += get(*piece_at(have, piece));
	return sum;
}

static struct slot *slot_of(const struct tables *have, uintptr_t start)
{
	return &have->recent->slots[hash_word(start) >> (64 - SLOT_BITS)];
}

/* False: another thread holds it, or this thread does, and was interrupted by a signal handler. */
static bool slot_try(struct slot *slot)
{
	uint32_t free = 0;

	return __atomic_compare_exchange_n(&slot->busy, &free, 1, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static void count_ended(const struct tables *have, const struct slot *slot, uint64_t bytes)
{
	__atomic_fetch_add(
		&have->recent->ended[slot->array][(size_t)(slot - have->recent->slots) % SHARES]
			 .bytes,
		bytes, __ATOMIC_RELAXED);
}

static void slot_release(struct slot *slot)
{
	put(slot->busy, 0);
}

/*
 * The holder of a slot waits for no other thread. False: a signal handler may have interrupted it
 * on this thread.
 */
static bool slot_take(struct slot *slot)
{
	for (int looks = 0; looks < SPIN_TRIES; looks++) {
		if (slot_try(slot))
			return true;
		spin_hint();
	}
	return false;
}

/* Under the lock, the slot taken. Retires its block if that has ended. */
static void slot_clear(const struct tables *have, struct slot *slot)
{
	struct array *row = slot->block ? &have->rows->row[slot->array] : NULL;

	if (row && slot->again)
		put(row->blocks, row->blocks + slot->again);
	if (row && slot->ended) {
		count_ended(have, slot, -slot->bytes);
		retire(have, slot->block);
	}
	slot->block = slot->again = 0;
	slot->ended = false;
}

/* Under the lock: replaces the contents of this address's slot. */
static void slot_put(const struct tables *have, const struct slot *what)
{
	struct slot *slot = slot_of(have, what->start);

	if (!slot_take(slot))
		return;
	slot_clear(have, slot);
	slot->block = what->block;
	slot->start = what->start;
	slot->bytes = what->bytes;
	slot->array = what->array;
	slot->site = what->site;
	slot_release(slot);
}

/*
 * Under the lock: clears the slot of a block that is removed or replaced. False: the slot was held
 * too long by another thread.
 */
static bool slot_forget(const struct tables *have, uintptr_t start)
{
	struct slot *slot = slot_of(have, start);

	if (get(slot->start) != start)
		return true;
	if (!slot_take(slot))
		return false;
	if (slot->start == start)
		slot_clear(have, slot);
	slot_release(slot);
	return true;
}

/* The heap does not return a live address twice: the removal of the older block was missed. */
static void retire_missed(const struct tables *have, uintptr_t start)
{
	uint32_t block = blocks_live(have->blocks, start);

	if (block && have->rows->row[blocks_array(have->blocks, block)].kind == ARRAY_HEAP)
		retire(have, block);
}

#define NOW UINT64_MAX

/* `site`: of a block that may come again; ARRAY_NONE otherwise. */
static bool add(const struct tables *have, uint32_t array, uintptr_t start, uint64_t bytes,
		uint32_t site, uint64_t since)
{
	bool heap = array < have->rows->nr && have->rows->row[array].kind == ARRAY_HEAP;
	uint32_t block;

	if (array >= have->rows->nr)
		return false;
	if (heap && !slot_forget(have, start))
		return false;
	if (heap)
		retire_missed(have, start);
	block = since == NOW ? blocks_add(have->blocks, array, start, bytes)
			     : blocks_add_since(have->blocks, array, start, bytes, since);
	if (!block)
		return false;
	note_add(have, start, bytes);
	count_block(have, array, start, bytes);
	if (site != ARRAY_NONE)
		slot_put(have, &(struct slot){ .block = block,
					       .start = start,
					       .bytes = bytes,
					       .array = array,
					       .site = site });
	return true;
}

static bool add_locked(uint32_t array, uintptr_t start, uint64_t bytes, uint32_t site,
		       uint64_t since)
{
	struct tables *have = tables_get();
	bool added;

	if (!have || !lock(have->rows))
		return lost(&losses.blocks);
	added = add(have, array, start, bytes, site, since);
	unlock(have->rows);
	return added || lost(&losses.blocks);
}

bool array_block_add_of_site(uint32_t array, uintptr_t start, uint64_t bytes, uint32_t site)
{
	return add_locked(array, start, bytes, site, NOW);
}

bool array_block_add_since(uint32_t array, uintptr_t start, uint64_t bytes, uint64_t since)
{
	return add_locked(array, start, bytes, ARRAY_NONE, since);
}

bool array_block_add(uint32_t array, uintptr_t start, uint64_t bytes)
{
	return array_block_add_of_site(array, start, bytes, ARRAY_NONE);
}

bool array_block_remove(uintptr_t start, uint64_t *bytes_out)
{
	struct tables *have = get(tables);
	uint32_t block;

	*bytes_out = 0;
	if (!have)
		return false;
	if (!lock(have->rows))
		return lost(&losses.blocks);
	block = slot_forget(have, start) ? blocks_live(have->blocks, start) : 0;
	if (block)
		*bytes_out = retire(have, block);
	unlock(have->rows);
	return block != 0;
}

/* If its memory may have been used since it ended, this is another block. */
uint32_t array_block_again(uint32_t site, uintptr_t start, uint64_t bytes)
{
	struct tables *have = get(tables);
	struct slot *slot = have ? slot_of(have, start) : NULL;
	uint32_t array = ARRAY_NONE;

	if (!slot || get(slot->start) != start || !slot_try(slot))
		return ARRAY_NONE;
	if (slot->block && slot->ended && slot->start == start && slot->bytes == bytes &&
	    slot->site == site && slot->adds == adds_at(have, start, bytes)) {
		slot->ended = false;
		slot->again++;
		count_ended(have, slot, -bytes);
		array = slot->array;
		blocks_again(have->blocks, slot->block);
	}
	slot_release(slot);
	return array;
}

uint32_t array_block_end(uintptr_t start, uint64_t *bytes_out)
{
	struct tables *have = get(tables);
	struct slot *slot = have ? slot_of(have, start) : NULL;
	uint32_t array = ARRAY_NONE;

	if (!slot || get(slot->start) != start || !slot_try(slot))
		return ARRAY_NONE;
	if (slot->block && !slot->ended && slot->start == start) {
		slot->adds = adds_at(have, start, slot->bytes);
		slot->ended = true;
		array = slot->array;
		*bytes_out = slot->bytes;
		count_ended(have, slot, slot->bytes);
		blocks_end(have->blocks, slot->block);
	}
	slot_release(slot);
	return array;
}

/* Reads 512 KiB of slots. */
void array_settle(void)
{
	struct tables *have = get(tables);

	if (!have || !lock(have->rows))
		return;
	for (size_t i = 0; i < sizeof(have->recent->slots) / sizeof(have->recent->slots[0]); i++) {
		struct slot *slot = &have->recent->slots[i];

		if (!slot->block || (!slot->ended && !slot->again) || !slot_take(slot))
			continue;
		if (slot->ended)
			slot_clear(have, slot);
		put(have->rows->row[slot->array].blocks,
		    have->rows->row[slot->array].blocks + slot->again);
		slot->again = 0;
		slot_release(slot);
	}
	unlock(have->rows);
}

uint64_t array_time(void)
{
	const struct tables *have = get(tables);

	return have ? blocks_time(have->blocks) : 0;
}

bool array_at(uintptr_t address, uint64_t since, uint64_t until, struct array_place *out)
{
	const struct tables *have = get(tables);

	if (have)
		return blocks_at(have->blocks, address, since, until, out);
	*out = (struct array_place){ .array = ARRAY_NONE };
	return false;
}

void array_rest(uint32_t array, uintptr_t low, uintptr_t high)
{
	if (!rest.high) { /* others read these only behind it */
		rest.array = array;
		rest.low = low;
	}
	put(rest.high, high);
}

struct blocks_rest array_rest_of(void)
{
	return (struct blocks_rest){ .high = get(rest.high), .low = rest.low, .array = rest.array };
}

void array_or_page_at(uintptr_t address, uint64_t since, uint64_t until, struct array_place *out)
{
	if (array_at(address, since, until, out))
		return;
	blocks_page_at(address, array_rest_of(), out);
}

void array_blocks_each(uint64_t since, void (*visit)(void *ctx, const struct blocks_row *row),
		       void *ctx)
{
	struct tables *have = get(tables);

	if (!have || !lock(have->rows))
		return;
	blocks_each(have->blocks, since, visit, ctx);
	unlock(have->rows);
}

static void place_at(void *ctx, uint64_t address, uint64_t since, uint64_t until,
		     struct array_place *out)
{
	(void)ctx;
	array_or_page_at(address, since, until, out);
}

/* Set by the dynamic loader (glibc, elf/dl-support.c). */
extern void *__libc_stack_end;

const struct simulation_places *array_places(void)
{
	static struct simulation_places places = { .at = place_at };

	places.stack_end = (uintptr_t)__libc_stack_end;
	return &places;
}

struct array_losses array_losses(void)
{
	return (struct array_losses){ get(losses.blocks), get(losses.rows) };
}
