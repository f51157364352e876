/* SPDX-License-Identifier: Apache-2.0 */
/* From a run to its profile. */
#include "analysis/differential/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/base_name.h"
#include "analysis/base/hash.h"
#include "analysis/differential/metrics.h"
#include "analysis/differential/name_pool.h"
#include "analysis/differential/sums.h"
#include "analysis/report/array_names.h"
#include "analysis/report/array_use.h"
#include "analysis/report/cause.h"
#include "analysis/report/finding.h"
#include "analysis/report/misses.h"
#include "memsearch/host.h"

/* of a squared mean: a variance that is not more may come of sums alone */
#define ROUNDING 1e-12

struct maker {
	struct arena *arena; /* of the profile */
	struct names names;  /* its strings */
	struct arena *scratch;
	const struct run *run;
	struct profile *profile;
	enum profile_by by;
	uint32_t *place_of; /* by region; PROFILE_NONE: it is none */
	/* by region: executions in a mean execution of the phase; NAN: not known */
	double *typical;
	/* the same while accesses were recorded; 0: none was recorded completely */
	const double *recorded;
	double *simulated; /* … and simulated */
	/*
	 * by region, in a mean execution of the phase: ns, acquisitions of locks; sums of the
	 * threads
	 */
	struct times {
		double held, taken, waited, wall;
	} *times;
	bool varies; /* some region does */
	/* looked up once, not for each measurement */
	bool is_time[MS_METRICS], is_exclusive[MS_METRICS];
	/* by region; PROFILE_BY_CALLER */
	struct callers {
		uint32_t *places;
		size_t nr;
	} *callers;
	/* cells: places, behind them data structures by their regions, behind them one access */
	struct sums sums;
	uint32_t part; /* thread whose values are added up; PROFILE_NONE: all */
};

static const char *copy(struct maker *maker, const char *text)
{
	return names_copy(&maker->names, text);
}

/* ------------------------------------------------------------------ places and arrays */

static const char *path_of(struct maker *maker, uint32_t region)
{
	const char *path = finding_path(maker->scratch, maker->run, region);

	return copy(maker, path);
}

static void add_place(struct maker *maker, const struct run_region *region)
{
	struct profile *profile = maker->profile;
	const struct source *source = &region->source, *next = &region->next_source;
	uint32_t parent = region->parent < region->id ? maker->place_of[region->parent]
						      : PROFILE_NONE;

	if (!ARENA_GROW(maker->arena, profile->places, profile->nr_places, profile->room_places))
		return;
	maker->place_of[region->id] = (uint32_t)profile->nr_places;
	profile->places[profile->nr_places++] = (struct profile_place){
		.parent = parent,
		.kind = region->kind,
		.function = copy(maker, region->kind == MS_MUTEX ? region->name : source->function),
		.file = copy(maker, source->file),
		.next = region->kind == MS_SERIAL_REGION && next->function
				? arena_printf(maker->arena, "%s %s", next->function,
					       next->file ? next->file : "")
				: "",
		.path = path_of(maker, region->id),
		.line = source->line,
		.offset = region->construct.offset,
		.words = copy(maker, finding_place(maker->scratch, maker->run, region->id)),
	};
}

/* The place of functions that lead somewhere, "main -> step". PROFILE_NONE: no memory. */
static uint32_t caller_place(struct maker *maker, const char *path, const char *function)
{
	struct profile *profile = maker->profile;

	for (size_t i = profile->nr_places; i-- > 0 && profile->places[i].kind == MS_SUB_REGION;)
		if (profile->places[i].path == path) /* names are kept once */
			return (uint32_t)i;
	if (!ARENA_GROW(maker->arena, profile->places, profile->nr_places, profile->room_places))
		return PROFILE_NONE;
	profile->places[profile->nr_places] = (struct profile_place){
		.parent = maker->place_of[MS_REGION_USER],
		.kind = MS_SUB_REGION,
		.function = function,
		.file = "",
		.next = "",
		.path = path,
		.words = path,
	};
	return (uint32_t)profile->nr_places++;
}

static bool add_callers(struct maker *maker, uint32_t region)
{
	const char *const *functions, *path = NULL;
	struct callers *callers = &maker->callers[region];
	size_t nr = finding_functions(maker->scratch, maker->run, region, &functions);

	callers->places = arena_alloc(maker->scratch, (nr + 1) * sizeof(*callers->places));
	for (size_t i = 0; callers->places && i < nr; i++) {
		path = arena_printf(maker->scratch, "%s%s%s", path ? path : "", path ? " -> " : "",
				    functions[i]);
		callers->places[i] = path ? caller_place(maker, copy(maker, path),
							 copy(maker, functions[i]))
					  : PROFILE_NONE;
		if (callers->places[i] == PROFILE_NONE)
			return false;
		callers->nr++;
	}
	return callers->places;
}

/* Behind all other places. */
static bool add_all_callers(struct maker *maker)
{
	bool fine = true;

	maker->callers = arena_alloc(maker->scratch,
				     (maker->run->nr_regions + 1) * sizeof(*maker->callers));
	for (uint32_t i = 0; maker->callers && fine && i < maker->run->nr_regions; i++)
		fine = ms_region_kind_is_part(maker->run->regions[i].kind) || i == MS_REGION_USER ||
		       add_callers(maker, i);
	return maker->callers && fine;
}

/*
 * Called functions belong to the place of what calls them. Calls that lead to a construct have no place:
 * what it does in each of them is in its own.
 */
