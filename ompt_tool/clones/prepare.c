/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and copies one function. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/code/constants.h"
#include "analysis/code/decode.h"
#include "analysis/trace/record_rows.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/clones/clone_loops.h"
#include "ompt_tool/clones/clone_private.h"
#include "ompt_tool/clones/created_tasks.h"
#include "ompt_tool/clones/loop_rows.h"
#include "ompt_tool/clones/outside.h"
#include "ompt_tool/clones/restartable.h"
#include "ompt_tool/clones/writable_code.h"
#include "ompt_tool/code/running_code.h"
#include "ompt_tool/code/symbols.h"

struct preparation {
	struct batch *batch;
	struct code_bounds bounds;
	struct code *code;
	/* landing pads of exceptions, and targets of jumps from outlined parts */
	uintptr_t *leaders;
	size_t nr_leaders, room_leaders;
	uintptr_t *entries; /* targets of jumps only */
	size_t nr_entries, room_entries;
	const char *why;
	uintptr_t at;
};

static bool add_leader(struct preparation *p, uintptr_t address)
{
	if (!ARENA_GROW(p->batch->reading, p->leaders, p->nr_leaders, p->room_leaders))
		return false;
	p->leaders[p->nr_leaders++] = address;
	return true;
}

static bool add_entry(struct preparation *p, uintptr_t address)
{
	for (size_t i = 0; i < p->nr_entries; i++)
		if (p->entries[i] == address)
			return true;
	if (!ARENA_GROW(p->batch->reading, p->entries, p->nr_entries, p->room_entries) ||
	    !add_leader(p, address))
		return false;
	p->entries[p->nr_entries++] = address;
	return true;
}

static bool is_direct_jump(const struct code_instruction *in)
{
	return in->kind == CODE_JUMP || in->kind == CODE_BRANCH;
}
static bool is_inside(const struct code *code, uintptr_t address)
{
	return address > code->start && address < code->end;
}

/* Targets in `code`, except its begin, of jumps in other code. */
static bool add_targets(struct preparation *p, const struct code *from)
{
	for (size_t i = 0; i < from->nr_instructions; i++)
		if (is_direct_jump(&from->instructions[i]) &&
		    is_inside(p->code, from->instructions[i].target) &&
		    code_at(p->code, from->instructions[i].target) &&
		    !add_entry(p, from->instructions[i].target))
			return false;
	return true;
}

static bool add_targets_of(struct preparation *p, const struct code_bounds *part)
{
	const unsigned char *bytes = (const unsigned char *)part->start;
	struct code *code;
	const char *why;

	if (!decode_may_jump(bytes, part->end - part->start, part->start, p->code->start + 1,
			     p->code->end))
		return true;
	code = code_read(p->batch->reading, part->start, part->end, NULL, &why);
	return !code || add_targets(p, code);
}

/*
 * Compilers outline cold parts of a function, with separate unwind information. Here these are
 * functions with several entries. Targets of this function's jumps are searched for jumps back.
 */
static bool find_entries(struct preparation *p)
{
	uintptr_t seen = 0;

	for (size_t i = 0; i < p->code->nr_instructions; i++) {
		const struct code_instruction *in = &p->code->instructions[i];
		struct code_bounds part;

		if (!is_direct_jump(in) ||
		    (in->target >= p->code->start && in->target < p->code->end) ||
		    callee_of(in->target).name ||
		    code_bounds_find(in->target, &part) != CODE_BOUNDS_FOUND || part.start == seen)
			continue;
		seen = part.start;
		if (!add_targets_of(p, &part))
			return false;
	}
	return true;
}

/* Entries that jumps of functions copied before lead to. */
static bool find_entries_from_batch(struct preparation *p)
{
	for (const struct clone_data *data = p->batch->first; data; data = data->next)
		for (size_t i = 0; i < data->copy.nr_exits; i++)
			if (data->copy.exits[i].kind == COPY_TAIL_JUMP &&
			    is_inside(p->code, data->copy.exits[i].target) &&
			    code_at(p->code, data->copy.exits[i].target) &&
			    !add_entry(p, data->copy.exits[i].target))
				return false;
	return true;
}

static int compare_addresses(const void *a, const void *b)
{
	uintptr_t x = *(const uintptr_t *)a, y = *(const uintptr_t *)b;

	return x < y ? -1 : x > y;
}

static bool find_leaders(struct preparation *p)
{
	const uintptr_t *pads;
	size_t nr;

	if (!unwind_landing_pads(p->batch->reading, &p->bounds, &pads, &nr, &p->why))
		return false;
	p->why = "no memory";
	for (size_t i = 0; i < nr; i++)
		if (!add_leader(p, pads[i]))
			return false;
	if (!find_entries(p) || !find_entries_from_batch(p))
		return false;
	sort(p->leaders, p->nr_leaders, sizeof(p->leaders[0]), compare_addresses);
	return true;
}

