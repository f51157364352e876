/* SPDX-License-Identifier: Apache-2.0 */
/* Sensor: hardware events of a thread in a region, one set of events at a time. */
#define _GNU_SOURCE
#include "ompt_tool/counters/counters.h"

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "analysis/options/options.h"
#include "analysis/properties/event_tables.h"
#include "memsearch/sensor.h"
#include "ompt_tool/counters/counter_plan.h"
#include "ompt_tool/counters/available_counters.h"
#include "ompt_tool/measurements/summary.h"
#include "ompt_tool/process/thread.h"

/* how often the events of a thread are reopened after the program closed their descriptors */
#define LOSSES_MAX 16

/* Reasons why a region that requests counters has no values; each is counted. */
enum trouble { TROUBLE_BROKEN, TROUBLE_TAKEN, TROUBLE_LOST, TROUBLE_REFUSED, TROUBLES };

static const struct {
	enum ms_missing missing;
	const char *text;
} troubles[TROUBLES] = {
	[TROUBLE_REFUSED] = { MS_MISSING_NOT_PERMITTED,
			      "the events could not be opened on a thread (no file descriptors left?)" },
	[TROUBLE_LOST] = { MS_MISSING_TAKEN, "the program closed file descriptors of memsearch" },
	[TROUBLE_TAKEN] = { MS_MISSING_TAKEN,
			    "the CPU's counters were taken by the kernel or another program" },
	[TROUBLE_BROKEN] = { MS_MISSING_BROKEN,
			     "values went backwards, or leapt further than a CPU can count" },
};

/* One thread's data, in memory that is zeroed in a forked child. */
struct counters {
	bool alive; /* false in a fork's child, and after the thread's end */
	bool open;
	/*
	 * number of the last opening; a frame stores it to detect that its begin values are of an
	 * earlier one
	 */
	uint32_t opening;
	uint32_t losses;
	int os_id;
	const struct counter_set *set; /* open, or found impossible to open */
	uint64_t troubles[TROUBLES];   /* atomic stores by the owner */
	_Alignas(16) unsigned char group[COUNTER_GROUP_BYTES];
};

/* What a frame remembers: the values, and these. */
enum counters_state { STATE_ENABLED = COUNTERS_MAX, STATE_RUNNING, STATE_OPENING, STATE_WORDS };
_Static_assert(STATE_WORDS <= sizeof(((struct frame *)0)->sensor_state[0]) / sizeof(uint64_t),
	       "values must fit a frame");

/* atomic; counted from the next region on. NULL: nothing */
static const struct counter_set *selected;
static uint64_t troubles_before[TROUBLES]; /* of all threads, when it was selected */
static struct counters *initial;           /* the initial thread's */

static struct counters *counters_of(const struct thread *thread)
{
	return thread->sensor[MS_SENSOR_COUNTERS];
}

static struct counter_group *group_of(struct counters *counters)
{
	return (struct counter_group *)counters->group;
}

static void count_trouble(struct counters *counters, enum trouble trouble)
{
	__atomic_store_n(&counters->troubles[trouble], counters->troubles[trouble] + 1,
			 __ATOMIC_RELAXED);
}

static void close_set(struct counters *counters)
{
	if (counters->open)
		plan_backend()->close(group_of(counters));
	counters->open = false;
}

static bool take_reading(struct counters *counters, struct counter_reading *out)
{
	if (plan_backend()->read(group_of(counters), out))
		return true;
	close_set(counters);
	count_trouble(counters, TROUBLE_LOST);
	if (counters->losses++ < LOSSES_MAX)
		counters->set = NULL; /* try again at the next region */
	return false;
}

/* Closes the old one first: only one set at a time holds counters and descriptors. */
static void change_set(struct thread *self, struct counters *counters,
		       const struct counter_set *set)
{
	close_set(counters);
	counters->set = set;
	if (!set)
		return;
	counters->opening++;
	counters->open = plan_backend()->open(group_of(counters), set->events, set->nr_events);
	if (!counters->open && !counters->troubles[TROUBLE_REFUSED])
		thread_drop(self, THREAD_DROP_COUNTERS);
}

