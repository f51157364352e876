/* SPDX-License-Identifier: Apache-2.0 */
/* The node of a page: explicitly placed, interleaved, or by first access. */
#include "analysis/simulator/pages.h"

#include <string.h>

void pages_init(struct pages *pages, uint32_t nodes, bool interleave, unsigned parts,
		size_t *budget)
{
	lookup_init(&pages->homes, sizeof(struct page_home), budget);
	lookup_init(&pages->lines, sizeof(struct page_lines), NULL);
	pages->nodes = nodes;
	pages->interleave = interleave;
	pages->part_shift = parts;
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
	pages->recent[hash_place(page, PAGES_RECENT_BITS)].mark = home->mark;
	return home->node == SIMULATOR_EVERYWHERE ? from : home->node;
}

uint32_t pages_home(const struct pages *pages, uint64_t page, uint32_t from)
{
	const struct page_home *home = lookup_find(&pages->homes, page);

	if (!home)
		return first_node(pages, page, from);
	return home->node == SIMULATOR_EVERYWHERE ? from : home->node;
}

enum page_mark pages_mark_of(const struct pages *pages, uint64_t page)
{
	const struct page_home *home;

	if (pages->recent[hash_place(page, PAGES_RECENT_BITS)].page == page + 1)
		return pages->recent[hash_place(page, PAGES_RECENT_BITS)].mark;
	home = lookup_find(&pages->homes, page);
	return home ? home->mark : PAGE_UNSHARED;
}

void pages_count(struct pages *pages, uint64_t part, uint32_t from, uint64_t *lost)
{
	struct page_lines *row = lookup_find(&pages->lines, part * pages->nodes + from);

	if (!row)
		row = lookup_add(&pages->lines, part * pages->nodes + from);
	if (row)
		row->lines++;
	else
		++*lost;
}

/* All lines, and those that the node with most of them has. */
struct shares {
	uint64_t all, most;
};

static bool is_one_nodes(struct shares of)
{
	return (double)of.most >= SIMULATOR_OWN * (double)of.all;
}

/* Adds the lines of a part, by node. */
static struct shares part_lines(const struct pages *pages, uint64_t part, uint64_t *lines)
{
	struct shares of = { 0 };

	for (uint32_t node = 0; node < pages->nodes; node++) {
		const struct page_lines *row = lookup_find(&pages->lines,
							   part * pages->nodes + node);
		uint64_t from_node = row ? row->lines : 0;

		lines[node] += from_node;
		of.all += from_node;
		of.most = from_node > of.most ? from_node : of.most;
	}
	return of;
}

static void mark(const struct pages *pages, struct page_home *home)
{
	uint64_t page = lookup_key(home), lines[MODEL_NODES] = { 0 }, in_own_parts = 0;
	struct shares of = { 0 };

	for (uint64_t i = 0; i < 1ull << pages->part_shift; i++) {
		struct shares part = part_lines(pages, (page << pages->part_shift) + i, lines);

		in_own_parts += is_one_nodes(part) ? part.all : 0;
		of.all += part.all;
	}
	for (uint32_t node = 0; node < pages->nodes; node++)
		of.most = lines[node] > of.most ? lines[node] : of.most;
	if (!of.all)
		return;
	if (is_one_nodes(of))
		home->mark = PAGE_UNSHARED;
	else
		home->mark = is_one_nodes((struct shares){ of.all, in_own_parts }) ? PAGE_SPLIT
										   : PAGE_SHARED;
}

void pages_mark(struct pages *pages)
{
	for (size_t at = 0; pages->counts && at < pages->homes.room; at++) {
		struct page_home *home = lookup_row(&pages->homes, at);

		if (home->key)
			mark(pages, home);
	}
	memset(pages->recent, 0, sizeof(pages->recent));
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
		uint64_t page = row->key ? lookup_key(row) / pages->nodes >> pages->part_shift : 0;
		const struct page_home *home = row->key && row->lines
						       ? lookup_find(&pages->homes, page)
						       : NULL;

		uint32_t from = row->key ? (uint32_t)(lookup_key(row) % pages->nodes) : 0;

		if (home)
			visit(ctx, page, home->node == SIMULATOR_EVERYWHERE ? from : home->node,
			      from, row->lines);
	}
}
