/* SPDX-License-Identifier: Apache-2.0 */
/* The phase detector over invented streams of events: what it takes for a phase, and when. */
#include "ompt_tool/phases/detector.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <time.h>

#define MS 1000000ull

/* A program that runs in invented time, and what the detector answered to it. */
struct stream {
	struct detector *detector;
	uint64_t now_ns;
	uint32_t path; /* of the next events */
	uint64_t events, nr[DETECTOR_END + 1];
	uint64_t found_at; /* events before FOUND or CHANGED was answered last */
	uint64_t boundary_ns, shortest_ns, longest_ns; /* between two boundaries */
};

static struct stream stream_begin(void)
{
	/* each test has a process of its own */
	static _Alignas(64) unsigned char memory[512 << 10];
	struct stream stream = { .detector = (struct detector *)memory,
				 .now_ns = 5 * MS,
				 .shortest_ns = UINT64_MAX };

	CHECK_THAT(detector_bytes(), <=, sizeof(memory));
	detector_init(stream.detector);
	return stream;
}

static void stream_count(struct stream *stream, enum detector_answer answer)
{
	uint64_t lasted = stream->now_ns - stream->boundary_ns;

	stream->nr[answer]++;
	if (answer == DETECTOR_BOUNDARY && lasted < stream->shortest_ns)
		stream->shortest_ns = lasted;
	if (answer == DETECTOR_BOUNDARY && lasted > stream->longest_ns)
		stream->longest_ns = lasted;
	if (answer == DETECTOR_FOUND || answer == DETECTOR_CHANGED)
		stream->found_at = stream->events;
	if (answer != DETECTOR_NOTHING)
		stream->boundary_ns = stream->now_ns;
}

static enum detector_answer event(struct stream *stream, int level, uint32_t region,
				  uint64_t lasts_ns)
{
	enum detector_answer answer = detector_event(stream->detector, level, region, stream->path,
						     stream->now_ns);

	stream_count(stream, answer);
	stream->events++;
	stream->now_ns += lasts_ns;
	return answer;
}

static enum detector_answer mark(struct stream *stream, bool begin, int number, uint64_t lasts_ns)
{
	enum detector_answer answer = detector_mark(stream->detector, begin, number,
						    stream->now_ns);

	stream_count(stream, answer);
	stream->now_ns += lasts_ns;
	return answer;
}

static enum phase_method method_of(struct stream *stream, uint32_t *region_out)
{
	return detector_method(stream->detector, region_out);
}

#define CHECK_PHASE(stream, method, start_region) \
	do { \
		uint32_t region_ = 0; \
		CHECK_INT(method_of(stream, &region_), method); \
		CHECK_INT(region_, start_region); \
		CHECK(detector_note((stream)->detector) == NULL); \
	} while (0)

TEST(detector__swim)
{
	struct stream stream = stream_begin();

	event(&stream, 0, 1, 7 * MS); /* initial values, boundaries */
	event(&stream, 0, 2, 1 * MS);
	for (int step = 0; step < 100; step++) {
		event(&stream, 0, 3, 2 * MS);
		event(&stream, 0, 4, 3 * MS);
		event(&stream, 0, step ? 5 : 6, 2 * MS); /* calc3z in the first step */
	}
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 3);
	CHECK_INT(stream.nr[DETECTOR_FOUND], 1);
	CHECK_INT(stream.nr[DETECTOR_CHANGED], 0);
	CHECK_THAT(stream.found_at, <=, 2 + 3 * 5);
	CHECK_INT(stream.nr[DETECTOR_BOUNDARY], (302 - stream.found_at - 1) / 3);
	CHECK_INT(stream.shortest_ns, 7 * MS);
	CHECK_INT(stream.longest_ns, 7 * MS);
	CHECK_INT(detector_repetitions(stream.detector), 1);
}

TEST(detector__one_region)
{
	struct stream stream = stream_begin();

	for (int step = 0; step < 100; step++)
		event(&stream, 0, 7, 5 * MS);
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 7);
	CHECK_THAT(stream.found_at, <, 10);
	CHECK_INT(stream.nr[DETECTOR_BOUNDARY], 99 - stream.found_at);
}

