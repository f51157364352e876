/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses and misses of a construct by the call that leads to it. */
#include "analysis/counting/count.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/machine/model.h"
#include "analysis/report/calls.h"
#include "analysis/simulation/placement.h"
#include "analysis/simulation/simulate.h"
#include "analysis/trace/record_rows.h"
#include "analysis/trace/trace_reader.h"
#include "analysis/trace/trace_writer.h"
#include "memsearch/region.h"
#include "tests/unit/test.h"

enum { USER, PARALLEL, DO, FIRST, SECOND, REGIONS }; /* FIRST, SECOND: calls */
enum { A, B, C, ARRAYS };
#define READS 100
#define ARRAY_BYTES 4096u
#define CODE 0x1000u
#define PIECES_MOST 32

static uint64_t address_of(uint32_t array)
{
	return 0x100000u * (array + 1);
}

/* ------------------------------------------------------------------ what is recorded */

static void each_block(void *ctx, void (*visit)(void *of, const struct blocks_row *row), void *of)
{
	(void)ctx;
	for (uint32_t i = 0; i < ARRAYS; i++)
		visit(of,
		      &(struct blocks_row){ address_of(i), ARRAY_BYTES, i + 1, BLOCKS_LIVE, i });
}

static bool region_at(void *ctx, uint32_t id, struct traced_construct *out)
{
	(void)ctx;
	*out = (struct traced_construct){ .id = id, .asked = true, .construct = 0x9000 + id };
	return id < REGIONS;
}

/* By a call: an array of its own, and one of all calls. */
static void reach(struct trace_stream *stream, uint32_t read, uint32_t team, uint32_t call,
		  uint32_t array)
{
	const struct trace_construct region = { PARALLEL, 0, team, 1, call },
				     loop = { DO, 1, team, 1, 0 };

	trace_stream_team(stream, team, 0);
	trace_stream_begin_construct(stream, &region);
	trace_stream_part(stream, PARALLEL, 3, 3);
	trace_stream_begin_construct(stream, &loop);
	trace_stream_part(stream, DO, 3, 3);
	for (uint32_t of = array;; of = C) {
		uint64_t at = address_of(of);

		trace_stream_again(stream, (uint64_t[]){ read, at, read, at + 8 }, 2, READS);
		if (of == C)
			break;
	}
	trace_stream_end_construct(stream, &loop, 1, false);
	trace_stream_end_construct(stream, &region, 1, false);
	trace_stream_team_end(stream);
}

struct pieces {
	struct {
		uint8_t *bytes;
		size_t nr;
	} of[PIECES_MOST];
	size_t nr;
};

static bool take(void *ctx, const uint8_t *bytes, size_t nr)
{
	struct pieces *pieces = ctx;

	CHECK_THAT(pieces->nr, <, PIECES_MOST);
	pieces->of[pieces->nr].bytes = malloc(nr);
	test_at_end(free, pieces->of[pieces->nr].bytes);
	memcpy(pieces->of[pieces->nr].bytes, bytes, nr);
	pieces->of[pieces->nr++].nr = nr;
	return true;
}

/* One execution, of two calls with these arrays. */
static void keep(struct pieces *pieces, uint32_t of_first, uint32_t of_second)
{
	const struct record_site site = { .address = CODE,
					  .size = 8,
					  .access = CODE_ACCESS_PLAIN,
					  .base_word = 1,
					  .read = true };
	const struct record_stretch row = { .first_site = record_rows_add_site(&site),
					    .nr_sites = 1,
					    .words = 1 };
	struct trace_writer writer = { .buffer.arena = arena_new(), .write = take, .ctx = pieces };
	struct trace_streams *streams = trace_streams_new(1, 16);
	struct trace_writer_facts facts = { .each_block = each_block,
					    .region = region_at,
					    .execution = { .phases = 1 } };
	uint32_t read = record_rows_add_stretch(&row);
	struct trace_stream *stream = trace_stream_begin(streams, 0);

	reach(stream, read, 7, FIRST, of_first);
	reach(stream, read, 9, SECOND, of_second);
	CHECK(trace_writer_put(&writer, streams, &facts));
	trace_streams_free(streams);
}

/* ------------------------------------------------------------------ the run */

static struct code_address paths[2][2] = { { { 0, 0x100 }, { 0, 0x9001 } },
					   { { 0, 0x200 }, { 0, 0x9001 } } };

