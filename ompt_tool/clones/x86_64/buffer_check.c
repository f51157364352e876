/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks whether the buffer is full: by a byte of the cursor, with a comparison if flags are dead,
 * else by jrcxz.
 */
#ifdef __x86_64__
#include "ompt_tool/clones/x86_64/emission.h"
#include "ompt_tool/clones/x86_64/flow.h"
#include "ompt_tool/clones/x86_64/translate.h"

enum { RED_ZONE = 128, JUMP_SHORT = 0xeb, JUMP_IF_RCX_ZERO = 0xe3 };

static struct operand full_byte(void)
{
	struct operand cursor = emission_cursor();

	cursor.displacement += BUFFER_FULL_BYTE;
	return cursor;
}

static void lower(struct emission *e, int32_t by)
{
	struct operand to = operand_at(RSP, -by);

	encode_lea(&e->out, RSP, &to);
}

static void raise(struct emission *e)
{
	lower(e, -RED_ZONE);
}

static unsigned char *skip_short(struct emission *e, uint8_t opcode)
{
	encode_8(&e->out, opcode);
	encode_8(&e->out, 0);
	return e->out.at - 1;
}

static void skip_here(struct emission *e, unsigned char *length)
{
	if (!e->out.full)
		*length = (uint8_t)(e->out.at - (length + 1));
}

/*
 * The text begins with a jump to flush_full, which may be far away. It returns behind the short
 * jump where the thread leaves its clones: the pushed register is popped (CODE_NO_REGISTER: none),
 * and the original continues with the instruction.
 */
static void call_flush(struct emission *e, uint8_t state, uint8_t pushed, uint32_t instruction)
{
	const struct code *code = e->request->code;
	unsigned char *stays;

	if (state != CODE_NO_REGISTER)
		edge_store(e, state);
	encode_call(&e->out, e->text->run + FLUSH_IN_TEXT);
	stays = skip_short(e, JUMP_SHORT);
	if (pushed != CODE_NO_REGISTER)
		encode_pop(&e->out, pushed);
	raise(e);
	encode_jump(&e->out, code->start + code->instructions[instruction].offset);
	skip_here(e, stays);
	if (state != CODE_NO_REGISTER)
		edge_lend(e, state);
}

/*
 * Loads the byte that shows whether the buffer is full into rcx; a cursor in a register is copied
 * through the stack, because only four registers have an addressable byte of that position.
 */
static void load_full_byte(struct emission *e, uint8_t state)
{
	struct operand byte = full_byte(), pushed = operand_at(RSP, BUFFER_FULL_BYTE),
		       up = operand_at(RSP, 8);

	if (state == CODE_NO_REGISTER) {
		encode_load_byte(&e->out, RCX, &byte);
		return;
	}
	encode_push(&e->out, state);
	encode_load_byte(&e->out, RCX, &pushed);
	encode_lea(&e->out, RSP, &up);
}

static void check_keeping_flags(struct emission *e, struct point point, uint8_t state,
				uint32_t instruction)
{
	bool spill = !(point.dead >> RCX & 1) || state == RCX;
	unsigned char *skip;

	lower(e, RED_ZONE);
	if (spill)
		encode_push(&e->out, RCX);
	load_full_byte(e, state);
	skip = skip_short(e, JUMP_IF_RCX_ZERO);
	if (spill && state == RCX) {
		encode_pop(&e->out, RCX);
		call_flush(e, state, CODE_NO_REGISTER, instruction);
		encode_push(&e->out, RCX);
	} else {
		call_flush(e, state, spill ? RCX : CODE_NO_REGISTER, instruction);
	}
	skip_here(e, skip);
	if (spill)
		encode_pop(&e->out, RCX);
	raise(e);
}

void check_buffer(struct emission *e, struct point point, uint8_t state, uint32_t instruction)
{
	struct operand byte = full_byte();
	unsigned char *field;
	struct behind *behind;

	e->unchecked = 0;
	if (!point.flags_dead) {
		check_keeping_flags(e, point, state, instruction);
		return;
	}
	if (state == CODE_NO_REGISTER)
		encode_compare_byte(&e->out, &byte, 0);
	else
		encode_test_value(&e->out, state, 0xffu << 8 * BUFFER_FULL_BYTE);
	field = encode_branch(&e->out, WHEN_NOT_ZERO, e->out.run);
	behind = emission_behind(e, BEHIND_CHECK, instruction);
	behind->field = field;
	behind->field_run = emission_field_run(e, field);
	behind->back = e->out.run;
	behind->cursor = state;
}

void check_buffer_behind(struct emission *e, const struct behind *behind)
{
	lower(e, RED_ZONE);
	call_flush(e, behind->cursor, CODE_NO_REGISTER, behind->instruction);
	raise(e);
	encode_jump(&e->out, behind->back);
}
#endif
