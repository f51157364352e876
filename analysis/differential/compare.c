/* SPDX-License-Identifier: Apache-2.0 */
/* Buckets of two groups of runs, their differences and verdicts. */
#define _GNU_SOURCE /* qsort_r */
#include "analysis/differential/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/differential/buckets.h"
#include "analysis/differential/coverage.h"
#include "analysis/differential/replicates.h"
#include "analysis/differential/metrics.h"

#define CONFIDENCE 0.95
#define POWER 0.8 /* of the smallest change that is said to be detectable */
/* part of the variance between runs from which on more executions in each help most */
#define EXPLAINED 0.5
#define ALIKE 0.02 /* ratios of runs within 1/1.02 and 1.02 are the same */
/* rows whose intervals are computed, which takes 0.1 ms each */
#define INTERVALS_MOST 1000
/* events of a count in all executions of the phase, below which its error is too large for lists */
#define COUNTED_LEAST 30
#define RUNS_MOST 30  /* on a side, that are advised */
#define ROUNDING 1e-9 /* relative: sums of doubles in another order */

struct comparer {
	struct arena *arena;
	struct comparison *comparison;
	const struct match *match;
	struct buckets buckets;
	double *work;           /* [2 * match->nr_runs], for a while */
	struct run_mean *means; /* [match->nr_runs], for a while */
	struct coverage coverage;
	struct executions replicates;
	double shift;                 /* statistics_detectable_shift of … */
	size_t shift_of[MATCH_SIDES]; /* … groups of these sizes */
	uint64_t executions;          /* of the phase, of the run with the fewest */
	/* simulated values of some run do not repeat (profile.h), as …; NULL: all do */
	const char *basis_why;
	bool steps_differ;        /* of which simulated values are means */
	size_t tested;            /* rows */
	const char *few_why;      /* too few runs for this number of values */
	size_t runs[MATCH_SIDES]; /* that have values */
	/* a run of that side ended before its record was complete */
	bool cut[MATCH_SIDES];
};

static const char *const names[VERDICTS] = { "worse", "better",      "more", "less",
					     "same",  "cannot tell", "new",  "gone" };

const char *verdict_name(enum verdict verdict)
{
	return names[verdict];
}

bool verdict_is_difference(enum verdict verdict)
{
	return verdict != VERDICT_SAME && verdict != VERDICT_UNKNOWN;
}

/* ------------------------------------------------------------------ values */

static double mean_of(const double *values, size_t nr)
{
	double sum = 0;

	for (size_t i = 0; i < nr; i++)
		sum += values[i];
	return nr ? sum / (double)nr : NAN;
}

/*
 * The part that all runs of a side have: the same in each. NAN: it differs, or there is none,
 * although there are values.
 */
static double certain_of(const double *values, const double *uncertain, size_t nr)
{
	double first = nr ? values[0] - uncertain[0] : NAN;

	for (size_t i = 1; i < nr; i++)
		if (fabs(values[i] - uncertain[i] - first) > ROUNDING * fabs(values[0]))
			return NAN;
	return first > ROUNDING * mean_of(values, nr) || !(mean_of(values, nr) > 0) ? first : NAN;
}

static const struct profile_place *place_of(const struct comparer *comparer, uint32_t place)
{
	const struct matched_place *of = &comparer->match->places[place];

	return of->of[MATCH_BASE] ? of->of[MATCH_BASE] : of->of[MATCH_NEW];
}

/*
 * Whether the value depends on which regions were recorded: sums over all regions do, and so do
 * misses, by the contents of the caches; accesses of one region do not.
 */
static bool needs_basis(const struct comparer *comparer, const struct difference *row)
{
	return compared_metric(row->metric)->rung == MS_RUNG_SIMULATED ||
	       place_of(comparer, row->place)->kind == MS_USER_REGION;
}

/*
 * Whether some runs recorded the region and others did not. Not for the phase: there regions with
 * few accesses are ignored (coverage.largely).
 */
static bool is_covered_otherwise(const struct comparer *comparer, const struct difference *row)
{
	return comparer->coverage.differs[row->place] && compared_is_of_data(row->metric) &&
	       place_of(comparer, row->place)->kind != MS_USER_REGION;
}

/*
 * Divides the values of a bucket: those of each side that are there stand next to each other, in
 * the buckets' own memory.
 */
