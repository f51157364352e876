/* SPDX-License-Identifier: Apache-2.0 */
/* Trampolines for x86-64, System V ABI (psABI x86-64 1.0, 3.2.3). */
#include "ompt_tool/clones/trampoline.h"

#ifdef __x86_64__

#include "ompt_tool/code/argument_registers.h"

#define TRAMPOLINES 256
#define TRAMPOLINE_BYTES 16
#define TEXT_OF(macro) #macro
#define TEXT(macro) TEXT_OF(macro)

/*
 * Preserves the registers that hold arguments, and no others. The frame, by offset from rsp:
 *
 *     0 … 191  argument registers   192 r11   200 return address
 *     208 …    arguments from the seventh on
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
	".cfi_adjust_cfa_offset 192\n" ARGUMENT_REGISTERS_SAVE "	mov	%r11d, %edi\n"
	"	mov	%rsp, %rsi\n"
	"	call	trampoline_pass\n"
	"	mov	%rax, 192(%rsp)\n" ARGUMENT_REGISTERS_LOAD "	add	$192, %rsp\n"
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
