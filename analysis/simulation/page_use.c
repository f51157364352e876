/* SPDX-License-Identifier: Apache-2.0 */
/* Maps pages of the modelled machine to pages of the program's arrays. */
#include "analysis/simulation/page_use.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/record/run.h"
#include "analysis/trace/simulation.h"
#include "analysis/trace/trace_reader.h"

struct adding {
	struct page_uses *uses;
	struct arena *arena;
	const struct trace_reader *reader;
	struct simulation_block *blocks; /* by modelled address */
	size_t nr, room;
	bool failed;
};

static void add_block(void *ctx, const struct simulation_block *block)
{
	struct adding *adding = ctx;

	if (ARENA_GROW(adding->arena, adding->blocks, adding->nr, adding->room))
		adding->blocks[adding->nr++] = *block;
	else
		adding->failed = true;
}

static int by_place(const void *a, const void *b)
{
	uint64_t left = ((const struct simulation_block *)a)->at,
		 right = ((const struct simulation_block *)b)->at;

	return (left > right) - (left < right);
}

/* The first block with bytes in the page that begins at `address`; NULL: none. */
static const struct simulation_block *block_at(const struct adding *adding, uint64_t address)
{
	size_t low = 0, high = adding->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (adding->blocks[middle].at + adding->blocks[middle].bytes > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low < adding->nr && adding->blocks[low].at < address + adding->uses->page_bytes
		       ? &adding->blocks[low]
		       : NULL;
}

static struct page_use *new_row(struct adding *adding, const struct simulation_block *block,
				uint64_t offset, uint32_t home)
{
	struct page_uses *uses = adding->uses;
	struct array_place place = { .array = block->array,
				     .offset = offset,
				     .block_bytes = block->bytes };
	uint64_t address = block->start + offset,
		 *lines = arena_alloc(adding->arena, uses->nodes * sizeof(*lines));

	if (!lines || !ARENA_GROW(adding->arena, uses->rows, uses->nr, uses->room))
		return NULL;
	trace_reader_narrow(adding->reader, address, &place);
	memset(lines, 0, uses->nodes * sizeof(*lines));
	uses->rows[uses->nr] = (struct page_use){ address, place.offset, place.array, home, lines };
	return &uses->rows[uses->nr++];
}

static void add_page(void *ctx, uint64_t address, uint32_t home, uint32_t from, uint64_t lines)
{
	struct adding *adding = ctx;
	const struct simulation_block *block = block_at(adding, address);
	uint64_t in_block = block && address > block->at ? address - block->at : 0;
	struct page_use *row;

	if (!block || from >= adding->uses->nodes)
		return;
	row = new_row(adding, block, in_block, home);
	if (row)
		row->lines[from] = lines;
	else
		adding->failed = true;
}

bool page_uses_add(struct page_uses *uses, struct arena *arena, struct simulation *simulation,
		   const struct trace_reader *reader, uint32_t nodes, uint64_t page_bytes)
{
	struct adding adding = { .uses = uses, .arena = arena, .reader = reader };

	uses->nodes = nodes;
	uses->page_bytes = page_bytes;
	simulation_each_block(simulation, add_block, &adding);
	if (adding.nr)
		sort(adding.blocks, adding.nr, sizeof(*adding.blocks), by_place);
	simulation_each_page(simulation, add_page, &adding);
	return !adding.failed;
}

static int by_array(const void *a, const void *b)
{
	const struct page_use *left = a, *right = b;

	if (left->array != right->array)
		return left->array > right->array ? 1 : -1;
	return (left->address > right->address) - (left->address < right->address);
}

static bool is_same(const struct page_use *a, const struct page_use *b)
{
	return a->address == b->address && a->array == b->array;
}

void page_uses_sort(struct page_uses *uses)
{
	size_t kept = 0;

	if (uses->nr)
		sort(uses->rows, uses->nr, sizeof(*uses->rows), by_array);
	for (size_t i = 0; i < uses->nr; i++) {
		struct page_use *last = kept ? &uses->rows[kept - 1] : NULL;

		if (!last || !is_same(last, &uses->rows[i])) {
			uses->rows[kept++] = uses->rows[i];
			continue;
		}
		for (uint32_t node = 0; node < uses->nodes; node++)
			last->lines[node] += uses->rows[i].lines[node];
	}
	uses->nr = kept;
}

uint32_t page_use_most(const struct page_uses *uses, const struct page_use *use)
{
	uint32_t most = 0;

	for (uint32_t node = 1; node < uses->nodes; node++)
		if (use->lines[node] > use->lines[most])
			most = node;
	return most;
}
