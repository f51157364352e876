/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plans the next experiment: collects the metrics that candidates need and the database lacks, and
 * requests as many as the budget admits.
 */
#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/search/database_intervals.h"
#include "analysis/search/database_reading.h"
#include "analysis/search/engine_private.h"
#include "analysis/search/experiment_plan.h"
#include "analysis/search/experiment_slots.h"

/* Candidates in the queue that are tried after the first one the budget does not admit. */
#define MISFITS_MAX 64

/* ------------------------------------------------------------------ needs */

struct ms_request engine_request(const struct engine *engine, uint32_t metric, uint32_t region,
				 bool subregions)
{
	/* loops are found where they are: in the innermost construct that is asked */
	bool everywhere = ms_metric_info(metric)->sensor == MS_SENSOR_CLOCK ||
			  ms_metric_info(metric)->sensor == MS_SENSOR_LOOPS;
	uint32_t kinds = everywhere ? UINT32_MAX : engine->metrics.kinds[metric];
	struct ms_request request = { .metric = metric,
				      .region = region,
				      .thread = MS_REQUEST_ALL_THREADS };

	/* What is in a cache depends on all that ran before: a simulation is of everything. */
	if (ms_metric_info(metric)->sensor == MS_SENSOR_SIMULATED)
		return (struct ms_request){ .metric = metric,
					    .region = MS_REGION_USER,
					    .thread = MS_REQUEST_ALL_THREADS,
					    .flags = MS_REQUEST_SUBREGIONS };
	if (subregions && kinds) {
		request.flags = MS_REQUEST_SUBREGIONS;
		request.kinds = kinds == UINT32_MAX ? MS_REQUEST_ALL_KINDS : kinds;
	}
	return request;
}

/* What stands in for others is not measured while those can be. */
static bool is_stand_in(const struct engine *engine, const struct property *property,
			uint32_t metric, uint32_t region)
{
	const uint32_t *others;
	size_t nr = property_metric_instead(property, metric, &others);

	for (size_t i = 0; i < nr; i++)
		if (database_missing_why(engine->db, region, others[i]) != MS_PRESENT)
			return false;
	return nr > 0;
}

/* Functions below call sites are measured themselves. */
static bool is_part(const struct engine *engine, const struct ms_region_info *info)
{
	struct ms_region_info around;

	return ms_region_kind_is_part(info->kind) &&
	       !(info->kind == MS_SUB_REGION &&
		 database_region_info(engine->db, info->parent, &around) &&
		 around.kind == MS_CALL_REGION);
}

/* The code that can be measured: parts of a construct are seen where it is. */
static uint32_t construct_of(const struct engine *engine, uint32_t region)
{
	struct ms_region_info info;

	while (database_region_info(engine->db, region, &info) && is_part(engine, &info))
		region = info.parent;
	return region;
}

/*
 * A recording tells of all regions inside at once, samples and watchpoints of the data structures
 * in the construct.
 */
static bool tells_parts(uint32_t metric)
{
	enum ms_sensor_id sensor = ms_metric_info(metric)->sensor;

	return sensor == MS_SENSOR_ACCESSES || sensor == MS_SENSOR_LOOPS ||
	       sensor == MS_SENSOR_ADDRESSES || sensor == MS_SENSOR_WATCHPOINTS;
}

static void need(const struct engine *engine, struct needs *needs, uint32_t metric, uint32_t region,
		 bool subregions)
{
	if (database_missing_why(engine->db, region, metric) != MS_PRESENT)
		return; /* it cannot be had; asking does not help */
	region = construct_of(engine, region);
	if (database_is_dropped(engine->db, region, metric))
		return; /* likewise, from now on */
	subregions |= tells_parts(metric);
	needs->items[needs->nr++] = engine_request(engine, metric, region, subregions);
}

/*
 * Metrics of which every execution of a region yields a row, so that it is known to have been
 * executed.
 */
static bool is_witness(uint32_t metric)
{
	return metric == MS_METRIC_TIME || metric == MS_METRIC_WALL_TIME ||
	       metric == MS_METRIC_BARRIER_WAIT || metric == MS_METRIC_LOCK_WAIT ||
	       metric == MS_METRIC_READS ||
	       metric == MS_METRIC_TOOL_TIME; /* without it none is needed */
}

