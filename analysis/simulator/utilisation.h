/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_UTILISATION_H
#define MEMSEARCH_SIMULATOR_UTILISATION_H

#include "analysis/simulator/state.h"

/*
 * Which words of fetched lines are used (rule 10). Kept for the outermost private level; with an L1
 * in front of it, L1 keeps the touched words until its line, or that of the outer level, is
 * evicted.
 */
#define UTILISATION_WORD 4
#define NOBODY UINT32_MAX /* whose line: fetched before the counters were cleared */

/* The words of bytes [first, last], of one line. */
static inline uint64_t utilisation_words(uint32_t line_shift, uint64_t first, uint64_t last)
{
	uint64_t in_line = (1ull << line_shift) - 1;
	unsigned from = (unsigned)((first & in_line) >> 2), to = (unsigned)((last & in_line) >> 2);

	return (~0ull >> (63 - (to - from))) << from;
}

/* A line has just entered the outermost private level. */
void utilisation_entered(struct simulator *simulator, struct core *core, uint32_t way,
			 uint32_t slot);
/* A line is about to leave L1 or L2, for any reason. */
void utilisation_leaves(struct simulator *simulator, struct core *core, unsigned level,
			uint32_t way);
/* Brings used_bytes up to date. */
void utilisation_settle(struct simulator *simulator);
/* Present lines no longer count for any thread. */
void utilisation_forget(struct cache *cache);

#endif
