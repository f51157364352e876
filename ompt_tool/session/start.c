/* SPDX-License-Identifier: Apache-2.0 */
/* The start of a session: its parts, and the first stretch. */
#include "ompt_tool/session/online.h"

#include <string.h>
#include <unistd.h>

#include "analysis/base/arena.h"
#include "analysis/base/log.h"
#include "analysis/options/followed.h"
#include "analysis/search/carry.h"
#include "ompt_tool/arrays/heap_cost.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/measurements/segment.h"
#include "ompt_tool/placement/page_writes.h"
#include "ompt_tool/process/this_machine.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/session/agent_turns.h"
#include "ompt_tool/session/core_parts.h"
#include "ompt_tool/session/intervals.h"
#include "ompt_tool/session/inventory.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/placing.h"
#include "ompt_tool/session/restart.h"
#include "ompt_tool/session/run_record.h"
#include "ompt_tool/session/searches.h"
#include "ompt_tool/session/sensors.h"
#include "ompt_tool/session/trials.h"
#include "ompt_tool/session/varying.h"
#include "ompt_tool/session/watching.h"

/* part of the limit that sensors of continually created threads may use: 1/20 */
#define THREADS_PART 20
/* of the limit: above it hooks of allocations record less, so that the rest is left to the search */
#define HEAP_PART 0.5

static void say_properties(const struct property_set *set)
{
	for (size_t i = 0; i < set->nr_messages; i++)
		log_warning("%s", property_message_line(online.arena, &set->messages[i]));
}

static bool make_parts(void)
{
	struct database *const *dbs;
	size_t nr_dbs;

	online.detector = arena_alloc(online.arena, detector_bytes());
	followed_set(online.options.follow);
	online.inventory = inventory_new(online.arena);
	online.placing = placing_new(online.arena, &online.run);
	if (online.options.try_here)
		online.trials = trials_new(online.arena, &online.run, NULL);
	if (online.options.page_writes)
		online.writes = page_writes_new(online.arena, &online.run);
	inventory_watched(online.inventory, online.writes);
	if (sensors_begin(&online.sensor_record, &online.options) && online.inventory)
		online.experiment = experiment_new(online.arena, online.segment, &online.run,
						   online.inventory);
	online.carry = carry_new(online.arena);
	online.properties = core_properties();
	if (!online.detector || !online.placing || !online.experiment || !online.carry ||
	    !online.properties)
		return false;
	detector_init(online.detector);
	say_properties(online.properties);
	if (!searches_new() || !varying_start())
		return false;
	dbs = searches_databases(&nr_dbs);
	intervals_start(online.arena, dbs, nr_dbs, online.options.interval);
	return true;
}

/* Age of the process at `begin_ns`, in ns; 0: unknown. */
static uint64_t age_at(uint64_t begin_ns)
{
	uint64_t age_ns = machine_process_age_ns(), since_ns = thread_clock_ns() - begin_ns;

	return age_ns > since_ns ? age_ns - since_ns : 0;
}

bool online_start(const struct options *options, const char *runtimes, uint64_t begin_ns)
{
	uint64_t waited_ns;
	int choice;

	online.start_ns = online.stretch_ns = begin_ns;
	online.age_at_start_ns = age_at(begin_ns);
	online.pid = getpid();
	online.options = *options;
	online.segment = core_segment();
	online.arena = arena_new();
	if (!online.arena)
		return false;
	online.sensor_record = (struct sensor_record){ .arena = online.arena,
						       .run = &online.run,
						       .regions = segment_regions(online.segment) };
	run_record_begin(runtimes);
	if (!make_parts()) {
		log_warning("cannot set up the search; nothing will be measured");
		return false;
	}
	searches_begin();
	choice = restart_choose();
	online.record = run_record_open();
	restart_attached(online.record_path);
	restart_chosen(choice);
	run_record_keep_traces();
	/* threads that libgomp creates anew when their number varies have sensors, too */
	events_limit_threads(varying_is_on() ? -1 : options->overhead / THREADS_PART);
	heap_cost_limit(HEAP_PART * options->overhead);
	waited_ns = agent_turns_start();
	online.start_ns += waited_ns; /* of no one's time */
	/* nothing requested: no phases are needed either */
	events_enable(strcmp(options->measure, "none") != 0);
	watching_begin();
	online.start_cost_ns = thread_clock_ns() - online.start_ns;
	online.stretch_ns = thread_clock_ns();
	return true;
}
