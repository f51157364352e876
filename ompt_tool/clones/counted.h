/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_COUNTED_H
#define MEMSEARCH_CLONES_COUNTED_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt_tool/code/graph.h"

/*
 * Counted loops: of one block that branches to itself, where each register of an address becomes more by a constant each time: it is never
 * written, only has constants added to it, or is a sum of such registers. What such a loop accesses is known from its first time and what
 * its registers hold when it is left, so it has no probes but then (record.h).
 *
 *     1: lea (%rdx,%rdi),%rcx ; mov (%rcx,%r9),%eax ; add %eax,(%rdx) ; add $4,%rdx ; cmp %rsi,%rdx ; jne 1b
 *
 * Who needs to know of each iteration (CLONE_LOOPS, CLONE_STACK) has no counted loops.
 */

/* Whether the block is one with these probes (enum clone_probes), as far as is known before its words are. */
bool counted_is(const struct graph *graph, uint32_t block, uint32_t probes);
/* How many accesses there are each time. */
uint32_t counted_accesses(const struct graph *graph, uint32_t block);

/* By how much registers become more from one time to the next; a bit a register. */
struct counted_amounts { int64_t of[16]; uint16_t known; };
/* Of what they hold before an instruction of the block. */
struct counted_amounts counted_amounts(const struct graph *graph, uint32_t block, uint32_t instruction);
static inline bool counted_knows(const struct counted_amounts *amounts, uint8_t reg) { return reg >= 16 || amounts->known >> reg & 1; }
static inline int64_t counted_amount(const struct counted_amounts *amounts, uint8_t reg) { return reg < 16 ? amounts->of[reg] : 0; }

#endif