static void call(struct stream *stream, uint32_t region, uint32_t path, uint64_t lasts_ns)
{
	stream->path = path;
	event(stream, 0, region, lasts_ns);
	stream->path = 0;
}

/* relax(u, v); relax(w, x): a repetition has both. */
TEST(detector__one_region_on_two_paths)
{
	struct stream few = stream_begin(), stream;

	for (int step = 0; step < 10; step++)
		call(&few, 7, step % 2, 100 * MS);
	CHECK_PHASE(&few, PHASE_SEQUENCE, 7);
	CHECK_THAT(few.found_at, <=, 7);
	CHECK_INT(few.shortest_ns, 200 * MS);
	stream = stream_begin();
	for (int step = 0; step < 100; step++)
		call(&stream, 7, step % 2, 5 * MS);
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 7);
	CHECK_INT(stream.nr[DETECTOR_CHANGED], 0);
	CHECK_INT(stream.shortest_ns, 10 * MS);
	CHECK_INT(stream.longest_ns, 10 * MS);
}

/* Two regions a step; one has three callers in turn. Calls without a rule change nothing. */
TEST(detector__paths_of_a_region_in_a_step)
{
	struct stream turns = stream_begin(), random;
	uint32_t seed = 1;

	for (int step = 0; step < 300; step++) {
		event(&turns, 0, 1, 2 * MS);
		call(&turns, 2, (uint32_t)step % 3, 3 * MS);
	}
	CHECK_PHASE(&turns, PHASE_SEQUENCE, 2);
	CHECK_INT(turns.shortest_ns, 15 * MS);
	CHECK_INT(turns.longest_ns, 15 * MS);
	random = stream_begin();
	for (int step = 0; step < 300; step++) {
		seed = seed * 1664525 + 1013904223;
		event(&random, 0, 1, 2 * MS);
		call(&random, 2, seed >> 30, 3 * MS);
	}
	CHECK_PHASE(&random, PHASE_SEQUENCE, 1);
	CHECK_INT(random.shortest_ns, 5 * MS);
	CHECK_INT(random.longest_ns, 5 * MS);
}

static void solver_step(struct stream *stream, int inner, uint64_t outer_ns)
{
	event(stream, 0, 1, outer_ns);
	for (int i = 0; i < inner; i++) {
		event(stream, 0, 2, MS / 10);
		event(stream, 0, 3, MS / 20);
	}
	event(stream, 0, 4, outer_ns);
}

/*
 * A program of few steps has a phase before most of it is over; where steps are short, it takes
 * more of them to be sure.
 */
TEST(detector__few_long_steps)
{
	struct stream of_long = stream_begin();

	event(&of_long, 0, 1, 30 * MS);
	for (int step = 0; step < 10; step++)
		event(&of_long, 0, 2, 100 * MS);
	CHECK_PHASE(&of_long, PHASE_SEQUENCE, 2);
	CHECK_THAT(of_long.found_at, <=, 5);
	CHECK_THAT(of_long.nr[DETECTOR_BOUNDARY], >=, 5);
}

/* Steps before it is found are steps, too. */
TEST(detector__time_of_steps_before_it_is_found)
{
	struct stream stream = stream_begin();
	uint64_t step = 0;

	CHECK_INT(detector_before_ns(stream.detector), 0);
	event(&stream, 0, 1, 30 * MS);
	while (event(&stream, 0, 2, 100 * MS) != DETECTOR_FOUND && step < 10)
		step++;
	CHECK_THAT(step, <, 10);
	CHECK_INT(detector_before_ns(stream.detector), step * 100 * MS);
}

TEST(detector__few_short_steps)
{
	struct stream of_short = stream_begin();
	uint32_t region;

	for (int step = 0; step < 6; step++)
		event(&of_short, 0, 2, 5 * MS);
	CHECK_INT(method_of(&of_short, &region), PHASE_WHOLE_PROGRAM);
}

TEST(detector__nested_solver_fixed)
{
	struct stream stream = stream_begin();

	for (int step = 0; step < 60; step++)
		solver_step(&stream, 50, 2 * MS);
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 1);
	CHECK_INT(stream.longest_ns, 11500000);
	CHECK_THAT(stream.found_at, <, 102 * 30);
}

