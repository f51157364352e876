/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_NAME_POOL_H
#define MEMSEARCH_DIFFERENTIAL_NAME_POOL_H

#include <stddef.h>
#include <stdint.h>

/*
 * Strings of which each content is kept once, so that a million lines share the names of their
 * files.
 */
struct arena;

struct names {
	struct arena *arena;
	const char **table; /* open addressing by hash of the content */
	size_t nr;
	unsigned int bits; /* 2^bits places; 0: no table yet */
};

/* The copy of `text` in the arena; NULL and "" are "". Without memory "" too. */
const char *names_copy(struct names *names, const char *text);
/* continues from `hash`, the terminating 0 included */
uint64_t names_hash(uint64_t hash, const char *text);

#endif
