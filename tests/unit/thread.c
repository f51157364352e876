/* SPDX-License-Identifier: Apache-2.0 */
/* Thread blocks: dense numbers, no memory, taking over the ended ones. */
#include "ompt_tool/measurements/summary.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/process/thread_times.h"
#include "tests/unit/test.h"

#include <sys/resource.h>
#include <time.h>

TEST(thread__numbers_are_dense)
{
	struct thread *first = thread_new(false), *second = thread_new(false);

	CHECK_INT(first->index, 0);
	CHECK_INT(second->index, 1);
	CHECK(thread_next(NULL) == second && thread_next(second) == first && !thread_next(first));
	CHECK_INT(thread_count(), 2);
}

TEST(thread__no_address_space_is_counted)
{
	struct rlimit before, limit;
	struct thread *thread;

	if (THREAD_SANITIZED)
		test_skip("ThreadSanitizer needs address space without limit");
	CHECK_THAT(getrlimit(RLIMIT_AS, &before), ==, 0);
	limit = (struct rlimit){ 1 << 20, before.rlim_max };
	CHECK_THAT(setrlimit(RLIMIT_AS, &limit), ==, 0);
	thread = thread_new(false);
	setrlimit(RLIMIT_AS, &before); /* sanitizers map memory at exit */
	CHECK(thread == NULL);
	CHECK_INT(thread_refused(), 1);
	CHECK_INT(thread_count(), 0);
}

/* A program that keeps starting threads: what ended is used again, and its numbers stay. */
TEST(thread__ended_ones_are_taken_over)
{
	struct thread *thread = NULL;

	for (int i = 0; i < THREAD_REUSE; i++) {
		thread = thread_new(false);
		CHECK(thread != NULL);
		if (i == 500)
			summary_add(thread->summary, 3, MS_METRIC_TIME, 1);
		if (i == 500)
			thread_end(thread);
	}
	thread = thread_new(false);
	CHECK_INT(thread->index, 500);
	CHECK_INT(summary_cells(thread->summary), 1);
	CHECK_INT(thread_new(false)->index, THREAD_REUSE);
}

/* A team that shrinks and grows again: the values of a block stay those of one number. */
TEST(thread__a_worker_takes_over_the_block_of_its_number)
{
	struct thread *workers[4];

	for (uint32_t i = 0; i < 4; i++)
		workers[i] = thread_new_numbered(i > 0, i);
	for (uint32_t i = 1; i < 4; i++)
		thread_end(workers[i]);
	CHECK_THAT(thread_new_numbered(true, 2), ==, workers[2]);
	CHECK(workers[2]->successor);
	/* of another number, where there is none of its own */
	CHECK_THAT(thread_new_numbered(true, 7), ==, workers[3]);
	CHECK_THAT(thread_new_numbered(true, 3), ==, workers[1]);
	CHECK_INT(workers[1]->number, 3);
	CHECK_INT(thread_new_numbered(true, 1)->index, 4);
}

TEST(thread__clock_runs)
{
	uint64_t before = thread_clock_ns(), after = before;

	for (int i = 0; i < 10000000 && after == before; i++)
		after = thread_clock_ns();
	CHECK(before > 0 && after > before);
}

/* Sleeping is waiting, computing is not. */
TEST(thread__what_a_stretch_waited_is_known)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	struct thread *self = thread_new(false);
	struct thread_stretch stretch = thread_stretch_begin();
	uint64_t elapsed_ns, waited_ns;
	volatile uint64_t work = 0;

	nanosleep(&pause, NULL);
	elapsed_ns = thread_stretch_end(self, &stretch);
	waited_ns = self->waited_ns;
	CHECK(elapsed_ns >= 20000000 && waited_ns > 15000000 && waited_ns <= elapsed_ns);
	stretch = thread_stretch_begin();
	while (work < 10000000)
		work++;
	elapsed_ns = thread_stretch_end(self, &stretch);
	CHECK_THAT(self->waited_ns - waited_ns, <, elapsed_ns);
}