static void split(struct comparer *comparer, struct difference *row, double *values,
		  double *uncertain)
{
	const struct match *match = comparer->match;
	size_t nr_runs = match->nr_runs, nr = 0;
	double *from = comparer->work, *from_uncertain = from + nr_runs, certain[MATCH_SIDES];

	memcpy(from, values, nr_runs * sizeof(*from));
	memcpy(from_uncertain, uncertain, nr_runs * sizeof(*from));
	for (enum match_side side = 0; side < MATCH_SIDES; side++) {
		size_t first = nr;

		for (size_t i = 0; i < nr_runs; i++)
			if (match->runs[i].side == side && !isnan(from[i])) {
				values[nr] = from[i];
				uncertain[nr++] = from_uncertain[i];
			}
		row->nr[side] = (uint32_t)(nr - first);
		row->mean[side] = mean_of(values + first, nr - first);
		certain[side] = certain_of(values + first, uncertain + first, nr - first);
	}
	row->values = values;
	row->whole = certain[MATCH_BASE] >= row->mean[MATCH_BASE] &&
		     certain[MATCH_NEW] >= row->mean[MATCH_NEW];
	row->exact = !isnan(certain[MATCH_BASE]) && !isnan(certain[MATCH_NEW]) &&
		     (!needs_basis(comparer, row) || !comparer->basis_why) &&
		     !is_covered_otherwise(comparer, row);
}

static bool is_there(const struct comparer *comparer, const struct difference *row,
		     enum match_side side)
{
	const struct match *match = comparer->match;

	return match->places[row->place].of[side] &&
	       (row->array == PROFILE_NONE || match->arrays[row->array].of[side]) &&
	       (row->part >= match->nr_parts || match->parts[row->part].of[side]);
}

/* The part of the mean that each run of that side has. */
static double certain_part(const struct comparer *comparer, const struct difference *row,
			   enum match_side side)
{
	const double *values = difference_values(row, side);

	return certain_of(values, comparer->buckets.uncertain + (values - comparer->buckets.values),
			  row->nr[side]);
}

struct combined difference_combined(const struct comparison *comparison,
				    const struct difference *row)
{
	const struct compare_options *options = &comparison->options;
	const double *along = combine_ascending(options->function) ? options->load : options->work;
	struct load least = { along[MATCH_BASE], row->mean[MATCH_BASE] },
		    most = { along[MATCH_NEW], row->mean[MATCH_NEW] };

	return combine(options->function, least, most, options->bound);
}

/* ------------------------------------------------------------------ sizes */

static const struct difference *total_of(const struct comparison *comparison, uint32_t metric)
{
	for (size_t i = 0; i < comparison->nr_totals; i++)
		if (comparison->totals[i].metric == metric)
			return &comparison->totals[i];
	return NULL;
}

static void set_share(const struct comparer *comparer, struct difference *row)
{
	const struct difference *total = total_of(comparer->comparison, row->metric);
	const double *work = comparer->comparison->options.work;
	double base = isnan(row->mean[MATCH_BASE]) ? 0 : row->mean[MATCH_BASE],
	       new = isnan(row->mean[MATCH_NEW]) ? 0 : row->mean[MATCH_NEW];
	double all = total ? total->mean[MATCH_BASE] : NAN,
	       cut_off = comparer->comparison->options.cut_off, least;
	bool counts = !strcmp(compared_metric(row->metric)->unit, "1");

	row->share = all > 0 ? (new *work[MATCH_BASE] / work[MATCH_NEW] - base) / all : NAN;
	row->slight = fabs(row->share) < cut_off;
	least = counts && comparer->executions ? COUNTED_LEAST / (double)comparer->executions : 0;
	row->small = fmax(base, new) <= 0 || fmax(base, new) < least ||
		     (total && base < cut_off * all && new < cut_off * total->mean[MATCH_NEW]);
}

/* ------------------------------------------------------------------ verdicts */

static enum verdict direction(const struct comparer *comparer, const struct difference *row,
			      const double *of)
{
	const double *work = comparer->comparison->options.work;
	bool more = of[MATCH_NEW] * work[MATCH_BASE] > of[MATCH_BASE] * work[MATCH_NEW];

	if (compared_metric(row->metric)->direction == METRIC_NEUTRAL)
		return more ? VERDICT_MORE : VERDICT_LESS;
	return more ? VERDICT_WORSE : VERDICT_BETTER;
}

