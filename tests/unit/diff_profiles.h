/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_UNIT_DIFF_PROFILES_H
#define MEMSEARCH_TESTS_UNIT_DIFF_PROFILES_H

#include "analysis/base/arena.h"
#include "analysis/differential/metrics.h"
#include "analysis/differential/profile.h"
#include "tests/unit/test.h"

/*
 * Invented profiles: the phase is place 0, loops in functions follow, with values of data
 * structures.
 */
static inline struct profile *diff_profile(struct arena *arena, const char *build, uint32_t threads)
{
	struct profile *profile = arena_alloc(arena, sizeof(*profile));

	*profile = (struct profile){
		.program = "./swim",
		.command = "./swim 512",
		.machine = "altix-bx2",
		.runtime = "LLVM",
		.cpu = "some CPU",
		.host = "here",
		.build = build,
		.binary = "",
		.arguments = "512",
		.environment = "",
		.placement = "",
		.threads = threads,
		.cpus = 2,
		.complete = true,
		.basis = RUN_BASIS_STEADY,
		.executions = 100,
		.phase_ns = 1e6,
		.method = PHASE_SEQUENCE,
	};
	ARENA_GROW(arena, profile->places, profile->nr_places, profile->room_places);
	profile->places[profile->nr_places++] = (struct profile_place){
		.parent = PROFILE_NONE,
		.kind = MS_USER_REGION,
		.function = "",
		.file = "",
		.next = "",
		.path = "",
		.words = "the whole phase",
	};
	return profile;
}

static inline uint32_t diff_place(struct arena *arena, struct profile *profile,
				  const char *function, int line, const char *path, uint64_t arrays)
{
	CHECK(ARENA_GROW(arena, profile->places, profile->nr_places, profile->room_places));
	profile->places[profile->nr_places] = (struct profile_place){
		.parent = 0,
		.kind = MS_DO_REGION,
		.function = function,
		.file = "swim.c",
		.next = "",
		.path = path,
		.line = line,
		.arrays = arrays,
		.words = arena_printf(arena, "loop in %s (swim.c:%d)", function, line),
	};
	return (uint32_t)profile->nr_places++;
}

static inline uint32_t diff_inner(struct arena *arena, struct profile *profile,
				  enum ms_region_kind kind, uint32_t parent, const char *function,
				  int line)
{
	uint32_t place = diff_place(arena, profile, function, line, "main", 0);

	profile->places[place].kind = kind;
	profile->places[place].parent = parent;
	return place;
}

/* A parallel region that is executed in each step. */
static inline uint32_t diff_region(struct arena *arena, struct profile *profile,
				   const char *function, int line)
{
	uint32_t place = diff_inner(arena, profile, MS_PARALLEL_REGION, 0, function, line);

	profile->places[place].executed = profile->places[place].recorded = true;
	return place;
}

static inline uint32_t diff_array(struct arena *arena, struct profile *profile, const char *name,
				  int line)
{
	CHECK(ARENA_GROW(arena, profile->arrays, profile->nr_arrays, profile->room_arrays));
	profile->arrays[profile->nr_arrays] = (struct profile_array){ .kind = "static",
								      .name = name,
								      .function = "",
								      .file = "swim.c",
								      .line = line,
								      .words = name };
	return (uint32_t)profile->nr_arrays++;
}

static inline uint32_t diff_metric(const char *name, enum ms_rung rung)
{
	for (uint32_t i = 0; i < compared_metrics_nr(); i++)
		if (!strcmp(compared_metric(i)->name, name) && compared_metric(i)->rung == rung)
			return i;
	test_fail(__FILE__, __LINE__, "no metric %s", name);
}

static inline void diff_value(struct arena *arena, struct profile *profile, uint32_t place,
			      uint32_t array, uint32_t metric, double value, double uncertain)
{
	CHECK(ARENA_GROW(arena, profile->values, profile->nr_values, profile->room_values));
	profile->values[profile->nr_values++] = (struct profile_value){ place,  array, PROFILE_NONE,
									metric, value, uncertain };
}

#endif
