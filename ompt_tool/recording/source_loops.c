/* SPDX-License-Identifier: Apache-2.0 */
/* Joins natural loops of recorded code that belong to one source loop. */
#include "ompt_tool/recording/source_loops.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/own_heap.h"
#include "analysis/debuginfo/source.h"
#include "analysis/options/followed.h"
#include "analysis/record/run.h"
#include "ompt_tool/clones/clone_loops.h"
#include "ompt_tool/process/run_modules.h"

/* larger files are read again for each clone: they would take too much of the program's memory */
#define KEPT_BYTES (32u << 20)

struct known {
	struct loop_source source; /* its lines: while the function's loops are resolved */
	uint32_t joined, parent;
};

struct loops {
	struct arena *arena;
	struct run *run;
	/* open until loops_rest; results are copied to the arena */
	struct sources *sources;
	unsigned int reading; /* of own_heap_pause, while they are open and not used */
	bool used;            /* since the last loops_rest_unused */
	struct known *items;  /* by number - 1 */
	size_t nr, room;
};

struct loops *loops_new(struct arena *arena, struct run *run)
{
	struct loops *loops = arena_alloc(arena, sizeof(*loops));

	if (loops)
		*loops = (struct loops){ .arena = arena, .run = run };
	return loops;
}

static struct known *known_of(const struct loops *loops, uint32_t number)
{
	return number && number <= loops->nr ? &loops->items[number - 1] : NULL;
}

/* ------------------------------------------------------------------ lines */

/* The tool's own loop, a test of clones, is not resolved: its whole file would be read. */
static bool has_source(const struct run *run, uint32_t module)
{
	const char *path = module < run->nr_modules ? run->modules[module].path : "";

	return !module_is_foreign(path) || followed_has(path);
}

static void read_source(struct loops *loops, struct arena *scratch, const struct clone_loop *loop,
			struct loop_source *out)
{
	const struct run *run = loops->run;
	struct code_address header = modules_find(run->modules, run->nr_modules, loop->header);
	struct loop_code *code = arena_alloc(scratch, (loop->nr_blocks + 1) * sizeof(*code));
	uint64_t bias = loop->header - header.offset;

	if (!code || !loops->sources || !has_source(run, header.module))
		return;
	for (uint32_t i = 0; i < loop->nr_blocks; i++) {
		const struct clone_loop_block *block = &loop->blocks[i];

		code[i] = (struct loop_code){ block->start - bias, block->end - bias,
					      block->end_at ? block->end_at - bias : 0 };
	}
	sources_loop(loops->sources, run->modules, run->nr_modules, header, code, loop->nr_blocks,
		     scratch, out);
}

static bool same_function(const struct source *a, const struct source *b)
{
	return a->line && b->line && !strcmp(a->function, b->function) && !strcmp(a->file, b->file);
}

/* A line of the loop itself: below that of the enclosing loop, above those of the inner loops. */
static int line_between(const struct loop_source *source, int low, int high)
{
	for (size_t i = 0; i < source->nr_lines; i++)
		if (source->lines[i] > low && source->lines[i] < high)
			return source->lines[i];
	return 0;
}

/*
 * If a loop's line is not above that of an inner loop, its own line is lost: gcc's work-shared
 * loops.
 */
static void settle_line(struct loops *loops, uint32_t number, uint32_t end)
{
	struct source *at = &known_of(loops, number)->source.at;
	const struct known *around = known_of(loops, clone_loop(number)->parent);
	int low = around && same_function(at, &around->source.at) ? around->source.at.line : 0,
	    high = INT32_MAX, line;

	for (uint32_t inner = number + 1; inner < end; inner++) {
		const struct source *inside = &known_of(loops, inner)->source.at;

		if (clone_loop(inner)->parent == number && same_function(at, inside) &&
		    inside->line < high)
			high = inside->line;
	}
	if (at->line < high)
		return;
	line = line_between(&known_of(loops, number)->source, low, high);
	at->line = line ? line : at->line;
	at->approximate = true;
}

/* ------------------------------------------------------------------ loops of one loop */

static bool has_line(const struct loop_source *source, int line)
{
	for (size_t i = 0; source && i < source->nr_lines; i++)
		if (source->lines[i] == line)
			return true;
	return false;
}

/*
 * Whether all lines of `part` are also lines of `whole`, except those of the enclosing loop; at
 * least one must remain.
 */
static bool is_part(const struct loop_source *part, const struct loop_source *whole,
		    const struct loop_source *around)
{
	size_t nr = 0;

	for (size_t i = 0; i < part->nr_lines; i++) {
		if (has_line(around, part->lines[i]))
			continue;
		if (!has_line(whole, part->lines[i]))
			return false;
		nr++;
	}
	return nr > 0 && has_line(whole, part->at.line);
}

static bool are_one(const struct loop_source *a, const struct loop_source *b,
		    const struct loop_source *around)
{
	return same_function(&a->at, &b->at) &&
	       (a->at.line == b->at.line || is_part(a, b, around) || is_part(b, a, around));
}

/* Finds a loop to join among the earlier ones of the same function. */
static uint32_t find_beside(const struct loops *loops, uint32_t first, uint32_t number)
{
	const struct known *known = known_of(loops, number),
			   *around = known_of(loops, clone_loop(number)->parent);

	for (uint32_t other = first; other < number; other++) {
		const struct known *candidate = known_of(loops, other);

		if (candidate->parent == known->parent &&
		    are_one(&candidate->source, &known->source, around ? &around->source : NULL))
			return candidate->joined;
	}
	return number;
}

