/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions of one function's code. A block is in a construct if the call that begins it dominates
 * the block, and the call that ends it can be reached from there. Constructs and loops nest by which
 * contains the other's begin.
 */
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/code/constants.h"
#include "analysis/code/exits.h"
#include "analysis/code/control_flow.h"
#include "analysis/debuginfo/source.h"
#include "analysis/elf/function_names.h"
#include "analysis/sir/reader.h"
#include "analysis/sir/runtime_calls.h"

#define UNKNOWN (UINT32_MAX - 1)

struct construct {
	uint32_t region, outer, block;
	uint8_t kind, role;
};

struct function_code {
	struct reader *reader;
	struct arena *scratch;
	struct code *code;
	struct graph *graph;
	uint32_t top;                      /* region */
	struct callee *callees;            /* by block, of the call that ends it */
	const struct runtime_call **calls; /* by block; NULL: none */
	struct construct *constructs;
	size_t nr_constructs, constructs_room;
	uint32_t *out;                  /* by block: construct behind it; SIR_NONE: none; UNKNOWN */
	bool *reach[MS_REGION_KINDS];   /* by block: see find_reach; NULL: no call ends that kind */
	uint32_t *loop_region;          /* by loop; UNKNOWN */
	const struct loop_exits *exits; /* of gcc's static loops; NULL: none */
};

static uint32_t region_of_block(struct function_code *of, uint32_t block);
static uint32_t region_of_loop(struct function_code *of, uint32_t loop);

static uint64_t address_of(const struct function_code *of, uint32_t instruction)
{
	return of->code->start + of->code->instructions[instruction].offset;
}

static uint32_t last_of(const struct function_code *of, uint32_t block)
{
	return of->graph->blocks[block].first + of->graph->blocks[block].nr - 1;
}

static uint64_t behind(const struct function_code *of, uint32_t block)
{
	uint32_t last = last_of(of, block);

	return address_of(of, last) + of->code->instructions[last].length;
}

/* ------------------------------------------------------------------ constructs */

static bool has_next(const struct function_code *of, uint32_t loop)
{
	const struct graph_loop *row = &of->graph->loops[loop];

	for (uint32_t i = row->first_block; i < row->first_block + row->nr_blocks; i++) {
		const struct runtime_call *call = of->calls[of->graph->members[i]];

		if (call && call->role == RUNTIME_NEXT)
			return true;
	}
	return false;
}

/* Whether a block executes chunks of the construct. */
static bool is_in_chunks(const struct function_code *of, const struct construct *construct,
			 uint32_t block)
{
	for (uint32_t loop = of->graph->blocks[block].loop; loop != GRAPH_NONE;
	     loop = of->graph->loops[loop].parent)
		if (has_next(of, loop) && (construct->block == GRAPH_NONE ||
					   !graph_loop_has(of->graph, loop, construct->block)))
			return true;
	return false;
}

static bool begins(const struct runtime_call *call, uint8_t kind)
{
	return call && call->kind == kind &&
	       (call->role == RUNTIME_BEGIN || call->role == RUNTIME_CHUNKS);
}

static bool ends(const struct runtime_call *call, uint8_t kind)
{
	return call && call->kind == kind && call->role == RUNTIME_END;
}

/* The blocks from which an end of the kind is reached before another begin of it. */
static bool *find_reach(struct function_code *of, uint8_t kind)
{
	size_t nr = of->graph->nr_blocks, length = 0;
	bool *reach = arena_alloc(of->scratch, nr * sizeof(*reach));
	uint32_t *list = arena_alloc(of->scratch, nr * sizeof(*list));

	for (uint32_t block = 0; reach && list && block < nr; block++)
		if (ends(of->calls[block], kind)) {
			reach[block] = true;
			list[length++] = block;
		}
	while (length) {
		const struct graph_block *row = &of->graph->blocks[list[--length]];

		for (uint32_t i = 0; i < row->nr_predecessors; i++) {
			uint32_t from = of->graph->sources[row->first_predecessor + i];

			if (reach[from] || begins(of->calls[from], kind))
				continue;
			reach[from] = true;
			list[length++] = from;
		}
	}
	return reach;
}

static bool contains(const struct function_code *of, const struct construct *construct,
		     uint32_t block)
{
	if (construct->role == RUNTIME_CHUNKS)
		return is_in_chunks(of, construct, block);
	return of->reach[construct->kind] && of->reach[construct->kind][block];
}

