/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_HIERARCHY_H
#define MEMSEARCH_SIMULATOR_HIERARCHY_H

#include "analysis/simulator/access.h"
#include "analysis/simulator/state.h"

/*
 * An access through all levels (rules 1, 3–5, 7, 8), also what it prefetches; its pieces before
 * `from` are left out.
 */
void hierarchy_access(struct simulator *simulator, struct core *core, struct access *access,
		      uint64_t from);
/* The same of an access in one piece that misses L1 and does not bypass it. */
void hierarchy_access_absent(struct simulator *simulator, struct core *core, struct access *access);
/* Prefetches the data that an L1 miss there will need. */
void hierarchy_expect(const struct simulator *simulator, struct core *core, uint64_t address);

/* For coherence and prefetches. */
/*
 * Writes back a dirty line of the core to the first level from `level` on that can take it, or to
 * memory. `way`: its likely way in the first of them.
 */
void hierarchy_write_out(struct simulator *simulator, struct core *core, unsigned level,
			 uint64_t address, uint32_t way, const struct access *access);
/* The line moves from an exclusive L3 to the core; returns its state. */
uint8_t hierarchy_take_out(struct simulator *simulator, struct core *core, uint64_t address,
			   uint32_t way);
/*
 * The core loses a coherence line in one of its levels, as by an eviction from its inclusive L3.
 * Not 0: some of it was dirty.
 */
uint8_t hierarchy_invalidate(struct simulator *simulator, struct core *core, unsigned level,
			     uint64_t coherence_line);
/*
 * Enters the line into a level that does not hold it, with an eviction if needed. Returns its way.
 */
uint32_t hierarchy_enter(struct simulator *simulator, struct core *core, unsigned level,
			 uint64_t address, uint8_t state, const struct access *access);

#endif
