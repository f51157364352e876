/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_REMOTE_WRITES_H
#define MEMSEARCH_SIMULATOR_REMOTE_WRITES_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/simulator/lookup.h"

/*
 * Lines written by another core since this core's last access (rule 14). Only accesses to such
 * lines have coherence misses, on any machine. This needs no caches, so it is known for all lines,
 * also with set sampling.
 *
 *     block of 64 lines ──▶ written by one core, and since then accessed by it alone: a bit a line
 *                           any other line that was written: a row of its own, with the cores it is
 *                           not remotely written for
 *
 * During a core's time slice no other core writes: only its own first access changes whether a line
 * is remotely written for it.
 */
#define REMOTE_WRITES_RECENT_BITS 10
#define REMOTE_WRITES_LINES 64 /* of a block */

struct stride_run;

struct remote_writes {
	uint32_t line_shift, block_shift;
	uint32_t words;       /* of bits, a core each */
	size_t budget;        /* bytes that may still be mapped */
	struct lookup blocks; /* blocks that were written */
	struct lookup lines;
	/* the history overflowed: every line counts as remotely written */
	bool overflowed;
	/* blocks + 1 looked up last, by hash_place */
	struct {
		uint64_t block;
		uint32_t row;
	} recent[1 << REMOTE_WRITES_RECENT_BITS];
};

/* `shift`: log2 of the line size. Its memory is taken from `budget`. */
void remote_writes_init(struct remote_writes *writes, uint32_t shift, uint32_t threads,
			size_t *budget);
void remote_writes_release(struct remote_writes *writes);
size_t remote_writes_bytes(const struct remote_writes *writes);

/*
 * An access of the core, at that address. `enters`: the lines enter the outermost of its private
 * levels. Returns whether one of them was remotely written.
 */
bool remote_writes_access(struct remote_writes *writes, uint32_t core, const struct stride_run *run,
			  uint64_t address, bool enters);
/*
 * The next `times` accesses of the stride run, the first one at that address, none of which is to a
 * remotely written line. False: some are; then nothing is changed, and the caller calls
 * remote_writes_access for each.
 */
bool remote_writes_none(struct remote_writes *writes, uint32_t core, const struct stride_run *run,
			uint64_t address, uint64_t times, bool enters);

#endif
