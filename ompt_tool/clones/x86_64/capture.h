/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_X86_64_CAPTURE_H
#define MEMSEARCH_CLONES_X86_64_CAPTURE_H

#include "ompt_tool/clones/x86_64/emission.h"

/*
 * Storing what addresses are made of: registers as they are, or sums where a register is
 * free for them. Accesses share words as long as their registers are not written.
 */

struct operand window_word(const struct scope *scope, uint32_t word);

/* No register takes part in the address. */
bool capture_is_constant(const struct code_access *access);
/*
 * Serves accesses of the instruction whose words are there already; whether these are all of them.
 */
bool capture_shared(struct emission *e, uint32_t instruction);
/*
 * Whether an access of the instruction cannot do without a second register, or takes fewer words
 * with one.
 */
bool capture_needs_scratch(struct emission *e, uint32_t instruction);
/* Registers that a probe before the instruction must leave as they are. */
uint16_t capture_avoid(struct emission *e, uint32_t instruction);
/*
 * Stores what the instruction needs, and with a register pushed for it, what later ones of the
 * window do.
 */
void capture_instruction(struct emission *e, const struct scope *scope, uint32_t instruction);
/* A register has become more by so much: words that hold it still serve. */
void capture_step(struct window *window, uint8_t reg, int32_t step);
/* These registers have changed. */
void capture_forget(struct window *window, uint16_t registers);

#endif
