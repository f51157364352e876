/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_ACCESS_H
#define MEMSEARCH_SIMULATOR_ACCESS_H

#include "analysis/simulator/state.h"

/* An access that is under way. */
struct access {
	uint64_t address, last;              /* first and last byte; last may be less: it wraps */
	uint32_t slot, site;                 /* slot: the index of `counters` */
	uint32_t whole;                      /* index of counters of all lines */
	bool write, bypass;                  /* bypass: does not access L1 */
	uint8_t missed, looked;              /* levels, bits */
	bool deferred;                       /* outer.c has an event of it */
	uint8_t core;                        /* whose access it is */
	struct simulator_counters *counters; /* of the line that is under way (access_aim) */
};

/* Counts for this line from now on. False: it is not sampled. */
static inline bool access_aim(const struct simulator *simulator, struct core *core,
			      struct access *access, uint64_t address)
{
	uint8_t entry = sampling_entry(&simulator->sampling, address >> simulator->coherence_shift);

	if (entry == SAMPLING_SKIPPED)
		return false;
	access->slot = access->whole + entry;
	access->counters = &core->counters[access->slot];
	return true;
}

#endif
