/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_SECTION_H
#define MEMSEARCH_CLONES_SECTION_H

#include "ompt_tool/clones/bytes.h"

/*
 * How sections of unwind records lie one behind the other:
 *
 *     CIE FDE FDE CIE FDE … 0 1 │ FDE … 0 1 │ FDE … 0 0 │ LSDAs
 *
 * A word 0 in the place of a record's length ends a section, as unwinders want it; the word behind it says whether another one
 * follows. FDEs may belong to the CIE of an earlier section.
 */
void section_end(struct packing *out, bool more);

struct section { const unsigned char *records; uintptr_t start, end; };  /* code of its functions is in [start, end) */

/* The section at `at`; where the next one is; NULL: it was the last. */
const unsigned char *section_read(const unsigned char *at, struct section *out);

/* The next FDE at or behind `record`; NULL: the section ends. Go on at section_behind of it. */
const unsigned char *section_fde(const unsigned char *record);
const unsigned char *section_behind(const unsigned char *record);

#endif
