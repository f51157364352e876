/* SPDX-License-Identifier: Apache-2.0 */
/* Parses ranges of arrays, e.g. "u[0:9]", and computes their bytes. */
#include "analysis/counting/ranges.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "analysis/record/shape.h"

/* ------------------------------------------------------------------ what is written */

/* "a:b" or "a" up to `end`. */
static bool read_indices(const char *at, const char *end, struct range *out)
{
	if (!shape_index(&at, &out->first))
		return false;
	out->last = out->first;
	if (*at == ':' && (++at, !shape_index(&at, &out->last)))
		return false;
	return at == end;
}

/* The end of the first item: after the bracket before a comma or the end. NULL: none. */
static const char *end_of_item(const char *text)
{
	for (const char *at = text; *at; at++)
		if ((*at == ']' || *at == ')') && (!at[1] || at[1] == ','))
			return at + 1;
	return NULL;
}

/* The last pair of brackets. */
static const char *opening(const char *text, const char *end)
{
	char wanted = end[-1] == ']' ? '[' : '(';
	const char *at = end - 1;

	while (at > text && *at != wanted)
		at--;
	return at > text ? at : NULL;
}

const char *range_read(const char *text, struct range *out, const char **behind_out)
{
	const char *end = end_of_item(text), *open = end ? opening(text, end) : NULL,
		   *at = open ? open + 1 : NULL;

	if (!open)
		return "is not as ARRAY[a:b], or ARRAY(a:b) in Fortran";
	*out = (struct range){ .text = text,
			       .nr = (size_t)(end - text),
			       .nr_name = (size_t)(open - text),
			       .column_major = *open == '(' };
	*behind_out = *end ? end + 1 : end;
	for (; out->column_major && !strncmp(at, ":,", 2); at += 2)
		out->colons++;
	if (!read_indices(at, end - 1, out))
		return out->column_major
			       ? "is not as ARRAY(a:b) or ARRAY(:,a:b): whole numbers, and colons for the dimensions before the last"
			       : "is not as ARRAY[a:b] with whole numbers";
	if (out->first > out->last)
		return "ends before it begins";
	return *end && !end[1] ? "ends with a comma" : NULL;
}

/* ------------------------------------------------------------------ shapes */

/* Without a shape: one dimension, as long as the block. */
static bool read_shape(const char *shape, const struct range *range, struct shape *out)
{
	if (shape && *shape)
		return shape_read(shape, out);
	*out = (struct shape){ .nr = 1 };
	out->column_major = range->column_major;
	out->of[0].low = range->column_major;
	return true;
}

/* The dimension of ranges. */
static struct shape_dimension *outermost(struct shape *shape)
{
	return &shape->of[shape->column_major ? shape->nr - 1 : 0];
}

/* Syntax of a range of this array, e.g. "u(:,a:b)". */
static const char *form_of(struct arena *arena, const struct range *range,
			   const struct shape *shape)
{
	const char *colons = "";

	for (unsigned int i = 0; shape->column_major && i + 1 < shape->nr; i++)
		colons = arena_printf(arena, "%s:,", colons);
	return arena_printf(arena, shape->column_major ? "%.*s(%sa:b)" : "%.*s[%sa:b]",
			    (int)range->nr_name, range->text, colons);
}

/* ------------------------------------------------------------------ bytes */

static const char *check_form(struct arena *arena, const struct range *range,
			      const struct run_array *array, const struct shape *shape)
{
	if (range->column_major == shape->column_major &&
	    range->colons == (shape->column_major ? shape->nr - 1 : 0))
		return NULL;
	return arena_printf(arena, "is not a range of %.*s, which is %s%s: write %s",
			    (int)range->nr_name, range->text, array->type ? array->type : "",
			    array->shape && *array->shape ? arena_printf(arena, " %s", array->shape)
							  : "",
			    form_of(arena, range, shape));
}

static const char *check_bounds(struct arena *arena, const struct range *range,
				const struct shape_dimension *of)
{
	int64_t last = of->low + (int64_t)of->extent - 1;

	if (range->first >= of->low && range->last <= last)
		return NULL;
	return arena_printf(arena, "is not in the array, whose indices are %" PRId64 " to %" PRId64,
			    of->low, last);
}

const char *range_bytes(struct arena *arena, const struct range *range,
			const struct run_array *array, uint64_t block_bytes, uint64_t *low_out,
			uint64_t *high_out)
{
	struct shape shape;
	struct shape_dimension *of;
	const char *wrong;
	uint64_t step, all;

	if (!array->element_bytes)
		return "is of an array whose elements are of unknown size";
	if (!read_shape(array->shape, range, &shape))
		return arena_printf(arena, "is of an array whose shape '%s' is not understood",
				    array->shape);
	wrong = check_form(arena, range, array, &shape);
	if (wrong)
		return wrong;
	step = shape_step(&shape, shape.nr - 1, array->element_bytes);
	of = outermost(&shape);
	if (step && !of->extent)
		of->extent = block_bytes / step;
	if (!step || !of->extent || __builtin_mul_overflow(step, of->extent, &all))
		return arena_printf(arena, "is of an array of unknown shape: %s%s",
				    array->type ? array->type : "",
				    array->shape ? array->shape : "");
	wrong = check_bounds(arena, range, of);
	*low_out = (uint64_t)(range->first - of->low) * step;
	*high_out = (uint64_t)(range->last - of->low + 1) * step;
	return wrong;
}

const char *range_shape(struct arena *arena, const struct range *range,
			const struct run_array *array)
{
	const char *shape = array->shape ? array->shape : "", *at = strrchr(shape, ','),
		   *end = strchr(shape, ']');

	if (!range->column_major)
		return arena_printf(arena, "[%" PRId64 "]%s", range->last - range->first + 1,
				    *shape == '[' && end ? end + 1 : "");
	return arena_printf(arena, "%.*s%" PRId64 ":%" PRId64 ")", at ? (int)(at + 1 - shape) : 1,
			    at ? shape : "(", range->first, range->last);
}
