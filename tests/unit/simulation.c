/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads' traces through the modelled machine: in the order of the program, whatever the order on
 * this host.
 */
#include "analysis/trace/simulation.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/code/code.h"
#include "analysis/trace/page_touches.h"
#include "analysis/trace/record_rows.h"
#include "analysis/trace/simulation_places.h"
#include "ompt_tool/arrays/array.h"
#include "ompt_tool/clones/word_buffer.h"
#include "tests/unit/test.h"

#define CORES 4
#define LINE 64
#define REGION 7
#define PIECES 768

static const struct machine_model model = {
	.name = "test", .source = "", .cores = CORES, .nodes = 2, .hz = 1e9,
	.cache = {
		{ .bytes = 4 << 10, .ways = 4, .line = LINE, .cores = 1, .latency = 4 },
		{ .bytes = 32 << 10, .ways = 8, .line = LINE, .cores = 1, .latency = 14 },
		{ .bytes = 256 << 10, .ways = 16, .line = LINE, .cores = 2, .latency = 40 },
	},
	.tlb = { { 16, 4, 0 }, { 64, 4, 7 } },
	.page = 4096, .walk_latency = 30, .memory_latency = 200, .remote_latency = 300, .transfer_latency = 60, .remote_transfer_latency = 120,
};

static struct trace_streams *traces;
static uint32_t reading, writing; /* stretches of one access of 8 bytes */

static uint32_t stretch_of(bool write)
{
	struct record_site site = { .size = 8,
				    .access = CODE_ACCESS_PLAIN,
				    .base_word = 1,
				    .read = !write,
				    .write = write };
	struct record_stretch row = { .first_site = record_rows_add_site(&site),
				      .nr_sites = 1,
				      .words = 1 };

	return record_rows_add_stretch(&row);
}

static struct simulation *start_at(struct trace_stream *streams[CORES],
				   const struct simulation_places *places)
{
	struct simulation *simulation;

	traces = trace_streams_new(CORES, PIECES);
	CHECK(traces != NULL);
	simulation = simulation_new(&model, traces, SIMULATE_CLASSES | SIMULATE_UTILISATION,
				    places);

	CHECK(simulation != NULL);
	if (!reading) {
		reading = stretch_of(false);
		writing = stretch_of(true);
	}
	for (uint32_t i = 0; i < CORES; i++) {
		streams[i] = trace_stream_begin(traces, i);
		CHECK(streams[i] != NULL);
		trace_stream_part(streams[i], REGION, array_time(), array_time());
	}
	CHECK(!trace_stream_begin(traces, CORES));
	return simulation;
}

static struct simulation *start(struct trace_stream *streams[CORES])
{
	return start_at(streams, array_places());
}

static void touch(struct trace_stream *stream, uint32_t stretch, const void *address)
{
	trace_stream_words(stream, (uint64_t[]){ stretch, (uintptr_t)address }, 2);
}

/* A run of `times` accesses, `stride` bytes apart. */
static void run(struct trace_stream *stream, uint32_t stretch, const char *from, uint64_t times,
		int64_t stride)
{
	const uint64_t words[] = { stretch, (uintptr_t)from, stretch,
				   (uintptr_t)from + (uint64_t)stride };

	trace_stream_again(stream, words, 2, times);
}

static void add(void *ctx, const struct simulation_key *key,
		const struct simulator_counters *counters, uint32_t replicates)
{
	struct simulator_counters *sums = ctx;

	CHECK_INT(replicates, 1);
	CHECK_INT(key->region, REGION);
	for (size_t i = 0; i < sizeof(*sums) / sizeof(uint64_t); i++)
		((uint64_t *)sums)[i] += ((const uint64_t *)counters)[i];
}

static struct simulator_counters counters_of(struct simulation *simulation, uint32_t core)
{
	struct simulator_counters sums = { 0 };

	simulation_each(simulation, core, add, &sums);
	return sums;
}

static char memory[1 << 20] __attribute__((aligned(4096)));

