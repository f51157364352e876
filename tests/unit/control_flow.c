/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks, dominators and loops, against what they are by definition; jump tables of both compilers.
 */
#include "analysis/code/control_flow.h"
#include "tests/unit/naive_graph.h"
#include "tests/unit/random_code.h"

#define NR_ROWS(rows) (sizeof(rows) / sizeof((rows)[0]))

static const struct graph *graph_of(struct arena *arena, const struct made *rows, size_t nr)
{
	struct graph *graph = graph_new(arena, make_code(arena, rows, nr), NULL, 0);

	CHECK(graph);
	return graph;
}

/* 0: for (;;) { 1: for (;;) { 2: if 3: … 4: } 5: }, 6: return */
TEST(control_flow__two_nested_loops)
{
	static const struct made rows[] = {
		{ CODE_PLAIN, 0 },  { CODE_PLAIN, 0 },  { CODE_BRANCH, 4 }, { CODE_CALL, -50 },
		{ CODE_BRANCH, 2 }, { CODE_BRANCH, 1 }, { CODE_RETURN, 0 },
	};
	struct arena *arena = arena_new();
	const struct graph *graph = graph_of(arena, rows, NR_ROWS(rows));

	CHECK_INT(graph->nr_blocks, 7);
	CHECK_INT(graph->nr_loops, 2);
	CHECK(graph->complete);
	CHECK_INT(graph->blocks[graph->loops[0].header].first, 1);
	CHECK_INT(graph->loops[0].depth, 1);
	CHECK_INT(graph->loops[0].parent, GRAPH_NONE);
	CHECK_INT(graph->blocks[graph->loops[1].header].first, 2);
	CHECK_INT(graph->loops[1].parent, 0);
	CHECK_INT(graph->loops[1].depth, 2);
	CHECK_INT(graph->loops[1].nr_blocks, 3);
	CHECK_INT(graph->nr_calls, 1);
	CHECK_INT(graph->calls[0].instruction, 3);
	CHECK_INT(graph->calls[0].loop, 1);
	CHECK_INT(graph->blocks[graph_block_of(graph, 5)].loop, 0);
	CHECK_INT(graph->blocks[graph_block_of(graph, 6)].loop, GRAPH_NONE);
	CHECK_INT(graph->blocks[graph_block_of(graph, 4)].dominator, graph_block_of(graph, 2));
	arena_free(arena);
}

TEST(control_flow__several_ways_back_are_one_loop)
{
	static const struct made rows[] = { { CODE_PLAIN, 0 },
					    { CODE_BRANCH, 1 },
					    { CODE_BRANCH, 1 },
					    { CODE_BRANCH, 3 },
					    { CODE_JUMP, 1 } };
	struct arena *arena = arena_new();
	const struct graph *graph = graph_of(arena, rows, NR_ROWS(rows));

	CHECK_INT(graph->nr_loops, 2);
	CHECK_INT(graph->loops[0].nr_blocks, 4);
	CHECK_INT(graph->loops[1].nr_blocks, 1);
	CHECK_INT(graph->loops[1].parent, 0);
	arena_free(arena);
}

/* Two entries into a cycle, inside of a loop that has one. */
TEST(control_flow__cycles_with_two_entries_are_no_loops)
{
	static const struct made rows[] = {
		{ CODE_PLAIN, 0 },  { CODE_BRANCH, 3 }, { CODE_PLAIN, 0 },
		{ CODE_BRANCH, 2 }, { CODE_BRANCH, 1 }, { CODE_RETURN, 0 },
	};
	struct arena *arena = arena_new();
	const struct graph *graph = graph_of(arena, rows, NR_ROWS(rows));

	CHECK_INT(graph->nr_loops, 1);
	CHECK_INT(graph->blocks[graph->loops[0].header].first, 1);
	arena_free(arena);
}

