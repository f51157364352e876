/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DEBUGINFO_PRAGMA_H
#define MEMSEARCH_DEBUGINFO_PRAGMA_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/region.h"

/*
 * The last resort where debug information has no line for a construct (gcc's
 * work-sharing constructs): the source file, if it is still there and not newer
 * than the binary, has the directive. Only free or fixed form Fortran sentinels
 * and #pragma lines are known, no macros.
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

#endif
