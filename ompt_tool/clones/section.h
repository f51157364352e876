/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_SECTION_H
#define MEMSEARCH_CLONES_SECTION_H

#include "ompt_tool/code/bytes.h"

/*
 * How sections of unwind records lie one behind the other:
 *
 *     CIE FDE FDE CIE FDE … 0 1 │ FDE … 0 1 │ FDE … 0 0 │ LSDAs
 *
 * A word 0 in the place of a record's length ends a section, as unwinders want it; the word behind it says whether another one
 * follows. An FDE and its CIE are in the same section, so that records can be moved together. All are multiples of 8 bytes.
 */
void section_end(struct packing *out, bool more);

#define SECTION_CLOSE 4096       /* bytes between copies that are sure to have been made one after the other */

struct section {
	const unsigned char *records;
	size_t bytes;                    /* of them, without the end */
	size_t nr;                       /* functions */
	uintptr_t start, end;            /* their code is in here */
};

/* The section at `at`; where the next one is; NULL: it was the last. */
const unsigned char *section_read(const unsigned char *at, struct section *out);

/* The next FDE at or behind `record`; NULL: the section ends. Go on at section_behind of it. */
const unsigned char *section_fde(const unsigned char *record);
const unsigned char *section_behind(const unsigned char *record);

/* Whether the two are close enough to be one, if no third lies between them. */
bool section_is_next_to(const struct section *a, const struct section *b);
/* Whether one of `nr` others has code between this one's start and end. */
bool section_meets(const struct section *section, const struct section *others, size_t nr);
/* All functions of both in memory of the arena. False: no memory. */
struct arena;
bool section_join(struct arena *arena, const struct section *a, const struct section *b, struct section *out);

#endif
