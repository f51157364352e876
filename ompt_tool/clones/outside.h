/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_OUTSIDE_H
#define MEMSEARCH_CLONES_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Calls of clones that lead to originals. An original must see what it would have seen without clones:
 *
 *     uses its return address     a guard (guard.h) puts the original's address there: that activation continues in the original
 *     uses those of the stack     the same for all clones on the stack
 *     calls functions back        the guard passes clones of the functions among the arguments: qsort and the like
 *     anything else               is called as it is
 *
 * Which functions use return addresses is found by name and by their code (caller_use.h); of functions that call them, where the return
 * address is on the way: by a jump, or along frame pointers.
 * One thread at a time, at phase boundaries, after callee_look.
 *
 * To add a function: a row in outside.c.
 */
struct callee;
struct code;
struct code_bounds;
struct runtime_entry;

/* How clones must call the function; NULL: as it is. */
const struct runtime_entry *outside_entry(const struct callee *callee);
/* Functions that originals, too, must call through guards, as they use all return addresses of the stack, or stop clones. NULL: not one of them. */
const struct runtime_entry *outside_everywhere(const char *name);
/* Whether the function's own code uses return addresses, so that it must not be cloned. */
bool outside_uses_callers(const struct code *code, const struct code_bounds *bounds);

#endif
