/* SPDX-License-Identifier: Apache-2.0 */
/* Stretches and sites by number, in blocks of 4096 that a fixed directory leads to. */
#define _GNU_SOURCE
#include "ompt_tool/clones/rows.h"

#include <stddef.h>

#include "analysis/base/own_memory.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/code/code.h"

/* Number 0 is no stretch, nor loop: what was never written is not taken for one. Block 0 is there as soon as number 1 is. */
struct record_rows record_stretches = { .nr = 1 }, record_sites, record_counts;
static struct record_rows loops = { .nr = 1 };

/* Room for the row that `nr` will count next. */
static void *row_new(struct record_rows *rows, size_t row_bytes)
{
	void **block = &rows->blocks[rows->nr / RECORD_BLOCK], *made;

	if (rows->nr / RECORD_BLOCK >= RECORD_BLOCKS)
		return NULL;
	if (!*block) {
		made = own_memory(RECORD_BLOCK * row_bytes, 0);
		if (!made)
			return NULL;
		__atomic_store_n(block, made, __ATOMIC_RELAXED);
	}
	return (char *)*block + rows->nr % RECORD_BLOCK * row_bytes;
}

/* It is complete. */
static uint32_t publish(struct record_rows *rows)
{
	return __atomic_fetch_add(&rows->nr, 1, __ATOMIC_RELEASE);
}

static bool is_plain(const struct record_stretch *stretch)
{
	for (uint32_t i = 0; i < stretch->nr_sites; i++) {
		const struct record_site *site = record_site(stretch->first_site + i);

		if (!site || site->access != CODE_ACCESS_PLAIN)
			return false;
	}
	return stretch->event != RECORD_RANGE && stretch->event != RECORD_COUNTED;
}

uint32_t rows_stretch(const struct record_stretch *stretch)
{
	struct record_stretch *row = row_new(&record_stretches, sizeof(*row));

	if (!row)
		return 0;
	*row = *stretch;
	row->plain = is_plain(stretch);
	return publish(&record_stretches);
}

uint32_t rows_site(const struct record_site *site)
{
	struct record_site *row = row_new(&record_sites, sizeof(*row));

	if (!row)
		return UINT32_MAX;
	*row = *site;
	return publish(&record_sites);
}

uint32_t rows_counted(const struct record_counted *counted)
{
	struct record_counted *row = row_new(&record_counts, sizeof(*row));

	if (!row)
		return UINT32_MAX;
	*row = *counted;
	return publish(&record_counts);
}

uint32_t rows_loop(const struct clone_loop *loop)
{
	struct clone_loop *row = row_new(&loops, sizeof(*row));

	if (!row)
		return 0;
	*row = *loop;
	return publish(&loops);
}

static struct clone_loop *loop_at(uint32_t number) { return number ? (struct clone_loop *)record_row(&loops, number, sizeof(struct clone_loop)) : NULL; }

void clone_loop_join(uint32_t number, uint32_t joined, uint32_t joined_parent)
{
	struct clone_loop *row = loop_at(number);

	if (!row)
		return;
	__atomic_store_n(&row->joined_parent, joined_parent, __ATOMIC_RELAXED);
	__atomic_store_n(&row->joined, joined, __ATOMIC_RELEASE);
}

const struct clone_loop *clone_loop(uint32_t number) { return loop_at(number); }
uint32_t clone_nr_loops(void) { return __atomic_load_n(&loops.nr, __ATOMIC_ACQUIRE) - 1; }
uint32_t record_nr_sites(void) { return __atomic_load_n(&record_sites.nr, __ATOMIC_ACQUIRE); }
