/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTING_RANGES_H
#define MEMSEARCH_COUNTING_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/record/run.h"

/*
 * Ranges of arrays as users write them, and the bytes of each block that they are. A range is of the dimension whose elements lie farthest apart, so that it is
 * one piece of memory: of the first one in C, `u[0:9]`, of the last one in Fortran, `u(:,1:10)`. Indices are the program's own: both ends are in it, and it
 * begins where the array is declared to begin. One index stands for itself: `u[3]`.
 */
struct arena;

struct range {
	const char *text;                /* of `nr` bytes, the array's name of `nr_name`, then what is in brackets or parentheses */
	size_t nr, nr_name;
	bool column_major;               /* it is written in parentheses … */
	unsigned int colons;             /* … behind this number of whole dimensions */
	int64_t first, last;
};

/* The range at `text`, of a list with commas between them; *behind_out: the next one, or the end. Returns what is wrong, in short; NULL: *out is filled and points into `text`. */
const char *range_read(const char *text, struct range *out, const char **behind_out);

/* The bytes [*low_out, *high_out) of each block of the array, the largest of which has `block_bytes` (0: not known). Returns what is wrong, in the arena; NULL: nothing. */
const char *range_bytes(struct arena *arena, const struct range *range, const struct run_array *array, uint64_t block_bytes, uint64_t *low_out, uint64_t *high_out);

/* Of an array of several dimensions, bytes of what lies side by side: a row in C, a column in Fortran; 0: it has one dimension, or its shape is not known. */
uint64_t range_row_bytes(const struct run_array *array);

/* The array's shape with the range in the place of its dimension. */
const char *range_shape(struct arena *arena, const struct range *range, const struct run_array *array);

#endif