TEST(simulation__serial_code_is_its_threads_alone)
{
	struct trace_stream *streams[CORES];
	struct simulation *simulation = start(streams);
	struct simulator_counters counters;

	run(streams[0], reading, memory, 64, 8);
	touch(streams[0], writing, memory);
	CHECK(simulation_run(simulation, 0));
	counters = counters_of(simulation, 0);
	CHECK_INT(counters.reads, 64);
	CHECK_INT(counters.writes, 1);
	CHECK_INT(counters.read_misses[0], 8);
	CHECK_INT(counters.classes[1][CLASS_COLD], 8);
	CHECK_INT(counters.dram_local, 8);
	CHECK_INT(counters_of(simulation, 1).reads, 0);
	simulation_clear(simulation);
	CHECK_INT(counters_of(simulation, 0).reads, 0);
	touch(streams[0], reading, memory); /* what was cleared is in the caches still */
	CHECK(simulation_run(simulation, 0));
	CHECK_INT(counters_of(simulation, 0).read_misses[0], 0);
	simulation_free(simulation);
	trace_streams_free(traces);
}

static const struct array_case {
	bool real;
	uint32_t toucher;
	uint64_t local, remote;
} array_cases[] = {
	{ false, 0, 64, 0 },
	{ false, 3, 0, 64 },
	{ true, 3, 0, 64 },
};

/*
 * A page lies on the node of whoever touched it first in the program, and not of core 0, which is
 * simulated first.
 */
TEST(simulation__pages_lie_where_the_program_touched_them)
{
	struct array row = {
		.kind = ARRAY_STATIC, .name = "placed", .type = "", .file = "", .module = ""
	};
	uint32_t array = array_new(&row);

	CHECK(page_touches_start(4096));
	CHECK(array_block_add(array, (uintptr_t)memory, sizeof(memory)));
	for (size_t i = 0; i < sizeof(array_cases) / sizeof(*array_cases); i++) {
		struct trace_stream *streams[CORES];
		struct simulation *simulation = start(streams);
		struct simulator_counters counters;
		struct simulator_pages pages;

		if (array_cases[i].real)
			simulation_use_real_addresses(simulation);
		page_touches_add(array, (uintptr_t)memory,
				 &(struct page_touch){ array_cases[i].toucher, 1, 12, false });
		run(streams[0], reading, memory, 64, LINE);
		run(streams[0], reading, memory + 8192, 64, LINE);
		CHECK(simulation_run(simulation, 0));
		counters = counters_of(simulation, 0);
		/* nobody knows of the other page */
		CHECK_INT(counters.dram_local, 64 + array_cases[i].local);
		CHECK_INT(counters.dram_remote, array_cases[i].remote);
		pages = simulation_pages(simulation);
		CHECK_INT(pages.accessed, 2);
		CHECK_INT(pages.placed, 1);
		simulation_free(simulation);
		trace_streams_free(traces);
	}
	CHECK(array_block_remove((uintptr_t)memory, &(uint64_t){ 0 }));
}

static uint32_t toucher_of(void *ctx, uint32_t array)
{
	(void)ctx, (void)array;
	return 3; /* on node 1 */
}

/*
 * Homes go before first touches; a page that is everywhere is local to all, and what one thread
 * touched is its own where no page is known.
 */
TEST(simulation__homes)
{
	struct array row = {
		.kind = ARRAY_STATIC, .name = "housed", .type = "", .file = "", .module = ""
	};
	uint32_t array = array_new(&row);
	const uint64_t low = (uintptr_t)memory;
	const struct simulation_home homes[] = {
		{ low, low + 4096, 0 }, { low + 8192, low + 12288, SIMULATOR_EVERYWHERE }
	};
	struct simulation_places places = *array_places();
	struct trace_stream *streams[CORES];
	struct simulation *simulation;

	CHECK(array_block_add(array, low, sizeof(memory)));
	places.toucher = toucher_of;
	places.homes = homes;
	places.nr_homes = 2;
	simulation = start_at(streams, &places);
	for (uint32_t page = 0; page < 3; page++)
		run(streams[0], reading, memory + page * 4096, 64, LINE);
	CHECK(simulation_run(simulation, 0));
	CHECK_INT(counters_of(simulation, 0).dram_local, 128);
	CHECK_INT(counters_of(simulation, 0).dram_remote, 64); /* of the page between */
	simulation_free(simulation);
	trace_streams_free(traces);
	CHECK(array_block_remove(low, &(uint64_t){ 0 }));
}

