/* SPDX-License-Identifier: Apache-2.0 */
/* CET's shadow stack (Intel SDM, volume 1, chapter 17). */
#include "ompt_tool/clones/returns.h"

#ifdef __x86_64__

/*
 * Without an active shadow stack rdsspq is a no-operation that leaves its register unchanged (SDM,
 * volume 2B, RDSSP). It reports the calling thread's state whichever kernel interface enabled it;
 * arch_prctl(ARCH_SHSTK_STATUS) supports that of Linux 6.6 only.
 */
bool return_shadow_stack(void)
{
	uint64_t pointer = 0;

	/* rdsspq %rax */
	__asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0x1e, 0xc8" : "+a"(pointer));
	return pointer != 0;
}

#else

/* Threads are never moved: there are no clones. */
bool return_shadow_stack(void)
{
	return false;
}

#endif
