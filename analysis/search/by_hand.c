/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what a strategy proposes, and lists what a person may choose from. */
#include "analysis/search/by_hand.h"

#include "analysis/base/arena.h"
#include "analysis/search/bricks.h"
#include "analysis/search/engine.h"
#include "memsearch/region.h"

#define PROPOSED_MAX 1000000 /* a strategy may propose without end, or count wrongly */

struct by_hand {
	struct arena *arena;
	const struct ms_strategy *strategy;
	void *state; /* of that strategy */
	const struct ms_host *host;
	struct ms_strategy own;
	/* proposed so far */
	struct ms_candidate *proposed;
	size_t nr_proposed, room_proposed;
};

static struct by_hand *now; /* whose strategy it is */

/* ------------------------------------------------------------------ a strategy that waits */

static bool is_same(const struct ms_candidate *a, const struct ms_candidate *b)
{
	return a->property == b->property && a->region == b->region && a->thread == b->thread &&
	       a->interval == b->interval;
}

static bool is_among(const struct ms_candidate *items, size_t nr, const struct ms_candidate *other)
{
	for (size_t i = 0; i < nr; i++)
		if (is_same(&items[i], other))
			return true;
	return false;
}

static void propose(struct by_hand *by_hand, const struct ms_candidate *candidate)
{
	if (!is_among(by_hand->proposed, by_hand->nr_proposed, candidate) &&
	    ARENA_GROW(by_hand->arena, by_hand->proposed, by_hand->nr_proposed,
		       by_hand->room_proposed))
		by_hand->proposed[by_hand->nr_proposed++] = *candidate;
}

/* `proven` NULL: the initial candidates. Returns how many there are. */
static size_t call(const struct by_hand *by_hand, const uint32_t *proven, size_t nr_proven,
		   struct ms_candidate *out, size_t room)
{
	return proven ? by_hand->strategy->refine(by_hand->state, by_hand->host, proven, nr_proven,
						  out, room)
		      : by_hand->strategy->initial(by_hand->state, by_hand->host, out, room);
}

/* As the engine calls it: once more with enough room. */
static void ask_strategy(struct by_hand *by_hand, const uint32_t *proven, size_t nr_proven)
{
	size_t room = 64, nr;
	struct ms_candidate *items = arena_alloc(by_hand->arena, room * sizeof(*items));

	nr = items ? call(by_hand, proven, nr_proven, items, room) : 0;
	if (nr > PROPOSED_MAX)
		nr = room;
	if (nr > room) {
		room = nr;
		items = arena_alloc(by_hand->arena, room * sizeof(*items));
		nr = items ? call(by_hand, proven, nr_proven, items, room) : 0;
	}
	for (size_t i = 0; i < nr && i < room; i++)
		propose(by_hand, &items[i]);
}

static void *init(const struct ms_host *host)
{
	now->host = host;
	now->state = now->strategy->init ? now->strategy->init(host) : NULL;
	return now;
}

static size_t initial(void *state, const struct ms_host *host, struct ms_candidate *out,
		      size_t room)
{
	(void)host, (void)out, (void)room;
	ask_strategy(state, NULL, 0);
	return 0;
}

static size_t refine(void *state, const struct ms_host *host, const uint32_t *proven,
		     size_t nr_proven, struct ms_candidate *out, size_t room)
{
	static const uint32_t none;

	(void)host, (void)out, (void)room;
	ask_strategy(state, nr_proven ? proven : &none, nr_proven);
	return 0;
}

static void fini(void *state)
{
	const struct by_hand *by_hand = state;

	if (by_hand->strategy->fini)
		by_hand->strategy->fini(by_hand->state);
}

struct by_hand *by_hand_new(struct arena *arena, const struct ms_strategy *strategy)
{
	struct by_hand *by_hand = arena_alloc(arena, sizeof(*by_hand));

	if (!by_hand)
		return NULL;
	*by_hand = (struct by_hand){ .arena = arena, .strategy = strategy, .own = *strategy };
	by_hand->own.init = init;
	by_hand->own.initial = initial;
	by_hand->own.refine = refine;
	by_hand->own.fini = fini;
	return now = by_hand;
}