/* Why a value that depends on the computer's speed or counters does not compare; NULL: it does. */
static const char *incomparable(const struct comparer *comparer, const struct difference *row)
{
	const struct compare_options *options = &comparer->comparison->options;
	const struct compared_metric *metric = compared_metric(row->metric);
	bool of_computer = metric->rung != MS_RUNG_SIMULATED &&
			   ms_metric_info(metric->of[0])->sensor != MS_SENSOR_ACCESSES;

	if (options->other_machine && of_computer)
		return "the runs come from different computers";
	if (!options->threads_differ || !compared_is_time(row->metric))
		return NULL;
	for (size_t i = 0; i < comparer->match->nr_runs; i++)
		if (comparer->match->runs[i].profile->oversubscribed)
			return "more threads than CPUs: times say nothing of scaling";
	return NULL;
}

/* One change among all that are tested is found at this level. */
static double level_of_one(const struct comparer *comparer)
{
	return comparer->comparison->options.level /
	       (double)(comparer->tested ? comparer->tested : 1);
}

static double detectable_of(struct comparer *comparer, const struct difference *row)
{
	size_t nr = row->nr[MATCH_BASE], nr_new = row->nr[MATCH_NEW];

	if (statistics_least_p(nr, nr_new) > level_of_one(comparer))
		return NAN;
	if (comparer->shift_of[MATCH_BASE] != nr || comparer->shift_of[MATCH_NEW] != nr_new) {
		comparer->shift = statistics_detectable_shift(nr, nr_new, level_of_one(comparer),
							      POWER);
		comparer->shift_of[MATCH_BASE] = nr;
		comparer->shift_of[MATCH_NEW] = nr_new;
	}
	return comparer->shift * statistics_scatter(difference_values(row, MATCH_BASE), nr,
						    difference_values(row, MATCH_NEW), nr_new);
}

/*
 * The region is on both sides, but one of them measured nothing there: what is in it is neither new
 * nor gone.
 */
static bool is_unmeasured(const struct comparer *comparer, const struct difference *row)
{
	const struct matched_place *place = &comparer->match->places[row->place];

	return place->of[MATCH_BASE] && place->of[MATCH_NEW] &&
	       (!row->nr[MATCH_BASE] || !row->nr[MATCH_NEW]);
}

/* NULL: both sides have it, or one does not because it is new or gone. */
static const char *lacking(const struct comparer *comparer, const struct difference *row)
{
	bool base = is_there(comparer, row, MATCH_BASE), new = is_there(comparer, row, MATCH_NEW);

	if (comparer->match->unit == MATCH_UNITS_DIFFER)
		return "values of a step and of the whole run do not compare: let the program run longer, or mark its steps (omp_control_tool)";
	if (!new && comparer->cut[MATCH_NEW])
		return "not in the new runs, of which one ended before its record was complete";
	if (!base && comparer->cut[MATCH_BASE])
		return "not in the base, of which a run ended before its record was complete";
	if (is_unmeasured(comparer, row))
		return row->nr[MATCH_BASE] ? "not measured in the new runs"
					   : "not measured in the base";
	if (!base || !new)
		return NULL;
	if (is_covered_otherwise(comparer, row))
		return "recorded in some of the runs only, or in part: let measuring cost more (--overhead 1000%)";
	return incomparable(comparer, row);
}

static const char one_run[] = "one run on a side: how much runs differ is not known";

/*
 * A value that only one side has, in a region that both have (such as an access to a stack), may be
 * missing or present by chance in another run of the same binary.
 */
static bool is_chance(const struct comparer *comparer, const struct difference *row,
		      enum match_side side)
{
	const struct matched_place *place = &comparer->match->places[row->place];
	bool one = comparer->runs[MATCH_BASE] < 2 || comparer->runs[MATCH_NEW] < 2;

	return one && place->of[MATCH_BASE] && place->of[MATCH_NEW] &&
	       !(certain_part(comparer, row, side) >= row->mean[side]);
}

static const char other_steps[] =
	"the runs recorded other numbers of steps, which may explain so small a difference";

/* Whether different numbers of recorded steps may explain a difference of this size. */
static bool is_of_steps(const struct comparer *comparer, const struct difference *row, double apart)
{
	return comparer->steps_differ && compared_metric(row->metric)->rung == MS_RUNG_SIMULATED &&
	       apart <= MATCH_STEPS_APART;
}

