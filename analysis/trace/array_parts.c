/* SPDX-License-Identifier: Apache-2.0 */
/* Narrows places to ranges of arrays. */
#include "analysis/trace/array_parts.h"

void array_parts_narrow(const struct array_parts *parts, struct array_place *place)
{
	uint64_t low = 0, high = place->block_bytes, offset = place->offset;
	uint32_t array = place->array;

	for (size_t i = 0; i < parts->nr; i++) {
		const struct array_part *part = &parts->items[i];

		if (part->array != place->array)
			continue;
		if (offset >= part->low && offset < part->high) {
			low = part->low;
			high = part->high < place->block_bytes ? part->high : place->block_bytes;
			array = part->part;
			break;
		}
		if (part->high <= offset)
			low = part->high > low ? part->high : low;
		else
			high = part->low < high ? part->low : high;
	}
	place->array = array;
	place->offset = offset - low;
	place->block_bytes = high - low;
}

/* The number of cuts at or before the address. */
static size_t cuts_before(const struct address_cuts *cuts, uint64_t address)
{
	size_t nr = 0;

	while (nr < cuts->nr && cuts->at[nr] <= address)
		nr++;
	return nr;
}

void address_cuts_narrow(const struct address_cuts *cuts, uint64_t address,
			 struct array_place *place)
{
	size_t cut = cuts_before(cuts, address);
	uint64_t low = address - place->offset, high = low + place->block_bytes;

	if (cut && cuts->at[cut - 1] > low)
		low = cuts->at[cut - 1];
	if (cut < cuts->nr && cuts->at[cut] < high)
		high = cuts->at[cut];
	place->offset = address - low;
	place->block_bytes = high - low;
	if (cut && cut < cuts->nr)
		place->array = (uint32_t)cut * (cuts->arrays + 1) +
			       (place->array < cuts->arrays ? place->array : cuts->arrays);
}

uint32_t address_cuts_array(const struct address_cuts *cuts, uint32_t number, size_t *cut_out)
{
	uint32_t array = number % (cuts->arrays + 1);

	*cut_out = number / (cuts->arrays + 1);
	return array < cuts->arrays ? array : ARRAY_NONE;
}
