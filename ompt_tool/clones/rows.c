/* SPDX-License-Identifier: Apache-2.0 */
/* Stretches and sites by number, in blocks of 4096 that a fixed directory leads to. */
#define _GNU_SOURCE
#include "ompt_tool/clones/rows.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "ompt_tool/clones/clone.h"

/* 2^26 rows are more than a clone of all of libLLVM has (19 million instructions). */
enum { BLOCK_BITS = 12, BLOCK = 1 << BLOCK_BITS, BLOCKS = 1 << 14 };

_Static_assert(BLOCK == RECORD_BLOCK, "record_next_site relies on it");

struct rows {
	size_t row_bytes;
	_Atomic uint32_t nr;
	char *_Atomic blocks[BLOCKS];
};

static struct rows stretches = { .row_bytes = sizeof(struct record_stretch), .nr = 1 };
static struct rows sites = { .row_bytes = sizeof(struct record_site) };

static struct rows loops = { .row_bytes = sizeof(struct clone_loop), .nr = 1 };

static void *row_at(struct rows *rows, uint64_t number)
{
	if (number >= atomic_load_explicit(&rows->nr, memory_order_acquire))
		return NULL;
	return atomic_load_explicit(&rows->blocks[number >> BLOCK_BITS], memory_order_relaxed) + (number & (BLOCK - 1)) * rows->row_bytes;
}

/* Room for the row that `nr` will count next. */
static void *row_new(struct rows *rows)
{
	uint32_t number = atomic_load_explicit(&rows->nr, memory_order_relaxed);
	char *block;

	if (number >> BLOCK_BITS >= BLOCKS)
		return NULL;
	block = atomic_load_explicit(&rows->blocks[number >> BLOCK_BITS], memory_order_relaxed);
	if (!block) {
		block = mmap(NULL, BLOCK * rows->row_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (block == MAP_FAILED)
			return NULL;
		atomic_store_explicit(&rows->blocks[number >> BLOCK_BITS], block, memory_order_relaxed);
	}
	return block + (number & (BLOCK - 1)) * rows->row_bytes;
}

uint32_t rows_stretch(const struct record_stretch *stretch)
{
	struct record_stretch *row = row_new(&stretches);

	if (!row)
		return 0;
	*row = *stretch;
	return atomic_fetch_add_explicit(&stretches.nr, 1, memory_order_release);
}

uint32_t rows_site(const struct record_site *site)
{
	struct record_site *row = row_new(&sites);

	if (!row)
		return UINT32_MAX;
	*row = *site;
	return atomic_fetch_add_explicit(&sites.nr, 1, memory_order_release);
}

uint32_t rows_loop(const struct clone_loop *loop)
{
	struct clone_loop *row = row_new(&loops);

	if (!row)
		return 0;
	*row = *loop;
	return atomic_fetch_add_explicit(&loops.nr, 1, memory_order_release);
}

void clone_loop_join(uint32_t number, uint32_t joined, uint32_t joined_parent)
{
	struct clone_loop *row = number ? row_at(&loops, number) : NULL;

	if (!row)
		return;
	__atomic_store_n(&row->joined_parent, joined_parent, __ATOMIC_RELAXED);
	__atomic_store_n(&row->joined, joined, __ATOMIC_RELEASE);
}

/* Number 0 is no stretch: what was never written is not taken for one. Block 0 is there as soon as number 1 is. */
const struct record_stretch *record_stretch(uint64_t number) { return number ? row_at(&stretches, number) : NULL; }
const struct record_site *record_site(uint32_t number) { return row_at(&sites, number); }
const struct clone_loop *clone_loop(uint32_t number) { return number ? row_at(&loops, number) : NULL; }
uint32_t clone_nr_loops(void) { return atomic_load_explicit(&loops.nr, memory_order_acquire) - 1; }
uint32_t record_nr_sites(void) { return atomic_load_explicit(&sites.nr, memory_order_acquire); }
