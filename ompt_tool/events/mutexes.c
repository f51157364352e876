/* SPDX-License-Identifier: Apache-2.0 */
/* Locks by address: an open-addressed table, rows are never freed. */
#include "ompt_tool/events/mutexes.h"

#include "analysis/base/hash.h"
#include "memsearch/region.h"
#include "ompt_tool/regions/region_table.h"

#define SLOTS (2 * MUTEXES_MAX)
#define PROBES 16
#define UNNAMED 1u /* key of variable 0; no variable has this address */

/*
 * One cache line each: the row moves between CPUs with its lock, and must not share a line with
 * other rows.
 */
static struct row {
	uint64_t key;         /* atomic; 0 free */
	uint64_t released_ns; /* atomic, as the following; written under the lock */
	uint32_t holder;      /* thread + 1; 0: none so far */
	uint32_t region;      /* 0: not created yet */
} __attribute__((aligned(64))) rows[SLOTS];
static uint32_t nr_rows; /* atomic; rows in use or being created */
static uint32_t nr_uses; /* atomic; regions below places */

static bool take(struct row *row, uint64_t key)
{
	uint64_t none = 0;

	if (__atomic_fetch_add(&nr_rows, 1, __ATOMIC_RELAXED) < MUTEXES_MAX &&
	    __atomic_compare_exchange_n(&row->key, &none, key, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		return true;
	__atomic_fetch_sub(&nr_rows, 1, __ATOMIC_RELAXED);
	return none == key;
}

static struct row *find(uint64_t key)
{
	uint32_t at = (uint32_t)(hash_word(key) >> 40);

	for (uint32_t i = 0; i < PROBES; i++) {
		struct row *row = &rows[(at + i) % SLOTS];
		uint64_t there = __atomic_load_n(&row->key, __ATOMIC_RELAXED);

		if (there == key || (!there && take(row, key)))
			return row;
		if (!there && !__atomic_load_n(&row->key, __ATOMIC_RELAXED))
			return NULL; /* the table is full */
	}
	return NULL;
}

static uint32_t region_of(struct region_table *regions, struct row *row, uint64_t variable)
{
	uint32_t region = __atomic_load_n(&row->region, __ATOMIC_RELAXED);
	bool new;

	if (region)
		return region;
	region = region_table_get(regions, MS_MUTEX, variable, MS_REGION_USER, &new);
	if (region != MS_REGION_NONE)
		__atomic_store_n(&row->region, region, __ATOMIC_RELAXED);
	return region;
}

bool mutexes_release(struct region_table *regions, uint64_t variable, uint32_t thread,
		     uint64_t now_ns, struct mutex_before *before_out)
{
	struct row *row = find(variable ? variable : UNNAMED);

	if (!row)
		return false;
	before_out->region = region_of(regions, row, variable);
	before_out->holder = __atomic_load_n(&row->holder, __ATOMIC_RELAXED) - 1;
	before_out->released_ns = __atomic_load_n(&row->released_ns, __ATOMIC_RELAXED);
	__atomic_store_n(&row->holder, thread + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&row->released_ns, now_ns, __ATOMIC_RELAXED);
	return true;
}

uint32_t mutexes_use(struct region_table *regions, uint64_t variable, uint32_t place,
		     uint32_t mutex)
{
	uint32_t use = region_table_find(regions, MS_MUTEX, variable, place);
	struct region *region;
	bool new;

	if (use != MS_REGION_NONE ||
	    __atomic_load_n(&nr_uses, __ATOMIC_RELAXED) >= MUTEXES_USES_MAX)
		return use;
	use = region_table_get(regions, MS_MUTEX, variable, place, &new);
	region = use != MS_REGION_NONE ? region_table_at(regions, use) : NULL;
	if (new)
		__atomic_fetch_add(&nr_uses, 1, __ATOMIC_RELAXED);
	if (region)
		__atomic_store_n(&region->mutex, mutex, __ATOMIC_RELAXED);
	return use;
}
