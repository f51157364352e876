/* SPDX-License-Identifier: Apache-2.0 */
/* From counts by page and region to the pages of arrays that other nodes use. */
#include "ompt_tool/session/trial_plan.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/bisect.h"
#include "analysis/base/sort.h"
#include "ompt_tool/accesses/page_counts.h"
#include "ompt_tool/arrays/array.h"

#define AT_ONCE 65536u /* pages of a block: 1.5 MiB of stretches at most */

struct counted {
	uint64_t address;
	const uint32_t *lines; /* by node */
};

struct block {
	uint64_t low, high; /* whole pages */
	uint32_t array;
};

struct planning {
	struct arena *arena; /* scratch */
	trial_plan_in_phase *in_phase;
	void *ctx;
	struct counted *counted;
	size_t nr_counted, room_counted;
	struct block *blocks;
	size_t nr_blocks, room_blocks;
	struct trial_array *arrays; /* by id */
	uint32_t nr_arrays;
	uint64_t page_bytes;
	struct page_stretches stretches; /* of a part of a block */
	bool full;
};

/* ------------------------------------------------------------------ collecting */

static void collect_counted(void *ctx, const struct page_counted *row)
{
	struct planning *planning = ctx;

	if (!planning->in_phase(planning->ctx, row->region))
		return;
	if (!ARENA_GROW(planning->arena, planning->counted, planning->nr_counted,
			planning->room_counted)) {
		planning->full = true;
		return;
	}
	planning->counted[planning->nr_counted++] = (struct counted){ row->address, row->lines };
}

static bool is_moved(const struct array *array)
{
	return array && array->kind != ARRAY_STACK && array->kind != ARRAY_THREAD_PRIVATE &&
	       array->kind != ARRAY_AUTOMATIC && !array_is_scalar(array);
}

/* Pages at the ends of a block, which it shares with others, stay where they are. */
static void collect_block(void *ctx, const struct blocks_row *row)
{
	struct planning *planning = ctx;
	uint64_t bytes = planning->page_bytes, low = (row->start + bytes - 1) / bytes * bytes,
		 high = (row->start + row->bytes) / bytes * bytes;

	if (row->died != BLOCKS_LIVE || high <= low || row->array >= planning->nr_arrays ||
	    !is_moved(array_get(row->array)))
		return;
	if (!ARENA_GROW(planning->arena, planning->blocks, planning->nr_blocks,
			planning->room_blocks)) {
		planning->full = true;
		return;
	}
	planning->blocks[planning->nr_blocks++] = (struct block){ low, high, row->array };
}

static int by_address(const void *a, const void *b)
{
	uint64_t left = ((const struct counted *)a)->address,
		 right = ((const struct counted *)b)->address;

	return (left > right) - (left < right);
}

/* A block inside of another one, as a member of a COMMON block, comes after it. */
static int by_begin(const void *a, const void *b)
{
	const struct block *left = a, *right = b;

	if (left->low != right->low)
		return left->low < right->low ? -1 : 1;
	return (left->high < right->high) - (left->high > right->high);
}

static bool collect(struct planning *planning)
{
	planning->nr_arrays = array_count();
	planning->arrays = arena_alloc(planning->arena,
				       (planning->nr_arrays + 1) * sizeof(*planning->arrays));
	if (!planning->arrays)
		return false;
	for (uint32_t i = 0; i < planning->nr_arrays; i++)
		planning->arrays[i] = (struct trial_array){ .array = i };
	page_counts_each(collect_counted, planning);
	array_blocks_each(0, collect_block, planning);
	if (planning->nr_counted)
		sort(planning->counted, planning->nr_counted, sizeof(*planning->counted),
		     by_address);
	if (planning->nr_blocks)
		sort(planning->blocks, planning->nr_blocks, sizeof(*planning->blocks), by_begin);
	return !planning->full;
}

/* ------------------------------------------------------------------ pages of a block */

/* Sums the rows of one page from *at on, and passes them. */
static uint64_t sum_page(const struct planning *planning, size_t *at, uint64_t *lines)
{
	uint64_t address = planning->counted[*at].address, all = 0;

	memset(lines, 0, PAGE_COUNTS_NODES * sizeof(*lines));
	for (; *at < planning->nr_counted && planning->counted[*at].address == address; ++*at)
		for (uint32_t node = 0; node < page_counts_nodes(); node++) {
			lines[node] += planning->counted[*at].lines[node];
			all += planning->counted[*at].lines[node];
		}
	return all;
}

