/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_PHASES_STEP_SERIES_H
#define MEMSEARCH_PHASES_STEP_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run_phase.h"

/*
 * Wall times of a phase's executions in the order of time, in bounded memory: where all rows are full
 * neighbours become one, and each new row has twice as many executions. Zeroed: empty.
 */
#define STEP_SERIES_ROWS 256u

struct step_series {
	struct run_step rows[STEP_SERIES_ROWS];
	size_t nr;
	uint32_t doublings; /* a row is full with 1 << doublings executions, or more */
};

/* Executions that ran one after the other, in `wall_ns` together; executions > 0. */
void step_series_add(struct step_series *series, double wall_ns, uint64_t executions,
		     bool recorded);

#endif