/* Misses of the first level, of 32 lines that are 4 KiB apart, ten times. */
static uint64_t misses_of_column(const struct simulation_layout *layout)
{
	struct simulation_places places = *array_places();
	struct trace_stream *streams[CORES];
	struct simulation *simulation;
	uint64_t misses;

	places.layouts = layout;
	places.nr_layouts = layout ? 1 : 0;
	simulation = start_at(streams, &places);
	for (int i = 0; i < 10; i++)
		run(streams[0], reading, memory, 32, 4096);
	CHECK(simulation_run(simulation, 0));
	misses = counters_of(simulation, 0).read_misses[0];
	CHECK_INT(counters_of(simulation, 0).reads, 320);
	simulation_free(simulation);
	trace_streams_free(traces);
	return misses;
}

TEST(simulation__layouts)
{
	struct array row = {
		.kind = ARRAY_STATIC, .name = "laid out", .type = "", .file = "", .module = ""
	};
	uint32_t array = array_new(&row);

	CHECK(array_block_add(array, (uintptr_t)memory, sizeof(memory)));
	CHECK_INT(misses_of_column(NULL), 320);
	CHECK_INT(misses_of_column(&(struct simulation_layout){
			  .array = array, .unit = 4096, .padded = 4096 + LINE }),
		  32);
	CHECK_INT(misses_of_column(&(struct simulation_layout){
			  .array = array + 1, .unit = 4096, .padded = 4096 + LINE }),
		  320);
	CHECK(array_block_remove((uintptr_t)memory, &(uint64_t){ 0 }));
}

/* 16 elements that begin inside of a line touch three lines, else two. */
TEST(simulation__layouts_that_align)
{
	struct array row = {
		.kind = ARRAY_STATIC, .name = "aligned", .type = "", .file = "", .module = ""
	};
	uint32_t array = array_new(&row);
	const struct simulation_layout aligned = { .array = array, .align = LINE };
	struct simulation_places places = *array_places();

	CHECK(array_block_add(array, (uintptr_t)memory + 8, 128));
	for (size_t nr = 0; nr < 2; nr++) {
		struct trace_stream *streams[CORES];
		struct simulation *simulation;

		places.layouts = &aligned;
		places.nr_layouts = nr;
		simulation = start_at(streams, &places);
		run(streams[0], reading, memory + 8, 16, 8);
		CHECK(simulation_run(simulation, 0));
		CHECK_INT(counters_of(simulation, 0).read_misses[0], nr ? 2 : 3);
		simulation_free(simulation);
		trace_streams_free(traces);
	}
	CHECK(array_block_remove((uintptr_t)memory + 8, &(uint64_t){ 0 }));
}

/* A field of 64 structs of 64 bytes: a line each, or 8 lines where each field has an array of its own. */
TEST(simulation__layouts_that_split)
{
	struct array row = {
		.kind = ARRAY_STATIC, .name = "structs", .type = "", .file = "", .module = ""
	};
	uint32_t array = array_new(&row);
	const struct simulation_layout split = {
		.array = array, .unit = 64, .padded = 64, .align = LINE, .part = 8
	};
	struct simulation_places places = *array_places();

	CHECK(array_block_add(array, (uintptr_t)memory, 64 * 64));
	for (size_t nr = 0; nr < 2; nr++) {
		struct trace_stream *streams[CORES];
		struct simulation *simulation;

		places.layouts = &split;
		places.nr_layouts = nr;
		simulation = start_at(streams, &places);
		for (size_t field = 0; field < 16; field += 8)
			run(streams[0], reading, memory + field, 64, 64);
		CHECK(simulation_run(simulation, 0));
		CHECK_INT(counters_of(simulation, 0).reads, 128);
		CHECK_INT(counters_of(simulation, 0).read_misses[0], nr ? 16 * 64 / LINE : 64);
		simulation_free(simulation);
		trace_streams_free(traces);
	}
	CHECK(array_block_remove((uintptr_t)memory, &(uint64_t){ 0 }));
}

