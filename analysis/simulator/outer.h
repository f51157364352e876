/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_OUTER_H
#define MEMSEARCH_SIMULATOR_OUTER_H

#include <stdbool.h>
#include <stdint.h>

/*
 * L3 and memory, where they do not act on the private caches: L3 is neither inclusive nor
 * exclusive, has no prefetcher and no classes, all cores that run share it, and all lines are
 * simulated (outer_applies). The private levels then emit events, and no result of L3 or memory
 * affects them; so the events may be simulated later, by another thread, in their order. L3's
 * contents, page placement and `outer_counters` belong to the thread that simulates the events, all
 * else to the one that emits them.
 */
struct simulator;
struct access;

enum outer_kind {
	/* a demand access missed the private levels: looked up in L3, entered there */
	OUTER_FETCH,
	OUTER_PREFETCH,   /* the same of a prefetched line */
	OUTER_WRITE_BACK, /* a dirty line leaves the private levels */
	/*
	 * a non-temporal write: L3 does not hold the line any longer, and a dirty one is written
	 * back
	 */
	OUTER_BYPASS,
	/* after OUTER_BYPASS: a private level had it dirty; one write-back in all */
	OUTER_BYPASS_DIRTY,
	/* of the last access: its slowest other piece takes `line` cycles more than L1 */
	OUTER_SLOWEST
};

enum outer_flags {
	OUTER_WRITE = 1 << 0,
	OUTER_JOINED = 1 << 1, /* another piece of the access whose event came before */
	/* another core delivers the line: neither memory nor L3's latency counts */
	OUTER_TRANSFERRED = 1 << 2
};

struct outer_event {
	uint64_t line; /* of the line size that all levels have */
	uint32_t slot; /* index of the core's counters */
	uint8_t core, kind, flags;
};

bool outer_applies(const struct simulator *simulator);
/*
 * Emits an event that counts for the access, which is to the line at `address`: simulates it at
 * once, or queues it (stages.h).
 */
void outer_emit(struct simulator *simulator, const struct access *access, enum outer_kind kind,
		uint64_t address, unsigned flags);
/* OUTER_FETCH for a piece of the access. */
void outer_fetch(struct simulator *simulator, struct access *access, uint64_t address,
		 bool transferred);
/* OUTER_SLOWEST. */
void outer_slowest(struct simulator *simulator, const struct access *access, uint32_t cycles);
/* Simulates queued events, in order. */
void outer_run(struct simulator *simulator, const struct outer_event *events, uint32_t nr,
	       uint32_t known);

#endif
