/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Summaries: statistics, what a fold hands on, gauges, room, and folding while the owner goes on.
 */
#include "ompt_tool/measurements/summary.h"
#include "tests/unit/test.h"

#include <pthread.h>
#include <stdlib.h>

struct seen {
	struct ms_measurement rows[64];
	uint64_t nr;
};

static void see(void *ctx, const struct ms_measurement *row)
{
	struct seen *seen = ctx;

	if (seen->nr < 64)
		seen->rows[seen->nr] = *row;
	seen->nr++;
}

TEST(summary__statistics)
{
	struct summary *summary = summary_new();
	struct seen seen = { .nr = 0 };

	CHECK(summary_add(summary, 7, MS_METRIC_TIME, 3) &&
	      summary_add(summary, 7, MS_METRIC_TIME, -2) &&
	      summary_add(summary, 7, MS_METRIC_TIME, 10));
	CHECK_INT(summary_fold(summary, 5, see, &seen), 1);
	CHECK_INT(seen.rows[0].region, 7);
	CHECK_INT(seen.rows[0].thread, 5);
	CHECK_INT(seen.rows[0].metric, MS_METRIC_TIME);
	CHECK_INT(seen.rows[0].stat.count, 3);
	CHECK_NEAR(seen.rows[0].stat.sum, 11, 0);
	CHECK_NEAR(seen.rows[0].stat.min, -2, 0);
	CHECK_NEAR(seen.rows[0].stat.max, 10, 0);
	CHECK_NEAR(seen.rows[0].stat.sum_squares, 113, 0);
	summary_free(summary);
}

TEST(summary__fold_hands_on_what_is_new)
{
	struct summary *summary = summary_new();
	struct seen seen = { .nr = 0 };

	summary_add(summary, 1, MS_METRIC_TIME, 100);
	summary_add(summary, 1, MS_METRIC_LOCK_WAIT, 1);
	CHECK_INT(summary_fold(summary, 0, see, &seen), 2);
	CHECK_INT(summary_fold(summary, 0, see, &seen), 0);
	summary_add(summary, 1, MS_METRIC_TIME, 5);
	seen.nr = 0;
	CHECK_INT(summary_fold(summary, 0, see, &seen), 1);
	CHECK_INT(seen.rows[0].stat.count, 1);
	CHECK_NEAR(seen.rows[0].stat.sum, 5, 0);
	CHECK_NEAR(seen.rows[0].stat.sum_squares, 25, 0);
	CHECK_NEAR(seen.rows[0].stat.max, 100, 0);
	summary_free(summary);
}

static void add_part(struct summary *summary, uint32_t region, enum ms_metric metric, double value)
{
	summary_parts(summary, region);
	summary_add(summary, region, metric, value);
	summary_parts(summary, MS_REGION_NONE);
}

/*
 * A value that comes in parts counts once, when it is complete, with the extremes and squares of
 * all of it.
 */
TEST(summary__parts_are_one_value)
{
	struct summary *summary = summary_new();
	struct seen seen = { .nr = 0 };

	summary_add(summary, 1, MS_METRIC_TIME, 50);
	for (int i = 0; i < 4; i++)
		add_part(summary, 1, MS_METRIC_TIME, 10);
	summary_add(summary, 1, MS_METRIC_TIME, 30);
	add_part(summary, 1, MS_METRIC_MINOR_FAULTS, 5);
	summary_end_parts(summary, 1, true); /* nothing came after the part */
	summary_add(summary, 1, MS_METRIC_MINOR_FAULTS, 2);
	CHECK_INT(summary_fold(summary, 0, see, &seen), 2);
	CHECK_INT(seen.rows[0].stat.count, 2);
	CHECK_NEAR(seen.rows[0].stat.sum, 120, 0);
	CHECK_NEAR(seen.rows[0].stat.min, 50, 0);
	CHECK_NEAR(seen.rows[0].stat.max, 70, 0);
	CHECK_NEAR(seen.rows[0].stat.sum_squares, 50 * 50 + 70 * 70, 0);
	CHECK_INT(seen.rows[1].stat.count, 2);
	CHECK_NEAR(seen.rows[1].stat.min, 2, 0);
	CHECK_NEAR(seen.rows[1].stat.max, 5, 0);
	CHECK_NEAR(seen.rows[1].stat.sum_squares, 29, 0);
	summary_free(summary);
}

/*
 * A fold between the parts of a value hands them on as one, and does not count the value again at
 * its end.
 */
