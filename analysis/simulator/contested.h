/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_CONTESTED_H
#define MEMSEARCH_SIMULATOR_CONTESTED_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/simulator/lookup.h"

/*
 * Lines that another core has written since a core had them (rule 14). Only accesses to such lines miss for coherence, on any machine: that takes no caches, and
 * is known of all lines where only some are looked at.
 *
 *     block of 64 lines ──▶ written by one core, and since then accessed by it alone: a bit a line
 *                           any other line that was written: a row of its own, with the cores it is not contested for
 *
 * While a core has its turn nobody else writes: whether a line is contested for it changes with its own first access alone.
 */
#define CONTESTED_RECENT_BITS 10
#define CONTESTED_LINES 64               /* of a block */

struct simulator_walk;

struct contested {
	uint32_t line_shift, block_shift;
	uint32_t words;                  /* of bits, a core each */
	size_t budget;                   /* bytes that may still be mapped */
	struct lookup blocks;            /* those that were written in */
	struct lookup lines;
	bool crowded;                    /* there was no room for something: any line may be contested, and nobody need ask */
	struct { uint64_t block; uint32_t row; } recent[1 << CONTESTED_RECENT_BITS];    /* block + 1, asked for last, by hash_place */
};

/* `shift`: of lines. What it may take is taken of `budget`. */
void contested_init(struct contested *contested, uint32_t shift, uint32_t threads, size_t *budget);
void contested_release(struct contested *contested);
size_t contested_bytes(const struct contested *contested);

/* The core makes an access of the walk, at that address. `enters`: the outermost of its private levels gets the lines. Whether one of these was contested. */
bool contested_access(struct contested *contested, uint32_t core, const struct simulator_walk *walk, uint64_t address, bool enters);
/*
 * The core makes so many accesses of the walk, the first one at that address, none of which is to a contested line. False: some are; nothing is done about these
 * then, and it may be asked again access by access.
 */
bool contested_by_none(struct contested *contested, uint32_t core, const struct simulator_walk *walk, uint64_t address, uint64_t times, bool enters);

#endif
