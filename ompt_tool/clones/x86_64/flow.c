/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends of blocks: branches, calls and returns, to the copy's blocks, to other copies, or to
 * originals.
 */
#ifdef __x86_64__
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/outside.h"
#include "ompt_tool/clones/x86_64/emission.h"
#include "ompt_tool/clones/x86_64/flow.h"

#include "analysis/base/arena.h"

static uint32_t last_of(const struct emission *e, uint32_t block)
{
	const struct graph_block *b = &e->request->graph->blocks[block];

	return b->first + b->nr - 1;
}

static void flow_exit(struct emission *e, uint32_t from, unsigned char *field, uintptr_t target);

/* Continues with the next block by address, which is written next. */
void flow_to(struct emission *e, uint32_t from, uint32_t to, uint8_t state)
{
	if (to < e->request->graph->nr_blocks && e->plan->written[to]) {
		if (edge_needed(e, from, to, state))
			edge_write(e, from, to, state);
		return;
	}
	if (state != e->plan->cursor[from])
		edge_lend(e, e->plan->cursor[from]);
	flow_exit(e, from, encode_jump(&e->out, e->out.run), e->request->code->end);
}

/* The block that begins at a branch's target; GRAPH_NONE: the target lies outside. */
static uint32_t target_block(struct emission *e, const struct code_instruction *in)
{
	const struct code *code = e->request->code;
	const struct code_instruction *to;
	uint32_t block;

	if (in->target < code->start || in->target >= code->end)
		return GRAPH_NONE;
	to = code_at(code, in->target);
	block = to ? graph_block_of(e->request->graph, (uint32_t)(to - code->instructions)) : 0;
	if (!to || e->request->graph->blocks[block].first != (uint32_t)(to - code->instructions))
		emission_refuse(e, "branch into an instruction", code->start + in->offset);
	return block;
}

static void flow_exit(struct emission *e, uint32_t from, unsigned char *field, uintptr_t target)
{
	struct behind *behind = emission_behind(e, BEHIND_EXIT, last_of(e, from));

	behind->field = field;
	behind->field_run = emission_field_run(e, field);
	behind->from = from;
	behind->state = e->plan->cursor[from];
	behind->target = target;
}

/* Sets a displacement to another block, through the code of the edge. */
static void lead(struct emission *e, uint32_t from, uint32_t to, unsigned char *field)
{
	struct behind *behind;

	if (!edge_needed(e, from, to, e->plan->cursor[from])) {
		emission_block_field(e, field, to);
		return;
	}
	behind = emission_behind(e, BEHIND_EDGE, last_of(e, from));
	behind->field = field;
	behind->field_run = emission_field_run(e, field);
	behind->from = from;
	behind->to = to;
	behind->state = e->plan->cursor[from];
}

/*
 * After prefixes: 7x, 0f 8x, c7 f8 (xbegin), or e0 … e3 (loop, jrcxz), which have no 32-bit form.
 */
unsigned char *flow_condition(struct emission *e, const struct code_instruction *in)
{
	const unsigned char *bytes = e->request->code->bytes + in->offset;
	unsigned int i = 0;

	while (i + 2 < in->length && (bytes[i] == 0x2e || bytes[i] == 0x3e || bytes[i] == 0xf2 ||
				      bytes[i] == 0x67 || (bytes[i] & 0xf0) == 0x40))
		i++;
	if ((bytes[i] & 0xf0) == 0x70)
		return encode_branch(&e->out, bytes[i] & 15, e->out.run);
	if (bytes[i] == 0x0f && (bytes[i + 1] & 0xf0) == 0x80)
		return encode_branch(&e->out, bytes[i + 1] & 15, e->out.run);
	if (bytes[i] == 0xc7 && bytes[i + 1] == 0xf8)
		return encode_transaction(&e->out, e->out.run);
	if ((bytes[i] & 0xfc) != 0xe0)
		emission_refuse(e, "conditional branch of unknown form",
				e->request->code->start + in->offset);
	/* over a short jump over the long one */
	encode_bytes(&e->out, bytes, in->length - 1u);
	ENCODE(&e->out, "\x02\xeb\x05");
	return encode_jump(&e->out, e->out.run);
}

static void flow_branch(struct emission *e, uint32_t block, const struct code_instruction *in)
{
	uint32_t to = target_block(e, in);
	unsigned char *field = in->kind == CODE_JUMP ? encode_jump(&e->out, e->out.run)
						     : flow_condition(e, in);

	if (to == GRAPH_NONE)
		flow_exit(e, block, field, in->target);
	else
		lead(e, block, to, field);
	if (in->kind == CODE_BRANCH)
		flow_to(e, block, block + 1, e->plan->cursor[block]);
}

/*
 * A tail call, or a jump to an outlined part of the function: to its copy, or with a word to the
 * original.
 */
