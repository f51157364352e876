/* SPDX-License-Identifier: Apache-2.0 */
/* Rank tests against enumeration and printed tables, and adjusted p-values. */
#include "analysis/differential/statistics.h"

#include <stdint.h>

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
		CHECK_NEAR(statistics_rank_test(values, na, values + na, nb),
			   enumerated(values, na, nb), 1e-12);
		CHECK_THAT(statistics_rank_test(values, na, values + na, nb), >=,
			   statistics_least_p(na, nb));
	}
}

/* Tables of Mann & Whitney 1947: P(U <= u), of 5 and 5 values, and of 4 and 8. */
TEST(statistics__rank_test_of_printed_tables)
{
	static const double five[] = { .004, .008, .016, .028, .048, .075, .111,
				       .155, .210, .274, .345, .421, .500 };

	for (size_t u = 0; u < sizeof(five) / sizeof(*five); u++) {
		double a[5] = { 0 }, b[] = { 1, 2, 3, 4, 5 };
		size_t left = u;

		/* a[i] is above as many of b as bring the pairs to u */
		for (size_t i = 5; i-- > 0;) {
			size_t above = left < 5 ? left : 5;

			a[i] = (double)above + 0.5 + (double)i * 0.01;
			left -= above;
		}
		CHECK_NEAR(statistics_rank_test(a, 5, b, 5) / 2, five[u], 0.0005);
		CHECK_NEAR(statistics_rank_test(b, 5, a, 5) / 2, five[u], 0.0005);
	}
}

/*
 * In both directions, and for each way in which p is computed: few values, many, and the normal
 * approximation.
 */
TEST(statistics__groups_apart_have_the_least_p)
{
	static const struct {
		size_t na, nb;
	} sizes[] = {
		{ 5, 5 }, { 3, 9 }, { 10, 10 }, { 17, 17 }, { 57, 7 }, { 20, 20 }, { 100, 3 }
	};

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
	CHECK_THAT(statistics_least_p(3, 3), >, 0.05);
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

/*
 * 20 and 20 values are beyond the exact test. Far in the tail the approximation errs to the safe
 * side.
 */
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
	static const double one[] = { 1, 2, 3, 4, 5 }, missing[] = { 1, NAN, 3, 4, 5 },
			    same[] = { 7, 7, 7, 7, 7 };
	double many[200];

	for (size_t i = 0; i < 200; i++)
		many[i] = 3;
	CHECK_NEAR(statistics_rank_test(one, 0, one, 5), 1, 0);
	CHECK_NEAR(statistics_rank_test(one, 5, NULL, 0), 1, 0);
	CHECK_NEAR(statistics_rank_test(one, 5, missing, 5), 1, 0);
	CHECK_NEAR(statistics_rank_test(same, 5, same, 5), 1, 0);
	CHECK_NEAR(statistics_rank_test(one, 5, one, 5), 1, 0);
	CHECK_NEAR(statistics_rank_test(many, 100, many + 100, 100), 1, 0);
	CHECK_THAT(
		statistics_rank_test(
			one, 5, (double[]){ INFINITY, INFINITY, INFINITY, INFINITY, INFINITY }, 5),
		<, 0.01);
}

/*
 * The example of Benjamini & Hochberg 1995, section 3.3: 15 tests, of which the first 4 are
 * rejected at 5 %.
 */
TEST(statistics__adjusted_p)
{
	static const double p[] = { .0001, .0004, .0019, .0095, .0201, .0278, .0298, .0344,
				    .0459, .3240, .4262, .5719, .6528, .7590, 1 };
	static const double want[] = { .0015, .003, .0095,  .035625, .0603,  .06386, .06386, .0645,
				       .0765, .486, .58118, .71488,  .75323, .81321, 1 };
	double shuffled[16], adjusted[16];

	for (size_t i = 0; i < 15; i++)
		shuffled[i * 4 % 15] = p[i];
	shuffled[15] = NAN;
	statistics_adjust(shuffled, adjusted, 16);
	for (size_t i = 0; i < 15; i++)
		CHECK_NEAR(adjusted[i * 4 % 15], want[i], 5e-6);
	CHECK(isnan(adjusted[15]));
	statistics_adjust(shuffled, shuffled, 16);
	CHECK(memcmp(shuffled, adjusted, 15 * sizeof(*adjusted)) == 0);
	statistics_adjust(shuffled, shuffled, 0);
}

