/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of data addresses in words and JSON: shares, and between what they lie. */
#include "analysis/report/array_samples.h"

#include "analysis/base/arena.h"
#include "analysis/report/arrays.h"
#include "analysis/report/text.h"
#include "tests/unit/json_value.h"
#include "tests/unit/test.h"

#include <math.h>
#include <stdlib.h>

#define SCHEMA "analysis/report/schema/memsearch-arrays-1.schema.json"
#define PERIOD 1000.0

enum { USER, PARALLEL, FIRST, SECOND, LOOP, IN_LOOP, REGIONS };

/* The bounds as R's prop.test(x, n, correct = FALSE) gives them, with 1.96 for its quantile. */
TEST(array_samples__wilson)
{
	static const struct {
		double part, whole, low, high;
	} cases[] = {
		{ 0, 10, 0, 0.2775 },  { 1, 10, 0.0179, 0.4042 },     { 5, 10, 0.2366, 0.7634 },
		{ 10, 10, 0.7225, 1 }, { 300, 1000, 0.2724, 0.3291 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sampled_share share = array_samples_share(cases[i].part, cases[i].whole);

		CHECK_NEAR(share.share, cases[i].part / cases[i].whole, 1e-12);
		CHECK_NEAR(share.low, cases[i].low, 1e-4);
		CHECK_NEAR(share.high, cases[i].high, 1e-4);
	}
	CHECK_NEAR(array_samples_share(0, 0).high, 1, 0);
}

/*
 * Nineteen intervals of twenty hold the true share: binomial draws, two in a hundred of which tell
 * nothing yet.
 */
TEST(array_samples__the_interval_holds_what_it_says)
{
	static const double shares[] = { 0.02, 0.1, 0.5, 0.9 };

	srandom(7);
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		int held = 0, trials = 2000;

		for (int trial = 0; trial < trials; trial++) {
			double part = 0;
			struct sampled_share share;

			for (int n = 0; n < 200; n++)
				part += (double)random() / ((double)RAND_MAX + 1) < shares[i];
			share = array_samples_share(part, 200);
			held += share.low <= shares[i] && shares[i] <= share.high;
		}
		CHECK(held > 0.92 * trials && held < 0.985 * trials);
	}
}

static void add(struct run *run, uint32_t region, uint32_t thread, enum ms_metric metric,
		double value)
{
	struct run_measurement *one = &run->measurements[run->nr_measurements++];

	*one = (struct run_measurement){
		.row = { .region = region, .thread = thread, .metric = metric }, .phases = 4
	};
	ms_stat_add(&one->row.stat, value);
}

/*
 * Two threads; 300 of 1000 samples are of the first array, 200 of the second; what is in a loop is
 * in its construct, too.
 */
static struct run *sampled_run(struct arena *arena, bool by_pmu)
{
	static const struct run_region regions[REGIONS] = {
		[USER] = { .id = USER, .parent = MS_REGION_NONE, .kind = MS_USER_REGION },
		[PARALLEL] = { .id = PARALLEL, .parent = USER, .kind = MS_PARALLEL_REGION },
		[FIRST] = { .id = FIRST,
			    .parent = PARALLEL,
			    .kind = MS_DATA_STRUCTURE,
			    .construct.offset = 1 },
		[SECOND] = { .id = SECOND,
			     .parent = PARALLEL,
			     .kind = MS_DATA_STRUCTURE,
			     .construct.offset = 2 },
		[LOOP] = { .id = LOOP, .parent = PARALLEL, .kind = MS_LOOP_REGION },
		[IN_LOOP] = { .id = IN_LOOP,
			      .parent = LOOP,
			      .kind = MS_DATA_STRUCTURE,
			      .construct.offset = 1 },
	};
	static struct run_array arrays[2] = { { .id = 0,
						.kind = "static",
						.name = "first",
						.bytes = 1 << 20,
						.blocks = 1,
						.live_blocks = 1 },
					      { .id = 1,
						.kind = "static",
						.name = "second",
						.bytes = 1 << 20,
						.blocks = 1,
						.live_blocks = 1 } };
	static struct run_sensor sensor = { "addresses", true, "a PMU: untested on hardware" };
	struct run *run = arena_alloc(arena, sizeof(*run));

