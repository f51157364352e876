/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lines that threads share, by executions of constructs, against what each thread did to each word.
 */
#include "ompt_tool/accesses/sharing.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "ompt_tool/arrays/array.h"
#include "tests/unit/pick.h"
#include "tests/unit/test.h"

#define THREADS 4
#define BYTES 4096
#define WORDS (BYTES / LINE_WORD)
#define LINES (BYTES / LINE_BYTES)
#define REGION 9 /* of the construct; an array's is its number more */
#define ARRAYS 2

static _Alignas(LINE_BYTES) char memory[ARRAYS][LINE_PIECE + BYTES]; /* in pieces of their own */
static uint32_t ids[ARRAYS];
static struct sharing *own[THREADS];
static char frames[THREADS][8];
static int team;

static void set_up(void)
{
	for (int i = 0; i < ARRAYS; i++) {
		struct array row = { .kind = ARRAY_STATIC,
				     .name = "memory",
				     .type = "",
				     .file = "",
				     .module = "",
				     .bytes = BYTES };

		ids[i] = array_new(&row);
		CHECK(ids[i] != ARRAY_NONE && array_block_add(ids[i], (uintptr_t)memory[i], BYTES));
	}
	for (int thread = 0; thread < THREADS; thread++) {
		own[thread] = calloc(1, sizeof(*own[thread]));
		CHECK(own[thread] != NULL);
		sharing_init(own[thread]);
	}
}

static struct sharing_key key_of(uint64_t sequence)
{
	return (struct sharing_key){ .team = &team, .sequence = sequence, .region = REGION };
}

static void begin(int thread, int depth, uint64_t sequence, uint32_t threads)
{
	CHECK(sharing_begin(own[thread], &frames[thread][depth], key_of(sequence), threads) !=
	      NULL);
}

static void touch(int thread, int depth, int array, uint64_t offset, uint64_t times, bool write)
{
	struct line_set *lines = sharing_lines(own[thread], &frames[thread][depth]);

	CHECK(lines != NULL);
	line_set_walk(lines, &(struct line_walk){ .address = (uintptr_t)memory[array] + offset,
						  .bytes = LINE_WORD,
						  .times = times,
						  .weight = 1,
						  .write = write });
	sharing_met(own[thread], &frames[thread][depth], ids[array], REGION + 1 + (uint32_t)array);
}

struct brought {
	uint64_t accesses[ARRAYS], lines[ARRAYS], same_lines[ARRAYS], sum, touched;
	uint32_t rows, executions, unknown;
};

static void note(void *ctx, uint32_t region, const struct compared_array *row)
{
	struct brought *brought = ctx;
	uint32_t array = region - REGION - 1;

	if (region == REGION) {
		CHECK(!row || row->array == ARRAY_NONE);
		brought->sum += row ? row->accesses : 0;
		brought->touched += row ? row->touched : 0;
		return;
	}
	CHECK(array < ARRAYS && (!row || row->array == ids[array]));
	if (!row) {
		brought->unknown++;
		return;
	}
	brought->rows++;
	brought->executions += row->executions;
	brought->accesses[array] += row->accesses;
	brought->lines[array] += row->lines;
	brought->same_lines[array] += row->same_lines;
}

static struct brought collect(int threads)
{
	struct brought brought = { .rows = 0 };

	for (int thread = 0; thread < threads; thread++)
		sharing_collect(own[thread], note, &brought);
	return brought;
}

TEST(sharing__different_words_of_a_line)
{
	struct brought brought;

	set_up();
	for (int thread = 0; thread < THREADS; thread++) {
		begin(thread, 0, 1, THREADS);
		/* counters side by side */
		touch(thread, 0, 0, (uint64_t)thread * 8, 1000, true);
		touch(thread, 0, 0, 64, 500, true);                            /* one for all */
		touch(thread, 0, 0, 128, 500, false);                          /* read by all */
		touch(thread, 0, 0, 1024 + (uint64_t)thread * 64, 1000, true); /* a line each */
		CHECK_INT(collect(THREADS).rows, 0);
		sharing_end(own[thread], &frames[thread][0], true);
	}
	brought = collect(THREADS);
	CHECK_INT(brought.rows, THREADS);
	CHECK_INT(brought.executions, 1);
	CHECK_INT(brought.sum, THREADS * 1000);
	CHECK_INT(brought.accesses[0], THREADS * 1000);
	CHECK_INT(brought.lines[0], 1);
	CHECK_INT(brought.same_lines[0], 1);
	CHECK_INT(brought.touched, 3 + THREADS);
	CHECK_INT(collect(THREADS).rows, 0);
}