/* Elements of two arrays, far apart: two lines each time, or one where they are in one struct. */
TEST(simulation__layouts_that_merge)
{
	struct array row = {
		.kind = ARRAY_STATIC, .name = "x", .type = "", .file = "", .module = ""
	};
	uint32_t x = array_new(&row), y = array_new(&row);
	const struct simulation_layout merged[] = {
		{ .array = x, .unit = 8, .padded = 16, .align = LINE, .merged = true },
		{ .array = y, .unit = 8, .padded = 16, .align = LINE, .merged = true, .at = 8 },
	};
	struct simulation_places places = *array_places();
	char *second = memory + 8192;

	CHECK(array_block_add(x, (uintptr_t)memory, 8192));
	CHECK(array_block_add(y, (uintptr_t)second, 8192));
	for (size_t nr = 0; nr < 3; nr += 2) {
		struct trace_stream *streams[CORES];
		struct simulation *simulation;

		places.layouts = merged;
		places.nr_layouts = nr;
		simulation = start_at(streams, &places);
		run(streams[0], reading, memory, 16, 64);
		run(streams[0], reading, second, 16, 64);
		CHECK(simulation_run(simulation, 0));
		CHECK_INT(counters_of(simulation, 0).reads, 32);
		CHECK_INT(counters_of(simulation, 0).read_misses[0], nr ? 16 : 32);
		simulation_free(simulation);
		trace_streams_free(traces);
	}
	CHECK(array_block_remove((uintptr_t)memory, &(uint64_t){ 0 }));
	CHECK(array_block_remove((uintptr_t)second, &(uint64_t){ 0 }));
}

/* As Itanium's: what floating-point registers load passes the first level by. */
TEST(simulation__floating_point_accesses_pass_a_first_level_that_has_integers_only)
{
	const struct record_site site = { .size = 8,
					  .access = CODE_ACCESS_PLAIN,
					  .base_word = 1,
					  .read = true,
					  .is_float = true };
	struct machine_model integers_only = model;
	struct trace_stream *stream;
	struct simulation *simulation;
	struct simulator_counters counters;
	uint32_t loading;

	integers_only.cache[0].float_bypasses = integers_only.cache[0].write_through = true;
	traces = trace_streams_new(1, PIECES);
	simulation = simulation_new(&integers_only, traces, SIMULATE_CLASSES | SIMULATE_UTILISATION,
				    array_places());
	stream = trace_stream_begin(traces, 0);
	trace_stream_part(stream, REGION, array_time(), array_time());
	reading = stretch_of(false);
	loading = record_rows_add_stretch(&(struct record_stretch){
		.first_site = record_rows_add_site(&site), .nr_sites = 1, .words = 1 });
	run(stream, loading, memory, 64, 8);
	touch(stream, loading, memory);
	simulation_run(simulation, 0);
	counters = counters_of(simulation, 0);
	CHECK_INT(counters.reads, 65);
	CHECK_INT(counters.bypassed, 65);
	CHECK_INT(counters.read_misses[0], 0);
	CHECK_INT(counters.read_misses[1], 8);
	run(stream, reading, memory, 64, 8); /* which are not in the first level, therefore */
	simulation_run(simulation, 0);
	counters = counters_of(simulation, 0);
	CHECK_INT(counters.bypassed, 65);
	CHECK_INT(counters.read_misses[0], 8);
	CHECK_INT(counters.read_misses[1], 8);
	simulation_free(simulation);
	trace_streams_free(traces);
}