/*
 * The clock is cheap, and tells what was executed: where subregions matter it looks at all of them.
 */
static bool is_needed_below(const struct property *property, uint32_t metric)
{
	if (ms_metric_info(metric)->sensor == MS_SENSOR_CLOCK)
		return property_needs_subregions(property);
	return property_metric_kinds(property, metric) != 0;
}

static void need_all(const struct engine *engine, const struct property *property,
		     struct needs *needs, const uint32_t *metrics, size_t nr, uint32_t region)
{
	for (size_t i = 0; i < nr && i < MS_METRICS; i++)
		if (!is_stand_in(engine, property, metrics[i], region))
			need(engine, needs, metrics[i], region, false);
}

struct needs *experiment_needs(const struct engine *engine, const struct ms_candidate *candidate)
{
	const struct property *property = engine_property(engine, candidate->property);
	bool below = property_needs_subregions(property),
	     witness = candidate->region == MS_REGION_USER && !below;
	struct ms_region_info region;
	struct needs *out = engine->selection.needs;
	const uint32_t *metrics;
	size_t nr = property_metrics(property, &metrics);

	out->nr = 0;
	for (size_t i = 0; i < nr && i < MS_METRICS; i++) {
		if (is_stand_in(engine, property, metrics[i], candidate->region))
			continue;
		need(engine, out, metrics[i], candidate->region,
		     is_needed_below(property, metrics[i]));
		witness |= is_witness(metrics[i]);
	}
	if (!witness)
		need(engine, out, MS_METRIC_TIME, candidate->region, below);
	nr = property_phase_metrics(property, &metrics);
	need_all(engine, property, out, metrics, nr, MS_REGION_USER);
	nr = property_parent_metrics(property, &metrics);
	if (nr && database_region_info(engine->db, candidate->region, &region) &&
	    region.parent != MS_REGION_NONE)
		need_all(engine, property, out, metrics, nr, region.parent);
	nr = property_construct_metrics(property, &metrics);
	need_all(engine, property, out, metrics, nr, construct_of(engine, candidate->region));
	for (size_t i = 0; i < out->nr; i++)
		out->items[i].interval = candidate->interval;
	return out;
}

static struct database_observed observed(const struct engine *engine,
					 const struct ms_request *request, bool recent)
{
	unsigned int look = (request->flags & MS_REQUEST_SUBREGIONS ? DATABASE_BELOW : 0u) |
			    (recent ? DATABASE_RECENT : 0u);

	return database_observed_at(database_during(engine->db, request->interval), request->region,
				    request->metric, look);
}

static bool is_recorded(const struct ms_request *request)
{
	enum ms_sensor_id sensor = ms_metric_info(request->metric)->sensor;

	return sensor == MS_SENSOR_ACCESSES || sensor == MS_SENSOR_SIMULATED ||
	       sensor == MS_SENSOR_LOOPS;
}

static bool is_timed(const struct ms_request *request)
{
	return ms_metric_info(request->metric)->sensor == MS_SENSOR_LOOPS;
}

static bool is_cost_of_construct(const struct ms_request *request)
{
	return request->metric == MS_METRIC_TOOL_TIME && request->region != MS_REGION_USER;
}

/* The minimum, the sufficient, and twice that. */
enum amount { MINIMUM, SUFFICIENT, PLENTY };

/*
 * Recorded accesses are exact and expensive: one execution gives a verdict, a second one confirms
 * it. A simulation, the most expensive measurement, uses the same accesses.
 */
static bool is_enough(const struct engine *engine, const struct ms_request *request,
		      const struct database_observed *of, enum amount amount)
{
	const struct engine_config *config = &engine->config;
	uint64_t times = amount == PLENTY ? 2 : 1;

	if (ms_metric_info(request->metric)->sensor == MS_SENSOR_SIMULATED)
		return of->groups >= 1;
	if (is_recorded(request))
		return of->groups >= (amount == MINIMUM ? 1 : config->minimum_executions);
	/* more may be too expensive, which is the question */
	if (amount == MINIMUM && is_cost_of_construct(request))
		return of->groups >= 1;
	if (amount == MINIMUM)
		return of->groups >= config->minimum_executions && of->ns >= config->minimum_ns;
	return of->groups / times >= config->sufficient_executions &&
	       of->ns / (double)times >= config->sufficient_ns;
}

