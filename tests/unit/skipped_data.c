/* SPDX-License-Identifier: Apache-2.0 */
/* Lines in the place of accesses that are not simulated. */
#include "analysis/simulation/skipped_data.h"

#include "analysis/base/arena.h"
#include "analysis/machine/model.h"
#include "analysis/record/run.h"
#include "analysis/trace/stream.h"
#include "analysis/trace/trace_reader.h"
#include "tests/unit/test.h"

enum {
	PHASE,
	LOOP,
	LOOP_READS,
	OTHER,
	OTHER_WRITES,
	SMALL,
	SMALL_READS,
	NATURAL,
	NATURAL_READS,
	REGIONS
};
#define LINES 10000u /* of the large array; a cache has 1000, the small array 8 */
#define THREADS 2

static struct run_region regions[REGIONS];
static struct run_array arrays[2];

static void measure(struct arena *arena, struct run *run, uint32_t region, enum ms_metric metric,
		    double sum)
{
	for (uint32_t thread = 0; thread < THREADS; thread++) {
		struct run_measurement row = { .row = { .region = region,
							.thread = thread,
							.metric = metric,
							.stat = { .count = 1, .sum = sum } },
					       .phases = 1,
					       .observed_ns = 1e6 };

		CHECK(ARENA_GROW(arena, run->measurements, run->nr_measurements,
				 run->room_measurements));
		run->measurements[run->nr_measurements++] = row;
	}
}

/* Each thread accesses its half of the array once, by values of 8 bytes. */
static void access_all(struct arena *arena, struct run *run, uint32_t region, uint32_t lines,
		       bool write)
{
	measure(arena, run, region, MS_METRIC_READS, write ? 0 : 4 * lines);
	measure(arena, run, region, MS_METRIC_WRITES, write ? 4 * lines : 0);
	measure(arena, run, region, write ? MS_METRIC_WRITTEN_BYTES : MS_METRIC_READ_BYTES,
		32 * lines);
	measure(arena, run, region, MS_METRIC_CONTIGUOUS, 4 * lines);
}

static struct skipped_data *made(struct arena *arena, struct run *run)
{
	static const struct machine_model model = {
		.cores = THREADS,
		.cache = { { .bytes = 64000, .line = 64, .cores = 1 } },
	};
	static const uint32_t parents[REGIONS] = { MS_REGION_NONE, PHASE, LOOP, PHASE,  OTHER,
						   PHASE,          SMALL, LOOP, NATURAL };

	*run = (struct run){ .phase = { .executions = 1, .wall_ns = 1e6 },
			     .regions = regions,
			     .nr_regions = REGIONS,
			     .arrays = arrays,
			     .nr_arrays = 2 };
	for (uint32_t i = 0; i < REGIONS; i++)
		regions[i] = (struct run_region){ .id = i,
						  .kind = i == PHASE ? MS_USER_REGION
							  : i % 2    ? MS_PARALLEL_REGION
								     : MS_DATA_STRUCTURE,
						  .parent = parents[i],
						  .construct = { UINT32_MAX,
								 i == SMALL_READS ? 2 : 1 } };
	/* the construct has what its natural loop accesses */
	regions[NATURAL].kind = MS_LOOP_REGION;
	arrays[0] = (struct run_array){ .kind = "heap", .bytes = 64 * LINES };
	arrays[1] = (struct run_array){ .id = 1, .kind = "heap", .bytes = 512 };
	access_all(arena, run, LOOP_READS, LINES, false);
	access_all(arena, run, NATURAL_READS, LINES, false);
	access_all(arena, run, OTHER_WRITES, LINES, true);
	access_all(arena, run, SMALL_READS, 8, false);
	return skipped_data_new(arena, run, &model, NULL, THREADS);
}

