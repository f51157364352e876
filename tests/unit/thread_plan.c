/* SPDX-License-Identifier: Apache-2.0 */
/* The number of threads of each execution, where it varies within a run. */
#include "ompt_tool/session/thread_plan.h"
#include "tests/unit/test.h"

#include <stdio.h>
#include <string.h>

static struct thread_plan plan_of(const char *text)
{
	struct thread_plan plan;

	CHECK(thread_plan_read(&plan, text));
	return plan;
}

/* "w4 4 4 w2 …": the next executions; w: does not count. */
static const char *executions(struct thread_plan *plan, int nr)
{
	static char text[4096];
	size_t at = 0;

	for (int i = 0; i < nr; i++) {
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s%u", i ? " " : "",
				       thread_plan_is_warm_up(plan) ? "w" : "",
				       plan->counts[plan->at]);
		thread_plan_next(plan);
	}
	return text;
}

TEST(thread_plan__forward_and_backward_in_blocks)
{
	struct thread_plan plan = plan_of("4,2,1");

	CHECK_STR(executions(&plan, 18), "w4 4 4 w2 2 2 w1 1 1 w1 1 1 w2 2 2 w4 4 4");
	CHECK_STR(executions(&plan, 10), "w4 4 4 4 4 w2 2 2 2 2");
	thread_plan_restart(&plan);
	CHECK_STR(executions(&plan, 4), "w4 4 4 w2");
}

/* Long programs lose one execution in 17, and each number has as many. */
TEST(thread_plan__blocks_grow_up_to_a_bound)
{
	struct thread_plan plan = plan_of("2,1");
	uint32_t counted[3] = { 0 }, warm_ups = 0;

	for (int i = 0; i < 10000; i++) {
		warm_ups += thread_plan_is_warm_up(&plan);
		counted[plan.counts[plan.at]] += !thread_plan_is_warm_up(&plan);
		thread_plan_next(&plan);
	}
	CHECK_THAT(plan.block, ==, 16);
	CHECK_THAT(warm_ups, <, 610);
	CHECK_NEAR(counted[1], counted[2], 16);
}

TEST(thread_plan__a_new_block_is_announced)
{
	struct thread_plan plan = plan_of("2,1");
	uint32_t changes = 0;

	for (int i = 0; i < 12; i++) {
		bool changed = thread_plan_next(&plan);

		CHECK_INT(changed, thread_plan_is_warm_up(&plan));
		changes += changed;
	}
	CHECK_INT(changes, 4);
}

TEST(thread_plan__bad_numbers_are_refused)
{
	static const char *const bad[] = { "",     "0",     "4,",         ",4",
					   "4,,2", "4,2,4", "4 2",        "-1",
					   "x",    "4x",    "4294967297", "99999999999999999999" };
	struct thread_plan plan;
	char many[1024] = "1";

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (thread_plan_read(&plan, bad[i]))
			test_fail(__FILE__, __LINE__, "'%s' is not refused", bad[i]);
	for (int i = 2; i <= THREAD_PLAN_MOST; i++)
		snprintf(many + strlen(many), sizeof(many) - strlen(many), ",%d", i);
	CHECK(thread_plan_read(&plan, many));
	CHECK_INT(plan.nr, THREAD_PLAN_MOST);
	strcat(many, ",1000");
	CHECK(!thread_plan_read(&plan, many));
}
