/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records: what is written is read; cut anywhere, flipped, lying or foreign they do no harm; they
 * stay small.
 */
#include "analysis/record/record.h"

#include <stdlib.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/record/coding.h"
#include "analysis/record/crc32c.h"
#include "analysis/record/fields.h"
#include "analysis/record/format.h"
#include "analysis/record/run_check.h"
#include "memsearch/host.h"
#include "memsearch/request.h"
#include "tests/host/random_run.h"
#include "tests/host/scratch.h"
#include "tests/unit/test.h"

enum { KEPT_BYTES = 4 << 20 }; /* of an arena that is used again and again */
#define QUIET() CHECK(freopen("/dev/null", "w", stderr))

/* Writes a run that changes `updates` times; ends[k] is the file's size after update k. */
static void write_record(const char *path, uint64_t seed, size_t rows, size_t updates,
			 uint64_t *ends, struct run *run, struct arena *arena)
{
	struct record *record = record_create(arena, path, NULL);

	CHECK(record);
	random_run(arena, seed, rows, run);
	for (size_t k = 0; k < updates; k++) {
		if (k)
			random_change(arena, seed + k, run);
		CHECK_INT(record_update(record, run), MS_OK);
		if (ends)
			ends[k] = record_bytes(record);
	}
	CHECK_INT(record_close(record, run), MS_OK);
}

static void check_same(int line, const struct run *have, const struct run *want)
{
	const char *difference = run_difference(have, want);

	if (difference)
		test_fail(__FILE__, line, "differs in %s", difference);
}

/* A field that fields.c forgets would be kept nowhere: every byte but padding must be named. */
static size_t bytes_named(const struct fields *fields, bool *counts)
{
	size_t named = 0;
	static const size_t bytes[] = {
		[FIELD_STRING] = sizeof(char *),
		[FIELD_BOOL] = sizeof(bool),
		[FIELD_INT] = sizeof(int),
		[FIELD_U32] = 4,
		[FIELD_U64] = 8,
		[FIELD_DOUBLE] = 8,
		[FIELD_ENUM] = 4,
	};

	for (size_t i = 0; i < fields->nr; i++) {
		const struct field *field = &fields->list[i];

		if (field->type == FIELD_STRUCT)
			named += bytes_named(field->of, NULL);
		else if (field->type == FIELD_ARRAY)
			named += sizeof(void *) +
				 (counts[field->count_offset] ? 0 : sizeof(size_t));
		else
			named += bytes[field->type];
		if (field->type == FIELD_ARRAY)
			counts[field->count_offset] = true;
	}
	return named;
}

