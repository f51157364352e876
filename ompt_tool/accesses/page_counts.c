/* SPDX-License-Identifier: Apache-2.0 */
/* A table of pages that all threads add to, without locks. */
#define _GNU_SOURCE /* getcpu */
#include "ompt_tool/accesses/page_counts.h"

#include <sched.h>

#include "analysis/base/hash.h"
#include "analysis/base/reserve.h"
#include "analysis/trace/expand.h"
#include "analysis/trace/stretch_rows.h"
#include "analysis/trace/stretches.h"
#include "memsearch/region.h"

#define EXPANDED 64 /* lanes of one instruction */
#define PROBES 64   /* rows that are searched before a page is dropped */
/* of a row's key: page number above, region below */
#define REGION_BITS 20
_Static_assert(MS_REGION_MAX <= 1u << REGION_BITS, "a region fits into a key");

static struct {
	bool on; /* atomic */
	uint32_t nodes;
	unsigned int page_shift;
	uint64_t *keys;   /* atomic; 0: free */
	uint32_t *counts; /* atomic; `nodes` per row */
	uint64_t dropped; /* atomic */
} table;

bool page_counts_start(uint32_t nodes, uint64_t page_bytes)
{
	if (!nodes || nodes > PAGE_COUNTS_NODES)
		return false;
	table.nodes = nodes;
	table.page_shift = (unsigned int)__builtin_ctzll(page_bytes);
	table.keys = reserve(PAGE_COUNTS_ROWS * sizeof(*table.keys));
	table.counts = reserve((size_t)PAGE_COUNTS_ROWS * nodes * sizeof(*table.counts));
	__atomic_store_n(&table.on, table.keys && table.counts, __ATOMIC_RELEASE);
	return table.on;
}

bool page_counts_are_on(void)
{
	return __atomic_load_n(&table.on, __ATOMIC_ACQUIRE);
}

void page_counts_stop(void)
{
	__atomic_store_n(&table.on, false, __ATOMIC_RELEASE);
}

uint32_t page_counts_nodes(void)
{
	return table.nodes;
}

uint64_t page_counts_dropped(void)
{
	return __atomic_load_n(&table.dropped, __ATOMIC_RELAXED);
}

/* ------------------------------------------------------------------ rows */

