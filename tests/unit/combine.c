/* SPDX-License-Identifier: Apache-2.0 */
/* Combining functions of two loads, against the tables of McKenney's "Differential Profiling". */
#include "analysis/differential/combine.h"
#include "tests/unit/test.h"

/* Works 1 and 2, as in the paper's tables. */
static double of(enum combine function, double least, double most)
{
	struct combined combined = combine(function, (struct load){ 1, least },
					   (struct load){ 2, most }, 100);

	CHECK(combined.valid && !combined.why);
	return combined.value;
}

/*
 * Table 1: utilisations in %. Column D as printed (5, 10, 1) is the plain difference; eq. 3 with w1
 * = 1 and w2 = 2 gives 0, -10, -97.
 */
TEST(combine__table_1)
{
	static const struct {
		int line;
		double least, most, ratio, printed, weighted, saturation;
	} rows[] = {
		{ __LINE__, 5, 10, 2.00, 5, 0, 20 },    /* CPU */
		{ __LINE__, 20, 30, 1.50, 10, -10, 9 }, /* memory */
		{ __LINE__, 98, 99, 1.01, 1, -97, 3 },  /* disk */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		double least = rows[i].least, most = rows[i].most;

		if (fabs(of(COMBINE_RATIO, least, most) - rows[i].ratio) > 0.005 ||
		    of(COMBINE_DIFFERENCE, least, most) != rows[i].printed ||
		    of(COMBINE_WEIGHTED, least, most) != rows[i].weighted ||
		    of(COMBINE_SATURATION, least, most) != rows[i].saturation)
			test_fail(__FILE__, rows[i].line, "row differs");
	}
}

/* The disk is the bottleneck: first by projected saturation, last by the other functions. */
TEST(combine__orders_of_table_1)
{
	CHECK(combine_ascending(COMBINE_SATURATION) && combine_ascending(COMBINE_SATURATION_POWER));
	CHECK(!combine_ascending(COMBINE_RATIO) && !combine_ascending(COMBINE_WEIGHTED) &&
	      !combine_ascending(COMBINE_DIFFERENCE));
	CHECK(of(COMBINE_SATURATION, 98, 99) < of(COMBINE_SATURATION, 20, 30) &&
	      of(COMBINE_SATURATION, 20, 30) < of(COMBINE_SATURATION, 5, 10));
	CHECK(of(COMBINE_RATIO, 5, 10) > of(COMBINE_RATIO, 20, 30) &&
	      of(COMBINE_RATIO, 20, 30) > of(COMBINE_RATIO, 98, 99));
}

/*
 * Table 2: the paper prints 1.16 for poly1, which is 70/60 = 1.1667 cut off. A function of O(n^9)
 * from 3 to 4 times the load: 13.3.
 */
TEST(combine__table_2)
{
	CHECK_NEAR(of(COMBINE_RATIO, 1, 12), 12.00, 0);
	CHECK_NEAR(of(COMBINE_RATIO, 409, 554), 1.35, 0.005);
	CHECK_NEAR(floor(of(COMBINE_RATIO, 60, 70) * 100) / 100, 1.16, 1e-9);
	CHECK_NEAR(of(COMBINE_RATIO, pow(3, 9), pow(4, 9)), 13.3, 0.05);
}

/*
 * Tables 3 and 4: lines of a program with works 1 and 2. The counts under the smaller load follow
 * from those under the larger and the weighted differences. Line 64 is second in the conventional
 * profile, and first in the differential one.
 */
TEST(combine__tables_3_and_4)
{
	static const struct {
		int line;
		double least, most, weighted;
	} rows[] = {
		{ 73, 279, 556, -2 },
		{ 64, 61, 519, 397 },
		{ 75, 198, 457, 61 },
		{ 70, 214, 417, -11 },
	};
	size_t worst = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_NEAR(of(COMBINE_WEIGHTED, rows[i].least, rows[i].most), rows[i].weighted, 0);
		if (rows[i].weighted > rows[worst].weighted)
			worst = i;
	}
	CHECK_INT(rows[worst].line, 64);
}

