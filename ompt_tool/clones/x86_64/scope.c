/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Registers for one probe: dead ones, or pushed below the red zone (psABI x86-64 1.0, 3.2.2: 128
 * bytes).
 */
#ifdef __x86_64__
#include "ompt_tool/clones/x86_64/emission.h"
#include "ompt_tool/clones/x86_64/scope.h"

enum { RED_ZONE = 128 };

/*
 * Order as in copy_plan.c; rcx and rax last, because checks and the following instructions of
 * compiled code use them.
 */
static uint8_t pick(uint16_t from)
{
	static const uint8_t order[] = { R11, R10, R9,  R8,  RDI, RSI, RDX, RBX,
					 R14, R15, RBP, R13, R12, RAX, RCX };

	for (size_t i = 0; i < sizeof(order); i++)
		if (from >> order[i] & 1)
			return order[i];
	return CODE_NO_REGISTER;
}

static void push_first(struct emission *e, struct scope *scope, uint8_t reg)
{
	struct operand below = operand_at(RSP, -RED_ZONE);

	if (!scope->nr_pushed) {
		encode_lea(&e->out, RSP, &below);
		scope->shift = RED_ZONE;
	}
	encode_push(&e->out, reg);
	scope->pushed[scope->nr_pushed++] = reg;
	scope->shift += 8;
}

static void load_cursor(struct emission *e, uint8_t reg)
{
	struct operand cursor = emission_cursor();

	encode_load(&e->out, reg, &cursor);
}

/* A dead register keeps the cursor until the program writes the register. */
static void find_cursor(struct emission *e, struct scope *scope, uint16_t dead, uint16_t avoid)
{
	struct window *window = &e->window;

	if (window->cursor == CODE_NO_REGISTER) {
		window->cursor = pick(dead & (uint16_t)~avoid);
		if (window->cursor != CODE_NO_REGISTER)
			load_cursor(e, window->cursor);
	}
	scope->cursor = window->cursor;
	if (scope->cursor == CODE_NO_REGISTER) {
		scope->cursor = pick((uint16_t)~(avoid | 1 << RSP));
		push_first(e, scope, scope->cursor);
		load_cursor(e, scope->cursor);
	}
}

struct scope scope_begin(struct emission *e, struct point point, bool needs_scratch, uint16_t avoid)
{
	struct scope scope = { .cursor = CODE_NO_REGISTER, .scratch = CODE_NO_REGISTER };
	uint16_t dead = point.dead & (uint16_t)~(1 << RSP);

	find_cursor(e, &scope, dead, avoid);
	scope.scratch = pick(dead & (uint16_t)~(avoid | 1 << scope.cursor));
	if (scope.scratch == CODE_NO_REGISTER && needs_scratch) {
		scope.scratch = pick((uint16_t)~(avoid | 1 << RSP | 1 << scope.cursor));
		push_first(e, &scope, scope.scratch);
	}
	return scope;
}

void scope_end(struct emission *e, const struct scope *scope)
{
	struct operand above = operand_at(RSP, RED_ZONE);

	if (!scope->nr_pushed)
		return;
	for (unsigned int i = scope->nr_pushed; i-- > 0;)
		encode_pop(&e->out, scope->pushed[i]);
	encode_lea(&e->out, RSP, &above);
}
#endif