static uint32_t most_of(const uint64_t *lines)
{
	uint32_t most = 0;

	for (uint32_t node = 1; node < page_counts_nodes(); node++)
		if (lines[node] > lines[most])
			most = node;
	return most;
}

static bool add_pages(struct trial_plan *plan, struct arena *arena, uint64_t page_bytes,
		      const struct trial_pages *pages)
{
	struct trial_pages *last = plan->nr_pages ? &plan->pages[plan->nr_pages - 1] : NULL;

	if (last && last->block == pages->block && last->home == pages->home &&
	    last->user == pages->user &&
	    last->address + last->pages * page_bytes == pages->address) {
		last->pages += pages->pages;
		return true;
	}
	plan->too_many = plan->nr_pages == TRIAL_PLAN_ROWS;
	if (plan->too_many || !ARENA_GROW(arena, plan->pages, plan->nr_pages, plan->room_pages))
		return false;
	plan->pages[plan->nr_pages++] = *pages;
	return true;
}

static size_t first_counted(const struct planning *planning, uint64_t address)
{
	return BISECT(i, planning->nr_counted, planning->counted[i].address < address);
}

/* The pages of one node within a block; `*user` is that of the page before. */
static bool plan_stretch(struct planning *planning, struct arena *arena, const struct block *block,
			 const struct run_stretch *stretch, size_t *at, uint32_t *user,
			 struct trial_plan *out)
{
	struct trial_array *array = &planning->arrays[block->array];
	uint64_t lines[PAGE_COUNTS_NODES], bytes = planning->page_bytes,
					   end = stretch->address + stretch->pages * bytes;

	for (uint64_t address = stretch->address; address < end;) {
		uint64_t next = *at < planning->nr_counted ? planning->counted[*at].address
							   : UINT64_MAX;
		struct trial_pages pages = { .address = address,
					     .block = block->low,
					     .array = block->array,
					     .home = stretch->node };

		if (next == address) {
			uint64_t all = sum_page(planning, at, lines);

			*user = most_of(lines);
			array->lines += all;
			array->remote += all - (stretch->node < PAGE_COUNTS_NODES
							? lines[stretch->node]
							: 0);
			next = address + bytes;
		}
		pages.user = *user;
		pages.pages = ((next < end ? next : end) - address) / bytes;
		if (!add_pages(out, arena, bytes, &pages))
			return false;
		address += pages.pages * bytes;
	}
	return true;
}

static bool plan_stretches(struct planning *planning, struct arena *arena,
			   const struct block *block, size_t *at, uint32_t *user,
			   struct trial_plan *out)
{
	for (size_t i = 0; i < planning->stretches.nr; i++) {
		const struct run_stretch *stretch = &planning->stretches.items[i];

		if (stretch->node >= RUN_NODES_MOST) {
			*at = first_counted(
				planning, stretch->address + stretch->pages * planning->page_bytes);
			continue; /* has no memory, or its node is not known */
		}
		if (!plan_stretch(planning, arena, block, stretch, at, user, out))
			return false;
	}
	return true;
}

