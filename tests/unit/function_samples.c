/* SPDX-License-Identifier: Apache-2.0 */
/* Clock samples of functions of this program, below regions made for it. */
#include "ompt_tool/session/function_samples.h"

#include <sys/mman.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "memsearch/metric.h"
#include "ompt_tool/process/run_modules.h"
#include "ompt_tool/regions/region_table.h"
#include "ompt_tool/session/harvest.h"
#include "tests/unit/test.h"

static volatile int value;

__attribute__((noinline)) static void called(void)
{
	value = 1;
}
__attribute__((noinline)) static void rarely(void)
{
	value = 2;
}
__attribute__((noinline)) static void body(void)
{
	value = 3;
}

static struct region_table *table;
static uint32_t team, loop;

static uint32_t region(enum ms_region_kind kind, uint64_t construct, uint32_t parent)
{
	return region_table_get(table, kind, construct, parent, &(bool){ false });
}

/* Samples of two executions by each of two threads. */
static struct run run_of(struct arena *arena)
{
	struct run run = { 0 };

	table = mmap(NULL, region_table_bytes(), PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	CHECK(table != MAP_FAILED);
	region_table_init(table);
	team = region(MS_PARALLEL_REGION, 0x999, 0);
	loop = region(MS_DO_REGION, 0x888, team);
	region_note_body(region_table_at(table, team), (uintptr_t)body);
	run_modules_update(&run, arena);
	CHECK_INT(harvest_regions(&run, arena, table), MS_OK);
	run.measurements = arena_alloc(arena, 4 * sizeof(*run.measurements));
	run.nr_measurements = run.room_measurements = 4;
	for (uint32_t i = 0; i < 4; i++)
		run.measurements[i] = (struct run_measurement){
			.row = { .region = i < 2 ? team : loop,
				 .thread = i % 2,
				 .metric = MS_METRIC_SAMPLES,
				 .stat = { .count = 2, .sum = 100, .min = 40, .max = 60 } },
			.phases = 2
		};
	return run;
}

static const struct run_region *function_below(const struct run *run, uint32_t parent,
					       void (*function)(void))
{
	struct code_address code = run_modules_address(run, (uintptr_t)function);

	for (size_t i = 0; i < run->nr_regions; i++)
		if (run->regions[i].kind == MS_SUB_REGION && run->regions[i].parent == parent &&
		    run->regions[i].construct.offset == code.offset)
			return &run->regions[i];
	return NULL;
}

static double samples_in(const struct run *run, uint32_t region, uint32_t thread)
{
	for (size_t i = 0; i < run->nr_measurements; i++)
		if (run->measurements[i].row.region == region &&
		    run->measurements[i].row.thread == thread)
			return run->measurements[i].row.stat.sum;
	return -1;
}

/* Of 40 sites' samples of thread 0 in the loop 30 are in the function: 75 of its 100. */
TEST(function_samples__are_parts_of_the_constructs)
{
	struct arena *arena = arena_new();
	struct function_samples *samples = function_samples_new(arena);
	struct run run = run_of(arena);
	const struct run_region *function;

	function_samples_add(samples, loop, 0, (uintptr_t)called, 10);
	function_samples_add(samples, loop, 0, (uintptr_t)called + 1, 20);
	function_samples_add(samples, loop, 0, (uintptr_t)body, 5);
	function_samples_add(samples, loop, 0, (uintptr_t)rarely, 5);
	function_samples_add(samples, loop, 1, (uintptr_t)called, 8);
	function_samples_add(samples, MS_REGION_USER, 0, (uintptr_t)called, 50);
	CHECK_INT(function_samples_put(samples, &run, arena, table), MS_OK);
	function = function_below(&run, loop, called);
	CHECK(function != NULL);
	CHECK_NEAR(samples_in(&run, function->id, 0), 75, 1e-9);
	CHECK_NEAR(samples_in(&run, function->id, 1), 100, 1e-9);
	CHECK(!function_below(&run, loop, body));
	CHECK(!function_below(&run, loop, rarely));
	CHECK_INT(run.nr_regions, 4);
	CHECK_INT(run.nr_measurements, 6);
}

/* Samples of the team while its loop requested none are no second call. */
TEST(function_samples__count_where_the_function_has_most)
{
	struct arena *arena = arena_new();
	struct function_samples *samples = function_samples_new(arena);
	struct run run = run_of(arena);

	function_samples_add(samples, team, 0, (uintptr_t)called, 20);
	function_samples_add(samples, loop, 0, (uintptr_t)called, 30);
	function_samples_add(samples, team, 0, (uintptr_t)rarely, 30);
	function_samples_add(samples, loop, 0, (uintptr_t)rarely, 20);
	CHECK_INT(function_samples_put(samples, &run, arena, table), MS_OK);
	CHECK(!function_below(&run, team, called) && function_below(&run, loop, called));
	CHECK(function_below(&run, team, rarely) && function_below(&run, loop, rarely));
	function_samples_add(NULL, loop, 0, (uintptr_t)called, 1);
	CHECK_INT(function_samples_put(NULL, &run, arena, table), MS_ERR_MEMORY);
}
