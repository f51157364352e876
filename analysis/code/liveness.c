/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Live registers and flags: sets that a block reads before it overwrites them, propagated backwards
 * to a fixed point.
 */
#include "analysis/code/liveness.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/code/memory.h"
#include "analysis/code/seen.h"

/* A set: general registers from bit 0 on, flags from bit 16 on. psABI x86-64 1.0, figure 3.4. */
#define REGISTER(nr) (1u << (nr))
#define FLAGS(flags) ((uint32_t)(flags) << 16)
#define ALL_REGISTERS 0xffffu
#define ALL (ALL_REGISTERS | FLAGS(CODE_FLAGS_STATUS | CODE_DF))
#define RAX REGISTER(0)
#define RDX REGISTER(2)
#define RSP REGISTER(4)
#define ALWAYS (RSP | FLAGS(CODE_DF))
#define ARGUMENTS \
	(RAX | REGISTER(1) | RDX | REGISTER(6) | REGISTER(7) | REGISTER(8) | REGISTER(9) | \
	 REGISTER(10))
#define KEPT_BY_CALLEE \
	(REGISTER(3) | REGISTER(5) | REGISTER(12) | REGISTER(13) | REGISTER(14) | REGISTER(15))
#define RETURNED (RAX | RDX)
#define SCRATCH (ALL_REGISTERS & ~(KEPT_BY_CALLEE | RETURNED | RSP))
#define R11 REGISTER(11)

/*
 * Effect of an instruction: live before = reads, and registers live after it that are not
 * overwritten.
 */
struct effect {
	uint32_t reads, overwrites;
};

struct flow {
	struct arena *arena;
	const struct graph *graph;
	uintptr_t segment, segment_end; /* of the module's code; equal: unknown */
	uint32_t at_return;
	uint32_t everywhere;
	/* scratch registers that the function writes but never reads */
	uint32_t unread;
	struct effect *each;    /* by instruction */
	struct effect *effects; /* by block */
	uint32_t *live_in;      /* by block */
	uint32_t *list;         /* of blocks to process */
	bool *listed;
};

/*
 * Whether the target is a jump through a slot of the module, as in the PLT: the function behind it
 * follows the ABI.
 */
static bool is_plt(const struct flow *flow, uintptr_t target)
{
	struct decoded decoded;

	for (int step = 0; step < 2; step++) {
		if (target < flow->segment || target >= flow->segment_end)
			return false;
		seen_decode((const unsigned char *)target, flow->segment_end - target, target,
			    &decoded);
		if (decoded.instruction.kind == CODE_JUMP_INDIRECT)
			return decoded.instruction.rip_offset;
		if (decoded.instruction.kind != CODE_PLAIN || decoded.instruction.writes ||
		    decoded.instruction.nr_accesses)
			return false; /* only endbr64 stands before it */
		target += decoded.instruction.length;
	}
	return false;
}

/*
 * call *(%rax) may be the access to a thread-local variable, which changes rax only (Oliva, Araújo:
 * TLS descriptors).
 */
static bool may_be_tls_descriptor(const struct code *code, const struct code_instruction *at)
{
	const struct code_access *access = &code->accesses[at->first_access];

	return at->kind == CODE_CALL_INDIRECT && at->nr_accesses &&
	       access->kind == CODE_ACCESS_PLAIN && access->base == 0 &&
	       access->index == CODE_NO_REGISTER && !access->displacement;
}

/* With -mcmodel=large all calls are, and compilers may know the callee. */
static bool is_through_register(const struct code_instruction *at)
{
	return at->kind == CODE_CALL_INDIRECT && at->nr_accesses == 1; /* the return address */
}

static struct effect effect_of_call(const struct flow *flow, const struct code_instruction *at)
{
	struct effect effect = { .reads = at->reads | ALWAYS };
	bool by_abi = at->kind == CODE_CALL_INDIRECT ? !may_be_tls_descriptor(flow->graph->code, at)
						     : is_plt(flow, at->target);