TEST(combine__linear_saturation)
{
	struct combined at = combine(COMBINE_SATURATION, (struct load){ 2, 10 },
				     (struct load){ 4, 30 }, 100);

	CHECK(at.valid);
	/* 10 % a unit of load from 10 % at 2 */
	CHECK_NEAR(at.value, 11, 1e-12);
	at = combine(COMBINE_SATURATION, (struct load){ 0, 0 }, (struct load){ 4, 50 }, 100);
	CHECK_NEAR(at.value, 8, 1e-12);
	at = combine(COMBINE_SATURATION, (struct load){ 2, 10 }, (struct load){ 4, 130 }, 100);
	CHECK(at.valid && at.value > 2 && at.value < 4); /* full between both */
}

/* Eq. 5 yields the logarithm of the load: m = 3 l^2 reaches 300 at 10, whose logarithm is 2.3. */
TEST(combine__saturation_by_power_law)
{
	struct combined at = combine(COMBINE_SATURATION_POWER, (struct load){ 2, 12 },
				     (struct load){ 5, 75 }, 300);

	CHECK(at.valid);
	CHECK_NEAR(at.value, 10, 1e-12);
	/* With exponent 1, that is proportional to the load, both projections agree. */
	at = combine(COMBINE_SATURATION_POWER, (struct load){ 3, 6 }, (struct load){ 5, 10 }, 100);
	CHECK_NEAR(at.value, 50, 1e-9);
	CHECK_NEAR(combine(COMBINE_SATURATION, (struct load){ 3, 6 }, (struct load){ 5, 10 }, 100)
			   .value,
		   50, 1e-9);
}

static const struct {
	int line;
	enum combine function;
	struct load least, most;
	double bound;
	const char *why;
} bad_values[] = {
	{ __LINE__,
	  COMBINE_RATIO,
	  { 1, 0 },
	  { 2, 5 },
	  0,
	  "the ratio needs a positive measurement under the smaller load" },
	{ __LINE__,
	  COMBINE_RATIO,
	  { 1, -1 },
	  { 2, 5 },
	  0,
	  "the ratio needs a positive measurement under the smaller load" },
	{ __LINE__,
	  COMBINE_RATIO,
	  { 1, 1 },
	  { 2, -5 },
	  0,
	  "the measurement under the larger load is negative" },
	{ __LINE__, COMBINE_RATIO, { 1, NAN }, { 2, 5 }, 0, "a measurement is missing" },
	{ __LINE__, COMBINE_RATIO, { 1, 1e-300 }, { 2, 1e300 }, 0, "the result is out of range" },
	{ __LINE__, COMBINE_DIFFERENCE, { 1, 1 }, { 2, INFINITY }, 0, "a measurement is missing" },
	{ __LINE__,
	  COMBINE_WEIGHTED,
	  { 0, 1 },
	  { 2, 5 },
	  0,
	  "the weighted difference needs positive amounts of work" },
	{ __LINE__,
	  COMBINE_WEIGHTED,
	  { 1, 1 },
	  { -2, 5 },
	  0,
	  "the weighted difference needs positive amounts of work" },
	{ __LINE__,
	  COMBINE_WEIGHTED,
	  { 1, 1 },
	  { NAN, 5 },
	  0,
	  "the weighted difference needs positive amounts of work" },
	{ __LINE__,
	  COMBINE_SATURATION,
	  { 1, 5 },
	  { 2, 5 },
	  100,
	  "the measurement does not grow with the load" },
	{ __LINE__,
	  COMBINE_SATURATION,
	  { 1, 6 },
	  { 2, 5 },
	  100,
	  "the measurement does not grow with the load" },
	{ __LINE__,
	  COMBINE_SATURATION,
	  { 2, 5 },
	  { 2, 10 },
	  100,
	  "the projection needs a larger load in the second run" },
	{ __LINE__,
	  COMBINE_SATURATION,
	  { 2, 5 },
	  { NAN, 10 },
	  100,
	  "the projection needs a larger load in the second run" },
	{ __LINE__,
	  COMBINE_SATURATION,
	  { 1, 5 },
	  { 2, 10 },
	  0,
	  "the projection needs a positive bound" },
	{ __LINE__,
	  COMBINE_SATURATION,
	  { 1, 5 },
	  { 2, 10 },
	  NAN,
	  "the projection needs a positive bound" },
	{ __LINE__,
	  COMBINE_SATURATION,
	  { 1, 5 },
	  { 2, 10 },
	  INFINITY,
	  "the result is out of range" },
	{ __LINE__,
	  COMBINE_SATURATION,
	  { 1, 100 },
	  { 2, 110 },
	  100,
	  "the measurement reaches its bound under the smaller load already" },
	{ __LINE__,
	  COMBINE_SATURATION_POWER,
	  { 1, 5 },
	  { 2, 5 },
	  100,
	  "the measurement does not grow with the load" },
	{ __LINE__,
	  COMBINE_SATURATION_POWER,
	  { 0, 5 },
	  { 2, 10 },
	  100,
	  "the power law needs positive loads and measurements" },
	{ __LINE__,
	  COMBINE_SATURATION_POWER,
	  { 1, 0 },
	  { 2, 10 },
	  100,
	  "the power law needs positive loads and measurements" },
	{ __LINE__,
	  COMBINE_SATURATION_POWER,
	  { 1, 1 },
	  { 2, 1.0000001 },
	  100,
	  "the result is out of range" },
};

