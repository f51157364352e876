/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_BASE_HASH_H
#define MEMSEARCH_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/*
 * FNV-1a, 64 bits (Fowler, Noll, Vo; offset basis and prime are theirs): for keys and against
 * accidental changes, not forgeries. Continues from `hash`, at first HASH_START.
 */
#define HASH_START 0xcbf29ce484222325ull

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t nr)
{
	const unsigned char *at = bytes;

	while (nr--)
		hash = (hash ^ *at++) * 0x100000001b3ull;
	return hash;
}

/*
 * Spreads one word over the upper bits, which a table uses: neighbouring keys get distant places.
 * The multiplier is 2^64 divided by the golden ratio (Knuth, TAOCP 3, 6.4).
 */
static inline uint64_t hash_word(uint64_t word)
{
	return word * 0x9e3779b97f4a7c15ull;
}

/* Its place in a table of 2^bits, 1 to 32: addresses at power-of-two distances do not collide. */
static inline uint32_t hash_place(uint64_t word, unsigned int bits)
{
	return (uint32_t)(hash_word(word) >> (64 - bits));
}

#endif
