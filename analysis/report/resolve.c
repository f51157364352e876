/* SPDX-License-Identifier: Apache-2.0 */
/* Source lines for everything in a run that still is a mere address. */
#include "analysis/report/resolve.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/report/allocations.h"
#include "analysis/report/source_words.h"
#include "analysis/report/unrolled.h"
#include "memsearch/host.h"

#define FRAMES_MOST 32   /* inlined at a function's begin, and it */
#define COLUMN_STRIDE 64 /* bytes */

static const struct code_address NOWHERE = { UINT32_MAX, 0 };

struct resolver {
	struct run *run;
	struct arena *arena;
	struct sources *sources;
};

static void instruction(struct resolver *resolver, struct code_address address, bool is_return,
			struct source *out)
{
	struct run *run = resolver->run;

	sources_statement(resolver->sources, run->modules, run->nr_modules, address, is_return,
			  out);
}

static void path_of(struct resolver *resolver, struct run_region *region)
{
	if (!region->nr_path || region->path)
		return;
	region->path = arena_alloc(resolver->arena, region->nr_path * sizeof(*region->path));
	for (size_t i = 0; region->path && i < region->nr_path; i++)
		instruction(resolver, region->path_addresses[i], true, &region->path[i]);
}

/* A serial stretch lies between the region before and the one after; their lines bound it. */
static void serial_ends(struct resolver *resolver, struct run_region *region)
{
	struct run *run = resolver->run;

	sources_region(resolver->sources, run->modules, run->nr_modules, MS_PARALLEL_REGION,
		       region->construct, region->inside, &region->source);
	sources_region(resolver->sources, run->modules, run->nr_modules, MS_PARALLEL_REGION,
		       region->next, NOWHERE, &region->next_source);
}

static const struct run_region *parent_of(const struct run *run, const struct run_region *region)
{
	if (region->parent == MS_REGION_USER || region->parent >= region->id ||
	    region->parent >= run->nr_regions)
		return NULL;
	return &run->regions[region->parent];
}

/*
 * The runtime gave no address (gcc's barriers, calls that became jumps): what the region around it
 * tells.
 */
static void source_within(struct resolver *resolver, struct run_region *region,
			  const struct run_region *around)
{
	struct run *run = resolver->run;

	if (around->kind == MS_PARALLEL_REGION &&
	    sources_region_within(resolver->sources, run->modules, run->nr_modules, region->kind,
				  around->construct, around->inside, &region->source) == MS_OK)
		return;
	region->source = around->source;
	region->source.approximate = true;
}

static void plain_source(struct resolver *resolver, struct run_region *region)
{
	struct run *run = resolver->run;
	const struct run_region *around = parent_of(run, region);
	enum ms_status status = sources_region(resolver->sources, run->modules, run->nr_modules,
					       region->kind, region->construct, region->inside,
					       &region->source);

	if (status == MS_ERR_NOT_FOUND && region->construct.module == UINT32_MAX && around)
		source_within(resolver, region, around);
	/* std::mutex::lock, inlined: the program's line */
	if (status == MS_OK && region->kind == MS_LOCK_REGION && region->source.approximate)
		instruction(resolver, region->construct, true, &region->source);
}

/* A function's place is its first line, whatever is inlined there: the last of the frames. */
static void function_source(struct resolver *resolver, struct run_region *region)
{
	struct source frames[FRAMES_MOST];
	struct run *run = resolver->run;
	size_t nr = sources_instruction(resolver->sources, run->modules, run->nr_modules,
					region->construct, false, frames, FRAMES_MOST);

	if (nr)
		region->source = frames[nr - 1];
}

static void region_source(struct resolver *resolver, struct run_region *region)
{
	if (region->resolved)
		return;
	if (region->kind == MS_SERIAL_REGION)
		serial_ends(resolver, region);
	else if (region->kind == MS_SUB_REGION)
		function_source(resolver, region);
	/* their places are those of other regions */
	else if (region->kind != MS_DATA_STRUCTURE && region->kind != MS_MUTEX)
		plain_source(resolver, region);
	path_of(resolver, region);
	region->resolved = true;
}

static bool same_line(const struct run_hotspot *a, const struct run_hotspot *b)
{
	return a->region == b->region && a->metric == b->metric &&
	       hotspot_waits(a) == hotspot_waits(b) && a->source.line &&
	       a->source.line == b->source.line && !strcmp(a->source.file, b->source.file) &&
	       !strcmp(a->source.function, b->source.function);
}

static struct run_hotspot *spot_of_line(struct run *run, size_t nr, const struct run_hotspot *spot)
{
	for (size_t i = nr; i-- > 0 && run->hotspots[i].region == spot->region;)
		if (same_line(&run->hotspots[i], spot))
			return &run->hotspots[i];
	return NULL;
}

