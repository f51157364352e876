/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks, edges and calls of one function. */
#include "analysis/code/control_flow.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/bisect.h"
#include "analysis/base/sort.h"
#include "analysis/code/dominators.h"
#include "analysis/code/memory.h"
#include "analysis/code/jump_table.h"

/*
 * Limits of the search for jump tables: a table whose targets contain further tables needs another
 * round; deeper ones stay unknown. Largest switch found: 1,800 cases (libLLVM).
 */
#define ROUNDS_MAX 16
#define ENTRIES_MAX 65536
#define AHEAD_MAX 4096

/* an indirect jump */
struct indirect {
	uint32_t instruction;
	uint32_t *targets, nr; /* instructions, sorted, unique; nr 0: unknown */
	struct jump_table table;
	/* its table has no bound and was read as far as possible */
	bool read_ahead;
	bool given_up;
};

struct building {
	struct arena *arena;
	const struct code *code;
	struct graph *graph;
	const uintptr_t *landing_pads;
	size_t nr_landing_pads;
	struct indirect *indirects;
	size_t nr_indirects, indirects_room;
	/* possible jump targets on weaker evidence than a table with a bound */
	uint32_t *ahead;
	size_t nr_ahead, ahead_room;
	uint8_t *is_leader; /* by instruction */
	uint32_t *block_of; /* by instruction */
	size_t nr_edges, edges_room, calls_room;
	struct table_scratch scratch;
};

static bool is_inside(const struct code *code, uintptr_t address)
{
	return address >= code->start && address < code->end;
}

/* The instruction at an address of the function; GRAPH_NONE: none begins there. */
static uint32_t instruction_at(const struct code *code, uintptr_t address)
{
	const struct code_instruction *at = is_inside(code, address) ? code_at(code, address)
								     : NULL;

	return at ? (uint32_t)(at - code->instructions) : GRAPH_NONE;
}

/*
 * Target of the instruction in the function, besides the next one. A call of an address inside the
 * function: retpolines.
 */
static uint32_t direct_target(const struct code *code, const struct code_instruction *at)
{
	bool jumps = at->kind == CODE_JUMP || at->kind == CODE_BRANCH ||
		     (at->kind == CODE_CALL && at->target != code->start);

	return jumps ? instruction_at(code, at->target) : GRAPH_NONE;
}

static bool goes_on(const struct code_instruction *at)
{
	return at->kind == CODE_PLAIN || at->kind == CODE_BRANCH || at->kind == CODE_CALL ||
	       at->kind == CODE_CALL_INDIRECT || at->kind == CODE_REFUSED;
}

/* The entry of an instruction that is an indirect jump. */
static struct indirect *indirect_of(const struct building *building, uint32_t instruction)
{
	size_t behind = BISECT(i, building->nr_indirects,
			       building->indirects[i].instruction <= instruction);

	return &building->indirects[behind ? behind - 1 : 0];
}

static void mark_leaders(struct building *building)
{
	const struct code *code = building->code;

	memset(building->is_leader, 0, code->nr_instructions);
	building->is_leader[0] = 1;
	for (size_t i = 0; i < code->nr_instructions; i++) {
		uint32_t target = direct_target(code, &code->instructions[i]);

		if (target != GRAPH_NONE)
			building->is_leader[target] = 1;
		if (code_ends_block(&code->instructions[i]) && i + 1 < code->nr_instructions)
			building->is_leader[i + 1] = 1;
	}
	for (size_t i = 0; i < building->nr_landing_pads; i++) {
		uint32_t pad = instruction_at(code, building->landing_pads[i]);

		if (pad != GRAPH_NONE)
			building->is_leader[pad] = 1;
	}
	for (size_t i = 0; i < building->nr_indirects; i++)
		for (uint32_t j = 0; j < building->indirects[i].nr; j++)
			building->is_leader[building->indirects[i].targets[j]] = 1;
	for (size_t i = 0; i < building->nr_ahead; i++)
		building->is_leader[building->ahead[i]] = 1;
}