/* Thread 0 writes before the barrier what thread 1 reads behind it; or the other way round. */
static uint64_t transfers(bool write_first, bool backwards)
{
	struct trace_stream *streams[CORES];
	struct simulation *simulation = start(streams);
	uint64_t moved;

	for (int i = 0; i < 2; i++) {
		struct trace_stream *stream = streams[backwards ? 1 - i : i];
		bool writes = stream == streams[0];

		trace_stream_team(stream, 99, writes ? 0 : 1);
		if (writes == write_first)
			touch(stream, writes ? writing : reading, memory);
		trace_stream_barrier(stream);
		if (writes != write_first)
			touch(stream, writes ? writing : reading, memory);
		trace_stream_team_end(stream);
	}
	CHECK(simulation_run(simulation, 0));
	moved = counters_of(simulation, 1).transfers;
	CHECK_INT(counters_of(simulation, 0).writes, 1);
	CHECK_INT(counters_of(simulation, 1).reads, 1);
	CHECK_INT(simulation_order(simulation).lost_teams, 0);
	simulation_free(simulation);
	trace_streams_free(traces);
	return moved;
}

TEST(simulation__barriers_order_what_threads_do)
{
	CHECK_INT(transfers(true, false), 1);
	CHECK_INT(transfers(true, true), 1);
	CHECK_INT(transfers(false, false), 0);
	CHECK_INT(transfers(false, true), 0);
}

/*
 * A program of several teams with barriers and unequal work, written by threads at their own pace;
 * in pieces: some hand over what they have meanwhile.
 */
struct script {
	struct trace_stream *stream;
	uint32_t thread;
	bool in_pieces;
};

static void *run_script(void *ctx)
{
	const struct script *script = ctx;

	for (uint64_t team = 1; team <= 20; team++) {
		if (script->thread == 0)
			run(script->stream, writing, memory, 100, 72);
		trace_stream_team(script->stream, team, script->thread);
		for (int part = 0; part < 3; part++) {
			run(script->stream, part == 1 ? writing : reading,
			    memory + 4096 * script->thread * team % 65536, 50 + 30 * script->thread,
			    24);
			run(script->stream, writing, memory + 65536 + 8 * script->thread, 20, 256);
			if (script->in_pieces && (team + script->thread + (uint64_t)part) % 3 == 0)
				trace_stream_team(script->stream, team, script->thread);
			trace_stream_barrier(script->stream);
		}
		trace_stream_team_end(script->stream);
	}
	return NULL;
}

static void simulate_script(bool at_once, struct simulator_counters out[CORES])
{
	struct trace_stream *streams[CORES];
	struct simulation *simulation = start(streams);
	struct script scripts[CORES];
	pthread_t threads[CORES];

	for (uint32_t i = 0; i < CORES; i++) {
		uint32_t thread = at_once ? i : CORES - 1 - i;

		scripts[thread] = (struct script){ streams[thread], thread, at_once };
		CHECK_INT(pthread_create(&threads[thread], NULL, run_script, &scripts[thread]), 0);
		if (!at_once)
			pthread_join(threads[thread], NULL);
	}
	for (uint32_t i = 0; i < CORES && at_once; i++)
		pthread_join(threads[i], NULL);
	CHECK(simulation_run(simulation, 0));
	for (uint32_t i = 0; i < CORES; i++)
		out[i] = counters_of(simulation, i);
	CHECK_INT(simulation_order(simulation).early_windows, 0);
	CHECK_INT(simulation_order(simulation).lost_teams, 0);
	CHECK_INT(simulation_order(simulation).lost_accesses, 0);
	simulation_free(simulation);
	trace_streams_free(traces);
}

TEST(simulation__counters_do_not_depend_on_the_hosts_order)
{
	struct simulator_counters first[CORES], again[CORES];

	simulate_script(false, first);
	CHECK(first[1].transfers > 0 && first[3].reads > first[0].reads);
	for (int round = 0; round < 5; round++) {
		simulate_script(true, again);
		CHECK(!memcmp(first, again, sizeof(first)));
	}
}

