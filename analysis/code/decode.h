/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_DECODE_H
#define MEMSEARCH_CODE_DECODE_H

#include "analysis/code/instruction.h"

/*
 * The interface of an architecture's folder to code.c: decodes single instructions. For the effects
 * of a whole function use code.h.
 *
 * To add an architecture: 1. a folder beside x86_64/ that defines these functions and those of
 * jump_table.h under its own #if; 2. the condition in unsupported.c. Any thread; allocates nothing.
 */
enum { DECODE_ACCESSES_MAX = 4 };

struct decoded {
	/* the caller sets offset and first_access */
	struct code_instruction instruction;
	struct code_access accesses[DECODE_ACCESSES_MAX];
	bool breakpoint, own_address;
	const char *refusal; /* CODE_REFUSED: the reason */
};

/* Reason why this build cannot decode; NULL: it can. */
const char *decode_unsupported(void);

/*
 * The instruction at `bytes`, of which `room` can be read, as if it stood at `address`. Undecodable
 * bytes: one byte, CODE_REFUSED.
 */
void decode_instruction(const unsigned char *bytes, size_t room, uintptr_t address,
			struct decoded *out);

/*
 * Whether one of the direct jumps in the code's bytes may lead to an address in [start, end). False
 * is exact, true may be wrong: every byte is tried as the begin of a jump. Costs a hundredth of
 * decoding.
 */
bool decode_may_jump(const unsigned char *bytes, size_t nr, uintptr_t address, uintptr_t start,
		     uintptr_t end);

/*
 * A possible constant address of 32 bits in a PLAIN instruction, as in programs without -fPIE; 0:
 * none. May also be any other number.
 */
uint32_t decode_constant(const unsigned char *bytes, const struct code_instruction *instruction);

#endif
