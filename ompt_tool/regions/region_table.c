/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions of the running process: lock-free hash of (kind, code address, parent) to dense numbers.
 */
#include "ompt_tool/regions/region_table.h"

#include <sched.h>
#include <stddef.h>
#include <time.h>

#include "analysis/base/hash.h"
#include "analysis/base/spin.h"
#include "ompt_tool/regions/region_loops.h"

/*
 * One open-addressed table per kind, so that address and parent fit into one word and one
 * compare-and-swap claims a slot. The claiming thread takes a number, fills the region and then
 * publishes the number; a thread that finds a claimed slot without number waits briefly.
 */
#define SLOTS (2 * MS_REGION_MAX) /* never more than half full */
/* attempts before yielding the CPU: creating a region takes some 100 ns … */
#define SPINS 200
/* … unless its thread was preempted; yielding may not schedule it, … */
#define YIELDS 100
#define SLEEPS 1000 /* … sleeping does: */
#define SLEEP_NS 50000
#define FULL UINT32_MAX

#define PARENT_BITS 15 /* MS_REGION_MAX is 1 << 15 */
/* user addresses have 47 bits, or 56 with 5 levels of page tables, where no code is mapped */
#define CODE_BITS 48
#define CLAIMED (1ull << 63)

_Static_assert(MS_REGION_MAX == 1u << PARENT_BITS, "a parent must fit its bits of the key");

struct slot {
	uint64_t key; /* atomic; 0 free */
	uint32_t id;  /* atomic; number + 1, 0 not known yet, FULL: dropped */
	uint32_t reserved;
};

struct region_table {
	/* atomic: numbers assigned; number of complete regions without a gap */
	uint32_t reserved, count;
	uint64_t dropped; /* atomic */
	uint8_t complete[MS_REGION_MAX];
	struct slot slots[MS_REGION_KINDS][SLOTS];
	struct region regions[MS_REGION_MAX];
};

uint64_t region_table_bytes(void)
{
	return sizeof(struct region_table);
}

static uint64_t key_of(uint64_t construct, uint32_t parent)
{
	return CLAIMED | (construct & ((1ull << CODE_BITS) - 1)) << PARENT_BITS | parent;
}

static uint32_t hash(uint64_t key)
{
	return (uint32_t)(hash_word(key) >> 40);
}

