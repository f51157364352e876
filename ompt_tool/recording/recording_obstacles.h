/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_RECORDING_OBSTACLES_H
#define MEMSEARCH_RECORDING_RECORDING_OBSTACLES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What in the program forbids to run clones of its functions, as it would see that other code runs:
 * handlers of synchronous signals that use the address of the interrupted instruction, asynchronous
 * cancellation, whose unwinder may begin at any instruction, and hardware breakpoints.
 */

/*
 * Now, for the calling thread. NULL: nothing; else why not, and a function of the program that it
 * is about, or 0. At phase boundaries.
 */
const char *recording_obstacle(uintptr_t *function_out);
/* Whether the calling thread may be cancelled at any instruction. Callbacks allowed. */
bool recording_cancelled_anywhere(void);

#endif