/*
 * Two roots: the first is rejected, and of its children one; the second is not, so its child is not
 * tested, however small its p.
 */
TEST(statistics__hierarchy)
{
	static const double p[] = { .02, .2, .01, .04, .001, .03, NAN, .01 };
	static const size_t parent[] = { SIZE_MAX, SIZE_MAX, 0, 0, 1, 2, 0, 3 };
	static const double want[] = { .04, .2, .02, .04, 1, .03, NAN, .01 };
	double adjusted[8];

	statistics_hierarchy(p, parent, adjusted, 8, 0.05);
	for (size_t i = 0; i < 8; i++)
		if (isnan(want[i]))
			CHECK(isnan(adjusted[i]));
		else
			CHECK_NEAR(adjusted[i], want[i], 1e-12);
	statistics_hierarchy(p, parent, adjusted, 8, 0.03);
	CHECK_NEAR(adjusted[0], 0.04, 1e-12);
	for (size_t i = 2; i < 8; i++)
		CHECK_NEAR(adjusted[i], 1, 0);
}

/*
 * A parent of a hypothesis must come before it; one that does not is like one that is not rejected.
 * Below a missing p nothing is tested.
 */
TEST(statistics__hierarchy_of_bad_parents)
{
	static const double p[] = { NAN, .001, .001, .001 };
	double adjusted[4];

	statistics_hierarchy(p, (size_t[]){ SIZE_MAX, 0, 2, 99 }, adjusted, 4, 0.05);
	CHECK(isnan(adjusted[0]));
	for (size_t i = 1; i < 4; i++)
		CHECK_NEAR(adjusted[i], 1, 0);
	statistics_hierarchy(p, NULL, adjusted, 0, 0.05);
}

/* A million hypotheses: 1000 regions, 10 arrays in each, 99 lines in each of these. */
TEST(statistics__hierarchy_of_a_million)
{
	enum {
		REGIONS = 1000,
		ARRAYS = 10,
		LINES = 99,
		ALL = REGIONS * (1 + ARRAYS * (1 + LINES))
	};
	double *p = malloc(ALL * sizeof(*p)), *adjusted = malloc(ALL * sizeof(*p)),
	       *apart = malloc(ALL * sizeof(*p));
	size_t *parent = malloc(ALL * sizeof(*parent)), nr = 0, tested = 0;

	CHECK(p && adjusted && apart && parent);
	for (size_t region = 0; region < REGIONS; region++) {
		size_t of_region = nr;

		parent[nr++] = SIZE_MAX;
		for (size_t array = 0; array < ARRAYS; array++) {
			size_t of_array = nr;

			parent[nr++] = of_region;
			for (size_t line = 0; line < LINES; line++)
				parent[nr++] = of_array;
		}
	}
	CHECK_INT(nr, ALL);
	for (size_t i = 0; i < ALL; i++)
		p[i] = pow(pick(1000000) / 1e6, 3);
	statistics_hierarchy(p, parent, adjusted, ALL, 0.05);
	for (size_t i = 0; i < ALL; i++) {
		bool reached = parent[i] == SIZE_MAX || adjusted[parent[i]] <= 0.05;

		CHECK(reached ? adjusted[i] >= p[i] * (1 - 1e-12) : adjusted[i] == 1);
		tested += reached;
	}
	CHECK(tested > REGIONS && tested < ALL);
	/* The family of the first rejected region, alone. */
	for (size_t region = 0, stride = ALL / REGIONS; region < ALL; region += stride)
		if (adjusted[region] <= 0.05) {
			for (size_t array = 0; array < ARRAYS; array++)
				apart[array] = p[region + 1 + array * (LINES + 1)];
			statistics_adjust(apart, apart, ARRAYS);
			for (size_t array = 0; array < ARRAYS; array++)
				CHECK_NEAR(adjusted[region + 1 + array * (LINES + 1)], apart[array],
					   1e-15);
			break;
		}
	free(p);
	free(adjusted);
	free(apart);
	free(parent);
}

