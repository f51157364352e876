/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_GROWTH_H
#define MEMSEARCH_DIFFERENTIAL_GROWTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/differential/fit.h"
#include "analysis/differential/match.h"

/*
 * How the buckets of a sweep grow with its load: more than two profiles (the paper's projection
 * methods), and buckets that scale alike together (its "spectroscope"). Loads are numbers of
 * threads, or the user's work.
 */
struct arena;

struct growth_row {
	uint32_t place, array; /* numbers of the match; array PROFILE_NONE: the region */
	double *means;         /* by column; NAN: not measured there */
	struct growth growth;
	bool explained;               /* a region inside has the same values */
	struct projection saturation; /* of the bound; not valid where there is none */
	/* the value projected for twice the largest load; NAN: no class fits */
	double next;
};

struct growths {
	uint32_t metric;
	double *works; /* by column, ascending */
	size_t nr_columns;
	/* the class that grows fastest first, in it the largest value first */
	struct growth_row *rows;
	size_t nr;
};

struct growths_how {
	uint32_t metric;
	bool of_arrays;
	double least;
	/* a load of 1 is left out of the fits, as one thread may run another algorithm */
	bool without_one;
	double bound;   /* the most that the metric can be; NAN: not known */
	bool power_law; /* towards it, eq. 5; else linear, eq. 4 */
};

/*
 * `columns` [match->nr_runs]: of each run; `works` [nr_columns]: positive, different. Buckets of
 * one metric, of data structures or of regions, that have at least how->least in some column. In
 * the arena; false: no memory. Fewer than three columns: no rows.
 */
bool growths_of(struct arena *arena, const struct match *match, const size_t *columns,
		const double *works, size_t nr_columns, const struct growths_how *how,
		struct growths *out);

#endif
