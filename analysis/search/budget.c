/* SPDX-License-Identifier: Apache-2.0 */
/* What measuring may cost: the account, and the prediction of costs. */
#include "analysis/search/budget.h"

#include <math.h>

/*
 * The limit is of the program's time so far, FIRST_NS at least. So that short programs are
 * recorded, too, it is of LEAST_NS for the first recording, up to ADVANCE_NS; but of no more than
 * SHORT_TIMES the time so far, and FIRST_NS. At 5 % a program of 0.43 s may become 23 % slower by
 * that, one of 0.77 s 20 %, one of 2 s 7.5 %.
 */
#define FIRST_NS 0.7e9
#define LEAST_NS 3e9
#define ADVANCE_NS 150e6
#define SHORT_TIMES 3

/*
 * First guess of one event's cost, replaced by what is measured: two clock readings and an
 * addition; two getrusage calls; a sample every millisecond, polled at the boundary; a fault taken
 * with a sample record; an address sample looked up, and whether the PMU has its event; two
 * watchpoints opened, and hit as often as they may be; two system calls that read a group of four
 * counters. An event of recording is a nanosecond of the region: 0.02 of loops that go through
 * arrays by constant strides, to 45 for a histogram in the first cache, 1 in the geometric mean of
 * bench/clones.sh. This sensor stops where it is more than the account allows. Simulated metrics
 * are none of the process.
 */
static const double first_unit_ns[] = {
	[MS_SENSOR_CLOCK] = 100,   [MS_SENSOR_RUSAGE] = 700,    [MS_SENSOR_SAMPLES] = 20,
	[MS_SENSOR_FAULTS] = 50,   [MS_SENSOR_COUNTERS] = 1600, [MS_SENSOR_ACCESSES] = 1,
	[MS_SENSOR_SIMULATED] = 0, [MS_SENSOR_ADDRESSES] = 500, [MS_SENSOR_WATCHPOINTS] = 1e6,
};
_Static_assert(sizeof(first_unit_ns) / sizeof(first_unit_ns[0]) == MS_SENSORS,
	       "one guess a sensor");

#define LEAST_LEARNED 0.25 /* of what callbacks take by themselves */
/*
 * part of the program's time that events must take before they are found to be expensive: an
 * interruption of one event of four would make a question about 300,000 others too expensive
 */
#define LEAST_DEAR 0.01
/* The weight of what was measured last in the learned cost: half the memory after one execution. */
#define LEARNING 0.5
/*
 * of the first guess: what an event of a sensor takes by what it does, however much is taken for
 * the callbacks' own
 */
#define LEAST_UNIT 0.5

/*
 * Before anything is recorded the program's declarations are read, functions copied and tables
 * searched: 10 ms and more, 57 in a Fortran program. The account must have this beside what the
 * first recording is predicted to take, so that short programs are not burdened with it. The
 * prediction may be wrong by a factor of 40, and the more there is the less is estimated: so the
 * first one waits until FIRST_TIMES of that are left, and FIRST_ROOM_NS, or FIRST_ENOUGH_NS, which
 * is so after 0.43 s.
 */
#define FIRST_RECORDING_NS 10e6
#define FIRST_TIMES 4
#define FIRST_ROOM_NS 80e6
#define FIRST_ENOUGH_NS 100e6
/*
 * Of the advance: what must be left, as copying functions may take all of 10 ms several times, and
 * what questions leave to it.
 */
#define FIRST_PART 0.25
#define FIRST_KEPT 0.5
/*
 * Where there is not enough time to count every access, a part is counted, and stands for the rest
 * (sensors/bursts.h): a quarter, as predicted, or what that time is good for.
 */
#define PART_COUNTED 0.25
#define PART_ROOM 0.4 /* of the advance, at least … */
/* … and this: less brings nothing beside what beginning to record takes */
#define PART_ROOM_NS 20e6
#define PART_ENOUGH_NS ADVANCE_NS
/* what takes more cannot have it reserved … */
#define RESERVED_FOR_NS (10 * FIRST_RECORDING_NS)
#define RESERVED_AGAINST 0.25 /* … nor against this part of it, or more, … */
/* … unless it takes little more than that, and so comes little later */
#define RESERVED_SOON 1.25

