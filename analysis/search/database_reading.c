/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The performance database: values with error and provenance, and the view properties have of it.
 */
#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/student.h"
#include "analysis/search/database.h"
#include "analysis/search/database_private.h"
#include "analysis/search/database_reading.h"

static struct ms_reading reading_missing(enum ms_missing why)
{
	return (struct ms_reading){ .missing = why };
}

static struct column *column_find(const struct database *db, uint32_t region, uint32_t metric)
{
	return region < db->nr_regions && metric < MS_METRICS
		       ? region_column(&db->regions[region], metric)
		       : NULL;
}

uint64_t database_observed(const struct database *db, uint32_t region, uint32_t metric)
{
	const struct column *column = column_find(db, region, metric);

	return column ? observation_executions(db, &column->all) : 0;
}

/* What was observed since the begin of the recent window. */
static void observation_since(const struct database *db, const struct observation *now,
			      const struct observation *then, int batch, double *ns,
			      uint64_t *executions)
{
	double ns_then = 0;
	uint64_t executions_then = 0;

	observation_sum(db, now, batch, ns, executions);
	observation_sum(db, then, batch, &ns_then, &executions_then);
	*ns = fmax(0, *ns - ns_then);
	*executions -= executions_then;
}

struct database_observed database_observed_at(const struct database *db, uint32_t region,
					      uint32_t metric, unsigned int look)
{
	static const struct observation nothing = { .groups = 0 };
	const struct column *column = column_find(db, region, metric);
	const struct column_mark *mark = column && look & DATABASE_RECENT
						 ? column_marked(db, column)
						 : NULL;
	const struct observation *now, *then = &nothing;
	struct database_observed observed = { .groups_before = db->total.groups };

	if (!column || (look & DATABASE_RECENT && !mark))
		return observed;
	now = look & DATABASE_BELOW ? &column->below : &column->all;
	if (mark)
		then = look & DATABASE_BELOW ? &mark->below : &mark->all;
	observation_since(db, now, then, DATABASE_ALL_BATCHES, &observed.ns, &observed.executions);
	observed.groups = observation_groups(db, now) - then->groups;
	if (now->begun)
		observed.groups_before = now->begin;
	return observed;
}

double database_observed_ns(const struct database *db, uint32_t region, uint32_t metric)
{
	const struct column *column = column_find(db, region, metric);

	return column ? observation_ns(db, &column->all) : 0;
}

uint64_t database_observed_below(const struct database *db, uint32_t region, uint32_t metric)
{
	const struct column *column = column_find(db, region, metric);

	return column ? observation_executions(db, &column->below) : 0;
}

size_t database_threads(const struct database *db, uint32_t region, uint32_t *out, size_t room)
{
	const struct team *team = region < db->nr_regions ? &db->regions[region].team : NULL;

	for (uint32_t i = 0; team && i < team->nr && i < room; i++)
		out[i] = team_thread(team, i);
	return team ? team->nr : 0;
}

/* Of these, every execution of a region yields at least one value, whatever its kind. */
static const uint32_t clocks[] = { MS_METRIC_TIME, MS_METRIC_WALL_TIME, MS_METRIC_BARRIER_WAIT,
				   MS_METRIC_LOCK_WAIT };

bool database_region_is_absent(const struct database *db, uint32_t region, uint64_t groups)
{
	if (region >= db->nr_regions || db->regions[region].seen)
		return false;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (db->missing[clocks[i]] == MS_PRESENT &&
		    database_observed_at(db, region, clocks[i], 0).groups < groups)
			return false;
	return true;
}

/* ------------------------------------------------------------------ values */

/* What one thread's values of a column are divided by. */
struct exposure {
	double ns;
	uint64_t executions;
};

