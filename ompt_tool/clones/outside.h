/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_OUTSIDE_H
#define MEMSEARCH_CLONES_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Calls from clones to originals. An original must see the same state as without clones:
 *
 *     uses its return address     a guard (guard.h) replaces it by the original's: that activation
 *                                 continues in the original
 *     uses all return addresses   the same for all clones on the stack
 *     calls functions back        the guard passes clones of function arguments, e.g. of qsort
 *     any other                   is called directly
 *
 * Functions that use return addresses are found by name and by their code (caller_use.h); also
 * callers that pass theirs on, by a tail jump or frame pointers. One thread at a time, at phase
 * boundaries, after callee_look.
 *
 * To add a function: a row in outside.c.
 */
struct callee;
struct code;
struct code_bounds;
struct runtime_entry;

/* How clones must call the function; NULL: directly. */
const struct runtime_entry *outside_entry(const struct callee *callee);
/*
 * Functions that originals, too, must call through guards, as they use all return addresses or stop
 * clones. NULL: none of these.
 */
const struct runtime_entry *outside_everywhere(const char *name);
/* Whether the function's own code uses return addresses, so that it must not be cloned. */
bool outside_uses_callers(const struct code *code, const struct code_bounds *bounds);

#endif
