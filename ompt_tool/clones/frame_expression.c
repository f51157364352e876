/* SPDX-License-Identifier: Apache-2.0 */
/* Which expressions of call frame information do not depend on where the code is. */
#include "ompt_tool/clones/frame_expression.h"

#define INSTRUCTION_POINTER 16 /* register: psABI x86-64 1.0, table 3.36 */

enum {
	OP_LIT_0 = 0x30,
	OP_REG_0 = 0x50,
	OP_BREG_0 = 0x70,
	OP_BREG_END = 0x90,
	OP_REGX = 0x90,
	OP_BREGX = 0x92,
};

/* What follows an operation: digits are bytes, u ULEB128, s SLEB128, - nothing; 0: refused. */
static const char operands[256] = {
	[0x06] = '-', /* deref */
	/* const1u … const8s */
	[0x08] = '1',
	[0x09] = '1',
	[0x0a] = '2',
	[0x0b] = '2',
	[0x0c] = '4',
	[0x0d] = '4',
	[0x0e] = '8',
	[0x0f] = '8',
	[0x10] = 'u',
	[0x11] = 's',                      /* constu, consts */
	[0x12 ... 0x14] = '-',             /* dup, drop, over */
	[0x15] = '1',                      /* pick */
	[0x16 ... 0x22] = '-',             /* swap, rot, abs, and … plus */
	[0x23] = 'u',                      /* plus_uconst */
	[0x24 ... 0x27] = '-',             /* shl, shr, shra, xor */
	[0x28] = '2',                      /* bra, within the expression */
	[0x29 ... 0x2e] = '-',             /* eq … ne */
	[0x2f] = '2',                      /* skip */
	[OP_LIT_0... OP_BREG_0 - 1] = '-', /* lit0 … reg31 */
	[OP_BREG_0... OP_BREG_END - 1] = 's',
	[OP_REGX] = 'u',
	[OP_BREGX] = 's', /* behind the register */
	[0x94] = '1',     /* deref_size */
	[0x96] = '-',     /* nop */
};

static bool names_instruction_pointer(unsigned char operation, struct bytes *in)
{
	if (operation == OP_BREGX)
		return bytes_uleb(in) == INSTRUCTION_POINTER;
	if (operation == OP_REGX) {
		struct bytes ahead = *in;

		return bytes_uleb(&ahead) == INSTRUCTION_POINTER;
	}
	return operation == OP_REG_0 + INSTRUCTION_POINTER ||
	       operation == OP_BREG_0 + INSTRUCTION_POINTER;
}

bool frame_expression_is_movable(struct bytes expression)
{
	struct bytes in = expression;

	while (in.at < in.end && !in.bad) {
		unsigned char operation = (unsigned char)bytes_fixed(&in, 1);
		char kind = operands[operation];

		if (!kind || names_instruction_pointer(operation, &in))
			return false;
		if (kind == 'u')
			bytes_uleb(&in);
		else if (kind == 's')
			bytes_sleb(&in);
		else if (kind != '-')
			bytes_fixed(&in, (size_t)(kind - '0'));
	}
	return !in.bad;
}
