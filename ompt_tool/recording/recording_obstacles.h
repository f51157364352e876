/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORDING_RECORDING_OBSTACLES_H
#define MEMSEARCH_RECORDING_RECORDING_OBSTACLES_H

#include <stdbool.h>
#include <stdint.h>

struct recording;

/*
 * Conditions under which clones of the program's functions must not run, because the program would
 * notice them: signal handlers that use the address of the interrupted instruction,
 * asynchronous cancellation, whose unwinder may begin at any instruction, and hardware breakpoints.
 */

/*
 * The present obstacle for the calling thread; NULL: none. *function_out: the function of the
 * program that causes it, or 0. At phase boundaries.
 */
const char *recording_obstacle(uintptr_t *function_out);
/* Whether the calling thread may be cancelled at any instruction. Callbacks allowed. */
bool recording_cancelled_anywhere(void);
/*
 * Whether the program's signal handlers are those of the last look for obstacles.
 * Any thread, callbacks allowed.
 */
bool recording_has_same_handlers(const struct recording *recording);

#endif