/* Part of the interval since its first observation. One recorded execution stands for all of it. */
static double covered_of(const struct database_observed *of, uint64_t groups)
{
	return groups ? 1 - (double)of->groups_before / (double)groups : 0;
}

struct seen experiment_seen(const struct engine *engine, const struct ms_candidate *candidate,
			    bool recent)
{
	struct seen seen = { .recent = recent,
			     .executions = UINT64_MAX,
			     .groups = UINT64_MAX,
			     .covered = 1,
			     .minimum = true,
			     .sufficient = true,
			     .plenty = true,
			     .unrecorded = true };
	const struct needs *needs = experiment_needs(engine, candidate);
	uint64_t groups = database_groups(database_during(engine->db, candidate->interval));

	for (size_t i = 0; i < needs->nr; i++) {
		const struct ms_request *request = &needs->items[i];
		struct database_observed of = observed(engine, request, recent);

		if (!is_recorded(request))
			seen.covered = fmin(seen.covered, covered_of(&of, groups));
		seen.executions = of.executions < seen.executions ? of.executions : seen.executions;
		seen.groups = of.groups < seen.groups ? of.groups : seen.groups;
		seen.unrecorded &= is_recorded(request) ||
				   is_enough(engine, request, &of, SUFFICIENT);
		seen.minimum &= is_enough(engine, request, &of, MINIMUM);
		seen.sufficient &= is_enough(engine, request, &of, SUFFICIENT);
		seen.plenty &= is_enough(engine, request, &of, PLENTY);
	}
	if (candidate->interval != MS_INTERVAL_WHOLE &&
	    seen.covered < engine->config.interval_covered)
		seen.minimum = seen.unrecorded = false;
	seen.sufficient &= seen.minimum;
	seen.plenty &= seen.sufficient;
	return seen;
}

/*
 * Not there yet: the minimum, then the sufficient, then twice that; `seen` NULL: as if nothing were
 * there.
 */
static bool is_missing(const struct engine *engine, const struct ms_request *request,
		       const struct seen *seen)
{
	struct database_observed of;

	if (!seen)
		return true;
	of = observed(engine, request, seen->recent);
	return !is_enough(engine, request, &of,
			  seen->sufficient ? PLENTY
			  : seen->minimum  ? SUFFICIENT
					   : MINIMUM);
}

/* ------------------------------------------------------------------ load */

static double threads_of(const struct engine *engine, uint32_t region)
{
	size_t threads = database_threads(engine->db, region, NULL, 0);

	if (!threads)
		threads = database_threads(engine->db, MS_REGION_USER, NULL, 0);
	return (double)(threads ? threads : 1);
}

/*
 * Of locks that a thread acquires more often than every 4 us one in 16 is measured, and the others
 * take a fifth of an event by the first guess of the budget (ompt_tool/events/mutex_sampling.h).
 */
#define LOCK_DISTANCE_NS 4000
#define LOCK_PART (1.0 / 16 + 0.2)

/* Those of a lock are events of the places that take it. */
static double part_measured(const struct engine *engine, uint32_t region, double executions)
{
	struct ms_region_info info;

	if (!database_region_info(engine->db, region, &info))
		return 1;
	if (info.kind == MS_MUTEX)
		return 0;
	return (info.kind == MS_CRITICAL_REGION || info.kind == MS_LOCK_REGION) &&
			       database_phase_ns(engine->db) < LOCK_DISTANCE_NS * executions
		       ? LOCK_PART
		       : 1;
}

/*
 * Events of a region in a mean execution, over all threads; as yet unknown ones count as one for
 * each of the team.
 */
