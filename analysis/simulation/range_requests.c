/* SPDX-License-Identifier: Apache-2.0 */
/* Answers requests for address ranges after the run. */
#include "analysis/simulation/range_requests.h"

#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/base/thread_clock.h"
#include "analysis/counting/count.h"
#include "analysis/record/run.h"
#include "analysis/simulation/simulate.h"
#include "analysis/trace/trace_reader.h"
#include "memsearch/metric.h"

#define ARRAYS_MOST (1u << 22) /* with parts of ranges */

struct measuring {
	const struct requests_source *source;
	struct arena *arena; /* temporary */
	struct address_cuts cuts;
	struct run run;      /* a copy with divided arrays */
	const bool *counted; /* see struct count_result */
	enum ms_missing why; /* nothing was measured */
};

/* ------------------------------------------------------------------ cuts */

static int by_address(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* False: no memory, or too many. */
static bool cut(struct measuring *measuring, const struct ms_request *requests, size_t nr)
{
	uint64_t *at = arena_alloc(measuring->arena, (2 * nr + 1) * sizeof(*at));
	size_t kept = 0, arrays = measuring->source->run->nr_arrays;

	for (size_t i = 0; at && i < nr; i++) {
		at[2 * i] = requests[i].address_low;
		at[2 * i + 1] = requests[i].address_high;
	}
	if (!at)
		return false;
	sort(at, 2 * nr, sizeof(*at), by_address);
	for (size_t i = 0; i < 2 * nr; i++)
		if (!kept || at[i] != at[kept - 1])
			at[kept++] = at[i];
	measuring->cuts = (struct address_cuts){ at, kept, (uint32_t)arrays };
	return kept * (arrays + 1) <= ARRAYS_MOST;
}

/* ------------------------------------------------------------------ the copy */

/* NULL: no memory. */
static void *copy_of(struct arena *arena, const void *list, size_t bytes)
{
	void *copy = arena_alloc(arena, bytes + 1);

	if (copy && bytes)
		memcpy(copy, list, bytes);
	return copy;
}

#define COPY(arena, run, list) \
	((run)->room_##list = (run)->nr_##list, \
	 ((run)->list = copy_of(arena, (run)->list, (run)->nr_##list * sizeof(*(run)->list))) != \
		 NULL)

/* Copies the fields that counting and simulation change, except regions. */
static bool copy_values(struct arena *arena, struct run *run)
{
	return COPY(arena, run, measurements) && COPY(arena, run, missing) &&
	       COPY(arena, run, accesses) && COPY(arena, run, sharings);
}

const struct run *requests_before(struct arena *arena, const struct run *run)
{
	struct run *copy = arena_alloc(arena, sizeof(*copy));

	if (copy)
		*copy = *run;
	return copy && copy_values(arena, copy) ? copy : NULL;
}

/* One part per array and cut, and one per cut for memory in no array. */
static bool copy_arrays(struct measuring *measuring)
{
	const struct run *from = measuring->source->run;
	size_t each = from->nr_arrays + 1, nr = measuring->cuts.nr * each;
	struct run_array *arrays = arena_alloc(measuring->arena, (nr + 1) * sizeof(*arrays));

	for (size_t i = 0; arrays && i < nr; i++) {
		arrays[i] = i % each < from->nr_arrays ? from->arrays[i % each]
						       : (struct run_array){ .blocks = 0 };
		arrays[i].id = (uint32_t)i;
		arrays[i].whole = 0;
	}
	measuring->run.arrays = arrays;
	measuring->run.nr_arrays = measuring->run.room_arrays = nr;
	return arrays;
}

static bool copy_run(struct measuring *measuring)
{
	const struct run *from = measuring->source->run;
	struct run *run = &measuring->run;

	*run = *measuring->source->before;
	/* of loops and data structures, too, that counting found */
	run->regions = from->regions;
	run->nr_regions = from->nr_regions;
	return copy_values(measuring->arena, run) && COPY(measuring->arena, run, regions) &&
	       copy_arrays(measuring);
}

/* ------------------------------------------------------------------ measuring */

static bool is_simulated(uint32_t metric)
{
	return ms_metric_info(metric)->sensor == MS_SENSOR_SIMULATED;
}

static bool any_is_simulated(const struct ms_request *requests, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (is_simulated(requests[i].metric))
			return true;
	return false;
}

static enum ms_missing count_and_simulate(struct measuring *measuring, bool simulated)
{
	const struct requests_source *source = measuring->source;
	struct count_result counted = count_accesses(measuring->arena, &measuring->run,
						     source->reader);
	struct simulate_result result = { .status = SIMULATE_DONE };

	measuring->counted = counted.counted;
	if (counted.status != COUNT_DONE)
		return MS_MISSING_NO_RANGE;
	if (simulated)
		result = simulate(measuring->arena, &measuring->run, source->reader, source->model,
				  source->placement,
				  &(struct simulate_how){ .deadline_ns = source->deadline_ns,
							  .jobs = source->jobs });
	return result.status == SIMULATE_DONE   ? MS_PRESENT
	       : result.status == SIMULATE_LATE ? MS_MISSING_BUDGET
						: MS_MISSING_NO_RANGE;
}

static enum ms_missing measure_all(struct measuring *measuring, const struct ms_request *requests,
				   size_t nr)
{
	const struct requests_source *source = measuring->source;
	enum ms_missing why;

	if (source->deadline_ns && thread_clock_ns() >= source->deadline_ns)
		return MS_MISSING_BUDGET;
	if (!trace_reader_executions(source->reader) || !cut(measuring, requests, nr) ||
	    !copy_run(measuring))
		return MS_MISSING_NO_RANGE;
	trace_reader_cut(source->reader, &measuring->cuts);
	why = count_and_simulate(measuring, any_is_simulated(requests, nr));
	trace_reader_cut(source->reader, &(struct address_cuts){ .nr = 0 });
	return why;
}

/* ------------------------------------------------------------------ answers */

static bool is_construct(const struct run_region *region)
{
	return !ms_region_kind_is_part(region->kind);
}

static uint32_t construct_of(const struct run *run, uint32_t region)
{
	while (!is_construct(&run->regions[region]) &&
	       run->regions[region].parent < run->nr_regions)
		region = run->regions[region].parent;
	return region;
}

/* The value of the phase is the sum of its parts (simulate.c). */
static bool is_in_phase(const struct run *run, uint32_t region)
{
	for (; region < run->nr_regions; region = run->regions[region].parent)
		if (run->regions[region].parent == MS_REGION_USER &&
		    (run->regions[region].kind == MS_PARALLEL_REGION ||
		     run->regions[region].kind == MS_SERIAL_REGION))
			return true;
	return false;
}

/*
 * Whether a value of one array in the construct or loop `parent` is part of the value of `region`:
 * simulated ones are of all inside of it, too, as counters' are.
 */
static bool is_part_of(const struct run *run, uint32_t parent, uint32_t region, bool simulated)
{
	if (parent == region || !is_construct(&run->regions[parent]) ||
	    !is_construct(&run->regions[region]))
		return parent == region;
	if (region == MS_REGION_USER)
		return !simulated || is_in_phase(run, parent);
	return simulated && run_is_inside(run, parent, region);
}

static bool is_in_range(const struct measuring *measuring, const struct ms_request *request,
			uint32_t number)
{
	const struct address_cuts *cuts = &measuring->cuts;
	const struct run_region *region = &measuring->run.regions[request->region];
	size_t at;
	uint32_t array = address_cuts_array(cuts, number, &at);

	if (!at || at >= cuts->nr || cuts->at[at - 1] < request->address_low ||
	    cuts->at[at] > request->address_high)
		return false;
	return region->kind != MS_DATA_STRUCTURE || array == run_region_array(region);
}

static bool is_of(const struct measuring *measuring, const struct ms_request *request,
		  const struct ms_measurement *row)
{
	const struct run *run = &measuring->run;
	const struct run_region *of = row->region < run->nr_regions ? &run->regions[row->region]
								    : NULL;
	uint32_t region = request->region;

	if (!of || row->metric != request->metric || of->kind != MS_DATA_STRUCTURE ||
	    (request->thread != MS_REQUEST_ALL_THREADS && row->thread != request->thread))
		return false;
	if (run->regions[region].kind == MS_DATA_STRUCTURE)
		region = run->regions[region].parent;
	return is_part_of(run, of->parent, region, is_simulated(request->metric)) &&
	       is_in_range(measuring, request, run_region_array(of));
}

/* Whether the trace has all of its recorded accesses. */
static bool is_traced(const struct measuring *measuring, uint32_t region)
{
	const struct run *run = measuring->source->run;

	if (region != MS_REGION_USER)
		return measuring->counted[construct_of(run, region)];
	for (size_t i = 0; i < run->nr_measurements; i++) {
		uint32_t other = run->measurements[i].row.region;

		if (run->measurements[i].row.metric == MS_METRIC_READS && other != MS_REGION_USER &&
		    other < run->nr_regions && is_construct(&run->regions[other]) &&
		    !measuring->counted[other])
			return false;
	}
	return true;
}

static struct ms_reading answer(const struct measuring *measuring, const struct ms_request *request)
{
	struct ms_reading reading = { .rung = ms_metric_info(request->metric)->rung,
				      .missing = measuring->why };

	if (reading.missing == MS_PRESENT && request->region >= measuring->source->run->nr_regions)
		reading.missing = MS_MISSING_NO_RANGE;
	if (reading.missing == MS_PRESENT && !is_simulated(request->metric) &&
	    !is_traced(measuring, request->region))
		reading.missing = MS_MISSING_NOT_RECORDED;
	for (size_t i = 0; reading.missing == MS_PRESENT && i < measuring->run.nr_measurements;
	     i++) {
		const struct run_measurement *row = &measuring->run.measurements[i];

		if (is_of(measuring, request, &row->row))
			reading.value += row->row.stat.sum /
					 (double)(row->phases ? row->phases : 1);
	}
	return reading;
}

void requests_measure(void *source, const struct ms_request *requests, size_t nr,
		      struct ms_reading *out)
{
	struct measuring measuring = { .source = source,
				       .arena = arena_new(),
				       .why = MS_MISSING_NO_RANGE };

	if (measuring.arena)
		measuring.why = measure_all(&measuring, requests, nr);
	for (size_t i = 0; i < nr; i++)
		out[i] = answer(&measuring, &requests[i]);
	if (measuring.arena)
		arena_free(measuring.arena);
}

/* ------------------------------------------------------------------ memory */

static int by_low(const void *a, const void *b)
{
	return by_address(&((const struct traced_range *)a)->start,
			  &((const struct traced_range *)b)->start);
}

size_t requests_memory(void *source, uint32_t region, struct ms_address_range *out, size_t room)
{
	const struct requests_source *of = source;
	uint32_t array = region < of->run->nr_regions ? run_region_array(&of->run->regions[region])
						      : UINT32_MAX;
	struct arena *arena = arena_new();
	size_t nr = trace_reader_blocks_of(of->reader, array, NULL, 0), reader = 0;
	struct traced_range *blocks = arena ? arena_alloc(arena, (nr + 1) * sizeof(*blocks)) : NULL;

	nr = blocks ? trace_reader_blocks_of(of->reader, array, blocks, nr) : 0;
	sort(blocks, nr, sizeof(*blocks), by_low);
	for (size_t i = 0; i < nr; i++) {
		if (i && !memcmp(&blocks[i], &blocks[i - 1], sizeof(*blocks)))
			continue; /* the same in another execution */
		if (reader < room)
			out[reader] = (struct ms_address_range){ blocks[i].start, blocks[i].end };
		reader++;
	}
	if (arena)
		arena_free(arena);
	return reader;
}
