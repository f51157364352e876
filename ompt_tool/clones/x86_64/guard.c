/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guards for x86-64: all general registers, the flags, and what C code may change of the vector and
 * x87 state are kept.
 */
#include "ompt_tool/clones/guard.h"

#ifdef __x86_64__
#include "ompt_tool/clones/x86_64/guard.h"

#define GUARDS 1024
#define GUARD_BYTES 16
#define TEXT_OF(macro) #macro
#define TEXT(macro) TEXT_OF(macro)

/*
 * XSAVE's components 0 to 2 and 5 to 7: x87, SSE, AVX, AVX-512 (SDM 1, 13.1). Tiles and keys stay
 * untouched: C code has none. In the standard format they end at 2688 bytes at most (SDM 1, 13.4.3
 * and CPUID leaf 13: AVX-512's upper registers at 1664, 1024 bytes). The header, 64 bytes at 512,
 * must be 0 where XRSTOR reads and XSAVE does not write (SDM 1, 13.7).
 */
#define COMPONENTS 0xe7
#define STATE_BYTES 2688

/* Called from C convention on: DF clear, x87 empty, default rounding. rbp: above what was saved. */
#define SAVE_STATE \
	"	cld\n" \
	"	subq	$" TEXT( \
		STATE_BYTES) ", %rsp\n" \
			     "	andq	$-64, %rsp\n" \
			     "	xorl	%eax, %eax\n" \
			     "	xorl	%edx, %edx\n" \
			     "	movq	%rax, 512(%rsp)\n" \
			     "	movq	%rax, 520(%rsp)\n" \
			     "	movq	%rax, 528(%rsp)\n" \
			     "	movq	%rax, 536(%rsp)\n" \
			     "	movq	%rax, 544(%rsp)\n" \
			     "	movq	%rax, 552(%rsp)\n" \
			     "	movq	%rax, 560(%rsp)\n" \
			     "	movq	%rax, 568(%rsp)\n" \
			     "	movl	$" TEXT( \
				     COMPONENTS) ", %eax\n" \
						 "	xsave64	(%rsp)\n" \
						 "	fninit\n" \
						 "	pushq	$0x1f80\n" /* MXCSR at reset: SDM 1, 10.2.3 */ \
						 "	ldmxcsr	(%rsp)\n" \
						 "	pushq	$0\n"
#define RESTORE_STATE \
	"	addq	$16, %rsp\n" \
	"	xorl	%edx, %edx\n" \
	"	movl	$" TEXT(COMPONENTS) ", %eax\n" \
					    "	xrstor64 (%rsp)\n" \
					    "	movq	%rbp, %rsp\n"
#define PUSH(reg) "	pushq	%" reg "\n.cfi_adjust_cfa_offset 8\n"
#define POP(reg) "	popq	%" reg "\n.cfi_adjust_cfa_offset -8\n"

/*
 * Frame of a guard, from rbp on: 0 r11, r10, r9, r8, rdi, 40 rsi, rbp, rbx, rdx, rcx, 80 rax,
 * flags, 96 number, 104 return address.
 */
enum { R9 = 2, R8, RDI, RSI, RDX = 8, RCX, RETURN_ADDRESS = 13 };

/* clang-format off */
__asm__(
	".pushsection .text, \"ax\", @progbits\n"
	".balign 16\n"
	".type guard_common, @function\n"
	"guard_common:\n"
	".cfi_startproc\n"
	".cfi_def_cfa_offset 16\n"
	"	pushfq\n"
	".cfi_adjust_cfa_offset 8\n"
	PUSH("rax") PUSH("rcx") PUSH("rdx") PUSH("rbx") PUSH("rbp")
	".cfi_offset %rbx, -56\n"
	".cfi_offset %rbp, -64\n"
	PUSH("rsi") PUSH("rdi") PUSH("r8") PUSH("r9") PUSH("r10") PUSH("r11")
	"	movq	%rsp, %rbp\n"
	".cfi_def_cfa_register %rbp\n"
	SAVE_STATE
	"	movl	96(%rbp), %edi\n"
	"	movq	%rbp, %rsi\n"
	"	call	guard_pass\n"
	"	movq	%rax, 96(%rbp)\n"
	RESTORE_STATE
	".cfi_def_cfa_register %rsp\n"
	POP("r11") POP("r10") POP("r9") POP("r8") POP("rdi") POP("rsi") POP("rbp")
	".cfi_restore %rbp\n"
	POP("rbx")
	".cfi_restore %rbx\n"
	POP("rdx") POP("rcx") POP("rax")
	"	popfq\n"
	".cfi_adjust_cfa_offset -8\n"
	"	ret\n"                           /* to the target; the return address is behind it */
	".cfi_endproc\n"
	".size guard_common, . - guard_common\n"

	".balign 16\n"
	".type guard_first, @function\n"
	"guard_first:\n"
	".cfi_startproc\n"
	".set guard_number, 0\n"
	".rept " TEXT(GUARDS) "\n"
	"	.balign " TEXT(GUARD_BYTES) ", 0xcc\n"
	"	endbr64\n"
	"	pushq	$guard_number\n"
	"	jmp	guard_common\n"
	"	.set guard_number, guard_number + 1\n"
	".endr\n"
	".cfi_endproc\n"
	".size guard_first, . - guard_first\n"

	/* From a clone, which has rax, rcx, rdx and the flags on the stack. */
	".balign 16\n"
	".hidden guard_entry\n"
	".globl guard_entry\n"
	".type guard_entry, @function\n"
	"guard_entry:\n"
	"	endbr64\n"
	"	pushq	%rbp\n"
	"	pushq	%rsi\n"
	"	pushq	%rdi\n"
	"	pushq	%r8\n"
	"	pushq	%r9\n"
	"	pushq	%r10\n"
	"	pushq	%r11\n"
	"	movq	%rsp, %rbp\n"
	"	movq	%rdx, %rdi\n"
	SAVE_STATE
	"	call	guard_left\n"
	RESTORE_STATE
	"	popq	%r11\n"
	"	popq	%r10\n"
	"	popq	%r9\n"
	"	popq	%r8\n"
	"	popq	%rdi\n"
	"	popq	%rsi\n"
	"	popq	%rbp\n"
	"	ret\n"
	".size guard_entry, . - guard_entry\n"
	".popsection\n");
/* clang-format on */

extern const char guard_first[] __attribute__((visibility("hidden")));

static uint64_t *argument(uint64_t *saved, unsigned int n)
{
	static const unsigned int words[] = { RDI, RSI, RDX, RCX, R8, R9 };

	return saved + words[n];
}

static uintptr_t *return_address(uint64_t *saved)
{
	return (uintptr_t *)(saved + RETURN_ADDRESS);
}

const struct guard_code guard_code = { (uintptr_t)guard_first, GUARD_BYTES, GUARDS, argument,
				       return_address };

#else

const struct guard_code guard_code = { 0 };

#endif