static double events_of(const struct engine *engine, uint32_t region)
{
	struct database_view view;
	struct property_context context = database_context(&view, engine->db, DATABASE_ALL_BATCHES,
							   region);
	struct ms_reading reading = context.executions(context.data, region);
	double executions = reading.missing == MS_PRESENT ? reading.value : 1;

	return executions * part_measured(engine, region, executions) * threads_of(engine, region);
}

static double events_below(const struct engine *engine, const struct ms_request *request)
{
	uint32_t root = request->region;
	struct ms_region_info info;
	double events = events_of(engine, root);

	for (uint32_t region = database_walk(engine->db, root, root); region != MS_REGION_NONE;
	     region = database_walk(engine->db, root, region))
		if (database_region_info(engine->db, region, &info) &&
		    ms_request_wants(request, info.kind) &&
		    !database_is_dropped(engine->db, region, request->metric))
			events += events_of(engine, region);
	return events;
}

static struct property_totals totals_of(const struct engine *engine, uint32_t region,
					enum ms_metric metric)
{
	struct database_view view;
	struct property_context context = database_context(&view, engine->db, DATABASE_ALL_BATCHES,
							   region);

	return *context.totals(context.data, region, metric);
}

double experiment_time(const struct engine *engine, uint32_t region)
{
	struct property_totals totals = totals_of(engine, region, MS_METRIC_TIME);

	return totals.nr ? fmax(0, totals.max.value) : 0;
}

/*
 * Recording makes code slower in proportion: its load is the time of the region, in ns, on the
 * thread that is longest in it.
 */
static double time_of(const struct engine *engine, uint32_t region)
{
	struct property_totals totals = totals_of(engine, region, MS_METRIC_TIME);

	if (totals.nr && totals.max.value > 0)
		return totals.max.value;
	return database_phase_ns(engine->db); /* the whole phase has no times of its own */
}

/*
 * A sampled page fault takes 740 ns, with reading its ring (bench/samples.sh): the time of 15
 * region events by the first guess of the budget.
 */
#define FAULT_EVENTS 15

/* On the thread with most page faults, as far as these are known. */
static double faults_of(const struct engine *engine, uint32_t region)
{
	struct property_totals totals = totals_of(engine, region, MS_METRIC_MINOR_FAULTS);

	return totals.nr ? FAULT_EVENTS * fmax(0, totals.max.value) : 0;
}

static double load_of(const struct engine *engine, const struct ms_request *request)
{
	double events;

	if (is_recorded(request))
		return time_of(engine, request->region);
	events = request->flags & MS_REQUEST_SUBREGIONS ? events_below(engine, request)
							: events_of(engine, request->region);
	return ms_metric_info(request->metric)->sensor == MS_SENSOR_FAULTS
		       ? events + faults_of(engine, request->region)
		       : events;
}

/*
 * Whether the sensor is at work in this region already: then one more of its metrics costs nothing.
 */
static bool sensor_is_on(const struct request_set *set, const struct ms_request *request)
{
	enum ms_sensor_id sensor = ms_metric_info(request->metric)->sensor;

	struct ms_request other = *request;

	for (other.metric = 0; other.metric < MS_METRICS; other.metric++)
		if (ms_metric_info(other.metric)->sensor == sensor && request_set_has(set, &other))
			return true;
	return false;
}

/* Whether an earlier one of the needs brings the sensor to this region. */
static bool is_counted(const struct needs *needs, size_t at)
{
	const struct ms_request *request = &needs->items[at];

	for (size_t i = 0; i < at; i++) {
		const struct ms_request *other = &needs->items[i];

		if (ms_metric_info(other->metric)->sensor ==
			    ms_metric_info(request->metric)->sensor &&
		    other->region == request->region && request_covers(other, request))
			return true;
	}
	return false;
}

/* What else is recorded is known already, from a part of the accesses. */
static bool are_lines_alone(const struct needs *needs)
{
	size_t recorded = 0, lines = 0;

	for (size_t i = 0; i < needs->nr; i++) {
		recorded += is_recorded(&needs->items[i]);
		lines += ms_metric_is_of_lines(needs->items[i].metric);
	}
	return lines && lines == recorded;
}

