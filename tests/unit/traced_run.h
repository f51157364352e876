/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_TRACED_RUN_H
#define MEMSEARCH_TESTS_UNIT_TRACED_RUN_H

/*
 * A small run of two threads and its record with traces: a whole execution, one of which only the
 * begin is stored, one with sampled lines, and bursts; sites of each kind, memcpy, loops and a
 * called function. To be included once.
 */
#include <stdint.h>

#include "analysis/base/arena.h"
#include "analysis/record/record.h"
#include "analysis/trace/page_touches.h"
#include "analysis/trace/record_rows.h"
#include "analysis/trace/trace_writer.h"
#include "memsearch/region.h"
#include "tests/unit/test.h"

enum { TRACED_USER, TRACED_PARALLEL, TRACED_DO, TRACED_CALL, TRACED_OTHER_CALL, TRACED_REGIONS };
enum { TRACED_OUTER = 1, TRACED_INNER, TRACED_CALLED, TRACED_LOOPS = TRACED_CALLED };
#define TRACED_THREADS 2
#define TRACED_A 0x100000u
#define TRACED_B 0x200000u
#define TRACED_CODE 0x1000u
#define TRACED_CALLEE 0x2000u
/* a short run: few accesses are possible */
#define TRACED_NS 1e6

static struct {
	uint32_t read, write, index, gather, mask, repeat, range, left;
} traced;

static inline uint32_t traced_stretch(struct record_site site, uint32_t words)
{
	struct record_stretch row;

	site.address = TRACED_CODE + 0x20u * words + site.access;
	site.size = 8;
	site.base_word = 1;
	row = (struct record_stretch){ .first_site = record_rows_add_site(&site),
				       .nr_sites = 1,
				       .words = words };
	return record_rows_add_stretch(&row);
}

static inline void traced_rows(void)
{
	const struct record_stretch range = { .words = 3, .event = RECORD_RANGE },
				    left = { .words = 1, .event = RECORD_LEFT };

	traced.read = traced_stretch((struct record_site){ .loop = TRACED_OUTER, .read = true }, 1);
	traced.write = traced_stretch((struct record_site){ .loop = TRACED_INNER, .write = true },
				      1);
	traced.index = traced_stretch(
		(struct record_site){ .index_word = 2, .scale = 4, .read = true, .is_float = true },
		2);
	traced.gather = traced_stretch((struct record_site){ .access = CODE_ACCESS_LANES,
							     .lanes = 8,
							     .index_word = 2,
							     .index_size = 4,
							     .mask_word = 6,
							     .scale = 8,
							     .read = true },
				       6);
	traced.mask = traced_stretch((struct record_site){ .access = CODE_ACCESS_MASKED,
							   .lanes = 4,
							   .mask_word = 2,
							   .mask_size = 8,
							   .write = true },
				     5);
	traced.repeat = traced_stretch((struct record_site){ .access = CODE_ACCESS_REPEATED,
							     .count_word = 2,
							     .loop = TRACED_CALLED,
							     .write = true },
				       3);
	traced.range = record_rows_add_stretch(&range);
	traced.left = record_rows_add_stretch(&left);
}

static inline void traced_block(void *ctx, void (*visit)(void *of, const struct blocks_row *row),
				void *of)
{
	(void)ctx;
	visit(of, &(struct blocks_row){ TRACED_A, 8192, 1, BLOCKS_LIVE, 0 });
	visit(of, &(struct blocks_row){ TRACED_B, 4096, 2, BLOCKS_LIVE, 1 });
	visit(of, &(struct blocks_row){ TRACED_B + 8192, 64, 1, 2, 1 });
}

static inline bool traced_loop(void *ctx, uint32_t number, struct traced_loop *out)
{
	uint64_t code = number == TRACED_CALLED ? TRACED_CALLEE : TRACED_CODE;

	(void)ctx;
	*out = (struct traced_loop){ .header = code + number,
				     .function = code,
				     .code = { code, code + 0x100 },
				     .joined = number,
				     .joined_parent = number == TRACED_INNER ? TRACED_OUTER : 0,
				     .is_function = number == TRACED_CALLED,
				     .nr_blocks = 1 };
	return number <= TRACED_LOOPS;
}

static inline struct traced_range traced_loop_block(void *ctx, uint32_t loop, uint32_t block)
{
	uint64_t code = loop == TRACED_CALLED ? TRACED_CALLEE : TRACED_CODE;

	(void)ctx, (void)block;
	return (struct traced_range){ code + 0x10 * loop, code + 0x100 };
}