TEST(record__fields_name_every_byte)
{
	static const struct {
		int line;
		const char *table;
		size_t padding; /* and bytes left out on purpose */
	} cases[] = {
		{ __LINE__, "modules", 0 },
		/* addresses; after kind; resolved; approximate; after mutex */
		{ __LINE__, "regions", 4 * 3 + 4 + 7 + 2 * 3 + 4 },
		{ __LINE__, "measurements", 4 }, /* reserved */
		{ __LINE__, "missing", 0 },
		{ __LINE__, "hotspots", 4 * 2 + 7 + 2 * 3 },
		{ __LINE__, "nodes", 6 },       /* after severity_of_model */
		{ __LINE__, "dropped", 4 + 3 }, /* address; approximate */
		{ __LINE__, "sensors", 7 },
		{ __LINE__, "counters", 4 + 4 }, /* after metric; after why */
		{ __LINE__, "places", 4 },
		/* whole; after line, element_bytes; address; why; approximate */
		{ __LINE__, "arrays", 4 * 5 + 3 },
		/* after by_kernel; addresses; is_return; approximate */
		{ __LINE__, "touches", 6 + 4 * 2 + 7 + 3 },
		{ __LINE__, "accesses", 4 + 4 + 3 }, /* address; unrolled; approximate */
		{ __LINE__, "sharings", 0 },
		{ __LINE__, "settings", 0 },
		{ __LINE__, "placements", 2 }, /* after file */
		{ __LINE__, "node_memory", 4 },
		{ __LINE__, "trials", 4 + 4 },    /* after pairs; after threads */
		{ __LINE__, "phases", 3 },        /* after here */
		{ __LINE__, "writes", 4 },        /* after array */
		{ __LINE__, "intervals", 4 + 7 }, /* after kind; after open */
		{ __LINE__, "variables", 0 },
		{ __LINE__, "steps", 0 },
	};
	size_t run = bytes_named(&run_fields, NULL) + nr_run_tables * 3 * sizeof(size_t);

	for (size_t i = 0; i < nr_run_tables; i++) {
		bool counts[sizeof(struct run_region) + sizeof(struct run_node)] = { false };
		size_t named = bytes_named(run_tables[i].fields, counts);

		CHECK_STR(run_tables[i].name, cases[i].table);
		if (named + cases[i].padding != run_tables[i].fields->bytes)
			test_fail(__FILE__, cases[i].line,
				  "%s: %zu bytes named, %zu padding, of %zu", cases[i].table, named,
				  cases[i].padding, run_tables[i].fields->bytes);
	}
	/*
	 * runtime_swapped, complete, nodes, limit_bound, at_once, restarts_would_help,
	 * nr_thread_cores, lines_recorded and here, position, balancing, asked; last bytes_ignored and what only who
	 * simulates knows: thread_cores, nr_thread_cores, placement, begins and begins_apart
	 */
	CHECK_INT(sizeof(struct run) - run,
		  3 + 3 + 4 + 7 + 4 + 3 + 4 + 2 + 4 + 8 + 8 + 4 + 8 + 8 + 8 + 7 + 7);
}

TEST(record__what_is_written_is_read)
{
	scratch_enter();
	for (uint64_t seed = 1; seed <= 150; seed++) {
		struct arena *arena = arena_new();
		struct run run, again;
		uint64_t ignored = 1;

		write_record("x.ms", seed, seed % 40, 1 + seed % 5, NULL, &run, arena);
		CHECK_INT(record_read(arena, "x.ms", &again, &ignored), MS_OK);
		CHECK_INT(ignored, 0);
		CHECK(record_is("x.ms"));
		check_same(__LINE__, &again, &run);
		unlink("x.ms");
		arena_free(arena);
	}
}

/* A program with several phases: the record has the run of one, and those of the others. */
TEST(record__other_phases)
{
	struct arena *arena = arena_new();
	struct run run, others[2], again;
	struct record *record = NULL;

	scratch_enter();
	record = record_create(arena, "x.ms", NULL);
	random_run(arena, 1, 30, &run);
	CHECK_INT(record_update(record, &run), MS_OK);
	for (uint32_t i = 0; i < 2; i++) {
		random_run(arena, 2 + i, 20 + 20 * i, &others[i]);
		CHECK_INT(record_phase(record, 1 + 2 * i, &others[i]), MS_OK);
	}
	random_change(arena, 4, &run);
	CHECK_INT(record_close(record, &run), MS_OK);
	CHECK_INT(record_read(arena, "x.ms", &again, NULL), MS_OK);
	check_same(__LINE__, &again, &run);
	for (uint32_t i = 0; i < 2; i++) {
		CHECK_INT(record_read_phase(arena, "x.ms", 1 + 2 * i, &again), MS_OK);
		check_same(__LINE__, &again, &others[i]);
	}
	CHECK_INT(record_read_phase(arena, "x.ms", 2, &again), MS_ERR_NOT_FOUND);
	arena_free(arena);
}

