/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_TOUCHED_H
#define MEMSEARCH_SIMULATOR_TOUCHED_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Which core accesses which memory in a chunk of steps (stages.h), by pages, or by blocks of the
 * directory where pages are smaller: prefetchers stay within a page, so the lines that may enter a
 * core's caches are known before it is simulated.
 */
#define TOUCHED_MOST 2048  /* pages; a step adds at most as many again */
#define TOUCHED_SLOTS 8192 /* a power of two */

struct simulator;
struct step;

struct touched {
	uint32_t nr;
	bool several; /* two cores access one page, or may do so */
	struct touched_page {
		uint64_t page;
		uint32_t core, at;
	} pages[2 * TOUCHED_MOST];
	uint16_t slots[TOUCHED_SLOTS]; /* number + 1 in `pages` */
};

void touched_clear(struct touched *touched);
/* Accesses of a step, which schedule.c has just given. */
void touched_add(const struct simulator *simulator, struct touched *touched,
		 const struct step *step);
uint32_t touched_shift(const struct simulator *simulator); /* log2 of its pages */

static inline bool touched_is_full(const struct touched *touched)
{
	return touched->nr >= TOUCHED_MOST;
}

#endif
