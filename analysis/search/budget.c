/* SPDX-License-Identifier: Apache-2.0 */
/* Enforces the overhead limit: time granted and spent, and predicted costs of measurements. */
#include "analysis/search/budget.h"

#include <math.h>

/*
 * The time granted is limit * max(FIRST_NS, program time so far). The first recording has an advance,
 * so that short programs are recorded: the smallest of limit * LEAST_NS, ADVANCE_NS and limit *
 * (FIRST_NS + SHORT_TIMES * program time so far). At a limit of 5 % a program of 0.43 s may become
 * 23 % slower, one of 0.77 s 20 %, one of 2 s 7.5 %.
 */
#define FIRST_NS 0.7e9
#define LEAST_NS 3e9
#define ADVANCE_NS 150e6
#define SHORT_TIMES 3

/*
 * Initial estimate of one event's cost, replaced by measured costs. Clock: two readings and an
 * addition. Rusage: two getrusage calls. Samples: one per millisecond, polled at the boundary.
 * Faults: one sample record. Counters: two system calls that read a group of four. Addresses: one
 * sample looked up. Watchpoints: two opened, and their maximum number of hits. Accesses: an event is
 * 1 ns of the region, which costs 0.02 ns (strided loops) to 45 ns (a histogram in the first-level
 * cache), 1 ns in the geometric mean of bench/clones.sh; this sensor stops when the time left is
 * used up. Times of loops: likewise, by the number of their entries. Simulated metrics cost nothing inside the process.
 */
static const double first_unit_ns[] = {
	[MS_SENSOR_CLOCK] = 100,   [MS_SENSOR_RUSAGE] = 700,    [MS_SENSOR_SAMPLES] = 20,
	[MS_SENSOR_FAULTS] = 50,   [MS_SENSOR_COUNTERS] = 1600, [MS_SENSOR_ACCESSES] = 1,
	[MS_SENSOR_SIMULATED] = 0, [MS_SENSOR_ADDRESSES] = 500, [MS_SENSOR_WATCHPOINTS] = 1e6,
	[MS_SENSOR_LOOPS] = 0.1,
};
_Static_assert(sizeof(first_unit_ns) / sizeof(first_unit_ns[0]) == MS_SENSORS,
	       "one estimate per sensor");

/* minimum cost of sensors, as a part of the callbacks' own cost, from which costs are learned */
#define LEAST_LEARNED 0.25
/*
 * Minimum part of the program's time that events must take to raise a learned cost: an interrupt
 * during one of four events must not raise the predicted cost of 300,000 others.
 */
#define LEAST_EXPENSIVE 0.01
/* weight of the last measurement in the learned cost (exponential moving average) */
#define LEARNING 0.5
/* lower bound of a learned cost, as a part of the initial estimate */
#define LEAST_UNIT 0.5

/*
 * Preparing the first recording (reading declarations, copying functions, searching tables) takes
 * 10 ms and more, 57 ms in a Fortran program; this must be left in addition to the predicted cost.
 * The prediction may be wrong by a factor of 40. Therefore the first recording waits until
 * FIRST_TIMES its cost and FIRST_ROOM_NS are left, or FIRST_ENOUGH_NS (after 0.43 s at 5 %).
 */
#define FIRST_RECORDING_NS 10e6
#define FIRST_TIMES 4
#define FIRST_ROOM_NS 80e6
#define FIRST_ENOUGH_NS 100e6
/*
 * Parts of the advance: the minimum left for the first recording, because copying functions may
 * take 10 ms several times; and the part that other measurements leave for it.
 */
#define FIRST_PART 0.25
#define FIRST_KEPT 0.5
/*
 * If the time does not suffice to count every access, a part is counted and extrapolated
 * (accesses/bursts.h). The minimum time for that: PART_COUNTED of the predicted cost, at most
 * PART_ENOUGH_NS, at least PART_ROOM of the advance and PART_ROOM_NS: beginning to record uses up
 * less than that.
 */
#define PART_COUNTED 0.25
#define PART_ROOM 0.4
#define PART_ROOM_NS 20e6
#define PART_ENOUGH_NS ADVANCE_NS
/* budget_reserves: time is reserved for a recording of at most this cost … */
#define RESERVED_FOR_NS (10 * FIRST_RECORDING_NS)
#define RESERVED_AGAINST 0.25 /* … if the other one records less than this part of it … */
#define RESERVED_SOON 1.25    /* … or it costs at most this multiple of the other one */

/*
 * With a negative balance an execution may still spend this part of the time that it earns: half of
 * what is not reserved for recording. So the balance recovers, and findings are refined meanwhile.
 */