static struct exposure exposure_of(const struct database *db, const struct column *column,
				   uint32_t thread, int batch)
{
	struct exposure exposure = { 0 };

	observation_sum(db, &column->all, batch, &exposure.ns, &exposure.executions);
	for (const struct thread_observation *only = column->threads; only; only = only->next)
		if (only->thread == thread)
			observation_sum(db, &only->seen, batch, &exposure.ns, &exposure.executions);
	return exposure;
}

/* Without what measuring them took: the executions in which they are measured are slower. */
static bool is_loop_time(uint32_t metric)
{
	return metric == MS_METRIC_LOOP_TIME || metric == MS_METRIC_LOOP_OWN_TIME;
}

bool database_is_time(uint32_t metric)
{
	return metric == MS_METRIC_SAMPLES ||
	       (!strcmp(ms_metric_info(metric)->unit, "ns") && !is_loop_time(metric));
}

static double count_scale(const struct exposure *exposure)
{
	return exposure->executions ? 1 / (double)exposure->executions : 0;
}

/* The phase takes longer where accesses are recorded; in these executions the clock is not read. */
static double loop_time_scale(const struct database *db, const struct exposure *exposure)
{
	double ns = database_observed_ns(db, MS_REGION_USER, MS_METRIC_WALL_TIME);
	uint64_t executions = database_observed(db, MS_REGION_USER, MS_METRIC_WALL_TIME);
	double longer = ns > 0 && executions ? database_phase_ns(db) * (double)executions / ns : 1;

	return longer * count_scale(exposure);
}

/* Factor that turns a sum into the value of one mean execution of the phase; < 0: not observed. */
static double exposure_scale(const struct database *db, uint32_t metric,
			     const struct exposure *exposure)
{
	if (!exposure->executions)
		return -1;
	if (is_loop_time(metric))
		return loop_time_scale(db, exposure);
	return database_is_time(metric) && exposure->ns > 0 ? database_phase_ns(db) / exposure->ns
							    : count_scale(exposure);
}

/* The same for all threads alike, which is nearly always so; kept until an observation changes. */
static const double *column_scales(const struct database *db, struct column *column)
{
	if (column->scale_version == db->version)
		return column->scale;
	column->scale_version = db->version;
	for (int batch = 0; batch <= DATABASE_BATCHES; batch++) {
		struct exposure exposure = exposure_of(
			db, column, MS_REQUEST_ALL_THREADS,
			batch < DATABASE_BATCHES ? batch : DATABASE_ALL_BATCHES);

		column->scale[batch] = exposure_scale(db, column->metric, &exposure);
	}
	return column->scale;
}

/* For one thread; `own` holds them when it was observed apart from the others. */
static const double *thread_scales(const struct database *db, struct column *column,
				   uint32_t thread, double own[DATABASE_BATCHES + 1])
{
	const struct thread_observation *only = column->threads;

	while (only && only->thread != thread)
		only = only->next;
	if (!only)
		return column_scales(db, column);
	for (int batch = 0; batch <= DATABASE_BATCHES; batch++) {
		struct exposure exposure = exposure_of(
			db, column, thread,
			batch < DATABASE_BATCHES ? batch : DATABASE_ALL_BATCHES);

		own[batch] = exposure_scale(db, column->metric, &exposure);
	}
	return own;
}

/* Of the recent window, for all threads alike. */
static const double *recent_scales(const struct database *db, struct column *column)
{
	static const double nothing[DATABASE_BATCHES + 1] = { -1, -1, -1, -1, -1 };
	struct column_mark *mark = column_marked(db, column) ? column->mark : NULL;

	if (!mark || mark->scale_version == db->version)
		return mark ? mark->scale : nothing;
	mark->scale_version = db->version;
	for (int batch = 0; batch <= DATABASE_BATCHES; batch++) {
		struct exposure exposure = { 0 };

		observation_since(db, &column->all, &mark->all,
				  batch < DATABASE_BATCHES ? batch : DATABASE_ALL_BATCHES,
				  &exposure.ns, &exposure.executions);
		mark->scale[batch] = exposure_scale(db, column->metric, &exposure);
	}
	return mark->scale;
}
_Static_assert(DATABASE_BATCHES == 4, "nothing was observed in four batches and in all");