/* A region of that kind and line below another; SIR_NONE: none. */
static uint32_t find_same(const struct sir *sir, uint32_t outer, unsigned int kind,
			  const struct source *at)
{
	uint32_t child = at->line ? sir->regions[outer].first : SIR_NONE;

	while (child != SIR_NONE &&
	       (sir->regions[child].kind != kind || sir->regions[child].line != at->line ||
		strcmp(sir->regions[child].file, at->file) != 0))
		child = sir->regions[child].next;
	return child;
}

/* Source of the construct that the call at the end of a block begins. */
static struct source construct_source(struct function_code *of, uint32_t block, unsigned int kind,
				      size_t body)
{
	struct reader *reader = of->reader;
	struct code_address inside = { UINT32_MAX, 0 };
	struct source source;

	if (body != SIZE_MAX)
		inside = reader_at(reader->functions.items[body].low + 1);
	if (sources_region(reader->sources, &reader->module, 1, kind, reader_at(behind(of, block)),
			   inside, &source) != MS_OK)
		return (struct source){ .function = "", .file = "" };
	return source;
}

static void describe(struct function_code *of, uint32_t region, const struct source *source)
{
	struct sir_region *row = &of->reader->sir->regions[region];

	row->name = source->function;
	row->file = source->file;
	row->line = source->line;
	row->approximate = source->approximate && source->line;
}

/*
 * The region of a construct with that source: a new one, or that of another call on its line, which
 * compilers copied. SIR_NONE: no memory.
 */
static uint32_t construct_region(struct function_code *of, uint32_t block, unsigned int kind,
				 uint32_t outer, const struct source *source)
{
	struct sir *sir = of->reader->sir;
	uint32_t region = find_same(sir, outer, kind, source);

	if (region != SIR_NONE) {
		sir->regions[region].copies++;
		return region;
	}
	region = reader_add(of->reader, kind, outer, address_of(of, last_of(of, block)));
	if (region != SIR_NONE)
		describe(of, region, source);
	return region;
}

static uint32_t begin_construct(struct function_code *of, uint32_t block, uint32_t outer)
{
	const struct runtime_call *call = of->calls[block];
	struct source source = construct_source(of, block, call->kind, SIZE_MAX);
	uint32_t region = construct_region(of, block, call->kind, region_of_block(of, block),
					   &source);

	if (region == SIR_NONE ||
	    !ARENA_GROW(of->scratch, of->constructs, of->nr_constructs, of->constructs_room))
		return outer;
	of->constructs[of->nr_constructs] = (struct construct){ .region = region,
								.outer = outer,
								.block = block,
								.kind = call->kind,
								.role = call->role };
	return (uint32_t)of->nr_constructs++;
}

/* One that the runtime has begun when it calls the function; SIR_NONE: none. */
static uint32_t outermost(const struct function_code *of)
{
	return of->nr_constructs && of->constructs[0].block == GRAPH_NONE ? 0 : SIR_NONE;
}

/* The construct at the entry of a block, of which the dominators have been judged. */
static uint32_t construct_in(const struct function_code *of, uint32_t block)
{
	uint32_t dominator = of->graph->blocks[block].dominator;
	uint32_t construct = dominator == GRAPH_NONE ? outermost(of) : of->out[dominator];

	while (construct != SIR_NONE && !contains(of, &of->constructs[construct], block))
		construct = of->constructs[construct].outer;
	return construct;
}

/* The construct that began last above the block's end. */
static void judge(struct function_code *of, uint32_t block)
{
	uint32_t dominator = of->graph->blocks[block].dominator;

	if (of->calls[block] && begins(of->calls[block], of->calls[block]->kind))
		of->out[block] = begin_construct(of, block, construct_in(of, block));
	else
		of->out[block] = dominator == GRAPH_NONE ? outermost(of) : of->out[dominator];
}

/* Dominators first. */
static void judge_all(struct function_code *of)
{
	size_t nr = of->graph->nr_blocks;
	uint32_t *chain = arena_alloc(of->scratch, (nr + 1) * sizeof(*chain));

	for (uint32_t block = 0; chain && block < nr; block++) {
		size_t length = 0;

		for (uint32_t at = block; at != GRAPH_NONE && of->out[at] == UNKNOWN;
		     at = of->graph->blocks[at].dominator)
			chain[length++] = at;
		while (length)
			judge(of, chain[--length]);
	}
}

/* ------------------------------------------------------------------ loops */

