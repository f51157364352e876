/* SPDX-License-Identifier: Apache-2.0 */
/* Rank tests against enumeration and printed tables, and adjusted p-values. */
#include "analysis/differential/statistics.h"

#include <stdint.h>
#include <time.h>

#include "tests/unit/pick.h"
#include "tests/unit/test.h"

static double twice_rank_sum(const double *values, size_t nr, unsigned int mask)
{
	double sum = 0;

	for (size_t i = 0; i < nr; i++)
		for (size_t j = 0; mask >> i & 1 && j < nr; j++)
			sum += j == i ? 2 : values[j] < values[i] ? 2 : values[j] == values[i];
	return sum;
}

/* Twice the tail towards the deviation, over all groupings of the values. */
static double enumerated(const double *values, size_t na, size_t nb)
{
	size_t nr = na + nb, all = 0, tail = 0;
	double seen = twice_rank_sum(values, nr, (1u << na) - 1), mean = (double)(na * (nr + 1));

	for (unsigned int mask = 0; mask < 1u << nr; mask++) {
		double sum;

		if ((size_t)__builtin_popcount(mask) != na)
			continue;
		sum = twice_rank_sum(values, nr, mask);
		all++;
		tail += seen < mean ? sum <= seen : sum >= seen;
	}
	return seen == mean ? 1 : fmin(1, 2 * (double)tail / (double)all);
}

TEST(statistics__rank_test_is_the_share_of_groupings)
{
	for (int trial = 0; trial < 400; trial++) {
		size_t na = 1 + pick(6), nb = 1 + pick(6);
		unsigned int different = 2 + pick(20);
		double values[12];

		for (size_t i = 0; i < na + nb; i++)
			values[i] = pick(different) * 0.25;
		CHECK_NEAR(statistics_rank_test(values, na, values + na, nb), enumerated(values, na, nb), 1e-12);
		CHECK(statistics_rank_test(values, na, values + na, nb) >= statistics_least_p(na, nb));
	}
}

/* Tables of Mann & Whitney 1947: P(U <= u), of 5 and 5 values, and of 4 and 8. */
TEST(statistics__rank_test_of_printed_tables)
{
	static const double five[] = { .004, .008, .016, .028, .048, .075, .111, .155, .210, .274, .345, .421, .500 };

	for (size_t u = 0; u < sizeof(five) / sizeof(*five); u++) {
		double a[5] = { 0 }, b[] = { 1, 2, 3, 4, 5 };
		size_t left = u;

		for (size_t i = 5; i-- > 0;) {         /* a[i] is above as many of b as bring the pairs to u */
			size_t above = left < 5 ? left : 5;

			a[i] = (double)above + 0.5 + (double)i * 0.01;
			left -= above;
		}
		CHECK_NEAR(statistics_rank_test(a, 5, b, 5) / 2, five[u], 0.0005);
		CHECK_NEAR(statistics_rank_test(b, 5, a, 5) / 2, five[u], 0.0005);
	}
}

/* In both directions, and for each way in which p is computed: few values, many, and the normal approximation. */
TEST(statistics__groups_apart_have_the_least_p)
{
	static const struct { size_t na, nb; } sizes[] = { { 5, 5 }, { 3, 9 }, { 10, 10 }, { 17, 17 }, { 57, 7 }, { 20, 20 }, { 100, 3 } };

	for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++) {
		size_t na = sizes[s].na, nb = sizes[s].nb;
		double low[100], high[100], p;

		for (size_t i = 0; i < 100; i++)
			low[i] = 1, high[i] = 2;
		p = statistics_rank_test(low, na, high, nb);
		CHECK_NEAR(p, statistics_least_p(na, nb), 1e-12);
		CHECK_NEAR(statistics_rank_test(high, na, low, nb), p, 1e-12);
	}
	CHECK_NEAR(statistics_least_p(5, 5), 2.0 / 252, 1e-15);
	CHECK_NEAR(statistics_least_p(4, 4), 2.0 / 70, 1e-15);
	CHECK_NEAR(statistics_least_p(1, 1), 1, 0);
	CHECK_NEAR(statistics_least_p(0, 5), 1, 0);
	CHECK(statistics_least_p(3, 3) > 0.05);
}

/* Groupings of n and n values without ties by sums of ranks, as doubles. */
static double exact_without_ties(size_t n, size_t pairs)
{
	static double ways[41][1000];
	double all = 0, tail = 0;

	memset(ways, 0, sizeof(ways));
	ways[0][0] = 1;
	for (size_t rank = 0; rank < 2 * n; rank++)
		for (size_t size = rank + 1; size > 0; size--)
			for (size_t sum = rank; sum < 1000; sum++)
				ways[size][sum] += ways[size - 1][sum - rank];
	for (size_t sum = 0; sum < 1000; sum++) {
		all += ways[n][sum];
		tail += sum <= n * (n - 1) / 2 + pairs ? ways[n][sum] : 0;
	}
	return 2 * tail / all;
}

