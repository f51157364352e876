/* SPDX-License-Identifier: Apache-2.0 */
/* How long threads were ready and had no CPU. */
#define _GNU_SOURCE
#include "ompt_tool/process/run_delay.h"

#include <math.h>
#include <unistd.h>

#include "tests/unit/test.h"

TEST(run_delay__of_threads)
{
	double first = run_delay_ns(gettid()), second;

	if (access("/proc/self/schedstat", R_OK) != 0)
		test_skip("the kernel has no schedstat");
	second = run_delay_ns(gettid());
	CHECK(first >= 0 && second >= first);
	CHECK(isnan(run_delay_ns(1 << 30)));
	first = run_cpu_ns(gettid());
	CHECK(first >= 0 && run_cpu_ns(gettid()) >= first);
	CHECK(isnan(run_cpu_ns(1 << 30)));
}
