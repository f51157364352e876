/* SPDX-License-Identifier: Apache-2.0 */
/* Executions of the main phase, each an experiment of the search or a part of one. */
#include "ompt_tool/session/executions.h"

#include <math.h>
#include <string.h>

#include "ompt_tool/accesses/accesses.h"
#include "ompt_tool/accesses/keeping.h"
#include "ompt_tool/accesses/loop_times.h"
#include "ompt_tool/events/events.h"
#include "ompt_tool/measurements/segment.h"
#include "ompt_tool/phases/step_series.h"
#include "ompt_tool/process/thread.h"
#include "ompt_tool/recording/first_execution.h"
#include "ompt_tool/recording/single_ends.h"
#include "ompt_tool/recording/static_loops.h"
#include "ompt_tool/session/agent_turns.h"
#include "ompt_tool/session/cost.h"
#include "ompt_tool/session/intervals.h"
#include "ompt_tool/session/kept_phases.h"
#include "ompt_tool/session/online_state.h"
#include "ompt_tool/session/placing.h"
#include "ompt_tool/session/requests.h"
#include "ompt_tool/session/searches.h"
#include "ompt_tool/session/sensors.h"
#include "ompt_tool/session/trying.h"
#include "ompt_tool/session/varying.h"
#include "ompt_tool/session/watching.h"
#include "ompt_tool/session/writing.h"

/*
 * The cost of the end is predicted from that of the begin, up to this bound: a longer begin was
 * disturbed.
 */
#define END_NS_MAX 10e6
/*
 * Where all counters are measured in turn, each has so many executions of the phase, which are
 * short.
 */
#define TURN 2
/*
 * An execution lasts at least this many times what its boundary costs; shorter ones are taken
 * together.
 */
#define BOUNDARIES_PER_EXECUTION 200.0
/* executions that make a mean */
#define MEAN_OF 4
/* a recorded execution that takes less than this part of the mean is not like the others */
#define LIKE_OTHERS 0.5
/* executions that are recorded together at most */
#define RECORDED_MOST 256

/* Of the initial thread, without what recording took. */
static double own_ns_of(const struct thread *self, double wall_ns)
{
	return fmax(0, wall_ns - (double)(self->timed_ns - online.stretch_timed_ns));
}

static void note_phase(double wall_ns, uint64_t executions, bool recorded)
{
	struct run_phase *phase = &online.run.phase;
	double each = wall_ns / (double)executions;

	if (!phase->executions || each < phase->min_ns)
		phase->min_ns = each;
	if (each > phase->max_ns)
		phase->max_ns = each;
	phase->executions += executions;
	phase->wall_ns += wall_ns;
	step_series_add(online.phase.steps, wall_ns, executions, recorded);
	database_constant(online.phase.db, "phase_executions", (double)phase->executions);
}

/*
 * The limit is of the whole run, from the process's begin to its end, which takes about what the
 * begin did: of swim 8 to 14 ms after 7. Bursts have a budget of their own: they must not keep the
 * phase from being measured.
 */
static void account_before(struct search *search)
{
	double begin_ns = (double)online.start_cost_ns, end_ns = fmin(begin_ns, END_NS_MAX),
	       tool_ns = cost_lost_ns();
	double lived_ns = (double)(thread_clock_ns() - online.start_ns + online.age_at_start_ns);
	double program_ns = fmax(0, lived_ns - tool_ns);

	tool_ns = fmax(0, tool_ns - begin_ns - first_execution_spent_ns());
	engine_before(search->engine, program_ns, tool_ns, begin_ns + end_ns);
	if (search == &online.phase)
		agent_turns_phase(program_ns, tool_ns, begin_ns + end_ns);
}

static void begin_searches(void)
{
	struct search *search;

	for (size_t i = 0; (search = varying_search(i)); i++) {
		engine_restart(search->engine);
		engine_recording_takes(search->engine,
				       experiment_is_inside(online.experiment) ? 2 : 1);
		account_before(search);
	}
}

/*
 * The phase is known: from now on measure its executions. The first experiment still measures
 * everything, as watching did, so that the search starts with data at every level and short
 * programs get an answer; the later ones measure only what the search asks for.
 */