static bool pops_flags(const struct code *code, const struct code_instruction *in)
{
	return in->flags_written & CODE_DF && in->nr_accesses &&
	       code->accesses[in->first_access].kind == CODE_ACCESS_STACK;
}

static bool calls_others(const struct code *code)
{
	for (size_t i = 0; i < code->nr_instructions; i++)
		if (code->instructions[i].kind == CODE_CALL ||
		    code->instructions[i].kind == CODE_CALL_INDIRECT)
			return true;
	return false;
}

/* By the trap flag, which popf may set: the handler of SIGTRAP would find other instructions. */
static bool may_step(const struct code *code)
{
	struct sigaction action;

	if (sigaction(SIGTRAP, NULL, &action) || action.sa_handler == SIG_DFL ||
	    action.sa_handler == SIG_IGN)
		return false;
	for (size_t i = 0; i < code->nr_instructions; i++)
		if (pops_flags(code, &code->instructions[i]))
			return true;
	return false;
}

/* Why the program would notice a clone of the function; NULL: it would not. */
static const char *why_noticed(const struct code *code, const struct code_bounds *bounds)
{
	if (writable_code_meets(bounds->start, bounds->end))
		return "its code is writable, and may change";
	if (may_step(code))
		return "it may step through code by the trap flag";
	if (code->breakpoint && !symbols_code_is_files(bounds->start, bounds->end))
		return "a breakpoint is in its code";
	if (code->own_address && !callee_is_surveyed(bounds->start) &&
	    !callee_is_runtimes(bounds->start))
		return "it makes system calls of its own, or stores the address of an x87 instruction";
	if (!bounds->fde && calls_others(code))
		return "it has no unwind information (compile with -g) and calls others, which may walk the stack";
	return outside_uses_callers(code, bounds) ? "it uses return addresses of its callers"
						  : NULL;
}

static bool read_function(struct preparation *p, uintptr_t function)
{
	enum code_bounds_result result = code_bounds_find(function, &p->bounds);

	p->at = function;
	if (result != CODE_BOUNDS_FOUND) {
		p->why = code_bounds_text(result);
		return false;
	}
	if (p->bounds.start != function && !p->batch->first) {
		p->why = "does not begin there by its unwind information or symbol";
		return false;
	}
	if (p->bounds.signal_frame) {
		p->why = "frame of a signal";
		return false;
	}
	if (restartable_meets(p->bounds.start, p->bounds.end)) {
		p->why = "it has restartable sequences (rseq)";
		return false;
	}
	p->code = code_read(p->batch->reading, p->bounds.start, p->bounds.end, NULL, &p->why);
	if (p->code && p->code->refusal) {
		p->why = p->code->refusal;
		p->at = p->code->refusal_address;
	}
	if (!p->code || p->code->refusal)
		return false;
	p->why = why_noticed(p->code, &p->bounds);
	if (p->why)
		return false;
	p->why = "no memory";
	return linkage_reads_add(p->batch->reading, p->code) && find_leaders(p);
}

static void *keep(struct arena *arena, const void *from, size_t bytes)
{
	void *to = arena ? arena_alloc(arena, bytes) : NULL;

	return to && bytes ? memcpy(to, from, bytes) : to;
}

/* Leaders and exits are in the batch's arena, the rest is permanent. */
static bool keep_copy(struct batch *batch, struct copy *copy)
{
	copy->places = keep(permanent_arena(), copy->places,
			    copy->nr_places * sizeof(copy->places[0]));
	copy->behind = keep(permanent_arena(), copy->behind,
			    copy->nr_behind * sizeof(copy->behind[0]));
	copy->within = keep(permanent_arena(), copy->within,
			    copy->nr_within * sizeof(copy->within[0]));
	copy->after_calls = keep(permanent_arena(), copy->after_calls,
				 copy->nr_after_calls * sizeof(copy->after_calls[0]));
	copy->leaders = keep(batch->arena, copy->leaders,
			     copy->nr_leaders * sizeof(copy->leaders[0]));
	copy->exits = keep(batch->arena, copy->exits, copy->nr_exits * sizeof(copy->exits[0]));
	return copy->places && copy->behind && copy->within && copy->after_calls && copy->leaders &&
	       copy->exits;
}

/* Whether the block ends in a back edge or an exit of the loop. */
static bool steers(const struct graph *graph, uint32_t loop, const struct graph_block *block)
{
	for (uint32_t i = 0; i < block->nr_successors; i++) {
		uint32_t to = graph->edges[block->first_successor + i];

		if (to == graph->loops[loop].header || !graph_loop_has(graph, loop, to))
			return true;
	}
	return false;
}

/* Blocks of the loop that are in no inner one. */
static size_t count_own(const struct graph *graph, uint32_t number)
{
	const struct graph_loop *loop = &graph->loops[number];
	size_t nr = 0;

	for (uint32_t i = 0; i < loop->nr_blocks; i++)
		nr += graph->blocks[graph->members[loop->first_block + i]].loop == number;
	return nr;
}

