/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shared segment: requests to request words, rows, and a process that may not make large files.
 */
#include "ompt_tool/measurements/segment.h"
#include "tests/unit/test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#define CLOCK_BIT (1u << MS_SENSOR_CLOCK)
#define RUSAGE_BIT (1u << MS_SENSOR_RUSAGE)

static uint32_t words(struct segment *segment, uint32_t region)
{
	return region_requests(region_table_at(segment_regions(segment), region));
}

TEST(segment__requests_become_words)
{
	struct segment *segment = segment_new();
	struct region_table *table = segment_regions(segment);
	bool new;
	uint32_t a = region_table_get(table, MS_PARALLEL_REGION, 1, 0, &new);
	uint32_t b = region_table_get(table, MS_PARALLEL_REGION, 2, 0, &new);
	uint32_t loop = region_table_get(table, MS_DO_REGION, 3, a, &new), late;
	struct ms_request requests[] = {
		{ .metric = MS_METRIC_TIME,
		  .region = a,
		  .thread = MS_REQUEST_ALL_THREADS,
		  .flags = MS_REQUEST_SUBREGIONS },
		{ .metric = MS_METRIC_CPU_TIME, .region = b, .thread = MS_REQUEST_ALL_THREADS },
		{ .metric = MS_METRICS, .region = b },
		{ .metric = MS_METRIC_TIME, .region = MS_REGION_MAX + 5 },
	};
	const struct ms_request *kept;

	CHECK_INT(segment_requests_set(segment, requests, 4), MS_OK);
	CHECK_INT(segment_requests(segment, &kept), 4);
	CHECK_INT(kept[1].metric, MS_METRIC_CPU_TIME);
	CHECK_INT(segment_requests_apply(segment), CLOCK_BIT | RUSAGE_BIT);
	CHECK_INT(words(segment, MS_REGION_USER), 0);
	CHECK_INT(words(segment, a), CLOCK_BIT);
	CHECK_INT(words(segment, loop), CLOCK_BIT);
	CHECK_INT(words(segment, b), RUSAGE_BIT);
	late = region_table_get(table, MS_CRITICAL_REGION, 9, loop, &new);
	CHECK_INT(words(segment, late), CLOCK_BIT);
	CHECK_INT(words(segment, region_table_get(table, MS_DO_REGION, 9, b, &new)), 0);

	CHECK_INT(segment_requests_set(segment, NULL, 0), MS_OK);
	CHECK_INT(segment_requests_apply(segment), 0);
	CHECK_INT(words(segment, a) | words(segment, b) | words(segment, loop) |
			  words(segment, late),
		  0);
	segment_free(segment);
}

TEST(segment__requests_for_kinds_of_subregions)
{
	struct segment *segment = segment_new();
	struct region_table *table = segment_regions(segment);
	bool new;
	uint32_t team = region_table_get(table, MS_PARALLEL_REGION, 1, 0, &new);
	uint32_t barrier = region_table_get(table, MS_BARRIER_REGION, 2, team, &new);
	struct ms_request requests[] = {
		{ .metric = MS_METRIC_TIME, .region = 0, .flags = MS_REQUEST_SUBREGIONS },
		{ .metric = MS_METRIC_CPU_TIME,
		  .region = 0,
		  .flags = MS_REQUEST_SUBREGIONS,
		  .kinds = 1 << MS_DO_REGION },
		{ .metric = MS_METRIC_SYSTEM_TIME,
		  .region = team,
		  .flags = MS_REQUEST_SUBREGIONS,
		  .kinds = 1 << MS_SINGLE_REGION },
	};

	segment_requests_set(segment, requests, 3);
	CHECK_INT(segment_requests_apply(segment), CLOCK_BIT | RUSAGE_BIT);
	CHECK_INT(words(segment, MS_REGION_USER), CLOCK_BIT | RUSAGE_BIT);
	CHECK_INT(words(segment, team), CLOCK_BIT | RUSAGE_BIT);
	CHECK_INT(words(segment, barrier), CLOCK_BIT);
	/* met later, also below a region of another kind */
	CHECK_INT(words(segment, region_table_get(table, MS_DO_REGION, 3, barrier, &new)),
		  CLOCK_BIT | RUSAGE_BIT);
	CHECK_INT(words(segment, region_table_get(table, MS_SINGLE_REGION, 4, team, &new)),
		  CLOCK_BIT | RUSAGE_BIT);
	CHECK_INT(words(segment, region_table_get(table, MS_SINGLE_REGION, 4, 0, &new)), CLOCK_BIT);
	CHECK_INT(region_table_requests(table, MS_LOCK_REGION, 0), CLOCK_BIT);
	segment_free(segment);
}

