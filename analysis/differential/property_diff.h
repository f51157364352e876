/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_PROPERTY_DIFF_H
#define MEMSEARCH_DIFFERENTIAL_PROPERTY_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/differential/compare.h"

/*
 * Which findings appeared, vanished, got worse or better: a property in a place, of a data
 * structure. Columns are groups of runs, such as numbers of threads; the first and the last are
 * compared. Two runs of one binary take other times, so that questions which one answered stay open
 * in the other, and shares of time are now above a property's threshold and now below: what is open
 * on a side is no change, nor is a finding about data whose recorded and simulated values are the
 * same. One that vanished although these values got worse, or appeared although they got better, is
 * open: its share of time alone crossed the threshold.
 */
struct arena;

enum property_change {
	PROPERTY_APPEARED,
	PROPERTY_WORSE,
	PROPERTY_SAME,
	PROPERTY_BETTER,
	PROPERTY_VANISHED,
	PROPERTY_OPEN,
	PROPERTY_CHANGES
};

struct property_cell {
	/* of the column's, in which it is proven; and in which the question was not answered */
	size_t runs, open;
	/* and what findings are ranked by (cause_gain); means over these; NAN: none */
	double severity, gain;
	double value; /* the property's own value, the same; NAN: it has none */
};

struct property_row {
	/* value_name NULL: no value of its own */
	const char *property, *title, *value_name, *value_unit;
	uint32_t place, array; /* numbers of the match, or PROFILE_NONE */
	enum property_change change;
	bool of_data; /* as of struct profile_finding */
	double most;  /* gain of the first or last column */
	/* a row of the same property and data structure, in a region inside, changes likewise */
	bool refined;
	struct property_cell *cells; /* one for each column */
};

struct property_diff {
	struct property_row *rows;
	size_t nr, room;
	size_t nr_columns;
	size_t *runs; /* of each column, all */
};

/*
 * `columns` [match->nr_runs]: the column of each run, below nr_columns, which is 2 at least.
 * `comparison`: of the same runs; of fewer, or NULL: values are ignored. `causes`: compares causes
 * instead of single findings. In the arena; nr_columns 0: no memory.
 */
struct property_diff property_diff(struct arena *arena, const struct match *match,
				   const struct comparison *comparison, const size_t *columns,
				   size_t nr_columns, bool causes);
/* "appeared", "worse", "same", "better", "vanished", "cannot tell". */
const char *property_change_name(enum property_change change);

#endif
