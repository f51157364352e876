/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_SIMULATOR_COUNTERS_H
#define MEMSEARCH_SIMULATOR_SIMULATOR_COUNTERS_H

#include <stdint.h>

#include "analysis/machine/model.h"

/* What the simulator counts; the rules are those of simulator.h. */

/* Expensive counters, on request. */
enum simulator_parts {
	SIMULATE_CLASSES = 1 << 0,     /* `classes`, of all levels */
	SIMULATE_UTILISATION = 1 << 1, /* `fetched_bytes`, `used_bytes` */
	/* `classes`, of the private levels */
	SIMULATE_PRIVATE_CLASSES = 1 << 2,
	/* simulator_each_page, simulator_node_lines, simulator_mark_pages */
	SIMULATE_PAGES = 1 << 3
};

enum simulator_class {
	CLASS_COLD,
	CLASS_CAPACITY,
	CLASS_CONFLICT,
	CLASS_TRUE_SHARING,
	CLASS_FALSE_SHARING,
	SIMULATOR_CLASSES
};

/* of one thread and slot */
struct simulator_counters {
	/* accesses; one that does both (an atomic addition) is a write */
	uint64_t reads, writes;
	uint64_t read_misses[MODEL_LEVELS], write_misses[MODEL_LEVELS];
	uint64_t classes[MODEL_LEVELS][SIMULATOR_CLASSES];
	uint64_t bypassed; /* accesses that bypass L1 */
	uint64_t transfers, upgrades;
	uint64_t remote_transfers; /* of these, from a core of another node */
	uint64_t dram_local, dram_remote;
	uint64_t shared_lines, split_remote; /* rule 15 */
	/* lines and writes that go to memory, of the access that evicted them */
	uint64_t write_backs;
	uint64_t tlb_misses, tlb_walks; /* misses of the first TLB; of all */
	uint64_t prefetches, prefetched, dram_prefetches;
	uint64_t fetched_bytes, used_bytes;
	uint64_t remotely_written; /* accesses to lines written by another core since */
	uint64_t cycles;
};

#endif
