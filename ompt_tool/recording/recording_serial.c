/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the functions in which serial stretches run. */
#include "ompt_tool/recording/recording_serial.h"

#include <sys/auxv.h>

#include "ompt_tool/clones/clone.h"
#include "ompt_tool/code/bounds.h"
#include "ompt_tool/events/event.h"
#include "ompt_tool/events/serial_code.h"
#include "ompt_tool/recording/recorded_code.h"
#include "ompt_tool/regions/region_table.h"

#define MET 16 /* addresses examined per boundary */

/*
 * The executable's start-up code calls main through the C library, and no stretch returns into it.
 */
static bool is_start(const struct code_bounds *bounds)
{
	uintptr_t start = getauxval(AT_ENTRY);

	return start >= bounds->start && start < bounds->end;
}

/*
 * A function without a clone prevents the recording of its stretches, because a part of them would
 * be missing. No code follows a call that is the function's last instruction: gfortran's main does
 * not return from MAIN__.
 */
static void look_at(uint64_t address)
{
	struct code_bounds bounds;

	if (code_bounds_find(address - 1, &bounds) != CODE_BOUNDS_FOUND)
		return;
	if (!recorded_code_is_programs(bounds.start) || is_start(&bounds))
		serial_code_foreign(bounds.start, bounds.end);
	else if (recorded_code_clone(bounds.start, CLONE_ACCESSES, false) && address == bounds.end)
		serial_code_foreign(address - 1, address);
}

static void look_at_path(const struct region *region)
{
	uint32_t nr = __atomic_load_n(&region->nr_path, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < nr; i++)
		look_at(region->path[i]);
}

void recording_serial_prepare(struct region_table *regions, const struct region *serial)
{
	look_at(getauxval(AT_ENTRY) + 1);
	for (uint32_t id = 0; id < region_table_count(regions); id++) {
		const struct region *region = region_table_at(regions, id);

		if (region && region->kind == MS_PARALLEL_REGION &&
		    (region->construct == serial->construct || region->construct == serial->inside))
			look_at_path(region);
	}
}

void recording_serial_follow(void)
{
	uint64_t met[MET];
	uint32_t nr = serial_code_unknown(met, MET);

	for (uint32_t i = 0; i < nr; i++)
		look_at(met[i]);
}
