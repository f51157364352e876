/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of stack samples by place of the code, and the choice of deep starters. */
#include "analysis/search/count_graph.h"

#include "analysis/base/hash.h"

#define END 0u /* of a list of positions + 1 */
#define ROOM 64

/* From keys to positions + 1, open addressing; at most half full. */
struct slot {
	uint64_t key;
	uint32_t value;
};
struct table {
	struct slot *slots;
	unsigned int bits;
	size_t nr;
};

struct place {
	uint32_t id, depth;
	uint32_t leaves, calls, callers; /* first of each list */
	uint64_t sample;                 /* the last one in which it was seen */
	/* of one choice or path */
	double count;
	uint32_t level; /* distance from its begin, plus 1 */
	bool is_taken;  /* above the threshold, not in a subgraph yet */
};

/* Samples of one place on one thread. */
struct leaf {
	uint32_t thread; /* position */
	uint32_t next;
	double samples;
};

struct call {
	uint32_t from, to;
	uint32_t next_call, next_caller;
};

struct thread {
	uint32_t id, node;
	double samples;
};

struct array {
	void *items;
	size_t nr, room;
};

struct count_graph {
	struct count_memory memory;
	struct array places, leaves, calls, threads;
	struct table place_index, leaf_index, call_index, thread_index;
	uint32_t *queue; /* positions of places; room for all */
	size_t room_queue;
	uint64_t sample; /* number of the current one */
};

/* ------------------------------------------------------------------ memory */

static void copy(void *to, const void *from, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		((char *)to)[i] = ((const char *)from)[i];
}

/* The new last item, zeroed by its user; NULL: no memory. */
static void *array_add(struct count_graph *graph, struct array *array, size_t item_bytes)
{
	if (array->nr == array->room) {
		size_t room = array->room ? 2 * array->room : ROOM;
		void *items = graph->memory.allocate(graph->memory.ctx, room * item_bytes);

		if (!items)
			return NULL;
		copy(items, array->items, array->nr * item_bytes);
		array->items = items;
		array->room = room;
	}
	return (char *)array->items + item_bytes * array->nr++;
}

static struct place *place_at(const struct count_graph *graph, uint32_t position)
{
	return (struct place *)graph->places.items + position;
}

static struct leaf *leaf_at(const struct count_graph *graph, uint32_t position)
{
	return (struct leaf *)graph->leaves.items + position;
}

static struct call *call_at(const struct count_graph *graph, uint32_t position)
{
	return (struct call *)graph->calls.items + position;
}

static struct thread *thread_at(const struct count_graph *graph, uint32_t position)
{
	return (struct thread *)graph->threads.items + position;
}

/* The slot with the key, or the free one for it. */
static struct slot *slot_of(const struct table *table, uint64_t key)
{
	uint32_t mask = (1u << table->bits) - 1, at = hash_place(key, table->bits);

	while (table->slots[at].value && table->slots[at].key != key)
		at = (at + 1) & mask;
	return &table->slots[at];
}

static bool table_reserve(struct count_graph *graph, struct table *table)
{
	struct table larger = { .bits = table->slots ? table->bits + 1 : 7, .nr = table->nr };
	size_t nr = table->slots ? (size_t)1 << table->bits : 0;

	if (table->slots && 2 * table->nr < nr)
		return true;
	larger.slots = graph->memory.allocate(graph->memory.ctx, sizeof(*larger.slots)
									 << larger.bits);
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (table->slots[i].value)
			*slot_of(&larger, table->slots[i].key) = table->slots[i];
	*table = larger;
	return true;
}

/* Its position + 1, END for a new key, which the caller sets; NULL: no memory. */
static uint32_t *table_value(struct count_graph *graph, struct table *table, uint64_t key)
{
	struct slot *slot;

	if (!table_reserve(graph, table))
		return NULL;
	slot = slot_of(table, key);
	slot->key = key;
	table->nr += slot->value == END;
	return &slot->value;
}

static uint32_t table_find(const struct table *table, uint64_t key)
{
	return table->slots ? slot_of(table, key)->value : END;
}

static void table_clear(struct table *table)
{
	for (size_t i = 0; table->slots && i < (size_t)1 << table->bits; i++)
		table->slots[i] = (struct slot){ 0 };
	table->nr = 0;
}

struct count_graph *count_graph_new(const struct count_memory *memory)
{
	struct count_graph *graph = memory->allocate(memory->ctx, sizeof(*graph));

	if (graph)
		graph->memory = *memory;
	return graph;
}

void count_graph_clear(struct count_graph *graph)
{
	graph->places.nr = graph->leaves.nr = graph->calls.nr = graph->threads.nr = 0;
	table_clear(&graph->place_index);
	table_clear(&graph->leaf_index);
	table_clear(&graph->call_index);
	table_clear(&graph->thread_index);
	graph->sample = 0;
}

/* ------------------------------------------------------------------ samples */

