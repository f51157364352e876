/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that calls pass on in registers, in code written for it. */
#include "analysis/code/arguments.h"

#include "analysis/base/arena.h"
#include "ompt_tool/code/running_code.h"
#include "tests/unit/assembly.h"
#include "tests/unit/test.h"

#if defined(__x86_64__)
__asm__(".text\n" BEGIN(argument_body) "ret\n" END(argument_body)
		BEGIN(argument_other) "ret\n" END(argument_other)
	/* the argument's own register; another's; and what is no function */
	BEGIN(argument_shortly_before) "sub $8, %rsp\n"
				       "lea argument_other(%rip), %rdi\n"
				       "lea argument_body(%rip), %rdi\n"
				       "mov %rsp, %rsi\n"
				       "call argument_other\n"
				       "lea 8(%rsp), %rdi\n"
				       "call argument_other\n"
				       "lea argument_body(%rip), %r9\n"
				       "add $8, %rsp\n"
				       "jmp argument_other\n" END(argument_shortly_before)
	/* through another register, before a loop with calls */
	BEGIN(argument_before_a_loop) "push %rbx\n"
				      "lea argument_body(%rip), %rbx\n"
				      "1: mov %rbx, %rdi\n"
				      "call argument_other\n"
				      "dec %eax\n"
				      "jne 1b\n"
				      "pop %rbx\n"
				      "ret\n" END(argument_before_a_loop)
	/* one of two; computed; and from memory */
	BEGIN(argument_unknown) "push %rbx\n"
				"lea argument_body(%rip), %rbx\n"
				"test %esi, %esi\n"
				"je 1f\n"
				"lea argument_other(%rip), %rbx\n"
				"1: call argument_other\n"
				"mov %rbx, %rdi\n"
				"call argument_other\n"
				"lea argument_body(%rip), %rdi\n"
				"add %rsi, %rdi\n"
				"call argument_other\n"
				"mov (%rsi), %rdi\n"
				"call argument_other\n"
				"pop %rbx\n"
				"ret\n" END(argument_unknown));

extern const char argument_body[], argument_other[], argument_shortly_before[],
	argument_before_a_loop[], argument_unknown[];

enum { RDI = 7, R9 = 9 };

static bool is_one_of_two(void *ctx, uint64_t address)
{
	(void)ctx;
	return address == (uintptr_t)argument_body || address == (uintptr_t)argument_other;
}

/* The function in the register at the n-th call or tail call. */
static const char *passed(const char *function, size_t bytes, int n, uint8_t reg)
{
	struct arena *arena = arena_new();
	const char *why;
	struct code *code = code_read(arena, (uintptr_t)function, (uintptr_t)function + bytes, NULL,
				      &why);
	uint64_t found = 0;

	CHECK(code != NULL);
	for (size_t i = 0; i < code->nr_instructions; i++)
		if ((code->instructions[i].kind == CODE_CALL ||
		     code->instructions[i].kind == CODE_JUMP) &&
		    n-- == 0)
			found = code_passed_function(code, i, reg, is_one_of_two, NULL);
	arena_free(arena);
	return (const char *)(uintptr_t)found;
}
#define PASSED(function, n, reg) passed(function, function##_bytes, n, reg)
#define BYTES(function, next) size_t function##_bytes = (size_t)((next) - (function))

TEST(arguments__a_function_that_is_loaded_before_the_call)
{
	BYTES(argument_shortly_before, argument_before_a_loop);

	CHECK_THAT(PASSED(argument_shortly_before, 0, RDI), ==, argument_body);
	CHECK(PASSED(argument_shortly_before, 1, RDI) == NULL);
	CHECK_THAT(PASSED(argument_shortly_before, 2, R9), ==, argument_body);
}

TEST(arguments__a_function_that_is_loaded_before_a_loop)
{
	BYTES(argument_before_a_loop, argument_unknown);

	CHECK_THAT(PASSED(argument_before_a_loop, 0, RDI), ==, argument_body);
}

TEST(arguments__what_is_not_certain_is_unknown)
{
	size_t argument_unknown_bytes = 64;

	CHECK(PASSED(argument_unknown, 1, RDI) == NULL);
	CHECK(PASSED(argument_unknown, 2, RDI) == NULL);
	CHECK(PASSED(argument_unknown, 3, RDI) == NULL);
}

TEST(arguments__registers_are_those_of_the_calling_convention)
{
	CHECK_THAT(code_argument_register(0), ==, RDI);
	CHECK_THAT(code_argument_register(5), ==, R9);
	CHECK_THAT(code_argument_register(6), ==, CODE_NO_REGISTER);
}
#endif
