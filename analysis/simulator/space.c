/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the modelled caches. */
#define _DEFAULT_SOURCE
#include "analysis/simulator/space.h"

#include <sys/mman.h>

#include "analysis/base/own_memory.h"

#define MAPPING_BYTES ((size_t)16 << 20)
#define ALIGNMENT ((size_t)64)

static struct mapping *map(struct space *space, size_t bytes)
{
	struct mapping *mapping = &space->mappings[space->nr];
	void *start;

	bytes = bytes > MAPPING_BYTES ? bytes : MAPPING_BYTES;
	if (space->nr == SPACE_MAPPINGS)
		return NULL;
	start = own_memory(bytes, 0);
	if (!start)
		return NULL;
	madvise(start, bytes, MADV_HUGEPAGE);
	*mapping = (struct mapping){ start, bytes };
	space->nr++;
	space->used = 0;
	space->bytes += bytes;
	return mapping;
}

void *space_take(struct space *space, size_t bytes)
{
	struct mapping *mapping = space->nr ? &space->mappings[space->nr - 1] : NULL;
	void *taken;

	bytes = (bytes + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	if (!mapping || mapping->bytes - space->used < bytes)
		mapping = map(space, bytes);
	if (!mapping)
		return NULL;
	taken = mapping->start + space->used;
	space->used += bytes;
	return taken;
}

void space_release(struct space *space)
{
	for (size_t i = 0; i < space->nr; i++)
		own_memory_give_back(space->mappings[i].start, space->mappings[i].bytes);
	space->nr = space->used = space->bytes = 0;
}