/* In the recent window threads that were observed apart from the others have none. */
static struct exposure exposure_in(const struct database *db, const struct column *column,
				   uint32_t thread, bool recent, int batch)
{
	const struct column_mark *mark = recent ? column_marked(db, column) : NULL;
	struct exposure exposure = { 0 };

	if (!recent)
		return exposure_of(db, column, thread, batch);
	if (mark)
		observation_since(db, &column->all, &mark->all, batch, &exposure.ns,
				  &exposure.executions);
	return exposure;
}

/* For batches of which one is left out: not cached, because they are seldom read. */
static double scale_without(const struct database *db, const struct column *column, uint32_t thread,
			    bool recent, int batch)
{
	struct exposure exposure = exposure_in(db, column, thread, recent, batch);

	return exposure_scale(db, column->metric, &exposure);
}

static double cell_sum(const struct cell *cell, int batch)
{
	double sum = 0;

	if (batch >= 0)
		return cell->sum[batch];
	for (uint32_t i = 0; i < DATABASE_BATCHES; i++)
		sum += database_in(batch, i) ? cell->sum[i] : 0;
	return sum;
}

static uint64_t cell_count(const struct cell *cell, int batch)
{
	uint64_t count = 0;

	for (uint32_t i = 0; cell && i < DATABASE_BATCHES; i++)
		if (database_in(batch, i))
			count += cell->count[i];
	return count;
}

/* What came into a cell since the begin of the recent window; a gauge is what it is. */
static struct cell cell_since(const struct cell *cell, const struct column *column, uint32_t slot)
{
	struct cell since = *cell;

	if (ms_metric_info(column->metric)->gauge || slot >= column->mark->nr)
		return since;
	for (int batch = 0; batch < DATABASE_BATCHES; batch++) {
		since.sum[batch] -= column->mark->cells[slot].sum[batch];
		since.count[batch] -= column->mark->cells[slot].count[batch];
	}
	return since;
}

/* A cell that has a value, or NULL; the one of the recent window is put into `storage`. */
static const struct cell *cell_find(const struct database *db, const struct column *column,
				    uint32_t slot, bool recent, struct cell *storage)
{
	const struct cell *cell = column_cell(column, slot);

	if (cell && recent) {
		if (!column_marked(db, column))
			return NULL;
		*storage = cell_since(cell, column, slot);
		cell = storage;
	}
	return cell && !cell_is_empty(cell) ? cell : NULL;
}

/* Half width of the 95 % interval of the mean execution, from the spread over the batches. */
static double batch_error(const struct cell *cell, const double *scales)
{
	double values[DATABASE_BATCHES];
	size_t nr = 0;

	for (int batch = 0; batch < DATABASE_BATCHES; batch++)
		if (scales[batch] >= 0)
			values[nr++] = cell->sum[batch] * scales[batch];
	return student_half_width(values, nr);
}

/*
 * Counts of random samples vary as Poisson's law says; of 0 seen the bound is that of 1. `each`:
 * what a sample adds to the sum.
 */
static double poisson_error(double sum, double each, double scale)
{
	return 1.96 * sqrt((sum > each ? sum : each) * each) * scale;
}

/*
 * A slow access: what most of the waiting is made of, so that the error of the sum errs to the
 * large side.
 */
#define SLOW_CYCLES 500

static double sample_adds(const struct database *db, enum ms_metric metric)
{
	if (ms_metric_info(metric)->sensor != MS_SENSOR_ADDRESSES ||
	    metric == MS_METRIC_ADDRESS_SAMPLES || !(db->sample_period > 0))
		return 1;
	return metric == MS_METRIC_SAMPLED_WAIT_CYCLES ? SLOW_CYCLES * db->sample_period
						       : db->sample_period;
}