TEST(record__more_rows_than_a_batch)
{
	struct arena *arena = arena_new();
	struct run run, again;

	scratch_enter();
	random_run(arena, 7, 3, &run);
	run.nr_measurements = 70000; /* beyond COLUMNS_FORMER */
	run.measurements = arena_alloc(arena, run.nr_measurements * sizeof(*run.measurements));
	for (size_t i = 0; i < run.nr_measurements; i++)
		run.measurements[i].row = (struct ms_measurement){
			.thread = (uint32_t)i, .stat = { i, (double)i / 3, 0.5, (double)i, 1 }
		};
	struct record *record = record_create(arena, "x.ms", NULL);
	for (size_t k = 0; k < 3; k++) {
		CHECK_INT(record_update(record, &run), MS_OK);
		for (size_t i = k; i < run.nr_measurements; i += 7)
			run.measurements[i].row.stat.count += i;
	}
	CHECK_INT(record_close(record, &run), MS_OK);
	CHECK_INT(record_read(arena, "x.ms", &again, NULL), MS_OK);
	check_same(__LINE__, &again, &run);
}

TEST(record__rows_may_become_fewer)
{
	struct arena *arena = arena_new();
	struct run run, again;

	scratch_enter();
	random_run(arena, 4, 30, &run);
	struct record *record = record_create(arena, "x.ms", NULL);
	record_update(record, &run);
	size_t nodes = run.nr_nodes, measurements = run.nr_measurements;
	CHECK(nodes > 2 && measurements > 2);
	run.nr_nodes = 1;
	run.nr_measurements = 1;
	record_update(record, &run);
	run.nr_nodes = nodes;
	run.nr_measurements = measurements;
	CHECK_INT(record_close(record, &run), MS_OK);
	CHECK_INT(record_read(arena, "x.ms", &again, NULL), MS_OK);
	check_same(__LINE__, &again, &run);
}

TEST(record__cut_at_every_byte)
{
	enum { UPDATES = 4 };
	struct arena *arena = arena_new(), *mine = arena_new();
	uint64_t ends[UPDATES], ignored;
	struct run run, states[UPDATES];
	uint8_t *bytes;
	size_t nr;

	scratch_enter();
	QUIET();
	write_record("x.ms", 1, 5, UPDATES, ends, &run, arena);
	for (size_t k = 0; k < UPDATES; k++) {
		random_run(arena, 1, 5, &states[k]);
		for (size_t i = 1; i <= k; i++)
			random_change(arena, 1 + i, &states[k]);
		states[k].complete = false;
	}
	bytes = file_read("x.ms", &nr);
	for (size_t cut = 0; cut < nr; cut++) {
		struct run part;
		enum ms_status status = record_parse(mine, "x.ms", bytes, cut, &part, &ignored);

		CHECK_INT(status, cut < RECORD_HEADER_BYTES ? MS_ERR_FORMAT : MS_OK);
		for (size_t k = 0; k < UPDATES && status == MS_OK; k++) {
			if (cut == ends[k])
				check_same(__LINE__, &part, &states[k]);
			CHECK(cut == RECORD_HEADER_BYTES ? part.cost.record_bytes == cut
							 : part.cost.record_bytes > 0);
			CHECK_INT(part.bytes_ignored, ignored);
			CHECK(cut < ends[k] || part.nr_regions >= states[k].nr_regions);
			CHECK(cut < ends[k] || part.nr_nodes >= states[k].nr_nodes);
			CHECK((cut == ends[k]) <= (ignored == 0));
		}
		CHECK(status != MS_OK || !part.complete);
		arena_reset(mine, KEPT_BYTES);
	}
	file_write("x.ms", bytes, nr - 1);
	CHECK_INT(record_read(arena, "x.ms", &run, &ignored), MS_OK);
	CHECK_INT(ignored, RECORD_ENTRY_BYTES - 1);
	file_write("x.ms", bytes, 20);
	CHECK_INT(record_read(arena, "x.ms", &run, &ignored), MS_ERR_FORMAT);
	free(bytes);
}

/*
 * Every third one: 3 and 8 have no divisor in common, so that it is another bit in each of eight
 * bytes.
 */