static long page_faults(void)
{
	struct rusage usage;

	CHECK(!getrusage(RUSAGE_SELF, &usage));
	return usage.ru_minflt;
}

/* What few regions are asked for touches little memory, however many there may be, and sensors. */
TEST(segment__words_of_few_regions_are_few)
{
	struct segment *segment = segment_new();
	bool new;
	uint32_t team = region_table_get(segment_regions(segment), MS_PARALLEL_REGION, 1, 0, &new);
	struct ms_request request = { .metric = MS_METRIC_TIME, .region = team };
	long before;

	CHECK_INT(segment_requests_set(segment, &request, 1), MS_OK);
	before = page_faults();
	CHECK_INT(segment_requests_apply(segment), CLOCK_BIT);
	CHECK_THAT(page_faults() - before, <, 20);
	CHECK_INT(words(segment, team), CLOCK_BIT);
	segment_free(segment);
}

TEST(segment__requests_beyond_the_room)
{
	struct segment *segment = segment_new();
	size_t nr = 100000;
	struct ms_request *requests = calloc(nr, sizeof(*requests));
	const struct ms_request *kept;

	CHECK_INT(segment_requests_set(segment, requests, nr), MS_ERR_FULL);
	CHECK_THAT(segment_requests(segment, &kept), <, nr);
	free(requests);
	segment_free(segment);
}

static uint64_t drained, drains;

static void drain(void *ctx, const struct ms_measurement *rows, size_t nr)
{
	(void)ctx;
	drains++;
	for (size_t i = 0; i < nr; i++)
		CHECK_INT(rows[i].region, drained++);
}

TEST(segment__rows_are_handed_over_in_order)
{
	struct segment *segment = segment_new();
	struct ms_measurement row = { 0 };

	for (row.region = 0; row.region < 10000; row.region++)
		segment_row(segment, &row, drain, NULL);
	CHECK(drained < 10000 && drains);
	segment_flush(segment, drain, NULL);
	CHECK_INT(drained, 10000);
	segment_flush(segment, drain, NULL);
	CHECK_INT(drained, 10000);
	segment_free(segment);
}

/* Growing a memfd beyond RLIMIT_FSIZE would kill the program with SIGXFSZ. */
TEST(segment__where_files_may_not_grow)
{
	struct rlimit limit = { 4096, 4096 };
	struct segment *segment;

	signal(SIGXFSZ, SIG_DFL);
	CHECK_THAT(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
	segment = segment_new();
	CHECK(segment != NULL);
	CHECK_INT(region_table_count(segment_regions(segment)), 1);
	segment_free(segment);
}

TEST(segment__where_no_file_can_be_opened)
{
	struct rlimit before, limit;
	struct segment *segment;

	CHECK_THAT(getrlimit(RLIMIT_NOFILE, &before), ==, 0);
	limit = (struct rlimit){ 0, before.rlim_max };
	CHECK_THAT(setrlimit(RLIMIT_NOFILE, &limit), ==, 0);
	segment = segment_new();
	setrlimit(RLIMIT_NOFILE, &before); /* sanitizers open files at exit */
	CHECK(segment != NULL);
	segment_free(segment);
}