/*
 * By four replicates each (SIMULATOR_REPLICATES): Student's t for 3 degrees of freedom, two-sided
 * 95 %.
 */
static double replicates_error(const struct cell *cell, double scale)
{
	return 3.182 * sqrt(cell->sum_squares) * scale;
}

static uint64_t expected_in(const struct column *column, uint32_t slot)
{
	return column->expected && slot < column->expected->nr ? column->expected->executions[slot]
							       : 0;
}

/*
 * Why a thread seen in the region has no cell of a metric; MS_PRESENT: because nothing happened, it
 * is a true 0.
 */
static enum ms_missing no_cell_why(const struct column *column, uint32_t slot, bool recent)
{
	uint64_t any = 0;

	if (ms_metric_info(column->metric)->gauge)
		return MS_MISSING_NOT_EXECUTED;
	if (!ms_metric_sends_zero(column->metric))
		return MS_PRESENT;
	if (recent)
		/* or was not read: that is known of the whole run only */
		return MS_MISSING_NOT_EXECUTED;
	for (uint32_t i = 0; column->expected && i < column->expected->nr; i++)
		any += expected_in(column, i);
	return any && !expected_in(column, slot) ? MS_PRESENT : MS_MISSING_UNCOVERED;
}

/* Part of the executions under observation that the cell's readings are of. */
static double coverage_of(const struct column *column, uint32_t slot)
{
	uint64_t expected = expected_in(column, slot), count;

	if (!expected || column->region == MS_REGION_USER)
		return 1;
	count = cell_count(column_cell(column, slot), DATABASE_ALL_BATCHES);
	return count && count < expected ? (double)count / (double)expected : 1;
}

/* `cell` NULL: a true 0. */
static struct ms_reading value_of(const struct database *db, enum ms_metric metric,
				  const struct cell *cell, const double *scales, double scale,
				  int batch)
{
	const struct ms_metric_info *info = ms_metric_info(metric);
	struct ms_reading reading = { .rung = info->rung, .missing = MS_PRESENT };
	double sum = cell ? cell_sum(cell, batch) : 0;

	if (info->gauge == MS_GAUGE_LASTING && !cell_lasts(cell))
		return reading_missing(MS_MISSING_MOVED);
	if (info->gauge) {
		reading.value = cell->sum[0];
		return reading;
	}
	if (scale < 0)
		return reading_missing(MS_MISSING_TOO_FEW);
	reading.value = sum * scale;
	if (cell && batch == DATABASE_ALL_BATCHES)
		reading.error = batch_error(cell, scales);
	if (info->rung == MS_RUNG_SAMPLED)
		reading.error = fmax(reading.error,
				     poisson_error(sum, sample_adds(db, metric), scale));
	if (cell && batch == DATABASE_ALL_BATCHES && info->rung == MS_RUNG_SIMULATED)
		reading.error = fmax(reading.error, replicates_error(cell, scale));
	return reading;
}

/* What was not read was like the rest. */
static void cover(struct ms_reading *reading, double coverage)
{
	reading->value /= coverage;
	reading->error /= coverage;
}

/* Whether the region was seen while the column was under observation. */
static bool was_executed(const struct database *db, const struct column *column, bool recent)
{
	const struct column_mark *mark = recent ? column_marked(db, column) : NULL;

	return column->executed > (mark ? mark->executed : 0);
}

static enum ms_missing unmeasured_why(const struct database *db, uint32_t region, uint32_t metric)
{
	return database_is_dropped(db, region, metric) ? MS_MISSING_DROPPED
						       : MS_MISSING_NOT_REQUESTED;
}

/* Why no value can be had whatever was observed, or MS_PRESENT. */
static enum ms_missing never_why(const struct database *db, const struct column *column,
				 uint32_t region, uint32_t metric)
{
	enum ms_missing why = database_missing_why(db, region, metric);

	return why == MS_PRESENT && !column ? unmeasured_why(db, region, metric) : why;
}

