/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_SIMULATOR_TWIN_H
#define MEMSEARCH_SIMULATOR_TWIN_H

#include <stdbool.h>
#include <stdint.h>

#include "analysis/base/hash.h"
#include "analysis/simulator/space.h"

/*
 * Shadow cache: lines that the cache evicted and a fully associative one (the twin, rule 9) still holds, with the stamp
 * of their last use. There are never more than the cache has lines.
 */
#define GHOST_MARK 0x80000000u           /* in a cache's log: the number of a line here, not of a way */
#define NO_GHOST UINT32_MAX
#define GHOST_NEIGHBOURS 16              /* lines whose buckets are close together, as they will be looked up in sequence */

struct ghost {
	uint64_t line;
	uint32_t stamp;                  /* 0: free */
	uint32_t next;                   /* in its bucket, or of the free ones */
};

struct ghosts {
	struct ghost *all;
	uint32_t *buckets;               /* number + 1 of the first */
	uint32_t used, free;             /* free: first of the released ones, number + 1 */
	unsigned shift;
};

/* False: no memory. */
bool ghosts_init(struct ghosts *ghosts, struct space *space, uint32_t lines);
void ghosts_remove(struct ghosts *ghosts, uint32_t ghost);

static inline uint32_t *ghosts_bucket(const struct ghosts *ghosts, uint64_t line)
{
	uint64_t at = (hash_word(line / GHOST_NEIGHBOURS) >> ghosts->shift) + line % GHOST_NEIGHBOURS;

	return &ghosts->buckets[at & (~0ull >> ghosts->shift)];
}

static inline uint32_t ghosts_add(struct ghosts *ghosts, uint64_t line, uint32_t stamp)
{
	uint32_t *first = ghosts_bucket(ghosts, line), ghost = ghosts->free;

	if (ghost)
		ghosts->free = ghosts->all[ghost - 1].next;
	else
		ghost = ++ghosts->used;
	ghosts->all[ghost - 1] = (struct ghost){ line, stamp, *first };
	*first = ghost;
	return ghost - 1;
}

static inline uint32_t ghosts_find(const struct ghosts *ghosts, uint64_t line)
{
	uint32_t ghost = *ghosts_bucket(ghosts, line);

	while (ghost && ghosts->all[ghost - 1].line != line)
		ghost = ghosts->all[ghost - 1].next;
	return ghost ? ghost - 1 : NO_GHOST;
}

/* Prefetches the bucket of a line for a later look-up. */
static inline void ghosts_expect(const struct ghosts *ghosts, uint64_t line)
{
	__builtin_prefetch(ghosts_bucket(ghosts, line));
}

#endif
