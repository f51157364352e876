/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_RANGES_H
#define MEMSEARCH_COUNTING_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"

/*
 * Ranges of arrays as users write them, and their bytes in each block. A range selects indices of
 * the dimension with the largest stride, so that it is contiguous: the first one in C, `u[0:9]`,
 * the last one in Fortran, `u(:,1:10)`. Indices are those of the program: both ends are included,
 * and the lower bound is the declared one. A single index is allowed: `u[3]`.
 */
struct arena;

struct range {
	/* `nr` bytes: the array's name of `nr_name` bytes, then the brackets or parentheses */
	const char *text;
	size_t nr, nr_name;
	bool column_major;   /* written in parentheses … */
	unsigned int colons; /* … after this number of whole dimensions */
	int64_t first, last;
};

/*
 * Parses the range at `text` in a list with commas; *behind_out: the next one, or the end. Returns
 * the error; NULL: *out is filled and points into `text`.
 */
const char *range_read(const char *text, struct range *out, const char **behind_out);

/*
 * The bytes [*low_out, *high_out) of each block of the array, the largest of which has
 * `block_bytes` (0: unknown). Returns the error, in the arena; NULL: none.
 */
const char *range_bytes(struct arena *arena, const struct range *range,
			const struct run_array *array, uint64_t block_bytes, uint64_t *low_out,
			uint64_t *high_out);

/* The array's shape, with the range for its dimension. */
const char *range_shape(struct arena *arena, const struct range *range,
			const struct run_array *array);

#endif
