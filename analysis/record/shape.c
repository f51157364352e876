/* SPDX-License-Identifier: Apache-2.0 */
/* Reads shapes of arrays, and computes the bytes of their dimensions. */
#include "analysis/record/shape.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/record/run.h"

#define INDEX_MOST ((int64_t)1 << 60) /* so that differences do not overflow */

bool shape_index(const char **at, int64_t *out)
{
	char *end;

	if ((**at < '0' || **at > '9') && **at != '-')
		return false;
	errno = 0;
	*out = strtoll(*at, &end, 10);
	if (end == *at || errno || *out > INDEX_MOST || *out < -INDEX_MOST)
		return false;
	*at = end;
	return true;
}

/* "[10][20]"; an empty extent is unknown. */
static bool read_c(const char *at, struct shape *out)
{
	for (; *at == '['; at++) {
		int64_t extent = 0;

		at++;
		if (out->nr == SHAPE_DIMENSIONS ||
		    (*at != ']' && (!shape_index(&at, &extent) || *at != ']' || extent <= 0)))
			return false;
		out->of[out->nr++].extent = (uint64_t)extent;
	}
	return !*at;
}

/* "10", "0:9" or ":", which is unknown. */
static bool read_bounds(const char **at, struct shape_dimension *out)
{
	int64_t high = 0;

	out->low = 1;
	if (**at == ':')
		return ++*at;
	if (!shape_index(at, &high))
		return false;
	if (**at == ':') {
		out->low = high;
		++*at;
		if (!shape_index(at, &high))
			return false;
	}
	out->extent = high >= out->low ? (uint64_t)(high - out->low) + 1 : 0;
	return true;
}

/* "(10,0:19)" */
static bool read_fortran(const char *at, struct shape *out)
{
	out->column_major = true;
	do {
		at++;
		if (out->nr == SHAPE_DIMENSIONS || !read_bounds(&at, &out->of[out->nr++]))
			return false;
	} while (*at == ',');
	return !strcmp(at, ")");
}

bool shape_read(const char *text, struct shape *out)
{
	*out = (struct shape){ .nr = 0 };
	if (!text || !*text)
		return false;
	return *text == '(' ? read_fortran(text, out) : read_c(text, out);
}

uint64_t shape_step(const struct shape *shape, unsigned int dimension, uint64_t element_bytes)
{
	uint64_t bytes = element_bytes;

	if (dimension >= shape->nr)
		return 0;
	for (unsigned int i = 0; i < dimension; i++)
		if (__builtin_mul_overflow(
			    bytes, shape->of[shape->column_major ? i : shape->nr - 1 - i].extent,
			    &bytes))
			return 0;
	return bytes;
}

static uint64_t step_of(const struct run_array *array, unsigned int dimension)
{
	struct shape shape;

	return shape_read(array->shape, &shape)
		       ? shape_step(&shape, dimension, array->element_bytes)
		       : 0;
}

uint64_t shape_row_bytes(const struct run_array *array)
{
	return step_of(array, 1);
}

uint64_t shape_plane_bytes(const struct run_array *array)
{
	return step_of(array, 2);
}
