/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_FAST_PATH_H
#define MEMSEARCH_SIMULATOR_FAST_PATH_H

#include "analysis/simulator/state.h"

/*
 * What most misses do on most machines, in one piece: there are L1 and L2, all lines have one size,
 * writes are kept in all levels, and an L3, if there is one, neither includes nor excludes them;
 * and only this core has accessed the memory. hierarchy.c can do it all, by asking at each step for
 * what a machine might have; this is the same for what it has as a rule, at a third of the
 * instructions.
 */
bool fast_path_applies(const struct simulator *simulator);
/*
 * The rarer of that, too, is known not to be there: trees, many ways, other counts than runs ask
 * for.
 */
bool fast_path_is_common(const struct simulator *simulator);

/*
 * The piece [first, last] of an access, which L1 has not, in place of rules 3 to 10. 0: others may
 * have it, and nothing was done. Else what it takes, and *missed_out is the levels that missed.
 */
uint32_t fast_path_access(struct simulator *simulator, struct core *core, struct access *access,
			  uint64_t first, uint64_t last, uint8_t *missed_out);
/*
 * The line of that address, which L2 has not, is fetched ahead (rule 11), and counted. False:
 * others may have it, and nothing was done.
 */
bool fast_path_fetch(struct simulator *simulator, struct core *core, const struct access *access,
		     uint64_t address);

#endif