static bool make_blocks(struct building *building)
{
	struct graph *graph = building->graph;
	size_t nr = 0;

	for (size_t i = 0; i < building->code->nr_instructions; i++)
		nr += building->is_leader[i];
	graph->blocks = arena_alloc(building->arena, nr * sizeof(*graph->blocks));
	if (!graph->blocks)
		return false;
	graph->nr_blocks = 0;
	for (uint32_t i = 0; i < building->code->nr_instructions; i++) {
		if (building->is_leader[i])
			graph->blocks[graph->nr_blocks++] = (struct graph_block){
				.first = i, .dominator = GRAPH_NONE, .loop = GRAPH_NONE
			};
		graph->blocks[graph->nr_blocks - 1].nr++;
		building->block_of[i] = (uint32_t)graph->nr_blocks - 1;
	}
	for (size_t i = 0; i < building->nr_landing_pads; i++) {
		uint32_t pad = instruction_at(building->code, building->landing_pads[i]);

		if (pad != GRAPH_NONE)
			graph->blocks[building->block_of[pad]].landing_pad = true;
	}
	return true;
}

static bool add_edge(struct building *building, struct graph_block *from, uint32_t to_instruction)
{
	struct graph *graph = building->graph;

	/* GRAPH_NONE, or the function's end */
	if (to_instruction >= building->code->nr_instructions)
		return true;
	if (!ARENA_GROW(building->arena, graph->edges, building->nr_edges, building->edges_room))
		return false;
	graph->edges[building->nr_edges++] = building->block_of[to_instruction];
	from->nr_successors++;
	return true;
}

/*
 * A jump through a slot that holds no address of this function now is a call of another file's
 * function (PLT, -fno-plt).
 */
static bool leaves(const struct code *code, const struct code_instruction *at)
{
	const unsigned char *slot;
	uintptr_t to;

	slot = at->rip_offset ? code_memory_at(code->memory, at->target, sizeof(to)) : NULL;
	if (!slot)
		return false;
	memcpy(&to, slot, sizeof(to));
	return !is_inside(code, to);
}

static bool add_indirect_edges(struct building *building, struct graph_block *block, uint32_t last)
{
	const struct indirect *indirect = indirect_of(building, last);

	block->unknown = !indirect->nr &&
			 !leaves(building->code, &building->code->instructions[last]);
	for (uint32_t i = 0; i < indirect->nr; i++)
		if (!add_edge(building, block, indirect->targets[i]))
			return false;
	return true;
}

static bool add_edges(struct building *building, struct graph_block *block)
{
	uint32_t last = block->first + block->nr - 1;
	const struct code_instruction *at = &building->code->instructions[last];
	uint32_t target = direct_target(building->code, at);

	block->first_successor = (uint32_t)building->nr_edges;
	if (at->kind == CODE_JUMP_INDIRECT)
		return add_indirect_edges(building, block, last);
	if (goes_on(at) && !add_edge(building, block, last + 1))
		return false;
	return (goes_on(at) && target == last + 1) || add_edge(building, block, target);
}

/* Builds the predecessor lists. */
static bool turn_edges(struct building *building)
{
	struct graph *graph = building->graph;
	uint32_t next = 0;

	graph->sources = arena_alloc(building->arena,
				     (building->nr_edges + 1) * sizeof(*graph->sources));
	if (!graph->sources)
		return false;
	for (size_t i = 0; i < building->nr_edges; i++)
		graph->blocks[graph->edges[i]].nr_predecessors++;
	for (size_t i = 0; i < graph->nr_blocks; i++) {
		graph->blocks[i].first_predecessor = next;
		next += graph->blocks[i].nr_predecessors;
		graph->blocks[i].nr_predecessors = 0;
	}
	for (uint32_t i = 0; i < graph->nr_blocks; i++)
		for (uint32_t j = 0; j < graph->blocks[i].nr_successors; j++) {
			struct graph_block *to =
				&graph->blocks[graph->edges[graph->blocks[i].first_successor + j]];

			graph->sources[to->first_predecessor + to->nr_predecessors++] = i;
		}
	return true;
}

static bool build(struct building *building)
{
	building->nr_edges = 0;
	mark_leaders(building);
	if (!make_blocks(building))
		return false;
	for (size_t i = 0; i < building->graph->nr_blocks; i++)
		if (!add_edges(building, &building->graph->blocks[i]))
			return false;
	return turn_edges(building);
}

/* `entries`: the bytes of the table. */
static uintptr_t table_entry(const struct jump_table *table, const unsigned char *entries,
			     uint32_t nr)
{
	uint64_t value = 0;

	memcpy(&value, entries + (size_t)nr * table->entry_bytes, table->entry_bytes);
	if (table->entry_bytes == 4 && table->is_signed)
		value = (uint64_t)(int32_t)value;
	return table->base + value;
}

/*
 * Every entry must lead to an instruction of the function; otherwise indirect->nr stays 0. False:
 * no memory.
 */
