/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of data volumes: the six rows of Hollingsworth & Miller 1993, table 1. */
#include "analysis/search/accounting.h"
#include "tests/unit/test.h"

/*
 * Percentages, MB and ratios as printed there, but where its own numbers give others: the ratio of
 * Water on 4 CPUs is printed 73, the percentages of the fourth row 2.2 and 1.2, the last size 0.51.
 */
static const struct {
	int line;
	uint64_t counters_used, counters, samples_used, samples;
	double counters_percent, samples_percent, size_mb, trace_mb, ratio;
} runs[] = {
	{ __LINE__, 22, 2022, 1390, 279036, 1.1, 0.5, 0.02, 1.2, 72 },
	{ __LINE__, 328, 7783, 28692, 2762965, 4.2, 1.0, 0.34, 13, 38 },
	{ __LINE__, 6, 1928, 1050, 337400, 0.3, 0.3, 0.01, 9.7, 770 },
	{ __LINE__, 44, 1928, 4226, 337400, 2.3, 1.3, 0.05, 9.7, 191 },
	{ __LINE__, 9, 1978, 8379, 1845474, 0.5, 0.5, 0.10, 4.1, 41 },
	{ __LINE__, 9, 1978, 41958, 9227370, 0.5, 0.5, 0.50, 6.3, 13 },
};

/* Rounded as printed: half of the last digit, and a hair for 12.5. */
static void check(int line, const char *what, double have, double printed, double digit)
{
	if (!(fabs(have - printed) <= digit * 0.5001))
		test_fail(__FILE__, line, "%s is %g, printed %g", what, have, printed);
}

TEST(accounting__table_1)
{
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		double bytes = (double)accounting_bytes(runs[i].samples_used);

		check(runs[i].line, "counters %",
		      100 * accounting_share(runs[i].counters_used, runs[i].counters),
		      runs[i].counters_percent, 0.1);
		check(runs[i].line, "samples %",
		      100 * accounting_share(runs[i].samples_used, runs[i].samples),
		      runs[i].samples_percent, 0.1);
		check(runs[i].line, "size", bytes / 1e6, runs[i].size_mb, 0.01);
		check(runs[i].line, "ratio",
		      accounting_ratio(runs[i].trace_mb * 1e6, runs[i].samples_used), runs[i].ratio,
		      1);
	}
}

TEST(accounting__nothing_measured)
{
	CHECK_NEAR(accounting_share(0, 0), 0, 0);
	CHECK_NEAR(accounting_ratio(1e6, 0), 0, 0);
}
