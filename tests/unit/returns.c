/* SPDX-License-Identifier: Apache-2.0 */
/* Return addresses replaced, between two hand-made copies of a function. */
#include "ompt_tool/clones/returns.h"

#include "tests/unit/test.h"

#ifdef __x86_64__

typedef int with_callback(int (*callback)(int), int argument);
with_callback original_code, copied_code;
extern const char original_after[], copied_after[];

/*
 * Calls its first argument with the second, and returns 1 in the original, 2 in the copy, plus 10
 * times what was returned.
 */
#define FUNCTION(name, space, number) \
	".globl " #name "_code\n.hidden " #name "_code\n.type " #name "_code, @function\n" #name \
	"_code:\n" \
	".cfi_startproc\n" \
	"	push	%rbx\n" \
	".cfi_adjust_cfa_offset 8\n" \
	".cfi_offset %rbx, -16\n" \
	"	mov	$" #number ", %ebx\n" space "	mov	%rdi, %rax\n" \
	"	mov	%esi, %edi\n" \
	"	mov	$10, %ebx\n" \
	"	call	*%rax\n" \
	".globl " #name "_after\n.hidden " #name "_after\n" #name "_after:\n" space \
	"	imul	%ebx, %eax\n" \
	"	add	$" #number ", %eax\n" \
	"	pop	%rbx\n" \
	".cfi_adjust_cfa_offset -8\n" \
	"	ret\n" \
	".cfi_endproc\n.size " #name "_code, . - " #name "_code\n"

__asm__(".pushsection .text, \"ax\", @progbits\n" FUNCTION(original, "", 1)
		FUNCTION(copied, "	nop\n	nop\n", 2) ".popsection\n");

static uintptr_t after_call(uintptr_t address)
{
	return address == (uintptr_t)original_after ? (uintptr_t)copied_after : 0;
}

static uintptr_t original(uintptr_t address)
{
	return address == (uintptr_t)copied_after ? (uintptr_t)original_after : address;
}

static const struct return_places places = { after_call, original };

static void needs_no_shadow_stack(void)
{
	if (return_shadow_stack())
		test_skip("a shadow stack is active");
}

/* Bits of how: 1 on, 2 expected is another. Returns what return_move said. */
static __attribute__((noinline)) int move_own(int how)
{
	uintptr_t *slot = (uintptr_t *)__builtin_frame_address(0) + 1;
	uintptr_t expected = (uintptr_t)__builtin_return_address(0) + (how & 2);

	return return_move(&places, slot, expected, how & 1);
}

TEST(returns__into_the_copy_and_back)
{
	needs_no_shadow_stack();
	CHECK_INT(original_code(move_own, 1), 10 + 2);
	CHECK_INT(copied_code(move_own, 0), 10 + 1);
	CHECK_INT(original_code(move_own, 1), 10 + 2);
}

TEST(returns__nothing_to_move)
{
	CHECK_INT(original_code(move_own, 0), 1);
	CHECK_INT(copied_code(move_own, 1), 2);
}

TEST(returns__not_the_expected_address)
{
	CHECK_INT(original_code(move_own, 3), 1);
	CHECK_INT(copied_code(move_own, 2), 2);
	CHECK(!return_move(&places, NULL, 0, true));
	CHECK(!return_move(&places, (uintptr_t *)(uintptr_t)3, (uintptr_t)original_after, true));
}

/* A clone that is not in use any more: its twin's twin. */
static uintptr_t after_call_elsewhere(uintptr_t address)
{
	return address == (uintptr_t)original_after ? (uintptr_t)copied_after + 1 : 0;
}

TEST(returns__from_one_copy_to_another)
{
	static const struct return_places other = { after_call_elsewhere, original };
	uintptr_t slot = (uintptr_t)copied_after;

	needs_no_shadow_stack();
	CHECK(return_move(&other, &slot, slot, true));
	CHECK_THAT(slot, ==, (uintptr_t)copied_after + 1);
}

static __attribute__((noinline)) int move_all(int on)
{
	return (int)return_move_frames(&places, on);
}

static __attribute__((noinline)) int move_all_from_within(int on)
{
	return original_code(move_all, on) + 0 * on;
}

TEST(returns__all_frames)
{
	needs_no_shadow_stack();
	CHECK_INT(original_code(move_all, 1), 10 + 2);
	CHECK_INT(copied_code(move_all, 0), 10 + 1);
	CHECK_INT(original_code(move_all, 0), 1);
	CHECK_INT(original_code(move_all_from_within, 1), 10 * (10 * 2 + 2) + 2);
	CHECK_INT(copied_code(move_all_from_within, 0), 10 * (10 * 1 + 1) + 1);
}

TEST(returns__many_times)
{
	needs_no_shadow_stack();
	for (int i = 0; i < 2000; i++)
		CHECK_INT(original_code(move_all_from_within, i % 2), i % 2 ? 222 : 1 + 10 * 1);
}

#else

TEST(returns__no_copies_here)
{
	test_skip("functions are not copied on this architecture");
}

#endif