static bool read_table(struct building *building, struct indirect *indirect)
{
	const struct jump_table *table = &indirect->table;
	const unsigned char *entries = code_memory_at(building->code->memory, table->address,
						      (uint64_t)table->nr * table->entry_bytes);
	uint32_t *targets, nr = 0;

	indirect->nr = 0;
	if (table->nr > ENTRIES_MAX || !entries)
		return true;
	targets = arena_alloc(building->arena, table->nr * sizeof(*targets));
	if (!targets)
		return false;
	for (uint32_t i = 0; i < table->nr; i++) {
		targets[i] = instruction_at(building->code, table_entry(table, entries, i));
		if (targets[i] == GRAPH_NONE)
			return true;
	}
	sort(targets, table->nr, sizeof(*targets), sort_by_number);
	for (uint32_t i = 0; i < table->nr; i++)
		if (!nr || targets[nr - 1] != targets[i])
			targets[nr++] = targets[i];
	indirect->targets = targets;
	indirect->nr = nr;
	return true;
}

/* Adds an instruction that begins a block, although no edge to it is known. */
static bool add_ahead(struct building *building, uint32_t instruction)
{
	if (!ARENA_GROW(building->arena, building->ahead, building->nr_ahead, building->ahead_room))
		return false;
	building->ahead[building->nr_ahead++] = instruction;
	return true;
}

/*
 * Without a bound of the index the table may end anywhere: targets of subsequent words that look
 * like entries begin blocks, so that the jump can find them, but no edge is added on that evidence.
 * False: no memory.
 */
static bool read_ahead(struct building *building, const struct jump_table *table)
{
	const struct code_memory *memory = building->code->memory;
	uintptr_t start, end;
	const unsigned char *entries = memory ? memory->segment(memory, table->address, &start,
								&end)
					      : NULL;

	if (!entries)
		return true;
	entries += table->address - start;
	for (uint32_t nr = 0;
	     nr < AHEAD_MAX && (size_t)(nr + 1) * table->entry_bytes <= end - table->address;
	     nr++) {
		uint32_t target = instruction_at(building->code, table_entry(table, entries, nr));

		if (target == GRAPH_NONE)
			break;
		if (!add_ahead(building, target))
			return false;
	}
	return true;
}

/*
 * In code with an unknown jump, addresses that are taken: labels, and tables of them in either
 * form.
 */
static bool read_references(struct building *building)
{
	const struct code *code = building->code;

	for (size_t i = 0; i < code->nr_instructions; i++) {
		const struct code_instruction *at = &code->instructions[i];
		const struct jump_table addresses = { .address = at->target, .entry_bytes = 8 };
		const struct jump_table distances = { .address = at->target,
						      .entry_bytes = 4,
						      .is_signed = true,
						      .base = at->target };
		uint32_t label = at->rip_offset ? instruction_at(code, at->target) : 0;

		if (!at->rip_offset || at->nr_accesses) /* only lea takes addresses */
			continue;
		if (label == GRAPH_NONE &&
		    (!read_ahead(building, &addresses) || !read_ahead(building, &distances)))
			return false;
		if (label != GRAPH_NONE && !add_ahead(building, label))
			return false;
	}
	return true;
}

/* Examines one jump in the present graph; sets *changed_out if its targets changed. */
static bool look_at_table(struct building *building, struct indirect *indirect, bool *changed_out)
{
	uint32_t had = indirect->nr;
	struct jump_table table = { 0 };
	bool found = table_find(building->graph, building->block_of[indirect->instruction],
				&building->scratch, &table);

	if (found && !table.nr && !had && !indirect->read_ahead) {
		indirect->read_ahead = *changed_out = true;
		return read_ahead(building, &table);
	}
	found = found && table.nr;
	if (had && found && table.address == indirect->table.address &&
	    table.nr == indirect->table.nr && table.base == indirect->table.base)
		return true;
	indirect->table = table;
	indirect->nr = 0;
	if (found && !had && !read_table(building, indirect))
		return false;
	/* a table that newly found code contradicts is not used again */
	indirect->given_up = had;
	*changed_out = *changed_out || had || indirect->nr;
	return true;
}

static bool make_scratch(struct building *building)
{
	size_t bytes = building->graph->nr_blocks * sizeof(uint32_t);

	building->scratch = (struct table_scratch){ .seen = arena_alloc(building->arena, bytes),
						    .stack = arena_alloc(building->arena, bytes) };
	return building->scratch.seen && building->scratch.stack;
}