/*
 * Where the account is overdrawn, an execution may still spend this part of what it earns: half of
 * what is not recording's share. So the debt becomes less, and what was found is refined meanwhile.
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

static double earned_ns(const struct budget *budget)
{
	return budget->limit * fmax(FIRST_NS, budget->program_ns);
}

double budget_balance_ns(const struct budget *budget)
{
	double earned = earned_ns(budget);

	return earned - budget->tool_ns - fmin(budget->ends_ns, BUDGET_ENDS * earned);
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
 * Questions at each event of regions of some us, asked again while their values scatter, would use
 * up what the first recording needs, which tells more.
 */
static bool leaves_first_recording(const struct budget *budget, double cost)
{
	double advance = advance_ns(budget), left = advance - budget->tool_ns;

	return !is_first(budget) || left < FIRST_PART * advance ||
	       left - cost >= FIRST_KEPT * advance;
}

/*
 * The first questions may exceed the limit as the first recording may: where each iteration has a
 * critical section, the first experiment overdraws the account, and its values have no spread yet.
 * Those of counters may not: there are many, each with events opened on all threads, and what they
 * say of memory the recording says, too, which would find its advance spent.
 */
static double questions_left_ns(const struct budget *budget, const struct budget_load *load)
{
	if (load->events[MS_SENSOR_COUNTERS] > 0)
		return 0;
	return fmin(advance_ns(budget), short_ns(budget)) - budget->questions_ns;
}

bool budget_bears(const struct budget *budget, const struct engine_cost *cost)
{
	return cost->tool_ns <= budget->limit * cost->program_ns ||
	       cost->tool_ns <= BUDGET_BORNE * budget_balance_ns(budget);
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
	return load->events[MS_SENSOR_ACCESSES] > 0;
}

/*
 * Regions that are shorter say what beginning to record takes, not what a nanosecond of them does.
 */
static double least_load(unsigned int sensor)
{
	return sensor == MS_SENSOR_ACCESSES ? LEAST_RECORDED_NS : 0;
}

/*
 * More expensive than predicted: the known cost, or else at least twice the prediction. So it is
 * retried when there is room for that, and not immediately.
 */
static void learn_dearer(double *unit_ns, double measured_ns, double spent_ns)
{
	*unit_ns = isfinite(measured_ns) ? fmax(*unit_ns, measured_ns)
					 : 2 * fmax(*unit_ns, spent_ns);
}

static void learn_from_given_up(struct budget *budget, const struct engine_cost *cost,
				const struct budget_load *load)
{
	double events = load->events[MS_SENSOR_ACCESSES];

	if (events > 0)
		learn_dearer(&budget->unit_ns[MS_SENSOR_ACCESSES],
			     cost->per_sensor_ns[MS_SENSOR_ACCESSES] / events,
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
 * What an event takes against what was predicted: sensors that are read at the same place share
 * what was measured there as they share what was predicted. 1: nothing is learned of a few readings
 * beside expensive callbacks, which vary by more than these take.
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
	return at_events && cost->tool_ns < LEAST_DEAR * cost->program_ns ? fmin(1, times) : times;
}

/*
 * While nothing is requested the old value counts less and less: one disturbed execution must not
 * end all requests. Where a later one took as long, it will be tried again after twice that time.
 */
static void forget_base(struct budget *budget)
{
	budget->base_ns *= budget->base_kept;
	budget->based = false;
}

/*
 * The callbacks themselves, whatever is requested: the least that was measured beside what the
 * sensors are predicted to take, where that is the smaller part; else it would be the error of that
 * prediction.
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
	if (cost->gave_up) {
		learn_from_given_up(budget, cost, load);
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

/* The least that must be left for recording that is predicted to take `ns`. */
static double with_first_time_ns(const struct budget *budget, double ns)
{
	return is_first(budget) ? fmax(ns + FIRST_RECORDING_NS, FIRST_PART * advance_ns(budget))
				: ns;
}

/* The first one may take all there is. */
static double recording_left_ns(const struct budget *budget)
{
	double share = fmax(BUDGET_RECORDING, 1 - BUDGET_WITHOUT_RECORDING / budget->limit);
	double left = share * earned_ns(budget) - budget->recording_ns;

	return is_first(budget) ? fmax(left, budget_recording_balance_ns(budget)) : left;
}

static double least_ns(const struct budget *budget, const struct budget_load *load, double cost)
{
	return load->whole ? cost
			   : fmin(cost, fmax(fmax(PART_ROOM_NS, PART_ROOM * advance_ns(budget)),
					     fmin(PART_COUNTED * cost, PART_ENOUGH_NS)));
}

/*
 * However few accesses are counted, recorded code takes about twice its time. Where an execution is
 * discarded first, both must be affordable.
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
