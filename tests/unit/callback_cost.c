/* SPDX-License-Identifier: Apache-2.0 */
/* What callbacks cost: the time in which the thread had no CPU is not part of it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fenv.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/thread_clock.h"
#include "ompt_tool/events/event.h"
#include "ompt_tool/process/run_delay.h"
#include "tests/unit/test.h"

#define SPIN_NS 200000000ull
#define FIRST_NS 1000000ull
#define SLACK_NS 20e6

static pid_t busy_child(void)
{
	pid_t child = fork();

	if (!child)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!child)
		;
	return child;
}

static void spend(struct thread *self, struct event_cost *cost, uint64_t ns)
{
	cost->begin_ns = thread_clock_ns();
	while (thread_clock_ns() - cost->begin_ns < ns)
		;
	errno = 1234;
	feclearexcept(FE_ALL_EXCEPT);
	event_cost_add(self, cost);
	CHECK_INT(errno, 1234);
	CHECK_INT(fetestexcept(FE_ALL_EXCEPT), 0);
}

TEST(callback_cost__a_wait_for_a_cpu_is_none)
{
	static struct thread self = { .index = 1 };
	struct event_cost cost = { 0 };
	cpu_set_t before, one;
	double cpu_ns;
	pid_t child;

	if (access("/proc/self/schedstat", R_OK) != 0)
		test_skip("the kernel has no schedstat");
	CHECK_INT(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	CHECK_INT(sched_setaffinity(0, sizeof(one), &one), 0);
	child = busy_child();
	spend(&self, &cost, FIRST_NS); /* nothing is known of what was before */
	self.cost_ns = 0;
	cpu_ns = run_cpu_ns(gettid());
	spend(&self, &cost, SPIN_NS);
	cpu_ns = run_cpu_ns(gettid()) - cpu_ns;
	CHECK_THAT(cpu_ns, <, (double)SPIN_NS - SLACK_NS); /* it did wait */
	CHECK_THAT((double)self.cost_ns, <, cpu_ns + SLACK_NS);
	CHECK_THAT((double)self.cost_ns, >, cpu_ns - SLACK_NS);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	CHECK_INT(sched_setaffinity(0, sizeof(before), &before), 0);
}
