/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_STACK_WALK_H
#define MEMSEARCH_CODE_STACK_WALK_H

#include <unwind.h>

/*
 * Visits the frames of the calling thread's stack from the inside out, as _Unwind_Backtrace (Itanium
 * C++ ABI: Exception Handling), for a program whose call-frame information may be wrong: assembler
 * that pushes registers without telling the unwinder runs well, unless an exception passes it. The
 * frame behind it has an arbitrary return address, where libgcc's unwinder reads the code
 * (MD_FALLBACK_FRAME_STATE_FOR), which may not be readable. The walk ends there; on x86-64 only.
 *
 * Callbacks allowed: libgcc's unwinder neither allocates nor locks since glibc 2.35 (_dl_find_object).
 */
void stack_walk(_Unwind_Trace_Fn visit, void *ctx);

#endif
