/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_MODULE_SEGMENTS_H
#define MEMSEARCH_CLONES_MODULE_SEGMENTS_H

#include "ompt_tool/code/bytes.h"

/*
 * Data of loaded modules against which unwind tables are checked. One thread at a time; not in
 * callbacks (iterates modules).
 */

/* From `address` to the end of its loaded segment; false: in none. */
bool modules_memory(const void *address, struct bytes *out);

/*
 * Personality routines whose tables lsda.h reads: gcc's and clang's for C and C++, by their
 * exported names, so not statically linked ones; and the C library's hidden one, which is gcc's for
 * C: it runs cleanups and ignores actions and types.
 */
enum modules_personality {
	MODULES_PERSONALITY_UNKNOWN,
	MODULES_PERSONALITY_KNOWN,
	MODULES_PERSONALITY_CLEANUPS
};
enum modules_personality modules_personality(uintptr_t routine);

/*
 * Whether the module of a function may have an unwinder of its own (-static-libgcc), which takes no
 * call-frame information of clones: it has functions with personality routines, imports what
 * unwinders need, and does not import _Unwind_Resume, with which such functions continue unwinding
 * (code that only catches never needs it). Not the C library, which opens libgcc_s when it unwinds.
 */
bool modules_own_unwinder(uintptr_t function);

#endif