const struct ms_strategy *by_hand_strategy(const struct by_hand *by_hand)
{
	return &by_hand->own;
}

/* ------------------------------------------------------------------ what there is to choose */

/* Roots of the why-axis, and below each true node one step along every axis. */
static void refine_all(const struct ms_host *host, struct brick_output *out)
{
	struct ms_candidate true_one;

	brick_initial(host, out);
	for (uint32_t node = 0; host->node_candidate(host->ctx, node, &true_one); node++) {
		if (host->node_state(host->ctx, node) != MS_NODE_TRUE)
			continue;
		brick_specific_set(host, node, &true_one, out);
		brick_subregion_set(host, node, &true_one, out);
		brick_specific_subregion_set(host, node, &true_one, out);
		brick_data_structure_set(host, node, &true_one, out);
		if (true_one.thread == MS_REQUEST_ALL_THREADS)
			brick_thread_set(host, node, &true_one, out);
	}
}

static enum by_hand_axis axis_of(const struct by_hand *by_hand,
				 const struct ms_candidate *candidate)
{
	struct ms_candidate parent;
	struct ms_region_info region;

	if (candidate->thread != MS_REQUEST_ALL_THREADS)
		return BY_HAND_THREADS;
	if (!by_hand->host->node_candidate(by_hand->host->ctx, candidate->parent, &parent) ||
	    parent.region == candidate->region ||
	    !by_hand->host->region_info(by_hand->host->ctx, candidate->region, &region))
		return BY_HAND_WHY;
	return region.kind == MS_DATA_STRUCTURE ? BY_HAND_DATA : BY_HAND_CODE;
}

static bool is_node(const struct by_hand *by_hand, const struct ms_candidate *candidate)
{
	return by_hand->host->node_find(by_hand->host->ctx, candidate->property, candidate->region,
					candidate->thread, candidate->interval) != MS_NODE_NONE;
}

/* The strategy's proposals first, with its priorities; then the others. */
static size_t gather(struct by_hand *by_hand, struct ms_candidate **out)
{
	struct brick_output all = { NULL, 0, 0 };
	size_t nr = 0;

	refine_all(by_hand->host, &all);
	all.room = all.nr;
	all.items = arena_alloc(by_hand->arena, (all.room + 1) * sizeof(*all.items));
	*out = arena_alloc(by_hand->arena, (all.nr + by_hand->nr_proposed + 1) * sizeof(**out));
	if (!all.items || !*out)
		return SIZE_MAX;
	all.nr = 0;
	refine_all(by_hand->host, &all);
	for (size_t i = 0; i < by_hand->nr_proposed; i++)
		if (!is_node(by_hand, &by_hand->proposed[i]))
			(*out)[nr++] = by_hand->proposed[i];
	for (size_t i = 0; i < all.nr; i++)
		if (!is_among(*out, nr, &all.items[i]))
			(*out)[nr++] = all.items[i];
	return nr;
}

size_t by_hand_list(struct by_hand *by_hand, const struct engine *engine, unsigned int axes,
		    const struct by_hand_candidate **out)
{
	struct ms_candidate *candidates;
	size_t nr = gather(by_hand, &candidates), listed = 0;
	struct by_hand_candidate *items = nr < SIZE_MAX ? arena_alloc(by_hand->arena,
								      (nr + 1) * sizeof(*items))
							: NULL;

	if (!items || !engine_order(engine, candidates, nr))
		return SIZE_MAX;
	for (size_t i = 0; i < nr; i++) {
		struct by_hand_candidate item = {
			.candidate = candidates[i],
			.axis = axis_of(by_hand, &candidates[i]),
			.proposed = is_among(by_hand->proposed, by_hand->nr_proposed,
					     &candidates[i]),
			.hinted = engine_is_hinted(engine, &candidates[i]),
		};

		if ((item.axis & axes || (item.proposed && axes & BY_HAND_PROPOSED)) &&
		    engine_can_test(engine, &item.candidate))
			items[listed++] = item;
	}
	*out = items;
	return listed;
}