/* Positions + 1; END: no memory. */
static uint32_t place_get(struct count_graph *graph, uint32_t id)
{
	uint32_t *value = table_value(graph, &graph->place_index, id);
	struct place *place;

	if (!value || *value)
		return value ? *value : END;
	place = array_add(graph, &graph->places, sizeof(*place));
	if (!place)
		return END;
	*place = (struct place){ .id = id };
	return *value = (uint32_t)graph->places.nr;
}

static uint32_t thread_get(struct count_graph *graph, uint32_t id)
{
	uint32_t *value = table_value(graph, &graph->thread_index, id);
	struct thread *thread;

	if (!value || *value)
		return value ? *value : END;
	thread = array_add(graph, &graph->threads, sizeof(*thread));
	if (!thread)
		return END;
	*thread = (struct thread){ .id = id, .node = COUNT_GRAPH_NONE };
	return *value = (uint32_t)graph->threads.nr;
}

static bool count(struct count_graph *graph, uint32_t at, uint32_t thread, double samples)
{
	uint32_t *value = table_value(graph, &graph->leaf_index, (uint64_t)at << 32 | thread);
	struct leaf *leaf;

	if (!value)
		return false;
	if (!*value) {
		leaf = array_add(graph, &graph->leaves, sizeof(*leaf));
		if (!leaf)
			return false;
		*leaf = (struct leaf){ .thread = thread, .next = place_at(graph, at)->leaves };
		place_at(graph, at)->leaves = *value = (uint32_t)graph->leaves.nr;
	}
	leaf_at(graph, *value - 1)->samples += samples;
	return true;
}

static bool connect(struct count_graph *graph, uint32_t from, uint32_t to)
{
	uint32_t *value;
	struct call *call;

	if (from == to)
		return true;
	value = table_value(graph, &graph->call_index, (uint64_t)from << 32 | to);
	if (!value || *value)
		return value != NULL;
	call = array_add(graph, &graph->calls, sizeof(*call));
	if (!call)
		return false;
	*call = (struct call){ .from = from,
			       .to = to,
			       .next_call = place_at(graph, from)->calls,
			       .next_caller = place_at(graph, to)->callers };
	*value = (uint32_t)graph->calls.nr;
	place_at(graph, from)->calls = place_at(graph, to)->callers = *value;
	return true;
}

bool count_graph_add(struct count_graph *graph, const uint32_t *stack, size_t depth,
		     uint32_t thread_id, double samples)
{
	uint32_t thread = depth ? thread_get(graph, thread_id) : END, caller = END, above = 0;

	if (thread == END)
		return false;
	thread_at(graph, thread - 1)->samples += samples;
	graph->sample++;
	for (size_t i = 0; i < depth; i++) {
		uint32_t at = place_get(graph, stack[i]);
		struct place *place;

		if (at == END || (caller != END && !connect(graph, caller - 1, at - 1)))
			return false;
		caller = at;
		place = place_at(graph, at - 1);
		if (place->sample == graph->sample)
			continue;
		place->sample = graph->sample;
		place->depth = above > place->depth ? above : place->depth;
		above++;
		if (!count(graph, at - 1, thread - 1, samples))
			return false;
	}
	return true;
}

bool count_graph_bind(struct count_graph *graph, uint32_t thread_id, uint32_t node)
{
	uint32_t thread = thread_get(graph, thread_id);

	if (thread != END)
		thread_at(graph, thread - 1)->node = node;
	return thread != END;
}

/* ------------------------------------------------------------------ counts */

static bool is_in(const struct thread *thread, struct count_focus focus)
{
	return (focus.thread == COUNT_GRAPH_ANY || focus.thread == thread->id) &&
	       (focus.node == COUNT_GRAPH_ANY || focus.node == thread->node);
}

double count_graph_total(const struct count_graph *graph, struct count_focus focus)
{
	double samples = 0;

	for (uint32_t i = 0; i < graph->threads.nr; i++)
		if (is_in(thread_at(graph, i), focus))
			samples += thread_at(graph, i)->samples;
	return samples;
}

static double count_at(const struct count_graph *graph, uint32_t at, struct count_focus focus)
{
	double samples = 0;

	for (uint32_t leaf = place_at(graph, at)->leaves; leaf != END;
	     leaf = leaf_at(graph, leaf - 1)->next)
		if (is_in(thread_at(graph, leaf_at(graph, leaf - 1)->thread), focus))
			samples += leaf_at(graph, leaf - 1)->samples;
	return samples;
}

double count_graph_count(const struct count_graph *graph, uint32_t place, struct count_focus focus)
{
	uint32_t at = table_find(&graph->place_index, place);

	return at == END ? 0 : count_at(graph, at - 1, focus);
}

uint32_t count_graph_depth(const struct count_graph *graph, uint32_t place)
{
	uint32_t at = table_find(&graph->place_index, place);

	return at == END ? 0 : place_at(graph, at - 1)->depth;
}

/* ------------------------------------------------------------------ choice */

static bool queue_reserve(struct count_graph *graph)
{
	if (graph->room_queue >= graph->places.nr)
		return true;
	graph->queue = graph->memory.allocate(graph->memory.ctx,
					      graph->places.room * sizeof(*graph->queue));
	graph->room_queue = graph->queue ? graph->places.room : 0;
	return graph->queue != NULL;
}