/* Adds the load of the needs that are not requested already. */
static void load_add(const struct engine *engine, const struct needs *needs,
		     struct budget_load *load)
{
	for (size_t i = 0; i < needs->nr; i++) {
		const struct ms_request *request = &needs->items[i];

		if (is_counted(needs, i) || sensor_is_on(&engine->now.requests, request))
			continue;
		load->events[ms_metric_info(request->metric)->sensor] += load_of(engine, request);
	}
}

/* ------------------------------------------------------------------ selection */

/* Until there can be a verdict, beside those that were seen already; `seen` may be NULL. */
static double executions_needed(const struct engine *engine, const struct needs *needs,
				const struct seen *seen, double phase_ns)
{
	double executions = engine->config.minimum_executions;

	for (size_t i = 0; i < needs->nr; i++)
		if (is_recorded(&needs->items[i]))
			return 1;
	if (phase_ns > 0)
		executions = fmax(executions, ceil(engine->config.minimum_ns / phase_ns));
	return seen && !seen->minimum ? fmax(1, executions - (double)seen->executions) : executions;
}

static void drop_present(const struct engine *engine, struct needs *needs, const struct seen *seen)
{
	size_t kept = 0;

	for (size_t i = 0; i < needs->nr; i++)
		if (is_missing(engine, &needs->items[i], seen))
			needs->items[kept++] = needs->items[i];
	needs->nr = kept;
}

/* What is cheap comes first, as it may tell enough. */
static void put_off_recording(struct needs *needs)
{
	size_t kept = 0;

	for (size_t i = 0; i < needs->nr; i++)
		if (!is_recorded(&needs->items[i]))
			needs->items[kept++] = needs->items[i];
	if (kept)
		needs->nr = kept;
}

static bool admits(struct engine *engine, const struct needs *needs, const struct seen *seen,
		   struct budget_load *load)
{
	double phase_ns = database_phase_ns(engine->db);

	return budget_admits(&engine->budget, load, phase_ns,
			     executions_needed(engine, needs, seen, phase_ns),
			     !engine->now.requests.nr);
}

/* Of those that wait the one that is wanted most. */
static void wait_to_record(struct engine *engine, const struct budget_load *load)
{
	if (load->events[MS_SENSOR_ACCESSES] > 0 &&
	    engine->selection.waiting.events[MS_SENSOR_ACCESSES] <= 0)
		engine->selection.waiting = *load;
}

enum admission { ADMITTED, NO_ROOM, NO_BUDGET };

/* Requests what the needs have missing, as far as there are counters and the budget goes. */
static enum admission request_missing(struct engine *engine, struct needs *needs,
				      const struct seen *seen)
{
	struct budget_load load = engine->now.load;
	size_t slots = engine->now.slots.nr;

	drop_present(engine, needs, seen);
	if (!seen || !seen->unrecorded)
		put_off_recording(needs);
	if (!experiment_choose(engine, needs)) {
		experiment_left_out(engine, &engine->now.slots);
		return NO_ROOM;
	}
	load_add(engine, needs, &load);
	load.whole |= are_lines_alone(needs);
	if (budget_reserves(&engine->budget, &engine->selection.waiting, &load) ||
	    !admits(engine, needs, seen, &load)) {
		slots_shrink(&engine->now.slots, slots);
		wait_to_record(engine, &load);
		return NO_BUDGET;
	}
	engine->now.load = load;
	for (size_t i = 0; i < needs->nr; i++)
		request_set_add(&engine->now.requests, &needs->items[i]);
	return ADMITTED;
}

/*
 * Values come only while the interval is open. True: the node waits for that, not in the queue.
 */
static bool must_wait(struct engine *engine, struct history_node *node)
{
	if (engine_interval_is_open(engine, node->node.candidate.interval))
		return false;
	node->node.state = MS_NODE_PENDING;
	engine_enqueue(engine, node);
	return true;
}

/* Takes a node into the experiment if there is room. */
static enum admission admit(struct engine *engine, const struct history_node *node)
{
	struct seen seen = experiment_seen(engine, &node->node.candidate, node->recent);

