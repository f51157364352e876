/* SPDX-License-Identifier: Apache-2.0 */
/* Times of loops from their entries and exits: sums of random nests, and loops that were left. */
#include "ompt_tool/accesses/loop_clock.h"

#include "analysis/trace/record_rows.h"
#include "ompt_tool/clones/clone_loops.h"
#include "ompt_tool/clones/loop_rows.h"
#include "ompt_tool/clones/word_buffer.h"
#include "tests/unit/test.h"

enum { LOOPS = 6, WORDS = 1 << 16, CONSTRUCT = 7, PROBE = 30, FRAME = 64 };

/* Two functions with an outer and an inner loop each: f, its loops, g, its loops. */
static uint32_t number[LOOPS], entries[LOOPS], exits[LOOPS];

static uint32_t header(enum record_event event, uint32_t loop)
{
	return record_rows_add_stretch(&(struct record_stretch){
		.words = RECORD_TIME_WORDS, .event = (uint8_t)event, .subject = loop });
}

static void make_loops(void)
{
	for (uint32_t i = 0; i < LOOPS; i++) {
		bool is_function = i % 3 == 0;
		uintptr_t function = 0x10000 * (1 + i / 3);

		number[i] = record_rows_add_loop(
			&(struct clone_loop){ .header = function + i % 3 * 0x100,
					      .function = function,
					      .is_function = is_function,
					      .parent = is_function ? 0 : number[i - 1] });
		clone_loop_join(number[i], number[i], is_function ? 0 : number[i - 1]);
		entries[i] = header(is_function ? RECORD_FUNCTION_ENTRY : RECORD_LOOP_ENTRY,
				    number[i]);
		exits[i] = header(is_function ? RECORD_FUNCTION_EXIT : RECORD_LOOP_EXIT, number[i]);
	}
}

/* What a program does, with the truth beside it. */
struct program {
	uint64_t words[WORDS], now, truth[LOOPS], own[LOOPS], nr_entries[LOOPS];
	size_t nr;
	uint64_t seed;
	bool probes;
};

static uint64_t draw(struct program *program, uint64_t below)
{
	program->seed = program->seed * 6364136223846793005u + 1442695040888963407u;
	return (program->seed >> 33) % below;
}

/* Half of what an event takes lies before its time, half after. */
static void event(struct program *program, uint32_t row, uint64_t stack)
{
	program->now += program->probes ? PROBE / 2 : 0;
	CHECK_THAT(program->nr + 3, <=, WORDS);
	program->words[program->nr++] = row;
	program->words[program->nr++] = program->now;
	program->words[program->nr++] = stack;
	program->now += program->probes ? PROBE / 2 : 0;
}

/* Returns the time without probes; `depth`: nesting that is left. */
static uint64_t execute(struct program *program, uint32_t loop, uint64_t stack, unsigned int depth)
{
	uint64_t own = 0, all = 0;

	program->nr_entries[loop]++;
	event(program, entries[loop], stack);
	for (uint64_t i = 0, nr = 1 + draw(program, 3); i < nr; i++) {
		uint64_t ticks = 1 + draw(program, 1000);

		own += ticks;
		program->now += ticks;
		if (loop % 3 < 2 && draw(program, 3))
			all += execute(program, loop + 1, stack - (loop % 3 ? 0 : 16), depth);
		else if (depth && draw(program, 2))
			all += execute(program, loop < 3 ? 3 : 0, stack - FRAME, depth - 1);
	}
	event(program, exits[loop], stack);
	program->own[loop] += own;
	return own + all;
}

struct sums {
	uint64_t ticks[LOOPS], own[LOOPS], nr[LOOPS], lost, probes;
};

static void add(void *ctx, const struct loop_span *span)
{
	struct sums *sums = ctx;

	CHECK_INT(span->construct, CONSTRUCT);
	for (uint32_t i = 0; i < LOOPS; i++) {
		if (number[i] != span->loop)
			continue;
		sums->nr[i]++;
		sums->own[i] += span->own_ticks;
		sums->ticks[i] += span->outermost ? span->ticks : 0;
	}
	sums->probes += span->probe_ticks;
}

static void count_lost(void *ctx, uint32_t construct)
{
	((struct sums *)ctx)->lost += construct == CONSTRUCT;
}

static struct loop_clock clock_new(struct sums *sums, uint64_t event_ticks)
{
	return (struct loop_clock){
		.closed = add, .lost = count_lost, .ctx = sums, .event_ticks = event_ticks
	};
}

/* In pieces of whole events, as buffers end anywhere. */
static void pass_on(struct loop_clock *clock, struct program *program, size_t piece)
{
	for (size_t at = 0; at < program->nr; at += 3 * piece) {
		size_t rest = program->nr - at;

		loop_clock_words(clock, CONSTRUCT, program->words + at,
				 rest < 3 * piece ? rest : 3 * piece);
	}
}

