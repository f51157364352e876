/* SPDX-License-Identifier: Apache-2.0 */
/* What a cause is called, why it is slow, and what to change: one text for each kind. */
#include "analysis/report/cause.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/elf/binary.h"
#include "analysis/record/shape.h"
#include "analysis/report/array_names.h"
#include "analysis/report/finding.h"
#include "analysis/report/group.h"
#include "analysis/report/source_words.h"
#include "analysis/report/text.h"
#include "analysis/report/units.h"

#define NAMED_ARRAYS 3
#define NAMED_LOOPS 4
#define MOSTLY 0.5              /* of stalls: in strided accesses */
#define COPIED_BYTES (1u << 16) /* smaller copies for a clause stay in the caches */
#define TEMPORARIES_LEAST 16    /* blocks */
#define LINE_BYTES 64
#define SET_BYTES 4096     /* lines so far apart share a set of a first level with 64 sets */
#define MANY_WALKS 0.01    /* of accesses, as property ArrayTLBMisses */
#define MANY_CONFLICTS 0.3 /* of misses, as properties ConflictMisses and L1ConflictMisses */
#define FEW_MISSES 0.1     /* of lines that the first level misses: the second one has the others */
#define OTHERS_LEAST 0.1   /* of the accesses to an array */
#define SERIAL_SPOT 0.3    /* of the samples in serial code: its line stands for it */
#define MANY_TASKS 100     /* in an execution of the phase */
#define SMALL_TASK_NS 5e3  /* as properties TasksTooSmall and SmallTasks */
#define NARROW_ROW_LINES 4 /* rows of blocks that prefetchers follow */
#define CARRIED_LEAST 0.05 /* of the accesses of serial code */

static const struct {
	const char *name, *title;
} kinds[CAUSE_KINDS] = {
#define X(id, name, title) [CAUSE_##id] = { name, title },
	CAUSE_LIST(X)
#undef X
};

const char *cause_name(enum cause_kind kind)
{
	return (unsigned int)kind < CAUSE_KINDS ? kinds[kind].name : "unknown";
}

const char *cause_title(struct arena *arena, const struct cause *cause)
{
	return kinds[cause->kind].title ? kinds[cause->kind].title
					: finding_title(arena, cause->worst);
}

/* ------------------------------------------------------------------ places */

static const char *line_text(struct arena *arena, const struct source *source)
{
	if (!source || !source->line)
		return NULL;
	return arena_printf(arena, "%s:%d", source->file && *source->file ? source->file : "?",
			    source->line);
}

static bool same_line(const struct source *a, const struct source *b)
{
	return a->line == b->line && !strcmp(a->file ? a->file : "", b->file ? b->file : "");
}

/*
 * Whether the line can be that of a loop around `inner`. Compilers give some loops the line of their
 * last instruction, of the next statement, or of the construct.
 */
static bool can_be_around(const struct source *outer, const struct source *inner)
{
	return strcmp(outer->file ? outer->file : "", inner->file ? inner->file : "") != 0 ||
	       strcmp(outer->function ? outer->function : "",
		      inner->function ? inner->function : "") != 0 ||
	       outer->line < inner->line;
}

static bool is_construct(const struct run_region *region)
{
	return region->kind == MS_DO_REGION || region->kind == MS_PARALLEL_REGION;
}

/* A loop with its construct's line, in another one: gcc gives it to any loop of the construct. */
static bool has_constructs_line(const struct run *run, const struct run_region *loop)
{
	const struct run_region *around = loop;

	while (around->parent < around->id && !is_construct(around))
		around = &run->regions[around->parent];
	return is_construct(around) && around->id != finding_outside_functions(run, loop->parent) &&
	       around != loop && same_line(&around->source, &loop->source);
}

/*
 * The loop of the hottest access, and up to most - 1 around it, out to the work-shared one, without
 * those whose line is not before that of the loop inside. Returns how many there are.
 */
size_t cause_loops(const struct run *run, const struct cause *cause,
		   const struct source *loops[CAUSE_LOOPS], size_t most)
{
	const struct run_access *hot = cause->nr_arrays ? cause->arrays[0].pattern.hot : NULL;
	uint32_t region = hot ? hot->loop : cause->region;
	bool doubtful = false; /* a line is; the construct's may be that of no loop then */
	size_t nr = 0;

	for (; region < run->nr_regions && nr < most; region = run->regions[region].parent) {
		const struct run_region *loop = &run->regions[region];

		if (!(ms_region_kind_is_code_part(loop->kind) || (is_construct(loop) && !doubtful)))
			break;
		if (loop->kind == MS_SUB_REGION && loop->parent < region)
			continue;
		if (is_construct(loop) && loop->source.approximate)
			break;
		if (loop->source.line && (!nr || (can_be_around(&loop->source, loops[nr - 1]) &&
						  !has_constructs_line(run, loop))))
			loops[nr++] = &loop->source;
		else
			doubtful |= !nr || !same_line(loops[nr - 1], &loop->source);
		if (loop->parent >= region || loop->kind == MS_DO_REGION)
			break;
	}
	return nr;
}

/* "the loops at k.c:9, 11 and 13", "the loop at k.c:9", "the loops". */
static const char *nest_text(struct arena *arena, const struct run *run, const struct cause *cause,
			     size_t most)
{
	const struct source *loops[CAUSE_LOOPS];
	size_t nr = cause_loops(run, cause, loops, most), in_file = nr ? 1 : 0;
	struct text text;

	if (!nr)
		return "the loops";
	while (in_file < nr && !strcmp(loops[0]->file ? loops[0]->file : "",
				       loops[in_file]->file ? loops[in_file]->file : ""))
		in_file++;
	if (in_file == 1)
		return arena_printf(arena, "the loop at %s", line_text(arena, loops[0]));
	text_init(&text, arena);
	text_printf(&text, "the loops at %s", line_text(arena, loops[in_file - 1]));
	for (size_t i = in_file - 1; i-- > 0;)
		text_printf(&text, i ? ", %d" : " and %d", loops[i]->line);
	return text.bytes;
}

static const char *loops_text(struct arena *arena, const struct run *run, const struct cause *cause)
{
	return nest_text(arena, run, cause, 2);
}

/* The innermost loop and the one around it are written in one line. */
static bool share_a_line(const struct run *run, const struct cause *cause)
{
	const struct run_access *hot = cause->nr_arrays ? cause->arrays[0].pattern.hot : NULL;
	const struct run_region *loop = hot && hot->loop < run->nr_regions
						? &run->regions[hot->loop]
						: NULL;
	const struct run_region *around = loop && loop->parent < loop->id
						  ? &run->regions[loop->parent]
						  : NULL;

	return around && loop->kind == MS_LOOP_REGION && around->kind == MS_LOOP_REGION &&
	       loop->source.line && same_line(&loop->source, &around->source);
}

/* A work-shared loop without loops inside, of which there is no other (is_collapsed in cause_kind.c). */
static const struct run_region *collapsed_loops(const struct run *run, const struct cause *cause)
{
	const struct run_access *hot = cause->nr_arrays ? cause->arrays[0].pattern.hot : NULL;
	const struct run_region *loop = hot && hot->loop < run->nr_regions
						? &run->regions[hot->loop]
						: NULL;

	return loop && loop->kind == MS_DO_REGION && loop->source.line ? loop : NULL;
}

/* Loops to interchange: where one alone is known it is not the only one. */
static const char *interchanged_text(struct arena *arena, const struct run *run,
				     const struct cause *cause)
{
	const struct source *loops[CAUSE_LOOPS];
	const char *nest = nest_text(arena, run, cause, CAUSE_LOOPS);
	const struct run_region *collapsed = collapsed_loops(run, cause);

	if (collapsed)
		return arena_printf(arena, "the collapsed loops at %s",
				    line_text(arena, &collapsed->source));
	if (share_a_line(run, cause))
		return arena_printf(arena, "%s (two are in line %d)", nest,
				    run->regions[cause->arrays[0].pattern.hot->loop].source.line);
	return cause_loops(run, cause, loops, CAUSE_LOOPS) == 1
		       ? arena_printf(arena, "%s with the one around it", nest)
		       : nest;
}

/*
 * The line of one place of a cause: of the hottest access of an array's, of the region of a node's.
 */
static const struct source *place_line(const struct run *run, const struct cause *cause, size_t i)
{
	const struct run_region *region;

	if (cause->nr_arrays)
		return cause->arrays[i].pattern.hot ? &cause->arrays[i].pattern.hot->source : NULL;
	region = finding_region(run, cause->nodes[i]);
	return region ? &region->source : NULL;
}

static uint32_t place_construct(const struct run *run, const struct cause *cause, size_t i)
{
	return cause_construct(run, cause->nr_arrays ? cause->arrays[i].region
						     : cause->nodes[i]->region);
}

