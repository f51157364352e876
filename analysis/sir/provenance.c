/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that hold addresses in arrays: data flow with joins, until a fixed point. */
#include "analysis/sir/provenance.h"

#include "analysis/base/arena.h"
#include "analysis/code/decode.h"

/*
 * rax and rdx. Compiled code reads no other register behind a call but those that the callee keeps,
 * by the ABI or because the compiler has seen the callee.
 */
#define RESULTS 0x0005u

/* no path from the entry yet */
#define NOT_REACHED (UINT32_MAX - 1)

struct flow {
	const struct provenance *provenance;
	struct provenance_state *in; /* by block */
	bool *waits;
};

static void forget(struct provenance_state *state, uint16_t registers)
{
	for (int reg = 0; reg < PROVENANCE_REGISTERS; reg++)
		if (registers >> reg & 1)
			state->of[reg] = PROVENANCE_NONE;
}

/* The array of operands, if they are computed from one only. */
static uint32_t of_operands(const struct code_instruction *at, const struct provenance_state *state)
{
	uint32_t found = PROVENANCE_NONE;
	uint16_t operands = at->values;

	if (at->sum.scale && at->sum.base < PROVENANCE_REGISTERS)
		operands |= (uint16_t)(1u << at->sum.base);
	if (at->sum.scale && at->sum.index < PROVENANCE_REGISTERS)
		operands |= (uint16_t)(1u << at->sum.index);
	for (int reg = 0; reg < PROVENANCE_REGISTERS; reg++) {
		if (!(operands >> reg & 1) || state->of[reg] == PROVENANCE_NONE)
			continue;
		if (found != PROVENANCE_NONE && found != state->of[reg])
			return PROVENANCE_NONE;
		found = state->of[reg];
	}
	return found;
}

/* The static pointer that the instruction loads. */
static uint32_t of_pointer(const struct provenance *provenance, const struct code_instruction *at)
{
	const struct code_access *access = &provenance->graph->code->accesses[at->first_access];

	if (at->nr_accesses != 1 || !access->read || access->write || at->values ||
	    access->size != sizeof(uint64_t) || access->base != CODE_RIP ||
	    access->index != CODE_NO_REGISTER)
		return PROVENANCE_NONE;
	return provenance->pointer(provenance->ctx, (uint64_t)access->displacement);
}

/* Files with fixed addresses have them as displacements and operands, too. */
static uint32_t of_constant(const struct provenance *provenance, const struct code_instruction *at)
{
	uint32_t found = PROVENANCE_NONE;

	if (provenance->fixed && at->sum.scale && at->sum.displacement > 0)
		found = provenance->array(provenance->ctx, (uint64_t)at->sum.displacement);
	else if (provenance->fixed && at->step > 0)
		found = provenance->array(provenance->ctx, (uint64_t)at->step);
	return found;
}

static uint32_t result(const struct provenance *provenance, const struct code_instruction *at,
		       const struct provenance_state *state)
{
	const struct code *code = provenance->graph->code;
	uint32_t of;

	if (at->loads == CODE_LOADS_ADDRESS)
		return provenance->array(provenance->ctx, at->target);
	if (at->loads == CODE_LOADS_CONSTANT && !provenance->fixed)
		return PROVENANCE_NONE;
	if (at->loads == CODE_LOADS_CONSTANT)
		return provenance->array(provenance->ctx,
					 decode_constant(code->bytes + at->offset, at));
	if (at->nr_accesses)
		return of_pointer(provenance, at);
	of = of_constant(provenance, at);
	return of != PROVENANCE_NONE ? of : of_operands(at, state);
}

void provenance_pass(const struct provenance *provenance, const struct code_instruction *at,
		     struct provenance_state *state)
{
	uint32_t of;

	if (at->kind == CODE_CALL || at->kind == CODE_CALL_INDIRECT) {
		forget(state, RESULTS);
		return;
	}
	if (!at->writes)
		return;
	of = result(provenance, at, state);
	for (int reg = 0; reg < PROVENANCE_REGISTERS; reg++)
		if (at->writes >> reg & 1 && reg != CODE_RSP)
			state->of[reg] = of;
}

/* True: `to` changed. */
static bool join(struct provenance_state *to, const struct provenance_state *from)
{
	bool changed = false;

	for (int reg = 0; reg < PROVENANCE_REGISTERS; reg++) {
		uint32_t was = to->of[reg];

		if (was == NOT_REACHED)
			to->of[reg] = from->of[reg];
		else if (was != from->of[reg])
			to->of[reg] = PROVENANCE_NONE;
		changed |= was != to->of[reg];
	}
	return changed;
}

static void follow_block(struct flow *flow, uint32_t number)
{
	const struct graph *graph = flow->provenance->graph;
	const struct graph_block *block = &graph->blocks[number];
	struct provenance_state state = flow->in[number];

	flow->waits[number] = false;
	for (uint32_t i = block->first; i < block->first + block->nr; i++)
		provenance_pass(flow->provenance, &graph->code->instructions[i], &state);
	for (uint32_t i = 0; i < block->nr_successors; i++) {
		uint32_t to = graph->edges[block->first_successor + i];

		if (join(&flow->in[to], &state))
			flow->waits[to] = true;
	}
}

static void solve(struct flow *flow)
{
	bool any = true;

	while (any) {
		any = false;
		for (uint32_t b = 0; b < flow->provenance->graph->nr_blocks; b++) {
			any |= flow->waits[b];
			if (flow->waits[b])
				follow_block(flow, b);
		}
	}
}

/* Nothing is known at the entry. Code that is never reached, as padding is, counts nowhere. */
static void enter(struct flow *flow)
{
	const struct graph *graph = flow->provenance->graph;

	for (uint32_t b = 0; b < graph->nr_blocks; b++) {
		bool entered = !b || graph->blocks[b].landing_pad;

		for (int reg = 0; reg < PROVENANCE_REGISTERS; reg++)
			flow->in[b].of[reg] = entered ? PROVENANCE_NONE : NOT_REACHED;
		flow->waits[b] = entered;
	}
}

struct provenance_state *provenance_find(struct arena *arena, const struct provenance *provenance)
{
	size_t nr = provenance->graph->nr_blocks;
	struct flow flow = { .provenance = provenance };

	flow.in = arena_alloc(arena, nr * sizeof(*flow.in));
	flow.waits = arena_alloc(arena, nr * sizeof(*flow.waits));
	if (!flow.in || !flow.waits)
		return NULL;
	enter(&flow);
	solve(&flow);
	for (uint32_t b = 0; b < nr; b++)
		for (int reg = 0; reg < PROVENANCE_REGISTERS; reg++)
			if (flow.in[b].of[reg] == NOT_REACHED)
				flow.in[b].of[reg] = PROVENANCE_NONE;
	return flow.in;
}
