/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_COUNT_ROWS_H
#define MEMSEARCH_COUNTING_COUNT_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/counting/map.h"
#include "analysis/record/run.h"

/*
 * Rows of a run that are made after it has ended: regions of natural loops and data structures below the constructs, and measurements by region, thread and metric.
 */
struct count_rows {
	struct arena *arena;             /* the run's */
	struct run *run;
	struct map regions;              /* (kind, parent), (module, offset) → number + 1 */
	struct map cells;                /* (region, thread), metric → position in cells + 1 */
	struct count_cell { struct ms_measurement row; double part; } *items;
	size_t nr_items, room_items;
	bool failed;                     /* no memory */
};

/* Knows the regions that the run has. */
void count_rows_begin(struct count_rows *rows, struct arena *arena, struct run *run);
/* MS_REGION_NONE: no memory. */
uint32_t count_rows_array(struct count_rows *rows, uint32_t parent, uint32_t array);
uint32_t count_rows_loop(struct count_rows *rows, uint32_t parent, uint64_t header);
/* An address of the program as it ran. */
struct code_address count_rows_code(const struct run *run, uint64_t address);
/* The construct that a loop or data structure is in; others are their own. */
uint32_t count_rows_construct(const struct run *run, uint32_t region);
/* Adds values of the metric whose sum is `sum`, of `executions` of the region. */
void count_rows_add(struct count_rows *rows, uint32_t region, uint32_t thread, enum ms_metric metric, double sum, uint64_t executions);
/* Adds to the value under way, of which more comes. */
void count_rows_part(struct count_rows *rows, uint32_t region, uint32_t thread, enum ms_metric metric, double sum);
/* The part so far, which is forgotten. */
double count_rows_take_part(struct count_rows *rows, uint32_t region, uint32_t thread, enum ms_metric metric);
/* All of them into the run. `phases`: by region that the run began with, of the phase. */
void count_rows_end(struct count_rows *rows, const uint64_t *phases, double phase_ns);

#endif