/* Advances `count` over all complete regions; several threads may do so at once. */
static void publish(struct region_table *table, uint32_t id)
{
	uint32_t count = __atomic_load_n(&table->count, __ATOMIC_SEQ_CST);

	__atomic_store_n(&table->complete[id], 1, __ATOMIC_SEQ_CST);
	while (count < MS_REGION_MAX && __atomic_load_n(&table->complete[count], __ATOMIC_SEQ_CST))
		if (__atomic_compare_exchange_n(&table->count, &count, count + 1, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			count++;
}

static uint32_t make(struct region_table *table, enum ms_region_kind kind, uint64_t construct,
		     uint32_t parent)
{
	uint32_t id = __atomic_load_n(&table->reserved, __ATOMIC_RELAXED);
	struct region *region, *above;

	if (id >= MS_REGION_MAX ||
	    (id = __atomic_fetch_add(&table->reserved, 1, __ATOMIC_RELAXED)) >= MS_REGION_MAX)
		return FULL;
	region = &table->regions[id];
	region->id = id;
	region->kind = kind;
	region->construct = construct;
	region->parent = kind == MS_SERIAL_REGION ? MS_REGION_USER : parent;
	above = &table->regions[region->parent];
	__atomic_store_n(&region->requests, region_subregion_requests(above, kind),
			 __ATOMIC_RELAXED);
	region_inherit(region, above);
	publish(table, id);
	return id + 1;
}

void region_table_init(struct region_table *table)
{
	bool new;

	region_table_get(table, MS_USER_REGION, 0, MS_REGION_USER, &new);
}

static void wait_a_little(int looks)
{
	if (looks < SPINS)
		spin_hint();
	else if (looks < SPINS + YIELDS)
		sched_yield();
	else
		nanosleep(&(struct timespec){ .tv_nsec = SLEEP_NS }, NULL);
}

/* Waits for the number in a claimed slot. */
static uint32_t await(struct slot *slot)
{
	uint32_t id;

	for (int i = 0; i < SPINS + YIELDS + SLEEPS; i++) {
		id = __atomic_load_n(&slot->id, __ATOMIC_ACQUIRE);
		if (id)
			return id;
		wait_a_little(i);
	}
	return FULL;
}

static uint32_t dropped(struct region_table *table)
{
	__atomic_fetch_add(&table->dropped, 1, __ATOMIC_RELAXED);
	return MS_REGION_NONE;
}

/* The slot of the key: found, or claimed (*claimed_out). NULL: all slots are used. */
static struct slot *slot_find(struct slot *slots, uint64_t key, bool *claimed_out)
{
	uint32_t at = hash(key);

	*claimed_out = false;
	for (uint32_t probe = 0; probe < SLOTS; probe++, at++) {
		struct slot *slot = &slots[at & (SLOTS - 1)];
		uint64_t have = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);

		if (!have && __atomic_compare_exchange_n(&slot->key, &have, key, false,
							 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			*claimed_out = true;
			return slot;
		}
		if (have == key)
			return slot;
	}
	return NULL;
}

/* Attributes of a region with a new key. */
struct claim {
	enum ms_region_kind kind;
	uint64_t construct;
	uint32_t parent;
	uint64_t body;
	region_table_same *same;
};

/* The existing region of the same construct at another address; MS_REGION_NONE: none. */
static uint32_t same_construct(struct region_table *table, const struct claim *claim)
{
	uint32_t id = claim->body
			      ? region_table_of_body(table, claim->kind, claim->parent, claim->body)
			      : MS_REGION_NONE;

	return id != MS_REGION_NONE && claim->same(table->regions[id].construct, claim->construct)
		       ? id
		       : MS_REGION_NONE;
}

static uint32_t get(struct region_table *table, const struct claim *claim, bool *new_out)
{
	bool claimed;
	struct slot *slot;
	uint32_t id, same;

	*new_out = false;
	if (claim->parent >= MS_REGION_MAX)
		return dropped(table);
	slot = slot_find(table->slots[claim->kind], key_of(claim->construct, claim->parent),
			 &claimed);
	if (!slot)
		return dropped(table);
	if (claimed) {
		same = same_construct(table, claim);
		id = same != MS_REGION_NONE
			     ? same + 1
			     : make(table, claim->kind, claim->construct, claim->parent);
		*new_out = same == MS_REGION_NONE && id != FULL;
		__atomic_store_n(&slot->id, id, __ATOMIC_RELEASE);
	} else {
		id = await(slot);
	}
	return id == FULL ? dropped(table) : id - 1;
}

uint32_t region_table_get(struct region_table *table, enum ms_region_kind kind, uint64_t construct,
			  uint32_t parent, bool *new_out)
{
	return get(table, &(struct claim){ .kind = kind, .construct = construct, .parent = parent },
		   new_out);
}

uint32_t region_table_get_of_body(struct region_table *table, enum ms_region_kind kind,
				  uint64_t construct, uint32_t parent, uint64_t body,
				  region_table_same *same, bool *new_out)
{
	return get(table, &(struct claim){ kind, construct, parent, body, same }, new_out);
}

void region_table_alias(struct region_table *table, enum ms_region_kind kind, uint64_t construct,
			uint32_t parent, uint32_t id)
{
	bool claimed;
	struct slot *slot = id < MS_REGION_MAX && parent < MS_REGION_MAX
				    ? slot_find(table->slots[kind], key_of(construct, parent),
						&claimed)
				    : NULL;

	if (slot && claimed)
		__atomic_store_n(&slot->id, id + 1, __ATOMIC_RELEASE);
}

uint32_t region_table_find(const struct region_table *table, enum ms_region_kind kind,
			   uint64_t construct, uint32_t parent)
{
	uint64_t key = key_of(construct, parent), have;
	uint32_t id;

	for (uint32_t probe = 0, at = hash(key); probe < SLOTS; probe++, at++) {
		const struct slot *slot = &table->slots[kind][at & (SLOTS - 1)];

		have = __atomic_load_n(&slot->key, __ATOMIC_ACQUIRE);
		id = __atomic_load_n(&slot->id, __ATOMIC_ACQUIRE);
		if (have == key)
			return id && id != FULL ? id - 1 : MS_REGION_NONE;
		if (!have)
			break;
	}
	return MS_REGION_NONE;
}

uint32_t region_table_count(const struct region_table *table)
{
	return __atomic_load_n(&table->count, __ATOMIC_ACQUIRE);
}

struct region *region_table_at(struct region_table *table, uint32_t id)
{
	bool complete = id < MS_REGION_MAX &&
			__atomic_load_n(&table->complete[id], __ATOMIC_ACQUIRE);

	return complete ? &table->regions[id] : NULL;
}

uint64_t region_table_dropped(const struct region_table *table)
{
	return __atomic_load_n(&table->dropped, __ATOMIC_RELAXED);
}

uint32_t region_table_requests(const struct region_table *table, enum ms_region_kind kind,
			       uint64_t construct)
{
	uint32_t nr = region_table_count(table),
		 requests = region_subregion_requests(&table->regions[MS_REGION_USER], kind);

	for (uint32_t id = 0; id < nr; id++)
		if (table->regions[id].kind == kind && table->regions[id].construct == construct)
			requests |= region_requests(&table->regions[id]);
	return requests;
}

/* The last entry is set when there are too many. */
void region_note_body(struct region *region, uint64_t function)
{
	for (int i = 0; i < REGION_BODIES; i++) {
		uint64_t none = 0, is = __atomic_load_n(&region->bodies[i], __ATOMIC_RELAXED);

		if (is == function ||
		    (!is && __atomic_compare_exchange_n(&region->bodies[i], &none, function, false,
							__ATOMIC_RELAXED, __ATOMIC_RELAXED)) ||
		    none == function)
			return;
	}
}

bool region_has_body(const struct region *region, uint64_t function)
{
	for (int i = 0; i < REGION_BODIES; i++)
		if (__atomic_load_n(&region->bodies[i], __ATOMIC_RELAXED) == function)
			return true;
	return false;
}

uint32_t region_table_of_body(struct region_table *table, enum ms_region_kind kind, uint32_t parent,
			      uint64_t function)
{
	for (uint32_t id = 0; id < region_table_count(table); id++) {
		const struct region *region = region_table_at(table, id);

		if (region && region->kind == kind && region->parent == parent &&
		    region_has_body(region, function))
			return id;
	}
	return MS_REGION_NONE;
}

uint32_t region_bodies(const struct region *region)
{
	uint32_t nr = 0;

	while (nr < REGION_BODIES && __atomic_load_n(&region->bodies[nr], __ATOMIC_RELAXED))
		nr++;
	return nr < REGION_BODIES ? nr : 0;
}

void region_note_static_loop(struct region_table *table, struct region *region, uint32_t loop,
			     bool at_begin)
{
	struct region *is = region_table_at(table, loop);

	if (!is)
		return;
	__atomic_store_n(&is->static_loop, loop, __ATOMIC_RELEASE);
	__atomic_store_n(at_begin ? &region->static_loop : &region->loops_behind_barriers,
			 at_begin ? loop : 1, __ATOMIC_RELEASE);
}

/* Stored as an alias of the loop below itself: no barrier region has a loop as parent. */
void region_note_loop_end(struct region_table *table, uint32_t loop, uint64_t barrier)
{
	region_table_alias(table, MS_BARRIER_REGION, barrier, loop, loop);
}

bool region_loop_may_end(const struct region_table *table, uint32_t loop, uint64_t barrier)
{
	return region_table_find(table, MS_BARRIER_REGION, barrier, loop) != MS_REGION_NONE;
}
