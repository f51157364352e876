/* SPDX-License-Identifier: Apache-2.0 */
/* Static loops of gcc, which lie between the barriers of a parallel region. */
#include "ompt_tool/recording/static_loops.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/code/exits.h"
#include "analysis/code/control_flow.h"
#include "analysis/code/intervals.h"
#include "ompt_tool/clones/callee.h"
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/code/running_code.h"
#include "ompt_tool/regions/region_loops.h"

/* Limits of the analysis. Decoding takes some 100 us per KiB. */
enum { OUTLINED_BYTES_MAX = 16 << 10, REDUCTION_BLOCKS = 2, VERSIONS = 8, CALLS_MAX = 64 };

/* ------------------------------------------------------------------ the outlined function */

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

struct outlined {
	struct arena *arena;
	struct code_bounds bounds;
	const struct graph *graph;
	/* EXITS_FIRST: of omp_get_num_threads, EXITS_SECOND: of omp_get_thread_num */
	struct exits_call numbers[CALLS_MAX];
	uint32_t nr_numbers;
	uint32_t barriers[CALLS_MAX]; /* instructions */
	uint32_t nr_barriers;
	struct intervals intervals;
	const struct loop_exits *exits;
};

static uint64_t return_address(const struct outlined *outlined, uint32_t instruction)
{
	const struct code_instruction *in = &outlined->graph->code->instructions[instruction];

	return outlined->graph->code->start + in->offset + in->length;
}

/* False: more calls than CALLS_MAX. */
static bool note_call(struct outlined *outlined, uint32_t instruction)
{
	const char *name = callee_name(&outlined->graph->code->instructions[instruction]);

	if (outlined->nr_numbers == CALLS_MAX || outlined->nr_barriers == CALLS_MAX)
		return false;
	if (exits_of_call(name))
		outlined->numbers[outlined->nr_numbers++] = (struct exits_call){
			instruction, exits_of_call(name)
		};
	else if (!strcmp(name, "GOMP_barrier"))
		outlined->barriers[outlined->nr_barriers++] = instruction;
	return true;
}

static bool is_in_work(const struct outlined *outlined, uint32_t loop)
{
	return loop != GRAPH_NONE && !outlined->intervals.loop_has_barrier[loop];
}

/* Whether the call is outside of the loop, or an OpenMP construct inside. */
static bool is_other(const struct outlined *outlined, const struct graph_call *call)
{
	const char *name = callee_name(&outlined->graph->code->instructions[call->instruction]);
	bool in_work = is_in_work(outlined, call->loop);

	if (begins(name, "GOMP_atomic_"))
		return false;
	if (exits_of_call(name))
		return in_work;
	return in_work ? begins(name, "GOMP_") : strcmp(name, "GOMP_barrier") != 0;
}

static bool has_others(const struct outlined *outlined, const bool *interval)
{
	for (size_t i = 0; i < outlined->graph->nr_calls; i++) {
		const struct graph_call *call = &outlined->graph->calls[i];

		if (interval[graph_block_of(outlined->graph, call->instruction)] &&
		    is_other(outlined, call))
			return true;
	}
	return false;
}

static bool is_locked(const struct code *code, const struct code_instruction *in)
{
	return in->length && code->bytes[in->offset] == 0xf0;
}

/* cmpxchg with its retry loop. */
static bool is_reduction(const struct graph *graph, const struct graph_loop *loop)
{
	bool locked = false;

	for (uint32_t i = loop->first_block;
	     loop->nr_blocks <= REDUCTION_BLOCKS && i < loop->first_block + loop->nr_blocks; i++) {
		const struct graph_block *block = &graph->blocks[graph->members[i]];

		for (uint32_t at = block->first; at < block->first + block->nr; at++)
			locked |= is_locked(graph->code, &graph->code->instructions[at]);
	}
	return locked;
}

/* Reloads a bound that is not kept in a register. */
static bool is_reload(const struct code_instruction *in)
{
	return in->nr_accesses && in->writes && !in->values && !in->flags_written;
}

static bool is_step(const struct code *code, const struct code_instruction *in)
{
	for (uint32_t i = 0; i < in->nr_accesses; i++) {
		const struct code_access *access = &code->accesses[in->first_access + i];

		if (access->write || !code_is_in_frame(access))
			return false;
	}
	return in->kind == CODE_JUMP || in->kind == CODE_BRANCH ||
	       (in->kind == CODE_PLAIN &&
		(in->counts || is_reload(in) || (!in->writes && in->flags_written)));
}

/*
 * A loop that only counts: the rest of a loop for the case that the inner loop has no iterations.
 */
static bool is_idle(const struct graph *graph, const struct graph_loop *loop)
{
	for (uint32_t i = loop->first_block; i < loop->first_block + loop->nr_blocks; i++) {
		const struct graph_block *block = &graph->blocks[graph->members[i]];

		for (uint32_t at = block->first; at < block->first + block->nr; at++)
			if (!is_step(graph->code, &graph->code->instructions[at]))
				return false;
	}
	return true;
}