/* Why there is no value of a thread, or MS_PRESENT. */
static enum ms_missing unobserved_why(const struct database *db, const struct column *column,
				      const double *scales, bool recent)
{
	if (scales[DATABASE_BATCHES] < 0)
		return unmeasured_why(db, column->region, column->metric);
	return was_executed(db, column, recent) ? MS_PRESENT : MS_MISSING_NOT_EXECUTED;
}

static struct ms_reading reading_of(const struct database *db, int batch, bool recent,
				    uint32_t region, uint32_t thread, uint32_t metric)
{
	struct column *column = column_find(db, region, metric);
	enum ms_missing why = never_why(db, column, region, metric);
	const struct cell *cell;
	struct cell storage;
	double own[DATABASE_BATCHES + 1];
	const double *scales;
	struct ms_reading reading;
	uint32_t index, slot;
	double scale;

	if (why != MS_PRESENT)
		return reading_missing(why);
	scales = recent ? recent_scales(db, column) : thread_scales(db, column, thread, own);
	why = unobserved_why(db, column, scales, recent);
	if (why != MS_PRESENT)
		return reading_missing(why);
	if (!team_find(&db->regions[region].team, thread, &index))
		return reading_missing(MS_MISSING_NOT_EXECUTED);
	slot = team_slot(&db->regions[region].team, index);
	cell = cell_find(db, column, slot, recent, &storage);
	why = cell ? MS_PRESENT : no_cell_why(column, slot, recent);
	if (why != MS_PRESENT)
		return reading_missing(why);
	scale = batch < DATABASE_ALL_BATCHES
			? scale_without(db, column, thread, recent, batch)
			: scales[batch == DATABASE_ALL_BATCHES ? DATABASE_BATCHES : batch];
	reading = value_of(db, (enum ms_metric)metric, cell, scales, scale, batch);
	if (cell && ms_metric_sends_zero(metric))
		cover(&reading, coverage_of(column, slot));
	return reading;
}

struct ms_reading database_reading(const struct database *db, int batch, uint32_t region,
				   uint32_t thread, uint32_t metric)
{
	return reading_of(db, batch, false, region, thread, metric);
}

/* ------------------------------------------------------------------ the view of properties */

/* Metrics that get one value for each execution of a region, whatever its kind. */
static const uint32_t witnesses[] = {
	MS_METRIC_TIME,      MS_METRIC_WALL_TIME, MS_METRIC_BARRIER_WAIT,
	MS_METRIC_LOCK_WAIT, MS_METRIC_CPU_TIME,  MS_METRIC_READS,
};

static struct ms_reading executions_by(const struct database_view *view,
				       const struct column *column)
{
	const struct database *db = view->db;
	const struct team *team = &db->regions[column->region].team;
	struct ms_reading most = { .rung = MS_RUNG_COUNTED, .missing = MS_PRESENT };
	bool any = false;

	for (uint32_t i = 0; i < team->nr; i++) {
		struct cell storage;
		const struct cell *cell = cell_find(db, column, team_slot(team, i), view->recent,
						    &storage);
		struct exposure exposure;

		if (!cell)
			continue;
		exposure = exposure_in(db, column, team_thread(team, i), view->recent, view->batch);
		most.value = fmax(most.value,
				  (double)cell_count(cell, view->batch) * count_scale(&exposure));
		any |= exposure.executions > 0;
	}
	return any ? most : reading_missing(MS_MISSING_NOT_EXECUTED);
}