static bool is_same_place(const struct run *run, const struct cause *cause, size_t a, size_t b)
{
	const struct source *line = place_line(run, cause, a), *other = place_line(run, cause, b);

	return line && other && same_line(line, other);
}

const char *cause_lines(struct arena *arena, const struct run *run, const struct cause *cause)
{
	size_t places = cause->nr_arrays ? cause->nr_arrays : cause->nr_nodes, nr = 0;
	struct text text;

	text_init(&text, arena);
	for (size_t i = 0; i < places && nr < NAMED_LOOPS; i++) {
		const char *line = line_text(arena, place_line(run, cause, i));
		bool again = !line;

		for (size_t k = 0; k < i && !again; k++)
			again = place_construct(run, cause, k) == place_construct(run, cause, i) ||
				is_same_place(run, cause, k, i);
		if (again)
			continue;
		text_printf(&text, nr ? ", %s" : "%s", line);
		nr++;
	}
	return nr > 1 ? text.bytes : NULL;
}

/*
 * It is the work of serial code itself or of its system calls, not what it waits for: samples are
 * where the program computes or returns from the kernel.
 */
static bool is_serial_work(const struct run *run, const struct cause *cause)
{
	return !cause->nr_arrays && cause->region < run->nr_regions &&
	       run->regions[cause->region].kind == MS_SERIAL_REGION && cause->worst->property &&
	       (!strcmp(cause->worst->property, "SerialStretch") ||
		!strcmp(cause->worst->property, "SystemTimeInSerialStretch"));
}

/* The library that most samples of a region are in, and the part of its samples in libraries. */
static uint32_t library_of(const struct run *run, uint32_t region, double *part_out)
{
	uint32_t most = UINT32_MAX;
	double most_part = 0;

	*part_out = 0;
	for (uint32_t module = 0; module < run->nr_modules; module++) {
		double part = 0;

		if (!binary_is_system_library(run->modules[module].path))
			continue;
		for (size_t i = 0; i < run->nr_hotspots; i++)
			if (run->hotspots[i].region == region &&
			    run->hotspots[i].metric == MS_METRIC_SAMPLES &&
			    run->hotspots[i].leaf.module == module &&
			    !hotspot_waits(&run->hotspots[i]))
				part += run->hotspots[i].share;
		*part_out += part;
		if (part > most_part) {
			most = module;
			most_part = part;
		}
	}
	return most;
}

/*
 * Deep in a library the way to what called it is often longer than the piece of the stack that is sampled:
 * the line from which it is known to be called stands for the others, if it has most of these samples.
 */
static bool is_the_caller(const struct run *run, const struct run_hotspot *spot)
{
	uint64_t known = 0;
	double part;

	for (size_t i = 0; i < run->nr_hotspots; i++)
		if (run->hotspots[i].region == spot->region &&
		    run->hotspots[i].metric == MS_METRIC_SAMPLES)
			known += run->hotspots[i].in_library;
	library_of(run, spot->region, &part);
	return spot->in_library && 2 * spot->in_library > known && part > MOSTLY;
}

const struct run_hotspot *cause_serial_spot(const struct run *run, const struct cause *cause)
{
	const struct run_hotspot *spot = is_serial_work(run, cause)
						 ? hotspot_of(run, cause->region, MS_METRIC_SAMPLES)
						 : NULL;

	return spot && spot->source.line && (spot->share >= SERIAL_SPOT || is_the_caller(run, spot))
		       ? spot
		       : NULL;
}

const struct source *cause_line(const struct run *run, const struct cause *cause)
{
	const struct run_hotspot *spot = cause_serial_spot(run, cause);
	const struct run_region *region = finding_region(run, cause->worst);

	if (cause->nr_arrays && cause->arrays[0].pattern.hot)
		return &cause->arrays[0].pattern.hot->source;
	if (spot)
		return &spot->source;
	spot = region && cause->kind != CAUSE_PROPERTY
		       ? hotspot_of(run, region->id, MS_METRIC_SAMPLES)
		       : NULL;
	if (spot && spot->source.line)
		return &spot->source;
	return region && region->source.line ? &region->source : NULL;
}

/*
 * The stacks of threads are one data structure; what a program has there are its automatic
 * variables.
 */
static const char *name_of(struct arena *arena, const struct run *run, const struct cause_array *of)
{
	const struct run_array *array = &run->arrays[of->array];

	return run_array_is_stack(array) ? "automatic variables" : arrays_name(arena, run, array);
}

/* Beside others: short, where it is long. */
static const char *listed_name(struct arena *arena, const char *name, size_t nr)
{
	return nr > 1 ? arrays_short_name(arena, name) : name;
}

const char *cause_arrays(struct arena *arena, const struct run *run, const struct cause *cause)
{
	struct text text;
	size_t nr = 0;

	if (!cause->nr_arrays)
		return NULL;
	text_init(&text, arena);
	for (size_t i = 0; i < cause->nr_arrays; i++) {
		bool again = false;

		for (size_t k = 0; k < i; k++)
			again = again || cause->arrays[k].array == cause->arrays[i].array ||
				!strcmp(name_of(arena, run, &cause->arrays[k]),
					name_of(arena, run, &cause->arrays[i]));
		if (again)
			continue;
		if (nr++ < NAMED_ARRAYS)
			text_printf(&text, "%s%s", nr > 1 ? ", " : "",
				    listed_name(arena, name_of(arena, run, &cause->arrays[i]),
						cause->nr_arrays));
	}
	if (nr > NAMED_ARRAYS)
		text_printf(&text, " and %zu more", nr - NAMED_ARRAYS);
	return text.bytes;
}

static const char *worst_array(struct arena *arena, const struct run *run,
			       const struct cause *cause)
{
	return cause->nr_arrays ? name_of(arena, run, &cause->arrays[0]) : "the data";
}

static bool is_fortran(const struct run *run, const struct cause *cause)
{
	const struct source *line = cause_line(run, cause);
	const char *dot = line && line->file ? strrchr(line->file, '.') : NULL;

	return dot && (dot[1] == 'f' || dot[1] == 'F');
}

/* ------------------------------------------------------------------ why */

static const char *why_strided(struct arena *arena, const struct run *run,
			       const struct cause *cause)
{
	const struct array_pattern *pattern = &cause->arrays[0].pattern;

	return arena_printf(
		arena,
		"the inner loop moves %s through %s with every access, so each access needs another cache line; %s stores the %s index contiguously",
		units_bytes_text(arena, pattern->stride), worst_array(arena, run, cause),
		is_fortran(run, cause) ? "Fortran" : "C",
		is_fortran(run, cause) ? "first" : "last");
}

static const char *why_narrow(struct arena *arena, const struct run *run, const struct cause *cause)
{
	return arena_printf(
		arena,
		"the loops go over blocks of %s with rows of few cache lines, and rows are %s apart: prefetchers cannot follow, and rows evict each other",
		worst_array(arena, run, cause),
		units_bytes_text(arena, cause->arrays[0].pattern.stride));
}

static const char *why_layout(struct arena *arena, const struct run *run, const struct cause *cause)
{
	const struct cause_array *array = &cause->arrays[0];

	if (array->facts->fetched > 0 && array->facts->used < array->facts->fetched)
		return arena_printf(
			arena,
			"of the cache lines fetched of %s, %s of the bytes are used: accesses are %s apart",
			worst_array(arena, run, cause),
			units_share_text(arena, array->facts->used / array->facts->fetched),
			units_bytes_text(arena, array->pattern.stride));
	return arena_printf(
		arena,
		"accesses to %s are %s apart and use %s each, so most of each cache line is fetched for nothing",
		worst_array(arena, run, cause), units_bytes_text(arena, array->pattern.stride),
		units_bytes_text(arena, array->pattern.value_bytes));
}

static const char *why_shared(struct arena *arena, const struct run *run, const struct cause *cause)
{
	const struct array_facts *facts = cause->arrays[0].facts;
	bool falsely = cause->kind == CAUSE_FALSE_SHARING;
	const char *how = falsely ? "write different words of the same cache lines"
				  : "write the same words";
	const char *part = facts->classified > 0
				   ? arena_printf(
					     arena,
					     "; %s of its misses are lines taken by another core",
					     units_share_text(arena, (facts->false_sharing +
								      facts->true_sharing) /
									     facts->classified))
				   : "";

	if (cause->kind == CAUSE_COMMUNICATION)
		return arena_printf(arena,
				    "threads read what other threads wrote to %s in other loops%s",
				    worst_array(arena, run, cause), part);
	if (falsely && array_is_only_read(facts))
		return arena_printf(
			arena, "threads read %s while others write other data in its cache lines%s",
			worst_array(arena, run, cause), part);
	return arena_printf(arena, "threads %s of %s%s", how, worst_array(arena, run, cause), part);
}