static void add_places(struct maker *maker)
{
	for (size_t i = 0; i < maker->run->nr_regions; i++) {
		const struct run_region *region = &maker->run->regions[i];

		maker->place_of[i] = region->kind == MS_SUB_REGION && region->parent < i
					     ? maker->place_of[region->parent]
					     : PROFILE_NONE;
		if (region->kind != MS_DATA_STRUCTURE && region->kind != MS_SUB_REGION &&
		    region->kind != MS_CALL_REGION &&
		    (region->kind != MS_MUTEX || run_region_is_lock(region)))
			add_place(maker, region);
	}
}

static void add_arrays(struct maker *maker)
{
	struct profile *profile = maker->profile;

	for (size_t i = 0; i < maker->run->nr_arrays; i++) {
		const struct run_array *array = &maker->run->arrays[i];
		bool allocated = !array->name || !*array->name;

		if (!ARENA_GROW(maker->arena, profile->arrays, profile->nr_arrays,
				profile->room_arrays))
			return;
		profile->data_bytes += run_array_is_stack(array) ? 0 : (double)array->bytes;
		profile->arrays[profile->nr_arrays++] = (struct profile_array){
			.kind = copy(maker, array->kind),
			.name = copy(maker, array->name),
			.function = copy(maker, array->site_source.function),
			.file = copy(maker, allocated || !array->file || !*array->file
						    ? array->site_source.file
						    : array->file),
			.line = allocated ? array->site_source.line : array->line,
			.words = copy(maker, arrays_name(maker->scratch, maker->run, array)),
		};
	}
}

/* The arrays that a place accesses, in no order: names are added up. */
static void mark_arrays(struct maker *maker)
{
	for (size_t i = 0; i < maker->run->nr_regions; i++) {
		const struct run_region *region = &maker->run->regions[i];
		uint32_t array = run_region_array(region),
			 place = region->parent < i ? maker->place_of[region->parent]
						    : PROFILE_NONE;

		if (array >= maker->profile->nr_arrays || place == PROFILE_NONE ||
		    maker->run->regions[region->parent].kind == MS_SUB_REGION)
			continue;
		maker->profile->places[place].arrays +=
			hash_bytes(HASH_START, maker->profile->arrays[array].name,
				   strlen(maker->profile->arrays[array].name)) |
			1;
	}
}

/* ------------------------------------------------------------------ executions */

/*
 * As the performance database has it: times by the wall time in which they were observed, counts by
 * executions.
 */
static double phase_value(const struct maker *maker, const struct run_measurement *one)
{
	const struct run_phase *phase = &maker->run->phase;

	if (maker->is_time[one->row.metric] && one->observed_ns > 0 && phase->executions &&
	    phase->wall_ns > 0)
		return one->row.stat.sum / one->observed_ns * phase->wall_ns /
		       (double)phase->executions;
	return one->row.stat.sum / (double)one->phases;
}

static void add_count(double *rate, const struct run_region *region,
		      const struct run_measurement *one)
{
	double each = (double)one->row.stat.count / (double)one->phases;

	if (run_region_is_of_one_thread(region))
		*rate = (isnan(*rate) ? 0 : *rate) + each;
	else if (!(*rate >= each))
		*rate = each;
}

/*
 * Where the phase's loop is inside of a parallel region, that is measured in parts, which are less
 * than one an execution (array_use.c).
 */
static void mend_parts(const struct maker *maker)
{
	for (size_t i = 0; i < maker->run->nr_regions; i++)
		if (maker->run->regions[i].kind == MS_PARALLEL_REGION &&
		    maker->run->regions[i].parent == MS_REGION_USER && maker->typical[i] < 1 &&
		    maker->recorded[i] >= 1 && maker->recorded[i] <= 1)
			maker->typical[i] = maker->simulated[i] = 1;
}

static void add_executions(struct maker *maker, const struct run_measurement *one)
{
	const struct run_region *region = &maker->run->regions[one->row.region];
	uint32_t metric = one->row.metric;

	if (!one->phases)
		return;
	if (metric == MS_METRIC_TIME || metric == MS_METRIC_WALL_TIME ||
	    metric == MS_METRIC_TASK_TIME)
		add_count(&maker->typical[region->id], region, one);
	else if (metric == MS_METRIC_SIM_LOADS)
		add_count(&maker->simulated[region->id], region, one);
}

static void add_times(struct maker *maker, const struct run_measurement *one)
{
	struct times *times = &maker->times[one->row.region];
	uint32_t metric = one->row.metric;

	if (!one->phases)
		return;
	if (metric == MS_METRIC_LOCK_HELD)
		times->held += phase_value(maker, one);
	else if (metric == MS_METRIC_LOCK_ACQUISITIONS)
		times->taken += phase_value(maker, one);
	else if (metric == MS_METRIC_LOCK_WAIT)
		times->waited += phase_value(maker, one);
	else if (metric == MS_METRIC_WALL_TIME)
		times->wall += phase_value(maker, one);
}

/* Chunks of a loop that differ among executions or threads are handed out as threads come. */
static void mark_varying(struct maker *maker, const struct run_measurement *one)
{
	uint32_t place = maker->place_of[one->row.region];
	bool chunks = one->row.metric == MS_METRIC_CHUNKS && one->row.stat.max > 1;
	bool tasks = one->row.metric == MS_METRIC_TASKS && one->row.stat.sum > 0;

	if (place != PROFILE_NONE && (chunks || tasks))
		maker->varies = maker->profile->places[place].varies = true;
}

