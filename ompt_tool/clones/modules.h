/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_MODULES_H
#define MEMSEARCH_CLONES_MODULES_H

#include "ompt_tool/code/bytes.h"

/*
 * What unwind tables of loaded files must be checked against. One thread at a time; not in
 * callbacks (walks the loaded modules).
 */

/* From `address` to the end of the loaded segment it is in; false: it is in none. */
bool modules_memory(const void *address, struct bytes *out);

/* Whether the routine at the address is one whose tables lsda.h reads: by its exported name, so not one linked statically. */
bool modules_personality_known(uintptr_t routine);

/*
 * Whether the module of a function may have an unwinder of its own (-static-libgcc), which cannot be told of clones: it has
 * functions with personality routines, imports what unwinders need, and does not import what these functions go on unwinding with,
 * which one that only catches never does. Not the C library, which opens libgcc_s when it unwinds.
 */
bool modules_own_unwinder(uintptr_t function);

#endif