static const char *why_irregular(struct arena *arena, const struct run *run,
				 const struct cause *cause)
{
	const struct array_facts *facts = cause->arrays[0].facts;
	double accesses = facts->loads + facts->stores;
	const char *missed = accesses > 0
				     ? arena_printf(
					       arena, "; %s of the accesses miss the L1 cache",
					       units_share_text(arena, facts->misses[0] / accesses))
				     : "";

	return arena_printf(
		arena,
		"successive accesses to %s are no constant distance apart (indices or pointers), so prefetchers cannot follow%s",
		worst_array(arena, run, cause), missed);
}

static const struct ms_reading *evidence_of(const struct cause *cause, const char *property,
					    const char *name)
{
	for (size_t i = 0; i < cause->nr_nodes; i++)
		for (size_t k = 0;
		     cause->nodes[i]->property && !strcmp(cause->nodes[i]->property, property) &&
		     k < cause->nodes[i]->nr_evidence;
		     k++)
			if (cause->nodes[i]->evidence[k].name &&
			    !strcmp(cause->nodes[i]->evidence[k].name, name) &&
			    cause->nodes[i]->evidence[k].reading.missing == MS_PRESENT)
				return &cause->nodes[i]->evidence[k].reading;
	return NULL;
}

/* "each execution touches 76.9 MiB, the caches hold 34.1 MiB"; NULL: not known. */
static const char *working_set(struct arena *arena, const struct cause *cause)
{
	static const struct {
		const char *property, *how;
	} sets[] = {
		{ "WorkingSetBeyondCaches", "" },
		{ "BeyondModelledCaches", "" },
		{ "ReachBeyondCaches", "up to " },
	};

	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		const struct ms_reading *touched = evidence_of(cause, sets[i].property, "touched"),
					*caches = evidence_of(cause, sets[i].property, "caches");

		if (touched && caches)
			return arena_printf(arena,
					    "each execution touches %s%s, the caches hold %s",
					    sets[i].how, units_bytes_text(arena, touched->value),
					    units_bytes_text(arena, caches->value));
	}
	return NULL;
}

/* The outermost private cache that lines have left; prefetched ones have, too. */
static int left_level(const struct cause *cause)
{
	double fetched = 0, first = 0;

	for (size_t i = 0; i < cause->nr_arrays; i++) {
		fetched += cause->arrays[i].facts->fetched;
		first += cause->arrays[i].facts->misses[0];
	}
	return fetched < FEW_MISSES * first * LINE_BYTES ? 1 : 2;
}

static const char *why_streaming(struct arena *arena, const struct run *run,
				 const struct cause *cause)
{
	const char *set = working_set(arena, cause);
	const struct ms_reading *fetched = evidence_of(cause, "ModelledTraffic", "fetched");
	const struct ms_reading *of_time = evidence_of(
		cause, set ? "WorkingSetBeyondCaches" : "ModelledTraffic", "of_time");
	const char *rate =
		of_time && of_time->value >= 0.1
			? arena_printf(
				  arena,
				  "; at full memory bandwidth that takes %s of this loop's time",
				  units_share_text(arena, fmin(1, of_time->value)))
			: "";

	(void)run;
	if (!set && fetched)
		set = arena_printf(arena, "%s come from memory in each execution of the phase",
				   units_bytes_text(arena, fetched->value));
	if (set)
		return arena_printf(arena, "%s%s", set, rate);
	return cause->kind == CAUSE_REUSE
		       ? arena_printf(arena,
				      "lines are used again after they have left the L%d cache",
				      left_level(cause))
		       : "lines come from memory and leave the caches before they are used again";
}

/* Whether threads but this one make a notable part of the accesses to an array. */
static bool others_use(const struct run *run, uint32_t array, uint32_t thread)
{
	double others = 0, all = 0;

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct ms_measurement *row = &run->measurements[i].row;

		if ((row->metric != MS_METRIC_READS && row->metric != MS_METRIC_WRITES) ||
		    row->region >= run->nr_regions ||
		    run_region_array(&run->regions[row->region]) != array)
			continue;
		all += row->stat.sum;
		others += row->thread != thread ? row->stat.sum : 0;
	}
	return others >= OTHERS_LEAST * all;
}

/*
 * Of the worst array, where one thread did nearly all of it alone, and others use it; NULL: it is
 * not so, or not known.
 */
static const struct run_touch *alone_touch(const struct run *run, const struct cause *cause)
{
	const struct run_touch *most = NULL;
	uint64_t all = 0;

	for (size_t i = 0; cause->nr_arrays && i < run->nr_touches; i++) {
		const struct run_touch *touch = &run->touches[i];

		if (touch->array != cause->arrays[0].array)
			continue;
		all += touch->bytes;
		if (!most || touch->bytes > most->bytes)
			most = touch;
	}
	return most && most->bytes * 10 >= all * 9 && run->threads > 1 &&
			       most->thread != RUN_THREAD_UNKNOWN &&
			       !(run_touched_part(run, most->array) < RUN_TOUCHED_LEAST) &&
			       others_use(run, most->array, most->thread)
		       ? most
		       : NULL;
}

/* " at init.c:12"; "": not known. */
static const char *touched_at(struct arena *arena, const struct run_touch *touch)
{
	return touch->source.line ? arena_printf(arena, " at %s", line_text(arena, &touch->source))
				  : "";
}

/* NULL: there is none. */
static const struct run_node *node_of(const struct cause *cause, const char *property)
{
	for (size_t i = 0; i < cause->nr_nodes; i++)
		if (cause->nodes[i]->property && !strcmp(cause->nodes[i]->property, property))
			return cause->nodes[i];
	return NULL;
}

/* What says why lines are remote, as other findings of the cause may cost more; else the worst. */
static const struct run_node *node_about_nodes(const struct cause *cause)
{
	static const char *const properties[] = { "SharedReadOnlyHot", "HugePageFalseSharing",
						  "AllPagesOnOneNode", "MisplacedBlocks",
						  "RemoteStallShare",  "SampledRemoteData" };

	const struct run_node *node = NULL;

	for (size_t k = 0; !node && k < sizeof(properties) / sizeof(properties[0]); k++)
		node = node_of(cause, properties[k]);
	return node ? node : cause->worst;
}

static const char *why_atomic(const struct cause *cause)
{
	const struct run_node *node = node_of(cause, "AtomicUpdates");

	return (node ? node : cause->worst)->explanation;
}

static const char *why_remote(struct arena *arena, const struct run *run, const struct cause *cause)
{
	const struct run_touch *touch = alone_touch(run, cause);
	const struct array_facts *facts = cause->arrays[0].facts;

	if (!touch)
		return node_about_nodes(cause)->explanation;
	return arena_printf(
		arena,
		"%s was first touched by thread %u alone%s, so all of it is on one NUMA node%s",
		worst_array(arena, run, cause), touch->thread, touched_at(arena, touch),
		facts->memory_lines > 0 && facts->remote_lines > 0
			? arena_printf(arena,
				       "; %s of its lines from memory come from another node",
				       units_share_text(arena,
							facts->remote_lines / facts->memory_lines))
			: "");
}

/* The rows of the array are not known, and the loop does not step over them. */
static bool in_parts(const struct run *run, const struct cause *cause)
{
	return !shape_row_bytes(&run->arrays[cause->arrays[0].array]) &&
	       !(cause->arrays[0].pattern.strided > MOSTLY);
}

/* Rows of a multiple of these bytes fall into an eighth of 64 sets, or fewer. */
#define ALIGNED_BYTES 512

/* Bytes from one row of the array to the next, or else those that the loop steps; 0: not known. */
static double row_bytes(const struct run *run, const struct cause *cause)
{
	const struct array_pattern *pattern = &cause->arrays[0].pattern;
	double row = (double)shape_row_bytes(&run->arrays[cause->arrays[0].array]);

	return row > 0 || !(pattern->strided > MOSTLY) ? row : pattern->stride;
}

/* Whether rows of this length are known not to fall into few sets. */
static bool is_odd(double row)
{
	return fmod(row, ALIGNED_BYTES) > 0;
}

/* Of a length that is not odd. */
static const char *length_text(struct arena *arena, double row)
{
	int exponent;

	return frexp(row, &exponent) == 0.5
		       ? "power of two"
		       : arena_printf(arena, "multiple of %d bytes", ALIGNED_BYTES);
}

static const char *what_conflicts(struct arena *arena, const struct run *run,
				  const struct cause *cause)
{
	const char *rows = is_fortran(run, cause) ? "columns" : "rows";
	double row = row_bytes(run, cause);

	if (in_parts(run, cause))
		return "parts of it that the loop uses together";
	if (is_odd(row))
		return arena_printf(arena, "its %s, %s apart,", rows, units_bytes_text(arena, row));
	return arena_printf(arena, "its %s are %s apart, a %s, and", rows,
			    units_bytes_text(arena, row), length_text(arena, row));
}