/* The same cycle is a loop where they are asked for, with its first entry as the header. */
TEST(control_flow__cycles_with_two_entries_as_loops)
{
	static const struct made rows[] = {
		{ CODE_PLAIN, 0 },  { CODE_BRANCH, 3 }, { CODE_PLAIN, 0 },
		{ CODE_BRANCH, 2 }, { CODE_BRANCH, 1 }, { CODE_RETURN, 0 },
	};
	struct arena *arena = arena_new();
	const struct graph *graph = graph_new_with_cycles(arena,
							  make_code(arena, rows, NR_ROWS(rows)));

	CHECK(graph);
	CHECK_INT(graph->nr_loops, 2);
	CHECK_INT(graph->blocks[graph->loops[0].header].first, 1);
	CHECK_INT(graph->blocks[graph->loops[1].header].first, 2);
	CHECK_INT(graph->loops[1].nr_blocks, 2);
	CHECK_INT(graph->loops[1].parent, 0);
	CHECK_INT(graph->blocks[graph_block_of(graph, 3)].loop, 1);
	arena_free(arena);
}

/* 2, 3: a loop in a cycle of 1 to 4 that is entered at 1 and at 2, the header of both. */
TEST(control_flow__loop_in_a_cycle_with_two_entries)
{
	static const struct made rows[] = {
		{ CODE_BRANCH, 2 }, { CODE_CALL, -9 },  { CODE_PLAIN, 0 },
		{ CODE_BRANCH, 2 }, { CODE_BRANCH, 1 }, { CODE_RETURN, 0 },
	};
	struct arena *arena = arena_new();
	const struct graph *graph = graph_new_with_cycles(arena,
							  make_code(arena, rows, NR_ROWS(rows)));

	CHECK(graph);
	CHECK_INT(graph->nr_loops, 2);
	CHECK_INT(graph->blocks[graph->loops[0].header].first, 1);
	CHECK_INT(graph->blocks[graph->loops[1].header].first, 2);
	CHECK_INT(graph->loops[1].parent, 0);
	CHECK_INT(graph->loops[1].depth, 2);
	CHECK_INT(graph->calls[0].loop, 0);
	arena_free(arena);
}

TEST(control_flow__tail_calls_leave)
{
	static const struct made rows[] = {
		{ CODE_BRANCH, -7 }, { CODE_BRANCH, 3 }, { CODE_JUMP, 100 }, { CODE_JUMP, 0 }
	};
	struct arena *arena = arena_new();
	const struct graph *graph = graph_of(arena, rows, NR_ROWS(rows));

	CHECK_INT(graph->nr_calls, 2);
	CHECK_INT(graph->calls[0].instruction, 0);
	CHECK_INT(graph->calls[0].loop, 0);
	CHECK_INT(graph->calls[1].instruction, 2);
	CHECK_INT(graph->calls[1].loop, GRAPH_NONE);
	CHECK_INT(graph->blocks[graph_block_of(graph, 2)].nr_successors, 0);
	arena_free(arena);
}

TEST(control_flow__indirect_jump_without_a_table_is_unknown)
{
	static const struct made rows[] = { { CODE_BRANCH, 2 },
					    { CODE_RETURN, 0 },
					    { CODE_JUMP_INDIRECT, -MADE_START },
					    { CODE_PLAIN, 0 },
					    { CODE_RETURN, 0 } };
	struct arena *arena = arena_new();
	const struct graph *graph = graph_of(arena, rows, NR_ROWS(rows));

	CHECK(graph->blocks[graph_block_of(graph, 2)].unknown);
	CHECK(!graph->complete);
	CHECK(!graph->blocks[graph_block_of(graph, 3)].reachable);
	CHECK_INT(graph->nr_calls, 1);
	arena_free(arena);
}

/*
 * A handler that goes on with the loop: control flow that the unwinder makes changes no dominator.
 */
