/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTERS_PAPI_LIBRARY_H
#define MEMSEARCH_COUNTERS_PAPI_LIBRARY_H

/*
 * PAPI's library: finds it, opens a private copy, and initialises it. PAPI runs one event set per
 * thread and component, so that sharing the library with the program would prevent the program from
 * counting. If the program has PAPI loaded at the start, it keeps it, and memsearch does not use
 * PAPI; if it loads PAPI later, it gets another copy than memsearch's.
 *
 * Needs <papi.h>; include only where HAVE_LIBPAPI is defined.
 */
#include <papi.h>

/*  X(function): those of PAPI's low-level interface that the back end calls. */
/* clang-format off */
#define PAPI_FUNCTIONS(X) \
	X(library_init) X(thread_init) X(register_thread) X(unregister_thread) \
	X(create_eventset) X(add_event) X(start) X(stop) X(read) X(cleanup_eventset) X(destroy_eventset) \
	X(event_name_to_code) X(event_code_to_name) X(enum_event) X(get_event_component) X(get_component_info) X(num_components) X(strerror)
/* clang-format on */

struct papi_library {
#define X(function) __typeof__(PAPI_##function) *function;
	PAPI_FUNCTIONS(X)
#undef X
};

/* "libpapi.so.7.0": the version with which memsearch was built. */
const char *papi_library_name(void);
/*
 * Once, on the initial thread. `name`: as for dlopen(3). Constant, for the rest of the process.
 * NULL: `why` (160 bytes) says why not: the program uses PAPI, it is not installed, is of another
 * version, or does not start.
 */
const struct papi_library *papi_library_open(const char *name, char *why);

#endif
