/* SPDX-License-Identifier: Apache-2.0 */
/* Moves pages in batches, and verifies where they are. */
#include "ompt_tool/placement/page_moves.h"

#include <errno.h>
#include <linux/mempolicy.h>

#include "analysis/base/arena.h"

#define BATCH 1024 /* pages a call */

struct batch {
	struct page_moves *moves;
	size_t nr;
	uint64_t elsewhere; /* pages on another node after the move */
	void *pages[BATCH];
	int nodes[BATCH], status[BATCH];
};

bool page_moves_add(struct page_moves *moves, struct arena *arena, const struct page_move *move)
{
	struct page_move *last = moves->nr ? &moves->items[moves->nr - 1] : NULL;

	if (last && last->from == move->from && last->to == move->to &&
	    last->block == move->block &&
	    last->address + last->pages * moves->page_bytes == move->address) {
		last->pages += move->pages;
		return true;
	}
	if (!ARENA_GROW(arena, moves->items, moves->nr, moves->room))
		return false;
	moves->items[moves->nr++] = *move;
	return true;
}

static uint32_t target(const struct page_moves *moves, const struct page_move *move,
		       uint64_t address)
{
	if (move->to != PAGE_MOVES_INTERLEAVE)
		return move->to;
	return moves->nodes[address / moves->page_bytes % moves->nr_nodes];
}

uint64_t page_moves_pages(const struct page_moves *moves)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < moves->nr; i++) {
		const struct page_move *move = &moves->items[i];

		if (move->to != PAGE_MOVES_INTERLEAVE) {
			pages += move->pages;
			continue;
		}
		for (uint64_t k = 0; k < move->pages; k++)
			pages += target(moves, move, move->address + k * moves->page_bytes) !=
				 move->from;
	}
	return pages;
}

/*
 * Status of single pages says little (the pages of a huge page move with its first one, the others
 * report EBUSY): the pages are queried afterwards. ENOENT: no page of the batch had to be moved.
 */
static void move(struct batch *batch, bool tries)
{
	struct page_moves *moves = batch->moves;

	if (!batch->nr)
		return;
	for (size_t i = 0; i < batch->nr; i++)
		batch->status[i] = -EIO; /* stays if the kernel does not set it */
	if (tries &&
	    moves->move_pages(0, batch->nr, batch->pages, batch->nodes, batch->status,
			      MPOL_MF_MOVE) < 0 &&
	    errno != ENOENT)
		moves->error = errno ? errno : EIO;
	if (moves->move_pages(0, batch->nr, batch->pages, NULL, batch->status, 0) < 0) {
		moves->error = errno ? errno : EIO;
		batch->elsewhere += batch->nr; /* not known: said to be */
	} else {
		for (size_t i = 0; i < batch->nr; i++)
			batch->elsewhere += batch->status[i] >= 0 &&
					    batch->status[i] != batch->nodes[i];
	}
	batch->nr = 0;
}

uint64_t page_moves_apply(struct page_moves *moves, bool back)
{
	struct batch batch = { .moves = moves };

	moves->error = 0;
	for (size_t i = 0; i < moves->nr; i++) {
		const struct page_move *each = &moves->items[i];

		for (uint64_t k = 0; k < each->pages && !each->gone; k++) {
			uint64_t address = each->address + k * moves->page_bytes;

			batch.pages[batch.nr] = (void *)(uintptr_t)address;
			batch.nodes[batch.nr++] = (int)(back ? each->from
							     : target(moves, each, address));
			if (batch.nr == BATCH)
				move(&batch, back || !moves->error);
		}
	}
	move(&batch, back || !moves->error);
	return batch.elsewhere;
}
