/* SPDX-License-Identifier: Apache-2.0 */
/* What kept traces amount to, against what was put into them. */
#include "analysis/counting/burst_times.h"
#include "analysis/counting/count.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/machine/model.h"
#include "analysis/simulation/placement.h"
#include "analysis/simulation/range_requests.h"
#include "analysis/simulation/simulate.h"
#include "analysis/trace/trace_reader.h"
#include "analysis/trace/trace_writer.h"
#include "analysis/trace/record_rows.h"
#include "memsearch/region.h"
#include "tests/unit/pick.h"
#include "tests/unit/test.h"

#define THREADS 2
#define PIECES 16
#define READS 100 /* of `a`, by each thread, side by side */
#define WRITES 50 /* of `b`, a word of one line for each thread */
#define A 0x100000u
#define B 0x200000u
#define CODE 0x1000u
#define CALLEE 0x2000u
enum { USER, PARALLEL, DO, REGIONS }; /* that the run begins with */
enum { OUTER = 1, INNER, CALLED };    /* loops, and a function */

static uint32_t reads, writes; /* stretches */
static bool calls;             /* `b` is written in a function, not in the inner loop */
static bool adds;              /* `b` is read by the instruction that writes it */

static uint32_t stretch_of(uint64_t address, uint32_t loop, bool write)
{
	const struct record_site site = { .address = address,
					  .size = 8,
					  .loop = loop,
					  .access = CODE_ACCESS_PLAIN,
					  .base_word = 1,
					  .read = !write || adds,
					  .write = write };
	const struct record_stretch row = { .first_site = record_rows_add_site(&site),
					    .nr_sites = 1,
					    .words = 1 };

	return record_rows_add_stretch(&row);
}

/* ------------------------------------------------------------------ what is recorded */

static void each_block(void *ctx, void (*visit)(void *of, const struct blocks_row *row), void *of)
{
	(void)ctx;
	visit(of, &(struct blocks_row){ A, 4096, 1, BLOCKS_LIVE, 0 });
	visit(of, &(struct blocks_row){ B, 4096, 2, BLOCKS_LIVE, 1 });
}

static bool loop_of(void *ctx, uint32_t number, struct traced_loop *out)
{
	(void)ctx;
	if (number == CALLED && calls) {
		*out = (struct traced_loop){ .header = CALLEE,
					     .function = CALLEE,
					     .code = { CALLEE, CALLEE + 0x100 },
					     .joined = CALLED,
					     .is_function = true,
					     .nr_blocks = 1 };
		return true;
	}
	*out = (struct traced_loop){ .header = CODE + number,
				     .function = CODE,
				     .code = { CODE, CODE + 0x100 },
				     .joined = number,
				     .joined_parent = number - 1,
				     .nr_blocks = 1 };
	return number <= INNER;
}

static struct traced_range block_of(void *ctx, uint32_t loop, uint32_t block)
{
	(void)ctx, (void)block;
	if (loop == CALLED)
		return (struct traced_range){ CALLEE, CALLEE + 0x100 };
	return (struct traced_range){ CODE + 0x10 * loop, CODE + 0x10 * (loop + 1) };
}

/* The loop is work-shared in the parallel region's body. */
static bool region_of(void *ctx, uint32_t id, struct traced_construct *out)
{
	static const uint64_t body = CODE;

	(void)ctx;
	*out = (struct traced_construct){ .id = id,
					  .asked = true,
					  .construct = 0x9000 + id,
					  .nr_bodies = id == PARALLEL,
					  .bodies = &body };
	return id < REGIONS;
}

static void record(struct trace_stream *stream, uint32_t thread, bool ends)
{
	const struct trace_construct loop = {
		.region = DO, .depth = 1, .team = 7, .threads = THREADS
	};
	uint64_t b = B + 8 * thread;

	trace_stream_team(stream, 7, thread);
	trace_stream_begin_construct(stream, &loop);
	trace_stream_part(stream, DO, 3, 3);
	trace_stream_again(stream, (uint64_t[]){ reads, A, reads, A + 8 }, 2, READS - 1);
	trace_stream_words(stream, (uint64_t[]){ reads, A + 8 * (READS - 1) }, 2);
	trace_stream_again(stream, (uint64_t[]){ writes, b, writes, b }, 2, WRITES);
	if (ends)
		trace_stream_end_construct(stream, &loop, 1, false);
	trace_stream_team_end(stream);
}

/*
 * One execution inside of a parallel region that spans executions. A thread whose part of it is that
 * of the execution, or which closes its part in the middle, after a number of pieces.
 */
static void record_spanning(struct trace_stream *stream, bool whole, unsigned int pieces,
			    uint32_t phases)
{
	const struct trace_construct region = {
		.region = PARALLEL, .depth = 0, .team = 7, .threads = THREADS
	};

	trace_stream_team(stream, 7, !whole);
	if (whole)
		trace_stream_begin_construct(stream, &region);
	trace_stream_part(stream, PARALLEL, 3, 3);
	for (unsigned int i = 0; i <= pieces; i++) {
		trace_stream_again(stream, (uint64_t[]){ reads, A, reads, A + 8 }, 2, READS - 1);
		trace_stream_words(stream, (uint64_t[]){ reads, A + 8 * (READS - 1) }, 2);
		trace_stream_end_construct(stream, &region, i == pieces ? phases : 0, false);
		if (!whole || i < pieces)
			trace_stream_begin_construct(stream, &region);
	}
	if (!whole)
		trace_stream_words(stream, (uint64_t[]){ reads, A, reads, A + 8 }, 4);
}

struct pieces {
	struct {
		uint8_t *bytes;
		size_t nr;
	} of[64];
	size_t nr;
};

static bool take(void *ctx, const uint8_t *bytes, size_t nr)
{
	struct pieces *pieces = ctx;

	CHECK_THAT(pieces->nr, <, 64);
	pieces->of[pieces->nr].bytes = malloc(nr);
	test_at_end(free, pieces->of[pieces->nr].bytes);
	memcpy(pieces->of[pieces->nr].bytes, bytes, nr);
	pieces->of[pieces->nr++].nr = nr;
	return true;
}

static const uint64_t
	*burst_ns;             /* by execution: thread-time of its bursts, 0 or NULL: it has none */
static unsigned int times = 1; /* that each thread executes the loop in an execution */
static uint32_t grouped;       /* executions of the phase that each kept one is; 0: 1 … */
static uint32_t grouped_last;  /* … and that the last one is; 0: the same */