/* Finds the same loop in an earlier clone of the function with other probes. */
static uint32_t find_again(const struct loops *loops, uint32_t first, uint32_t number)
{
	const struct clone_loop *loop = clone_loop(number);

	for (uint32_t other = 1; other < first; other++)
		if (clone_loop(other)->header == loop->header &&
		    clone_loop(other)->is_function == loop->is_function)
			return known_of(loops, other)->joined;
	return 0;
}

/* Of a library that is no part of the program the functions are no regions. */
static void join_function(struct loops *loops, uint32_t first, uint32_t number)
{
	struct known *known = known_of(loops, number);
	const struct run *run = loops->run;

	if (!has_source(
		    run,
		    modules_find(run->modules, run->nr_modules, clone_loop(number)->header).module))
		return;
	known->joined = find_again(loops, first, number);
	if (!known->joined)
		known->joined = number;
	clone_loop_join(number, known->joined, 0);
}

static void join(struct loops *loops, uint32_t first, uint32_t number)
{
	struct known *known = known_of(loops, number), *to;
	const struct known *around = known_of(loops, clone_loop(number)->parent);

	known->parent = around ? around->joined : 0;
	known->joined = find_again(loops, first, number);
	if (!known->joined)
		known->joined = find_beside(loops, first, number);
	to = known_of(loops, known->joined);
	if (to != known && known->source.at.line && known->source.at.line < to->source.at.line &&
	    !known->source.at.approximate)
		to->source.at = known->source.at;
	clone_loop_join(number, known->joined, to->parent);
}

/* ------------------------------------------------------------------ all of them */

/* [first, end): the loops of one clone, after the function where that has a row. */
static void tell(struct loops *loops, struct arena *scratch, uint32_t first, uint32_t end)
{
	bool is_function = clone_loop(first)->is_function;

	if (is_function)
		join_function(loops, first, first);
	for (uint32_t number = first + is_function; number < end; number++)
		read_source(loops, scratch, clone_loop(number), &known_of(loops, number)->source);
	for (uint32_t number = first + is_function; number < end; number++)
		join(loops, first, number);
	for (uint32_t number = first + is_function; number < end; number++)
		settle_line(loops, number, end);
	for (uint32_t number = first; number < end; number++)
		known_of(loops, number)->source.nr_lines = 0;
}

static bool grow(struct loops *loops, uint32_t nr)
{
	while (loops->nr < nr) {
		if (!ARENA_GROW(loops->arena, loops->items, loops->nr, loops->room))
			return false;
		loops->items[loops->nr++] = (struct known){
			.source.at = { .function = "", .file = "", .module = "" }
		};
	}
	return true;
}

static uint32_t end_of_clone(uint32_t first, uint32_t nr)
{
	uint32_t end = first + 1;

	while (end <= nr && clone_loop(end)->function == clone_loop(first)->function &&
	       !clone_loop(end)->is_function)
		end++;
	return end;
}

void loops_rest(struct loops *loops)
{
	if (!own_heap_resume(loops->reading))
		return; /* another thread reads: at the next call */
	sources_free(loops->sources);
	loops->sources = NULL;
	loops->reading = 0;
}

void loops_update(struct loops *loops)
{
	uint32_t first = (uint32_t)loops->nr + 1, nr = clone_nr_loops();
	unsigned int depth = own_heap_depth();
	struct arena *scratch = nr >= first ? arena_new() : NULL;

	if (!scratch || !own_heap_resume(loops->reading)) {
		arena_free(scratch);
		return;
	}
	loops->used = true;
	if (!loops->sources)
		loops->sources = sources_new(loops->arena);
	run_modules_update(loops->run, loops->arena);
	for (uint32_t end; first <= nr && grow(loops, end_of_clone(first, nr) - 1); first = end) {
		end = end_of_clone(first, nr);
		tell(loops, scratch, first, end);
	}
	arena_free(scratch);
	loops->reading = own_heap_depth() - depth;
	own_heap_pause(loops->reading);
	if (sources_bytes(loops->sources) > KEPT_BYTES)
		loops_rest(loops);
}

void loops_rest_unused(struct loops *loops)
{
	if (!loops->used)
		loops_rest(loops);
	loops->used = false;
}

/* By the address of its header. */
static const struct known *known_at(const struct loops *loops, uint64_t header)
{
	for (uint32_t number = 1; number <= loops->nr; number++)
		if (clone_loop(number)->header == header && !clone_loop(number)->is_function)
			return known_of(loops, number);
	return NULL;
}

void loops_resolve(const struct loops *loops)
{
	const struct run *run = loops->run;

	for (size_t i = 0; i < run->nr_regions; i++) {
		struct run_region *region = &run->regions[i];
		const struct known *known = NULL;

		if (region->kind == MS_LOOP_REGION && !region->resolved &&
		    region->construct.module < run->nr_modules)
			known = known_at(loops, run->modules[region->construct.module].bias +
							region->construct.offset);
		if (!known)
			continue;
		region->source = known->source.at;
		region->resolved = true;
	}
}
