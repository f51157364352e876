/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of metrics, against a table of bools. */
#include "memsearch/metric_set.h"

#include <stdbool.h>
#include <stdlib.h>

#include "tests/unit/test.h"

#define ROUNDS 2000

struct pair {
	struct ms_metric_set set;
	bool has[MS_METRIC_SET_MAX];
};

/* Few or many, in one word or in all. */
static struct pair any_pair(void)
{
	struct pair pair = { .has = { false } };
	uint32_t first = (uint32_t)rand() % MS_METRIC_SET_MAX,
		 room = 1 + (uint32_t)rand() % (MS_METRIC_SET_MAX - first);

	for (int nr = rand() % 40; nr; nr--) {
		uint32_t metric = first + (uint32_t)rand() % room;

		ms_metric_set_add(&pair.set, metric);
		pair.has[metric] = true;
	}
	return pair;
}

static void check_same(const struct ms_metric_set *set, const bool has[MS_METRIC_SET_MAX])
{
	uint32_t nr = 0, at = 0;

	for (uint32_t metric = 0; metric < MS_METRIC_SET_MAX; metric++) {
		CHECK_INT(ms_metric_set_has(set, metric), has[metric]);
		nr += has[metric];
	}
	CHECK_INT(ms_metric_set_count(set), nr);
	MS_METRIC_SET_EACH(metric, set)
	{
		for (; at < metric; at++)
			CHECK(!has[at]);
		CHECK(has[at++]);
		nr--;
	}
	CHECK_INT(nr, 0);
}

TEST(metric_set__is_what_was_added)
{
	srand(1);
	for (int i = 0; i < ROUNDS; i++) {
		struct pair pair = any_pair();

		check_same(&pair.set, pair.has);
	}
}

TEST(metric_set__both)
{
	bool has[MS_METRIC_SET_MAX];

	srand(2);
	for (int i = 0; i < ROUNDS; i++) {
		struct pair a = any_pair(), b = any_pair();
		struct ms_metric_set both = ms_metric_set_both(&a.set, &b.set);

		for (uint32_t metric = 0; metric < MS_METRIC_SET_MAX; metric++)
			has[metric] = a.has[metric] && b.has[metric];
		check_same(&both, has);
	}
}

TEST(metric_set__equal_are_those_that_have_the_same)
{
	for (uint32_t metric = 0; metric < MS_METRIC_SET_MAX; metric++) {
		struct ms_metric_set a = { 0 }, b = { 0 };
		uint32_t other = (metric + 64) % MS_METRIC_SET_MAX;

		CHECK(ms_metric_set_equal(&a, &b));
		ms_metric_set_add(&a, metric);
		CHECK(!ms_metric_set_equal(&a, &b));
		ms_metric_set_add(&b, other);
		CHECK(!ms_metric_set_equal(&a, &b));
		ms_metric_set_add(&a, other);
		ms_metric_set_add(&b, metric);
		CHECK(ms_metric_set_equal(&a, &b));
	}
}

TEST(metric_set__lists)
{
	static const uint32_t metrics[] = { MS_METRIC_SET_MAX - 1, 63, 64, 0, 64 };
	struct ms_metric_set set = { 0 };

	ms_metric_set_add_all(&set, metrics, 0);
	CHECK_INT(ms_metric_set_count(&set), 0);
	ms_metric_set_add_all(&set, metrics, sizeof(metrics) / sizeof(metrics[0]));
	CHECK_INT(ms_metric_set_count(&set), 4);
	CHECK_INT(ms_metric_set_from(&set, 0), 0);
	CHECK_INT(ms_metric_set_from(&set, 1), 63);
	CHECK_INT(ms_metric_set_from(&set, 64), 64);
	CHECK_INT(ms_metric_set_from(&set, 65), MS_METRIC_SET_MAX - 1);
	CHECK_INT(ms_metric_set_from(&set, MS_METRIC_SET_MAX), MS_METRIC_SET_MAX);
}
