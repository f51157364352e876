/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_FAST_PATH_H
#define MEMSEARCH_SIMULATOR_FAST_PATH_H

#include "analysis/simulator/access.h"
#include "analysis/simulator/state.h"

/*
 * The most frequent path of a miss, without checks for rare features of machines: there are L1 and
 * L2, all lines have one size, all levels write back, L3, if there is one, is non-inclusive, and
 * only this core has accessed the memory. hierarchy.c gives the same results for all machines; this
 * takes a third of its instructions.
 */
bool fast_path_applies(const struct simulator *simulator);
/*
 * Also without PLRU, without more than PARTIAL_TAGS ways, and with the counters that a run
 * requests: these checks are then compiled out.
 */
bool fast_path_is_common(const struct simulator *simulator);

/*
 * Simulates the piece [first, last] of an access that misses L1, by rules 3 to 10. 0: other cores
 * may hold the line, and nothing was done. Else its cycles, and *missed_out are the levels that
 * missed, as bits.
 */
uint32_t fast_path_access(struct simulator *simulator, struct core *core, struct access *access,
			  uint64_t first, uint64_t last, uint8_t *missed_out);
/*
 * Prefetches the line of that address, which is not in L2 (rule 11), and counts it. False: other
 * cores may hold it, and nothing was done.
 */
bool fast_path_fetch(struct simulator *simulator, struct core *core, const struct access *access,
		     uint64_t address);

#endif
