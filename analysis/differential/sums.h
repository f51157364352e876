/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_SUMS_H
#define MEMSEARCH_DIFFERENTIAL_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memsearch/metric.h"

/*
 * Values of one profile while they are added up: a table of cells by compared metrics. A cell is
 * what the caller numbers so: a place, or a data structure in a place. Cells without values cost
 * nothing.
 */
struct arena;

struct sum {
	double value, uncertain;
}; /* value NAN: none */

struct sums {
	struct sum *table; /* [nr_cells][nr_rows] */
	size_t nr_rows;    /* compared metrics */
	uint32_t *used;
	size_t nr_used;   /* cells that have values, in the order of their first */
	bool *is_used;    /* [nr_cells] */
	size_t nr_values; /* that are not NAN */
	/* compared metrics that a measured one is part of */
	struct {
		uint32_t rows[2], nr;
	} rows_of[MS_METRICS];
};

/* In the arena. False: no memory. */
bool sums_init(struct arena *arena, struct sums *sums, size_t nr_cells);
/* Adds to each compared metric that the measured one is part of. */
void sums_add(struct sums *sums, uint32_t cell, uint32_t metric, struct sum sum);
/* No cell is used any more. */
void sums_clear(struct sums *sums);

#endif
