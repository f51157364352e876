/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses that registers hold wherever they are used: against all ways through random code, and
 * in functions written for it.
 */
#include "analysis/code/constants.h"
#include "ompt_tool/code/running_code.h"
#include "tests/unit/assembly.h"
#include "tests/unit/random_code.h"

enum { REGISTERS = 4, STEPS = 400, WALKS = 60 };
enum { VALUE = 0x5000 };

/*
 * Each instruction sets a register to one of few addresses, steps one, writes some, or nothing; and
 * accesses memory by one or two.
 */
static void add_random_loads(struct arena *arena, struct code *code)
{
	code->accesses = arena_alloc(arena, code->nr_instructions * sizeof(*code->accesses));
	code->nr_accesses = code->nr_instructions;
	for (size_t i = 0; i < code->nr_instructions; i++) {
		struct code_instruction *at = &code->instructions[i];

		code->accesses[i] = (struct code_access){ .kind = CODE_ACCESS_PLAIN,
							  .base = (uint8_t)(random() % REGISTERS),
							  .index = CODE_NO_REGISTER,
							  .scale = 8,
							  .size = 8,
							  .displacement = random() % 100 };
		if (random() % 2)
			code->accesses[i].index = (uint8_t)(random() % REGISTERS);
		if (i + 1 < code->nr_instructions && random() % 3)
			at->kind = CODE_PLAIN;
		at->first_access = (uint32_t)i;
		at->nr_accesses = 1;
		if (at->kind != CODE_PLAIN || random() % 2)
			continue;
		at->writes = (uint16_t)(1u << random() % REGISTERS);
		if (random() % 4) {
			at->loads = CODE_LOADS_ADDRESS;
			at->target = VALUE + 16u * at->writes + (random() % 8 ? 0 : 16);
		} else if (random() % 2) {
			at->step = 16;
		}
	}
}

static uint64_t address_of(const struct code_access *access, const uint64_t *registers)
{
	uint64_t base = access->base == CODE_RIP ? 0 : registers[access->base],
		 index = access->index == CODE_NO_REGISTER ? 0 : registers[access->index];

	return base + index * access->scale + (uint64_t)access->displacement;
}

/* Whatever unknown code leaves in them. */
static void scramble(uint64_t *registers)
{
	for (int i = 0; i < REGISTERS; i++)
		registers[i] = 0x10000 + (uint64_t)random();
}

/* The way goes on at *at; false: it leaves the function. */
static bool go_on(const struct code *code, size_t *at, uint64_t *registers)
{
	const struct code_instruction *in = &code->instructions[*at];
	bool jumps = in->kind == CODE_JUMP || (in->kind == CODE_BRANCH && random() % 2);

	if (in->kind == CODE_RETURN)
		return false;
	if (in->kind == CODE_CALL)
		scramble(registers);
	if (in->writes) {
		uint64_t *reg = &registers[__builtin_ctz(in->writes)];

		*reg = in->loads  ? in->target
		       : in->step ? *reg + (uint64_t)in->step
				  : (uint64_t)random();
	}
	*at = jumps ? (size_t)(in->target - code->start) : *at + 1;
	return *at < code->nr_instructions;
}

/* Every access goes to where it went before; how many do without a register that they had. */
static size_t check_ways(const struct code *code, const struct code_access *before)
{
	size_t folded = 0;

	for (int walk = 0; walk < WALKS; walk++) {
		uint64_t registers[REGISTERS];
		size_t at = 0;

		scramble(registers);
		for (int step = 0; step < STEPS; step++) {
			CHECK_INT(address_of(&code->accesses[at], registers),
				  address_of(&before[at], registers));
			if (!go_on(code, &at, registers))
				break;
		}
	}
	for (size_t i = 0; i < code->nr_accesses; i++)
		folded += code->accesses[i].base != before[i].base ||
			  code->accesses[i].index != before[i].index;
	return folded;
}

TEST(constants__addresses_stay_what_they_are)
{
	size_t folded = 0, all = 0;

	srandom(1);
	for (int round = 0; round < 500; round++) {
		struct arena *arena = arena_new();
		struct code *code = (struct code *)random_code(arena, 4 + (size_t)random() % 40,
							       round % 3 == 0);
		struct code_access *before;

		add_random_loads(arena, code);
		before = arena_alloc(arena, code->nr_accesses * sizeof(*before));
		memcpy(before, code->accesses, code->nr_accesses * sizeof(*before));
		CHECK(constants_fold(arena, code, graph_new(arena, code, NULL, 0)));
		folded += check_ways(code, before);
		all += code->nr_accesses;
		arena_free(arena);
	}
	printf("%zu of %zu accesses do without a register\n", folded, all);
	CHECK_THAT(folded, >, 500);
}

#ifdef __x86_64__
__asm__(".text\n" BEGIN(constants_loop) "	lea constants_loop(%rip), %r8\n"
					"	mov $0x1234, %esi\n"
					"	lea constants_loop(%rip), %r9\n"
					"1:	movslq (%rdi,%rax,4), %rdx\n"
					"	mov (%r8,%rdx,8), %rcx\n"
					"	add (%rsi,%rax,8), %rcx\n"
					"	mov (%r9), %rcx\n"
					"	add $8, %r9\n"
					"	add $1, %rax\n"
					"	jne 1b\n"
					"	call constants_called\n"
					"	mov (%r8), %rax\n"
					"	ret\n" END(constants_loop)
						BEGIN(constants_called) "	ret\n" END(
							constants_called));
void constants_loop(void);

static const struct code *folded_loop(struct arena *arena)
{
	struct code_bounds bounds;
	const char *why;
	struct code *code;

	CHECK_INT(code_bounds_find((uintptr_t)constants_loop, &bounds), CODE_BOUNDS_FOUND);
	code = code_read(arena, bounds.start, bounds.end, NULL, &why);
	CHECK(code != NULL && constants_fold(arena, code, graph_new(arena, code, NULL, 0)));
	return code;
}

TEST(constants__of_a_loop)
{
	struct arena *arena = arena_new();
	const struct code *code = folded_loop(arena);
	const struct code_access *access = code->accesses;

	CHECK_INT(access[0].base, 7); /* an argument */
	CHECK_INT(access[1].base, CODE_RIP);
	CHECK_INT(access[1].index, 2);
	CHECK_INT((uintptr_t)access[1].displacement, (uintptr_t)constants_loop);
	CHECK_INT(access[2].base, CODE_RIP);
	CHECK_INT(access[2].displacement, 0x1234);
	CHECK_INT(access[3].base, 9); /* goes on */
	/* behind a call, whose own access is before */
	CHECK_INT(access[5].base, 8);
	arena_free(arena);
}
#endif
