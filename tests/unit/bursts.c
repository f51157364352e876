/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted of what is recorded, where there is too little time for all. */
#include "ompt_tool/sensors/bursts.h"

#include <math.h>

#include "tests/unit/test.h"

#define FLUSH 1000                       /* words at once */
#define MS 1000000ull

TEST(bursts__count_everything_without_a_limit_or_where_it_suffices)
{
	struct bursts bursts;

	bursts_begin(&bursts, UINT64_MAX);
	for (int i = 0; i < 1000; i++)
		CHECK(bursts_next(&bursts, BURST_WORDS, UINT64_MAX, 0) == 1);
	bursts_begin(&bursts, 100 * MS);
	for (int i = 0; i < 100; i++)
		CHECK(bursts_next(&bursts, BURST_WORDS, (uint64_t)i * MS / 2, i / 100.0) == 1);
}

struct total { double counted, stand_for, recorded, spent_ns; };

/* Words of which each takes that long to count, and `traced_ns` in any case; `all`: as many come. */
static struct total go_through(double all, double all_ns, double each_ns, double traced_ns)
{
	struct total total = { 0 };
	struct bursts bursts;

	bursts_begin(&bursts, (uint64_t)all_ns);
	for (; total.recorded < all; total.recorded += FLUSH) {
		double progress = total.recorded / all, weight = bursts_next(&bursts, FLUSH, (uint64_t)total.spent_ns, progress);

		traced_ns = bursts_are_behind(&bursts, (uint64_t)total.spent_ns, progress) ? 0 : traced_ns;
		total.stand_for += weight * FLUSH;
		total.counted += weight > 0 ? FLUSH : 0;
		total.spent_ns += FLUSH * ((weight > 0 ? each_ns : 0) + traced_ns);
	}
	return total;
}

TEST(bursts__stand_for_what_is_passed_over)
{
	for (double times = 1; times <= 64; times *= 2) {
		struct total total = go_through(times * 50e6, 100e6, 2, 0);

		CHECK(total.counted < total.recorded || times < 2);
		CHECK(fabs(total.stand_for / total.recorded - 1) < 0.05);
		CHECK(total.spent_ns < 100e6);
		CHECK(total.spent_ns > 60e6);
	}
}

/* Where that alone takes too much it is ended, and counting goes on. */
TEST(bursts__tracing_leaves_something_to_count)
{
	struct total cheap = go_through(10e6, 100e6, 20, 5), dear = go_through(100e6, 100e6, 20, 5);

	CHECK(cheap.spent_ns < 100e6 && cheap.counted > 1e6);
	CHECK(dear.spent_ns < 100e6 && dear.counted > 1e6);
}
