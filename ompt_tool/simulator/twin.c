/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that a cache displaced and its fully associative twin still holds. */
#include "ompt_tool/simulator/twin.h"

#include "analysis/base/hash.h"

#define NEIGHBOURS 16                    /* lines whose buckets are close together, as they will be asked for one after the other */

bool ghosts_init(struct ghosts *ghosts, struct space *space, uint32_t lines)
{
	unsigned bits = 1;

	while ((1u << bits) < lines)
		bits++;
	ghosts->shift = 64 - bits;
	ghosts->all = space_take(space, lines * sizeof(*ghosts->all));
	ghosts->buckets = space_take(space, ((size_t)1 << bits) * sizeof(*ghosts->buckets));
	return ghosts->all && ghosts->buckets;
}

static uint32_t *bucket(const struct ghosts *ghosts, uint64_t line)
{
	uint64_t at = (hash_word(line / NEIGHBOURS) >> ghosts->shift) + line % NEIGHBOURS;

	return &ghosts->buckets[at & (~0ull >> ghosts->shift)];
}

uint32_t ghosts_find(const struct ghosts *ghosts, uint64_t line)
{
	uint32_t ghost = *bucket(ghosts, line);

	while (ghost && ghosts->all[ghost - 1].line != line)
		ghost = ghosts->all[ghost - 1].next;
	return ghost ? ghost - 1 : NO_GHOST;
}

void ghosts_expect(const struct ghosts *ghosts, uint64_t line)
{
	__builtin_prefetch(bucket(ghosts, line));
}

uint32_t ghosts_add(struct ghosts *ghosts, uint64_t line, uint32_t stamp)
{
	uint32_t *first = bucket(ghosts, line), ghost = ghosts->free;

	if (ghost)
		ghosts->free = ghosts->all[ghost - 1].next;
	else
		ghost = ++ghosts->used;
	ghosts->all[ghost - 1] = (struct ghost){ line, stamp, *first };
	*first = ghost;
	return ghost - 1;
}

void ghosts_remove(struct ghosts *ghosts, uint32_t ghost)
{
	uint32_t *link = bucket(ghosts, ghosts->all[ghost].line);

	while (*link != ghost + 1)
		link = &ghosts->all[*link - 1].next;
	*link = ghosts->all[ghost].next;
	ghosts->all[ghost].stamp = 0;
	ghosts->all[ghost].next = ghosts->free;
	ghosts->free = ghost + 1;
}
