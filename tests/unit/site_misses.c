/* SPDX-License-Identifier: Apache-2.0 */
/* Simulated counters of sites over many executions: added up by region, site and array, and bounded. */
#include "ompt_tool/accesses/site_misses.h"

#include "tests/unit/test.h"

TEST(site_misses__adds_up_by_all_three)
{
	struct site_misses *table = site_misses_new();
	struct simulator_counters counters = { .reads = 3, .classes[1][CLASS_CONFLICT] = 2, .cycles = 7 };

	CHECK(table != NULL);
	CHECK(!site_misses_of(table, 1, 2, 3));
	CHECK(site_misses_add(table, 1, 2, 3, &counters) && site_misses_add(table, 1, 2, 3, &counters));
	CHECK(site_misses_add(table, 2, 2, 3, &counters) && site_misses_add(table, 1, 1, 3, &counters) && site_misses_add(table, 1, 2, 4, &counters));
	CHECK_INT(site_misses_of(table, 1, 2, 3)->reads, 6);
	CHECK_INT(site_misses_of(table, 1, 2, 3)->classes[1][CLASS_CONFLICT], 4);
	CHECK_INT(site_misses_of(table, 1, 2, 3)->cycles, 14);
	CHECK_INT(site_misses_of(table, 2, 2, 3)->reads, 3);
	CHECK_INT(site_misses_of(table, 1, 1, 3)->reads, 3);
	CHECK_INT(site_misses_of(table, 1, 2, 4)->reads, 3);
	CHECK(!site_misses_of(table, 3, 2, 1));
}

TEST(site_misses__what_is_beyond_its_rows_is_refused)
{
	struct site_misses *table = site_misses_new();
	const struct simulator_counters counters = { .reads = 1 };

	CHECK(table != NULL);
	for (uint32_t i = 0; i < SITE_MISSES_ROWS; i++)
		CHECK(site_misses_add(table, i % 7, i, UINT32_MAX, &counters));
	CHECK(!site_misses_add(table, 0, SITE_MISSES_ROWS, UINT32_MAX, &counters));
	CHECK(site_misses_add(table, 5, 5, UINT32_MAX, &counters));
	CHECK_INT(site_misses_of(table, 5, 5, UINT32_MAX)->reads, 2);
	CHECK(!site_misses_of(table, 0, SITE_MISSES_ROWS, UINT32_MAX));
}
