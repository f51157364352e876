/* SPDX-License-Identifier: Apache-2.0 */
/* Ends the searches of the phases and of the whole program, and selects the one for the report. */
#include "ompt_tool/session/searches.h"

#include "analysis/search/carry.h"
#include "analysis/search/database_intervals.h"
#include "analysis/search/database_reading.h"
#include "analysis/search/engine_results.h"
#include "ompt_tool/session/agent_turns.h"
#include "ompt_tool/session/intervals.h"
#include "ompt_tool/session/kept_phases.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/requests.h"
#include "ompt_tool/session/resting.h"

/*
 * Extrapolates a row as if it had been measured all the time, not only until it exceeded the limit.
 */
static struct ms_measurement whole_row(const struct ms_measurement *row, double observed_ns,
				       double wall_ns)
{
	struct ms_measurement whole = *row;
	double factor = observed_ns > 0 ? wall_ns / observed_ns : 1;

	if (ms_metric_info(whole.metric)->gauge || factor <= 1)
		return whole;
	whole.stat.count = (uint64_t)((double)whole.stat.count * factor);
	whole.stat.sum *= factor;
	whole.stat.sum_squares *= factor;
	return whole;
}

struct whole {
	const struct database *db;
	double wall_ns;
};

static void carry_whole(void *ctx, const struct ms_measurement *row, uint64_t phases,
			double observed_ns)
{
	const struct whole *whole = ctx;
	struct ms_measurement carried = whole_row(row, observed_ns, whole->wall_ns);

	(void)phases;
	carry_row(online.carry, whole->db, &carried);
}

static struct ms_metric_set metrics_observed(const struct database *db)
{
	struct ms_metric_set metrics = { 0 };

	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (database_observed(db, MS_REGION_USER, metric))
			ms_metric_set_add(&metrics, metric);
	return metrics;
}

/*
 * Without a phase the stretches of watching are no repetitions of anything: they are one execution,
 * and each earlier run is another.
 */
static void stretches_to_one(struct search *whole)
{
	struct database_extent extent = database_extent(whole->db);
	struct ms_metric_set observed = metrics_observed(whole->db);
	struct whole of = { whole->db, extent.observed_ns };

	database_intervals_keep(whole->db);
	carry_run(online.carry, extent.observed_ns, &observed, extent.rows);
	database_each(whole->db, carry_whole, &of);
	engine_restart(whole->engine);
	/* within one run: events that happen once in each run are not repeated */
	database_constant(whole->db, "phase_executions", 1);
	carry_play(online.carry, whole->db, whole->engine);
}

static void note_whole_program(uint64_t now_ns)
{
	struct run_phase *phase = &online.run.phase;
	const char *note = detector_note(online.detector);

	if (!note)
		note = "one was found, but too few of its executions were measured to answer any question";
	*phase = (struct run_phase){
		.method = PHASE_WHOLE_PROGRAM,
		.region = MS_REGION_NONE,
		.executions = carry_executions(online.carry),
		.note = note,
		.wall_ns = (double)(now_ns - online.start_ns),
	};
	phase->min_ns = phase->max_ns = phase->wall_ns;
	if (phase->executions > 1)
		carry_wall(online.carry, &phase->wall_ns, &phase->min_ns, &phase->max_ns);
	online.run.restarts = (uint32_t)phase->executions - 1;
}

/* False: it was not measured often enough for a single answer. */
static bool finish_search(const struct search *search)
{
	engine_finish(search->engine);
	return engine_answered(search->engine);
}

/*
 * One of a program's phases is in the report: that with most time. Not one that is part of the last
 * phase, as an inner loop of which the outer one was recognised later. Where none is known at last,
 * the program as a whole is reported, unless half of its time was one phase.
 */
static bool is_main(const struct kept_phase *kept, const struct run_phase *last, uint64_t now_ns)
{
	if (last->method == PHASE_WHOLE_PROGRAM)
		return kept->phase.wall_ns > (double)(now_ns - online.start_ns) / 2;
	return kept->phase.wall_ns > last->wall_ns &&
	       !database_threads(online.phase.db, kept->phase.region, NULL, 0);
}

/* NULL: the last phase, or the whole program, is in the report. */
static struct kept_phase *main_kept(const struct run_phase *last, uint64_t now_ns)
{
	struct kept_phase *longest = NULL;

	for (size_t i = 0; i < online.nr_kept; i++) {
		struct kept_phase *kept = &online.kept[i];

		if (is_main(kept, last, now_ns) &&
		    (!longest || kept->phase.wall_ns > longest->phase.wall_ns))
			longest = kept;
	}
	return longest;
}

/* Where the last phase is a small part of the run, it has ended, and none is known. */
static void abandon_last(uint64_t now_ns)
{
	if (online.state != ONLINE_SEARCHING ||
	    !detector_abandons(online.detector, (double)(now_ns - online.stretch_ns)))
		return;
	kept_phases_keep();
	online.run.phase = (struct run_phase){ .method = PHASE_WHOLE_PROGRAM,
					       .region = MS_REGION_NONE };
}

static struct search *end_whole_program(uint64_t now_ns)
{
	struct engine_cost cost;

	if (online.state == ONLINE_SEARCHING || online.state == ONLINE_BETWEEN) {
		intervals_end(online.stretch_ns, now_ns);
		experiment_stretch(online.experiment, online.whole.db,
				   (double)(now_ns - online.stretch_ns), &cost);
	}
	requests_check_sensors(NULL);
	online.watched_ns = database_extent(online.whole.db).observed_ns;
	stretches_to_one(&online.whole);
	note_whole_program(now_ns);
	engine_finish(online.whole.engine);
	return &online.whole;
}

struct search *searches_end(uint64_t now_ns)
{
	struct kept_phase *kept;
	struct engine_cost cost;
	struct run_phase last;
	struct search *shown;

	resting_end(now_ns);
	agent_turns_last();
	if (online.state == ONLINE_WATCHING) {
		intervals_end(online.stretch_ns, now_ns);
		experiment_stretch(online.experiment, online.whole.db,
				   (double)(now_ns - online.stretch_ns), &cost);
	}
	requests_check_sensors(NULL);
	abandon_last(now_ns);
	last = online.run.phase;
	kept = main_kept(&last, now_ns);
	if (kept && finish_search(&kept->search)) {
		online.run.phase = kept->phase;
		shown = &kept->search;
	} else if (last.method != PHASE_WHOLE_PROGRAM &&
		   kept_phases_is_measured(&online.phase, &last) && finish_search(&online.phase)) {
		shown = &online.phase;
	} else {
		shown = end_whole_program(now_ns);
	}
	if (shown != &online.whole)
		online.run.restarts = engine_runs(shown->engine);
	kept_phases_list(shown, &last, now_ns);
	return shown;
}
