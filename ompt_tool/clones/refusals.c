/* SPDX-License-Identifier: Apache-2.0 */
/* Refused functions, and calls from clones to code without a clone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "ompt_tool/clones/entry_table.h"
#include "ompt_tool/clones/clone_private.h"

static struct arena *arena;
static struct clone_refusal *refusals;
static struct clone_missed *missed;
static size_t nr_refusals, room_refusals, nr_missed, room_missed;

static struct entries *_Atomic newest_miss; /* by key_of: its number, from 1 */
/* by number - 1: the number of the previous one with that key; 0: none */
static uint32_t *older;
static size_t room_older;

struct arena *permanent_arena(void)
{
	if (!arena)
		arena = arena_new();
	return arena;
}

const char *refusals_find(uintptr_t function)
{
	for (size_t i = 0; i < nr_refusals; i++)
		if (refusals[i].function == function)
			return refusals[i].why;
	return NULL;
}

void refusals_add(uintptr_t function, uintptr_t at, const char *why)
{
	if (permanent_arena() && ARENA_GROW(arena, refusals, nr_refusals, room_refusals))
		refusals[nr_refusals++] = (struct clone_refusal){ function, at, why };
}

static bool same_miss(const struct clone_missed *a, const struct clone_missed *b)
{
	return a->target == b->target && a->first_site == b->first_site &&
	       a->nr_sites == b->nr_sites && !strcmp(a->why, b->why) &&
	       (a->name ? b->name && !strcmp(a->name, b->name) : !b->name);
}

/*
 * Not 0; includes the sites, as many functions call the same one. 2^64 / golden ratio, odd: Knuth,
 * TAOCP 3, 6.4.
 */
static uintptr_t key_of(const struct clone_missed *miss)
{
	return (miss->target ^ (uintptr_t)(miss->first_site * UINT64_C(0x9e3779b97f4a7c15))) | 1;
}

static bool is_counted(const struct clone_missed *miss)
{
	for (uint32_t number = (uint32_t)entries_get(&newest_miss, key_of(miss)); number;
	     number = older[number - 1])
		if (same_miss(&missed[number - 1], miss)) {
			missed[number - 1].calls++;
			return true;
		}
	return false;
}

void refusals_add_missed(const struct clone_missed *miss)
{
	struct clone_missed *added;

	if (is_counted(miss) || !permanent_arena() ||
	    !ARENA_GROW(arena, missed, nr_missed, room_missed) ||
	    !ARENA_GROW(arena, older, nr_missed, room_older))
		return;
	older[nr_missed] = (uint32_t)entries_get(&newest_miss, key_of(miss));
	if (!entries_set(&newest_miss, key_of(miss), nr_missed + 1))
		return;
	added = &missed[nr_missed++];
	*added = *miss;
	added->calls = 1;
	added->name = arena_strdup(arena, miss->name); /* its module may be unloaded */
}

void clone_miss(uintptr_t function)
{
	struct clone_missed miss = { .target = function, .why = "in another library" };
	Dl_info info;

	for (size_t i = 0; i < nr_missed; i++)
		if (missed[i].target == function && !missed[i].nr_sites)
			return;
	if (dladdr((const void *)function, &info) && info.dli_saddr == (const void *)function)
		miss.name = info.dli_sname;
	refusals_add_missed(&miss);
}

size_t clone_refusals(const struct clone_refusal **out)
{
	*out = refusals;
	return nr_refusals;
}

size_t clone_missed(const struct clone_missed **out)
{
	*out = missed;
	return nr_missed;
}
