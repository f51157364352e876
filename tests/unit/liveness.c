/* SPDX-License-Identifier: Apache-2.0 */
/* What is live, against its definition on random code, and in functions written for it. */
#include "analysis/code/liveness.h"
#include "tests/unit/random_code.h"

#include <unistd.h>

#define ALL_LIVE 0xffff
#define KEPT 0xf028 /* rbx, rbp, r12 … r15 */
#define RSP_BIT 0x10

/* rax … r15 and the flags, each instruction with some of them. */
static void add_random_registers(struct code *code)
{
	for (size_t i = 0; i < code->nr_instructions; i++) {
		struct code_instruction *at = &code->instructions[i];

		if (at->kind == CODE_CALL)
			at->kind = CODE_PLAIN;
		at->reads = (uint16_t)(random() & random() & random());
		at->writes = (uint16_t)(random() & random());
		if (at->writes && !(at->writes & (at->writes - 1)))
			/* what an instruction alone writes is another test */
			at->writes |= 1;
		at->flags_read = (uint16_t)(random() & random() & 0x7f);
		at->flags_written = (uint16_t)(random() & 0x7f);
	}
}

static bool reads_bit(const struct code_instruction *at, unsigned int bit)
{
	return bit < 16 ? at->reads >> bit & 1 : at->flags_read >> (bit - 16) & 1;
}

static bool writes_bit(const struct code_instruction *at, unsigned int bit)
{
	return bit < 16 ? at->writes >> bit & 1 : at->flags_written >> (bit - 16) & 1;
}

static bool never_written(const struct code *code, unsigned int bit)
{
	for (size_t i = 0; i < code->nr_instructions; i++)
		if (writes_bit(&code->instructions[i], bit))
			return false;
	return true;
}

/* Live where the function returns, and where it does not (-1): see the header. */
static bool live_at_exit(const struct code *code, unsigned int bit, enum liveness_exit exit)
{
	bool kept = bit < 16 && (KEPT >> bit & 1);

	if (bit == 4 || bit == 22 || bit == 0 || bit == 2 || kept)
		return true;
	return exit == LIVENESS_LOCAL && (bit >= 16 || never_written(code, bit));
}

/*
 * A way from an instruction to one that reads the bit, past none that writes it; instruction by
 * instruction, without blocks.
 */
static bool is_live(const struct code *code, size_t start, unsigned int bit,
		    enum liveness_exit exit, bool *seen, size_t *list)
{
	size_t nr = 0;

	if (bit == 4 || bit == 22 || (bit < 16 && (KEPT >> bit & 1) && never_written(code, bit)))
		return true;
	memset(seen, 0, code->nr_instructions);
	list[nr++] = start;
	while (nr) {
		size_t i = list[--nr];
		const struct code_instruction *at = &code->instructions[i];
		bool to_next = at->kind == CODE_PLAIN || at->kind == CODE_BRANCH,
		     to_target = at->kind == CODE_JUMP || at->kind == CODE_BRANCH;

		if (reads_bit(at, bit))
			return true;
		if (to_target && (at->target < code->start || at->target >= code->end))
			return true;
		if (at->kind == CODE_RETURN && live_at_exit(code, bit, exit))
			return true;
		if (writes_bit(at, bit))
			continue;
		if (to_next && i + 1 == code->nr_instructions)
			return true;
		if (to_next && !seen[i + 1])
			seen[list[nr++] = i + 1] = true;
		if (to_target && !seen[at->target - code->start])
			seen[list[nr++] = at->target - code->start] = true;
	}
	return false;
}

