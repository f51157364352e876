/* SPDX-License-Identifier: Apache-2.0 */
#include "analysis/differential/warnings.h"

#include <math.h>
#include <string.h>

#include "analysis/base/arena.h"

#define PERTURBED 1.15 /* slower than without memsearch by more than that */
/* relative difference of calibrations that repeat each other */
#define CALIBRATION_MOST 0.15

/* NULL: nothing to say. `of`: a profile of each side, `all`: every run. */
typedef const char *check(struct arena *arena, const struct profile *const *of,
			  const struct match *all);

static const char *one_thread(struct arena *arena, const struct profile *const *of,
			      const struct match *all)
{
	bool one = of[MATCH_BASE]->threads == 1, other = of[MATCH_NEW]->threads == 1;

	(void)arena, (void)all;
	return one != other
		       ? "one thread may run another algorithm than several: compare 2 threads with more"
		       : NULL;
}

static const char *programs(struct arena *arena, const struct profile *const *of,
			    const struct match *all)
{
	const char *base = strrchr(of[MATCH_BASE]->program, '/'),
		   *new = strrchr(of[MATCH_NEW]->program, '/');

	(void)all;
	base = base ? base + 1 : of[MATCH_BASE]->program;
	new = new ? new + 1 : of[MATCH_NEW]->program;
	return strcmp(base, new) != 0
		       ? arena_printf(arena, "the programs have different names: %s, %s", base, new)
		       : NULL;
}

static const char *machines(struct arena *arena, const struct profile *const *of,
			    const struct match *all)
{
	const char *base = of[MATCH_BASE]->machine, *new = of[MATCH_NEW]->machine;

	(void)all;
	if (!*base || !*new || !strcmp(base, new))
		return NULL;
	return arena_printf(
		arena,
		"the simulated machines differ (%s, %s): differences of simulated values may come from that",
		base, new);
}

static const char *placements(struct arena *arena, const struct profile *const *of,
			      const struct match *all)
{
	const char *base = of[MATCH_BASE]->environment, *new = of[MATCH_NEW]->environment;

	(void)all;
	if (!strcmp(base, new) || (!strstr(base, "BIND") && !strstr(new, "BIND") &&
				   !strstr(base, "PLACES") && !strstr(new, "PLACES")))
		return NULL;
	return arena_printf(arena, "the binding of threads differs (%s; %s)", *base ? base : "none",
			    *new ? new : "none");
}

static const char *runtimes(struct arena *arena, const struct profile *const *of,
			    const struct match *all)
{
	(void)all;
	if (of[MATCH_BASE]->swapped_runtime != of[MATCH_NEW]->swapped_runtime)
		return "one side ran on LLVM's OpenMP runtime in the place of its own: run both with the same --runtime";
	if (!strcmp(of[MATCH_BASE]->runtime, of[MATCH_NEW]->runtime))
		return NULL;
	return arena_printf(arena, "the OpenMP runtimes differ (%s; %s)", of[MATCH_BASE]->runtime,
			    of[MATCH_NEW]->runtime);
}

static const char *computers(struct arena *arena, const struct profile *const *of,
			     const struct match *all)
{
	(void)all;
	if (!strcmp(of[MATCH_BASE]->cpu, of[MATCH_NEW]->cpu) &&
	    of[MATCH_BASE]->cpus == of[MATCH_NEW]->cpus)
		return NULL;
	return arena_printf(
		arena,
		"the runs come from different computers (%u CPUs, %s; %u CPUs, %s): times and hardware counters are not compared",
		of[MATCH_BASE]->cpus, of[MATCH_BASE]->cpu, of[MATCH_NEW]->cpus, of[MATCH_NEW]->cpu);
}

static const char *calibrations(struct arena *arena, const struct profile *const *of,
				const struct match *all)
{
	double base = of[MATCH_BASE]->bandwidth, new = of[MATCH_NEW]->bandwidth;

	(void)all;
	if (!(base > 0) || !(new > 0) || fabs(base - new) <= CALIBRATION_MOST * fmax(base, new))
		return NULL;
	return arena_printf(arena, "the calibrations differ: memory delivered %.1f and %.1f GB/s",
			    base / 1e9, new / 1e9);
}

