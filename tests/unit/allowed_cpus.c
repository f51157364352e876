/* SPDX-License-Identifier: Apache-2.0 */
/* Which CPUs the program may use, by the thread's own and the runtime's places. */
#define _GNU_SOURCE
#include "ompt_tool/process/allowed_cpus.h"

#include <sched.h>
#include <string.h>

#include "analysis/base/arena.h"
#include "tests/unit/test.h"

static const int places[][3] = { { 100, 101, 102 }, { 7000 }, { 65535 }, { -1, 65536 } };
static const int sizes[] = { 3, 1, 1, 2 };
static int nr_places;

static int get_num_places(void)
{
	return nr_places;
}

static int get_place_proc_ids(int place, int room, int *ids)
{
	CHECK_THAT(room, >=, sizes[place]);
	memcpy(ids, places[place], (size_t)sizes[place] * sizeof(*ids));
	return sizes[place];
}

static ompt_interface_fn_t lookup(const char *name)
{
	return !strcmp(name, "ompt_get_num_places")       ? (ompt_interface_fn_t)get_num_places
	       : !strcmp(name, "ompt_get_place_proc_ids") ? (ompt_interface_fn_t)get_place_proc_ids
							  : NULL;
}

static ompt_interface_fn_t nothing(const char *name)
{
	(void)name;
	return NULL;
}

TEST(allowed_cpus__places_add_to_the_threads_own)
{
	struct arena *arena = arena_new();
	cpu_set_t before, one;
	bool bound;

	CHECK_INT(sched_getaffinity(0, sizeof(before), &before), 0);
	CPU_ZERO(&one);
	for (int cpu = 0; !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &before))
			CPU_SET(cpu, &one);
	CHECK_INT(sched_setaffinity(0, sizeof(one), &one), 0);
	nr_places = 4;
	CHECK(!strpbrk(allowed_cpus(arena, nothing, &bound), "-,") && !bound);
	CHECK(strstr(allowed_cpus(arena, lookup, &bound), ",100-102,7000,65535") != NULL && bound);
	nr_places = 0;
	CHECK_STR(allowed_cpus(arena, lookup, &bound), allowed_cpus(arena, nothing, &bound));
	CHECK(!bound);
	CHECK_INT(sched_setaffinity(0, sizeof(before), &before), 0);
}