/* Executions, of which the begin is kept where accesses are lost. */
static void keep(struct pieces *pieces, const uint64_t *lost, size_t nr, bool ends)
{
	struct trace_writer writer = { .buffer.arena = arena_new(), .write = take, .ctx = pieces };
	struct trace_streams *streams = trace_streams_new(THREADS, PIECES);
	struct trace_writer_facts facts = { .each_block = each_block,
					    .loop = loop_of,
					    .block = block_of,
					    .region = region_of,
					    .loops = INNER + calls,
					    .joined = INNER + calls };
	struct traced_burst burst = { .region = PARALLEL };

	CHECK(streams != NULL);
	reads = stretch_of(CODE + 0x15, OUTER, false);
	writes = calls ? stretch_of(CALLEE + 0x25, CALLED, true)
		       : stretch_of(CODE + 0x25, INNER, true);
	for (size_t i = 0; i < nr; i++) {
		facts.execution.lost = lost[i];
		facts.execution.phases = grouped_last && i + 1 == nr ? grouped_last : grouped;
		facts.execution.nr_bursts = burst_ns && burst_ns[i] ? 1 : 0;
		burst.ns = burst_ns ? burst_ns[i] : 0;
		facts.execution.bursts = &burst;
		for (uint32_t thread = 0; thread < THREADS; thread++) {
			struct trace_stream *stream = trace_stream_begin(streams, thread);

			for (unsigned int j = 0; j < times; j++)
				record(stream, thread, ends || !thread);
		}
		CHECK(trace_writer_put(&writer, streams, &facts));
		trace_streams_clear(streams);
	}
	trace_streams_free(streams);
}

/* ------------------------------------------------------------------ the run */

static struct run_region regions[REGIONS] = {
	{ .id = USER, .parent = MS_REGION_NONE, .kind = MS_USER_REGION },
	{ .id = PARALLEL,
	  .parent = USER,
	  .kind = MS_PARALLEL_REGION,
	  .construct = { UINT32_MAX, 0x9001 } },
	{ .id = DO, .parent = PARALLEL, .kind = MS_DO_REGION, .construct = { UINT32_MAX, 0x9002 } },
};
static struct run_array arrays[2] = { { .id = 0, .name = "a" }, { .id = 1, .name = "b" } };

static struct run new_run(void)
{
	return (struct run){ .regions = regions,
			     .nr_regions = REGIONS,
			     .room_regions = REGIONS,
			     .arrays = arrays,
			     .nr_arrays = 2,
			     .phase = { .executions = 10, .wall_ns = 1000 } };
}

static struct count_result count(struct run *run, const struct pieces *pieces)
{
	struct arena *arena = arena_new();
	struct trace_reader *reader = trace_reader_new(arena);
	struct count_result result;

	for (size_t i = 0; i < pieces->nr; i++)
		trace_reader_add(reader, pieces->of[i].bytes, pieces->of[i].nr);
	result = count_accesses(arena, run, reader);
	trace_reader_free(reader);
	return result;
}

static uint32_t below(const struct run *run, uint32_t parent, enum ms_region_kind kind,
		      uint64_t offset)
{
	for (uint32_t id = 0; id < run->nr_regions; id++)
		if (run->regions[id].parent == parent && run->regions[id].kind == kind &&
		    run->regions[id].construct.offset == offset)
			return id;
	return MS_REGION_NONE;
}

/* Of all threads; -1: there is no row. */
static double thread_sum_of(const struct run *run, uint32_t region, uint32_t thread,
			    enum ms_metric metric)
{
	double sum = -1;

	for (size_t i = 0; i < run->nr_measurements; i++)
		if (run->measurements[i].row.region == region &&
		    run->measurements[i].row.metric == metric &&
		    (thread == UINT32_MAX || run->measurements[i].row.thread == thread))
			sum = (sum < 0 ? 0 : sum) + run->measurements[i].row.stat.sum;
	return sum;
}

static double sum_of(const struct run *run, uint32_t region, enum ms_metric metric)
{
	return thread_sum_of(run, region, UINT32_MAX, metric);
}

static uint64_t phases_of(const struct run *run, uint32_t region)
{
	for (size_t i = 0; i < run->nr_measurements; i++)
		if (run->measurements[i].row.region == region)
			return run->measurements[i].phases;
	return 0;
}

/* ------------------------------------------------------------------ tests */

TEST(count__by_region_loop_array_and_thread)
{
	struct pieces pieces = { .nr = 0 };
	struct run run = new_run();
	uint32_t a, loop, b;

	keep(&pieces, (uint64_t[]){ 0, 0 }, 2, true);
	CHECK_INT(count(&run, &pieces).status, COUNT_DONE);
	a = below(&run, DO, MS_DATA_STRUCTURE, 1);
	loop = below(&run, DO, MS_LOOP_REGION, CODE + INNER);
	b = below(&run, loop, MS_DATA_STRUCTURE, 2);
	CHECK(a != MS_REGION_NONE && loop != MS_REGION_NONE && b != MS_REGION_NONE);
	/* it is the construct's own */
	CHECK_THAT(below(&run, DO, MS_LOOP_REGION, CODE + OUTER), ==, MS_REGION_NONE);
	CHECK(sum_of(&run, DO, MS_METRIC_READS) == 2 * THREADS * READS && phases_of(&run, DO) == 2);
	CHECK(sum_of(&run, a, MS_METRIC_READS) == 2 * THREADS * READS && phases_of(&run, a) == 2);
	CHECK_THAT(sum_of(&run, a, MS_METRIC_READ_BYTES), ==, 2 * THREADS * READS * 8);
	CHECK(sum_of(&run, loop, MS_METRIC_WRITES) == 2 * THREADS * WRITES &&
	      sum_of(&run, b, MS_METRIC_WRITES) == 2 * THREADS * WRITES);
	CHECK(sum_of(&run, USER, MS_METRIC_READS) == 2 * THREADS * READS &&
	      sum_of(&run, USER, MS_METRIC_WRITES) == 2 * THREADS * WRITES);
	CHECK_THAT(sum_of(&run, PARALLEL, MS_METRIC_READS), <, 0);
}