static bool count_executions(struct maker *maker)
{
	const struct run *run = maker->run;

	maker->typical = arena_alloc(maker->scratch,
				     (run->nr_regions + 1) * sizeof(*maker->typical));
	maker->simulated = arena_alloc(maker->scratch,
				       (run->nr_regions + 1) * sizeof(*maker->simulated));
	maker->times = arena_alloc(maker->scratch, (run->nr_regions + 1) * sizeof(*maker->times));
	maker->recorded = array_use_rates(maker->scratch, run);
	if (!maker->typical || !maker->simulated || !maker->times || !maker->recorded)
		return false;
	for (size_t i = 0; i < run->nr_regions; i++)
		maker->typical[i] = maker->simulated[i] = NAN;
	for (size_t i = 0; i < run->nr_measurements; i++)
		if (run->measurements[i].row.region < run->nr_regions) {
			add_executions(maker, &run->measurements[i]);
			add_times(maker, &run->measurements[i]);
			mark_varying(maker, &run->measurements[i]);
		}
	mend_parts(maker);
	return true;
}

static void mark_recorded(struct maker *maker)
{
	for (size_t i = 0; i < maker->run->nr_regions; i++) {
		uint32_t place = maker->place_of[i];

		if (place == PROFILE_NONE || ms_region_kind_is_part(maker->run->regions[i].kind))
			continue;
		maker->profile->places[place].executed = maker->typical[i] > 0;
		maker->profile->places[place].recorded = maker->recorded[i] > 0;
	}
}

/* Marks places whose accesses were recorded in bursts only. */
static void mark_bursts(struct maker *maker)
{
	for (size_t i = 0; i < maker->run->nr_missing; i++) {
		const struct run_missing *missing = &maker->run->missing[i];

		if (missing->why == MS_MISSING_NOT_WHOLE &&
		    missing->region < maker->run->nr_regions &&
		    maker->place_of[missing->region] != PROFILE_NONE)
			maker->profile->places[maker->place_of[missing->region]].bursts = true;
	}
}

/*
 * Whether a region was measured in the executions in which the one around it was, and was executed
 * in none of them.
 */
static bool is_exceptional(const struct maker *maker, const struct run_region *region)
{
	return region->parent < region->id && isnan(maker->typical[region->id]) &&
	       maker->typical[region->parent] > 0 && region->parent != MS_REGION_USER;
}

/*
 * What a recorded value is to be multiplied by; 0: the region is not executed in a typical
 * execution of the phase.
 */
static double weight_of(const struct maker *maker, uint32_t region, uint32_t metric)
{
	const struct run_region *construct = finding_construct(maker->run,
							       &maker->run->regions[region]);
	unsigned int sensor = ms_metric_info(metric)->sensor;
	double observed = 0;

	if (!construct || (sensor != MS_SENSOR_ACCESSES && sensor != MS_SENSOR_SIMULATED))
		return 1;
	if (is_exceptional(maker, construct))
		return 0;
	observed = sensor == MS_SENSOR_ACCESSES ? maker->recorded[construct->id]
						: maker->simulated[construct->id];
	return observed > 0 && maker->typical[construct->id] > 0
		       ? maker->typical[construct->id] / observed
		       : 1;
}

/* Marks constructs whose work goes to the threads that arrive first. */
static void mark_kinds(struct maker *maker)
{
	for (size_t i = 0; i < maker->profile->nr_places; i++) {
		enum ms_region_kind kind = maker->profile->places[i].kind;

		if (kind == MS_SINGLE_REGION || kind == MS_SECTIONS_REGION ||
		    kind == MS_TASK_REGION)
			maker->varies = maker->profile->places[i].varies = true;
	}
}

/* ------------------------------------------------------------------ values */

/*
 * Whether runs of one binary have the same value of a data structure. Not where the runtime
 * distributes the work; nor on stacks, whose lines depend on the environment's size; nor misses
 * behind other executions than whole ones of the phase.
 */
static bool is_repeated(const struct maker *maker, uint32_t place, uint32_t array, uint32_t metric)
{
	unsigned int sensor = ms_metric_info(metric)->sensor;

	if (array == PROFILE_NONE || run_array_is_stack(&maker->run->arrays[array]))
		return false;
	if (sensor == MS_SENSOR_SIMULATED)
		return maker->profile->basis != RUN_BASIS_MIXED;
	if (maker->profile->places[place].bursts && maker->profile->basis != RUN_BASIS_BURSTS)
		return false;
	return sensor == MS_SENSOR_ACCESSES && !maker->profile->places[place].varies;
}

/* Room for exactly this number more, as a million values are most of a profile. */
static bool reserve_values(struct maker *maker, size_t nr)
{
	struct profile *profile = maker->profile;
	size_t room = profile->nr_values + nr;
	struct profile_value *values;

	if (room <= profile->room_values)
		return true;
	if (profile->nr_values && room < 2 * profile->room_values)
		room = 2 * profile->room_values; /* there may be more to come */
	values = arena_alloc(maker->arena, room * sizeof(*values));
	if (!values)
		return false;
	if (profile->nr_values)
		memcpy(values, profile->values, profile->nr_values * sizeof(*values));
	profile->values = values;
	profile->room_values = room;
	return true;
}

/* Makes values of the sums of a cell; there is room. */
static void add_cell(struct maker *maker, uint32_t cell, struct profile_value value)
{
	const struct sum *sums = &maker->sums.table[cell * maker->sums.nr_rows];
	struct profile *profile = maker->profile;

	for (value.metric = 0; value.metric < maker->sums.nr_rows; value.metric++) {
		value.value = sums[value.metric].value;
		value.uncertain = sums[value.metric].uncertain;
		if (!isnan(value.value))
			profile->values[profile->nr_values++] = value;
	}
}

static bool is_of_data(uint32_t metric)
{
	unsigned int sensor = ms_metric_info(metric)->sensor;

	return sensor == MS_SENSOR_ACCESSES || sensor == MS_SENSOR_SIMULATED;
}

static uint32_t cell_of_array(const struct maker *maker, uint32_t region)
{
	return (uint32_t)maker->profile->nr_places + region;
}

