/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CRC-32C: with the SSE 4.2 instruction where the CPU has it, else eight tables ("slicing by 8").
 */
#include "analysis/record/crc32c.h"

#include <pthread.h>
#include <string.h>

#define POLYNOMIAL 0x82F63B78u /* RFC 3720: 0x1EDC6F41, bits reversed */

static uint32_t tables[8][256]; /* tables[k][b]: the CRC of byte b followed by k zero bytes */
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void tables_fill(void)
{
	for (uint32_t byte = 0; byte < 256; byte++) {
		uint32_t crc = byte;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		tables[0][byte] = crc;
	}
	for (int k = 1; k < 8; k++)
		for (uint32_t byte = 0; byte < 256; byte++)
			tables[k][byte] = tables[k - 1][byte] >> 8 ^
					  tables[0][tables[k - 1][byte] & 255];
}

static int always(void)
{
	return 1;
}

static uint32_t update_tables(uint32_t crc, const unsigned char *bytes, size_t nr)
{
	pthread_once(&tables_once, tables_fill);
	crc = ~crc;
	for (; nr >= 8; nr -= 8, bytes += 8) {
		uint32_t low = crc ^ ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
				      (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);

		crc = tables[7][low & 255] ^ tables[6][low >> 8 & 255] ^
		      tables[5][low >> 16 & 255] ^ tables[4][low >> 24] ^ tables[3][bytes[4]] ^
		      tables[2][bytes[5]] ^ tables[1][bytes[6]] ^ tables[0][bytes[7]];
	}
	for (; nr; nr--, bytes++)
		crc = crc >> 8 ^ tables[0][(crc ^ *bytes) & 255];
	return ~crc;
}

#if defined(__x86_64__)
static int has_sse42(void)
{
	return __builtin_cpu_supports("sse4.2") != 0;
}

__attribute__((target("sse4.2"))) static uint32_t
update_sse42(uint32_t crc, const unsigned char *bytes, size_t nr)
{
	uint64_t wide = ~crc;
	uint32_t narrow;

	for (; nr >= 8; nr -= 8, bytes += 8) {
		uint64_t word;

		memcpy(&word, bytes, 8);
		wide = __builtin_ia32_crc32di(wide, word);
	}
	narrow = (uint32_t)wide;
	for (; nr; nr--, bytes++)
		narrow = __builtin_ia32_crc32qi(narrow, *bytes);
	return ~narrow;
}
#endif

/* Best first. */
static const struct crc32c_method methods[] = {
#if defined(__x86_64__)
	{ "sse4.2", has_sse42, update_sse42 },
#endif
	{ "tables", always, update_tables },
};

const struct crc32c_method *crc32c_method(unsigned int number)
{
	return number < sizeof(methods) / sizeof(methods[0]) ? &methods[number] : NULL;
}

uint32_t crc32c_update(uint32_t crc, const void *bytes, size_t nr)
{
	const struct crc32c_method *method = methods;

	while (!method->usable())
		method++;
	return method->update(crc, bytes, nr);
}
