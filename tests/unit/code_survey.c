/* SPDX-License-Identifier: Apache-2.0 */
/* Every function of the system's libraries is read, and what must hold of all code is looked at. */
#define _GNU_SOURCE
#include "analysis/code/liveness.h"
#include "tests/unit/machine_code.h"
#include "tests/unit/naive_graph.h"

/*
 * Definitions are tried on all small functions and on some larger ones: the slow way takes blocks³
 * steps.
 */
enum { SMALL_BLOCKS = 40, MEDIUM_BLOCKS = 150, EVERY = 40, KEPT_BYTES = 4 << 20 };

struct survey {
	struct arena *arena; /* for one function after the other */
	size_t functions, instructions, accesses, blocks, loops, indirect, unknown, refused,
		defined;
	size_t undecodable, second;
};

/*
 * The first reading has no gaps; where there is a second, it ends with an instruction of the first,
 * past which a row of no length leads.
 */
static void check_rows(struct survey *survey, const struct code *code)
{
	size_t offset = 0, accesses = 0, second_accesses = 0;

	for (size_t i = 0; i < code->nr_instructions; i++) {
		const struct code_instruction *at = &code->instructions[i];
		bool second = at->offset < offset;

		CHECK_THAT(at->length, <=, 15);
		if (!at->length)
			CHECK(at->kind == CODE_JUMP && at->offset == offset &&
			      at->target == code->start + offset && i + 1 < code->nr_instructions &&
			      code->instructions[i + 1].offset < offset);
		else if (second)
			CHECK(code->refusal || at->offset + at->length <= offset);
		else
			CHECK_INT(at->offset, offset);
		if (!second && at->length)
			CHECK_INT(at->first_access, accesses);
		offset += second ? 0 : at->length;
		accesses += second ? 0 : at->nr_accesses;
		second_accesses += second ? at->nr_accesses : 0;
		survey->second += second;
	}
	CHECK_INT(offset, code->end - code->start);
	CHECK_INT(accesses + second_accesses, code->nr_accesses);
}

static bool same_access(const struct code_access *a, const struct code_access *b)
{
	return a->kind == b->kind && a->read == b->read && a->write == b->write &&
	       a->base == b->base && a->index == b->index && a->scale == b->scale &&
	       a->segment == b->segment && a->lanes == b->lanes && a->mask == b->mask &&
	       a->vector_mask == b->vector_mask && a->index_vector == b->index_vector &&
	       a->index_size == b->index_size && a->vector_bytes == b->vector_bytes &&
	       a->address_32 == b->address_32 && a->size == b->size &&
	       a->displacement == b->displacement;
}

static bool same_instruction(const struct code_instruction *a, const struct code_instruction *b)
{
	return a->length == b->length && a->kind == b->kind && a->rip_offset == b->rip_offset &&
	       a->nr_accesses == b->nr_accesses && a->reads == b->reads && a->writes == b->writes &&
	       a->flags_read == b->flags_read && a->flags_written == b->flags_written &&
	       a->step == b->step && a->sum.base == b->sum.base && a->sum.index == b->sum.index &&
	       a->sum.scale == b->sum.scale && a->target == b->target;
}

/* Whether the instruction was decoded before or not makes no difference. */
static void check_decoded(const struct code *code, const struct code_instruction *at)
{
	size_t room = code->end - code->start - at->offset;
	struct decoded decoded;

	decode_instruction(code->bytes + at->offset, room, code->start + at->offset, &decoded);
	CHECK(same_instruction(&decoded.instruction, at));
	for (unsigned int i = 0; i < at->nr_accesses; i++)
		CHECK(same_access(&decoded.accesses[i], &code->accesses[at->first_access + i]));
}

static void check_code(struct survey *survey, const struct code *code)
{
	check_rows(survey, code);
	for (size_t i = 0; i < code->nr_instructions; i++) {
		const struct code_instruction *at = &code->instructions[i];
		bool direct = at->length && (at->kind == CODE_JUMP || at->kind == CODE_BRANCH);

		if (at->length)
			check_decoded(code, at);
		if (direct && !code->refusal && at->target >= code->start && at->target < code->end)
			CHECK(code_at(code, at->target));
		if (direct)
			CHECK(decode_may_jump(code->bytes + at->offset, at->length,
					      code->start + at->offset, at->target,
					      at->target + 1));
		survey->undecodable += at->kind == CODE_REFUSED && at->length == 1;
		for (unsigned int j = 0; j < at->nr_accesses; j++)
			CHECK(code->accesses[at->first_access + j].read ||
			      code->accesses[at->first_access + j].write);
	}
}

static size_t count(const uint32_t *numbers, uint32_t first, uint32_t nr, uint32_t number)
{
	size_t found = 0;

	for (uint32_t i = 0; i < nr; i++)
		found += numbers[first + i] == number;
	return found;
}