/* Of what was added up, all threads together or one. */
static bool add_cells(struct maker *maker)
{
	uint32_t nr_places = (uint32_t)maker->profile->nr_places;

	if (!reserve_values(maker, maker->sums.nr_values))
		return false;
	for (size_t i = 0; i < maker->sums.nr_used; i++) {
		uint32_t cell = maker->sums.used[i];
		struct profile_value value = { .place = cell,
					       .array = PROFILE_NONE,
					       .part = maker->part };

		if (cell >= nr_places) {
			const struct run_region *region = &maker->run->regions[cell - nr_places];

			value.place = maker->place_of[region->parent];
			value.array = run_region_array(region);
		}
		add_cell(maker, cell, value);
	}
	sums_clear(&maker->sums);
	return true;
}

static bool is_compared(const struct maker *maker, uint32_t metric)
{
	return maker->sums.rows_of[metric].nr && !ms_metric_info(metric)->gauge;
}

/* The construct around a region; MS_REGION_USER: there is none. */
static uint32_t construct_around(const struct run *run, uint32_t region)
{
	do
		region = run->regions[region].parent < region ? run->regions[region].parent
							      : MS_REGION_USER;
	while (region != MS_REGION_USER && ms_region_kind_is_part(run->regions[region].kind));
	return region;
}

/*
 * Adds to a construct, to those around it where they include it, and to the phase. The construct
 * MS_REGION_USER is the phase alone. Values of threads are not added up over constructs.
 */
static void add_upwards(struct maker *maker, uint32_t construct, uint32_t metric, struct sum sum)
{
	for (size_t i = 0; maker->by == PROFILE_BY_CALLER && i < maker->callers[construct].nr; i++)
		sums_add(&maker->sums, maker->callers[construct].places[i], metric, sum);
	for (; construct != MS_REGION_USER;
	     construct = maker->is_exclusive[metric] ? MS_REGION_USER
						     : construct_around(maker->run, construct))
		if (maker->place_of[construct] != PROFILE_NONE)
			sums_add(&maker->sums, maker->place_of[construct], metric, sum);
	if (maker->part == PROFILE_NONE)
		sums_add(&maker->sums, maker->place_of[MS_REGION_USER], metric, sum);
}

/*
 * A region's value is certain as far as it is the sum of certain values of data structures. Values
 * of single threads are not certain: a thread has the same share of a loop in the next run, but
 * perhaps another core.
 */
static void add_of_array(struct maker *maker, uint32_t region, uint32_t metric, double value)
{
	uint32_t array = finding_array_of_construct(maker->run, region),
		 parent = maker->run->regions[region].parent;
	bool repeated;

	if (array >= maker->run->nr_arrays || parent >= region ||
	    maker->place_of[parent] == PROFILE_NONE)
		return;
	repeated = is_repeated(maker, maker->place_of[parent], array, metric);
	if (maker->part == PROFILE_NONE)
		sums_add(&maker->sums, cell_of_array(maker, region), metric,
			 (struct sum){ value, repeated ? 0 : value });
	if (repeated &&
	    (maker->part == PROFILE_NONE || ms_metric_info(metric)->sensor == MS_SENSOR_ACCESSES))
		add_upwards(maker, construct_around(maker->run, region), metric,
			    (struct sum){ 0, -value });
}

/*
 * A construct with its inner ones where these have other weights, as a loop that is executed in the
 * first step alone: what is inside leaves the value with the weight of the construct around it and
 * comes back with its own.
 */
static void add_of_construct(struct maker *maker, uint32_t region, uint32_t metric, double value,
			     double weight)
{
	uint32_t around = construct_around(maker->run, region);
	double outer = around == MS_REGION_USER ? 0 : weight_of(maker, around, metric);

	if (weight > 0)
		add_upwards(maker, region, metric, (struct sum){ weight * value, weight * value });
	if (!maker->is_exclusive[metric] && outer > 0)
		add_upwards(maker, around, metric, (struct sum){ -outer * value, -outer * value });
}

static void take_error(struct profile_error *into, double error, double executions)
{
	into->executions = into->executions > 0 ? fmin(into->executions, executions) : executions;
	into->error += error;
}

/* Of a construct, and of the phase as far as that is the sum of constructs. */
static void add_error(struct maker *maker, const struct run_measurement *one, double weight)
{
	const struct ms_stat *stat = &one->row.stat;
	uint32_t metric = one->row.metric, region = one->row.region,
		 place = maker->place_of[region];
	double nr = (double)stat->count, phases = (double)one->phases, each = nr / phases;
	double mean = stat->sum / nr, variance = (stat->sum_squares - stat->sum * mean) / (nr - 1);
	double error = nr >= 2 && variance > ROUNDING * mean * mean
			       ? weight * each * sqrt(variance / phases) * phase_value(maker, one) /
					 (stat->sum / phases)
			       : NAN;
	bool outermost = maker->is_exclusive[metric] ||
			 construct_around(maker->run, region) == MS_REGION_USER;

	for (uint32_t i = 0; i < maker->sums.rows_of[metric].nr && place != PROFILE_NONE; i++) {
		uint32_t row = maker->sums.rows_of[metric].rows[i];

		take_error(&maker->profile->errors[place * maker->sums.nr_rows + row], error,
			   phases);
		if (outermost)
			take_error(&maker->profile->errors[maker->place_of[MS_REGION_USER] *
								   maker->sums.nr_rows +
							   row],
				   error, phases);
	}
}

/* Of the lock alone: the phase has the values of the places that take it. */
static void add_of_lock(struct maker *maker, uint32_t region, uint32_t metric, double value)
{
	if (maker->place_of[region] != PROFILE_NONE)
		sums_add(&maker->sums, maker->place_of[region], metric,
			 (struct sum){ value, value });
}