TEST(statistics__ratio_interval)
{
	static const double a[] = { 98, 100, 101, 99, 102 }, b[] = { 147, 150, 151, 149, 153 };
	struct interval ratio, again, wider, swapped;

	CHECK(statistics_ratio_interval(a, 5, b, 5, 0.95, &ratio));
	CHECK(ratio.low > 1.46 && ratio.low < 1.5 && ratio.high > 1.5 && ratio.high < 1.54);
	CHECK(statistics_ratio_interval(a, 5, b, 5, 0.95, &again));
	CHECK(memcmp(&ratio, &again, sizeof(ratio)) == 0);
	CHECK(statistics_ratio_interval(a, 5, b, 5, 0.99, &wider));
	CHECK(wider.low < ratio.low && wider.high > ratio.high);
	CHECK(statistics_ratio_interval(b, 5, a, 5, 0.95, &swapped));
	CHECK_NEAR(swapped.low * ratio.high, 1, 0.01);
}

/*
 * Two values each: Student's t, with degrees of freedom after Welch; for equal relative scatter 2.
 */
TEST(statistics__ratio_interval_of_few)
{
	/* of values 1 % to both sides of their mean */
	double half_width = 4.303 * sqrt(2 * 0.5 * 0.02 * 0.02 / 2);
	struct interval ratio;

	CHECK(statistics_ratio_interval((double[]){ 99, 101 }, 2, (double[]){ 297, 303 }, 2, 0.95,
					&ratio));
	CHECK_NEAR(log(ratio.high / 3), half_width, 1e-4);
	CHECK_NEAR(log(ratio.low / 3), -half_width, 1e-4);
}

/*
 * Counts: without scatter, with scatter in one group only, with most resamples alike, and with
 * zeros.
 */
TEST(statistics__ratio_interval_of_counts)
{
	struct interval ratio;

	CHECK(statistics_ratio_interval((double[]){ 4, 4, 4, 4, 4 }, 5, (double[]){ 5, 5, 5, 5, 5 },
					5, 0.95, &ratio));
	CHECK_NEAR(ratio.low, 1.25, 1e-15);
	CHECK_NEAR(ratio.high, 1.25, 1e-15);
	CHECK(statistics_ratio_interval((double[]){ 4, 4, 4, 4 }, 4, (double[]){ 4, 4, 4, 8 }, 4,
					0.95, &ratio));
	CHECK(ratio.low < 1 && ratio.high > 1.25 && ratio.high < 3);
	CHECK(statistics_ratio_interval((double[]){ 0, 0, 0, 7, 1 }, 5, (double[]){ 0, 9, 0, 0, 0 },
					5, 0.95, &ratio));
	CHECK(ratio.low >= 0 && ratio.low < 1 && ratio.high > 1);
}

TEST(statistics__ratio_interval_of_bad_values)
{
	static const double good[] = { 1, 2, 3 }, missing[] = { 1, NAN, 3 },
			    negative[] = { 1, -1, 3 }, zero[] = { 0, 0, 0 },
			    infinite[] = { 1, INFINITY, 2 };
	const double *bad[] = { missing, negative, zero, infinite };
	struct interval ratio = { 5, 6 };

	CHECK(!statistics_ratio_interval(good, 1, good, 3, 0.95, &ratio));
	CHECK(!statistics_ratio_interval(good, 3, good, 1, 0.95, &ratio));
	CHECK(!statistics_ratio_interval(good, 0, good, 0, 0.95, &ratio));
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		CHECK(!statistics_ratio_interval(good, 3, bad[i], 3, 0.95, &ratio));
		CHECK(!statistics_ratio_interval(bad[i], 3, good, 3, 0.95, &ratio));
	}
	CHECK(!statistics_ratio_interval(good, 3, good, 3, 1, &ratio));
	CHECK(!statistics_ratio_interval(good, 3, good, 3, 0, &ratio));
	CHECK(!statistics_ratio_interval(good, 3, good, 3, NAN, &ratio));
	CHECK(ratio.low == 5 && ratio.high == 6);
}

