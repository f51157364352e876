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
 * Adds the resident stretches of [low, high), in whole pages. For memory without a file
 * (`anonymous`, may be empty) that is a tenth of the work: the kernel's entry of a page has whether
 * it is a file's, one cache miss per page. MS_ERR_PERMISSION, MS_ERR_IO: the page table cannot be
 * read; MS_ERR_MEMORY: the arena is full.
 */
enum ms_status residence_of(struct arena *arena, const struct memory_ranges *anonymous,
			    uintptr_t low, uintptr_t high, struct memory_ranges *out);

/*
 * Adds the private mappings without a file, joined; as of now: the program may map others there.
 * Fewer, where not all can be read.
 */
void residence_anonymous(struct arena *arena, struct memory_ranges *out);

/*
 * Of all writable private memory. MS_ERR_FULL: of 64 GiB of address space (some 30 ms); a mapping
 * with more than what was left of that, often a mere reservation, is not among them.
 */
enum ms_status residence_all(struct arena *arena, struct memory_ranges *out);

/*
 * Adds the writable private mappings, each for itself; none, or not all: /proc/self/maps cannot be
 * read, or the arena is full.
 */
void residence_mappings(struct arena *arena, struct memory_ranges *out);
/* The one around an address; { 0, 0 }: there is none. */
struct memory_range residence_around(const struct memory_ranges *ranges, uintptr_t address);

#endif
