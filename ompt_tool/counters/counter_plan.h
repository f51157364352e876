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
 * Which events stand behind each metric of MS_SENSOR_COUNTERS on this machine, made once before
 * threads, and the sets of them that can be counted together. Not here: who counts them
 * (counters.c). Initial thread only, but for the sets, which are constant once they are made.
 */
struct event_table;
struct sensor_status;

#define PLAN_FIRST MS_METRIC_CYCLES
#define PLAN_METRICS (MS_METRIC_EVENT_8 - MS_METRIC_CYCLES + 1)
#define PLAN_USER_EVENTS (MS_METRIC_EVENT_8 - MS_METRIC_EVENT_1 + 1)

struct counter_config {
	const struct counter_backend *const *backends; /* tried in this order */
	size_t nr;
	const char *none; /* said where nr is 0 */
	/* NULL: none of that name */
	const struct event_table *(*table)(const void *ctx, const char *name);
	const void *ctx;
	/* names separated by commas, for EVENT_1 …; "" or NULL: none */
	const char *events;
};

struct counter_term {
	uint8_t slot; /* which event of the set */
	double factor;
};

struct counter_row {
	uint32_t metric;
	size_t nr;
	const struct counter_term *terms;
};

struct counter_set {
	struct counter_set *next;
	struct ms_metric_set metrics; /* that the rows are of */
	size_t nr_events, nr_rows;
	struct counter_event *events[COUNTERS_MAX];
	const struct counter_row *rows;
	int8_t fits;   /* -1: not tried */
	bool selected; /* once, at least: set by counters.c, see counters_use */
};

/* Keeps `config` (not what it points to, until plan_start). */
/* Does not log why a user's event is left out: for callers that print the reasons as rows. */
void plan_keep_quiet(void);
void plan_configure(const struct counter_config *config);
/* Starts the first back end that works and finds, opens and calibrates what each metric needs. */
void plan_start(struct sensor_status *status);
/* NULL: none works. */
const struct counter_backend *plan_backend(void);
/* The text may also say what is doubtful about a metric that can be had. */
enum ms_missing plan_missing(uint32_t metric, const char **text_out);

/*
 * The set for these metrics; those that cannot be had are left out. NULL: none is left, or they
 * need too many events.
 */
struct counter_set *plan_set(const uint32_t *metrics, size_t nr);
/*
 * Whether all of them can be had, at once; opens them on the calling thread the first time it is
 * asked.
 */
bool plan_fits(const uint32_t *metrics, size_t nr);

/*
 * Whether a reading can be true; the difference of two, of which nr values count. MS_PRESENT,
 * MS_MISSING_TAKEN, MS_MISSING_BROKEN.
 */
enum ms_missing plan_check(const struct counter_reading *before,
			   const struct counter_reading *after, size_t nr);
/* A metric from the difference of two readings. */
double plan_value(const struct counter_row *row, const uint64_t *before, const uint64_t *after);

#endif
