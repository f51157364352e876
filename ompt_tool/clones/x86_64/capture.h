/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_X86_64_CAPTURE_H
#define MEMSEARCH_CLONES_X86_64_CAPTURE_H

#include "ompt_tool/clones/x86_64/emission.h"
#include "ompt_tool/clones/x86_64/scope.h"

/*
 * Stores the components of addresses: registers as they are, or sums if a register is free to
 * compute them. Accesses share words until their registers are written.
 */

struct operand window_word(const struct scope *scope, uint32_t word);

/* No register is part of the address. */
bool capture_is_constant(const struct code_access *access);
/* Serves accesses of the instruction from words already stored; true: all of them. */
bool capture_shared(struct emission *e, uint32_t instruction);
/*
 * Whether an access of the instruction cannot do without a second register, or takes fewer words
 * with one.
 */
bool capture_needs_scratch(struct emission *e, uint32_t instruction);
/* Registers that a probe before the instruction must preserve. */
uint16_t capture_avoid(struct emission *e, uint32_t instruction);
/*
 * Stores the words that the instruction needs, and if a register was pushed for it, those that
 * later instructions of the window need.
 */
void capture_instruction(struct emission *e, const struct scope *scope, uint32_t instruction);
/* The register was increased by `step`: words that hold its value remain usable. */
void capture_step(struct window *window, uint8_t reg, int32_t step);
/* The registers have changed: words that hold their values are no longer usable. */
void capture_forget(struct window *window, uint16_t registers);

#endif
