/* SPDX-License-Identifier: Apache-2.0 */
/* Measures stretches of the program while no phase is known, and disables sensors. */
#include "ompt_tool/session/watching.h"

#include <string.h>

#include "memsearch/sensor.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/process/thread_times.h"
#include "ompt_tool/session/cost.h"
#include "ompt_tool/session/intervals.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/placing.h"
#include "ompt_tool/session/requests.h"
#include "ompt_tool/session/sensors.h"

/*
 * While no phase is known, the search evaluates and writes the record at this interval: results
 * survive kill -9.
 */
#define CHECKPOINT_NS 1000000000ull
/*
 * With many regions and threads checkpoints and updates of the record take long; their distance is
 * at least this many times their cost.
 */
#define COSTS_PER_STEP 100
/* minimum duration of a stretch before its cost is judged */
#define STRETCH_NS 10000000ull

/* Called repeatedly, for modules loaded by dlopen. */
static void watch_first_executions(void)
{
	if (!online.options.no_bursts && !strcmp(online.options.measure, "search"))
		sensors_watch(online.without, online.options.overhead,
			      online.read_midway ? NULL : requests_read_declarations);
}

void watching_begin(void)
{
	online.state = ONLINE_WATCHING;
	watch_first_executions();
	if (sensors_need_arrays_at_start())
		requests_read_declarations();
	requests_all(&online.whole);
}

#define DEAREST \
	(1u << MS_SENSOR_FAULTS | 1u << MS_SENSOR_SAMPLES | 1u << MS_SENSOR_ADDRESSES | \
	 WITHOUT_LOCKS)
/*
 * Sensors that watching disables, the most expensive first, when it exceeds the limit; at last all
 * of them for a while.
 */
static const uint32_t GIVEN_UP[] = {
	0,
	DEAREST,
	DEAREST | 1u << MS_SENSOR_RUSAGE | 1u << MS_SENSOR_COUNTERS,
	UINT32_MAX,
};
#define OFF (sizeof(GIVEN_UP) / sizeof(*GIVEN_UP) - 1)

static void watch_at(unsigned int step)
{
	online.step = step;
	online.without = GIVEN_UP[step];
	online.run.cost.limit_bound |= step > 0;
	watching_begin();
}

void watching_checkpoint(uint64_t now_ns)
{
	uint64_t begin_ns = thread_clock_ns();
	struct engine_cost cost;

	intervals_end(online.stretch_ns, now_ns);
	experiment_stretch(online.experiment, online.whole.db, (double)(now_ns - online.stretch_ns),
			   &cost);
	engine_charge(online.whole.engine, experiment_heap_ns(online.experiment));
	requests_check_sensors(NULL);
	placing_boundary(online.placing, ++online.checkpoints, online.read_midway,
			 cost_placing_ns());
	requests_search(&online.whole, &cost);
	online.checkpoint_cost_ns = thread_clock_ns() - begin_ns;
}

/*
 * The current stretch costs the initial thread more than the limit, and is long enough to judge.
 * Bursts of accesses have a budget of their own (recording/first_execution.h).
 */
static bool over_limit(const struct thread *self, uint64_t now_ns)
{
	double wall_ns = (double)(now_ns - online.stretch_ns);
	uint64_t cost_ns = self->cost_ns - online.stretch_cost_ns,
		 recording_ns = self->timed_ns - online.stretch_timed_ns;

	return online.step < OFF && now_ns - online.stretch_ns > STRETCH_NS &&
	       cost_ns > recording_ns &&
	       (double)(cost_ns - recording_ns) > online.options.overhead * wall_ns;
}

/*
 * All sensors were disabled for long enough that the total cost is within the limit again: without the
 * cost of allocations, which no sensor changes.
 */
static bool affordable(const struct thread *self, uint64_t now_ns)
{
	return online.step == OFF &&
	       (double)thread_tool_ns(self) - (double)self->timed_ns - (double)self->heap_ns <
		       online.options.overhead / 2 * (double)(now_ns - online.start_ns);
}

bool watching_must_change(const struct thread *self, uint64_t now_ns)
{
	return online.state == ONLINE_WATCHING &&
	       (now_ns - online.stretch_ns >
			CHECKPOINT_NS + COSTS_PER_STEP * online.checkpoint_cost_ns ||
		over_limit(self, now_ns) || affordable(self, now_ns));
}

bool watching_may_part(uint64_t now_ns)
{
	return online.state == ONLINE_WATCHING &&
	       now_ns - online.stretch_ns > STRETCH_NS + COSTS_PER_STEP * online.checkpoint_cost_ns;
}

void watching_continue(const struct thread *self, uint64_t now_ns)
{
	unsigned int step = online.step;

	if (over_limit(self, now_ns))
		step++;
	else if (affordable(self, now_ns))
		step--;
	watching_checkpoint(now_ns);
	if (step != online.step) {
		watch_at(step);
		return;
	}
	watch_first_executions();
	requests_take_turns(&online.whole, 1);
}