TEST(record__every_flipped_bit_is_seen)
{
	struct arena *arena = arena_new(), *mine = arena_new();
	struct run run;
	uint8_t *bytes;
	size_t nr;

	scratch_enter();
	QUIET();
	write_record("x.ms", 5, 2, 2, NULL, &run, arena);
	bytes = file_read("x.ms", &nr);
	for (size_t bit = 0; bit < nr * 8; bit += test_sample(3, 1)) {
		uint64_t ignored = 0;
		enum ms_status status;

		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		status = record_parse(mine, "x.ms", bytes, nr, &run, &ignored);
		CHECK(status != MS_OK || (ignored > 0 && !run.complete));
		CHECK(status == MS_OK || bit / 8 < RECORD_HEADER_BYTES);
		bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
		arena_reset(mine, KEPT_BYTES);
	}
	free(bytes);
}

/* Appends an entry with a right checksum to `nr` bytes. */
static size_t append_entry(uint8_t *bytes, size_t nr, uint32_t length, uint32_t type,
			   const void *payload, size_t payload_nr)
{
	store_u32(bytes + nr, length);
	store_u32(bytes + nr + 4, type);
	store_u32(bytes + nr + 8,
		  crc32c_update(crc32c_update(0, bytes + nr, 8), payload, payload_nr));
	memcpy(bytes + nr + RECORD_ENTRY_BYTES, payload, payload_nr);
	return nr + RECORD_ENTRY_BYTES + payload_nr;
}

static uint8_t *small_record(struct arena *arena, struct run *run, size_t *nr)
{
	uint8_t *bytes, *room;

	write_record("x.ms", 9, 3, 1, NULL, run, arena);
	bytes = file_read("x.ms", nr);
	room = arena_alloc(arena, *nr + 4096);
	memcpy(room, bytes, *nr);
	free(bytes);
	*nr -= RECORD_ENTRY_BYTES; /* without its end mark */
	return room;
}

/* More than one write takes, too. */
TEST(record__formatted_and_parsed)
{
	struct arena *arena = arena_new();

	for (size_t rows = 0; rows <= 20000; rows = rows * 9 + 20) {
		const uint8_t *bytes;
		uint64_t ignored;
		size_t nr;
		struct run run, want;

		random_run(arena, 5, rows, &want);
		CHECK_INT(record_format(arena, &want, &bytes, &nr), MS_OK);
		CHECK(rows < 10000 || nr > 3 << 20);
		CHECK_INT(record_parse(arena, "x", bytes, nr, &run, &ignored), MS_OK);
		CHECK_INT(ignored, 0);
		want.complete = true;
		check_same(__LINE__, &run, &want);
		arena_reset(arena, KEPT_BYTES);
	}
}

TEST(record__lengths_may_lie)
{
	static const uint32_t lengths[] = { 1,          11,         13,         4096,
					    0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff };
	struct arena *arena = arena_new();
	struct run run, want;
	uint64_t ignored;
	uint8_t *bytes;
	size_t nr;

	scratch_enter();
	bytes = small_record(arena, &want, &nr);
	want.complete = false;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		size_t all = append_entry(bytes, nr, lengths[i], RECORD_STRINGS, "", 0);

		CHECK_INT(record_parse(arena, "x", bytes, all, &run, &ignored), MS_OK);
		CHECK_INT(ignored, RECORD_ENTRY_BYTES);
		check_same(__LINE__, &run, &want);
		file_write("y.ms", bytes, all);
		CHECK_INT(record_read(arena, "y.ms", &run, &ignored), MS_OK);
		CHECK_INT(ignored, RECORD_ENTRY_BYTES);
	}
}