static const char *oversubscription(struct arena *arena, const struct profile *const *of,
				    const struct match *all)
{
	(void)arena, (void)all;
	if (!of[MATCH_BASE]->oversubscribed && !of[MATCH_NEW]->oversubscribed)
		return NULL;
	return "there were more threads than CPUs: scaling statements rest on counted and simulated values, never on times";
}

static const char *perturbation(struct arena *arena, const struct profile *const *of,
				const struct match *all)
{
	double most = 0;

	(void)of;
	for (size_t i = 0; i < all->nr_runs; i++)
		most = fmax(most, all->runs[i].profile->perturbation);
	return most > PERTURBED
		       ? arena_printf(
				 arena,
				 "measuring made the program up to %.2f times slower: times include that",
				 most)
		       : NULL;
}

static const char *unfinished(struct arena *arena, const struct profile *const *of,
			      const struct match *all)
{
	size_t nr = 0;

	(void)of;
	for (size_t i = 0; i < all->nr_runs; i++)
		nr += !all->runs[i].profile->complete;
	return nr ? arena_printf(
			    arena,
			    "%zu of %zu runs ended before their record was complete: their values are of the part until then",
			    nr, all->nr_runs)
		  : NULL;
}

static const char *phases(struct arena *arena, const struct profile *const *of,
			  const struct match *all)
{
	size_t left_out = 0;

	if (all->unit == MATCH_UNITS_DIFFER)
		return arena_printf(
			arena,
			"a repeating phase was found on one side only: values are of a step there, and of the whole run on the %s side; they are not compared",
			of[MATCH_BASE]->method == PHASE_WHOLE_PROGRAM ? "base" : "new");
	for (size_t i = 0; i < all->nr_runs; i++)
		left_out += !match_has_values(all, i);
	return left_out
		       ? arena_printf(
				 arena,
				 "%zu of %zu runs found no repeating phase, and are left out: their values are of the whole run, the others' of a step",
				 left_out, all->nr_runs)
		       : NULL;
}

/*
 * Data larger than all caches on one side only; the caches are those of the simulated machine, or
 * of this one.
 */
static const char *caches(struct arena *arena, const struct profile *const *of,
			  const struct match *all)
{
	double cache = of[MATCH_BASE]->cache_bytes, base = of[MATCH_BASE]->data_bytes,
	       new = of[MATCH_NEW]->data_bytes;

	(void)all;
	if (!(cache > 0) || !(base > 0) || !(new > 0) || (base <= cache) == (new <= cache))
		return NULL;
	return arena_printf(
		arena, "the data fits the caches (%.1f MiB) on the %s side only: %.1f and %.1f MiB",
		cache / 1048576, base <= cache ? "base" : "new", base / 1048576, new / 1048576);
}

static const char *sampled_lines(struct arena *arena, const struct profile *const *of,
				 const struct match *all)
{
	(void)arena, (void)all;
	return of[MATCH_BASE]->lines_one_in > 1 || of[MATCH_NEW]->lines_one_in > 1
		       ? "some of the simulated caches' sets were sampled: simulated values have errors"
		       : NULL;
}

static const char *steps(struct arena *arena, const struct profile *const *of,
			 const struct match *all)
{
	if (!*of[MATCH_BASE]->machine || !match_steps_differ(all))
		return NULL;
	return arena_printf(
		arena,
		"the runs recorded other numbers of steps: differences of simulated values of a step by less than %.0f %% may come from that",
		100 * MATCH_STEPS_APART);
}

static check *const checks[] = { programs,      one_thread, machines,     placements,
				 runtimes,      computers,  calibrations, oversubscription,
				 perturbation,  unfinished, phases,       caches,
				 sampled_lines, steps };

static const struct profile *first_of(const struct match *match, enum match_side side)
{
	for (size_t i = 0; i < match->nr_runs; i++)
		if (match->runs[i].side == side)
			return match->runs[i].profile;
	return NULL;
}

struct warnings warnings_of(struct arena *arena, const struct match *match)
{
	const struct profile *of[] = { first_of(match, MATCH_BASE), first_of(match, MATCH_NEW) };
	struct warnings all = { 0 };

	for (size_t i = 0;
	     of[MATCH_BASE] && of[MATCH_NEW] && i < sizeof(checks) / sizeof(checks[0]); i++) {
		const char *one = checks[i](arena, of, match);

		if (one && ARENA_GROW(arena, all.items, all.nr, all.room))
			all.items[all.nr++] = one;
	}
	return all;
}
