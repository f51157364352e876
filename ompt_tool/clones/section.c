/* SPDX-License-Identifier: Apache-2.0 */
/* Reads sections of unwind records, only those of unwind_write. */
#include "ompt_tool/clones/section.h"

#include <string.h>

#include "analysis/base/arena.h"

#define END 8 /* bytes */

static uint32_t word(const unsigned char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

void section_end(struct packing *out, bool more)
{
	pack_fixed(out, 0, 4);
	pack_fixed(out, more, 4);
}

const unsigned char *section_behind(const unsigned char *record)
{
	return record + 4 + word(record);
}

const unsigned char *section_fde(const unsigned char *record)
{
	while (word(record) && !word(record + 4))
		record = section_behind(record);
	return word(record) ? record : NULL;
}

/* Of an FDE, after length and CIE: absolute start and size of the code. */
static void cover(struct section *section, const unsigned char *fde)
{
	uint64_t code[2];

	section->nr++;
	memcpy(code, fde + 8, sizeof(code));
	if (code[0] < section->start)
		section->start = code[0];
	if (code[0] + code[1] > section->end)
		section->end = code[0] + code[1];
}

const unsigned char *section_read(const unsigned char *at, struct section *out)
{
	const unsigned char *end = at;

	*out = (struct section){ .records = at, .start = UINTPTR_MAX };
	for (const unsigned char *fde = section_fde(at); fde;
	     fde = section_fde(section_behind(fde)))
		cover(out, fde);
	while (word(end))
		end = section_behind(end);
	out->bytes = (size_t)(end - at);
	return word(end + 4) ? end + END : NULL;
}

bool section_is_next_to(const struct section *a, const struct section *b)
{
	const struct section *low = a->start < b->start ? a : b, *high = low == a ? b : a;

	return high->start >= low->end && high->start - low->end <= SECTION_CLOSE;
}

bool section_meets(const struct section *section, const struct section *others, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (section->start < others[i].end && others[i].start < section->end)
			return true;
	return false;
}

bool section_join(struct arena *arena, const struct section *a, const struct section *b,
		  struct section *out)
{
	size_t bytes = a->bytes + b->bytes;
	struct packing packing = { .bytes = arena_alloc(arena, bytes + END), .room = bytes + END };

	if (!packing.bytes)
		return false;
	pack_copy(&packing, a->records, a->bytes);
	pack_copy(&packing, b->records, b->bytes);
	section_end(&packing, false);
	*out = (struct section){ .records = packing.bytes,
				 .bytes = bytes,
				 .nr = a->nr + b->nr,
				 .start = a->start < b->start ? a->start : b->start,
				 .end = a->end > b->end ? a->end : b->end };
	return true;
}
