/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_DIFFERENTIAL_FUNCTIONS_H
#define MEMSEARCH_TESTS_DIFFERENTIAL_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/differential/prototypes.h"

/* The functions of a library, as its unwind information bounds them; linkage tables are none. */
struct function {
	uintptr_t start, end;
	/*
	 * of its code, distances to what is elsewhere left out: the same function by any name, in
	 * any library
	 */
	uint64_t hash;
	char name[96];                     /* of its symbol, or where it is in the library: +0x… */
	const struct prototype *prototype; /* NULL: not known what it takes */
	char type;                         /* s, d, c, z, as the prototype is for several */
};

struct functions {
	struct function *rows;
	size_t nr, room;
	bool generated;
	uintptr_t base;
};

/* Opens it; false: it cannot be (*why_out). Rows stay. */
bool functions_of(const char *library, struct functions *out, const char **why_out);

#endif
