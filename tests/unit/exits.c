/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which loops end by what calls returned, in functions written for it. The calls are those of
 * exits_first and exits_second, in any order.
 */
#include "analysis/code/exits.h"
#include "tests/unit/assembly.h"
#include "tests/unit/machine_code.h"

#ifdef __x86_64__
__asm__(".text\n" BEGIN(exits_first) "	ret\n" END(exits_first)
		BEGIN(exits_second) "	ret\n" END(exits_second)
	/*
	 * a static loop: its bounds depend on both, the number of its iterations on the division
	 * alone
	 */
	BEGIN(exits_divided) "	push %rbx\n"
			     "	call exits_first\n"
			     "	mov %eax, %ebx\n"
			     "	call exits_second\n"
			     "	mov %eax, %ecx\n"
			     "	mov $600, %eax\n"
			     "	cltd\n"
			     "	idiv %ebx\n"
			     "	imul %eax, %ecx\n"
			     "	lea (%rdi,%rcx,8), %rdi\n"
			     "	xor %edx, %edx\n"
			     "1:	mov %rdx, (%rdi,%rdx,8)\n"
			     "	add $1, %edx\n"
			     "	cmp %eax, %edx\n"
			     "	jne 1b\n"
			     "	pop %rbx\n"
			     "	ret\n" END(exits_divided)
	/*
	 * the bound lies in a word of the frame, which another value replaces for the second loop
	 */
	BEGIN(exits_by_frame) "	push %rbx\n"
			      "	sub $16, %rsp\n"
			      "	call exits_first\n"
			      "	mov %eax, %ebx\n"
			      "	call exits_second\n"
			      "	imul %ebx, %eax\n"
			      "	mov %eax, 8(%rsp)\n"
			      "	xor %edx, %edx\n"
			      "1:	add $1, %edx\n"
			      "	cmp 8(%rsp), %edx\n"
			      "	jne 1b\n"
			      "	movl $600, 8(%rsp)\n"
			      "	xor %edx, %edx\n"
			      "1:	add $1, %edx\n"
			      "	cmp 8(%rsp), %edx\n"
			      "	jne 1b\n"
			      "	add $16, %rsp\n"
			      "	pop %rbx\n"
			      "	ret\n" END(exits_by_frame)
	/*
	 * looks at the numbers inside, and has an end of its own; then one that two tests leave,
	 * one of them by both
	 */
	BEGIN(exits_inside) "	push %rbx\n"
			    "	call exits_first\n"
			    "	mov %eax, %ebx\n"
			    "	call exits_second\n"
			    "	mov %eax, %ecx\n"
			    "	xor %esi, %esi\n"
			    "1:	mov %esi, %eax\n"
			    "	cltd\n"
			    "	idiv %ebx\n"
			    "	cmp %ecx, %edx\n"
			    "	jne 2f\n"
			    "	incl (%rdi)\n"
			    "2:	add $1, %esi\n"
			    "	cmp $600, %esi\n"
			    "	jne 1b\n"
			    "	imul %ebx, %ecx\n"
			    "1:	cmpl $0, (%rdi)\n"
			    "	je 2f\n"
			    "	sub $1, %ecx\n"
			    "	jne 1b\n"
			    "2:	pop %rbx\n"
			    "	ret\n" END(exits_inside));
void exits_divided(void), exits_by_frame(void), exits_inside(void), exits_first(void),
	exits_second(void);

static uint32_t call_of(const struct graph *graph, void (*function)(void))
{
	for (size_t i = 0; i < graph->nr_calls; i++)
		if (graph->code->instructions[graph->calls[i].instruction].target ==
		    (uintptr_t)function)
			return graph->calls[i].instruction;
	test_fail(__FILE__, __LINE__, "no such call");
}

/* "all inside" of each loop, by address. */
static void check_loops(void (*function)(void), const char *want)
{
	struct arena *arena = arena_new();
	struct code_bounds bounds;
	struct text text = { 0 };
	struct loop_exits *exits;
	struct graph *graph;
	struct exits_call calls[2];

	need_machine_code();
	CHECK_INT(code_bounds_find((uintptr_t)function, &bounds), CODE_BOUNDS_FOUND);
	graph = graph_new(arena, read_code(arena, bounds.start, bounds.end, NULL), NULL, 0);
	CHECK(graph != NULL);
	calls[0] = (struct exits_call){ call_of(graph, exits_first), EXITS_FIRST };
	calls[1] = (struct exits_call){ call_of(graph, exits_second), EXITS_SECOND };
	exits = exits_find(arena, graph, calls, 2);
	CHECK(exits != NULL);
	for (size_t i = 0; i < graph->nr_loops; i++)
		add(&text, "%d %d;", exits[i].all, exits[i].inside);
	CHECK_STR(text.at, want);
	arena_free(arena);
}

TEST(exits__of_a_divided_loop)
{
	/* EXITS_FIRST | EXITS_BY_FIRST; EXITS_SECOND comes with the address */
	check_loops(exits_divided, "5 7;");
}

TEST(exits__by_words_of_the_frame)
{
	check_loops(exits_by_frame, "3 3;0 0;");
}

TEST(exits__of_a_loop_that_everyone_executes)
{
	check_loops(exits_inside, "0 7;0 3;");
}
#endif
