/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_COUNT_ROWS_H
#define MEMSEARCH_COUNTING_COUNT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/counting/pair_map.h"
#include "analysis/record/run.h"

/*
 * Rows added to a run after its end: regions of calls, called functions, natural loops and data
 * structures below the constructs, and measurements by region, thread and metric.
 */
struct count_rows {
	struct arena *arena; /* the run's */
	struct run *run;
	struct pair_map regions; /* (kind, parent), (module, offset) → number + 1 */
	struct pair_map cells;   /* (region, thread), metric → position in cells + 1 */
	struct count_cell {
		struct ms_measurement row;
		double part;
	} *items;
	size_t nr_items, room_items;
	bool failed; /* no memory */
};

/* Call first: enters the regions of the run. */
void count_rows_begin(struct count_rows *rows, struct arena *arena, struct run *run);
/* MS_REGION_NONE: no memory. */
uint32_t count_rows_array(struct count_rows *rows, uint32_t parent, uint32_t array);
uint32_t count_rows_loop(struct count_rows *rows, uint32_t parent, uint64_t header);
uint32_t count_rows_function(struct count_rows *rows, uint32_t parent, uint64_t begin);
/* The call with the path of that CALL_REGION. */
uint32_t count_rows_call(struct count_rows *rows, uint32_t parent, uint32_t call);
/* Module and offset of an address of the running program. */
struct code_address count_rows_code(const struct run *run, uint64_t address);
/* Adds `sum` of the metric, of `executions` of the region. */
void count_rows_add(struct count_rows *rows, uint32_t region, uint32_t thread,
		    enum ms_metric metric, double sum, uint64_t executions);
/* Adds a part of a value that is not complete yet. */
void count_rows_part(struct count_rows *rows, uint32_t region, uint32_t thread,
		     enum ms_metric metric, double sum);
/* Returns and clears the part. */
double count_rows_take_part(struct count_rows *rows, uint32_t region, uint32_t thread,
			    enum ms_metric metric);
/* Writes all rows into the run. `phases`: by region of the run, executions of the phase. */
void count_rows_end(struct count_rows *rows, const uint64_t *phases, double phase_ns);

#endif