/*
 * More than the traces have room for, behind meetings or not: nothing is lost, but windows end
 * early, and that is said.
 */
static void fill_traces(bool meets)
{
	struct trace_stream *streams[CORES];
	struct simulation *simulation = start(streams);
	uint64_t accesses = 0, words[2 * 1000];

	for (uint32_t i = 0; meets && i < 2; i++) {
		trace_stream_team(streams[i], 9, i);
		trace_stream_barrier(streams[i]);
		trace_stream_team_end(streams[i]);
	}
	for (int i = 0; i < 1000; i++) {
		words[2 * i] = reading;
		words[2 * i + 1] = (uintptr_t)memory + (uintptr_t)(i * 7919 % 9000);
	}
	for (int i = 0; i < 4000; i++, accesses += 1000)
		trace_stream_words(streams[0], words, 2000);
	CHECK(simulation_run(simulation, 0));
	CHECK_THAT(simulation_order(simulation).early_windows, >, 0);
	CHECK_INT(simulation_order(simulation).lost_accesses, 0);
	CHECK_INT(simulation_order(simulation).lost_teams, 0);
	CHECK_INT(counters_of(simulation, 0).reads, accesses);
	simulation_free(simulation);
	trace_streams_free(traces);
}

/*
 * Not for longer than is allowed: then what comes is not simulated, and the whole execution brings
 * nothing.
 */
TEST(simulation__early_windows_have_a_limit)
{
	struct trace_stream *streams[CORES];
	struct simulation *simulation = start(streams);
	uint64_t words[2 * 1000];

	for (int i = 0; i < 1000; i++) {
		words[2 * i] = reading;
		words[2 * i + 1] = (uintptr_t)memory + (uintptr_t)(i * 7919 % 9000);
	}
	streams[0]->allowed_ns = 1;
	for (int i = 0; i < 4000; i++)
		trace_stream_words(streams[0], words, 2000);
	CHECK(!simulation_run(simulation, 0));
	simulation_clear(simulation);
	trace_stream_words(streams[0], words, 2000);
	CHECK(simulation_run(simulation, 0));
	simulation_free(simulation);
	trace_streams_free(traces);
}

TEST(simulation__full_traces_are_simulated_early)
{
	fill_traces(false);
}
TEST(simulation__full_traces_behind_meetings_are_too)
{
	fill_traces(true);
}

/* Of a team that thread 0 was never in nobody knows when it ran. */
TEST(simulation__teams_without_the_initial_thread_are_counted)
{
	struct trace_stream *streams[CORES];
	struct simulation *simulation = start(streams);

	for (int i = 1; i < 3; i++) {
		trace_stream_team(streams[i], 5, (uint32_t)i);
		touch(streams[i], reading, memory);
		trace_stream_team_end(streams[i]);
	}
	CHECK(simulation_run(simulation, 0));
	CHECK_INT(simulation_order(simulation).lost_teams, 1);
	CHECK_INT(counters_of(simulation, 1).reads + counters_of(simulation, 2).reads, 2);
	simulation_free(simulation);
	trace_streams_free(traces);
}

/*
 * Each data structure has its counters, and lies in the modelled machine as it was met first, not
 * as it lies here.
 */
static uint64_t misses_of_two(char *a, char *b)
{
	struct trace_stream *streams[CORES];
	struct array row = { .kind = ARRAY_STATIC,
			     .name = "",
			     .type = "",
			     .file = "",
			     .module = "",
			     .bytes = 2048 };
	uint32_t first = array_new(&row), second = array_new(&row);
	struct simulation *simulation;
	uint64_t misses;

	CHECK(array_block_add(first, (uintptr_t)a, 2048) &&
	      array_block_add(second, (uintptr_t)b, 2048));
	simulation = start(streams);
	for (int i = 0; i < 10; i++) {
		run(streams[0], reading, a, 32, LINE);
		run(streams[0], reading, b, 32, LINE);
	}
	CHECK(simulation_run(simulation, 0));
	misses = counters_of(simulation, 0).read_misses[0];
	simulation_free(simulation);
	trace_streams_free(traces);
	CHECK(array_block_remove((uintptr_t)a, &(uint64_t){ 0 }) &&
	      array_block_remove((uintptr_t)b, &(uint64_t){ 0 }));
	return misses;
}

