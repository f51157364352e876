/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The queue of page faults: everything once and in order, what finds no room is counted, one writer
 * and one reader at a time.
 */
#include "ompt_tool/sampling/touch_log.h"

#include <pthread.h>
#include <stdlib.h>

#include "tests/unit/test.h"

struct expected {
	uint64_t next, seen;
};

static void in_order(void *ctx, const struct touch *touch)
{
	struct expected *expected = ctx;

	CHECK_INT(touch->address, expected->next);
	CHECK_INT(touch->site, (uint32_t)(expected->next * 3));
	expected->next++;
	expected->seen++;
}

static void add(struct touch_log *log, uint64_t number)
{
	touch_log_add(log, &(struct touch){ .address = number, .site = (uint32_t)(number * 3) });
}

TEST(touch_log__what_is_added_is_read_once_and_in_order)
{
	struct touch_log *log = calloc(1, sizeof(*log));
	struct expected expected = { 0 };

	for (uint64_t number = 0, round = 0; round < 5; round++) { /* past its end */
		for (uint64_t i = 0; i < TOUCH_LOG_ROOM / 2 + round; i++)
			add(log, number++);
		touch_log_read(&(struct touch_source){ log, &expected }, 1, in_order);
		CHECK_INT(expected.next, number);
	}
	CHECK_THAT(expected.seen, >, 2 * TOUCH_LOG_ROOM);
	CHECK_INT(log->dropped, 0);
	free(log);
}

TEST(touch_log__what_finds_no_room_is_counted)
{
	struct touch_log *log = calloc(1, sizeof(*log));
	struct expected expected = { 0 };

	for (uint64_t i = 0; i < TOUCH_LOG_ROOM + 7; i++)
		add(log, i);
	touch_log_read(&(struct touch_source){ log, &expected }, 1, in_order);
	CHECK_INT(expected.seen, TOUCH_LOG_ROOM);
	CHECK_INT(log->dropped, 7);
	expected.next = 1000;
	add(log, 1000);
	touch_log_read(&(struct touch_source){ log, &expected }, 1, in_order);
	CHECK_INT(expected.next, 1001);
	free(log);
}

#define MANY 3000000

static void *write_many(void *log)
{
	for (uint64_t i = 0; i < MANY; i++) {
		while (__atomic_load_n(&((struct touch_log *)log)->end, __ATOMIC_RELAXED) -
			       __atomic_load_n(&((struct touch_log *)log)->begin,
					       __ATOMIC_ACQUIRE) ==
		       TOUCH_LOG_ROOM)
			;
		add(log, i);
	}
	return NULL;
}

TEST(touch_log__read_while_it_is_written)
{
	struct touch_log *log = calloc(1, sizeof(*log));
	struct expected expected = { 0 };
	pthread_t writer;

	pthread_create(&writer, NULL, write_many, log);
	while (expected.seen < MANY)
		touch_log_read(&(struct touch_source){ log, &expected }, 1, in_order);
	pthread_join(writer, NULL);
	CHECK_INT(log->dropped, 0);
	free(log);
}

struct merged {
	uint64_t last_ns, seen;
};

static void in_time(void *ctx, const struct touch *touch)
{
	struct merged *merged = ctx;

	CHECK_THAT(touch->when_ns, >=, merged->last_ns);
	merged->last_ns = touch->when_ns;
	merged->seen++;
}

TEST(touch_log__of_several_threads_the_earliest_comes_first)
{
	enum { LOGS = 7, EACH = 1000 };
	struct touch_source sources[LOGS];
	struct touch_log *logs[LOGS];
	struct merged merged = { 0 };

	for (int i = 0; i < LOGS; i++) {
		uint64_t when = 0, state = 1 + (uint64_t)i;

		logs[i] = calloc(1, sizeof(struct touch_log));
		sources[i] = (struct touch_source){ logs[i], &merged };
		for (int k = 0; k < EACH && i != 3; k++) { /* one has none */
			state = state * 6364136223846793005u + 1442695040888963407u;
			when += (state >> 60) * (state >> 33 & 1);
			touch_log_add(sources[i].log, &(struct touch){ .when_ns = when });
		}
	}
	touch_log_read(sources, LOGS, in_time);
	CHECK_INT(merged.seen, (LOGS - 1) * EACH);
	CHECK_THAT(merged.last_ns, >, 0);
	for (int i = 0; i < LOGS; i++)
		free(logs[i]);
}
