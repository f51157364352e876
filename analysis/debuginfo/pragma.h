/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_PRAGMA_H
#define MEMSEARCH_DEBUGINFO_PRAGMA_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/region.h"

/*
 * Fallback where debug information has no line for a construct (gcc's work-sharing constructs):
 * finds the directive in the source file, if that exists and is not newer than the binary.
 * Recognises #pragma lines and Fortran sentinels of both source forms; macros are not expanded.
 */
struct arena;
struct pragmas; /* sources read so far */

struct pragmas *pragmas_new(struct arena *arena);

/*
 * Line of the directive of that kind in lines [low, high] of the file. Among several:
 * the first behind line `after`. 0: none found, or the file cannot be trusted.
 * *unique_out: it was the only one.
 */
int pragmas_find(struct pragmas *pragmas, const char *path, int64_t binary_modified,
		 enum ms_region_kind kind, int low, int high, int after, bool *unique_out);

/*
 * Fortran: line of the innermost construct of that kind that is open at `line`: it begins there or
 * before, and its END directive, if there is one, does not stand before. 0: none, or the file cannot
 * be trusted.
 */
int pragmas_open_at(struct pragmas *pragmas, const char *path, int64_t binary_modified,
		    enum ms_region_kind kind, int line);

#endif
