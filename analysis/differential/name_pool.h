/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_DIFFERENTIAL_NAME_POOL_H
#define MEMSEARCH_DIFFERENTIAL_NAME_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/base/index_table.h"

/*
 * Strings of which each content is kept once, so that a million lines share the names of their
 * files.
 */
struct arena;

struct names {
	struct arena *arena;
	const char **texts;
	size_t nr, room;
	struct index_table index; /* of texts, by content */
};

/* The copy of `text` in the arena; NULL and "" are "". Without memory "" too. */
const char *names_copy(struct names *names, const char *text);
/* continues from `hash`, the terminating 0 included */
uint64_t names_hash(uint64_t hash, const char *text);

#endif
