/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_METRIC_SET_H
#define MEMSEARCH_METRIC_SET_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "memsearch/metric.h"

/*
 * A set of measured metrics, as a value: all zero is the empty set, and `=` copies. Metrics up to
 * MS_METRIC_SET_MAX fit, including those above MS_METRICS that a later version has written. Any
 * thread, without locks. Callbacks do not use it: they test the bit of the sensor.
 */
#define MS_METRIC_SET_WORDS 3
#define MS_METRIC_SET_MAX (64u * MS_METRIC_SET_WORDS)
static_assert(MS_METRICS <= MS_METRIC_SET_MAX, "a bit for each metric: there must be more words");

struct ms_metric_set {
	uint64_t words[MS_METRIC_SET_WORDS]; /* metric m: bit m % 64 of words[m / 64] */
};

static inline void ms_metric_set_add(struct ms_metric_set *set, uint32_t metric)
{
	set->words[metric / 64] |= (uint64_t)1 << metric % 64;
}

static inline void ms_metric_set_add_all(struct ms_metric_set *set, const uint32_t *metrics,
					 size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		ms_metric_set_add(set, metrics[i]);
}

static inline int ms_metric_set_has(const struct ms_metric_set *set, uint32_t metric)
{
	return set->words[metric / 64] >> metric % 64 & 1;
}

static inline int ms_metric_set_equal(const struct ms_metric_set *a, const struct ms_metric_set *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* The intersection. */
static inline struct ms_metric_set ms_metric_set_both(const struct ms_metric_set *a,
						      const struct ms_metric_set *b)
{
	struct ms_metric_set both;

	for (size_t i = 0; i < MS_METRIC_SET_WORDS; i++)
		both.words[i] = a->words[i] & b->words[i];
	return both;
}

/* Number of metrics. */
static inline uint32_t ms_metric_set_count(const struct ms_metric_set *set)
{
	uint32_t nr = 0;

	for (size_t i = 0; i < MS_METRIC_SET_WORDS; i++)
		nr += (uint32_t)__builtin_popcountll(set->words[i]);
	return nr;
}

/* The first metric of the set that is not below `metric`; MS_METRIC_SET_MAX: there is none. */
static inline uint32_t ms_metric_set_from(const struct ms_metric_set *set, uint32_t metric)
{
	for (; metric < MS_METRIC_SET_MAX; metric = (metric | 63) + 1) {
		uint64_t rest = set->words[metric / 64] >> metric % 64;

		if (rest)
			return metric + (uint32_t)__builtin_ctzll(rest);
	}
	return MS_METRIC_SET_MAX;
}

/* for (each metric of *set, ascending) … */
#define MS_METRIC_SET_EACH(metric, set) \
	for (uint32_t metric = ms_metric_set_from(set, 0); metric < MS_METRIC_SET_MAX; \
	     metric = ms_metric_set_from(set, metric + 1))

#endif