static inline bool traced_region(void *ctx, uint32_t id, struct traced_construct *out)
{
	static const uint64_t bodies[] = { TRACED_CODE, TRACED_CALLEE }, path[] = { 0x9100 };

	(void)ctx;
	*out = (struct traced_construct){ .id = id,
					  .asked = true,
					  .construct = 0x9000 + id,
					  .nr_bodies = id == TRACED_PARALLEL ? 2 : 0,
					  .bodies = bodies,
					  .nr_path = id == TRACED_DO,
					  .path = path };
	return id < TRACED_REGIONS;
}

/* Accesses of a thread between two barriers. */
static inline void traced_accesses(struct trace_stream *stream, uint32_t thread)
{
	uint64_t a = TRACED_A + 4096 * thread, b = TRACED_B + 8 * thread;

	trace_stream_again(stream, (uint64_t[]){ traced.read, a, traced.read, a + 8 }, 2, 500);
	trace_stream_again(stream,
			   (uint64_t[]){ traced.write, b, traced.read, a, traced.write, b,
					 traced.read, a + 64 },
			   4, 60);
	trace_stream_words(stream,
			   (uint64_t[]){ traced.index, a, 3, traced.index, a, 7, traced.index, a,
					 11, traced.gather, a, 1, 2, 3, 4, 0xff },
			   16);
	trace_stream_words(stream,
			   (uint64_t[]){ traced.mask, b, UINT64_MAX, 0, UINT64_MAX, 0,
					 traced.repeat, a, 100, 0, traced.left, 0x9200 },
			   12);
	trace_stream_again(stream,
			   (uint64_t[]){ traced.range, b, a, 64, traced.range, b + 64, a + 64, 64 },
			   4, 10);
	for (uint64_t i = 0; i < 200; i++)
		trace_stream_words(stream, (uint64_t[]){ traced.read, a + i * i % 4096 / 8 * 8 },
				   2);
}

static inline void traced_execution(struct trace_stream *stream, uint32_t thread, uint64_t team)
{
	const struct trace_construct loop = {
		.region = TRACED_DO, .depth = 1, .team = (uint32_t)team, .threads = TRACED_THREADS
	};

	const struct trace_construct around = { .region = TRACED_PARALLEL,
						.team = (uint32_t)team,
						.threads = TRACED_THREADS,
						.call = TRACED_CALL + team % 2 };

	if (!thread) {
		trace_stream_part(stream, TRACE_SERIAL, 1, 2);
		trace_stream_words(stream, (uint64_t[]){ traced.read, TRACED_A }, 2);
	}
	trace_stream_team(stream, team, thread);
	trace_stream_begin_construct(stream, &around);
	trace_stream_begin_construct(stream, &loop);
	trace_stream_part(stream, TRACED_DO, 3, 3);
	traced_accesses(stream, thread);
	trace_stream_barrier(stream);
	traced_accesses(stream, 1 - thread);
	trace_stream_end_construct(stream, &loop, 1, false);
	trace_stream_end_construct(stream, &around, 1, false);
	trace_stream_team_end(stream);
}

static inline bool traced_put(void *ctx, const uint8_t *bytes, size_t nr)
{
	return record_trace(ctx, bytes, nr) == MS_OK;
}

