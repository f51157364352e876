/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_LIVENESS_H
#define MEMSEARCH_CODE_LIVENESS_H

#include <stdint.h>

#include "analysis/code/control_flow.h"

/*
 * Live general registers and flags: those that are read later (backward data flow over the graph;
 * Aho, Lam, Sethi, Ullman, 9.2.5). A flag that an instruction leaves undefined counts as
 * overwritten. Conservative: everything is live where control leaves for unknown code (unknown
 * indirect jumps, traps, outlined parts of the function), rsp is always live, and so is the red
 * zone: code inserted by this result must not write to [rsp - 128, rsp). Callee-saved registers are
 * live at calls, where an unwinder may need them, and everywhere if the function never writes them.
 *
 * A call through a pointer or the PLT reads the registers in which the System V ABI passes
 * arguments (psABI x86-64 1.0, 3.2.3; rax and r10 included) and preserves the callee-saved ones; so
 * does a tail call. A call of a function of the same module reads and preserves all, because a
 * compiler that sees both knows which registers the callee changes (gcc -fipa-ra), and assembler
 * code may pass any. A call through a register overwrites nothing for certain, because it may lead
 * to such a function, too. For the same reason a function with other callers than the runtime
 * (LIVENESS_LOCAL) must return with all registers that its original never writes unchanged, and
 * with its flags.
 */
enum liveness_exit {
	/* called through a pointer only: outlined bodies, passed to the runtime */
	LIVENESS_ABI,
	LIVENESS_LOCAL,
};

struct liveness {
	uint16_t *registers; /* live before each instruction, one bit per register */
	uint8_t *flags;      /* … of enum code_flag; DF never counts as dead */
};

/* NULL: no memory. Lives in the arena. */
struct liveness *liveness_new(struct arena *arena, const struct graph *graph,
			      enum liveness_exit exit);

#endif