TEST(detector__nested_solver_varying)
{
	struct stream stream = stream_begin();

	srand(1);
	for (int step = 0; step < 80; step++)
		solver_step(&stream, 20 + rand() % 40, 2 * MS);
	CHECK_PHASE(&stream, PHASE_ANCHOR, 1);
	CHECK_THAT(stream.found_at, <, 100 * 40);
	CHECK_THAT(stream.nr[DETECTOR_BOUNDARY], >, 40);
}

/*
 * The inner iterations are nearly all of the time: they are the phase, and the few others do not
 * lose it.
 */
TEST(detector__nested_solver_inner_dominates)
{
	struct stream stream = stream_begin();

	for (int step = 0; step < 30; step++)
		solver_step(&stream, 500, MS / 10);
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 2);
	CHECK_INT(stream.nr[DETECTOR_CHANGED], 0);
	CHECK_INT(detector_repetitions(stream.detector), 7); /* of 0.15 ms make 1 ms */
}

TEST(detector__region_twice_in_a_period)
{
	static const uint32_t regions[] = { 1, 2, 1, 3 };
	struct stream stream = stream_begin();

	for (int i = 0; i < 400; i++)
		event(&stream, 0, regions[i % 4], MS);
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 2);
	CHECK_INT(stream.shortest_ns, 4 * MS);
	CHECK_INT(stream.longest_ns, 4 * MS);
}

/*
 * No region occurs once: positions are told apart by what came before. A lost one resynchronises.
 */
TEST(detector__no_region_once_in_a_period)
{
	static const uint32_t regions[] = { 1, 1, 2, 2 };
	struct stream stream = stream_begin();

	for (int i = 0; i < 400; i++)
		event(&stream, 0, regions[i % 4], MS);
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 1);
	CHECK_INT(stream.shortest_ns, 4 * MS);
	CHECK_INT(stream.longest_ns, 4 * MS);
	event(&stream, 0, 9, MS);
	for (int i = 0; i < 400; i++)
		event(&stream, 0, regions[i % 4], MS);
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 1);
	CHECK_INT(stream.nr[DETECTOR_CHANGED], 0);
	CHECK_THAT(stream.longest_ns, <=, 9 * MS);
}

TEST(detector__irregular)
{
	struct stream stream = stream_begin();

	srand(2);
	for (int i = 0; i < 3000; i++)
		event(&stream, 0, (uint32_t)(1 + rand() % 10),
		      MS / 4 + (uint64_t)(rand() % 1000) * 1000);
	CHECK_INT(stream.nr[DETECTOR_NOTHING], 3000);
	CHECK(strstr(detector_note(stream.detector), "neither"));
}

TEST(detector__whole_program_notes)
{
	struct stream stream = stream_begin();
	uint32_t region;

	CHECK(strstr(detector_note(stream.detector), "no parallel region"));
	event(&stream, 0, 1, 5000 * MS);
	event(&stream, 0, 2, 5000 * MS);
	CHECK_INT(method_of(&stream, &region), PHASE_WHOLE_PROGRAM);
	CHECK_INT(region, MS_REGION_NONE);
	CHECK(strstr(detector_note(stream.detector), "too few"));
}

/* One parallel region holds the time loop: clang reports loops and barriers. */
TEST(detector__spmd_loops_and_barriers)
{
	struct stream stream = stream_begin();

	event(&stream, 0, 1, MS);
	for (int step = 0; step < 200; step++) {
		event(&stream, DETECTOR_INSIDE, 2, 2 * MS);
		event(&stream, DETECTOR_BARRIER, 3, MS / 10);
		event(&stream, DETECTOR_INSIDE, 4, 3 * MS);
		event(&stream, DETECTOR_BARRIER, 5, MS / 10);
	}
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 3);
	CHECK_INT(stream.shortest_ns, stream.longest_ns);
	CHECK_INT(stream.nr[DETECTOR_CHANGED], 0);
	CHECK_THAT(stream.nr[DETECTOR_BOUNDARY], >, 180);
}

