/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that a cache evicted and its fully associative twin still holds. */
#include "analysis/simulator/twin.h"

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

void ghosts_remove(struct ghosts *ghosts, uint32_t ghost)
{
	uint32_t *link = ghosts_bucket(ghosts, ghosts->all[ghost].line);

	while (*link != ghost + 1)
		link = &ghosts->all[*link - 1].next;
	*link = ghosts->all[ghost].next;
	ghosts->all[ghost].stamp = 0;
	ghosts->all[ghost].next = ghosts->free;
	ghosts->free = ghost + 1;
}
