/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_SINGLE_ENDS_H
#define MEMSEARCH_RECORDING_SINGLE_ENDS_H

#include "ompt_tool/regions/region_table.h"

/*
 * gcc compiles the end of a single construct inline. The next event of the thread shows it where it
 * comes next in the code: the construct's own barrier, or the end of the parallel region:
 *
 *     call GOMP_single_start
 *     test %al,%al                  cmp $1,%al …
 *     jne  body                     or `je` to what follows
 *     call GOMP_barrier             or ret, in the region's own function
 *
 * With `nowait`, what follows up to the next event is another construct's, often a static loop:
 * such a construct is not measured, what its threads do is its parent's.
 */

/* Examines the single constructs that are new. The initial thread at a phase boundary. */
void single_ends_find(struct region_table *regions);

#endif
