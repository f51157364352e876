/* SPDX-License-Identifier: Apache-2.0 */
/* What is counted of what is recorded, where there is too little time for all. */
#include "ompt_tool/accesses/bursts.h"

#include <math.h>

#include "tests/unit/test.h"

#define FLUSH 1000 /* words at once */
#define MS 1000000ull

TEST(bursts__everything_is_done_without_a_limit_or_where_it_suffices)
{
	struct bursts bursts;

	bursts_begin(&bursts, UINT64_MAX);
	for (int i = 0; i < 1000; i++)
		CHECK_THAT(bursts_next(&bursts, BURST_WORDS, UINT64_MAX, 0), ==, 1);
	CHECK(!bursts.without_lines && !bursts.without_trace);
	bursts_begin(&bursts, 100 * MS);
	for (int i = 0; i < 100; i++)
		CHECK_THAT(bursts_next(&bursts, BURST_WORDS, (uint64_t)i * MS / 2, i / 100.0), ==,
			   1);
	CHECK(!bursts.without_lines && !bursts.without_trace);
}

struct total {
	double counted, stand_for, recorded, spent_ns, lined, traced;
};

/* What a word takes. */
struct price {
	double count, trace, line;
};

static struct total go_through(double words, double all_ns, struct price price)
{
	struct total total = { 0 };
	struct bursts bursts;

	bursts_begin(&bursts, (uint64_t)all_ns);
	for (; total.recorded < words; total.recorded += FLUSH) {
		double weight = bursts_next(&bursts, FLUSH, (uint64_t)total.spent_ns,
					    total.recorded / words);

		total.stand_for += weight * FLUSH;
		total.counted += weight > 0 ? FLUSH : 0;
		total.traced += bursts.without_trace ? 0 : FLUSH;
		total.lined += bursts.without_lines || !(weight > 0) ? 0 : FLUSH;
		total.spent_ns += FLUSH * ((weight > 0 ? price.count : 0) +
					   (bursts.without_trace ? 0 : price.trace) +
					   (bursts.without_lines ? 0 : price.line));
	}
	return total;
}

/* What there is suffices for all; without lines; for a part; and for what is counted alone. */
TEST(bursts__the_dearest_is_left_out_first)
{
	const struct price price = { .count = 2, .trace = 6, .line = 25 };
	struct total total = go_through(1e6, 100e6, price);

	CHECK(total.lined == 1e6 && total.traced == 1e6 && total.counted == 1e6);
	total = go_through(6e6, 100e6, price);
	CHECK(total.lined < 2e6 && total.traced == 6e6 && total.counted == 6e6);
	total = go_through(13e6, 100e6, price);
	CHECK(total.lined < 2e6 && total.traced == 13e6 && total.counted < 12e6 &&
	      total.counted > 1e6);
	total = go_through(40e6, 100e6, price);
	CHECK(total.lined < 2e6 && total.traced < 40e6 && total.counted > 4e6);
	CHECK_THAT(fabs(total.stand_for / total.recorded - 1), <, 0.05);
	CHECK_THAT(total.spent_ns, <, 100e6);
}

TEST(bursts__stand_for_what_is_passed_over)
{
	for (double times = 1; times <= 64; times *= 2) {
		struct total total = go_through(times * 40e6, 100e6, (struct price){ .count = 2 });

		CHECK(total.counted < total.recorded || times < 2);
		CHECK_THAT(fabs(total.stand_for / total.recorded - 1), <, 0.05);
		CHECK_THAT(total.spent_ns, <, 100e6);
		CHECK(total.spent_ns > 60e6 || times < 2);
	}
}

/* Where recording alone takes more than the limit, all parts of the execution are counted, too. */
TEST(bursts__the_begin_does_not_stand_for_all)
{
	struct bursts bursts;
	double stand_for = 0, counted = 0, longest = 0, gap = 0;

	bursts_begin(&bursts, 10 * MS);
	for (int i = 0; i < 10000; i++) {
		double weight = bursts_next(&bursts, BURST_WORDS, 50 * MS, 1);

		stand_for += weight;
		counted += weight > 0;
		gap = weight > 0 ? 0 : gap + 1;
		longest = fmax(longest, gap / (i + 1000));
	}
	CHECK_THAT(stand_for, <=, 10000);
	CHECK_THAT(stand_for, >, 8500);
	CHECK_THAT(counted, <, 100);
	CHECK_THAT(longest, <, 0.15);
}

/*
 * Four loops one after the other, each of a tenth of the words; the rest is before them. Each is
 * counted, and no more stands for it than it has.
 */
TEST(bursts__each_construct_is_counted)
{
	struct bursts bursts;

	bursts_begin(&bursts, 10 * MS);
	for (int i = 0; i < 600; i++)
		bursts_next(&bursts, BURST_WORDS, 50 * MS, 1);
	for (int construct = 0; construct < 4; construct++) {
		double stand_for = 0;

		bursts_enter(&bursts);
		for (int i = 0; i < 100; i++)
			stand_for += bursts_next(&bursts, BURST_WORDS, 50 * MS, 1);
		CHECK_THAT(stand_for, >, 0);
		CHECK_THAT(stand_for, <=, 100);
	}
}