/* By region and metric, the most frequent first. */
static int spot_order(const void *a, const void *b)
{
	const struct run_hotspot *x = a, *y = b;

	if (x->region != y->region)
		return x->region < y->region ? -1 : 1;
	if (x->metric != y->metric)
		return x->metric < y->metric ? -1 : 1;
	return (x->count < y->count) - (x->count > y->count);
}

/* Several instructions of one line are one hot spot to the reader. */
static void merge_lines(struct run *run)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->nr_hotspots; i++) {
		struct run_hotspot *same = spot_of_line(run, kept, &run->hotspots[i]);

		if (same) {
			same->count += run->hotspots[i].count;
			same->in_library += run->hotspots[i].in_library;
			same->share += run->hotspots[i].share;
		} else {
			run->hotspots[kept++] = run->hotspots[i];
		}
	}
	run->nr_hotspots = kept;
	sort(run->hotspots, kept, sizeof(*run->hotspots), spot_order);
}

#define HOT_PART 1000 /* one sample in as many of the run's is worth a line */

/*
 * Proven findings show their hot spots, those at barriers the hot spots around them; so do regions
 * that take much of the time.
 */
static bool is_shown(const struct run *run, const struct run_hotspot *spot, uint64_t samples)
{
	uint32_t region = spot->region;

	if (spot->metric == MS_METRIC_SAMPLES && spot->count * HOT_PART >= samples)
		return true;
	for (size_t i = 0; i < run->nr_nodes; i++) {
		const struct run_node *node = &run->nodes[i];
		const struct run_region *at = node->region < run->nr_regions
						      ? &run->regions[node->region]
						      : NULL;

		if (node->state != MS_NODE_TRUE)
			continue;
		if (node->region == region ||
		    (at && (at->kind == MS_BARRIER_REGION || at->kind == MS_DATA_STRUCTURE) &&
		     at->parent == region))
			return true;
	}
	return false;
}

static void hotspot(struct resolver *resolver, struct run_hotspot *spot)
{
	bool elsewhere = spot->leaf.module != spot->address.module ||
			 spot->leaf.offset != spot->address.offset;

	instruction(resolver, spot->address, spot->is_return, &spot->source);
	if (elsewhere)
		instruction(resolver, spot->leaf, false, &spot->leaf_source);
	else
		spot->leaf_source = spot->source;
	if (spot->is_return && spot->leaf.module != spot->address.module)
		spot->in_library = spot->count;
}

static bool tells_body(const struct run_region *region)
{
	return region->construct.module != UINT32_MAX && region->kind != MS_PARALLEL_REGION &&
	       region->kind != MS_SERIAL_REGION;
}

/*
 * A compiler may join the calls of several parallel constructs into one (clang at -O2 does): then
 * one region has the bodies of all of them. Its line is that of the body executed most often.
 */
static void choose_bodies(struct run *run, struct arena *arena)
{
	uint64_t *most = arena_alloc(arena, run->nr_regions * sizeof(*most));

	for (size_t i = 0; most && i < run->nr_regions; i++) {
		const struct run_region *body = &run->regions[i];
		struct run_region *around = body->parent < run->nr_regions
						    ? &run->regions[body->parent]
						    : NULL;

		if (!around || around->kind != MS_PARALLEL_REGION || !tells_body(body) ||
		    body->executions <= most[around->id])
			continue;
		most[around->id] = body->executions;
		around->inside = body->construct;
	}
}

/*
 * Only one of the faults of an instruction in a library is traced to the line of its caller; the
 * others may have other callers.
 */
static void touch(struct resolver *resolver, struct run_touch *touch)
{
	instruction(resolver, touch->address, touch->is_return, &touch->source);
	touch->source.approximate |= touch->is_return;
}

#define INLINED_MOST 32 /* frames of one call */

/* of one call, innermost first */
struct frames {
	struct source items[INLINED_MOST];
	size_t nr;
};

static struct frames frames_of(struct resolver *resolver, struct code_address code)
{
	struct run *run = resolver->run;
	struct frames frames;

	frames.nr = sources_instruction(resolver->sources, run->modules, run->nr_modules, code,
					true, frames.items, INLINED_MOST);
	return frames;
}

/* The functions around one call, outermost first, without the innermost `but`. */
static void add_callers(struct resolver *resolver, struct run_array *array,
			const struct frames *frames, size_t but, size_t *room)
{
	for (size_t i = frames->nr;
	     i > but && ARENA_GROW(resolver->arena, array->callers, array->nr_callers, *room); i--)
		array->callers[array->nr_callers++] = frames->items[i - 1];
}

