/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_STRETCH_ROWS_H
#define MEMSEARCH_TRACE_STRETCH_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/trace/stretches.h"

/* Rows of stretches, sites and counted loops (stretches.h), by number; record_rows.h adds them. */

/* Rows are contiguous within blocks of this number; record_rows.c writes them. */
#define RECORD_BLOCK 4096
/* 2^26 rows are more than a clone of all of libLLVM has (19 million instructions) */
#define RECORD_BLOCKS (1 << 14)
struct record_rows {
	uint32_t nr; /* atomic, as blocks */
	void *blocks[RECORD_BLOCKS];
};
extern struct record_rows record_stretches, record_sites, record_counts;

/*
 * Rows by number; NULL: no such. Any thread, callbacks allowed. Inline, as decoders call it for
 * every word.
 */
static inline const void *record_row(const struct record_rows *rows, uint64_t number, size_t bytes)
{
	if (number >= __atomic_load_n(&rows->nr, __ATOMIC_ACQUIRE))
		return NULL;
	return (const char *)__atomic_load_n(&rows->blocks[number / RECORD_BLOCK],
					     __ATOMIC_RELAXED) +
	       number % RECORD_BLOCK * bytes;
}

static inline const struct record_stretch *record_stretch(uint64_t number)
{
	return number ? record_row(&record_stretches, number, sizeof(struct record_stretch)) : NULL;
}

static inline const struct record_site *record_site(uint32_t number)
{
	return record_row(&record_sites, number, sizeof(struct record_site));
}

static inline const struct record_counted *record_counted(uint32_t number)
{
	return record_row(&record_counts, number, sizeof(struct record_counted));
}

uint32_t record_nr_sites(void);

/* The site with that number, `site` is the one before; not to be read beyond the last one. */
static inline const struct record_site *record_next_site(const struct record_site *site,
							 uint32_t number)
{
	return number % RECORD_BLOCK ? site + 1 : record_site(number);
}

#endif