static void add_measurement(struct maker *maker, const struct run_measurement *one)
{
	uint32_t region = one->row.region, metric = one->row.metric;
	enum ms_region_kind kind;
	double weight;

	if (!one->phases || region >= maker->run->nr_regions || !is_compared(maker, metric))
		return;
	kind = maker->run->regions[region].kind;
	weight = weight_of(maker, region, metric);
	if (kind == MS_DATA_STRUCTURE) {
		if (weight > 0)
			add_of_array(maker, region, metric, weight * phase_value(maker, one));
	} else if (kind == MS_MUTEX) {
		add_of_lock(maker, region, metric, phase_value(maker, one));
	} else if (!ms_region_kind_is_part(kind) && kind != MS_USER_REGION) {
		add_of_construct(maker, region, metric, phase_value(maker, one), weight);
		if (maker->part == PROFILE_NONE && !is_of_data(metric))
			add_error(maker, one, weight);
	}
}

/* ------------------------------------------------------------------ threads */

#define DIGIT_BITS 11

/* Sorts numbers of measurements by one digit of their threads, and keeps their order otherwise. */
static void sort_by_digit(const struct run *run, const uint32_t *from, uint32_t *to,
			  unsigned int shift)
{
	size_t begin[(1 << DIGIT_BITS) + 1] = { 0 };

	for (size_t i = 0; i < run->nr_measurements; i++)
		begin[(run->measurements[i].row.thread >> shift & ((1 << DIGIT_BITS) - 1)) + 1]++;
	for (size_t i = 1; i <= 1 << DIGIT_BITS; i++)
		begin[i] += begin[i - 1];
	for (size_t i = 0; i < run->nr_measurements; i++)
		to[begin[run->measurements[from[i]].row.thread >> shift &
			 ((1 << DIGIT_BITS) - 1)]++] = from[i];
}

/* Numbers of the measurements, thread by thread. NULL: no memory. */
static const uint32_t *by_thread(struct maker *maker)
{
	const struct run *run = maker->run;
	uint32_t *order = arena_alloc(maker->scratch, (run->nr_measurements + 1) * sizeof(*order)),
		 most = 0;
	uint32_t *other = arena_alloc(maker->scratch, (run->nr_measurements + 1) * sizeof(*other));

	for (uint32_t i = 0; order && i < run->nr_measurements; i++) {
		order[i] = i;
		most = run->measurements[i].row.thread > most ? run->measurements[i].row.thread
							      : most;
	}
	for (unsigned int shift = 0; order && other && shift < 32 && most >> shift;
	     shift += DIGIT_BITS) {
		uint32_t *sorted = other;

		sort_by_digit(run, order, sorted, shift);
		other = order;
		order = sorted;
	}
	return other ? order : NULL;
}

static bool add_threads(struct maker *maker)
{
	const struct run *run = maker->run;
	const uint32_t *order = by_thread(maker);
	bool fine = order;

	for (size_t i = 0; i < run->nr_measurements && fine; i++) {
		const struct run_measurement *one = &run->measurements[order[i]];

		if (one->row.thread != maker->part)
			fine = add_cells(maker);
		maker->part = one->row.thread;
		add_measurement(maker, one);
	}
	return fine && add_cells(maker);
}

/* ------------------------------------------------------------------ lines and instructions */

struct field {
	size_t at;
	enum ms_metric metric;
};

static const struct field miss_fields[] = {
#define FIELD(field, id) { offsetof(struct run_misses, field), MS_METRIC_SIM_##id }
	FIELD(l1, L1D_MISSES),
	FIELD(l2, L2D_MISSES),
	FIELD(l3, L3D_MISSES),
	FIELD(cold, COLD),
	FIELD(capacity, CAPACITY),
	FIELD(conflict, CONFLICT),
	FIELD(true_sharing, TRUE_SHARING),
	FIELD(false_sharing, FALSE_SHARING),
	FIELD(local, DRAM_LOCAL),
	FIELD(remote, DRAM_REMOTE),
	FIELD(transfers, HITM),
	FIELD(prefetched, PREFETCHED),
	FIELD(prefetches, DRAM_PREFETCHES),
	FIELD(write_backs, WRITE_BACKS),
	FIELD(page_walks, TLB_WALKS),
	FIELD(fetched, FETCHED_BYTES),
	FIELD(used, USED_BYTES),
	FIELD(cycles, STALL_CYCLES),
#undef FIELD
};

/* Reads, writes, both and bytes besides. */
#define VALUES_OF_ACCESS (sizeof(miss_fields) / sizeof(miss_fields[0]) + 4)

static bool is_level(const struct run *run, enum ms_metric metric)
{
	unsigned int level = metric == MS_METRIC_SIM_L1D_MISSES   ? 1
			     : metric == MS_METRIC_SIM_L2D_MISSES ? 2
			     : metric == MS_METRIC_SIM_L3D_MISSES ? 4
								  : 0;

	return !level || !run->modelled.levels || (run->modelled.levels & level);
}

static uint32_t add_part(struct maker *maker, const struct run_access *access, uint32_t place)
{
	struct profile *profile = maker->profile;
	const char *array = access->array < profile->nr_arrays ? profile->arrays[access->array].name
							       : "";
	bool instruction = maker->by == PROFILE_BY_INSTRUCTION;

	if (!ARENA_GROW(maker->arena, profile->parts, profile->nr_parts, profile->room_parts))
		return PROFILE_NONE;
	profile->parts[profile->nr_parts] = (struct profile_part){
		.place = place,
		.function = copy(maker, access->source.function),
		.file = copy(maker, access->source.file),
		.line = access->source.line,
		.offset = instruction || !access->source.line ? access->address.offset : 0,
		.accesses = hash_bytes(HASH_START, array, strlen(array)) +
			    (uint64_t)(access->reads > 0) * 2 + (uint64_t)(access->writes > 0),
	};
	return (uint32_t)profile->nr_parts++;
}

