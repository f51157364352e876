/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sensor watchpoints: accesses to two words of a line by the threads that make them, as many as may
 * be hit and no more.
 */
#define _GNU_SOURCE
#include "ompt_tool/accesses/watchpoints.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sys/syscall.h>

#include "analysis/counting/comparison.h"
#include "ompt_tool/sampling/kernel_event.h"
#include "tests/unit/sampling.h"

enum { CONSTRUCT = 5, DATA = 6, OTHER = 7 };

static _Alignas(64) volatile uint32_t line[16];

/*
 * Writes to the first word that a breakpoint counts without the sensor: 0 where a hypervisor does
 * not pass debug registers on.
 */
static uint64_t hardware_counts(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_BREAKPOINT,
					.size = sizeof(attr),
					.bp_type = HW_BREAKPOINT_W,
					.bp_addr = (uintptr_t)&line[0],
					.bp_len = HW_BREAKPOINT_LEN_4,
					.sample_period = 1 << 20,
					.exclude_kernel = 1 };
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	uint64_t count = 0;

	if (fd < 0)
		return 0;
	for (uint32_t i = 0; i < 20; i++)
		line[0] = i;
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		count = 0;
	close(fd);
	return count;
}

static void need_watchpoints(void)
{
	struct sensor_status status;

	sensor_watchpoints.probe(&status);
	if (status.why == MS_MISSING_BROKEN && hardware_counts() == 0)
		test_skip("hardware breakpoints count nothing on this machine");
	need_sensor(&sensor_watchpoints);
}

static void suspect(uint32_t construct, uint32_t region, const volatile uint32_t *first,
		    const volatile uint32_t *second, bool writes_second)
{
	struct line_suspect suspect = { { (uintptr_t)first, (uintptr_t)second },
					100,
					writes_second };

	watchpoints_suspect(construct, region, &suspect);
}

NOT_INSTRUMENTED static void write_word(volatile uint32_t *word, int times)
{
	for (int i = 0; i < times; i++)
		*word = (uint32_t)i;
}

NOT_INSTRUMENTED static uint32_t read_word_often(const volatile uint32_t *word, int times)
{
	uint32_t sum = 0;

	for (int i = 0; i < times; i++)
		sum += *word;
	return sum;
}

struct hits {
	double first, second;
	uint64_t executions;
};

static void pick(void *ctx, const struct ms_measurement *row)
{
	struct hits *hits = ctx;

	CHECK_INT(row->region, DATA);
	if (row->metric == MS_METRIC_WATCHED_FIRST)
		hits->first = row->stat.sum;
	if (row->metric == MS_METRIC_WATCHED_SECOND)
		hits->second = row->stat.sum;
	hits->executions = row->stat.count;
}

static struct hits hits_of(const struct thread *thread)
{
	struct hits hits = { -1, -1, 0 };

	summary_fold(thread->summary, thread->index, pick, &hits);
	return hits;
}

static struct thread *begin_thread_here(void)
{
	struct thread *self = mmap(NULL, sizeof(*self), PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK((void *)self != MAP_FAILED && (self->summary = summary_new()) &&
	      sensor_watchpoints.thread_begin(self));
	return self;
}

/* Probed once, before there are threads, as programs do. */
static struct thread *begin(void)
{
	need_watchpoints();
	return begin_thread_here();
}

TEST(watchpoints__each_word_is_counted_for_itself)
{
	struct thread *self = begin();
	struct hits hits;

	suspect(CONSTRUCT, DATA, &line[1], &line[9], true);
	write_word(&line[1], 5); /* not in the construct */
	enter(&sensor_watchpoints, self, CONSTRUCT);
	write_word(&line[1], 7);
	write_word(&line[9], 3);
	write_word(&line[2], 4); /* beside them */
	write_word(&line[8], 4);
	read_word_often(&line[1], 4);
	read_word_often(&line[9], 4);
	leave(&sensor_watchpoints, self);
	write_word(&line[9], 5);
	hits = hits_of(self);
	CHECK_NEAR(hits.first, 7, 0);
	CHECK_NEAR(hits.second, 3, 0);
	CHECK_INT(hits.executions, 1);
}

TEST(watchpoints__a_word_that_is_only_read)
{
	struct thread *self = begin();
	struct hits hits;

	suspect(CONSTRUCT, DATA, &line[1], &line[9], false);
	enter(&sensor_watchpoints, self, CONSTRUCT);
	read_word_often(&line[1], 4);
	read_word_often(&line[9], 6);
	leave(&sensor_watchpoints, self);
	hits = hits_of(self);
	CHECK_NEAR(hits.first, 0, 0);
	CHECK_NEAR(hits.second, 6, 0);
}

TEST(watchpoints__hits_and_executions_are_bounded)
{
	struct thread *self = begin();
	struct hits hits;

	suspect(CONSTRUCT, DATA, &line[1], &line[9], true);
	enter(&sensor_watchpoints, self, CONSTRUCT);
	write_word(&line[1], 100000);
	leave(&sensor_watchpoints, self);
	CHECK_NEAR(hits_of(self).first, WATCHPOINTS_HITS, 0);
	for (int i = 0; i < 2 * WATCHPOINTS_EXECUTIONS; i++) {
		enter(&sensor_watchpoints, self, CONSTRUCT);
		write_word(&line[9], 1);
		leave(&sensor_watchpoints, self);
	}
	hits = hits_of(self);
	CHECK_NEAR(hits.second, WATCHPOINTS_EXECUTIONS - 1, 0);
	/* what was not watched is not 0 */
	CHECK_INT(hits.executions, WATCHPOINTS_EXECUTIONS - 1);
}

TEST(watchpoints__only_suspects_are_watched)
{
	struct thread *self = begin();

	suspect(OTHER, DATA, &line[1], &line[9], true);
	watchpoints_suspect(CONSTRUCT, DATA + 1, &(struct line_suspect){ .accesses = 0 });
	enter(&sensor_watchpoints, self, CONSTRUCT);
	write_word(&line[1], 7);
	leave(&sensor_watchpoints, self);
	CHECK_INT(hits_of(self).executions, 0);
}

/* The line with more accesses takes the place of one with fewer, and not the other way round. */
TEST(watchpoints__the_worst_line_of_an_array)
{
	struct thread *self = begin();
	struct line_suspect worse = { { (uintptr_t)&line[3], (uintptr_t)&line[4] }, 200, true };

	suspect(CONSTRUCT, DATA, &line[1], &line[9], true);
	watchpoints_suspect(CONSTRUCT, DATA, &worse);
	suspect(CONSTRUCT, DATA, &line[1], &line[9], true);
	enter(&sensor_watchpoints, self, CONSTRUCT);
	write_word(&line[1], 7);
	write_word(&line[3], 2);
	leave(&sensor_watchpoints, self);
	CHECK_NEAR(hits_of(self).first, 2, 0);
}

struct worker {
	pthread_t id;
	volatile uint32_t *word;
	uint32_t index;
	struct hits hits;
};

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct thread *self = begin_thread_here();