static bool same_frame(const struct source *a, const struct source *b)
{
	return a->line == b->line && !strcmp(a->function, b->function) &&
	       !strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

/*
 * Up to the one that the array's allocation is said to be in, which is not always the innermost
 * (allocations.h).
 */
static size_t frames_within(const struct frames *frames, const struct source *site)
{
	for (size_t i = 0; i < frames->nr; i++)
		if (same_frame(&frames->items[i], site))
			return i + 1;
	return 1;
}

static void allocation(struct resolver *resolver, struct run_array *array)
{
	struct frames frames;
	size_t room = 0;

	if (array->site.module == UINT32_MAX || array->nr_callers)
		return;
	if (!array->site_source.function)
		instruction(resolver, array->site, true, &array->site_source);
	for (size_t i = 0; array->path && i < array->nr_path; i++) {
		frames = frames_of(resolver, array->path[i]);
		add_callers(resolver, array, &frames, 0, &room);
	}
	frames = frames_of(resolver, array->site);
	add_callers(resolver, array, &frames, frames_within(&frames, &array->site_source), &room);
}

/* The row of a site; NULL: there is none. */
static const struct run_array *row_of_site(const struct run *run, struct code_address site,
					   const struct run_array *but)
{
	for (size_t i = 0; i < run->nr_arrays; i++)
		if (&run->arrays[i] != but && run->arrays[i].site.module == site.module &&
		    run->arrays[i].site.offset == site.offset)
			return &run->arrays[i];
	return NULL;
}

/* Small heap blocks are one array. NULL: they have one site, or are resolved already. */
static struct run_array *with_further_sites(struct run *run)
{
	for (size_t i = 0; i < run->nr_arrays; i++)
		if (run->arrays[i].nr_further)
			return run->arrays[i].further[0].source.function ? NULL : &run->arrays[i];
	return NULL;
}

/* Rows of the array's further sites, before allocations_resolve changes sites. NULL: none. */
static const struct run_array **further_rows(struct resolver *resolver,
					     const struct run_array *array)
{
	const struct run_array **rows = array ? arena_alloc(resolver->arena,
							    array->nr_further * sizeof(*rows))
					      : NULL;

	for (size_t i = 0; rows && i < array->nr_further; i++)
		rows[i] = row_of_site(resolver->run, array->further[i].address, array);
	return rows;
}

static void further_sites(struct resolver *resolver, struct run_array *array,
			  const struct run_array **rows)
{
	for (size_t i = 0; i < array->nr_further; i++) {
		struct run_site *site = &array->further[i];

		if (rows[i] && rows[i]->site_source.function)
			site->source = rows[i]->site_source;
		else
			instruction(resolver, site->address, true, &site->source);
	}
}

/* Where an array was allocated, and where its pages were first touched. */
static void data_structures(struct resolver *resolver)
{
	struct run *run = resolver->run;
	struct run_array *small = with_further_sites(run);
	const struct run_array **rows = further_rows(resolver, small);

	allocations_resolve(resolver->arena, run, resolver->sources);
	for (size_t i = 0; i < run->nr_arrays; i++)
		allocation(resolver, &run->arrays[i]);
	if (rows)
		further_sites(resolver, small, rows);
	for (size_t i = 0; i < run->nr_accesses; i++)
		if (!run->accesses[i].source.function)
			instruction(resolver, run->accesses[i].address, false,
				    &run->accesses[i].source);
	for (size_t i = 0; i < run->nr_touches; i++)
		if (!run->touches[i].source.function)
			touch(resolver, &run->touches[i]);
}

/* A column costs a look-up: lines alone tell copies with short strides from other accesses. */
static void strides(struct resolver *resolver)
{
	struct run *run = resolver->run;
	int *columns = arena_alloc(resolver->arena, (run->nr_accesses + 1) * sizeof(*columns));

	for (size_t i = 0; columns && i < run->nr_accesses; i++)
		columns[i] = fabs(run->accesses[i].stride) >= COLUMN_STRIDE
				     ? sources_column(resolver->sources, run->modules,
						      run->nr_modules, run->accesses[i].address)
				     : 0;
	if (columns)
		unrolled_undo(run, columns, resolver->arena);
}

/* Functions that could not be recorded. */
static void dropped(struct resolver *resolver)
{
	struct run *run = resolver->run;

	for (size_t i = 0; i < run->nr_dropped; i++)
		if (run->dropped[i].code.offset && !run->dropped[i].source.function)
			instruction(resolver, run->dropped[i].code, false, &run->dropped[i].source);
}

void resolve_run(struct run *run, struct arena *arena)
{
	struct resolver resolver = { .run = run, .arena = arena, .sources = sources_new(arena) };
	uint64_t samples = 0;

	if (!resolver.sources)
		return;
	choose_bodies(run, arena);
	for (size_t i = 0; i < run->nr_regions; i++)
		region_source(&resolver, &run->regions[i]);
	for (size_t i = 0; i < run->nr_hotspots; i++)
		samples += run->hotspots[i].metric == MS_METRIC_SAMPLES ? run->hotspots[i].count
									: 0;
	for (size_t i = 0; i < run->nr_hotspots; i++) {
		if (!run->hotspots[i].source.function && is_shown(run, &run->hotspots[i], samples))
			hotspot(&resolver, &run->hotspots[i]);
	}
	merge_lines(run);
	data_structures(&resolver);
	strides(&resolver);
	dropped(&resolver);
	sources_free(resolver.sources);
}
