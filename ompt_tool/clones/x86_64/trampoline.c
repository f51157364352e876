/* SPDX-License-Identifier: Apache-2.0 */
/* Trampolines for x86-64, System V ABI (psABI x86-64 1.0, 3.2.3). */
#include "ompt_tool/clones/trampoline.h"

#ifdef __x86_64__

#define TRAMPOLINES 256
#define TRAMPOLINE_BYTES 16
#define TEXT_OF(macro) #macro
#define TEXT(macro) TEXT_OF(macro)

/*
 * Preserves the registers that hold arguments, and no others: rdi rsi rdx rcx r8 r9, al (number of
 * vector registers), r10 (static chain), xmm0 to xmm7. r11 is free between a call and the called
 * function. The frame, by offset from rsp:
 *
 *     0 … 47  rdi … r9   48 rax   56 r10   64 … 191 xmm0 … xmm7   192 r11   200 return address
 *     208 …   arguments from the seventh on
 */
#define WORDS_BEFORE_STACK 26 /* 208 bytes */

__asm__(".pushsection .text, \"ax\", @progbits\n"
	".balign 16\n"
	".type trampoline_common, @function\n"
	"trampoline_common:\n"
	".cfi_startproc\n"
	"	push	%rax\n"
	".cfi_adjust_cfa_offset 8\n"
	"	lea	trampoline_rests(%rip), %rax\n"
	"	cmpb	$0, (%rax,%r11)\n"
	"	je	1f\n"
	"	lea	trampoline_targets(%rip), %rax\n"
	"	mov	(%rax,%r11,8), %r11\n"
	"	pop	%rax\n"
	".cfi_adjust_cfa_offset -8\n"
	"	jmp	*%r11\n"
	"1:\n"
	".cfi_adjust_cfa_offset 8\n"
	"	pop	%rax\n"
	".cfi_adjust_cfa_offset -8\n"
	"	push	%r11\n"
	".cfi_adjust_cfa_offset 8\n"
	"	sub	$192, %rsp\n"
	".cfi_adjust_cfa_offset 192\n"
	"	mov	%rdi, (%rsp)\n"
	"	mov	%rsi, 8(%rsp)\n"
	"	mov	%rdx, 16(%rsp)\n"
	"	mov	%rcx, 24(%rsp)\n"
	"	mov	%r8, 32(%rsp)\n"
	"	mov	%r9, 40(%rsp)\n"
	"	mov	%rax, 48(%rsp)\n"
	"	mov	%r10, 56(%rsp)\n"
	"	movaps	%xmm0, 64(%rsp)\n"
	"	movaps	%xmm1, 80(%rsp)\n"
	"	movaps	%xmm2, 96(%rsp)\n"
	"	movaps	%xmm3, 112(%rsp)\n"
	"	movaps	%xmm4, 128(%rsp)\n"
	"	movaps	%xmm5, 144(%rsp)\n"
	"	movaps	%xmm6, 160(%rsp)\n"
	"	movaps	%xmm7, 176(%rsp)\n"
	"	mov	%r11d, %edi\n"
	"	mov	%rsp, %rsi\n"
	"	call	trampoline_pass\n"
	"	mov	%rax, 192(%rsp)\n"
	"	mov	(%rsp), %rdi\n"
	"	mov	8(%rsp), %rsi\n"
	"	mov	16(%rsp), %rdx\n"
	"	mov	24(%rsp), %rcx\n"
	"	mov	32(%rsp), %r8\n"
	"	mov	40(%rsp), %r9\n"
	"	mov	48(%rsp), %rax\n"
	"	mov	56(%rsp), %r10\n"
	"	movaps	64(%rsp), %xmm0\n"
	"	movaps	80(%rsp), %xmm1\n"
	"	movaps	96(%rsp), %xmm2\n"
	"	movaps	112(%rsp), %xmm3\n"
	"	movaps	128(%rsp), %xmm4\n"
	"	movaps	144(%rsp), %xmm5\n"
	"	movaps	160(%rsp), %xmm6\n"
	"	movaps	176(%rsp), %xmm7\n"
	"	add	$192, %rsp\n"
	".cfi_adjust_cfa_offset -192\n"
	"	pop	%r11\n"
	".cfi_adjust_cfa_offset -8\n"
	"	jmp	*%r11\n"
	".cfi_endproc\n"
	".size trampoline_common, . - trampoline_common\n"

	".balign 16\n"
	".type trampoline_first, @function\n"
	"trampoline_first:\n"
	".cfi_startproc\n"
	".set trampoline_number, 0\n"
	".rept " TEXT(
		TRAMPOLINES) "\n"
			     "	.balign " TEXT(
				     TRAMPOLINE_BYTES) ", 0xcc\n"
						       "	endbr64\n"
						       "	mov	$trampoline_number, %r11d\n"
						       "	jmp	trampoline_common\n"
						       "	.set trampoline_number, trampoline_number + 1\n"
						       ".endr\n"
						       ".cfi_endproc\n"
						       ".size trampoline_first, . - trampoline_first\n"
						       ".popsection\n");

extern const char trampoline_first[] __attribute__((visibility("hidden")));

static uint64_t *argument(uint64_t *saved, unsigned int n)
{
	return n < 6 ? saved + n : saved + WORDS_BEFORE_STACK + (n - 6);
}

const struct trampoline_code trampoline_code = { (uintptr_t)trampoline_first, TRAMPOLINE_BYTES,
						 TRAMPOLINES, argument };

#else

const struct trampoline_code trampoline_code = { 0 };

#endif
