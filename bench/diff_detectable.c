/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the change that a comparison says it can find is found in four of five cases. Times of
 * invented runs have normal noise of 2 %; one bucket of NR takes longer by the change that
 * comparisons without one print for it, in the mean of TRIALS. Prints "printed %, found %".
 * Run by bench/diff.sh.        diff_detectable RUNS NR TRIALS
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/differential/compare.h"
#include "analysis/differential/metrics.h"

#define NOISE 0.02

static uint64_t state = 88172645463325252u;

static double uniform(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

/* Box & Muller 1958 */
static double normal(void)
{
	double radius = sqrt(-2 * log(uniform()));

	return radius * cos(2 * M_PI * uniform());
}

static void *must(void *memory)
{
	if (!memory) {
		fprintf(stderr, "no memory\n");
		exit(1);
	}
	return memory;
}

static uint32_t time_metric(void)
{
	for (uint32_t i = 0; i < compared_metrics_nr(); i++)
		if (!strcmp(compared_metric(i)->name, "time"))
			return i;
	return COMPARED_NONE;
}

/* `change` of the last bucket. */
static const struct profile *profile_make(struct arena *arena, size_t nr, double change)
{
	struct profile *profile = must(arena_alloc(arena, sizeof(*profile)));

	*profile = (struct profile){
		.program = "p",
		.command = "p",
		.machine = "",
		.runtime = "",
		.cpu = "",
		.host = "",
		.build = "a",
		.binary = "",
		.arguments = "",
		.environment = "",
		.placement = "",
		.threads = 2,
		.cpus = 2,
		.complete = true,
		.executions = 100,
		.phase_ns = 1e6,
		.places = must(arena_alloc(arena, (nr + 1) * sizeof(*profile->places))),
		.values = must(arena_alloc(arena, nr * sizeof(*profile->values))),
		.nr_places = nr + 1,
		.nr_values = nr,
	};
	for (size_t i = 0; i <= nr; i++)
		profile->places[i] = (struct profile_place){
			.parent = i ? 0 : PROFILE_NONE,
			.kind = i ? MS_DO_REGION : MS_USER_REGION,
			.function = "f",
			.file = "f.c",
			.next = "",
			.path = "",
			.line = (int)i,
			.words = "",
		};
	for (size_t i = 0; i < nr; i++) {
		double value = 1e6 * (1 + NOISE * normal()) * (i + 1 == nr ? 1 + change : 1);

		profile->values[i] = (struct profile_value){ (uint32_t)i + 1, PROFILE_NONE,
							     PROFILE_NONE,    time_metric(),
							     value,           value };
	}
	return profile;
}

/* The row of the last bucket. */
static struct difference compare_once(struct arena *arena, size_t runs, size_t nr, double change)
{
	const struct compare_options options = { .work = { 1, 1 },
						 .function = COMBINE_WEIGHTED,
						 .bound = NAN,
						 .level = 0.05,
						 .cut_off = 0.001 };
	const struct profile **profiles = must(arena_alloc(arena, 2 * runs * sizeof(*profiles)));
	enum match_side *sides = must(arena_alloc(arena, 2 * runs * sizeof(*sides)));
	struct comparison comparison;
	struct match match;

	for (size_t i = 0; i < 2 * runs; i++) {
		sides[i] = i % 2 ? MATCH_NEW : MATCH_BASE;
		profiles[i] = profile_make(arena, nr, i % 2 ? change : 0);
	}
	if (!match_profiles(arena, profiles, sides, 2 * runs, &match) ||
	    !compare(arena, &match, &options, &comparison))
		must(NULL);
	for (size_t i = 0; i < comparison.nr; i++)
		if (match.places[comparison.rows[i].place].of[MATCH_BASE]->line == (int)nr)
			return comparison.rows[i];
	must(NULL);
	return comparison.rows[0];
}

int main(int argc, char **argv)
{
	size_t runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 10,
	       nr = argc > 2 ? strtoul(argv[2], NULL, 10) : 200,
	       trials = argc > 3 ? strtoul(argv[3], NULL, 10) : 400, found = 0;
	double printed = 0;

	for (size_t i = 0; i < trials; i++) {
		struct arena *arena = must(arena_new());

		printed += compare_once(arena, runs, nr, 0).detectable / (double)trials;
		arena_free(arena);
	}
	for (size_t i = 0; i < trials; i++) {
		struct arena *arena = must(arena_new());

		found += compare_once(arena, runs, nr, printed).verdict == VERDICT_WORSE;
		arena_free(arena);
	}
	printf("%.2f %.1f\n", 100 * printed, 100.0 * (double)found / (double)trials);
	return 0;
}
