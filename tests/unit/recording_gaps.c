/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that lead out of recorded code are told where they were reached. */
#define _GNU_SOURCE
#include "ompt_tool/recording/recording_gaps.h"

#include <stdlib.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/clones/clone.h"
#include "ompt_tool/recording/recorded_code.h"
#include "ompt_tool/regions/region_table.h"
#include "tests/unit/sampling.h"

#define REGION 3

static volatile long numbers[2];
static volatile double reals[2];
static const char *volatile text = "7";

/* Before and behind the calls there are accesses that are executed in any case. */
NOT_INSTRUMENTED static void parse(bool number, bool real)
{
	numbers[0] = 0;
	if (number)
		numbers[1] = strtol(text, NULL, 10);
	if (real)
		reals[1] = strtod(text, NULL);
	reals[0] = 0;
}

static struct thread *begin_thread_here(struct arena *arena)
{
	struct region_table *regions = arena_alloc(arena, region_table_bytes());
	struct thread *self = thread_new(false);

	CHECK(regions && self && self->summary);
	region_table_init(regions);
	accesses_configure(regions);
	CHECK(sensor_accesses.thread_begin(self));
	return self;
}

static bool tells(const struct run *run, const char *function)
{
	bool told = false;

	for (size_t i = 0; i < run->nr_dropped; i++)
		told |= strstr(run->dropped[i].what, "recorded code to") &&
			strstr(run->dropped[i].what, function);
	return told;
}

static void check(bool number, bool real)
{
	const struct clone_options options = { .probes = CLONE_ACCESSES };
	const struct clone *clone;
	struct arena *arena = arena_new();
	struct thread *self;
	struct run run = { 0 };

	if (clone_unsupported())
		test_skip("%s", clone_unsupported());
	if (SANITIZED)
		test_skip("sanitizers have strtol and others of their own");
	clone = clone_make((uintptr_t)parse, &options);
	CHECK(clone != NULL);
	self = begin_thread_here(arena);
	parse(true, true); /* the original reaches all */
	enter(&sensor_accesses, self, REGION);
	((void (*)(bool, bool))clone->code)(number, real);
	leave(&sensor_accesses, self);
	CHECK_THAT(folded(self, REGION, MS_METRIC_WRITES).sum, >=, 2);
	recording_gaps(&run, arena);
	CHECK_INT(tells(&run, "strtol"), number);
	CHECK_INT(tells(&run, "strtod"), real);
	sensor_accesses.thread_end(self);
}

TEST(recording_gaps__calls_that_were_reached)
{
	check(true, true);
}
TEST(recording_gaps__one_that_was_not)
{
	check(true, false);
}
TEST(recording_gaps__the_other_one)
{
	check(false, true);
}
TEST(recording_gaps__none_was_reached)
{
	check(false, false);
}

/* As gfortran calls them: known by their symbols. */
#define EXPORTED __attribute__((noinline, used, visibility("default"))) NOT_INSTRUMENTED
EXPORTED void _gfortran_st_gaps(void);
EXPORTED void _gfortran_st_gaps(void)
{
	numbers[0]++;
}
EXPORTED void _gfortran_transfer_gaps(void);
EXPORTED void _gfortran_transfer_gaps(void)
{
	numbers[1]++;
}

NOT_INSTRUMENTED static void print(void)
{
	numbers[0] = 0;
	_gfortran_st_gaps();
	numbers[1] = 0;
	_gfortran_transfer_gaps();
	numbers[1] = 0;
	_gfortran_transfer_gaps();
	numbers[0] = 0;
}

/* A print is one thing to whoever reads of it. */
TEST(recording_gaps__statements_of_input_and_output_are_one)
{
	const struct clone_options options = { .probes = CLONE_ACCESSES };
	const struct clone *clone;
	struct arena *arena = arena_new();
	struct thread *self;
	struct run run = { 0 };

	if (clone_unsupported())
		test_skip("%s", clone_unsupported());
	clone = clone_make((uintptr_t)print, &options);
	CHECK(clone != NULL);
	self = begin_thread_here(arena);
	enter(&sensor_accesses, self, REGION);
	((void (*)(void))clone->code)();
	leave(&sensor_accesses, self);
	recording_gaps(&run, arena);
	CHECK_INT(run.nr_dropped, 1);
	CHECK_HAS(run.dropped[0].what, "calls in recorded code to functions of input and output");
	CHECK_INT(run.dropped[0].count, 3);
	sensor_accesses.thread_end(self);
}

static int (*volatile number_in)(const char *);

NOT_INSTRUMENTED static void call_through_pointer(void)
{
	numbers[0] = 0;
	numbers[1] = number_in(text);
}

/*
 * Of functions that pointers lead to only those are told that are followed no further, by where
 * they led.
 */
TEST(recording_gaps__calls_through_pointers)
{
	struct arena *arena = arena_new();
	const struct clone *clone;
	struct run run = { 0 };

	if (clone_unsupported())
		test_skip("%s", clone_unsupported());
	if (SANITIZED)
		test_skip("sanitizers have strtol and others of their own");
	begin_thread_here(arena);
	number_in = atoi;
	clone = recorded_code_clone((uintptr_t)call_through_pointer, CLONE_ACCESSES, false);
	CHECK(clone != NULL);
	recording_gaps(&run, arena);
	CHECK(!tells(&run, "atoi"));
	((void (*)(void))clone->code)();
	CHECK(recorded_code_follow()); /* the clone was left before the call */
	((void (*)(void))clone->code)();
	CHECK(!recorded_code_follow());
	recording_gaps(&run, arena);
	CHECK(tells(&run, "atoi"));
	CHECK_INT(run.dropped[0].count, 1);
}