	if (!by_abi) {
		effect.reads |= ALL;
		return effect;
	}
	/* an argument of clang's preserve_none */
	effect.reads |= ARGUMENTS | KEPT_BY_CALLEE | (at->kind == CODE_CALL_INDIRECT ? R11 : 0);
	if (is_through_register(at))
		return effect;
	effect.overwrites = (ALL_REGISTERS & ~KEPT_BY_CALLEE) | FLAGS(CODE_FLAGS_STATUS);
	return effect;
}

static bool is_outside(const struct flow *flow, const struct code_instruction *at)
{
	return at->target < flow->graph->code->start || at->target >= flow->graph->code->end;
}

/* Registers read by code after the function. */
static uint32_t read_outside(const struct flow *flow, const struct graph_block *block,
			     const struct code_instruction *at)
{
	uint32_t tail_call = ARGUMENTS | KEPT_BY_CALLEE | flow->at_return;

	switch (at->kind) {
	case CODE_RETURN: return flow->at_return;
	case CODE_JUMP:
	case CODE_BRANCH:
		if (!is_outside(flow, at))
			return 0;
		return is_plt(flow, at->target) ? tail_call : ALL;
	case CODE_JUMP_INDIRECT:
		if (block->unknown)
			return ALL;
		return block->nr_successors ? 0 : tail_call | R11;
	case CODE_STOP:
	case CODE_REFUSED: return ALL;
	default: return 0;
	}
}

/* Control runs off the function's end. */
static bool falls_out(const struct flow *flow, uint32_t nr)
{
	const struct code_instruction *at = &flow->graph->code->instructions[nr];

	return nr + 1 == flow->graph->code->nr_instructions &&
	       (at->kind == CODE_PLAIN || at->kind == CODE_BRANCH);
}

static struct effect effect_of(const struct flow *flow, const struct graph_block *block,
			       uint32_t nr)
{
	const struct code_instruction *at = &flow->graph->code->instructions[nr];
	struct effect effect;

	if (at->kind == CODE_CALL || at->kind == CODE_CALL_INDIRECT)
		return effect_of_call(flow, at);
	effect.reads = at->reads | FLAGS(at->flags_read);
	effect.overwrites = at->writes | FLAGS(at->flags_written);
	if (falls_out(flow, nr))
		effect.reads |= ALL;
	else if (code_ends_block(at))
		effect.reads |= read_outside(flow, block, at);
	return effect;
}

static uint32_t before(const struct flow *flow, const struct effect *effect, uint32_t after)
{
	return (after & ~effect->overwrites) | effect->reads | flow->everywhere;
}

static void sum_block(struct flow *flow, uint32_t nr)
{
	const struct graph_block *block = &flow->graph->blocks[nr];
	struct effect *sum = &flow->effects[nr];

	for (uint32_t i = block->nr; i-- > 0;) {
		struct effect effect = effect_of(flow, block, block->first + i);

		flow->each[block->first + i] = effect;
		sum->reads = (sum->reads & ~effect.overwrites) | effect.reads;
		sum->overwrites |= effect.overwrites;
	}
}

static uint32_t live_out(const struct flow *flow, const struct graph_block *block)
{
	uint32_t live = 0;

	for (uint32_t i = 0; i < block->nr_successors; i++)
		live |= flow->live_in[flow->graph->edges[block->first_successor + i]];
	return live;
}

static void solve(struct flow *flow)
{
	const struct graph *graph = flow->graph;
	size_t nr = 0;

	for (uint32_t i = 0; i < graph->nr_blocks; i++) {
		flow->list[nr++] = i;
		flow->listed[i] = true;
	}
	while (nr) {
		uint32_t at = flow->list[--nr];
		const struct graph_block *block = &graph->blocks[at];
		uint32_t live = before(flow, &flow->effects[at], live_out(flow, block));

		flow->listed[at] = false;
		if (live == flow->live_in[at])
			continue;
		flow->live_in[at] = live;
		for (uint32_t i = 0; i < block->nr_predecessors; i++) {
			uint32_t from = graph->sources[block->first_predecessor + i];

			if (!flow->listed[from])
				flow->list[nr++] = from;
			flow->listed[from] = true;
		}
	}
}

/*
 * The scratch register that is an instruction's only result. Compilers emit unused results only
 * where they push and pop to move rsp, or subtract to set flags.
 */
