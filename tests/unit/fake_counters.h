/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_FAKE_COUNTERS_H
#define MEMSEARCH_TESTS_UNIT_FAKE_COUNTERS_H

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/properties/event_tables.h"
#include "memsearch/sensor.h"
#include "ompt_tool/counters/counter_plan.h"
#include "ompt_tool/measurements/summary.h"
#include "ompt_tool/process/thread.h"
#include "tests/unit/test.h"

/*
 * A machine of event tables and events whose readings a test sets. An event's name is its number:
 * "7" is events[7]; names from "50" on are unknown. Each reading advances every event by its step.
 */
#define FAKE_EVENTS 50

struct counter_event {
	uint64_t value, step;
	bool refuses, forbidden;
	int opened; /* groups it is open in now */
};

struct counter_group {
	struct counter_event *events[COUNTERS_MAX];
	size_t nr;
	bool closed_by_program;
};
_Static_assert(sizeof(struct counter_group) <= COUNTER_GROUP_BYTES, "must fit");

static struct {
	struct counter_event events[FAKE_EVENTS];
	struct counter_table tables[4];
	size_t nr_tables, most_at_once; /* events that fit at once */
	/* lost: what running falls behind by at each reading */
	uint64_t enabled_ns, running_ns, step_ns, lost_step_ns;
	bool descriptors_are_gone, starts;
	int opens, closes, fits_asked, resolved;
	bool program_closed_them;
	enum ms_missing why; /* it does not start */
} fake;

static inline void fake_start(struct sensor_status *status)
{
	status->works = fake.starts;
	status->why = fake.starts ? MS_PRESENT : fake.why ? fake.why : MS_MISSING_NOT_PERMITTED;
	snprintf(status->text, sizeof(status->text), "%s",
		 fake.starts ? "" : "the fake back end is off");
}

static inline size_t fake_tables(struct counter_table *out, size_t room)
{
	CHECK_THAT(room, >=, fake.nr_tables);
	memcpy(out, fake.tables, fake.nr_tables * sizeof(*out));
	return fake.nr_tables;
}

static inline enum ms_status fake_resolve(const char *table, const char *name,
					  struct counter_event **event_out, char *why)
{
	unsigned int number;

	fake.resolved++;
	if (sscanf(name, "%u", &number) != 1 || number >= FAKE_EVENTS) {
		snprintf(why, 160, "%s has no event '%s'; did you mean '49'?",
			 table ? table : "this machine", name);
		return MS_ERR_NOT_FOUND;
	}
	*event_out = &fake.events[number];
	snprintf(why, 160, "event %u may not be opened", number);
	return fake.events[number].forbidden ? MS_ERR_PERMISSION : MS_OK;
}

static inline bool fake_fits(struct counter_event *const *events, size_t nr)
{
	(void)events;
	fake.fits_asked++;
	return nr <= fake.most_at_once;
}

static inline bool fake_open(struct counter_group *group, struct counter_event *const *events,
			     size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (events[i]->refuses || fake.descriptors_are_gone)
			return false;
	fake.opens++;
	group->nr = nr;
	for (size_t i = 0; i < nr; i++) {
		group->events[i] = events[i];
		events[i]->opened++;
	}
	return true;
}

static inline bool fake_read(struct counter_group *group, struct counter_reading *out)
{
	if (fake.program_closed_them)
		return false;
	for (size_t i = 0; i < group->nr; i++) {
		out->values[i] = group->events[i]->value;
		group->events[i]->value += group->events[i]->step;
	}
	out->enabled_ns = fake.enabled_ns;
	out->running_ns = fake.running_ns;
	fake.enabled_ns += fake.step_ns;
	fake.running_ns += fake.step_ns - fake.lost_step_ns;
	return true;
}

static inline void fake_close(struct counter_group *group)
{
	fake.closes++;
	for (size_t i = 0; i < group->nr; i++)
		group->events[i]->opened--;
	group->nr = 0;
}

static const struct counter_backend fake_backend = {
	.name = "fake",
	.start = fake_start,
	.tables = fake_tables,
	.resolve = fake_resolve,
	.fits = fake_fits,
	.open = fake_open,
	.read = fake_read,
	.close = fake_close,
};

/* Event tables "a", "b" and "perf": metrics as arrays of terms. */
#define FAKE_METRIC(metric, ...) \
	{ MS_METRIC_##metric, (const struct event_term[]){ __VA_ARGS__ }, \
	  sizeof((const struct event_term[]){ __VA_ARGS__ }) / sizeof(struct event_term), NULL }

struct fake_files {
	const struct event_table *tables;
	size_t nr;
};

static inline const struct event_table *fake_table(const void *ctx, const char *name)
{
	const struct fake_files *files = ctx;

	for (size_t i = 0; i < files->nr; i++)
		if (!strcmp(files->tables[i].names[0], name))
			return &files->tables[i];
	return NULL;
}

static inline struct thread *fake_thread(uint32_t index)
{
	struct thread *self = thread_new(false);

	CHECK(self && self->index == index);
	CHECK(sensor_counters.thread_begin(self));
	return self;
}

static inline void fake_enter(struct thread *self, uint32_t region)
{
	struct frame *frame = &self->frames[self->depth++];

	frame->region = region;
	sensor_counters.region_begin(self, frame);
}

static inline void fake_leave(struct thread *self)
{
	sensor_counters.region_end(self, &self->frames[--self->depth]);
}

struct fake_row {
	uint32_t region, metric;
	struct ms_stat stat;
};

/*
 * What one metric has in a region since the last time any was asked for, of up to 8 that are asked
 * for together.
 */
struct fake_rows {
	struct fake_row rows[8];
	size_t nr;
};

static inline void fake_pick(void *ctx, const struct ms_measurement *row)
{
	struct fake_rows *wanted = ctx;

	for (size_t i = 0; i < wanted->nr; i++)
		if (row->region == wanted->rows[i].region && row->metric == wanted->rows[i].metric)
			wanted->rows[i].stat = row->stat;
}

static inline struct ms_stat fake_value(struct thread *self, uint32_t region, uint32_t metric)
{
	struct fake_rows wanted = { { { region, metric, { 0 } } }, 1 };

	summary_fold(self->summary, self->index, fake_pick, &wanted);
	return wanted.rows[0].stat;
}

#endif
