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

/*
 * Whose tables lsda.h reads: gcc's and clang's routines for C and C++, by their exported names, so not those linked statically. And the C
 * library's own, which has no name outside of it: it is gcc's for C, which runs cleanups and looks at neither actions nor types.
 */
enum modules_personality { MODULES_PERSONALITY_UNKNOWN, MODULES_PERSONALITY_KNOWN, MODULES_PERSONALITY_CLEANUPS };
enum modules_personality modules_personality(uintptr_t routine);

/*
 * Whether the module of a function may have an unwinder of its own (-static-libgcc), which takes no call-frame
 * information of clones: it has functions with personality routines, imports what unwinders need, and does not import
 * _Unwind_Resume, with which such functions continue unwinding (code that only catches never needs it). Not the C library, which opens libgcc_s when it unwinds.
 */
bool modules_own_unwinder(uintptr_t function);

#endif
