/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_RUNNING_CODE_H
#define MEMSEARCH_CODE_RUNNING_CODE_H

#include <stdint.h>

/* Machine code of the running process for analysis/code. Not in callbacks (see bounds.h). */
struct arena;
struct code;

/*
 * Reads [start, end) of this process. `bytes`: the original code, if the text may be patched at
 * present; NULL: the code at `start`. NULL: see code_decode.
 */
struct code *code_read(struct arena *arena, uintptr_t start, uintptr_t end,
		       const unsigned char *bytes, const char **why_out);

#endif