static const char *why_conflicts(struct arena *arena, const struct run *run,
				 const struct cause *cause)
{
	const struct array_facts *facts = cause->arrays[0].facts;
	const char *array = worst_array(arena, run, cause);
	const char *what = what_conflicts(arena, run, cause);
	double first = array_l1_conflicts(facts);

	if (!(first > MANY_CONFLICTS))
		return arena_printf(
			arena, "%s of the misses of %s are conflicts: %s fall into few cache sets",
			units_share_text(arena, facts->conflict / facts->classified), array, what);
	return arena_printf(
		arena,
		"%s of the L1 misses of %s are conflicts: %s fall into few sets of the L1 cache",
		units_share_text(arena, first), array, what);
}

static bool is_about(const struct cause *cause, const char *property)
{
	return cause->worst->property && !strcmp(cause->worst->property, property);
}

static double value_of(const struct run_node *node, const char *name)
{
	for (size_t i = 0; i < node->nr_evidence; i++)
		if (node->evidence[i].name && !strcmp(node->evidence[i].name, name) &&
		    node->evidence[i].reading.missing == MS_PRESENT)
			return node->evidence[i].reading.value;
	return NAN;
}

/* The node before has the same code: a construct that is reached in several ways. */
static bool is_code_of_earlier(const struct run *run, const struct cause *cause, size_t index)
{
	struct code_address code = run->regions[cause->nodes[index]->region].construct;

	for (size_t i = 0; i < index; i++) {
		struct code_address other = run->regions[cause->nodes[i]->region].construct;

		if (other.module == code.module && other.offset == code.offset)
			return true;
	}
	return false;
}

/* A task construct in several regions, as copies that the compiler made: their sum. NULL: in one. */
static const char *why_small_tasks(struct arena *arena, const struct run *run,
				   const struct cause *cause)
{
	const struct run_region *region = &run->regions[cause->worst->region];
	double tasks = 0, time = 0;
	size_t nr = 0, copies = 0;
	struct text text;

	for (size_t i = 0; i < cause->nr_nodes && is_about(cause, "SmallTasks"); i++) {
		const struct run_node *node = cause->nodes[i];

		if (node->region != region->id &&
		    !finding_same_place(&run->regions[node->region], region))
			continue;
		tasks += value_of(node, "tasks");
		time += value_of(node, "tasks") * value_of(node, "each");
		copies += !is_code_of_earlier(run, cause, i);
		nr++;
	}
	if (nr < 2 || !(tasks > 0))
		return NULL;
	text_init(&text, arena);
	text_add(&text, "This construct creates ");
	units_count(&text, tasks);
	text_printf(&text, " tasks of %s in %s", units_time_text(arena, time / tasks),
		    run->phase.method == PHASE_WHOLE_PROGRAM ? "the run"
							     : "one execution of the phase");
	if (copies > 1)
		text_printf(&text, ": the compiler made %zu copies of it", copies);
	text_add(&text, ".");
	return text.bytes;
}

static const char *why_property(struct arena *arena, const struct run *run,
				const struct cause *cause)
{
	const char *tasks = why_small_tasks(arena, run, cause);

	return tasks ? tasks : cause->worst->explanation;
}

const char *cause_why(struct arena *arena, const struct run *run, const struct cause *cause)
{
	if (!cause->nr_arrays)
		return cause->kind == CAUSE_BANDWIDTH ? why_streaming(arena, run, cause)
						      : why_property(arena, run, cause);
	switch (cause->kind) {
	case CAUSE_FALSE_SHARING:
	case CAUSE_TRUE_SHARING:
	case CAUSE_COMMUNICATION: return why_shared(arena, run, cause);
	case CAUSE_LOOP_ORDER:
	case CAUSE_TRANSPOSITION: return why_strided(arena, run, cause);
	case CAUSE_NARROW_BLOCKS: return why_narrow(arena, run, cause);
	case CAUSE_LAYOUT: return why_layout(arena, run, cause);
	case CAUSE_CONFLICTS: return why_conflicts(arena, run, cause);
	case CAUSE_ATOMICS: return why_atomic(cause);
	case CAUSE_IRREGULAR: return why_irregular(arena, run, cause);
	case CAUSE_REMOTE_MEMORY: return why_remote(arena, run, cause);
	case CAUSE_SHARED_READ_ONLY:
	case CAUSE_HUGE_PAGES: return node_about_nodes(cause)->explanation;
	case CAUSE_BANDWIDTH:
	case CAUSE_REUSE: return why_streaming(arena, run, cause);
	default: return cause->worst->explanation;
	}
}

/* Page walks at a notable part of the accesses. */
static bool has_walks(const struct array_facts *facts)
{
	return facts && facts->walks > MANY_WALKS * (facts->loads + facts->stores);
}

/* ------------------------------------------------------------------ what to change */

static const char *declared(struct arena *arena, const struct run *run, const struct cause *cause)
{
	const char *line = cause->nr_arrays
				   ? arrays_declared(arena, &run->arrays[cause->arrays[0].array])
				   : NULL;

	return line ? arena_printf(arena, " (%s)", line) : "";
}

static const char *remedy_streaming(struct arena *arena, const struct run *run,
				    const struct cause *cause)
{
	const char *loops = loops_text(arena, run, cause),
		   *several = cause_lines(arena, run, cause);

	if (cause->again < CAUSE_ONCE)
		return "move fewer bytes: by smaller types, or by several steps in one pass over a part that fits into the caches (time tiling); each array comes from memory once"
		       " a step, as it must in this algorithm, and more threads do not help once memory bandwidth is used up";
	if (cause->kind == CAUSE_REUSE && cause->nr_arrays && cause->arrays[0].pattern.in_tiles)
		return arena_printf(
			arena,
			"use smaller tiles in %s, so that one of each array fits into the L%d cache until it is done, or fuse loops over the same arrays; what is used once in each tile cannot become faster so",
			loops, left_level(cause));
	if (cause->kind == CAUSE_REUSE && !several)
		return arena_printf(
			arena,
			"block %s so that a part which fits into the L%d cache is finished before the next, or fuse loops over the same arrays",
			loops, left_level(cause));
	if (several)
		return arena_printf(
			arena,
			"move fewer bytes: fuse the loops that use the same arrays (%s), block several passes over a part that fits into the caches, use"
			" smaller types; more threads do not help once memory bandwidth is used up",
			several);
	return arena_printf(
		arena,
		"move fewer bytes: do more with each element while it is in a cache (fuse %s with what uses the same arrays, or block several passes),"
		" use smaller types; more threads do not help once memory bandwidth is used up",
		loops);
}

/* The parallel construct around the cause's loop; NULL: its line is not known. */
static const char *construct_line(struct arena *arena, const struct run *run,
				  const struct cause *cause)
{
	uint32_t region = run_construct(run, cause->region);

	return region < run->nr_regions ? line_text(arena, &run->regions[region].source) : NULL;
}

/* Without simulated page walks it is not known whether they cost anything. */
static const char *large_pages(const struct cause *cause)
{
	const struct array_facts *facts = cause->arrays[0].facts;

	if (has_walks(facts))
		return "; large pages help, as the TLB misses";
	return isnan(facts->walks) ? "; large pages help if the TLB misses" : "";
}

static const char *remedy_remote(struct arena *arena, const struct run *run,
				 const struct cause *cause)
{
	const struct run_touch *touch = alone_touch(run, cause);
	const char *array = worst_array(arena, run, cause),
		   *line = construct_line(arena, run, cause);

	if (!touch || !line)
		return node_about_nodes(cause)->advice;
	return arena_printf(
		arena,
		"initialise %s in parallel with the same schedule as the loop at %s (schedule(static) for both)%s%s, and bind the threads (OMP_PROC_BIND=close); "
		"without a change to the code: numactl --interleave=all",
		array, line, touch->source.line ? ", not by one thread" : "",
		touched_at(arena, touch));
}

/* The access of serial code to an array, in a loop, that reads most of what earlier iterations wrote. */
static const struct run_access *carried_in(const struct run *run, uint32_t region)
{
	const struct run_access *most = NULL;
	uint64_t values = 0;

	for (size_t i = 0; i < run->nr_accesses; i++) {
		const struct run_access *access = &run->accesses[i];

		if (access->region != region)
			continue;
		values += access->reads + access->writes;
		if (access->carried && access->array < run->nr_arrays &&
		    (!most || access->reads > most->reads))
			most = access;
	}
	return most && (double)most->reads >= CARRIED_LEAST * (double)values ? most : NULL;
}

