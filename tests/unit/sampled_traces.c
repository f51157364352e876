/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that are sampled when accesses are recorded: as set sampling would have done it afterwards,
 * and as right as it says.
 */
#include "analysis/simulation/simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/machine/model.h"
#include "analysis/simulation/placement.h"
#include "analysis/trace/simulation_places.h"
#include "analysis/trace/trace_reader.h"
#include "analysis/trace/trace_writer.h"
#include "analysis/trace/record_rows.h"
#include "analysis/trace/simulation.h"
#include "memsearch/region.h"
#include "tests/unit/pick.h"
#include "tests/unit/test.h"

#define THREADS 2
#define PIECES 512
#define PIECES_MOST 512
#define BASE 0x10000000u
#define LINES 16384u /* of the array: four times those of the L2 below */
#define L2_LINES 4096
#define READS 200000
#define STUDENT_3 3.182

static const struct machine_model model = {
	.name = "test",
	.source = "",
	.cores = 4,
	.nodes = 1,
	.hz = 1e9,
	.page = 4096,
	.cache = { { .bytes = 32 << 10, .ways = 8, .line = 64, .cores = 1, .latency = 4 },
		   { .bytes = L2_LINES * 64, .ways = 8, .line = 64, .cores = 1, .latency = 14 } },
	.memory_latency = 200,
	.remote_latency = 300,
	.transfer_latency = 60,
	.remote_transfer_latency = 120,
};
enum { USER, PARALLEL, REGIONS };

static uint32_t reading, writing, indexed;
static uint8_t *pieces[PIECES_MOST];
static size_t lengths[PIECES_MOST], nr_pieces;

static uint32_t stretch_of(struct record_site site)
{
	struct record_stretch row = { .first_site = record_rows_add_site(&site),
				      .nr_sites = 1,
				      .words = 2 };

	return record_rows_add_stretch(&row);
}

static void make_rows(void)
{
	struct record_site site = { .address = 0x1000,
				    .size = 8,
				    .access = CODE_ACCESS_PLAIN,
				    .base_word = 1,
				    .displacement = 16,
				    .read = true };

	reading = stretch_of(site);
	site.read = false;
	site.write = true;
	writing = stretch_of(site);
	indexed = stretch_of((struct record_site){ .address = 0x2000,
						   .size = 4,
						   .access = CODE_ACCESS_PLAIN,
						   .index_word = 2,
						   .scale = 4,
						   .displacement = -64,
						   .read = true });
}

static uint64_t any_line(void)
{
	return BASE + 64 * (uint64_t)pick(LINES);
}

/* Accesses without order, and others, which are kept whole. */
static void fill(struct trace_stream *stream, uint32_t nr, bool mixed)
{
	trace_stream_part(stream, PARALLEL, 5, 6);
	for (uint32_t i = 0; i < nr; i++) {
		uint64_t address = any_line();

		if (mixed && i % 50 == 0)
			trace_stream_again(
				stream,
				(uint64_t[]){ reading, address, 0, reading, address + 24, 0 }, 3,
				40);
		else if (mixed && i % 7 == 0)
			trace_stream_words(
				stream,
				(uint64_t[]){ writing, address, 0, indexed, 0, (address + 64) / 4 },
				6);
		else
			trace_stream_words(stream, (uint64_t[]){ reading, address, 0 }, 3);
		if (mixed && i % 1000 == 999)
			trace_stream_barrier(stream);
	}
}

static bool take(void *ctx, const uint8_t *bytes, size_t nr)
{
	(void)ctx;
	CHECK_THAT(nr_pieces, <, PIECES_MOST);
	pieces[nr_pieces] = malloc(nr);
	test_at_end(free, pieces[nr_pieces]);
	memcpy(pieces[nr_pieces], bytes, nr);
	lengths[nr_pieces++] = nr;
	return true;
}

/* In one piece on the modelled machine, so that sets are the same whichever page comes first. */
static void one_block(void *ctx, void (*visit)(void *of, const struct blocks_row *row), void *of)
{
	(void)ctx;
	visit(of, &(struct blocks_row){ BASE, 64 * (LINES + 100), 2, BLOCKS_LIVE, 1 });
}

static const struct trace_drain *drained_before(void *ctx, uint32_t thread)
{
	return thread ? NULL : ctx;
}

/*
 * NULL: no memory. Lines of which one in so many is kept; `drained`: what came before of thread 0.
 */
