/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SAMPLING_CALLERS_H
#define MEMSEARCH_SAMPLING_CALLERS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Identifies the place of the program from which a library's sampled instruction was called, to
 * distinguish calls of memset or exp in different lines: in callbacks, where no stack can be
 * unwound.
 */
struct kernel_sample;

/* Finds the code that is the program's own, by module_is_foreign; before the first sample. */
void callers_begin(void);
/*
 * Whether the address is in the program's own code or a clone of it. Code of libraries loaded later
 * is unknown.
 */
bool callers_is_own(uint64_t address);
/*
 * The first word of the stack that points into the program's own code; for clones the original's
 * address. Mostly equal for samples from the same call; 0: none.
 */
uint64_t callers_of(const struct kernel_sample *sample);

#endif