static uint32_t written_only(const struct code *code, const struct code_instruction *in)
{
	bool alone = in->kind == CODE_PLAIN && !in->flags_written && in->writes &&
		     !(in->writes & (in->writes - 1));

	for (uint32_t a = 0; a < in->nr_accesses; a++)
		alone &= code->accesses[in->first_access + a].kind == CODE_ACCESS_PLAIN &&
			 !code->accesses[in->first_access + a].write;
	return alone ? in->writes & SCRATCH : 0;
}

/* Processes a block backwards, one instruction at a time. */
static void fill_block(struct flow *flow, uint32_t nr, struct liveness *out)
{
	const struct graph_block *block = &flow->graph->blocks[nr];
	uint32_t live = live_out(flow, block);

	for (uint32_t i = block->nr; i-- > 0;) {
		flow->unread |= written_only(flow->graph->code,
					     &flow->graph->code->instructions[block->first + i]) &
				~live;
		live = before(flow, &flow->each[block->first + i], live);
		out->registers[block->first + i] = (uint16_t)live;
		out->flags[block->first + i] = (uint8_t)(live >> 16);
	}
}

/*
 * A function that other functions of its module call preserves the registers it never writes, and
 * its flags.
 */
static void set_exits(struct flow *flow, enum liveness_exit exit)
{
	const struct code *code = flow->graph->code;
	uint32_t written = 0;

	for (size_t i = 0; i < code->nr_instructions; i++)
		written |= code->instructions[i].writes;
	flow->everywhere = ALWAYS | (KEPT_BY_CALLEE & ~written);
	flow->at_return = ALWAYS | RETURNED | KEPT_BY_CALLEE;
	if (exit == LIVENESS_LOCAL)
		flow->at_return |= (ALL_REGISTERS & ~written) | FLAGS(CODE_FLAGS_STATUS);
}

static bool allocate(struct flow *flow, struct liveness *out)
{
	size_t nr_blocks = flow->graph->nr_blocks, nr = flow->graph->code->nr_instructions;

	flow->each = arena_alloc(flow->arena, nr * sizeof(*flow->each));
	flow->effects = arena_alloc(flow->arena, nr_blocks * sizeof(*flow->effects));
	flow->live_in = arena_alloc(flow->arena, nr_blocks * sizeof(*flow->live_in));
	flow->list = arena_alloc(flow->arena, nr_blocks * sizeof(*flow->list));
	flow->listed = arena_alloc(flow->arena, nr_blocks * sizeof(*flow->listed));
	out->registers = arena_alloc(flow->arena, nr * sizeof(*out->registers));
	out->flags = arena_alloc(flow->arena, nr * sizeof(*out->flags));
	return flow->each && flow->effects && flow->live_in && flow->list && flow->listed &&
	       out->registers && out->flags;
}

static void find(struct flow *flow, struct liveness *out)
{
	for (uint32_t i = 0; i < flow->graph->nr_blocks; i++)
		sum_block(flow, i);
	solve(flow);
	for (uint32_t i = 0; i < flow->graph->nr_blocks; i++)
		fill_block(flow, i, out);
}

struct liveness *liveness_new(struct arena *arena, const struct graph *graph,
			      enum liveness_exit exit)
{
	struct flow flow = { .arena = arena, .graph = graph };
	struct liveness *liveness = arena_alloc(arena, sizeof(*liveness));
	const struct code_memory *memory;

	if (!liveness || !allocate(&flow, liveness))
		return NULL;
	memory = graph->code->memory;
	if (!memory ||
	    !memory->segment(memory, graph->code->start, &flow.segment, &flow.segment_end))
		flow.segment = flow.segment_end = 0;
	set_exits(&flow, exit);
	find(&flow, liveness);
	/*
	 * The function returns results in more registers than the ABI's, as with clang's __regcall
	 * and in assembler.
	 */
	if (exit == LIVENESS_LOCAL && flow.unread) {
		flow.at_return |= ALL_REGISTERS;
		memset(flow.effects, 0, graph->nr_blocks * sizeof(*flow.effects));
		memset(flow.live_in, 0, graph->nr_blocks * sizeof(*flow.live_in));
		find(&flow, liveness);
	}
	return liveness;
}