static uint32_t cell_of_access(const struct maker *maker)
{
	return (uint32_t)(maker->profile->nr_places + maker->run->nr_regions);
}

static void add_of_access(struct maker *maker, const struct profile_value *of, uint32_t metric,
			  double value)
{
	sums_add(&maker->sums, cell_of_access(maker), metric,
		 (struct sum){ value,
			       is_repeated(maker, of->place, of->array, metric) ? 0 : value });
}

static bool add_access(struct maker *maker, const struct run_access *access, double simulations)
{
	const struct run *run = maker->run;
	double executions = run_access_executions(access),
	       count = (double)(access->reads + access->writes);
	uint32_t place = access->region < run->nr_regions ? maker->place_of[access->region]
							  : PROFILE_NONE;
	struct profile_value value = { .place = place,
				       .array = access->array < run->nr_arrays ? access->array
									       : PROFILE_NONE };
	double typical, weight;

	if (place == PROFILE_NONE || !(executions > 0) ||
	    is_exceptional(maker, &run->regions[access->region]))
		return true;
	typical = maker->typical[access->region] > 0 ? maker->typical[access->region]
						     : maker->recorded[access->region];
	weight = weight_of(maker, access->region, MS_METRIC_SIM_LOADS);
	value.part = add_part(maker, access, place);
	if (value.part == PROFILE_NONE)
		return false;
	add_of_access(maker, &value, MS_METRIC_READS, (double)access->reads / executions * typical);
	add_of_access(maker, &value, MS_METRIC_WRITES,
		      (double)access->writes / executions * typical);
	add_of_access(maker, &value, MS_METRIC_READ_BYTES,
		      count * access->bytes / executions * typical);
	for (size_t i = 0; i < sizeof(miss_fields) / sizeof(miss_fields[0]) && simulations > 0 &&
			   access->misses.reads + access->misses.writes;
	     i++)
		if (is_level(run, miss_fields[i].metric))
			add_of_access(
				maker, &value, miss_fields[i].metric,
				weight *
					(double)*(const uint64_t *)((const char *)&access->misses +
								    miss_fields[i].at) /
					simulations);
	add_cell(maker, cell_of_access(maker), value);
	sums_clear(&maker->sums);
	return true;
}

static bool add_accesses(struct maker *maker)
{
	const struct run *run = maker->run;
	double simulations = misses_executions(run);
	bool fine = reserve_values(maker, run->nr_accesses * VALUES_OF_ACCESS);

	for (size_t i = 0; i < run->nr_accesses && fine; i++)
		fine = add_access(maker, &run->accesses[i], simulations);
	return fine;
}

static bool add_values(struct maker *maker)
{
	const struct run *run = maker->run;
	bool by_access = maker->by == PROFILE_BY_LINE || maker->by == PROFILE_BY_INSTRUCTION, fine;

	maker->part = PROFILE_NONE;
	if (!sums_init(maker->scratch, &maker->sums,
		       maker->profile->nr_places + run->nr_regions + 1))
		return false;
	maker->profile->errors = arena_alloc(maker->arena, maker->profile->nr_places *
								   maker->sums.nr_rows *
								   sizeof(*maker->profile->errors));
	if (!maker->profile->errors)
		return false;
	for (size_t i = 0; i < run->nr_measurements; i++)
		add_measurement(maker, &run->measurements[i]);
	fine = add_cells(maker) && (maker->by != PROFILE_BY_THREAD || add_threads(maker));
	return fine && (!by_access || add_accesses(maker));
}

/* ------------------------------------------------------------------ findings */

static void set_value(struct maker *maker, struct profile_finding *finding,
		      const struct run_node *node)
{
	const struct ms_reading *rate = finding_rate(node);

	finding->value = NAN;
	if (rate) {
		finding->value = rate->value;
		finding->value_name = "rate";
		finding->value_unit = "";
	}
	for (size_t i = 0; i < node->nr_evidence && !finding->value_name; i++) {
		if (node->evidence[i].reading.missing != MS_PRESENT || !node->evidence[i].name)
			continue;
		finding->value = node->evidence[i].reading.value;
		finding->value_name = copy(maker, node->evidence[i].name);
		finding->value_unit = copy(maker, node->evidence[i].unit);
	}
}

static bool add_finding(struct maker *maker, const struct run_node *node)
{
	struct profile *profile = maker->profile;
	bool is_modelled = node->rung == MS_RUNG_SIMULATED;
	const struct run_region *region = finding_region(maker->run, node);
	struct profile_finding finding = {
		.property = copy(maker, node->property),
		.title = copy(maker, finding_title(maker->scratch, node)),
		.place = region ? maker->place_of[region->id] : PROFILE_NONE,
		.array = PROFILE_NONE,
		.severity = node->severity,
		.low = node->severity_low,
		.high = node->severity_high,
		.of_data = is_modelled || (node->severity_of_model && !node->events),
		.open = node->state != MS_NODE_TRUE,
	};
	uint32_t array = node->region < maker->run->nr_regions
				 ? run_region_array(&maker->run->regions[node->region])
				 : UINT32_MAX;

	if (array < profile->nr_arrays) {
		finding.array = array;
		finding.of_data = is_modelled || !node->events;
	}
	set_value(maker, &finding, node);
	if (!ARENA_GROW(maker->arena, profile->findings, profile->nr_findings,
			profile->room_findings))
		return false;
	profile->findings[profile->nr_findings++] = finding;
	return true;
}