void flow_exit_behind(struct emission *e, const struct behind *behind)
{
	struct point point = emission_point(e, behind->instruction);
	enum callee_range range = e->request->probes & CLONE_ACCESSES
					  ? callee_of(behind->target).range
					  : CALLEE_OTHER;
	unsigned char *field;

	window_open(e, behind->state);
	if (range != CALLEE_OTHER)
		window_range(e, point, range == CALLEE_COPIES);
	edge_events(e, behind->from, GRAPH_NONE);
	window_function(e, RECORD_FUNCTION_EXIT);
	window_close(e, point);
	if (behind->state != CODE_NO_REGISTER)
		edge_store(e, behind->state);
	field = encode_jump(&e->out, e->out.run + 5);
	emission_exit(e, behind->from, COPY_TAIL_JUMP, field, behind->target);
	window_open(e, CODE_NO_REGISTER);
	if (range == CALLEE_OTHER)
		window_left(e, point, behind->target);
	encode_jump(&e->out, behind->target);
}

static void after_call(struct emission *e, uint32_t block)
{
	const struct code *code = e->request->code;
	uint32_t next = last_of(e, block) + 1;
	uintptr_t original = next < code->nr_instructions
				     ? code->start + code->instructions[next].offset
				     : code->end;
	struct copy *copy = e->copy;

	if (!ARENA_GROW(e->arena, copy->after_calls, copy->nr_after_calls, e->room_after_calls)) {
		emission_refuse(e, "no memory", original);
		return;
	}
	copy->after_calls[copy->nr_after_calls++] = (struct copy_place){ original, e->out.run };
	if (next == code->nr_instructions) {
		/* does not return, as nothing follows in the original */
		ENCODE(&e->out, "\x0f\x0b");
		return;
	}
	check_buffer(e, emission_point(e, next), CODE_NO_REGISTER, next);
	flow_to(e, block, block + 1, CODE_NO_REGISTER);
}

static enum callee_range range_of_call(const struct emission *e, const struct code_instruction *in)
{
	if (!(e->request->probes & CLONE_ACCESSES))
		return CALLEE_OTHER;
	if (in->kind == CODE_CALL)
		return callee_of(in->target).range;
	return in->rip_offset ? callee_through(in->target).range : CALLEE_OTHER;
}

/*
 * Through a table of imports. A function that must see the original's return address is called as
 * through a pointer, where the clone is left.
 */
static bool is_called_as_it_is(uintptr_t slot)
{
	struct callee callee = callee_through(slot);

	return callee.name && !outside_entry(&callee);
}

static void flow_call(struct emission *e, uint32_t block, const struct code_instruction *in)
{
	const struct code *code = e->request->code;
	struct point point = emission_point(e, last_of(e, block));
	enum callee_range range = range_of_call(e, in);
	bool linked = in->kind == CODE_CALL_INDIRECT && in->rip_offset &&
		      is_called_as_it_is(in->target);

	if (range != CALLEE_OTHER)
		window_range(e, point, range == CALLEE_COPIES);
	else
		window_close(e, point);
	if (e->plan->cursor[block] != CODE_NO_REGISTER)
		edge_store(e, e->plan->cursor[block]);
	if (in->kind == CODE_CALL && in->target != code->start && in->target >= code->start &&
	    in->target < code->end)
		emission_refuse(e, "call into its own body", code->start + in->offset);
	if (in->kind == CODE_CALL) {
		emission_exit(e, block, COPY_CALL, encode_call(&e->out, in->target), in->target);
	} else if (linked) {
		copy_instruction(e, last_of(e, block));
		emission_exit(e, block, COPY_CALL_LINKED, NULL, in->target);
	} else {
		indirect_call(e, block);
		emission_exit(e, block, COPY_CALL_INDIRECT, NULL, 0);
	}
	after_call(e, block);
}

static void flow_return(struct emission *e, uint32_t block)
{
	window_function(e, RECORD_FUNCTION_EXIT);
	window_close(e, emission_point(e, last_of(e, block)));
	copy_instruction(e, last_of(e, block));
}

/* Whether the block's last window has more to hold than its accesses. */
bool flow_holds(const struct emission *e, uint32_t block)
{
	const struct code_instruction *in = &e->request->code->instructions[last_of(e, block)];

	if (in->kind == CODE_CALL || in->kind == CODE_CALL_INDIRECT)
		return range_of_call(e, in) != CALLEE_OTHER;
	return e->plan->counted[block] ||
	       (in->kind == CODE_RETURN && e->request->probes & CLONE_FUNCTION);
}

void flow_end(struct emission *e, uint32_t block)
{
	const struct code_instruction *in = &e->request->code->instructions[last_of(e, block)];
	struct point point = emission_point(e, last_of(e, block));
	struct counting counting;
	bool counted;

	switch (in->kind) {
	case CODE_JUMP:
	case CODE_BRANCH:
		counted = counting_find(e, &counting);
		window_close(e, point);
		if (counted)
			counting_branch(e, &counting);
		else
			flow_branch(e, block, in);
		break;
	case CODE_CALL:
	case CODE_CALL_INDIRECT: flow_call(e, block, in); break;
	case CODE_RETURN: flow_return(e, block); break;
	case CODE_JUMP_INDIRECT:
		window_close(e, point);
		indirect_jump(e, block);
		break;
	case CODE_STOP:
		window_close(e, point);
		copy_instruction(e, last_of(e, block));
		/* a signal handler may skip it */
		encode_jump(&e->out, e->request->code->start + in->offset + in->length);
		break;
	default:
		emission_refuse(e, "instruction that cannot be copied",
				e->request->code->start + in->offset);
		break;
	}
}
#endif