	return request_missing(engine, experiment_needs(engine, &node->node.candidate), &seen);
}

static bool list_add(struct engine *engine, struct node_list *list, struct history_node *node)
{
	if (!ARENA_GROW(engine->arena, list->items, list->nr, list->room))
		return false;
	list->items[list->nr++] = node;
	return true;
}

static void experiment_begin(struct engine *engine)
{
	request_set_clear(&engine->now.requests);
	slots_clear(&engine->now.slots);
	engine->now.load = engine->selection.waiting = (struct budget_load){ 0 };
	engine->now.executions = 0;
	engine->now.program_ns = engine->now.tool_ns = 0;
	engine->now.retesting = false;
	engine->selection.kept_waiting = false;
	engine->extra.rests = experiment_extra_rests(engine);
}

/* The user's counters come first, unless they had all of them the last time and somebody waited. */
static void search_begin(struct engine *engine)
{
	experiment_begin(engine);
	engine->extra.last = engine->selection.crowded_out && !engine->extra.last;
	engine->selection.crowded = engine->selection.crowded_out = false;
	if (!engine->extra.last && !engine->extra.rests)
		experiment_take_extra(engine, &engine->now.slots);
}

/* The user's counters that have a slot, unless the account is overdrawn. */
static void request_extra(struct engine *engine)
{
	struct needs *needs = engine->selection.needs;
	struct budget_load load = engine->now.load;

	needs->nr = 0;
	for (size_t i = 0; i < engine->config.nr_extra; i++)
		if (database_missing_why(engine->db, MS_REGION_USER, engine->config.extra[i]) ==
			    MS_PRESENT &&
		    slots_has(&engine->now.slots, engine->config.extra[i]))
			needs->items[needs->nr++] = engine_request(engine, engine->config.extra[i],
								   MS_REGION_USER, true);
	/* the clock tells what was executed, and so what was not read */
	if (needs->nr)
		needs->items[needs->nr++] = engine_request(engine, MS_METRIC_TIME, MS_REGION_USER,
							   true);
	load_add(engine, needs, &load);
	if (!budget_admits(&engine->budget, &load, database_phase_ns(engine->db), 1,
			   !engine->now.requests.nr)) {
		engine->selection.kept_waiting |= needs->nr > 0;
		return;
	}
	engine->now.load = load;
	for (size_t i = 0; i < needs->nr; i++)
		request_set_add(&engine->now.output, &needs->items[i]);
}

/*
 * What is simulated was recorded, but nothing is simulated of what is only recorded. Times of loops
 * are measured by other copies of the code.
 */
static void publish_all_of(struct engine *engine, struct ms_request request)
{
	enum ms_sensor_id of = ms_metric_info(request.metric)->sensor;

	for (request.metric = 0; request.metric < MS_METRICS; request.metric++)
		if (ms_metric_info(request.metric)->sensor == of ||
		    (of != MS_SENSOR_LOOPS &&
		     ms_metric_info(request.metric)->sensor == MS_SENSOR_ACCESSES))
			request_set_add(&engine->now.output, &request);
}

static void publish_each(struct engine *engine, bool timed)
{
	for (size_t i = 0; i < engine->now.requests.nr; i++)
		if (is_recorded(&engine->now.requests.items[i]) &&
		    is_timed(&engine->now.requests.items[i]) == timed)
			publish_all_of(engine, engine->now.requests.items[i]);
}

/*
 * Recording slows code down many times, so that no time taken meanwhile is the program's: it is
 * measured alone. What it tells it tells of all its metrics. Accesses are recorded before loops are
 * timed, as the loops are known from them.
 */
static bool publish_recorded(struct engine *engine)
{
	publish_each(engine, false);
	if (!engine->now.output.nr)
		publish_each(engine, true);
	return engine->now.output.nr > 0;
}

