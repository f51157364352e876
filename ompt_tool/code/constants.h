/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_CONSTANTS_H
#define MEMSEARCH_CODE_CONSTANTS_H

#include "ompt_tool/code/graph.h"

/*
 * Addresses of data that compilers load into registers ahead of loops (forward data flow over the
 * graph; Kildall, POPL 1973):
 *
 *     lea x(%rip), %r8          │ of PLAIN accesses (%r8,%rdx,8) becomes x(,%rdx,8): base CODE_RIP,
 *                               and the
 *     L: … (%r8,%rdx,8) … jne L │ displacement more by where x is
 *
 * Not of jumps and calls, whose operands tell where they lead. On the safe side: nothing is known
 * at the entry, where the unwinder or other code enters, and behind calls; and nothing at all where
 * it is not known where jumps lead.
 */

/* In code->accesses, of which `graph` is. False: no memory, nothing has changed. */
bool constants_fold(struct arena *arena, struct code *code, const struct graph *graph);

#endif
