/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTERS_PAPI_LIBRARY_H
#define MEMSEARCH_COUNTERS_PAPI_LIBRARY_H

/*
 * PAPI's library: found, opened as a copy of our own, and initialised. PAPI runs one event set a
 * thread and component, so that sharing a library with the program would keep it from counting. A
 * program that has one when we start keeps it, and we do without; one that opens it later gets
 * another than ours.
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

/* "libpapi.so.7.0": of the version that memsearch was built with. */
const char *papi_library_name(void);
/*
 * Once, on the initial thread. `name`: as for dlopen(3). Constant, for the rest of the process.
 * NULL: `why` (160 bytes) says why not: the program uses PAPI, it is not installed, is of another
 * version, or does not start.
 */
const struct papi_library *papi_library_open(const char *name, char *why);

#endif