/* Whether other executions of the phase would not have it. */
static bool is_of_exception(const struct maker *maker, const struct run_node *node)
{
	const struct run_region *region = node->region < maker->run->nr_regions
						  ? finding_construct(
							    maker->run,
							    &maker->run->regions[node->region])
						  : NULL;

	return region && is_exceptional(maker, region);
}

static bool add_findings(struct maker *maker)
{
	bool fine = true;

	for (size_t i = 0; i < maker->run->nr_nodes && fine; i++)
		if (maker->run->nodes[i].state != MS_NODE_FALSE &&
		    !is_of_exception(maker, &maker->run->nodes[i]))
			fine = add_finding(maker, &maker->run->nodes[i]);
	return fine;
}

static bool add_cause(struct maker *maker, const struct cause *cause)
{
	struct profile *profile = maker->profile;
	bool known = cause->region < maker->run->nr_regions;
	struct profile_finding finding = {
		.property = cause->kind == CAUSE_PROPERTY && cause->worst
				    ? copy(maker, cause->worst->property)
				    : cause_name(cause->kind),
		.title = copy(maker, cause_title(maker->scratch, cause)),
		.place = known ? maker->place_of[cause->region] : PROFILE_NONE,
		.array = cause->nr_arrays ? cause->arrays[0].array : PROFILE_NONE,
		.severity = cause->low,
		.low = cause->low,
		.high = cause->high,
		.value = NAN,
		.of_data = cause->nr_arrays > 0,
	};

	if (finding.array >= profile->nr_arrays)
		finding.array = PROFILE_NONE;
	if (!ARENA_GROW(maker->arena, profile->causes, profile->nr_causes, profile->room_causes))
		return false;
	profile->causes[profile->nr_causes++] = finding;
	return true;
}

/* On the machine that the program ran on, and on the simulated one. */
static bool add_causes(struct maker *maker)
{
	bool fine = true;

	for (int of_model = 0; of_model < 2; of_model++) {
		const struct cause *causes;
		size_t nr = causes_of(maker->scratch, maker->run, of_model, &causes);

		for (size_t i = 0; i < nr && fine; i++)
			fine = add_cause(maker, &causes[i]);
	}
	return fine;
}

/* ------------------------------------------------------------------ resources */

static bool add_use(struct maker *maker, enum profile_resource kind, uint32_t region, double used,
		    double hold_ns, double waited_ns)
{
	struct profile *profile = maker->profile;

	if (!(used > 0) || maker->place_of[region] == PROFILE_NONE)
		return true;
	if (!ARENA_GROW(maker->arena, profile->uses, profile->nr_uses, profile->room_uses))
		return false;
	profile->uses[profile->nr_uses++] = (struct profile_use){ kind, maker->place_of[region],
								  used, hold_ns, waited_ns };
	return true;
}

/*
 * Bytes of the lines that come from this machine's memory, and go there, simulated, by the time of
 * the phase and the calibration.
 */
static double bandwidth_used(const struct maker *maker)
{
	const struct run *run = maker->run;
	struct misses_rows rows;
	double lines = 0;

	if (!run->modelled.here || !run->modelled.line ||
	    !(run->machine.attainable_bandwidth > 0) || !(maker->profile->phase_ns > 0))
		return 0;
	rows = misses_rows(maker->scratch, run, MISSES_BY_THREAD);
	for (size_t i = 0; i < rows.nr; i++)
		lines += rows.items[i].of.local + rows.items[i].of.remote +
			 rows.items[i].of.prefetches + rows.items[i].of.write_backs;
	return lines * run->modelled.line / (maker->profile->phase_ns * 1e-9) /
	       run->machine.attainable_bandwidth;
}

static double waited_for(const struct maker *maker, uint32_t mutex)
{
	double sum = 0;

	for (size_t i = 0; i < maker->run->nr_regions; i++)
		sum += maker->run->regions[i].mutex == mutex ? maker->times[i].waited : 0;
	return sum;
}

static bool add_uses(struct maker *maker)
{
	const struct run *run = maker->run;
	double phase_ns = maker->profile->phase_ns;
	bool fine;

	if (!(phase_ns > 0) || !run->nr_regions)
		return true;
	fine = add_use(maker, PROFILE_BANDWIDTH, MS_REGION_USER, bandwidth_used(maker), NAN, 0);
	for (uint32_t i = 1; i < run->nr_regions && fine; i++) {
		const struct times *times = &maker->times[i];

		if (run_region_is_lock(&run->regions[i]))
			fine = add_use(maker, PROFILE_LOCK, i, times->held / phase_ns,
				       times->taken > 0 ? times->held / times->taken : NAN,
				       waited_for(maker, i));
		else if (run->regions[i].kind == MS_SERIAL_REGION)
			fine = add_use(maker, PROFILE_SERIAL, i, times->wall / phase_ns, NAN, 0);
	}
	return fine;
}

/* ------------------------------------------------------------------ the run */

static const char *build_of(struct maker *maker)
{
	const char *program = base_name(maker->run->program ? maker->run->program : "");

	for (size_t i = 0; i < maker->run->nr_modules; i++)
		if (maker->run->modules[i].path &&
		    !strcmp(base_name(maker->run->modules[i].path), program))
			return copy(maker, maker->run->modules[i].build_id);
	return "";
}

static const char *environment_of(const struct maker *maker)
{
	const char *text = NULL;

	for (size_t i = 0; i < maker->run->nr_settings; i++) {
		const struct run_setting *one = &maker->run->settings[i];

		if (!strncmp(one->name, SETTING_ENVIRONMENT, strlen(SETTING_ENVIRONMENT)))
			text = arena_printf(maker->arena, "%s%s%s=%s", text ? text : "",
					    text ? " " : "",
					    one->name + strlen(SETTING_ENVIRONMENT), one->value);
	}
	return text ? text : "";
}