/* A line at the border of two arrays is each one's. */
TEST(sharing__a_line_of_two_arrays)
{
	static _Alignas(LINE_BYTES) char both[LINE_BYTES];
	struct brought brought;

	set_up();
	for (int array = 0; array < ARRAYS; array++)
		CHECK(array_block_add(ids[array], (uintptr_t)both + (uint64_t)array * 32, 32));
	for (int thread = 0; thread < 2; thread++) {
		begin(thread, 0, 1, 2);
		line_set_walk(
			sharing_lines(own[thread], &frames[thread][0]),
			&(struct line_walk){ .address = (uintptr_t)both + (uint64_t)thread * 32,
					     .bytes = 8,
					     .times = 7,
					     .weight = 1,
					     .write = !thread });
		sharing_met(own[thread], &frames[thread][0], ids[thread],
			    REGION + 1 + (uint32_t)thread);
		sharing_end(own[thread], &frames[thread][0], true);
	}
	brought = collect(2);
	for (int array = 0; array < ARRAYS; array++) {
		CHECK_INT(brought.accesses[array], 7);
		CHECK_INT(brought.lines[array], 1);
	}
}

static void touch_word(int thread, const char *word, uint64_t times)
{
	line_set_walk(sharing_lines(own[thread], &frames[thread][0]),
		      &(struct line_walk){ .address = (uintptr_t)word,
					   .bytes = LINE_WORD,
					   .times = times,
					   .weight = 1,
					   .write = true });
}

/* What lies in the last line of a large array is not taken for the array. */
TEST(sharing__counters_behind_a_large_array)
{
	static _Alignas(LINE_BYTES) char large[7 * LINE_BYTES];
	enum { END = 5 * LINE_BYTES + 32, WITH_COUNTERS = 5 * LINE_BYTES };
	struct brought brought;

	set_up();
	CHECK(array_block_add(ids[0], (uintptr_t)large, END));
	for (int thread = 0; thread < 2; thread++) {
		begin(thread, 0, 1, 2);
		touch_word(thread, large + 8 * thread, 3);
		touch_word(thread, large + WITH_COUNTERS + 8 * thread, 1);
		touch_word(thread, large + END + 8 * thread, 1000);
		sharing_met(own[thread], &frames[thread][0], ids[0], REGION + 1);
		sharing_end(own[thread], &frames[thread][0], true);
	}
	brought = collect(2);
	CHECK_INT(brought.accesses[0], 6);
	CHECK_INT(brought.lines[0], 1);
}

/* ------------------------------------------------------------------ at random */

static struct model {
	/* by threads, a bit each */
	uint64_t touched[ARRAYS][LINES], written[ARRAYS][LINES];
	bool clash[ARRAYS][LINES];
	uint8_t word_touched[ARRAYS][WORDS], word_written[ARRAYS][WORDS];
	uint64_t count[THREADS][ARRAYS][LINES];
} model;

static void model_touch(int thread, int array, uint64_t offset, uint64_t times, bool write)
{
	uint64_t word = offset / LINE_WORD, line = offset / LINE_BYTES;
	uint8_t bit = (uint8_t)(1 << thread);

	model.word_touched[array][word] |= bit;
	model.word_written[array][word] |= write ? bit : 0;
	model.touched[array][line] |= bit;
	model.written[array][line] |= write ? bit : 0;
	model.count[thread][array][line] += times;
}

static struct brought expected(int threads)
{
	struct brought brought = { .rows = 0 };

	for (int array = 0; array < ARRAYS; array++)
		for (int word = 0; word < WORDS; word++)
			model.clash[array][word * LINE_WORD / LINE_BYTES] |=
				model.word_written[array][word] &&
				__builtin_popcount(model.word_touched[array][word]) > 1;
	for (int array = 0; array < ARRAYS; array++)
		for (int line = 0; line < LINES; line++) {
			if (__builtin_popcountll(model.touched[array][line]) < 2 ||
			    !model.written[array][line])
				continue;
			*(model.clash[array][line] ? &brought.same_lines[array]
						   : &brought.lines[array]) += 1;
			for (int thread = 0; thread < threads && !model.clash[array][line];
			     thread++)
				brought.accesses[array] += model.count[thread][array][line];
		}
	return brought;
}

static void touch_at_random(int thread)
{
	for (uint64_t i = pick(60); i < 60; i++) {
		int array = (int)pick(ARRAYS);
		uint64_t offset = pick(3) ? (pick(WORDS / THREADS) * THREADS + (uint64_t)thread) *
						    LINE_WORD
					  : pick(WORDS) * LINE_WORD;
		uint64_t times = 1 + pick(5);
		bool write = !pick(3);

		touch(thread, 0, array, offset, times, write);
		model_touch(thread, array, offset, times, write);
	}
}

