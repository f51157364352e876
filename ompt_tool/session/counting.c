/* SPDX-License-Identifier: Apache-2.0 */
/* Available counters: passed to the search at its begin, and checked after each execution. */
#include "ompt_tool/session/counting.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/record/run.h"
#include "memsearch/metric_set.h"
#include "memsearch/sensor.h"
#include "ompt_tool/counters/counters.h"

#define WAIT_MAX 1024 /* checks between two attempts to get taken counters back */

struct known_set {
	struct ms_metric_set metrics;
	bool fits;
};

struct counting {
	struct arena *arena;
	struct run *run;
	const struct sensor *sensor; /* NULL: it does not work */
	double at_once;              /* metrics; 0: as many as fit */
	struct known_set *known;
	size_t nr_known, room_known;
	struct ms_metric_set *sets;
	size_t nr_sets, room_sets; /* that were selected */
	/* checks until it is tried again, and the next time */
	uint32_t wait[MS_METRICS], backoff[MS_METRICS];
};

static enum ms_missing missing_of(const struct counting *counting, uint32_t metric,
				  const char **text_out)
{
	*text_out = NULL;
	return counting->sensor->missing ? counting->sensor->missing(metric, text_out) : MS_PRESENT;
}

/* ------------------------------------------------------------------ at the start */

/* The n-th of the names separated by commas; NULL: there are fewer. */
static const char *nth_name(struct arena *arena, const char *names, uint32_t n)
{
	for (; n && names; n--) {
		names = strchr(names, ',');
		names = names ? names + 1 : NULL;
	}
	return names && *names ? arena_strndup(arena, names, strcspn(names, ",")) : NULL;
}

static bool is_event(uint32_t metric)
{
	return metric >= MS_METRIC_EVENT_1 && metric <= MS_METRIC_EVENT_8;
}

static bool row_add(struct counting *counting, const struct run_counter *row)
{
	struct run *run = counting->run;

	if (!ARENA_GROW(counting->arena, run->counters, run->nr_counters, run->room_counters))
		return false;
	run->counters[run->nr_counters++] = *row;
	return true;
}

/* Of a working sensor, all metrics except events that were not named. */
static bool rows_add(struct counting *counting, const char *events)
{
	for (uint32_t metric = 0; metric < MS_METRICS; metric++) {
		struct run_counter row = { .metric = metric };

		if (ms_metric_info(metric)->sensor != MS_SENSOR_COUNTERS)
			continue;
		row.event = is_event(metric)
				    ? nth_name(counting->arena, events, metric - MS_METRIC_EVENT_1)
				    : NULL;
		if (is_event(metric) && !row.event)
			continue;
		row.why = missing_of(counting, metric, &row.text);
		row.formula = counters_formula(metric);
		if (!row_add(counting, &row))
			return false;
	}
	return true;
}

/* The user asked for these, so it is said of each that it was not counted. */
static bool rows_of_events(struct counting *counting, const char *events)
{
	for (uint32_t metric = MS_METRIC_EVENT_1; metric <= MS_METRIC_EVENT_8; metric++) {
		struct run_counter row = { .metric = metric,
					   .why = MS_MISSING_NOT_SUPPORTED,
					   .text = "the sensor 'counters' does not work" };

		row.event = nth_name(counting->arena, events, metric - MS_METRIC_EVENT_1);
		if (row.event && !row_add(counting, &row))
			return false;
	}
	return true;
}

struct counting *counting_new(struct arena *arena, struct run *run, const char *events,
			      double at_once)
{
	struct counting *counting = arena_alloc(arena, sizeof(*counting));
	bool works = sensors[MS_SENSOR_COUNTERS] && sensor_works(MS_SENSOR_COUNTERS);

	if (!counting)
		return NULL;
	counting->arena = arena;
	counting->run = run;
	counting->at_once = at_once;
	counting->sensor = works ? sensors[MS_SENSOR_COUNTERS] : NULL;
	if (!works)
		return rows_of_events(counting, events) ? counting : NULL;
	run->counting.backend = counters_backend();
	run->counting.table = counters_table();
	return rows_add(counting, events) ? counting : NULL;
}

static bool fits(void *ctx, const uint32_t *metrics, size_t nr)
{
	struct counting *counting = ctx;
	struct known_set set = { .fits = false };

	if (counting->at_once > 0 && (double)nr > fmax(counting->at_once, 1))
		return false;
	ms_metric_set_add_all(&set.metrics, metrics, nr);
	for (size_t i = 0; i < counting->nr_known; i++)
		if (ms_metric_set_equal(&counting->known[i].metrics, &set.metrics))
			return counting->known[i].fits;
	set.fits = counting->sensor->fits(metrics, nr);
	if (ARENA_GROW(counting->arena, counting->known, counting->nr_known, counting->room_known))
		counting->known[counting->nr_known++] = set;
	return set.fits;
}

