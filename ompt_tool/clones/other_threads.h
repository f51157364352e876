/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_OTHER_THREADS_H
#define MEMSEARCH_CLONES_OTHER_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "ompt_tool/clones/switching.h"

/*
 * Whether some code can be changed under the other threads of the process. A thread that sleeps in the
 * kernel has an instruction pointer to which it will return, and the kernel tells it (/proc/self/task/TID/syscall,
 * proc(5); always allowed among threads of one process). A thread that runs has none that could be
 * known from outside; it must be one that `waits` vouches for.
 *
 * What remains: a thread that sleeps for reasons of its own (I/O, a timer) can wake between the look and the change, some
 * 10 us later. It is harmed only if it enters just this function then and has passed an instruction, but not five bytes,
 * when they change; or if a signal took it from there and it sleeps in the handler.
 */

/* True: no other thread is behind the first byte of [start, end). False: *why_out. */
bool other_threads_outside(uintptr_t start, uintptr_t end, switching_waits *waits, void *ctx, const char **why_out);

/* Makes all threads of the process read the changed code before they go on in user mode, where the kernel can (Linux 4.16). */
void other_threads_synchronize(void);

#endif