void executions_begin(void)
{
	struct run_phase *phase = &online.run.phase;

	sensors_phase();
	single_ends_find(segment_regions(online.segment)); /* it needs the outlined functions */
	static_loops_find(segment_regions(online.segment));
	experiment_restart(online.experiment);
	kept_phases_keep();
	*phase = (struct run_phase){ .kept_before = keeping_executions(),
				     .before_ns = (double)detector_before_ns(online.detector) };
	*online.phase.steps = (struct step_series){ .nr = 0 };
	online.own_ns = online.longest_ns = 0;
	excess_phase(&online.clones_excess);
	excess_phase(&online.events_excess);
	phase->method = detector_method(online.detector, &phase->region);
	varying_begin(experiment_is_inside(online.experiment));
	experiment_regions(online.experiment, online.phase.db);
	begin_searches();
	online.repetitions = 0;
	online.state = ONLINE_SEARCHING;
	online.stepped = true;
	/* watching had to give things up: it would cost too much */
	if (online.step) {
		requests_apply(&online.phase);
		return;
	}
	requests_all(&online.phase);
	online.everything = true;
}

static enum sensor_settling settling(void)
{
	enum sensor_settling sensors_are = sensors_settling(online.phase.db);

	return sensors_are || !experiment_settling(online.experiment) ? sensors_are
								      : SENSOR_SETTLING;
}

/*
 * An execution was left out. If it used up the limit of recording, a repetition would, too: the
 * search continues with other candidates until there is room.
 */
static void go_on_without(const struct engine_cost *cost)
{
	if (!cost->stopped_early) {
		agent_turns_account(cost);
		return;
	}
	experiment_regions(online.experiment, online.phase.db);
	sensors_drop(online.phase.db);
	requests_search(&online.phase, cost);
}

/* What callbacks have cost in the group so far may go on. */
static bool is_borne(const struct thread *self, uint64_t now_ns)
{
	double tool_ns = (double)(self->cost_ns - online.stretch_cost_ns),
	       wall_ns = (double)(now_ns - online.stretch_ns);
	struct engine_cost cost = { .program_ns = fmax(0, wall_ns - tool_ns), .tool_ns = tool_ns };

	return engine_tolerates(online.phase.engine, &cost);
}

/*
 * Where accesses are recorded one execution is enough, which costs more than a fold, if it is like
 * the others. Where executions differ much (the levels of a graph search: from 8 us to 34 ms), they
 * are recorded until they take as long together as they do on average. So are those that will be
 * discarded: inside of a parallel region other threads' parts of them count.
 */
static bool are_less_than_others(double own_ns)
{
	uint64_t nr = detector_repetitions(online.detector),
		 executions = online.run.phase.executions;
	double mean_ns = executions >= MEAN_OF ? online.own_ns / (double)executions * (double)nr
					       : 0;

	return online.repetitions + nr < RECORDED_MOST * nr &&
	       own_ns < (online.repetitions ? mean_ns : LIKE_OTHERS * mean_ns);
}

/* Very short executions are taken together, so that folding stays cheap. */
bool executions_are_short(const struct thread *self, uint64_t now_ns)
{
	double wall_ns = (double)(now_ns - online.stretch_ns);

	if (experiment_is_alone(online.experiment))
		return are_less_than_others(own_ns_of(self, wall_ns));
	return wall_ns < BOUNDARIES_PER_EXECUTION *
				 (experiment_fold_ns(online.experiment) + online.look_ns) &&
	       is_borne(self, now_ns);
}

static void note_execution(double wall_ns, uint64_t executions, bool recorded)
{
	note_phase(wall_ns, executions, recorded);
	online.own_ns += own_ns_of(events_self(), wall_ns);
}

/*
 * Adds to the cost of the execution that ended what it took longer than those without. Returns that time
 * in ns. What is left to account once the mean is known is of earlier executions.
 */
