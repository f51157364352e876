/* SPDX-License-Identifier: Apache-2.0 */
/* Places in ranges of arrays. */
#include "analysis/trace/parts.h"

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