/*
 * Releases counters that are no longer requested, for other programs. The selected set is opened at
 * the next region that requests it.
 */
static void follow(struct thread *self)
{
	struct counters *counters = counters_of(self);

	if (counters && counters->alive &&
	    counters->set != __atomic_load_n(&selected, __ATOMIC_ACQUIRE))
		change_set(self, counters, NULL);
}

static void region_begin(struct thread *self, struct frame *frame)
{
	struct counters *counters = counters_of(self);
	const struct counter_set *set = __atomic_load_n(&selected, __ATOMIC_ACQUIRE);
	uint64_t *state = frame->sensor_state[MS_SENSOR_COUNTERS];
	struct counter_reading now;

	state[STATE_OPENING] = 0;
	if (!counters || !counters->alive)
		return;
	if (counters->set != set)
		change_set(self, counters, set);
	if (set && !counters->open)
		count_trouble(counters, TROUBLE_REFUSED);
	if (!counters->open || !take_reading(counters, &now))
		return;
	memcpy(state, now.values, sizeof(now.values));
	state[STATE_ENABLED] = now.enabled_ns;
	state[STATE_RUNNING] = now.running_ns;
	state[STATE_OPENING] = counters->opening;
}

static void add_values(struct thread *self, uint32_t region, const struct counter_set *set,
		       const uint64_t *before, const uint64_t *after)
{
	for (size_t i = 0; i < set->nr_rows; i++)
		summary_add(self->summary, region, set->rows[i].metric,
			    plan_value(&set->rows[i], before, after));
}

/* A region that began before the set changed has no values in either. */
static void region_end(struct thread *self, struct frame *frame)
{
	struct counters *counters = counters_of(self);
	const uint64_t *state = frame->sensor_state[MS_SENSOR_COUNTERS];
	struct counter_reading before, after;
	enum ms_missing missing;

	if (!counters || !counters->alive || !counters->open ||
	    state[STATE_OPENING] != counters->opening || !take_reading(counters, &after))
		return;
	memcpy(before.values, state, sizeof(before.values));
	before.enabled_ns = state[STATE_ENABLED];
	before.running_ns = state[STATE_RUNNING];
	missing = plan_check(&before, &after, counters->set->nr_events);
	if (missing == MS_PRESENT)
		add_values(self, frame->region, counters->set, before.values, after.values);
	else
		count_trouble(counters,
			      missing == MS_MISSING_TAKEN ? TROUBLE_TAKEN : TROUBLE_BROKEN);
}

/* ----------------------------------------------------------------- threads */

/*
 * Opens nothing: that happens at the first region that requests counters. A reused thread slot
 * keeps its memory and its counts.
 */
static bool begin_thread(struct thread *self)
{
	struct counters *counters = counters_of(self) ? counters_of(self)
						      : thread_memory(sizeof(*counters));

	if (!counters)
		return false;
	if (plan_backend()->thread_begin && !plan_backend()->thread_begin())
		return false;
	counters->open = false;
	counters->set = NULL;
	counters->losses = 0;
	counters->os_id = (int)syscall(SYS_gettid);
	counters->alive = true;
	if (self->index == 0)
		initial = counters;
	__atomic_store_n(&self->sensor[MS_SENSOR_COUNTERS], counters, __ATOMIC_RELEASE);
	return true;
}

static void end_thread(struct thread *self)
{
	struct counters *counters = counters_of(self);

	if (!counters || !counters->alive)
		return;
	close_set(counters);
	counters->alive = false;
	if (plan_backend()->thread_end)
		plan_backend()->thread_end();
}

/* --------------------------------------------------------------- selection */

