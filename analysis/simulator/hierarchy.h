/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_HIERARCHY_H
#define MEMSEARCH_SIMULATOR_HIERARCHY_H

#include "analysis/simulator/state.h"

/* An access through all levels (rules 1, 3–5, 7, 8), also what it prefetches; its pieces before `from` are left out. */
void hierarchy_access(struct simulator *simulator, struct core *core, struct access *access, uint64_t from);
/* The same of one in one piece, which L1 has not, and could. */
void hierarchy_access_absent(struct simulator *simulator, struct core *core, struct access *access);
/* What an access there that is not in L1 will need is fetched from this machine's memory meanwhile. */
void hierarchy_expect(const struct simulator *simulator, struct core *core, uint64_t address);

/* For coherence and prefetches. */
/* A line of the core, dirty, goes to the first level from `level` on that can take it, or to memory. `way`: where the first of them has it, as a rule. */
void hierarchy_write_out(struct simulator *simulator, struct core *core, unsigned level, uint64_t address, uint32_t way, const struct access *access);
/* The line leaves an exclusive L3 for the core: the state it comes with. */
uint8_t hierarchy_take_out(struct simulator *simulator, struct core *core, uint64_t address, uint32_t way);
/* The core loses a coherence line in one of its levels, as what its inclusive L3 displaces. Not 0: some of it was dirty. */
uint8_t hierarchy_invalidate(struct simulator *simulator, struct core *core, unsigned level, uint64_t coherence_line);
/* The line enters a level that has it not, and displaces what has to go. The way it got. */
uint32_t hierarchy_enter(struct simulator *simulator, struct core *core, unsigned level, uint64_t address, uint8_t state, const struct access *access);

#endif