TEST(liveness__is_what_it_is_by_definition)
{
	enum { ROUNDS = 400 };
	size_t live = 0, dead = 0;

	srandom(1);
	for (int round = 0; round < ROUNDS; round++) {
		struct arena *arena = arena_new();
		enum liveness_exit exit = round % 2 ? LIVENESS_ABI : LIVENESS_LOCAL;
		struct code *code = (struct code *)random_code(arena, 2 + (size_t)random() % 40,
							       round % 3 == 0);
		bool *seen = arena_alloc(arena, code->nr_instructions + 1);
		size_t *list = arena_alloc(arena, (2 * code->nr_instructions + 2) * sizeof(*list));
		const struct liveness *liveness;

		add_random_registers(code);
		liveness = liveness_new(arena, graph_new(arena, code, NULL, 0), exit);
		CHECK(liveness);
		for (size_t i = 0; i < code->nr_instructions; i++)
			for (unsigned int bit = 0; bit < 23; bit++) {
				bool has = bit < 16 ? liveness->registers[i] >> bit & 1
						    : liveness->flags[i] >> (bit - 16) & 1;
				bool should = is_live(code, i, bit, exit, seen, list);

				if (has != should)
					test_fail(__FILE__, __LINE__,
						  "round %d, instruction %zu, bit %u is %d", round,
						  i, bit, has);
				live += should;
				dead += !should;
			}
		arena_free(arena);
	}
	printf("%zu live, %zu dead\n", live, dead);
	CHECK(live > 10000 && dead > 10000);
}

#if defined(__x86_64__)

