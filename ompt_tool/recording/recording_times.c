/* SPDX-License-Identifier: Apache-2.0 */
/* Sensor: times of natural loops and called functions. */
#include "ompt_tool/recording/recording_times.h"

#include <string.h>

#include "analysis/options/options.h"
#include "analysis/search/database.h"
#include "analysis/search/database_reading.h"
#include "ompt_tool/accesses/loop_times.h"
#include "ompt_tool/recording/first_execution.h"
#include "ompt_tool/regions/region_table.h"

static const enum ms_metric METRICS[] = { MS_METRIC_LOOP_TIME, MS_METRIC_LOOP_OWN_TIME,
					  MS_METRIC_LOOP_ENTRIES };
enum { NR_METRICS = sizeof(METRICS) / sizeof(METRICS[0]) };

static bool is_wanted;    /* by the strategy */
static double allowed_ns; /* of the next requests */

static void configure(const struct sensor_setting *setting)
{
	const char *strategy = setting->options->strategy;

	is_wanted = strategy && !strncmp(strategy, "loop_aware", strlen("loop_aware"));
}

static bool begin_thread(struct thread *self)
{
	return !is_wanted || loop_times_begin_thread(self);
}

static bool is_asked_at_start(void)
{
	return false;
}

static void mark(struct database *db, uint32_t region, enum ms_missing why)
{
	for (int i = 0; i < NR_METRICS; i++)
		if (database_missing_why(db, region, METRICS[i]) == MS_PRESENT)
			database_missing(db, region, METRICS[i], why);
}

static void describe(struct database *db, bool repeats)
{
	if (!is_wanted)
		mark(db, MS_REGION_NONE, MS_MISSING_NO_LOOP_TIMES);
	else if (!repeats)
		mark(db, MS_REGION_NONE, MS_MISSING_NO_PHASE);
}

static void allow(const struct sensor_allowance *allowance)
{
	allowed_ns = allowance->ns;
}

/* Before accesses are requested, whose recording selects the clones. */
static void select(const uint32_t *metrics, size_t nr)
{
	(void)metrics;
	if (nr)
		first_execution_stop();
	loop_times_use(nr > 0, allowed_ns);
}

static bool price(double callback_ns, double *ns_out)
{
	*ns_out = callback_ns;
	return !loop_times_used_up();
}

static bool check(struct database *const *dbs, size_t nr, struct database *phase)
{
	uint32_t regions = phase && is_wanted ? (uint32_t)database_regions(phase) : 0;

	(void)dbs;
	(void)nr;
	for (uint32_t region = 0; region < regions; region++)
		if (loop_times_too_short(region))
			mark(phase, region, MS_MISSING_SHORT_LOOP);
	return false;
}

static void forget(void)
{
	loop_times_use(false, 0);
}

const struct sensor sensor_loop_time = {
	.id = MS_SENSOR_LOOPS,
	.probe = loop_times_probe,
	.select = select,
	.thread_begin = begin_thread,
	.thread_end = loop_times_end_thread,
	.region_begin = loop_times_region_begin,
	.region_end = loop_times_region_end,
	.session = {
		.is_measured_alone = true,
		.is_asked_at_start = is_asked_at_start,
		.configure = configure,
		.describe = describe,
		.allow = allow,
		.price = price,
		.check = check,
		.forget = forget,
	},
};
