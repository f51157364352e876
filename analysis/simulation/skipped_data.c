/* SPDX-License-Identifier: Apache-2.0 */
/* Lines in the place of accesses that are not simulated. */
#include "analysis/simulation/skipped_data.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/machine/model.h"
#include "analysis/record/run.h"
#include "analysis/search/run_measurements.h"
#include "analysis/simulation/fill_lines.h"
#include "analysis/simulation/reach.h"
#include "analysis/trace/stream.h"
#include "analysis/trace/trace_reader.h"

#define BASE (UINT64_C(1) << 46) /* no program on Linux has data there by default */
#define PAGE 4096
#define CELLS_MOST ((uint64_t)1 << 22)
#define PENDING_MOST 32  /* regions of a thread; of more the first ones are left out */
#define ARRAYS_MOST 1024 /* of a region */
/* of an array: two entries (trace.h), and of a thread */
#define WORDS (2 * (2 + 4 * FILL_PERIOD))
#define WORDS_OF_ALL (PENDING_MOST * ARRAYS_MOST * WORDS + 8)

/* What a thread accesses of an array in a construct, or of all arrays there. */
struct use {
	struct reach_accesses accesses; /* in one execution of the phase */
	double lines;                   /* … of the construct; at first those counted, or 0 */
	bool written;
};

struct pending {
	uint32_t region;
	double part;
};

struct of_thread {
	struct pending pending[PENDING_MOST]; /* the latest last */
	uint32_t nr;
};

struct skipped_data {
	const struct run *run;
	const struct machine_model *model;
	uint32_t threads;
	uint32_t *first, *next; /* by region: its arrays, as regions; 0: none */
	uint32_t *row;          /* by region: number + 1 of its first use; 0: none */
	struct use *uses;       /* by row and thread */
	uint64_t *base;         /* by array: address of its lines */
	uint64_t *filled;       /* by array: most lines of a thread at a time */
	uint64_t *most;         /* by thread: lines in the place of all */
	double part;            /* of `most` that is allowed */
	uint64_t all;           /* lines that are allowed */
	uint64_t words;         /* written since skipped_data_begin */
	bool limited;           /* lines were left out */
	struct of_thread *of;
	struct fill_stretches stretches;
};

/* ------------------------------------------------------------------ from the run */

/* An array in a construct, which has what its loops access. */
static bool is_counted(const struct run *run, uint32_t region)
{
	const struct run_region *of = &run->regions[region];
	uint32_t array = run_region_array(of);

	return of->kind == MS_DATA_STRUCTURE && of->parent < run->nr_regions &&
	       !ms_region_kind_is_part(run->regions[of->parent].kind) && array < run->nr_arrays &&
	       run->arrays[array].bytes && !run_array_is_stack(&run->arrays[array]);
}

static bool find_rows(struct skipped_data *data, struct arena *arena)
{
	const struct run *run = data->run;
	uint32_t rows = 0;

	data->first = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*data->first));
	data->next = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*data->next));
	data->row = arena_alloc(arena, (run->nr_regions + 1) * sizeof(*data->row));
	if (!data->first || !data->next || !data->row)
		return false;
	memset(data->first, 0, run->nr_regions * sizeof(*data->first));
	for (uint32_t i = 0; i < run->nr_regions; i++) {
		bool counted = is_counted(run, i);

		data->row[i] = counted || !ms_region_kind_is_part(run->regions[i].kind) ? ++rows
											: 0;
		data->next[i] = counted ? data->first[run->regions[i].parent] : 0;
		if (counted)
			data->first[run->regions[i].parent] = i;
	}
	if ((uint64_t)rows * data->threads > CELLS_MOST)
		return false;
	data->uses = arena_alloc(arena, ((uint64_t)rows * data->threads + 1) * sizeof(*data->uses));
	if (data->uses)
		memset(data->uses, 0, (uint64_t)rows * data->threads * sizeof(*data->uses));
	return data->uses;
}

static struct use *use_of(const struct skipped_data *data, uint32_t region, uint32_t thread)
{
	return region < data->run->nr_regions && data->row[region] && thread < data->threads
		       ? &data->uses[(uint64_t)(data->row[region] - 1) * data->threads + thread]
		       : NULL;
}

