/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIR_PROVENANCE_H
#define MEMSEARCH_SIR_PROVENANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/code/control_flow.h"

/*
 * From which array's address the general registers are computed (forward data flow over the graph;
 * Kildall, POPL 1973): an address or a static pointer that was loaded, plus or minus anything that
 * is computed from no array. At joins both must agree. Words of the frame are not followed.
 *
 *     lea  a(%rip), %rax       rax: a
 *     add  %rcx, %rax          rax: a
 *  L: movsd (%rax), %xmm0      reads a
 */
enum { PROVENANCE_REGISTERS = 16 };
#define PROVENANCE_NONE UINT32_MAX

/* Number of the array at an address of the file; PROVENANCE_NONE: none. */
typedef uint32_t provenance_array(void *ctx, uint64_t address);
/* The array that a pointer at the address leads to; PROVENANCE_NONE: there is no pointer. */
typedef uint32_t provenance_pointer(void *ctx, uint64_t address);

struct provenance {
	const struct graph *graph;
	provenance_array *array;
	provenance_pointer *pointer;
	void *ctx;
	bool fixed; /* the file has fixed addresses: constants may be some */
};

struct provenance_state {
	uint32_t of[PROVENANCE_REGISTERS]; /* array, or PROVENANCE_NONE */
};

/* By block: the state at its begin. NULL: no memory. */
struct provenance_state *provenance_find(struct arena *arena, const struct provenance *provenance);
/* The effect of one instruction. */
void provenance_pass(const struct provenance *provenance,
		     const struct code_instruction *instruction, struct provenance_state *state);

#endif
