/* SPDX-License-Identifier: Apache-2.0 */
/* Sampled small blocks by address: open addressing, rows are never freed. */
#include "ompt_tool/arrays/small_sites.h"

#include <stddef.h>

#include "analysis/base/hash.h"
#include "analysis/base/reserve.h"
#include "analysis/base/spin.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/heap.h"

#define SLOT_BITS 16
#define SLOTS (1u << SLOT_BITS)
#define SITES_MOST 256 /* that are compared; those after the first ones have few blocks */

static struct slot {
	uintptr_t block; /* 0: free */
	uint32_t array;
} *slots;
static uint32_t nr;
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

void small_sites_note(uintptr_t block, uint32_t array)
{
	struct slot *slot;

	if (!slots || array == ARRAY_NONE || !spin_lock_within(&locked, 1))
		return;
	slot = find(block);
	if (slot->block || nr < SMALL_SITES_MOST) {
		nr += !slot->block;
		*slot = (struct slot){ block, array };
	}
	spin_unlock(&locked);
}

struct site {
	uint64_t site;
	uint32_t array, nr;
};

static void count(struct site *sites, uint32_t array)
{
	struct heap_origin origin;
	size_t i = 0;

	if (!heap_origin(array, &origin))
		return;
	while (i < SITES_MOST && sites[i].nr && sites[i].site != origin.site)
		i++;
	if (i == SITES_MOST)
		return;
	if (!sites[i].nr)
		sites[i] = (struct site){ origin.site, array, 0 };
	sites[i].nr++;
}

uint32_t small_sites_most(double *share_out)
{
	struct site sites[SITES_MOST] = { 0 };
	const struct site *most = sites;

	for (size_t i = 0; slots && i < SLOTS; i++)
		if (slots[i].block)
			count(sites, slots[i].array);
	for (size_t i = 1; i < SITES_MOST; i++)
		if (sites[i].nr > most->nr)
			most = &sites[i];
	*share_out = nr ? (double)most->nr / nr : 0;
	return most->nr ? most->array : ARRAY_NONE;
}
