/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_RECORD_CONTENT_HASH_H
#define MEMSEARCH_RECORD_CONTENT_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A quick 64-bit hash of contents, never written to a file. */
static inline uint64_t content_hash(const void *bytes, size_t nr)
{
	const uint8_t *at = bytes;
	uint64_t hash = 0x9e3779b97f4a7c15u ^ nr, word;

	for (; nr; at += 8) {
		size_t part = nr < 8 ? nr : 8;

		word = 0;
		memcpy(&word, at, part);
		/* odd constants of MurmurHash3's finaliser */
		hash = (hash ^ word) * 0xff51afd7ed558ccdu;
		hash = (hash ^ hash >> 32) * 0xc4ceb9fe1a85ec53u;
		nr -= part;
	}
	return hash ^ hash >> 29;
}

#endif
