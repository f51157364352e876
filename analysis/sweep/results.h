/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SWEEP_RESULTS_H
#define MEMSEARCH_SWEEP_RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/sweep/matrix.h"
#include "analysis/sweep/settings.h"

/*
 * What is kept in memory of the runs of a sweep that are in its store: which there are, and their
 * few figures for the table at the end. From the store and from new runs alike.
 */
struct arena;

/* one run on one machine */
struct result {
	size_t configuration, machine; /* numbers in the plan */
	uint32_t repetition;
	double step_ns;                    /* one execution of the phase; NAN: no phase was found */
	double executions;                 /* of the phase; NAN: no phase was found */
	double profiled_ns, unprofiled_ns; /* struct run_sweep; NAN: not known */
	/* simulated, in one execution of the phase, all threads; NAN: none, or no such level */
	double accesses, missed[3];
};

struct results {
	struct arena *arena;
	const struct sweep_plan *plan;
	struct settings *settings; /* of each configuration */
	double *unprofiled_ns;     /* of each configuration; 0: not known */
	struct result *items;
	size_t nr, room;
};

/* False: no memory. */
bool results_init(struct results *results, struct arena *arena, const struct sweep_plan *plan);
/* Adds a run of the store; of another sweep: nothing. False: no memory. */
bool results_add(struct results *results, const struct run *run);
bool results_has(const struct results *results, size_t configuration, uint32_t repetition,
		 size_t machine);
/* Whether a step has something to do: its run, or one that it is for, is not in the store. */
bool results_need(const struct results *results, const struct matrix_step *step);

/* Medians over the repetitions of one configuration on one machine. */
struct result_summary {
	size_t runs;
	/* NAN where no run has the figure; its repetition means nothing */
	struct result median;
	double ratio; /* profiled_ns over unprofiled_ns */
};
struct result_summary results_summary(const struct results *results, size_t configuration,
				      size_t machine);

#endif