/* Sets the levels: distance along calls plus 1; 0: not reached. */
static void reach(struct count_graph *graph, uint32_t from)
{
	size_t nr = 0;

	for (uint32_t i = 0; i < graph->places.nr; i++)
		place_at(graph, i)->level = 0;
	graph->queue[nr++] = from;
	place_at(graph, from)->level = 1;
	for (size_t i = 0; i < nr; i++) {
		const struct place *place = place_at(graph, graph->queue[i]);

		for (uint32_t call = place->calls; call != END;
		     call = call_at(graph, call - 1)->next_call) {
			uint32_t to = call_at(graph, call - 1)->to;

			if (place_at(graph, to)->level)
				continue;
			place_at(graph, to)->level = place->level + 1;
			graph->queue[nr++] = to;
		}
	}
}

/* Marks what is at or above the threshold, below what the choice names. */
static void take(struct count_graph *graph, const struct count_choice *choice, uint32_t below)
{
	double least = choice->threshold * count_graph_total(graph, choice->focus);

	if (below != END)
		reach(graph, below - 1);
	for (uint32_t i = 0; i < graph->places.nr; i++) {
		struct place *place = place_at(graph, i);

		place->count = count_at(graph, i, choice->focus);
		place->is_taken = place->count > 0 && place->count >= least &&
				  (below == END || (place->level && i != below - 1));
	}
}

static bool is_better(const struct place *place, const struct place *than)
{
	if (place->depth != than->depth)
		return place->depth > than->depth;
	if (place->count < than->count || place->count > than->count)
		return place->count > than->count;
	return place->id < than->id;
}

static void visit(struct count_graph *graph, uint32_t at, size_t *nr)
{
	if (!place_at(graph, at)->is_taken)
		return;
	place_at(graph, at)->is_taken = false;
	graph->queue[(*nr)++] = at;
}

/* The best place of the subgraph around `first`, which is visited; NULL: none is eligible. */
static const struct place *deepest(struct count_graph *graph, const struct count_choice *choice,
				   uint32_t first)
{
	const struct place *best = NULL;
	size_t nr = 0;

	visit(graph, first, &nr);
	for (size_t i = 0; i < nr; i++) {
		const struct place *place = place_at(graph, graph->queue[i]);

		for (uint32_t call = place->calls; call != END;
		     call = call_at(graph, call - 1)->next_call)
			visit(graph, call_at(graph, call - 1)->to, &nr);
		for (uint32_t call = place->callers; call != END;
		     call = call_at(graph, call - 1)->next_caller)
			visit(graph, call_at(graph, call - 1)->from, &nr);
		if ((!best || is_better(place, best)) &&
		    (!choice->is_eligible || choice->is_eligible(choice->ctx, place->id)))
			best = place;
	}
	return best;
}

size_t count_graph_choose(struct count_graph *graph, const struct count_choice *choice,
			  uint32_t *out, size_t room)
{
	uint32_t below = END;
	size_t nr = 0;

	if (choice->below != COUNT_GRAPH_NONE) {
		below = table_find(&graph->place_index, choice->below);
		if (below == END)
			return 0;
	}
	if (!queue_reserve(graph))
		return 0;
	take(graph, choice, below);
	for (uint32_t i = 0; i < graph->places.nr; i++) {
		const struct place *best = place_at(graph, i)->is_taken ? deepest(graph, choice, i)
									: NULL;

		if (best && nr < room)
			out[nr] = best->id;
		nr += best != NULL;
	}
	return nr;
}

/* The caller one level nearer to the begin, with most samples. */
static uint32_t caller_of(const struct count_graph *graph, uint32_t at)
{
	const struct count_focus all = { COUNT_GRAPH_ANY, COUNT_GRAPH_ANY };
	const struct place *place = place_at(graph, at);
	uint32_t best = END;
	double most = 0;

	for (uint32_t call = place->callers; call != END;
	     call = call_at(graph, call - 1)->next_caller) {
		uint32_t from = call_at(graph, call - 1)->from;
		double samples;

		if (place_at(graph, from)->level + 1 != place->level)
			continue;
		samples = count_at(graph, from, all);
		if (best == END || samples > most ||
		    (samples >= most && place_at(graph, from)->id < place_at(graph, best - 1)->id))
			best = from + 1, most = samples;
	}
	return best - 1; /* reach() came from one */
}

size_t count_graph_path(struct count_graph *graph, uint32_t from, uint32_t to, uint32_t *out,
			size_t room)
{
	uint32_t begin = table_find(&graph->place_index, from),
		 at = table_find(&graph->place_index, to);
	size_t nr;

	if (begin == END || at == END || !queue_reserve(graph))
		return 0;
	reach(graph, begin - 1);
	if (place_at(graph, at - 1)->level < 3)
		return 0;
	nr = place_at(graph, at - 1)->level - 2;
	at--;
	for (size_t i = nr; i-- > 0;) {
		at = caller_of(graph, at);
		if (i < room)
			out[i] = place_at(graph, at)->id;
	}
	return nr;
}