static bool is_end_of(const struct function_code *of, uint32_t loop, uint32_t block)
{
	const struct graph_block *row = &of->graph->blocks[block];

	for (uint32_t i = 0; i < row->nr_successors; i++) {
		uint32_t to = of->graph->edges[row->first_successor + i];

		if (to == of->graph->loops[loop].header || !graph_loop_has(of->graph, loop, to))
			return true;
	}
	return false;
}

static bool loop_source(struct function_code *of, uint32_t loop, struct loop_source *out)
{
	const struct graph_loop *row = &of->graph->loops[loop];
	struct loop_code *pieces = arena_alloc(of->scratch, (row->nr_blocks + 1) * sizeof(*pieces));
	struct reader *reader = of->reader;
	size_t nr = 0;

	for (uint32_t i = 0; pieces && i < row->nr_blocks; i++) {
		uint32_t block = of->graph->members[row->first_block + i];

		if (of->graph->blocks[block].loop != loop)
			continue;
		pieces[nr++] = (struct loop_code){
			address_of(of, of->graph->blocks[block].first), behind(of, block),
			is_end_of(of, loop, block) ? address_of(of, last_of(of, block)) : 0
		};
	}
	return pieces &&
	       sources_loop(reader->sources, &reader->module, 1,
			    reader_at(address_of(of, of->graph->blocks[row->header].first)), pieces,
			    nr, of->scratch, out) == MS_OK;
}

static uint32_t add_loop(struct function_code *of, uint32_t loop, uint32_t outer,
			 enum ms_region_kind kind)
{
	struct loop_source source = { .at = { .file = "", .function = "" } };
	bool known = loop_source(of, loop, &source);
	uint32_t region = known ? find_same(of->reader->sir, outer, kind, &source.at) : SIR_NONE;

	if (region != SIR_NONE) {
		of->reader->sir->regions[region].copies++;
		return region;
	}
	region = reader_add(of->reader, kind, outer,
			    address_of(of, of->graph->blocks[of->graph->loops[loop].header].first));
	if (region == SIR_NONE || !known)
		return region == SIR_NONE ? outer : region;
	describe(of, region, &source.at);
	if (source.nr_lines)
		of->reader->sir->regions[region].last_line = source.lines[source.nr_lines - 1];
	return region;
}

/* `name`: NULL where a block ends without a call. */
static bool is_begin_of_static(const char *name)
{
	return name && (!strcmp(name, "GOMP_barrier") || !strcmp(name, "omp_get_num_threads"));
}

/*
 * The block whose call stands for the begin of a static loop: a barrier before it, else the call of
 * omp_get_num_threads. GRAPH_NONE: none is above it.
 */
static uint32_t begin_of_static(const struct function_code *of, uint32_t loop)
{
	uint32_t block = of->graph->blocks[of->graph->loops[loop].header].dominator;

	while (block != GRAPH_NONE && !is_begin_of_static(of->callees[block].name))
		block = of->graph->blocks[block].dominator;
	return block;
}

/* Its region has the directive's line where that is found, else the loop's. */
static uint32_t add_static(struct function_code *of, uint32_t loop, uint32_t outer)
{
	uint32_t begin = begin_of_static(of, loop);
	struct source source = { 0 };

	if (begin != GRAPH_NONE)
		source = construct_source(of, begin, MS_DO_REGION, SIZE_MAX);
	if (!source.line)
		return add_loop(of, loop, outer, MS_DO_REGION);
	return construct_region(of, begin, MS_DO_REGION, outer, &source);
}

/* Whether the threads divide the loop, or a chunk of it is the loop. */
static bool is_own_loop(const struct function_code *of, uint32_t loop, uint32_t outer_loop,
			const struct construct *construct)
{
	if (construct->kind != MS_DO_REGION)
		return false;
	if (construct->role == RUNTIME_CHUNKS)
		return has_next(of, loop) || (outer_loop != GRAPH_NONE && has_next(of, outer_loop));
	return outer_loop == GRAPH_NONE;
}

static uint32_t make_loop(struct function_code *of, uint32_t loop)
{
	const struct graph_loop *row = &of->graph->loops[loop];
	uint32_t in = construct_in(of, row->header), parent = row->parent, outer = of->top;
	const struct construct *construct = in != SIR_NONE ? &of->constructs[in] : NULL;

	if (construct && parent != GRAPH_NONE && construct->block != GRAPH_NONE &&
	    graph_loop_has(of->graph, parent, construct->block))
		parent = GRAPH_NONE; /* around the construct */
	if (parent != GRAPH_NONE)
		outer = region_of_loop(of, parent);
	else if (construct)
		outer = construct->region;
	if (construct && is_own_loop(of, loop, parent, construct))
		return construct->region;
	if (of->exits && exits_divide(&of->exits[loop]) &&
	    of->reader->sir->regions[outer].kind != MS_DO_REGION)
		return add_static(of, loop, outer);
	return add_loop(of, loop, outer, MS_LOOP_REGION);
}

