/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of one allocation site: those in use, and those that can be reused. */
#include "ompt_tool/arrays/siblings.h"

#include "analysis/base/reserve.h"
#include "analysis/base/spin.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/arrays/origins.h"

#define ROWS_MAX (1u << 17) /* as many as array.c has */

#define LOOKS 8 /* rows tested for reuse when no more are created */

/* Numbers of rows are kept plus one; 0: none. Threads that use rows of their own share no line. */
struct row {
	uint32_t live; /* large blocks; atomic */
	uint32_t site; /* of a sibling: its site's row */
	uint32_t next; /* of the site's siblings, in a ring */
	uint32_t last; /* of a site: the sibling that was used or made last */
	uint32_t nr;   /* of a site: siblings made */
} __attribute__((aligned(64)));

/* Zeroed in a fork's child. */
static struct siblings {
	int locked;
	struct row rows[ROWS_MAX];
} *siblings;

/* NULL: no memory. */
static struct siblings *siblings_get(void)
{
	struct siblings *have = __atomic_load_n(&siblings, __ATOMIC_ACQUIRE), *none = NULL;

	if (!have && (have = reserve(sizeof(*have))) &&
	    !__atomic_compare_exchange_n(&siblings, &none, have, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		reserve_undo(have, sizeof(*have));
		have = none;
	}
	return have;
}

static bool take_free(struct row *row)
{
	uint32_t none = 0;

	return __atomic_compare_exchange_n(&row->live, &none, 1, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}

/* A sibling without name and live block; 0: none. */
static uint32_t reuse(struct row *site)
{
	uint32_t looks = site->nr < SIBLINGS_MAX ? site->nr : LOOKS, number = site->last;

	for (uint32_t i = 0; i < looks; i++) {
		struct row *row = &siblings->rows[number - 1];

		if (!*array_get(number - 1)->name && take_free(row)) {
			site->last = number;
			return number;
		}
		number = row->next;
	}
	return 0;
}

static uint32_t make(uint32_t site)
{
	const struct array row = {
		.kind = ARRAY_HEAP, .name = "", .type = "", .file = "", .module = ""
	};
	struct row *rows = siblings->rows;
	uint32_t id = rows[site].nr < SIBLINGS_MAX ? array_new(&row) : ARRAY_NONE;

	if (id >= ROWS_MAX)
		return 0;
	rows[id].site = site + 1;
	rows[id].live = 1;
	rows[id].next = rows[site].nr++ ? rows[rows[site].last - 1].next : id + 1;
	if (rows[id].next != id + 1)
		rows[rows[site].last - 1].next = id + 1;
	rows[site].last = id + 1;
	origins_copy(site, id);
	return id + 1;
}

uint32_t siblings_take(uint32_t site, uint64_t bytes)
{
	struct siblings *have = bytes < SIBLING_BYTES || site >= ROWS_MAX ? NULL : siblings_get();
	uint32_t number;

	if (!have || take_free(&have->rows[site]) || !spin_lock_within(&have->locked, SPIN_TRIES))
		return site;
	number = reuse(&have->rows[site]);
	if (!number)
		number = make(site);
	spin_unlock(&have->locked);
	if (!number)
		__atomic_fetch_add(&have->rows[site].live, 1, __ATOMIC_RELAXED);
	return number ? number - 1 : site;
}

static void count(uint32_t array, uint64_t bytes, uint32_t by)
{
	struct siblings *have = bytes < SIBLING_BYTES || array >= ROWS_MAX ? NULL : siblings_get();

	if (have && (by == 1 || __atomic_load_n(&have->rows[array].live, __ATOMIC_RELAXED)))
		__atomic_fetch_add(&have->rows[array].live, by, __ATOMIC_RELAXED);
}

void siblings_leave(uint32_t array, uint64_t bytes)
{
	count(array, bytes, UINT32_MAX);
}

void siblings_return(uint32_t array, uint64_t bytes)
{
	count(array, bytes, 1);
}

uint32_t siblings_site(uint32_t array)
{
	const struct siblings *have = __atomic_load_n(&siblings, __ATOMIC_ACQUIRE);
	uint32_t site = have && array < ROWS_MAX ? have->rows[array].site : 0;

	return site ? site - 1 : array;
}
