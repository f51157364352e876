/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_DECODE_H
#define MEMSEARCH_CODE_DECODE_H

#include "ompt_tool/code/code.h"

/*
 * What code.c asks of an architecture's folder: single instructions. Who wants to know what a
 * function does reads it through code.h.
 *
 * To add an architecture: 1. a folder beside x86_64/ that defines these functions and those
 * of table.h under its own #if; 2. the condition in unsupported.c. Any thread, no memory is taken.
 */
enum { DECODE_ACCESSES_MAX = 4 };

struct decoded {
	/* offset and first_access are left to the caller */
	struct code_instruction instruction;
	struct code_access accesses[DECODE_ACCESSES_MAX];
	bool breakpoint, own_address;
	const char *refusal; /* of CODE_REFUSED: why */
};

/* Why nothing can be decoded in this build; NULL: it can. */
const char *decode_unsupported(void);

/*
 * The instruction at `bytes`, of which `room` can be read, as if it stood at `address`. Undecodable
 * bytes: one byte, CODE_REFUSED.
 */
void decode_instruction(const unsigned char *bytes, size_t room, uintptr_t address,
			struct decoded *out);

/*
 * Whether one of the direct jumps among the code's bytes may lead to an address in [start, end).
 * False is certain, true is not: bytes are taken for jumps wherever one could begin. Costs a
 * hundredth of reading the instructions.
 */
bool decode_may_jump(const unsigned char *bytes, size_t nr, uintptr_t address, uintptr_t start,
		     uintptr_t end);

/*
 * What may be a constant address of 32 bits in a PLAIN instruction, as programs without -fPIE have
 * them; 0: there is none. It may be any other number, too.
 */
uint32_t decode_constant(const unsigned char *bytes, const struct code_instruction *instruction);

#endif