static bool is_work(const struct outlined *outlined, uint32_t loop)
{
	const struct graph *graph = outlined->graph;

	return is_in_work(outlined, loop) && !is_in_work(outlined, graph->loops[loop].parent) &&
	       !is_reduction(graph, &graph->loops[loop]) && !is_idle(graph, &graph->loops[loop]);
}

/* Loops of which a thread executes one. */
struct versions {
	uint32_t loops[VERSIONS], nr; /* outer before inner, see control_flow.h */
	const bool *ends;             /* of each of them, see ends_of */
};

/*
 * The outermost loops of an interval but reductions and idle ones. False: there is none, or more
 * than VERSIONS.
 */
static bool find_outermost(const struct outlined *outlined, const bool *interval,
			   struct versions *found)
{
	found->nr = 0;
	for (uint32_t i = 0; i < outlined->graph->nr_loops; i++) {
		if (!interval[outlined->graph->loops[i].header] || !is_work(outlined, i))
			continue;
		if (found->nr == VERSIONS)
			return false;
		found->loops[found->nr++] = i;
	}
	return found->nr > 0;
}

/* A thread that executes one of them executes none of the others. */
static bool are_alternatives(const struct outlined *outlined, const struct versions *versions)
{
	for (uint32_t i = 0; versions->nr > 1 && i < versions->nr; i++) {
		const bool *reached = interval_from_loop(&outlined->intervals, outlined->arena,
							 versions->loops[i]);

		for (uint32_t other = 0; other < versions->nr; other++)
			if (!reached ||
			    (other != i &&
			     reached[outlined->graph->loops[versions->loops[other]].header]))
				return false;
	}
	return true;
}

/*
 * The places that a thread reaches after the loop: blocks with barriers and, as the last entry, the
 * function's end. NULL: no memory.
 */
static const bool *ends_of(const struct outlined *outlined, uint32_t loop)
{
	const struct graph *graph = outlined->graph;
	const bool *reached = interval_from_loop(&outlined->intervals, outlined->arena, loop);
	bool *ends = reached ? arena_alloc(outlined->arena, graph->nr_blocks + 1) : NULL;

	for (uint32_t b = 0; ends && b < graph->nr_blocks; b++) {
		bool returns = !graph->blocks[b].nr_successors;

		ends[b] = reached[b] && !returns && outlined->intervals.has_barrier[b];
		ends[graph->nr_blocks] |= reached[b] && returns;
	}
	return ends;
}

/*
 * If alternatives end at different barriers, as in for (…) { for (…) { A; barrier } B; barrier },
 * keeps the innermost loop and those that end where it does: the end shows which one was executed.
 * False: it does not.
 */
static bool keep_innermost(const struct outlined *outlined, struct versions *versions)
{
	const struct versions all = *versions;
	size_t nr_ends = outlined->graph->nr_blocks + 1;

	versions->ends = ends_of(outlined, all.loops[all.nr - 1]);
	versions->nr = 0;
	for (uint32_t i = 0; i < all.nr; i++) {
		const bool *ends = ends_of(outlined, all.loops[i]);
		bool common = false;

		if (!ends || !versions->ends)
			return false;
		for (size_t end = 0; end < nr_ends; end++)
			common |= ends[end] && versions->ends[end];
		if (common && memcmp(ends, versions->ends, nr_ends * sizeof(*ends)))
			return false;
		if (common)
			versions->loops[versions->nr++] = all.loops[i];
	}
	return versions->nr > 0;
}

/* Whether the interval is one loop, and its versions. False: none, or more. */
static bool is_one_loop(const struct outlined *outlined, const bool *interval,
			struct versions *versions)
{
	if (!find_outermost(outlined, interval, versions) || has_others(outlined, interval) ||
	    !are_alternatives(outlined, versions) || !keep_innermost(outlined, versions))
		return false;
	for (uint32_t i = 0; i < versions->nr; i++)
		if (!exits_divide(&outlined->exits[versions->loops[i]]))
			return false;
	return true;
}

/* Return address of the first call of omp_get_num_threads; 0: none in the interval. */
static uint64_t behind_number(const struct outlined *outlined, const bool *interval)
{
	for (uint32_t i = 0; i < outlined->nr_numbers; i++)
		if (outlined->numbers[i].of == EXITS_FIRST &&
		    interval[graph_block_of(outlined->graph, outlined->numbers[i].instruction)])
			return return_address(outlined, outlined->numbers[i].instruction);
	return 0;
}

static bool read_outlined(struct outlined *outlined)
{
	struct arena *arena = outlined->arena;
	const char *why;
	struct code *code = code_read(arena, outlined->bounds.start, outlined->bounds.end, NULL,
				      &why);

	outlined->graph = code ? graph_new_with_cycles(arena, code) : NULL;
	if (!outlined->graph || !outlined->graph->complete)
		return false;
	for (size_t i = 0; i < outlined->graph->nr_calls; i++)
		if (!note_call(outlined, outlined->graph->calls[i].instruction))
			return false;
	if (!outlined->nr_numbers || !intervals_init(&outlined->intervals, arena, outlined->graph,
						     outlined->barriers, outlined->nr_barriers))
		return false;
	outlined->exits = exits_find(arena, outlined->graph, outlined->numbers,
				     outlined->nr_numbers);
	return outlined->exits != NULL;
}

