/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings that are both writable and executable. */
#include "ompt_tool/clones/writable_code.h"

#include <stddef.h>
#include <sys/mman.h>

#include "analysis/base/memory_map.h"

enum { RANGES = 64 }; /* if there are more, all code counts as writable */

static struct {
	uintptr_t low, high;
} ranges[RANGES];
static size_t nr = RANGES + 1;

static bool look_at(void *ctx, const struct memory_mapping *mapping)
{
	(void)ctx;
	if ((mapping->protection & (PROT_WRITE | PROT_EXEC)) != (PROT_WRITE | PROT_EXEC))
		return true;
	if (nr < RANGES) {
		ranges[nr].low = mapping->low;
		ranges[nr].high = mapping->high;
	}
	nr++;
	return true;
}

/*
 * If the file cannot be read, earlier results stay; before the first time, all code counts as
 * writable.
 */
void writable_code_update(void)
{
	size_t before = nr;

	nr = 0;
	if (memory_map_visit(look_at, NULL) != 0)
		nr = before;
}

bool writable_code_meets(uintptr_t start, uintptr_t end)
{
	for (size_t i = 0; i < nr && i < RANGES; i++)
		if (start < ranges[i].high && end > ranges[i].low)
			return true;
	return nr > RANGES;
}