/* False: the row is another page's. */
static bool is_row_of(uint32_t row, uint64_t key)
{
	uint64_t found = __atomic_load_n(&table.keys[row], __ATOMIC_RELAXED);

	if (!found && __atomic_compare_exchange_n(&table.keys[row], &found, key, false,
						  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return true;
	return found == key;
}

static void add(const struct page_counter *counter, uint64_t page, uint64_t lines)
{
	uint64_t key = page << REGION_BITS | counter->region;
	uint32_t row = hash_place(key, PAGE_COUNTS_BITS);

	for (int i = 0; i < PROBES; i++, row = (row + 1) % PAGE_COUNTS_ROWS) {
		uint32_t *count = &table.counts[(size_t)row * table.nodes + counter->node];

		if (!is_row_of(row, key))
			continue;
		if (__atomic_load_n(count, __ATOMIC_RELAXED) < UINT32_MAX / 2)
			__atomic_fetch_add(count, (uint32_t)lines, __ATOMIC_RELAXED);
		return;
	}
	__atomic_fetch_add(&table.dropped, lines, __ATOMIC_RELAXED);
}

void page_counts_each(void (*visit)(void *ctx, const struct page_counted *row), void *ctx)
{
	for (uint32_t row = 0; table.keys && row < PAGE_COUNTS_ROWS; row++) {
		uint64_t key = __atomic_load_n(&table.keys[row], __ATOMIC_RELAXED);

		if (key)
			visit(ctx,
			      &(struct page_counted){ key >> REGION_BITS << table.page_shift,
						      (uint32_t)(key & ((1u << REGION_BITS) - 1)),
						      &table.counts[(size_t)row * table.nodes] });
	}
}

/* ------------------------------------------------------------------ accesses */

void page_counter_part(struct page_counter *counter, uint32_t region)
{
	unsigned int cpu, node;

	counter->region = region;
	counter->node = getcpu(&cpu, &node) ? table.nodes : node;
}

static bool counts(const struct page_counter *counter)
{
	return counter->region < MS_REGION_MAX && counter->node < table.nodes;
}

/* Lines of [address, address + bytes), page by page. */
static void add_range(struct page_counter *counter, uint64_t address, uint64_t bytes)
{
	uint64_t page_bytes = (uint64_t)1 << table.page_shift, end = address + bytes;

	while (address < end) {
		uint64_t page_end = (address / page_bytes + 1) * page_bytes,
			 to = end < page_end ? end : page_end;

		add(counter, address >> table.page_shift,
		    (to - 1) / PAGE_COUNTS_LINE - address / PAGE_COUNTS_LINE + 1);
		address = to;
	}
}

static void touch(struct page_counter *counter, uint32_t site, uint64_t address, uint64_t bytes)
{
	uint64_t *last = &counter->last_line[site % PAGE_COUNTER_SITES],
		 line = address / PAGE_COUNTS_LINE;

	if (bytes > PAGE_COUNTS_LINE)
		add_range(counter, address, bytes);
	else if (*last != line)
		add(counter, address >> table.page_shift, 1);
	*last = line;
}

/* `times` accesses by `stride` from `address` on: where they skip no line as one range. */
static void walk(struct page_counter *counter, uint32_t site, uint64_t address, int64_t stride,
		 uint64_t bytes, uint64_t times)
{
	uint64_t size = stride < 0 ? -(uint64_t)stride : (uint64_t)stride,
		 last = address + (times - 1) * (uint64_t)stride;

	if (size <= PAGE_COUNTS_LINE) {
		uint64_t low = stride < 0 ? last : address;

		if (size)
			add_range(counter, low, size * (times - 1) + bytes);
		else
			touch(counter, site, address, bytes);
		counter->last_line[site % PAGE_COUNTER_SITES] = last / PAGE_COUNTS_LINE;
		return;
	}
	for (uint64_t i = 0; i < times; i++)
		touch(counter, site, address + i * (uint64_t)stride, bytes);
}

static void touch_expanded(struct page_counter *counter, uint32_t number,
			   const struct record_site *site, const uint64_t *stretch)
{
	struct record_access accesses[EXPANDED];
	size_t nr = record_expand(site, stretch, accesses, EXPANDED);

	for (size_t i = 0; i < nr && i < EXPANDED; i++)
		touch(counter, number, accesses[i].address, accesses[i].bytes);
}

/* memcpy, memmove, memset: words are written address, read address (or 0), bytes. */
static void touch_moved(struct page_counter *counter, const uint64_t *stretch)
{
	if (stretch[3] > RECORD_BYTES_MOST)
		return; /* damaged by a signal handler */
	for (int i = 1; i <= 2; i++)
		if (stretch[i])
			add_range(counter, stretch[i], stretch[3]);
}

/* `next`: the words of the next iteration; NULL: there is one. */
static void take_stretch(struct page_counter *counter, const struct record_stretch *row,
			 const uint64_t *stretch, const uint64_t *next, uint64_t times)
{
	const struct record_site *site = row->nr_sites ? record_site(row->first_site) : NULL;
	uint32_t number = row->first_site, end = number + row->nr_sites;

	if (row->event == RECORD_RANGE)
		touch_moved(counter, stretch);
	for (; number < end; site = record_next_site(site, ++number)) {
		uint64_t address;

		if (site->access != CODE_ACCESS_PLAIN) {
			touch_expanded(counter, number, site, stretch);
			continue;
		}
		address = record_address(site, stretch);
		walk(counter, number, address,
		     next ? (int64_t)(record_address(site, next) - address) : 0, site->size, times);
	}
}

void page_counter_words(struct page_counter *counter, const uint64_t *words, size_t nr)
{
	for (size_t at = 0; at < nr && counts(counter);) {
		const struct record_stretch *row = record_stretch(words[at]);

		if (!row || row->words >= nr - at)
			return;
		take_stretch(counter, row, words + at, NULL, 1);
		at += 1 + row->words;
	}
}

void page_counter_again(struct page_counter *counter, const uint64_t *two, size_t period,
			uint64_t times)
{
	for (size_t at = 0; at < period && counts(counter);) {
		const struct record_stretch *row = record_stretch(two[at]);

		if (!row || row->words >= period - at)
			return;
		take_stretch(counter, row, two + at, two + period + at, times);
		at += 1 + row->words;
	}
}
