/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_RUN_INTERVALS_H
#define MEMSEARCH_RECORD_RUN_INTERVALS_H

#include <stdbool.h>
#include <stdint.h>

#include "memsearch/interval.h"

/* The intervals of a run (run.h): parts of it in which questions were asked. */
struct run;

struct run_interval {
	uint32_t kind;        /* enum ms_interval_kind */
	const char *name;     /* "interval 3", "from calc2", "minor_faults>1000" */
	uint64_t executions;  /* of the phase, or stretches of the program, inside */
	uint64_t first, last; /* numbers of these, from 1; 0: none */
	double wall_ns;       /* of these */
	bool open;            /* at the end of the run, or as the record was last updated */
	/* bits 1 << number: the smallest intervals around it; 1: none but the whole */
	uint64_t parents;
};

/* NULL: `number` (run_node.interval) is 0, or no interval of the run. */
const struct run_interval *run_interval(const struct run *run, uint32_t number);

#endif