static uint64_t count_troubles(enum trouble trouble)
{
	uint64_t sum = 0;

	for (const struct thread *thread = thread_next(NULL); thread;
	     thread = thread_next(thread)) {
		const struct counters *counters = __atomic_load_n(
			&thread->sensor[MS_SENSOR_COUNTERS], __ATOMIC_ACQUIRE);

		sum += counters ? __atomic_load_n(&counters->troubles[trouble], __ATOMIC_RELAXED)
				: 0;
	}
	return sum;
}

static void select_metrics(const uint32_t *metrics, size_t nr)
{
	struct counter_set *set = plan_backend() ? plan_set(metrics, nr) : NULL;

	for (int i = 0; i < TROUBLES; i++)
		troubles_before[i] = count_troubles(i);
	if (set)
		set->selected = true;
	__atomic_store_n(&selected, set, __ATOMIC_RELEASE);
}

/*
 * The calling thread's own set would hold counters that others may need that are tried; it is
 * opened again at the next region.
 */
static void release_own(void)
{
	if (initial && initial->alive && initial->os_id == (int)syscall(SYS_gettid)) {
		close_set(initial);
		initial->set = NULL;
	}
}

static bool fits(const uint32_t *metrics, size_t nr)
{
	return plan_backend() && plan_fits(metrics, nr, release_own);
}

static enum ms_missing missing(uint32_t metric, const char **text_out)
{
	const struct counter_set *set = __atomic_load_n(&selected, __ATOMIC_ACQUIRE);
	enum ms_missing planned = plan_missing(metric, text_out);

	if (planned != MS_PRESENT || !set || !ms_metric_set_has(&set->metrics, metric))
		return planned;
	for (int i = 0; i < TROUBLES; i++) {
		if (count_troubles(i) == troubles_before[i])
			continue;
		*text_out = troubles[i].text;
		return troubles[i].missing;
	}
	return MS_PRESENT;
}

/* ------------------------------------------------------------ configuration */

static const struct counter_backend *const backends[] = { &counter_backend_perf,
							  &counter_backend_papi };

#define NR_BACKENDS (sizeof(backends) / sizeof(backends[0]))

static const struct event_table *table_of(const void *ctx, const char *name)
{
	return property_set_events(ctx, name);
}

/*
 * --counters: "auto", "perf", "papi" or "none"; --event: names separated by commas, for EVENT_1 ….
 */
static void configure(const struct sensor_setting *setting)
{
	const char *backend = setting->options->counters;
	struct counter_config config = { .table = table_of,
					 .ctx = setting->properties,
					 .events = setting->options->event };

	config.none = strcmp(backend, "none")
			      ? "the back end --counters names is left out of this build"
			      : "switched off (--counters none)";
	if (!strcmp(backend, "auto")) {
		config.backends = backends;
		config.nr = NR_BACKENDS;
	}
	for (size_t i = 0; i < NR_BACKENDS; i++)
		if (!strcmp(backend, backends[i]->name)) {
			config.backends = &backends[i];
			config.nr = 1;
		}
	plan_configure(&config);
}

static void probe_metric(enum ms_metric metric, struct sensor_status *status)
{
	const char *text;

	status->why = plan_missing(metric, &text);
	status->works = status->why == MS_PRESENT;
	snprintf(status->text, sizeof(status->text), "%s", text);
}

const struct sensor sensor_counters = {
	.id = MS_SENSOR_COUNTERS,
	.descriptors = COUNTERS_MAX,
	.probe = plan_start,
	.probe_metric = probe_metric,
	.thread_begin = begin_thread,
	.thread_end = end_thread,
	.fits = fits,
	.select = select_metrics,
	.missing = missing,
	.follow = follow,
	.region_begin = region_begin,
	.region_end = region_end,
	.session = {
		.configure = configure,
		.begin = counting_begin,
		.describe = counting_describe,
		.configure_search = counting_configure_search,
		.check = counting_check,
		.harvest = counting_harvest,
	},
};