static struct trace_reader *keep(struct trace_streams *streams, struct arena *arena,
				 uint32_t one_in, struct trace_drain *drained)
{
	struct trace_writer writer = { .buffer.arena = arena_new(), .write = take };
	struct trace_writer_facts facts = { .execution.one_in = one_in,
					    .each_block = one_block,
					    .drained = drained_before,
					    .ctx = drained };
	struct trace_reader *reader;

	nr_pieces = 0;
	CHECK(trace_writer_put(&writer, streams, &facts));
	reader = trace_reader_new(arena);
	for (size_t i = 0; i < nr_pieces; i++)
		CHECK(trace_reader_add(reader, pieces[i], lengths[i]));
	CHECK_INT(trace_reader_executions(reader), 1);
	return reader;
}

static size_t bytes_kept(void)
{
	size_t bytes = 0;

	for (size_t i = 0; i < nr_pieces; i++)
		bytes += lengths[i];
	return bytes;
}

/* ------------------------------------------------------------------ against set sampling */

struct told {
	struct simulator_counters estimates[SIMULATOR_REPLICATES];
};

static void add_slot(void *ctx, const struct simulation_key *key,
		     const struct simulator_counters *estimates, uint32_t replicates)
{
	struct told *told = ctx;
	uint64_t *to = (uint64_t *)told->estimates;
	const uint64_t *from = (const uint64_t *)estimates;

	CHECK_INT(replicates, SIMULATOR_REPLICATES);
	CHECK_INT(key->region, PARALLEL);
	for (size_t i = 0; i < sizeof(*told) / sizeof(uint64_t); i++)
		to[i] += from[i];
}

static void place_at(void *ctx, uint64_t address, uint64_t since, uint64_t until,
		     struct array_place *out)
{
	const struct trace_reader *reader = ctx;

	trace_reader_place(reader, 0, address, since, until, out);
}

static struct told simulate_sampled(struct trace_reader *reader, uint32_t one_in)
{
	struct simulation_places places = { .at = place_at, .ctx = reader };
	struct trace_streams *streams = trace_reader_streams(reader);
	struct simulation *simulation = simulation_new(
		&model, streams, SIMULATE_PRIVATE_CLASSES | SIMULATE_UTILISATION, &places);
	struct told told = { 0 };

	CHECK(simulation && simulation_sample(simulation, one_in));
	CHECK(trace_reader_play(reader, 0, streams, NULL, NULL));
	CHECK(simulation_run(simulation, 0));
	simulation_each(simulation, 0, add_slot, &told);
	simulation_free(simulation);
	trace_streams_free(streams);
	return told;
}

/*
 * What was recorded of some lines, and all of which some lines are looked at afterwards: the same
 * in each counter.
 */
TEST(sampled_traces__as_set_sampling_afterwards)
{
	static const uint32_t rates[] = { 4, 8, SIMULATOR_SPARSEST };
	struct arena *arena = arena_new();
	struct trace_streams *streams = trace_streams_new(1, PIECES);
	struct trace_reader *all;

	make_rows();
	fill(trace_stream_begin(streams, 0), READS / 4, true);
	all = keep(streams, arena, 1, NULL);
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct trace_reader *sampled = keep(streams, arena, rates[i], NULL);
		struct told before, after;

		CHECK_INT(trace_reader_execution(sampled, 0)->one_in, rates[i]);
		before = simulate_sampled(all, rates[i]);
		after = simulate_sampled(sampled, rates[i]);
		CHECK(before.estimates[0].reads > READS / 4 &&
		      before.estimates[0].read_misses[1] > 1000 &&
		      before.estimates[0].write_misses[1] > 100);
		CHECK(!memcmp(&before, &after, sizeof(before)));
	}
}

/* ------------------------------------------------------------------ a known miss rate */

static struct run new_run(struct arena *arena)
{
	struct run run = { .complete = true };

	run.regions = arena_alloc(arena, REGIONS * sizeof(*run.regions));
	run.nr_regions = run.room_regions = REGIONS;
	run.regions[USER] = (struct run_region){ .id = USER,
						 .parent = MS_REGION_NONE,
						 .kind = MS_USER_REGION };
	run.regions[PARALLEL] = (struct run_region){ .id = PARALLEL,
						     .parent = USER,
						     .kind = MS_PARALLEL_REGION };
	return run;
}

static double sum_of(const struct run *run, uint32_t region, enum ms_metric metric,
		     double *variance_out)
{
	double sum = 0;

	*variance_out = 0;
	for (size_t i = 0; i < run->nr_measurements; i++) {
		const struct ms_measurement *row = &run->measurements[i].row;

		if (row->region != region || row->metric != metric)
			continue;
		sum += row->stat.sum;
		*variance_out += row->stat.sum_squares;
	}
	return sum;
}