static struct run_region regions[REGIONS] = {
	{ .id = USER, .parent = MS_REGION_NONE, .kind = MS_USER_REGION },
	{ .id = PARALLEL, .parent = USER, .kind = MS_PARALLEL_REGION },
	{ .id = DO, .parent = PARALLEL, .kind = MS_DO_REGION },
	{ .id = FIRST,
	  .parent = PARALLEL,
	  .kind = MS_CALL_REGION,
	  .construct = { 0, 0x100 },
	  .nr_path = 2,
	  .path_addresses = paths[0] },
	{ .id = SECOND,
	  .parent = PARALLEL,
	  .kind = MS_CALL_REGION,
	  .construct = { 0, 0x200 },
	  .nr_path = 2,
	  .path_addresses = paths[1] },
};
static struct run_array arrays[ARRAYS] = { { .id = A, .name = "a" },
					   { .id = B, .name = "b" },
					   { .id = C, .name = "c" } };
static struct run_measurement touched[] = {
	{ .row = { .region = REGIONS,
		   .metric = MS_METRIC_FIRST_TOUCHED,
		   .stat = { .count = 1, .sum = ARRAY_BYTES } },
	  .phases = 1 },
};

static struct run new_run(struct arena *arena)
{
	struct run run = { .arrays = arrays,
			   .nr_arrays = ARRAYS,
			   .measurements = touched,
			   .nr_measurements = 1,
			   .room_measurements = 1,
			   .phase = { .executions = 10, .wall_ns = 1000 } };

	for (size_t i = 0; i < REGIONS; i++) {
		CHECK(ARENA_GROW(arena, run.regions, run.nr_regions, run.room_regions));
		run.regions[run.nr_regions++] = regions[i];
	}
	/* `a` in the loop, as the run knew it */
	CHECK(ARENA_GROW(arena, run.regions, run.nr_regions, run.room_regions));
	run.regions[run.nr_regions++] = (struct run_region){ .id = REGIONS,
							     .parent = DO,
							     .kind = MS_DATA_STRUCTURE,
							     .construct = { 0, A + 1 },
							     .resolved = true };
	return run;
}

static struct trace_reader *read_pieces(struct arena *arena, const struct pieces *pieces)
{
	struct trace_reader *reader = trace_reader_new(arena);

