/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the nodes of an array's pages at two times. */
#include "analysis/record/run_placement.h"

uint64_t run_placement_moved(const struct run_placement *before, const struct run_placement *after,
			     uint64_t page_bytes, uint64_t *both_out)
{
	uint64_t both = 0, moved = 0;

	for (size_t i = 0, k = 0; before->every == after->every && i < before->nr_stretches &&
				  k < after->nr_stretches;) {
		const struct run_stretch *a = &before->stretches[i], *b = &after->stretches[k];
		uint64_t a_end = a->address + a->pages * page_bytes,
			 b_end = b->address + b->pages * page_bytes;
		uint64_t low = a->address > b->address ? a->address : b->address,
			 high = a_end < b_end ? a_end : b_end;

		if (high > low && a->node < RUN_NODES_MOST && b->node < RUN_NODES_MOST) {
			both += high - low;
			moved += a->node != b->node ? high - low : 0;
		}
		i += a_end <= b_end;
		k += b_end <= a_end;
	}
	*both_out = both / page_bytes;
	return moved / page_bytes;
}

double run_placement_returns(const struct run_placement *first, const struct run_placement *last,
			     uint64_t page_bytes)
{
	uint64_t both, placed = 0, moved = run_placement_moved(first, last, page_bytes, &both);

	for (size_t i = 0; i < last->nr_stretches; i++)
		placed += last->stretches[i].node < RUN_NODES_MOST ? last->stretches[i].pages : 0;
	if (last->queries < 2 || !placed)
		return -1;
	return last->moves > moved ? (double)(last->moves - moved) / (double)placed : 0;
}