TEST(control_flow__landing_pad_in_a_loop)
{
	static const struct made rows[] = {
		{ CODE_PLAIN, 0 }, { CODE_CALL, -9 },  { CODE_BRANCH, 1 }, { CODE_RETURN, 0 },
		{ CODE_PLAIN, 0 }, { CODE_BRANCH, 4 }, { CODE_JUMP, 2 },
	};
	uintptr_t pad = MADE_START + 4, stray = MADE_START + 77;
	struct arena *arena = arena_new();
	const struct code *code = make_code(arena, rows, NR_ROWS(rows));
	const struct graph *without = graph_new(arena, code, &stray, 1),
			   *with = graph_new(arena, code, &pad, 1);
	uint32_t block = graph_block_of(with, 4);

	CHECK(!without->blocks[graph_block_of(without, 4)].reachable);
	CHECK_INT(without->nr_loops, 1);
	CHECK(with->blocks[block].reachable && with->blocks[block].landing_pad);
	CHECK_INT(with->blocks[block].dominator, GRAPH_NONE);
	CHECK_INT(with->nr_loops, 2); /* and the one of the handler */
	CHECK_INT(with->blocks[with->loops[0].header].first, 1);
	CHECK_INT(with->blocks[graph_block_of(with, 6)].loop, 0);
	CHECK_INT(with->blocks[with->loops[1].header].first, 4);
	CHECK_INT(with->loops[1].parent, 0);
	CHECK_INT(with->blocks[graph_block_of(with, 2)].dominator, graph_block_of(with, 1));
	arena_free(arena);
}

TEST(control_flow__dominators_and_loops_are_what_they_are_by_definition)
{
	enum { ROUNDS = 3000 };
	size_t loops = 0, blocks = 0;

	srandom(1);
	for (int round = 0; round < ROUNDS; round++) {
		struct arena *arena = arena_new();
		const struct code *code = random_code(arena, 2 + (size_t)random() % 60, round % 2);
		const struct graph *graph = graph_new(arena, code, NULL, 0);

		loops += check_graph(arena, graph);
		blocks += graph->nr_blocks;
		arena_free(arena);
	}
	printf("%zu blocks, %zu loops\n", blocks, loops);
	CHECK(loops > ROUNDS / 2 && blocks > 10 * ROUNDS);
}

/* Cycles change no natural loop, and lie between loops around them and inside. */
TEST(control_flow__cycles_nest)
{
	enum { ROUNDS = 1000 };
	size_t cycles = 0;

	srandom(4);
	for (int round = 0; round < ROUNDS; round++) {
		struct arena *arena = arena_new();
		const struct code *code = random_code(arena, 2 + (size_t)random() % 60, round % 2);
		const struct graph *graph = graph_new(arena, code, NULL, 0),
				   *with = graph_new_with_cycles(arena, code);
		size_t same = 0;

		for (uint32_t i = 0; i < with->nr_loops; i++) {
			const struct graph_loop *loop = &with->loops[i];

			for (uint32_t j = 0; j < loop->nr_blocks && loop->parent != GRAPH_NONE; j++)
				CHECK(graph_loop_has(with, loop->parent,
						     with->members[loop->first_block + j]));
			for (uint32_t j = 0; j < graph->nr_loops; j++)
				same += loop->header == graph->loops[j].header &&
					loop->nr_blocks == graph->loops[j].nr_blocks;
		}
		CHECK_INT(same, graph->nr_loops);
		cycles += with->nr_loops - graph->nr_loops;
		arena_free(arena);
	}
	CHECK_THAT(cycles, >, ROUNDS / 10);
}

/*
 * Where the unwinder comes in, loops can meet in other ways than by nesting; dominators stay as
 * defined.
 */
