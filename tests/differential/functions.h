/* SPDX-License-Identifier: Apache-2.0 */
#ifndef MEMSEARCH_TESTS_DIFFERENTIAL_FUNCTIONS_H
#define MEMSEARCH_TESTS_DIFFERENTIAL_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The functions of a library, as its unwind information bounds them; linkage tables are none. */
struct function {
	uintptr_t start, end;
	uint64_t hash;                   /* of its code, distances to what is elsewhere left out: the same function by any name, in any library */
	char name[96];                   /* of its symbol, or where it is in the library: +0x… */
};

struct functions { struct function *rows; size_t nr, room; bool generated; };

/* Opens it; false: it cannot be (*why_out). Rows stay. */
bool functions_of(const char *library, struct functions *out, const char **why_out);

#endif