static bool plan_block(struct planning *planning, struct arena *arena, struct page_nodes *nodes,
		       const struct block *block, struct trial_plan *out)
{
	size_t at = first_counted(planning, block->low), first = at;
	uint64_t lines[PAGE_COUNTS_NODES], high;
	uint32_t user;

	if (at == planning->nr_counted || planning->counted[at].address >= block->high)
		return true; /* not used in the phase, as far as is recorded */
	sum_page(planning, &first, lines);
	user = most_of(lines);
	for (uint64_t low = block->low; low < block->high; low = high) {
		high = low + AT_ONCE * planning->page_bytes;
		high = high < block->high ? high : block->high;
		planning->stretches.nr = 0;
		if (!page_nodes_ask(nodes, planning->arena, low, high, 1, &planning->stretches) ||
		    !plan_stretches(planning, arena, block, &at, &user, out))
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------ arrays */

/* Inserts by remote lines, descending. */
static void choose(struct trial_plan *plan, const struct trial_array *array)
{
	size_t at = plan->nr_arrays;

	if ((double)array->remote < TRIAL_PLAN_REMOTE * (double)array->lines ||
	    (double)array->remote < TRIAL_PLAN_SHARE * (double)plan->remote || !array->remote)
		return;
	while (at && plan->arrays[at - 1].remote < array->remote)
		at--;
	if (at == TRIAL_PLAN_ARRAYS)
		return;
	plan->nr_arrays += plan->nr_arrays < TRIAL_PLAN_ARRAYS;
	memmove(plan->arrays + at + 1, plan->arrays + at,
		(plan->nr_arrays - at - 1) * sizeof(*plan->arrays));
	plan->arrays[at] = *array;
}

static bool plan_all(struct planning *planning, struct arena *arena, struct page_nodes *nodes,
		     struct trial_plan *out)
{
	uint64_t done = 0;

	if (!collect(planning))
		return false;
	for (size_t i = 0; i < planning->nr_blocks; i++) {
		struct block block = planning->blocks[i];

		block.low = block.low < done ? done : block.low; /* pages are moved once */
		if (block.low >= block.high)
			continue;
		if (!plan_block(planning, arena, nodes, &block, out))
			return false;
		done = block.high;
	}
	for (uint32_t i = 0; i < planning->nr_arrays; i++) {
		out->lines += planning->arrays[i].lines;
		out->remote += planning->arrays[i].remote;
	}
	for (uint32_t i = 0; i < planning->nr_arrays; i++)
		choose(out, &planning->arrays[i]);
	return true;
}

bool trial_plan_make(struct arena *arena, struct page_nodes *nodes, trial_plan_in_phase *in_phase,
		     void *ctx, struct trial_plan *out)
{
	struct planning planning = { .arena = arena_new(),
				     .in_phase = in_phase,
				     .ctx = ctx,
				     .page_bytes = nodes->page_bytes };
	bool ok;

	*out = (struct trial_plan){ .nr_arrays = 0 };
	if (!planning.arena)
		return false;
	ok = plan_all(&planning, arena, nodes, out);
	arena_free(planning.arena);
	return ok;
}

/* ------------------------------------------------------------------ moves */

static bool has_array(const struct trial_plan *plan, uint32_t array)
{
	for (size_t i = 0; i < plan->nr_arrays; i++)
		if (plan->arrays[i].array == array)
			return true;
	return false;
}

bool trial_plan_moves(const struct trial_plan *plan, struct arena *arena, uint32_t array,
		      bool interleave, struct page_moves *out)
{
	for (size_t i = 0; i < plan->nr_pages; i++) {
		const struct trial_pages *pages = &plan->pages[i];
		const struct page_move move = {
			.address = pages->address,
			.pages = pages->pages,
			.block = pages->block,
			.from = pages->home,
			.to = interleave ? PAGE_MOVES_INTERLEAVE : pages->user,
			.array = pages->array,
		};

		if (!has_array(plan, pages->array) ||
		    (array != ARRAY_NONE && pages->array != array) || move.from == move.to)
			continue;
		if (!page_moves_add(out, arena, &move))
			return false;
	}
	return true;
}

/* Of a block that lives: the moves of its array in it. */
static void mark_alive(void *ctx, const struct blocks_row *row)
{
	struct page_moves *moves = ctx;

	for (size_t i = BISECT(k, moves->nr, moves->items[k].address < row->start);
	     row->died == BLOCKS_LIVE && i < moves->nr; i++) {
		struct page_move *move = &moves->items[i];

		if (move->address + move->pages * moves->page_bytes > row->start + row->bytes)
			break;
		move->gone &= move->array != row->array;
	}
}

uint32_t trial_plan_check(struct page_moves *moves)
{
	uint32_t gone = ARRAY_NONE;

	for (size_t i = 0; i < moves->nr; i++)
		moves->items[i].gone = true;
	array_blocks_each(0, mark_alive, moves);
	for (size_t i = 0; i < moves->nr; i++)
		if (moves->items[i].gone)
			gone = moves->items[i].array;
	return gone;
}