TEST(loop_clock__own_times_add_up)
{
	static struct program program;

	make_loops();
	for (uint64_t seed = 1; seed < 200; seed++) {
		struct sums sums = { 0 };
		struct loop_clock clock = clock_new(&sums, seed % 2 ? PROBE : 0);
		uint64_t all, own = 0;

		program = (struct program){ .now = 1000, .seed = seed, .probes = seed % 2 };
		all = execute(&program, 0, 1 << 20, 3);
		pass_on(&clock, &program, 1 + seed % 7);
		for (uint32_t i = 0; i < LOOPS; i++) {
			CHECK_INT(sums.nr[i], program.nr_entries[i]);
			CHECK_INT(sums.own[i], program.own[i]);
			CHECK_THAT(sums.ticks[i], <=, all);
			own += sums.own[i];
		}
		CHECK_INT(own, all);
		CHECK_INT(sums.ticks[0], all); /* recursion counts once */
		CHECK_INT(sums.lost, 0);
		CHECK_INT(clock.nr, 0);
	}
}

/* The buffer is passed on in the middle of a loop: that takes time that is no loop's. */
TEST(loop_clock__pauses)
{
	static struct program program;
	struct sums sums = { 0 };
	struct loop_clock clock = clock_new(&sums, 0);

	make_loops();
	event(&program, entries[1], 1000);
	pass_on(&clock, &program, 1);
	loop_clock_pause(&clock, 500);
	program.nr = 0;
	program.now += 800;
	event(&program, exits[1], 1000);
	pass_on(&clock, &program, 1);
	CHECK_INT(sums.ticks[1], 300);
}

/*
 * f calls g, which leaves its loops and itself by longjmp into f's outer loop; f calls g again. What
 * was left has no time, the other executions do.
 */
TEST(loop_clock__left_loops)
{
	static struct program program;
	struct sums sums = { 0 };
	struct loop_clock clock = clock_new(&sums, 0);

	make_loops();
	for (uint32_t loop = 0; loop < 2; loop++)
		event(&program, entries[loop], 2000 - 16 * loop);
	for (uint32_t loop = 3; loop < 6; loop++)
		event(&program, entries[loop], 1900 - 16 * loop);
	program.now += 100;
	event(&program, entries[3], 1900 - 16 * 3);
	program.now += 10;
	event(&program, exits[3], 1900 - 16 * 3);
	program.now += 1000;
	event(&program, exits[1], 2000 - 16);
	event(&program, exits[0], 2000);
	pass_on(&clock, &program, 1);
	CHECK_INT(sums.lost, 3);
	CHECK_INT(sums.ticks[3], 10);
	CHECK_INT(sums.ticks[4] + sums.ticks[5], 0);
	CHECK_INT(sums.ticks[0], 1110);
	CHECK_INT(sums.own[1], 1100);
	CHECK_INT(clock.nr, 0);
}

/* Left by an exception that the function itself catches: the next loop of it is no inner one. */
TEST(loop_clock__left_in_the_same_function)
{
	static struct program program;
	struct sums sums = { 0 };
	struct loop_clock clock = clock_new(&sums, 0);

	make_loops();
	event(&program, entries[1], 1000);
	event(&program, entries[2], 1000);
	program.now += 50;
	event(&program, entries[1], 1000);
	program.now += 5;
	event(&program, exits[1], 1000);
	pass_on(&clock, &program, 1);
	CHECK_INT(sums.lost, 2);
	CHECK_INT(sums.ticks[1], 5);
	CHECK_INT(sums.nr[1], 1);
}

/* Exits of loops that were entered in the original, and loops that are open when the construct ends. */
TEST(loop_clock__halves)
{
	static struct program program;
	struct sums sums = { 0 };
	struct loop_clock clock = clock_new(&sums, 0);

	make_loops();
	event(&program, exits[2], 1000);
	event(&program, entries[1], 1000);
	program.now += 50;
	pass_on(&clock, &program, 1);
	loop_clock_end(&clock, CONSTRUCT + 1);
	CHECK_INT(sums.lost, 0);
	loop_clock_end(&clock, CONSTRUCT);
	CHECK_INT(sums.lost, 1);
	CHECK_INT(sums.nr[1] + sums.nr[2], 0);
	CHECK_INT(clock.nr, 0);
}

/* Deeper than the clock has room: lost, without harm to those around. */
TEST(loop_clock__too_deep)
{
	static struct program program;
	struct sums sums = { 0 };
	struct loop_clock clock = clock_new(&sums, 0);
	enum { DEEP = LOOP_CLOCK_DEPTH + 5 };

	make_loops();
	for (uint64_t i = 0; i < DEEP; i++)
		event(&program, entries[0], 100000 - FRAME * i);
	program.now += 9;
	for (uint64_t i = DEEP; i-- > 0;)
		event(&program, exits[0], 100000 - FRAME * i);
	pass_on(&clock, &program, 3);
	CHECK_INT(sums.lost, 5);
	CHECK_INT(clock.nr, 0);
}