TEST(record__lies_inside_an_entry_end_the_reading)
{
	static const struct {
		int line;
		uint32_t type;
		const char *payload;
		size_t nr;
	} cases[] = {
		/* longer than the entry */
		{ __LINE__, RECORD_STRINGS, "\x7fxx", 3 },
		{ __LINE__, RECORD_STRINGS, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10 },
		/* string 16382 */
		{ __LINE__, RECORD_HEAD, "\xff\x7f", 2 },
		/* row 64 of few */
		{ __LINE__, RECORD_MEASUREMENTS, "\x01\x01\x00\x40", 4 },
		/* more rows than a batch has */
		{ __LINE__, RECORD_MEASUREMENTS, "\x01\xff\xff\x03", 4 },
		/* a run longer than the column */
		{ __LINE__, RECORD_MEASUREMENTS, "\x01\x02\xff\xff\xff\xff\x0f\x00", 8 },
		/* skips rows that are not there */
		{ __LINE__, 22, "\x01\x50\x01\x00", 4 },
		/* a row longer than the entry */
		{ __LINE__, 22, "\x01\x00\x50\x00", 4 },
		/* a row shorter than it says */
		{ __LINE__, 17, "\x01\x00\x02\x01", 4 },
		{ __LINE__, RECORD_NAMES, "\x02\xff\xff\xff\xff\x0f", 6 },
	};
	struct arena *arena = arena_new();
	struct run run;
	uint64_t ignored;
	uint8_t *bytes;
	size_t nr;

	scratch_enter();
	bytes = small_record(arena, &run, &nr);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t all = append_entry(bytes, nr, (uint32_t)cases[i].nr, cases[i].type,
					  cases[i].payload, cases[i].nr);

		ignored = 0;
		CHECK_INT(record_parse(arena, "x", bytes, all, &run, &ignored), MS_OK);
		if (ignored != all - nr)
			test_fail(__FILE__, cases[i].line, "%d bytes ignored, not %d", (int)ignored,
				  (int)(all - nr));
	}
}

TEST(record__what_later_versions_add_is_passed_over)
{
	struct arena *arena = arena_new();
	struct buffer row = { .arena = arena };
	struct run run, want;
	uint64_t ignored;
	uint8_t *bytes;
	size_t nr;

	scratch_enter();
	bytes = small_record(arena, &want, &nr);
	nr = append_entry(bytes, nr, 5, 1000, "later", 5);
	nr = append_entry(bytes, nr, 5, 63, "later", 5);
	put_varint(&row, want.nr_dropped + 1);
	put_varint(&row, want.nr_dropped);
	put_varint(&row, 3 + 9 + 4);
	/* what, why, count; topic, code, source; fields that we do not know */
	put_bytes(&row,
		  "\x00\x00\x05"
		  "\0\0\0\0\0\0\0\0\0"
		  "more",
		  3 + 9 + 4);
	nr = append_entry(bytes, nr, (uint32_t)row.nr, 22, row.bytes, row.nr);
	row.nr = 0;
	put_varint(&row, want.nr_dropped + 2);
	put_varint(&row, want.nr_dropped + 1);
	put_varint(&row, 1);
	put_varint(&row, 0); /* `what` only: an older writer */
	nr = append_entry(bytes, nr, (uint32_t)row.nr, 22, row.bytes, row.nr);
	nr = append_entry(bytes, nr, 0, RECORD_END, "", 0);
	CHECK_INT(record_parse(arena, "x", bytes, nr, &run, &ignored), MS_OK);
	CHECK(run.complete && !ignored);
	CHECK_INT(run.nr_dropped, want.nr_dropped + 2);
	CHECK_INT(run.dropped[want.nr_dropped].count, 5);
	run.nr_dropped = want.nr_dropped;
	check_same(__LINE__, &run, &want);
}

