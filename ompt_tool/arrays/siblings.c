/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of one allocation site: which are in use, and which can be used again. */
#include "ompt_tool/arrays/siblings.h"

#include "analysis/base/reserve.h"
#include "analysis/base/spin.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/origins.h"

#define ROWS_MAX (1u << 17)              /* as many as array.c has */

/* Numbers of rows are kept plus one; 0: none. */
struct row {
	uint32_t site;                   /* of a sibling: its site's row */
	uint32_t next;                   /* sibling that was left before this one */
	uint32_t left;                   /* of a site: the last sibling that was left */
	uint32_t nr;                     /* of a site: siblings made */
	uint32_t live;                   /* blocks */
};

/* Zeroed in a fork's child. */
static struct siblings {
	int locked;
	struct row rows[ROWS_MAX];
} *siblings;

/* False: a block is not counted. */
static bool lock(void)
{
	struct siblings *have = __atomic_load_n(&siblings, __ATOMIC_ACQUIRE), *none = NULL;

	if (!have && (have = reserve(sizeof(*have))) &&
	    !__atomic_compare_exchange_n(&siblings, &none, have, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		reserve_undo(have, sizeof(*have));
		have = none;
	}
	return have && spin_lock_within(&have->locked, SPIN_TRIES);
}

static void unlock(void)
{
	spin_unlock(&siblings->locked);
}

/* One that was left, and has neither a name nor, meanwhile, a block; 0: none. */
static uint32_t reuse(struct row *site)
{
	while (site->left) {
		uint32_t number = site->left;
		struct row *row = &siblings->rows[number - 1];

		site->left = row->next;
		row->next = 0;
		if (!row->live && !*array_get(number - 1)->name)
			return number;
	}
	return 0;
}

static uint32_t make(uint32_t site)
{
	const struct array row = { .kind = ARRAY_HEAP, .name = "", .type = "", .file = "", .module = "" };
	uint32_t id = siblings->rows[site].nr < SIBLINGS_MAX ? array_new(&row) : ARRAY_NONE;

	if (id >= ROWS_MAX)
		return 0;
	siblings->rows[site].nr++;
	siblings->rows[id].site = site + 1;
	origins_copy(site, id);
	return id + 1;
}

static uint32_t choose(uint32_t site)
{
	uint32_t number = siblings->rows[site].live ? reuse(&siblings->rows[site]) : site + 1;

	if (!number)
		number = make(site);
	return number ? number - 1 : site;
}

uint32_t siblings_take(uint32_t site, uint64_t bytes)
{
	uint32_t array = site;

	if (site >= ROWS_MAX || !lock())
		return site;
	if (bytes >= SIBLING_BYTES)
		array = choose(site);
	siblings->rows[array].live++;
	unlock();
	return array;
}

void siblings_leave(uint32_t array)
{
	struct row *row;

	if (array >= ROWS_MAX || !lock())
		return;
	row = &siblings->rows[array];
	row->live -= row->live > 0;
	if (!row->live && row->site && !row->next && siblings->rows[row->site - 1].left != array + 1) {
		row->next = siblings->rows[row->site - 1].left;
		siblings->rows[row->site - 1].left = array + 1;
	}
	unlock();
}

void siblings_return(uint32_t array)
{
	if (array >= ROWS_MAX || !lock())
		return;
	siblings->rows[array].live++;
	unlock();
}

uint32_t siblings_site(uint32_t array)
{
	const struct siblings *have = __atomic_load_n(&siblings, __ATOMIC_ACQUIRE);
	uint32_t site = have && array < ROWS_MAX ? have->rows[array].site : 0;

	return site ? site - 1 : array;
}
