/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_SHADOW_CACHE_H
#define MEMSEARCH_SIMULATOR_SHADOW_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/base/hash.h"
#include "analysis/simulator/space.h"

/*
 * The evicted lines of a cache that its fully associative shadow cache (rule 9) still holds, with
 * the stamp of their last use. There are never more than the cache has lines.
 */
/* in a cache's log: the number of a line here, not of a way */
#define SHADOW_MARK 0x80000000u
#define NO_SHADOW UINT32_MAX
/* lines whose buckets are close together, as they will be looked up in sequence */
#define SHADOW_NEIGHBOURS 16

struct shadow_line {
	uint64_t line;
	uint32_t stamp; /* 0: free */
	uint32_t next;  /* in its bucket, or of the free ones */
};

struct shadow_cache {
	struct shadow_line *all;
	uint32_t *buckets;   /* number + 1 of the first */
	uint32_t used, free; /* free: first of the released ones, number + 1 */
	unsigned shift;
};

/* False: no memory. */
bool shadow_cache_init(struct shadow_cache *shadow, struct space *space, uint32_t lines);
void shadow_cache_remove(struct shadow_cache *shadow, uint32_t shadow_line);

static inline uint32_t *shadow_cache_bucket(const struct shadow_cache *shadow, uint64_t line)
{
	uint64_t at = (hash_word(line / SHADOW_NEIGHBOURS) >> shadow->shift) +
		      line % SHADOW_NEIGHBOURS;

	return &shadow->buckets[at & (~0ull >> shadow->shift)];
}

static inline uint32_t shadow_cache_add(struct shadow_cache *shadow, uint64_t line, uint32_t stamp)
{
	uint32_t *first = shadow_cache_bucket(shadow, line), shadow_line = shadow->free;

	if (shadow_line)
		shadow->free = shadow->all[shadow_line - 1].next;
	else
		shadow_line = ++shadow->used;
	shadow->all[shadow_line - 1] = (struct shadow_line){ line, stamp, *first };
	*first = shadow_line;
	return shadow_line - 1;
}

static inline uint32_t shadow_cache_find(const struct shadow_cache *shadow, uint64_t line)
{
	uint32_t shadow_line = *shadow_cache_bucket(shadow, line);

	while (shadow_line && shadow->all[shadow_line - 1].line != line)
		shadow_line = shadow->all[shadow_line - 1].next;
	return shadow_line ? shadow_line - 1 : NO_SHADOW;
}

/* Prefetches the bucket of a line for a later look-up. */
static inline void shadow_cache_expect(const struct shadow_cache *shadow, uint64_t line)
{
	__builtin_prefetch(shadow_cache_bucket(shadow, line));
}

#endif
