/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_COUNTERS_LIBRARY_H
#define MEMSEARCH_COUNTERS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Functions of a library that is opened only where it is needed, by dlopen(3), so that nothing
 * links it.
 */
struct library_function {
	const char *name;
	void *pointer; /* to the pointer to the function */
};

/*
 * Finds all of them in what dlopen returned; false: one is not there, and none is to be used. Not
 * in callbacks.
 */
bool library_functions(void *library, const struct library_function *wanted, size_t nr);

#endif