TEST(summary__a_fold_sees_parts)
{
	struct summary *summary = summary_new();
	struct seen seen = { .nr = 0 };
	uint64_t count = 0;

	for (int value = 0; value < 3; value++) {
		add_part(summary, 1, MS_METRIC_TIME, 10);
		summary_fold(summary, 0, see, &seen);
		summary_add(summary, 1, MS_METRIC_TIME, 20);
	}
	summary_add(summary, 1, MS_METRIC_TIME, 5);
	summary_fold(summary, 0, see, &seen);
	CHECK_INT(summary_fold(summary, 0, see, &seen), 0);
	CHECK_INT(seen.nr, 4);
	CHECK_NEAR(seen.rows[0].stat.sum, 10, 0);
	CHECK_NEAR(seen.rows[0].stat.min, 10, 0);
	CHECK_NEAR(seen.rows[1].stat.sum, 30, 0);
	for (int i = 0; i < 4; i++)
		count += seen.rows[i].stat.count;
	CHECK_INT(count, 4);
	summary_free(summary);
}

TEST(summary__gauge_has_its_latest_value)
{
	struct summary *summary = summary_new();
	struct seen seen = { .nr = 0 };

	summary_set(summary, 0, MS_METRIC_ALLOWED_CPUS, 8);
	summary_set(summary, 0, MS_METRIC_ALLOWED_CPUS, 2);
	summary_fold(summary, 0, see, &seen);
	CHECK_INT(seen.nr, 1);
	CHECK_INT(seen.rows[0].stat.count, 1);
	CHECK_NEAR(seen.rows[0].stat.sum, 2, 0);
	summary_set(summary, 0, MS_METRIC_ALLOWED_CPUS, 2);
	summary_fold(summary, 0, see, &seen);
	CHECK_NEAR(seen.rows[1].stat.sum, 2, 0);
	summary_free(summary);
}

/* Interleaved as sensors do it, against an array that cannot be wrong. */
TEST(summary__many_regions_and_metrics)
{
	static double want[MS_REGION_MAX][MS_METRICS];
	struct summary *summary = summary_new();
	struct seen seen = { .nr = 0 };
	uint64_t cells = 0;

	srand(1);
	for (int i = 0; i < 300000; i++) {
		uint32_t region = (uint32_t)rand() % MS_REGION_MAX;
		enum ms_metric metric = (enum ms_metric)(rand() % MS_METRICS);

		for (int again = rand() % 3; again >= 0; again--) {
			cells += want[region][metric] == 0;
			want[region][metric]++;
			CHECK(summary_add(summary, region, metric, 1));
			metric = (metric + 1) % MS_METRICS;
		}
	}
	CHECK_INT(summary_cells(summary), cells);
	CHECK_INT(summary_fold(summary, 0, see, &seen), cells);
	for (int i = 0; i < 64; i++)
		CHECK_NEAR(seen.rows[i].stat.sum, want[seen.rows[i].region][seen.rows[i].metric],
			   0);
	CHECK_INT(summary_dropped(summary), 0);
	summary_free(summary);
}

TEST(summary__regions_out_of_range_are_counted)
{
	struct summary *summary = summary_new();

	CHECK(!summary_add(summary, MS_REGION_MAX, MS_METRIC_TIME, 1));
	CHECK(!summary_add(summary, MS_REGION_NONE, MS_METRIC_TIME, 1));
	CHECK_INT(summary_dropped(summary), 2);
	summary_free(summary);
}

#define VALUES 200000

static void *own(void *ctx)
{
	for (int i = 0; i < VALUES; i++) {
		summary_add(ctx, (uint32_t)i % 50, MS_METRIC_TIME, 2);
		add_part(ctx, (uint32_t)i % 50, MS_METRIC_TASK_TIME, 1);
		summary_add(ctx, (uint32_t)i % 50, MS_METRIC_TASK_TIME, 0.5);
		summary_add(ctx, (uint32_t)i % 50, MS_METRIC_BARRIER_WAIT, 3);
	}
	return NULL;
}

static void add_up(void *ctx, const struct ms_measurement *row)
{
	struct ms_stat *sums = ctx;

	sums[row->metric].count += row->stat.count;
	sums[row->metric].sum += row->stat.sum;
}

/* Whatever the fold sees while the owner goes on, nothing is lost and nothing comes twice. */
TEST(summary__fold_while_the_owner_goes_on)
{
	struct ms_stat sums[MS_METRICS] = { { 0 } };
	struct summary *summary = summary_new();
	pthread_t owner;

	CHECK_INT(pthread_create(&owner, NULL, own, summary), 0);
	for (int i = 0; i < 200; i++)
		summary_fold(summary, 0, add_up, sums);
	pthread_join(owner, NULL);
	summary_fold(summary, 0, add_up, sums);
	CHECK_INT(sums[MS_METRIC_TIME].count, VALUES);
	CHECK_NEAR(sums[MS_METRIC_TIME].sum, 2.0 * VALUES, 0);
	CHECK_INT(sums[MS_METRIC_BARRIER_WAIT].count, VALUES);
	CHECK_NEAR(sums[MS_METRIC_BARRIER_WAIT].sum, 3.0 * VALUES, 0);
	CHECK_THAT(sums[MS_METRIC_TASK_TIME].count, >=, VALUES);
	CHECK_NEAR(sums[MS_METRIC_TASK_TIME].sum, 1.5 * VALUES, 0);
	summary_free(summary);
}
