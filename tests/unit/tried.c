/* SPDX-License-Identifier: Apache-2.0 */
/* Trials of placements in words: what helps, what does not, what was not decided, and why. */
#include "analysis/report/tried.h"

#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "analysis/report/json.h"
#include "analysis/report/text.h"
#include "tests/unit/test.h"

static struct run_array arrays[] = {
	{ .id = 0, .kind = "static", .name = "u", .bytes = 1 << 20 },
	{ .id = 1, .kind = "static", .name = "v", .bytes = 1 << 20 },
};
static uint32_t both[] = { 0, 1 }, second[] = { 1 };
static struct source init = { .function = "init", .file = "swim.c", .line = 80 };
static struct run_touch touch;
static struct run_trial trials[3];
static struct run run;

static struct arena *begin(void)
{
	touch = (struct run_touch){ .array = 0,
				    .region = MS_REGION_NONE,
				    .faults = 256,
				    .pages = 256,
				    .bytes = 1 << 20,
				    .source = init };
	trials[0] = (struct run_trial){ .remedy = RUN_TRIAL_FIRST_TOUCH,
					.nr_arrays = 2,
					.arrays = both,
					.pairs = 4,
					.gain = 0.31,
					.half_width = 0.03,
					.pages = 256,
					.moving_ns = 2e6 };
	trials[1] = (struct run_trial){ .remedy = RUN_TRIAL_INTERLEAVE,
					.nr_arrays = 2,
					.arrays = both,
					.pairs = 6,
					.gain = -0.12,
					.half_width = 0.02,
					.pages = 256,
					.moving_ns = 1e6 };
	trials[2] = (struct run_trial){ .remedy = RUN_TRIAL_BIND,
					.pairs = 12,
					.gain = 0.001,
					.half_width = 0.004,
					.threads = 4 };
	run = (struct run){ .program = "swim",
			    .machine.nodes = 2,
			    .trying.asked = true,
			    .arrays = arrays,
			    .nr_arrays = 2,
			    .touches = &touch,
			    .nr_touches = 1,
			    .trials = trials,
			    .nr_trials = 3 };
	return arena_new();
}

TEST(tried__best_change_and_how_to_keep_it)
{
	struct arena *arena = begin();

	CHECK_STR(
		tried_text(arena, &run, false),
		"pages of u and v on the nodes whose threads use them: steps take 31 % less time"
		" (95 % interval 28 to 34 %; 4 pairs). To keep that: initialise u and v in parallel,"
		" with the schedule of the loops that use them (u is first touched at swim.c:80), and"
		" bind the threads (OMP_PROC_BIND=close). All of it was undone; moving took 3 ms in"
		" all.");
	CHECK_HAS(tried_text(arena, &run, true),
		  "pages of u and v interleaved over the nodes: steps take 12 % more time (95 %"
		  " interval 10 to 14 %; 6 pairs). 4 threads bound to the nodes they ran on: no"
		  " difference (95 % interval -0.3 to 0.5 %; 12 pairs). All");
}

TEST(tried__one_array_alone_needs_more_to_be_best)
{
	begin();
	trials[1] = trials[0];
	trials[1].arrays = second;
	trials[1].nr_arrays = 1;
	CHECK_THAT(tried_best(&run), ==, &trials[0]);
	trials[1].gain += 0.02;
	CHECK_THAT(tried_best(&run), ==, &trials[1]);
}

TEST(tried__what_is_not_decided)
{
	struct arena *arena = begin();

	run.trying.policy = "bind";
	CHECK_HAS(tried_text(arena, &run, false), "A memory policy (bind, as by numactl) places");
	run.trying.policy = NULL;
	trials[0].half_width = 0.4;
	trials[0].unmoved = 64;
	trials[1].gain = trials[1].half_width = NAN;
	trials[1].why = "the program ended";
	trials[1].not_back = 7;
	CHECK(!tried_best(&run));
	CHECK_STR(
		tried_text(arena, &run, false),
		"pages of u and v on the nodes whose threads use them: not decided (gain: 95 %"
		" interval -9.0 to 71 %; 4 pairs); the kernel moved 192 of 256 pages: the others' node"
		" has no free memory, or they are shared with other processes. pages of u and v"
		" interleaved over the nodes: not decided; ended early: the program ended. 7 pages"
		" were not moved back (the program ended); moving took 3 ms in all.");
}

TEST(tried__nothing)
{
	struct arena *arena = begin();

	run.nr_trials = 0;
	run.trying.why = "this machine has one NUMA node";
	run.machine.nodes = 1;
	CHECK_HAS(tried_text(arena, &run, false),
		  "nothing: this machine has one NUMA node (memsearch");
	run.machine.nodes = 2;
	run.trying.why = NULL;
	CHECK_STR(tried_text(arena, &run, false), "nothing: the program ended before");
	run.trying.asked = false;
	CHECK(!tried_text(arena, &run, false));
}

TEST(tried__as_json)
{
	struct arena *arena = begin();
	struct text text;
	struct json json;

	text_init(&text, arena);
	json_init(&json, &text);
	json_open(&json, NULL, '{');
	tried_json(&json, arena, &run);
	json_close(&json);
	CHECK_HAS(text.bytes, "\"remedy\": \"first-touch\"");
	CHECK_HAS(text.bytes, "\"result\": \"harms\"");
	CHECK_HAS(text.bytes, "\"gain\": 0.31");
	CHECK_HAS(text.bytes, "\"threads\": 4");
}
