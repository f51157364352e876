/* SPDX-License-Identifier: Apache-2.0 */
/* Wrappers of the functions of LLVM's runtime that release locks. */
#define _GNU_SOURCE /* dladdr, RTLD_DEFAULT */
#include "ompt_tool/locks/lock_releases.h"

#include <dlfcn.h>
#include <stdint.h>

#include "analysis/base/base_name.h"
#include "analysis/debuginfo/modules.h"
#include "memsearch/gomp_tool.h"
#include "ompt_tool/clones/runtime_entries.h"
#include "ompt_tool/code/slots.h"
#include "ompt_tool/events/lock_events.h"

/*
 * X(function, kind, parameters, arguments, address of the program's lock variable): what clang,
 * flang and gcc call (kmp_csupport.cpp, kmp_gsupport.cpp, kmp_ftn_entry.h)
 */
/* clang-format off */
#define FUNCTIONS(X) \
	X(__kmpc_end_critical, ompt_mutex_critical, (void *location, int32_t thread, void *name), (location, thread, name), name) \
	X(GOMP_critical_end, ompt_mutex_critical, (void), (), 0) \
	X(GOMP_critical_name_end, ompt_mutex_critical, (void **name), (name), name) \
	X(omp_unset_lock, ompt_mutex_lock, (void *lock), (lock), lock) \
	X(omp_unset_lock_, ompt_mutex_lock, (void *lock), (lock), lock) \
	X(omp_unset_nest_lock, ompt_mutex_nest_lock, (void *lock), (lock), lock) \
	X(omp_unset_nest_lock_, ompt_mutex_nest_lock, (void *lock), (lock), lock)
/* clang-format on */

/* The runtime's functions; constant once calls are redirected. */
static struct {
#define X(function, kind, parameters, arguments, variable) void(*function) parameters;
	FUNCTIONS(X)
#undef X
} real;

#define X(function, kind, parameters, arguments, variable) \
	static void our_##function parameters \
	{ \
		events_releasing(kind, (ompt_wait_id_t)(uintptr_t)(variable)); \
		real.function arguments; \
		events_released(kind); \
	}
FUNCTIONS(X)
#undef X

static struct slots_change changes[] = {
#define X(function, kind, parameters, arguments, variable) \
	{ .name = #function, .with = (uintptr_t)our_##function },
	FUNCTIONS(X)
#undef X
};
enum { NR = sizeof(changes) / sizeof(changes[0]) };
_Static_assert(sizeof(real) == NR * sizeof(void *), "one pointer for each function");

static bool led;
static struct modules_count count; /* modules whose tables are redirected */

static void *look_up(void *library, const char *name)
{
	void *function = dlsym(library, name);

	if (!function)
		dlerror(); /* the program's own errors are for the program */
	return function;
}

/*
 * Only calls that lead to this runtime: another one in the process may have functions of these
 * names.
 */
static void find_functions(void *runtime)
{
	void **functions = (void **)&real;

	for (size_t i = 0; i < NR; i++) {
		functions[i] = look_up(runtime, changes[i].name);
		changes[i].from = functions[i] ? (uintptr_t)functions[i] : UINTPTR_MAX;
		changes[i].unbound = functions[i] &&
				     look_up(RTLD_DEFAULT, changes[i].name) == functions[i];
	}
}

static bool change_tables(void)
{
	count = modules_count();
	return !slots_change(changes, NR, runtime_entry_is_outside).refused;
}

/* NULL: it is no library of its own, so that the program calls it without tables. */
static void *library_of(const void *in_runtime)
{
	Dl_info info;

	if (!in_runtime || !dladdr(in_runtime, &info) || !info.dli_fname ||
	    !runtime_entry_is_in(base_name(info.dli_fname)))
		return NULL;
	return dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

void lock_releases_lead(ompt_function_lookup_t lookup)
{
	void *runtime = led || lookup(GOMP_SET_RELEASING)
				? NULL
				: library_of((const void *)lookup("ompt_set_callback"));

	if (!runtime)
		return;
	find_functions(runtime);
	dlclose(runtime);
	led = true;
	if (change_tables())
		events_see_releases();
}

void lock_releases_follow(void)
{
	if (led && modules_count().loaded != count.loaded)
		change_tables();
}
