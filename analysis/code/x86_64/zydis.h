/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_X86_64_ZYDIS_H
#define MEMSEARCH_CODE_X86_64_ZYDIS_H

/*
 * Internal to this folder: a decoded instruction of Zydis, and common queries. Zydis lists operands
 * in the order of Intel's manual.
 */
#if defined(__x86_64__) && defined(HAVE_ZYDIS)
#define CODE_X86_64 1

#include <Zydis/Zydis.h>

#include "analysis/code/decode.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11 };

struct machine_instruction {
	ZydisDecodedInstruction is;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	uintptr_t address;
};

bool zydis_decode(const unsigned char *bytes, size_t room, uintptr_t address,
		  struct machine_instruction *out);

/* Number of a general register of any width, or CODE_NO_REGISTER. */
unsigned int zydis_general_register(ZydisRegister reg);

static inline bool zydis_reads(const ZydisDecodedOperand *operand)
{
	return operand->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
}

static inline bool zydis_writes(const ZydisDecodedOperand *operand)
{
	return operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
}

/* Whether its operands name memory that is neither read nor written. */
bool operands_are_unused(const struct machine_instruction *in);

/* The memory operands of `in` into out->accesses; NULL, or why they are unknown. */
const char *operands_read(const struct machine_instruction *in, struct decoded *out);

#endif
#endif
