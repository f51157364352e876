/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_RESTARTABLE_H
#define MEMSEARCH_CLONES_RESTARTABLE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Restartable sequences (rseq(2), linux/rseq.h): the kernel compares the address of a preempted
 * instruction with a descriptor's range and moves the thread to its abort handler. Code at another
 * address, such as a clone, would not be restarted. Descriptors are found by what the kernel
 * demands of them: the word before the abort handler is the signature that the C library registers.
 * One thread at a time; takes the dynamic linker's lock.
 */

/* Whether code in [start, end) is part of a sequence or of its abort handler. */
bool restartable_meets(uintptr_t start, uintptr_t end);

#endif
