/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_CONSTANTS_H
#define MEMSEARCH_CODE_CONSTANTS_H

#include "analysis/code/control_flow.h"

/*
 * Addresses of data that compilers load into registers before loops (forward data flow over the
 * graph; Kildall, POPL 1973). In PLAIN accesses the register is replaced by its value:
 *
 *     lea x(%rip), %r8          │ (%r8,%rdx,8) becomes x(,%rdx,8): base CODE_RIP, and the
 *     L: … (%r8,%rdx,8) … jne L │ displacement is increased by the address of x
 *
 * Not in jumps and calls, whose operands determine their targets. Conservative: nothing is known at
 * the entry, where the unwinder or other code enters, and after calls; and nothing at all if the
 * targets of a jump are unknown.
 */

/* Changes code->accesses; `graph` must be of `code`. False: no memory, nothing has changed. */
bool constants_fold(struct arena *arena, struct code *code, const struct graph *graph);

#endif