TEST(record__names_of_values_count_not_numbers)
{
	struct arena *arena = arena_new();
	struct buffer payload = { .arena = arena };
	struct run run;
	uint64_t ignored;
	uint8_t *bytes;
	size_t nr;

	scratch_enter();
	bytes = small_record(arena, &run, &nr);
	/* metrics of a later version: two, one unknown to us */
	put_varint(&payload, 2);
	put_varint(&payload, 2);
	put_varint(&payload, 7);
	put_bytes(&payload, "unheard", 7);
	put_varint(&payload, 4);
	put_bytes(&payload, "time", 4);
	nr = append_entry(bytes, nr, (uint32_t)payload.nr, RECORD_NAMES, payload.bytes, payload.nr);
	payload.nr = 0;
	/* missing[0]: region 0, metric 1 = "time", why 0 */
	put_bytes(&payload, "\x02\x00\x03\x01\x01\x00", 6);
	put_bytes(&payload, "\x00\x03\x01\x00\x00", 5); /* missing[1]: metric 0 = "unheard" */
	nr = append_entry(bytes, nr, (uint32_t)payload.nr, 19, payload.bytes, payload.nr);
	if (run.nr_missing < 1)
		test_fail(__FILE__, __LINE__, "the seed gives no row");
	size_t before = run.nr_missing > 2 ? run.nr_missing : 2;
	CHECK_INT(record_parse(arena, "x", bytes, nr, &run, &ignored), MS_OK);
	CHECK_INT(ignored, 0);
	CHECK_INT(run.missing[0].metric, MS_METRIC_TIME);
	CHECK_INT(run.nr_missing, before - 1);
}

TEST(record__another_version_is_refused)
{
	struct arena *arena = arena_new();
	struct run run;
	uint8_t *bytes;
	size_t nr;

	scratch_enter();
	QUIET();
	bytes = small_record(arena, &run, &nr);
	store_u32(bytes + 8, RECORD_VERSION + 1);
	CHECK_INT(record_parse(arena, "x", bytes, nr, &run, NULL), MS_ERR_FORMAT);
	store_u32(bytes + 28, crc32c_update(0, bytes, 28));
	CHECK_INT(record_parse(arena, "x", bytes, nr, &run, NULL), MS_ERR_VERSION);
	CHECK_INT(record_parse(arena, "x", (const uint8_t *)"#!/bin/sh\n", 10, &run, NULL),
		  MS_ERR_FORMAT);
	CHECK_INT(record_parse(arena, "x", NULL, 0, &run, NULL), MS_ERR_FORMAT);
	CHECK_INT(record_read(arena, "none.ms", &run, NULL), MS_ERR_NOT_FOUND);
	CHECK_INT(record_read(arena, ".", &run, NULL), MS_ERR_FORMAT);
	CHECK(!record_is("none.ms") && !record_is("."));
}

TEST(record__only_what_changed_is_written)
{
	struct arena *arena = arena_new();
	struct record *record;
	struct run run, again;
	uint64_t before;

	scratch_enter();
	random_run(arena, 21, 60, &run);
	CHECK_THAT(run.nr_nodes, >, 4);
	record = record_create(arena, "x.ms", NULL);
	record_update(record, &run);
	before = record_bytes(record);
	record_update(record, &run);
	CHECK_INT(record_bytes(record), before);
	run.nodes[3].state = run.nodes[3].state == MS_NODE_TRUE ? MS_NODE_FALSE : MS_NODE_TRUE;
	record_update(record, &run);
	CHECK(record_bytes(record) > before && record_bytes(record) < before + 250);
	CHECK_INT(record_close(record, &run), MS_OK);
	CHECK_INT(record_close(record, &run), MS_ERR_IO);
	CHECK_INT(record_read(arena, "x.ms", &again, NULL), MS_OK);
	check_same(__LINE__, &again, &run);
}

/*
 * One execution of the phase of a program like swim: most metrics of 20 regions on two threads
 * move.
 */
static void swim_step(struct run *run, uint64_t *state)
{
	for (size_t i = 0; i < run->nr_measurements; i++) {
		struct run_measurement *row = &run->measurements[i];
		double value = 1e6 * (1 + row->row.region) + (double)(random_next(state) % 20000);

		if (row->row.metric > MS_METRIC_START_DELAY &&
		    row->row.metric != MS_METRIC_CPU_TIME)
			/* switches, faults, tasks: few or none */
			value = row->row.metric % 3 ? 0 : row->row.metric;
		ms_stat_add(&row->row.stat, value);
		row->phases++;
		row->observed_ns += 33e6 + (double)(run->phase.executions % 7);
	}
	for (size_t i = 0; i < run->nr_regions; i++)
		run->regions[i].executions++;
	for (size_t i = 0; i < run->nr_nodes; i++) {
		run->nodes[i].severity = (double)(random_next(state) % 1000000) / 1e6;
		run->nodes[i].severity_low = run->nodes[i].severity_high = run->nodes[i].severity;
		run->nodes[i].experiments++;
		run->nodes[i].evidence[0].reading.value = (double)(random_next(state) % 1000000000);
	}
	run->phase.executions++;
	run->phase.wall_ns += 33e6;
}

