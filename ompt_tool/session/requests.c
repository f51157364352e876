/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the metrics measured from now on: all, or those that the search requests. */
#include "analysis/search/database_reading.h"
#include "ompt_tool/session/requests.h"

#include <string.h>

#include "ompt_tool/process/run_modules.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/session/agent_turns.h"
#include "ompt_tool/session/inventory.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/run_record.h"
#include "ompt_tool/session/searches.h"
#include "ompt_tool/session/sensors.h"

/*
 * --measure none and time request less than everything; disabled sensors have no values; counters
 * are not spent on metrics without readers.
 */
static bool wanted(const struct search *search, uint32_t metric)
{
	enum ms_sensor_id sensor = ms_metric_info(metric)->sensor;
	const char *measure = online.options.measure;

	if (!strcmp(measure, "none") ||
	    (!strcmp(measure, "time") && sensor != MS_SENSOR_CLOCK && metric < MS_METRIC_EVENT_1))
		return false;
	if (!sensors_are_asked_at_start(sensor))
		return false;
	if (sensor == MS_SENSOR_COUNTERS && strcmp(measure, "all") &&
	    !engine_reads(search->engine, metric))
		return false;
	if ((online.without & WITHOUT_LOCKS) && ms_metric_is_of_locks(metric))
		return false;
	return !(online.without >> sensor & 1);
}

void requests_all(const struct search *search)
{
	const struct ms_request *requests;
	uint32_t metrics[MS_METRICS];
	size_t nr = 0;

	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (wanted(search, metric))
			metrics[nr++] = metric;
	nr = engine_requests_of(search->engine, metrics, nr, &requests, &online.others_wait);
	online.stretches = 0;
	database_requests(search->db, requests, nr);
	experiment_request(online.experiment, requests, nr);
}

void requests_faults(const struct search *search)
{
	const uint32_t metric = MS_METRIC_FAULT_SAMPLES;
	const struct ms_request *requests;
	bool waits;
	size_t nr = engine_requests_of(search->engine, &metric, 1, &requests, &waits);

	experiment_request(online.experiment, requests, nr);
}

void requests_take_turns(const struct search *search, uint64_t turn)
{
	if (online.others_wait && ++online.stretches >= turn)
		requests_all(search);
}

void requests_read_declarations(void)
{
	if (run_modules_update(&online.run, online.arena) != MS_OK)
		return;
	inventory_update(online.inventory, &online.run);
	online.read_midway = true;
}

void requests_apply(struct search *search)
{
	const struct ms_request *requests;
	size_t nr;

	online.everything = false;
	if (strcmp(online.options.measure, "search")) {
		requests_all(search);
		return;
	}
	nr = search == &online.phase && agent_turns_are_on()
		     ? agent_turns_requests(&requests)
		     : engine_requests(search->engine, &requests);
	database_requests(search->db, requests, nr);
	/* for values that are attributed during the measurement */
	if (sensors_need_arrays(requests, nr))
		requests_read_declarations();
	sensors_allow(requests, nr,
		      &(struct sensor_allowance){ .ns = engine_recording_balance_ns(search->engine),
						  .usual_ns = database_phase_ns(search->db),
						  .longest_ns = online.longest_ns });
	experiment_request(online.experiment, requests, nr);
}

bool requests_record(void)
{
	return agent_turns_are_on() ? experiment_is_alone(online.experiment)
				    : engine_records(online.phase.engine);
}

void requests_check_sensors(struct database *phase)
{
	size_t nr;
	struct database *const *dbs = searches_databases(&nr);

	online.others_wait |= sensors_check(dbs, nr, phase);
}

/* True: an experiment is over, or the requests in force are those of an agent that is gone. */
static bool end_execution(struct search *search, const struct engine_cost *cost)
{
	bool over;

	if (search != &online.phase)
		return engine_execution_done(search->engine, cost);
	if (agent_turns_execution(cost, &over))
		return over;
	over = engine_execution_done(search->engine, cost);
	return agent_turns_were_lost() || over;
}

/* Constructs that the search has found to cost too much to measure. */
static void drop_culprits(const struct search *search)
{
	uint32_t region;

	if (detector_needs_constructs(online.detector))
		return;
	while ((region = engine_culprit(search->engine)) != MS_REGION_NONE)
		database_drop(search->db, region);
}

void requests_search(struct search *search, const struct engine_cost *cost)
{
	uint64_t begin_ns = thread_clock_ns();

	online.stepped = end_execution(search, cost);
	if (!online.stepped) {
		online.look_ns = (double)(thread_clock_ns() - begin_ns);
		return;
	}
	if (search == &online.phase) {
		drop_culprits(search);
		requests_apply(search);
	}
	run_record_update(search);
}