/* Lines in thread 1's stream, and the first one's address. */
static uint64_t played(struct skipped_data *data, struct trace_streams *streams,
		       uint64_t *first_out)
{
	struct trace_stream *stream = &streams->streams[1];
	struct traced_part part = { LOOP, 1, 2 };
	struct trace_entry entry = { .kind = TRACE_WORDS };
	struct trace trace;
	uint64_t lines = 0;

	*first_out = 0;
	trace_streams_clear(streams);
	CHECK(skipped_data_play(data, stream, &part));
	trace = stream->trace;
	for (; trace_look(&trace, &entry); trace_pass(&trace)) {
		if (entry.kind != TRACE_AGAIN)
			continue;
		*first_out = *first_out ? *first_out : entry.words[1];
		lines += entry.times * entry.nr / 2;
	}
	/* the stream goes on where it was */
	CHECK(!lines || entry.kind == TRACE_MARK);
	return lines;
}

static struct trace_streams *new_streams(void)
{
	struct trace_streams *streams = trace_streams_to_play(THREADS, 10000);

	CHECK(streams != NULL);
	for (uint32_t i = 0; i < THREADS; i++)
		trace_stream_begin(streams, i);
	return streams;
}

TEST(skipped_data__has_the_lines_of_what_is_left_out)
{
	struct arena *arena = arena_new();
	struct trace_streams *streams = new_streams();
	struct run run;
	struct skipped_data *data = made(arena, &run);
	uint64_t first, again;

	CHECK(data != NULL);
	CHECK_INT(played(data, streams, &first), 0);
	/* a tenth of the thread's half; it begins at its half */
	skipped_data_note(data, 1, LOOP, 0.1);
	CHECK_INT(played(data, streams, &first), LINES / 2 / 10);
	CHECK_INT(played(data, streams, &again), 0);
	/* as much as the cache has, of the same lines by another loop */
	skipped_data_note(data, 1, OTHER, 0.5);
	CHECK_NEAR((double)played(data, streams, &again), 1250, 4);
	CHECK_INT(again, first);
	CHECK(!skipped_data_is_limited(data));
	CHECK_THAT(skipped_data_pages(data), >=, 1250 / 64);
	trace_streams_free(streams);
	arena_free(arena);
}

TEST(skipped_data__of_several_regions_and_within_limits)
{
	struct arena *arena = arena_new();
	struct trace_streams *streams = new_streams();
	struct run run;
	struct skipped_data *data = made(arena, &run);
	uint64_t first;

	CHECK_INT(skipped_data_lines(data, 0, LOOP), 1250);
	CHECK_INT(skipped_data_lines(data, 0, SMALL), 4);
	CHECK_INT(skipped_data_lines(data, 0, NATURAL), 0);
	CHECK_INT(skipped_data_lines(data, 0, REGIONS), 0);
	/* parts of one region add up to all of it */
	for (int i = 0; i < 5; i++)
		skipped_data_note(data, 1, SMALL, 0.5);
	CHECK_INT(played(data, streams, &first), 4);
	skipped_data_note(data, 1, SMALL, 1);
	skipped_data_note(data, 1, LOOP, 0.01);
	CHECK_INT(played(data, streams, &first), 4 + LINES / 200 / 4 * 4);
	skipped_data_limit(data, 0.5, 1000);
	skipped_data_note(data, 1, LOOP, 1);
	CHECK_NEAR((double)played(data, streams, &first), 625, 4);
	CHECK(skipped_data_is_limited(data));
	skipped_data_note(data, 1, LOOP, 1);
	CHECK_NEAR((double)played(data, streams, &first), 375, 4);
	skipped_data_note(data, 1, LOOP, 1);
	CHECK_INT(played(data, streams, &first), 0);
	/* of the phase, or of no region: nothing is known */
	skipped_data_note(data, 1, PHASE, 1);
	skipped_data_note(data, 1, MS_REGION_NONE, 1);
	skipped_data_note(data, THREADS, LOOP, 1);
	CHECK_INT(played(data, streams, &first), 0);
	trace_streams_free(streams);
	arena_free(arena);
}
