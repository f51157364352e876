/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_LIVENESS_H
#define MEMSEARCH_CODE_LIVENESS_H

#include <stdint.h>

#include "ompt_tool/code/graph.h"

/*
 * Which general registers and flags hold something that is read later (backward data flow over the
 * graph; Aho, Lam, Sethi, Ullman, 9.2.5). A flag that an instruction leaves undefined counts as
 * overwritten. On the safe side: everything is live where control leaves for code not known
 * (unknown indirect jumps, traps, outlined parts of the function), rsp is always live, and so is
 * the red zone: who uses this writes nothing at or below rsp - 128 that it does not put back.
 * Callee-saved registers are live at calls, where an unwinder may need them, and everywhere if the
 * function never writes them.
 *
 * A call through a pointer or the PLT reads what the System V ABI passes (psABI x86-64 1.0, 3.2.3;
 * rax and r10 included) and keeps what it must keep, and so does a tail call. One that leads to a
 * function of the same module reads and keeps all, because a compiler that sees both knows what the
 * callee really changes (gcc -fipa-ra), and assembler code passes what it likes. One through a
 * register overwrites nothing for certain, as it may lead to such a function, too. For the same
 * reason a function that others than the runtime call (LIVENESS_LOCAL) must return with all
 * registers as they were that its original never writes, and with its flags.
 */
enum liveness_exit {
	/* called through a pointer only: outlined bodies, handed to the runtime */
	LIVENESS_ABI,
	LIVENESS_LOCAL,
};

struct liveness {
	uint16_t *registers; /* live before each instruction, a bit a register */
	uint8_t *flags;      /* … of enum code_flag; DF never counts as dead */
};

/* NULL: no memory. Lives in the arena. */
struct liveness *liveness_new(struct arena *arena, const struct graph *graph,
			      enum liveness_exit exit);

#endif
