/* SPDX-License-Identifier: Apache-2.0 */
/* Pages by node, written and read; equal neighbours are one row. */
#include "analysis/simulation/page_use_coding.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/machine/model.h"
#include "analysis/record/coding.h"
#include "analysis/simulation/page_use.h"

#define ROWS_MOST (1u << 26) /* more are not kept */

/* ------------------------------------------------------------------ writing */

/* It is the page after the other, and equal otherwise. */
static bool continues(const struct page_uses *uses, const struct page_use *page,
		      const struct page_use *before)
{
	return page->array == before->array && page->home == before->home &&
	       page->address == before->address + uses->page_bytes &&
	       page->offset == before->offset + uses->page_bytes &&
	       !memcmp(page->lines, before->lines, uses->nodes * sizeof(*page->lines));
}

void page_uses_put(struct buffer *buffer, const struct page_uses *uses)
{
	bool is_kept = uses && uses->nodes && uses->nr <= ROWS_MOST;

	put_varint(buffer, is_kept ? uses->nodes : 0);
	if (!is_kept)
		return;
	put_varint(buffer, uses->page_bytes);
	put_varint(buffer, uses->nr);
	for (size_t i = 0, end; i < uses->nr; i = end) {
		const struct page_use *page = &uses->rows[i];

		for (end = i + 1;
		     end < uses->nr && continues(uses, &uses->rows[end], &uses->rows[end - 1]);)
			end++;
		put_varint(buffer, page->array);
		put_varint(buffer, page->address);
		put_varint(buffer, page->offset);
		put_varint(buffer, page->home);
		for (uint32_t node = 0; node < uses->nodes; node++)
			put_varint(buffer, page->lines[node]);
		put_varint(buffer, end - i - 1);
	}
}

/* ------------------------------------------------------------------ reading */

/* `nr` rows. */
static bool add_rows(struct page_uses *uses, struct arena *arena, const struct page_use *first,
		     uint64_t nr)
{
	for (uint64_t i = 0; i < nr; i++) {
		if (!ARENA_GROW(arena, uses->rows, uses->nr, uses->room))
			return false;
		uses->rows[uses->nr] = *first;
		uses->rows[uses->nr].address += i * uses->page_bytes;
		uses->rows[uses->nr++].offset += i * uses->page_bytes;
	}
	return true;
}

/* Rows that continue another have its lines, which are not changed any more. */
static bool get_row(struct cursor *from, struct arena *arena, struct page_uses *uses, uint64_t left)
{
	struct page_use page = { .lines = arena_alloc(arena, uses->nodes * sizeof(*page.lines)) };
	uint64_t array = get_varint(from), home, nr;

	page.address = get_varint(from);
	page.offset = get_varint(from);
	home = get_varint(from);
	for (uint32_t node = 0; page.lines && node < uses->nodes; node++)
		page.lines[node] = get_varint(from);
	nr = get_varint(from);
	if (from->bad || !page.lines || array > UINT32_MAX || home >= uses->nodes || nr >= left)
		return false;
	page.array = (uint32_t)array;
	page.home = (uint32_t)home;
	return add_rows(uses, arena, &page, nr + 1);
}

bool page_uses_get(struct cursor *from, struct arena *arena, struct page_uses *out)
{
	uint64_t nodes = get_varint(from), page_bytes = nodes ? get_varint(from) : 0,
		 nr = nodes ? get_varint(from) : 0;

	*out = (struct page_uses){ .nodes = (uint32_t)nodes, .page_bytes = page_bytes };
	if (from->bad || nodes > MODEL_NODES || nr > ROWS_MOST || (nodes && !page_bytes))
		return false;
	while (out->nr < nr)
		if (!get_row(from, arena, out, nr - out->nr))
			return false;
	return true;
}
