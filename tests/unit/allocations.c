/* SPDX-License-Identifier: Apache-2.0 */
/* Places of allocations, by the debugging information of this program; and without memory. */
#include "analysis/report/allocations.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "analysis/base/arena.h"
#include "analysis/report/resolve.h"
#include "tests/unit/sample_run.h"

/* return addresses: of the allocation, and of the function around it */
static uintptr_t site, call;
static void *volatile kept;

__attribute__((noinline)) static void *allocate(void)
{
	site = (uintptr_t)__builtin_return_address(0);
	return calloc(64, 1);
}

__attribute__((always_inline)) static inline void keeps_it(void)
{
	kept = allocate();
}

__attribute__((always_inline)) static inline void *hands_it_on(void)
{
	return allocate();
}

__attribute__((noinline)) static void keeps(void)
{
	call = (uintptr_t)__builtin_return_address(0);
	keeps_it();
	free(kept);
}

__attribute__((noinline)) static void is_handed(void)
{
	call = (uintptr_t)__builtin_return_address(0);
	kept = hands_it_on();
	free(kept);
}

__attribute__((noinline)) static void begin(void (*function)(void))
{
	function();
	kept = NULL; /* no tail call */
}

/* "begin -> keeps -> keeps_it", and a line. */
static const char *calls_of(struct arena *arena, void (*function)(void))
{
	struct run run = { 0 };
	struct run_array array = { .name = "", .kind = "heap", .blocks = 1, .nr_path = 1 };
	const char *text = "";

	CHECK_THAT(modules_of_process(arena, &run.modules, &run.nr_modules), ==, MS_OK);
	begin(function);
	array.site = modules_find(run.modules, run.nr_modules, site);
	array.path = sample_copy(arena, &(struct code_address){ 0 }, sizeof(*array.path));
	array.path[0] = modules_find(run.modules, run.nr_modules, call);
	run.arrays = &array;
	run.nr_arrays = 1;
	resolve_run(&run, arena);
	CHECK(array.site_source.line > 0 && strstr(array.site_source.file, "allocations.c"));
	for (size_t i = 0; i < array.nr_callers; i++)
		text = arena_printf(arena, "%s%s -> ", text, array.callers[i].function);
	return arena_printf(arena, "%s%s", text, array.site_source.function);
}

TEST(allocations__callers_of_a_known_line)
{
	struct arena *arena = arena_new();

	CHECK_STR(calls_of(arena, keeps), "begin -> keeps -> keeps_it");
	/* whom it is handed to asked for it */
	CHECK_STR(calls_of(arena, is_handed), "begin -> is_handed");
	arena_free(arena);
}

TEST(allocations__no_memory)
{
	const struct rlimit none = { 1 << 20, RLIM_INFINITY };
	struct run run = { 0 };

	if (SANITIZED)
		test_skip("sanitizers need address space without limit");
	CHECK_INT(setrlimit(RLIMIT_AS, &none), 0);
	CHECK(arena_new() == NULL);
	allocations_resolve(NULL, &run, NULL);
}