static void at_random(int threads)
{
	uint64_t lines = 0, same_lines = 0;

	for (uint64_t round = 1; round <= 2000; round++) {
		struct brought want, have;

		memset(&model, 0, sizeof(model));
		for (int thread = 0; thread < threads; thread++) {
			begin(thread, 0, round, (uint32_t)threads);
			touch_at_random(thread);
		}
		for (int thread = 0; thread < threads; thread++)
			sharing_end(own[(thread + (int)round) % threads],
				    &frames[(thread + (int)round) % threads][0], true);
		want = expected(threads);
		have = collect(threads);
		for (int array = 0; array < ARRAYS; array++) {
			CHECK_INT(have.accesses[array], want.accesses[array]);
			CHECK_INT(have.lines[array], want.lines[array]);
			CHECK_INT(have.same_lines[array], want.same_lines[array]);
			lines += have.lines[array];
			same_lines += have.same_lines[array];
		}
	}
	CHECK(lines > 1000 && same_lines > 100);
}

TEST(sharing__random_accesses_of_two)
{
	set_up();
	at_random(2);
}
TEST(sharing__random_accesses_of_four)
{
	set_up();
	at_random(4);
}

/*
 * ------------------------------------------------------------------ which executions belong
 * together
 */

TEST(sharing__one_execution_of_one_construct)
{
	struct brought brought;

	set_up();
	begin(0, 0, 1, 2);
	touch(0, 0, 0, 0, 10, true);
	sharing_end(own[0], &frames[0][0], true);
	/* the team's second time, without a barrier between */
	begin(0, 0, 1, 2);
	touch(0, 0, 0, 64, 10, true);
	begin(1, 0, 1, 2);
	touch(1, 0, 0, 68, 10, true); /* the first one's line was another */
	sharing_end(own[1], &frames[1][0], true);
	CHECK_INT(collect(2).lines[0], 0);
	begin(1, 0, 1, 2);
	touch(1, 0, 0, 68, 10, true);
	sharing_end(own[1], &frames[1][0], true);
	CHECK_INT(collect(2).rows, 0);
	sharing_end(own[0], &frames[0][0], true);
	CHECK_INT(collect(2).lines[0], 1);
	begin(0, 0, 2, 2); /* another team of the same thread */
	touch(0, 0, 0, 0, 10, true);
	sharing_end(own[0], &frames[0][0], true);
	begin(1, 0, 3, 2);
	touch(1, 0, 0, 8, 10, true);
	sharing_end(own[1], &frames[1][0], true);
	CHECK_INT(collect(2).rows, 0);
	begin(0, 0, 4, 1); /* alone nobody shares */
	touch(0, 0, 0, 0, 10, true);
	sharing_end(own[0], &frames[0][0], true);
	brought = collect(1);
	CHECK(brought.rows == 1 && !brought.lines[0]);
}

static void *reserved(size_t bytes)
{
	void *memory_of_it = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	CHECK(memory_of_it != MAP_FAILED);
	return memory_of_it;
}

/*
 * Who ends before the last one looks at nobody else's sets: the others may be many, and end at the
 * same time.
 */
TEST(sharing__only_the_last_one_looks_at_all)
{
	struct sharing *stranger = reserved(sizeof(*stranger));

	set_up();
	sharing_init(stranger);
	for (int thread = 0; thread < 3; thread++) {
		begin(thread, 0, 1, 3);
		touch(thread, 0, 0, (uint64_t)thread * 8, 10, true);
	}
	CHECK(!mprotect(stranger, sizeof(*stranger), PROT_NONE));
	sharing_end(own[0], &frames[0][0], true);
	sharing_end(own[1], &frames[1][0], true);
	CHECK(!mprotect(stranger, sizeof(*stranger), PROT_READ | PROT_WRITE));
	sharing_end(own[2], &frames[2][0], true);
	CHECK_INT(collect(3).lines[0], 1);
}

/*
 * An inner construct's lines are not the outer one's, and what is not whole, or never ended, is
 * nobody's.
 */
TEST(sharing__constructs_inside_of_others)
{
	struct brought brought;

	set_up();
	for (int thread = 0; thread < 2; thread++) {
		begin(thread, 0, 1, 2);
		touch(thread, 0, 0, (uint64_t)thread * 8, 10, true);
		for (int i = 0; i < 20; i++) {
			begin(thread, 1, 2, 2);
			touch(thread, 1, 1, (uint64_t)thread * 512, 10, true);
			if (i == 3)
				continue; /* its end is never told */
			sharing_end(own[thread], &frames[thread][1], i != 5);
		}
		sharing_end(own[thread], &frames[thread][0], true);
	}
	brought = collect(2);
	CHECK_INT(brought.lines[0], 1);
	CHECK_INT(brought.accesses[0], 20);
	CHECK_INT(brought.lines[1], 0);
	CHECK_THAT(sharing_given_up(own[0]), >, 0); /* it was far ahead */
}

