/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32C: the examples of RFC 3720, all methods alike, continuing, every flipped bit seen. */
#include "analysis/record/crc32c.h"
#include "tests/unit/test.h"

static void example(int line, const unsigned char *bytes, uint32_t want)
{
	const struct crc32c_method *method;

	for (unsigned int i = 0; (method = crc32c_method(i)); i++)
		if (method->usable() && method->update(0, bytes, 32) != want)
			test_fail(__FILE__, line, "%s gives %08x, not %08x", method->name,
				  method->update(0, bytes, 32), want);
}

TEST(crc32c__examples_of_rfc_3720)
{
	unsigned char bytes[32] = { 0 };

	example(__LINE__, bytes, 0x8a9136aa); /* 32 bytes of zeroes: aa 36 91 8a */
	memset(bytes, 0xff, sizeof(bytes));
	example(__LINE__, bytes, 0x62a8ab43); /* 32 bytes of ones */
	for (unsigned char i = 0; i < 32; i++)
		bytes[i] = i;
	example(__LINE__, bytes, 0x46dd794e); /* 00 … 1f */
	for (unsigned char i = 0; i < 32; i++)
		bytes[i] = (unsigned char)(31 - i);
	example(__LINE__, bytes, 0x113fdb5c); /* 1f … 00 */
	CHECK_INT(crc32c_update(0, "123456789", 9), 0xe3069283);
}

TEST(crc32c__methods_agree_at_every_length_and_alignment)
{
	unsigned char bytes[128];
	const struct crc32c_method *method;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char)(i * 37 + 11);
	for (size_t from = 0; from < 9; from++)
		for (size_t nr = 0; nr <= 100; nr++) {
			uint32_t want = crc32c_update(0, bytes + from, nr);

			CHECK_INT(crc32c_update(crc32c_update(0, bytes + from, nr / 3),
						bytes + from + nr / 3, nr - nr / 3),
				  want);
			for (unsigned int i = 0; (method = crc32c_method(i)); i++)
				if (method->usable())
					CHECK_INT(method->update(0, bytes + from, nr), want);
		}
}

TEST(crc32c__sees_every_flipped_bit)
{
	unsigned char bytes[64] = "what was found so far";
	uint32_t want = crc32c_update(0, bytes, sizeof(bytes));

	for (size_t bit = 0; bit < sizeof(bytes) * 8; bit++) {
		bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
		CHECK_THAT(crc32c_update(0, bytes, sizeof(bytes)), !=, want);
		bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
	}
}
