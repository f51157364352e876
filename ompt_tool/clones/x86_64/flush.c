/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Called by clones when a buffer is full. They have lowered the stack pointer below the red zone;
 * everything else is the program's state and is restored. Returns to the call, or after the short
 * jump that follows it (buffer.h).
 */
#ifdef __x86_64__
#include "ompt_tool/clones/x86_64/flush.h"

#include <cpuid.h>

#include "ompt_tool/clones/buffer.h"

#define TEXT_OF(macro) #macro
#define VALUE(macro) TEXT_OF(macro)

/*
 * Offsets in `struct buffer_self`: cursor 0, bound 8, state 16. The C code gets the state that the
 * ABI requires: DF clear, the x87 stack empty, default rounding; xrstor restores the program's,
 * masks of AVX-512 included.
 */
__asm__(".text\n"
	".p2align 4\n"
	".hidden flush_full\n"
	".globl flush_full\n"
	".type flush_full, @function\n"
	"flush_full:\n"
	"	endbr64\n"
	"	pushfq\n"
	"	pushq %rax\n"
	"	pushq %rdx\n"
	"	movq buffer_self@gottpoff(%rip), %rdx\n"
	"	movq %fs:(%rdx), %rax\n"
	"	subq %fs:8(%rdx), %rax\n"
	"	cmpq $" VALUE(
		BUFFER_SLACK) ", %rax\n"
			      "	jbe 1f\n"
			      "	movq buffer_nowhere(%rip), %rax\n"
			      "	movq %rax, %fs:(%rdx)\n"
			      "	popq %rdx\n"
			      "	popq %rax\n"
			      "	popfq\n"
			      "	ret\n"
			      "1:	pushq %rcx\n"
			      "	pushq %rsi\n"
			      "	pushq %rdi\n"
			      "	pushq %r8\n"
			      "	pushq %r9\n"
			      "	pushq %r10\n"
			      "	pushq %r11\n"
			      "	pushq %rbx\n"
			      "	pushq %rbp\n"
			      "	movq %rsp, %rbp\n"
			      "	andq $-64, %rsp\n"
			      "	movq %fs:16(%rdx), %rbx\n"
			      "	movq %fs:(%rdx), %rdi\n"
			      "	movq $" VALUE(
				      BUFFER_BUSY) ", %fs:(%rdx)\n"
						   "	movl $-1, %eax\n"
						   "	movl $-1, %edx\n"
						   "	xsave64 (%rbx)\n"
						   "	fninit\n"
						   "	pushq $0x1f80\n" /* MXCSR at reset: SDM 1, 10.2.3 */
						   "	ldmxcsr (%rsp)\n"
						   "	pushq $0\n"
						   "	cld\n"
						   "	call buffer_flush\n"
						   "	movq %rax, (%rsp)\n"
						   "	addq %rdx, 96(%rbp)\n" /* the return address */
						   "	movl $-1, %eax\n"
						   "	movl $-1, %edx\n"
						   "	xrstor64 (%rbx)\n"
						   /* only now, as a handler may need the state area for itself from then on */
						   "	movq (%rsp), %rax\n"
						   "	movq buffer_self@gottpoff(%rip), %rdx\n"
						   "	movq %rax, %fs:(%rdx)\n"
						   "	movq %rbp, %rsp\n"
						   "	popq %rbp\n"
						   "	popq %rbx\n"
						   "	popq %r11\n"
						   "	popq %r10\n"
						   "	popq %r9\n"
						   "	popq %r8\n"
						   "	popq %rdi\n"
						   "	popq %rsi\n"
						   "	popq %rcx\n"
						   "	popq %rdx\n"
						   "	popq %rax\n"
						   "	popfq\n"
						   "	ret\n"
						   ".size flush_full, . - flush_full\n");

/*
 * Leaf 13 returns the bytes that XSAVE writes with the features the system has enabled: SDM 1,
 * 13.2. Executed once, because CPUID is slow in virtual machines.
 */
size_t buffer_state_bytes(void)
{
	static _Atomic size_t known;
	unsigned int a, b, c, d;

	if (known)
		return known;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) ||
	    !__get_cpuid_count(13, 0, &a, &b, &c, &d))
		return 0;
	return known = (b + 63) & ~63u;
}

#else
#include "ompt_tool/clones/buffer.h"

size_t buffer_state_bytes(void)
{
	return 0;
}
#endif
