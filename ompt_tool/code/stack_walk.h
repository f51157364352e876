/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_STACK_WALK_H
#define MEMSEARCH_CODE_STACK_WALK_H

#include <stdint.h>
#include <unwind.h>

/* A return address on the stack, and the frame pointer (rbp) of the function that it returns to. */
struct stack_walk_return {
	uintptr_t *slot;
	uintptr_t pointer;
};

/*
 * Visits the frames of the calling thread's stack from the inside out, as _Unwind_Backtrace (Itanium
 * C++ ABI: Exception Handling), for a program whose call-frame information may be wrong: assembler
 * that pushes registers without telling the unwinder runs well, unless an exception passes it. The
 * frame behind it has an arbitrary return address, where libgcc's unwinder reads the code
 * (MD_FALLBACK_FRAME_STATE_FOR), which may not be readable. The walk ends there; on x86-64 only.
 *
 * Callbacks allowed: libgcc's unwinder neither allocates nor locks since glibc 2.35 (_dl_find_object).
 *
 * *end_out: the return address at which the walk ended, visited or not, if the unwinder knows no frame
 * of its code; slot NULL: it ended otherwise, or that is not known.
 */
void stack_walk(_Unwind_Trace_Fn visit, void *ctx, struct stack_walk_return *end_out);

#endif