	for (size_t i = 0; i < pieces->nr; i++)
		CHECK(trace_reader_add(reader, pieces->of[i].bytes, pieces->of[i].nr));
	return reader;
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

/* -1: there is no row. */
static double sum_of(const struct run *run, uint32_t region, enum ms_metric metric)
{
	double sum = -1;

	for (size_t i = 0; i < run->nr_measurements; i++)
		if (run->measurements[i].row.region == region &&
		    run->measurements[i].row.metric == metric)
			sum = (sum < 0 ? 0 : sum) + run->measurements[i].row.stat.sum;
	return sum;
}

/* ------------------------------------------------------------------ tests */

TEST(count_calls__arrays_of_one_call_are_below_it)
{
	struct arena *arena = arena_new();
	struct run run = new_run(arena);
	struct pieces pieces = { .nr = 0 };
	struct trace_reader *reader;
	uint32_t first, second, a, b;

	keep(&pieces, A, B);
	reader = read_pieces(arena, &pieces);
	CHECK_INT(count_accesses(arena, &run, reader).status, COUNT_DONE);
	first = below(&run, DO, MS_CALL_REGION, 0x100);
	second = below(&run, DO, MS_CALL_REGION, 0x200);
	CHECK(first != MS_REGION_NONE && second != MS_REGION_NONE);
	a = below(&run, first, MS_DATA_STRUCTURE, A + 1);
	b = below(&run, second, MS_DATA_STRUCTURE, B + 1);
	CHECK(a != MS_REGION_NONE && b != MS_REGION_NONE);
	CHECK_THAT(below(&run, first, MS_DATA_STRUCTURE, B + 1), ==, MS_REGION_NONE);
	CHECK_THAT(sum_of(&run, first, MS_METRIC_READS), ==, 2 * READS);
	CHECK_THAT(sum_of(&run, a, MS_METRIC_READS), ==, READS);
	CHECK_THAT(sum_of(&run, b, MS_METRIC_READ_BYTES), ==, 8 * READS);
	/* the construct has both, as before, and so has the phase, once */
	CHECK_THAT(sum_of(&run, DO, MS_METRIC_READS), ==, 4 * READS);
	CHECK_THAT(sum_of(&run, USER, MS_METRIC_READS), ==, 4 * READS);
	/* its pages are the same ones whatever the call */
	CHECK_THAT(sum_of(&run, a, MS_METRIC_FIRST_TOUCHED), ==, ARRAY_BYTES);
	CHECK_THAT(sum_of(&run, b, MS_METRIC_FIRST_TOUCHED), <, 0);
	trace_reader_free(reader);
}

TEST(count_calls__with_the_same_data_none_is_apart)
{
	struct arena *arena = arena_new();
	struct run run = new_run(arena);
	struct pieces pieces = { .nr = 0 };
	struct trace_reader *reader;

	keep(&pieces, B, B);
	reader = read_pieces(arena, &pieces);
	CHECK_INT(count_accesses(arena, &run, reader).status, COUNT_DONE);
	CHECK_THAT(sum_of(&run, DO, MS_METRIC_READS), ==, 4 * READS);
	CHECK_THAT(below(&run, DO, MS_CALL_REGION, 0x100), ==, MS_REGION_NONE);
	CHECK_THAT(sum_of(&run, FIRST, MS_METRIC_READS), <, 0);
	trace_reader_free(reader);
}

TEST(count_calls__misses_are_those_of_the_call)
{
	static const struct machine_model model = {
		.name = "test",
		.source = "",
		.cores = 1,
		.nodes = 1,
		.hz = 1e9,
		.page = 4096,
		.memory_latency = 200,
		.transfer_latency = 60,
		.cache = { { .bytes = 512, .ways = 2, .line = 64, .cores = 1, .latency = 4 } },
	};
	struct arena *arena = arena_new();
	struct run run = new_run(arena);
	struct pieces pieces = { .nr = 0 };
	struct trace_reader *reader;
	uint32_t first, a;

	keep(&pieces, A, B);
	reader = read_pieces(arena, &pieces);
	CHECK_INT(count_accesses(arena, &run, reader).status, COUNT_DONE);
	CHECK_INT(simulate(arena, &run, reader, &model, &(struct placement){ .threads = 1 },
			   &(struct simulate_how){ .jobs = 1 })
			  .status,
		  SIMULATE_DONE);
	first = below(&run, DO, MS_CALL_REGION, 0x100);
	a = below(&run, first, MS_DATA_STRUCTURE, A + 1);
	CHECK_THAT(sum_of(&run, DO, MS_METRIC_SIM_LOADS), ==, 4 * READS);
	CHECK_THAT(sum_of(&run, first, MS_METRIC_SIM_LOADS), ==, 2 * READS);
	CHECK_THAT(sum_of(&run, a, MS_METRIC_SIM_LOADS), ==, READS);
	CHECK_THAT(below(&run, first, MS_DATA_STRUCTURE, B + 1), ==, MS_REGION_NONE);
	trace_reader_free(reader);
}

TEST(count_calls__are_named_where_they_are_not_all)
{
	struct arena *arena = arena_new();
	struct run run = new_run(arena);
	struct pieces pieces = { .nr = 0 };
	struct trace_reader *reader;
	const struct array_facts *facts;

	keep(&pieces, A, B);
	reader = read_pieces(arena, &pieces);
	CHECK(!calls_facts(arena, &run));
	CHECK_INT(count_accesses(arena, &run, reader).status, COUNT_DONE);
	run.regions[below(&run, DO, MS_CALL_REGION, 0x100)].source = (struct source){
		.function = "main", .file = "/x/a.c", .line = 27
	};
	run.regions[below(&run, DO, MS_CALL_REGION, 0x200)].source = (struct source){
		.function = "main", .file = "/x/a.c", .line = 31
	};
	facts = calls_facts(arena, &run);
	CHECK_STR(calls_of_array(arena, &run, facts, DO, A), "main (a.c:27)");
	CHECK_STR(calls_of_array(arena, &run, facts, DO, B), "main (a.c:31)");
	CHECK(!calls_of_array(arena, &run, facts, DO, C));
	CHECK(!calls_of_array(arena, &run, facts, PARALLEL, A));
	trace_reader_free(reader);
}