	self->index = worker->index;
	enter(&sensor_watchpoints, self, CONSTRUCT);
	write_word(worker->word, 10 + (int)worker->index);
	leave(&sensor_watchpoints, self);
	worker->hits = hits_of(self);
	sensor_watchpoints.thread_end(self);
	return NULL;
}

/* False sharing as it is confirmed: each word is hit by its own thread alone. */
TEST(watchpoints__each_thread_has_its_own_hits)
{
	struct worker workers[3] = { { .word = &line[1] },
				     { .word = &line[9], .index = 1 },
				     { .word = &line[5], .index = 2 } };

	suspect(CONSTRUCT, DATA, &line[1], &line[9], true);
	need_watchpoints();
	for (int i = 0; i < 3; i++)
		CHECK(!pthread_create(&workers[i].id, NULL, work, &workers[i]));
	for (int i = 0; i < 3; i++)
		pthread_join(workers[i].id, NULL);
	CHECK_NEAR(workers[0].hits.first, 10, 0);
	CHECK_NEAR(workers[0].hits.second, 0, 0);
	CHECK_NEAR(workers[1].hits.first, 0, 0);
	CHECK_NEAR(workers[1].hits.second, 11, 0);
	CHECK_NEAR(workers[2].hits.first + workers[2].hits.second, 0, 0);
}

static bool constructs_done;
static uint64_t worst; /* accesses of the last line that was found; atomic */

/* Ever worse lines, whose second words tell them apart. */
static void *find_worse(void *ctx)
{
	for (uint64_t i = 1; !__atomic_load_n(&constructs_done, __ATOMIC_ACQUIRE); i++) {
		watchpoints_suspect(
			CONSTRUCT, DATA,
			&(struct line_suspect){
				{ (uintptr_t)ctx, (uintptr_t)ctx + 4 * (i % 8 + 1) }, i, true });
		__atomic_store_n(&worst, i, __ATOMIC_RELAXED);
	}
	return NULL;
}

/*
 * Lines are compared while other threads begin constructs: the last one is watched then, and
 * ThreadSanitizer sees no race.
 */
TEST(watchpoints__suspects_may_come_while_constructs_begin)
{
	struct thread *self = begin();
	struct hits hits;
	pthread_t finder;

	CHECK(!pthread_create(&finder, NULL, find_worse, (void *)(uintptr_t)&line[0]));
	while (!__atomic_load_n(&worst, __ATOMIC_RELAXED))
		;
	for (int i = 0; i < WATCHPOINTS_EXECUTIONS - 1; i++) {
		enter(&sensor_watchpoints, self, CONSTRUCT);
		leave(&sensor_watchpoints, self);
	}
	__atomic_store_n(&constructs_done, true, __ATOMIC_RELEASE);
	CHECK(!pthread_join(finder, NULL));
	enter(&sensor_watchpoints, self, CONSTRUCT);
	write_word(&line[0], 3);
	write_word(&line[worst % 8 + 1], 2);
	leave(&sensor_watchpoints, self);
	hits = hits_of(self);
	CHECK_NEAR(hits.first, 3, 0);
	CHECK_NEAR(hits.second, 2, 0);
}

/* A program that closes our descriptor gets no value, not 0. */
TEST(watchpoints__what_was_closed_is_not_known)
{
	struct thread *self = begin();

	suspect(CONSTRUCT, DATA, &line[1], &line[9], true);
	enter(&sensor_watchpoints, self, CONSTRUCT);
	for (int fd = KERNEL_EVENT_FD_FIRST; fd < KERNEL_EVENT_FD_FIRST + 8; fd++)
		close(fd);
	write_word(&line[1], 7);
	leave(&sensor_watchpoints, self);
	CHECK_INT(hits_of(self).executions, 0);
}