/* Verdicts that need no statistical test. VERDICTS: a test is needed. */
static enum verdict judge_exact(struct comparer *comparer, struct difference *row)
{
	bool base = is_there(comparer, row, MATCH_BASE), new = is_there(comparer, row, MATCH_NEW);
	const double *work = comparer->comparison->options.work;
	double certain[MATCH_SIDES], expected, apart;

	row->why = lacking(comparer, row);
	row->lacking = row->why;
	if (row->lacking)
		return VERDICT_UNKNOWN;
	if ((!base || !new) && is_chance(comparer, row, base ? MATCH_BASE : MATCH_NEW)) {
		row->why = one_run;
		return VERDICT_UNKNOWN;
	}
	if (!base || !new)
		return base ? VERDICT_GONE : VERDICT_NEW;
	if (!row->exact)
		return VERDICTS;
	for (enum match_side side = 0; side < MATCH_SIDES; side++)
		certain[side] = row->whole ? row->mean[side] : certain_part(comparer, row, side);
	expected = certain[MATCH_BASE] * work[MATCH_NEW] / work[MATCH_BASE];
	apart = fabs(certain[MATCH_NEW] - expected) /
		fmax(row->mean[MATCH_NEW], row->mean[MATCH_BASE]);
	if (apart > ROUNDING && is_of_steps(comparer, row, apart)) {
		row->why = other_steps;
		return VERDICT_UNKNOWN;
	}
	row->p = 0;
	return apart > ROUNDING ? direction(comparer, row, certain) : VERDICT_SAME;
}

/* Values by unit of work, as the test has no other use for work. */
static double test(struct comparer *comparer, struct difference *row)
{
	const double *work = comparer->comparison->options.work;
	double factor = work[MATCH_NEW] / work[MATCH_BASE], *scaled = comparer->work;

	for (size_t i = 0; i < row->nr[MATCH_BASE]; i++)
		scaled[i] = difference_values(row, MATCH_BASE)[i] * factor;
	return statistics_rank_test(scaled, row->nr[MATCH_BASE], difference_values(row, MATCH_NEW),
				    row->nr[MATCH_NEW]);
}

static double extreme(const double *values, size_t nr, bool most)
{
	double best = nr ? values[0] : NAN;

	for (size_t i = 1; i < nr; i++)
		best = most ? fmax(best, values[i]) : fmin(best, values[i]);
	return best;
}

/* Each run of one side is within ALIKE of each of the other. */
static bool is_alike(const struct difference *row, double expected)
{
	double least = extreme(difference_values(row, MATCH_BASE), row->nr[MATCH_BASE], false) *
		       expected,
	       most = extreme(difference_values(row, MATCH_BASE), row->nr[MATCH_BASE], true) *
		      expected;

	return extreme(difference_values(row, MATCH_NEW), row->nr[MATCH_NEW], true) <=
		       least * (1 + ALIKE) &&
	       extreme(difference_values(row, MATCH_NEW), row->nr[MATCH_NEW], false) *
			       (1 + ALIKE) >=
		       most;
}

static const char *few_runs(struct comparer *comparer)
{
	size_t nr = 2;

	while (nr < RUNS_MOST && statistics_least_p(nr, nr) > level_of_one(comparer))
		nr++;
	if (!comparer->few_why)
		comparer->few_why = arena_printf(
			comparer->arena,
			"too few runs: it takes %zu on each side to prove a change of one of %zu values",
			nr, comparer->tested);
	return comparer->few_why;
}

/* ------------------------------------------------------------------ executions within runs */

static const char one_run_differs[] =
	"one run on a side: these two differ by more than their steps scatter, but how much runs differ is not known";
static const char within[] = "within the differences of runs of one side";
static const char within_steps[] =
	"within the differences of runs of one side, which the scatter of their steps explains: longer runs show more";

/*
 * Errors of the runs, in the order of row->values. NULL: not known of one, or not a value of all
 * threads in a region.
 */
static const struct run_mean *means_of(struct comparer *comparer, const struct difference *row)
{
	const struct match *match = comparer->match;
	const struct profile_error *errors = executions_errors(&comparer->replicates, row->place,
							       row->metric);
	size_t nr = 0;

	if (row->array != PROFILE_NONE || row->part != PROFILE_NONE ||
	    row->nr[MATCH_BASE] + row->nr[MATCH_NEW] != match->nr_runs)
		return NULL;
	for (enum match_side side = 0; side < MATCH_SIDES; side++)
		for (size_t i = 0, k = 0; i < match->nr_runs; i++)
			if (match->runs[i].side == side) {
				if (!(errors[i].executions >= 2) || !(errors[i].error > 0))
					return NULL;
				comparer->means[nr++] = (struct run_mean){
					difference_values(row, side)[k++], errors[i].error,
					errors[i].executions
				};
			}
	return comparer->means;
}