static uint32_t region_of_loop(struct function_code *of, uint32_t loop)
{
	if (of->loop_region[loop] == UNKNOWN)
		of->loop_region[loop] = make_loop(of, loop);
	return of->loop_region[loop];
}

static uint32_t region_of_block(struct function_code *of, uint32_t block)
{
	uint32_t in = construct_in(of, block), loop = of->graph->blocks[block].loop;
	const struct construct *construct = in != SIR_NONE ? &of->constructs[in] : NULL;

	if (loop != GRAPH_NONE && (!construct || construct->block == GRAPH_NONE ||
				   !graph_loop_has(of->graph, loop, construct->block)))
		return region_of_loop(of, loop);
	return construct ? construct->region : of->top;
}

/* ------------------------------------------------------------------ calls and uses */

/* 0: unknown */
static int line_of(struct function_code *of, uint64_t address)
{
	struct source source = { 0 };

	sources_statement(of->reader->sources, &of->reader->module, 1, reader_at(address), false,
			  &source);
	return source.line;
}

static void add_call(struct function_code *of, uint32_t region, const struct callee *callee,
		     int line)
{
	struct reader *reader = of->reader;
	struct sir_region *row = &reader->sir->regions[region];
	uint32_t to = callee->function == SIZE_MAX ? SIR_NONE : reader->regions[callee->function];
	const char *name = to != SIR_NONE
				   ? reader->sir->regions[to].name
				   : name_user(reader->arena, callee->name, reader->binary.fortran);

	if (!name || !*name) /* the file is closed when it is printed */
		name = arena_strdup(reader->arena, callee->name);
	if (!name)
		return;
	for (size_t i = 0; i < row->nr_calls; i++)
		if (row->calls[i].line == line && row->calls[i].region == to &&
		    !strcmp(row->calls[i].name, name))
			return;
	if (ARENA_GROW(reader->arena, row->calls, row->nr_calls, row->calls_room))
		row->calls[row->nr_calls++] = (struct sir_call){ name, to, line };
}

static void add_body(struct function_code *of, uint32_t block, uint32_t outer)
{
	const struct runtime_call *call = of->calls[block];
	struct reader *reader = of->reader;
	size_t body = reader_argument(reader, of->code, last_of(of, block), call->body);
	struct source source = construct_source(of, block, call->kind, body);
	uint32_t region = construct_region(of, block, call->kind, outer, &source);

	if (region != SIR_NONE && call->combined)
		region = construct_region(of, block, call->combined, region, &source);
	if (region == SIR_NONE || body == SIZE_MAX)
		return;
	if (reader->is_done[body]) {
		if (reader->regions[body] != region)
			reader->sir->regions[region].same = reader->regions[body];
		return;
	}
	reader->sir->regions[region].bytes = reader->functions.items[body].high -
					     reader->functions.items[body].low;
	reader->regions[body] = region;
	code_regions_add(reader, body, region);
}

/* clang's outlined functions call inner ones that have the code ("_debug__"). */
static bool is_body(const struct reader *reader, size_t function)
{
	return function != SIZE_MAX && (reader->is_body[function] ||
					name_is_outlined(reader->functions.items[function].symbol));
}

static void add_end_of_block(struct function_code *of, uint32_t block)
{
	const struct runtime_call *call = of->calls[block];
	const struct callee *callee = &of->callees[block];
	uint32_t region = region_of_block(of, block);

	if (call && call->role == RUNTIME_BODY) {
		add_body(of, block, region);
	} else if (call && call->role == RUNTIME_LEAF) {
		struct source source = construct_source(of, block, call->kind, SIZE_MAX);

		construct_region(of, block, call->kind, region, &source);
	} else if (is_body(of->reader, callee->function)) {
		if (!of->reader->is_done[callee->function])
			code_regions_add(of->reader, callee->function, region);
	} else if (!call && !runtime_is(callee->name) &&
		   (*callee->name || callee->function != SIZE_MAX)) {
		add_call(of, region, callee, line_of(of, address_of(of, last_of(of, block))));
	}
}

