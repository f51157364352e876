/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_COUNTED_H
#define MEMSEARCH_CLONES_COUNTED_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/code/control_flow.h"

/*
 * Counted loops: one block that branches to itself, in which each address register changes by a
 * constant per iteration: it is never written, only has constants added, or is a sum of such
 * registers. Its accesses follow from the first iteration and the registers at the exit, so further
 * iterations have no probes (stretches.h).
 *
 *     1: lea (%rdx,%rdi),%rcx ; mov (%rcx,%r9),%eax ; add %eax,(%rdx) ; add $4,%rdx ; cmp %rsi,%rdx
 *     ; jne 1b
 *
 * Probes of each iteration (CLONE_LOOPS, CLONE_STACK) exclude counted loops.
 */

/*
 * Whether the block is a counted loop with these probes (enum clone_probes), before its words are
 * assigned.
 */
bool counted_is(const struct graph *graph, uint32_t block, uint32_t probes);
/* Number of accesses per iteration. */
uint32_t counted_accesses(const struct graph *graph, uint32_t block);

/* Changes of registers per iteration; `known`: a bit per register. */
struct counted_amounts {
	int64_t of[16];
	uint16_t known;
};
/* Changes of the values before an instruction of the block. */
struct counted_amounts counted_amounts(const struct graph *graph, uint32_t block,
				       uint32_t instruction);
static inline bool counted_is_known(const struct counted_amounts *amounts, uint8_t reg)
{
	return reg >= 16 || amounts->known >> reg & 1;
}
static inline int64_t counted_amount(const struct counted_amounts *amounts, uint8_t reg)
{
	return reg < 16 ? amounts->of[reg] : 0;
}

#endif
