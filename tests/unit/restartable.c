/* SPDX-License-Identifier: Apache-2.0 */
/* Functions with restartable sequences, by their descriptors and by the signature. */
#include "ompt_tool/clones/restartable.h"

#include "ompt_tool/clones/clone.h"
#include "tests/unit/test.h"

#ifdef __x86_64__

/*
 * One sequence in with_sequence, whose abort handler is elsewhere; one descriptor without
 * signature, which is none.
 */
__asm__(".pushsection .text, \"ax\", @progbits\n"
	".type with_sequence, @function\n.globl with_sequence\n.hidden with_sequence\nwith_sequence:\n.cfi_startproc\n"
	"	mov	%rdi, %rax\n"
	".Lstart: add	$1, %rax\n	nop\n.Lend: ret\n.cfi_endproc\n.size with_sequence, . - with_sequence\n"
	".type without_signature, @function\n.globl without_signature\n.hidden without_signature\nwithout_signature:\n.cfi_startproc\n"
	".Lstart_2: add	$1, %rax\n	nop\n.Lend_2: ret\n.cfi_endproc\n.size without_signature, . - without_signature\n"
	".byte 0x0f, 0xb9, 0x3d\n.long 0x53053053\n.Labort: ud2\n.Labort_2: ud2\n"
	".popsection\n"
	".pushsection __rseq_cs, \"aw\"\n.balign 32\n"
	".long 0, 0\n.quad .Lstart, .Lend - .Lstart, .Labort\n"
	".long 0, 0\n.quad .Lstart_2, .Lend_2 - .Lstart_2, .Labort_2\n"
	".popsection\n");
extern char with_sequence[], without_signature[];

static int apart(int x)
{
	return x + 1;
}

TEST(restartable__by_descriptors)
{
	uintptr_t at = (uintptr_t)with_sequence, other = (uintptr_t)without_signature;

	CHECK(restartable_meets(at, at + 9));
	CHECK(restartable_meets(at + 3, at + 4));
	CHECK(!restartable_meets(at, at + 3));     /* before it begins */
	CHECK(!restartable_meets(at + 8, at + 9)); /* behind its end */
	CHECK(!restartable_meets(other, other + 6));
	CHECK(!restartable_meets((uintptr_t)apart, (uintptr_t)apart + 4));
	CHECK(!restartable_meets(8, 16));
}

TEST(restartable__are_refused)
{
	static const struct clone_options options = { .probes = CLONE_ACCESSES };

	if (clone_unsupported())
		test_skip("%s", clone_unsupported());
	CHECK(!clone_make((uintptr_t)with_sequence, &options));
	CHECK(clone_make((uintptr_t)without_signature, &options) != NULL);
}
#endif
