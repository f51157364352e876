/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_ARRAYS_RESIDENCE_H
#define MEMSEARCH_ARRAYS_RESIDENCE_H

#include <stddef.h>
#include <stdint.h>

#include "memsearch/status.h"

/*
 * Which pages of this process have been written and so are in memory, by its own page table
 * (/proc/self/pagemap, without privilege since Linux 4.2). Pages that still are a file's are not
 * among them. Opens files: not in callbacks, but for phase boundaries.
 */
struct arena;

struct memory_range {
	uintptr_t low, high;
};
/* by address, apart from each other */
struct memory_ranges {
	struct memory_range *items;
	size_t nr, room;
};

/*
 * Adds the resident parts of [low, high), in whole pages. For memory without a file (`anonymous`,
 * may be empty) this takes a tenth of the time: whether a page belongs to a file is in another
 * kernel structure, one cache miss per page. MS_ERR_PERMISSION, MS_ERR_IO: the page table cannot be
 * read; MS_ERR_MEMORY: the arena is full.
 */
enum ms_status residence_of(struct arena *arena, const struct memory_ranges *anonymous,
			    uintptr_t low, uintptr_t high, struct memory_ranges *out);

/*
 * Adds the private mappings without a file, joined; a snapshot: the program may change them.
 * Incomplete if not all can be read.
 */
void residence_anonymous(struct arena *arena, struct memory_ranges *out);

/*
 * The resident parts of all writable private memory. MS_ERR_FULL: the limit of 64 GiB of address
 * space (some 30 ms) was reached; a mapping larger than the rest of the limit, often a mere
 * reservation, is skipped.
 */
enum ms_status residence_all(struct arena *arena, struct memory_ranges *out);

/*
 * Adds each writable private mapping; incomplete if /proc/self/maps cannot be read or the arena is
 * full.
 */
void residence_mappings(struct arena *arena, struct memory_ranges *out);
/* The range that contains an address; { 0, 0 }: none. */
struct memory_range residence_around(const struct memory_ranges *ranges, uintptr_t address);

#endif
