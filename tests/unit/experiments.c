/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorded runs in tests/experiments, which the cli tests print: they must read as the invented
 * run they were made from. With MEMSEARCH_ACCEPT=1 they are written anew; a record of an older
 * version must stay readable, so do that only when the invented run changes.
 */
#include <stdlib.h>
#include <unistd.h>

#include "analysis/record/record.h"
#include "analysis/report/report.h"
#include "analysis/report/text.h"
#include "tests/unit/changed_run.h"
#include "tests/unit/modelled_run.h"
#include "tests/unit/sample_run.h"
#include "tests/unit/searched_run.h"

/* As if the program had been killed: no end mark, nothing resolved, no texts. */
static void killed_run(struct run *run, struct arena *arena)
{
	sample_run(run, arena);
	run->complete = false;
	run->cost = (struct run_cost){ .limit = 0.05 };
	for (size_t i = 0; i < run->nr_regions; i++) {
		run->regions[i].resolved = false;
		run->regions[i].source = run->regions[i].next_source = (struct source){ 0 };
		run->regions[i].path = NULL;
	}
	for (size_t i = 0; i < run->nr_nodes; i++)
		run->nodes[i].explanation = run->nodes[i].advice = run->nodes[i].title = NULL;
	run->nr_hotspots = run->nr_arrays = run->nr_touches = run->nr_accesses = 0;
	run->touching = (struct run_touching){ 0 };
}

/* A short run in which nothing was proven. */
static void clean_run(struct run *run, struct arena *arena)
{
	sample_run(run, arena);
	run->nr_dropped = run->nr_missing = run->nr_hotspots = 0;
	run->nr_sensors = 1;
	run->nr_touches = run->nr_accesses = 0;
	run->nr_measurements = 2;
	run->touching.faults = run->touching.nobodys = 0;
	run->nr_nodes = 5;
	for (size_t i = 0; i < run->nr_nodes; i++) {
		run->nodes[i].state = MS_NODE_FALSE;
		run->nodes[i].severity /= 100;
		run->nodes[i].severity_low /= 100;
		run->nodes[i].severity_high /= 100;
	}
	run->runtime_swapped = run->cost.limit_bound = false;
	run->time_seen = 1;
	run->phase = (struct run_phase){ .method = PHASE_WHOLE_PROGRAM,
					 .region = MS_REGION_NONE,
					 .note = "no region was executed often" };
	run->restarts_would_help = true;
}

static const struct {
	const char *file;
	void (*make)(struct run *run, struct arena *arena);
} experiments[] = {
	{ "tests/experiments/sample.ms", sample_run },
	{ "tests/experiments/killed.ms", killed_run },
	{ "tests/experiments/clean.ms", clean_run },
	{ "tests/experiments/modelled.ms", modelled_run },
	{ "tests/experiments/before.ms", before_run },
	{ "tests/experiments/after.ms", after_run },
	{ "tests/experiments/foreign.ms", foreign_run },
	{ "tests/experiments/elsewhere.ms", elsewhere_run },
	{ "tests/experiments/cpu_time.ms", cpu_time_run },
	{ "tests/experiments/searched.ms", searched_run },
	{ "tests/experiments/swept_2_close.ms", swept_2_close },
	{ "tests/experiments/swept_2_spread.ms", swept_2_spread },
	{ "tests/experiments/swept_4_close.ms", swept_4_close },
	{ "tests/experiments/swept_4_spread.ms", swept_4_spread },
};

static void write_record(struct arena *arena, const char *file, const struct run *run)
{
	const char *path;
	struct record *record;

	unlink(file);
	record = record_create(arena, file, &path);
	CHECK(record != NULL);
	CHECK(strstr(path, file) != NULL); /* not in $TMPDIR */
	if (run->complete)
		CHECK_INT(record_close(record, run), MS_OK);
	else
		CHECK_INT(record_update(record, run), MS_OK);
}

static const char *print(struct arena *arena, const struct run *run)
{
	struct report_options options;
	struct text out;

	report_options_init(&options);
	options.verbose = true;
	options.all = options.tree = true;
	text_init(&out, arena);
	report_format("text")(&out, &run, 1, &options);
	report_format("json")(&out, &run, 1, &options);
	return out.bytes;
}

TEST(experiments__read_as_they_were_made)
{
	for (size_t i = 0; i < SAMPLE_COUNT(experiments); i++) {
		struct arena *arena = arena_new();
		struct run made, read;
		uint64_t ignored;

		experiments[i].make(&made, arena);
		if (getenv("MEMSEARCH_ACCEPT"))
			write_record(arena, experiments[i].file, &made);
		CHECK_INT(record_read(arena, experiments[i].file, &read, &ignored), MS_OK);
		CHECK_INT(ignored, 0);
		/* the reader says how large a record is that did not come to its end */
		if (!made.complete) {
			CHECK_THAT(read.cost.record_bytes, >, 0);
			made.cost.record_bytes = read.cost.record_bytes;
		}
		CHECK_THAT(read.complete, ==, made.complete);
		CHECK_STR(print(arena, &read), print(arena, &made));
	}
}
