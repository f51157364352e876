/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_OUTSIDE_H
#define MEMSEARCH_CLONES_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Calls of clones that lead to originals. An original must see what it would have seen without clones:
 *
 *     uses its return address     the stand-in puts the original's address there: that activation goes on in the original
 *     uses those of the stack     the same for all clones on the stack
 *     calls functions back        the stand-in passes clones of the functions among the arguments: qsort and the like
 *     anything else               is called as it is
 *
 * Which functions use return addresses is found by name and by their code (caller_use.h); of functions that call them, where the return
 * address is on the way: by a jump, or along frame pointers.
 * One thread at a time, at phase boundaries, after callee_look.
 *
 * To add a function: a row in outside.c.
 */
struct callee;
struct runtime_entry;

/* How calls of the function by a clone of code in a module (callee_module) must be made; NULL: as they are. */
const struct runtime_entry *outside_entry(const struct callee *callee);
/* Functions that every module must call through stand-ins, as they use all return addresses of the stack. NULL: not one of them. */
const struct runtime_entry *outside_everywhere(const char *name);
/* Whether the function's own code uses return addresses, so that it must not be cloned. */
struct code;
struct code_bounds;
bool outside_uses_callers(const struct code *code, const struct code_bounds *bounds);

#endif
