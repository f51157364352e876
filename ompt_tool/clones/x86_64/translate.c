/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks a clone's entry up in the table of entry_table.c, which the code below reads as that file
 * writes it.
 */
#ifdef __x86_64__
#include "ompt_tool/clones/x86_64/translate.h"

#include "ompt_tool/clones/entry_table.h"
#include "ompt_tool/clones/x86_64/encode.h"
#include "ompt_tool/clones/x86_64/flush.h"
#include "ompt_tool/clones/x86_64/guard.h"

#define TEXT_OF(macro) #macro
#define VALUE(macro) TEXT_OF(macro)
#define MISSED_BITS 6
_Static_assert(MISSED_BITS == ENTRIES_MISSED_BITS, "an enumerator is no text");

/* clang-format off */
__asm__(
	".text\n"
	".p2align 4\n"
	".hidden translate_entry\n"
	".globl translate_entry\n"
	".type translate_entry, @function\n"
	"translate_entry:\n"
	"	endbr64\n"
	"	cmpl $0, entries_paused(%rip)\n"
	"	jne 3f\n"
	"	leaq entries_by_probes(%rip), %rcx\n"
	"	movq (%rcx,%rdx,8), %rdx\n"
	"	testq %rdx, %rdx\n"
	"	jz 3f\n"
	"	movl %eax, %ecx\n"
	"	imull $" VALUE(ENTRIES_FACTOR) ", %ecx, %ecx\n"
	"	shrl $" VALUE(ENTRIES_SHIFT) ", %ecx\n"
	"1:	andq (%rdx), %rcx\n"             /* mask, of bytes */
	"	cmpq %rax, 16(%rdx,%rcx)\n"
	"	je 2f\n"
	"	cmpq $0, 16(%rdx,%rcx)\n"
	"	je 3f\n"
	"	addq $16, %rcx\n"
	"	jmp 1b\n"
	"2:	movq 24(%rdx,%rcx), %rdx\n"
	"	testq %rdx, %rdx\n"
	"	jz 3f\n"
	"	cmpq %rdx, %rax\n"
	"	je 5f\n"
	"	movq %rdx, %rax\n"
	"	movl $1, %ecx\n"
	"	ret\n"
	"3:	xorl %edx, %edx\n"              /* not known */
	"	jmp 6f\n"
	"5:	movl $1, %edx\n"                /* known to be called as it is: noted, as it may get a clone */
	"6:	pushq %rdx\n"
	"	leaq entries_missed(%rip), %rdx\n"
	"	movl %eax, %ecx\n"
	"	imull $" VALUE(ENTRIES_FACTOR) ", %ecx, %ecx\n"
	"	shrl $32 - " VALUE(MISSED_BITS) ", %ecx\n"
	"	cmpq %rax, (%rdx,%rcx,8)\n"     /* so that its line stays with all threads */
	"	je 4f\n"
	"	movq %rax, (%rdx,%rcx,8)\n"
	"4:	popq %rcx\n"
	"	ret\n"
	".size translate_entry, . - translate_entry\n");
/* clang-format on */

/* jmp *0(%rip), and the address behind it */
static void write_far_jump(struct encoder *out, const char *target)
{
	ENCODE(out, "\xff\x25\0\0\0\0");
	encode_64(out, (uintptr_t)target);
}

static void fill_to(struct encoder *out, uintptr_t run)
{
	while (out->run < run && !out->full)
		encode_8(out, 0xcc);
}

void translate_write_head(struct encoder *out)
{
	uintptr_t head = out->run;

	write_far_jump(out, flush_full);
	fill_to(out, head + GUARD_IN_TEXT);
	write_far_jump(out, guard_entry);
	for (uint32_t probes = 0; probes < ENTRIES_PROBES; probes++) {
		fill_to(out, head + translate_in_text(probes));
		encode_8(out, 0xba); /* mov $probes, %edx */
		encode_32(out, (int32_t)probes);
		write_far_jump(out, translate_entry);
	}
}
#endif
