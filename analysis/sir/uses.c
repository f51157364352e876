/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays with static storage that code accesses, or whose addresses it takes. */
#include "analysis/base/arena.h"
#include "analysis/base/bisect.h"
#include "analysis/code/decode.h"
#include "analysis/sir/provenance.h"
#include "analysis/sir/reader.h"

bool sir_is_array(const struct sir *sir, const struct declared *declared)
{
	if (sir->has_lines && !sir->all && !*declared->array.file)
		return false;
	return declared->pointer || declared->descriptor ||
	       (!declared->member &&
		(declared->array.nr_dimensions || declared->declared_bytes >= ARRAY_SCALAR_BYTES));
}

static bool is_through_pointer(const struct declared *declared)
{
	return declared->pointer || declared->descriptor;
}

/* Index of the variable around an address; SIR_NONE: none, or a scalar. */
static uint32_t array_at(void *ctx, uint64_t address)
{
	const struct reader *reader = ctx;
	const struct declared_list *arrays = &reader->sir->arrays;
	size_t at = BISECT(i, arrays->nr,
			   !arrays->items[i].thread_private && arrays->items[i].address <= address);

	/* members follow the variable that they are in */
	for (; at > 0; at--) {
		const struct declared *item = &arrays->items[at - 1];

		if (address - item->address < item->declared_bytes)
			return sir_is_array(reader->sir, item) ? (uint32_t)at - 1 : SIR_NONE;
		if (!item->member)
			return SIR_NONE;
	}
	return SIR_NONE;
}

static uint32_t pointer_at(void *ctx, uint64_t address)
{
	const struct reader *reader = ctx;
	uint32_t array = array_at(ctx, address);

	return array != SIR_NONE && is_through_pointer(&reader->sir->arrays.items[array]) &&
			       reader->sir->arrays.items[array].address == address
		       ? array
		       : SIR_NONE;
}

static void note(struct reader *reader, uint32_t region, uint32_t array, bool reads, bool writes)
{
	struct sir_region *of = &reader->sir->regions[region];
	size_t at = BISECT(i, of->nr_uses, of->uses[i].array < array);

	if (array == SIR_NONE)
		return;
	if (at == of->nr_uses || of->uses[at].array != array) {
		if (!ARENA_GROW(reader->arena, of->uses, of->nr_uses, of->uses_room))
			return;
		for (size_t i = of->nr_uses++; i > at; i--)
			of->uses[i] = of->uses[i - 1];
		of->uses[at] = (struct sir_use){ .array = array };
	}
	of->uses[at].reads |= reads;
	of->uses[at].writes |= writes;
}

/*
 * Whether the displacement is an address of the file: in files with fixed addresses, beside
 * registers, too: x(,%rax,8)
 */
static bool has_address(const struct reader *reader, const struct code_access *access)
{
	return !access->segment &&
	       (access->base == CODE_RIP || (reader->fixed && access->displacement > 0));
}

static uint32_t array_of(struct reader *reader, const struct code_access *access,
			 const struct provenance_state *state)
{
	uint32_t array = has_address(reader, access)
				 ? array_at(reader, (uint64_t)access->displacement)
				 : SIR_NONE;

	if (array == SIR_NONE && access->base < PROVENANCE_REGISTERS)
		array = state->of[access->base];
	if (array == SIR_NONE && access->index < PROVENANCE_REGISTERS)
		array = state->of[access->index];
	return array;
}

static void add_instruction(struct reader *reader, const struct code *code,
			    const struct code_instruction *at, const struct provenance_state *state,
			    uint32_t region)
{
	for (uint32_t i = 0; i < at->nr_accesses; i++) {
		const struct code_access *access = &code->accesses[at->first_access + i];
		uint32_t array = array_of(reader, access, state);
		/* of the pointer, not of its data */
		bool own = array != SIR_NONE && has_address(reader, access) &&
			   is_through_pointer(&reader->sir->arrays.items[array]);

		note(reader, region, array, access->read && !own, access->write && !own);
	}
	if (at->loads == CODE_LOADS_ADDRESS)
		note(reader, region, array_at(reader, at->target), false, false);
	else if (at->loads == CODE_LOADS_CONSTANT && reader->fixed)
		note(reader, region,
		     array_at(reader, decode_constant(code->bytes + at->offset, at)), false, false);
}

void uses_add(struct reader *reader, struct arena *scratch, const struct graph *graph,
	      const uint32_t *regions)
{
	const struct provenance provenance = {
		.graph = graph,
		.array = array_at,
		.pointer = pointer_at,
		.ctx = reader,
		.fixed = reader->fixed,
	};
	const struct provenance_state *states = provenance_find(scratch, &provenance);

	for (uint32_t b = 0; states && b < graph->nr_blocks; b++) {
		const struct graph_block *block = &graph->blocks[b];
		struct provenance_state state = states[b];

		for (uint32_t i = block->first; i < block->first + block->nr; i++) {
			const struct code_instruction *at = &graph->code->instructions[i];

			add_instruction(reader, graph->code, at, &state, regions[b]);
			provenance_pass(&provenance, at, &state);
		}
	}
}
