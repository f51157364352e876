/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Adds the reads of calls through a linkage table. Copies call the function directly, without the
 * table's jump:
 *
 *     call f@plt ─▶ jmp *slot ─▶ f            call of f's copy, which reads `slot`
 *
 * In programs with many such calls, e.g. of libm, these words occupy lines of L1.
 */
#include <string.h>

#include "analysis/base/arena.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/clone_private.h"

static bool leads_out(const struct code *code, const struct code_instruction *in)
{
	return (in->kind == CODE_CALL || in->kind == CODE_JUMP) && in->length &&
	       (in->target < code->start || in->target >= code->end);
}

static size_t count_leading_out(const struct code *code)
{
	size_t nr = 0;

	for (size_t i = 0; i < code->nr_instructions; i++)
		nr += leads_out(code, &code->instructions[i]);
	return nr;
}

static struct code_access read_of(uintptr_t slot)
{
	return (struct code_access){ .kind = CODE_ACCESS_PLAIN,
				     .read = true,
				     .base = CODE_RIP,
				     .index = CODE_NO_REGISTER,
				     .scale = 1,
				     .size = sizeof(uintptr_t),
				     .displacement = (int64_t)slot };
}

/* Accesses of an instruction lie side by side. */
static void append(const struct code *code, struct code_instruction *in,
		   struct code_access *accesses, size_t *nr)
{
	uintptr_t slot = leads_out(code, in) ? callee_of(in->target).slot : 0;

	memcpy(&accesses[*nr], &code->accesses[in->first_access],
	       in->nr_accesses * sizeof(accesses[0]));
	in->first_access = (uint32_t)*nr;
	if (slot)
		accesses[*nr + in->nr_accesses++] = read_of(slot);
	*nr += in->nr_accesses;
}

bool linkage_reads_add(struct arena *arena, struct code *code)
{
	size_t at_most = count_leading_out(code), nr = 0;
	struct code_access *accesses;

	if (!at_most)
		return true;
	accesses = arena_alloc(arena, (code->nr_accesses + at_most) * sizeof(*accesses));
	if (!accesses)
		return false;
	for (size_t i = 0; i < code->nr_instructions; i++)
		append(code, &code->instructions[i], accesses, &nr);
	code->accesses = accesses;
	code->nr_accesses = nr;
	return true;
}