/* The same where all threads were observed alike, which is nearly always so. */
static struct ms_reading executions_by_any(const struct database_view *view,
					   const struct column *column)
{
	struct exposure exposure = exposure_of(view->db, column, MS_REQUEST_ALL_THREADS,
					       view->batch);
	uint32_t most =
		column->most[view->batch == DATABASE_ALL_BATCHES ? DATABASE_BATCHES : view->batch];

	return column->most[DATABASE_BATCHES] && exposure.executions
		       ? (struct ms_reading){ .value = most * count_scale(&exposure),
					      .rung = MS_RUNG_COUNTED,
					      .missing = MS_PRESENT }
		       : reading_missing(MS_MISSING_NOT_EXECUTED);
}

static struct ms_reading executions_seen_by(const struct database_view *view, uint32_t region,
					    uint32_t metric)
{
	const struct column *column = column_find(view->db, region, metric);
	bool alike = column && !column->threads && !view->recent &&
		     view->batch >= DATABASE_ALL_BATCHES;

	if (!column || column->missing != MS_PRESENT ||
	    !observation_executions(view->db, &column->all))
		return reading_missing(MS_MISSING_NOT_REQUESTED);
	return alike ? executions_by_any(view, column) : executions_by(view, column);
}

/*
 * Steps may execute a region differently often. What was counted in a recorded one belongs to its
 * executions: an execution touches no more than if these were as few as on average.
 */
static struct ms_reading executions_of(const struct database_view *view, uint32_t region)
{
	struct ms_reading reading = reading_missing(MS_MISSING_NOT_REQUESTED),
			  recorded = executions_seen_by(view, region, MS_METRIC_READS);

	for (size_t i = 0; i < sizeof(witnesses) / sizeof(witnesses[0]); i++) {
		struct ms_reading seen = executions_seen_by(view, region, witnesses[i]);

		if (seen.missing != MS_MISSING_NOT_REQUESTED)
			reading = seen;
		if (reading.missing == MS_PRESENT)
			break;
	}
	return reading.missing == MS_PRESENT && recorded.missing == MS_PRESENT &&
			       recorded.value > reading.value
		       ? recorded
		       : reading;
}

static struct ms_reading view_executions(void *data, uint32_t region)
{
	const struct database_view *view = data;
	size_t batch = view->batch == DATABASE_ALL_BATCHES ? DATABASE_BATCHES : (size_t)view->batch;
	struct database_region *of = region < view->db->nr_regions ? &view->db->regions[region]
								   : NULL;

	if (of && !of->executions && !view->recent && view->batch >= DATABASE_ALL_BATCHES)
		of->executions = arena_alloc(view->db->arena,
					     (DATABASE_BATCHES + 1) * sizeof(*of->executions));
	if (!of || !of->executions || view->recent || view->batch < DATABASE_ALL_BATCHES)
		return executions_of(view, region);
	if (of->executions[batch].version != view->db->version)
		of->executions[batch] = (struct executions){ view->db->version,
							     executions_of(view, region) };
	return of->executions[batch].value;
}

static struct ms_reading view_reading(void *data, uint32_t region, uint32_t thread, uint32_t metric)
{
	const struct database_view *view = data;

	return reading_of(view->db, view->batch, view->recent, region, thread, metric);
}

/* As gather() in evaluate.c would over `reading_of`. */
static void totals_add(struct property_totals *totals, const struct ms_reading *reading)
{
	enum ms_missing missing = reading->missing == MS_PRESENT && !isfinite(reading->value)
					  ? MS_MISSING_BROKEN
					  : reading->missing;

	if (missing != MS_PRESENT) {
		if (totals->missing == MS_PRESENT || totals->missing == MS_MISSING_NOT_EXECUTED)
			totals->missing = missing;
		return;
	}
	if (!totals->nr || reading->value > totals->max.value) {
		totals->max.value = reading->value;
		totals->max.error = reading->error;
	}
	if (!totals->nr || reading->value < totals->min.value) {
		totals->min.value = reading->value;
		totals->min.error = reading->error;
	}
	totals->nr++;
	totals->nr_nonzero += reading->value != 0;
	totals->rung = reading->rung > totals->rung ? reading->rung : totals->rung;
	totals->sum += reading->value;
	totals->sum_error += reading->error * reading->error;
}