	*run = (struct run){ .program = "p",
			     .threads = 2,
			     .regions = arena_alloc(arena, sizeof(regions)),
			     .nr_regions = REGIONS,
			     .arrays = arrays,
			     .nr_arrays = 2,
			     .sensors = &sensor,
			     .nr_sensors = 1,
			     .measurements = arena_alloc(arena, 64 * sizeof(*run->measurements)) };
	memcpy(run->regions, regions, sizeof(regions));
	for (uint32_t thread = 0; thread < 2; thread++) {
		add(run, USER, thread, MS_METRIC_ADDRESS_SAMPLES, 500);
		add(run, FIRST, thread, MS_METRIC_ADDRESS_SAMPLES, 150);
		add(run, IN_LOOP, thread, MS_METRIC_ADDRESS_SAMPLES, 150);
		add(run, SECOND, thread, MS_METRIC_ADDRESS_SAMPLES, 100);
		add(run, USER, thread, MS_METRIC_ADDRESS_SAMPLES_LOST, 0);
	}
	if (!by_pmu)
		return run;
	add(run, FIRST, 0, MS_METRIC_SAMPLED_LOADS, 250 * PERIOD);
	add(run, SECOND, 0, MS_METRIC_SAMPLED_LOADS, 0);
	add(run, FIRST, 0, MS_METRIC_SAMPLED_STORES, 50 * PERIOD);
	add(run, FIRST, 0, MS_METRIC_SAMPLED_L1D_MISSES, 150 * PERIOD);
	add(run, FIRST, 0, MS_METRIC_SAMPLED_L2D_MISSES, 60 * PERIOD);
	add(run, FIRST, 0, MS_METRIC_SAMPLED_L3D_MISSES, 30 * PERIOD);
	add(run, FIRST, 0, MS_METRIC_SAMPLED_DRAM_LOCAL, 10 * PERIOD);
	add(run, FIRST, 1, MS_METRIC_SAMPLED_DRAM_REMOTE, 20 * PERIOD);
	add(run, FIRST, 1, MS_METRIC_SAMPLED_WAIT_CYCLES, 150 * 80 * PERIOD);
	return run;
}

TEST(array_samples__by_a_pmu)
{
	struct arena *arena = arena_new();
	struct array_sampling sampling = array_samples(arena, sampled_run(arena, true));
	const char *words = array_samples_words(arena, &sampling, 0);

	CHECK_NEAR(sampling.samples, 1000, 0);
	CHECK_NEAR(sampling.arrays[0].samples, 300, 0);
	CHECK_HAS(words, "30 % (27 % to 33 %) of 1000 samples");
	CHECK_HAS(words, "50 % (44 % to 56 %) of its accesses miss L1");
	CHECK_HAS(words, "20 % (16 % to 25 %) miss L2");
	CHECK_HAS(words, "of those that go to memory 67 % (49 % to 81 %) to another node's");
	CHECK_HAS(words, "a miss takes 80 cycles");
	CHECK_HAS(array_samples_words(arena, &sampling, 1), "20 % (");
	CHECK_HAS(array_samples_basis(arena, &sampling), "a PMU: untested on hardware");
	CHECK(!strstr(array_samples_basis(arena, &sampling), "lost"));
	sampling.lost = 12;
	CHECK_HAS(array_samples_basis(arena, &sampling), "12 samples were lost");
}

/* None is lost: then each was counted, and there is no error; else there is. */
TEST(array_samples__by_page_faults)
{
	struct arena *arena = arena_new();
	struct array_sampling sampling = array_samples(arena, sampled_run(arena, false));

	CHECK_STR(array_samples_words(arena, &sampling, 0), "30 % of 1000 samples");
	CHECK_STR(array_samples_words(arena, &sampling, 1), "20 % of 1000 samples");
	sampling.lost = 1;
	CHECK_STR(array_samples_words(arena, &sampling, 1), "20 % (18 % to 23 %) of 1000 samples");
}

TEST(array_samples__nothing_was_sampled)
{
	struct arena *arena = arena_new();
	struct run *run = sampled_run(arena, true);
	struct array_sampling sampling;

	run->nr_measurements = 0;
	sampling = array_samples(arena, run);
	CHECK(!array_samples_words(arena, &sampling, 0) && !array_samples_basis(arena, &sampling));
}

TEST(array_samples__in_the_report)
{
	const struct arrays_options options = { .by = ARRAYS_BY_ARRAY, .all = true, .brief = true };
	const struct run *run;
	struct text text, json;
	const char *error;
	struct json_value *value, *schema = json_parse(json_read_file(SCHEMA), &error);
	struct arena *arena = arena_new();

	for (int by_pmu = 0; by_pmu < 2; by_pmu++) {
		run = sampled_run(arena, by_pmu);
		text_init(&text, arena);
		arrays_text(&text, &run, 1, &options);
		CHECK_HAS(text.bytes, by_pmu ? "sampled      30 % (27 % to 33 %) of 1000 samples"
					     : "sampled      30 % of 1000 samples");
		text_init(&json, arena);
		arrays_json(&json, &run, 1, &options);
		value = json_parse(json.bytes, &error);
		CHECK(value && schema);
		error = json_check(schema, value, "$");
		if (error)
			test_fail(__FILE__, __LINE__, "%s in:\n%s", error, json.bytes);
		CHECK_HAS(json.bytes, by_pmu ? "\"exact\": false" : "\"exact\": true");
		CHECK_HAS(json.bytes, "\"samples\": 300");
		CHECK(!strstr(json.bytes, "\"transfers\"")); /* nobody told of any */
	}
}