#define IN_DEBT (0.5 * (1 - BUDGET_RECORDING))

#define LEAST_RECORDED_NS 1e6

void budget_init(struct budget *budget, double limit)
{
	*budget = (struct budget){ .limit = limit, .base_kept = 1 - LEARNING };
	for (unsigned int i = 0; i < MS_SENSORS; i++)
		budget->unit_ns[i] = first_unit_ns[i];
}

void budget_before(struct budget *budget, double program_ns, double tool_ns, double ends_ns)
{
	budget->program_ns = fmax(budget->program_ns, program_ns);
	budget->tool_ns = fmax(budget->tool_ns, tool_ns);
	budget->ends_ns = ends_ns;
}

void budget_charge(struct budget *budget, double tool_ns)
{
	budget->tool_ns += fmax(0, tool_ns);
}

static double advance_ns(const struct budget *budget)
{
	return fmin(ADVANCE_NS, budget->limit * LEAST_NS);
}

static double short_ns(const struct budget *budget)
{
	return budget->limit * (FIRST_NS + SHORT_TIMES * budget->program_ns);
}

static bool has_enough(const struct budget *budget)
{
	return short_ns(budget) >= fmin(FIRST_ENOUGH_NS, advance_ns(budget));
}

static double granted_ns(const struct budget *budget)
{
	return budget->limit * fmax(FIRST_NS, budget->program_ns);
}

double budget_balance_ns(const struct budget *budget)
{
	double granted = granted_ns(budget);

	return granted - budget->tool_ns - fmin(budget->ends_ns, BUDGET_ENDS * granted);
}

static bool is_first(const struct budget *budget)
{
	return budget->recording_ns <= 0;
}

double budget_recording_balance_ns(const struct budget *budget)
{
	double advance = is_first(budget) ? fmin(advance_ns(budget), short_ns(budget)) : 0;

	return fmax(budget_balance_ns(budget), advance - budget->tool_ns);
}

/*
 * Measurements at each event of short regions, repeated while values vary, must not use up the time
 * of the first recording, which answers more questions.
 */
static bool leaves_first_recording(const struct budget *budget, double cost)
{
	double advance = advance_ns(budget), left = advance - budget->tool_ns;

	return !is_first(budget) || left < FIRST_PART * advance ||
	       left - cost >= FIRST_KEPT * advance;
}

/*
 * First measurements may exceed the limit as the first recording may: with a critical section in
 * each iteration the first experiment overdraws the balance before its values have a spread.
 * Counters may not: they are many, each opens events on all threads, and a recording answers the
 * same questions about memory.
 */
static double questions_left_ns(const struct budget *budget, const struct budget_load *load)
{
	if (load->events[MS_SENSOR_COUNTERS] > 0)
		return 0;
	return fmin(advance_ns(budget), short_ns(budget)) - budget->questions_ns;
}

bool budget_tolerates(const struct budget *budget, const struct engine_cost *cost)
{
	return cost->tool_ns <= budget->limit * cost->program_ns ||
	       cost->tool_ns <= BUDGET_TOLERATED * budget_balance_ns(budget);
}

/*
 * Sensors whose values are read in callbacks; those of the others are collected by the kernel, and
 * read between executions.
 */
static bool is_read_at_events(unsigned int sensor)
{
	return sensor == MS_SENSOR_CLOCK || sensor == MS_SENSOR_RUSAGE ||
	       sensor == MS_SENSOR_COUNTERS;
}

static bool has_events(const struct budget_load *load)
{
	for (unsigned int i = 0; i < MS_SENSORS; i++)
		if (is_read_at_events(i) && load->events[i] > 0)
			return true;
	return false;
}

double budget_predict_ns(const struct budget *budget, const struct budget_load *load)
{
	double ns = has_events(load) ? budget->base_ns : 0;

	for (unsigned int i = 0; i < MS_SENSORS; i++)
		ns += budget->unit_ns[i] * load->events[i];
	return ns;
}

static void learn(double *unit_ns, double measured_ns)
{
	if (isfinite(measured_ns) && measured_ns >= 0)
		*unit_ns += LEARNING * (measured_ns - *unit_ns);
}

static bool is_recording(const struct budget_load *load)
{
	return load->events[MS_SENSOR_ACCESSES] > 0 || load->events[MS_SENSOR_LOOPS] > 0;
}

/*
 * Minimum load from which a cost is learned: recordings of shorter regions measure the cost of
 * beginning to record.
 */
static double least_load(unsigned int sensor)
{
	return sensor == MS_SENSOR_ACCESSES ? LEAST_RECORDED_NS : 0;
}

