/* SPDX-License-Identifier: Apache-2.0 */
/* Places narrowed to parts of arrays. */
#include "analysis/trace/array_parts.h"

#include "tests/unit/test.h"

static const struct array_part items[] = { { 1, 10, 64, 128 },
					   { 2, 12, 0, 8 },
					   { 1, 11, 256, 512 } };
static const struct array_parts parts = { items, 3 };

static void narrowed(uint32_t array, uint64_t bytes, uint64_t offset, uint32_t to, uint64_t low,
		     uint64_t high)
{
	struct array_place place = { .array = array, .offset = offset, .block_bytes = bytes };

	array_parts_narrow(&parts, &place);
	CHECK_INT(place.array, to);
	CHECK_INT(offset - place.offset, low);
	CHECK_INT(place.block_bytes, high - low);
}

TEST(array_parts__and_what_lies_between)
{
	narrowed(1, 1000, 0, 1, 0, 64);
	narrowed(1, 1000, 63, 1, 0, 64);
	narrowed(1, 1000, 64, 10, 64, 128);
	narrowed(1, 1000, 127, 10, 64, 128);
	narrowed(1, 1000, 128, 1, 128, 256);
	narrowed(1, 1000, 511, 11, 256, 512);
	narrowed(1, 1000, 999, 1, 512, 1000);
	narrowed(2, 1000, 7, 12, 0, 8);
	narrowed(2, 1000, 8, 2, 8, 1000);
}

/* Of several blocks each has the part, as far as it goes. */
TEST(array_parts__of_small_blocks)
{
	narrowed(1, 100, 70, 10, 64, 100);
	narrowed(1, 200, 130, 1, 128, 200);
	narrowed(1, 50, 20, 1, 0, 50);
}

TEST(array_parts__of_other_arrays)
{
	narrowed(3, 1000, 70, 3, 0, 1000);
	narrowed(ARRAY_NONE, 4096, 70, ARRAY_NONE, 0, 4096);
}

TEST(array_parts__of_addresses)
{
	static const uint64_t at[] = { 0x1040, 0x1080, 0x3000 };
	static const struct address_cuts cuts = { at, 3, 5 };
	static const struct {
		uint64_t address;
		uint32_t array, of;
		size_t cut;
		uint64_t low, high;
	} all[] = {
		{ 0x1000, 4, 4, 0, 0x1000, 0x1040 },
		{ 0x1040, 4, 4, 1, 0x1040, 0x1080 },
		{ 0x1080, 4, 4, 2, 0x1080, 0x2000 },
		{ 0x2fff, ARRAY_NONE, ARRAY_NONE, 2, 0x2000, 0x3000 },
		{ 0x3000, 2, 2, 0, 0x3000, 0x4000 },
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		uint64_t block = all[i].address & ~(uint64_t)0xfff;
		struct array_place place = { .array = all[i].array,
					     .offset = all[i].address - block,
					     .block_bytes = 4096 };
		size_t cut;

		address_cuts_narrow(&cuts, all[i].address, &place);
		CHECK_INT(all[i].address - place.offset, all[i].low);
		CHECK_INT(all[i].address - place.offset + place.block_bytes, all[i].high);
		CHECK_INT(address_cuts_array(&cuts, place.array, &cut), all[i].of);
		CHECK_INT(cut, all[i].cut);
	}
}