TEST(control_flow__dominators_with_landing_pads)
{
	enum { ROUNDS = 1500, PADS = 3 };
	size_t pads_only = 0;

	srandom(2);
	for (int round = 0; round < ROUNDS; round++) {
		struct arena *arena = arena_new();
		const struct code *code = random_code(arena, 10 + (size_t)random() % 50, round % 2);
		uintptr_t pads[PADS];
		const struct graph *graph;
		struct naive naive;
		bool *dominates;

		for (int i = 0; i < PADS; i++)
			pads[i] = code->start + (size_t)random() % code->nr_instructions;
		graph = graph_new(arena, code, pads, PADS);
		naive = naive_new(arena, graph);
		dominates = all_dominators(arena, &naive);
		for (uint32_t b = 0; b < graph->nr_blocks; b++) {
			const struct graph_block *block = &graph->blocks[b];

			pads_only += block->reachable && !naive.normal[b];
			CHECK_INT(block->dominator,
				  block->reachable ? immediate(dominates, graph->nr_blocks, b)
						   : GRAPH_NONE);
		}
		arena_free(arena);
	}
	CHECK_THAT(pads_only, >, ROUNDS);
}

/* A chain of many blocks and a deep nest take no stack and little time. */
TEST(control_flow__large)
{
	enum { NR = 200000, DEEP = 1000 };
	struct arena *arena = arena_new();
	struct made *rows = arena_alloc(arena, NR * sizeof(*rows));
	const struct graph *graph;

	for (int i = 0; i < NR; i++)
		rows[i] = (struct made){ CODE_BRANCH, i + 1 + (i < NR - 3 * DEEP && i % 2) };
	for (int i = 0; i < DEEP; i++)
		rows[NR - 2 - i].target = NR - 2 * DEEP - 2 + i;
	rows[NR - 1].kind = CODE_RETURN;
	graph = graph_of(arena, rows, NR);
	CHECK_INT(graph->nr_blocks, NR);
	CHECK_INT(graph->nr_loops, DEEP);
	CHECK_INT(graph->loops[0].depth, 1);
	CHECK_INT(graph->loops[DEEP - 1].depth, DEEP);
	arena_free(arena);
}

#if defined(__x86_64__)

/*
 * A switch as the compilers write it: name, comparison and branch, what leads to the jump, table.
 * Cases 0 … 3 end at once; behind the table's last row another one begins whose rows lead into the
 * function, too.
 */
#define SWITCH(name, before, jump, rows) \
	__asm__(".text\n.p2align 4\n" #name ":\n" before "\n" jump "\n" #name "_0: ret\n" #name \
		"_1: nop\nret\n" #name "_2: nop\nret\n" #name "_3: nop\nnop\nret\n" #name \
		"_default: xor %eax,%eax\nret\n" #name \
		"_end:\n.section .rodata\n.p2align 4\n" #name "_table:\n" rows #name \
		"_next: .zero 64\n.text\n"); \
	extern const char name[], name##_end[], name##_0[], name##_1[], name##_2[], name##_3[], \
		name##_default[]

#define DISTANCES(name) \
	".long " #name "_0-" #name "_table, " #name "_1-" #name "_table, " #name "_2-" #name \
	"_table, " #name "_3-" #name "_table\n"

SWITCH(gcc_o2,
       "cmp $3,%edi\nja gcc_o2_default\nmov %edi,%edi\nlea gcc_o2_table(%rip),%rdx\nmovslq (%rdx,%rdi,4),%rax\nadd %rdx,%rax",
       "notrack jmp *%rax", DISTANCES(gcc_o2));
SWITCH(clang_o2,
       "mov %edi,%eax\nadd $-7,%eax\ncmp $3,%eax\nja clang_o2_default\nlea clang_o2_table(%rip),%rcx\nmovslq (%rcx,%rax,4),%rax\nadd %rcx,%rax",
       "jmp *%rax", DISTANCES(clang_o2));
SWITCH(gcc_o0,
       "push %rbp\nmov %rsp,%rbp\nmov %edi,-20(%rbp)\ncmpl $3,-20(%rbp)\nja gcc_o0_default\nmov -20(%rbp),%eax\nlea 0(,%rax,4),%rdx\n"
       "lea gcc_o0_table(%rip),%rax\nmov (%rdx,%rax),%eax\ncltq\nlea gcc_o0_table(%rip),%rdx\nadd %rdx,%rax",
       "jmp *%rax", DISTANCES(gcc_o0));