static void add_all(struct function_code *of)
{
	size_t nr = of->graph->nr_blocks;
	uint32_t *regions = arena_alloc(of->scratch, nr * sizeof(*regions));

	for (uint32_t loop = 0; loop < of->graph->nr_loops; loop++)
		region_of_loop(of, loop);
	for (uint32_t block = 0; regions && block < nr; block++)
		regions[block] = region_of_block(of, block);
	if (regions)
		uses_add(of->reader, of->scratch, of->graph, regions);
	for (size_t i = 0; i < of->graph->nr_calls; i++)
		add_end_of_block(of, graph_block_of(of->graph, of->graph->calls[i].instruction));
}

/* ------------------------------------------------------------------ the function */

static bool find_callees(struct function_code *of)
{
	struct graph *graph = of->graph;
	struct exits_call *numbers = arena_alloc(of->scratch,
						 (graph->nr_calls + 1) * sizeof(*numbers));
	uint32_t nr = 0;

	of->callees = arena_alloc(of->scratch, graph->nr_blocks * sizeof(*of->callees));
	of->calls = arena_alloc(of->scratch, graph->nr_blocks * sizeof(*of->calls));
	if (!numbers || !of->callees || !of->calls)
		return false;
	for (size_t i = 0; i < graph->nr_calls; i++) {
		uint32_t at = graph->calls[i].instruction, block = graph_block_of(graph, at);
		struct callee *callee = &of->callees[block];

		*callee = reader_callee(of->reader, of->code, &of->code->instructions[at]);
		of->calls[block] = runtime_call(callee->name);
		if (exits_of_call(callee->name))
			numbers[nr++] = (struct exits_call){ at, exits_of_call(callee->name) };
	}
	for (size_t i = 0; i < graph->nr_blocks; i++)
		if (of->calls[i] && of->calls[i]->role == RUNTIME_END &&
		    !of->reach[of->calls[i]->kind])
			of->reach[of->calls[i]->kind] = find_reach(of, of->calls[i]->kind);
	if (nr)
		of->exits = exits_find(of->scratch, graph, numbers, nr);
	return true;
}

/*
 * Replaces registers that hold known addresses where the whole base is one. What is only added to
 * another register stays in its register: provenance.h follows it.
 */
static bool fold(struct function_code *of)
{
	struct code *code = of->code;
	size_t bytes = code->nr_accesses * sizeof(*code->accesses);
	struct code_access *was = arena_alloc(of->scratch, bytes + 1);

	if (!was)
		return false;
	memcpy(was, code->accesses, bytes);
	if (!constants_fold(of->scratch, code, of->graph))
		return false;
	for (size_t i = 0; i < code->nr_accesses; i++)
		if (code->accesses[i].base != CODE_RIP)
			code->accesses[i] = was[i];
	return true;
}

static bool prepare(struct function_code *of, size_t function)
{
	of->code = of->scratch ? reader_decode(of->reader, of->scratch, function) : NULL;
	of->graph = of->code ? graph_new(of->scratch, of->code, NULL, 0) : NULL;
	if (!of->graph || !find_callees(of) || !fold(of))
		return false;
	of->out = arena_alloc(of->scratch, of->graph->nr_blocks * sizeof(*of->out));
	of->loop_region = arena_alloc(of->scratch,
				      (of->graph->nr_loops + 1) * sizeof(*of->loop_region));
	if (!of->out || !of->loop_region)
		return false;
	for (size_t i = 0; i < of->graph->nr_blocks; i++)
		of->out[i] = UNKNOWN;
	for (size_t i = 0; i < of->graph->nr_loops; i++)
		of->loop_region[i] = UNKNOWN;
	return true;
}

void code_regions_add(struct reader *reader, size_t function, uint32_t region)
{
	struct function_code of = { .reader = reader, .scratch = arena_new(), .top = region };
	const struct sir_region *top = &reader->sir->regions[region];

	reader->is_done[function] = true;
	if (prepare(&of, function)) {
		reader->sir->regions[region].incomplete |= !of.graph->complete;
		/* a body that the runtime calls with a loop begun: its chunks are the region's */
		if (top->kind == MS_DO_REGION &&
		    ARENA_GROW(of.scratch, of.constructs, of.nr_constructs, of.constructs_room))
			of.constructs[of.nr_constructs++] = (struct construct){
				.region = region,
				.outer = SIR_NONE,
				.block = GRAPH_NONE,
				.kind = MS_DO_REGION,
				.role = RUNTIME_CHUNKS
			};
		judge_all(&of);
		add_all(&of);
	}
	arena_free(of.scratch);
}
