/* SPDX-License-Identifier: Apache-2.0 */
/* Which runs of a sweep there are, and their medians. */
#include "analysis/sweep/results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/base/sort.h"
#include "analysis/differential/metrics.h"
#include "analysis/differential/profile.h"

bool results_init(struct results *results, struct arena *arena, const struct sweep_plan *plan)
{
	size_t size = (size_t)matrix_size(plan);

	*results = (struct results){ .arena = arena, .plan = plan };
	results->settings = arena_alloc(arena, size * sizeof(*results->settings));
	results->unprofiled_ns = arena_alloc(arena, size * sizeof(*results->unprofiled_ns));
	if (!results->settings || !results->unprofiled_ns)
		return false;
	for (size_t i = 0; i < size; i++) {
		struct matrix_configuration configuration = matrix_configuration(arena, plan, i);

		if (!configuration.values || !settings_of(arena, plan, &configuration, 0, "",
							  UINT32_MAX, &results->settings[i]))
			return false;
	}
	return true;
}

/* False: the run is not of this sweep. */
static bool place(const struct results *results, const struct run *run, struct result *out)
{
	const struct sweep_plan *plan = results->plan;
	const char *machine = run_setting(run, RUN_SETTING_MACHINE),
		   *repetition = run_setting(run, SETTING_REPETITION);
	size_t size = (size_t)matrix_size(plan);

	if (!machine || !repetition)
		return false;
	while (out->machine < plan->machines.nr &&
	       strcmp(plan->machines.items[out->machine], machine) != 0)
		out->machine++;
	while (out->configuration < size &&
	       !settings_match(&results->settings[out->configuration], run))
		out->configuration++;
	out->repetition = (uint32_t)strtoul(repetition, NULL, 10);
	return out->machine < plan->machines.nr && out->configuration < size;
}

static double known(double value)
{
	return value > 0 ? value : NAN;
}

/* Of the whole phase, all threads together; NAN: not measured. */
static double total_of(const struct profile *profile, const char *metric, enum ms_rung rung)
{
	double total = NAN;

	for (size_t i = 0; i < profile->nr_values; i++) {
		const struct profile_value *value = &profile->values[i];
		const struct compared_metric *of = compared_metric(value->metric);

		if (profile->places[value->place].kind == MS_USER_REGION &&
		    value->array == PROFILE_NONE && of->rung == rung && !strcmp(of->name, metric))
			total = isnan(total) ? value->value : total + value->value;
	}
	return total;
}

/* As a comparison of the runs has them. False: no memory. */
static bool fill(struct result *result, const struct run *run)
{
	static const char *const levels[] = { "l1_misses", "l2_misses", "l3_misses" };
	struct arena *scratch = arena_new();
	const struct profile *profile = scratch ? profile_of(scratch, run, PROFILE_BY_ARRAY) : NULL;

	result->step_ns = run->phase.executions ? run->phase.wall_ns / (double)run->phase.executions
						: NAN;
	result->executions = run->phase.executions ? (double)run->phase.executions : NAN;
	result->profiled_ns = known(run->sweep.profiled_ns);
	result->unprofiled_ns = known(run->sweep.unprofiled_ns);
	result->accesses = profile && run->modelled.name
				   ? total_of(profile, "accesses", MS_RUNG_COUNTED)
				   : NAN;
	for (size_t level = 0; level < 3; level++)
		result->missed[level] = profile ? total_of(profile, levels[level],
							   MS_RUNG_SIMULATED)
						: NAN;
	arena_free(scratch);
	return profile;
}

bool results_add(struct results *results, const struct run *run)
{
	struct result result = { 0 };

	if (!place(results, run, &result))
		return true;
	if (!fill(&result, run) ||
	    !ARENA_GROW(results->arena, results->items, results->nr, results->room))
		return false;
	if (result.unprofiled_ns > 0)
		results->unprofiled_ns[result.configuration] = result.unprofiled_ns;
	results->items[results->nr++] = result;
	return true;
}

bool results_has(const struct results *results, size_t configuration, uint32_t repetition,
		 size_t machine)
{
	for (size_t i = 0; i < results->nr; i++) {
		const struct result *result = &results->items[i];

		if (result->configuration == configuration && result->repetition == repetition &&
		    result->machine == machine)
			return true;
	}
	return false;
}

