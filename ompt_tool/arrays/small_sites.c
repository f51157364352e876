/* SPDX-License-Identifier: Apache-2.0 */
/* Sampled small blocks by address: open addressing, rows are never freed. */
#include "ompt_tool/arrays/small_sites.h"

#include "analysis/base/hash.h"
#include "analysis/base/reserve.h"
#include "analysis/base/spin.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/heap.h"

#define SLOT_BITS 16
#define SLOTS (1u << SLOT_BITS)
#define SITES_MOST 256 /* that are compared; those after the first ones have few blocks */

enum state {
	LIVE, /* or, of weight above 1, perhaps freed */
	FREED,
	ADDED, /* to the table of blocks */
};

static struct slot {
	uintptr_t block; /* 0: free */
	uint32_t array;
	uint16_t bytes;
	uint8_t weight;
	uint8_t state; /* enum state */
} *slots;
static uint32_t nr;
static bool has_new; /* blocks of weight 1 since the last small_sites_divide */
static int locked;

bool small_sites_start(void)
{
	slots = reserve_kept(SLOTS * sizeof(*slots));
	return slots;
}

static struct slot *find(uintptr_t block)
{
	size_t at = hash_place(block, SLOT_BITS);

	while (slots[at].block && slots[at].block != block)
		at = (at + 1) % SLOTS;
	return &slots[at];
}

bool small_sites_note(uintptr_t block, uint64_t bytes, uint32_t array, uint32_t weight)
{
	struct slot *slot;
	bool noted;

	if (!slots || !spin_lock_within(&locked, weight == 1 ? SPIN_TRIES : 1))
		return false;
	slot = find(block);
	noted = slot->block || nr < SMALL_SITES_MOST;
	if (noted) {
		nr += !slot->block;
		*slot = (struct slot){ block, array, (uint16_t)bytes, (uint8_t)weight, LIVE };
		has_new |= weight == 1;
	}
	spin_unlock(&locked);
	return noted;
}

bool small_sites_forget(uintptr_t block)
{
	struct slot *slot;
	bool noted;

	if (!slots || !spin_lock_within(&locked, SPIN_TRIES))
		return false;
	slot = find(block);
	noted = slot->block && slot->weight == 1 && slot->state != FREED;
	if (noted)
		slot->state = FREED;
	spin_unlock(&locked);
	return noted;
}

/* -- sites */

struct site {
	uint64_t site; /* 0: free */
	uint32_t array;
	uint32_t nr; /* allocations that its blocks stand for, without added ones */
	bool has_many;
};

/* NULL: none, or one too many. */
static struct site *site_of(struct site *sites, uint32_t array)
{
	struct heap_origin origin;
	size_t i = 0;

	if (!heap_origin(array, &origin))
		return NULL;
	while (i < SITES_MOST && sites[i].site && sites[i].site != origin.site)
		i++;
	if (i == SITES_MOST)
		return NULL;
	if (!sites[i].site)
		sites[i] = (struct site){ .site = origin.site, .array = array };
	return &sites[i];
}

/* Returns the sum of all sites. */
static uint64_t count(struct site *sites)
{
	uint64_t all = 0;

	for (size_t i = 0; slots && i < SLOTS; i++) {
		bool is_programs = slots[i].block && slots[i].array != ARRAY_NONE;
		struct site *site = is_programs ? site_of(sites, slots[i].array) : NULL;
		uint32_t weight = slots[i].state == ADDED ? 0 : slots[i].weight;

		all += is_programs ? weight : 0;
		if (!site)
			continue;
		site->nr += weight;
		site->has_many |= weight > 1;
	}
	return all;
}

static void add_few(struct site *sites,
		    void (*add)(uint32_t array, uintptr_t block, uint64_t bytes))
{
	for (size_t i = 0; i < SLOTS; i++) {
		const struct site *site = slots[i].block && slots[i].state == LIVE
						  ? site_of(sites, slots[i].array)
						  : NULL;

		if (!site || site->has_many)
			continue;
		add(slots[i].array, slots[i].block, slots[i].bytes);
		slots[i].state = ADDED;
	}
}

/* Locked, so that no block is freed before it is added. */
void small_sites_divide(void (*add)(uint32_t array, uintptr_t block, uint64_t bytes))
{
	struct site sites[SITES_MOST] = { 0 };

	if (!slots || !__atomic_load_n(&has_new, __ATOMIC_RELAXED) ||
	    !spin_lock_within(&locked, SPIN_TRIES))
		return;
	has_new = false;
	count(sites);
	add_few(sites, add);
	spin_unlock(&locked);
}

static struct site *most_of(struct site *sites)
{
	struct site *most = sites;

	for (size_t i = 1; i < SITES_MOST; i++)
		if (sites[i].nr > most->nr)
			most = &sites[i];
	return most;
}

size_t small_sites_most(struct small_site *sites_out, size_t room)
{
	struct site sites[SITES_MOST] = { 0 };
	uint64_t all = count(sites);
	size_t found = 0;

	for (struct site *most = most_of(sites); found < room && most->nr; most = most_of(sites)) {
		sites_out[found++] = (struct small_site){ most->array, (double)most->nr / all };
		most->nr = 0;
	}
	return found;
}