SWITCH(clang_o0,
       "push %rbp\nmov %rsp,%rbp\nmov %edi,-4(%rbp)\nmov -4(%rbp),%eax\nmov %eax,%ecx\nmov %rcx,-16(%rbp)\nsub $3,%eax\n"
       "ja clang_o0_default\nmov -16(%rbp),%rax\nlea clang_o0_table(%rip),%rcx\nmovslq (%rcx,%rax,4),%rax\nadd %rcx,%rax",
       "jmp *%rax", DISTANCES(clang_o0));
SWITCH(by_mask,
       "and $3,%edi\nlea by_mask_table(%rip),%rdx\nmovslq (%rdx,%rdi,4),%rax\nadd %rdx,%rax",
       "jmp *%rax", DISTANCES(by_mask));
SWITCH(in_memory,
       "cmpl $3,(%rdi,%rsi,4)\nja in_memory_default\nmov (%rdi,%rsi,4),%eax\nlea in_memory_table(%rip),%rdx\nmovslq (%rdx,%rax,4),%rax\nadd %rdx,%rax",
       "jmp *%rax", DISTANCES(in_memory));
SWITCH(below,
       "cmp $4,%rdi\njb 1f\njmp below_default\n1: lea below_table(%rip),%rdx\nmovslq (%rdx,%rdi,4),%rax\nlea (%rdx,%rax),%rax",
       "jmp *%rax", DISTANCES(below));
SWITCH(two_ways,
       "test %esi,%esi\nje 1f\nmov (%rdx),%edi\ncmp $3,%edi\njbe 2f\njmp two_ways_default\n1: mov (%rcx),%edi\ncmp $3,%edi\nja two_ways_default\n"
       "2: lea two_ways_table(%rip),%rdx\nmovslq (%rdx,%rdi,4),%rax\nadd %rdx,%rax",
       "jmp *%rax", DISTANCES(two_ways));
/* Tables of addresses, which an executable that is loaded anywhere has in its data. */
SWITCH(addresses,
       "cmp $3,%edi\nja addresses_default\nlea addresses_table(%rip),%rdx\nmov %edi,%edi",
       "jmp *(%rdx,%rdi,8)", ".zero 32\n");
/* These are not understood, or lie. */
SWITCH(no_bound,
       "lea no_bound_table(%rip),%rdx\nmov %edi,%edi\nmovslq (%rdx,%rdi,4),%rax\nadd %rdx,%rax",
       "jmp *%rax", DISTANCES(no_bound));
SWITCH(other_value,
       "cmp $3,%esi\nja other_value_default\nmov %edi,%edi\nlea other_value_table(%rip),%rdx\nmovslq (%rdx,%rdi,4),%rax\nadd %rdx,%rax",
       "jmp *%rax", DISTANCES(other_value));
SWITCH(changed_value,
       "cmp $3,%edi\nja changed_value_default\nadd %esi,%edi\nlea changed_value_table(%rip),%rdx\nmovslq (%rdx,%rdi,4),%rax\nadd %rdx,%rax",
       "jmp *%rax", DISTANCES(changed_value));
SWITCH(changed_memory,
       "cmpl $3,(%rdi)\nja changed_memory_default\nmov %esi,(%rcx)\nmov (%rdi),%eax\nlea changed_memory_table(%rip),%rdx\n"
       "movslq (%rdx,%rax,4),%rax\nadd %rdx,%rax",
       "jmp *%rax", DISTANCES(changed_memory));
SWITCH(signed_bound,
       "cmp $3,%edi\njg signed_bound_default\nmov %edi,%edi\nlea signed_bound_table(%rip),%rdx\nmovslq (%rdx,%rdi,4),%rax\nadd %rdx,%rax",
       "jmp *%rax", DISTANCES(signed_bound));