/* What the strategy wants to see beside an experiment, where the account has room for it. */
static void request_by_products(struct engine *engine)
{
	struct needs *needs = engine->selection.needs;
	struct budget_load load = engine->now.load;

	needs->nr = 0;
	for (uint32_t metric = 0; metric < MS_METRICS; metric++)
		if (ms_metric_set_has(&engine->metrics.by_products, metric))
			need(engine, needs, metric, MS_REGION_USER, true);
	load_add(engine, needs, &load);
	if (!needs->nr || budget_reserves(&engine->budget, &engine->selection.waiting, &load) ||
	    !admits(engine, needs, NULL, &load))
		return;
	engine->now.load = load;
	for (size_t i = 0; i < needs->nr; i++)
		request_set_add(&engine->now.output, &needs->items[i]);
}

/* What events cost is known wherever they are timed. */
static void request_cost(struct engine *engine, struct ms_request request)
{
	if (ms_metric_info(request.metric)->sensor != MS_SENSOR_CLOCK ||
	    request.thread != MS_REQUEST_ALL_THREADS || !engine_reads(engine, MS_METRIC_TOOL_TIME))
		return;
	request.metric = MS_METRIC_TOOL_TIME;
	request_set_add(&engine->now.output, &request);
}

static void experiment_publish(struct engine *engine)
{
	request_set_clear(&engine->now.output);
	engine->now.recording = publish_recorded(engine);
	if (engine->now.recording)
		return;
	for (size_t i = 0; i < engine->now.requests.nr; i++) {
		request_set_add(&engine->now.output, &engine->now.requests.items[i]);
		request_cost(engine, engine->now.requests.items[i]);
	}
	if (engine->now.requests.nr && !engine->now.retesting)
		request_by_products(engine);
	if (!engine->config.nr_extra || engine->extra.rests)
		return;
	experiment_take_extra(engine, &engine->now.slots);
	request_extra(engine);
}

static void wait_in_queue(struct engine *engine, struct history_node *node)
{
	node->node.state = MS_NODE_PENDING;
	engine_enqueue(engine, node);
}

/* Others wait for a counter, and this one has had its turn: it waits behind them. */
static bool gives_way(const struct engine *engine, struct history_node *node,
		      const struct seen *seen)
{
	if (!engine->selection.was_crowded || !seen->minimum ||
	    !experiment_needs_counters(experiment_needs(engine, &node->node.candidate)))
		return false;
	node->turns = seen->sufficient ? 2 : 1;
	return true;
}

static size_t most_at_once(const struct engine *engine)
{
	return engine->config.active_max ? engine->config.active_max : SIZE_MAX;
}

/*
 * Whether a node under test stays active; one that no longer fits is discontinued, or waits if it
 * has too few observations.
 */
static bool keep(struct engine *engine, struct history_node *node, size_t kept)
{
	struct seen seen = experiment_seen(engine, &node->node.candidate, node->recent);
	enum admission admission = NO_BUDGET;

	if (must_wait(engine, node))
		return false;
	if (gives_way(engine, node, &seen)) {
		wait_in_queue(engine, node);
		return false;
	}
	if (kept < most_at_once(engine))
		admission = admit(engine, node);
	if (admission == ADMITTED)
		return true;
	engine->selection.kept_waiting |= admission == NO_BUDGET;
	if (admission == NO_BUDGET && seen.minimum)
		node->node.state = MS_NODE_DISCONTINUED;
	else
		wait_in_queue(engine, node);
	return false;
}

/* Those still under test come first. */
static void keep_active(struct engine *engine)
{
	size_t kept = 0;

	for (size_t i = 0; i < engine->queue.active.nr; i++) {
		struct history_node *node = engine->queue.active.items[i];

		if (node->node.state == MS_NODE_ACTIVE && keep(engine, node, kept))
			engine->queue.active.items[kept++] = node;
	}
	engine->queue.active.nr = kept;
}

static void fill_active(struct engine *engine)
{
	struct history_node *node;

	engine->selection.misfits.nr = 0;
	while (engine->queue.active.nr < most_at_once(engine) &&
	       engine->selection.misfits.nr < MISFITS_MAX &&
	       (node = history_pop(&engine->history))) {
		enum admission admission;

		if (node->node.state != MS_NODE_PENDING || must_wait(engine, node))
			continue; /* decided while it was waiting */
		admission = admit(engine, node);
		engine->selection.kept_waiting |= admission == NO_BUDGET;
		if (!list_add(engine,
			      admission == ADMITTED ? &engine->queue.active
						    : &engine->selection.misfits,
			      node))
			continue;
		if (admission == ADMITTED)
			node->node.state = MS_NODE_ACTIVE;
	}
	for (size_t i = 0; i < engine->selection.misfits.nr; i++)
		history_push(&engine->history, engine->selection.misfits.items[i]);
}

