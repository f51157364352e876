/* SPDX-License-Identifier: Apache-2.0 */
/* Sections of unwind records as unwind_write lays them down; nothing but its own are read. */
#include "ompt_tool/clones/section.h"

#include <string.h>

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

/* Of an FDE: absolute start and size of the code behind length and CIE. */
static void cover(struct section *section, const unsigned char *fde)
{
	uint64_t code[2];

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
	for (const unsigned char *fde = section_fde(at); fde; fde = section_fde(section_behind(fde)))
		cover(out, fde);
	while (word(end))
		end = section_behind(end);
	return word(end + 4) ? end + 8 : NULL;
}
