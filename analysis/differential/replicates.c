/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/differential/replicates.h"

#include <math.h>

#include "analysis/base/arena.h"
#include "analysis/differential/metrics.h"

static struct profile_error *at(const struct executions *executions, uint32_t place,
				uint32_t metric)
{
	return &executions->of[(place * compared_metrics_nr() + metric) * executions->nr_runs];
}

/* Regions that are one place, as copies of a loop that the compiler unrolled, have one error. */
static void add_run(struct executions *executions, const struct match *match, size_t run)
{
	const struct match_run *of = &match->runs[run];
	uint32_t nr = (uint32_t)compared_metrics_nr();

	for (uint32_t i = 0; of->profile->errors && i < of->profile->nr_places; i++)
		for (uint32_t metric = 0; metric < nr; metric++) {
			const struct profile_error *from = &of->profile->errors[i * nr + metric];
			struct profile_error *into = at(executions, of->places[i], metric) + run;
			bool included = of->in_region[i] &&
					!compared_is_exclusive(compared_metric(metric)->of[0]);

			if (!(from->executions > 0) || included)
				continue;
			into->error += from->error;
			into->executions = into->executions > 0
						   ? fmin(into->executions, from->executions)
						   : from->executions;
		}
}

bool executions_of(struct arena *arena, const struct match *match, struct executions *out)
{
	*out = (struct executions){ .nr_runs = match->nr_runs };
	out->of = arena_alloc(arena, (match->nr_places + 1) * compared_metrics_nr() *
					     match->nr_runs * sizeof(*out->of));
	for (size_t i = 0; out->of && i < match->nr_runs; i++)
		if (match_has_values(match, i))
			add_run(out, match, i);
	return out->of;
}

const struct profile_error *executions_errors(const struct executions *executions, uint32_t place,
					      uint32_t metric)
{
	return at(executions, place, metric);
}