/*
 * Whether the two runs differ by more than the work explains, at the level of one among all that
 * are tested.
 */
static bool differs_within(struct comparer *comparer, struct difference *row)
{
	const double *work = comparer->comparison->options.work;
	const struct run_mean *means = means_of(comparer, row);
	struct interval *interval;

	if (!means || statistics_runs_test(means[0], means[1], work[MATCH_NEW] / work[MATCH_BASE]) >
			      level_of_one(comparer))
		return false;
	interval = arena_alloc(comparer->arena, sizeof(*interval));
	row->of_steps = interval;
	return interval && statistics_runs_ratio(means[0], means[1], CONFIDENCE, interval);
}

/*
 * Variance of the runs' means within both sides, by their values; and what of it their steps'
 * scatter explains.
 */
static bool steps_explain(struct comparer *comparer, const struct difference *row)
{
	const struct run_mean *means = means_of(comparer, row);
	double squares = 0, errors = 0;
	size_t nr = row->nr[MATCH_BASE] + row->nr[MATCH_NEW];

	for (enum match_side side = 0; side < MATCH_SIDES; side++)
		for (size_t i = 0; i < row->nr[side]; i++)
			squares += (difference_values(row, side)[i] - row->mean[side]) *
				   (difference_values(row, side)[i] - row->mean[side]);
	for (size_t i = 0; means && i < nr; i++)
		errors += means[i].error * means[i].error;
	return means && nr > MATCH_SIDES &&
	       errors / (double)nr >= EXPLAINED * squares / (double)(nr - MATCH_SIDES);
}

static void judge_tested(struct comparer *comparer, struct difference *row)
{
	double level = comparer->comparison->options.level;
	const double *work = comparer->comparison->options.work;
	double expected = work[MATCH_NEW] / work[MATCH_BASE];

	row->detectable = detectable_of(comparer, row);
	row->verdict = VERDICT_UNKNOWN;
	if (row->p <= level)
		row->verdict = direction(comparer, row, row->mean);
	else if (isnan(row->detectable) &&
		 compared_metric(row->metric)->rung == MS_RUNG_SIMULATED && comparer->basis_why)
		row->why = comparer->basis_why;
	else if (row->nr[MATCH_BASE] < 2 && row->nr[MATCH_NEW] < 2 && differs_within(comparer, row))
		row->why = one_run_differs;
	else if (row->nr[MATCH_BASE] < 2 || row->nr[MATCH_NEW] < 2)
		row->why = one_run;
	else if (is_alike(row, expected))
		row->verdict = VERDICT_SAME;
	else if (isnan(row->detectable))
		row->why = few_runs(comparer);
	else
		row->why = steps_explain(comparer, row) ? within_steps : within;
}

/* ------------------------------------------------------------------ tests of many */

struct test_leaf {
	size_t row;
	double p;
};

static int leaf_order(const void *left, const void *right)
{
	const struct test_leaf *a = left, *b = right;

	return (a->p > b->p) - (a->p < b->p);
}

/* Simes 1986: p of the hypothesis that none of them differs. */
static double simes(const struct test_leaf *leaves, size_t nr)
{
	double least = 1;

	for (size_t i = 0; i < nr; i++)
		least = fmin(least, leaves[i].p * (double)nr / (double)(i + 1));
	return least;
}

