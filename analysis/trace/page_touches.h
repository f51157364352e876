/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TRACE_PAGE_TOUCHES_H
#define MEMSEARCH_TRACE_PAGE_TOUCHES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Who touched each page of an array first, for the modelled machine to have it on that thread's node; and of that only what
 * another run of the program would find, too. Where one thread is alone it is its page. In a team threads may race for a page that
 * two of them use parts of, and who loses is not seen. So of an array that a team touched:
 *
 *     page       │ first touched   │ whose
 *     ───────────┼─────────────────┼───────────────────────────────────────────────────────────────────────
 *     small      │ at its begin    │ that thread's, which came from the page before or begins here
 *     small      │ further inside  │ the thread's of the page before, which would have had it if it had been faster
 *     huge       │ anywhere        │ nobody's at the edge of a thread's part, which lies in the array by chance
 *
 * Nobody's are all of a team's pages in a block of few (less than 4 a thread), or where threads' parts are smaller than pages: where more
 * than one in a thread's number of times a page is touched inside by another thread than the page before, and that does not go on into the next.
 *
 * One writer, at phase boundaries; readers at any time, on any thread. A page takes 4 bytes, in 2 MiB of address space together.
 */
#define PAGE_TOUCHES_CORES 256           /* higher ones are not kept */

struct page_touch {
	uint32_t core;                   /* the thread's number in its outermost team */
	uint32_t team;                   /* threads in that; 1: it was alone, 0: not known */
	uint8_t shift;                   /* the fault brought 2^this bytes */
	bool inside;                     /* behind the page's and the block's first byte */
};

/* Before anything is added; false: no memory. What is added without is forgotten. */
bool page_touches_start(uint64_t page_bytes);
/* The page around an address. Beyond 16 GiB of 4 KiB pages: forgotten. */
void page_touches_add(uint32_t array, uint64_t address, const struct page_touch *touch);
/* All of it by itself, for who keeps it: `touch` is a word of this file's own; and into a table that was started, which is empty after page_touches_forget. */
void page_touches_words(void (*visit)(void *ctx, uint64_t page, uint32_t touch), void *ctx);
bool page_touches_put(uint64_t page, uint32_t touch);
void page_touches_forget(void);
/* Of a page's size; 0: not started. */
uint32_t page_touches_shift(void);
/* The known pages of the array's block [low, high), in stretches of one core's, by address. */
void page_touches_each(uint32_t array, uint64_t low, uint64_t high, void (*visit)(void *ctx, uint64_t low, uint64_t high, uint32_t core), void *ctx);

#endif
