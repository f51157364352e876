/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that calls pass on in registers. */
#include "analysis/code/arguments.h"

#include "analysis/code/decode.h"

/* Instructions before a call among which its arguments are looked for. */
#define INSTRUCTIONS 40

uint8_t code_argument_register(unsigned int argument)
{
	enum { RDI = 7, RSI = 6, RDX = 2, RCX = 1, R8 = 8, R9 = 9 };
	static const uint8_t registers[CODE_ARGUMENTS] = { RDI, RSI, RDX, RCX, R8, R9 };

	return argument < CODE_ARGUMENTS ? registers[argument] : CODE_NO_REGISTER;
}

struct search {
	const struct code *code;
	code_is_function *is_function;
	void *ctx;
};

/* The function whose address the instruction loads; 0: none. */
static uint64_t loaded(const struct search *search, const struct code_instruction *at)
{
	uint64_t address = 0;

	if (at->loads == CODE_LOADS_ADDRESS)
		address = at->target;
	else if (at->loads == CODE_LOADS_CONSTANT)
		address = decode_constant(search->code->bytes + at->offset, at);
	return address && search->is_function(search->ctx, address) ? address : 0;
}

/* The only function whose address is ever loaded into a register; 0: none, or several. */
static uint64_t only_loaded(const struct search *search, uint8_t reg)
{
	uint64_t found = 0;

	for (size_t i = 0; i < search->code->nr_instructions; i++) {
		const struct code_instruction *at = &search->code->instructions[i];
		uint64_t function = at->writes >> reg & 1 ? loaded(search, at) : 0;

		if (!function || function == found)
			continue;
		if (found)
			return 0;
		found = function;
	}
	return found;
}

uint64_t code_passed_function(const struct code *code, size_t call, uint8_t reg,
			      code_is_function *is_function, void *ctx)
{
	const struct search search = { code, is_function, ctx };
	size_t least = call > INSTRUCTIONS ? call - INSTRUCTIONS : 0;

	if (reg == CODE_NO_REGISTER)
		return 0;
	for (size_t i = call; i > least; i--) {
		const struct code_instruction *at = &code->instructions[i - 1];

		if (at->kind == CODE_CALL || at->kind == CODE_CALL_INDIRECT)
			break;
		if (!(at->writes >> reg & 1))
			continue;
		if (at->loads)
			return loaded(&search, at);
		if (!at->sum.scale || at->sum.index != CODE_NO_REGISTER || at->sum.displacement)
			return 0;
		reg = at->sum.base;
	}
	/* loaded before a loop */
	return only_loaded(&search, reg);
}
