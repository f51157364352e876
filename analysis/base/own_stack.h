/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_OWN_STACK_H
#define MEMSEARCH_BASE_OWN_STACK_H

#include <stddef.h>
#include <stdint.h>

/*
 * Stacks of memsearch's own for work inside the user's program. A program's thread may have few KiB
 * left, of a stack whose size is unknown to others: threads with a small stack, coroutines, `ulimit
 * -s`. Code that needs more than some hundred bytes runs here.
 *
 * - Stacks are mapped at first use, with a guard area below, kept, and taken for the duration of a
 *   call: any thread, no lock, no malloc. A call from such a stack runs directly.
 * - For the duration signals are blocked, as a handler of the program must not run here (a garbage
 *   collector would scan this stack), and the thread cannot be cancelled. Those that an instruction
 *   raises are not blocked; a handler that leaves by siglongjmp keeps the stack from being used
 *   again, and nothing else. So nothing here may wait for a thread of the program.
 * - Unwinding continues from these stacks to the program's: backtraces, and code that changes
 *   return addresses, see all frames.
 * - The function runs on the program's stack where there is no memory, where OWN_STACK_COUNT are
 *   in use at once, and on other processors than x86-64.
 */
#define OWN_STACK_BYTES (512u << 10) /* twice the largest use so far: tests/live/stacks.sh */
#define OWN_STACK_COUNT 1024         /* at once */

/*
 * Costs two system calls and some 60 ns, no matter what the function does. errno and the
 * floating-point environment are kept (guest_state.h).
 */
void own_stack_call(void (*function)(void *argument), void *argument);

/*
 * Called on a thread with the lowest address of the stack of OWN_STACK_BYTES that it is about to
 * use, and afterwards with the value that this call returned: the stack of the previous call, which
 * may belong to another module. Set it before other threads use stacks. NULL: no function.
 */
typedef const void *own_stack_watcher(const void *low);
void own_stack_watch(own_stack_watcher *watcher);

/*
 * For memsearch's own programs: the same on a stack of that size, mapped for this call. Signals are
 * not blocked.
 */
void own_stack_run(size_t bytes, void (*function)(void *argument), void *argument);

/* An address in the program's stack of the current thread, close above what it uses. */
uintptr_t own_stack_programs(void);

/* The most bytes that were ever used of one stack. Reads all of them. */
size_t own_stack_deepest(void);

#endif
