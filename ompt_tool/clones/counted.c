/* SPDX-License-Identifier: Apache-2.0 */
/* Loops whose accesses follow from their first and last address. */
#include "ompt_tool/clones/counted.h"

#include "ompt_tool/clones/clone.h"

enum { STACK_POINTER = 4, REGISTERS = 16 };

/* Control continues with the next block by address, or with the block itself. */
static bool branches_to_itself(const struct graph *graph, uint32_t block)
{
	const struct graph_block *b = &graph->blocks[block];
	const struct code_instruction *instructions = graph->code->instructions,
				      *last = &instructions[b->first + b->nr - 1];

	return b->reachable && !b->landing_pad && block + 1 < graph->nr_blocks &&
	       last->kind == CODE_BRANCH &&
	       last->target == graph->code->start + instructions[b->first].offset;
}

/* Excludes changes of the stack pointer, code without a place, and accesses that are not PLAIN. */
static bool is_simple(const struct code *code, const struct code_instruction *in)
{
	bool simple = in->length && !(in->writes & 1 << STACK_POINTER);

	for (uint32_t a = 0; a < in->nr_accesses; a++) {
		const struct code_access *access = &code->accesses[in->first_access + a];

		simple &= access->kind == CODE_ACCESS_PLAIN && !access->segment &&
			  !access->address_32;
	}
	return simple;
}

uint32_t counted_accesses(const struct graph *graph, uint32_t block)
{
	const struct graph_block *b = &graph->blocks[block];
	uint32_t nr = 0;

	for (uint32_t i = b->first; i < b->first + b->nr; i++)
		nr += graph->code->instructions[i].nr_accesses;
	return nr;
}

/* At the block's begin: a sum left by the previous iteration does not hold in the first one. */
static struct counted_amounts amounts_at_begin(const struct graph *graph, uint32_t block)
{
	const struct graph_block *b = &graph->blocks[block];
	struct counted_amounts amounts = { .known = UINT16_MAX };

	for (uint32_t i = b->first; i < b->first + b->nr; i++) {
		const struct code_instruction *in = &graph->code->instructions[i];

		if (in->step)
			amounts.of[__builtin_ctz(in->writes)] += in->step;
		else
			amounts.known &= (uint16_t)~in->writes;
	}
	return amounts;
}

static void pass(struct counted_amounts *amounts, const struct code_instruction *in)
{
	const struct code_sum *sum = &in->sum;
	bool known = sum->scale && counted_is_known(amounts, sum->base) &&
		     counted_is_known(amounts, sum->index);
	int64_t amount = known ? counted_amount(amounts, sum->base) +
					 counted_amount(amounts, sum->index) * sum->scale
			       : 0;

	if (in->step)
		return;
	amounts->known &= (uint16_t)~in->writes;
	if (known) {
		amounts->of[__builtin_ctz(in->writes)] = amount;
		amounts->known |= in->writes;
	}
}

struct counted_amounts counted_amounts(const struct graph *graph, uint32_t block,
				       uint32_t instruction)
{
	struct counted_amounts amounts = amounts_at_begin(graph, block);

	for (uint32_t i = graph->blocks[block].first; i < instruction; i++)
		pass(&amounts, &graph->code->instructions[i]);
	return amounts;
}

static bool are_addresses_known(const struct counted_amounts *amounts, const struct code *code,
				const struct code_instruction *in)
{
	for (uint32_t a = 0; a < in->nr_accesses; a++)
		if (!counted_is_known(amounts, code->accesses[in->first_access + a].base) ||
		    !counted_is_known(amounts, code->accesses[in->first_access + a].index))
			return false;
	return true;
}

bool counted_is(const struct graph *graph, uint32_t block, uint32_t probes)
{
	const struct graph_block *b = &graph->blocks[block];
	const struct code *code = graph->code;
	struct counted_amounts amounts;

	if (!(probes & CLONE_ACCESSES) || probes & (CLONE_LOOPS | CLONE_STACK) || !b->nr ||
	    !branches_to_itself(graph, block))
		return false;
	amounts = amounts_at_begin(graph, block);
	for (uint32_t i = b->first; i < b->first + b->nr; i++) {
		if (!is_simple(code, &code->instructions[i]) ||
		    !are_addresses_known(&amounts, code, &code->instructions[i]))
			return false;
		pass(&amounts, &code->instructions[i]);
	}
	return counted_accesses(graph, block) > 0;
}