static void keep_spanning(struct pieces *pieces, unsigned int cuts, uint64_t lost, uint32_t phases)
{
	struct trace_writer writer = { .buffer.arena = arena_new(), .write = take, .ctx = pieces };
	struct trace_streams *streams = trace_streams_new(THREADS, PIECES);
	struct trace_writer_facts facts = { .each_block = each_block,
					    .loop = loop_of,
					    .block = block_of,
					    .region = region_of,
					    .loops = INNER,
					    .joined = INNER,
					    .execution = { .phases = phases, .lost = lost } };

	reads = stretch_of(CODE + 0x15, OUTER, false);
	for (uint32_t thread = 0; thread < THREADS; thread++)
		record_spanning(trace_stream_begin(streams, thread), !thread, cuts, phases);
	CHECK(trace_writer_put(&writer, streams, &facts));
	trace_streams_free(streams);
}

/* From boundary to boundary, wherever a thread closes its part: two words come after that. */
TEST(count__regions_that_span_executions)
{
	for (unsigned int cuts = 0; cuts < 3; cuts++) {
		struct pieces pieces = { .nr = 0 };
		struct run run = new_run();

		keep_spanning(&pieces, cuts, 0, 4);
		CHECK_INT(count(&run, &pieces).status, COUNT_DONE);
		CHECK_THAT(sum_of(&run, PARALLEL, MS_METRIC_READS), ==,
			   THREADS * (cuts + 1) * READS + 2);
		CHECK_INT(phases_of(&run, PARALLEL), 4);
		CHECK_INT(run.nr_accesses, 1);
		CHECK_THAT(run.accesses[0].reads, ==, THREADS * (cuts + 1) * READS + 2);
		CHECK_THAT(run_access_executions(&run.accesses[0]), ==, 4);
	}
}

/* Where only the begin of such an execution is stored, both threads' counts are scaled. */
TEST(count__the_begin_of_a_spanning_execution_is_scaled)
{
	struct run_measurement known[] = { { .row = { .region = PARALLEL,
						      .metric = MS_METRIC_READS,
						      .stat = { .count = 2, .sum = 10100 } },
					     .phases = 1 } };
	struct pieces pieces = { .nr = 0 };
	struct run run = new_run();

	run.measurements = known;
	run.nr_measurements = run.room_measurements = 1;
	keep_spanning(&pieces, 0, 5, 1);
	CHECK_INT(count(&run, &pieces).status, COUNT_DONE);
	CHECK_THAT(sum_of(&run, PARALLEL, MS_METRIC_READS), ==, 10100);
}

/* A called function is a region around its loops, with what it does to arrays. */
TEST(count__called_functions)
{
	struct pieces pieces = { .nr = 0 };
	struct run run = new_run();
	uint32_t function, b;

	calls = true;
	keep(&pieces, (uint64_t[]){ 0, 0 }, 2, true);
	CHECK_INT(count(&run, &pieces).status, COUNT_DONE);
	function = below(&run, DO, MS_SUB_REGION, CALLEE);
	b = below(&run, function, MS_DATA_STRUCTURE, 2);
	CHECK(function != MS_REGION_NONE && b != MS_REGION_NONE);
	CHECK(sum_of(&run, function, MS_METRIC_WRITES) == 2 * THREADS * WRITES &&
	      sum_of(&run, function, MS_METRIC_READS) == 0 && phases_of(&run, function) == 2);
	CHECK_THAT(sum_of(&run, b, MS_METRIC_WRITES), ==, 2 * THREADS * WRITES);
	CHECK_THAT(sum_of(&run, below(&run, DO, MS_DATA_STRUCTURE, 2), MS_METRIC_WRITES), ==,
		   2 * THREADS * WRITES);
	/* of the construct alone */
	CHECK_THAT(sum_of(&run, b, MS_METRIC_FALSELY_SHARED), <, 0);
	CHECK_THAT(sum_of(&run, USER, MS_METRIC_WRITES), ==, 2 * THREADS * WRITES);
	CHECK(run.nr_accesses == 2 && run.accesses[1].array == 1 && run.accesses[1].region == DO &&
	      run.accesses[1].loop == function);
}

TEST(count__lines_and_instructions)
{
	struct pieces pieces = { .nr = 0 };
	struct run run = new_run();
	const struct run_sharing *shared;
	uint32_t b;

	keep(&pieces, (uint64_t[]){ 0 }, 1, true);
	CHECK_INT(count(&run, &pieces).status, COUNT_DONE);
	b = below(&run, DO, MS_DATA_STRUCTURE, 2);
	CHECK_THAT(sum_of(&run, DO, MS_METRIC_TOUCHED_LINES), ==, READS * 8 / 64 + 2);
	CHECK(sum_of(&run, DO, MS_METRIC_FALSELY_SHARED) == THREADS * WRITES &&
	      sum_of(&run, b, MS_METRIC_FALSELY_SHARED) == THREADS * WRITES);
	CHECK_INT(run.nr_sharings, 2);
	shared = &run.sharings[run.sharings[1].array == 1];
	CHECK(shared->array == 1 && shared->region == DO && shared->lines == 1 &&
	      shared->threads == THREADS && shared->executions == 1);
	CHECK_INT(run.nr_accesses, 2);
	CHECK(run.accesses[0].array == 0 && run.accesses[0].reads == THREADS * READS &&
	      run.accesses[0].stride == 8 && run.accesses[0].threads == THREADS);
	CHECK(run.accesses[0].region == DO && run.accesses[0].loop == DO &&
	      run.accesses[0].address.offset == CODE + 0x15);
	CHECK(run.accesses[1].array == 1 && run.accesses[1].writes == THREADS * WRITES &&
	      run.regions[run.accesses[1].loop].kind == MS_LOOP_REGION);
}

/* A thread whose end was not seen: nothing is known of the construct's lines. */
TEST(count__lines_of_some_threads_are_not_compared)
{
	struct pieces pieces = { .nr = 0 };
	struct run run = new_run();
	struct count_result result;

	keep(&pieces, (uint64_t[]){ 0 }, 1, false);
	result = count(&run, &pieces);
	CHECK_INT(result.not_compared, 1);
	CHECK(sum_of(&run, DO, MS_METRIC_TOUCHED_LINES) < 0 && !run.nr_sharings);
	CHECK_THAT(sum_of(&run, DO, MS_METRIC_READS), ==, READS);
}

/* What the run had no time to mark. */
static struct run unmarked_run(void)
{
	static struct run_missing missing[2];
	struct run run = new_run();

	missing[0] = (struct run_missing){ DO, MS_METRIC_TOUCHED_LINES, MS_MISSING_UNCOVERED };
	missing[1] = (struct run_missing){ DO, MS_METRIC_CYCLES, MS_MISSING_UNSUPPORTED };
	run.missing = missing;
	run.nr_missing = run.room_missing = 2;
	return run;
}

