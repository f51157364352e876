/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SWEEP_MATRIX_H
#define MEMSEARCH_SWEEP_MATRIX_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/sweep/plan.h"

/*
 * The configurations of a sweep, and the order of its runs: a warm-up of each binary and argument
 * set, then all configurations once for each repetition, forward and backward in turn, so that what
 * drifts with time does not look like an effect of threads. In the first repetition each is run
 * without memsearch right before it is run with it.
 *
 *     warm-up | 1 thread, 2 threads, 4 threads | 4, 2, 1 | 1, 2, 4 …
 *
 * Where one run has all numbers of threads (online), its steps are of the configuration with the
 * greatest number, and each combination of the other values has its own warm-up.
 */
struct arena;

struct matrix_configuration {
	size_t number;
	uint32_t threads;
	const struct sweep_arguments *arguments;
	const char *binary;
	const char *const *values; /* of the plan's variables, by their number */
};

enum matrix_kind { MATRIX_WARM_UP, MATRIX_UNPROFILED, MATRIX_PROFILED };

struct matrix_step {
	enum matrix_kind kind;
	size_t configuration; /* its number */
	uint32_t repetition;  /* from 1; MATRIX_WARM_UP: 0 */
	/* among all runs with memsearch, from 1; of the others: 0 */
	uint32_t position;
};

/* Configurations; a double, as the product may be too large. */
double matrix_size(const struct sweep_plan *plan);
/*
 * Threads vary fastest, then variables, arguments and binaries. `values` lives in the arena; NULL:
 * no memory.
 */
struct matrix_configuration matrix_configuration(struct arena *arena, const struct sweep_plan *plan,
						 size_t number);
/*
 * Configurations that a run measures: this one, or where one run has all numbers of threads those
 * from the first to before the end.
 */
struct matrix_range {
	size_t first, end;
};
struct matrix_range matrix_measured(const struct sweep_plan *plan, size_t configuration);
/* The group of configurations that one warm-up is for: of the same binary and arguments. */
size_t matrix_group(const struct sweep_plan *plan, size_t configuration);
size_t matrix_groups(const struct sweep_plan *plan);
/* Steps in their order, in the arena; NULL: no memory. */
struct matrix_step *matrix_steps(struct arena *arena, const struct sweep_plan *plan,
				 size_t *nr_out);

#endif
