/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds from the descriptors of gfortran and flang. */
#include "ompt_tool/arrays/fortran_descriptor.h"

#include <string.h>

#include "ompt_tool/arrays/array.h"

/* flang's header has CFI_VERSION, a date, where gfortran's has the element size. */
#define CFI_VERSION_MIN 20180515
#define CFI_VERSION_MAX 20991231

/* Offsets in bytes; a dimension is three words. */
struct layout {
	size_t element, rank, dimensions;
	unsigned int lower, upper_or_extent; /* words of a dimension */
	bool has_extent;
};

static const struct layout gfortran = {
	.element = 16, .rank = 28, .dimensions = 40, .lower = 1, .upper_or_extent = 2
};
static const struct layout flang = { .element = 8,
				     .rank = 20,
				     .dimensions = 24,
				     .lower = 0,
				     .upper_or_extent = 1,
				     .has_extent = true };

static int64_t word_at(const unsigned char *bytes)
{
	int64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

static const struct layout *layout_of(const unsigned char *descriptor, size_t bytes)
{
	int32_t version;

	if (bytes < gfortran.dimensions)
		return bytes < flang.dimensions ? NULL : &flang; /* a scalar's */
	memcpy(&version, descriptor + 16, sizeof(version));
	return version >= CFI_VERSION_MIN && version <= CFI_VERSION_MAX ? &flang : &gfortran;
}

/* False: not a valid dimension. */
static bool read_dimension(const struct layout *layout, const unsigned char *words, int64_t *lower,
			   uint64_t *extent)
{
	int64_t second = word_at(words + 8 * layout->upper_or_extent);

	*lower = word_at(words + 8 * layout->lower);
	if (!layout->has_extent && (__builtin_sub_overflow(second, *lower, &second) ||
				    __builtin_add_overflow(second, 1, &second)))
		return false;
	*extent = second > 0 ? (uint64_t)second : 0;
	return second >= 0;
}

bool fortran_descriptor_read(const unsigned char *descriptor, size_t bytes, uint64_t block_bytes,
			     struct array *row)
{
	const struct layout *layout = layout_of(descriptor, bytes);
	size_t rank = layout ? descriptor[layout->rank] : 0;
	uint64_t all, element = layout ? (uint64_t)word_at(descriptor + layout->element) : 0;
	struct array read = *row;

	if (!rank || rank > ARRAY_DIMENSIONS || bytes < layout->dimensions + 24 * rank ||
	    !element || element > UINT32_MAX)
		return false;
	all = element;
	for (size_t i = 0; i < rank; i++)
		if (!read_dimension(layout, descriptor + layout->dimensions + 24 * i,
				    &read.lower[i], &read.extent[i]) ||
		    __builtin_mul_overflow(all, read.extent[i], &all))
			return false;
	if (!all || all > block_bytes)
		return false;
	read.nr_dimensions = (uint32_t)rank;
	read.element_bytes = (uint32_t)element;
	read.column_major = true;
	*row = read;
	return true;
}