static bool is_missing(const struct run *run, enum ms_metric metric)
{
	for (size_t i = 0; i < run->nr_missing; i++)
		if (run->missing[i].metric == metric && run->missing[i].why == MS_MISSING_FEW_LINES)
			return true;
	return false;
}

static struct run simulated(struct arena *arena, struct trace_reader *reader,
			    const struct machine_model *machine, enum simulate_status wanted,
			    uint32_t jobs)
{
	struct run run = new_run(arena);

	CHECK_INT(simulate(arena, &run, reader, machine,
			   &(struct placement){ .threads = simulate_threads(reader) },
			   &(struct simulate_how){ .jobs = jobs })
			  .status,
		  wanted);
	return run;
}

/* Of lines without order a cache of a quarter of these misses three in four. */
static void check_rate(const struct run *run, uint32_t one_in)
{
	double variance, accesses = sum_of(run, PARALLEL, MS_METRIC_SIM_LOADS, &variance),
			 misses = sum_of(run, PARALLEL, MS_METRIC_SIM_L2D_MISSES, &variance);
	double known = accesses * (1 - (double)L2_LINES / LINES);

	CHECK_THAT(accesses, ==, THREADS * (double)READS);
	CHECK_NEAR(misses, known, 0.03 * known);
	CHECK(one_in == 1 ? variance == 0
			  : variance > 0 && STUDENT_3 * sqrt(variance) < 0.05 * misses);
	CHECK(is_missing(run, MS_METRIC_SIM_TLB_WALKS) == (one_in > 1) &&
	      run->modelled.lines_recorded == (one_in > 1) && run->modelled.one_in == one_in);
}

TEST(sampled_traces__known_miss_rate)
{
	struct arena *arena = arena_new();
	struct trace_streams *streams = trace_streams_new(THREADS, PIECES);
	struct run run, other;
	size_t whole;

	make_rows();
	for (uint32_t i = 0; i < THREADS; i++)
		fill(trace_stream_begin(streams, i), READS, false);
	run = simulated(arena, keep(streams, arena, 1, NULL), &model, SIMULATE_DONE, 1);
	check_rate(&run, 1);
	whole = bytes_kept();
	for (uint32_t one_in = 4; one_in <= SIMULATOR_SPARSEST; one_in *= 2) {
		struct trace_reader *reader = keep(streams, arena, one_in, NULL);

		CHECK_THAT(bytes_kept(), <, whole / 2);
		run = simulated(arena, reader, &model, SIMULATE_DONE, 1);
		check_rate(&run, one_in);
		other = simulated(arena, reader, &model, SIMULATE_DONE, 3);
		CHECK_INT(run.nr_measurements, other.nr_measurements);
		CHECK(!memcmp(run.measurements, other.measurements,
			      run.nr_measurements * sizeof(*run.measurements)));
	}
	CHECK_THAT(bytes_kept(), <, whole / 5);
}

/*
 * Fewer lines from some time on: all is simulated as the rest was recorded, and no access is lost.
 */
TEST(sampled_traces__fewer_as_it_goes_on)
{
	static const uint32_t rates[] = { 1, 4, 16 };
	struct arena *arena = arena_new();
	struct trace_streams *streams = trace_streams_new(THREADS, PIECES);
	struct trace_stream *first = trace_stream_begin(streams, 0);
	uint64_t room = 64 << 20;
	struct trace_drain drained = { .room = &room };
	struct trace_reader *reader;
	struct run run;

	make_rows();
	for (size_t i = 0; i < 3; i++) {
		fill(first, READS / 4, false);
		drained.one_in = rates[i];
		CHECK(trace_drain_take(&drained, first));
	}
	fill(first, READS / 4, false);
	fill(trace_stream_begin(streams, 1), READS, false);
	reader = keep(streams, arena, 1, &drained);
	CHECK_INT(trace_reader_execution(reader, 0)->one_in, 16);
	run = simulated(arena, reader, &model, SIMULATE_DONE, 2);
	check_rate(&run, 16);
	trace_drain_release(&drained);
}

/* Other sets are no estimate of all. */
TEST(sampled_traces__machines)
{
	struct machine_model other = model;
	struct arena *arena = arena_new();
	struct trace_streams *streams = trace_streams_new(1, PIECES);
	struct trace_reader *reader;

	make_rows();
	fill(trace_stream_begin(streams, 0), 1000, false);
	reader = keep(streams, arena, 8, NULL);
	other.cache[1].line = 128;
	simulated(arena, reader, &other, SIMULATE_OTHER_SETS, 1);
	other = model;
	other.cache[0].bytes = 16 << 10;
	simulated(arena, reader, &other, SIMULATE_OTHER_SETS, 1);
	other = model;
	other.cache[1].strides = true; /* learns from misses of all lines */
	simulated(arena, reader, &other, SIMULATE_OTHER_SETS, 1);
	simulated(arena, reader, &model, SIMULATE_DONE, 1);
}