TEST(count__what_is_counted_now_is_not_missing)
{
	struct pieces whole = { .nr = 0 }, part = { .nr = 0 };
	struct run run = unmarked_run();

	keep(&whole, (uint64_t[]){ 0 }, 1, true);
	CHECK_INT(count(&run, &whole).status, COUNT_DONE);
	CHECK_THAT(sum_of(&run, DO, MS_METRIC_TOUCHED_LINES), >, 0);
	CHECK(run.nr_missing == 1 && run.missing[0].metric == MS_METRIC_CYCLES);

	run = unmarked_run();
	keep(&part, (uint64_t[]){ 0 }, 1, false);
	CHECK_INT(count(&run, &part).not_compared, 1);
	CHECK_INT(run.nr_missing, 2);
}

/* By what was counted while the program ran; whole executions are better. */
TEST(count__the_begin_of_an_execution_is_scaled)
{
	struct run_measurement known[] = {
		{ .row = { .region = DO,
			   .thread = 0,
			   .metric = MS_METRIC_READS,
			   .stat = { .count = 8, .sum = 8000 } },
		  .phases = 2 },
		{ .row = { .region = DO,
			   .thread = 1,
			   .metric = MS_METRIC_WRITES,
			   .stat = { .count = 8, .sum = 4000 } },
		  .phases = 2 },
	};
	struct pieces pieces = { .nr = 0 };
	struct run run = new_run();

	run.measurements = known;
	run.nr_measurements = run.room_measurements = 2;
	keep(&pieces, (uint64_t[]){ 5 }, 1, true);
	CHECK_INT(count(&run, &pieces).status, COUNT_DONE);
	CHECK(sum_of(&run, DO, MS_METRIC_READS) == 4000 &&
	      sum_of(&run, DO, MS_METRIC_WRITES) == 2000);
	CHECK(phases_of(&run, DO) == 1 && run.measurements[0].row.stat.count == 4);
	CHECK_THAT(sum_of(&run, DO, MS_METRIC_TOUCHED_LINES), <, 0);
	run = new_run();
	pieces.nr = 0;
	keep(&pieces, (uint64_t[]){ 5, 0 }, 2, true);
	CHECK_INT(count(&run, &pieces).status, COUNT_DONE);
	CHECK(sum_of(&run, DO, MS_METRIC_READS) == THREADS * READS && phases_of(&run, DO) == 1);
}

/* What the run counted in part is exact now, or is not. */
TEST(count__what_is_counted_from_whole_executions)
{
	struct run_measurement known[] = { { .row = { .region = DO,
						      .metric = MS_METRIC_READS,
						      .stat = { .count = 8, .sum = 8000 } },
					     .phases = 2 } };
	struct run_dropped dropped[] = { { .what = "a part", .why = RUN_COUNTED_IN_PART },
					 { .what = "lines", .why = RUN_LINES_IN_PART },
					 { .what = "more" } };
	struct run run;

	for (uint64_t lost = 0; lost < 10; lost += 5)
		for (int ends = 0; ends < 2; ends++) {
			struct pieces pieces = { .nr = 0 };

			run = new_run();
			run.measurements = known;
			run.nr_measurements = run.room_measurements = 1;
			keep(&pieces, &lost, 1, ends);
			CHECK_INT(count(&run, &pieces).whole, !lost && ends);
		}
	run.dropped = dropped;
	run.nr_dropped = 3;
	run_forget_dropped(&run, RUN_COUNTED_IN_PART);
	CHECK_INT(run.nr_dropped, 2);
	CHECK_STR(run.dropped[0].what, "lines");
	run_forget_dropped(&run, RUN_LINES_IN_PART);
	CHECK_INT(run.nr_dropped, 1);
	CHECK_STR(run.dropped[0].what, "more");
}

/*
 * Both threads recorded as much, of which one stored nearly all, the other nearly nothing: it is
 * not more accesses.
 */
TEST(count__the_begins_of_threads_are_scaled_by_what_each_recorded)
{
	struct run_measurement known[] = {
		{ .row = { .region = PARALLEL,
			   .thread = 0,
			   .metric = MS_METRIC_READS,
			   .stat = { .count = 2, .sum = 10100 } },
		  .phases = 1 },
		{ .row = { .region = PARALLEL,
			   .thread = 1,
			   .metric = MS_METRIC_READS,
			   .stat = { .count = 2, .sum = 20200 } },
		  .phases = 1 },
	};
	struct pieces pieces = { .nr = 0 };
	struct run run = new_run();

	run.measurements = known;
	run.nr_measurements = run.room_measurements = 2;
	keep_spanning(&pieces, 0, 5, 1);
	CHECK_INT(count(&run, &pieces).status, COUNT_DONE);
	for (uint32_t thread = 0; thread < THREADS; thread++)
		CHECK_THAT(thread_sum_of(&run, PARALLEL, thread, MS_METRIC_READS), ==,
			   thread ? 20200 : 10100);
}

static const struct machine_model model = {
	.name = "test",
	.source = "",
	.cores = THREADS,
	.nodes = 1,
	.hz = 1e9,
	.page = 4096,
	.memory_latency = 200,
	.transfer_latency = 60,
	.cache = { { .bytes = 512, .ways = 2, .line = 64, .cores = 1, .latency = 4 } },
};

static void simulate_parts(struct run *run, const struct pieces *pieces,
			   const struct array_parts *parts)
{
	struct arena *arena = arena_new();
	struct trace_reader *reader = trace_reader_new(arena);

	for (size_t i = 0; i < pieces->nr; i++)
		trace_reader_add(reader, pieces->of[i].bytes, pieces->of[i].nr);
	trace_reader_divide(reader, parts);
	CHECK_INT(simulate(arena, run, reader, &model,
			   &(struct placement){ .threads = simulate_threads(reader) },
			   &(struct simulate_how){ .jobs = 1 })
			  .status,
		  SIMULATE_DONE);
	trace_reader_free(reader);
}