TEST(simulation__results_do_not_depend_on_where_data_lies)
{
	uint64_t near = misses_of_two(memory, memory + 4096),
		 far = misses_of_two(memory + (512 << 10), memory + 4096 * 9);

	CHECK_THAT(near, >=, 64);
	CHECK_INT(near, far);
}

/* One line of each of 24 pages that are 4 pages apart, ten times over. */
static uint64_t misses_of_pages(bool real_addresses)
{
	struct trace_stream *streams[CORES];
	struct simulation *simulation = start(streams);
	uint64_t misses;

	if (real_addresses)
		simulation_use_real_addresses(simulation);
	for (int i = 0; i < 10; i++)
		for (int page = 0; page < 24; page++)
			touch(streams[0], reading, memory + page * 4 * 4096);
	CHECK(simulation_run(simulation, 0));
	misses = counters_of(simulation, 0).read_misses[2];
	simulation_free(simulation);
	trace_streams_free(traces);
	return misses;
}

/*
 * There they share one set of L3, which is too small for them; in the order of their first accesses
 * pages have all colours, and go into four sets.
 */
TEST(simulation__data_lies_where_the_host_has_it_if_asked_to)
{
	CHECK_INT(misses_of_pages(true), 240);
	CHECK_INT(misses_of_pages(false), 24);
}

/* What is not done in time is forgotten, and what comes next is right. */
static bool count_down(void *ctx)
{
	uint32_t *left = ctx;

	return *left && --*left;
}

/*
 * Whoever asks between windows may say that it is enough; until the traces are cleared what is left
 * is there.
 */
TEST(simulation__ends_between_windows)
{
	struct trace_stream *streams[CORES];
	struct simulation *simulation = start(streams);
	uint32_t windows = 2;

	for (uint64_t team = 1; team <= 4; team++) {
		trace_stream_team(streams[0], team, 0);
		run(streams[0], reading, memory, 1000, 64);
		trace_stream_team_end(streams[0]);
	}
	CHECK_THAT(simulation_words_left(simulation), >, 0);
	simulation_between(simulation, count_down, &windows);
	CHECK(!simulation_run(simulation, 0));
	CHECK_INT(counters_of(simulation, 0).reads, 2000);
	CHECK_THAT(simulation_words_left(simulation), >, 0);
	simulation_clear(simulation);
	CHECK_INT(simulation_words_left(simulation), 0);
	simulation_between(simulation, NULL, NULL);
	run(streams[0], reading, memory, 1000, 64);
	CHECK(simulation_run(simulation, 0));
	simulation_free(simulation);
	trace_streams_free(traces);
}

TEST(simulation__ends_at_its_deadline)
{
	struct trace_stream *streams[CORES];
	struct simulation *simulation = start(streams);
	uint32_t core;

	for (int i = 0; i < 100; i++)
		run(streams[0], reading, memory, 1000, 64);
	trace_stream_team(streams[1], 3, 1);
	touch(streams[1], reading, memory);
	CHECK(!simulation_run(simulation, 1));
	CHECK_THAT(counters_of(simulation, 0).reads, <, 100000);
	simulation_clear(simulation);
	CHECK(!simulation_core(simulation, 0, &core));
	trace_stream_part(streams[0], REGION, array_time(), array_time());
	run(streams[0], reading, memory, 1000, 64);
	CHECK(simulation_run(simulation, 0));
	CHECK_INT(counters_of(simulation, 0).reads, 1000);
	CHECK_INT(counters_of(simulation, 1).reads, 0);
	CHECK(simulation_core(simulation, 0, &core) && core == 0);
	simulation_free(simulation);
	trace_streams_free(traces);
}