/* The line of a parallel region inside of another one; NULL: there is none. */
static const char *nested_line(struct arena *arena, const struct run *run)
{
	for (uint32_t i = 0; i < run->nr_regions; i++) {
		uint32_t around = run->regions[i].parent;

		if (run->regions[i].kind != MS_PARALLEL_REGION || !run->regions[i].source.line)
			continue;
		for (; around < i && run->regions[around].kind != MS_PARALLEL_REGION;)
			if (run->regions[around].parent >= around)
				break;
			else
				around = run->regions[around].parent;
		if (around < i && run->regions[around].kind == MS_PARALLEL_REGION)
			return line_text(arena, &run->regions[i].source);
	}
	return NULL;
}

static double measured(const struct run *run, uint32_t region, enum ms_metric metric)
{
	double sum = 0;

	for (size_t i = 0; i < run->nr_measurements; i++)
		if (run->measurements[i].row.region == region &&
		    run->measurements[i].row.metric == metric && run->measurements[i].phases)
			sum += run->measurements[i].row.stat.sum /
			       (double)run->measurements[i].phases;
	return sum;
}

/*
 * Where threads wait for one that makes tasks, or for tasks, and these are smaller than what it
 * costs to make them: what to do about that. NULL: it is not so.
 */
static const char *remedy_of_small_tasks(struct arena *arena, const struct run *run,
					 const struct cause *cause)
{
	static const char *const properties[] = { "SingleConstruct", "SingleSerialisation",
						  "TaskwaitHere", "TaskwaitWaiting" };
	bool is_asked = false;

	for (size_t i = 0; i < sizeof(properties) / sizeof(*properties); i++)
		is_asked = is_asked || is_about(cause, properties[i]);
	for (uint32_t i = 0; is_asked && i < run->nr_regions; i++) {
		double tasks, each;

		if (run->regions[i].kind != MS_TASK_REGION || !run->regions[i].source.line ||
		    !(run_is_inside(run, i, cause->region) ||
		      run_is_inside(run, cause->region, run->regions[i].parent)))
			continue;
		tasks = measured(run, i, MS_METRIC_TASKS);
		each = measured(run, i, MS_METRIC_TASK_TIME) / tasks;
		if (!(tasks >= MANY_TASKS) || !(each > 0) || each >= SMALL_TASK_NS)
			continue;
		return arena_printf(
			arena,
			"the tasks made at %s work %s each, and making and starting one costs 0.3 us or more: give each at least 20 us of work (a larger grainsize of taskloop, "
			"several items for each task, no tasks below a depth of a recursion)",
			line_text(arena, &run->regions[i].source), units_time_text(arena, each));
	}
	return NULL;
}

/*
 * A region that one thread would finish before the team does, which has to start and end first. NULL:
 * it is not so.
 */
static const char *remedy_of_tiny_regions(struct arena *arena, const struct run *run,
					  const struct cause *cause)
{
	const struct run_node *node = cause->worst;
	double work = value_of(node, "work"), start = value_of(node, "overhead"),
	       team = round(value_of(node, "cost") / (start * value_of(node, "times")));
	const struct source *source = &run->regions[cause->region].source;

	if (!is_about(cause, "RegionTooSmall") || !(team * work < work + start) || !source->line)
		return NULL;
	return arena_printf(
		arena,
		"one thread alone finishes the work of the parallel region at %s in %s or less, the team in %s (%s to start and end it): let one thread execute it where it is this small (if clause: if(n > LIMIT)),"
		" or make one parallel region of several, or of the whole time step, with work-shared loops inside and nowait where no barrier is needed",
		line_text(arena, source), units_time_text(arena, team * work),
		units_time_text(arena, work + start), units_time_text(arena, start));
}

/* Such functions need nothing of each other. */
static bool is_of_mathematics(const char *library)
{
	return !strncmp(library, "libm.", 5) || !strncmp(library, "libmvec.", 8) ||
	       !strncmp(library, "libquadmath.", 12);
}

static const char *remedy_for_library(const char *library)
{
	if (is_of_mathematics(library))
		return "divide the loop of these calls among threads (parallel for), where an iteration needs nothing of another";
	if (!strncmp(library, "libgfortran.", 12))
		return "if it reads or writes a file, do that once, before or after the time steps, or unformatted, or a whole array with each statement;"
		       " if it copies a section of an array for a call, pass a contiguous one";
	return "call it less often (allocate memory once and use it again, read and write files in large pieces, look for a function "
	       "that does more at once), or from several threads, where the calls need nothing of each other";
}

/* Serial code that spends its time in a library: what to do about that. NULL: it does not. */
static const char *remedy_of_calls(struct arena *arena, const struct run *run,
				   const struct cause *cause)
{
	const struct run_hotspot *spot = is_about(cause, "SerialStretch")
						 ? cause_serial_spot(run, cause)
						 : NULL;
	uint32_t module;
	const char *library;
	double part;

	if (!spot || !((double)spot->in_library > MOSTLY * (double)spot->count))
		return NULL;
	module = spot->share >= SERIAL_SPOT ? spot->leaf.module
					    : library_of(run, cause->region, &part);
	if (module >= run->nr_modules)
		return NULL;
	library = base_name(run->modules[module].path);
	return arena_printf(arena, "%s takes most of the time of %s, which calls it: %s", library,
			    line_text(arena, &spot->source), remedy_for_library(library));
}

/* What parallel code spends most time of a library in. NULL: it does not. */
static const struct run_hotspot *library_spot(const struct run *run)
{
	const struct run_hotspot *best = NULL;

	for (size_t i = 0; i < run->nr_hotspots; i++) {
		const struct run_hotspot *spot = &run->hotspots[i];

		if (hotspot_in_library(spot) > HOTSPOT_MUCH && spot->region < run->nr_regions &&
		    run->regions[spot->region].kind != MS_SERIAL_REGION &&
		    spot->leaf.module < run->nr_modules && spot->source.line &&
		    (!best || spot->in_library > best->in_library))
			best = spot;
	}
	return best;
}

/* Time in the kernel, while all threads call a function of a library: it may have a lock. NULL: none is called so. */
static const char *remedy_of_library_locks(struct arena *arena, const struct run *run,
					   const struct cause *cause)
{
	const struct run_hotspot *spot = is_about(cause, "SystemTime") ? library_spot(run) : NULL;
	const char *function = spot ? spot->leaf_source.function : NULL;

	return spot ? arena_printf(
			      arena,
			      "the threads call %s of %s at %s for much of this time: if it takes a lock in each call, as rand() does, use a function with a state for each thread "
			      "(rand_r, erand48, an engine of <random>); else strace -f -c ./program says which system calls it makes",
			      function && *function ? function : "functions",
			      base_name(run->modules[spot->leaf.module].path),
			      line_text(arena, &spot->source))
		    : NULL;
}

/* What waits outside of OpenMP while other threads of the program work, waits for these. */
static const char *remedy_of_other_threads(struct arena *arena, const struct run *run,
					   const struct cause *cause)
{
	bool waits = is_about(cause, "IOInSerialStretch") || is_about(cause, "IOInRegion") ||
		     is_about(cause, "SmallIO");

	return waits && run_other_cpus(run) >= RUN_OTHER_CPUS_LEAST
		       ? arena_printf(
				 arena,
				 "threads of the program that are not OpenMP's (std::thread, pthread_create) use %s CPUs: it waits for them, unless it sleeps or reads and writes files;"
				 " what they do is not measured: perf record -g ./program shows it",
				 arena_printf(arena, "%.1f", run_other_cpus(run)))
		       : NULL;
}

/* A parallel region inside of another one starts more threads than there are CPUs. NULL: none does. */
static const char *remedy_of_nesting(struct arena *arena, const struct run *run,
				     const struct cause *cause)
{
	const char *line = is_about(cause, "Oversubscription") ? nested_line(arena, run) : NULL;

	return line ? arena_printf(
			      arena,
			      "the parallel region at %s starts inside another one, and its threads come on top: parallelise one of the two (OMP_MAX_ACTIVE_LEVELS=1 leaves the outer one), "
			      "and set OMP_NUM_THREADS no higher than the number of CPUs",
			      line)
		    : NULL;
}

/* A loop that carries a dependence is no loop to put `parallel for` on. NULL: it carries none. */
static const char *remedy_of_dependence(struct arena *arena, const struct run *run,
					const struct cause *cause)
{
	const struct run_access *access = is_serial_work(run, cause)
						  ? carried_in(run, cause->region)
						  : NULL;
	const char *line = access ? line_text(arena, &access->source) : NULL;

	return line ? arena_printf(
			      arena,
			      "the loop at %s reads elements of %s that its earlier iterations wrote, so parallel for there would change the result: "
			      "process blocks along diagonals (wavefront: ordered with depend, or tasks), every second element at a time (red-black), "
			      "or read one array and write another, where the method allows it.",
			      line, arrays_name(arena, run, &run->arrays[access->array]))
		    : NULL;
}

