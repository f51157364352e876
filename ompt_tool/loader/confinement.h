/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_LOADER_CONFINEMENT_H
#define MEMSEARCH_LOADER_CONFINEMENT_H

#include <stdbool.h>

/*
 * Programs that restrict their own system calls: prctl(2), seccomp(2). A filter that makes calls
 * fail is tolerated. A filter that kills the process, sends a signal or notifies another process
 * could do so for a call that only memsearch makes.
 */

/*
 * Whether a call with these arguments, which is about to be made, may install such a filter (or
 * strict mode). Reads the filter as the kernel does: an invalid address is not dereferenced.
 * Unknown: true. Needs libc only; no malloc, any thread. Preserves errno.
 */
bool confinement_by_prctl(unsigned long option, unsigned long mode, unsigned long filter);
bool confinement_by_syscall(long number, unsigned long first, unsigned long second,
			    unsigned long third);

#endif