static void swim_begin(struct arena *arena, struct run *run)
{
	enum { REGIONS = 20, THREADS = 2, METRICS = 20, NODES = 20 };

	memset(run, 0, sizeof(*run));
	run->regions = arena_alloc(arena, REGIONS * sizeof(*run->regions));
	run->measurements = arena_alloc(arena,
					REGIONS * THREADS * METRICS * sizeof(*run->measurements));
	run->nodes = arena_alloc(arena, NODES * sizeof(*run->nodes));
	for (uint32_t r = 0; r < REGIONS; r++) {
		run->regions[run->nr_regions++] = (struct run_region){
			.id = r,
			.parent = r ? 0 : MS_REGION_NONE,
			.construct = { UINT32_MAX, 0x401000 + r * 64 },
			.inside.module = UINT32_MAX,
			.next.module = UINT32_MAX,
		};
		for (uint32_t thread = 0; thread < THREADS; thread++)
			for (uint32_t metric = 0; metric < METRICS; metric++)
				run->measurements[run->nr_measurements++].row =
					(struct ms_measurement){ .region = r,
								 .thread = thread,
								 .metric = metric };
	}
	for (uint32_t i = 0; i < NODES; i++) {
		run->nodes[i] = (struct run_node){ .id = i,
						   .parent = MS_NODE_NONE,
						   .property = "LoadImbalance",
						   .thread = UINT32_MAX };
		run->nodes[i].evidence = arena_alloc(arena, sizeof(struct run_evidence));
		run->nodes[i].evidence[0] = (struct run_evidence){ .name = "imbalance",
								   .unit = "1" };
		run->nodes[i].nr_evidence = 1;
		run->nr_nodes++;
	}
}

TEST(record__swim_stays_small)
{
	struct arena *arena = arena_new();
	struct record *record;
	struct run run, again;
	struct run_fault fault;
	uint64_t state = 1;
	size_t removed;

	scratch_enter();
	swim_begin(arena, &run);
	record = record_create(arena, "x.ms", NULL);
	for (int update = 0; update < 30; update++) {
		for (int step = 0; step < 4; step++)
			swim_step(&run, &state);
		CHECK_INT(record_update(record, &run), MS_OK);
	}
	run.complete = true;
	CHECK_INT(record_close(record, &run), MS_OK);
	printf("a record of 30 updates of 20 regions x 2 threads x 20 metrics: %llu bytes\n",
	       (unsigned long long)record_bytes(record));
	CHECK_THAT(record_bytes(record), <, 200000);
	CHECK_INT(record_read(arena, "x.ms", &again, NULL), MS_OK);
	/* as the reader fills in what is missing */
	CHECK(run_check(&run, &removed, &fault));
	check_same(__LINE__, &again, &run);
}

/*
 * Its checksums are right, its rows are not: nothing is taken from it, and what is wrong is said.
 */
TEST(record__an_invalid_run_is_refused)
{
	struct arena *arena = arena_new();
	struct record *record;
	struct run run, again;

	scratch_enter();
	QUIET();
	random_run(arena, 21, 30, &run);
	CHECK_THAT(run.nr_regions, >, 3);
	run.regions[3].parent = 7;
	record = record_create(arena, "x.ms", NULL);
	CHECK_INT(record_close(record, &run), MS_OK);
	CHECK_INT(record_read(arena, "x.ms", &again, NULL), MS_ERR_FORMAT);
}
