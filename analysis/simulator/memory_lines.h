/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_MEMORY_LINES_H
#define MEMSEARCH_SIMULATOR_MEMORY_LINES_H

#include "analysis/simulator/state.h"

/* Lines that a core gets from the memory of a node, counted by page (rule 15). */

/*
 * The core gets the line at `address` from the memory of `node`, by an access or a prefetch (rule
 * 15). `index`: of its counters.
 */
static inline enum page_mark core_note_line(struct simulator *simulator, const struct core *core,
					    uint32_t index, uint64_t address, uint32_t node,
					    uint64_t *lost)
{
	if (!core->node_lines)
		return PAGE_UNSHARED;
	pages_count(&simulator->pages, address >> simulator->part_shift, core->node, lost);
	core->node_lines[(size_t)index * simulator->model.nodes + node]++;
	return pages_mark_of(&simulator->pages, address >> simulator->page_shift);
}

static inline void core_got_line(struct simulator *simulator, const struct core *core,
				 uint32_t index, struct simulator_counters *counters,
				 uint64_t address, uint32_t node, uint64_t *lost)
{
	enum page_mark mark = core_note_line(simulator, core, index, address, node, lost);

	++*(node == core->node ? &counters->dram_local : &counters->dram_remote);
	counters->shared_lines += mark == PAGE_SHARED;
	counters->split_remote += mark == PAGE_SPLIT && node != core->node;
}

static inline void core_prefetched_line(struct simulator *simulator, const struct core *core,
					uint32_t index, struct simulator_counters *counters,
					uint64_t address, uint64_t *lost)
{
	uint32_t node = core->node_lines ? pages_home(&simulator->pages,
						      address >> simulator->page_shift, core->node)
					 : 0;

	counters->dram_prefetches++;
	counters->shared_lines += core_note_line(simulator, core, index, address, node, lost) ==
				  PAGE_SHARED;
}

#endif
