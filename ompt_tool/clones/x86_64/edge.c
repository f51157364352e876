/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code on edges between blocks: loops are entered, continued and left, the cursor is moved to a
 * register and back.
 */
#ifdef __x86_64__
#include "ompt_tool/clones/x86_64/emission.h"
#include "ompt_tool/clones/x86_64/flow.h"

void edge_lend(struct emission *e, uint8_t to)
{
	struct operand cursor = emission_cursor();

	encode_load(&e->out, to, &cursor);
	encode_store_value(&e->out, &cursor, BUFFER_LENT);
}

void edge_store(struct emission *e, uint8_t from)
{
	struct operand cursor = emission_cursor();

	encode_store(&e->out, &cursor, from);
}

static uint32_t loop_of(const struct emission *e, uint32_t block)
{
	return block == GRAPH_NONE || !(e->request->probes & CLONE_LOOPS)
		       ? GRAPH_NONE
		       : e->request->graph->blocks[block].loop;
}

static void leave_loops(struct emission *e, uint32_t from, uint32_t to)
{
	const struct graph *graph = e->request->graph;

	for (uint32_t loop = loop_of(e, from); loop != GRAPH_NONE;
	     loop = graph->loops[loop].parent) {
		bool leaves = to == GRAPH_NONE || plan_leaves(graph, loop, from, to);

		if (plan_has_iterations(e->request->probes) &&
		    (leaves || plan_goes_back(graph, loop, from, to)))
			window_event(e, RECORD_ITERATION_END, e->request->first_loop + loop);
		if (leaves)
			window_event(e, RECORD_LOOP_EXIT, e->request->first_loop + loop);
	}
}

/* Outer loops first. */
static void enter_loops(struct emission *e, uint32_t loop, uint32_t from, uint32_t to)
{
	if (loop == GRAPH_NONE)
		return;
	enter_loops(e, e->request->graph->loops[loop].parent, from, to);
	if (plan_enters(e->request->graph, loop, from, to))
		window_event(e, RECORD_LOOP_ENTRY, e->request->first_loop + loop);
}

static bool has_events(const struct emission *e, uint32_t from, uint32_t to)
{
	const struct graph *graph = e->request->graph;

	for (uint32_t loop = loop_of(e, from); loop != GRAPH_NONE; loop = graph->loops[loop].parent)
		if (to == GRAPH_NONE || plan_leaves(graph, loop, from, to) ||
		    (plan_has_iterations(e->request->probes) &&
		     plan_goes_back(graph, loop, from, to)))
			return true;
	for (uint32_t loop = loop_of(e, to); loop != GRAPH_NONE; loop = graph->loops[loop].parent)
		if (plan_enters(graph, loop, from, to))
			return true;
	return false;
}

bool edge_needed(const struct emission *e, uint32_t from, uint32_t to, uint8_t state)
{
	return state != e->plan->cursor[to] || has_events(e, from, to);
}

void edge_events(struct emission *e, uint32_t from, uint32_t to)
{
	leave_loops(e, from, to);
	if (to != GRAPH_NONE)
		enter_loops(e, loop_of(e, to), from, to);
}

void edge_write(struct emission *e, uint32_t from, uint32_t to, uint8_t state)
{
	uint8_t wanted = e->plan->cursor[to];

	if (state == CODE_NO_REGISTER && wanted != CODE_NO_REGISTER) {
		edge_lend(e, wanted);
		state = wanted;
	}
	window_open(e, state);
	edge_events(e, from, to);
	window_close(e, emission_point_of_block(e, to));
	if (state == wanted)
		return;
	edge_store(e, state);
	if (wanted != CODE_NO_REGISTER)
		edge_lend(e, wanted);
}
#endif
