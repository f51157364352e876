/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that a cache evicted and its fully associative shadow still holds. */
#include "analysis/simulator/shadow_cache.h"

bool shadow_cache_init(struct shadow_cache *shadow, struct space *space, uint32_t lines)
{
	unsigned bits = 1;

	while ((1u << bits) < lines)
		bits++;
	shadow->shift = 64 - bits;
	shadow->all = space_take(space, lines * sizeof(*shadow->all));
	shadow->buckets = space_take(space, ((size_t)1 << bits) * sizeof(*shadow->buckets));
	return shadow->all && shadow->buckets;
}

void shadow_cache_remove(struct shadow_cache *shadow, uint32_t shadow_line)
{
	uint32_t *link = shadow_cache_bucket(shadow, shadow->all[shadow_line].line);

	while (*link != shadow_line + 1)
		link = &shadow->all[*link - 1].next;
	*link = shadow->all[shadow_line].next;
	shadow->all[shadow_line].stamp = 0;
	shadow->all[shadow_line].next = shadow->free;
	shadow->free = shadow_line + 1;
}
