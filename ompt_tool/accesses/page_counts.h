/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ACCESSES_PAGE_COUNTS_H
#define MEMSEARCH_ACCESSES_PAGE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Cache lines that recorded accesses enter, by page, region and NUMA node of the accessing thread:
 * which node uses a page. An instruction that stays in a line enters it once. For trials of
 * placements (session/trials.h); without page_counts_start nothing is counted.
 */
#define PAGE_COUNTS_NODES 64 /* kernel's numbers of nodes: below; others are dropped */
#define PAGE_COUNTS_BITS 20
#define PAGE_COUNTS_ROWS (1u << PAGE_COUNTS_BITS)
#define PAGE_COUNTS_LINE 64u /* bytes */

/* Of one thread; zero-initialised. Owner only. */
#define PAGE_COUNTER_SITES 512 /* a power of two; further sites share entries: more lines count */
struct page_counter {
	uint32_t region, node;
	uint64_t last_line[PAGE_COUNTER_SITES]; /* by site */
};

/*
 * Reserves the table: PAGE_COUNTS_ROWS rows of 8 bytes and 4 per node, touched when used. `nodes`:
 * the kernel's highest number + 1. False: no memory, or too many nodes. Before threads begin.
 */
bool page_counts_start(uint32_t nodes, uint64_t page_bytes);
bool page_counts_are_on(void); /* any thread */
/* From now on nothing is counted; the table stays. At phase boundaries. */
void page_counts_stop(void);

/* Announces words of this region, which the thread has executed where it runs now. */
void page_counter_part(struct page_counter *counter, uint32_t region);
/* Whole stretches (trace/stretches.h), none of them RECORD_COUNTED. Callbacks allowed. */
void page_counter_words(struct page_counter *counter, const uint64_t *words, size_t nr);
/* The same for `times` iterations: `two` are the words of the first and the second one. */
void page_counter_again(struct page_counter *counter, const uint64_t *two, size_t period,
			uint64_t times);

struct page_counted {
	uint64_t address; /* of the page */
	uint32_t region;
	const uint32_t *lines; /* by node */
};
/* In no order. At phase boundaries; threads may count meanwhile. */
void page_counts_each(void (*visit)(void *ctx, const struct page_counted *row), void *ctx);
uint32_t page_counts_nodes(void);
/* Lines of pages for which the table had no row. Any thread. */
uint64_t page_counts_dropped(void);

#endif
