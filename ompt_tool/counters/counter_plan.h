/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTERS_COUNTER_PLAN_H
#define MEMSEARCH_COUNTERS_COUNTER_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/measurement.h"
#include "memsearch/metric_set.h"
#include "ompt_tool/counters/counters.h"

/*
 * The events of each metric of MS_SENSOR_COUNTERS on this machine, determined once before threads
 * are created, and the sets of events that can be counted together. Not here: counting them
 * (counters.c). Initial thread only, except for the sets, which are constant once they are made.
 */
struct event_table;
struct sensor_status;

#define PLAN_FIRST MS_METRIC_CYCLES
#define PLAN_METRICS (MS_METRIC_EVENT_8 - MS_METRIC_CYCLES + 1)
#define PLAN_USER_EVENTS (MS_METRIC_EVENT_8 - MS_METRIC_EVENT_1 + 1)

struct counter_config {
	const struct counter_backend *const *backends; /* tried in this order */
	size_t nr;
	const char *none; /* reason to report if nr is 0 */
	/* NULL: none of that name */
	const struct event_table *(*table)(const void *ctx, const char *name);
	const void *ctx;
	/* names separated by commas, for EVENT_1 …; "" or NULL: none */
	const char *events;
};

struct counter_term {
	uint8_t slot; /* index of an event in the set */
	double factor;
};

struct counter_row {
	uint32_t metric;
	size_t nr;
	const struct counter_term *terms;
};

struct counter_set {
	struct counter_set *next;
	struct ms_metric_set metrics; /* metrics of the rows */
	size_t nr_events, nr_rows;
	struct counter_event *events[COUNTERS_MAX];
	const struct counter_row *rows;
	int8_t fits;   /* -1: not tried */
	bool selected; /* was selected at least once: set by counters.c, see counters_use */
};

/*
 * plan_keep_quiet: does not log why an event of the user is dropped, for callers that print the
 * reasons themselves. plan_configure: copies `config`; what it points to must be valid until
 * plan_start.
 */
void plan_keep_quiet(void);
void plan_configure(const struct counter_config *config);
/* Starts the first back end that works; finds, opens and calibrates the events of each metric. */
void plan_start(struct sensor_status *status);
/* NULL: none works. */
const struct counter_backend *plan_backend(void);
/*
 * Why a metric has no values; MS_PRESENT: it has. The text may also state a doubt about an
 * available metric.
 */
enum ms_missing plan_missing(uint32_t metric, const char **text_out);

/*
 * The set for these metrics, without unavailable ones. NULL: none is available, or they need too
 * many events.
 */
struct counter_set *plan_set(const uint32_t *metrics, size_t nr);
/*
 * Whether all of them are available and can be scheduled together. The first call for a set opens
 * it on the calling thread, after `release`, which must close what that thread has open.
 */
bool plan_fits(const uint32_t *metrics, size_t nr, void (*release)(void));

/*
 * Whether the difference of two readings of nr values is plausible. MS_PRESENT, MS_MISSING_TAKEN,
 * MS_MISSING_BROKEN.
 */
enum ms_missing plan_check(const struct counter_reading *before,
			   const struct counter_reading *after, size_t nr);
/* Value of a metric from the difference of two readings. */
double plan_value(const struct counter_row *row, const uint64_t *before, const uint64_t *after);

#endif
