/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_CALLERS_H
#define MEMSEARCH_SAMPLING_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether samples of one of a library's instructions came there from the same place of the program:
 * what tells calls of memset or exp in different lines apart, in callbacks, where no stack can be
 * followed.
 */
struct kernel_sample;

/* Looks which code is the program's own, as module_is_foreign has it; before the first sample. */
void callers_begin(void);
/* Or a copy of it (clones/). Code of libraries that were loaded later is not known. */
bool callers_is_own(uint64_t address);
/*
 * The first word of the stack that leads into the program's own code, of copies the original's: the
 * same for the same call, mostly; 0: none is there.
 */
uint64_t callers_of(const struct kernel_sample *sample);

#endif