void counting_configure(struct counting *counting, struct engine_config *config)
{
	if (!counting->sensor)
		return;
	config->fits = counting->sensor->fits ? fits : NULL;
	config->fits_ctx = counting;
	config->nr_extra = 0;
	for (size_t i = 0; i < counting->run->nr_counters; i++) {
		const struct run_counter *row = &counting->run->counters[i];

		if (row->event && row->why == MS_PRESENT)
			config->extra[config->nr_extra++] = row->metric;
	}
}

void counting_mark(const struct counting *counting, struct database *db)
{
	const char *text;

	for (uint32_t metric = 0; counting->sensor && metric < MS_METRICS; metric++)
		if (ms_metric_info(metric)->sensor == MS_SENSOR_COUNTERS)
			database_missing(db, MS_REGION_NONE, metric,
					 missing_of(counting, metric, &text));
}

/* ------------------------------------------------------------------ while the program runs */

static void note_set(struct counting *counting, const struct ms_metric_set *metrics)
{
	struct run_counting *how = &counting->run->counting;
	uint32_t nr = ms_metric_set_count(metrics);

	how->at_once = nr > how->at_once ? nr : how->at_once;
	for (size_t i = 0; i < counting->nr_sets; i++)
		if (ms_metric_set_equal(&counting->sets[i], metrics))
			return;
	if (ARENA_GROW(counting->arena, counting->sets, counting->nr_sets, counting->room_sets))
		counting->sets[counting->nr_sets++] = *metrics;
	how->sets = counting->nr_sets;
}

void counting_select(struct counting *counting, const struct ms_request *requests, size_t nr)
{
	uint32_t metrics[MS_METRICS];
	struct ms_metric_set selected = { 0 };
	size_t nr_metrics = 0;

	for (size_t i = 0; i < nr; i++)
		if (ms_metric_info(requests[i].metric)->sensor == MS_SENSOR_COUNTERS)
			ms_metric_set_add(&selected, requests[i].metric);
	MS_METRIC_SET_EACH(metric, &selected)
	metrics[nr_metrics++] = metric;
	if (nr_metrics)
		note_set(counting, &selected);
	if (counting->sensor && counting->sensor->select)
		counting->sensor->select(metrics, nr_metrics);
}

static void mark(struct run_counter *row, enum ms_missing why, const char *text,
		 struct database *const *dbs, size_t nr)
{
	row->why = why;
	row->text = text;
	for (size_t i = 0; i < nr; i++) {
		database_missing(dbs[i], MS_REGION_NONE, row->metric, why);
		database_forget(dbs[i], row->metric);
	}
}

static void wait_longer(struct counting *counting, uint32_t metric)
{
	uint32_t *backoff = &counting->backoff[metric];

	*backoff = !*backoff ? 1 : *backoff < WAIT_MAX ? *backoff * 2 : WAIT_MAX;
	counting->wait[metric] = *backoff;
}

/*
 * That a thread has no counters (MS_MISSING_NOT_PERMITTED) is not marked: it has no rows, and so no
 * values.
 */
static bool check_row(struct counting *counting, struct run_counter *row,
		      struct database *const *dbs, size_t nr)
{
	const char *text;
	enum ms_missing why = missing_of(counting, row->metric, &text);

	if (row->why == MS_PRESENT && (why == MS_MISSING_TAKEN || why == MS_MISSING_BROKEN)) {
		row->taken += why == MS_MISSING_TAKEN;
		wait_longer(counting, row->metric);
		mark(row, why, text, dbs, nr);
		return true;
	}
	if (row->why == MS_MISSING_TAKEN && why == MS_PRESENT && !--counting->wait[row->metric]) {
		mark(row, MS_PRESENT, NULL, dbs, nr);
		return true;
	}
	return false;
}

/* What the search found to have no room even alone. */
static void note_room(struct run_counter *row, struct database *const *dbs, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (database_missing_why(dbs[i], MS_REGION_USER, row->metric) == MS_MISSING_NO_ROOM)
			row->why = MS_MISSING_NO_ROOM;
}

bool counting_check(struct counting *counting, struct database *const *dbs, size_t nr)
{
	bool changed = false;

	for (size_t i = 0; counting->sensor && i < counting->run->nr_counters; i++) {
		changed |= check_row(counting, &counting->run->counters[i], dbs, nr);
		if (counting->run->counters[i].why == MS_PRESENT)
			note_room(&counting->run->counters[i], dbs, nr);
	}
	return changed;
}