TEST(sharing__what_found_no_room_is_unknown)
{
	struct brought brought;

	set_up();
	for (int thread = 0; thread < 2; thread++) {
		begin(thread, 0, 1, 2);
		touch(thread, 0, 0, (uint64_t)thread * 8, 10, true);
		for (uint64_t i = 0; thread && i < LINE_PIECES; i++)
			line_set_walk(sharing_lines(own[1], &frames[1][0]),
				      &(struct line_walk){ .address = (i + 1) * LINE_PIECE,
							   .bytes = 8,
							   .times = 1,
							   .weight = 1 });
		sharing_end(own[thread], &frames[thread][0], true);
	}
	brought = collect(2);
	CHECK_INT(brought.rows, 0);
	CHECK_INT(brought.unknown, 2);
}

/* ------------------------------------------------------------------ at the same time */

#define ROUNDS 3000
static pthread_barrier_t barrier;
static uint64_t collected[THREADS];

static void count(void *ctx, uint32_t region, const struct compared_array *row)
{
	if (region != REGION)
		*(uint64_t *)ctx += row ? row->accesses : 1000000000;
}

static void *work(void *ctx)
{
	int thread = (int)(intptr_t)ctx;

	for (uint64_t round = 1; round <= ROUNDS; round++) {
		begin(thread, 0, round, THREADS);
		touch(thread, 0, 0, (uint64_t)thread * 8, round, true);
		sharing_end(own[thread], &frames[thread][0], true);
		pthread_barrier_wait(&barrier);
		sharing_collect(own[thread], count, &collected[thread]);
	}
	return NULL;
}

TEST(sharing__whoever_is_last_compares)
{
	pthread_t threads[THREADS];

	set_up();
	CHECK(!pthread_barrier_init(&barrier, NULL, THREADS));
	for (intptr_t i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, work, (void *)i));
	for (int i = 0; i < THREADS; i++)
		CHECK(!pthread_join(threads[i], NULL));
	for (int i = 0; i < THREADS; i++)
		CHECK_INT(collected[i], (uint64_t)ROUNDS * (ROUNDS + 1) / 2);
}

/* ------------------------------------------------------------------ two that end at once */

/* whose sets are looked at in between, which takes a while */
#define STRANGERS 200
#define MEETINGS 60000
#define SECONDS 20 /* on a machine that is loaded they may meet less often */
static int arrived, last_meeting = MEETINGS;

static void meet_other(int meeting)
{
	__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST);
	for (int looks = 1; __atomic_load_n(&arrived, __ATOMIC_SEQ_CST) < 2 * meeting; looks++)
		if (looks % 1000 == 0)
			sched_yield();
}

static void *end_at_once(void *ctx)
{
	int thread = (int)(intptr_t)ctx;
	time_t end = time(NULL) + SECONDS;

	for (int meeting = 1; meeting <= __atomic_load_n(&last_meeting, __ATOMIC_SEQ_CST);
	     meeting++) {
		begin(thread, 0, (uint64_t)meeting, 2);
		touch(thread, 0, 0, (uint64_t)thread * 8, 1, true);
		meet_other(2 * meeting - 1);
		for (uint64_t i = (uint64_t)meeting * (thread ? 7 : 11) % 64; i; i--)
			__asm__ volatile("");
		sharing_end(own[thread], &frames[thread][0], true);
		if (!thread && time(NULL) >= end)
			__atomic_store_n(&last_meeting, meeting, __ATOMIC_SEQ_CST);
		meet_other(2 * meeting);
		sharing_collect(own[thread], count, &collected[thread]);
	}
	return NULL;
}

/* Each may have told of its end before the other's set has ended. */
TEST(sharing__two_that_end_at_once)
{
	pthread_t threads[2];

	set_up();
	for (int i = 0; i < STRANGERS; i++)
		sharing_init(reserved(sizeof(struct sharing)));
	for (int i = 0; i < 2; i++) /* these are looked at first */
		sharing_init(own[i] = reserved(sizeof(struct sharing)));
	for (intptr_t i = 0; i < 2; i++)
		CHECK(!pthread_create(&threads[i], NULL, end_at_once, (void *)i));
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_join(threads[i], NULL));
	CHECK_INT(collected[0], last_meeting);
	CHECK_INT(collected[1], last_meeting);
}