static bool keep_blocks(const struct graph *graph, uint32_t number, struct clone_loop *row)
{
	const struct graph_loop *loop = &graph->loops[number];
	struct clone_loop_block *blocks = permanent_arena() ? arena_alloc(permanent_arena(),
									  count_own(graph, number) *
										  sizeof(*blocks))
							    : NULL;

	row->blocks = blocks;
	for (uint32_t i = 0; blocks && i < loop->nr_blocks; i++) {
		const struct graph_block *block =
			&graph->blocks[graph->members[loop->first_block + i]];
		const struct code_instruction *first = &graph->code->instructions[block->first],
					      *last = first + block->nr - 1;

		if (block->loop == number)
			blocks[row->nr_blocks++] = (struct clone_loop_block){
				graph->code->start + first->offset,
				graph->code->start + last->offset + last->length,
				steers(graph, number, block) ? graph->code->start + last->offset
							     : 0,
			};
	}
	return blocks;
}

/*
 * The row of a function that code calls, not the runtime: around its loops, as their one. Number 0:
 * no memory.
 */
static uint32_t number_function(const struct code *code, const struct code_bounds *bounds)
{
	struct clone_loop_block *block = permanent_arena()
						 ? arena_alloc(permanent_arena(), sizeof(*block))
						 : NULL;

	if (!block)
		return 0;
	*block = (struct clone_loop_block){ bounds->start, bounds->end, 0 };
	return record_rows_add_loop(&(struct clone_loop){ .header = code->start,
							  .function = code->start,
							  .is_function = true,
							  .nr_blocks = 1,
							  .blocks = block });
}

static void number_loops(const struct graph *graph, struct clone_data *data)
{
	if (!data->runtime_calls_it)
		data->clone.around_loops = number_function(graph->code, &data->bounds);
	for (size_t i = 0; i < graph->nr_loops; i++) {
		const struct graph_loop *loop = &graph->loops[i];
		struct clone_loop row = {
			.header =
				graph->code->start +
				graph->code->instructions[graph->blocks[loop->header].first].offset,
			.function = graph->code->start,
			.depth = loop->depth,
			.parent = data->clone.around_loops
		};
		uint32_t number;

		if (!keep_blocks(graph, (uint32_t)i, &row))
			return;
		if (loop->parent != GRAPH_NONE)
			row.parent = data->clone.first_loop + loop->parent;
		number = record_rows_add_loop(&row);
		data->clone.first_loop = i ? data->clone.first_loop : number;
		data->clone.nr_loops += number != 0;
	}
}

static uint32_t next_number(void)
{
	static uint32_t number;

	return ++number;
}

static bool write_copy(struct preparation *p, struct clone_data *data)
{
	struct graph *graph = graph_new(p->batch->reading, p->code, p->leaders, p->nr_leaders);
	enum liveness_exit exit = data->runtime_calls_it ? LIVENESS_ABI : LIVENESS_LOCAL;
	struct liveness *live = graph ? liveness_new(p->batch->reading, graph, exit) : NULL;
	struct copy_request request = { .code = p->code,
					.graph = graph,
					.live = live,
					.probes = data->clone.probes,
					.number = data->clone.number,
					.entries = p->entries,
					.nr_entries = p->nr_entries };

	p->why = "no memory";
	if (!live || !constants_fold(p->batch->reading, p->code, graph))
		return false;
	number_loops(graph, data);
	if (data->clone.nr_loops != graph->nr_loops)
		return false;
	data->clone.nr_tasks = created_tasks(permanent_arena(), p->code, &data->clone.tasks);
	request.first_loop = data->clone.first_loop;
	request.around_loops = data->clone.around_loops;
	if (!copy_write(p->batch->reading, &request, &data->copy, &p->why, &p->at))
		return false;
	p->why = "no memory";
	return keep_copy(p->batch, &data->copy);
}

struct clone_data *prepare(struct batch *batch, const struct wanted *wanted)
{
	struct preparation p = { .batch = batch, .at = wanted->function };
	struct clone_data *data = permanent_arena() ? arena_alloc(permanent_arena(), sizeof(*data))
						    : NULL;

	if (data && read_function(&p, wanted->function)) {
		*data = (struct clone_data){ .bounds = p.bounds,
					     .left = wanted->left,
					     .runtime_calls_it = wanted->runtime_calls_it,
					     .module = callee_identity(p.bounds.start),
					     .code = keep(permanent_arena(), p.code->bytes,
							  p.bounds.end - p.bounds.start) };
		data->clone = (struct clone){ .number = next_number(),
					      .start = p.bounds.start,
					      .end = p.bounds.end,
					      .probes = batch->options->probes };
		if (data->code && write_copy(&p, data)) {
			data->clone.code = data->copy.code;
			data->clone.code_end = data->copy.code_end;
			data->clone.nr_sites = data->copy.nr_sites;
			return data;
		}
	}
	refusals_add(wanted->function, p.at, data ? p.why : "no memory");
	return NULL;
}
