/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_PAGE_TOUCHES_H
#define MEMSEARCH_TRACE_PAGE_TOUCHES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * First touch of each page of an array, by which the modelled machine places it; only as far as it
 * is reproducible in another run. A page touched by one thread alone is on that thread's node. In a
 * team threads may race for a page of which two of them use parts, and the loser is not recorded.
 * So for an array that a team touched:
 *
 *     page  │ first touched  │ recorded thread
 *     ──────┼────────────────┼───────────────────────────────────────────────────────────────────
 *     small │ at its begin   │ the touching one: its part continues from the page before, or begins
 *     small │ further inside │ that of the page before, whose part ends in this page
 *     huge  │ anywhere       │ none at a border of threads' parts: its offset in the page varies
 *
 * No thread is recorded for a team's pages in a small block (less than 4 pages a thread), or where
 * threads' parts are smaller than pages: where more than 1 in (threads) pages is first touched
 * inside, by another thread than the page before, which does not continue into the next page.
 *
 * One writer, at phase boundaries; readers at any time, on any thread. A page takes 4 bytes, in 2
 * MiB of address space together.
 */
#define PAGE_TOUCHES_CORES 256 /* higher core numbers are not recorded */

struct page_touch {
	uint32_t core; /* thread number in its outermost team */
	uint32_t team; /* threads of that team; 1: serial, 0: unknown */
	uint8_t shift; /* log2 of the bytes that the fault mapped */
	bool inside;   /* after the first byte of the page and of the block */
};

/* Call first; false: no memory. Additions without it have no effect. */
bool page_touches_start(uint64_t page_bytes);
/* The page of an address. No effect beyond 16 GiB of 4 KiB pages. */
void page_touches_add(uint32_t array, uint64_t address, const struct page_touch *touch);
/*
 * To store and restore the table: `touch` is an opaque word. page_touches_put needs a started
 * table; page_touches_forget empties it.
 */
void page_touches_words(void (*visit)(void *ctx, uint64_t page, uint32_t touch), void *ctx);
bool page_touches_put(uint64_t page, uint32_t touch);
void page_touches_forget(void);
/* log2 of the page size; 0: not started. */
uint32_t page_touches_shift(void);
/* The known pages of the array's block [low, high), as ranges of one core, by address. */
void page_touches_each(uint32_t array, uint64_t low, uint64_t high,
		       void (*visit)(void *ctx, uint64_t low, uint64_t high, uint32_t core),
		       void *ctx);

#endif
