/* SPDX-License-Identifier: Apache-2.0 */
/* The shipped properties: hand-computed answers, positive, negative and unknown, over tables. */
#include "tests/unit/context.h"

#define MS 1e6           /* ns */

/* Two threads, one parallel region of 100 ms: thread 0 works `first` ms, thread 1 the rest of the time waits. */
static struct table *two_threads(double first, double second, uint32_t *region_out)
{
	struct table *table = table_new(2, 100 * MS);
	uint32_t region = table_region(table, 0, MS_PARALLEL_REGION, 1);

	table_set(table, region, 0, MS_METRIC_TIME, first * MS);
	table_set(table, region, 1, MS_METRIC_TIME, second * MS);
	table_set(table, region, 0, MS_METRIC_CPU_TIME, first * MS);
	table_set(table, region, 1, MS_METRIC_CPU_TIME, second * MS);
	table_set(table, region, 0, MS_METRIC_BARRIER_WAIT, (100 - first) * MS);
	table_set(table, region, 1, MS_METRIC_BARRIER_WAIT, (100 - second) * MS);
	table_set_all(table, region, MS_METRIC_VOLUNTARY_SWITCHES, 0);
	table_set_all(table, region, MS_METRIC_INVOLUNTARY_SWITCHES, 0);
	*region_out = region;
	return table;
}

TEST(properties__load_imbalance)
{
	struct property_set *set = shipped_properties();
	uint32_t region;
	struct table *table = two_threads(100, 60, &region);
	struct ms_verdict verdict = table_ask(table, set, "LoadImbalance", 0);

	/* 2 * (100 - 80) - 2 * 5 us = 39.99 of 200 ms */
	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_NEAR(verdict.severity, 39.99 / 200, 1e-12);
	CHECK_INT(verdict.rung, MS_RUNG_TIMED);
	CHECK_STR(verdict.evidence[0].name, "loss");
	CHECK_STR(verdict.evidence[0].unit, "ns");
	CHECK_NEAR(verdict.evidence[0].reading.value, 39.99 * MS, 1);
	verdict = table_ask(table, set, "ImbalanceInRegion", region);
	CHECK_INT(verdict.truth, MS_TRUE);
	CHECK_NEAR(verdict.severity, 39.99 / 200, 1e-12);

	CHECK_INT(table_ask(two_threads(100, 98, &region), set, "LoadImbalance", 0).truth, MS_FALSE);
}

TEST(properties__load_imbalance_needs_the_waits)
{
	struct property_set *set = shipped_properties();
	uint32_t region;
	struct table *table = two_threads(100, 60, &region);
	struct ms_verdict verdict;

	table_missing(table, region, MS_METRIC_BARRIER_WAIT, MS_MISSING_NOT_REQUESTED);
	verdict = table_ask(table, set, "LoadImbalance", 0);
	CHECK_INT(verdict.truth, MS_UNKNOWN);
	CHECK_INT(verdict.missing, MS_MISSING_NOT_REQUESTED);
	CHECK_INT(verdict.missing_metric, MS_METRIC_BARRIER_WAIT);
}
