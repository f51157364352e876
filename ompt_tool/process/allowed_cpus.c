/* SPDX-License-Identifier: Apache-2.0 */
/* The CPUs that the program may use. */
#define _GNU_SOURCE
#include "ompt_tool/process/allowed_cpus.h"

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "analysis/base/arena.h"

enum { CPUS_MAX = 1 << 16, BYTES = CPUS_MAX / 8 };

static void add_place(cpu_set_t *set, const int *cpus, int nr)
{
	for (int i = 0; i < nr; i++)
		if (cpus[i] >= 0 && cpus[i] < CPUS_MAX)
			CPU_SET_S((size_t)cpus[i], BYTES, set);
}

static void add_places(struct arena *arena, cpu_set_t *set, ompt_function_lookup_t lookup)
{
	ompt_get_num_places_t get_num_places = (ompt_get_num_places_t)lookup("ompt_get_num_places");
	ompt_get_place_proc_ids_t get_place_proc_ids = (ompt_get_place_proc_ids_t)lookup(
		"ompt_get_place_proc_ids");
	int nr_places = get_num_places && get_place_proc_ids ? get_num_places() : 0;
	int *cpus = nr_places > 0 ? arena_alloc(arena, CPUS_MAX * sizeof(*cpus)) : NULL;

	for (int place = 0; cpus && place < nr_places; place++) {
		int nr = get_place_proc_ids(place, CPUS_MAX, cpus);

		/* if there are more, none are known */
		add_place(set, cpus, nr <= CPUS_MAX ? nr : 0);
	}
}

static bool has(const cpu_set_t *set, int cpu)
{
	return cpu < CPUS_MAX && CPU_ISSET_S((size_t)cpu, BYTES, set);
}

static const char *list_of(struct arena *arena, const cpu_set_t *set)
{
	const char *list = "";

	for (int first = 0, last; first < CPUS_MAX && list; first++) {
		if (!has(set, first))
			continue;
		for (last = first; has(set, last + 1); last++)
			;
		list = first == last ? arena_printf(arena, "%s%s%d", list, *list ? "," : "", first)
				     : arena_printf(arena, "%s%s%d-%d", list, *list ? "," : "",
						    first, last);
		first = last;
	}
	return list ? list : "";
}

const char *allowed_cpus(struct arena *arena, ompt_function_lookup_t lookup, bool *bound_out)
{
	cpu_set_t *set = arena_alloc(arena, BYTES);
	int own;

	*bound_out = false;
	if (!set)
		return "";
	CPU_ZERO_S(BYTES, set);
	sched_getaffinity(0, BYTES, set); /* if it fails: only the places */
	own = CPU_COUNT_S(BYTES, set);
	add_places(arena, set, lookup);
	*bound_out = CPU_COUNT_S(BYTES, set) > own;
	return list_of(arena, set);
}