static void read_measurements(struct skipped_data *data)
{
	double wall_ns = run_execution_ns(data->run);
	const struct measured_wall wall = { wall_ns, wall_ns };

	for (size_t i = 0; i < data->run->nr_measurements; i++) {
		struct ms_measurement row = measured_in_one(&data->run->measurements[i], &wall);
		struct use *use = use_of(data, row.region, row.thread);

		if (!use)
			continue;
		reach_accesses_add(&use->accesses, &row);
		use->written |= row.metric == MS_METRIC_WRITES && row.stat.sum > 0;
		if (row.metric == MS_METRIC_TOUCHED_LINES && row.stat.count)
			use->lines = row.stat.sum / (double)row.stat.count;
	}
}

static double executions_of(const struct use *use)
{
	return fmax(1, use->accesses.executions);
}

/* Lines of the construct's arrays, bounded by their sizes, and all together by what was counted. */
static void find_lines(struct skipped_data *data, uint32_t construct, uint32_t thread)
{
	const struct run *run = data->run;
	struct use *of = use_of(data, construct, thread), *use;
	double all = 0, factor;

	for (uint32_t i = data->first[construct]; i; i = data->next[i]) {
		use = use_of(data, i, thread);
		use->lines = reach_array_lines(&use->accesses,
					       &run->arrays[run_region_array(&run->regions[i])]) /
			     executions_of(use);
		all += use->lines;
	}
	factor = of->lines > 0 && of->lines < all ? of->lines / all : 1;
	for (uint32_t i = data->first[construct]; i; i = data->next[i])
		use_of(data, i, thread)->lines *= factor;
	of->lines = all * factor;
}

static void find_all_lines(struct skipped_data *data)
{
	for (uint32_t region = 0; region < data->run->nr_regions; region++)
		for (uint32_t thread = 0; data->first[region] && thread < data->threads; thread++)
			find_lines(data, region, thread);
}

static bool place_arrays(struct skipped_data *data, struct arena *arena)
{
	uint64_t at = BASE;

	data->base = arena_alloc(arena, (data->run->nr_arrays + 1) * sizeof(*data->base));
	data->filled = arena_alloc(arena, (data->run->nr_arrays + 1) * sizeof(*data->filled));
	if (!data->base || !data->filled)
		return false;
	for (size_t i = 0; i < data->run->nr_arrays; i++) {
		data->base[i] = at;
		data->filled[i] = 0;
		at += (data->run->arrays[i].bytes / PAGE + 2) * PAGE;
	}
	return true;
}

static bool find_capacities(struct skipped_data *data, struct arena *arena, const uint32_t *cores)
{
	double bytes = 0;

	data->most = arena_alloc(arena, (data->threads + 1) * sizeof(*data->most));
	for (size_t i = 0; i < data->run->nr_arrays; i++)
		bytes += run_array_is_stack(&data->run->arrays[i])
				 ? 0
				 : (double)data->run->arrays[i].bytes;
	for (uint32_t i = 0; data->most && i < data->threads; i++)
		data->most[i] = fill_capacity(data->model, cores, i, data->threads, bytes);
	return data->most;
}

struct skipped_data *skipped_data_new(struct arena *arena, const struct run *run,
				      const struct machine_model *model, const uint32_t *cores,
				      uint32_t threads)
{
	struct skipped_data *data = arena_alloc(arena, sizeof(*data));

	if (!data)
		return NULL;
	*data = (struct skipped_data){
		.run = run,
		.model = model,
		.threads = threads,
		.part = 1,
		.all = UINT64_MAX,
		.of = arena_alloc(arena, (threads + 1) * sizeof(*data->of)),
	};
	if (!data->of || !find_rows(data, arena) || !place_arrays(data, arena) ||
	    !find_capacities(data, arena, cores))
		return NULL;
	memset(data->of, 0, threads * sizeof(*data->of));
	read_measurements(data);
	find_all_lines(data);
	return data;
}

/* ------------------------------------------------------------------ what is skipped */

static uint64_t min_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t skipped_data_lines(const struct skipped_data *data, uint32_t thread, uint32_t region)
{
	const struct use *use = use_of(data, region, thread);

	return use && data->first[region] ? (uint64_t)fmin(use->lines, (double)data->most[thread])
					  : 0;
}

void skipped_data_begin(struct skipped_data *data)
{
	data->words = 0;
}

void skipped_data_limit(struct skipped_data *data, double part, uint64_t all)
{
	data->part = part;
	data->all = all;
}

uint64_t skipped_data_pages(const struct skipped_data *data)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < data->run->nr_arrays; i++)
		pages += min_of(data->run->arrays[i].bytes,
				data->filled[i] * data->threads * fill_line(data->model)) /
			 PAGE;
	return pages;
}