static double account_excess(struct excess *excess, bool with, struct engine_cost *cost)
{
	double ns = excess_note(excess, with, cost->program_ns, cost->executions);

	if (!with) {
		agent_turns_charge(ns);
		return 0;
	}
	ns = fmin(ns, cost->program_ns);
	cost->tool_ns += ns;
	cost->program_ns -= ns;
	return ns;
}

/* An execution that was left for being another kind of step counts for neither. */
static void account_clones(bool in_clones, struct engine_cost *cost)
{
	enum ms_sensor_id sensor = loop_times_is_on() ? MS_SENSOR_LOOPS : MS_SENSOR_ACCESSES;

	if (!cost->stopped_early || cost->program_ns <= ACCESSES_OTHER_TIMES * online.longest_ns)
		cost->per_sensor_ns[sensor] += account_excess(&online.clones_excess, in_clones,
							      cost); /* NAN: not known */
}

/*
 * Where threads share CPUs, each system call in a callback is a point at which the kernel may give the
 * CPU to another thread, to which it would have come later: two at the begin and end of each region make
 * a program with nested teams 12 % slower (Linux 6.18, lazy preemption), and take 1 % themselves.
 */
static void account_events(bool in_clones, bool requested, struct engine_cost *cost)
{
	if (!in_clones && !cost->stopped_early &&
	    experiment_threads(online.experiment) > online.run.machine.cpus)
		account_excess(&online.events_excess, requested, cost);
}

/* Not of one that is discarded: it may have been left for being longer than the others. */
static void note_longest(double wall_ns)
{
	online.longest_ns = fmax(online.longest_ns, own_ns_of(events_self(), wall_ns));
}

void executions_pass(uint64_t now_ns, uint64_t executions)
{
	double wall_ns = (double)(now_ns - online.stretch_ns);

	note_execution(wall_ns, executions, false);
	note_longest(wall_ns);
}

void executions_end(uint64_t now_ns)
{
	double wall_ns = (double)(now_ns - online.stretch_ns);
	uint64_t executions = online.repetitions += detector_repetitions(online.detector);
	bool warm_up = varying_is_warm_up(), in_clones = experiment_is_alone(online.experiment),
	     requested = events_are_requested();
	enum sensor_settling discard;
	struct engine_cost cost;

	if (!warm_up)
		note_execution(wall_ns, executions, in_clones);
	online.repetitions = 0;
	discard = settling();
	if (!warm_up && !discard)
		note_longest(wall_ns);
	if (discard || warm_up) {
		experiment_settle(online.experiment, wall_ns, executions,
				  discard == SENSOR_SETTLING_TWICE, &cost);
		agent_turns_charge(experiment_heap_ns(online.experiment));
		if (warm_up) {
			varying_execution(experiment_joined(online.experiment));
			return;
		}
		account_clones(in_clones, &cost);
		go_on_without(&cost);
		return;
	}
	intervals_end(online.stretch_ns, now_ns);
	experiment_execution(online.experiment, online.phase.db, wall_ns, executions, &cost);
	agent_turns_charge(experiment_heap_ns(online.experiment));
	account_clones(in_clones, &cost);
	account_events(in_clones, requested, &cost);
	placing_boundary(online.placing, online.run.phase.executions, online.read_midway,
			 cost_placing_ns());
	requests_check_sensors(online.phase.db);
	if (online.everything && !engine_tolerates(online.phase.engine, &cost))
		/* too expensive: only requested metrics from now on */
		requests_apply(&online.phase);
	requests_search(&online.phase, &cost);
	if (varying_is_on()) /* counters take turns at each change, in the search of each number */
		varying_execution(experiment_joined(online.experiment));
	else if (!strcmp(online.options.measure, "all"))
		requests_take_turns(&online.phase, TURN);
	trying_begin_if_due();
	writing_begin_if_due();
}

void executions_abandon(void)
{
	experiment_skip(online.experiment, false);
	kept_phases_keep();
	online.run.phase = (struct run_phase){ .method = PHASE_WHOLE_PROGRAM,
					       .region = MS_REGION_NONE,
					       .kept_before = keeping_executions() };
	online.repetitions = 0;
	online.everything = false;
	online.stepped = true;
	watching_begin();
}
