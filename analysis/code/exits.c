/* SPDX-License-Identifier: Apache-2.0 */
/* Dependences of loop exits on results of calls: forward data flow to a fixed point. */
#include "analysis/code/exits.h"

#include <string.h>

#include "analysis/base/arena.h"

enum { REGISTERS = 16, RAX = 0, RDX = 2, FRAME_WORDS = 64, FUNCTIONS = 2 };
#define CALLEE_SAVED 0xf038u /* rbx, rsp, rbp, r12 to r15 (psABI x86-64) */

/* Dependences of each value, bits of enum exits_of. */
struct values {
	bool reached, waits; /* waits: changed since its block was processed */
	uint8_t registers[REGISTERS], words[FRAME_WORDS], flags;
};

struct word {
	uint8_t base;
	int64_t displacement;
};

struct flow {
	const struct graph *graph;
	const struct code *code;
	const struct exits_call *calls;
	uint32_t nr_calls;
	struct values *in; /* by block */
	struct word words[FRAME_WORDS];
	uint32_t nr_words;
};

/* ------------------------------------------------------------------ words of the frame */

/* Index of the frame word; FRAME_WORDS: none, or not tracked. */
static uint32_t word_of(const struct flow *flow, const struct code_access *access)
{
	for (uint32_t i = 0; code_is_in_frame(access) && i < flow->nr_words; i++)
		if (flow->words[i].base == access->base &&
		    flow->words[i].displacement == access->displacement)
			return i;
	return FRAME_WORDS;
}

static void find_words(struct flow *flow)
{
	for (size_t i = 0; i < flow->code->nr_accesses && flow->nr_words < FRAME_WORDS; i++) {
		const struct code_access *access = &flow->code->accesses[i];

		if (code_is_in_frame(access) && word_of(flow, access) == FRAME_WORDS)
			flow->words[flow->nr_words++] = (struct word){ access->base,
								       access->displacement };
	}
}

/*
 * When a base register of frame words changes, the words are others: their dependences are dropped.
 */
static void forget_words(const struct flow *flow, struct values *values, uint16_t writes)
{
	for (uint32_t i = 0; i < flow->nr_words; i++)
		if (writes >> flow->words[i].base & 1)
			values->words[i] = 0;
}

/* ------------------------------------------------------------------ an instruction */

static uint16_t bit_of(uint8_t reg)
{
	return reg < REGISTERS ? (uint16_t)(1u << reg) : 0;
}

static uint16_t addresses(const struct flow *flow, const struct code_instruction *at)
{
	uint16_t registers = 0;

	for (uint32_t i = 0; i < at->nr_accesses; i++) {
		const struct code_access *access = &flow->code->accesses[at->first_access + i];

		registers |= bit_of(access->base) | bit_of(access->index);
	}
	return registers;
}

static uint8_t of_registers(const struct values *values, uint16_t registers)
{
	uint8_t of = 0;

	for (uint16_t left = registers; left; left &= (uint16_t)(left - 1))
		of |= values->registers[__builtin_ctz(left)];
	return of;
}

/* Of operands in these registers and in memory. */
static uint8_t of_operands(const struct flow *flow, const struct code_instruction *at,
			   const struct values *values, uint16_t registers)
{
	uint8_t of = of_registers(values, registers);

	for (uint32_t i = 0; i < at->nr_accesses; i++) {
		const struct code_access *access = &flow->code->accesses[at->first_access + i];
		uint32_t word = access->read ? word_of(flow, access) : FRAME_WORDS;

		of |= word < FRAME_WORDS ? values->words[word] : 0;
	}
	return of;
}

/* Registers used other than as parts of an address. */
static uint16_t used(const struct flow *flow, const struct code_instruction *at)
{
	return (uint16_t)((at->reads & ~addresses(flow, at)) | at->values);
}

/* div and idiv are the only instructions that read and write rdx:rax and leave flags undefined. */
static bool divides(const struct code_instruction *at)
{
	const uint16_t pair = 1 << RAX | 1 << RDX;

	return at->writes == pair && (at->reads & pair) == pair && at->flags_written;
}

static uint8_t operands(const struct flow *flow, const struct code_instruction *at,
			const struct values *values)
{
	uint8_t of = of_operands(flow, at, values, used(flow, at)), divisor;

	if (at->flags_read)
		of |= values->flags;
	if (!divides(at))
		return of;
	divisor = of_operands(flow, at, values,
			      (uint16_t)(used(flow, at) & ~(1 << RAX | 1 << RDX)));
	return (uint8_t)(of | (divisor & (EXITS_FIRST | EXITS_SECOND)) << FUNCTIONS);
}

static void store(const struct flow *flow, const struct code_instruction *at, uint8_t of,
		  struct values *values)
{
	for (uint32_t i = 0; i < at->nr_accesses; i++) {
		const struct code_access *access = &flow->code->accesses[at->first_access + i];
		uint32_t word = access->write ? word_of(flow, access) : FRAME_WORDS;

		if (word < FRAME_WORDS)
			values->words[word] = of;
	}
}

static void pass_call(const struct flow *flow, uint32_t instruction, struct values *values)
{
	values->flags = 0;
	for (int reg = 0; reg < REGISTERS; reg++)
		if (!(CALLEE_SAVED >> reg & 1))
			values->registers[reg] = 0;
	for (uint32_t i = 0; i < flow->nr_calls; i++)
		if (flow->calls[i].instruction == instruction)
			values->registers[RAX] = flow->calls[i].of;
}