/*
 * After a measurement that was stopped because it exceeded its prediction: its cost so far if
 * known, else twice the prediction. So it is retried once there is time for that.
 */
static void learn_more_expensive(double *unit_ns, double measured_ns, double spent_ns)
{
	*unit_ns = isfinite(measured_ns) ? fmax(*unit_ns, measured_ns)
					 : 2 * fmax(*unit_ns, spent_ns);
}

static void learn_from_stopped(struct budget *budget, const struct engine_cost *cost,
			       const struct budget_load *load)
{
	/* accesses first, as in experiment_plan.c */
	enum ms_sensor_id sensor = load->events[MS_SENSOR_ACCESSES] > 0 ? MS_SENSOR_ACCESSES
									: MS_SENSOR_LOOPS;
	double events = load->events[sensor];

	if (events > 0)
		learn_more_expensive(&budget->unit_ns[sensor], cost->per_sensor_ns[sensor] / events,
				     cost->tool_ns / events);
}

/* What callbacks took in one execution. */
static double at_events_ns(const struct engine_cost *cost)
{
	return (cost->tool_ns - cost->between_ns) / fmax(1, (double)cost->executions);
}

/* Predicted for the sensors that are read in callbacks, or for the other sensors. */
static double sensors_ns(const struct budget *budget, const struct budget_load *load,
			 bool at_events)
{
	double ns = 0;

	for (unsigned int i = 0; i < MS_SENSORS; i++)
		if (is_read_at_events(i) == at_events)
			ns += budget->unit_ns[i] * load->events[i];
	return ns;
}

/*
 * Ratio of an event's measured to its predicted cost. The cost measured for all sensors that are
 * read at the same place is divided among them in proportion to their predictions. 1: nothing is
 * learned, because the callbacks' own cost varies by more than these readings cost.
 */
static double times_predicted(const struct budget *budget, const struct engine_cost *cost,
			      const struct budget_load *load, bool at_events)
{
	double predicted_ns = sensors_ns(budget, load, at_events), times;

	if (at_events && predicted_ns < LEAST_LEARNED * budget->base_ns)
		return 1;
	times = fmax(0, at_events ? at_events_ns(cost) - budget->base_ns
				  : cost->between_ns / fmax(1, (double)cost->executions)) /
		predicted_ns;
	return at_events && cost->tool_ns < LEAST_EXPENSIVE * cost->program_ns ? fmin(1, times)
									       : times;
}

/*
 * Reduces the callbacks' cost with each execution without requests, because one disturbed execution
 * must not end all requests. If a later one costs as much, it decays half as fast.
 */
static void forget_base(struct budget *budget)
{
	budget->base_ns *= budget->base_kept;
	budget->based = false;
}

/*
 * Learns the callbacks' own cost, which does not depend on the requests: the minimum of measured
 * minus predicted cost of sensors. Only if the predicted part is the smaller one, else the
 * difference is mostly the prediction's error.
 */
static void learn_base(struct budget *budget, const struct engine_cost *cost,
		       const struct budget_load *load)
{
	double predicted_ns = sensors_ns(budget, load, true), all_ns = at_events_ns(cost);
	double base_ns = all_ns - predicted_ns;

	if (is_recording(load))
		return;
	if (!has_events(load)) {
		forget_base(budget);
		return;
	}
	if (!isnan(cost->per_sensor_ns[MS_SENSOR_CLOCK]) || predicted_ns >= all_ns / 2)
		return;
	if (!budget->based)
		budget->base_kept = base_ns > budget->measured_base_ns / 2 ? sqrt(budget->base_kept)
									   : 1 - LEARNING;
	budget->base_ns = budget->based ? fmin(budget->base_ns, base_ns) : base_ns;
	budget->measured_base_ns = budget->base_ns;
	budget->based = true;
}

void budget_predict(const struct budget *budget, const struct budget_load *load,
		    struct engine_cost *cost)
{
	double executions = fmax(1, (double)cost->executions);

	for (unsigned int i = 0; i < MS_SENSORS; i++)
		cost->per_sensor_ns[i] = budget->unit_ns[i] * load->events[i] * executions;
	cost->between_ns = sensors_ns(budget, load, false) * executions;
	cost->tool_ns = budget_predict_ns(budget, load) * executions;
}

