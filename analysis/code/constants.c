/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that hold the same address on every path: data flow with joins, until a fixed point. */
#include "analysis/code/constants.h"

#include "analysis/base/arena.h"
#include "analysis/code/decode.h"

enum { REGISTERS = 16 };

/* Known register contents at a point. */
struct known {
	bool reached, waits;        /* waits: changed since its block was processed */
	uint16_t registers;         /* bit set: the register's value is known … */
	uint64_t values[REGISTERS]; /* … and is this */
};

struct flow {
	const struct code *code;
	const struct graph *graph;
	struct known *in; /* by block */
};

static uint16_t register_bit(uint8_t reg)
{
	return reg < REGISTERS ? (uint16_t)(1u << reg) : 0;
}

static bool sets(const struct code *code, const struct code_instruction *at, uint64_t *value_out)
{
	*value_out = at->loads == CODE_LOADS_ADDRESS
			     ? at->target
			     : decode_constant(code->bytes + at->offset, at);
	return at->loads != CODE_LOADS_NOTHING;
}

static void pass(const struct code *code, const struct code_instruction *at, struct known *known)
{
	uint64_t value;

	if (at->kind == CODE_CALL || at->kind == CODE_CALL_INDIRECT) {
		known->registers = 0;
	} else if (sets(code, at, &value)) {
		known->registers |= at->writes;
		known->values[__builtin_ctz(at->writes)] = value;
	} else if (at->step) {
		known->values[__builtin_ctz(at->writes)] += (uint64_t)(int64_t)at->step;
	} else {
		known->registers &= (uint16_t)~at->writes;
	}
}

/* Keeps what is known on both paths. True: `to` changed. */
static bool join(struct known *to, const struct known *from)
{
	uint16_t was = to->registers;

	if (!to->reached) {
		*to = *from;
		return true;
	}
	to->registers &= from->registers;
	for (uint16_t left = to->registers; left; left &= (uint16_t)(left - 1)) {
		int reg = __builtin_ctz(left);

		if (to->values[reg] != from->values[reg])
			to->registers &= (uint16_t)~(1u << reg);
	}
	return to->registers != was;
}

static void follow_block(struct flow *flow, uint32_t nr)
{
	const struct graph_block *block = &flow->graph->blocks[nr];
	struct known known = flow->in[nr];

	flow->in[nr].waits = known.waits = false;
	for (uint32_t i = block->first; i < block->first + block->nr; i++)
		pass(flow->code, &flow->code->instructions[i], &known);
	for (uint32_t i = 0; i < block->nr_successors; i++) {
		uint32_t to = flow->graph->edges[block->first_successor + i];

		if (join(&flow->in[to], &known))
			flow->in[to].waits = true;
	}
}

static void solve(struct flow *flow)
{
	bool any = true;

	while (any) {
		any = false;
		for (uint32_t b = 0; b < flow->graph->nr_blocks; b++) {
			any |= flow->in[b].waits;
			if (flow->in[b].waits)
				follow_block(flow, b);
		}
	}
}

static bool loads_any(const struct code *code)
{
	for (size_t i = 0; i < code->nr_instructions; i++)
		if (code->instructions[i].loads)
			return true;
	return false;
}

/* Entry from outside: nothing is known. */
static void enter(struct flow *flow, uint32_t block)
{
	flow->in[block].reached = flow->in[block].waits = true;
}

/* Also by calls within the function. */
static void enter_all(struct flow *flow)
{
	const struct code *code = flow->code;

	for (uint32_t b = 0; b < flow->graph->nr_blocks; b++)
		if (!b || flow->graph->blocks[b].landing_pad)
			enter(flow, b);
	for (size_t i = 0; i < code->nr_instructions; i++) {
		const struct code_instruction *at = &code->instructions[i],
					      *to = at->kind == CODE_CALL
							    ? code_at(code, at->target)
							    : NULL;

		if (to)
			enter(flow,
			      graph_block_of(flow->graph, (uint32_t)(to - code->instructions)));
	}
}

static void fold(struct code_access *access, const struct known *known)
{
	if (access->kind != CODE_ACCESS_PLAIN || access->segment || access->address_32)
		return;
	if (known->registers & register_bit(access->index)) {
		access->displacement = (int64_t)((uint64_t)access->displacement +
						 known->values[access->index] * access->scale);
		access->index = CODE_NO_REGISTER;
	}
	if (known->registers & register_bit(access->base)) {
		access->displacement = (int64_t)((uint64_t)access->displacement +
						 known->values[access->base]);
		access->base = CODE_RIP;
	}
}

static void fold_block(const struct flow *flow, struct code *code, uint32_t nr)
{
	const struct graph_block *block = &flow->graph->blocks[nr];
	struct known known = flow->in[nr];

	for (uint32_t i = block->first; i < block->first + block->nr; i++) {
		const struct code_instruction *at = &code->instructions[i];

		for (uint32_t a = 0; at->kind == CODE_PLAIN && a < at->nr_accesses; a++)
			fold(&code->accesses[at->first_access + a], &known);
		pass(code, at, &known);
	}
}

bool constants_fold(struct arena *arena, struct code *code, const struct graph *graph)
{
	struct flow flow = { .code = code, .graph = graph };

	if (!graph->complete || !loads_any(code))
		return true;
	flow.in = arena_alloc(arena, graph->nr_blocks * sizeof(*flow.in));
	if (!flow.in)
		return false;
	enter_all(&flow);
	solve(&flow);
	for (uint32_t b = 0; b < graph->nr_blocks; b++)
		if (flow.in[b].reached)
			fold_block(&flow, code, b);
	return true;
}