static void pass(const struct flow *flow, uint32_t instruction, struct values *values)
{
	const struct code_instruction *at = &flow->code->instructions[instruction];
	uint8_t of;

	if (at->kind == CODE_CALL || at->kind == CODE_CALL_INDIRECT) {
		pass_call(flow, instruction, values);
		return;
	}
	of = operands(flow, at, values);
	store(flow, at, of, values);
	for (uint16_t left = at->writes; left; left &= (uint16_t)(left - 1))
		values->registers[__builtin_ctz(left)] = of;
	forget_words(flow, values, at->writes);
	if (at->flags_written)
		values->flags = of;
}

/* ------------------------------------------------------------------ the flow */

static void add(uint8_t *to, uint8_t from, bool *changed)
{
	*changed |= (*to | from) != *to;
	*to |= from;
}

/* True: `to` has grown. */
static bool join(const struct flow *flow, struct values *to, const struct values *from)
{
	bool changed = !to->reached;

	to->reached = true;
	for (int reg = 0; reg < REGISTERS; reg++)
		add(&to->registers[reg], from->registers[reg], &changed);
	for (uint32_t i = 0; i < flow->nr_words; i++)
		add(&to->words[i], from->words[i], &changed);
	add(&to->flags, from->flags, &changed);
	return changed;
}

/* Values before the block's last instruction. */
static struct values follow(const struct flow *flow, uint32_t nr)
{
	const struct graph_block *block = &flow->graph->blocks[nr];
	struct values values = flow->in[nr];

	for (uint32_t i = block->first; i + 1 < block->first + block->nr; i++)
		pass(flow, i, &values);
	return values;
}

static void follow_block(struct flow *flow, uint32_t nr)
{
	const struct graph_block *block = &flow->graph->blocks[nr];
	struct values values;

	flow->in[nr].waits = false;
	values = follow(flow, nr);
	pass(flow, block->first + block->nr - 1, &values);
	for (uint32_t i = 0; i < block->nr_successors; i++) {
		struct values *to = &flow->in[flow->graph->edges[block->first_successor + i]];

		if (join(flow, to, &values))
			to->waits = true;
	}
}

static void solve(struct flow *flow)
{
	bool any = flow->graph->nr_blocks > 0;

	for (size_t i = 0; i < flow->graph->nr_blocks; i++)
		flow->in[i].reached = flow->in[i].waits = !i;
	while (any) {
		any = false;
		for (uint32_t b = 0; b < flow->graph->nr_blocks; b++) {
			any |= flow->in[b].waits;
			if (flow->in[b].waits)
				follow_block(flow, b);
		}
	}
}

/* ------------------------------------------------------------------ exits */

static bool leaves(const struct graph *graph, uint32_t loop, const struct graph_block *block)
{
	for (uint32_t i = 0; i < block->nr_successors; i++)
		if (!graph_loop_has(graph, loop, graph->edges[block->first_successor + i]))
			return true;
	return false;
}

/* 0: the block does not end with a branch. */
static uint8_t of_branch(const struct flow *flow, uint32_t block)
{
	const struct graph_block *of = &flow->graph->blocks[block];
	const struct code_instruction *last = &flow->code->instructions[of->first + of->nr - 1];
	struct values values = follow(flow, block);

	return last->kind == CODE_BRANCH ? operands(flow, last, &values) : 0;
}

static uint8_t of_block(const struct flow *flow, uint32_t nr)
{
	const struct graph_block *block = &flow->graph->blocks[nr];
	struct values values = flow->in[nr];
	uint8_t of = 0;

	for (uint32_t i = block->first; i < block->first + block->nr; i++) {
		const struct code_instruction *at = &flow->code->instructions[i];

		of |= operands(flow, at, &values) | of_registers(&values, addresses(flow, at));
		pass(flow, i, &values);
	}
	return of;
}

static struct loop_exits look_at(const struct flow *flow, uint32_t loop)
{
	const struct graph *graph = flow->graph;
	const struct graph_loop *of = &graph->loops[loop];
	struct loop_exits exits = { 0 };
	bool any = false;

	for (uint32_t i = of->first_block; i < of->first_block + of->nr_blocks; i++) {
		uint32_t block = graph->members[i];

		exits.inside |= of_block(flow, block);
		if (!leaves(graph, loop, &graph->blocks[block]))
			continue;
		exits.all = any ? exits.all & of_branch(flow, block) : of_branch(flow, block);
		any = true;
	}
	return exits;
}

struct loop_exits *exits_find(struct arena *arena, const struct graph *graph,
			      const struct exits_call *calls, uint32_t nr_calls)
{
	struct flow flow = {
		.graph = graph, .code = graph->code, .calls = calls, .nr_calls = nr_calls
	};
	struct loop_exits *exits = arena_alloc(arena, (graph->nr_loops + 1) * sizeof(*exits));

	flow.in = arena_alloc(arena, (graph->nr_blocks + 1) * sizeof(*flow.in));
	if (!exits || !flow.in)
		return NULL;
	find_words(&flow);
	solve(&flow);
	for (uint32_t loop = 0; loop < graph->nr_loops; loop++)
		exits[loop] = look_at(&flow, loop);
	return exits;
}

uint8_t exits_of_call(const char *name)
{
	return !strcmp(name, "omp_get_num_threads")  ? EXITS_FIRST
	       : !strcmp(name, "omp_get_thread_num") ? EXITS_SECOND
						     : 0;
}

bool exits_divide(const struct loop_exits *exits)
{
	enum { BOTH = EXITS_FIRST | EXITS_SECOND };

	return (exits->all & BOTH) == BOTH ||
	       (exits->all & EXITS_BY_FIRST && exits->inside & EXITS_SECOND);
}
