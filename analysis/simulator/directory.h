/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_DIRECTORY_H
#define MEMSEARCH_SIMULATOR_DIRECTORY_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/base/hash.h"
#include "analysis/simulator/lookup.h"

/*
 * Possible holders of lines of the coherence size (rule 6). The caches themselves are
 * authoritative: holders are entered when they get a line, and not removed when they lose it, so
 * that evictions cost nothing here; a reader checks the caches. Holders: cores by their numbers,
 * then L3s.
 *
 * Blocks of memory that only one core has accessed so far, most blocks in parallel programs too,
 * have no entries: when another core accesses one, the lines of it that the first core and its L3
 * hold are entered.
 *
 * For miss classes, an invalidated line has a track until all former holders have it again: the
 * last writer of each word, in the order of the writes to this line.
 */
#define NO_OWNER UINT32_MAX
#define DIRECTORY_RECENT_BITS 11 /* log2 of how many */
#define DIRECTORY_BLOCK_SHIFT 12 /* log2 of its bytes */
#define DIRECTORY_CORE_BITS (DIRECTORY_BLOCK_SHIFT - 1)

struct simulator;
struct core;
struct access;

struct directory_row {
	uint64_t key;   /* of lookup.h: the line */
	uint32_t owner; /* the only core that may hold it modified, or NO_OWNER */
	uint32_t track; /* number + 1 */
	uint64_t holders[];
};

struct directory_block {
	uint64_t key;  /* of lookup.h */
	uint64_t core; /* the only core that has accessed it, or NO_OWNER */
};

struct track {
	uint64_t writes;    /* since it began */
	uint32_t marks;     /* invalidated copies that have not returned */
	uint32_t next_free; /* number + 1 */
	/* by word: write × 1024 + writer; then by holder: the write that invalidated its copy */
	uint64_t last[];
};

struct directory {
	struct lookup rows;
	uint32_t most_lines; /* that all caches can hold */
	struct lookup blocks;
	size_t block_budget; /* bytes that may still be mapped for these */
	/* it was used up: blocks without an entry count as shared */
	bool overflowed;
	/* blocks looked up last, with their only accessor: hash_place, directory_owned */
	uint64_t recent[1 << DIRECTORY_RECENT_BITS];
	struct track *tracks;
	size_t track_bytes;
	uint32_t nr_tracks, max_tracks, free_track;
	uint32_t words;   /* of a line */
	uint32_t holders; /* words of bits */
};

/*
 * Its entry among the recent ones, if only that core has accessed it; NO_OWNER: several have. Never
 * 0.
 */
static inline uint64_t directory_owned(uint64_t block, uint32_t core)
{
	return block << DIRECTORY_BLOCK_SHIFT | 1u << DIRECTORY_CORE_BITS |
	       (core & ((1u << DIRECTORY_CORE_BITS) - 1));
}

/* The result of a request for a line. */
struct sharing {
	/* no other core holds it: the core may write without a look-up */
	bool owned;
	bool others;              /* another core held it */
	bool dirty;               /* a copy invalidated by the write was dirty */
	bool transferred, remote; /* another core delivered it, from another node */
};

bool directory_init(struct simulator *simulator);
void directory_release(struct simulator *simulator);
size_t directory_bytes(const struct directory *directory);
/*
 * Whether only this core has accessed the block of an address, number block, including the current
 * access.
 */
bool directory_is_alone_now(struct simulator *simulator, uint64_t block, uint32_t core);
/*
 * Before steps in which no other core accesses the block, number block, where all cores share one
 * L3 at most: whether no other core holds a line of it, nor lost one that it may miss again. Then
 * only this core counts as having accessed it so far.
 */
bool directory_make_alone(struct simulator *simulator, uint64_t block, uint32_t core);
/* A core that does not hold the piece reads its line, also for a prefetch … */
struct sharing directory_read(struct simulator *simulator, struct core *core,
			      const struct access *access, uint64_t address);
/* … or a core writes to it; `held`: one of its own caches had the piece. */
struct sharing directory_write(struct simulator *simulator, struct core *core, uint64_t address,
			       bool held);
/*
 * The first core from `core` on that may hold part of the line; the number of threads: none. Cores
 * that are skipped do not hold it.
 */
uint32_t directory_next_holder(struct simulator *simulator, uint64_t coherence_line, uint32_t core);
/* The core got the line dirty, from an exclusive L3. */
void directory_note_dirty(struct simulator *simulator, const struct core *core, uint64_t address);
/* The core's L3 gets the line. */
void directory_note_l3(struct simulator *simulator, const struct core *core, uint64_t address);
/* The holder's cache gets the invalidated line again. */
void directory_returned(struct simulator *simulator, uint64_t address);
/* Stores a write to bytes [first, last] of one line, if it has a track. */
void directory_written(struct simulator *simulator, const struct core *core, uint64_t first,
		       uint64_t last);
/*
 * Whether another core has written one of these bytes last, since the holder's copy of the line was
 * invalidated.
 */
bool directory_is_true_sharing(struct simulator *simulator, uint32_t holder, uint64_t first,
			       uint64_t last);

#endif