#define FUNCTION(name, text) \
	__asm__(".text\n.p2align 4\n" #name ":\n" text "\n" #name "_end:\n"); \
	extern const char name[], name##_end[]

struct read_function {
	const struct code *code;
	const struct liveness *liveness;
};

static struct read_function read_function(struct arena *arena, const char *start, const char *end,
					  enum liveness_exit exit)
{
	struct read_function function = { .code = read_code(arena, (uintptr_t)start, (uintptr_t)end,
							    NULL) };

	function.liveness = liveness_new(arena, graph_new(arena, function.code, NULL, 0), exit);
	CHECK(function.liveness);
	return function;
}

#define READ(arena, name, exit) read_function(arena, name, name##_end, exit)

FUNCTION(sums, "xor %eax,%eax\n1: add (%rdi,%rcx,8),%rax\ninc %rcx\ncmp %rsi,%rcx\njne 1b\nret");

TEST(liveness__of_a_loop)
{
	struct arena *arena = arena_new();
	struct read_function function;

	need_machine_code();
	function = READ(arena, sums, LIVENESS_ABI);
	/*
	 * before the load: rax, rcx, rdi, rsi; rdx is returned; rsp and what the function never
	 * writes
	 */
	CHECK_INT(function.liveness->registers[1], 0x00c3 | 0x4 | RSP_BIT | KEPT);
	CHECK_INT(function.liveness->flags[1], CODE_DF);
	CHECK_INT(function.liveness->flags[4], CODE_ZF | CODE_DF);
	CHECK_INT(function.liveness->registers[5], 0x5 | RSP_BIT | KEPT);
	CHECK_INT(function.liveness->registers[0] & 1, 0);
	function = READ(arena, sums, LIVENESS_LOCAL);
	CHECK_INT(function.liveness->registers[1], ALL_LIVE);
	/* rcx is written and not returned */
	CHECK_INT(function.liveness->registers[5], ALL_LIVE & ~2);
	CHECK_INT(function.liveness->flags[5], 0x7f);
	CHECK_INT(function.liveness->flags[1], CODE_DF);
	arena_free(arena);
}

FUNCTION(shifts, "cmp %rdi,%rsi\nshl %cl,%rdx\njb 1f\nshl $3,%rdx\n1: setb %al\nsetb %al\nret");

TEST(liveness__flags_that_may_be_kept_are_live)
{
	struct arena *arena = arena_new();
	struct read_function function;

	need_machine_code();
	function = READ(arena, shifts, LIVENESS_ABI);
	CHECK_INT(function.liveness->flags[1], CODE_CF | CODE_DF); /* the count may be 0 */
	CHECK_INT(function.liveness->flags[3], CODE_DF);
	/* setb leaves the rest of rax */
	CHECK_INT(function.liveness->registers[4] & 1, 1);
	arena_free(arena);
}

FUNCTION(returns_more, "lea 1(%rdi), %r10\nlea 2(%rdi), %rcx\nlea (%rcx,%rsi), %rax\nret");
FUNCTION(returns_one, "lea 2(%rdi), %rcx\nlea (%rcx,%rsi), %rax\nret");

/* What a function computes and does not read is what it gives back, by a convention of its own. */
TEST(liveness__of_other_conventions)
{
	struct arena *arena = arena_new();
	struct read_function function;

	need_machine_code();
	function = READ(arena, returns_more, LIVENESS_LOCAL);
	CHECK_INT(function.liveness->registers[3], 0xffff);
	function = READ(arena, returns_more, LIVENESS_ABI);
	CHECK(!(function.liveness->registers[3] >> 10 & 1)); /* the runtime calls it */
	function = READ(arena, returns_one, LIVENESS_LOCAL);
	CHECK(!(function.liveness->registers[2] >> 1 & 1));
	arena_free(arena);
}

FUNCTION(call_through_memory, "call *8(%rax)\ncall shifts\nret");

TEST(liveness__of_calls_through_memory)
{
	struct arena *arena = arena_new();
	struct read_function function;

	need_machine_code();
	function = READ(arena, call_through_memory, LIVENESS_ABI);
	/* arguments and what a callee keeps */
	CHECK_INT(function.liveness->registers[0], 0x0fc7 | RSP_BIT | KEPT);
	CHECK_INT(function.liveness->flags[0], CODE_DF);
	arena_free(arena);
}

FUNCTION(
	calls,
	"mov $1,%r8d\nmov $1,%r11d\nmov $1,%ebx\ncall *%rax\nmov %ecx,%r8d\nmov %eax,%ecx\ncall *(%rax)\ncall shifts\nnop\ntest %eax,%eax\nje 1f\nud2\n"
	"1: mov $2,%ecx\njmp *%rcx");

TEST(liveness__of_calls_and_ways_out)
{
	struct arena *arena = arena_new();
	struct read_function function;

	need_machine_code();
	function = READ(arena, calls, LIVENESS_ABI);
	/* through a register: maybe a function of this file */
	CHECK_INT(function.liveness->registers[3], ALL_LIVE);
	CHECK_INT(function.liveness->flags[3], 0x7f);
	CHECK_INT(function.liveness->registers[2] & 8, 0); /* rbx is set */
	/* maybe a thread-local variable's descriptor */
	CHECK_INT(function.liveness->registers[6], ALL_LIVE);
	CHECK_INT(function.liveness->registers[7], ALL_LIVE); /* a function of this file */
	CHECK_INT(function.liveness->flags[7], 0x7f);
	CHECK_INT(function.liveness->registers[11], ALL_LIVE); /* a trap */
	/* anywhere, but not by the old rcx */
	CHECK_INT(function.liveness->registers[12], ALL_LIVE & ~2);
	CHECK_INT(function.liveness->registers[13], ALL_LIVE);
	arena_free(arena);
}

/* Through the PLT: this program's call of a library. */
__attribute__((noinline)) static int calls_library(void)
{
	return getppid() + 1;
}

TEST(liveness__of_calls_through_the_plt)
{
	struct arena *arena = arena_new();
	struct code_bounds bounds;
	struct read_function function;
	size_t nr = 0;

	need_machine_code();
	CHECK_THAT(calls_library(), >, 0);
	CHECK_INT(code_bounds_find((uintptr_t)calls_library, &bounds), CODE_BOUNDS_FOUND);
	function = read_function(arena, (const char *)bounds.start, (const char *)bounds.end,
				 LIVENESS_ABI);
	for (size_t i = 0; i < function.code->nr_instructions; i++) {
		bool keeps_to_abi = !(function.liveness->registers[i] >> 11 & 1);

		nr += function.code->instructions[i].kind == CODE_CALL && keeps_to_abi;
	}
	/* a sanitizer's own calls stay in this file */
	CHECK_THAT(nr, >, 0);
	arena_free(arena);
}

#endif