/* An access that does both is one of the modelled machine's, and two of the run's. */
TEST(count__the_begin_of_an_execution_that_reads_and_writes_is_scaled)
{
	struct run_measurement known[] = {
		{ .row = { .region = DO,
			   .metric = MS_METRIC_READS,
			   .stat = { .count = 4, .sum = 10 * THREADS * (READS + WRITES) } },
		  .phases = 1 },
		{ .row = { .region = DO,
			   .metric = MS_METRIC_WRITES,
			   .stat = { .count = 4, .sum = 10 * THREADS * WRITES } },
		  .phases = 1 },
	};
	struct pieces pieces = { .nr = 0 };
	struct run run = new_run();

	run.measurements = known;
	run.nr_measurements = run.room_measurements = 2;
	adds = true;
	keep(&pieces, (uint64_t[]){ 5 }, 1, true);
	adds = false;
	simulate_parts(&run, &pieces, &(struct array_parts){ NULL, 0 });
	CHECK_THAT(sum_of(&run, DO, MS_METRIC_SIM_LOADS), ==, 10 * THREADS * READS);
	CHECK_THAT(sum_of(&run, DO, MS_METRIC_SIM_STORES), ==, 10 * THREADS * WRITES);
}

static enum ms_missing missing_of(const struct run *run, uint32_t region, enum ms_metric metric)
{
	for (size_t i = 0; i < run->nr_missing; i++)
		if (run->missing[i].metric == metric &&
		    (run->missing[i].region == region || run->missing[i].region == MS_REGION_NONE))
			return run->missing[i].why;
	return MS_PRESENT;
}

/*
 * A run without a phase, of 4000 ns, 3000 of which were watched: 6000 ns of thread-time in the
 * region. In three executions of it bursts took `ns`.
 */
static struct run bursts_run(struct pieces *pieces, const uint64_t ns[3])
{
	static struct run_measurement known[2];
	static struct run_missing missing[2];
	struct run run = new_run();

	known[0] = (struct run_measurement){ .row = { .region = PARALLEL,
						      .thread = 0,
						      .metric = MS_METRIC_TIME,
						      .stat = { .count = 6, .sum = 3000 } },
					     .phases = 3,
					     .observed_ns = 3000 };
	known[1] = known[0];
	known[1].row.thread = 1;
	known[1].row.stat.sum = 1500;
	missing[0] = (struct run_missing){ MS_REGION_NONE, MS_METRIC_READS, MS_MISSING_NO_PHASE };
	missing[1] = (struct run_missing){ MS_REGION_NONE, MS_METRIC_TIME, MS_MISSING_NO_PHASE };
	run.phase.executions = 0;
	run.cost.program_wall_ns = 4000;
	run.measurements = known;
	run.nr_measurements = run.room_measurements = 2;
	run.missing = missing;
	run.nr_missing = run.room_missing = 2;
	burst_ns = ns;
	times = 2;
	keep(pieces, (uint64_t[]){ 0, 0, 0 }, 3, false);
	burst_ns = NULL;
	times = 1;
	return run;
}

/*
 * The first execution waited for pages. What bursts have of a construct without an end counts: in the
 * other executions each thread had two.
 */
TEST(count__bursts_are_scaled_by_time)
{
	static const struct {
		uint64_t ns[3];
		double loops; /* of each thread */
		enum run_basis basis;
	} rows[] = { { { 5000, 500, 1000 }, 4 * 6000 / 1500.0, RUN_BASIS_MIXED },
		     /* two halves are not a whole */
		     { { 5000, 3000, 3000 }, 4, RUN_BASIS_MIXED },
		     { { 5000, 6000, 6000 }, 4 * 6000 / 12000.0, RUN_BASIS_BURSTS } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pieces pieces = { .nr = 0 };
		struct run run = bursts_run(&pieces, rows[i].ns);
		double loops = rows[i].loops * THREADS;

		CHECK_INT(count(&run, &pieces).status, COUNT_DONE);
		CHECK(sum_of(&run, DO, MS_METRIC_READS) == loops * READS &&
		      sum_of(&run, DO, MS_METRIC_WRITES) == loops * WRITES);
		CHECK_THAT(sum_of(&run, USER, MS_METRIC_READS), ==, loops * READS);
		CHECK_THAT(sum_of(&run, below(&run, DO, MS_DATA_STRUCTURE, 1), MS_METRIC_READS), ==,
			   loops * READS);
		simulate_parts(&run, &pieces, &(struct array_parts){ NULL, 0 });
		CHECK(sum_of(&run, DO, MS_METRIC_SIM_LOADS) == loops * READS &&
		      sum_of(&run, DO, MS_METRIC_SIM_STORES) == loops * WRITES);
		CHECK_INT(run.modelled.basis, rows[i].basis);
	}
}

#define MS UINT64_C(1000000) /* in ns */

/* Two bursts of 1 ms; the second begins after 10 ms. */
static void record_late(struct trace_stream *stream, uint32_t thread)
{
	uint64_t b = B + 8 * thread, begin_ns = 7 * MS + thread;

	trace_stream_team(stream, 7, thread);
	trace_stream_burst(stream, begin_ns, MS / 2);
	trace_stream_part(stream, PARALLEL, 3, 3);
	trace_stream_again(stream, (uint64_t[]){ reads, A, reads, A + 8 }, 2, READS / 2);
	trace_stream_burst(stream, begin_ns, MS / 2);
	trace_stream_part(stream, PARALLEL, 3, 3);
	trace_stream_again(stream, (uint64_t[]){ reads, A + 4 * READS, reads, A + 4 * READS + 8 },
			   2, READS / 2);
	trace_stream_burst(stream, begin_ns + 10 * MS, MS);
	trace_stream_part(stream, PARALLEL, 3, 3);
	trace_stream_again(stream, (uint64_t[]){ writes, b, writes, b }, 2, WRITES);
}

/* A parallel region of 100 ms, in executions of which the first one is recorded. */
static struct run late_run(struct pieces *pieces, uint64_t executions)
{
	static struct run_measurement known[THREADS];
	struct trace_writer writer = { .buffer.arena = arena_new(), .write = take, .ctx = pieces };
	struct trace_streams *streams = trace_streams_new(THREADS, PIECES);
	const struct traced_burst burst = { .region = PARALLEL, .ns = THREADS * 2 * MS };
	struct trace_writer_facts facts = { .each_block = each_block,
					    .loop = loop_of,
					    .block = block_of,
					    .region = region_of,
					    .loops = INNER,
					    .joined = INNER,
					    .execution = { .nr_bursts = 1, .bursts = &burst } };
	struct run run = new_run();

	reads = stretch_of(CODE + 0x15, OUTER, false);
	writes = stretch_of(CODE + 0x25, INNER, true);
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		record_late(trace_stream_begin(streams, thread), thread);
		known[thread] = (struct run_measurement){
			.row = { .region = PARALLEL,
				 .thread = thread,
				 .metric = MS_METRIC_TIME,
				 .stat = { .count = executions,
					   .sum = (double)(100 * MS * executions) } },
			.phases = 1,
			.observed_ns = (double)(100 * MS)
		};
	}
	CHECK(trace_writer_put(&writer, streams, &facts));
	trace_streams_free(streams);
	run.phase.executions = 0;
	run.cost.program_wall_ns = (double)(100 * MS);
	run.measurements = known;
	run.nr_measurements = run.room_measurements = THREADS;
	return run;
}

