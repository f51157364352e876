/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the threads' tables of recorded accesses to the run: one row per region, array and
 * instruction.
 */
#include "ompt_tool/accesses/access_rows.h"

#include "analysis/base/arena.h"
#include "analysis/counting/instruction_rows.h"
#include "analysis/record/run.h"
#include "memsearch/sensor_session.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/keeping.h"
#include "ompt_tool/accesses/loop_regions.h"
#include "ompt_tool/process/run_modules.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/regions/region_table.h"

struct harvest {
	const struct run *run;
	struct region_table *regions;
};

static uint32_t joined(void *ctx, uint32_t number)
{
	(void)ctx;
	return loop_joined(number);
}

static uint32_t loop(void *ctx, uint32_t region, uint32_t joined)
{
	const struct harvest *harvest = ctx;

	return loop_region_around(harvest->regions, region, joined);
}

static bool is_function(void *ctx, uint32_t joined)
{
	(void)ctx;
	return loop_is_function(joined);
}

static struct code_address code(void *ctx, uint64_t address)
{
	const struct harvest *harvest = ctx;

	return run_modules_address(harvest->run, address);
}

static uint32_t site(void *ctx, uint32_t number)
{
	(void)ctx;
	return number;
}

/* The region that accesses a data structure is the parent of its DATA_STRUCTURE region. */
static enum ms_status harvest_sharings(struct run *run, struct arena *arena)
{
	run->nr_sharings = 0;
	for (size_t i = 0; i < run->nr_regions; i++) {
		struct accesses_sharing sums = accesses_sharing(run->regions[i].id);

		if (run->regions[i].kind != MS_DATA_STRUCTURE || !sums.executions)
			continue;
		if (!ARENA_GROW(arena, run->sharings, run->nr_sharings, run->room_sharings))
			return MS_ERR_MEMORY;
		run->sharings[run->nr_sharings++] = (struct run_sharing){
			.array = run_region_array(&run->regions[i]),
			.region = run->regions[i].parent,
			.executions = sums.executions,
			.lines = sums.lines,
			.same_lines = sums.same_lines,
			.accesses = sums.accesses,
			.threads = sums.threads,
		};
	}
	return MS_OK;
}

enum ms_status accesses_harvest(const struct sensor_record *to)
{
	struct arena *scratch = arena_new();
	struct harvest harvest = { to->run, to->regions };
	const struct instruction_world world = { joined, loop, code, site, &harvest, is_function };
	struct instruction_rows *rows = scratch ? instruction_rows_new(scratch, to->run, &world)
						: NULL;
	bool is_put;

	to->run->nr_accesses = 0;
	for (const struct thread *thread = thread_next(NULL); rows && thread;
	     thread = thread_next(thread)) {
		instruction_rows_begin(rows);
		accesses_each(thread, instruction_rows_add, rows);
	}
	is_put = rows && instruction_rows_put(rows, to->arena);
	arena_free(scratch);
	return is_put ? harvest_sharings(to->run, to->arena) : MS_ERR_MEMORY;
}

/* ------------------------------------------------------------------ losses */

static void note_left_out(const struct sensor_record *to, const struct region *region,
			  const char *what, const char *why)
{
	run_note_dropped(to->run, to->arena,
			 (struct run_dropped){
				 .what = what,
				 .why = why,
				 .topic = RUN_RECORDING,
				 .code = run_modules_address(to->run, region->construct),
			 });
}

/*
 * Constructs of which a part was skipped to stay within the limit: their number, and the one with
 * most.
 */
struct left_out {
	uint32_t nr;
	uint64_t all, most;
	const struct region *region;
};

static void add_left_out(struct left_out *to, const struct region *region, uint64_t words)
{
	to->nr += words > 0;
	to->all += words;
	if (words <= to->most)
		return;
	to->most = words;
	to->region = region;
}

/* Accesses that were not counted, and constructs whose lines were not marked in any execution. */
static void note_estimated(const struct sensor_record *to)
{
	struct left_out not_counted = { 0 }, not_marked = { 0 };
	uint64_t recorded = 0;

	for (uint32_t id = 0; id < region_table_count(to->regions); id++) {
		const struct region *region = region_table_at(to->regions, id);
		struct accesses_counted of = accesses_counted(id);

		if (!region->construct)
			continue;
		recorded += of.recorded;
		add_left_out(&not_counted, region, of.recorded - of.counted);
		add_left_out(&not_marked, region, of.lined ? 0 : of.recorded);
	}
	if (not_counted.nr)
		note_left_out(to, not_counted.region,
			      arena_printf(to->arena, "%.3g %% of the recorded accesses, most in",
					   100 * (double)not_counted.all / (double)recorded),
			      RUN_COUNTED_IN_PART);
	if (not_marked.nr)
		note_left_out(
			to, not_marked.region,
			arena_printf(
				to->arena,
				"how many cache lines are touched, and which of them threads share, in %u construct%s, first of all",
				not_marked.nr, not_marked.nr == 1 ? "" : "s"),
			RUN_LINES_IN_PART);
}

static void add_not_recorded(const struct sensor_record *to, const char *what, const char *why,
			     uint64_t count)
{
	if (count)
		run_note_dropped(
			to->run, to->arena,
			(struct run_dropped){
				.what = what, .why = why, .count = count, .topic = RUN_RECORDING });
}

static void note_threads(const struct sensor_record *to)
{
	uint64_t dropped = 0, too_long = 0, not_compared = 0;

	for (const struct thread *thread = thread_next(NULL); thread;
	     thread = thread_next(thread)) {
		dropped += accesses_dropped(thread);
		too_long += accesses_too_long(thread);
		not_compared += accesses_not_compared(thread);
	}
	add_not_recorded(to, "recorded accesses", "more places than a thread's table has room for",
			 dropped);
	add_not_recorded(to, "recorded string instructions, calls of memcpy and the like",
			 "more than 64 GiB each: a signal handler interrupted the recording",
			 too_long);
	run_note_count(to->run, to->arena,
		       "cache lines that threads share, in executions of a construct",
		       "a thread was far ahead of others", not_compared);
}

void accesses_losses(const struct sensor_record *to)
{
	const char *not_kept =
		"executions of the phase whose accesses the record does not keep, to simulate them later";
	uint64_t not_looked_at = 0;

	for (uint32_t region = 0; region < region_table_count(to->regions); region++)
		not_looked_at += accesses_not_looked_at(region);
	note_estimated(to);
	note_threads(to);
	run_note_count(to->run, to->arena,
		       "cache lines that threads share, in executions of a construct",
		       "a thread touched more lines than its table has room for", not_looked_at);
	run_note_count(
		to->run, to->arena, not_kept,
		"there was no time or room to trace all of them; the begin of similar ones is kept",
		keeping_losses().executions);
	run_note_count(to->run, to->arena, not_kept, "--trace-limit was reached",
		       keeping_losses().at_limit);
}