static int region_order(const void *left, const void *right, void *comparison)
{
	const struct difference *a = comparison_row(comparison,
						    ((const struct test_leaf *)left)->row),
				*b = comparison_row(comparison,
						    ((const struct test_leaf *)right)->row);

	if (a->metric != b->metric)
		return a->metric < b->metric ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/*
 * Regions by metric are the roots of the tree, their buckets the leaves; a region differs if any of
 * its buckets does.
 */
static bool adjust(struct comparer *comparer, struct test_leaf *leaves, size_t nr)
{
	struct comparison *comparison = comparer->comparison;
	double *p = arena_alloc(comparer->arena, 2 * (nr + 1) * sizeof(*p)),
	       *adjusted = arena_alloc(comparer->arena, 2 * (nr + 1) * sizeof(*adjusted));
	size_t *parent = arena_alloc(comparer->arena, 2 * (nr + 1) * sizeof(*parent)),
	       *row_of = arena_alloc(comparer->arena, 2 * (nr + 1) * sizeof(*row_of));
	size_t at = 0;

	if (!p || !adjusted || !parent || !row_of)
		return false;
	qsort_r(leaves, nr, sizeof(*leaves), region_order, comparison);
	for (size_t i = 0, end; i < nr; i = end) {
		size_t root = at++;

		for (end = i + 1; end < nr && !region_order(&leaves[i], &leaves[end], comparison);)
			end++;
		qsort(&leaves[i], end - i, sizeof(*leaves), leaf_order);
		p[root] = simes(&leaves[i], end - i);
		parent[root] = SIZE_MAX;
		row_of[root] = SIZE_MAX;
		for (size_t k = i; k < end; k++, at++) {
			p[at] = leaves[k].p;
			parent[at] = root;
			row_of[at] = leaves[k].row;
		}
	}
	statistics_hierarchy(p, parent, adjusted, at, comparison->options.level);
	for (size_t i = 0; i < at; i++)
		if (row_of[i] != SIZE_MAX)
			comparison_row(comparison, row_of[i])->p = adjusted[i];
	return true;
}

static bool judge(struct comparer *comparer)
{
	struct comparison *comparison = comparer->comparison;
	struct test_leaf *leaves = arena_alloc(
		comparer->arena, (comparison->nr + comparison->nr_totals + 1) * sizeof(*leaves));
	size_t nr = 0;

	if (!leaves)
		return false;
	for (size_t i = 0; i < comparison->nr + comparison->nr_totals; i++) {
		struct difference *row = comparison_row(comparison, i);

		row->verdict = judge_exact(comparer, row);
		if (row->verdict == VERDICTS && row->small) {
			row->verdict = VERDICT_UNKNOWN;
			row->why = "too small";
		}
		if (row->verdict == VERDICTS)
			leaves[nr++] = (struct test_leaf){ i, test(comparer, row) };
	}
	comparer->tested = nr;
	if (nr && !adjust(comparer, leaves, nr))
		return false;
	for (size_t i = 0; i < nr; i++)
		judge_tested(comparer, comparison_row(comparison, leaves[i].row));
	return true;
}

/* ------------------------------------------------------------------ what is in a list */

static int rank_of(const struct difference *row)
{
	if (row->small || row->slight)
		return VERDICTS + 1;
	return row->verdict == VERDICT_NEW    ? 0
	       : row->verdict == VERDICT_GONE ? VERDICT_BETTER
					      : (int)row->verdict;
}

/* Buckets that are new have no ratio: they come first by it, and by their share otherwise. */
static double key_of(const struct comparison *comparison, const struct difference *row)
{
	enum combine function = comparison->options.function;
	double ratio = difference_ratio(row);

	if (function == COMBINE_RATIO)
		return isnan(ratio)                     ? INFINITY
		       : row->verdict == VERDICT_BETTER ? 1 / fmax(ratio, 1e-300)
							: ratio;
	if (function == COMBINE_SATURATION || function == COMBINE_SATURATION_POWER) {
		struct combined combined = difference_combined(comparison, row);

		return combined.valid ? -combined.value : -INFINITY;
	}
	return isnan(row->share) ? 0 : fabs(row->share);
}

struct interval difference_known_interval(const struct difference *row)
{
	double ratio = difference_ratio(row);

	if (row->exact && row->whole)
		return (struct interval){ ratio, ratio };
	return row->interval ? *row->interval : (struct interval){ NAN, NAN };
}

struct interval difference_interval(const struct difference *row)
{
	struct interval interval = difference_known_interval(row);

	if (isnan(interval.low) && row->values && !isnan(difference_ratio(row)))
		statistics_ratio_interval(difference_values(row, MATCH_BASE), row->nr[MATCH_BASE],
					  difference_values(row, MATCH_NEW), row->nr[MATCH_NEW],
					  CONFIDENCE, &interval);
	return interval;
}

static void keep_interval(struct arena *arena, struct difference *row)
{
	struct interval *interval = row->exact && row->whole
					    ? NULL
					    : arena_alloc(arena, sizeof(*interval));

	if (interval) {
		*interval = difference_interval(row);
		row->interval = interval;
	}
}

struct ranking {
	const struct comparison *comparison;
	uint32_t metric;
};

static int relevance(const void *left, const void *right, void *ranking)
{
	const struct ranking *by = ranking;
	const struct difference *a = left, *b = right;
	double key_a = key_of(by->comparison, a), key_b = key_of(by->comparison, b);

	if (rank_of(a) != rank_of(b))
		return rank_of(a) - rank_of(b);
	if ((a->metric == by->metric) != (b->metric == by->metric))
		return a->metric == by->metric ? -1 : 1;
	if (key_a < key_b || key_a > key_b)
		return key_a > key_b ? -1 : 1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	if (a->array != b->array)
		return a->array < b->array ? -1 : 1;
	if (a->part != b->part)
		return a->part < b->part ? -1 : 1;
	return (a->metric > b->metric) - (a->metric < b->metric);
}

/*
 * Returns the number of differences. Moves at most as many of the other rows, of which there may be
 * a million.
 */
static size_t move_differences_first(struct comparison *comparison)
{
	size_t nr = 0;

	for (size_t i = 0; i < comparison->nr; i++) {
		struct difference row = comparison->rows[i];

		if (!verdict_is_difference(row.verdict))
			continue;
		comparison->rows[i] = comparison->rows[nr];
		comparison->rows[nr++] = row;
	}
	return nr;
}

void comparison_rank(struct arena *arena, struct comparison *comparison, uint32_t metric)
{
	struct ranking ranking = { comparison, metric };

	qsort_r(comparison->rows, move_differences_first(comparison), sizeof(*comparison->rows),
		relevance, &ranking);
	for (size_t i = 0; i < comparison->nr && i < INTERVALS_MOST; i++)
		keep_interval(arena, &comparison->rows[i]);
}

static bool proves_times(const struct comparison *comparison, const struct difference *row)
{
	return row->nr[MATCH_BASE] && row->nr[MATCH_NEW] &&
	       !(row->verdict == VERDICT_UNKNOWN && isnan(row->p)) &&
	       statistics_least_p(row->nr[MATCH_BASE], row->nr[MATCH_NEW]) <=
		       comparison->options.level;
}

static bool is_on_both(const struct difference *total)
{
	return total->nr[MATCH_BASE] && total->nr[MATCH_NEW];
}

/*
 * Prefers the simulated metric of that name to the counted one, as it needs only one run on a side.
 */
static uint32_t metric_named(const struct comparison *comparison, const char *name)
{
	uint32_t best = COMPARED_NONE;

	for (size_t i = 0; i < comparison->nr_totals; i++) {
		uint32_t metric = comparison->totals[i].metric;

		if (!is_on_both(&comparison->totals[i]) ||
		    !compared_is_named(metric, name, strlen(name)))
			continue;
		if (best == COMPARED_NONE || compared_metric(metric)->rung == MS_RUNG_SIMULATED)
			best = metric;
	}
	return best;
}

uint32_t comparison_metric(const struct comparison *comparison, const char *name, bool of_data)
{
	static const struct {
		const char *name;
		enum ms_rung rung;
	} preferred[] = {
		{ "time", MS_RUNG_TIMED },           { "stall_cycles", MS_RUNG_SIMULATED },
		{ "stall_cycles", MS_RUNG_COUNTED }, { "l3_misses", MS_RUNG_SIMULATED },
		{ "l2_misses", MS_RUNG_SIMULATED },  { "l3_misses", MS_RUNG_COUNTED },
		{ "l2_misses", MS_RUNG_COUNTED },    { "bytes", MS_RUNG_COUNTED },
		{ "cpu_time", MS_RUNG_COUNTED },     { "instructions", MS_RUNG_COUNTED },
	};

	if (name)
		return metric_named(comparison, name);
	for (size_t i = 0; i < sizeof(preferred) / sizeof(preferred[0]); i++)
		for (size_t k = 0; k < comparison->nr_totals; k++) {
			const struct difference *row = &comparison->totals[k];

			if (!is_on_both(row) ||
			    strcmp(compared_metric(row->metric)->name, preferred[i].name) != 0 ||
			    compared_metric(row->metric)->rung != preferred[i].rung)
				continue;
			if ((!of_data || compared_is_of_data(row->metric)) &&
			    (!compared_is_time(row->metric) || proves_times(comparison, row)))
				return row->metric;
		}
	return COMPARED_NONE;
}

/* The phase, not the program's regions, has one row a metric. */
static bool is_total(const struct comparer *comparer, const struct bucket_key *key)
{
	return place_of(comparer, key->place)->kind == MS_USER_REGION &&
	       key->array == PROFILE_NONE && key->part == PROFILE_NONE;
}

static bool add_rows(struct comparer *comparer)
{
	struct comparison *comparison = comparer->comparison;
	const struct buckets *buckets = &comparer->buckets;

	comparison->rows = arena_alloc(comparer->arena,
				       (buckets->nr + 1) * sizeof(*comparison->rows));
	comparison->totals = arena_alloc(comparer->arena,
					 (compared_metrics_nr() + 1) * sizeof(*comparison->totals));
	comparer->work = arena_alloc(comparer->arena,
				     2 * (buckets->nr_runs + 1) * sizeof(*comparer->work));
	comparer->means = arena_alloc(comparer->arena,
				      (buckets->nr_runs + 1) * sizeof(*comparer->means));
	if (!comparison->rows || !comparison->totals || !comparer->work || !comparer->means)
		return false;
	for (size_t i = 0; i < buckets->nr; i++) {
		const struct bucket_key *key = &buckets->keys[i];
		bool total = is_total(comparer, key) &&
			     comparison->nr_totals < compared_metrics_nr();
		struct difference *row = total ? &comparison->totals[comparison->nr_totals++]
					       : &comparison->rows[comparison->nr++];

		*row = (struct difference){ .place = key->place,
					    .array = key->array,
					    .part = key->part,
					    .metric = key->metric,
					    .p = NAN,
					    .detectable = NAN,
					    .share = NAN };
		split(comparer, row, &buckets->values[i * buckets->nr_runs],
		      &buckets->uncertain[i * buckets->nr_runs]);
	}
	return true;
}

static uint64_t least_executions(const struct match *match)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < match->nr_runs; i++)
		if (match_has_values(match, i) && match->runs[i].profile->executions < least)
			least = match->runs[i].profile->executions;
	return match->nr_runs ? least : 0;
}