SWITCH(one_way_only,
       "test %esi,%esi\nje 1f\nmov (%rdx),%edi\ncmp $3,%edi\njbe 2f\njmp one_way_only_default\n1: mov (%rcx),%edi\n"
       "2: lea one_way_only_table(%rip),%rdx\nmovslq (%rdx,%rdi,4),%rax\nadd %rdx,%rax",
       "jmp *%rax", DISTANCES(one_way_only));
SWITCH(too_long,
       "cmp $9,%edi\nja too_long_default\nmov %edi,%edi\nlea too_long_table(%rip),%rdx\nmovslq (%rdx,%rdi,4),%rax\nadd %rdx,%rax",
       "jmp *%rax", DISTANCES(too_long));
SWITCH(no_memory,
       "cmp $3,%edi\nja no_memory_default\nmov %edi,%edi\nmov $64,%edx\nmovslq (%rdx,%rdi,4),%rax\nadd %rdx,%rax",
       "jmp *%rax", DISTANCES(no_memory));

#define CASES(name) \
	{ \
		#name, name, name##_end, \
		{ \
			name##_0, name##_1, name##_2, name##_3 \
		} \
	}

struct switch_row {
	const char *name, *start, *end, *targets[4];
};

static const struct graph *graph_of_switch(struct arena *arena, const struct switch_row *row)
{
	const struct code *code = read_code(arena, (uintptr_t)row->start, (uintptr_t)row->end,
					    NULL);
	const struct graph *graph = graph_new(arena, code, NULL, 0);

	CHECK(graph);
	return graph;
}

static const struct graph_block *jumping_block(const struct graph *graph)
{
	for (size_t i = 0; i < graph->nr_blocks; i++)
		if (graph->code->instructions[graph->blocks[i].first + graph->blocks[i].nr - 1]
			    .kind == CODE_JUMP_INDIRECT)
			return &graph->blocks[i];
	test_fail(__FILE__, __LINE__, "no indirect jump");
}

TEST(control_flow__jump_tables)
{
	static const struct switch_row rows[] = {
		CASES(gcc_o2),  CASES(clang_o2),  CASES(gcc_o0), CASES(clang_o0),
		CASES(by_mask), CASES(in_memory), CASES(below),  CASES(two_ways),
	};
	struct arena *arena = arena_new();

	need_machine_code();
	for (size_t i = 0; i < NR_ROWS(rows); i++) {
		const struct graph *graph = graph_of_switch(arena, &rows[i]);
		const struct graph_block *block = jumping_block(graph);

		if (block->unknown || !graph->complete || block->nr_successors != 4)
			test_fail(__FILE__, __LINE__, "%s: %s, %u targets", rows[i].name,
				  block->unknown ? "unknown" : "known", block->nr_successors);
		for (unsigned int j = 0; j < 4; j++) {
			const struct graph_block *to =
				&graph->blocks[graph->edges[block->first_successor + j]];

			CHECK_INT(graph->code->start + graph->code->instructions[to->first].offset,
				  (uintptr_t)rows[i].targets[j]);
			CHECK(to->reachable);
		}
		CHECK_INT(graph->nr_calls, 0);
	}
	arena_free(arena);
}

TEST(control_flow__jump_tables_that_are_not_understood)
{
	static const struct switch_row rows[] = {
		CASES(no_bound),       CASES(other_value),  CASES(changed_value),
		CASES(changed_memory), CASES(signed_bound), CASES(one_way_only),
		CASES(too_long),       CASES(no_memory),    CASES(addresses),
	};
	struct arena *arena = arena_new();

	need_machine_code();
	for (size_t i = 0; i < NR_ROWS(rows); i++) {
		const struct graph *graph = graph_of_switch(arena, &rows[i]);

		if (!jumping_block(graph)->unknown || graph->complete)
			test_fail(__FILE__, __LINE__, "%s is known", rows[i].name);
		CHECK_INT(graph->nr_calls, 1);
	}
	arena_free(arena);
}

