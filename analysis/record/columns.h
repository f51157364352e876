/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_COLUMNS_H
#define MEMSEARCH_RECORD_COLUMNS_H

#include "analysis/record/coding.h"
#include "analysis/record/run_regions.h"

/*
 * Measurements as columns: they are most of a record, and from one update to the next
 * little changes in them. A batch holds, for rows of ascending number,
 *
 *     rows · row numbers · region · thread · metric · count · phases · sum · min · max · …
 *
 * each column as differences: to the row above (numbers, region, thread, metric), or to what
 * the row's former values let expect (sums grow with the count as before, squares as if the new
 * values were equal). Columns of whole numbers, as nanoseconds and counts are, become varints
 * with runs; others are XORed with the former value and lose their zero bytes. Everything is
 * computed in integers: the program may have set another rounding mode.
 */
#define COLUMNS_ROWS 2048u /* in a batch at most */
/* rows of higher numbers are always differences to 0: the writer keeps no copy */
#define COLUMNS_FORMER 65536u

/* scratch of one batch, both directions */
struct columns {
	uint64_t numbers[COLUMNS_ROWS];
	uint64_t values[COLUMNS_ROWS];
	uint64_t counts[COLUMNS_ROWS], sums[COLUMNS_ROWS]; /* former ones, of these rows */
};

/*
 * Rows numbers[0 … nr) of `rows`. `former` has COLUMNS_FORMER rows as they were written
 * last, zeroed where never; it is brought up to date.
 */
void columns_put(struct columns *columns, struct buffer *buffer, size_t nr,
		 const struct run_measurement *rows, struct run_measurement *former);

/*
 * The reverse, in two steps: columns_begin gives how many rows and their numbers
 * (ascending), the caller makes room, columns_get changes the rows. Both set cursor->bad.
 */
size_t columns_begin(struct columns *columns, struct cursor *cursor);
void columns_get(struct columns *columns, struct cursor *cursor, size_t nr,
		 struct run_measurement *rows);

#endif