static void totals_fill(const struct database_view *view, uint32_t region, uint32_t metric,
			struct property_totals *totals)
{
	const struct database *db = view->db;
	const struct team *team = &db->regions[region].team;
	enum ms_missing why = never_why(db, column_find(db, region, metric), region, metric);

	*totals = (struct property_totals){ .threads = team->nr, .missing = MS_PRESENT };
	if (why != MS_PRESENT && team->nr) {
		totals->missing = why;
		return;
	}
	for (uint32_t i = 0; i < team->nr; i++) {
		struct ms_reading reading = reading_of(db, view->batch, view->recent, region,
						       team_thread(team, i), metric);

		totals_add(totals, &reading);
	}
	totals->sum_error = sqrt(totals->sum_error);
}

/*
 * The cache of totals; NULL: none, because this view is read seldom, or there is no column or no
 * memory.
 */
static struct totals *totals_place(const struct database_view *view, struct column *column)
{
	bool all = view->batch == DATABASE_ALL_BATCHES;
	struct totals **totals;

	if (!column || view->recent || view->batch < DATABASE_ALL_BATCHES)
		return NULL;
	totals = all ? &column->totals : &column->batch_totals;
	if (!*totals)
		*totals = arena_alloc(view->db->arena,
				      (all ? 1 : DATABASE_BATCHES) * sizeof(**totals));
	return *totals ? &(*totals)[all ? 0 : view->batch] : NULL;
}

static const struct property_totals *view_totals(void *data, uint32_t region, uint32_t metric)
{
	struct database_view *view = data;
	struct totals *place;

	if (region >= view->db->nr_regions) {
		view->totals = (struct property_totals){ .missing = MS_MISSING_NOT_REQUESTED };
		return &view->totals;
	}
	place = totals_place(view, column_find(view->db, region, metric));
	if (place && place->version == view->db->version)
		return &place->of;
	totals_fill(view, region, metric, &view->totals);
	if (place)
		*place = (struct totals){ view->db->version, view->totals };
	return &view->totals;
}

static size_t view_threads(void *data, uint32_t region, uint32_t *out, size_t room)
{
	return database_threads(((const struct database_view *)data)->db, region, out, room);
}

static uint32_t view_parent(void *data, uint32_t region)
{
	const struct database *db = ((const struct database_view *)data)->db;

	return region < db->nr_regions ? db->regions[region].info.parent : MS_REGION_NONE;
}

static enum ms_region_kind view_kind(void *data, uint32_t region)
{
	const struct database *db = ((const struct database_view *)data)->db;

	return region < db->nr_regions ? db->regions[region].info.kind : MS_REGION_KINDS;
}

static size_t view_children(void *data, uint32_t region, uint32_t *out, size_t room)
{
	const struct database *db = ((const struct database_view *)data)->db;
	size_t nr = 0;

	if (region >= db->nr_regions)
		return 0;
	for (uint32_t child = db->regions[region].first_child; child != MS_REGION_NONE;
	     child = db->regions[child].next_sibling, nr++)
		if (nr < room)
			out[nr] = child;
	return nr;
}

static struct ms_reading view_constant(void *data, const char *name)
{
	return database_constant_reading(((const struct database_view *)data)->db, name);
}

/* DATABASE_WITHOUT the last batch is the least of batches. */
#define LEAST_BATCH DATABASE_WITHOUT(DATABASE_BATCHES - 1)

struct property_context database_context(struct database_view *storage, const struct database *db,
					 int batch, uint32_t region)
{
	*storage = (struct database_view){ .db = db, .batch = batch };
	return (struct property_context){
		.data = storage,
		.workspace = db->workspace,
		.state = (db->version << 4) + (uint64_t)(batch - LEAST_BATCH),
		.region = region,
		.reading = view_reading,
		.totals = view_totals,
		.threads = view_threads,
		.executions = view_executions,
		.parent = view_parent,
		.kind = view_kind,
		.children = view_children,
		.constant = view_constant,
	};
}