/* gcc reports only the barriers; here always the same one. */
TEST(detector__spmd_one_barrier)
{
	struct stream stream = stream_begin();

	event(&stream, 0, 1, MS);
	for (int step = 0; step < 100; step++)
		event(&stream, DETECTOR_BARRIER, 2, 6 * MS);
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 2);
	CHECK_THAT(stream.nr[DETECTOR_BOUNDARY], >, 85);
}

/* Loops inside short regions never count: the regions do. */
TEST(detector__loops_inside_repeated_regions)
{
	struct stream stream = stream_begin();

	for (int step = 0; step < 50; step++) {
		event(&stream, 0, 1, 0);
		for (int i = 0; i < 20; i++)
			event(&stream, DETECTOR_INSIDE, 2, MS);
	}
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 1);
	CHECK_INT(stream.nr[DETECTOR_FOUND], 1);
	CHECK_INT(stream.longest_ns, 20 * MS);
}

/*
 * Inner loops of long regions were taken first; then the regions repeat, with much time outside the
 * loops.
 */
TEST(detector__level_0_appears_later)
{
	struct stream stream = stream_begin();

	for (int step = 0; step < 60; step++) {
		event(&stream, 0, 1, 60 * MS);
		for (int i = 0; i < 40; i++)
			event(&stream, DETECTOR_INSIDE, 2, 2 * MS);
	}
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 1);
	CHECK_INT(stream.nr[DETECTOR_FOUND] + stream.nr[DETECTOR_CHANGED], 2);
	CHECK_INT(stream.boundary_ns, stream.now_ns - 140 * MS);
}

/* A loop of regions at first, then one region that holds the main loop. */
TEST(detector__spmd_after_a_loop_of_regions)
{
	struct stream stream = stream_begin();

	for (int i = 0; i < 50; i++)
		event(&stream, 0, 1, MS);
	event(&stream, 0, 2, MS);
	for (int step = 0; step < 300; step++)
		event(&stream, DETECTOR_BARRIER, 3, 4 * MS);
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 3);
	CHECK_INT(stream.nr[DETECTOR_CHANGED], 1);
	CHECK_THAT(stream.nr[DETECTOR_BOUNDARY], >, 250);
}

TEST(detector__phase_length_changes)
{
	struct stream stream = stream_begin();

	for (int step = 0; step < 200; step++) {
		event(&stream, 0, 1, MS + (uint64_t)step * MS / 10);
		event(&stream, 0, 2, step == 150 ? 900 * MS : 2 * MS);
	}
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 1);
	CHECK_INT(stream.nr[DETECTOR_CHANGED], 0);
	CHECK_INT(stream.nr[DETECTOR_BOUNDARY] * 2 + stream.found_at, 398);
}

TEST(detector__stops_early)
{
	struct stream stream = stream_begin();
	uint32_t region;

	for (int i = 0; i < 6; i++)
		event(&stream, 0, 1 + (uint32_t)(i % 3), 10 * MS);
	CHECK_INT(method_of(&stream, &region), PHASE_WHOLE_PROGRAM);
	CHECK_INT(stream.nr[DETECTOR_NOTHING], 6);
}

TEST(detector__extra_step_every_100)
{
	struct stream stream = stream_begin();

	for (int step = 0; step < 1000; step++) {
		event(&stream, 0, 1, MS);
		event(&stream, 0, 2, MS);
		if (step % 100 == 99) {
			event(&stream, 0, 3, 5 * MS);
			event(&stream, 0, 2, 1 * MS);
		}
	}
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 1);
	CHECK_INT(stream.nr[DETECTOR_FOUND], 1);
	CHECK_INT(stream.nr[DETECTOR_CHANGED], 0);
	CHECK_INT(stream.nr[DETECTOR_BOUNDARY], 999 - stream.found_at / 2);
	CHECK_INT(stream.longest_ns, 8 * MS);
}

/*
 * Each fourth step has one region more: where that takes no time, a step is no worse a phase than
 * four, and what was measured of it is not thrown away.
 */
static struct stream one_more_each_fourth(uint64_t more_ns)
{
	struct stream stream = stream_begin();

