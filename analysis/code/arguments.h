/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_ARGUMENTS_H
#define MEMSEARCH_CODE_ARGUMENTS_H

#include "analysis/code/code.h"

/*
 * Functions that calls pass on, as bodies of constructs to the OpenMP runtime: compilers load their
 * addresses into the argument's register shortly before the call, or before a loop around it.
 *
 *     lea  body(%rip), %rdi      body is argument 0
 *     mov  %rsp, %rsi
 *     call GOMP_parallel
 */
#define CODE_ARGUMENTS 6 /* in registers */

/* Register of an argument, from 0 on (System V ABI for x86-64, psABI 1.0, 3.2.3). */
uint8_t code_argument_register(unsigned int argument);

/* Whether a function begins there. */
typedef bool code_is_function(void *ctx, uint64_t address);

/*
 * The function whose address is in the register at a call or tail call, by its index in
 * code->instructions; 0: unknown, or none.
 */
uint64_t code_passed_function(const struct code *code, size_t call, uint8_t reg,
			      code_is_function *is_function, void *ctx);

#endif
