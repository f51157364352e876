/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of stretches and sites by number: a fixed directory of blocks of 4096 rows. */
#define _GNU_SOURCE
#include "analysis/trace/record_rows.h"

#include <stddef.h>

#include "analysis/base/own_memory.h"

/*
 * Number 0 is no stretch, so that unwritten words are invalid. Block 0 exists as soon as number 1
 * does.
 */
struct record_rows record_stretches = { .nr = 1 }, record_sites, record_counts;

void *record_rows_reserve(struct record_rows *rows, size_t row_bytes)
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

uint32_t record_rows_publish(struct record_rows *rows)
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

uint32_t record_rows_add_stretch(const struct record_stretch *stretch)
{
	struct record_stretch *row = record_rows_reserve(&record_stretches, sizeof(*row));

	if (!row)
		return 0;
	*row = *stretch;
	row->plain = is_plain(stretch);
	return record_rows_publish(&record_stretches);
}

uint32_t record_rows_add_site(const struct record_site *site)
{
	struct record_site *row = record_rows_reserve(&record_sites, sizeof(*row));

	if (!row)
		return UINT32_MAX;
	*row = *site;
	return record_rows_publish(&record_sites);
}

uint32_t record_rows_add_counted(const struct record_counted *counted)
{
	struct record_counted *row = record_rows_reserve(&record_counts, sizeof(*row));

	if (!row)
		return UINT32_MAX;
	*row = *counted;
	return record_rows_publish(&record_counts);
}

uint32_t record_nr_sites(void)
{
	return __atomic_load_n(&record_sites.nr, __ATOMIC_ACQUIRE);
}