/* Arguments of the command line where no sweep names them. */
static const char *arguments_of(struct maker *maker)
{
	const char *set = run_setting(maker->run, SETTING_ARGUMENTS),
		   *command = maker->run->command ? maker->run->command : "";
	const char *blank = strchr(command, ' ');

	return copy(maker, set ? set : blank ? blank + 1 : "");
}

static void add_run(struct maker *maker)
{
	const struct run *run = maker->run;
	const char *threads = run_setting(run, SETTING_THREADS);
	struct profile *profile = maker->profile;

	*profile = (struct profile){
		.program = copy(maker, run->program),
		.command = copy(maker, run->command),
		.machine = copy(maker, run->modelled.name),
		.runtime = copy(maker, run->runtime),
		.cpu = copy(maker, run->machine.cpu_model),
		.host = copy(maker, run->machine.host_name),
		.build = build_of(maker),
		.binary = copy(maker, run_setting(run, SETTING_BINARY)),
		.arguments = arguments_of(maker),
		.environment = environment_of(maker),
		.placement = copy(maker, run->modelled.placement),
		.threads = threads ? (uint32_t)strtoul(threads, NULL, 10) : run->threads,
		.cpus = run->machine.cpus,
		.start_ns = run->start_realtime_ns,
		.complete = run->complete,
		.oversubscribed = run->threads > run->machine.cpus,
		.swapped_runtime = run->runtime_swapped,
		.lines_one_in = run->modelled.one_in,
		.steps = run->modelled.steps,
		.bandwidth = run->machine.attainable_bandwidth,
		.phase_ns = run->phase.executions
				    ? run->phase.wall_ns / (double)run->phase.executions
				    : NAN,
		.perturbation = run->sweep.unprofiled_ns > 0
					? run->sweep.profiled_ns / run->sweep.unprofiled_ns
					: run->cost.slowdown,
		.cache_bytes = (double)run->machine.cache_bytes,
		.executions = run->phase.executions,
		.method = run->phase.method,
	};
}

/* With what a record has no settings for. */
static bool add_settings(struct maker *maker)
{
	const struct run *run = maker->run;
	struct run_setting *settings = arena_alloc(maker->arena,
						   (run->nr_settings + 2) * sizeof(*settings));
	size_t nr = 0;

	for (size_t i = 0; settings && i < run->nr_settings; i++)
		settings[nr++] = (struct run_setting){ copy(maker, run->settings[i].name),
						       copy(maker, run->settings[i].value) };
	if (settings && !run_setting(run, SETTING_THREADS))
		settings[nr++] = (struct run_setting){ SETTING_THREADS,
						       arena_printf(maker->arena, "%u",
								    (unsigned int)run->threads) };
	if (settings && !run_setting(run, RUN_SETTING_MACHINE) && run->modelled.name)
		settings[nr++] = (struct run_setting){ RUN_SETTING_MACHINE,
						       copy(maker, run->modelled.name) };
	maker->profile->settings = settings;
	maker->profile->nr_settings = nr;
	return settings;
}

const char *profile_setting(const struct profile *profile, const char *name)
{
	for (size_t i = 0; i < profile->nr_settings; i++)
		if (!strcmp(profile->settings[i].name, name))
			return profile->settings[i].value;
	return NULL;
}

/* Caches are left behind by one region for the next: one that varies is enough. */
static const char *why_not_repeated(const struct maker *maker)
{
	const struct run_modelled *modelled = &maker->run->modelled;

	if (!modelled->name)
		return NULL;
	if (maker->varies)
		return "the runtime hands out work as threads come (dynamic loops, sections, tasks): simulated values differ from run to run";
	if (modelled->basis == RUN_BASIS_MIXED)
		return "no whole step was recorded on a side, so simulated values differ from run to run: let measuring cost more (--overhead 100%)";
	if (modelled->one_in > 1 || modelled->lost_accesses)
		return "some accesses or lines were not simulated on a side";
	return NULL;
}

static bool make(struct maker *maker)
{
	maker->place_of = arena_alloc(maker->scratch,
				      (maker->run->nr_regions + 1) * sizeof(*maker->place_of));
	if (!maker->place_of)
		return false;
	add_run(maker);
	if (!add_settings(maker))
		return false;
	add_places(maker);
	if (maker->by == PROFILE_BY_CALLER && !add_all_callers(maker))
		return false;
	add_arrays(maker);
	if (maker->profile->nr_arrays < maker->run->nr_arrays)
		return false;
	mark_arrays(maker);
	mark_kinds(maker);
	if (!count_executions(maker))
		return false;
	mark_recorded(maker);
	mark_bursts(maker);
	maker->profile->basis_why = why_not_repeated(maker);
	maker->profile->basis = maker->profile->basis_why
					? RUN_BASIS_MIXED
					: (enum run_basis)maker->run->modelled.basis;
	return add_values(maker) && add_findings(maker) && add_causes(maker) && add_uses(maker);
}

struct profile *profile_of(struct arena *arena, const struct run *run, enum profile_by by)
{
	struct maker maker = { .arena = arena,
			       .names = { .arena = arena },
			       .scratch = arena_new(),
			       .run = run,
			       .by = by };
	bool fine = false;

	for (uint32_t metric = 0; metric < MS_METRICS; metric++) {
		maker.is_time[metric] = !strcmp(ms_metric_info(metric)->unit, "ns");
		maker.is_exclusive[metric] = compared_is_exclusive(metric);
	}
	maker.profile = arena_alloc(arena, sizeof(*maker.profile));
	if (maker.profile && maker.scratch)
		fine = make(&maker);
	arena_free(maker.scratch);
	return fine ? maker.profile : NULL;
}