/* ------------------------------------------------------------------ for the record */

static void visit_column(const struct database *db, const struct column *column,
			 void (*visit)(void *, const struct ms_measurement *, uint64_t, double),
			 void *ctx)
{
	const struct team *team = &db->regions[column->region].team;

	for (uint32_t i = 0; i < team->nr; i++) {
		const struct cell *cell = column_cell(column, team_slot(team, i));
		struct ms_measurement row = { .region = column->region,
					      .thread = team_thread(team, i),
					      .metric = column->metric };
		struct exposure exposure;

		row.stat.count = cell_count(cell, DATABASE_ALL_BATCHES);
		if (!row.stat.count)
			continue;
		row.stat.sum = cell_sum(cell, DATABASE_ALL_BATCHES);
		row.stat.min = (double)cell->min;
		row.stat.max = (double)cell->max;
		row.stat.sum_squares = cell->sum_squares;
		if (ms_metric_info(column->metric)->gauge == MS_GAUGE_LASTING && cell_lasts(cell))
			row.stat.min = row.stat.max = row.stat.sum;
		exposure = exposure_of(db, column, row.thread, DATABASE_ALL_BATCHES);
		visit(ctx, &row, exposure.executions, exposure.ns);
	}
}

void database_each(const struct database *db,
		   void (*visit)(void *ctx, const struct ms_measurement *row, uint64_t phases,
				 double observed_ns),
		   void *ctx)
{
	for (size_t region = 0; region < db->nr_regions; region++)
		for (size_t metric = 0; metric < MS_METRICS; metric++)
			if (region_column(&db->regions[region], metric))
				visit_column(db, region_column(&db->regions[region], metric), visit,
					     ctx);
}

static double longest_observation(const struct database *db, const struct column *column)
{
	double longest_ns =
		exposure_of(db, column, MS_REQUEST_ALL_THREADS, DATABASE_ALL_BATCHES).ns;

	for (const struct thread_observation *only = column->threads; only; only = only->next)
		longest_ns = fmax(longest_ns,
				  exposure_of(db, column, only->thread, DATABASE_ALL_BATCHES).ns);
	return longest_ns;
}

struct database_extent database_extent(const struct database *db)
{
	struct database_extent extent = { 0 };

	for (size_t region = 0; region < db->nr_regions; region++) {
		for (size_t metric = 0; metric < MS_METRICS; metric++) {
			const struct column *column = region_column(&db->regions[region], metric);

			if (!column || !column->nr_blocks)
				continue;
			extent.rows += db->regions[region].team.nr;
			extent.observed_ns = fmax(extent.observed_ns,
						  longest_observation(db, column));
		}
	}
	return extent;
}

static void volume_add(const struct database *db, const struct database_region *region,
		       uint32_t metric, struct database_volume *volume)
{
	const struct column *column = region_column(region, metric);
	uint64_t observed;

	if (database_missing_why(db, region->info.id, metric) != MS_PRESENT)
		return; /* cannot be had: not possible */
	volume->counters_possible += region->team.nr;
	for (uint32_t i = 0; column && i < region->team.nr; i++) {
		observed = exposure_of(db, column, team_thread(&region->team, i),
				       DATABASE_ALL_BATCHES)
				   .executions;
		volume->counters_used += observed > 0;
		volume->samples_used += observed;
	}
}

void database_volume(const struct database *db, struct database_volume *out)
{
	*out = (struct database_volume){ 0 };
	for (size_t region = 0; region < db->nr_regions; region++)
		for (uint32_t metric = 0; metric < MS_METRICS; metric++)
			volume_add(db, &db->regions[region], metric, out);
	out->samples_possible = out->counters_possible * db->executions;
}