/* Targets of a table can reveal more code, and other tables in it. */
static bool find_tables(struct building *building)
{
	bool changed = building->nr_indirects != 0;

	for (int round = 0; changed; round++) {
		changed = false;
		if (!make_scratch(building))
			return false;
		for (size_t i = 0; i < building->nr_indirects; i++) {
			struct indirect *indirect = &building->indirects[i];

			if (!indirect->given_up && !look_at_table(building, indirect, &changed))
				return false;
			if (round == ROUNDS_MAX) {
				indirect->nr = 0;
				indirect->given_up = true;
			}
		}
		if (changed && !build(building))
			return false;
	}
	return true;
}

static bool find_ahead(struct building *building)
{
	for (size_t i = 0; i < building->nr_indirects; i++)
		if (building->graph->blocks[building->block_of[building->indirects[i].instruction]]
			    .unknown)
			return read_references(building) &&
			       (!building->nr_ahead || build(building));
	return true;
}

static bool find_indirects(struct building *building)
{
	const struct code *code = building->code;

	for (uint32_t i = 0; i < code->nr_instructions; i++) {
		if (code->instructions[i].kind != CODE_JUMP_INDIRECT)
			continue;
		if (!ARENA_GROW(building->arena, building->indirects, building->nr_indirects,
				building->indirects_room))
			return false;
		building->indirects[building->nr_indirects++] = (struct indirect){
			.instruction = i
		};
	}
	return true;
}

static bool is_call(const struct building *building, uint32_t instruction)
{
	const struct code_instruction *at = &building->code->instructions[instruction];

	switch (at->kind) {
	case CODE_CALL:
	case CODE_CALL_INDIRECT: return true;
	case CODE_JUMP:
	case CODE_BRANCH: return !is_inside(building->code, at->target);
	case CODE_JUMP_INDIRECT: return !indirect_of(building, instruction)->nr;
	default: return false;
	}
}

static bool find_calls(struct building *building)
{
	struct graph *graph = building->graph;

	for (uint32_t i = 0; i < graph->nr_blocks; i++) {
		uint32_t last = graph->blocks[i].first + graph->blocks[i].nr - 1;

		if (!is_call(building, last))
			continue;
		if (!ARENA_GROW(building->arena, graph->calls, graph->nr_calls,
				building->calls_room))
			return false;
		graph->calls[graph->nr_calls++] = (struct graph_call){
			.instruction = last, .loop = graph->blocks[i].loop
		};
	}
	return true;
}

static bool is_complete(const struct graph *graph)
{
	for (size_t i = 0; i < graph->nr_blocks; i++)
		if (graph->blocks[i].unknown && graph->blocks[i].reachable)
			return false;
	return true;
}

static struct graph *new_graph(struct arena *arena, const struct code *code,
			       const uintptr_t *landing_pads, size_t nr, bool cycles)
{
	struct building building = {
		.arena = arena, .code = code, .landing_pads = landing_pads, .nr_landing_pads = nr
	};
	struct graph *graph = arena_alloc(arena, sizeof(*graph));
	struct dominators dominators;

	building.graph = graph;
	building.is_leader = arena_alloc(arena, code->nr_instructions);
	building.block_of = arena_alloc(arena, code->nr_instructions * sizeof(*building.block_of));
	if (!graph || !building.is_leader || !building.block_of)
		return NULL;
	graph->code = code;
	if (!find_indirects(&building) || !build(&building) || !find_tables(&building) ||
	    !find_ahead(&building) || !dominators_find(arena, graph, &dominators) ||
	    !loops_find(arena, graph, &dominators, cycles) || !find_calls(&building))
		return NULL;
	graph->complete = is_complete(graph);
	return graph;
}

struct graph *graph_new(struct arena *arena, const struct code *code, const uintptr_t *landing_pads,
			size_t nr)
{
	return new_graph(arena, code, landing_pads, nr, false);
}

struct graph *graph_new_with_cycles(struct arena *arena, const struct code *code)
{
	return new_graph(arena, code, NULL, 0, true);
}

uint32_t graph_block_of(const struct graph *graph, uint32_t instruction)
{
	size_t behind = BISECT(i, graph->nr_blocks, graph->blocks[i].first <= instruction);

	return behind ? (uint32_t)behind - 1 : 0;
}

bool graph_loop_has(const struct graph *graph, uint32_t loop, uint32_t block)
{
	const struct graph_loop *row = &graph->loops[loop];
	const uint32_t *members = graph->members + row->first_block;
	size_t at = BISECT(i, row->nr_blocks, members[i] < block);

	return at < row->nr_blocks && members[at] == block;
}
