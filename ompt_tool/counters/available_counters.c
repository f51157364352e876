/* SPDX-License-Identifier: Apache-2.0 */
/* Available counters: passed to the search at its begin, and checked after each execution. */
#include "ompt_tool/counters/available_counters.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/options/options.h"
#include "analysis/record/run.h"
#include "analysis/search/database.h"
#include "analysis/search/engine.h"
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
	const struct sensor *sensor; /* NULL: the sensor does not work */
	double at_once;              /* metrics; 0: as many as fit */
	struct known_set *known;
	size_t nr_known, room_known;
	/* checks until it is retried, and the interval after that */
	uint32_t wait[MS_METRICS], backoff[MS_METRICS];
};

static struct counting *counting; /* of the session */

static enum ms_missing missing_of(uint32_t metric, const char **text_out)
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

static bool row_add(const struct run_counter *row)
{
	struct run *run = counting->run;

	if (!ARENA_GROW(counting->arena, run->counters, run->nr_counters, run->room_counters))
		return false;
	run->counters[run->nr_counters++] = *row;
	return true;
}

/* Of a working sensor, all metrics except events that were not named. */
static bool rows_add(const char *events)
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
		row.why = missing_of(metric, &row.text);
		row.formula = counters_formula(metric);
		if (!row_add(&row))
			return false;
	}
	return true;
}

/* The user named these events, so the reason is reported for each of them. */
static bool rows_of_events(const char *events)
{
	for (uint32_t metric = MS_METRIC_EVENT_1; metric <= MS_METRIC_EVENT_8; metric++) {
		struct run_counter row = { .metric = metric,
					   .why = MS_MISSING_NOT_SUPPORTED,
					   .text = "the sensor 'counters' does not work" };

		row.event = nth_name(counting->arena, events, metric - MS_METRIC_EVENT_1);
		if (row.event && !row_add(&row))
			return false;
	}
	return true;
}

static bool add_rows(const char *events)
{
	counting->run->counting.backend = counting->sensor ? counters_backend() : NULL;
	counting->run->counting.table = counting->sensor ? counters_table() : NULL;
	return counting->sensor ? rows_add(events) : rows_of_events(events);
}

bool counting_begin(const struct sensor_record *to, const struct options *options, bool works)
{
	counting = arena_alloc(to->arena, sizeof(*counting));
	if (!counting)
		return false;
	counting->arena = to->arena;
	counting->run = to->run;
	counting->at_once = options->counters_at_once;
	counting->sensor = works ? sensors[MS_SENSOR_COUNTERS] : NULL;
	return add_rows(options->event);
}

/* A part of what fits does so, too; what has a part that does not, does not. */
static bool follows(const struct known_set *known, const struct ms_metric_set *metrics)
{
	struct ms_metric_set both = ms_metric_set_both(&known->metrics, metrics);

	return ms_metric_set_equal(&both, known->fits ? metrics : &known->metrics);
}

static bool fits(void *ctx, const uint32_t *metrics, size_t nr)
{
	struct known_set set = { .fits = false };

	(void)ctx;
	if (counting->at_once > 0 && (double)nr > fmax(counting->at_once, 1))
		return false;
	ms_metric_set_add_all(&set.metrics, metrics, nr);
	for (size_t i = 0; i < counting->nr_known; i++)
		if (follows(&counting->known[i], &set.metrics))
			return counting->known[i].fits;
	set.fits = counting->sensor->fits(metrics, nr);
	if (ARENA_GROW(counting->arena, counting->known, counting->nr_known, counting->room_known))
		counting->known[counting->nr_known++] = set;
	return set.fits;
}

void counting_configure_search(struct engine_config *config)
{
	if (!counting->sensor)
		return;
	config->fits = counting->sensor->fits ? fits : NULL;
	config->nr_extra = 0;
	for (size_t i = 0; i < counting->run->nr_counters; i++) {
		const struct run_counter *row = &counting->run->counters[i];

		if (row->event && row->why == MS_PRESENT)
			config->extra[config->nr_extra++] = row->metric;
	}
}

void counting_describe(struct database *db, bool repeats)
{
	const char *text;

	(void)repeats;
	for (uint32_t metric = 0; counting->sensor && metric < MS_METRICS; metric++)
		if (ms_metric_info(metric)->sensor == MS_SENSOR_COUNTERS)
			database_missing(db, MS_REGION_NONE, metric, missing_of(metric, &text));
}

/* ------------------------------------------------------------------ while the program runs */

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

static void wait_longer(uint32_t metric)
{
	uint32_t *backoff = &counting->backoff[metric];

	*backoff = !*backoff ? 1 : *backoff < WAIT_MAX ? *backoff * 2 : WAIT_MAX;
	counting->wait[metric] = *backoff;
}

/*
 * That a thread has no counters (MS_MISSING_NOT_PERMITTED) is not marked: it has no rows, and so no
 * values.
 */
static bool check_row(struct run_counter *row, struct database *const *dbs, size_t nr)
{
	const char *text;
	enum ms_missing why = missing_of(row->metric, &text);

	if (row->why == MS_PRESENT && (why == MS_MISSING_TAKEN || why == MS_MISSING_BROKEN)) {
		row->taken += why == MS_MISSING_TAKEN;
		wait_longer(row->metric);
		mark(row, why, text, dbs, nr);
		return true;
	}
	if (row->why == MS_MISSING_TAKEN && why == MS_PRESENT && !--counting->wait[row->metric]) {
		mark(row, MS_PRESENT, NULL, dbs, nr);
		return true;
	}
	return false;
}

/* Notes metrics that the search found to need more counters than the CPU has, even alone. */
static void note_room(struct run_counter *row, struct database *const *dbs, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (database_missing_why(dbs[i], MS_REGION_USER, row->metric) == MS_MISSING_NO_ROOM)
			row->why = MS_MISSING_NO_ROOM;
}

bool counting_check(struct database *const *dbs, size_t nr, struct database *phase)
{
	bool changed = false;

	(void)phase;
	for (size_t i = 0; counting->sensor && i < counting->run->nr_counters; i++) {
		changed |= check_row(&counting->run->counters[i], dbs, nr);
		if (counting->run->counters[i].why == MS_PRESENT)
			note_room(&counting->run->counters[i], dbs, nr);
	}
	return changed;
}

enum ms_status counting_harvest(const struct sensor_record *to, struct unwinder *unwinder,
				bool at_end)
{
	struct counters_use use = counters_use();

	(void)unwinder;
	(void)at_end;
	to->run->counting.sets = use.sets;
	to->run->counting.at_once = use.at_once;
	return MS_OK;
}