void experiment_select(struct engine *engine)
{
	engine->selection.was_crowded = engine->selection.crowded;
	search_begin(engine);
	engine_wake(engine);
	keep_active(engine);
	fill_active(engine);
	experiment_publish(engine);
}

static bool same_requests(const struct request_set *set, const struct ms_request *requests,
			  size_t nr)
{
	if (set->nr != nr)
		return false;
	for (size_t i = 0; i < nr; i++)
		if (!request_set_has(set, &requests[i]))
			return false;
	return true;
}

bool experiment_extra(struct engine *engine)
{
	struct ms_request before[MS_METRICS];
	size_t nr = engine->now.output.nr < MS_METRICS ? engine->now.output.nr : MS_METRICS;

	for (size_t i = 0; i < nr; i++)
		before[i] = engine->now.output.items[i];
	experiment_begin(engine);
	experiment_publish(engine);
	return !same_requests(&engine->now.output, before, nr);
}

/* The most general of what is false, however cheap: from these all others follow. */
static bool is_root(const struct engine_node *node)
{
	return node->candidate.parent == MS_NODE_NONE &&
	       (node->state == MS_NODE_TRUE || node->state == MS_NODE_FALSE);
}

static bool rests_on_recording(const struct engine *engine, const struct engine_node *node)
{
	const struct needs *needs = experiment_needs(engine, &node->candidate);

	for (size_t i = 0; i < needs->nr; i++)
		if (is_recorded(&needs->items[i]))
			return true;
	return false;
}

/*
 * All nodes that are or may be true, and the false ones directly below them; exact and expensive
 * metrics are not measured again.
 */
static bool is_worth_retesting(const struct engine *engine, const struct engine_node *node)
{
	const struct engine_node *parent = engine_node(engine, node->candidate.parent);

	if (rests_on_recording(engine, node) ||
	    !engine_interval_is_open(engine, node->candidate.interval))
		return false;
	if (node->state == MS_NODE_UNKNOWN)
		return node->verdict.missing == MS_MISSING_SCATTER;
	return node->state == MS_NODE_TRUE ||
	       (node->state == MS_NODE_FALSE && parent && parent->state == MS_NODE_TRUE);
}

/*
 * Adds what the node needs, as far as there is room. The first one that finds no counter begins
 * next time.
 */
static void request_again(struct engine *engine, const struct engine_node *node)
{
	bool crowded = engine->selection.crowded;

	if (request_missing(engine, experiment_needs(engine, &node->candidate), NULL) == NO_ROOM &&
	    !crowded)
		engine->selection.retest_first = node->id;
}

/*
 * Roots first; the others begin with another one each time, so that each gets its turn where not
 * all fit.
 */
void experiment_retest(struct engine *engine)
{
	uint32_t nr = (uint32_t)engine->history.nr, first = engine->selection.retest_first;

	search_begin(engine);
	engine->now.retesting = true;
	engine->selection.retest_first = nr ? (first + 1) % nr : 0;
	if (nr && engine->selection.was_left_out &&
	    is_worth_retesting(engine, engine_node(engine, first)))
		request_again(engine, engine_node(engine, first));
	for (uint32_t i = 0; i < nr; i++)
		if (is_root(engine_node(engine, (first + i) % nr)))
			request_again(engine, engine_node(engine, (first + i) % nr));
	for (uint32_t i = 0; i < nr; i++) {
		const struct engine_node *node = engine_node(engine, (first + i) % nr);

		if (!is_root(node) && is_worth_retesting(engine, node))
			request_again(engine, node);
	}
	engine->selection.was_left_out = engine->selection.crowded;
	experiment_publish(engine);
}