void budget_account(struct budget *budget, const struct engine_cost *cost,
		    const struct budget_load *load)
{
	double executions = fmax(1, (double)cost->executions);
	double times[2];

	learn_base(budget, cost, load);
	times[false] = times_predicted(budget, cost, load, false);
	times[true] = times_predicted(budget, cost, load, true);
	budget->program_ns += fmax(0, cost->program_ns);
	budget->tool_ns += fmax(0, cost->tool_ns);
	if (is_recording(load))
		budget->recording_ns += fmax(0, cost->tool_ns);
	else if (has_events(load))
		budget->questions_ns += fmax(0, cost->tool_ns);
	if (cost->stopped_early) {
		learn_from_stopped(budget, cost, load);
		return;
	}
	for (unsigned int i = 0; i < MS_SENSORS; i++) {
		if (load->events[i] <= 0)
			continue;
		if (!isnan(cost->per_sensor_ns[i]) && load->events[i] >= least_load(i))
			learn(&budget->unit_ns[i],
			      cost->per_sensor_ns[i] / executions / load->events[i]);
		else if (isnan(cost->per_sensor_ns[i]) && !is_recording(load))
			learn(&budget->unit_ns[i],
			      fmax(budget->unit_ns[i] * times[is_read_at_events(i)],
				   LEAST_UNIT * first_unit_ns[i]));
	}
}

void budget_elsewhere(struct budget *budget, const struct engine_cost *cost, bool recorded)
{
	budget->program_ns += fmax(0, cost->program_ns);
	budget->tool_ns += fmax(0, cost->tool_ns);
	if (recorded)
		budget->recording_ns += fmax(0, cost->tool_ns);
}

/* The minimum time that must be left for a recording with a predicted cost of `ns`. */
static double with_first_time_ns(const struct budget *budget, double ns)
{
	return is_first(budget) ? fmax(ns + FIRST_RECORDING_NS, FIRST_PART * advance_ns(budget))
				: ns;
}

/* Time left for recording; the first one may use the whole balance. */
static double recording_left_ns(const struct budget *budget)
{
	double share = fmax(BUDGET_RECORDING, 1 - BUDGET_WITHOUT_RECORDING / budget->limit);
	double left = share * granted_ns(budget) - budget->recording_ns;

	return is_first(budget) ? fmax(left, budget_recording_balance_ns(budget)) : left;
}

static double least_ns(const struct budget *budget, const struct budget_load *load, double cost)
{
	return load->whole ? cost
			   : fmin(cost, fmax(fmax(PART_ROOM_NS, PART_ROOM * advance_ns(budget)),
					     fmin(PART_COUNTED * cost, PART_ENOUGH_NS)));
}

/*
 * Recorded code takes about twice its time even if few accesses are counted. If an execution is
 * discarded first, both executions must be affordable.
 */
static double stored_ns(const struct budget *budget, double phase_ns)
{
	return budget->recorded_executions > 1 ? budget->recorded_executions * phase_ns : 0;
}

static bool may_record(const struct budget *budget, const struct budget_load *load, double cost,
		       double phase_ns)
{
	double left = recording_left_ns(budget), balance = budget_recording_balance_ns(budget);
	double least = with_first_time_ns(
		budget, fmax(stored_ns(budget, phase_ns), least_ns(budget, load, cost)));

	if (balance <= 0 || (is_first(budget) && least > balance))
		return false;
	if (is_first(budget) && !has_enough(budget) &&
	    left < fmax(FIRST_ROOM_NS, FIRST_TIMES * cost))
		return false;
	return least <= left;
}

bool budget_admits(const struct budget *budget, const struct budget_load *load, double phase_ns,
		   double executions, bool alone)
{
	double balance = budget_balance_ns(budget);
	double cost = budget_predict_ns(budget, load);

	if (is_recording(load))
		return may_record(budget, load, cost * executions, phase_ns);
	if (balance <= 0)
		return phase_ns > 0 && (cost <= IN_DEBT * budget->limit * phase_ns ||
					(cost <= questions_left_ns(budget, load) &&
					 leaves_first_recording(budget, cost * executions)));
	if (phase_ns <= 0)
		return true;
	if (!alone && cost - budget->base_ns > fmax(budget->limit, BUDGET_SLOWDOWN_MAX) * phase_ns)
		return false;
	return cost * executions <= balance + budget->limit * phase_ns * executions;
}

bool budget_reserves(const struct budget *budget, const struct budget_load *load,
		     const struct budget_load *other)
{
	double recorded = load->events[MS_SENSOR_ACCESSES],
	       others = other->events[MS_SENSOR_ACCESSES];
	double cost = budget_predict_ns(budget, load);

	if (budget->recording_ns > 0 || recorded <= 0 || cost > RESERVED_FOR_NS || others <= 0 ||
	    others >= recorded)
		return false;
	return others < RESERVED_AGAINST * recorded ||
	       cost + FIRST_RECORDING_NS <=
		       RESERVED_SOON * (budget_predict_ns(budget, other) + FIRST_RECORDING_NS);
}