/* The procedure that allocates it accesses it in other lines, too: the block is a variable's. */
static bool is_used_elsewhere(const struct run *run, const struct run_array *array)
{
	const struct source *site = &array->site_source;
	uint32_t number = (uint32_t)(array - run->arrays);

	for (size_t i = 0; i < run->nr_accesses; i++) {
		const struct source *at = &run->accesses[i].source;

		if (run->accesses[i].array == number && at->line && at->line != site->line &&
		    at->file && !strcmp(at->file, site->file) && at->function && site->function &&
		    !strcmp(at->function, site->function))
			return true;
	}
	return false;
}

/* A Fortran source line that allocates blocks for no variable. */
static bool is_temporary(const struct run *run, const struct run_array *array)
{
	const char *file = array->site_source.file, *dot = file ? strrchr(file, '.') : NULL;

	return dot && (dot[1] == 'f' || dot[1] == 'F') && !strcmp(array->kind, "heap") &&
	       !*array->name && array->site_source.line && array->live_blocks <= run->threads &&
	       2 * array->blocks >= run->phase.executions && array->blocks >= TEMPORARIES_LEAST &&
	       !is_used_elsewhere(run, array);
}

/* Of the region: the temporary of most bytes, and the named array of most values. */
struct copied {
	const struct run_array *temporary, *of;
};

static bool is_of_accesses(const struct ms_measurement *row)
{
	return row->metric == MS_METRIC_READS || row->metric == MS_METRIC_WRITES;
}

/* A section is read before the call, and written after it. */
static struct copied copied_in(const struct run *run, uint32_t region)
{
	struct copied copied = { NULL, NULL };
	double most = 0;

	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct ms_measurement *row = &run->measurements[i].row;
		uint32_t number = row->region < run->nr_regions
					  ? run_region_array(&run->regions[row->region])
					  : UINT32_MAX;
		const struct run_array *array = number < run->nr_arrays ? &run->arrays[number]
									: NULL;

		if (!array || !is_of_accesses(row) || run_array_is_stack(array) ||
		    !run_is_inside(run, row->region, region))
			continue;
		if (is_temporary(run, array)) {
			if (!copied.temporary || array->bytes > copied.temporary->bytes)
				copied.temporary = array;
		} else if (row->stat.sum > most) {
			most = row->stat.sum;
			copied.of = array;
		}
	}
	return copied;
}

/* Serial code that copies sections of arrays for calls, into temporaries of the compiler. */
static const char *remedy_of_copies(struct arena *arena, const struct run *run,
				    const struct cause *cause)
{
	bool fits = is_about(cause, "SerialStretch") || is_about(cause, "AllocationChurn");
	struct copied copied = fits ? copied_in(run, cause->region) : (struct copied){ 0 };
	const struct run_array *temporary = copied.temporary;

	if (!temporary || !copied.of)
		return NULL;
	return arena_printf(
		arena,
		"at %s:%d the compiler makes a temporary of %s, and frees it after the call: it copies a section of %s that is not contiguous, and back;"
		" store what is passed contiguously (the index that the call fixes last), or declare the dummy argument with assumed shape (:)",
		temporary->site_source.file, temporary->site_source.line,
		units_bytes_text(arena, (double)temporary->bytes),
		arrays_name(arena, run, copied.of));
}

/* Some properties have a remedy that the rest of the run decides; else their own advice. */
static struct cause_remedy remedy_of_property(struct arena *arena, const struct run *run,
					      const struct cause *cause)
{
	static const struct {
		const char *action;
		const char *(*text)(struct arena *, const struct run *, const struct cause *);
	} remedies[] = {
		{ "pass_contiguous_section", remedy_of_copies },
		{ "parallelise_one_level", remedy_of_nesting },
		{ "enlarge_tasks", remedy_of_small_tasks },
		{ "call_less_often", remedy_of_calls },
		{ "avoid_lock_in_library", remedy_of_library_locks },
		{ "remove_dependence", remedy_of_dependence },
		{ "observe_other_threads", remedy_of_other_threads },
		{ "enlarge_region", remedy_of_tiny_regions },
	};

	for (size_t i = 0; i < sizeof(remedies) / sizeof(*remedies); i++) {
		const char *text = remedies[i].text(arena, run, cause);

		if (text)
			return (struct cause_remedy){ remedies[i].action, text };
	}
	return (struct cause_remedy){ "follow_advice", cause->worst->advice };
}

/* Rows of that many bytes, where a line more in each keeps them a multiple of SET_BYTES; 0: not so. */
static double rows_of(double bytes, double row)
{
	double rows = row > 0 ? bytes / row : 0;
	bool keeps = fmod(bytes, SET_BYTES) == 0 && fmod(rows * LINE_BYTES, SET_BYTES) == 0;

	return keeps && rows >= 2 && rows == floor(rows) ? rows : 0;
}

/* Why padding the rows alone does not change the cache sets of all accesses; NULL: it does. */
static const char *why_planes(struct arena *arena, const struct run *run, const struct cause *cause,
			      const char *rows)
{
	const struct run_array *array = &run->arrays[cause->arrays[0].array];
	const struct array_pattern *pattern = &cause->arrays[0].pattern;
	double row = (double)shape_row_bytes(array), in_step = rows_of(pattern->stride, row),
	       in_plane = rows_of((double)shape_plane_bytes(array), row);

	if (in_step > 0)
		return arena_printf(arena, "the loop steps over %.0f %s, which stay", in_step,
				    rows);
	if (in_plane > 0 && !(pattern->strided > MOSTLY))
		return arena_printf(arena, "planes of %.0f %s stay", in_plane, rows);
	return NULL;
}

/* Whether other arrays of the cause have the shape of the first one. */
static bool has_alike(const struct run *run, const struct cause *cause)
{
	const struct run_array *first = &run->arrays[cause->arrays[0].array];

	for (size_t i = 1; i < cause->nr_arrays && first->shape && *first->shape; i++) {
		const struct run_array *other = &run->arrays[cause->arrays[i].array];

		if (other->shape && !strcmp(other->shape, first->shape) &&
		    other->element_bytes == first->element_bytes)
			return true;
	}
	return false;
}

/* Of the classified misses of the worst array; 0: not known. */
static double conflict_part(const struct cause *cause)
{
	const struct array_facts *facts = cause->nr_arrays ? cause->arrays[0].facts : NULL;

	return facts && facts->classified > 0 ? facts->conflict / facts->classified : 0;
}

/* Most misses are conflicts, as for CAUSE_CONFLICTS; rows that are blocks of their own have no padding. */
static bool rows_conflict(const struct run *run, const struct cause *cause)
{
	return conflict_part(cause) > 1 - MANY_CONFLICTS &&
	       run->arrays[cause->arrays[0].array].blocks <= 1;
}

static const char *padding_text(struct arena *arena, const struct run *run,
				const struct cause *cause)
{
	const char *rows = is_fortran(run, cause) ? "columns" : "rows";
	const char *array = worst_array(arena, run, cause), *where = declared(arena, run, cause);
	const char *others = has_alike(run, cause) ? " and of the other arrays of its shape" : "";
	const char *why = why_planes(arena, run, cause, rows);
	double row = row_bytes(run, cause);

	if (why)
		return arena_printf(
			arena,
			"pad the %s of %s%s%s by one cache line (%d bytes), and the dimension behind them by one: %s a multiple of %d bytes apart if they alone are padded",
			rows, array, where, others, LINE_BYTES, why, SET_BYTES);
	if (in_parts(run, cause))
		return arena_printf(
			arena,
			"add a cache line (%d bytes) to each part (plane, row, field) of %s%s that the loop uses together with others, so that no two of them are a multiple of %d bytes apart",
			LINE_BYTES, array, where, SET_BYTES);
	return arena_printf(arena, "pad the %s of %s%s%s by one cache line (%d bytes)%s", rows,
			    array, where, others, LINE_BYTES,
			    is_odd(row) ? " or more (`memsearch try` simulates what that gains)"
					: arena_printf(arena, ", so that their length is no %s",
						       length_text(arena, row)));
}

/* A loop along the wrong index has them, too: then there are two remedies. */
static const char *remedy_conflicts(struct arena *arena, const struct run *run,
				    const struct cause *cause)
{
	const char *padding = padding_text(arena, run, cause);

	return cause->arrays[0].pattern.strided_stalls > MOSTLY &&
			       !cause->arrays[0].pattern.in_tiles
		       ? arena_printf(
				 arena,
				 "%s; better, if it is possible: interchange %s, so that the innermost index is the %s one of the array",
				 padding, interchanged_text(arena, run, cause),
				 is_fortran(run, cause) ? "first" : "last")
		       : padding;
}

