/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_SHAPE_H
#define MEMSEARCH_RECORD_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

/* Shapes of arrays as their languages write them: "[10][20]" in C, "(10,0:19)" in Fortran. */
#define SHAPE_DIMENSIONS 15 /* the most of Fortran 2018 */

struct shape_dimension {
	int64_t low;     /* first index */
	uint64_t extent; /* 0: unknown */
};
struct shape {
	struct shape_dimension of[SHAPE_DIMENSIONS]; /* as written */
	unsigned int nr;
	bool column_major; /* the first dimension is contiguous, not the last one */
};

/* False: it is none; `text` may be hostile. */
bool shape_read(const char *text, struct shape *out);
/* Reads a whole number at *at, which moves behind it. False: there is none, or it is too large. */
bool shape_index(const char **at, int64_t *out);
/*
 * Bytes between consecutive indices of a dimension, of which 0 is the contiguous one; 0: unknown, or
 * it has no such dimension.
 */
uint64_t shape_step(const struct shape *shape, unsigned int dimension, uint64_t element_bytes);

/*
 * Bytes of the contiguous dimension of an array with several: a row in C, a column in Fortran; and of
 * the two innermost dimensions of an array with three or more. 0: fewer dimensions, or unknown.
 */
struct run_array;
uint64_t shape_row_bytes(const struct run_array *array);
uint64_t shape_plane_bytes(const struct run_array *array);

#endif
