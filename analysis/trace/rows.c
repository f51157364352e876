/* SPDX-License-Identifier: Apache-2.0 */
/* Stretches and sites by number, in blocks of 4096 that a fixed directory leads to. */
#define _GNU_SOURCE
#include "analysis/trace/rows.h"

#include <stddef.h>

#include "analysis/base/own_memory.h"

/* Number 0 is no stretch: what was never written is not taken for one. Block 0 is there as soon as number 1 is. */
struct record_rows record_stretches = { .nr = 1 }, record_sites, record_counts;

void *rows_room(struct record_rows *rows, size_t row_bytes)
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

uint32_t rows_publish(struct record_rows *rows)
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
	struct record_stretch *row = rows_room(&record_stretches, sizeof(*row));

	if (!row)
		return 0;
	*row = *stretch;
	row->plain = is_plain(stretch);
	return rows_publish(&record_stretches);
}

uint32_t rows_site(const struct record_site *site)
{
	struct record_site *row = rows_room(&record_sites, sizeof(*row));

	if (!row)
		return UINT32_MAX;
	*row = *site;
	return rows_publish(&record_sites);
}

uint32_t rows_counted(const struct record_counted *counted)
{
	struct record_counted *row = rows_room(&record_counts, sizeof(*row));

	if (!row)
		return UINT32_MAX;
	*row = *counted;
	return rows_publish(&record_counts);
}

uint32_t record_nr_sites(void) { return __atomic_load_n(&record_sites.nr, __ATOMIC_ACQUIRE); }