/* A library's region that the run does not have fills the caches, and counts for nothing. */
TEST(sampled_traces__regions_of_others)
{
	static const uint32_t unknown[] = { REGIONS, MS_REGION_NONE, TRACE_SERIAL | 5 };
	struct arena *arena = arena_new();
	struct trace_streams *streams = trace_streams_new(1, PIECES);
	struct trace_stream *stream = trace_stream_begin(streams, 0);
	struct run run;
	double variance;

	make_rows();
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		trace_stream_part(stream, unknown[i], 5, 6);
		trace_stream_words(stream, (uint64_t[]){ reading, BASE, 0 }, 3);
	}
	fill(stream, 1000, false);
	run = simulated(arena, keep(streams, arena, 1, NULL), &model, SIMULATE_DONE, 1);
	CHECK_THAT(sum_of(&run, PARALLEL, MS_METRIC_SIM_LOADS, &variance), ==, 1000);
}

/* ------------------------------------------------------------------ bursts */

/* Both threads read the same half of what their second-level caches hold. */
static struct trace_reader *keep_burst(struct arena *arena, uint64_t ns)
{
	struct trace_streams *streams = trace_streams_new(THREADS, PIECES);
	struct traced_burst burst = { PARALLEL, ns };
	struct trace_writer writer = { .buffer.arena = arena, .write = take };
	struct trace_writer_facts facts = { .execution.one_in = 1,
					    .execution.nr_bursts = ns > 0,
					    .execution.bursts = &burst,
					    .each_block = one_block,
					    .drained = drained_before };
	struct trace_reader *reader = trace_reader_new(arena);

	for (uint32_t i = 0; i < THREADS; i++) {
		struct trace_stream *stream = trace_stream_begin(streams, i);

		trace_stream_team(stream, 1, i);
		trace_stream_part(stream, PARALLEL, 5, 6);
		for (uint64_t line = 0; line < L2_LINES / 2; line++)
			trace_stream_words(stream, (uint64_t[]){ reading, BASE + 64 * line, 0 }, 3);
		trace_stream_team_end(stream);
	}
	nr_pieces = 0;
	CHECK(trace_writer_put(&writer, streams, &facts));
	for (size_t i = 0; i < nr_pieces; i++)
		CHECK(trace_reader_add(reader, pieces[i], lengths[i]));
	trace_streams_free(streams);
	return reader;
}

/* Misses of the second-level cache by accesses, where the burst is a part of the region's time. */
static double missing_part(uint64_t burst_ns, double region_ns)
{
	struct arena *arena = arena_new();
	struct trace_reader *reader = keep_burst(arena, burst_ns);
	struct run run = new_run(arena);
	double variance, accesses;

	run.phase.executions = 1;
	run.phase.wall_ns = region_ns;
	run.measurements = arena_alloc(arena, sizeof(*run.measurements));
	run.measurements[0] = (struct run_measurement){ .row = { .region = PARALLEL,
								 .metric = MS_METRIC_TIME,
								 .stat.sum = region_ns,
								 .stat.count = 1 },
							.phases = 1,
							.observed_ns = region_ns };
	run.nr_measurements = run.room_measurements = 1;
	CHECK_INT(simulate(arena, &run, reader, &model, &(struct placement){ .threads = THREADS },
			   &(struct simulate_how){ .jobs = 1 })
			  .status,
		  SIMULATE_DONE);
	accesses = sum_of(&run, PARALLEL, MS_METRIC_SIM_LOADS, &variance);
	CHECK_THAT(accesses, >=, THREADS * L2_LINES / 2.0);
	return sum_of(&run, PARALLEL, MS_METRIC_SIM_L2D_MISSES, &variance) / accesses;
}

/*
 * Lines of a part that fits into a cache are found there when all that the part stands for fits,
 * too; after more data they are not.
 */
TEST(sampled_traces__what_a_burst_stands_for_displaces_its_lines)
{
	make_rows();
	CHECK_THAT(missing_part(0, 1000), ==, 0);
	CHECK_THAT(missing_part(1000, 1500), ==, 0);
	CHECK_THAT(missing_part(1000, 8000), >, 0.99);
}