/* Tiles whose rows evict each other gain little: padding comes first. */
static const char *remedy_transposition(struct arena *arena, const struct run *run,
					const struct cause *cause)
{
	const char *array = worst_array(arena, run, cause), *where = declared(arena, run, cause),
		   *nest = interchanged_text(arena, run, cause);

	if (rows_conflict(run, cause))
		return arena_printf(
			arena,
			"interchange %s if that makes all arrays contiguous; else %s (%s of the misses are conflicts, in tiles, too), then process tiles of 32 x 32 (block both loops), or store %s transposed",
			nest, padding_text(arena, run, cause),
			units_share_text(arena, conflict_part(cause)), array);
	return arena_printf(
		arena,
		"interchange %s if that makes all arrays contiguous; else process tiles of 32 x 32 (block both loops), or store %s%s transposed",
		nest, array, where);
}

/* One word or several, as compilers write the types of numbers in C, C++ and Fortran. */
static bool is_number(const char *type)
{
	static const char *const words[] = {
		"double", "float", "int",  "long",    "short",   "char",    "signed",   "unsigned",
		"bool",   "_Bool", "real", "integer", "complex", "logical", "character"
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i]);

		if (!strncmp(type, words[i], len) && !isalnum((unsigned char)type[len]) &&
		    type[len] != '_')
			return true;
	}
	return false;
}

static bool is_number_array(const struct run *run, const struct cause *cause)
{
	const char *type = run->arrays[cause->arrays[0].array].type;

	return type && is_number(type);
}

/* Distances of a page and more are indices or slices: no struct is as large. */
#define STRUCT_BYTES 4096

static const char *remedy_layout(struct arena *arena, const struct run *run,
				 const struct cause *cause)
{
	const struct cause_array *worst = &cause->arrays[0];
	const char *array = worst_array(arena, run, cause), *where = declared(arena, run, cause),
		   *type = run->arrays[worst->array].type;

	if (is_number(type ? type : "") || worst->pattern.stride >= STRUCT_BYTES)
		return arena_printf(
			arena,
			"let the loop use all of each cache line: store the elements of %s%s that it uses one after the other contiguously (another order of indices, or a compact copy)",
			array, where);
	if (!type || !*type)
		return arena_printf(
			arena,
			"store contiguously what this loop uses of %s%s: another order of indices, arrays of fields instead of an array of structs, or a compact copy",
			array, where);
	return arena_printf(
		arena,
		"store the parts of %s%s that this loop uses contiguously: arrays of fields instead of an array of structs, or a compact copy",
		array, where);
}

/* Many blocks of an array, and small ones: rows of a matrix, nodes of a list. */
#define MANY_BLOCKS 1000
#define SMALL_BLOCK_BYTES 4096

static bool is_of_small_blocks(const struct run_array *array)
{
	return !strcmp(array->kind, "heap") &&
	       (!strcmp(array->name, RUN_SMALL_BLOCKS) ||
		(array->live_blocks >= MANY_BLOCKS &&
		 array->bytes / array->live_blocks < SMALL_BLOCK_BYTES));
}

static const char *remedy_irregular(struct arena *arena, const struct run *run,
				    const struct cause *cause)
{
	const char *array = worst_array(arena, run, cause), *where = declared(arena, run, cause);

	if (is_of_small_blocks(&run->arrays[cause->arrays[0].array]))
		return arena_printf(
			arena,
			"allocate %s%s together, as one array in the order in which they are used (one block for all rows; a vector in the place of a list"
			" or map), or visit them in the order of their addresses%s",
			array, where, large_pages(cause));
	return arena_printf(
		arena,
		"reorder the work or the elements of %s%s so that successive accesses are near each other (sort or renumber indices, process by parts"
		" that fit into a cache)%s",
		array, where, large_pages(cause));
}

/* An array of which each thread may well have a copy: some fit into the second-level cache. */
#define SMALL_ARRAY_BYTES (1u << 20)

/*
 * Lines were compared, and threads share no word of any. What is smaller than a line may have been counted
 * for a neighbour.
 */
static bool is_updated_apart(const struct run *run, const struct cause *cause)
{
	uint32_t array = cause->arrays[0].array,
		 construct = run_construct(run, cause->arrays[0].region);

	for (size_t i = 0; i < run->nr_sharings && run->arrays[array].bytes >= LINE_BYTES; i++)
		if (run->sharings[i].array == array && run->sharings[i].region == construct)
			return run->sharings[i].executions && !run->sharings[i].same_lines;
	return false;
}

static const char *remedy_atomic(struct arena *arena, const struct run *run,
				 const struct cause *cause)
{
	const struct run_array *updated = &run->arrays[cause->arrays[0].array];
	const char *array = worst_array(arena, run, cause), *where = declared(arena, run, cause);

	if (is_updated_apart(run, cause))
		return arena_printf(
			arena,
			"leave out atomic, and sum into a local variable where several updates go to one element: in what was recorded no two threads updated the same element of %s%s;"
			" make sure that it is so for all input",
			array, where);
	if (updated->bytes <= sizeof(double) * 2 || run_array_is_stack(updated))
		return arena_printf(
			arena,
			"let each thread sum into a private variable, and add these to %s%s once, after the loop: reduction(+:x), in tasks in_reduction",
			array, where);
	if (cause->arrays[0].pattern.same > MOSTLY)
		return arena_printf(
			arena,
			"sum into a local variable, and update the element of %s%s once, after the inner loop; where each element is updated by one thread only,"
			" that update need not be atomic",
			array, where);
	if (updated->bytes <= SMALL_ARRAY_BYTES)
		return arena_printf(
			arena,
			"let each thread update a copy of %s%s without atomic, and add the copies after the loop: reduction(+:x[:n]), or an array for each thread",
			array, where);
	return arena_printf(
		arena,
		"leave out atomic: sort or colour the iterations so that no two threads update the same element of %s%s at a time, or let each thread own a"
		" part of it and add what others have for that part after the loop",
		array, where);
}

/*
 * A temporary that the compiler makes for a call: the code that uses the array allocates and frees
 * blocks without a name at its line. NULL: none.
 */
static const struct run_array *temporary_of_call(const struct run *run, const struct cause *cause)
{
	const struct source *line = cause_line(run, cause);

	for (size_t i = 0; is_fortran(run, cause) && i < run->nr_arrays; i++) {
		const struct run_array *array = &run->arrays[i];
		const struct source *site = &array->site_source;
		bool is_used = site->line && line->line == site->line;

		for (size_t k = 0; k < cause->nr_arrays; k++)
			is_used |= cause->arrays[k].array == i;
		if (is_used && !strcmp(array->kind, "heap") && !*array->name && site->file &&
		    !strcmp(site->file, line->file) && array->blocks >= MANY_BLOCKS &&
		    array->live_blocks <= run->threads)
			return array;
	}
	return NULL;
}

/* Fortran passes sections that are not contiguous as a copy, to arguments of explicit shape. */
static const char *remedy_section(struct arena *arena, const struct run *run,
				  const struct cause *cause)
{
	const struct run_array *temporary = temporary_of_call(run, cause);
	struct text times;

	if (!temporary)
		return NULL;
	text_init(&times, arena);
	units_count(&times, (double)temporary->blocks);
	return arena_printf(
		arena,
		"at %s:%d a temporary is allocated and freed %s times: the compiler copies a section of %s that is not contiguous, and back after the call;"
		" pass a section along the first index%s",
		temporary->site_source.file, temporary->site_source.line, times.bytes,
		worst_array(arena, run, cause),
		cause->arrays[0].pattern.strided > MOSTLY
			? " (a dummy argument of assumed shape (:) alone avoids the copy, not the strided access)"
			: ", or declare the dummy argument with assumed shape (:)");
}

/* Accesses to the array in the region's own line: code that the compiler makes for its clauses. */
static bool is_used_by_clause(const struct run *run, uint32_t array, uint32_t team)
{
	const struct source *line = &run->regions[team].source;

	for (size_t i = 0; i < run->nr_accesses; i++) {
		const struct run_access *access = &run->accesses[i];

		if (access->array == array && access->source.line &&
		    run_outermost(run, access->region) == team &&
		    same_line(&access->source, line) && access->reads + access->writes > 0)
			return true;
	}
	return false;
}

/* The team whose clauses use the stacks of threads, by the cause's arrays. UINT32_MAX: none. */
static uint32_t team_with_copies(const struct run *run, const struct cause *cause)
{
	for (size_t i = 0; i < cause->nr_arrays; i++) {
		uint32_t array = cause->arrays[i].array,
			 team = run_outermost(run, cause->arrays[i].region);

		if (run_array_is_stack(&run->arrays[array]) && team < run->nr_regions &&
		    run->regions[team].kind == MS_PARALLEL_REGION &&
		    run->regions[team].source.line && is_used_by_clause(run, array, team))
			return team;
	}
	return UINT32_MAX;
}