TEST(combine__bad_values_are_refused)
{
	for (size_t i = 0; i < sizeof(bad_values) / sizeof(*bad_values); i++) {
		struct combined combined = combine(bad_values[i].function, bad_values[i].least,
						   bad_values[i].most, bad_values[i].bound);

		if (combined.valid || !isnan(combined.value) ||
		    strcmp(combined.why, bad_values[i].why) != 0)
			test_fail(__FILE__, bad_values[i].line, "%s",
				  combined.valid ? "not refused" : combined.why);
	}
}

/* Ratio and difference need no work; a bucket that vanished has ratio 0. */
TEST(combine__work_may_be_unknown)
{
	struct load least = { NAN, 4 }, most = { NAN, 0 };

	CHECK_NEAR(combine(COMBINE_RATIO, least, most, NAN).value, 0, 0);
	CHECK_NEAR(combine(COMBINE_DIFFERENCE, least, most, NAN).value, -4, 0);
}

TEST(combine__names)
{
	for (int i = 0; i < COMBINE_FUNCTIONS; i++)
		for (int j = 0; j < i; j++)
			CHECK(strcmp(combine_name(i), combine_name(j)) != 0);
	CHECK_STR(combine_name(COMBINE_RATIO), "ratio");
	CHECK_STR(combine_name(COMBINE_SATURATION_POWER), "saturation-power");
}

TEST(combine__choice_follows_the_paper)
{
	static const struct {
		int line;
		struct combine_situation situation;
		enum combine function;
		const char *why;
	} rows[] = {
		{ __LINE__, { 0 }, COMBINE_RATIO, "not known" },
		{ __LINE__,
		  { .linear = true, .full_size = true },
		  COMBINE_RATIO,
		  "work of the runs is not known" },
		{ __LINE__,
		  { .work_known = true, .full_size = true },
		  COMBINE_RATIO,
		  "proportional" },
		{ __LINE__, { .work_known = true, .linear = true }, COMBINE_RATIO, "smaller" },
		{ __LINE__,
		  { .work_known = true, .linear = true, .full_size = true },
		  COMBINE_WEIGHTED,
		  "full size" },
		{ __LINE__,
		  { .work_known = true, .work_differs = true, .linear = true, .full_size = true },
		  COMBINE_WEIGHTED,
		  "full size" },
		{ __LINE__,
		  { .work_known = true,
		    .work_differs = true,
		    .linear = true,
		    .full_size = true,
		    .bounded = true },
		  COMBINE_SATURATION,
		  "upper bound" },
		{ __LINE__,
		  { .work_known = true, .work_differs = true, .bounded = true },
		  COMBINE_SATURATION,
		  "upper bound" },
		{ __LINE__,
		  { .work_known = true, .work_differs = true, .bounded = true, .power_law = true },
		  COMBINE_SATURATION_POWER,
		  "power" },
		{ __LINE__,
		  { .work_known = true, .bounded = true, .linear = true, .full_size = true },
		  COMBINE_WEIGHTED,
		  "full size" },
		{ __LINE__, { .bounded = true }, COMBINE_RATIO, "not known" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct combine_choice choice = combine_choose(rows[i].situation);

		if (choice.function != rows[i].function || !strstr(choice.why, rows[i].why))
			test_fail(__FILE__, rows[i].line, "%s", choice.why);
	}
}
