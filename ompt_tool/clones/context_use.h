/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_CONTEXT_USE_H
#define MEMSEARCH_CLONES_CONTEXT_USE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether a signal's handler may use or change the address of the interrupted instruction, e.g. for
 * fix-up tables of safe reads, JITs, or a profile. In a clone the address differs. Only handlers with
 * SA_SIGINFO get it: in the third argument, and for SIGFPE, SIGILL, SIGTRAP and SIGSYS also in the
 * second (sigaction(2)). A handler that does not read these arguments cannot use it; those of
 * Fortran runtimes have none. libc's handler of profil(3), which gprof uses, drops such samples.
 *
 * One thread at a time, at phase boundaries, after callee_look.
 */

/* The first signal with such a handler, which is *handler_out; 0: none. */
int context_use_signal(uintptr_t *handler_out);
/* A hash of these handlers as they are now; some 10 us. Any thread, callbacks allowed. */
uint64_t context_use_handlers(void);

/*
 * The architecture's part: whether a function may read its second or third argument (bits 1 and 2
 * of `arguments`) as it was passed. `informed`: it is installed with SA_SIGINFO; else the kernel
 * passes the third, too, on x86-64, but only the handler itself may know.
 */
bool context_use_reads(uintptr_t function, unsigned int arguments, bool informed);

#endif