	for (int step = 0; step < 60; step++) {
		event(&stream, 0, 1, 18 * MS / 10);
		event(&stream, 0, 2, MS / 20);
		if (step % 4 == 3)
			event(&stream, 0, 2, more_ns);
	}
	return stream;
}

TEST(detector__a_region_more_that_takes_no_time)
{
	struct stream stream = one_more_each_fourth(MS / 20);

	CHECK_INT(stream.nr[DETECTOR_FOUND], 1);
	CHECK_INT(stream.nr[DETECTOR_CHANGED], 0);
	CHECK_THAT(stream.nr[DETECTOR_BOUNDARY], >=, 45);
	CHECK_THAT(stream.longest_ns, <, 2 * MS);
}

TEST(detector__a_region_more_that_takes_long)
{
	struct stream stream = one_more_each_fourth(4 * MS);

	CHECK_THAT(stream.longest_ns, >, 11 * MS); /* the four together */
	CHECK_THAT(method_of(&stream, &(uint32_t){ 0 }), ==, PHASE_SEQUENCE);
}

static void scan_each_eighth(struct stream *stream, int steps, int interrupted)
{
	for (int step = 0; step < steps; step++) {
		event(stream, 0, 1, step == interrupted ? 15 * MS : 3 * MS / 10);
		if (step % 8 == 7)
			event(stream, 0, 2, MS / 10);
	}
}

/*
 * A thread that lost its CPU in the first steps makes a single one look like the phase. Short ones
 * are grouped anyway: in eights, as each eighth has a region more, and every execution measured has
 * it.
 */
TEST(detector__short_repetitions_are_grouped_by_an_outer_loop)
{
	for (int interrupted = -1; interrupted < 8; interrupted++) {
		struct stream stream = stream_begin();

		scan_each_eighth(&stream, 200, interrupted);
		CHECK_PHASE(&stream, PHASE_SEQUENCE, 2);
		CHECK_THAT(stream.nr[DETECTOR_CHANGED], <=, 1);
		stream.shortest_ns = UINT64_MAX;
		stream.longest_ns = 0;
		scan_each_eighth(&stream, 200, -1);
		CHECK_INT(stream.shortest_ns, 25 * MS / 10);
		CHECK_INT(stream.longest_ns, 25 * MS / 10);
	}
}

TEST(detector__two_main_loops)
{
	struct stream stream = stream_begin();

	for (int i = 0; i < 300; i++)
		event(&stream, 0, 1 + (uint32_t)(i % 3), MS);
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 1);
	for (int i = 0; i < 600; i++)
		event(&stream, 0, 4 + (uint32_t)(i % 3), 2 * MS);
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 4);
	CHECK_INT(stream.nr[DETECTOR_CHANGED], 1);
	CHECK_THAT(stream.found_at, <, 300 + 60);
}

/* A loop of the begin, and then few regions that take all of the run. */
TEST(detector__a_small_loop_is_abandoned)
{
	struct stream stream = stream_begin();
	uint32_t region;

	for (int i = 0; i < 8; i++)
		event(&stream, 0, 1, 8 * MS);
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 1);
	event(&stream, 0, 2, 900 * MS);
	CHECK_INT(stream.nr[DETECTOR_ABANDONED], 0);
	CHECK(detector_abandons(stream.detector, 900 * MS)); /* if it ended here */
	event(&stream, 0, 3, 10 * MS);
	CHECK_INT(stream.nr[DETECTOR_ABANDONED], 1);
	CHECK_INT(method_of(&stream, &region), PHASE_WHOLE_PROGRAM);
	for (int i = 0; i < 10; i++) {
		event(&stream, 0, 2, 900 * MS);
		event(&stream, 0, 3, 10 * MS);
	}
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 2);
	CHECK_INT(stream.nr[DETECTOR_ABANDONED], 1);
	CHECK_INT(stream.nr[DETECTOR_FOUND], 2);
	CHECK_THAT(stream.nr[DETECTOR_BOUNDARY], >, 5);
}