static void check_blocks(struct survey *survey, const struct graph *graph)
{
	uint32_t next = 0;

	for (uint32_t i = 0; i < graph->nr_blocks; i++) {
		const struct graph_block *block = &graph->blocks[i];

		CHECK_INT(block->first, next);
		CHECK_THAT(block->nr, >, 0);
		CHECK_INT(graph_block_of(graph, block->first + block->nr - 1), i);
		next += block->nr;
		for (uint32_t j = 0; j + 1 < block->nr; j++)
			CHECK(!code_ends_block(&graph->code->instructions[block->first + j]));
		for (uint32_t j = 0; j < block->nr_successors; j++) {
			const struct graph_block *to =
				&graph->blocks[graph->edges[block->first_successor + j]];

			CHECK_INT(count(graph->sources, to->first_predecessor, to->nr_predecessors,
					i),
				  1);
			CHECK(!block->reachable || to->reachable);
		}
		survey->indirect += graph->code->instructions[next - 1].kind == CODE_JUMP_INDIRECT;
		survey->unknown += block->unknown;
	}
	CHECK_INT(next, graph->code->nr_instructions);
}

static bool is_above(const struct graph *graph, uint32_t above, uint32_t block)
{
	while (block != above && block != GRAPH_NONE)
		block = graph->blocks[block].dominator;
	return block == above;
}

static void check_members(const struct graph *graph)
{
	for (uint32_t i = 0; i < graph->nr_loops; i++) {
		const struct graph_loop *loop = &graph->loops[i];

		CHECK(loop->parent == GRAPH_NONE || loop->parent < i);
		for (uint32_t j = 0; j < loop->nr_blocks; j++) {
			uint32_t block = graph->members[loop->first_block + j];

			CHECK(is_above(graph, loop->header, block));
			CHECK(graph_loop_has(graph, loop->parent == GRAPH_NONE ? i : loop->parent,
					     block));
		}
	}
}

static void check_liveness(const struct graph *graph, const struct liveness *liveness)
{
	for (size_t i = 0; i < graph->code->nr_instructions; i++) {
		const struct code_instruction *at = &graph->code->instructions[i];

		CHECK_INT(at->reads & ~liveness->registers[i], 0);
		CHECK_INT(at->flags_read & ~liveness->flags[i], 0);
		CHECK(liveness->registers[i] & 0x10);
		CHECK(liveness->flags[i] & CODE_DF);
	}
}

static void look_at(void *ctx, const struct code_bounds *bounds)
{
	struct survey *survey = ctx;
	struct arena *arena = survey->arena;
	const struct code *code = read_code(arena, bounds->start, bounds->end, NULL);
	const struct graph *graph = graph_new(arena, code, NULL, 0);
	const struct liveness *liveness = liveness_new(arena, graph, LIVENESS_LOCAL);

	CHECK(graph && liveness);
	check_code(survey, code);
	check_blocks(survey, graph);
	check_members(graph);
	check_liveness(graph, liveness);
	if (graph->nr_blocks <= SMALL_BLOCKS ||
	    (survey->functions % EVERY == 0 && graph->nr_blocks <= MEDIUM_BLOCKS)) {
		check_graph(arena, graph);
		survey->defined++;
	}
	survey->functions++;
	survey->instructions += code->nr_instructions;
	survey->accesses += code->nr_accesses;
	survey->blocks += graph->nr_blocks;
	survey->loops += graph->nr_loops;
	survey->refused += code->refusal != NULL;
	arena_reset(arena, KEPT_BYTES);
}

static void survey(const char *library, const char *symbol)
{
	struct survey survey = { .arena = arena_new() };

	need_machine_code();
	if (!each_function(library, symbol, look_at, &survey))
		test_skip("%s is not installed", library);
	printf("%zu functions, %zu instructions, %zu operands in memory, %zu blocks, %zu loops, %zu indirect jumps of which %zu unknown, %zu refused; "
	       "%zu by definition\n",
	       survey.functions, survey.instructions, survey.accesses, survey.blocks, survey.loops,
	       survey.indirect, survey.unknown, survey.refused, survey.defined);
	CHECK(survey.functions > 100 && survey.loops > 50 &&
	      survey.accesses > survey.instructions / 5);
	arena_free(survey.arena);
	CHECK_INT(survey.undecodable, 0);
	/* transactions, jumps over lock prefixes */
	CHECK_THAT(survey.refused, <=, 2 + survey.functions / 300);
}

TEST(code_survey__libc)
{
	survey("libc.so.6", "qsort");
}
TEST(code_survey__libm)
{
	survey("libm.so.6", "sin");
}
TEST(code_survey__libstdcxx)
{
	survey("libstdc++.so.6", "_ZNSo3putEc");
}
TEST(code_survey__libgfortran)
{
	survey("libgfortran.so.5", "_gfortran_st_write");
}
TEST(code_survey__libomp)
{
	survey("libomp.so.5", "omp_get_max_threads");
}
TEST(code_survey__liblapack)
{
	survey("liblapack.so.3", "dgesv_");
}
TEST(code_survey__libblas)
{
	survey("libblas.so.3", "dgemm_");
}
