/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_CODE_ARGUMENT_REGISTERS_H
#define MEMSEARCH_CODE_ARGUMENT_REGISTERS_H

/*
 * For code that stands between a call and the called function on x86-64 (System V ABI, psABI 1.0,
 * 3.2.3): saves the registers that hold arguments to 192 bytes at rsp, a multiple of 16, and loads
 * them from there. By offset:
 *
 *     0 … 47  rdi … r9   48 rax (al: number of vector registers)   56 r10 (static chain)
 *     64 … 191  xmm0 … xmm7
 *
 * r11 is free there.
 */
#define ARGUMENT_REGISTERS_BYTES 192

#define ARGUMENT_REGISTERS_SAVE \
	"	mov	%rdi, (%rsp)\n" \
	"	mov	%rsi, 8(%rsp)\n" \
	"	mov	%rdx, 16(%rsp)\n" \
	"	mov	%rcx, 24(%rsp)\n" \
	"	mov	%r8, 32(%rsp)\n" \
	"	mov	%r9, 40(%rsp)\n" \
	"	mov	%rax, 48(%rsp)\n" \
	"	mov	%r10, 56(%rsp)\n" \
	"	movaps	%xmm0, 64(%rsp)\n" \
	"	movaps	%xmm1, 80(%rsp)\n" \
	"	movaps	%xmm2, 96(%rsp)\n" \
	"	movaps	%xmm3, 112(%rsp)\n" \
	"	movaps	%xmm4, 128(%rsp)\n" \
	"	movaps	%xmm5, 144(%rsp)\n" \
	"	movaps	%xmm6, 160(%rsp)\n" \
	"	movaps	%xmm7, 176(%rsp)\n"

#define ARGUMENT_REGISTERS_LOAD \
	"	mov	(%rsp), %rdi\n" \
	"	mov	8(%rsp), %rsi\n" \
	"	mov	16(%rsp), %rdx\n" \
	"	mov	24(%rsp), %rcx\n" \
	"	mov	32(%rsp), %r8\n" \
	"	mov	40(%rsp), %r9\n" \
	"	mov	48(%rsp), %rax\n" \
	"	mov	56(%rsp), %r10\n" \
	"	movaps	64(%rsp), %xmm0\n" \
	"	movaps	80(%rsp), %xmm1\n" \
	"	movaps	96(%rsp), %xmm2\n" \
	"	movaps	112(%rsp), %xmm3\n" \
	"	movaps	128(%rsp), %xmm4\n" \
	"	movaps	144(%rsp), %xmm5\n" \
	"	movaps	160(%rsp), %xmm6\n" \
	"	movaps	176(%rsp), %xmm7\n"

#endif
