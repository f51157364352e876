/* SPDX-License-Identifier: Apache-2.0 */
/* Non-temporal writes. */
#include "analysis/simulator/non_temporal.h"

#include <string.h>

#include "analysis/simulator/hierarchy.h"
#include "analysis/simulator/outer.h"
#include "analysis/simulator/tlb.h"

/* The line is in a write-combining buffer already; makes it the latest. */
static bool combines(struct core *core, uint64_t line)
{
	uint32_t at = 0;
	bool found;

	while (at < SIMULATOR_COMBINING - 1 && core->combining[at] != line + 1)
		at++;
	found = core->combining[at] == line + 1;
	memmove(&core->combining[1], &core->combining[0], at * sizeof(core->combining[0]));
	core->combining[0] = line + 1;
	return found;
}

/* Invalidates the line in all caches. True: some of it was dirty. */
static bool invalidate(struct simulator *simulator, struct core *core, uint64_t address)
{
	uint8_t dirty = 0;

	for (unsigned level = L1; level <= (simulator->defers ? simulator->last_private : L3);
	     level++)
		if (core->levels[level])
			dirty |= hierarchy_invalidate(simulator, core, level,
						      address >> simulator->coherence_shift);
	if (simulator->shared)
		dirty |= directory_write(simulator, core, address, false).dirty;
	return dirty;
}

/* Bytes of one coherence line. */
static void write_line(struct simulator *simulator, struct core *core, struct access *access,
		       uint64_t first, uint64_t last)
{
	bool alone = !combines(core, first >> simulator->coherence_shift), dirty;

	if (simulator->defers)
		outer_emit(simulator, access, OUTER_BYPASS, first, 0);
	else
		pages_node(&simulator->pages, first >> simulator->page_shift, core->node,
			   &simulator->lost);
	if (!access_aim(simulator, core, access, first))
		return;
	dirty = invalidate(simulator, core, first);
	if (dirty && simulator->defers)
		outer_emit(simulator, access, OUTER_BYPASS_DIRTY, first, 0);
	else
		access->counters->write_backs += dirty;
	access->counters->write_backs += alone;
	if (simulator->shared && !simulator->private)
		directory_written(simulator, core, first, last);
}

void non_temporal_write(struct simulator *simulator, struct core *core, struct access *access)
{
	uint64_t line_bytes = 1ull << simulator->coherence_shift, first = access->address,
		 left = access->last - access->address + 1;

	access->counters->cycles += tlb_access(simulator, core, access);
	while (left) {
		uint64_t bytes = line_bytes - (first & (line_bytes - 1));

		bytes = bytes < left ? bytes : left;
		write_line(simulator, core, access, first, first + bytes - 1);
		first += bytes;
		left -= bytes;
	}
}