/* 20 and 20 values are beyond the exact test. Far in the tail the approximation errs to the safe side. */
TEST(statistics__normal_approximation_is_near_and_safe)
{
	double a[20], b[20];

	for (size_t i = 0; i < 20; i++)
		a[i] = (double)i * 0.01, b[i] = 1 + (double)i;
	for (size_t above = 1; above < 10; above++) {
		double want = exact_without_ties(20, above * 20), have;

		for (size_t i = 0; i < above; i++)
			a[i] = 100 + (double)i;
		have = statistics_rank_test(a, 20, b, 20);
		CHECK(have > want * 0.98 && have < 1);
		CHECK(want < 0.02 || have < want * 1.05);
	}
}

TEST(statistics__rank_test_shows_nothing_of_nothing)
{
	static const double one[] = { 1, 2, 3, 4, 5 }, missing[] = { 1, NAN, 3, 4, 5 }, same[] = { 7, 7, 7, 7, 7 };
	double many[200];

	for (size_t i = 0; i < 200; i++)
		many[i] = 3;
	CHECK_NEAR(statistics_rank_test(one, 0, one, 5), 1, 0);
	CHECK_NEAR(statistics_rank_test(one, 5, NULL, 0), 1, 0);
	CHECK_NEAR(statistics_rank_test(one, 5, missing, 5), 1, 0);
	CHECK_NEAR(statistics_rank_test(same, 5, same, 5), 1, 0);
	CHECK_NEAR(statistics_rank_test(one, 5, one, 5), 1, 0);
	CHECK_NEAR(statistics_rank_test(many, 100, many + 100, 100), 1, 0);
	CHECK(statistics_rank_test(one, 5, (double[]){ INFINITY, INFINITY, INFINITY, INFINITY, INFINITY }, 5) < 0.01);
}

/* A million buckets of 5 and 5 runs. The bound is ten times what it takes, as others use the machine too. */
TEST(statistics__rank_test_is_fast)
{
	enum { TIMES = 200000 };
	struct timespec begin, end;
	double values[1000], sum = 0;

	if (SANITIZED)
		test_skip("times of a sanitized program");
	for (size_t i = 0; i < 1000; i++)
		values[i] = pick(40);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	for (size_t i = 0; i < TIMES; i++)
		sum += statistics_rank_test(values + i % 990, 5, values + i % 990 + 5, 5);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	CHECK(sum > 0);
	CHECK(((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) / TIMES < 4000);
}

static double enumerated_pairs(const double *differences, size_t n)
{
	double absolute[12], seen = 0, all = 0;
	size_t nr = 0, tail = 0, signs = 0;

	for (size_t i = 0; i < n; i++)
		if (differences[i] != 0) {
			signs |= (size_t)(differences[i] > 0) << nr;
			absolute[nr++] = fabs(differences[i]);
		}
	all = twice_rank_sum(absolute, nr, (1u << nr) - 1);
	seen = twice_rank_sum(absolute, nr, (unsigned int)signs);
	for (unsigned int mask = 0; mask < 1u << nr; mask++)
		tail += twice_rank_sum(absolute, nr, mask) <= fmin(seen, all - seen);
	return fmin(1, 2 * (double)tail / (double)(1u << nr));
}

TEST(statistics__paired_test_is_the_share_of_flips)
{
	for (int trial = 0; trial < 300; trial++) {
		size_t n = 1 + pick(10);
		double a[10], b[10], differences[10];

		for (size_t i = 0; i < n; i++) {
			a[i] = pick(8);
			b[i] = pick(10);
			differences[i] = b[i] - a[i];
		}
		CHECK_NEAR(statistics_paired_test(a, b, n), enumerated_pairs(differences, n), 1e-12);
	}
}

/* Wilcoxon's table: of 8 pairs, a sum of 3 of one sign has a two-sided p of 0.039, of 20 one of 52 has 0.048. */
TEST(statistics__paired_test_of_printed_tables)
{
	double a[60] = { 0 }, b[60];

	for (size_t i = 0; i < 8; i++)
		b[i] = (double)(i + 1) * (i == 2 ? -1 : 1);
	CHECK_NEAR(statistics_paired_test(a, b, 8), 0.039, 0.0005);
	for (size_t i = 0; i < 20; i++)
		b[i] = (double)(i + 1) * (i == 19 || i == 18 || i == 12 ? -1 : 1);
	CHECK_NEAR(statistics_paired_test(a, b, 20), 0.048, 0.0005);
	CHECK_NEAR(statistics_paired_least_p(5), 2.0 / 32, 0);
	CHECK_NEAR(statistics_paired_least_p(0), 1, 0);
	for (size_t i = 0; i < 60; i++)
		b[i] = (double)(i + 1) * (i % 3 ? 1 : -1);
	CHECK_NEAR(statistics_paired_test(a, b, 60), 0.01689, 0.00002);    /* normal: W = 590, mean 915, variance 18452.5 */
	CHECK_NEAR(statistics_paired_test(a, a, 60), 1, 0);
	CHECK_NEAR(statistics_paired_test(a, b, 0), 1, 0);
	b[3] = NAN;
	CHECK_NEAR(statistics_paired_test(a, b, 8), 1, 0);
}

TEST(statistics__run_means)
{
	static const double values[] = { 1, 3, 10, 20, 30 };
	double means[3];

	statistics_run_means(values, (size_t[]){ 2, 0, 3 }, 3, means);
	CHECK_NEAR(means[0], 2, 0);
	CHECK(isnan(means[1]));
	CHECK_NEAR(means[2], 20, 0);
}