/* The largest array that these clauses use, too: each thread has a copy of it. UINT32_MAX: none. */
static uint32_t copied_by_clause(const struct run *run, const struct cause *cause)
{
	uint32_t team = team_with_copies(run, cause), copied = UINT32_MAX;

	for (uint32_t i = 0; team != UINT32_MAX && i < run->nr_arrays; i++)
		if (!run_array_is_stack(&run->arrays[i]) && run->arrays[i].bytes >= COPIED_BYTES &&
		    (copied == UINT32_MAX || run->arrays[i].bytes > run->arrays[copied].bytes) &&
		    is_used_by_clause(run, i, team))
			copied = i;
	return copied;
}

static const char *remedy_copy(struct arena *arena, const struct run *run,
			       const struct cause *cause)
{
	uint32_t array = copied_by_clause(run, cause);

	if (array == UINT32_MAX)
		return NULL;
	return arena_printf(
		arena,
		"each thread has a copy of %s (%s) on its stack, which the construct sets up and adds up or copies back in every execution (reduction, firstprivate or lastprivate "
		"of an array): reduce only the part that is used, divide the work so that each thread has its own part of it, or update it atomically where threads seldom meet",
		arrays_name(arena, run, &run->arrays[array]),
		units_bytes_text(arena, (double)run->arrays[array].bytes));
}

static const char *remedy_false_sharing(struct arena *arena, const struct run *run,
					const struct cause *cause)
{
	const char *array = worst_array(arena, run, cause), *where = declared(arena, run, cause);

	if (array_is_only_read(cause->arrays[0].facts))
		return arena_printf(
			arena,
			"give %s%s cache lines of its own: align it, and what threads write beside it, to %d bytes",
			array, where, LINE_BYTES);
	return arena_printf(
		arena,
		"give each thread cache lines of its own: pad and align what one thread writes of %s%s to %d bytes, or use a private variable or a reduction",
		array, where, LINE_BYTES);
}

static const char *remedy_true_sharing(struct arena *arena, const struct run *run,
				       const struct cause *cause)
{
	return arena_printf(
		arena,
		"let each thread update a private copy of %s%s: a reduction where it adds up, a state of its own where it is one (a random number generator)%s; where no atomic or lock guards it, it is a data race, too",
		worst_array(arena, run, cause), declared(arena, run, cause),
		is_number_array(run, cause)
			? ""
			: "; if a lock guards it (a queue, a list): take or add many items at a time");
}

static const char *remedy_communication(struct arena *arena, const struct run *run,
					const struct cause *cause)
{
	return arena_printf(
		arena,
		"let threads read what they wrote themselves: divide the loops that write and read %s%s alike (schedule(static)), or renumber its indices"
		" so that each thread mostly uses its own part",
		worst_array(arena, run, cause), declared(arena, run, cause));
}

static const char *remedy_loop_order(struct arena *arena, const struct run *run,
				     const struct cause *cause)
{
	const char *array = worst_array(arena, run, cause);

	return arena_printf(
		arena,
		"interchange %s so that the innermost index is the %s one of %s; else block them, or store %s%s transposed",
		interchanged_text(arena, run, cause), is_fortran(run, cause) ? "first" : "last",
		array, array, declared(arena, run, cause));
}

static const char *remedy_narrow_blocks(struct arena *arena, const struct run *run,
					const struct cause *cause)
{
	return arena_printf(
		arena,
		"make the blocks of %s%s longer in the contiguous (%s) index, %d bytes at least, and shorter in the other one",
		worst_array(arena, run, cause), declared(arena, run, cause),
		is_fortran(run, cause) ? "first" : "last", NARROW_ROW_LINES * LINE_BYTES);
}

static const char *remedy_of_nodes(struct arena *arena, const struct run *run,
				   const struct cause *cause)
{
	(void)arena;
	(void)run;
	return node_about_nodes(cause)->advice;
}

/* By kind; CAUSE_PROPERTY has remedy_of_property. */
static const struct {
	const char *action;
	const char *(*text)(struct arena *, const struct run *, const struct cause *);
} remedies[CAUSE_KINDS] = {
	[CAUSE_FALSE_SHARING] = { "pad_and_align", remedy_false_sharing },
	[CAUSE_TRUE_SHARING] = { "update_privately", remedy_true_sharing },
	[CAUSE_COMMUNICATION] = { "divide_loops_alike", remedy_communication },
	[CAUSE_LOOP_ORDER] = { "interchange_loops", remedy_loop_order },
	[CAUSE_TRANSPOSITION] = { "interchange_or_block_loops", remedy_transposition },
	[CAUSE_NARROW_BLOCKS] = { "lengthen_blocks", remedy_narrow_blocks },
	[CAUSE_LAYOUT] = { "store_contiguously", remedy_layout },
	[CAUSE_CONFLICTS] = { "pad_rows", remedy_conflicts },
	[CAUSE_ATOMICS] = { "avoid_atomic_updates", remedy_atomic },
	[CAUSE_IRREGULAR] = { "reorder", remedy_irregular },
	[CAUSE_BANDWIDTH] = { "move_fewer_bytes", remedy_streaming },
	[CAUSE_REUSE] = { "block_or_fuse_loops", remedy_streaming },
	[CAUSE_REMOTE_MEMORY] = { "place_pages", remedy_remote },
	[CAUSE_SHARED_READ_ONLY] = { "replicate_by_node", remedy_of_nodes },
	[CAUSE_HUGE_PAGES] = { "separate_by_huge_pages", remedy_of_nodes },
};

struct cause_remedy cause_remedy_of(struct arena *arena, const struct run *run,
				    const struct cause *cause)
{
	const char *section = cause->nr_arrays ? remedy_section(arena, run, cause) : NULL;

	if (section)
		return (struct cause_remedy){ "pass_contiguous_section", section };
	if (cause->kind == CAUSE_REUSE || cause->kind == CAUSE_BANDWIDTH) {
		const char *copy = remedy_copy(arena, run, cause);

		if (copy)
			return (struct cause_remedy){ "copy_less", copy };
	}
	if (!remedies[cause->kind].text)
		return remedy_of_property(arena, run, cause);
	return (struct cause_remedy){ remedies[cause->kind].action,
				      remedies[cause->kind].text(arena, run, cause) };
}

const char *cause_remedy(struct arena *arena, const struct run *run, const struct cause *cause)
{
	return cause_remedy_of(arena, run, cause).text;
}

/* ------------------------------------------------------------------ also */

static void add_item(struct text *text, const char *item)
{
	if (item)
		text_printf(text, "%s%s", text->length ? "; " : "", item);
}

static const char *first_touch(struct arena *arena, const struct run *run,
			       const struct cause *cause)
{
	const struct run_touch *touch = alone_touch(run, cause);

	if (!touch || cause_is_about(cause->kind, CAUSE_ABOUT_NODES) ||
	    run_array_is_stack(&run->arrays[cause->arrays[0].array]))
		return NULL;
	return arena_printf(
		arena,
		"%s was first touched by thread %u alone%s: with several NUMA nodes it lies on one of them",
		worst_array(arena, run, cause), touch->thread, touched_at(arena, touch));
}

const char *cause_also(struct arena *arena, const struct run *run, const struct cause *cause)
{
	const struct array_facts *facts = cause->nr_arrays ? cause->arrays[0].facts : NULL;
	double accesses = facts ? facts->loads + facts->stores : NAN;
	struct text text;

	text_init(&text, arena);
	if (has_walks(facts))
		add_item(&text, arena_printf(arena, "TLB misses: page walks at %s of the accesses",
					     units_share_text(arena, facts->walks / accesses)));
	if (facts && cause->kind != CAUSE_CONFLICTS &&
	    !(cause->kind == CAUSE_TRANSPOSITION && rows_conflict(run, cause)) &&
	    run->arrays[cause->arrays[0].array].blocks <= 1 &&
	    conflict_part(cause) > MANY_CONFLICTS)
		add_item(&text,
			 arena_printf(arena,
				      "%s of the misses are conflicts: pad the rows by %d bytes",
				      units_share_text(arena, conflict_part(cause)), LINE_BYTES));
	if (cause->kind != CAUSE_BANDWIDTH && cause->kind != CAUSE_REUSE)
		add_item(&text, working_set(arena, cause));
	if (cause->kind != CAUSE_FALSE_SHARING && cause->kind != CAUSE_TRUE_SHARING &&
	    cause->kind != CAUSE_COMMUNICATION)
		add_item(&text, first_touch(arena, run, cause));
	return text.length ? text.bytes : NULL;
}
