/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTERS_LIBRARY_H
#define MEMSEARCH_COUNTERS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Functions of a library that is opened with dlopen(3) when it is needed, so that memsearch need
 * not be linked to it.
 */
struct library_function {
	const char *name;
	void *pointer; /* address of the function pointer to set */
};

/*
 * Finds all functions in a library that dlopen returned; false: one is absent, use none. Not in
 * callbacks.
 */
bool library_functions(void *library, const struct library_function *wanted, size_t nr);

#endif
