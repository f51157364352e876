/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_ENTRY_TABLE_H
#define MEMSEARCH_CLONES_ENTRY_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Maps functions to entries of their clones: an open-addressing hash table that any thread, and
 * code in clones, reads without a lock. Rows are never removed; a full table is replaced by a
 * larger one and not freed.
 */
#define ENTRIES_FACTOR -1640531535 /* 2^32 / golden ratio, odd: Knuth, TAOCP 3, 6.4 */
#define ENTRIES_SHIFT 8

struct entry {
	_Atomic uintptr_t key, value;
};
/* mask_bytes: (number of rows - 1) * 16 */
struct entries {
	uint64_t mask_bytes;
	uint64_t nr;
	struct entry rows[];
};

enum { ENTRIES_PROBES = 32 }; /* sets of enum clone_probes */
/* functions → clones' entries; NULL: none yet */
extern struct entries *_Atomic entries_by_probes[ENTRIES_PROBES];

/*
 * Targets of indirect calls and jumps from clones that have no clone: by hash, later ones replace
 * earlier ones.
 */
enum { ENTRIES_MISSED_BITS = 6, ENTRIES_MISSED = 1 << ENTRIES_MISSED_BITS };
extern _Atomic uintptr_t entries_missed[ENTRIES_MISSED];

/*
 * While not 0, clones treat all functions called through pointers as unknown (clone_pause). Atomic.
 */
extern uint32_t entries_paused;
/* Adds such a target. Any thread. */
void entries_miss(uintptr_t target);

/* A table of this kind: NULL at first. One thread at a time. False: no memory. */
bool entries_set(struct entries *_Atomic *table, uintptr_t key, uintptr_t value);
/* 0: not in it. */
uintptr_t entries_get(struct entries *_Atomic *table, uintptr_t key);

#endif
