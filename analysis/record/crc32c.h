/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_CRC32C_H
#define MEMSEARCH_RECORD_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/*
 * CRC-32C (Castagnoli, reflected polynomial 0x82F63B78) as RFC 3720, section 12.1
 * and appendix B.4, define it. crc32c_update(0, …) begins; feeding the result back
 * continues, so that crc(ab) == update(crc(a), b). Any thread, no allocation.
 */
uint32_t crc32c_update(uint32_t crc, const void *bytes, size_t nr);

/* The ways to compute it, for tests: NULL beyond the last; `usable` says whether this CPU can. */
struct crc32c_method {
	const char *name;
	int (*usable)(void);
	uint32_t (*update)(uint32_t crc, const unsigned char *bytes, size_t nr);
};
const struct crc32c_method *crc32c_method(unsigned int number);

#endif