/* In one execution 10 ms and 90 ms of 100; of many, most of which have no bursts, nothing is known. */
TEST(count__bursts_stand_for_the_time_until_the_next)
{
	static const struct {
		uint64_t executions;
		double reads, writes;
	} rows[] = { { 1, 10, 90 }, { 10, 500, 500 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pieces pieces = { .nr = 0 };
		struct run run = late_run(&pieces, rows[i].executions);
		double all_reads = rows[i].reads * THREADS * READS,
		       all_writes = rows[i].writes * THREADS * WRITES;

		CHECK_INT(count(&run, &pieces).status, COUNT_DONE);
		CHECK_NEAR(sum_of(&run, PARALLEL, MS_METRIC_READS), all_reads, 0.01 * all_reads);
		CHECK_NEAR(sum_of(&run, PARALLEL, MS_METRIC_WRITES), all_writes, 0.01 * all_writes);
		simulate_parts(&run, &pieces, &(struct array_parts){ NULL, 0 });
		CHECK_NEAR(sum_of(&run, PARALLEL, MS_METRIC_SIM_LOADS), all_reads,
			   0.01 * all_reads);
		CHECK_NEAR(sum_of(&run, PARALLEL, MS_METRIC_SIM_STORES), all_writes,
			   0.01 * all_writes);
	}
}

static bool bursts_are_needed(const struct run *run, const struct pieces *pieces)
{
	struct arena *arena = arena_new();
	struct trace_reader *reader = trace_reader_new(arena);
	struct burst_times of;
	bool needed;

	for (size_t i = 0; i < pieces->nr; i++)
		trace_reader_add(reader, pieces->of[i].bytes, pieces->of[i].nr);
	CHECK(burst_times_init(&of, arena, run));
	needed = burst_times_are_needed(&of, arena, reader);
	trace_reader_free(reader);
	return needed;
}

/*
 * A region was counted in an execution of the phase whose trace, of READS on each thread, ended before
 * most of it.
 */
TEST(count__bursts_of_regions_behind_the_end_of_traces)
{
	static const struct {
		double reads;
		uint64_t lost;
		bool needed;
	} rows[] = { { THREADS * READS, 5, false },
		     { 20 * THREADS * (READS + WRITES), 5, true },
		     { 20 * THREADS * (READS + WRITES), 0, false } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct run_measurement known[] = {
			{ .row = { .region = DO,
				   .metric = MS_METRIC_READS,
				   .stat = { .count = 2, .sum = 2 * rows[i].reads } },
			  .phases = 2 },
			{ .row = { .region = PARALLEL,
				   .metric = MS_METRIC_TIME,
				   .stat = { .count = 2, .sum = 2000 } },
			  .phases = 2,
			  .observed_ns = 1000 },
		};
		struct pieces pieces = { .nr = 0 };
		struct run run = new_run();

		run.measurements = known;
		run.nr_measurements = run.room_measurements = 2;
		burst_ns = (uint64_t[]){ 500, 0 };
		keep(&pieces, (uint64_t[]){ 0, rows[i].lost }, 2, true);
		burst_ns = NULL;
		CHECK_INT(bursts_are_needed(&run, &pieces), rows[i].needed);
	}
}

TEST(count__regions_without_bursts_and_lines_are_missing)
{
	struct pieces pieces = { .nr = 0 };
	struct run run = bursts_run(&pieces, (uint64_t[]){ 5000, 500, 1000 });

	CHECK_INT(count(&run, &pieces).status, COUNT_DONE);
	CHECK(missing_of(&run, DO, MS_METRIC_READS) == MS_PRESENT &&
	      missing_of(&run, DO, MS_METRIC_TIME) == MS_MISSING_NO_PHASE);
	CHECK_THAT(missing_of(&run, PARALLEL, MS_METRIC_READS), ==, MS_MISSING_BUDGET);
	CHECK(missing_of(&run, DO, MS_METRIC_FALSELY_SHARED) == MS_MISSING_NOT_WHOLE &&
	      sum_of(&run, DO, MS_METRIC_TOUCHED_LINES) < 0);
}

/*
 * The second half of `a`, as far as it is accessed: an array of its own, of which the rest is what
 * is left.
 */
TEST(count__parts_of_arrays)
{
	static const struct array_part part = {
		.array = 0, .part = 2, .low = 8 * READS / 2, .high = 4096
	};
	struct run_array three[] = { arrays[0],
				     arrays[1],
				     { .id = 2, .name = "a[50:]", .whole = 1 } };
	struct arena *arena = arena_new();
	struct trace_reader *reader = trace_reader_new(arena);
	struct pieces pieces = { .nr = 0 };
	struct run run = new_run();
	uint32_t a, half;

	run.arrays = three;
	run.nr_arrays = run.room_arrays = 3;
	keep(&pieces, (uint64_t[]){ 0, 0 }, 2, true);
	for (size_t i = 0; i < pieces.nr; i++)
		trace_reader_add(reader, pieces.of[i].bytes, pieces.of[i].nr);
	CHECK_INT(trace_reader_block_bytes(reader, 0), 4096);
	trace_reader_divide(reader, &(struct array_parts){ &part, 1 });
	CHECK_INT(count_accesses(arena, &run, reader).status, COUNT_DONE);
	a = below(&run, DO, MS_DATA_STRUCTURE, 1);
	half = below(&run, DO, MS_DATA_STRUCTURE, 3);
	CHECK(a != MS_REGION_NONE && half != MS_REGION_NONE);
	CHECK(sum_of(&run, a, MS_METRIC_READS) == THREADS * READS &&
	      sum_of(&run, half, MS_METRIC_READS) == THREADS * READS);
	CHECK_THAT(sum_of(&run, DO, MS_METRIC_READS), ==, 2 * THREADS * READS);
	trace_reader_free(reader);
}

TEST(count__nothing_kept)
{
	struct pieces pieces = { .nr = 0 };
	struct run run = new_run();

	CHECK_INT(count(&run, &pieces).status, COUNT_NO_TRACE);
	CHECK(!run.nr_measurements && run.nr_regions == REGIONS);
}

/* Whatever the bytes say, nothing crashes. */
TEST(count__damaged_traces)
{
	struct pieces pieces = { .nr = 0 };

	keep(&pieces, (uint64_t[]){ 0 }, 1, true);
	for (int i = 0; i < 2000; i++) {
		size_t piece = pick(pieces.nr), at = pick(pieces.of[piece].nr);
		uint8_t before = pieces.of[piece].bytes[at];
		struct run run = new_run();

		pieces.of[piece].bytes[at] ^= (uint8_t)(1 + pick(255));
		count(&run, &pieces);
		pieces.of[piece].bytes[at] = before;
	}
}

TEST(count__simulated_functions)
{
	struct pieces pieces = { .nr = 0 };
	struct run run = new_run();
	uint32_t function;

	calls = true;
	keep(&pieces, (uint64_t[]){ 0 }, 1, true);
	CHECK_INT(count(&run, &pieces).status, COUNT_DONE);
	function = below(&run, DO, MS_SUB_REGION, CALLEE);
	simulate_parts(&run, &pieces, &(struct array_parts){ NULL, 0 });
	CHECK(sum_of(&run, function, MS_METRIC_SIM_STORES) == THREADS * WRITES &&
	      sum_of(&run, function, MS_METRIC_SIM_LOADS) == 0);
	CHECK_THAT(sum_of(&run, below(&run, function, MS_DATA_STRUCTURE, 2), MS_METRIC_SIM_STORES),
		   ==, THREADS * WRITES);
	CHECK_THAT(sum_of(&run, DO, MS_METRIC_SIM_LOADS), ==, THREADS * READS);
}

/*
 * The caches see all accesses, with and without parts: the misses of the parts and the rest add up
 * to the array's.
 */
TEST(count__simulated_parts)
{
	static const struct array_part items[] = { { 0, 2, 8, 88 }, { 0, 3, 400, 4096 } };
	struct run_array four[] = { arrays[0],
				    arrays[1],
				    { .id = 2, .name = "a[1:10]", .whole = 1 },
				    { .id = 3, .name = "a[50:]", .whole = 1 } };
	struct pieces pieces = { .nr = 0 };
	struct run whole = new_run(), divided = new_run();
	double loads = 0, misses = 0;

	keep(&pieces, (uint64_t[]){ 0 }, 1, true);
	simulate_parts(&whole, &pieces, &(struct array_parts){ NULL, 0 });
	divided.arrays = four;
	divided.nr_arrays = divided.room_arrays = 4;
	simulate_parts(&divided, &pieces, &(struct array_parts){ items, 2 });
	for (uint64_t array = 0; array < 4; array++) {
		uint32_t region = array == 1 ? MS_REGION_NONE
					     : below(&divided, DO, MS_DATA_STRUCTURE, array + 1);

		loads += array == 1 ? 0 : sum_of(&divided, region, MS_METRIC_SIM_LOADS);
		misses += array == 1 ? 0 : sum_of(&divided, region, MS_METRIC_SIM_L1D_MISSES);
	}
	CHECK_THAT(sum_of(&divided, below(&divided, DO, MS_DATA_STRUCTURE, 3), MS_METRIC_SIM_LOADS),
		   ==, THREADS * 10);
	CHECK_THAT(sum_of(&divided, below(&divided, DO, MS_DATA_STRUCTURE, 4), MS_METRIC_SIM_LOADS),
		   ==, THREADS * (READS - 50));
	CHECK(loads == THREADS * READS && misses > 0);
	CHECK_THAT(
		misses, ==,
		sum_of(&whole, below(&whole, DO, MS_DATA_STRUCTURE, 1), MS_METRIC_SIM_L1D_MISSES));
	CHECK_THAT(sum_of(&divided, DO, MS_METRIC_SIM_L1D_MISSES), ==,
		   sum_of(&whole, DO, MS_METRIC_SIM_L1D_MISSES));
}

/* Simulated counts are of one execution of the phase, however many are kept as one. */
TEST(count__simulated_groups_of_executions)
{
	double alone;

	for (grouped = 1; grouped <= 2; grouped++) {
		struct pieces pieces = { .nr = 0 };
		struct run run = new_run();
		struct arena *arena = arena_new();
		struct trace_reader *reader = trace_reader_new(arena);

		keep(&pieces, (uint64_t[]){ 0 }, 1, true);
		for (size_t i = 0; i < pieces.nr; i++)
			trace_reader_add(reader, pieces.of[i].bytes, pieces.of[i].nr);
		CHECK_INT(simulate(arena, &run, reader, &model,
				   &(struct placement){ .threads = simulate_threads(reader) },
				   &(struct simulate_how){ .jobs = 1 })
				  .status,
			  SIMULATE_DONE);
		if (grouped == 1)
			alone = sum_of(&run, DO, MS_METRIC_SIM_LOADS);
		else
			CHECK(alone > 0 && sum_of(&run, DO, MS_METRIC_SIM_LOADS) == alone / 2);
		trace_reader_free(reader);
	}
}

/* How many short executions are a group is another in each run: the smallest group counts. */
TEST(count__simulated_of_the_smallest_group)
{
	static const struct {
		int line;
		uint32_t grouped, last;
		size_t nr;
		enum run_basis basis;
		uint32_t steps;
	} cases[] = {
		{ __LINE__, 1, 2, 3, RUN_BASIS_STEADY, 1 },
		{ __LINE__, 2, 1, 2, RUN_BASIS_STEADY, 1 },
		{ __LINE__, 3, 2, 2, RUN_BASIS_STEADY, 2 },
		{ __LINE__, 2, 2, 1, RUN_BASIS_ONE, 2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pieces pieces = { .nr = 0 };
		struct run run = new_run();
		struct arena *arena = arena_new();
		struct trace_reader *reader = trace_reader_new(arena);

		grouped = cases[i].grouped;
		grouped_last = cases[i].last;
		keep(&pieces, (uint64_t[]){ 0, 0, 0 }, cases[i].nr, true);
		for (size_t k = 0; k < pieces.nr; k++)
			trace_reader_add(reader, pieces.of[k].bytes, pieces.of[k].nr);
		CHECK_INT(count_accesses(arena, &run, reader).status, COUNT_DONE);
		CHECK_INT(simulate(arena, &run, reader, &model,
				   &(struct placement){ .threads = simulate_threads(reader) },
				   &(struct simulate_how){ .jobs = 1 })
				  .status,
			  SIMULATE_DONE);
		if (run.modelled.basis != cases[i].basis || run.modelled.steps != cases[i].steps)
			test_fail(__FILE__, cases[i].line, "basis %u, steps %u", run.modelled.basis,
				  run.modelled.steps);
		trace_reader_free(reader);
		arena_free(arena);
	}
	grouped = grouped_last = 0;
}

/*
 * ------------------------------------------------------------------ requests with address ranges
 */

struct asked {
	struct requests_source source;
	struct arena *arena;
	struct run run;
	struct placement placement;
	uint32_t a, loop, b;
};

/* A record of which all was counted and simulated. */
static void ready(struct asked *asked)
{
	struct pieces pieces = { .nr = 0 };

	*asked = (struct asked){ .arena = arena_new(), .run = new_run() };
	asked->source.reader = trace_reader_new(asked->arena);
	keep(&pieces, (uint64_t[]){ 0, 0 }, 2, true);
	for (size_t i = 0; i < pieces.nr; i++)
		trace_reader_add(asked->source.reader, pieces.of[i].bytes, pieces.of[i].nr);
	asked->placement.threads = simulate_threads(asked->source.reader);
	asked->source = (struct requests_source){ &asked->run,
						  requests_before(asked->arena, &asked->run),
						  asked->source.reader,
						  &model,
						  &asked->placement,
						  0,
						  1 };
	CHECK_INT(count_accesses(asked->arena, &asked->run, asked->source.reader).status,
		  COUNT_DONE);
	CHECK_INT(simulate(asked->arena, &asked->run, asked->source.reader, &model,
			   &asked->placement, &(struct simulate_how){ .jobs = 1 })
			  .status,
		  SIMULATE_DONE);
	asked->a = below(&asked->run, DO, MS_DATA_STRUCTURE, 1);
	asked->loop = below(&asked->run, DO, MS_LOOP_REGION, CODE + INNER);
	asked->b = below(&asked->run, asked->loop, MS_DATA_STRUCTURE, 2);
}

static struct ms_request request(enum ms_metric metric, uint32_t region, uint32_t thread,
				 uint64_t low, uint64_t high)
{
	return (struct ms_request){ .metric = metric,
				    .region = region,
				    .thread = thread,
				    .address_low = low,
				    .address_high = high };
}

TEST(requests__accesses_in_ranges)
{
	enum { ALL = MS_REQUEST_ALL_THREADS };
	struct asked asked;
	struct ms_reading out[10];
	double whole;
	size_t measurements, regions_before;

	ready(&asked);
	measurements = asked.run.nr_measurements;
	regions_before = asked.run.nr_regions;
	whole = sum_of(&asked.run, asked.a, MS_METRIC_SIM_L1D_MISSES);
	requests_measure(&asked.source,
			 (struct ms_request[]){
				 request(MS_METRIC_READS, DO, ALL, A, A + 80),
				 request(MS_METRIC_READS, asked.a, 1, A + 80, A + 400),
				 request(MS_METRIC_READS, USER, ALL, A, B + 4096),
				 request(MS_METRIC_WRITES, DO, ALL, A, A + 4096),
				 request(MS_METRIC_WRITES, asked.loop, ALL, A, B + 8),
				 request(MS_METRIC_WRITES, asked.b, 1, B, B + 8),
				 request(MS_METRIC_SIM_L1D_MISSES, DO, ALL, A, A + 400),
				 request(MS_METRIC_SIM_L1D_MISSES, asked.a, ALL, A + 400, B + 4096),
				 request(MS_METRIC_SIM_LOADS, PARALLEL, ALL, A + 8, A + 16),
				 request(MS_METRIC_SIM_LOADS, USER, 0, B + 4096, UINT64_MAX),
			 },
			 10, out);
	for (size_t i = 0; i < 10; i++)
		CHECK_INT(out[i].missing, MS_PRESENT);
	CHECK(out[0].value == THREADS * 10 && out[1].value == 40 &&
	      out[2].value == THREADS * READS);
	CHECK(out[3].value == 0 && out[4].value == WRITES && out[5].value == 0);
	CHECK(out[6].value > 0 && out[7].value > 0 && out[6].value + out[7].value == whole);
	CHECK(out[8].value == THREADS && out[9].value == 0 && out[8].rung == MS_RUNG_SIMULATED &&
	      out[0].rung == MS_RUNG_COUNTED);
	CHECK(asked.run.nr_measurements == measurements && asked.run.nr_regions == regions_before &&
	      asked.run.nr_arrays == 2);
	CHECK_THAT(sum_of(&asked.run, asked.a, MS_METRIC_SIM_L1D_MISSES), ==, whole);
	trace_reader_free(asked.source.reader);
}

/*
 * Not of a region that the trace does not have, not when it is too late, and not of a record
 * without a trace: no value rather than 0.
 */
TEST(requests__what_cannot_be_measured)
{
	struct ms_request one = request(MS_METRIC_READS, PARALLEL, MS_REQUEST_ALL_THREADS, A,
					A + 80);
	struct asked asked;
	struct ms_reading out;

	ready(&asked);
	requests_measure(&asked.source, &one, 1, &out);
	CHECK_INT(out.missing, MS_MISSING_NOT_RECORDED);
	one.region = DO;
	asked.source.deadline_ns = 1;
	requests_measure(&asked.source, &one, 1, &out);
	CHECK_INT(out.missing, MS_MISSING_BUDGET);
	trace_reader_free(asked.source.reader);
	asked.source = (struct requests_source){
		&asked.run, asked.source.before, trace_reader_new(asked.arena),
		&model,     &asked.placement,    0,
		1
	};
	requests_measure(&asked.source, &one, 1, &out);
	CHECK_INT(out.missing, MS_MISSING_NO_RANGE);
}

TEST(requests__where_data_structures_are)
{
	struct ms_address_range out[2] = { { 0, 0 }, { 0, 0 } };
	struct asked asked;

	ready(&asked);
	CHECK_INT(requests_memory(&asked.source, asked.a, out, 2), 1);
	CHECK(out[0].low == A && out[0].high == A + 4096 && !out[1].high);
	CHECK_INT(requests_memory(&asked.source, DO, out, 2), 0);
	trace_reader_divide(
		asked.source.reader,
		&(struct array_parts){
			&(struct array_part){ .array = 0, .part = 1, .low = 8, .high = 24 }, 1 });
	CHECK_INT(requests_memory(&asked.source, asked.b, out, 2), 1);
	CHECK(out[0].low == A + 8 && out[0].high == A + 24);
	trace_reader_free(asked.source.reader);
}
