/* SPDX-License-Identifier: Apache-2.0 */
/* Which node a page is on: where it was placed, in turns, or where it was accessed first. */
#include "ompt_tool/simulator/pages.h"

void pages_init(struct pages *pages, uint32_t nodes, bool interleave, size_t *budget)
{
	lookup_init(&pages->homes, sizeof(struct page_home), budget);
	pages->nodes = nodes;
	pages->interleave = interleave;
}

bool pages_place(struct pages *pages, struct arena *arena, uint64_t first, uint64_t last, uint32_t node)
{
	struct placement *latest = pages->nr ? &pages->placements[pages->nr - 1] : NULL;

	if (latest && latest->node == node && latest->last + 1 == first) {
		latest->last = last;
		return true;
	}
	if (!ARENA_GROW(arena, pages->placements, pages->nr, pages->room))
		return false;
	pages->placements[pages->nr++] = (struct placement){ first, last, node };
	return true;
}

static uint32_t first_node(const struct pages *pages, uint64_t page, uint32_t from)
{
	for (size_t at = pages->nr; at-- > 0;)
		if (page >= pages->placements[at].first && page <= pages->placements[at].last)
			return pages->placements[at].node;
	return pages->interleave ? (uint32_t)(page % pages->nodes) : from;
}

uint32_t pages_look_up(struct pages *pages, uint64_t page, uint32_t from, uint64_t *lost)
{
	struct page_home *home = lookup_find(&pages->homes, page);

	if (!home) {
		home = lookup_add(&pages->homes, page);
		if (!home) {
			++*lost;
			return first_node(pages, page, from);
		}
		home->node = first_node(pages, page, from);
	}
	pages->recent[page % PAGES_RECENT].page = page + 1;
	pages->recent[page % PAGES_RECENT].node = (uint32_t)home->node;
	return (uint32_t)home->node;
}