/* It takes as long as its steps did, which go on afterwards. */
TEST(detector__a_long_region_between_steps)
{
	struct stream stream = stream_begin();

	for (int i = 0; i < 100; i++) {
		event(&stream, 0, 1, 5 * MS);
		if (i == 50)
			event(&stream, 0, 2, 1500 * MS);
	}
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 1);
	CHECK_INT(stream.nr[DETECTOR_ABANDONED], 0);
}

/* A long start with few regions must not hide the loop that follows. */
TEST(detector__long_start)
{
	struct stream stream = stream_begin();

	for (uint32_t i = 0; i < 20; i++)
		event(&stream, 0, 100 + i, 500 * MS);
	for (int i = 0; i < 4000; i++)
		event(&stream, 0, 1 + (uint32_t)(i % 4), MS);
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 1);
	CHECK_THAT(stream.found_at, <, 20 + 1000);
}

TEST(detector__short_repetitions_are_grouped)
{
	struct stream stream = stream_begin();

	for (int i = 0; i < 200000; i++)
		event(&stream, 0, 1 + (uint32_t)(i % 2), 2500); /* 5 us each */
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 1);
	CHECK_INT(detector_repetitions(stream.detector), 200);
	CHECK_INT(stream.shortest_ns, MS);
	CHECK_INT(stream.longest_ns, MS);
	for (int i = 0; i < 2000; i++)
		event(&stream, 0, 1 + (uint32_t)(i % 2), MS); /* and grow */
	CHECK_INT(detector_repetitions(stream.detector), 1);
}

TEST(detector__repetitions_that_become_short)
{
	struct stream stream = stream_begin();

	for (int i = 0; i < 20; i++)
		event(&stream, 0, 1, 2 * MS);
	for (int i = 0; i < 100000; i++)
		event(&stream, 0, 1, 2000);
	CHECK_THAT(stream.nr[DETECTOR_BOUNDARY], <, 20 + 250);
	CHECK_INT(detector_repetitions(stream.detector), 500);
}

/*
 * No crash whatever comes, and bounded time: 100 ns an event here, with sanitizers or a busy
 * machine 20 times that.
 */
TEST(detector__random_events)
{
	struct stream stream = stream_begin();
	clock_t begin = clock();

	srand(3);
	for (int i = 0; i < 50000; i++) {
		uint32_t region = rand() % 50 ? (uint32_t)rand() % 30 : (uint32_t)rand() % 16384;

		event(&stream, rand() % 3, region, (uint64_t)rand() % (MS / 5));
		if (rand() % 1000 == 0)
			stream.now_ns -= stream.now_ns > 20 * MS ? MS : 0;
	}
	CHECK_THAT((double)(clock() - begin) / CLOCKS_PER_SEC, <, 2);
	CHECK_THAT(stream.nr[DETECTOR_CHANGED], <, 50);
}

/*
 * Patterns whose period is longer than a third of the log cannot be found, but must not cost much.
 */
TEST(detector__looking_is_bounded)
{
	struct stream stream = stream_begin();
	clock_t begin = clock();

	for (int i = 0; i < 500000; i++)
		event(&stream, 0, (uint32_t)((i * 2654435761u >> 7) % 3000), 1000);
	CHECK_THAT((double)(clock() - begin) / CLOCKS_PER_SEC, <, 2);
}

TEST(detector__marks)
{
	struct stream stream = stream_begin();
	uint32_t region;

	/* an end without a begin, before any region */
	CHECK_INT(mark(&stream, false, 0, MS), DETECTOR_NOTHING);
	CHECK_INT(method_of(&stream, &region), PHASE_WHOLE_PROGRAM);
	for (int i = 0; i < 100; i++) {
		CHECK_INT(mark(&stream, true, 0, MS), DETECTOR_BEGIN);
		for (int j = 0; j < 5; j++)
			CHECK_INT(event(&stream, 0, 1, 2 * MS), DETECTOR_NOTHING);
		CHECK_INT(mark(&stream, false, 0, MS), DETECTOR_END);
	}
	CHECK_PHASE(&stream, PHASE_CONTROL_TOOL, MS_REGION_NONE);
}