/* ------------------------------------------------------------------ the regions */

/*
 * Range of addresses of constructs encountered below a region, which keep their numbers. Barriers
 * are not included: they have nothing below them.
 */
struct span {
	uint64_t low, high;
};

static struct span *children_of(struct arena *arena, struct region_table *regions)
{
	uint32_t nr = region_table_count(regions);
	struct span *spans = arena_alloc(arena, (nr + 1) * sizeof(*spans));

	for (uint32_t id = 1; spans && id < nr; id++) {
		const struct region *region = region_table_at(regions, id);
		struct span *span = region && region->parent < nr ? &spans[region->parent] : NULL;

		if (!span || region->kind == MS_BARRIER_REGION)
			continue;
		if (!span->high || region->construct < span->low)
			span->low = region->construct;
		if (region->construct >= span->high)
			span->high = region->construct + 1;
	}
	return spans;
}

/* Constructs in the region's own function are next to its loops. */
static bool is_without_others(const struct code_bounds *bounds, const struct span *children)
{
	return !children->high ||
	       (children->low > bounds->start && children->high <= bounds->end + 1);
}

struct found {
	uint32_t loop, region;
};

struct looking {
	struct region_table *regions;
	struct region *region;
	struct outlined *outlined;
	struct found found[CALLS_MAX + 1];
	uint32_t nr;
};

/* By the end of the function a thread leaves the region. */
static void note_ends(const struct looking *looking, const bool *ends, uint32_t region)
{
	const struct graph *graph = looking->outlined->graph;

	for (uint32_t b = 0; b < graph->nr_blocks; b++) {
		const struct graph_block *block = &graph->blocks[b];

		if (ends[b])
			region_note_loop_end(
				looking->regions, region,
				return_address(looking->outlined, block->first + block->nr - 1));
	}
	if (ends[graph->nr_blocks])
		region_note_loop_end(looking->regions, region, 0);
}

/* A loop reached from several barriers is one region. */
static void add_loop(struct looking *looking, const struct versions *versions, uint32_t barrier,
		     uint64_t construct)
{
	uint32_t loop = versions->loops[0];
	uint32_t same = 0;
	bool new;

	while (same < looking->nr && looking->found[same].loop != loop)
		same++;
	if (same == looking->nr)
		looking->found[looking->nr++] = (struct found){
			loop, region_table_get(looking->regions, MS_DO_REGION, construct,
					       looking->region->id, &new)
		};
	else if (barrier != GRAPH_NONE)
		region_table_alias(looking->regions, MS_DO_REGION, construct, looking->region->id,
				   looking->found[same].region);
	note_ends(looking, versions->ends, looking->found[same].region);
	region_note_static_loop(looking->regions, looking->region, looking->found[same].region,
				barrier == GRAPH_NONE);
}

/* Examines the interval after a barrier, or (GRAPH_NONE) from the begin. */
static void look_behind(struct looking *looking, uint32_t barrier)
{
	const struct outlined *outlined = looking->outlined;
	const bool *interval = interval_behind(&outlined->intervals, outlined->arena, barrier);
	struct versions versions;
	uint64_t construct = 0;

	if (interval && is_one_loop(outlined, interval, &versions))
		construct = barrier != GRAPH_NONE ? return_address(outlined, barrier)
						  : behind_number(outlined, interval);
	if (construct)
		add_loop(looking, &versions, barrier, construct);
}

static void look_at(struct arena *arena, struct region_table *regions, struct region *region,
		    const struct span *children)
{
	uintptr_t begin = (uintptr_t)__atomic_load_n(&region->outlined, __ATOMIC_RELAXED);
	struct outlined outlined = { .arena = arena };
	struct looking looking = { .regions = regions, .region = region, .outlined = &outlined };

	if (!begin || code_bounds_find(begin, &outlined.bounds) != CODE_BOUNDS_FOUND ||
	    !is_without_others(&outlined.bounds, children))
		return;
	__atomic_store_n(&region->outlined, 0, __ATOMIC_RELAXED);
	if (outlined.bounds.start != begin || outlined.bounds.end - begin > OUTLINED_BYTES_MAX ||
	    !read_outlined(&outlined))
		return;
	look_behind(&looking, GRAPH_NONE);
	for (uint32_t i = 0; i < outlined.nr_barriers; i++)
		look_behind(&looking, outlined.barriers[i]);
}

void static_loops_find(struct region_table *regions)
{
	struct arena *arena = arena_new();
	uint32_t nr = region_table_count(regions);
	const struct span *children = arena ? children_of(arena, regions) : NULL;

	for (uint32_t id = 1; children && id < nr && callee_look(); id++) {
		struct region *region = region_table_at(regions, id);

		if (region && region->kind == MS_PARALLEL_REGION)
			look_at(arena, regions, region, &children[id]);
	}
	if (arena)
		arena_free(arena);
}
