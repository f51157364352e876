/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_SECTION_H
#define MEMSEARCH_CLONES_SECTION_H

#include "ompt_tool/code/bytes.h"

/*
 * Layout of consecutive sections of unwind records:
 *
 *     CIE FDE FDE CIE FDE … 0 1 │ FDE … 0 1 │ FDE … 0 0 │ LSDAs
 *
 * A word 0 instead of a record's length ends a section, as unwinders require; the word after it is
 * 1 if another one follows. An FDE and its CIE are in the same section, so that records can be
 * moved together. All are multiples of 8 bytes.
 */
void section_end(struct packing *out, bool more);

#define SECTION_CLOSE 4096 /* maximal gap between copies of one section */

struct section {
	const unsigned char *records;
	size_t bytes;         /* of them, without the end */
	size_t nr;            /* functions */
	uintptr_t start, end; /* address range of their code */
};

/* Reads the section at `at`; returns the next one; NULL: it is the last. */
const unsigned char *section_read(const unsigned char *at, struct section *out);

/* The next FDE at or behind `record`; NULL: the section ends. Go on at section_behind of it. */
const unsigned char *section_fde(const unsigned char *record);
const unsigned char *section_behind(const unsigned char *record);

/* Whether the two may be joined, if no third one is between them. */
bool section_is_next_to(const struct section *a, const struct section *b);
/* Whether one of `nr` others has code between this one's start and end. */
bool section_meets(const struct section *section, const struct section *others, size_t nr);
/* Joins the functions of both, in the arena. False: no memory. */
struct arena;
bool section_join(struct arena *arena, const struct section *a, const struct section *b,
		  struct section *out);

#endif
