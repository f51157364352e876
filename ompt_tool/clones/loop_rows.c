/* SPDX-License-Identifier: Apache-2.0 */
/* Loops of clones by number. */
#include "ompt_tool/clones/loop_rows.h"

#include "analysis/trace/record_rows.h"
#include "ompt_tool/clones/clone_loops.h"

/* Number 0 is no loop. */
static struct record_rows loops = { .nr = 1 };

uint32_t record_rows_add_loop(const struct clone_loop *loop)
{
	struct clone_loop *row = record_rows_reserve(&loops, sizeof(*row));

	if (!row)
		return 0;
	*row = *loop;
	return record_rows_publish(&loops);
}

static struct clone_loop *loop_at(uint32_t number)
{
	return number ? (struct clone_loop *)record_row(&loops, number, sizeof(struct clone_loop))
		      : NULL;
}

void clone_loop_join(uint32_t number, uint32_t joined, uint32_t joined_parent)
{
	struct clone_loop *row = loop_at(number);

	if (!row)
		return;
	__atomic_store_n(&row->joined_parent, joined_parent, __ATOMIC_RELAXED);
	__atomic_store_n(&row->joined, joined, __ATOMIC_RELEASE);
}

const struct clone_loop *clone_loop(uint32_t number)
{
	return loop_at(number);
}
uint32_t clone_nr_loops(void)
{
	return __atomic_load_n(&loops.nr, __ATOMIC_ACQUIRE) - 1;
}
