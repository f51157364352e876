/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of an array, joined to ranges. */
#include "analysis/numa/page_ranges.h"

#include <math.h>
#include <stdbool.h>

#include "analysis/base/arena.h"
#include "analysis/numa/ranking.h"
#include "analysis/numa/touched_pages.h"
#include "analysis/simulation/page_use.h"

#define USER 0.1 /* of a page's lines, for a node to be one of its users */

/* Nodes that use the page; there are 64 at most. */
static uint64_t users_of(const struct page_uses *uses, const struct page_use *page)
{
	uint64_t all = 0, users = 0;

	for (uint32_t node = 0; node < uses->nodes; node++)
		all += page->lines[node];
	for (uint32_t node = 0; node < uses->nodes; node++)
		if (page->lines[node] && (double)page->lines[node] >= USER * (double)all)
			users |= 1ull << node;
	return users;
}

struct joining {
	const struct numa_ranking *ranking;
	struct arena *arena;
	struct numa_ranges *out;
	uint64_t end, users; /* of the last page: where the next begins, and its nodes */
};

static bool continues(const struct joining *joining, const struct page_use *page,
		      const struct run_touch *touch, uint64_t users)
{
	const struct numa_range *last = joining->out->nr
						? &joining->out->items[joining->out->nr - 1]
						: NULL;

	return last && last->home == page->home && last->touch == touch &&
	       joining->users == users && page->address <= joining->end &&
	       page->offset > last->offset;
}

static struct numa_range *new_range(const struct joining *joining, const struct page_use *page,
				    const struct run_touch *touch)
{
	struct numa_ranges *out = joining->out;
	uint64_t *lines = arena_alloc(joining->arena,
				      joining->ranking->uses->nodes * sizeof(*lines));

	if (!lines || out->nr == NUMA_RANGES_MOST ||
	    !ARENA_GROW(joining->arena, out->items, out->nr, out->room))
		return NULL;
	out->items[out->nr] = (struct numa_range){
		.offset = page->offset, .home = page->home, .touch = touch, .lines = lines
	};
	return &out->items[out->nr++];
}

static void add_page(struct joining *joining, const struct page_use *page,
		     const struct run_touch *touch)
{
	const struct page_uses *uses = joining->ranking->uses;
	uint64_t users = users_of(uses, page);
	struct numa_range *range = !joining->out->left_out && continues(joining, page, touch, users)
					   ? &joining->out->items[joining->out->nr - 1]
					   : new_range(joining, page, touch);

	joining->end = page->address + uses->page_bytes;
	joining->users = users;
	if (!range) {
		joining->out->left_out++;
		return;
	}
	range->pages++;
	for (uint32_t node = 0; node < uses->nodes; node++)
		range->lines[node] += page->lines[node];
}

void numa_ranges(struct arena *arena, const struct numa_ranking *ranking,
		 const struct numa_array *of, struct numa_ranges *out)
{
	struct joining joining = { ranking, arena, out, 0, 0 };

	*out = (struct numa_ranges){ 0 };
	for (size_t i = 0; i < of->nr_pages; i++) {
		const struct page_use *page = &ranking->uses->rows[of->first_page + i];

		add_page(&joining, page,
			 touched_pages_at(ranking->touched, of->array, page->address));
	}
}

double numa_node_of_thread(const struct numa_ranking *ranking, uint32_t thread)
{
	const struct run_modelled *model = &ranking->run->modelled;
	uint32_t core = model->thread_cores && thread < model->nr_thread_cores
				? model->thread_cores[thread]
				: thread;

	return model->cores && model->nodes && core < model->cores
		       ? (double)(core / (model->cores / model->nodes))
		       : NAN;
}