/* Executions of one run are as good as values of which mean and error are computed here. */
TEST(statistics__ratio_of_two_runs)
{
	static const double a[] = { 99, 101, 103 }, b[] = { 110, 112, 108 };
	struct run_mean first = { 101, sqrt(8.0 / (3 * 2)), 3 },
			second = { 110, sqrt(8.0 / (3 * 2)), 3 },
			bad[] = { first, first, first, first };
	struct interval of_values, ratio = { 5, 6 };

	bad[0].error = 0;
	bad[1].executions = 1;
	bad[2].value = 0;
	bad[3].error = NAN;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK(!statistics_runs_ratio(bad[i], second, 0.95, &ratio) &&
		      !statistics_runs_ratio(second, bad[i], 0.95, &ratio));
	CHECK(!statistics_runs_ratio(first, second, 1, &ratio));
	CHECK(ratio.low == 5 && ratio.high == 6);
	CHECK(statistics_ratio_interval(a, 3, b, 3, 0.95, &of_values) &&
	      statistics_runs_ratio(first, second, 0.95, &ratio));
	CHECK_NEAR(ratio.low, of_values.low, 1e-9);
	CHECK_NEAR(ratio.high, of_values.high, 1e-9);
	CHECK_NEAR(statistics_runs_test(first, second, ratio.low), 0.05, 1e-6);
	CHECK_NEAR(statistics_runs_test(first, second, 110.0 / 101), 1, 1e-9);
	CHECK_NEAR(statistics_runs_test(first, bad[3], 1), 1, 0);
}

TEST(statistics__detectable)
{
	static const double a[] = { 99, 101, 100, 98, 102 }, b[] = { 120, 119, 121, 122, 118 },
			    same[] = { 3, 3, 3, 3, 3 }, missing[] = { 1, NAN, 2, 3, 4 };
	static const double zero[] = { 0, 0, 0, 0, 0 };

	CHECK_NEAR(statistics_scatter(a, 5, b, 5), sqrt(20.0 / 8) / 100, 1e-12);
	CHECK_NEAR(statistics_detectable(a, 5, b, 5, 0.05, 0.8),
		   statistics_detectable_shift(5, 5, 0.05, 0.8) * sqrt(20.0 / 8) / 100, 1e-12);
	CHECK_THAT(statistics_detectable(a, 5, b, 5, 0.01, 0.8), >,
		   statistics_detectable(a, 5, b, 5, 0.05, 0.8));
	CHECK_THAT(statistics_detectable(a, 5, b, 5, 0.05, 0.95), >,
		   statistics_detectable(a, 5, b, 5, 0.05, 0.8));
	CHECK_NEAR(statistics_detectable(same, 5, same, 5, 0.05, 0.8), 0, 0);
	/* 3 and 3 show nothing at 5 %, 5 and 5 nothing at 0.7 %: no change is large enough. */
	CHECK(isinf(statistics_detectable(a, 3, b, 3, 0.05, 0.8)));
	CHECK(isinf(statistics_detectable(a, 5, b, 5, 0.007, 0.8)));
	CHECK(isinf(statistics_detectable(same, 3, same, 3, 0.05, 0.8)));
	CHECK(isinf(statistics_detectable(a, 0, b, 5, 0.05, 0.8)));
	CHECK(isinf(statistics_detectable(missing, 5, b, 5, 0.05, 0.8)));
	CHECK(isinf(statistics_detectable(zero, 5, b, 5, 0.05, 0.8)));
	CHECK(isinf(statistics_detectable(a, 5, b, 5, 0, 0.8)) &&
	      isinf(statistics_detectable(a, 5, b, 5, 0.05, 1)) &&
	      isinf(statistics_detectable(a, 5, b, 5, NAN, 0.8)));
	CHECK(isnan(statistics_scatter(a, 1, b, 1)));
}
