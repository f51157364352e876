/* SPDX-License-Identifier: Apache-2.0 */
/* The node of a page: explicitly placed, interleaved, or by first access. */
#include "analysis/simulator/pages.h"

void pages_init(struct pages *pages, uint32_t nodes, bool interleave, size_t *budget)
{
	lookup_init(&pages->homes, sizeof(struct page_home), budget);
	lookup_init(&pages->lines, sizeof(struct page_lines), NULL);
	pages->nodes = nodes;
	pages->interleave = interleave;
}

void pages_place(struct pages *pages, uint64_t first, uint64_t last, uint32_t node, uint64_t *lost)
{
	for (uint64_t page = first; page <= last; page++) {
		struct page_home *home = lookup_find(&pages->homes, page);

		if (!home)
			home = lookup_add(&pages->homes, page);
		if (!home)
			++*lost;
		else if (!home->accessed)
			home->node = node;
	}
}

static uint32_t first_node(const struct pages *pages, uint64_t page, uint32_t from)
{
	return pages->interleave ? (uint32_t)(page % pages->nodes) : from;
}

uint32_t pages_look_up(struct pages *pages, uint64_t page, uint32_t from, uint64_t *lost)
{
	struct page_home *home = lookup_find(&pages->homes, page);
	bool placed = home != NULL;

	if (!home) {
		home = lookup_add(&pages->homes, page);
		if (!home) {
			++*lost;
			return first_node(pages, page, from);
		}
		home->node = first_node(pages, page, from);
	}
	if (!home->accessed) {
		home->accessed = true;
		pages->accessed++;
		pages->placed += placed;
	}
	pages->recent[hash_place(page, PAGES_RECENT_BITS)].page = page + 1;
	pages->recent[hash_place(page, PAGES_RECENT_BITS)].node = home->node;
	return home->node == SIMULATOR_EVERYWHERE ? from : home->node;
}

void pages_count(struct pages *pages, uint64_t page, uint32_t from, uint64_t *lost)
{
	struct page_lines *row = lookup_find(&pages->lines, page * pages->nodes + from);

	if (!row)
		row = lookup_add(&pages->lines, page * pages->nodes + from);
	if (row)
		row->lines++;
	else
		++*lost;
}

void pages_clear(struct pages *pages)
{
	for (size_t at = 0; at < pages->lines.room; at++)
		((struct page_lines *)lookup_row(&pages->lines, at))->lines = 0;
}

void pages_release(struct pages *pages)
{
	lookup_release(&pages->homes);
	lookup_release(&pages->lines);
}

void pages_each(const struct pages *pages,
		void (*visit)(void *ctx, uint64_t page, uint32_t home, uint32_t from,
			      uint64_t lines),
		void *ctx)
{
	for (size_t at = 0; at < pages->lines.room; at++) {
		const struct page_lines *row = lookup_row(&pages->lines, at);
		uint64_t page = row->key ? lookup_key(row) / pages->nodes : 0;
		const struct page_home *home = row->key && row->lines
						       ? lookup_find(&pages->homes, page)
						       : NULL;

		uint32_t from = row->key ? (uint32_t)(lookup_key(row) % pages->nodes) : 0;

		if (home)
			visit(ctx, page, home->node == SIMULATOR_EVERYWHERE ? from : home->node,
			      from, row->lines);
	}
}