TEST(detector__marks_override_what_was_found)
{
	struct stream stream = stream_begin();

	for (int i = 0; i < 50; i++)
		event(&stream, 0, 1, 5 * MS);
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 1);
	CHECK_INT(mark(&stream, false, 3, MS), DETECTOR_NOTHING);
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 1);
	CHECK_INT(mark(&stream, true, 3, 3 * MS), DETECTOR_CHANGED);
	CHECK_INT(mark(&stream, false, 3, MS), DETECTOR_END);
	CHECK_INT(mark(&stream, true, 3, 3 * MS), DETECTOR_BEGIN);
	CHECK_PHASE(&stream, PHASE_CONTROL_TOOL, MS_REGION_NONE);
}

TEST(detector__marks_nested_and_unbalanced)
{
	struct stream stream = stream_begin();

	CHECK_INT(mark(&stream, true, 1, 2 * MS), DETECTOR_BEGIN);
	/* other numbers inside are ignored */
	for (int i = 0; i < 5; i++) {
		CHECK_INT(mark(&stream, true, 2, 2 * MS), DETECTOR_NOTHING);
		CHECK_INT(mark(&stream, false, 2, 2 * MS), DETECTOR_NOTHING);
	}
	CHECK_INT(mark(&stream, true, 1, 2 * MS), DETECTOR_BOUNDARY); /* the end was forgotten */
	CHECK_INT(mark(&stream, false, 1, 2 * MS), DETECTOR_END);
	CHECK_INT(mark(&stream, false, 1, 2 * MS), DETECTOR_NOTHING);
	CHECK_INT(mark(&stream, true, 1, 2 * MS), DETECTOR_BEGIN);
}

/* Phase 1 was the start of the program; phase 2 is the loop. */
TEST(detector__marks_of_another_phase_take_over)
{
	struct stream stream = stream_begin();

	CHECK_INT(mark(&stream, true, 1, 50 * MS), DETECTOR_BEGIN);
	CHECK_INT(mark(&stream, false, 1, MS), DETECTOR_END);
	for (int i = 0; i < 2; i++) {
		CHECK_INT(mark(&stream, true, 2, 5 * MS), DETECTOR_NOTHING);
		CHECK_INT(mark(&stream, false, 2, MS), DETECTOR_NOTHING);
	}
	CHECK_INT(mark(&stream, true, 2, 5 * MS), DETECTOR_CHANGED);
	CHECK_INT(mark(&stream, false, 2, MS), DETECTOR_END);
	CHECK_INT(mark(&stream, true, 2, 5 * MS), DETECTOR_BEGIN);
}

TEST(detector__marks_of_other_phases_are_counted)
{
	struct detector_ignored ignored;
	struct detector *detector = calloc(1, detector_bytes());
	uint64_t now_ns = 1000;

	CHECK(detector);
	detector_init(detector);
	for (int i = 0; i < 5; i++) {
		detector_mark(detector, true, 7, now_ns += 10000000);
		detector_mark(detector, false, 7, now_ns += 10000000);
		detector_mark(detector, true, 8, now_ns += 10000000);
		detector_mark(detector, false, 8, now_ns += 30000000);
	}
	detector_ignored(detector, &ignored);
	CHECK_INT(ignored.executions, 5);
	CHECK_INT(ignored.number, 8);
	CHECK_INT(ignored.main_number, 7);
	CHECK_NEAR(ignored.ns, 5 * 30e6, 0);
	free(detector);
}

TEST(detector__short_marks_are_grouped)
{
	struct stream stream = stream_begin();

	for (int i = 0; i < 100000; i++) {
		mark(&stream, true, 0, 4000);
		mark(&stream, false, 0, 1000);
	}
	CHECK_THAT(stream.nr[DETECTOR_END], <, 520);
	CHECK_THAT(stream.nr[DETECTOR_END], >, 400);
	CHECK_INT(stream.nr[DETECTOR_BEGIN] - stream.nr[DETECTOR_END] <= 1, 1);
}

/* -- events without their time */

static enum detector_answer sparse_event(struct stream *stream, int level, uint32_t region,
					 uint64_t lasts_ns, uint64_t *timed)
{
	bool needed = detector_needs_time(stream->detector, level, region);
	enum detector_answer answer = detector_event(stream->detector, level, region, 0,
						     needed ? stream->now_ns : 0);

	CHECK(needed || answer == DETECTOR_NOTHING);
	*timed += needed;
	stream_count(stream, answer);
	stream->events++;
	stream->now_ns += lasts_ns;
	return answer;
}

