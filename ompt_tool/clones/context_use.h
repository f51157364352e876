/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CLONES_CONTEXT_USE_H
#define MEMSEARCH_CLONES_CONTEXT_USE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Whether a handler of a synchronous signal (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS) may use or change the address of the
 * interrupted instruction: fix-up tables of safe reads, of JITs. In a clone it would find another address there. Only handlers with
 * SA_SIGINFO get it: in their third argument, and for all but SIGSEGV and SIGBUS in the second, too (sigaction(2)). A handler that does
 * not read the argument cannot use it, whatever libraries' handlers print: the Fortran runtimes' have no such argument.
 *
 * One thread at a time, at phase boundaries, after callee_look.
 */

/* Signals whose handlers may, as the first that is found; 0: there is none. The handler's function in *handler_out. */
int context_use_signal(uintptr_t *handler_out);

/* The architecture's part: whether a function may read its second or third argument (bits 1 and 2 of `arguments`) as it was passed.
 * `informed`: it is installed with SA_SIGINFO; else the kernel passes the third, too, on x86-64, but only the handler itself may know. */
bool context_use_reads(uintptr_t function, unsigned int arguments, bool informed);

#endif