static const char *why_not_repeated(const struct match *match, const struct coverage *coverage)
{
	const struct profile *first = NULL;

	for (size_t i = 0; i < match->nr_runs; i++)
		if (match_has_values(match, i) && match->runs[i].profile->basis_why)
			return match->runs[i].profile->basis_why;
	for (size_t i = 0; i < match->nr_runs; i++) {
		const struct profile *profile = match->runs[i].profile;

		if (!match_has_values(match, i))
			continue;
		first = first ? first : profile;
		if (profile->basis != first->basis ||
		    (profile->steps != first->steps && profile->basis != RUN_BASIS_STEADY))
			return "the runs recorded other steps (one, several, or bursts before the steps were known), so simulated values differ from run to run: let measuring cost more (--overhead 100%)";
	}
	if (coverage->largely)
		return "a region was recorded in some of the runs only, so simulated values differ from run to run: let measuring cost more (--overhead 1000%)";
	return NULL;
}

bool compare(struct arena *arena, const struct match *match, const struct compare_options *options,
	     struct comparison *out)
{
	struct comparer comparer = { .arena = arena,
				     .comparison = out,
				     .match = match,
				     .executions = least_executions(match) };

	*out = (struct comparison){ .match = match, .options = *options };
	if (!buckets_fill(arena, match, &comparer.buckets) ||
	    !coverage_of(arena, match, &comparer.buckets, &comparer.coverage) ||
	    !executions_of(arena, match, &comparer.replicates))
		return false;
	comparer.basis_why = why_not_repeated(match, &comparer.coverage);
	comparer.steps_differ = match_steps_differ(match);
	for (size_t i = 0; i < match->nr_runs; i++)
		if (match_has_values(match, i)) {
			comparer.runs[match->runs[i].side]++;
			comparer.cut[match->runs[i].side] |= !match->runs[i].profile->complete;
		}
	if (!add_rows(&comparer))
		return false;
	for (size_t i = 0; i < out->nr + out->nr_totals; i++) {
		set_share(&comparer, comparison_row(out, i));
	}
	if (!judge(&comparer))
		return false;
	for (size_t i = 0; i < out->nr_totals; i++)
		keep_interval(arena, &out->totals[i]);
	return true;
}