/*
 * Of dense events few need their time; phase, groups and boundaries are those of events that all
 * have one.
 */
TEST(detector__dense_events_need_few_times)
{
	struct stream stream = stream_begin();
	uint64_t before, timed = 0;

	for (int i = 0; i < 480000; i++)
		/* 15 us a step */
		sparse_event(&stream, 0, 1 + (uint32_t)(i % 12), 1250, &timed);
	CHECK_PHASE(&stream, PHASE_SEQUENCE, 1);
	before = timed;
	for (int i = 0; i < 120000; i++)
		sparse_event(&stream, 0, 1 + (uint32_t)(i % 12), 1250, &timed);
	CHECK_THAT(timed - before, <, 120000 / 15);
	CHECK_INT(stream.nr[DETECTOR_CHANGED], 0);
	CHECK_INT(detector_repetitions(stream.detector), 67);
	CHECK_INT(stream.shortest_ns, 67 * 15000);
	CHECK_INT(stream.longest_ns, 67 * 15000);
}

/* Steps that become long are regrouped, and each of their events is timed again. */
TEST(detector__dense_events_become_long)
{
	struct stream stream = stream_begin();
	uint64_t timed = 0;

	for (int i = 0; i < 480000; i++)
		sparse_event(&stream, 0, 1 + (uint32_t)(i % 12), 1250, &timed);
	timed = 0;
	for (int i = 0; i < 1200; i++)
		sparse_event(&stream, 0, 1 + (uint32_t)(i % 12), 250000, &timed);
	CHECK_THAT(timed, >, 1150);
	CHECK_INT(detector_repetitions(stream.detector), 1);
	CHECK_INT(stream.longest_ns < 20 * 3 * MS, 1);
	CHECK_INT(stream.nr[DETECTOR_CHANGED], 0);
}

TEST(detector__dense_events_of_another_loop)
{
	struct stream stream = stream_begin();
	uint64_t timed = 0;
	uint32_t region;

	for (int i = 0; i < 480000; i++)
		sparse_event(&stream, 0, 1 + (uint32_t)(i % 12), 1250, &timed);
	for (int i = 0; i < 200000; i++)
		sparse_event(&stream, 0, 21 + (uint32_t)(i % 10), 1250, &timed);
	CHECK_INT(method_of(&stream, &region), PHASE_SEQUENCE);
	CHECK_THAT(region, >, 20);
	CHECK_INT(stream.nr[DETECTOR_CHANGED], 1);
}

TEST(detector__inside_of_known_regions_nothing_is_new)
{
	struct stream stream = stream_begin();
	uint64_t timed = 0;

	for (int i = 0; i < 12; i++)
		sparse_event(&stream, 0, 1 + (uint32_t)i, 1250, &timed);
	CHECK(!detector_ignores_inside(stream.detector, 1, false)); /* no phase yet */
	for (int i = 0; i < 480000; i++)
		sparse_event(&stream, 0, 1 + (uint32_t)(i % 12), 1250, &timed);
	CHECK(detector_ignores_inside(stream.detector, 12, false));
	sparse_event(&stream, 0, 40, 1250, &timed); /* never met before */
	CHECK(!detector_ignores_inside(stream.detector, 40, false));
	sparse_event(&stream, 0, 1, MS, &timed);
	sparse_event(&stream, 0, 2, MS, &timed);
	for (int i = 2; i < 20; i++) /* not dense any more */
		sparse_event(&stream, 0, 1 + (uint32_t)(i % 12), MS, &timed);
	CHECK(!detector_ignores_inside(stream.detector, 1, false) &&
	      detector_ignores_inside(stream.detector, 1, true));
	/* the phase is lost, whichever region begins it */
	for (int i = 0; i < 80; i++)
		sparse_event(&stream, 0, 50 + (uint32_t)i, MS, &timed);
	CHECK(!detector_ignores_inside(stream.detector, 1, true));
}
