/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_REGIONS_REGION_LOOPS_H
#define MEMSEARCH_REGIONS_REGION_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt_tool/regions/region_table.h"

/* Static loops of parallel regions, for which a runtime may have no events (static_loops.h). */

/*
 * The static loop that a parallel region begins with, or that a DO_REGION is; 0: unknown. `region`
 * may be NULL.
 */
static inline uint32_t region_static_loop(const struct region *region)
{
	return region ? __atomic_load_n(&region->static_loop, __ATOMIC_ACQUIRE) : 0;
}

/*
 * Notes a static loop at the begin of the parallel region, or else after a barrier that has its
 * address. `loop` may be MS_REGION_NONE: the table is full.
 */
void region_note_static_loop(struct region_table *table, struct region *region, uint32_t loop,
			     bool at_begin);

/*
 * Notes that a thread may reach this barrier, or (0) the end of the parallel region, after the
 * static loop without another one in between: a thread that arrives at another place has not
 * executed the loop. Before region_note_static_loop.
 */
void region_note_loop_end(struct region_table *table, uint32_t loop, uint64_t barrier);
bool region_loop_may_end(const struct region_table *table, uint32_t loop, uint64_t barrier);

/*
 * The static loop after a barrier of the parallel region with this return address; 0: unknown.
 * `region` may be NULL.
 */
static inline uint32_t region_loop_behind(const struct region_table *table,
					  const struct region *region, uint64_t barrier)
{
	uint32_t loop = MS_REGION_NONE;

	if (region && __atomic_load_n(&region->loops_behind_barriers, __ATOMIC_ACQUIRE))
		loop = region_table_find(table, MS_DO_REGION, barrier, region->id);
	return loop == MS_REGION_NONE ? 0 : loop;
}

#endif
