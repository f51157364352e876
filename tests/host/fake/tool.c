/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clock, online part and rows for tests of the whole tool under the fake host. Included, not
 * linked: see tool.h.
 */
#include "tests/host/fake/tool.h"

#include <time.h>

#include "ompt_tool/events/events.h"
#include "ompt_tool/events/fold.h"
#include "ompt_tool/measurements/segment.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/recording/first_execution.h"
#include "ompt_tool/regions/region_table.h"
#include "ompt_tool/session/core.h"
#include "ompt_tool/session/core_parts.h"
#include "ompt_tool/session/online.h"

struct fake_online fake_online;

static uint64_t fake_now_ns, fake_tick_ns;

uint64_t thread_clock_ns(void)
{
	uint64_t fake = __atomic_load_n(&fake_now_ns, __ATOMIC_RELAXED);
	struct timespec now;

	if (fake)
		return fake_tick_ns
			       ? __atomic_add_fetch(&fake_now_ns, fake_tick_ns, __ATOMIC_RELAXED)
			       : fake;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void fake_time(uint64_t now_ns)
{
	__atomic_store_n(&fake_now_ns, now_ns, __ATOMIC_RELAXED);
}

void fake_tick(uint64_t ns)
{
	fake_tick_ns = ns;
}

void fake_pass(uint64_t ns)
{
	__atomic_fetch_add(&fake_now_ns, ns, __ATOMIC_RELAXED);
}

void fake_request(int on)
{
	struct ms_request requests[MS_METRICS];
	size_t nr = !on ? 0 : fake_online.metrics ? fake_online.nr_metrics : 1;

	for (size_t i = 0; i < nr; i++)
		requests[i] = (struct ms_request){
			.metric = fake_online.metrics ? fake_online.metrics[i] : MS_METRIC_TIME,
			.region = MS_REGION_USER,
			.thread = MS_REQUEST_ALL_THREADS,
			.flags = MS_REQUEST_SUBREGIONS,
			.kinds = fake_online.kinds,
		};
	segment_requests_set(core_segment(), requests, nr);
	events_request(segment_requests_apply(core_segment()), on);
}

bool online_start(const struct options *options, const char *runtime_version, uint64_t begin_ns)
{
	(void)options, (void)runtime_version, (void)begin_ns;
	if (fake_online.off)
		return true;
	fake_request(1);
	events_enable(true);
	return true;
}

static void online_event(struct thread *self, int level, uint32_t region, uint32_t path,
			 uint64_t now_ns)
{
	struct fake_call call = { level, region, now_ns };

	(void)self;
	if (fake_online.nr_calls < 256)
		fake_online.calls[fake_online.nr_calls] = call;
	fake_online.nr_calls++;
	if (fake_online.at_event)
		fake_online.at_event(&call);
}

static void online_control(struct thread *self, uint64_t command, uint64_t modifier,
			   uint64_t now_ns)
{
	(void)self, (void)now_ns;
	fake_online.nr_controls++;
	fake_online.last_command = command;
	fake_online.last_modifier = modifier;
}

static void online_spent(struct thread *self, uint64_t now_ns)
{
	(void)self, (void)now_ns;
}

const struct events_listener online_listener = {
	.event = online_event,
	.control = online_control,
	.clone_begins = first_execution_begins,
	.serial_begins = first_execution_ends,
	.spent = online_spent,
};

void online_finish(const char *cut_short)
{
	(void)cut_short;
	fake_online.nr_finishes++;
	events_close_serial(thread_clock_ns());
}

void online_forget(void)
{
	fake_online.nr_forgets++;
}

#define ROWS (1 << 18)

static struct ms_measurement rows[ROWS];
static size_t nr_rows;

static void keep(void *ctx, const struct ms_measurement *row)
{
	(void)ctx;
	for (size_t i = 0; i < nr_rows; i++) {
		if (rows[i].region == row->region && rows[i].thread == row->thread &&
		    rows[i].metric == row->metric) {
			ms_stat_merge(&rows[i].stat, &row->stat);
			return;
		}
	}
	if (nr_rows < ROWS)
		rows[nr_rows++] = *row;
}

void fake_fold(void)
{
	nr_rows = 0;
	events_fold(keep, NULL);
}

struct ms_stat fake_stat(uint32_t region, uint32_t thread, enum ms_metric metric)
{
	for (size_t i = 0; i < nr_rows; i++)
		if (rows[i].region == region && rows[i].thread == thread &&
		    rows[i].metric == metric)
			return rows[i].stat;
	return (struct ms_stat){ 0 };
}

uint32_t fake_region(enum ms_region_kind kind, uint64_t code, uint32_t parent)
{
	struct region_table *table = segment_regions(core_segment());

	for (uint32_t id = 0; id < region_table_count(table); id++) {
		const struct region *region = region_table_at(table, id);

		if (region->kind == kind && region->construct == code &&
		    (parent == UINT32_MAX || region->parent == parent))
			return id;
	}
	return MS_REGION_NONE;
}

static void add_dropped(void *ctx, const char *text, const char *why, uint64_t count)
{
	(void)text, (void)why;
	*(uint64_t *)ctx += count;
}

uint64_t fake_dropped(void)
{
	uint64_t dropped = 0;

	events_dropped(add_dropped, &dropped);
	return dropped;
}