/* As the non-PIC  jmp *table(,%rdi,8), or one in relocated data. */
TEST(control_flow__jump_table_of_addresses)
{
	static uintptr_t table[4];
	static unsigned char bytes[256];
	struct arena *arena = arena_new();
	size_t nr = (size_t)(addresses_end - addresses);
	const struct graph_block *block;
	const struct graph *graph;
	int32_t distance;

	need_machine_code();
	for (unsigned int i = 0; i < 4; i++)
		table[i] = (uintptr_t)bytes +
			   (size_t)((const char *[]){ addresses_0, addresses_1, addresses_2,
						      addresses_3 }[i] -
				    addresses);
	memcpy(bytes, addresses, nr);
	/* cmp 3 bytes, ja 2, lea 7 */
	distance = (int32_t)((uintptr_t)table - (uintptr_t)(bytes + 12));
	CHECK(bytes[5] == 0x48 && bytes[6] == 0x8d);
	memcpy(bytes + 8, &distance, sizeof(distance));
	graph = graph_new(arena, read_code(arena, (uintptr_t)bytes, (uintptr_t)bytes + nr, NULL),
			  NULL, 0);
	block = jumping_block(graph);
	CHECK(graph->complete);
	CHECK_INT(block->nr_successors, 4);
	arena_free(arena);
}

/* A jump through a slot with another function's address is a call. */
__asm__(".text\nby_slot: jmp *by_slot_to(%rip)\nby_slot_end:\nto_itself: jmp *to_itself_to(%rip)\nto_itself_end:\n"
	".data\n.p2align 3\nby_slot_to: .quad 64\nto_itself_to: .quad 0\n.text\n");
extern const char by_slot[], by_slot_end[], to_itself[], to_itself_end[];
extern const char *to_itself_to;

TEST(control_flow__jumps_through_slots)
{
	struct arena *arena = arena_new();
	const struct switch_row rows[] = { { "", by_slot, by_slot_end, { NULL } },
					   { "", to_itself, to_itself_end, { NULL } } };
	const struct graph *graph;

	need_machine_code();
	graph = graph_of_switch(arena, &rows[0]);
	CHECK(graph->complete && !jumping_block(graph)->unknown);
	CHECK_INT(graph->nr_calls, 1);
	to_itself_to = to_itself;
	graph = graph_of_switch(arena, &rows[1]);
	CHECK(!graph->complete && jumping_block(graph)->unknown);
	arena_free(arena);
}

TEST(control_flow__any_bytes_are_no_harm)
{
	enum { ROUNDS = 2000 };
	static unsigned char bytes[512];
	size_t blocks = 0, jumps = 0;

	need_machine_code();
	srandom(3);
	for (int round = 0; round < ROUNDS; round++) {
		struct arena *arena = arena_new();
		size_t nr = 1 + (size_t)random() % sizeof(bytes);
		const struct graph *graph;

		for (size_t i = 0; i < nr; i++) {
			static const unsigned char often[] = { 0x74, 0xeb, 0x72, 0xff, 0xe2,
							       0x48, 0x8d, 0x0f, 0x83, 0x77,
							       0x63, 0x01, 0x00 };

			bytes[i] = random() % 2 ? often[(size_t)random() % sizeof(often)]
						: (unsigned char)random();
		}
		graph = graph_new(arena,
				  read_code(arena, (uintptr_t)bytes, (uintptr_t)bytes + nr, NULL),
				  NULL, 0);
		blocks += graph->nr_blocks;
		for (size_t i = 0; i < graph->nr_blocks; i++)
			jumps += graph->code
					 ->instructions[graph->blocks[i].first +
							graph->blocks[i].nr - 1]
					 .kind == CODE_JUMP_INDIRECT;
		check_graph(arena, graph);
		arena_free(arena);
	}
	CHECK(blocks > 10 * ROUNDS && jumps > 100);
}

#endif
