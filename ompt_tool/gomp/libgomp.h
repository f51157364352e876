/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_GOMP_LIBGOMP_H
#define MEMSEARCH_GOMP_LIBGOMP_H

#include <stdbool.h>

#include "ompt_tool/gomp/entries.h"

/* Calls of GNU libgomp, and the functions of its names that the library defines itself. */

/* libgomp's entry points; NULL: this libgomp has none, or libgomp is not loaded yet. */
struct gomp_entries {
#define X(result, name, parameters) result(*name) parameters;
	GOMP_ENTRIES
#undef X
	int (*omp_get_thread_num)(void);
	int (*omp_get_num_threads)(void);
	int (*omp_get_level)(void);
	int (*omp_get_num_places)(void);
	int (*omp_get_place_num_procs)(int place);
	void (*omp_get_place_proc_ids)(int place, int *ids);
};
extern struct gomp_entries libgomp __attribute__((visibility("hidden")));

#define GOMP_EXPORT __attribute__((visibility("default")))
#define X(result, name, parameters) GOMP_EXPORT result name parameters;
GOMP_ENTRIES
#undef X
GOMP_EXPORT int omp_control_tool(int command, int modifier, void *argument);
GOMP_EXPORT int omp_control_tool_(const int *command, const int *modifier);

#define GOMP_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define GOMP_RETURN_ADDRESS __builtin_return_address(0)

/*
 * The function that a call of `name` by the code at `caller` must be forwarded to. If libgomp is
 * among the program's libraries, it is the same for all callers (cached in *entry); if only local
 * copies are loaded (Python's modules bring one each), it is that of the caller's copy. Without
 * libgomp, a function that behaves like a program without OpenMP.
 */
void *gomp_real(const char *name, void **entry, const void *caller);
/*
 * Only local ones are loaded; `libgomp` is one of them, the others have no events. Constant once
 * gomp_is_live.
 */
extern bool gomp_is_local __attribute__((visibility("hidden")));

/* libgomp's entry of that name. In exported functions only. */
#define GOMP_REAL(name) GOMP_REAL_FOR(name, GOMP_RETURN_ADDRESS)
#define GOMP_REAL_FOR(name, caller) \
	(GOMP_LIKELY(libgomp.name && !gomp_is_local) \
		 ? libgomp.name \
		 : (__typeof__(libgomp.name))gomp_real(#name, (void **)&libgomp.name, caller))

#endif