static bool needs_run(const struct results *results, size_t configuration, uint32_t repetition)
{
	for (size_t machine = 0; machine < results->plan->machines.nr; machine++)
		if (!results_has(results, configuration, repetition, machine))
			return true;
	return false;
}

static bool needs_any_run(const struct results *results, size_t configuration)
{
	for (uint32_t repetition = 1; repetition <= results->plan->repetitions; repetition++)
		if (needs_run(results, configuration, repetition))
			return true;
	return false;
}

static bool group_needs_run(const struct results *results, size_t group)
{
	size_t size = (size_t)matrix_size(results->plan);

	for (size_t i = 0; i < size; i++)
		if (matrix_group(results->plan, i) == group && needs_any_run(results, i))
			return true;
	return false;
}

/*
 * Of a run with all numbers of threads: of all its configurations. Without memsearch it is run in
 * each sweep anew, for its output.
 */
static bool online_needs(const struct results *results, const struct matrix_step *step)
{
	struct matrix_range range = matrix_measured(results->plan, step->configuration);
	bool needs = false;

	for (size_t i = range.first; i < range.end; i++)
		needs |= step->kind == MATRIX_PROFILED ? needs_run(results, i, step->repetition)
						       : needs_any_run(results, i);
	return needs;
}

bool results_need(const struct results *results, const struct matrix_step *step)
{
	if (results->plan->online)
		return online_needs(results, step);
	switch (step->kind) {
	case MATRIX_WARM_UP:
		return group_needs_run(results, matrix_group(results->plan, step->configuration));
	case MATRIX_UNPROFILED:
		return !(results->unprofiled_ns[step->configuration] > 0) &&
		       needs_any_run(results, step->configuration);
	case MATRIX_PROFILED: break;
	}
	return needs_run(results, step->configuration, step->repetition);
}

/* -- medians */

static int by_size(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Of the figures that are known; NAN: none is. */
static double median_of(double *values, size_t nr)
{
	if (!nr)
		return NAN;
	sort(values, nr, sizeof(*values), by_size);
	return nr % 2 ? values[nr / 2] : (values[nr / 2 - 1] + values[nr / 2]) / 2;
}

/*
 * Of one figure, at an offset in struct result. `per_step`: where some runs have a phase, of these
 * alone, as in the others the whole program is a step.
 */
static double median(const struct results *results, size_t configuration, size_t machine,
		     size_t offset, bool per_step)
{
	double *values = arena_alloc(results->arena, (results->nr + 1) * sizeof(*values));
	size_t nr = 0;

	for (size_t i = 0; i < results->nr && values; i++) {
		const struct result *result = &results->items[i];
		double value = *(const double *)((const char *)result + offset);

		if (result->configuration == configuration && result->machine == machine &&
		    isfinite(value) && (!per_step || isfinite(result->step_ns)))
			values[nr++] = value;
	}
	return median_of(values, nr);
}

struct result_summary results_summary(const struct results *results, size_t configuration,
				      size_t machine)
{
	static const size_t of_runs[] = { offsetof(struct result, step_ns),
					  offsetof(struct result, executions),
					  offsetof(struct result, profiled_ns),
					  offsetof(struct result, unprofiled_ns) };
	static const size_t of_steps[] = {
		offsetof(struct result, accesses),
		offsetof(struct result, missed[0]),
		offsetof(struct result, missed[1]),
		offsetof(struct result, missed[2]),
	};
	struct result_summary summary = { .median = { .configuration = configuration,
						      .machine = machine } };
	struct result *out = &summary.median;

	for (size_t i = 0; i < results->nr; i++)
		summary.runs += results->items[i].configuration == configuration &&
				results->items[i].machine == machine;
	for (size_t i = 0; i < sizeof(of_runs) / sizeof(of_runs[0]); i++)
		*(double *)((char *)out + of_runs[i]) = median(results, configuration, machine,
							       of_runs[i], false);
	for (size_t i = 0; i < sizeof(of_steps) / sizeof(of_steps[0]); i++)
		*(double *)((char *)out + of_steps[i]) = median(
			results, configuration, machine, of_steps[i], isfinite(out->step_ns));
	summary.ratio = summary.median.profiled_ns / summary.median.unprofiled_ns;
	return summary;
}