static inline void traced_put_all(struct arena *arena, struct record *record, bool sampled)
{
	static const uint32_t serials[] = { TRACED_USER };
	static const struct traced_burst bursts[] = { { TRACED_PARALLEL, 1000 },
						      { TRACED_DO | TRACED_BURST_UNEVEN, 10 } };
	static const struct traced_execution executions[] = {
		{ .page_shift = 12, .phases = 1 },
		{ .page_shift = 12, .phases = 2, .lost = 1000 },
		{ .phases = 1, .one_in = 8 },
		{ .phases = 1, .nr_bursts = 2, .bursts = bursts },
	};
	struct trace_streams *streams = trace_streams_new(TRACED_THREADS, 64);
	struct trace_writer writer = { .buffer.arena = arena, .write = traced_put, .ctx = record };
	struct trace_writer_facts facts = { .each_block = traced_block,
					    .loop = traced_loop,
					    .block = traced_loop_block,
					    .region = traced_region,
					    .loops = TRACED_LOOPS,
					    .joined = TRACED_LOOPS };

	CHECK(streams && page_touches_start(4096));
	for (uint64_t page = 0; page < 4; page++)
		page_touches_add(1, TRACED_A + page * 4096,
				 &(struct page_touch){
					 .core = page & 1, .team = TRACED_THREADS, .shift = 12 });
	for (size_t i = 0; i < sizeof(executions) / sizeof(executions[0]); i++) {
		facts.execution = executions[i];
		if (!sampled && executions[i].one_in)
			continue;
		facts.execution.stack_end = 0x7fff0000;
		facts.execution.nr_serials = 1;
		facts.execution.serials = serials;
		for (uint32_t thread = 0; thread < TRACED_THREADS; thread++) {
			struct trace_stream *stream = trace_stream_begin(streams, thread);

			if (executions[i].nr_bursts)
				trace_stream_burst(stream, 100 * (thread + 1), 900);
			traced_execution(stream, thread, 7 + i);
		}
		CHECK(trace_writer_put(&writer, streams, &facts));
		trace_streams_clear(streams);
	}
	trace_streams_free(streams);
}

static inline void traced_run(struct run *run)
{
	static struct code_address calls[] = { { UINT32_MAX, 0x9100 }, { UINT32_MAX, 0x9200 } };
	static struct run_region regions[TRACED_REGIONS] = {
		{ .id = TRACED_USER, .parent = MS_REGION_NONE, .kind = MS_USER_REGION },
		{ .id = TRACED_PARALLEL,
		  .parent = TRACED_USER,
		  .kind = MS_PARALLEL_REGION,
		  .construct = { UINT32_MAX, 0x9001 } },
		{ .id = TRACED_DO,
		  .parent = TRACED_PARALLEL,
		  .kind = MS_DO_REGION,
		  .construct = { UINT32_MAX, 0x9002 } },
		{ .id = TRACED_CALL,
		  .parent = TRACED_PARALLEL,
		  .kind = MS_CALL_REGION,
		  .nr_path = 1,
		  .path_addresses = &calls[0] },
		{ .id = TRACED_OTHER_CALL,
		  .parent = TRACED_PARALLEL,
		  .kind = MS_CALL_REGION,
		  .nr_path = 1,
		  .path_addresses = &calls[1] },
	};
	static struct run_array arrays[2] = {
		{ .id = 0,
		  .name = "a",
		  .type = "double",
		  .shape = "[1024]",
		  .element_bytes = 8,
		  .bytes = 8192 },
		{ .id = 1, .name = "b", .type = "double", .element_bytes = 8, .bytes = 4096 }
	};
	static struct run_measurement measurements[] = {
		{ .row = { .region = TRACED_DO,
			   .metric = MS_METRIC_TIME,
			   .stat = { .count = 2, .sum = 1e5, .min = 1, .max = 1e5 } },
		  .phases = 1 },
		{ .row = { .region = TRACED_DO,
			   .metric = MS_METRIC_READS,
			   .stat = { .count = 2, .sum = 2400, .min = 1, .max = 1200 } },
		  .phases = 1 },
	};
	static struct run_phase_found phases[] = {
		{ .number = 1, .here = true, .region = TRACED_PARALLEL, .executions = 10 },
		{ .number = 2, .region = TRACED_PARALLEL, .executions = 5 },
	};

	*run = (struct run){ .program = "traced",
			     .command = "traced",
			     .threads = TRACED_THREADS,
			     .strategy = "property_refine",
			     .complete = true,
			     .regions = regions,
			     .nr_regions = TRACED_REGIONS,
			     .arrays = arrays,
			     .nr_arrays = 2,
			     .measurements = measurements,
			     .nr_measurements = 2,
			     .phases = phases,
			     .nr_phases = 2,
			     .cost.program_wall_ns = TRACED_NS,
			     .phase = { .region = TRACED_PARALLEL,
					.executions = 10,
					.executions_read = 4,
					.wall_ns = 5e5 } };
}

/* A record at `path`, with two phases; `sampled`: one execution has sampled lines. */
static inline void traced_write(struct arena *arena, const char *path, bool sampled)
{
	struct record *record = record_create(arena, path, NULL);
	struct run run;

	CHECK(record);
	traced_run(&run);
	traced_rows();
	traced_put_all(arena, record, sampled);
	CHECK_INT(record_phase(record, 2, &run), MS_OK);
	CHECK_INT(record_close(record, &run), MS_OK);
}

#endif