bool skipped_data_is_limited(const struct skipped_data *data)
{
	return data->limited;
}

static void remove_pending(struct of_thread *of, uint32_t i)
{
	of->nr--;
	memmove(&of->pending[i], &of->pending[i + 1], (of->nr - i) * sizeof(of->pending[0]));
}

/* Mostly the latest region is noted again. */
void skipped_data_note(struct skipped_data *data, uint32_t thread, uint32_t region, double part)
{
	struct of_thread *of = thread < data->threads ? &data->of[thread] : NULL;

	if (!of || region >= data->run->nr_regions || !data->first[region])
		return;
	part *= executions_of(use_of(data, region, thread));
	for (uint32_t i = of->nr; i > 0; i--)
		if (of->pending[i - 1].region == region) {
			part += of->pending[i - 1].part;
			remove_pending(of, i - 1);
			break;
		}
	if (of->nr == PENDING_MOST) {
		remove_pending(of, 0);
		data->limited = true;
	}
	of->pending[of->nr++] = (struct pending){ region, fmin(1, part) };
}

/* ------------------------------------------------------------------ in their place */

/*
 * Each thread begins at a part of its own, as loops divide arrays, and continues at the array's begin
 * behind its end.
 */
static void fill_array(const struct skipped_data *data, struct trace_stream *stream,
		       uint32_t region, uint64_t lines)
{
	uint32_t array = run_region_array(&data->run->regions[region]),
		 line = fill_line(data->model);
	uint64_t all = data->run->arrays[array].bytes / line + 1,
		 from = all * stream->thread / data->threads, here = min_of(lines, all - from);
	bool written = use_of(data, region, stream->thread)->written;

	data->filled[array] = lines > data->filled[array] ? lines : data->filled[array];
	fill_lines(&data->stretches, stream, data->base[array] + from * line, line, here,
		   written ? FILL_PERIOD : 0);
	fill_lines(&data->stretches, stream, data->base[array], line, min_of(lines - here, from),
		   written ? FILL_PERIOD : 0);
}

/* Of a region, at most `most` lines, in equal parts of all arrays; returns how many. */
static uint64_t fill_region(struct skipped_data *data, struct trace_stream *stream,
			    const struct pending *pending, uint64_t most)
{
	double all = pending->part * use_of(data, pending->region, stream->thread)->lines,
	       factor = pending->part * (all > (double)most ? (double)most / all : 1);
	uint64_t done = 0;
	uint32_t arrays = 0;

	for (uint32_t i = data->first[pending->region]; i && arrays < ARRAYS_MOST;
	     i = data->next[i], arrays++) {
		uint64_t lines = (uint64_t)(use_of(data, i, stream->thread)->lines * factor);

		fill_array(data, stream, i, lines);
		done += lines;
	}
	data->words += arrays * WORDS;
	return done < most ? done : most;
}

/* The first region of those whose lines the cache can hold beside the later ones'. */
static uint32_t first_held(const struct skipped_data *data, const struct of_thread *of,
			   uint32_t thread)
{
	double lines = 0;
	uint32_t i = of->nr;

	while (i > 0 && lines < (double)data->most[thread]) {
		i--;
		lines += of->pending[i].part * use_of(data, of->pending[i].region, thread)->lines;
	}
	return i;
}

/* Of those that the cache has room for, as many as the limits allow. */
static uint64_t allowed(struct skipped_data *data, uint32_t thread)
{
	uint64_t lines = min_of((uint64_t)((double)data->most[thread] * data->part), data->all);

	if (data->words > SKIPPED_DATA_WORDS - WORDS_OF_ALL)
		lines = 0;
	data->limited |= lines < data->most[thread];
	return lines;
}

bool skipped_data_play(struct skipped_data *data, struct trace_stream *stream,
		       const struct traced_part *part)
{
	struct of_thread *of = stream->thread < data->threads ? &data->of[stream->thread] : NULL;
	uint64_t left, done;

	if (!of || !of->nr)
		return true;
	if (!fill_begin(&data->stretches))
		return false;
	left = allowed(data, stream->thread);
	trace_stream_part(stream, MS_REGION_NONE, 0, UINT64_MAX);
	for (uint32_t i = first_held(data, of, stream->thread); i < of->nr && left; i++) {
		done = fill_region(data, stream, &of->pending[i], left);
		left -= done;
		data->all -= data->all == UINT64_MAX ? 0 : done;
	}
	trace_stream_part(stream, (uint32_t)part->region, part->before, part->now);
	of->nr = 0;
	return true;
}
