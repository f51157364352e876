/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_H
#define MEMSEARCH_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/code/instruction.h"

/*
 * The machine code of one function, read: what every instruction does to control flow, registers,
 * flags and memory. The one file that knows the architecture's encoding is code/x86_64/decode.c
 * (Zydis); on other architectures code_read reports it as missing.
 *
 *     bounds ─▶ code_decode ─▶ struct code ─▶ control_flow.h: blocks, loops ─▶ liveness.h
 *                                          └▶ clones/
 *
 * Addresses are those of a running process or of a file. Instructions have no gaps: padding between them is
 * read as instructions, too. Where a jump leads into an instruction (past a lock prefix, in libc),
 * what is read from there to its end follows it, behind a row of length 0 that jumps past:
 *
 *     lock cmpxchg %rcx,(%rdx) │ jump to the next │ cmpxchg %rcx,(%rdx) │ the next
 *
 * One thread at a time on one arena.
 */
struct arena;
struct code_memory;

enum { CODE_LINE = 16 };

struct code {
	const struct code_memory *memory; /* may be NULL: no data are readable */
	uintptr_t start, end;
	/* a copy of the code, so that patches in the text do not matter */
	const unsigned char *bytes;
	struct code_instruction *instructions;
	size_t nr_instructions;
	/* by CODE_LINE bytes: the instruction that their first byte is of */
	uint32_t *lines;
	struct code_access *accesses;
	size_t nr_accesses;
	/* contains int3 or int1: the program's, or a debugger's or probe's */
	bool breakpoint;
	/*
	 * … or an instruction that exposes its address or changes the %fs base: syscall, fnstenv,
	 * fxsave
	 */
	bool own_address;
	/* why it cannot be cloned; NULL: it can. Decoding continues as far as possible */
	const char *refusal;
	uintptr_t refusal_address;
};

/*
 * Decodes the bytes of a function at [start, end). `memory` must live as long as the code. Returns
 * NULL if there is no memory or this architecture is unsupported (*why_out is the reason).
 */
struct code *code_decode(struct arena *arena, const struct code_memory *memory, uintptr_t start,
			 uintptr_t end, const unsigned char *bytes, const char **why_out);

/* The instruction that begins at `address`; NULL: none does. O(1). */
const struct code_instruction *code_at(const struct code *code, uintptr_t address);

#endif
